// Transforms of shared-memory references, followed from their declarations by the rules of slices, transposes and
// reshapes.
#pragma once

#include "core/gpu/ir/LayoutRules.h"

#include "mlir/IR/BuiltinOps.h"

#include "llvm/ADT/DenseMap.h"

namespace lanescope::core {

struct RefTransforms {
  SmemTransforms transforms;
  bool transposed = false; // the contiguous dimension is not the last one

  bool isTiled() const { return transforms.tiling.has_value(); }
};

/// The transforms of each reference, except references to global memory and barriers.
using TransformMap = llvm::DenseMap<mlir::Value, RefTransforms>;

/// The transforms that inference chose for slices of shared memory without stated transforms.
using ChosenTransforms = llvm::DenseMap<mlir::Value, SmemTransforms>;

TransformMap propagateTransforms(const LayoutRules &rules, const ChosenTransforms &chosen);
/// Writes in_transforms and out_transforms.
void annotateTransforms(mlir::Operation *root, const TransformMap &map);

} // namespace lanescope::core
