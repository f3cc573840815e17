// Plain loads of shared memory before a loop of `atom.cas`. They are notes if `atom.cas` verifies the loaded value, and
// faults if the value reaches anything else.
#include "tests/unit/emulator/EmulatorSupport.h"

namespace lanescope::core::test {
namespace {

/// Two warps. %r2 is the address of a word of shared memory, which is 0; %r8 is the thread's number plus 1. %r9 is
/// stored at the end.
std::string told(const std::string &body, bool all = true) {
  std::string out;
  for (uint64_t seed : {0, 1}) {
    Kernel kernel;
    kernel.threads = 64;
    kernel.declarations = ".shared .align 16 .b8 smem[64];";
    kernel.body = "mov.u32 %r0, %tid.x;\nmov.u32 %r2, smem;\nadd.u32 %r8, %r0, 1;\nmov.u32 %r9, 0;\n"
                  "mul.wide.u32 %d1, %r0, 4;\nadd.s64 %d1, %d51, %d1;\nsetp.eq.u32 %p4, %r0, 0;\n"
                  "@%p4 st.shared.v4.u32 [%r2], {0, 0, 0, 0};\nbar.sync 0;\n" +
                  body + "\nbar.sync 0;\nst.global.u32 [%d1], %r9;\nret;";
    EmulatorOptions options;
    options.seed = seed;
    auto result = run(kernel, {u32Array({0}), u32Array(std::vector<uint32_t>(64))}, options);
    Diagnostics found = result ? result->diagnostics : result.error();
    std::string one;
    for (const Diagnostic &finding : found)
      if (one.empty() || finding.severity == Severity::Error)
        one = (finding.severity == Severity::Error  ? "fault "
               : finding.severity == Severity::Note ? "note "
                                                    : "hazard ") +
              finding.kind;
    EXPECT_TRUE(out.empty() || out == one || !all) << body << errorText(found);
    out = out.starts_with("fault") ? out : one;
  }
  return out;
}

constexpr const char *kNote = "note racing-read", *kFault = "fault race";
const std::string kLoad = "ld.shared.u32 %r5, [%r2];\n";

/// A loop in which `step` computes the new value in %r6 from the guess in %r5.
std::string loopOf(const std::string &step, const std::string &asks = "setp.ne.u32 %p5, %r7, %r5;\n") {
  return "TRY:\n" + step + "atom.shared.cas.b32 %r7, [%r2], %r5, %r6;\n" + asks + "mov.u32 %r5, %r7;\n@%p5 bra TRY;\n";
}

TEST(Guess, WhatAtomCasVerifiesIsANote) {
  EXPECT_EQ(told(kLoad + loopOf("add.u32 %r6, %r5, %r8;\n")), kNote);
  EXPECT_EQ(told(kLoad + loopOf("max.u32 %r6, %r5, %r8;\n", "setp.eq.u32 %p5, %r5, %r7;\nnot.pred %p5, %p5;\n")),
            kNote);
  // The word holds a float, or the value is half of the word.
  EXPECT_EQ(
      told(kLoad + loopOf("mov.b32 %f1, %r5;\ncvt.rn.f32.u32 %f2, %r8;\nmax.f32 %f1, %f1, %f2;\nmov.b32 %r6, %f1;\n")),
      kNote);
  EXPECT_EQ(told(kLoad + loopOf("mov.b32 {%h1, %h2}, %r5;\nadd.u16 %h1, %h1, 1;\nmov.b32 %r6, {%h1, %h2};\n")), kNote);
  // The expected value is moved first; the address is generic; the value has 64 bits.
  EXPECT_EQ(told(kLoad +
                 "TRY: mov.u32 %r10, %r5;\nadd.u32 %r6, %r10, %r8;\natom.shared.cas.b32 %r5, [%r2], %r10, %r6;\n"
                 "setp.ne.u32 %p5, %r5, %r10;\n@%p5 bra TRY;\n"),
            kNote);
  EXPECT_EQ(told("cvt.u64.u32 %d3, %r2;\ncvta.shared.u64 %d3, %d3;\nld.u32 %r5, [%d3];\n"
                 "TRY: add.u32 %r6, %r5, %r8;\natom.cas.b32 %r7, [%d3], %r5, %r6;\nsetp.ne.u32 %p5, %r7, %r5;\n"
                 "mov.u32 %r5, %r7;\n@%p5 bra TRY;\n"),
            kNote);
  EXPECT_EQ(told("ld.shared.u64 %d5, [%r2+8];\nTRY: add.u64 %d6, %d5, 1;\natom.shared.cas.b64 %d7, [%r2+8], %d5, %d6;\n"
                 "setp.ne.u64 %p5, %d7, %d5;\nmov.u64 %d5, %d7;\n@%p5 bra TRY;\n"),
            kNote);
  // The result of `atom.cas` may be used anywhere.
  EXPECT_EQ(told(kLoad + loopOf("add.u32 %r6, %r5, %r8;\n") + "mov.u32 %r9, %r7;\nmin.u32 %r9, %r9, 0;\n"), kNote);
  // The lanes of one warp run in step.
  EXPECT_EQ(told("setp.gt.u32 %p6, %r0, 31;\n@%p6 bra END;\n" + kLoad + loopOf("add.u32 %r6, %r5, %r8;\n") + kLoad +
                 "TRY2: add.u32 %r6, %r5, 1;\natom.shared.cas.b32 %r7, [%r2], %r5, %r6;\n"
                 "setp.ne.u32 %p5, %r7, %r5;\nmov.u32 %r5, %r7;\n@%p5 bra TRY2;\nEND:"),
            kNote);
}

TEST(Guess, WhatGetsAnywhereElseIsAFault) {
  const std::string add = loopOf("add.u32 %r6, %r5, %r8;\n");
  // The value reaches a result, a branch, an address, memory or another lane.
  EXPECT_EQ(told(kLoad + "mov.u32 %r9, %r5;\n" + add), kFault);
  EXPECT_EQ(told(kLoad + "setp.gt.u32 %p6, %r5, 5;\n@%p6 bra END;\n" + add + "END:"), kFault);
  EXPECT_EQ(told(kLoad + "and.b32 %r10, %r5, 4;\nadd.u32 %r10, %r10, %r2;\nld.shared.u32 %r11, [%r10+4];\n" + add),
            kFault);
  EXPECT_EQ(told(kLoad + "shl.b32 %r10, %r0, 2;\n@%p4 st.shared.u32 [%r2+4], %r5;\n" + add), kFault);
  EXPECT_EQ(told(kLoad + "shfl.sync.idx.b32 %r9, %r5, 0, 31, -1;\n" + add), kFault);
  EXPECT_EQ(told(kLoad + "setp.gt.u32 %p6, %r5, 5;\n@%p6 add.u32 %r9, %r9, 1;\n" + add), kFault);
  // `atom.cas` compares with another value, at another place, or with a value computed from the loaded one.
  EXPECT_EQ(told(kLoad + "add.u32 %r6, %r5, 1;\natom.shared.cas.b32 %r7, [%r2], 0, %r6;\n"), kFault);
  EXPECT_EQ(told(kLoad + "add.u32 %r6, %r5, 1;\nadd.u32 %r10, %r5, 0;\natom.shared.cas.b32 %r7, [%r2], %r10, %r6;\n"),
            kFault);
  EXPECT_EQ(told(kLoad + "add.u32 %r6, %r5, 1;\natom.shared.cas.b32 %r7, [%r2+4], %r5, %r6;\n"
                         "atom.shared.add.u32 %r7, [%r2], 1;\n"),
            kFault);
  // Another instruction writes the compared register.
  EXPECT_EQ(told(kLoad + "@%p4 mov.u32 %r5, 7;\n" + add), kFault);
  // The branch depends on more than whether memory held the value.
  EXPECT_EQ(told(kLoad + loopOf("add.u32 %r6, %r5, %r8;\n", "setp.lt.u32 %p5, %r7, %r5;\n")), kFault);
}

TEST(Guess, AsInGlobalMemory) {
  Kernel kernel;
  kernel.threads = 64;
  kernel.body = "mov.u32 %r0, %tid.x;\nadd.u32 %r8, %r0, 1;\nld.global.u32 %r5, [%d50];\nTRY: add.u32 %r6, %r5, %r8;\n"
                "atom.global.cas.b32 %r7, [%d50], %r5, %r6;\nsetp.ne.u32 %p5, %r7, %r5;\nmov.u32 %r5, %r7;\n"
                "@%p5 bra TRY;\nret;";
  auto result = run(kernel, {u32Array({0}), u32Array({0})});
  ASSERT_TRUE(result) << errorText(result.error());
  ASSERT_FALSE(result->diagnostics.empty());
  for (const Diagnostic &finding : result->diagnostics) {
    EXPECT_EQ(finding.severity, Severity::Note);
    EXPECT_EQ(finding.kind, "racing-read");
  }
}

} // namespace
} // namespace lanescope::core::test
