// The rarer instructions of sm_90a on known values: dot products, bit masks, directed rounding, packed comparisons,
// narrow conversions, vector atomics and predicated copies. The expected values are computed in another way, or by
// hand.
#include "tests/unit/emulator/EmulatorSupport.h"

#include "core/data/Numeric.h"

#include <cmath>
#include <random>

namespace lanescope::core::test {
namespace {

uint32_t bitsOf(float v) { return std::bit_cast<uint32_t>(v); }
uint32_t two(float low, float high) { return f32ToF16(low) | static_cast<uint32_t>(f32ToF16(high)) << 16; }

TEST(Integer, DotProducts) {
  std::mt19937 random(3);
  for (int n = 0; n < 20; ++n) {
    uint32_t a = random(), b = random();
    int64_t uu = 0, ss = 0, us = 0, lo = 0, hi = 0;
    for (int k = 0; k < 4; ++k) {
      uint32_t x = a >> (8 * k) & 0xFF, y = b >> (8 * k) & 0xFF;
      uu += x * y;
      ss += static_cast<int8_t>(x) * static_cast<int8_t>(y);
      us += static_cast<int64_t>(x) * static_cast<int8_t>(y);
      auto half = static_cast<int16_t>(a >> (16 * (k % 2)));
      (k < 2 ? lo : hi) += half * static_cast<int64_t>(y);
    }
    std::string with = " %r1, %r0, " + std::to_string(b) + ", 7;";
    EXPECT_EQ(evaluate(a, "dp4a.u32.u32" + with), static_cast<uint32_t>(uu + 7));
    EXPECT_EQ(evaluate(a, "dp4a.s32.s32" + with), static_cast<uint32_t>(ss + 7));
    EXPECT_EQ(evaluate(a, "dp4a.u32.s32" + with), static_cast<uint32_t>(us + 7));
    EXPECT_EQ(evaluate(a, "dp2a.lo.s32.u32" + with), static_cast<uint32_t>(lo + 7));
    EXPECT_EQ(evaluate(a, "dp2a.hi.s32.u32" + with), static_cast<uint32_t>(hi + 7));
  }
}

TEST(Integer, TwentyFourBits) {
  // -0x37E96 * -0x2586B9 = 0x832276FE66, as an H200 gives it.
  EXPECT_EQ(evaluate(0x47FC816A, "mul24.hi.s32 %r1, %r0, 0xBADA7947;"), 0x832276u);
  EXPECT_EQ(evaluate(0xFF123456, "mul24.lo.u32 %r1, %r0, 0xAB654321;"),
            static_cast<uint32_t>(0x123456ull * 0x654321ull));
  EXPECT_EQ(evaluate(0xFF123456, "mul24.hi.u32 %r1, %r0, 0xAB654321;"),
            static_cast<uint32_t>(0x123456ull * 0x654321ull >> 16));
  EXPECT_EQ(evaluate(0x00FFFFFF, "mad24.lo.s32 %r1, %r0, 5, 3;"), static_cast<uint32_t>(-5 + 3));
  EXPECT_EQ(evaluate(0x00FFFFFF, "mad24.hi.s32 %r1, %r0, 0x10000, 3;"), static_cast<uint32_t>(-1 + 3));
  EXPECT_EQ(evaluate(0x007FFFFF, "mad24.hi.sat.s32 %r1, %r0, 0x7FFFFF, 0x7FFFFFFF;"), 0x7FFFFFFFu);
}

TEST(Integer, ReluAndExtension) {
  EXPECT_EQ(evaluate(static_cast<uint32_t>(-5), "max.relu.s32 %r1, %r0, -3;"), 0u);
  EXPECT_EQ(evaluate(5, "min.relu.s32 %r1, %r0, 3;"), 3u);
  EXPECT_EQ(evaluate(0x0005FFFB, "max.relu.s16x2 %r1, %r0, 0x0002FFFE;"), 0x00050000u);
  EXPECT_EQ(evaluate(0x1F8, "szext.clamp.s32 %r1, %r0, 9;"), 0xFFFFFFF8u);
  EXPECT_EQ(evaluate(0x1F8, "szext.clamp.u32 %r1, %r0, 4;"), 8u);
  EXPECT_EQ(evaluate(0x1F8, "szext.wrap.u32 %r1, %r0, 36;"), 8u);
  EXPECT_EQ(evaluate(0x1F8, "szext.clamp.s32 %r1, %r0, 36;"), 0x1F8u);
  EXPECT_EQ(evaluate(0x1F8, "szext.clamp.s32 %r1, %r0, 0;"), 0u);
  EXPECT_EQ(evaluate(4, "bmsk.clamp.b32 %r1, %r0, 3;"), 0x70u);
  EXPECT_EQ(evaluate(4, "bmsk.clamp.b32 %r1, %r0, 60;"), 0xFFFFFFF0u);
  EXPECT_EQ(evaluate(36, "bmsk.wrap.b32 %r1, %r0, 35;"), 0x70u);
  EXPECT_EQ(evaluate(36, "bmsk.clamp.b32 %r1, %r0, 3;"), 0u);
}

TEST(Integer, NthSetBit) {
  // Bits 1, 4, 5, 9.
  EXPECT_EQ(evaluate(0x232, "fns.b32 %r1, %r0, 0, 1;"), 1u);
  EXPECT_EQ(evaluate(0x232, "fns.b32 %r1, %r0, 2, 2;"), 5u);
  EXPECT_EQ(evaluate(0x232, "fns.b32 %r1, %r0, 8, -2;"), 4u);
  EXPECT_EQ(evaluate(0x232, "fns.b32 %r1, %r0, 4, 0;"), 4u);
  EXPECT_EQ(evaluate(0x232, "fns.b32 %r1, %r0, 3, 0;"), 0xFFFFFFFFu);
  EXPECT_EQ(evaluate(0x232, "fns.b32 %r1, %r0, 0, 5;"), 0xFFFFFFFFu);
}

TEST(Integer, LogicWithAPredicate) {
  const std::string setup = "setp.eq.u32 %p1, 0, 0;\n",
                    out = "\nselp.u32 %r2, 1, 0, %p2;\nshl.b32 %r2, %r2, 8;\nor.b32 %r1, %r3, %r2;";
  EXPECT_EQ(evaluate(6, setup + "lop3.and.b32 %r3|%p2, %r0, 3, 0, 0xC0, %p1;" + out), 0x102u);
  EXPECT_EQ(evaluate(4, setup + "lop3.and.b32 %r3|%p2, %r0, 3, 0, 0xC0, %p1;" + out), 0u);
  EXPECT_EQ(evaluate(4, setup + "lop3.or.b32 %r3|%p2, %r0, 3, 0, 0xC0, %p1;" + out), 0x100u);
  EXPECT_EQ(evaluate(6, setup + "lop3.xor.b32 %r3|%p2, %r0, 3, 0, 0xC0, !%p1;" + out), 0x102u);
}

/// Results with directed rounding bracket the binary64 value. They lie one step apart if the value is not exact.
TEST(Float, DirectedRounding) {
  std::mt19937 random(11);
  for (int n = 0; n < 40; ++n) {
    auto draw = [&] {
      return std::bit_cast<float>(static_cast<uint32_t>((random() & 0x807FFFFF) | (120 + random() % 16) << 23));
    };
    float a = draw(), b = draw(), c = draw();
    auto text = [](float v) {
      char word[16];
      snprintf(word, sizeof word, "0f%08X", bitsOf(v));
      return std::string(word);
    };
    struct Row {
      std::string body; // `MODE` stands for the rounding mode
      long double exact;
    };
    long double x = a, y = b, z = c;
    for (const Row &row :
         {Row{"addMODE.f32 %r1, %r0, " + text(b) + ";", x + y}, Row{"mulMODE.f32 %r1, %r0, " + text(b) + ";", x * y},
          Row{"divMODE.f32 %r1, %r0, " + text(b) + ";", x / y}, Row{"rcpMODE.f32 %r1, %r0;", 1 / x},
          Row{"fmaMODE.f32 %r1, %r0, " + text(b) + ", " + text(c) + ";", x * y + z}}) {
      auto run = [&](const std::string &mode) {
        std::string body = row.body;
        body.replace(body.find("MODE"), 4, mode);
        return std::bit_cast<float>(evaluate(bitsOf(a), body));
      };
      float down = run(".rm"), up = run(".rp"), zero = run(".rz"), nearest = run(".rn");
      EXPECT_LE(down, row.exact) << row.body;
      EXPECT_GE(up, row.exact) << row.body;
      EXPECT_LE(bitsOf(up) == bitsOf(down) ? 0 : std::nextafter(down, INFINITY) - up, 0) << row.body;
      EXPECT_EQ(std::nextafter(down, INFINITY) >= up, true) << row.body;
      EXPECT_EQ(zero, row.exact < 0 ? up : down) << row.body;
      EXPECT_TRUE(nearest == up || nearest == down) << row.body;
    }
  }
  EXPECT_EQ(evaluate(bitsOf(2.0f), "sqrt.rm.f32 %r1, %r0;"), bitsOf(1.41421354f));
  EXPECT_EQ(evaluate(bitsOf(2.0f), "sqrt.rp.f32 %r1, %r0;"), bitsOf(std::nextafter(1.41421354f, 2.0f)));
  EXPECT_EQ(evaluate(bitsOf(1.0f), "add.rz.sat.f32 %r1, %r0, 0f3F800000;"), bitsOf(1.0f));
  EXPECT_EQ(evaluate(1, "add.rp.ftz.f32 %r1, %r0, 0f00000000;"), 0u);
  // In binary64: 1/3 lies between its neighbours.
  const std::string third = "mov.f64 %g0, 0d3FF0000000000000;\nmov.f64 %g1, 0d4008000000000000;\n";
  auto low = [&](const char *mode) {
    return evaluate(0, third + "div." + mode + ".f64 %g2, %g0, %g1;\nmov.b64 {%r1, %r2}, %g2;");
  };
  EXPECT_EQ(low("rm"), 0x55555555u);
  EXPECT_EQ(low("rp"), 0x55555556u);
  EXPECT_EQ(low("rz"), low("rn"));
}

TEST(Float, MinimaWithTheProductsSign) {
  EXPECT_EQ(evaluate(bitsOf(-3.0f), "min.xorsign.abs.f32 %r1, %r0, 0f40000000;"), bitsOf(-2.0f));
  EXPECT_EQ(evaluate(bitsOf(-3.0f), "max.xorsign.abs.f32 %r1, %r0, 0fC0000000;"), bitsOf(3.0f));
  EXPECT_EQ(evaluate(two(-3, 4), "min.xorsign.abs.f16x2 %r1, %r0, " + std::to_string(two(2, 5)) + ";"), two(-2, 4));
  EXPECT_EQ(evaluate(0x7FC00000, "min.NaN.xorsign.abs.f32 %r1, %r0, 0f40000000;"), 0x7FFFFFFFu);
}

TEST(NarrowFloat, FlushesAndSaturatesTogether) {
  EXPECT_EQ(evaluate(0x00010001, "add.ftz.sat.f16x2 %r1, %r0, " + std::to_string(two(0, 3)) + ";"), two(0, 1));
  EXPECT_EQ(evaluate(0x8001C000, "fma.rn.ftz.relu.f16x2 %r1, %r0, " + std::to_string(two(1, 1)) + ", 0;"), 0u);
  EXPECT_EQ(evaluate(0x80010001, "neg.ftz.f16x2 %r1, %r0;"), 0x00008000u);
  EXPECT_EQ(evaluate(0x00010002, "max.ftz.f16x2 %r1, %r0, 0;"), 0u);
}

TEST(Compare, TwoHalvesAtOnce) {
  const std::string out = "\nselp.u32 %r2, 1, 0, %p1;\nselp.u32 %r3, 2, 0, %p2;\nor.b32 %r1, %r2, %r3;";
  std::string other = std::to_string(two(2, 2));
  EXPECT_EQ(evaluate(two(1, 3), "setp.lt.f16x2 %p1|%p2, %r0, " + other + ";" + out), 1u);
  EXPECT_EQ(evaluate(two(3, 1), "setp.lt.f16x2 %p1|%p2, %r0, " + other + ";" + out), 2u);
  EXPECT_EQ(evaluate(two(1, 1), "setp.eq.u32 %p3, 0, 1;\nsetp.lt.and.f16x2 %p1|%p2, %r0, " + other + ", %p3;" + out),
            0u);
  EXPECT_EQ(evaluate(0x00010000, "setp.gt.ftz.f16x2 %p1|%p2, %r0, 0;" + out), 0u);
  EXPECT_EQ(evaluate(0x00010000, "setp.gt.f16x2 %p1|%p2, %r0, 0;" + out), 2u);
  EXPECT_EQ(evaluate(two(1, 3), "set.lt.f16x2.f16x2 %r1, %r0, " + other + ";"), two(1, 0));
  EXPECT_EQ(evaluate(5, "set.gt.f16.s32 %h0, %r0, 4;\nmov.b32 %r1, {%h0, %h0};"), 0x3C003C00u);
  EXPECT_EQ(evaluate(0x3F80, "cvt.u16.u32 %h0, %r0;\nset.eq.u16.bf16 %h1, %h0, %h0;\nmov.b32 %r1, {%h1, %h0};"),
            0x3F80FFFFu);
  EXPECT_EQ(evaluate(0x80000001, "mov.b32 %f0, %r0;\nslct.ftz.u32.f32 %r1, 1, 2, %f0;"), 1u);
  EXPECT_EQ(evaluate(0x80000001, "mov.b32 %f0, %r0;\nslct.u32.f32 %r1, 1, 2, %f0;"), 2u);
}

TEST(Convert, FiniteSaturationAndRelu) {
  auto half = [](float v, const std::string &op) {
    return evaluate(bitsOf(v), "mov.b32 %f0, %r0;\ncvt." + op + " %h0, %f0;\ncvt.u32.u16 %r1, %h0;");
  };
  EXPECT_EQ(half(1e6f, "rn.f16.f32"), 0x7C00u);
  EXPECT_EQ(half(1e6f, "rn.satfinite.f16.f32"), 0x7BFFu);
  EXPECT_EQ(half(-1e6f, "rn.satfinite.f16.f32"), 0xFBFFu);
  EXPECT_EQ(half(-1e6f, "rn.relu.satfinite.f16.f32"), 0u);
  EXPECT_EQ(half(INFINITY, "rz.satfinite.bf16.f32"), 0x7F7Fu);
  auto pair = [](float high, float low, const std::string &op) {
    return evaluate(bitsOf(high), "mov.b32 %f0, %r0;\nmov.b32 %f1, " + std::to_string(bitsOf(low)) + ";\ncvt." + op +
                                      " %r1, %f0, %f1;");
  };
  EXPECT_EQ(pair(1e6f, -2, "rn.satfinite.f16x2.f32"), 0x7BFFC000u);
  EXPECT_EQ(pair(1e6f, -2, "rn.relu.satfinite.f16x2.f32"), 0x7BFF0000u);
  EXPECT_EQ(pair(-1, 1.00390625f, "rz.relu.bf16x2.f32"), 0x00003F80u);
  for (float v : {0.0f, 1.0f, -1.5f, 300.0f, 1000.0f, -0.01f, 0.002f}) {
    auto f8 = [&](const char *type, bool relu) {
      return evaluate(two(v, -v), std::string("cvt.rn.satfinite.") + (relu ? "relu." : "") + type +
                                      ".f16x2 %h0, %r0;\ncvt.u32.u16 %r1, %h0;");
    };
    double exact = f16ToF32(f32ToF16(v));
    for (auto [type, dtype] : {std::pair("e4m3x2", Dtype::F8E4M3FN), std::pair("e5m2x2", Dtype::F8E5M2)}) {
      uint32_t low = encodeFloat(dtype, exact), high = encodeFloat(dtype, -exact);
      EXPECT_EQ(f8(type, false), low | high << 8) << v;
      EXPECT_EQ(f8(type, true), (v > 0 ? low : 0) | (v < 0 ? high << 8 : 0)) << v;
    }
  }
  EXPECT_EQ(evaluate(0xB8B8, "cvt.u16.u32 %h0, %r0;\ncvt.rn.relu.f16x2.e4m3x2 %r1, %h0;"), 0u);
  EXPECT_EQ(evaluate(0x38B8, "cvt.u16.u32 %h0, %r0;\ncvt.rn.f16x2.e4m3x2 %r1, %h0;"), two(-1, 1));
}

TEST(Convert, Tf32Modes) {
  auto tf32 = [](uint32_t bits, const std::string &mode) {
    return evaluate(bits, "mov.b32 %f0, %r0;\ncvt." + mode + ".tf32.f32 %r1, %f0;");
  };
  EXPECT_EQ(tf32(0x3F801000, "rn"), 0x3F800000u);
  EXPECT_EQ(tf32(0x3F801000, "rna"), 0x3F802000u);
  EXPECT_EQ(tf32(0x3F801FFF, "rz"), 0x3F800000u);
  EXPECT_EQ(tf32(0xBF801FFF, "rz.relu"), 0u);
  EXPECT_EQ(tf32(0x7F7FFFFF, "rna"), 0x7F800000u);
  EXPECT_EQ(tf32(0x7F7FFFFF, "rna.satfinite"), 0x7F7FE000u);
  EXPECT_EQ(tf32(0x7F800001, "rn"), 0x7FFFE000u);
}

TEST(Convert, PacksSaturatedIntegers) {
  EXPECT_EQ(evaluate(70000, "cvt.pack.sat.u16.s32 %r1, %r0, -5;"), 0xFFFF0000u);
  EXPECT_EQ(evaluate(70000, "cvt.pack.sat.s16.s32 %r1, %r0, -70000;"), 0x7FFF8000u);
  EXPECT_EQ(evaluate(300, "cvt.pack.sat.u8.s32.b32 %r1, %r0, 7, 0x1234ABCD;"), 0xABCDFF07u);
  EXPECT_EQ(evaluate(300, "cvt.pack.sat.s8.s32.b32 %r1, %r0, -7, 0;"), 0x7FF9u);
  EXPECT_EQ(evaluate(static_cast<uint32_t>(-9), "cvt.pack.sat.s4.s32.b32 %r1, %r0, 3, 0x12;"), 0x1283u);
  EXPECT_EQ(evaluate(9, "cvt.pack.sat.u2.s32.b32 %r1, %r0, 1, 0xF;"), 0xFDu);
}

/// All 32 lanes add to the same vector. The values are integers, so the order does not matter.
TEST(Atomic, VectorsAndHalves) {
  Kernel kernel;
  kernel.params = 1;
  auto runOn = [&](std::vector<uint32_t> memory, const std::string &body) {
    kernel.body = body + "\nret;";
    auto result = run(kernel, {u32Array(std::move(memory))});
    if (!result || !result->diagnostics.empty()) {
      ADD_FAILURE() << errorText(result ? result->diagnostics : result.error());
      return std::vector<uint32_t>(4);
    }
    return words(result->outputs[0]);
  };
  auto f = bitsOf;
  EXPECT_EQ(runOn({f(1), f(2), f(3), f(4)},
                  "mov.f32 %f0, 0f40000000;\nred.global.add.v4.f32 [%d50], {%f0, %f0, %f0, 0f3F800000};"),
            (std::vector<uint32_t>{f(65), f(66), f(67), f(36)}));
  EXPECT_EQ(runOn({f(1), f(2)},
                  "mov.u32 %r0, %tid.x;\nsetp.eq.u32 %p0, %r0, 5;\n@%p0 atom.global.v2.f32.add {%f0, %f1}, [%d50], "
                  "{0f40000000, 0f40400000};\n@%p0 red.relaxed.gpu.global.add.v2.f32 [%d50], {%f0, %f1};"),
            (std::vector<uint32_t>{f(4), f(7)}));
  EXPECT_EQ(runOn({two(1, 2), two(3, 4)}, "mov.b32 %r0, " + std::to_string(two(1, -1)) +
                                              ";\nred.global.add.noftz.v2.f16x2 [%d50], {%r0, %r0};"),
            (std::vector<uint32_t>{two(33, -30), two(35, -28)}));
  EXPECT_EQ(runOn({two(1, 9), two(3, 4)}, "mov.b32 {%h0, %h1}, " + std::to_string(two(5, 6)) +
                                              ";\nred.global.max.noftz.v4.f16 [%d50], {%h0, %h0, %h1, %h1};"),
            (std::vector<uint32_t>{two(5, 9), two(6, 6)}));
  EXPECT_EQ(runOn({0x3F804000, 0x40804100},
                  "mov.b16 %h0, 0x4040;\nred.global.min.noftz.v4.bf16 [%d50], {%h0, %h0, %h0, %h0};"),
            (std::vector<uint32_t>{0x3F804000, 0x40404040})); // 3 against 1, 2, 4, 8
  EXPECT_EQ(runOn({two(1, 2)}, "mov.b16 %h0, 0x3C00;\natom.global.add.noftz.f16 %h1, [%d50+2], %h0;"),
            (std::vector<uint32_t>{two(1, 34)}));
  EXPECT_EQ(runOn({5}, "mov.u64 %d0, 0;\nred.global.add.L2::cache_hint.u32 [%d50], 2, %d0;"),
            (std::vector<uint32_t>{69}));
  // Global memory flushes subnormals, as on an H200, and shared memory does not.
  const std::string once = "mov.u32 %r0, %tid.x;\nsetp.eq.u32 %p0, %r0, 5;\n@%p0 ";
  EXPECT_EQ(
      runOn({0x0000FFFF, 0x83CB86DF}, once + "atom.global.v2.f32.add {%f0, %f1}, [%d50], {0f83CB86DF, 0f0000FFFF};"),
      (std::vector<uint32_t>{0x83CB86DF, 0x83CB86DF}));
  EXPECT_EQ(runOn({0x0000FFFF, 0x83CB86DF}, once + "red.global.add.v2.f32 [%d50], {0f0000FFFF, 0f03CB86DE};"),
            (std::vector<uint32_t>{0, 0x80000000}));
  for (const char *global : {"red.global.add.f32 [%d50], 0f83CB86DF;", "red.add.f32 [%d50], 0f83CB86DF;"})
    EXPECT_EQ(runOn({0x0000FFFF}, once + global), (std::vector<uint32_t>{0x83CB86DF})) << global;
  kernel.declarations = ".shared .align 8 .b8 smem[64];";
  for (const char *shared : {"red.shared.add.f32 [smem], 0f83CB86DF;", "red.add.f32 [%d1], 0f83CB86DF;"})
    EXPECT_EQ(runOn({0}, "mov.u64 %d1, smem;\ncvta.shared.u64 %d1, %d1;\nmov.u32 %r0, %tid.x;\n"
                         "setp.eq.u32 %p0, %r0, 5;\n@%p0 st.shared.b32 [smem], 0x0000FFFF;\n@%p0 " +
                             std::string(shared) +
                             "\n@%p0 ld.shared.b32 %r1, [smem];\n@%p0 st.global.b32 [%d50], %r1;"),
              (std::vector<uint32_t>{0x83CB82DF}))
        << shared;
  kernel.body = "red.global.add.v4.f32 [%d50+8], {%f0, %f0, %f0, %f0};";
  auto misaligned = run(kernel, {u32Array(std::vector<uint32_t>(8))});
  ASSERT_TRUE(misaligned);
  EXPECT_TRUE(mentions(misaligned->diagnostics, "not a multiple of 16")) << errorText(misaligned->diagnostics);
}

TEST(CpAsync, PredicateIgnoresTheSource) {
  Kernel kernel;
  kernel.declarations = ".shared .align 16 .b8 tile[512];";
  kernel.body =
      "mov.u32 %r0, %tid.x;\nmul.wide.u32 %d0, %r0, 16;\nadd.u64 %d1, %d50, %d0;\nadd.u64 %d2, %d51, %d0;\n"
      "mov.u32 %r1, tile;\nshl.b32 %r2, %r0, 4;\nadd.u32 %r1, %r1, %r2;\nsetp.gt.u32 %p0, %r0, 7;\nmov.u64 %d3, 0;\n"
      "cp.async.cg.shared.global.L2::cache_hint.L2::128B [%r1], [%d1], 16, %p0, %d3;\ncp.async.wait_all;\n"
      "ld.shared.v4.b32 {%r3, %r4, %r5, %r6}, [%r1];\nst.global.v4.b32 [%d2], {%r3, %r4, %r5, %r6};\nret;";
  std::vector<uint32_t> input(128);
  for (uint32_t n = 0; n < 128; ++n)
    input[n] = n + 1;
  auto result = run(kernel, {u32Array(input), u32Array(std::vector<uint32_t>(128))});
  ASSERT_TRUE(result) << errorText(result.error());
  ASSERT_TRUE(result->diagnostics.empty()) << errorText(result->diagnostics);
  auto out = words(result->outputs[1]);
  for (uint32_t n = 0; n < 128; ++n)
    EXPECT_EQ(out[n], n / 4 > 7 ? 0 : n + 1);
}

TEST(BulkCopy, CountsIntoGlobalMemory) {
  Kernel kernel;
  kernel.declarations = ".shared .align 128 .b8 tile[128];";
  kernel.params = 1;
  kernel.body = "mov.u32 %r0, %tid.x;\nshl.b32 %r1, %r0, 2;\nmov.u32 %r2, tile;\nadd.u32 %r1, %r1, %r2;\nst.shared.u32 "
                "[%r1], 10;\n"
                "fence.proxy.async.shared::cta;\nbar.sync 0;\nsetp.eq.u32 %p0, %r0, 0;\n@%p0 "
                "cp.reduce.async.bulk.global.shared::cta.bulk_group."
                "inc.u32 [%d50], [tile], 128;\ncp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\nret;";
  std::vector<uint32_t> memory(32);
  for (uint32_t n = 0; n < 32; ++n)
    memory[n] = n;
  auto result = run(kernel, {u32Array(memory)});
  ASSERT_TRUE(result) << errorText(result.error());
  ASSERT_TRUE(result->diagnostics.empty()) << errorText(result->diagnostics);
  for (uint32_t n = 0; n < 32; ++n)
    EXPECT_EQ(words(result->outputs[0])[n], n >= 10 ? 0 : n + 1);
}

TEST(Control, RegisterBudgetsAreForWholeWarps) {
  Kernel kernel;
  kernel.params = 0;
  kernel.threads = 128;
  kernel.body = "setmaxnreg.dec.sync.aligned.u32 40;\nsetmaxnreg.inc.sync.aligned.u32 232;\nret;";
  auto fine = run(kernel, {});
  ASSERT_TRUE(fine) << errorText(fine.error());
  EXPECT_TRUE(fine->diagnostics.empty()) << errorText(fine->diagnostics);
  kernel.body = "mov.u32 %r0, %tid.x;\nsetp.lt.u32 %p0, %r0, 5;\n@%p0 setmaxnreg.dec.sync.aligned.u32 40;\nret;";
  auto apart = run(kernel, {});
  ASSERT_TRUE(apart);
  EXPECT_TRUE(mentions(apart->diagnostics, "must be executed by all 32 live lanes")) << errorText(apart->diagnostics);
  kernel.body = "setmaxnreg.dec.sync.aligned.u32 44;\nret;";
  EXPECT_FALSE(run(kernel, {}));
}

TEST(Unknown, FormsThatHopperHasNot) {
  Kernel kernel;
  kernel.params = 1;
  for (const char *bad :
       {"cp.async.cg.shared.global [%r0], [%d0], 8;", "cvt.rn.e4m3x2.f32 %h0, %f1, %f2;",
        "cvt.rna.relu.tf32.f32 %r0, %f1;", "set.lt.u16.f32 %h0, %f1, %f2;", "setp.lt.f16 %p0|%p1, %h1, %h2;",
        "red.global.min.v2.f32 [%d0], {%f1, %f2};", "atom.shared.v2.f32.add {%f1, %f2}, [%r0], {%f3, %f4};",
        "add.sat.bf16 %h0, %h1, %h2;", "multimem.st.relaxed.global.u32 [%d0], %r0;",
        "tensormap.replace.im2col.global_address.global.b1024.b64 [%d0], %d1;", "fma.rn.oob.f16 %h0, %h1, %h2, %h3;",
        "wmma.load.a.sync.aligned.row.m16n16k16.f16 {%r0}, [%d0];",
        "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f16 [%d0], [%r1], 16;"}) {
    kernel.body = bad;
    auto result = run(kernel, {u32Array({0})});
    ASSERT_FALSE(result) << bad;
    std::string_view opcode(bad, std::string_view(bad).find(' '));
    EXPECT_TRUE(mentions(result.error(), opcode)) << errorText(result.error());
  }
}

} // namespace
} // namespace lanescope::core::test
