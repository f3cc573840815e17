#include "core/gpu/emulator/numbers/HalfArrays.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace lanescope::core::emulator {

namespace {

constexpr int kMost = 64; // halves per warp instruction

/// a + b in binary32, rounded to odd. Its 24 bits suffice for the final rounding to f16's 11 bits.
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

enum class Operation : uint8_t { Add, Subtract, Multiply };

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

#define AVX512 __attribute__((target("avx512f")))
const bool kWidest = __builtin_cpu_supports("avx512f");
constexpr int kSixteen = 16;

AVX512 inline __m512 widenSixteen(const uint16_t *in) {
  return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i *>(in)));
}

AVX512 inline void narrowSixteen(__m512 v, uint16_t *out) {
  const __m512 canonicalNan = _mm512_castsi512_ps(_mm512_set1_epi32(static_cast<int>(kNanF32)));
  v = _mm512_mask_blend_ps(_mm512_cmp_ps_mask(v, v, _CMP_UNORD_Q), v, canonicalNan);
  _mm256_storeu_si256(reinterpret_cast<__m256i *>(out), _mm512_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT));
}

AVX512 void narrowWidest(const float *in, uint16_t *out, int n) {
  for (int k = 0; k < n; k += kSixteen)
    narrowSixteen(_mm512_loadu_ps(in + k), out + k);
}

/// Applies addToOddF32() to the products, sixteen at a time.
AVX512 void fmaF16Widest(const uint16_t *a, const uint16_t *b, const uint16_t *c, uint16_t *out, int n) {
  const __m512 zero = _mm512_setzero_ps();
  const __m512i one = _mm512_set1_epi32(1), infinity = _mm512_set1_epi32(0x7F800000);
  for (int k = 0; k < n; k += kSixteen) {
    __m512 product = _mm512_mul_ps(widenSixteen(a + k), widenSixteen(b + k)), z = widenSixteen(c + k);
    __m512 sum = _mm512_add_ps(product, z), back = _mm512_sub_ps(sum, product);
    __m512 lost = _mm512_add_ps(_mm512_sub_ps(product, _mm512_sub_ps(sum, back)), _mm512_sub_ps(z, back));
    __m512i bits = _mm512_castps_si512(sum);
    __mmask16 finite = _mm512_cmpneq_epi32_mask(_mm512_and_si512(bits, infinity), infinity);
    __mmask16 inexact = _mm512_mask_cmp_ps_mask(finite, lost, zero, _CMP_NEQ_OQ);
    auto away = static_cast<__mmask16>(
        inexact & (_mm512_cmp_ps_mask(lost, zero, _CMP_LT_OQ) ^ _mm512_cmp_ps_mask(sum, zero, _CMP_LT_OQ)));
    bits = _mm512_mask_sub_epi32(bits, away, bits, one);
    bits = _mm512_mask_or_epi32(bits, inexact, bits, one);
    narrowSixteen(_mm512_castsi512_ps(bits), out + k);
  }
}

template <Operation Op> AVX512 void combineWidest(const uint16_t *a, const uint16_t *b, uint16_t *out, int n) {
  for (int k = 0; k < n; k += kSixteen) {
    __m512 x = widenSixteen(a + k), y = widenSixteen(b + k);
    narrowSixteen(Op == Operation::Add ? x + y : Op == Operation::Subtract ? x - y : x * y, out + k);
  }
}
#undef AVX512

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
  if (kWidest && n % kSixteen == 0)
    return narrowWidest(in, out, n);
  if (kWide)
    return narrowWide(in, out, n);
#endif
  for (int k = 0; k < n; ++k)
    out[k] = narrowF16(in[k]);
}

namespace {

template <Operation Op> void combine(const uint16_t *a, const uint16_t *b, uint16_t *out, int n) {
#if defined(__x86_64__)
  if (kWidest && n % kSixteen == 0)
    return combineWidest<Op>(a, b, out, n);
#endif
  float x[kMost], y[kMost];
  widenF16(a, x, n);
  widenF16(b, y, n);
  for (int k = 0; k < n; ++k)
    x[k] = Op == Operation::Add ? x[k] + y[k] : Op == Operation::Subtract ? x[k] - y[k] : x[k] * y[k];
  narrowF16(x, out, n);
}

} // namespace

void addF16(const uint16_t *a, const uint16_t *b, uint16_t *out, int n) { combine<Operation::Add>(a, b, out, n); }
void subtractF16(const uint16_t *a, const uint16_t *b, uint16_t *out, int n) {
  combine<Operation::Subtract>(a, b, out, n);
}
void multiplyF16(const uint16_t *a, const uint16_t *b, uint16_t *out, int n) {
  combine<Operation::Multiply>(a, b, out, n);
}

void fmaF16(const uint16_t *a, const uint16_t *b, const uint16_t *c, uint16_t *out, int n) {
#if defined(__x86_64__)
  if (kWidest && n % kSixteen == 0)
    return fmaF16Widest(a, b, c, out, n);
#endif
  float x[kMost], y[kMost], z[kMost];
  widenF16(a, x, n);
  widenF16(b, y, n);
  widenF16(c, z, n);
  // The product is exact: it has 22 bits and is far inside the range of binary32.
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
