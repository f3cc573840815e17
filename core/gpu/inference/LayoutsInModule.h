// Reads the attributes that layout inference writes: the layout of each array, the transforms of each shared-memory
// reference.
//
// As in JAX, an operation has `in_layouts` and `out_layouts` (one entry per vector operand or result, in order),
// `in_transforms` and `out_transforms` (one per shared-memory reference), `in_tmem_layouts` and `out_tmem_layouts` (one
// per reference to tensor memory). An attribute without entries is omitted.
#pragma once

#include "core/gpu/inference/constraints/DerivedLayouts.h"
#include "core/gpu/ir/LayoutAttributes.h"

#include "mlir/IR/Operation.h"

namespace lanescope::core {

constexpr llvm::StringLiteral kInLayouts = "in_layouts", kOutLayouts = "out_layouts", kInTransforms = "in_transforms",
                              kOutTransforms = "out_transforms", kInTmemLayouts = "in_tmem_layouts",
                              kOutTmemLayouts = "out_tmem_layouts";

/// The layout of a vector operand or result; nullopt before inference, or if `index` is not a vector.
std::optional<layouts::RegisterLayout> operandLayout(mlir::Operation *op, unsigned index);
std::optional<layouts::RegisterLayout> resultLayout(mlir::Operation *op, unsigned index);

/// The layout of an operand or result that is a reference to tensor memory.
std::optional<layouts::TMEMLayout> operandTmemLayout(mlir::Operation *op, unsigned index);
std::optional<layouts::TMEMLayout> resultTmemLayout(mlir::Operation *op, unsigned index);

} // namespace lanescope::core
