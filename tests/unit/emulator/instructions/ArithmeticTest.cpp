// Single instructions on known values: integers, floats, narrow floats, conversions.
#include "tests/unit/emulator/EmulatorSupport.h"

#include "core/data/Numeric.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <random>

namespace lanescope::core::test {
namespace {

uint32_t bitsOf(float v) { return std::bit_cast<uint32_t>(v); }
uint32_t withFloat(float v, const std::string &body) { return evaluate(bitsOf(v), body); }

TEST(Integer, AddSubMul) {
  EXPECT_EQ(evaluate(7, "add.s32 %r1, %r0, -9;"), static_cast<uint32_t>(-2));
  EXPECT_EQ(evaluate(0x7FFFFFFF, "add.sat.s32 %r1, %r0, 5;"), 0x7FFFFFFFu);
  EXPECT_EQ(evaluate(0x80000000, "sub.sat.s32 %r1, %r0, 5;"), 0x80000000u);
  EXPECT_EQ(evaluate(100000, "mul.lo.s32 %r1, %r0, 100000;"), 1410065408u);
  EXPECT_EQ(evaluate(100000, "mul.hi.u32 %r1, %r0, 100000;"), 2u);
  EXPECT_EQ(evaluate(static_cast<uint32_t>(-3), "mul.hi.s32 %r1, %r0, 5;"), 0xFFFFFFFFu);
  EXPECT_EQ(evaluate(static_cast<uint32_t>(-3), "mul.wide.s32 %d1, %r0, 5; cvt.u32.u64 %r1, %d1;"),
            static_cast<uint32_t>(-15));
  EXPECT_EQ(evaluate(3, "mad.lo.s32 %r1, %r0, 5, -1;"), 14u);
  EXPECT_EQ(evaluate(0xFFFF0003, "add.u16x2 %r1, %r0, 0x00010001;"), 0x00000004u);
}

TEST(Integer, CarryChains) {
  // A 64-bit sum in two halves.
  EXPECT_EQ(evaluate(0xFFFFFFFF, "add.cc.u32 %r2, %r0, 1; addc.u32 %r1, 5, 0;"), 6u);
  EXPECT_EQ(evaluate(0, "sub.cc.u32 %r2, %r0, 1; subc.u32 %r1, 5, 0;"), 4u);
  EXPECT_EQ(evaluate(0x80000000, "mad.lo.cc.u32 %r2, %r0, 2, 0; madc.hi.u32 %r1, %r0, 2, 0;"), 1u);
  // These are a GPU's results, on which nvcc's 128-bit division relies: after a subtraction the flag is clear if it
  // borrowed.
  EXPECT_EQ(evaluate(7, "sub.cc.u32 %r2, %r0, 7; addc.u32 %r1, 0, 0;"), 1u);
  EXPECT_EQ(evaluate(6, "sub.cc.u32 %r2, %r0, 7; addc.u32 %r1, 0, 0;"), 0u);
  EXPECT_EQ(evaluate(6, "sub.cc.u32 %r2, %r0, 7; subc.cc.u32 %r3, 1, 0; addc.u32 %r1, 0, 0;"), 1u);
  EXPECT_EQ(evaluate(6, "sub.cc.u32 %r2, %r0, 7; subc.cc.u32 %r3, 0, 0; addc.u32 %r1, 0, 0;"), 0u);
  EXPECT_EQ(evaluate(0xFFFFFFFF, "add.cc.u32 %r2, %r0, 1; subc.u32 %r1, 5, 0;"), 5u);
  EXPECT_EQ(evaluate(0, "add.cc.u32 %r2, %r0, 1; subc.u32 %r1, 5, 0;"), 4u);
}

TEST(Integer, Division) {
  EXPECT_EQ(evaluate(static_cast<uint32_t>(-7), "div.s32 %r1, %r0, 2;"), static_cast<uint32_t>(-3));
  EXPECT_EQ(evaluate(static_cast<uint32_t>(-7), "rem.s32 %r1, %r0, 2;"), static_cast<uint32_t>(-1));
  EXPECT_EQ(evaluate(7, "div.u32 %r1, %r0, 0;"), 0xFFFFFFFFu);
  EXPECT_EQ(evaluate(0x80000000, "div.s32 %r1, %r0, -1;"), 0x80000000u);
}

TEST(Integer, ShiftsAndFields) {
  EXPECT_EQ(evaluate(1, "shl.b32 %r1, %r0, 32;"), 0u);
  EXPECT_EQ(evaluate(0x80000000, "shr.s32 %r1, %r0, 40;"), 0xFFFFFFFFu);
  EXPECT_EQ(evaluate(0x80000000, "shr.u32 %r1, %r0, 31;"), 1u);
  EXPECT_EQ(evaluate(0x12345678, "shf.l.wrap.b32 %r1, %r0, 0x9ABCDEF0, 8;"), 0xBCDEF012u);
  EXPECT_EQ(evaluate(0x12345678, "shf.r.clamp.b32 %r1, %r0, 0x9ABCDEF0, 40;"), 0x9ABCDEF0u);
  EXPECT_EQ(evaluate(0x000000F0, "bfe.s32 %r1, %r0, 4, 4;"), 0xFFFFFFFFu);
  EXPECT_EQ(evaluate(0x000000F0, "bfe.u32 %r1, %r0, 4, 4;"), 15u);
  EXPECT_EQ(evaluate(0xFFFFFFFF, "bfe.u32 %r1, %r0, 40, 4;"), 0u);
  EXPECT_EQ(evaluate(0x80000000, "bfe.s32 %r1, %r0, 28, 8;"), 0xFFFFFFF8u);
  EXPECT_EQ(evaluate(0xF, "bfi.b32 %r1, %r0, 0, 8, 4;"), 0xF00u);
  EXPECT_EQ(evaluate(0x10, "bfind.u32 %r1, %r0;"), 4u);
  EXPECT_EQ(evaluate(0x10, "bfind.shiftamt.u32 %r1, %r0;"), 27u);
  EXPECT_EQ(evaluate(0xFFFFFFFF, "bfind.s32 %r1, %r0;"), 0xFFFFFFFFu);
  EXPECT_EQ(evaluate(0x10, "clz.b32 %r1, %r0;"), 27u);
  EXPECT_EQ(evaluate(0xF0F0, "popc.b32 %r1, %r0;"), 8u);
  EXPECT_EQ(evaluate(1, "brev.b32 %r1, %r0;"), 0x80000000u);
}

TEST(Integer, ConstantExpressions) {
  EXPECT_EQ(evaluate(0x0F0F1234, "lop3.b32 %r1, %r0, 0x000F000F, 0x43084308, (0xf0 & 0xcc) ^ 0xaa;"),
            (0x0F0F1234u & 0x000F000Fu) ^ 0x43084308u);
  for (auto [expression, value] :
       {std::pair("1 + 2 * 3", 7), std::pair("(1 + 2) * 3", 9), std::pair("10 - 4 - 3", 3), std::pair("1 | 6 & 3", 3),
        std::pair("1 << 2 + 1", 8), std::pair("-7 / 2", -3), std::pair("-7 % 4", -3), std::pair("~(3 ^ 1)", ~2),
        std::pair("-8 >> 1", -4), std::pair("((2))+1", 3), std::pair("2 - -3", 5)})
    EXPECT_EQ(evaluate(0, std::string("mov.u32 %r1, ") + expression + ";"), static_cast<uint32_t>(value)) << expression;
  EXPECT_EQ(evaluate(0x4000, "shl.b32 %r1, %r0, 8 - (2 + 1);"), 0x80000u);
  for (const char *bad : {"1 +", "(1 + 2", "1 / 0", "1 << %r0", "~"}) {
    Kernel kernel;
    kernel.body = std::string("mov.u32 %r1, ") + bad + ";\nret;\n";
    EXPECT_FALSE(run(kernel, {})) << bad;
  }
}

TEST(Integer, Permutes) {
  EXPECT_EQ(evaluate(0x33221100, "prmt.b32 %r1, %r0, 0x77665544, 0x7531;"), 0x77553311u);
  EXPECT_EQ(evaluate(0x00000080, "prmt.b32 %r1, %r0, 0, 0x8888;"), 0xFFFFFFFFu);
  EXPECT_EQ(evaluate(0x33221100, "prmt.b32.f4e %r1, %r0, 0x77665544, 1;"), 0x44332211u);
  EXPECT_EQ(evaluate(0x33221100, "prmt.b32.b4e %r1, %r0, 0x77665544, 1;"), 0x66770011u);
  EXPECT_EQ(evaluate(0xF0F0, "lop3.b32 %r1, %r0, 0xCC, 0xAA, 0x80;"), 0x80u);
  EXPECT_EQ(evaluate(0x00FF, "lop3.b32 %r1, %r0, 0x0F0F, 0x3333, 0x96;"), 0x00FFu ^ 0x0F0Fu ^ 0x3333u);
}

TEST(Float, Arithmetic) {
  EXPECT_EQ(withFloat(1.5f, "mov.b32 %f0, %r0; add.f32 %f1, %f0, 0f3F800000; mov.b32 %r1, %f1;"), bitsOf(2.5f));
  EXPECT_EQ(withFloat(1.0f, "add.rp.f32 %r1, %r0, 0f33000000;"), bitsOf(std::nextafter(1.0f, 2.0f)));
  EXPECT_EQ(withFloat(1.0f, "add.rz.f32 %r1, %r0, 0f33000000;"), bitsOf(1.0f));
  EXPECT_EQ(withFloat(-1.0f, "sqrt.rn.f32 %r1, %r0;"), 0x7FFFFFFFu); // canonical NaN
  EXPECT_EQ(withFloat(3.0f, "rcp.rn.f32 %r1, %r0;"), bitsOf(1.0f / 3.0f));
  EXPECT_EQ(withFloat(10.0f, "div.rn.f32 %r1, %r0, 0f40400000;"), bitsOf(10.0f / 3.0f));
  EXPECT_EQ(evaluate(0x00000001, "add.ftz.f32 %r1, %r0, 0f00000000;"), 0u);
  EXPECT_EQ(withFloat(7.0f, "add.sat.f32 %r1, %r0, 0f3F800000;"), bitsOf(1.0f));
}

TEST(Float, FmaRoundsOnce) {
  float a = 1.0f + 0x1p-12f, c = -(1.0f + 0x1p-11f);
  EXPECT_EQ(withFloat(a, "fma.rn.f32 %r1, %r0, %r0, 0f"
                         "BF801000"
                         ";"),
            bitsOf(std::fma(a, a, c)));
  volatile float product = a * a;
  EXPECT_NE(bitsOf(std::fma(a, a, c)), bitsOf(product + c));
}

TEST(Float, MinMaxTreatNanAndZero) {
  EXPECT_EQ(evaluate(0x7FC00000, "min.f32 %r1, %r0, 0f40000000;"), bitsOf(2.0f));
  EXPECT_EQ(evaluate(0x7FC00000, "min.NaN.f32 %r1, %r0, 0f40000000;"), 0x7FFFFFFFu);
  EXPECT_EQ(evaluate(0x80000000, "max.f32 %r1, %r0, 0f00000000;"), 0u);
  EXPECT_EQ(evaluate(0x00000000, "min.f32 %r1, %r0, 0f80000000;"), 0x80000000u);
}

TEST(NarrowFloat, EveryF16WidensAndNarrows) {
  std::vector<uint32_t> input(1024);
  for (uint32_t base = 0; base < 65536; base += 1024) {
    for (uint32_t n = 0; n < 1024; ++n)
      input[n] = base + n;
    auto wide = perLane(input, "cvt.u16.u32 %h0, %r0; cvt.f32.f16 %f0, %h0; mov.b32 %r1, %f0;");
    auto back =
        perLane(input, "cvt.u16.u32 %h0, %r0; cvt.f32.f16 %f0, %h0; cvt.rn.f16.f32 %h1, %f0; cvt.u32.u16 %r1, %h1;");
    ASSERT_EQ(wide.size(), input.size());
    for (uint32_t n = 0; n < 1024; ++n) {
      bool nan = (input[n] & 0x7FFF) > 0x7C00;
      ASSERT_EQ(wide[n], nan ? 0x7FFFFFFFu : bitsOf(f16ToF32(static_cast<uint16_t>(input[n])))) << input[n];
      ASSERT_EQ(back[n], nan ? 0x7FFFu : input[n]);
    }
  }
}

TEST(NarrowFloat, RoundingModes) {
  // 1 + 2^-11 lies half way between two f16 values.
  std::string pack = "mov.b32 %f0, %r0; ", unpack = " cvt.u32.u16 %r1, %h1;";
  float half = 1.0f + 0x1p-11f;
  EXPECT_EQ(withFloat(half, pack + "cvt.rn.f16.f32 %h1, %f0;" + unpack), 0x3C00u);
  EXPECT_EQ(withFloat(half, pack + "cvt.rp.f16.f32 %h1, %f0;" + unpack), 0x3C01u);
  EXPECT_EQ(withFloat(-half, pack + "cvt.rp.f16.f32 %h1, %f0;" + unpack), 0xBC00u);
  EXPECT_EQ(withFloat(-half, pack + "cvt.rm.f16.f32 %h1, %f0;" + unpack), 0xBC01u);
  EXPECT_EQ(withFloat(1e6f, pack + "cvt.rn.f16.f32 %h1, %f0;" + unpack), 0x7C00u);
  EXPECT_EQ(withFloat(1e6f, pack + "cvt.rz.f16.f32 %h1, %f0;" + unpack), 0x7BFFu);
  EXPECT_EQ(withFloat(0x1p-25f, pack + "cvt.rn.f16.f32 %h1, %f0;" + unpack), 0u);
  EXPECT_EQ(withFloat(0x1p-25f, pack + "cvt.rp.f16.f32 %h1, %f0;" + unpack), 1u);
  EXPECT_EQ(withFloat(1.0f + 0x1p-8f, pack + "cvt.rn.bf16.f32 %h1, %f0;" + unpack), 0x3F80u);
  EXPECT_EQ(withFloat(1.0f + 0x1p-8f, pack + "cvt.rp.bf16.f32 %h1, %f0;" + unpack), 0x3F81u);
}

TEST(NarrowFloat, PackedArithmetic) {
  EXPECT_EQ(evaluate(0x3C004000, "add.f16x2 %r1, %r0, %r0;"), 0x40004400u);
  EXPECT_EQ(evaluate(0x3F804000, "add.rn.bf16x2 %r1, %r0, %r0;"), 0x40004080u);
  EXPECT_EQ(evaluate(0x3C003C00, "fma.rn.f16x2 %r1, %r0, %r0, %r0;"), 0x40004000u);
  EXPECT_EQ(evaluate(0x7E003C00, "max.f16x2 %r1, %r0, 0x40000000;"), 0x40003C00u);
  EXPECT_EQ(evaluate(bitsOf(2.0f), "cvt.rn.f16x2.f32 %r1, %r0, 0f3F800000;"), 0x40003C00u);
  EXPECT_EQ(evaluate(bitsOf(-2.0f), "cvt.rn.relu.bf16x2.f32 %r1, %r0, 0f3F800000;"), 0x00003F80u);
}

/// The value of finite f16 bits in units of 2^-24.
int64_t f16Units(uint16_t bits) {
  int exponent = bits >> 10 & 31, mantissa = bits & 0x3FF;
  int64_t magnitude = exponent ? static_cast<int64_t>(mantissa | 0x400) << (exponent - 1) : mantissa;
  return bits & 0x8000 ? -magnitude : magnitude;
}

/// A number in units of 2^-48 to f16, to nearest even, by integer arithmetic.
uint16_t f16FromUnits(__int128 value) {
  bool negative = value < 0;
  unsigned __int128 magnitude = static_cast<unsigned __int128>(negative ? -value : value);
  int shift = 24; // to units of 2^-24, the unit of subnormals
  while (magnitude >> shift > 0x7FF)
    ++shift;
  unsigned __int128 kept = magnitude >> shift, rest = magnitude & ((static_cast<unsigned __int128>(1) << shift) - 1);
  unsigned __int128 half = static_cast<unsigned __int128>(1) << (shift - 1);
  if (rest > half || (rest == half && (kept & 1)))
    ++kept;
  // Carries into the exponent come out right. A shift of 24 means exponent 0 or 1, depending on the hidden bit.
  auto bits = static_cast<uint64_t>(shift - 24) * 0x400 + static_cast<uint64_t>(kept);
  return static_cast<uint16_t>((negative ? 0x8000 : 0) | (bits > 0x7C00 ? 0x7C00 : bits));
}

TEST(NarrowFloat, F16FmaIsExactlyRounded) {
  std::mt19937 random(1);
  auto finite = [&] {
    for (;;)
      if (auto bits = static_cast<uint16_t>(random()); (bits & 0x7C00) != 0x7C00)
        return bits;
  };
  for (int round = 0; round < 200; ++round) {
    std::vector<uint32_t> a(1024), b(1024), c(1024);
    for (size_t n = 0; n < a.size(); ++n) {
      a[n] = finite() | static_cast<uint32_t>(finite()) << 16;
      b[n] = finite() | static_cast<uint32_t>(finite()) << 16;
      c[n] = finite() | static_cast<uint32_t>(finite()) << 16;
    }
    Kernel kernel;
    kernel.params = 4;
    kernel.threads = 1024;
    kernel.body = "mov.u32 %r0, %tid.x; mul.wide.u32 %d0, %r0, 4; add.s64 %d1, %d50, %d0; add.s64 %d2, %d51, %d0;"
                  "add.s64 %d3, %d52, %d0; add.s64 %d4, %d53, %d0; ld.global.b32 %r1, [%d1]; ld.global.b32 %r2, [%d2];"
                  "ld.global.b32 %r3, [%d3]; fma.rn.f16x2 %r4, %r1, %r2, %r3; st.global.b32 [%d4], %r4; ret;";
    auto result = run(kernel, {u32Array(a), u32Array(b), u32Array(c), u32Array(std::vector<uint32_t>(1024))});
    ASSERT_TRUE(result) << errorText(result.error());
    auto out = words(result->outputs[3]);
    for (size_t n = 0; n < out.size(); ++n)
      for (int h = 0; h < 32; h += 16) {
        auto x = static_cast<uint16_t>(a[n] >> h), y = static_cast<uint16_t>(b[n] >> h),
             z = static_cast<uint16_t>(c[n] >> h);
        __int128 exact = static_cast<__int128>(f16Units(x)) * f16Units(y) + (static_cast<__int128>(f16Units(z)) << 24);
        if (exact == 0)
          continue; // the sign of zero follows another rule
        ASSERT_EQ(static_cast<uint16_t>(out[n] >> h), f16FromUnits(exact)) << std::hex << x << " " << y << " " << z;
      }
  }
}

TEST(NarrowFloat, Bf16FmaRoundsOnce) {
  // The product lies half way between two bf16 values and the addend is far below: only one rounding gets it right.
  float x = 1.0f + 0x1p-4f, y = 1.0f + 0x1p-4f; // 1.12890625 = 0x3F9080: half way between 0x3F90 and 0x3F91
  uint16_t hx = f32ToBf16(x), hy = f32ToBf16(y);
  ASSERT_EQ(hx, hy);
  auto fma = [&](const char *c) {
    return evaluate(hx, std::string("cvt.u16.u32 %h0, %r0; mov.b16 %h2, ") + c +
                            "; fma.rn.bf16 %h1, %h0, %h0, %h2; cvt.u32.u16 %r1, %h1;");
  };
  EXPECT_EQ(fma("0x0001"), 0x3F91u); // plus the smallest positive number
  EXPECT_EQ(fma("0x0000"), 0x3F90u); // a tie goes to even
  EXPECT_EQ(fma("0x8001"), 0x3F90u);
}

TEST(Convert, FloatsToIntegers) {
  EXPECT_EQ(withFloat(-2.7f, "cvt.rzi.s32.f32 %r1, %r0;"), static_cast<uint32_t>(-2));
  EXPECT_EQ(withFloat(2.5f, "cvt.rni.s32.f32 %r1, %r0;"), 2u);
  EXPECT_EQ(withFloat(-2.1f, "cvt.rmi.s32.f32 %r1, %r0;"), static_cast<uint32_t>(-3));
  EXPECT_EQ(withFloat(-2.1f, "cvt.rzi.u32.f32 %r1, %r0;"), 0u);
  EXPECT_EQ(withFloat(1e20f, "cvt.rzi.s32.f32 %r1, %r0;"), 0x7FFFFFFFu);
  EXPECT_EQ(evaluate(0x7FC00000, "cvt.rzi.s32.f32 %r1, %r0;"), 0u);
  EXPECT_EQ(withFloat(2.5f, "cvt.rpi.f32.f32 %r1, %r0;"), bitsOf(3.0f));
}

/// The bits are an H200's.
TEST(Convert, WideIntegersToDoublesAsAsked) {
  auto words = [](int64_t value, const std::string &form) {
    const std::string convert = "mov.b64 %d1, " + std::to_string(value) + ";\ncvt." + form + " %g1, %d1;\n";
    return uint64_t{evaluate(0, convert + "mov.b64 {%r2, %r1}, %g1;")} << 32 |
           evaluate(0, convert + "mov.b64 {%r1, %r2}, %g1;");
  };
  constexpr int64_t kOdd = (int64_t{1} << 53) + 1;
  auto bits = [](double value) { return std::bit_cast<uint64_t>(value); };
  EXPECT_EQ(words(kOdd, "rn.f64.s64"), bits(0x1p53));
  EXPECT_EQ(words(kOdd, "rz.f64.s64"), bits(0x1p53));
  EXPECT_EQ(words(kOdd, "rp.f64.s64"), bits(0x1p53 + 2));
  EXPECT_EQ(words(-kOdd, "rp.f64.s64"), bits(-0x1p53));
  EXPECT_EQ(words(-kOdd, "rm.f64.s64"), bits(-0x1p53 - 2));
  EXPECT_EQ(words(-1, "rz.f64.u64"), bits(std::nextafter(0x1p64, 0)));
  EXPECT_EQ(words(-1, "rp.f64.u64"), bits(0x1p64));
  EXPECT_EQ(words(0, "rm.f64.s64"), 0u);
  EXPECT_EQ(words(INT64_MIN, "rm.f64.s64"), bits(-0x1p63));
  EXPECT_EQ(words(7, "rn.sat.f64.s64"), bits(1));
  EXPECT_EQ(words(-7, "rn.sat.f64.s64"), 0u);
}

/// The bits are an H200's.
TEST(Convert, ZerosNansAndSubnormals) {
  const std::string half = " %h1, %r0;\ncvt.u32.u16 %r1, %h1;", high = " %g1, %r0;\nmov.b64 {%r2, %r1}, %g1;";
  for (const char *form : {"rn.relu.f16.f32", "rz.relu.satfinite.f16.f32", "rn.relu.bf16.f32"})
    EXPECT_EQ(evaluate(0x80000000, std::string("cvt.") + form + half), 0u) << form;
  EXPECT_EQ(evaluate(1, "cvt.rp.ftz.f16.f32" + half), 1u) << "`.ftz` does not change what is rounded to f16";
  EXPECT_EQ(evaluate(0x80000001, "cvt.rm.ftz.f16.f32" + half), 0x8001u);
  EXPECT_EQ(evaluate(0xFF812345, "cvt.f32.f32 %r1, %r0;"), 0xFF812345u);
  EXPECT_EQ(evaluate(0xFFA36013, "cvt.ftz.f64.f32" + high), 0x7FFFFFFFu);
  EXPECT_EQ(evaluate(0xFFA36013, "cvt.f64.f32" + high), 0xFFFC6C02u);
  for (uint32_t zero : {0u, 0x80000000u})
    EXPECT_EQ(evaluate(zero, "testp.normal.f32 %p1, %r0;\nselp.u32 %r1, 1, 2, %p1;"), 1u);
  EXPECT_EQ(evaluate(1, "testp.normal.f32 %p1, %r0;\nselp.u32 %r1, 1, 2, %p1;"), 2u);
  EXPECT_EQ(evaluate(0xFFF80000, "mov.b64 %g1, {1, %r0};\nabs.f64 %g1, %g1;\nmov.b64 {%r2, %r1}, %g1;"), 0xFFF80000u);
}

TEST(Convert, IntegersToFloats) {
  EXPECT_EQ(evaluate(16777217, "cvt.rn.f32.s32 %r1, %r0;"), bitsOf(16777216.0f));
  EXPECT_EQ(evaluate(16777217, "cvt.rp.f32.s32 %r1, %r0;"), bitsOf(16777218.0f));
  EXPECT_EQ(evaluate(0xFFFFFFFF, "cvt.rn.f32.u32 %r1, %r0;"), bitsOf(4294967296.0f));
  EXPECT_EQ(evaluate(300, "cvt.sat.u8.s32 %r1, %r0;"), 255u);
  EXPECT_EQ(evaluate(0x80, "cvt.s32.s8 %r1, %r0;"), 0xFFFFFF80u);
  EXPECT_EQ(evaluate(2049, "cvt.rn.f16.s32 %h1, %r0; cvt.u32.u16 %r1, %h1;"), 0x6800u);
}

// As on an H200: a NaN of f16 becomes the canonical NaN, and a NaN of bf16 keeps its bits.
TEST(Convert, NanWidens) {
  EXPECT_EQ(evaluate(0x7FFF, "cvt.u16.u32 %h1, %r0; cvt.f32.f16 %r1, %h1;"), 0x7FFFFFFFu);
  EXPECT_EQ(evaluate(0x7FFF, "cvt.u16.u32 %h1, %r0; cvt.f32.bf16 %r1, %h1;"), 0x7FFF0000u);
  const std::string wide = "mov.b64 %d1, 0x7FF8000000000000; ";
  EXPECT_EQ(evaluate(0, wide + "cvt.rn.f32.f64 %r1, %d1;"), 0x7FC00000u);
  EXPECT_EQ(evaluate(0, wide + "cvt.rn.f16.f64 %h1, %d1; cvt.u32.u16 %r1, %h1;"), 0x7E00u);
  EXPECT_EQ(evaluate(0, wide + "cvt.rn.bf16.f64 %h1, %d1; cvt.u32.u16 %r1, %h1;"), 0x7FC0u);
  EXPECT_EQ(evaluate(0x7FFF, "cvt.u16.u32 %h1, %r0; cvt.f64.bf16 %d1, %h1; cvt.rn.f16.f64 %h1, %d1; "
                             "cvt.u32.u16 %r1, %h1;"),
            0x7FF8u);
}

TEST(Convert, EightBitFloats) {
  EXPECT_EQ(withFloat(1.0f, "cvt.rn.satfinite.e4m3x2.f32 %h1, %r0, 0f40000000; cvt.u32.u16 %r1, %h1;"), 0x3840u);
  EXPECT_EQ(evaluate(0x3840, "cvt.u16.u32 %h0, %r0; cvt.rn.f16x2.e4m3x2 %r1, %h0;"), 0x3C004000u);
}

TEST(Compare, SetpWithNanAndCombination) {
  auto yes = [](uint32_t input, const std::string &compare) {
    return evaluate(input, compare + " selp.b32 %r1, 1, 0, %p1;");
  };
  EXPECT_EQ(yes(0x7FC00000, "setp.lt.f32 %p1, %r0, 0f00000000;"), 0u);
  EXPECT_EQ(yes(0x7FC00000, "setp.ltu.f32 %p1, %r0, 0f00000000;"), 1u);
  EXPECT_EQ(yes(0x7FC00000, "setp.nan.f32 %p1, %r0, %r0;"), 1u);
  EXPECT_EQ(yes(0xFFFFFFFF, "setp.lt.s32 %p1, %r0, 0;"), 1u);
  EXPECT_EQ(yes(0xFFFFFFFF, "setp.lo.u32 %p1, %r0, 0;"), 0u);
  EXPECT_EQ(yes(5, "setp.eq.s32 %p2, 1, 1; setp.gt.and.s32 %p1|%p3, %r0, 3, !%p2;"), 0u);
  EXPECT_EQ(evaluate(3, "setp.gt.s32 %p1|%p2, %r0, 3; selp.b32 %r1, 1, 0, %p2;"), 1u);
  // The first predicate belongs to the low halves of the pairs, the second to the high halves. 0x3C004000 is (2, 1) in
  // f16.
  constexpr uint32_t kPair = 0x3C004000;
  EXPECT_EQ(yes(kPair, "mov.b32 %r2, 0x3C003C00; setp.gt.f16x2 %p1|%p2, %r0, %r2;"), 1u);
  EXPECT_EQ(evaluate(kPair, "mov.b32 %r2, 0x3C003C00; setp.gt.f16x2 %p1|%p2, %r0, %r2; selp.b32 %r1, 1, 0, %p2;"), 0u);
  EXPECT_EQ(evaluate(0x7FFF3F80, "setp.num.bf16x2 %p1|%p2, %r0, %r0; selp.b32 %r1, 1, 0, %p1;"), 1u);
  EXPECT_EQ(evaluate(0x7FFF3F80, "setp.num.bf16x2 %p1|%p2, %r0, %r0; selp.b32 %r1, 1, 0, %p2;"), 0u);
}

TEST(Move, PacksAndUnpacks) {
  EXPECT_EQ(evaluate(0x12345678, "mov.b32 {%h0, %h1}, %r0; mov.b32 %r1, {%h1, %h0};"), 0x56781234u);
  EXPECT_EQ(evaluate(7, "mov.b64 %d1, {%r0, 9}; mov.b64 {_, %r1}, %d1;"), 9u);
}

// The expected values are an H200's for f32. The NaNs come from the additions that ptxas makes of these instructions.
TEST(Float, SignsOfNan) {
  for (uint32_t nan : {0x7FC00000u, 0xFFC00001u, 0x7F800001u})
    for (const char *op : {"neg.f32", "abs.f32", "neg.ftz.f32", "abs.ftz.f32"})
      EXPECT_EQ(evaluate(nan, "mov.b32 %f0, %r0; " + std::string(op) + " %f1, %f0; mov.b32 %r1, %f1;"), 0x7FFFFFFFu)
          << op;
  EXPECT_EQ(evaluate(bitsOf(-0.0f), "mov.b32 %f0, %r0; neg.f32 %f1, %f0; mov.b32 %r1, %f1;"), 0u);
  EXPECT_EQ(evaluate(1, "mov.b32 %f0, %r0; neg.f32 %f1, %f0; mov.b32 %r1, %f1;"), 0x80000001u);
  for (uint32_t upper : {0x7FF80000u, 0xFFF80000u, 0xFFF00001u})
    EXPECT_EQ(evaluate(upper, "mov.b64 %g0, {0, %r0}; neg.f64 %g1, %g0; mov.b64 {%r2, %r1}, %g1;"),
              upper | 0x00080000u);
  EXPECT_EQ(evaluate(0x3FF00000, "mov.b64 %g0, {0, %r0}; neg.f64 %g1, %g0; mov.b64 {%r2, %r1}, %g1;"), 0xBFF00000u);
  for (const char *op : {"neg.f16x2", "abs.f16x2"})
    EXPECT_EQ(evaluate(0xFE00BC00, std::string(op) + " %r1, %r0;"), 0x7FFF3C00u);
  for (const char *op : {"neg.bf16x2", "abs.bf16x2"})
    EXPECT_EQ(evaluate(0xFFC0BF80, std::string(op) + " %r1, %r0;"), 0x7FFF3F80u);
}

// ptxas accepts bf16 together with 8-bit integers if the integer is in a `.b8` register.
TEST(Float, BytesAndBf16) {
  auto converted = [](float v, const std::string &type) {
    std::string c = ".reg .b8 %c<2>; ";
    return withFloat(v, c + "mov.b32 %f0, %r0; cvt.rn.bf16.f32 %h0, %f0; cvt." + type +
                            ".bf16 %c1, %h0; cvt.u32.u8 %r1, %c1;");
  };
  EXPECT_EQ(converted(-2.75f, "rzi.s8"), 0xFEu);
  EXPECT_EQ(converted(-2.75f, "rni.s8"), 0xFDu);
  EXPECT_EQ(converted(-2.75f, "rmi.s8"), 0xFDu);
  EXPECT_EQ(converted(2.25f, "rpi.s8"), 3u);
  EXPECT_EQ(converted(1000.0f, "rzi.s8"), 127u);
  EXPECT_EQ(converted(-1000.0f, "rzi.s8"), 0x80u);
  EXPECT_EQ(converted(300.0f, "rzi.u8"), 255u);
  EXPECT_EQ(converted(-3.0f, "rzi.u8"), 0u);
  EXPECT_EQ(evaluate(0xFD, ".reg .b8 %c<2>; cvt.u8.u32 %c1, %r0; cvt.rn.bf16.s8 %h0, %c1; cvt.u32.u16 %r1, %h0;"),
            0xC040u);
  Kernel wide;
  wide.params = 0;
  wide.body = "mov.b16 %h0, 0; cvt.rzi.s8.bf16 %h1, %h0; ret;";
  auto refused = run(wide, {});
  ASSERT_FALSE(refused);
  EXPECT_TRUE(mentions(refused.error(), "in a `.b8` register only")) << errorText(refused.error());
}

// The expected values are the constants in the code that ptxas 13.0 makes for sm_90.
TEST(Float, SpecialFunctionsOfConstants) {
  struct Case {
    const char *op;
    uint32_t argument, result;
  };
  for (auto [op, argument, result] : std::to_array<Case>({{"rsqrt.approx.ftz.f32", 0x3727C5AC, 0x439E1D28},
                                                          {"rsqrt.approx.f32", 0x000116C2, 0x60AD790A},
                                                          {"rsqrt.approx.f32", 0x80000000, 0xFF800000},
                                                          {"rsqrt.approx.ftz.f32", 0x000116C2, 0x7F800000},
                                                          {"rcp.approx.f32", 0x41A40000, 0x3D47CE0C},
                                                          {"rcp.approx.f32", 0x7F000000, 0x00400000},
                                                          {"rcp.approx.ftz.f32", 0xFF000000, 0x80000000},
                                                          {"sqrt.approx.f32", 0x000116C2, 0x1E3CE4E7},
                                                          {"ex2.approx.f32", 0xC2FD0000, 0x005A827A},
                                                          {"ex2.approx.ftz.f32", 0xC2FD0000, 0},
                                                          {"ex2.approx.f32", 0x3DCCCCCD, 0x3F892FDF},
                                                          {"lg2.approx.f32", 0x000116C2, 0xC304E08C},
                                                          {"lg2.approx.f32", 0x3F800000, 0},
                                                          {"sin.approx.f32", 0x447A0000, 0x3F53AE61},
                                                          {"sin.approx.f32", 0x800116C2, 0x80000000},
                                                          {"cos.approx.f32", 0x41A40000, 0xBDA2F239}})) {
    char hex[16];
    std::snprintf(hex, sizeof hex, "0x%08X", argument);
    std::string end = std::string("; ") + op + " %f1, %f0; mov.b32 %r1, %f1;";
    EXPECT_EQ(evaluate(0, "mov.b32 %r2, " + std::string(hex) + "; mov.b32 %f0, %r2" + end), result) << op << hex;
  }
  // The constant passes through a product and a conversion, but neither through `fma` nor through a value that is not
  // constant.
  std::string end = "rsqrt.approx.ftz.f32 %f2, %f1; mov.b32 %r1, %f2;";
  EXPECT_EQ(evaluate(0, "mul.f32 %f1, 0f3727C5AC, 0f3F900000; " + end), 0x4395123Au);
  EXPECT_EQ(evaluate(0, "cvt.rn.f32.s32 %f1, 77; " + end), 0x3DE9642Au);
  uint32_t ofUnit = evaluate(0x3727C5AC, "mov.b32 %f1, %r0; " + end);
  EXPECT_NE(ofUnit, 0x439E1D28u);
  EXPECT_EQ(evaluate(0, "fma.rn.f32 %f1, 0f3727C5AC, 0f3F800000, 0f00000000; " + end), ofUnit);
  EXPECT_EQ(
      evaluate(0, "mov.f32 %f1, 0f3727C5AC; setp.eq.f32 %p1, %f1, 0f00000000; @%p1 mov.f32 %f1, 0f3F800000; " + end),
      ofUnit);
}

} // namespace
} // namespace lanescope::core::test
