
#if defined(__x86_64__)
#include "core/gpu/emulator/numbers/HalfArrays.h"

#include <immintrin.h>
#endif

namespace lanescope::core::emulator {

namespace {

constexpr int kMost = 64; // halves that one instruction of a warp works on

/// a + b in binary32 rounded to odd; 24 bits are enough for a last rounding to f16's 11.
inline float addToOddF32(float a, float b) {
  float sum = a + b;
  float back = sum - a;
  float lost = (a - (sum - back)) + (b - back);
  auto bits = std::bit_cast<uint32_t>(sum);
  bool inexact = (lost < 0 || lost > 0) && (bits & 0x7F800000u) != 0x7F800000u;
  bool away = inexact && ((lost < 0) != (sum < 0));
  bits -= away ? 1 : 0;
  bits |= inexact ? 1 : 0;
  return std::bit_cast<float>(bits);
}

inline __attribute__((always_inline)) void fmaBf16Lanes(const uint16_t *a, const uint16_t *b, const uint16_t *c,
                                                        uint16_t *out, int n) {
  for (int k = 0; k < n; ++k) {
    double product = static_cast<double>(widenBf16(a[k])) * static_cast<double>(widenBf16(b[k]));
    out[k] = narrowBf16(toFloatOdd(addToOdd(product, static_cast<double>(widenBf16(c[k])))));
  }
}

#if defined(__x86_64__)
const bool kWide = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("f16c");

__attribute__((target("avx2,f16c"))) void widenWide(const uint16_t *in, float *out, int n) {
  for (int k = 0; k < n; k += 8)
    _mm256_storeu_ps(out + k, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i *>(in + k))));
}

__attribute__((target("avx2,f16c"))) void narrowWide(const float *in, uint16_t *out, int n) {
  const __m256 canonicalNan = _mm256_castsi256_ps(_mm256_set1_epi32(static_cast<int>(kNanF32)));
  for (int k = 0; k < n; k += 8) {
    __m256 v = _mm256_loadu_ps(in + k);
    v = _mm256_blendv_ps(v, canonicalNan, _mm256_cmp_ps(v, v, _CMP_UNORD_Q));
    _mm_storeu_si128(reinterpret_cast<__m128i *>(out + k), _mm256_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT));
  }
}

__attribute__((target("avx2"))) void fmaBf16Wide(const uint16_t *a, const uint16_t *b, const uint16_t *c, uint16_t *out,
                                                 int n) {
  fmaBf16Lanes(a, b, c, out, n);
}
#endif

} // namespace

void widenF16(const uint16_t *in, float *out, int n) {
#if defined(__x86_64__)
  if (kWide)
    return widenWide(in, out, n);
#endif
  for (int k = 0; k < n; ++k)
    out[k] = widenF16(in[k]);
}

void narrowF16(const float *in, uint16_t *out, int n) {
#if defined(__x86_64__)
  if (kWide)
    return narrowWide(in, out, n);
#endif
  for (int k = 0; k < n; ++k)
    out[k] = narrowF16(in[k]);
}

void fmaF16(const uint16_t *a, const uint16_t *b, const uint16_t *c, uint16_t *out, int n) {
  float x[kMost], y[kMost], z[kMost];
  widenF16(a, x, n);
  widenF16(b, y, n);
  widenF16(c, z, n);
  // The product is exact: 22 bits, and far inside binary32's range.
  for (int k = 0; k < n; ++k)
    x[k] *= y[k];
  for (int k = 0; k < n; ++k)
    x[k] = addToOddF32(x[k], z[k]);
  narrowF16(x, out, n);
}

void fmaBf16(const uint16_t *a, const uint16_t *b, const uint16_t *c, uint16_t *out, int n) {
#if defined(__x86_64__)
  if (kWide)
    return fmaBf16Wide(a, b, c, out, n);
#endif
  fmaBf16Lanes(a, b, c, out, n);
}

} // namespace lanescope::core::emulator
