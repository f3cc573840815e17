// Atomics whose results are unused, and what happens if a block performs them late.
#include "core/gpu/emulator/replay/LateAtomics.h"
#include "core/gpu/emulator/PreparedRun.h"
#include "core/gpu/emulator/replay/StorePairs.h"
#include "core/gpu/emulator/replay/UnusedResults.h"
#include "layouts/support/Text.h"
#include "tests/unit/emulator/SingleThreads.h"

#include <string>
#include <vector>

namespace lanescope::core::test {
namespace {

using namespace emulator;

const std::string kAdd = "atom.global.add.u32 %r1, [%d50], 5;\n", kRed = "red.global.add.u32 [%d50], 5;\n",
                  kCount = "atom.global.add.u32 %r2, [%d50+4], 1;\n", kFence = "fence.acq_rel.gpu;\n",
                  kLast = "setp.ne.u32 %p1, %r2, 3;\n@%p1 ret;\n", kVolatile = "ld.volatile.global.u32 %r3, [%d50];\n",
                  kAtomic = "atom.global.or.b32 %r3, [%d50], 0;\n", kPlain = "ld.global.u32 %r3, [%d50];\n",
                  kStore = "st.global.u32 [%d50+8], %r3;\nret;\n";

std::string faultOf(const std::string &body, uint32_t blocks = 4) {
  return firstFinding(body, blocks, Severity::Error);
}

TEST(UnusedResults, AreThoseOfRedAndOfRegistersThatNothingReads) {
  auto unused = [](const std::string &body) {
    Kernel kernel = blocksOf(body + "st.global.u32 [%d50+8], %r2;\nret;\n");
    std::vector<Array> arrays{u32Array(std::vector<uint32_t>(4))};
    EmulatorOptions options;
    auto made = PreparedRun::of(Source::make("k.ptx", kernel.ptx()), launchOf(kernel, arrays), options);
    EXPECT_TRUE(made);
    return made ? std::ranges::count(atomicsWithUnusedResults((*made)->program), true) : -1;
  };
  EXPECT_EQ(unused(kRed), 1);
  EXPECT_EQ(unused(kAdd), 1);
  EXPECT_EQ(unused(kCount), 0) << "the store reads %r2";
  EXPECT_EQ(unused("st.global.u32 [%d50], 1;\n"), 0) << "it is no atomic";
  EXPECT_EQ(unused("atom.shared.add.u32 %r1, [%r9], 1;\n"), 0) << "no other block sees shared memory";
}

TEST(LateAtomics, TheLastBlockMissesAPartOfTheSum) {
  for (const std::string &add : {kAdd, kRed})
    for (const std::string &read : {kVolatile, kAtomic}) {
      EXPECT_EQ(faultOf(add + kCount + kLast + read + kStore), text("race: `", add.substr(0, add.find(' ')), "`"))
          << add << read;
      EXPECT_EQ(faultOf(add + kCount + kFence + kLast + kFence + read + kStore).substr(0, 4), "race") << add << read;
    }
}

TEST(LateAtomics, AFenceOrAReleaseKeepsTheOrder) {
  for (const std::string &read : {kVolatile, kAtomic, kPlain}) {
    EXPECT_EQ(faultOf(kAdd + kFence + kCount + kFence + kLast + read + kStore), "") << read;
    EXPECT_EQ(faultOf(kAdd + "atom.acq_rel.gpu.global.add.u32 %r2, [%d50+4], 1;\n" + kLast + read + kStore), "")
        << read;
  }
}

TEST(LateAtomics, AnAtomicWhoseResultIsUsedIsNotLate) {
  // The count depends on the result of the first atomic. But nothing orders the additions before the load.
  EXPECT_EQ(faultOf("atom.global.add.u32 %r1, [%d50], 5;\nshr.u32 %r1, %r1, 31;\nadd.u32 %r1, %r1, 1;\n"
                    "atom.global.add.u32 %r2, [%d50+4], %r1;\n" +
                    kLast + kVolatile + kStore),
            "race: `ld.volatile.global.u32`");
}

TEST(LateAtomics, NobodyReadsThePlace) { EXPECT_EQ(faultOf(kRed + kCount + kLast + "mov.u32 %r3, 7;\n" + kStore), ""); }

TEST(LateAtomics, RelaxedAccessesOrderTheWarpsOfABlock) {
  // Warp 0 of each block adds to the block's sum and sets the block's flag, for which warp 1 polls.
  Kernel kernel = blocksOf("mov.u32 %r4, %ctaid.x;\nmul.wide.u32 %d1, %r4, 12;\nadd.s64 %d1, %d1, %d50;\n"
                           "mov.u32 %r5, %tid.x;\nsetp.eq.u32 %p1, %r5, 0;\nsetp.ne.u32 %p2, %r5, 32;\n"
                           "@%p1 red.global.add.u32 [%d1], 5;\n@%p1 atom.global.add.u32 %r6, [%d1+4], 1;\n@%p2 ret;\n"
                           "L: ld.volatile.global.u32 %r6, [%d1+4];\nsetp.eq.u32 %p3, %r6, 0;\n@%p3 bra L;\n"
                           "ld.volatile.global.u32 %r3, [%d1];\nst.global.u32 [%d1+8], %r3;\nret;\n",
                           2);
  kernel.threads = 64;
  auto result = run(kernel, {u32Array(std::vector<uint32_t>(6))});
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->diagnostics.empty()) << errorText(result->diagnostics);
}

TEST(LateAtomics, ArePerformedInTheEnd) {
  // Two blocks signal each other and wait for each other.
  const std::string other = "mov.u32 %r4, %ctaid.x;\nxor.b32 %r5, %r4, 1;\nmul.wide.u32 %d1, %r5, 4;\n"
                            "add.s64 %d1, %d1, %d50;\nmul.wide.u32 %d2, %r4, 4;\nadd.s64 %d2, %d2, %d50;\n";
  EXPECT_EQ(faultOf(other + "red.release.gpu.global.add.u32 [%d1], 1;\n"
                            "L: atom.acquire.gpu.global.cas.b32 %r6, [%d2], 1, 2;\nsetp.ne.u32 %p1, %r6, 1;\n"
                            "@%p1 bra L;\nret;\n",
                    2),
            "");
}

TEST(LateAtomics, ResultsThatAnyOrderGives) {
  // The reader has all parts of the sum already: it polls until they are there.
  EXPECT_EQ(faultOf(kRed + kCount + kLast +
                    "L: ld.volatile.global.u32 %r3, [%d50];\nsetp.ne.u32 %p2, %r3, 20;\n@%p2 bra L;\n" + kStore),
            "");
}

} // namespace
} // namespace lanescope::core::test
