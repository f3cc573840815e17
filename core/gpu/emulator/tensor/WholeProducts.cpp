#include "core/gpu/emulator/tensor/WholeProducts.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace lanescope::core::emulator {

namespace {

constexpr uint32_t kSide = 8, kPairs = kSide / 2;
constexpr uint32_t kTwo = 2 * kSide; // both k of 8 columns, or both k of one row, repeated 8 times

#if defined(__x86_64__)
__attribute__((target("avx2"))) void addWide(const WholeRows &rows, const int16_t *columns, uint32_t count,
                                             int32_t *sums) {
  for (uint32_t row = 0; row < kSide; ++row) {
    auto *sum = reinterpret_cast<__m256i *>(sums + row * kSide);
    __m256i total = _mm256_loadu_si256(sum);
    for (uint32_t k = 0; k < count; ++k) {
      const int16_t *a = rows.numbers + row / 2 * rows.stride + (2 * k + row % 2) * kTwo;
      total = _mm256_add_epi32(
          total, _mm256_madd_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i *>(a)),
                                   _mm256_loadu_si256(reinterpret_cast<const __m256i *>(columns + k * kTwo))));
    }
    _mm256_storeu_si256(sum, total);
  }
}

__attribute__((target("avx512f,avx512bw"))) void addWidest(const WholeRows &rows, const int16_t *columns,
                                                           uint32_t count, int32_t *sums) {
  __m512i total[kPairs];
  for (uint32_t p = 0; p < kPairs; ++p)
    total[p] = _mm512_loadu_si512(sums + p * 2 * kSide);
  for (uint32_t k = 0; k < count; ++k) {
    __m512i b = _mm512_broadcast_i64x4(_mm256_loadu_si256(reinterpret_cast<const __m256i *>(columns + k * kTwo)));
    for (uint32_t p = 0; p < kPairs; ++p)
      total[p] = _mm512_add_epi32(
          total[p], _mm512_madd_epi16(_mm512_loadu_si512(rows.numbers + p * rows.stride + k * 2 * kTwo), b));
  }
  for (uint32_t p = 0; p < kPairs; ++p)
    _mm512_storeu_si512(sums + p * 2 * kSide, total[p]);
}

const bool kWide = __builtin_cpu_supports("avx2"),
           kWidest = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw");
#endif

} // namespace

void addWholeProducts(const WholeRows &rows, const int16_t *columns, uint32_t count, int32_t *sums) {
#if defined(__x86_64__)
  if (kWidest)
    return addWidest(rows, columns, count, sums);
  if (kWide)
    return addWide(rows, columns, count, sums);
#endif
  for (uint32_t row = 0; row < kSide; ++row)
    for (uint32_t k = 0; k < count; ++k)
      for (uint32_t n = 0; n < kSide; ++n) {
        const int16_t *a = rows.numbers + row / 2 * rows.stride + (2 * k + row % 2) * kTwo;
        const int16_t *b = columns + k * kTwo + 2 * n;
        sums[row * kSide + n] += a[0] * b[0] + a[1] * b[1];
      }
}

} // namespace lanescope::core::emulator
