// Compares the emulator's special functions (core/gpu/emulator/numbers) with this machine's GPU: every float, every
// upper word of a double, every half; quotients of 2^31 pairs; products at the limit of flushing to zero. It needs
// sm_90. With a file name as argument it writes a sample of the results to that file, for
// tests/unit/emulator/instructions/SpecialFunctionsTest.cpp.
//
//   nvcc -O2 -std=c++20 -arch=sm_90a -I. -o special_functions tests/gpu/special_functions.cu
//     core/gpu/emulator/numbers/SpecialFunctions.cpp && ./special_functions
#include "core/gpu/emulator/numbers/Approximations.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

namespace approximate = lanescope::core::emulator::approximate;
namespace special = lanescope::core::emulator::special;

#define CHECK(CALL)                                                                                                    \
  if (cudaError_t error = CALL; error != cudaSuccess) {                                                                \
    std::printf("%s: %s\n", #CALL, cudaGetErrorString(error));                                                         \
    std::exit(1);                                                                                                      \
  }

constexpr uint32_t kChunk = 1u << 24;
bool allGood = true;

/// Pseudo-random bits for position n: both operands of a quotient, or a double.
__host__ __device__ inline uint64_t mixed(uint64_t n) {
  n = (n ^ (n >> 30)) * 0xBF58476D1CE4E5B9ull;
  n = (n ^ (n >> 27)) * 0x94D049BB133111EBull;
  return n ^ (n >> 31);
}

template <class Gpu, class Out> __global__ void evaluate(uint64_t first, Out *out) {
  uint32_t n = blockIdx.x * blockDim.x + threadIdx.x;
  out[n] = Gpu::of(first + n);
}

bool isSame(uint32_t a, uint32_t b) {
  return a == b || ((a & 0x7FFFFFFF) > 0x7F800000 && (b & 0x7FFFFFFF) > 0x7F800000);
}
bool isSame(uint16_t a, uint16_t b) { return a == b; }
bool isSame(uint64_t a, uint64_t b) {
  constexpr uint64_t kSign = 1ull << 63, kInfinity = 0x7FFull << 52;
  return a == b || ((a & ~kSign) > kInfinity && (b & ~kSign) > kInfinity);
}

template <class Gpu, class Host> void compare(const char *name, uint64_t count, Host host) {
  using Out = decltype(Gpu::of(0));
  static Out *onGpu = nullptr, *here = nullptr;
  CHECK(cudaMalloc(&onGpu, kChunk * sizeof(Out)));
  CHECK(cudaMallocHost(&here, kChunk * sizeof(Out)));
  std::atomic<uint64_t> differ = 0, first = UINT64_MAX;
  unsigned threads = std::max(1u, std::thread::hardware_concurrency());
  for (uint64_t at = 0; at < count; at += kChunk) {
    auto size = static_cast<uint32_t>(std::min<uint64_t>(kChunk, count - at));
    evaluate<Gpu><<<size / 256, 256>>>(at, onGpu);
    CHECK(cudaMemcpy(here, onGpu, size * sizeof(Out), cudaMemcpyDeviceToHost));
    std::vector<std::thread> workers;
    for (unsigned t = 0; t < threads; ++t)
      workers.emplace_back([&, t] {
        for (uint64_t n = uint64_t{size} * t / threads; n < uint64_t{size} * (t + 1) / threads; ++n)
          if (!isSame(here[n], static_cast<Out>(host(at + n)))) {
            ++differ;
            uint64_t seen = first;
            while (at + n < seen && !first.compare_exchange_weak(seen, at + n))
              ;
          }
      });
    for (std::thread &worker : workers)
      worker.join();
  }
  CHECK(cudaFree(onGpu));
  CHECK(cudaFreeHost(here));
  std::printf("%-24s %llu of %llu differ", name, static_cast<unsigned long long>(differ.load()),
              static_cast<unsigned long long>(count));
  if (differ)
    std::printf(", the first is 0x%llx", static_cast<unsigned long long>(first.load()));
  std::printf("\n");
  allGood = allGood && differ == 0;
}

#define UNARY(NAME, PTX)                                                                                               \
  struct NAME {                                                                                                        \
    static __device__ uint32_t of(uint64_t n) {                                                                        \
      uint32_t out;                                                                                                    \
      asm(PTX " %0, %1;" : "=r"(out) : "r"(static_cast<uint32_t>(n)));                                                 \
      return out;                                                                                                      \
    }                                                                                                                  \
  };
#define HALF(NAME, PTX)                                                                                                \
  struct NAME {                                                                                                        \
    static __device__ uint16_t of(uint64_t n) {                                                                        \
      uint16_t out;                                                                                                    \
      asm(PTX " %0, %1;" : "=h"(out) : "h"(static_cast<uint16_t>(n)));                                                 \
      return out;                                                                                                      \
    }                                                                                                                  \
  };
#define UPPER(NAME, PTX)                                                                                               \
  struct NAME {                                                                                                        \
    static __device__ uint64_t of(uint64_t n) {                                                                        \
      uint64_t out;                                                                                                    \
      asm(PTX " %0, %1;" : "=l"(out) : "l"(n << 32 | (mixed(n) & 0xFFFFFFFF)));                                        \
      return out;                                                                                                      \
    }                                                                                                                  \
  };
#define QUOTIENT(NAME, PTX)                                                                                            \
  struct NAME {                                                                                                        \
    static __device__ uint32_t of(uint64_t n) {                                                                        \
      uint32_t out;                                                                                                    \
      uint64_t both = mixed(n);                                                                                        \
      asm(PTX " %0, %1, %2;" : "=r"(out) : "r"(static_cast<uint32_t>(both)), "r"(static_cast<uint32_t>(both >> 32)));  \
      return out;                                                                                                      \
    }                                                                                                                  \
  };
UNARY(RcpFtz, "rcp.approx.ftz.f32")
UNARY(Rcp, "rcp.approx.f32")
UNARY(RsqrtFtz, "rsqrt.approx.ftz.f32")
UNARY(Rsqrt, "rsqrt.approx.f32")
UNARY(SqrtFtz, "sqrt.approx.ftz.f32")
UNARY(Sqrt, "sqrt.approx.f32")
UNARY(Ex2Ftz, "ex2.approx.ftz.f32")
UNARY(Ex2, "ex2.approx.f32")
UNARY(Lg2Ftz, "lg2.approx.ftz.f32")
UNARY(Lg2, "lg2.approx.f32")
UNARY(SinFtz, "sin.approx.ftz.f32")
UNARY(Sin, "sin.approx.f32")
UNARY(CosFtz, "cos.approx.ftz.f32")
UNARY(Cos, "cos.approx.f32")
UNARY(Tanh, "tanh.approx.f32")
HALF(Ex2F16, "ex2.approx.f16")
HALF(Ex2Bf16, "ex2.approx.ftz.bf16")
HALF(TanhF16, "tanh.approx.f16")
HALF(TanhBf16, "tanh.approx.bf16")
UPPER(RcpF64, "rcp.approx.ftz.f64")
UPPER(RsqrtFtzF64, "rsqrt.approx.ftz.f64")
UPPER(RsqrtF64, "rsqrt.approx.f64")
QUOTIENT(DivFull, "div.full.f32")
QUOTIENT(DivFullFtz, "div.full.ftz.f32")
QUOTIENT(DivApprox, "div.approx.f32")
QUOTIENT(DivApproxFtz, "div.approx.ftz.f32")

/// Factors whose product is near 2^-126, and a smaller addend.
struct Edge {
  float a, b, c;
};
__host__ __device__ inline Edge edgeOf(uint64_t n) {
  uint64_t bits = mixed(n);
  auto number = [](uint32_t sign, uint32_t exponent, uint64_t fraction) {
    uint32_t word = sign << 31 | exponent << 23 | (static_cast<uint32_t>(fraction) & 0x7FFFFF);
    float out;
    memcpy(&out, &word, sizeof out);
    return out;
  };
  // About 1 + d and 1 - d / 2, whose product is near 1.
  auto d = static_cast<uint32_t>(bits >> 8 & 0x3FFFFF);
  uint32_t shift = static_cast<uint32_t>(bits >> 60) + 1;
  return {number(bits & 1, 64, d >> shift),
          number(bits >> 1 & 1, 63, (1u << 23) - (d >> shift << 1) + (bits >> 40 & 3)),
          number(bits >> 2 & 1, static_cast<uint32_t>(bits >> 32 & 7) + 1, bits >> 16)};
}
struct MulFtz {
  static __device__ uint32_t of(uint64_t n) {
    Edge e = edgeOf(n);
    float out;
    asm("mul.rn.ftz.f32 %0, %1, %2;" : "=f"(out) : "f"(e.a), "f"(e.b));
    return __float_as_uint(out);
  }
};
struct FmaFtz {
  static __device__ uint32_t of(uint64_t n) {
    Edge e = edgeOf(n);
    float out;
    asm("fma.rn.ftz.f32 %0, %1, %2, %3;" : "=f"(out) : "f"(e.a), "f"(e.b), "f"(e.c));
    return __float_as_uint(out);
  }
};

template <class F> auto ofFloat(F f) {
  return [f](uint64_t n) { return std::bit_cast<uint32_t>(f(std::bit_cast<float>(static_cast<uint32_t>(n)))); };
}
template <class F> auto ofDouble(F f) {
  return
      [f](uint64_t n) { return std::bit_cast<uint64_t>(f(std::bit_cast<double>(n << 32 | (mixed(n) & 0xFFFFFFFF)))); };
}
template <class F> auto ofTwo(F f) {
  return [f](uint64_t n) {
    uint64_t both = mixed(n);
    return std::bit_cast<uint32_t>(
        f(std::bit_cast<float>(static_cast<uint32_t>(both)), std::bit_cast<float>(static_cast<uint32_t>(both >> 32))));
  };
}

// --- a sample of results ------------------------------------------------------------------------------------------

constexpr uint32_t kSampled = 64;

template <class Gpu, class Out> __global__ void evaluateAt(const uint64_t *at, Out *out) {
  out[threadIdx.x] = Gpu::of(at[threadIdx.x]);
}

/// Writes lines of an instruction, an argument and a result. `argumentOf` converts an argument to the instruction's own
/// bits.
template <class Gpu> void sample(std::FILE *file, const char *name, bool half, uint64_t (*argumentOf)(uint64_t)) {
  using Out = decltype(Gpu::of(0));
  static const uint32_t special[] = {0,          0x80000000, 1,          0x807FFFFF, 0x00800000, 0x3F800000,
                                     0xBF800000, 0x40000000, 0x40800000, 0xC2FC0000, 0x43000000, 0x7F7FFFFF,
                                     0x7F800000, 0xFF800000, 0x7FC00000, 0x7E800001};
  std::vector<uint64_t> at;
  for (uint32_t n = 0; n < kSampled; ++n) {
    // Half of the other arguments are near 1.
    uint64_t word = n < std::size(special) ? special[n]
                    : n % 2                ? mixed(n) & 0xFFFFFFFF
                                           : 0x3C000000 + mixed(n) % 0x06000000;
    at.push_back(half ? word >> 16 : word);
  }
  uint64_t *places;
  Out *results;
  CHECK(cudaMallocManaged(&places, kSampled * sizeof(uint64_t)));
  CHECK(cudaMallocManaged(&results, kSampled * sizeof(Out)));
  std::copy(at.begin(), at.end(), places);
  evaluateAt<Gpu><<<1, kSampled>>>(places, results);
  CHECK(cudaDeviceSynchronize());
  for (uint32_t n = 0; n < kSampled; ++n)
    std::fprintf(file, "%s %llx %llx\n", name, static_cast<unsigned long long>(argumentOf(at[n])),
                 static_cast<unsigned long long>(results[n]));
}

int writeSample(const char *path) {
  std::FILE *file = std::fopen(path, "w");
  if (!file) {
    std::printf("%s cannot be written\n", path);
    return 1;
  }
  auto itself = [](uint64_t n) { return n; };
  auto ofUpper = [](uint64_t n) { return n << 32 | (mixed(n) & 0xFFFFFFFF); };
  auto ofPair = [](uint64_t n) { return mixed(n); };
#define SAMPLE(NAME, PTX) sample<NAME>(file, PTX, false, itself);
  SAMPLE(RcpFtz, "rcp.approx.ftz.f32")
  SAMPLE(Rcp, "rcp.approx.f32")
  SAMPLE(RsqrtFtz, "rsqrt.approx.ftz.f32")
  SAMPLE(Rsqrt, "rsqrt.approx.f32")
  SAMPLE(SqrtFtz, "sqrt.approx.ftz.f32")
  SAMPLE(Sqrt, "sqrt.approx.f32")
  SAMPLE(Ex2Ftz, "ex2.approx.ftz.f32")
  SAMPLE(Ex2, "ex2.approx.f32")
  SAMPLE(Lg2Ftz, "lg2.approx.ftz.f32")
  SAMPLE(Lg2, "lg2.approx.f32")
  SAMPLE(SinFtz, "sin.approx.ftz.f32")
  SAMPLE(Sin, "sin.approx.f32")
  SAMPLE(CosFtz, "cos.approx.ftz.f32")
  SAMPLE(Cos, "cos.approx.f32")
  SAMPLE(Tanh, "tanh.approx.f32")
  sample<Ex2F16>(file, "ex2.approx.f16", true, itself);
  sample<Ex2Bf16>(file, "ex2.approx.ftz.bf16", true, itself);
  sample<TanhF16>(file, "tanh.approx.f16", true, itself);
  sample<TanhBf16>(file, "tanh.approx.bf16", true, itself);
  sample<RcpF64>(file, "rcp.approx.ftz.f64", false, ofUpper);
  sample<RsqrtFtzF64>(file, "rsqrt.approx.ftz.f64", false, ofUpper);
  sample<RsqrtF64>(file, "rsqrt.approx.f64", false, ofUpper);
  sample<DivFull>(file, "div.full.f32", false, ofPair);
  sample<DivFullFtz>(file, "div.full.ftz.f32", false, ofPair);
  sample<DivApprox>(file, "div.approx.f32", false, ofPair);
  sample<DivApproxFtz>(file, "div.approx.ftz.f32", false, ofPair);
  std::fclose(file);
  return 0;
}

int main(int count, char **arguments) {
  if (count > 1)
    return writeSample(arguments[1]);
  using namespace approximate;
  namespace numbers = lanescope::core::emulator;
  constexpr uint64_t kWords = 1ull << 32, kHalves = 1 << 16, kPairs = 1ull << 31;
  auto bf16 = [](uint64_t n) { return std::bit_cast<float>(static_cast<uint32_t>(n) << 16); };
  auto f16 = [](uint64_t n) { return numbers::widenF16(static_cast<uint16_t>(n)); };
  compare<Ex2F16>("ex2.approx.f16", kHalves, [&](uint64_t n) { return cutToF16(power<true>(f16(n))); });
  compare<Ex2Bf16>("ex2.approx.ftz.bf16", kHalves, [&](uint64_t n) { return cutToBf16(power<true>(bf16(n))); });
  compare<TanhF16>("tanh.approx.f16", kHalves,
                   [&](uint64_t n) { return cutToF16(special::hyperbolicTangent(f16(n))); });
  compare<TanhBf16>("tanh.approx.bf16", kHalves,
                    [&](uint64_t n) { return cutToBf16(special::hyperbolicTangent(bf16(n))); });
  compare<RcpFtz>("rcp.approx.ftz.f32", kWords, ofFloat([](float x) { return reciprocal<true>(x); }));
  compare<Rcp>("rcp.approx.f32", kWords, ofFloat([](float x) { return reciprocal<false>(x); }));
  compare<RsqrtFtz>("rsqrt.approx.ftz.f32", kWords, ofFloat([](float x) { return inverseRoot<true>(x); }));
  compare<Rsqrt>("rsqrt.approx.f32", kWords, ofFloat([](float x) { return inverseRoot<false>(x); }));
  compare<SqrtFtz>("sqrt.approx.ftz.f32", kWords, ofFloat([](float x) { return root<true>(x); }));
  compare<Sqrt>("sqrt.approx.f32", kWords, ofFloat([](float x) { return root<false>(x); }));
  compare<Ex2Ftz>("ex2.approx.ftz.f32", kWords, ofFloat([](float x) { return power<true>(x); }));
  compare<Ex2>("ex2.approx.f32", kWords, ofFloat([](float x) { return power<false>(x); }));
  compare<Lg2Ftz>("lg2.approx.ftz.f32", kWords, ofFloat([](float x) { return logarithm<true>(x); }));
  compare<Lg2>("lg2.approx.f32", kWords, ofFloat([](float x) { return logarithm<false>(x); }));
  compare<SinFtz>("sin.approx.ftz.f32", kWords, ofFloat([](float x) { return sine(x); }));
  compare<Sin>("sin.approx.f32", kWords, ofFloat([](float x) { return sine(x); }));
  compare<CosFtz>("cos.approx.ftz.f32", kWords, ofFloat([](float x) { return cosine(x); }));
  compare<Cos>("cos.approx.f32", kWords, ofFloat([](float x) { return cosine(x); }));
  compare<Tanh>("tanh.approx.f32", kWords, ofFloat([](float x) { return special::hyperbolicTangent(x); }));
  compare<RcpF64>("rcp.approx.ftz.f64", kWords, ofDouble([](double x) { return reciprocal(x); }));
  compare<RsqrtFtzF64>("rsqrt.approx.ftz.f64", kWords, ofDouble([](double x) { return inverseRoot(x); }));
  compare<RsqrtF64>("rsqrt.approx.f64", kWords, ofDouble([](double x) { return refinedInverseRoot(x); }));
  compare<DivFull>("div.full.f32", kPairs, ofTwo([](float x, float y) { return quotient<false, true>(x, y); }));
  compare<DivFullFtz>("div.full.ftz.f32", kPairs, ofTwo([](float x, float y) { return quotient<true, true>(x, y); }));
  compare<DivApprox>("div.approx.f32", kPairs, ofTwo([](float x, float y) { return quotient<false, false>(x, y); }));
  compare<DivApproxFtz>("div.approx.ftz.f32", kPairs,
                        ofTwo([](float x, float y) { return quotient<true, false>(x, y); }));
  compare<MulFtz>("mul.rn.ftz.f32", 1ull << 28, [](uint64_t n) {
    Edge e = edgeOf(n);
    return std::bit_cast<uint32_t>(numbers::flushedFrom(static_cast<double>(e.a) * e.b, e.a * e.b));
  });
  compare<FmaFtz>("fma.rn.ftz.f32", 1ull << 28, [](uint64_t n) {
    Edge e = edgeOf(n);
    return std::bit_cast<uint32_t>(numbers::flushedFrom(static_cast<double>(e.a) * e.b + e.c, std::fma(e.a, e.b, e.c)));
  });
  return allGood ? 0 : 1;
}
