// The `mosaic_gpu` dialect in C++: barrier type, layout and transform attributes, operations.
//
//   context.loadDialect<mosaic_gpu::MosaicGpuDialect>();
//   auto load = mosaic_gpu::VectorLoadOp::create(builder, location, vectorType, ref, builder.getBoolAttr(true));
//
// Layout attributes are the text form of lanescope::layouts values; LayoutAttributes.h converts in both directions.
#pragma once

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"

#include "core/gpu/ir/LayoutRulesInterface.h"

#include "core/gpu/ir/MosaicGpuDialect.h.inc"
#include "core/gpu/ir/MosaicGpuEnums.h.inc"
#define GET_TYPEDEF_CLASSES
#include "core/gpu/ir/MosaicGpuTypes.h.inc"
#define GET_ATTRDEF_CLASSES
#include "core/gpu/ir/MosaicGpuAttributes.h.inc"
#define GET_OP_CLASSES
#include "core/gpu/ir/MosaicGpuOps.h.inc"

namespace lanescope::core {

/// True if the reference is in shared memory (`#gpu.address_space<workgroup>`). References without a space are global
/// memory.
bool isSharedMemory(mlir::MemRefType type);
bool isGlobalMemory(mlir::MemRefType type);
/// True if the reference is in tensor memory (`#mosaic_gpu.tmem`).
bool isTensorMemory(mlir::MemRefType type);
/// The memory space of shared memory.
mlir::Attribute sharedMemorySpace(mlir::MLIRContext *context);

} // namespace lanescope::core
