// The pieces of a copy between global and shared memory that the threads make themselves, without TMA. The slice is cut
// along its last dimension into pieces that are contiguous on both sides. In the code of a warpgroup, thread p % 128
// copies piece p; in the code of a warp, lane p % 32.
#pragma once

#include "core/gpu/lowering/thread/KernelLowering.h"

namespace lanescope::core {

struct CopyPieces {
  Ref shared, global;
  layouts::Shape counts; // pieces along each dimension
  int64_t elements = 0;  // of one piece
  int64_t bytes = 0;     // of one piece: at most 16
};

/// The narrowest pieces that a way of copying can move, in bytes, and what it is called in an error.
struct PieceRule {
  int64_t least = 1;
  llvm::StringRef advice;
};

/// Plans the copy between `shared` and the slice of `global` that begins at `indices` and has `lengths` (-1: the
/// dimension is indexed away). Fails, with an error at `op`, if the shapes or element types differ, if the last
/// dimension is not contiguous on both sides, or if pieces would be narrower than the rule allows.
mlir::FailureOr<CopyPieces> planPieces(KernelLowering &k, mlir::Operation *op, const Ref &shared, const Ref &global,
                                       mlir::ValueRange indices, llvm::ArrayRef<int64_t> lengths,
                                       const PieceRule &rule);

/// Calls `each(shared address, global address)` where code for each of the thread's pieces has to stand.
void forEachPiece(KernelLowering &k, const CopyPieces &pieces, llvm::function_ref<void(mlir::Value, mlir::Value)> each);

} // namespace lanescope::core
