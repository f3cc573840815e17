// The TMA descriptor of a copy between a slice of a kernel argument and shared memory, with every rule that the
// hardware and the driver have, checked in the user's terms.
//
// Shared memory decides the order: its sub-dimensions from the largest stride to the smallest become the box, so a
// (128, 128) reference tiled by (8, 64) is a box of (16, 2, 8, 64) over a 4-dimensional view of the argument.
//
// Sources: PTX ISA, "Tensors"; CUDA Driver API, cuTensorMapEncodeTiled.
#pragma once

#include "core/gpu/ir/MosaicGpu.h"
#include "core/gpu/lowering/thread/KernelLowering.h"

namespace lanescope::core {

/// Elements of one dimension of a box at most; bytes that starts, strides and rows in global memory are multiples of,
/// and bytes for places in shared memory.
constexpr int64_t kTmaMaxBox = 256, kTmaUnit = 16, kTmaSharedUnit = 128;

struct TmaCopy {
  TensorMapSpec map;
  std::vector<mlir::Value> coordinates; // i32, outermost first, as many as the map has dimensions
  mlir::Value sharedOffset;             // i32, bytes from the reference's start to this block's part; null: none
};

/// The blocks of a cluster that share a slice.
struct TmaSharing {
  /// Those along these dimensions of the cluster take a part each, of whichever dimensions of the box can be dealt out,
  /// and send it to all. Empty: none do.
  llvm::ArrayRef<int64_t> collective = {};
  /// Or: each takes one of equal parts along this dimension of the argument, and keeps it.
  std::optional<size_t> split = std::nullopt;
};

/// `starts`: one i32 per dimension of the argument; `lengths`: -1 where the slice is one element and shared memory
/// lacks the dimension. A slice may reach over the array's end: loads fill with zeros there, stores leave out. Fails
/// with an error at `op`.
mlir::FailureOr<TmaCopy> planTma(KernelLowering &k, mlir::Operation *op, const Ref &global, const Ref &shared,
                                 mlir::ValueRange starts, llvm::ArrayRef<int64_t> lengths,
                                 const TmaSharing &sharing = {});
/// The same for a slice that goes nowhere: a prefetch.
mlir::FailureOr<TmaCopy> planPrefetch(KernelLowering &k, mlir::Operation *op, const Ref &global,
                                      mlir::ValueRange starts, llvm::ArrayRef<int64_t> lengths,
                                      llvm::ArrayRef<int64_t> collective);

/// Gives the descriptor of a load the fill that the operation asks for. Fails with an error where it has none.
mlir::LogicalResult fillWithNan(mosaic_gpu::AsyncLoadOp load, TensorMapSpec &map);

/// Several elements a byte: the reference in bytes, fewer along the dimension that is contiguous. Fails with an error
/// at `op` where a row has no whole number of bytes.
mlir::FailureOr<Ref> inBytes(KernelLowering &k, mlir::Operation *op, const Ref &ref);

/// A slice of an array of elements narrower than a byte as one of bytes.
struct PackedSlice {
  Ref global;
  llvm::SmallVector<int64_t> lengths; // in bytes along `dim`
  std::optional<size_t> dim;          // the contiguous one, whose starts still count elements
};
/// Fails with an error at `op` where the slice does not begin and end with whole bytes.
mlir::FailureOr<PackedSlice> packedInBytes(KernelLowering &k, mlir::Operation *op, const Ref &global,
                                           mlir::ValueRange starts, llvm::ArrayRef<int64_t> lengths);

/// Whether the kernel reads into registers from a buffer that copies fill. Then what says that such a buffer may be
/// filled again needs a proxy fence: on an H200, copies were seen to overtake slow loads that precede an arrival.
bool readsWhatCopiesFill(mlir::func::FuncOp kernel);

} // namespace lanescope::core
