// Copies of rows that an array of indices chooses: gathers into shared memory and scatters from it, sm_100a only.
//
//   copy_gmem_to_smem(x.at[rows, 64:192], tile, barrier)      tile[i, j] = x[rows[i], 64 + j]
//
// One instruction moves four rows, which are as wide as a tile in shared memory and adjacent there. The descriptor
// always has the array's two dimensions, whatever the tiling. With the layout TMA_INDICES each warp of the warpgroup
// holds four of every sixteen rows and issues their instructions; with TMA_INDICES_4, one warp issues all instructions.
//
// Sources: PTX ISA, "Tiled mode: .tile::gather4 and .tile::scatter4", `cp.async.bulk.tensor`.
#pragma once

#include "core/gpu/ir/MosaicGpu.h"
#include "core/gpu/lowering/thread/KernelLowering.h"

namespace lanescope::core {

/// True if one of the copy's indices is an array.
bool choosesRows(mlir::ValueRange indices);

/// Emits the copy, or fails with an error at the operation. `global` is the side in global memory, on any device.
mlir::LogicalResult gather(KernelLowering &k, mosaic_gpu::AsyncLoadOp load, const Ref &global);
mlir::LogicalResult scatter(KernelLowering &k, mosaic_gpu::AsyncStoreOp store, const Ref &global);

} // namespace lanescope::core
