// What a block knows about its cluster, and operations on other blocks of it. PTX ISA, "Clusters", `mapa`,
// `%cluster_ctaid`.
//
// Blocks of a cluster of shape (x, y, z) are numbered x first: block (i, j, k) is number i + x * j + x * y * k.
#pragma once

#include "core/gpu/lowering/thread/KernelLowering.h"

namespace lanescope::core {

int64_t clusterSize(const KernelLowering &k);
/// Blocks along these dimensions of the cluster (0: x).
int64_t clusterSize(const KernelLowering &k, llvm::ArrayRef<int64_t> dims);
/// This block's place along one dimension, i32; 0 where the cluster has one block along it.
mlir::Value blockInCluster(KernelLowering &k, int64_t dim);
/// This block's number among those that differ along `dims` alone, the lowest dimension fastest.
mlir::Value indexAlong(KernelLowering &k, llvm::ArrayRef<int64_t> dims);
/// Bit i: block number i differs from this one along `dims` alone (or not at all); i32.
mlir::Value maskAlong(KernelLowering &k, llvm::ArrayRef<int64_t> dims);
/// All threads of all blocks of the cluster. `relaxed`: orders no memory accesses before it.
void clusterBarrier(ThreadBuilder &t, bool relaxed);

void addClusters(HandlerTable &table);

} // namespace lanescope::core
