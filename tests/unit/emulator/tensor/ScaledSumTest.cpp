// Sums of 4-bit floats with block scales: MMA-Sim's rule in wide integers, and its description in words.
#include "core/gpu/emulator/tensor/ScaledSum.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <vector>

namespace lanescope::core::test {
namespace {

using namespace emulator;

constexpr uint8_t kOne8 = 127, kOne4 = 0x38; // 1 in ue8m0 and ue4m3

ScaledTerm term(int dot, uint8_t a = kOne8, uint8_t b = kOne8, MatrixType type = MatrixType::UE8M0) {
  return {dot, ScaleFactor::of(type, a), ScaleFactor::of(type, b)};
}
float sum(const std::vector<ScaledTerm> &terms, float old) { return scaledSum(terms, old); }

TEST(ScaledSum, Scales) {
  EXPECT_EQ(sum({term(36)}, 0.5f), 9.5f);
  EXPECT_EQ(sum({term(36, 130, 124), term(-4, 128)}, 0), 7.0f);
  EXPECT_EQ(sum({term(4, 0x3C, 0x41, MatrixType::UE4M3)}, 0), 1.5f * 2.25f);
  EXPECT_EQ(sum({term(4, 0x01, kOne4, MatrixType::UE4M3)}, 0), 0x1p-9f); // subnormal
  EXPECT_EQ(sum({term(4, 0xB8, kOne4, MatrixType::UE4M3)}, 0), 1.0f);    // the sign bit is ignored
  EXPECT_EQ(sum({term(4, 0x00, kOne4, MatrixType::UE4M3)}, 3), 3.0f);
}

TEST(ScaledSum, CutsBelowTheLargestExponent) {
  // Bits are cut 35 places below the scales' exponent, not below the term's.
  EXPECT_EQ(sum({term(4, kOne8 + 35, kOne8), term(-4, kOne8 + 35, kOne8), term(4)}, 0), 1.0f);
  EXPECT_EQ(sum({term(4, kOne8 + 36, kOne8), term(-4, kOne8 + 36, kOne8), term(4)}, 0), 0.0f);
  // Rounding is towards zero, both where terms are cut and at the end.
  EXPECT_EQ(sum({term(-4)}, -0x1p-30f), -1.0f);
  EXPECT_EQ(sum({term(4)}, -0x1p-30f), 0x1.fffffep-1f);
}

TEST(ScaledSum, EndsOfTheRange) {
  EXPECT_EQ(sum({term(4, 254, 254)}, 0), HUGE_VALF);
  EXPECT_EQ(sum({term(-4, 254, 254)}, 0), -HUGE_VALF);
  EXPECT_EQ(sum({term(4, 0, 127 - 22)}, 0), 0x1p-149f);
  EXPECT_EQ(sum({term(4, 0, 0)}, 0), 0.0f);
  EXPECT_EQ(sum({term(0)}, -0.0f), 0.0f);
  EXPECT_FALSE(std::signbit(sum({term(4), term(-4)}, -0.0f)));
  auto isCanonicalNan = [](float value) {
    uint32_t bits;
    std::memcpy(&bits, &value, 4);
    return bits == 0x7FFFFFFF;
  };
  EXPECT_TRUE(isCanonicalNan(sum({term(4, 255)}, 0)));
  EXPECT_TRUE(isCanonicalNan(sum({term(4, 0x7F, kOne4, MatrixType::UE4M3)}, 0)));
  EXPECT_TRUE(isCanonicalNan(sum({term(4)}, NAN)));
  EXPECT_EQ(sum({term(4)}, -HUGE_VALF), -HUGE_VALF);
}

/// The rule in integers of 128 bits.
float ruled(const std::vector<ScaledTerm> &terms, float old) {
  int e = 0;
  float fraction = std::frexp(old, &e);
  int largest = std::max(old == 0 ? -126 : e - 1, -126);
  for (const ScaledTerm &t : terms)
    largest = std::max(largest, t.scaleA.exponent + t.scaleB.exponent);
  auto cut = [&](double value) { return static_cast<__int128>(std::trunc(std::ldexp(value, 35 - largest))); };
  __int128 total = cut(std::ldexp(static_cast<double>(fraction), e));
  for (const ScaledTerm &t : terms)
    total += cut(std::ldexp(static_cast<double>(t.dot) * t.scaleA.significand * t.scaleB.significand,
                            t.scaleA.exponent + t.scaleB.exponent - 8));
  double value = std::ldexp(static_cast<double>(static_cast<int64_t>(total)), largest - 35);
  auto nearest = static_cast<float>(value);
  return std::fabs(static_cast<double>(nearest)) > std::fabs(value) ? std::nextafter(nearest, 0.0f) : nearest;
}

TEST(ScaledSum, FollowsTheRule) {
  std::mt19937 random(1);
  for (int n = 0; n < 100'000; ++n) {
    std::vector<ScaledTerm> terms;
    bool narrow = n % 2;
    for (int t = 0; t < 4; ++t)
      terms.push_back(
          narrow ? term(static_cast<int>(random() % 4609) - 2304, random() % 127, random() % 127, MatrixType::UE4M3)
                 : term(static_cast<int>(random() % 4609) - 2304, 110 + random() % 34, 110 + random() % 34));
    float old =
        std::ldexp(static_cast<float>(random()), static_cast<int>(random() % 60) - 62) * (random() % 2 ? 1.0f : -1.0f);
    ASSERT_EQ(sum(terms, old), ruled(terms, old)) << n;
  }
}

} // namespace
} // namespace lanescope::core::test
