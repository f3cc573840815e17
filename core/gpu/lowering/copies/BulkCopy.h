// Copies of one contiguous piece of global memory, which need no descriptor. PTX ISA, `cp.async.bulk`.
#pragma once

#include "core/gpu/lowering/thread/KernelLowering.h"

namespace lanescope::core {

/// A contiguous slice of an argument, as bytes.
struct BulkCopy {
  mlir::Value source; // ptr<1>
  int64_t bytes = 0;
};

/// The copy of a slice (as for planTma) in one piece; nothing where one of both sides is not contiguous or not aligned,
/// or when with `checked` the slice may reach over the array's end.
std::optional<BulkCopy> planBulkCopy(KernelLowering &k, const Ref &global, const Ref &shared, mlir::ValueRange starts,
                                     llvm::ArrayRef<int64_t> lengths, bool checked);

} // namespace lanescope::core
