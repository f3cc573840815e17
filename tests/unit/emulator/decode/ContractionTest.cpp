// Products and sums without a rounding modifier, which ptxas contracts into one operation. The expected values follow
// the code of ptxas 13.0 for sm_90a: an FMUL and an FADD, or an FFMA.
#include "tests/unit/emulator/EmulatorSupport.h"

#include <bit>
#include <cmath>

namespace lanescope::core::test {
namespace {

// The square of 1 + 2^-12 takes 25 bits.
constexpr float kOdd = 1 + 0x1p-12f;

/// %f0 and %f1 are kOdd, %f2 is -1, and %f3 and %f4 are 3. Returns what the body leaves in %f9.
float ran(const std::string &body, uint32_t fused) {
  Kernel kernel;
  kernel.threads = 1;
  kernel.body = "ld.global.v4.f32 {%f0, %f1, %f2, %f3}, [%d50];\nmov.f32 %f4, %f3;\n" + body +
                "\nst.global.f32 [%d51], %f9;\nret;";
  auto result = run(kernel, {u32Array({std::bit_cast<uint32_t>(kOdd), std::bit_cast<uint32_t>(kOdd),
                                       std::bit_cast<uint32_t>(-1.0f), std::bit_cast<uint32_t>(3.0f)}),
                             u32Array({0})});
  EXPECT_TRUE(result) << errorText(result.error());
  if (!result)
    return 0;
  EXPECT_TRUE(result->diagnostics.empty()) << errorText(result->diagnostics);
  std::string told = "fused into one operation, as ptxas does: " + std::to_string(fused);
  EXPECT_EQ(result->note.find(told) != std::string::npos, fused != 0) << body << result->note;
  return std::bit_cast<float>(words(result->outputs[1])[0]);
}

const float kSquare = kOdd * kOdd, kApart = kSquare - 1, kFused = std::fma(kOdd, kOdd, -1.0f);

TEST(Contraction, OfAProductAndItsSum) {
  ASSERT_NE(kApart, kFused);
  const std::string product = "mul.f32 %f5, %f0, %f1;\n";
  EXPECT_EQ(ran(product + "add.f32 %f9, %f5, %f2;", 1), kFused);
  EXPECT_EQ(ran(product + "add.f32 %f9, %f2, %f5;", 1), kFused);
  EXPECT_EQ(ran("neg.f32 %f6, %f2;\n" + product + "sub.f32 %f9, %f5, %f6;", 1), kFused);
  EXPECT_EQ(ran("neg.f32 %f6, %f2;\n" + product + "sub.f32 %f9, %f6, %f5;", 1), -kFused);
  EXPECT_EQ(ran(product + "add.sat.f32 %f9, %f5, %f2;", 1), kFused);
  EXPECT_EQ(ran("mul.ftz.f32 %f5, %f0, %f1;\nadd.ftz.f32 %f9, %f5, %f2;", 1), kFused);
  EXPECT_EQ(ran("setp.gt.f32 %p1, %f3, %f2;\nmov.f32 %f9, %f3;\n" + product + "@%p1 add.f32 %f9, %f5, %f2;", 1),
            kFused);
}

TEST(Contraction, NotOfWhatIsRounded) {
  for (const char *body :
       {"mul.rn.f32 %f5, %f0, %f1;\nadd.f32 %f9, %f5, %f2;", "mul.f32 %f5, %f0, %f1;\nadd.rn.f32 %f9, %f5, %f2;",
        "mul.ftz.f32 %f5, %f0, %f1;\nadd.f32 %f9, %f5, %f2;", "mul.f32 %f5, %f0, %f1;\nadd.ftz.f32 %f9, %f5, %f2;",
        // The product has another use, lies in another block, or is under a guard.
        "mul.f32 %f5, %f0, %f1;\nadd.f32 %f9, %f5, %f2;\nst.global.f32 [%d51], %f5;",
        "mul.f32 %f5, %f0, %f1;\nsetp.lt.f32 %p1, %f3, %f2;\n@%p1 bra E;\nadd.f32 %f9, %f5, %f2;\nE:",
        "setp.gt.f32 %p1, %f3, %f2;\n@%p1 mul.f32 %f5, %f0, %f1;\nadd.f32 %f9, %f5, %f2;",
        // A guarded load lies between.
        "setp.gt.f32 %p1, %f3, %f2;\nmul.f32 %f5, %f0, %f1;\n@%p1 ld.global.f32 %f6, [%d50];\nadd.f32 %f9, %f5, %f2;"})
    EXPECT_EQ(ran(body, 0), kApart) << body;
}

TEST(Contraction, OfTwoProductsTheFirst) {
  // (1 + 2^-12)^2 + 3 * 3 in both orders. The product that is not contracted is rounded.
  const std::string products = "mul.f32 %f5, %f0, %f1;\nmul.f32 %f6, %f2, %f3;\n";
  EXPECT_EQ(ran(products + "sub.f32 %f9, %f5, %f6;", 1), std::fma(kOdd, kOdd, 3.0f));
  EXPECT_EQ(ran("mul.f32 %f6, %f0, %f0;\nmul.f32 %f5, %f0, %f1;\nsub.f32 %f9, %f5, %f6;", 1),
            std::fma(kOdd, kOdd, -kSquare));
  // ptxas contracts the second product if the first has other uses.
  EXPECT_EQ(
      ran("mul.f32 %f6, %f0, %f0;\nmul.f32 %f5, %f0, %f1;\nsub.f32 %f9, %f6, %f5;\nst.global.f32 [%d51], %f6;", 1),
      std::fma(-kOdd, kOdd, kSquare));
  // Each sum that uses a product is contracted with it.
  EXPECT_EQ(ran("mul.f32 %f5, %f0, %f1;\nadd.f32 %f6, %f5, %f2;\nadd.f32 %f7, %f5, %f2;\nadd.rn.f32 %f9, %f6, %f7;", 2),
            2 * kFused);
}

TEST(Contraction, OfQuotientsByConstants) {
  // ptxas makes of 3 / 77 a product with the float nearest to 1 / 77, which may be contracted. Other divisions are not.
  const float inverse = 1 / 77.0f, three = 3;
  EXPECT_EQ(ran("div.full.f32 %f9, %f3, 0f429A0000;", 0), three * inverse);
  EXPECT_EQ(ran("mov.b32 %f5, 0f429A0000;\ndiv.full.ftz.f32 %f9, %f3, %f5;", 0), three * inverse);
  EXPECT_EQ(ran("mov.f32 %f6, 0f429A0000;\ndiv.full.f32 %f5, %f3, %f6;\nadd.f32 %f9, %f5, %f2;", 1),
            std::fma(three, inverse, -1.0f));
  // Any other division ends in a product with the reciprocal, which may be contracted as well.
  EXPECT_EQ(ran("div.full.f32 %f5, %f0, %f4;\nadd.f32 %f9, %f5, %f2;", 1), std::fma(1 / three, kOdd, -1.0f));
  EXPECT_EQ(ran("div.approx.ftz.f32 %f5, %f0, %f4;\nsub.ftz.f32 %f9, %f2, %f5;", 1), std::fma(-1 / three, kOdd, -1.0f));
  EXPECT_EQ(ran("div.full.f32 %f5, %f0, %f4;\nadd.f32 %f9, %f5, %f2;\nst.global.f32 [%d51], %f5;", 0),
            1 / three * kOdd - 1);
}

TEST(Contraction, OfDoublesAndHalves) {
  Kernel kernel;
  kernel.threads = 1;
  kernel.body = R"(
    ld.global.f64 %g0, [%d50];
    mul.f64 %g1, %g0, %g0;
    sub.f64 %g2, %g1, 0d3FF0000000000000;
    st.global.f64 [%d51], %g2;
    mov.b32 %r1, 0x3C033C03;   // 1 + 3 * 2^-10, twice
    mov.b32 %r2, 0xBC00BC00;
    mul.f16x2 %r3, %r1, %r1;
    add.f16x2 %r4, %r3, %r2;
    st.global.u32 [%d51+8], %r4;
    mov.b16 %h1, 0x3F83;       // 1 + 3 * 2^-7
    mov.b16 %h2, 0x3F80;
    mul.bf16 %h3, %h1, %h1;
    sub.bf16 %h4, %h2, %h3;
    cvt.u32.u16 %r5, %h4;
    st.global.u32 [%d51+12], %r5;
    ret;)";
  double odd = 1 + 0x1p-30, sum = std::fma(odd, odd, -1.0);
  uint64_t bits = std::bit_cast<uint64_t>(odd), expected = std::bit_cast<uint64_t>(sum);
  auto result =
      run(kernel, {u32Array({static_cast<uint32_t>(bits), static_cast<uint32_t>(bits >> 32)}), u32Array({0, 0, 0, 0})});
  ASSERT_TRUE(result) << errorText(result.error());
  std::vector<uint32_t> out = words(result->outputs[1]);
  EXPECT_EQ(out[0], static_cast<uint32_t>(expected));
  EXPECT_EQ(out[1], static_cast<uint32_t>(expected >> 32));
  EXPECT_EQ(out[2], 0x1E021E02u); // 6 * 2^-10 + 9 * 2^-20
  EXPECT_EQ(out[3], 0xBD42u);     // -(6 * 2^-7 + 9 * 2^-14)
}

} // namespace
} // namespace lanescope::core::test
