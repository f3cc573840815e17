// The pieces of a copy between global and shared memory that the threads make themselves, without TMA. The slice is cut
// along its last dimension into pieces that are contiguous on both sides. In the code of a warpgroup, thread p % 128
// copies piece p; in the code of a warp, lane p % 32.
#pragma once

#include "core/gpu/lowering/thread/KernelLowering.h"

namespace lanescope::core {

/// A dimension of the global array along which the slice may lie outside of the array.
struct SliceBound {
  mlir::Value start; // i32
  int64_t size = 0;  // the array's size along it
  int dim = -1;      // its number in the slice; -1: the dimension is indexed away
};

struct CopyPieces {
  Ref shared, global;
  layouts::Shape counts; // pieces along each dimension
  int64_t elements = 0;  // elements per piece
  int64_t bytes = 0;     // bytes per piece: at most 16
  llvm::SmallVector<SliceBound> bounds;
};

/// One piece. `inside` (i1) is false if the piece is outside of the array; null if all pieces are inside.
struct CopyPiece {
  mlir::Value shared, global, inside;
};

/// The narrowest pieces that a way of copying can move, in bytes (`cp.async`: 4; stores: 1), and what an error advises.
struct PieceRule {
  int64_t least = 1;
  llvm::StringRef advice;
  bool mayBeOutside = false; // the slice may reach over the array's end
};

/// Plans the copy between `shared` and the slice of `global` that begins at `indices` and has `lengths` (-1: the
/// dimension is indexed away). Fails, with an error at `op`, if the shapes or element types differ, if the last
/// dimension is not contiguous on both sides, or if pieces would be narrower than the rule allows.
mlir::FailureOr<CopyPieces> planPieces(KernelLowering &k, mlir::Operation *op, const Ref &shared, const Ref &global,
                                       mlir::ValueRange indices, llvm::ArrayRef<int64_t> lengths,
                                       const PieceRule &rule);

/// Calls `each` where code for each of the thread's pieces has to stand.
void forEachPiece(KernelLowering &k, const CopyPieces &pieces, llvm::function_ref<void(const CopyPiece &)> each);

} // namespace lanescope::core
