// Sums to which blocks add by atomics, and a count by which the last block knows itself. Without a fence between the
// sums and the count, the last block reads sums that lack a part.
//
//   nvcc -O2 -std=c++20 -arch=sm_90a -o late_sums tests/gpu/late_sums.cu && ./late_sums
#include <cstdint>
#include <cstdio>
#include <cuda_runtime.h>

constexpr int kLaunches = 20000, kSums = 32,
              kApart = 4096; // bytes between two sums, so that they lie in several L2 slices
constexpr unsigned kBlocks = 1056;

enum class Reads { Volatile, Atomically };

template <typename T, Reads How, bool Fence> __global__ void add(T *sums, unsigned *count, unsigned *wrong) {
  if (threadIdx.x != 0)
    return;
  for (int n = 0; n < kSums; ++n)
    atomicAdd(sums + n * (kApart / sizeof(T)), T{1});
  if (Fence)
    __threadfence();
  if (atomicAdd(count, 1u) != gridDim.x - 1)
    return;
  if (Fence)
    __threadfence();
  bool lacks = false;
  for (int n = 0; n < kSums; ++n) {
    T *sum = sums + n * (kApart / sizeof(T));
    lacks |= (How == Reads::Atomically ? atomicAdd(sum, T{0}) : *static_cast<volatile T *>(sum)) != gridDim.x;
  }
  if (lacks)
    atomicAdd(wrong, 1u);
}

/// Returns the number of launches whose last block has read a sum that lacked a part.
template <typename T, Reads How, bool Fence> unsigned wrongOf(const char *name) {
  void *sums = nullptr;
  unsigned *counts = nullptr, wrong = 0;
  cudaMalloc(&sums, kSums * kApart);
  cudaMalloc(&counts, 2 * sizeof(unsigned));
  cudaMemset(counts, 0, 2 * sizeof(unsigned));
  for (int n = 0; n < kLaunches; ++n) {
    cudaMemsetAsync(sums, 0, kSums * kApart);
    cudaMemsetAsync(counts, 0, sizeof(unsigned));
    add<T, How, Fence><<<kBlocks, 32>>>(static_cast<T *>(sums), counts, counts + 1);
  }
  cudaMemcpy(&wrong, counts + 1, sizeof wrong, cudaMemcpyDeviceToHost);
  cudaFree(sums);
  cudaFree(counts);
  std::printf("%-48s wrong in %u of %d launches\n", name, wrong, kLaunches);
  return wrong;
}

int main() {
  using Wide = unsigned long long;
  wrongOf<unsigned, Reads::Volatile, false>("32 bits, volatile loads, no fence:");
  wrongOf<Wide, Reads::Volatile, false>("64 bits, volatile loads, no fence:");
  wrongOf<unsigned, Reads::Atomically, false>("32 bits, read by atomics, no fence:");
  unsigned right = wrongOf<unsigned, Reads::Volatile, true>("32 bits, volatile loads, fences:") +
                   wrongOf<Wide, Reads::Volatile, true>("64 bits, volatile loads, fences:");
  if (cudaError_t error = cudaGetLastError()) {
    std::printf("%s\n", cudaGetErrorString(error));
    return 3;
  }
  return right != 0;
}
