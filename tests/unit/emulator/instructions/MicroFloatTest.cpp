// cvt with floats of 4 and 6 bits, powers of two, fixed-point numbers and stochastic rounding, against all values of
// the formats.
#include "tests/unit/emulator/EmulatorSupport.h"

#include "layouts/support/Text.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace lanescope::core::test {
namespace {

struct Format {
  std::string name;
  int exponent, fraction, bias, shift;

  int bits() const { return 1 + exponent + fraction; }
  double value(uint32_t code) const {
    uint32_t f = code & ((1u << fraction) - 1), e = code >> fraction & ((1u << exponent) - 1);
    double v =
        e ? std::ldexp(1 + std::ldexp(f, -fraction), static_cast<int>(e) - bias) : std::ldexp(f, 1 - bias - fraction);
    return code >> (bits() - 1) ? -v : v;
  }
  /// The nearest code, with ties to the even one. Beyond the largest value and for NaN, the largest code.
  uint32_t nearest(double v) const {
    uint32_t codes = 1u << (bits() - 1), best = codes - 1;
    bool negative = std::signbit(v);
    v = std::isinf(v) ? (negative ? -1e3 : 1e3) : v;
    if (v == v)
      for (uint32_t code = codes; code-- > 0;) {
        double here = std::fabs(value(code) - std::fabs(v)), there = std::fabs(value(best) - std::fabs(v));
        if (here < there || (here == there && code % 2 == 0))
          best = code;
      }
    return best | (std::signbit(v) && v == v ? codes : 0);
  }
};
const Format kFormats[] = {{"e2m1", 2, 1, 1, 4}, {"e2m3", 2, 3, 1, 8}, {"e3m2", 3, 2, 3, 8}};

std::vector<float> someFloats() {
  std::mt19937 random(3);
  std::vector<float> out = {0.0f,  -0.0f, 0.25f, 0.75f, -0.75f, 5.0f,  7.0f,     -7.0f,
                            28.5f, 30.0f, 1e9f,  -1e9f, 1e-9f,  -2.5f, INFINITY, NAN};
  while (out.size() < 64)
    out.push_back(std::ldexp(static_cast<float>(random() % 1024) - 512, static_cast<int>(random() % 12) - 10));
  return out;
}

/// a[tid] in %f0 and a[63 - tid] in %f1; %r1 is the answer.
std::vector<uint32_t> onFloats(const std::vector<float> &values, const std::string &body) {
  Kernel kernel;
  kernel.target = "sm_100a";
  kernel.threads = static_cast<uint32_t>(values.size());
  kernel.body = "mov.u32 %r50, %tid.x;\nmul.wide.u32 %d40, %r50, 4;\nadd.s64 %d41, %d50, %d40;\n"
                "ld.global.f32 %f0, [%d41];\nsub.s64 %d43, %d50, %d40;\nld.global.f32 %f1, [%d43+252];\n"
                ".reg .b8 %b<4>;\n" +
                body + "\nadd.s64 %d42, %d51, %d40;\nst.global.b32 [%d42], %r1;\nret;";
  std::vector<uint32_t> bits(values.size());
  std::memcpy(bits.data(), values.data(), bits.size() * 4);
  auto result = run(kernel, {u32Array(bits), u32Array(std::vector<uint32_t>(values.size()))});
  if (!result) {
    ADD_FAILURE() << errorText(result.error());
    return {};
  }
  EXPECT_TRUE(result->diagnostics.empty()) << errorText(result->diagnostics);
  return words(result->outputs[1]);
}

uint32_t halfBits(double value) {
  if (value == 0)
    return std::signbit(value) ? 0x8000 : 0;
  int e = std::ilogb(value);
  return (value < 0 ? 0x8000u : 0) | static_cast<uint32_t>(e + 15) << 10 |
         (static_cast<uint32_t>(std::ldexp(std::fabs(value), 10 - e)) & 0x3FF);
}

/// Codes base + tid (and base + tid + 5 in the upper half) as f16x2.
std::vector<uint32_t> widened(const Format &format, uint32_t base) {
  std::string mask = text((1u << format.bits()) - 1);
  return onFloats(std::vector<float>(64),
                  text("add.u32 %r2, %r50, ", base, ";\nand.b32 %r3, %r2, ", mask,
                       ";\nadd.u32 %r4, %r2, 5;\nand.b32 %r4, %r4, ", mask, ";\nshl.b32 %r4, %r4, ", format.shift,
                       ";\nor.b32 %r3, %r3, %r4;\ncvt.u16.u32 %h0, %r3;\n", "cvt.rn.f16x2.", format.name,
                       "x2 %r1, %h0;"));
}

TEST(MicroFloat, TwoAreNarrowed) {
  std::vector<float> values = someFloats();
  for (const Format &format : kFormats)
    for (bool relu : {false, true}) {
      std::string to = format.shift == 4 ? "%b0" : "%h0",
                  name = "cvt.rn.satfinite" + std::string(relu ? ".relu." : ".") + format.name + "x2.f32 ";
      auto out = onFloats(values, name + to + ", %f0, %f1;\n" + (format.shift == 4 ? "cvt.u16.u8 %h0, %b0;\n" : "") +
                                      "cvt.u32.u16 %r1, %h0;");
      ASSERT_EQ(out.size(), values.size());
      auto one = [&](float v) {
        return relu && std::signbit(v) && v == v ? 0 : format.nearest(static_cast<double>(v));
      };
      for (size_t n = 0; n < values.size(); ++n)
        EXPECT_EQ(out[n], one(values[63 - n]) | one(values[n]) << format.shift)
            << format.name << ' ' << values[n] << ' ' << values[63 - n];
    }
}

TEST(MicroFloat, HalvesAreNarrowed) {
  std::vector<float> values = someFloats();
  for (const Format &format : kFormats)
    for (std::string half : {"f16", "bf16"}) {
      auto widened =
          onFloats(values, "cvt.rn." + half + ".f32 %h0, %f0;\ncvt.f32." + half + " %f2, %h0;\nmov.b32 %r1, %f2;");
      auto out = onFloats(values, "cvt.rn." + half + "x2.f32 %r0, %f0, %f1;\ncvt.rn.satfinite." + format.name + "x2." +
                                      half + "x2 %h0, %r0;\ncvt.u32.u16 %r1, %h0;");
      for (size_t n = 0; n < values.size(); ++n)
        EXPECT_EQ(out[n], format.nearest(static_cast<double>(std::bit_cast<float>(widened[63 - n]))) |
                              format.nearest(static_cast<double>(std::bit_cast<float>(widened[n]))) << format.shift);
    }
}

TEST(MicroFloat, AllAreWidened) {
  for (const Format &format : kFormats) {
    uint32_t codes = 1u << format.bits(), lanes = 64;
    for (uint32_t base = 0; base < codes; base += lanes) {
      auto out = widened(format, base);
      for (uint32_t n = 0; n < lanes; ++n) {
        uint32_t low = (base + n) % codes, high = (base + n + 5) % codes;
        EXPECT_EQ(out[n], halfBits(format.value(low)) | halfBits(format.value(high)) << 16) << format.name << ' ' << n;
      }
    }
  }
}

TEST(MicroFloat, PowersOfTwo) {
  std::vector<float> values = someFloats();
  values[0] = 0x1p-127f, values[1] = 0x1.8p-127f, values[2] = 0x1p-149f, values[3] = 0x1.fffffep127f;
  auto power = [](float v, bool up, bool saturate) -> uint32_t {
    v = std::fabs(v);
    if (v != v)
      return 0xFF;
    if (std::isinf(v))
      return saturate ? 0xFE : 0xFF;
    if (v <= 0x1p-127f)
      return 0;
    int exponent = std::ilogb(v);
    uint32_t code = static_cast<uint32_t>(exponent + 127) + (up && std::ldexp(1.0f, exponent) != v);
    return saturate ? std::min(code, 0xFEu) : code;
  };
  for (bool up : {false, true})
    for (bool saturate : {false, true}) {
      std::string mode = std::string(up ? "cvt.rp" : "cvt.rz") + (saturate ? ".satfinite" : "") + ".ue8m0x2.";
      auto out = onFloats(values, mode + "f32 %h0, %f0, %f1;\ncvt.u32.u16 %r1, %h0;");
      for (size_t n = 0; n < values.size(); ++n)
        EXPECT_EQ(out[n], power(values[63 - n], up, saturate) | power(values[n], up, saturate) << 8) << values[n];
    }
  auto back = onFloats(values, "cvt.rp.ue8m0x2.f32 %h0, %f0, %f1;\ncvt.rn.bf16x2.ue8m0x2 %r1, %h0;");
  for (size_t n = 0; n < values.size(); ++n) {
    uint32_t code = power(values[n], true, false);
    float v = code == 255 ? NAN : std::ldexp(1.0f, static_cast<int>(code) - 127);
    EXPECT_EQ(back[n] >> 16, code == 255 ? 0x7FFFu : std::bit_cast<uint32_t>(v) >> 16);
  }
}

TEST(MicroFloat, FixedPointWithScales) {
  std::vector<float> values = someFloats();
  // The scales are 2 for a (upper) and 1/2 for b.
  auto out =
      onFloats(values, "mov.b16 %h1, 0x807E;\ncvt.rn.satfinite.scaled::n2::ue8m0.s2f6x2.f32 %h0, %f0, %f1, %h1;\n"
                       "cvt.u32.u16 %r1, %h0;");
  auto fixed = [](float v, double scale) -> uint32_t {
    double units = static_cast<double>(v) / scale * 64;
    return v != v ? 0x7F : static_cast<uint8_t>(static_cast<int>(std::clamp(std::nearbyint(units), -128.0, 127.0)));
  };
  for (size_t n = 0; n < values.size(); ++n)
    EXPECT_EQ(out[n], fixed(values[63 - n], 0.5) | fixed(values[n], 2) << 8);
  auto back = onFloats(std::vector<float>(64, 1.0f), "mov.b16 %h0, 0xC020;\nmov.b16 %h1, 0x807F;\n"
                                                     "cvt.rn.scaled::n2::ue8m0.bf16x2.s2f6x2 %r1, %h0, %h1;");
  EXPECT_EQ(back[0], 0x3F00u | 0xC000u << 16); // 32 / 64, and -64 / 64 * 2
}

TEST(MicroFloat, RoundsAtRandom) {
  // 1 plus a quarter of the last place of f16: rounds up in a quarter of all cases.
  float value = 1.0f + 0x1p-12f;
  for (uint32_t random : {0u, 0x17FFu, 0x1800u, 0x1FFFu}) {
    auto out = onFloats(std::vector<float>(64, value),
                        text("mov.b32 %r0, ", random | random << 16, ";\ncvt.rs.f16x2.f32 %r1, %f0, %f1, %r0;"));
    uint32_t half = random >= 0x1800 ? 0x3C01 : 0x3C00;
    EXPECT_EQ(out[0], half | half << 16) << random;
  }
  // Four values; a is the highest.
  auto out =
      onFloats(std::vector<float>(64, 1.0f), "mov.b32 %r0, 0;\nmov.f32 %f2, 0f40000000;\nmov.f32 %f3, 0fC0800000;\n"
                                             "cvt.rs.satfinite.e4m3x4.f32 %r1, {%f0, %f2, %f3, %f1}, %r0;");
  EXPECT_EQ(out[0], 0x3840C838u);
}

TEST(MicroFloat, EightBitsFromBf16) {
  auto out =
      onFloats(std::vector<float>(64, 1.5f),
               "cvt.rn.bf16x2.f32 %r0, %f0, %f1;\ncvt.rn.satfinite.e4m3x2.bf16x2 %h0, %r0;\ncvt.u32.u16 %r1, %h0;");
  EXPECT_EQ(out[0], 0x3C3Cu);
}

TEST(MicroFloat, AreNotForOlderTargets) {
  Kernel kernel;
  kernel.body = "cvt.rn.satfinite.e2m3x2.f32 %h0, %f0, %f1;\nret;";
  auto result = run(kernel, {u32Array({0}), u32Array({0})});
  ASSERT_FALSE(result);
  EXPECT_TRUE(mentions(result.error(), "this conversion needs `.target sm_100`")) << errorText(result.error());
}

} // namespace
} // namespace lanescope::core::test
