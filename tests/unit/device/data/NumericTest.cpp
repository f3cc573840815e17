#include "core/data/Numeric.h"

#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>

namespace lanescope::core {
namespace {

// The compiler's own half precision is the reference for f16: every bit pattern, and every rounding boundary.
TEST(Numeric, EveryF16DecodesAsTheCompilerDoes) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    auto reference = static_cast<float>(std::bit_cast<_Float16>(static_cast<uint16_t>(bits)));
    float ours = f16ToF32(static_cast<uint16_t>(bits));
    if (std::isnan(reference)) {
      ASSERT_EQ(std::bit_cast<uint32_t>(ours), 0x7FFFFFFFu) << bits;
      ASSERT_TRUE(std::isnan(decodeFloat(Dtype::F16, bits)));
      continue;
    }
    ASSERT_EQ(std::bit_cast<uint32_t>(ours), std::bit_cast<uint32_t>(reference)) << bits;
    ASSERT_EQ(decodeFloat(Dtype::F16, bits), reference) << bits;
    ASSERT_EQ(f32ToF16(ours), bits);
    ASSERT_EQ(encodeFloat(Dtype::F16, ours), bits);
  }
}

void expectF16AsCompiler(float value) {
  auto reference = std::bit_cast<uint16_t>(static_cast<_Float16>(value));
  ASSERT_EQ(f32ToF16(value), std::isnan(value) ? 0x7FFF : reference) << std::bit_cast<uint32_t>(value);
}

TEST(Numeric, F16RoundsAsTheCompilerDoesAroundEveryMidpoint) {
  for (uint32_t bits = 0; bits < 0x7C00; ++bits) {
    float low = f16ToF32(static_cast<uint16_t>(bits));
    float high = bits + 1 == 0x7C00 ? 65536.0f : f16ToF32(static_cast<uint16_t>(bits + 1));
    float middle = (low + high) / 2;
    for (float value : {middle, std::nextafter(middle, 0.0f), std::nextafter(middle, 1e30f)}) {
      expectF16AsCompiler(value);
      expectF16AsCompiler(-value);
    }
  }
  std::mt19937 random(1);
  for (int i = 0; i < 1'000'000; ++i)
    expectF16AsCompiler(std::bit_cast<float>(static_cast<uint32_t>(random())));
}

TEST(Numeric, EveryBf16IsTheUpperHalfOfABinary32) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    auto reference = std::bit_cast<float>(bits << 16);
    float ours = bf16ToF32(static_cast<uint16_t>(bits));
    if (std::isnan(reference)) {
      ASSERT_EQ(std::bit_cast<uint32_t>(ours), 0x7FFFFFFFu);
      ASSERT_TRUE(std::isnan(decodeFloat(Dtype::BF16, bits)));
      continue;
    }
    ASSERT_EQ(std::bit_cast<uint32_t>(ours), bits << 16);
    ASSERT_EQ(decodeFloat(Dtype::BF16, bits), reference);
    ASSERT_EQ(f32ToBf16(ours), bits);
    ASSERT_EQ(encodeFloat(Dtype::BF16, ours), bits);
  }
}

TEST(Numeric, Bf16RoundsToNearestEven) {
  for (uint32_t bits = 0; bits < 0x7F80; ++bits) {
    uint32_t tie = bits << 16 | 0x8000;
    uint32_t even = bits + (bits & 1);
    ASSERT_EQ(f32ToBf16(std::bit_cast<float>(tie)), even);
    ASSERT_EQ(f32ToBf16(std::bit_cast<float>(tie - 1)), bits);
    ASSERT_EQ(f32ToBf16(std::bit_cast<float>(tie + 1)), bits + 1);
    for (uint32_t each : {tie, tie - 1, tie + 1})
      ASSERT_EQ(encodeFloat(Dtype::BF16, std::bit_cast<float>(each)), f32ToBf16(std::bit_cast<float>(each)));
  }
  EXPECT_EQ(f32ToBf16(std::numeric_limits<float>::quiet_NaN()), 0x7FFF);
  EXPECT_EQ(f32ToBf16(std::numeric_limits<float>::max()), 0x7F80); // rounds up to infinity
}

TEST(Numeric, RoundsFromDoubleOnce) {
  // Just above a tie in binary64, and exactly a tie after rounding to binary32.
  double value = 1 + 0x1p-11 + 0x1p-40;
  EXPECT_EQ(encodeFloat(Dtype::F16, value), 0x3C01u);
  EXPECT_EQ(f32ToF16(static_cast<float>(value)), 0x3C00u);
  EXPECT_EQ(encodeFloat(Dtype::F32, 0.1), std::bit_cast<uint32_t>(0.1f));
  EXPECT_EQ(encodeFloat(Dtype::F32, 1e-45), 1u);
  EXPECT_EQ(encodeFloat(Dtype::F32, 1e300), 0x7F800000u);
  EXPECT_EQ(encodeFloat(Dtype::F32, 5e-324), 0u);
}

TEST(Numeric, Tf32KeepsTenBitsOfMantissa) {
  EXPECT_EQ(encodeFloat(Dtype::TF32, 1 + 0x1p-10), std::bit_cast<uint32_t>(1.0f + 0x1p-10f));
  EXPECT_EQ(encodeFloat(Dtype::TF32, 1 + 0x1p-11), std::bit_cast<uint32_t>(1.0f));
  EXPECT_EQ(encodeFloat(Dtype::TF32, 1 + 3 * 0x1p-11), std::bit_cast<uint32_t>(1.0f + 0x1p-9f));
  EXPECT_TRUE(std::isnan(decodeFloat(Dtype::TF32, encodeFloat(Dtype::TF32, NAN))));
}

struct SmallFormat {
  Dtype dtype;
  int bits;
  double largest, smallest;
};
void PrintTo(const SmallFormat &format, std::ostream *out) { *out << name(format.dtype); }

class SmallFloats : public testing::TestWithParam<SmallFormat> {};

TEST_P(SmallFloats, EveryValueRoundTripsAndEveryTieGoesToTheEvenCode) {
  auto [dtype, bits, largest, smallest] = GetParam();
  uint32_t half = 1u << (bits - 1);
  double previous = -1;
  for (uint32_t magnitude = 0; magnitude < half; ++magnitude) {
    double value = decodeFloat(dtype, magnitude);
    if (!std::isfinite(value))
      continue;
    EXPECT_EQ(encodeFloat(dtype, value), magnitude);
    EXPECT_EQ(encodeFloat(dtype, -value), magnitude | half);
    EXPECT_EQ(decodeFloat(dtype, magnitude | half), -value);
    EXPECT_GT(value, previous);
    if (magnitude > 0) {
      uint32_t even = magnitude & 1 ? magnitude - 1 : magnitude;
      EXPECT_EQ(encodeFloat(dtype, (previous + value) / 2), even);
    }
    previous = value;
  }
  EXPECT_EQ(previous, largest);
  EXPECT_EQ(decodeFloat(dtype, 1), smallest);
  EXPECT_EQ(decodeFloat(dtype, encodeFloat(dtype, 1e30)), largest);
  EXPECT_EQ(decodeFloat(dtype, encodeFloat(dtype, -INFINITY)), -largest);
}

INSTANTIATE_TEST_SUITE_P(Formats, SmallFloats,
                         testing::Values(SmallFormat{Dtype::F8E4M3FN, 8, 448, 0x1p-9},
                                         SmallFormat{Dtype::F8E5M2, 8, 57344, 0x1p-16},
                                         SmallFormat{Dtype::F4E2M1FN, 4, 6, 0.5}));

TEST(Numeric, SpecialCodesOfTheSmallFormats) {
  EXPECT_TRUE(std::isnan(decodeFloat(Dtype::F8E4M3FN, 0x7F)));
  EXPECT_TRUE(std::isnan(decodeFloat(Dtype::F8E4M3FN, 0xFF)));
  EXPECT_TRUE(std::isnan(decodeFloat(Dtype::F8E5M2, 0x7D)));
  EXPECT_EQ(decodeFloat(Dtype::F8E5M2, 0xFC), -INFINITY);
  EXPECT_EQ(encodeFloat(Dtype::F8E4M3FN, NAN), 0x7Fu);
  EXPECT_EQ(encodeFloat(Dtype::F8E5M2, NAN), 0x7Fu);
  EXPECT_EQ(encodeFloat(Dtype::F4E2M1FN, NAN), 0x7u);
}

TEST(Numeric, E8M0IsAPowerOfTwo) {
  for (uint32_t bits = 0; bits < 0xFF; ++bits) {
    double value = decodeFloat(Dtype::F8E8M0FNU, bits);
    EXPECT_EQ(value, std::ldexp(1.0, static_cast<int>(bits) - 127));
    EXPECT_EQ(encodeFloat(Dtype::F8E8M0FNU, value), bits);
  }
  EXPECT_TRUE(std::isnan(decodeFloat(Dtype::F8E8M0FNU, 0xFF)));
  EXPECT_EQ(encodeFloat(Dtype::F8E8M0FNU, -1), 0xFFu);
  EXPECT_EQ(encodeFloat(Dtype::F8E8M0FNU, 0), 0u);
  EXPECT_EQ(encodeFloat(Dtype::F8E8M0FNU, 1e300), 0xFEu);
  EXPECT_EQ(encodeFloat(Dtype::F8E8M0FNU, 1.5), 128u); // a tie: 127 is odd, so it rounds up
  EXPECT_EQ(encodeFloat(Dtype::F8E8M0FNU, 3), 128u);   // a tie: 128 is even, so it rounds down
}

} // namespace
} // namespace lanescope::core
