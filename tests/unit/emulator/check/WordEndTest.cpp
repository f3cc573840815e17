// Words of which an array contains only the first bytes. Atomic operations on bytes and halves use such words
// (`atom.cas.b32`).
#include "tests/unit/emulator/EmulatorSupport.h"

namespace lanescope::core::test {
namespace {

/// One thread, and an array of the six bytes 0 to 5. The value in %r1 at the end is stored.
RunResult ran(const std::string &body, bool strict = false) {
  Kernel kernel;
  kernel.threads = 1;
  kernel.body = body + "st.global.u32 [%d51], %r1;\nret;";
  Array bytes = Array::zeros(Dtype::U8, {6});
  for (size_t n = 0; n < 6; ++n)
    bytes.bytes[n] = std::byte(n);
  EmulatorOptions options;
  options.strict = strict;
  auto result = run(kernel, {bytes, u32Array({0})}, options);
  EXPECT_TRUE(result) << errorText(result.error());
  return result ? *result : RunResult{};
}

/// Adds 10 to byte 5, as XLA does.
constexpr char kAdd[] = "ld.global.b32 %r2, [%d50+4];\nAGAIN: add.u32 %r3, %r2, 2560;\n"
                        "atom.relaxed.gpu.global.cas.b32 %r4, [%d50+4], %r2, %r3;\nsetp.ne.u32 %p1, %r4, %r2;\n"
                        "mov.u32 %r2, %r4;\n@%p1 bra AGAIN;\nshr.u32 %r1, %r4, 8;\nand.b32 %r1, %r1, 255;\n";

TEST(WordEnd, IsAHazardWhoseRestIsNobodys) {
  RunResult result = ran(kAdd);
  ASSERT_EQ(result.diagnostics.size(), 2u) << errorText(result.diagnostics);
  for (const Diagnostic &found : result.diagnostics) {
    EXPECT_EQ(found.kind, "word-end");
    EXPECT_EQ(found.severity, Severity::Warning);
  }
  EXPECT_TRUE(mentions(result.diagnostics, "no result depends on what it holds"));
  EXPECT_EQ(result.outputs[0].bytes.size(), 6u);
  EXPECT_EQ(result.outputs[0].bytes[5], std::byte{15});
  EXPECT_EQ(words(result.outputs[1])[0], 5u);
  EXPECT_TRUE(hasErrors(ran(kAdd, true).diagnostics));
}

TEST(WordEnd, IsAFaultWhereAResultIsOfTheRest) {
  RunResult result = ran("ld.global.u32 %r1, [%d50+4];\n");
  ASSERT_TRUE(hasErrors(result.diagnostics));
  EXPECT_EQ(result.diagnostics[0].kind, "word-end");
  EXPECT_TRUE(mentions(result.diagnostics, "results depend on what it holds"));
}

TEST(WordEnd, OthersAreOutOfBounds) {
  for (const char *body : {"mov.u32 %r1, 0;\nst.global.u32 [%d50+4], %r1;\n", "ld.global.u32 %r1, [%d50+8];\n",
                           "ld.global.v2.u16 {%h1, %h2}, [%d50+4];\nld.global.v2.u32 {%r2, %r1}, [%d50];\n",
                           "atom.global.add.u32 %r1, [%d50+4], 1;\n"}) {
    RunResult result = ran(body);
    ASSERT_TRUE(hasErrors(result.diagnostics)) << body;
    EXPECT_EQ(result.diagnostics[0].kind, "global-out-of-bounds") << body;
  }
}

} // namespace
} // namespace lanescope::core::test
