#include "core/tpu/emulator/XlaFunctions.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace lanescope::core::sparsecore {

/// Evaluates the polynomial; the coefficients begin with the highest power.
static float polynomial(std::span<const float> coefficients, float x) {
  float sum = coefficients[0];
  for (float coefficient : coefficients.subspan(1))
    sum = std::fma(sum, x, coefficient);
  return sum;
}

float exponential(float x) {
  constexpr float kLargest = 87; // limit for the polynomial, so that 2^n is a normal number
  if (!(std::abs(x) <= kLargest))
    return static_cast<float>(std::exp(static_cast<double>(x)));
  constexpr float kLog2E = 1.44269504088896341f, kLn2High = 0.693359375f, kLn2Low = -2.12194440e-4f;
  constexpr float kCoefficients[] = {1.9875691500E-4f, 1.3981999507E-3f, 8.3334519073E-3f,
                                     4.1665795894E-2f, 1.6666665459E-1f, 5.0000001201E-1f};
  float n = std::floor(std::fma(x, kLog2E, 0.5f));
  float rest = std::fma(-kLn2Low, n, std::fma(-kLn2High, n, x));
  float value = std::fma(polynomial(kCoefficients, rest), rest * rest, rest) + 1;
  return std::ldexp(value, static_cast<int>(n));
}

float hyperbolicTangent(float x) {
  constexpr float kLinear = 0.0004f, kOne = 7.99881172180175781f; // below kLinear the result is x, beyond kOne it is 1
  if (std::isnan(x) || std::abs(x) < kLinear)
    return x;
  constexpr float kNumerator[] = {-2.76076847742355e-16f, 2.00018790482477e-13f, -8.60467152213735e-11f,
                                  5.12229709037114e-08f,  1.48572235717979e-05f, 6.37261928875436e-04f,
                                  4.89352455891786e-03f};
  constexpr float kDenominator[] = {1.19825839466702e-06f, 1.18534705686654e-04f, 2.26843463243900e-03f,
                                    4.89352518554385e-03f};
  x = std::clamp(x, -kOne, kOne);
  float square = x * x;
  return x * polynomial(kNumerator, square) / polynomial(kDenominator, square);
}

} // namespace lanescope::core::sparsecore
