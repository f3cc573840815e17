// Writes of bytes that are there already. They do not race with accesses that read or rewrite the same bytes, in any
// order. A write of other bytes races with them unless it comes after both.
#include "tests/unit/emulator/EmulatorSupport.h"

namespace lanescope::core::test {
namespace {

/// The kinds of the findings for a block of four warps. %r50: thread; %r49: warp; %r41: shared memory; %p0 to %p3:
/// warps 0 to 3; %p9: the warp's first thread. Buffer 0 holds 5s.
std::string told(const std::string &body, uint64_t seed = 0, uint32_t blocks = 1, uint32_t cluster = 1) {
  Kernel kernel;
  kernel.threads = 128;
  kernel.blocks = blocks;
  kernel.cluster = {cluster, 1, 1};
  kernel.dynamicSmem = 4096;
  kernel.declarations = ".extern .shared .align 128 .b8 smem[];";
  kernel.body = "mov.u32 %r50, %tid.x;\nshr.u32 %r49, %r50, 5;\nand.b32 %r48, %r50, 31;\nmov.u32 %r41, smem;\n"
                "mad.lo.u32 %r42, %r48, 4, %r41;\nmul.wide.u32 %d40, %r48, 4;\nadd.s64 %d41, %d50, %d40;\n"
                "add.s64 %d42, %d51, %d40;\nmov.b32 %r1, 0;\nmov.u32 %r47, %ctaid.x;\n";
  for (int n = 0; n < 4; ++n)
    kernel.body += "setp.eq.u32 %p" + std::to_string(n) + ", %r49, " + std::to_string(n) + ";\n";
  kernel.body += "setp.eq.u32 %p9, %r50, 0;\n" + body + "\nret;";
  EmulatorOptions options;
  options.seed = seed;
  auto result = run(kernel, {u32Array(std::vector<uint32_t>(256, 5)), u32Array(std::vector<uint32_t>(256))}, options);
  if (!result)
    return errorText(result.error());
  std::string kinds;
  for (const Diagnostic &finding : result->diagnostics)
    if (finding.severity == Severity::Error)
      kinds += finding.kind + " ";
  return kinds;
}

void expectTold(const std::string &body, const std::string &kinds) {
  for (uint64_t seed = 0; seed < 4; ++seed)
    EXPECT_EQ(told(body, seed), kinds) << body << "\nseed " << seed;
}

/// Warp `warp` alone executes `what`, after `sleep` thousand nanoseconds.
std::string warpDoes(int warp, int sleep, const std::string &what) {
  std::string label = "W" + std::to_string(warp) + "_" + std::to_string(sleep);
  return "@!%p" + std::to_string(warp) + " bra " + label + ";\n" +
         (sleep ? "nanosleep.u32 " + std::to_string(sleep * 1000) + ";\n" : "") + what + label + ":\n";
}
std::string store(int value) { return "mov.b32 %r2, " + std::to_string(value) + ";\nst.shared.b32 [%r42], %r2;\n"; }
const std::string kRead = "ld.shared.b32 %r1, [%r42];\n";

TEST(SameBytes, OfSharedMemoryMayBeReadBehindOneWrite) {
  for (int other : {7, 8}) {
    const std::string kinds = other == 7 ? "" : "race ";
    // Warp 1's value is 7 as well, or another. Warp 2 has waited for warp 0 or for warp 1.
    for (int waited : {0, 1})
      for (int first : {0, 1}) {
        std::string body;
        for (int warp : {0, 1}) {
          std::string what = store(warp == 0 ? 7 : other);
          if (warp == waited)
            what += "bar.arrive 1, 64;\n";
          body += warpDoes(warp, warp == first ? 0 : 20, what);
        }
        body += warpDoes(2, 0, "bar.sync 1, 64;\nnanosleep.u32 60000;\n" + kRead);
        expectTold(body, kinds);
      }
  }
}

TEST(SameBytes, OfSharedMemoryMayBeWrittenBehindARead) {
  for (int other : {7, 8})
    expectTold(warpDoes(0, 0, store(7) + "bar.arrive 1, 64;\n") + warpDoes(2, 0, "bar.sync 1, 64;\n" + kRead) +
                   warpDoes(1, 40, store(other)),
               other == 7 ? "" : "race ");
}

TEST(SameBytes, OfSharedMemoryOthersComeBehindBothWritesAndTheirReaders) {
  // Warp 3 waits for warp 1's write of the same bytes, but not for warp 0's write, or not for the warp that reads it.
  const std::string body = warpDoes(0, 0, store(7) + "bar.arrive 1, 64;\nbar.arrive 3, 64;\n") +
                           warpDoes(2, 0, "bar.sync 1, 64;\n" + kRead + "READ") +
                           warpDoes(1, 40, store(7) + "bar.arrive 2, 64;\n") +
                           warpDoes(3, 0, "bar.sync 2, 64;\nbar.sync 3, 64;\nBEHIND" + store(9));
  auto with = [&](const std::string &read, const std::string &behind) {
    std::string text = body;
    text.replace(text.find("READ"), 4, read);
    text.replace(text.find("BEHIND"), 6, behind);
    return text;
  };
  expectTold(with("", ""), "race ");
  expectTold(with("bar.arrive 4, 64;\n", "bar.sync 4, 64;\n"), "");
  expectTold(warpDoes(0, 0, store(7)) + warpDoes(1, 40, store(7) + "bar.arrive 2, 64;\n") +
                 warpDoes(3, 0, "bar.sync 2, 64;\n" + store(9)),
             "race ");
}

TEST(SameBytes, ManyWarpsWriteThemAgainAndAgain) {
  expectTold("mov.b32 %r3, 0;\nLOOP:\n" + store(7) + kRead +
                 "add.u32 %r3, %r3, 1;\nsetp.lt.u32 %p5, %r3, 40;\n@%p5 bra LOOP;\n",
             "");
  expectTold("mov.b32 %r3, 0;\nLOOP:\nst.shared.b32 [%r42], %r3;\n" + kRead +
                 "bar.sync 0;\nadd.u32 %r3, %r3, 1;\nsetp.lt.u32 %p5, %r3, 40;\n@%p5 bra LOOP;\n",
             "");
  expectTold("mov.b32 %r3, 0;\nLOOP:\nst.shared.b32 [%r42], %r3;\n" + kRead +
                 "add.u32 %r3, %r3, 1;\nsetp.lt.u32 %p5, %r3, 40;\n@%p5 bra LOOP;\n",
             "race ");
}

TEST(SameBytes, AreComparedStretchByStretch) {
  // All warps access the places of every four lanes in an order in which some places follow the previous ones.
  const std::string places = "shr.u32 %r10, %r48, 2;\nand.b32 %r11, %r48, 3;\nmov.b32 %r12, ORDER;\n"
                             "shl.b32 %r13, %r10, 2;\nshr.u32 %r12, %r12, %r13;\nand.b32 %r12, %r12, 15;\n"
                             "shl.b32 %r12, %r12, 5;\nmad.lo.u32 %r12, %r11, 8, %r12;\ncvt.u64.u32 %d1, %r12;\n"
                             "add.s64 %d1, %d1, %d51;\n";
  for (const char *order : {"0x76543021", "0x67352140", "0x01234567"}) {
    std::string text = places;
    text.replace(text.find("ORDER"), 5, order);
    expectTold(text + "st.global.v2.b32 [%d1], {%r48, %r12};", "");
    expectTold(text + "st.global.v2.b32 [%d1], {%r48, %r49};", "race ");
  }
}

/// Warp 0 of each block goes over eight rows of 128 bytes. All rows have the same history; only the stored values
/// differ.
std::string overRows(const std::string &label, const std::string &what) {
  return "@!%p0 bra END_" + label + ";\nmov.b32 %r3, 0;\n" + label +
         ":\nshl.b32 %r4, %r3, 7;\ncvt.u64.u32 %d1, %r4;\nadd.s64 %d2, %d1, %d41;\nadd.s64 %d1, %d1, %d42;\n" + what +
         "add.u32 %r3, %r3, 1;\nsetp.lt.u32 %p6, %r3, 8;\n@%p6 bra " + label + ";\nEND_" + label + ":\n";
}

TEST(SameBytes, OfRowsAreComparedRowByRow) {
  for (int other = 0; other <= 8; ++other) { // the row to which the blocks store different values; 8: none
    const std::string rows =
        overRows("L", "setp.eq.u32 %p5, %r3, " + std::to_string(other) +
                          ";\nselp.b32 %r5, %r47, 0, %p5;\nadd.u32 %r5, %r5, %r48;\nst.global.b32 [%d1], %r5;\n");
    for (uint32_t blocks : {2u, 5u})
      EXPECT_EQ(told(rows, 0, blocks), other < 8 ? "race " : "") << "row " << other << ", " << blocks << " blocks";
  }
}

TEST(SameBytes, OfRowsThatOtherBlocksReadMayBeStored) {
  for (int other = 0; other <= 8; ++other) {
    const std::string rows =
        overRows("L", "ld.global.b32 %r5, [%d2];\nst.global.b32 [%d1], %r5;\n") + // the array holds 5s
        overRows("M",
                 "setp.eq.u32 %p5, %r3, " + std::to_string(other) +
                     ";\nsetp.eq.and.u32 %p5, %r47, 2, %p5;\nselp.b32 %r5, 6, 5, %p5;\nst.global.b32 [%d2], %r5;\n");
    EXPECT_EQ(told(rows, 0, 4), other < 8 ? "race " : "") << "row " << other;
  }
}

TEST(SameBytes, OfGlobalMemoryAreWhatTheKernelFound) {
  // Blocks write what they have read, one after another; one block may change it, permanently or for a while.
  auto blocks = [&](const std::string &change) {
    const std::string body =
        "nanosleep.u32 1000;\n@%p9 ld.global.b32 %r1, [%d50];\n@%p9 st.global.b32 [%d50], %r1;\n" + change;
    return told(body, 0, 3);
  };
  EXPECT_EQ(blocks(""), "");
  EXPECT_EQ(blocks("setp.eq.u32 %p6, %r47, 0;\nand.pred %p6, %p6, %p9;\n@%p6 st.global.b32 [%d50], 6;\n"), "race ");
  EXPECT_EQ(blocks("setp.eq.u32 %p6, %r47, 0;\nand.pred %p6, %p6, %p9;\n@%p6 st.global.b32 [%d50], 6;\n"
                   "@%p6 st.global.b32 [%d50], 5;\n"),
            "race ");
  EXPECT_EQ(blocks("setp.eq.u32 %p6, %r47, 0;\nand.pred %p6, %p6, %p9;\nmov.b32 %r3, 6;\nLOOP:\n"
                   "@%p6 st.global.b32 [%d50], %r3;\nsub.u32 %r3, %r3, 1;\nsetp.gt.u32 %p7, %r3, 4;\n@%p7 bra LOOP;\n"),
            "race ");
}

TEST(SameBytes, TwoWarpsMayStoreATileWithOneCopyEach) {
  auto kernel = [](const std::string &between, const std::string &second) {
    return "st.shared.b32 [%r42], %r48;\nst.shared.b32 [%r42+128], 3;\nfence.proxy.async.shared::cta;\nbar.sync 0;\n"
           "setp.eq.u32 %p6, %r48, 0;\n@!%p6 bra END;\nsetp.gt.u32 %p7, %r49, 1;\n@%p7 bra END;\n"
           "@%p0 bra STORE;\nnanosleep.u32 300;\n" +
           between + "STORE:\nselp.b32 %r43, " + second +
           ", 0, %p1;\nadd.u32 %r43, %r43, %r41;\n"
           "cp.async.bulk.global.shared::cta.bulk_group [%d51], [%r43], 128;\ncp.async.bulk.commit_group;\n"
           "cp.async.bulk.wait_group 0;\nEND:\n";
  };
  expectTold(kernel("", "0"), "");
  expectTold(kernel("", "128"), "copy-not-awaited ");
}

/// One thread issues two unordered stores to one place, from two tiles that are equal or differ.
TEST(SameBytes, TwoCopiesMayBringThemToOnePlace) {
  auto kernel = [](const std::string &other, const std::string &between) {
    return "mov.b32 %r3, 7;\nst.shared.b32 [%r42], %r3;\nmov.b32 %r3, " + other +
           ";\nst.shared.b32 [%r42+128], %r3;\nfence.proxy.async.shared::cta;\nbar.sync 0;\n"
           "add.u32 %r43, %r41, 128;\n"
           "@%p9 cp.async.bulk.global.shared::cta.bulk_group [%d51], [%r41], 128;\n@%p9 cp.async.bulk.commit_group;\n" +
           between +
           "@%p9 cp.async.bulk.global.shared::cta.bulk_group [%d51], [%r43], 128;\n@%p9 cp.async.bulk.commit_group;\n"
           "@%p9 cp.async.bulk.wait_group 0;\n";
  };
  const std::string read = "@%p9 cp.async.bulk.wait_group.read 0;\n";
  expectTold(kernel("7", ""), "");
  expectTold(kernel("7", read), "");
  expectTold(kernel("8", ""), "copy-not-awaited ");
}

TEST(SameBytes, CopiesOfNoneGoAnywhere) {
  expectTold("mov.b32 %r3, 0;\n@%p9 cp.async.bulk.global.shared::cta.bulk_group [%d51+4096], [%r41], %r3;\n"
             "@%p9 cp.async.bulk.commit_group;\n@%p9 cp.async.bulk.wait_group 0;\n",
             "");
  expectTold("mov.b32 %r3, 16;\n@%p9 cp.async.bulk.global.shared::cta.bulk_group [%d51+4096], [%r41], %r3;\n"
             "@%p9 cp.async.bulk.commit_group;\n@%p9 cp.async.bulk.wait_group 0;\n",
             "global-out-of-bounds ");
}

TEST(SameBytes, OfAnLdmatrixThatNobodyUsesAreOfNoMatter) {
  // As in Mosaic GPU before its stores by stmatrix; other warps write other bytes there.
  const std::string read = "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r20}, [%r42];\n",
                    write = "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r42], {%r21};\n";
  const std::string all = "and.b32 %r10, %r48, 7;\nmad.lo.u32 %r42, %r10, 16, %r41;\n";
  for (int sleep : {0, 30}) {
    const std::string body =
        all + warpDoes(0, 30 - sleep, read) + warpDoes(1, sleep, "mov.b32 %r21, 0x00010002;\n" + write);
    EXPECT_EQ(told(body), "") << sleep;
    EXPECT_EQ(told(body + "st.global.b32 [%d42], %r20;\n").substr(0, 5), "race ") << sleep;
  }
}

} // namespace
} // namespace lanescope::core::test
