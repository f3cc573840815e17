// The TMA descriptor of a copy between a slice of a kernel argument and shared memory. The planner checks every rule of
// the hardware and the driver, and reports violations in the user's terms.
//
// The sub-dimensions of shared memory, from the largest stride to the smallest, become the dimensions of the box. For
// example, a (128, 128) reference tiled by (8, 64) is a box of (16, 2, 8, 64) over a 4-dimensional view of the
// argument.
//
// Sources: PTX ISA, "Tensors"; CUDA Driver API, cuTensorMapEncodeTiled.
#pragma once

#include "core/gpu/ir/MosaicGpu.h"
#include "core/gpu/lowering/thread/KernelLowering.h"

namespace lanescope::core {

/// The most elements of one dimension of a box; the alignment in bytes of starts, strides and rows in global memory;
/// the alignment of places in shared memory.
constexpr int64_t kTmaMaxBox = 256, kTmaUnit = 16, kTmaSharedUnit = 128;

struct TmaCopy {
  TensorMapSpec map;
  std::vector<mlir::Value> coordinates; // i32, outermost first, one per dimension of the map
  mlir::Value sharedOffset;             // i32, from the reference's start to this block's part, in bytes; null: none
};

/// How blocks of a cluster share a slice.
struct TmaSharing {
  /// The blocks along these dimensions of the cluster each load a part and send it to all. The parts split any
  /// dimensions of the box that can be split. Empty: blocks do not share the slice in this way.
  llvm::ArrayRef<int64_t> collective = {};
  /// Or: the dimension of the argument along which the slice is cut into equal parts. Each block loads one part and
  /// keeps it.
  std::optional<size_t> split = std::nullopt;
};

/// `starts`: one i32 per dimension of the argument; `lengths`: -1 if the slice is one element and shared memory lacks
/// the dimension. A slice may reach past the array's end: loads fill it with zeros there, stores skip that part. Fails
/// with an error at `op`.
mlir::FailureOr<TmaCopy> planTma(KernelLowering &k, mlir::Operation *op, const Ref &global, const Ref &shared,
                                 mlir::ValueRange starts, llvm::ArrayRef<int64_t> lengths,
                                 const TmaSharing &sharing = {});
/// Plans the descriptor of a prefetch, which has no side in shared memory.
mlir::FailureOr<TmaCopy> planPrefetch(KernelLowering &k, mlir::Operation *op, const Ref &global,
                                      mlir::ValueRange starts, llvm::ArrayRef<int64_t> lengths,
                                      llvm::ArrayRef<int64_t> collective);

/// Sets the fill that a load requests in its descriptor. Fails with an error if the descriptor cannot have this fill.
mlir::LogicalResult fillWithNan(mosaic_gpu::AsyncLoadOp load, TensorMapSpec &map);

/// Converts a reference to elements narrower than a byte into a reference to bytes, with fewer of them along the
/// contiguous dimension. Fails with an error at `op` if a row is not a whole number of bytes.
mlir::FailureOr<Ref> inBytes(KernelLowering &k, mlir::Operation *op, const Ref &ref);

/// A slice of an array of elements narrower than a byte, as a slice of bytes.
struct PackedSlice {
  Ref global;
  llvm::SmallVector<int64_t> lengths; // in bytes along `dim`
  std::optional<size_t> dim;          // the contiguous dimension, whose starts still count elements
};
/// Fails with an error at `op` if the slice does not begin and end at whole bytes.
mlir::FailureOr<PackedSlice> packedInBytes(KernelLowering &k, mlir::Operation *op, const Ref &global,
                                           mlir::ValueRange starts, llvm::ArrayRef<int64_t> lengths);

/// True if the kernel reads into registers from a buffer that copies fill. An arrival that allows the buffer to be
/// filled again then needs a proxy fence: on an H200, copies overtook slow loads that preceded the arrival.
bool readsWhatCopiesFill(mlir::func::FuncOp kernel);

} // namespace lanescope::core
