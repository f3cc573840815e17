// Compares TMA loads through descriptors of f32 and tf32 with core/gpu/emulator/numbers/Tf32.h, for every pattern of
// the 13 bits that tf32 lacks. The exit status is 1 if a word differs.
//
//   nvcc -O2 -std=c++20 -arch=sm_90a -I. -o tf32_loads tests/gpu/tf32_loads.cu && ./tf32_loads
#include "core/gpu/emulator/numbers/Tf32.h"

#include <cstdio>
#include <cuda.h>
#include <cuda_runtime.h>
#include <tuple>
#include <vector>

constexpr uint32_t kRow = 256;

__global__ void load(const __grid_constant__ CUtensorMap map, uint32_t *out) {
  __shared__ alignas(128) uint32_t tile[kRow];
  __shared__ uint64_t loaded;
  auto barrier = static_cast<uint32_t>(__cvta_generic_to_shared(&loaded));
  auto to = static_cast<uint32_t>(__cvta_generic_to_shared(tile));
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(barrier));
    asm volatile("fence.mbarrier_init.release.cluster;");
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 1024;" ::"r"(barrier));
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%4, %2}], [%3];" ::"r"(to),
                 "l"(&map), "r"(static_cast<int>(blockIdx.x)), "r"(barrier), "r"(0)
                 : "memory");
    asm volatile("{.reg .pred p; W: mbarrier.try_wait.parity.shared.b64 p, [%0], 0; @!p bra W;}" ::"r"(barrier) : "memory");
  }
  __syncthreads();
  out[blockIdx.x * kRow + threadIdx.x] = tile[threadIdx.x];
}

int main() {
  const uint32_t kUpper[] = {0x3F800000, 0x3F802000, 0xBF800000, 0xBF802000, 0x3FFFE000, 0x7F7FE000, 0xFF7FE000,
                             0x7F800000, 0x7F802000, 0x7FC00000, 0xFFC00000, 0x7FFFE000, 0x00000000, 0x00002000,
                             0x80000000, 0x007FE000, 0x00800000, 0x41234000, 0x12346000};
  std::vector<uint32_t> in;
  for (uint32_t upper : kUpper)
    for (uint32_t lower = 0; lower < 8192; ++lower)
      in.push_back(upper | lower);
  uint32_t *from = nullptr, *to = nullptr;
  cudaMalloc(&from, in.size() * 4);
  cudaMalloc(&to, in.size() * 4);
  cudaMemcpy(from, in.data(), in.size() * 4, cudaMemcpyHostToDevice);
  void *entry = nullptr;
  cudaDriverEntryPointQueryResult found;
  cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &entry, 12000, cudaEnableDefault, &found);
  auto encode = reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(entry);
  size_t different = 0;
  for (auto [name, type, rounds] : {std::tuple("TFLOAT32", CU_TENSOR_MAP_DATA_TYPE_TFLOAT32, true),
                                    std::tuple("TFLOAT32_FTZ", CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ, true),
                                    std::tuple("FLOAT32", CU_TENSOR_MAP_DATA_TYPE_FLOAT32, false),
                                    std::tuple("FLOAT32_FTZ", CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ, false)}) {
    CUtensorMap map;
    cuuint64_t sizes[] = {kRow, in.size() / kRow}, strides[] = {kRow * 4};
    cuuint32_t box[] = {kRow, 1}, steps[] = {1, 1};
    CUresult made = encode(&map, type, 2, from, sizes, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                           CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    load<<<in.size() / kRow, kRow>>>(map, to);
    std::vector<uint32_t> out(in.size());
    cudaError_t ran = cudaMemcpy(out.data(), to, out.size() * 4, cudaMemcpyDeviceToHost);
    if (made != CUDA_SUCCESS || ran != cudaSuccess)
      return std::printf("%s: the load did not run (%d, %s)\n", name, made, cudaGetErrorString(ran)), 1;
    size_t wrong = 0;
    for (size_t n = 0; n < in.size(); ++n)
      wrong += out[n] != (rounds ? lanescope::core::emulator::nearestTf32(in[n]) : in[n]);
    std::printf("%s: %zu of %zu words differ\n", name, wrong, in.size());
    different += wrong;
  }
  return different != 0;
}
