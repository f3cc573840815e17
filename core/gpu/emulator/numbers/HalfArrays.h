// Converts arrays of f16 and bf16 bits to f32 and back, with the processor's own conversions if it has them. Rounds to
// nearest even. Every NaN becomes the canonical one.
#pragma once

#include "core/gpu/emulator/numbers/NarrowFloat.h"

namespace lanescope::core::emulator {

/// `n` must be a multiple of 8; `out` must not overlap the input.
void widenF16(const uint16_t *in, float *out, int n);
void narrowF16(const float *in, uint16_t *out, int n);

inline void widenBf16(const uint16_t *in, float *out, int n) {
  for (int k = 0; k < n; ++k)
    out[k] = widenBf16(in[k]);
}
inline void narrowBf16(const float *in, uint16_t *out, int n) {
  for (int k = 0; k < n; ++k)
    out[k] = narrowBf16(in[k]);
}

/// out = a + b, a - b, a * b. `out` may be an input.
void addF16(const uint16_t *a, const uint16_t *b, uint16_t *out, int n);
void subtractF16(const uint16_t *a, const uint16_t *b, uint16_t *out, int n);
void multiplyF16(const uint16_t *a, const uint16_t *b, uint16_t *out, int n);

/// out = a * b + c with one rounding. `out` may be an input.
void fmaF16(const uint16_t *a, const uint16_t *b, const uint16_t *c, uint16_t *out, int n);
void fmaBf16(const uint16_t *a, const uint16_t *b, const uint16_t *c, uint16_t *out, int n);

} // namespace lanescope::core::emulator
