#include "repl/lang/random/Threefry.h"

#include <bit>
#include <cmath>

namespace lanescope::repl {

ThreefryPair threefry(const ThreefryPair &key, ThreefryPair x) {
  constexpr int kRotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  const std::array<uint32_t, 3> keys = {key[0], key[1], key[0] ^ key[1] ^ 0x1BD11BDA};
  x[0] += keys[0];
  x[1] += keys[1];
  for (uint32_t group = 0; group < 5; ++group) {
    for (int rotation : kRotations[group % 2]) {
      x[0] += x[1];
      x[1] = std::rotl(x[1], rotation) ^ x[0];
    }
    x[0] += keys[(group + 1) % 3];
    x[1] += keys[(group + 2) % 3] + group + 1;
  }
  return x;
}

float inverseErf(float x) {
  constexpr std::array kNear = {2.81022636e-08F, 3.43273939e-07F, -3.5233877e-06F, -4.39150654e-06F, 0.00021858087F,
                                -0.00125372503F, -0.00417768164F, 0.246640727F,    1.50140941F};
  constexpr std::array kFar = {-0.000200214257F, 0.000100950558F, 0.00134934322F, -0.00367342844F, 0.00573950773F,
                               -0.0076224613F,   0.00943887047F,  1.00167406F,    2.83297682F};
  float w = -std::log1p(-x * x);
  bool near = w < 5.0F;
  w = near ? w - 2.5F : std::sqrt(w) - 3.0F;
  const auto &coefficients = near ? kNear : kFar;
  float p = coefficients[0];
  for (size_t i = 1; i < coefficients.size(); ++i)
    p = coefficients[i] + p * w;
  return std::abs(x) == 1.0F ? x * HUGE_VALF : p * x;
}

} // namespace lanescope::repl
