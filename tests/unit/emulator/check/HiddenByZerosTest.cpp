// Unordered writes of equal bytes that are equal because an array holds zeros.
#include "tests/unit/emulator/EmulatorSupport.h"

#include <string>
#include <vector>

namespace lanescope::core::test {
namespace {

/// Two blocks of two warps each. %d1: the place of the block's number in buffer 0, %d2: that of the warp's.
Kernel kernelOf(const std::string &body) {
  Kernel kernel;
  kernel.threads = 64;
  kernel.blocks = 2;
  kernel.declarations = ".shared .align 4 .b32 word;";
  kernel.body = "mov.u32 %r0, %tid.x;\nshr.u32 %r1, %r0, 5;\nmov.u32 %r2, %ctaid.x;\nmul.wide.u32 %d1, %r2, 4;\n"
                "add.s64 %d1, %d1, %d50;\nmul.wide.u32 %d2, %r1, 4;\nadd.s64 %d2, %d2, %d50;\n" +
                body + "ret;\n";
  return kernel;
}

Diagnostics findings(const std::string &body, uint32_t number, const char *out = "") {
  std::vector<Array> arrays{u32Array({number, number}), u32Array({7, 7})};
  Kernel kernel = kernelOf(body);
  Launch launch = launchOf(kernel, arrays);
  std::get<BufferParam>(launch.params[0]).buffer.out = out;
  auto result = emulate(Source::make("k.ptx", kernel.ptx()), launch, arrays, {});
  return result ? result->diagnostics : result.error();
}

const std::string kBlocks = "ld.global.u32 %r3, [%d1];\nst.global.u32 [%d51], %r3;\n",
                  kWarps = "ld.global.u32 %r3, [%d2];\nst.shared.u32 [word], %r3;\n",
                  kSame = "ld.global.u32 %r3, [%d50];\nst.global.u32 [%d51], %r3;\n";

TEST(HiddenByZeros, ARaceOfBlocksOrWarpsIsNoted) {
  for (const std::string &body : {kBlocks, kWarps}) {
    Diagnostics found = findings(body, 0);
    ASSERT_EQ(found.size(), 1u) << body << errorText(found);
    EXPECT_EQ(found[0].kind, "equal-write");
    EXPECT_EQ(found[0].severity, Severity::Note);
    EXPECT_TRUE(mentions(found, "buffer 0 holds only zeros")) << errorText(found);
    EXPECT_TRUE(mentions(found, "--strict-rule equal-write")) << errorText(found);
  }
}

TEST(HiddenByZeros, EqualWritesOfOtherNumbersAreNot) {
  EXPECT_TRUE(findings(kBlocks, 3).empty());
  EXPECT_TRUE(findings(kWarps, 3).empty());
}

TEST(HiddenByZeros, ValuesThatAreEqualWithAnyNumbersAreNot) { EXPECT_TRUE(findings(kSame, 0).empty()); }

TEST(HiddenByZeros, OutputsKeepTheirZeros) { EXPECT_TRUE(findings(kBlocks, 0, "x.npy").empty()); }

} // namespace
} // namespace lanescope::core::test
