// Copies of a contiguous piece of global memory, which need no descriptor. PTX ISA, `cp.async.bulk`.
#pragma once

#include "core/gpu/lowering/thread/KernelLowering.h"

namespace lanescope::core {

/// A contiguous slice of an argument, as bytes.
struct BulkCopy {
  mlir::Value global; // ptr<1>
  int64_t bytes = 0;
  mlir::Value within; // i32: bytes of the slice that are inside the array; null: all
};

/// The knowledge about the end of a slice that begins at computed indices.
enum class SliceEnd {
  Promised, // the slice is inside the array
  Unknown,  // the slice may reach past the array's end, so the copy needs a descriptor
  /// The slice may reach past the end, but the copy can have no descriptor, so the copy leaves the part past the end
  /// out.
  Clamped,
};

/// The copy of a slice (as for planTma) in one piece. Nothing if one of the sides is not contiguous or not aligned, or
/// if it is unknown where the slice ends.
std::optional<BulkCopy> planBulkCopy(KernelLowering &k, const Ref &global, const Ref &shared, mlir::ValueRange starts,
                                     llvm::ArrayRef<int64_t> lengths, SliceEnd end);

} // namespace lanescope::core
