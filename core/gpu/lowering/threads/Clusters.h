// A block's place in its cluster, and operations on other blocks of the cluster. PTX ISA, "Clusters", `mapa`,
// `%cluster_ctaid`.
//
// Blocks of a cluster of shape (x, y, z) are numbered x first: block (i, j, k) is number i + x * j + x * y * k.
#pragma once

#include "core/gpu/lowering/thread/KernelLowering.h"

namespace lanescope::core {

int64_t clusterSize(const KernelLowering &k);
/// Number of blocks along these dimensions of the cluster (0: x).
int64_t clusterSize(const KernelLowering &k, llvm::ArrayRef<int64_t> dims);
/// This block's index along one dimension, i32; 0 if the cluster has one block along it.
mlir::Value blockInCluster(KernelLowering &k, int64_t dim);
/// This block's index among the blocks that differ only along `dims`, the lowest dimension fastest.
mlir::Value indexAlong(KernelLowering &k, llvm::ArrayRef<int64_t> dims);
/// Bit i is set if block i differs from this one only along `dims` (or is this block); i32.
mlir::Value maskAlong(KernelLowering &k, llvm::ArrayRef<int64_t> dims);
/// A barrier of all threads of all blocks of the cluster. `relaxed`: it orders no memory accesses.
void clusterBarrier(ThreadBuilder &t, bool relaxed);

void addClusters(HandlerTable &table);

} // namespace lanescope::core
