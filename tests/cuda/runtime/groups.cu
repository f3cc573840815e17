// Cooperative groups: a reduction over tiles, a grid-wide barrier in a cooperative launch, and clusters that share
// memory.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>
#include <cstdlib>

namespace groups = cooperative_groups;

__global__ void sum(const int *in, int *partial, int *out, int count) {
  groups::grid_group grid = groups::this_grid();
  auto tile = groups::tiled_partition<32>(groups::this_thread_block());
  int own = 0;
  for (unsigned long long n = grid.thread_rank(); n < static_cast<unsigned long long>(count); n += grid.size())
    own += in[n];
  own = groups::reduce(tile, own, groups::plus<int>());
  if (tile.thread_rank() == 0)
    atomicAdd(&partial[blockIdx.x], own);
  grid.sync();
  if (grid.thread_rank() == 0)
    for (unsigned n = 0; n < gridDim.x; ++n)
      *out += partial[n];
}

__global__ void __cluster_dims__(2, 1, 1) exchange(int *out) {
  __shared__ int own;
  auto cluster = groups::this_cluster();
  if (threadIdx.x == 0)
    own = static_cast<int>(blockIdx.x) + 10;
  cluster.sync();
  if (threadIdx.x == 0)
    out[blockIdx.x] = *cluster.map_shared_rank(&own, cluster.block_rank() ^ 1);
  cluster.sync();
}

int main() {
  constexpr int kCount = 4096, kBlocks = 8;
  int *in = nullptr, *partial = nullptr, *out = nullptr;
  cudaMallocManaged(&in, kCount * sizeof(int));
  cudaMallocManaged(&partial, kBlocks * sizeof(int));
  cudaMallocManaged(&out, kBlocks * sizeof(int));
  for (int n = 0; n < kCount; ++n)
    in[n] = n % 7;
  int count = kCount, expected = 0;
  for (int n = 0; n < kCount; ++n)
    expected += n % 7;
  void *arguments[] = {&in, &partial, &out, &count};
  cudaError_t error = cudaLaunchCooperativeKernel(sum, kBlocks, 128, arguments, 0, nullptr);
  cudaDeviceSynchronize();
  if (error || *out != expected)
    return std::printf("%s: %d, not %d\n", cudaGetErrorName(error), *out, expected), 1;
  exchange<<<4, 32>>>(out);
  if (cudaDeviceSynchronize() || out[0] != 11 || out[1] != 10 || out[3] != 12)
    return std::printf("%s: %d %d %d\n", cudaGetErrorName(cudaGetLastError()), out[0], out[1], out[3]), 1;
  std::printf("groups meet\n");
}
