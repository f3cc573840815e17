// The C++ side of the `lanescope` dialect: warpgroup-level operations that complement those of mosaic_gpu (see
// LanescopeOps.td).
#pragma once

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"

#include "core/gpu/ir/LayoutRulesInterface.h"

#include "core/gpu/ir/LanescopeDialect.h.inc"
#define GET_OP_CLASSES
#include "core/gpu/ir/LanescopeOps.h.inc"
