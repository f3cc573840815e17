// Measures the constants of memory in the emulator's cost model (core/gpu/emulator/machine/CostModel.h) on a GPU:
// latencies in cycles of a multiprocessor, bandwidths in bytes per cycle.
//
//   nvcc -O2 -std=c++20 -arch=sm_90a -o memory_speeds tests/gpu/memory_speeds.cu && ./memory_speeds
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>
#include <vector>

#define CHECK(CALL)                                                                                                    \
  if (cudaError_t error = CALL; error != cudaSuccess) {                                                                \
    std::printf("%s: %s\n", #CALL, cudaGetErrorString(error));                                                         \
    std::exit(1);                                                                                                      \
  }

constexpr int kMultiprocessors = 132;
extern __shared__ __align__(1024) unsigned char memory[];

__device__ uint32_t sharedAddress(const void *p) { return static_cast<uint32_t>(__cvta_generic_to_shared(p)); }

/// A chain of loads that bypasses the L1 cache. The first `steps` loads fill the L2 cache if it can hold the data; the
/// next `steps` loads are measured.
__global__ void chase(const uint64_t *next, int steps, uint64_t *cycles) {
  uint64_t at = 0;
  for (int n = 0; n < steps; ++n)
    asm volatile("ld.global.cg.u64 %0, [%1];" : "=l"(at) : "l"(next + at));
  long long begin = clock64();
  for (int n = 0; n < steps; ++n)
    asm volatile("ld.global.cg.u64 %0, [%1];" : "=l"(at) : "l"(next + at));
  cycles[0] = clock64() - begin + (at == UINT64_MAX);
}

/// Each thread issues four accesses of 16 bytes at once, over all of `data` several times.
__global__ void readAll(const uint4 *data, size_t count, int rounds, uint64_t *cycles, uint4 *out) {
  uint32_t sum = 0;
  long long begin = clock64();
  size_t stride = static_cast<size_t>(gridDim.x) * blockDim.x;
  for (int round = 0; round < rounds; ++round)
    for (size_t at = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x; at + 3 * stride < count;
         at += 4 * stride) {
      uint4 x[4];
#pragma unroll
      for (int k = 0; k < 4; ++k)
        asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(x[k].x), "=r"(x[k].y), "=r"(x[k].z), "=r"(x[k].w)
                     : "l"(data + at + k * stride));
#pragma unroll
      for (int k = 0; k < 4; ++k)
        sum ^= x[k].x ^ x[k].y ^ x[k].z ^ x[k].w;
    }
  if (threadIdx.x == 0)
    cycles[blockIdx.x] = clock64() - begin;
  if (sum == 12345) // never true: keeps the loads
    out[0].x = sum;
}

/// One thread issues bulk copies, `stride` bytes apart, and waits for each before the next.
__global__ void bulk(const char *data, size_t stride, int bytes, int steps, uint64_t *cycles) {
  uint32_t barrier = sharedAddress(memory), target = barrier + 1024;
  if (threadIdx.x != 0)
    return;
  asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(barrier));
  asm volatile("fence.mbarrier_init.release.cluster;");
  long long begin = clock64();
  for (int n = 0; n < steps; ++n) {
    size_t at = (static_cast<size_t>(blockIdx.x) * steps + n) * stride;
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(target),
        "l"(data + at), "r"(bytes), "r"(barrier)
        : "memory");
    for (uint32_t done = 0; !done;)
      asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                   : "=r"(done)
                   : "r"(barrier), "r"(n & 1)
                   : "memory");
  }
  cycles[blockIdx.x] = clock64() - begin;
}

__global__ void nothing() {}

uint64_t *counted = nullptr; // cycles of each block

uint64_t longest(int blocks) {
  std::vector<uint64_t> all(blocks);
  CHECK(cudaMemcpy(all.data(), counted, all.size() * sizeof(uint64_t), cudaMemcpyDeviceToHost));
  return *std::max_element(all.begin(), all.end());
}

template <class Launch> float microseconds(Launch launch) {
  constexpr int kTimes = 21;
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  std::vector<float> all(kTimes);
  for (float &time : all) {
    CHECK(cudaEventRecord(begin));
    launch();
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    CHECK(cudaEventElapsedTime(&time, begin, end));
  }
  std::sort(all.begin(), all.end());
  return all[kTimes / 2] * 1000;
}

void latencies(char *data) {
  for (size_t bytes : {size_t{4} << 20, size_t{32} << 20, size_t{2} << 30}) {
    std::vector<uint32_t> order(bytes / 128); // lines in random order
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin() + 1, order.end(), std::mt19937(1));
    std::vector<uint64_t> next(bytes / 8);
    for (size_t n = 0; n < order.size(); ++n)
      next[order[n] * size_t{16}] = order[(n + 1) % order.size()] * uint64_t{16};
    CHECK(cudaMemcpy(data, next.data(), bytes, cudaMemcpyHostToDevice));
    int steps = static_cast<int>(std::min<size_t>(order.size(), 1 << 16));
    chase<<<1, 1>>>(reinterpret_cast<uint64_t *>(data), steps, counted);
    std::printf("a load, of %zu MiB: %.0f cycles\n", bytes >> 20, static_cast<double>(longest(1)) / steps);
  }
}

void bandwidths(char *data, size_t size) {
  auto *out = reinterpret_cast<uint4 *>(counted + 4096);
  auto show = [&](const char *what, int blocks, size_t bytes, int rounds) {
    for (int n = 0; n < 2; ++n)
      readAll<<<blocks, 1024>>>(reinterpret_cast<uint4 *>(data), bytes / 16, rounds, counted, out);
    std::printf("%s, %d multiprocessors: %.0f bytes a cycle\n", what, std::min(blocks, kMultiprocessors),
                static_cast<double>(bytes) * rounds / static_cast<double>(longest(blocks)));
  };
  show("L2 cache", 1, size_t{16} << 20, 4);
  show("L2 cache", 2 * kMultiprocessors, size_t{16} << 20, 20);
  show("DRAM", 2 * kMultiprocessors, size, 1);
}

void copies(char *data, size_t size) {
  constexpr int kShared = 64 << 10, kSteps = 128;
  CHECK(cudaFuncSetAttribute(bulk, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared));
  for (bool spread : {false, true}) // over all of `data`, or copies that overlap
    for (int bytes : {128, 16384, 32768}) {
      if (spread && bytes < 16384) // after the first run all of it is in the L2 cache
        continue;
      size_t stride = spread ? size / (kMultiprocessors * kSteps) / 128 * 128 : 1024;
      for (int n = 0; n < 2; ++n)
        bulk<<<kMultiprocessors, 32, kShared>>>(data, stride, bytes, kSteps, counted);
      std::printf("a bulk copy of %d bytes, from %s: %.0f cycles\n", bytes, spread ? "DRAM" : "the L2 cache",
                  static_cast<double>(longest(kMultiprocessors)) / kSteps);
    }
}

void blocks() {
  constexpr int kLarge = 200 << 10, kRounds = 64;
  CHECK(cudaFuncSetAttribute(nothing, cudaFuncAttributeMaxDynamicSharedMemorySize, kLarge));
  for (int shared : {0, kLarge}) {
    float few = microseconds([&] { nothing<<<kMultiprocessors, 128, shared>>>(); });
    float many = microseconds([&] { nothing<<<kMultiprocessors * kRounds, 128, shared>>>(); });
    std::printf("one empty block more on each multiprocessor, %d bytes: %.0f ns\n", shared,
                (many - few) * 1000 / (kRounds - 1));
  }
}

int main() {
  constexpr size_t kBytes = size_t{4} << 30;
  char *data = nullptr;
  CHECK(cudaMalloc(&data, kBytes));
  CHECK(cudaMalloc(&counted, 1 << 20));
  CHECK(cudaMemset(data, 0, kBytes));
  latencies(data);
  bandwidths(data, kBytes);
  copies(data, kBytes);
  blocks();
  CHECK(cudaDeviceSynchronize());
}
