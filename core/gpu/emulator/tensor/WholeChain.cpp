#include "core/gpu/emulator/tensor/WholeChain.h"

#include "core/gpu/emulator/numbers/NarrowFloat.h"

#include <bit>
#include <cstdlib>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#define AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl")))
#define VNNI __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni")))
#endif

namespace lanescope::core::emulator {

namespace {

constexpr int kMostApart = 60; // the largest difference between the exponents of two steps' units

#if defined(__x86_64__)
const bool kHasChain = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                       __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"),
           kVnni = kHasChain && __builtin_cpu_supports("avx512vnni");

constexpr uint32_t kLanes = 16; // lanes of a register of the host

/// The extremes of `count` values. `count` is a multiple of 16. `whole`: 16 bits hold the values as multiples of their
/// unit.
AVX512 TensorRange rangeOf(MatrixType type, const float *values, uint32_t count, bool &whole) {
  const __m512i magnitudes = _mm512_set1_epi32(0x7FFFFFFF), infinity = _mm512_set1_epi32(0x7F800000);
  __m512i low = infinity, high = _mm512_setzero_si512(), fractions = _mm512_setzero_si512();
  for (uint32_t n = 0; n < count; n += kLanes) {
    __m512i magnitude = _mm512_and_si512(_mm512_loadu_si512(values + n), magnitudes);
    low = _mm512_mask_min_epu32(low, _mm512_test_epi32_mask(magnitude, magnitude), low, magnitude);
    high = _mm512_max_epu32(high, magnitude);
    fractions = _mm512_or_si512(fractions, magnitude);
  }
  uint32_t most = _mm512_reduce_max_epu32(high);
  TensorRange range = TensorRange::of(type, _mm512_reduce_min_epu32(low), most,
                                      static_cast<uint32_t>(_mm512_reduce_or_epi32(fractions)));
  whole = most < 0x7F800000 && range.isWhole();
  return range;
}

/// Converts sixteen values to units of the range.
[[gnu::always_inline]] AVX512 inline __m256i wholeNumbers(const float *values, __m512 toUnits) {
  return _mm512_cvtepi32_epi16(_mm512_cvtps_epi32(_mm512_mul_ps(_mm512_loadu_ps(values), toUnits)));
}

AVX512 void prepareRows(ChainRows &rows, const float *values) {
  uint32_t pairs = rows.depth / 2, count = kTensorRows * rows.depth;
  alignas(64) int16_t numbers[kTensorRows * ChainRows::kMaxDepth];
  __m512 toUnits = _mm512_set1_ps(powerOfTwo(-rows.range.unit));
  for (uint32_t n = 0; n < count; n += kLanes)
    _mm256_store_si256(reinterpret_cast<__m256i *>(numbers + n), wholeNumbers(values + n, toUnits));
  for (uint32_t row = 0; row < kTensorRows; row += 4)
    for (uint32_t k = 0; k < pairs; k += 4) { // four pairs of k for four rows each
      auto of = [&](uint32_t n) AVX512 {
        return _mm_load_si128(reinterpret_cast<const __m128i *>(numbers + (row + n) * rows.depth + 2 * k));
      };
      __m512i four = _mm512_inserti32x4(_mm512_castsi128_si512(of(0)), of(1), 1);
      four = _mm512_inserti32x4(_mm512_inserti32x4(four, of(2), 2), of(3), 3);
      int16_t *out = rows.numbers + (k * kTensorRows + row) * 8;
      _mm512_store_si512(out, _mm512_shuffle_epi32(four, _MM_PERM_AAAA));
      _mm512_store_si512(out + kTensorRows * 8, _mm512_shuffle_epi32(four, _MM_PERM_BBBB));
      _mm512_store_si512(out + 2 * kTensorRows * 8, _mm512_shuffle_epi32(four, _MM_PERM_CCCC));
      _mm512_store_si512(out + 3 * kTensorRows * 8, _mm512_shuffle_epi32(four, _MM_PERM_DDDD));
    }
}

AVX512 void prepareColumns(ChainColumns &to, const float *values, uint32_t columns, uint32_t depth, bool byDepth) {
  __m512 toUnits = _mm512_set1_ps(powerOfTwo(-to.range.unit));
  int16_t *out = to.numbers;
  if (byDepth) {
    const __m256i order = _mm256_setr_epi16(0, 8, 2, 10, 4, 12, 6, 14, 1, 9, 3, 11, 5, 13, 7, 15);
    for (uint32_t n = 0; n < columns * depth; n += kLanes)
      _mm256_store_si256(reinterpret_cast<__m256i *>(out + n),
                         _mm256_permutexvar_epi16(order, wholeNumbers(values + n, toUnits)));
    return;
  }
  alignas(64) int16_t numbers[kTileSide * ChainRows::kMaxDepth];
  for (uint32_t first = 0; first < columns; first += kTileSide, out += kTileSide * depth) {
    for (uint32_t n = 0; n < kTileSide * depth; n += kLanes)
      _mm256_store_si256(reinterpret_cast<__m256i *>(numbers + n), wholeNumbers(values + first * depth + n, toUnits));
    for (uint32_t odd = 0; odd < 2; ++odd)
      for (uint32_t k = 0; k < depth; k += 8) { // transposes four times two numbers of four columns each
        auto of = [&](uint32_t column) AVX512 {
          return _mm_loadu_si128(reinterpret_cast<const __m128i *>(numbers + (2 * column + odd) * depth + k));
        };
        __m128i a = _mm_unpacklo_epi32(of(0), of(1)), b = _mm_unpacklo_epi32(of(2), of(3)),
                c = _mm_unpackhi_epi32(of(0), of(1)), d = _mm_unpackhi_epi32(of(2), of(3));
        __m128i turned[4] = {_mm_unpacklo_epi64(a, b), _mm_unpackhi_epi64(a, b), _mm_unpacklo_epi64(c, d),
                             _mm_unpackhi_epi64(c, d)};
        for (uint32_t n = 0; n < 4; ++n)
          _mm_store_si128(reinterpret_cast<__m128i *>(out + (k / 2 + n) * 2 * kTileSide + odd * kTileSide), turned[n]);
      }
  }
}

/// total += both products of each lane. Without -mavx512vnni, no intrinsic for the instruction compiles in a function
/// that serves both kinds of hosts.
template <bool Vnni> [[gnu::always_inline]] AVX512 inline void addDots(__m512i &total, const __m512i &a, __m512i b) {
  if constexpr (Vnni)
    asm("vpdpwssd %2, %1, %0" : "+v"(total) : "v"(a), "v"(b));
  else
    total = _mm512_add_epi32(total, _mm512_madd_epi16(a, b));
}

/// Collects reasons why the accumulators cannot be computed as whole numbers.
struct Doubts {
  __m512 most;      // the largest magnitudes
  __m512i fraction; // bits are set if any accumulator had a fractional part
};

/// Converts accumulators to the unit of the next step.
[[gnu::always_inline]] AVX512 inline __m512i toWhole(__m512 values, __m512 toUnits, Doubts &doubts) {
  constexpr int kMostMagnitude = 0b1011, kOrOfXor = 0xF6;
  values = _mm512_mul_ps(values, toUnits);
  __m512i whole = _mm512_cvttps_epi32(values);
  doubts.most = _mm512_range_ps(doubts.most, values, kMostMagnitude); // NaNs fail the test below
  doubts.fraction = _mm512_ternarylogic_epi32(doubts.fraction, _mm512_castps_si512(_mm512_cvtepi32_ps(whole)),
                                              _mm512_castps_si512(values), kOrOfXor);
  return whole;
}
/// As the function above, for accumulators that are whole numbers already.
[[gnu::always_inline]] AVX512 inline __m512i toWhole(__m512 values, Doubts &doubts) {
  constexpr int kMostMagnitude = 0b1011;
  doubts.most = _mm512_range_ps(doubts.most, values, kMostMagnitude);
  return _mm512_cvttps_epi32(values);
}

/// Truncates a sum to an accumulator's bits.
[[gnu::always_inline]] AVX512 inline __m512 cut(__m512i total, bool narrow) {
  __m512 value = _mm512_cvt_roundepi32_ps(total, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
  return narrow ? _mm512_castsi512_ps(_mm512_and_si512(_mm512_castps_si512(value), _mm512_set1_epi32(~0x3FF))) : value;
}

constexpr uint32_t kQuads = 4; // groups of four rows
constexpr uint32_t kSums = 8;  // the registers of the host that hold the sums of a group's columns and all rows

template <bool Vnni, uint32_t Groups>
[[gnu::always_inline]] AVX512 inline bool addSteps(const TensorSum &rule, std::span<const ChainStep> steps,
                                                   uint32_t group, float *const *registers) {
  // The n-th sum of a group, n = 4 * odd + quad, is half quad % 2 of the group's register 2 * (quad / 2) + odd.
  constexpr uint32_t kAll = Groups * kSums;
  auto place = [&](uint32_t n) {
    return registers[n / kSums * 4 + n % kQuads / 2 * 2 + n % kSums / kQuads] + n % 2 * kLanes;
  };
  auto unitOf = [](const ChainStep &step) { return step.a->range.unit + step.b->range.unit; };
  const uint32_t pairs = steps[0].a->depth / 2;
  int unit = unitOf(steps[0]);
  __m512i total[kAll];
  Doubts doubts{_mm512_setzero_ps(), _mm512_setzero_si512()};
  __m512 toUnits = _mm512_set1_ps(powerOfTwo(-unit));
#pragma GCC unroll 16
  for (uint32_t n = 0; n < kAll; ++n)
    if (steps[0].accumulate)
      total[n] = toWhole(_mm512_loadu_ps(place(n)), toUnits, doubts);
    else
      total[n] = _mm512_setzero_si512();
  for (size_t s = 0;; ++s) {
    const int16_t *rows = steps[s].a->numbers, *columns = steps[s].b->numbers + group * pairs * 2 * kTileSide;
    for (uint32_t k = 0; k < pairs; ++k) {
      __m512i a[kQuads];
#pragma GCC unroll 4
      for (uint32_t quad = 0; quad < kQuads; ++quad)
        a[quad] = _mm512_load_si512(rows + (k * kQuads + quad) * 2 * kLanes);
#pragma GCC unroll 16
      for (uint32_t n = 0; n < kAll; n += kQuads) {
        const int16_t *four = columns + (n / kSums * pairs + k) * 2 * kTileSide + n % kSums / kQuads * kTileSide;
        __m512i b = _mm512_broadcast_i32x4(_mm_load_si128(reinterpret_cast<const __m128i *>(four)));
#pragma GCC unroll 4
        for (uint32_t quad = 0; quad < kQuads; ++quad)
          addDots<Vnni>(total[n + quad], a[quad], b);
      }
    }
    if (s + 1 == steps.size())
      break;
    int next = unitOf(steps[s + 1]);
    toUnits = _mm512_set1_ps(powerOfTwo(unit - next));
#pragma GCC unroll 16
    for (uint32_t n = 0; n < kAll; ++n) {
      __m512 sum = cut(total[n], rule.narrow);
      total[n] = next == unit ? toWhole(sum, doubts) : toWhole(sum, toUnits, doubts);
    }
    unit = next;
  }
  // Accumulators below this bound are added exactly.
  const __m512 limit = _mm512_set1_ps(static_cast<float>(2 << rule.fraction));
  if (_mm512_cmp_ps_mask(doubts.most, limit, _CMP_LT_OQ) != 0xFFFF ||
      _mm512_test_epi32_mask(doubts.fraction, doubts.fraction) != 0)
    return false;
  __m512 back = _mm512_set1_ps(powerOfTwo(unit));
#pragma GCC unroll 16
  for (uint32_t n = 0; n < kAll; ++n)
    _mm512_storeu_ps(place(n), _mm512_mul_ps(cut(total[n], rule.narrow), back));
  return true;
}

template <uint32_t Groups>
AVX512 bool addPlain(const TensorSum &rule, std::span<const ChainStep> steps, uint32_t group, float *const *registers) {
  return addSteps<false, Groups>(rule, steps, group, registers);
}
template <uint32_t Groups>
VNNI bool addVnni(const TensorSum &rule, std::span<const ChainStep> steps, uint32_t group, float *const *registers) {
  return addSteps<true, Groups>(rule, steps, group, registers);
}
#undef AVX512
#undef VNNI
#else
constexpr bool kHasChain = false;
#endif

} // namespace

void ChainRows::prepare(MatrixType type, const float *values, uint32_t theDepth) {
  depth = theDepth;
  whole = false;
#if defined(__x86_64__)
  if (!kHasChain)
    return;
  range = rangeOf(type, values, kTensorRows * depth, whole);
  if (whole)
    prepareRows(*this, values);
#endif
}

void ChainColumns::prepare(MatrixType type, const float *values, uint32_t columns, uint32_t depth, bool byDepth) {
  whole = false;
#if defined(__x86_64__)
  if (!kHasChain)
    return;
  range = rangeOf(type, values, columns * depth, whole);
  if (whole)
    prepareColumns(*this, values, columns, depth, byDepth);
#endif
}

bool isWholeChain(const TensorSum &rule, std::span<const ChainStep> steps) {
  if (!kHasChain || rule.half)
    return false;
  int before = 0;
  for (size_t n = 0; n < steps.size(); ++n) {
    const ChainStep &step = steps[n];
    int unit = step.a->range.unit + step.b->range.unit;
    if (!step.a->whole || !step.b->whole || !addsWhole(rule, step.a->range, step.b->range, step.a->depth) ||
        (n > 0 && std::abs(unit - before) > kMostApart))
      return false;
    before = unit;
  }
  return true;
}

bool addWholeChain(const TensorSum &rule, std::span<const ChainStep> steps, uint32_t group, uint32_t groups,
                   float *const *registers) {
#if defined(__x86_64__)
  if (kVnni)
    return groups == 2 ? addVnni<2>(rule, steps, group, registers) : addVnni<1>(rule, steps, group, registers);
  return groups == 2 ? addPlain<2>(rule, steps, group, registers) : addPlain<1>(rule, steps, group, registers);
#else
  return false;
#endif
}

} // namespace lanescope::core::emulator
