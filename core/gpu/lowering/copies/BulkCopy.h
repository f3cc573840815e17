// Copies of one contiguous piece of global memory, which need no descriptor. PTX ISA, `cp.async.bulk`.
#pragma once

#include "core/gpu/lowering/thread/KernelLowering.h"

namespace lanescope::core {

/// A contiguous slice of an argument, as bytes.
struct BulkCopy {
  mlir::Value global; // ptr<1>
  int64_t bytes = 0;
  mlir::Value within; // i32: how many of them are in the array; null: all
};

/// What is known of slices that begin at computed indices.
enum class SliceEnd {
  Promised, // they are in the array
  Unknown,  // they may reach over its end: a descriptor sees to that
  Clamped,  // the same, and a descriptor cannot: what is over the end is left out
};

/// The copy of a slice (as for planTma) in one piece; nothing where one of both sides is not contiguous or not aligned,
/// or where its end is not known.
std::optional<BulkCopy> planBulkCopy(KernelLowering &k, const Ref &global, const Ref &shared, mlir::ValueRange starts,
                                     llvm::ArrayRef<int64_t> lengths, SliceEnd end);

} // namespace lanescope::core
