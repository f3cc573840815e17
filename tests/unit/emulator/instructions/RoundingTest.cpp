// ExactArithmetic has the bits of the processor's rounding modes.
#include "core/gpu/emulator/numbers/RoundedArithmetic.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <random>
#include <type_traits>

namespace lanescope::core::emulator {
namespace {

template <class T> using BitsOf = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;

template <class T> class RoundingTest : public testing::Test {
public:
  using Bits = BitsOf<T>;
  static constexpr int kFraction = std::numeric_limits<T>::digits - 1;

  /// Numbers at which rounding is difficult: of all magnitudes, near each other, with few bits, subnormal, special.
  T operand(T near) {
    auto bits = static_cast<Bits>(random_());
    switch (random_() % 6) {
    case 0: return std::bit_cast<T>(bits);
    case 1: // near the other operand, so that a sum cancels
      return -std::bit_cast<T>(std::bit_cast<Bits>(near) ^ (bits & ((Bits{1} << random_() % (kFraction + 2)) - 1)));
    case 2: { // about as large as the other one, with few bits
      Bits few = bits & ~Bits{0} << (kFraction - random_() % 8);
      Bits exponent = (std::bit_cast<Bits>(near) >> kFraction) + static_cast<Bits>(random_() % 9) - 4;
      return std::bit_cast<T>((exponent << kFraction & ~(Bits{1} << (8 * sizeof(T) - 1))) ^ few << 1 >> 1);
    }
    case 3: return std::bit_cast<T>(bits >> (1 + random_() % (8 * sizeof(T) - 1))); // small, often subnormal
    case 4: return static_cast<T>(static_cast<int64_t>(random_() % 65) - 32);
    default: {
      using Limits = std::numeric_limits<T>;
      const std::array special = {T(0), Limits::infinity(), Limits::max(), Limits::min(), Limits::denorm_min(), T(1)};
      T value = special[random_() % special.size()];
      return random_() % 2 ? value : -value;
    }
    }
  }

  std::mt19937_64 random_{12};
};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(RoundingTest, Types);

template <class T> std::array<T, 6> results(const auto &in, T a, T b, T c) {
  return {in.add(a, b), in.subtract(a, b), in.multiply(a, b), in.fma(a, b, c), in.divide(a, b), in.squareRoot(a)};
}

TYPED_TEST(RoundingTest, HasTheProcessorsBits) {
  using T = TypeParam;
  constexpr std::array kNames = {"add", "subtract", "multiply", "fma", "divide", "squareRoot"};
  for (Rounding mode : {Rounding::Nearest, Rounding::Zero, Rounding::Down, Rounding::Up})
    for (int n = 0; n < 150'000; ++n) {
      T a = this->operand(T(1)), b = this->operand(a), c = this->operand(a * b);
      auto exact = results(ExactArithmetic(mode), a, b, c);
      auto native = results(RoundedArithmetic(mode), a, b, c);
      for (size_t op = 0; op < kNames.size(); ++op) {
        bool bothNan = exact[op] != exact[op] && native[op] != native[op];
        ASSERT_TRUE(bothNan || std::bit_cast<BitsOf<T>>(exact[op]) == std::bit_cast<BitsOf<T>>(native[op]))
            << kNames[op] << " in mode " << static_cast<int>(mode) << std::hexfloat << ": " << a << ", " << b << ", "
            << c << ": " << exact[op] << " instead of " << native[op];
      }
    }
}

TYPED_TEST(RoundingTest, DirectedModesDiffer) {
  using T = TypeParam;
  const T third = T(1) / T(3);
  T down = RoundedArithmetic(Rounding::Down).multiply(third, third);
  T up = RoundedArithmetic(Rounding::Up).multiply(third, third);
  EXPECT_EQ(std::nextafter(down, T(1)), up);
  EXPECT_EQ(ExactArithmetic(Rounding::Down).multiply(third, third), down);
  EXPECT_EQ(ExactArithmetic(Rounding::Up).multiply(third, third), up);
}

} // namespace
} // namespace lanescope::core::emulator
