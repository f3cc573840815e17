// Accesses of global memory by two lanes of one warp: what orders them, and what is reported if nothing does.
// LaneOrderTest.cpp covers shared memory.
#include "tests/unit/emulator/EmulatorSupport.h"

namespace lanescope::core::test {
namespace {

/// [%d1] is the thread's word of the first array, [%d2] the word of lane 31 - its own, [%d0] the first word. %p1: lane
/// 0; %p2: lanes 0 to 15; %p3: warp 0 of the block; %p6: block 0. The flag [%d52] is 0, and shared memory has an
/// mbarrier for one arrival. %r9 is stored at the end.
Kernel kernelOf(const std::string &body, uint32_t threads, uint32_t blocks) {
  Kernel kernel;
  kernel.threads = threads;
  kernel.blocks = blocks;
  kernel.params = 3;
  kernel.declarations = ".shared .align 8 .b64 bar;";
  kernel.body = "mov.u32 %r0, %tid.x;\nmov.u32 %r1, %laneid;\nmov.u32 %r2, %ctaid.x;\nmov.u64 %d0, %d50;\n"
                "mul.wide.u32 %d1, %r0, 4;\nadd.s64 %d1, %d50, %d1;\nsub.u32 %r4, 31, %r1;\n"
                "mul.wide.u32 %d2, %r4, 4;\nadd.s64 %d2, %d50, %d2;\nmov.u32 %r9, 0;\nadd.u32 %r8, %r0, 1;\n"
                "mad.lo.u32 %r3, %r2, " +
                std::to_string(threads) +
                ", %r0;\nmul.wide.u32 %d3, %r3, 4;\nadd.s64 %d3, %d51, %d3;\n"
                "setp.eq.u32 %p1, %r1, 0;\nsetp.lt.u32 %p2, %r1, 16;\nsetp.lt.u32 %p3, %r0, 32;\n"
                "setp.eq.u32 %p4, %r0, 0;\nsetp.eq.u32 %p6, %r2, 0;\n@%p4 mbarrier.init.shared.b64 [bar], 1;\n"
                "bar.sync 0;\n" +
                body + "\nEND: st.global.u32 [%d3], %r9;\nret;";
  return kernel;
}

/// Returns the first fault or hazard, such as "hazard warp-synchronous" or "fault race", or "".
std::string told(const std::string &body, uint32_t threads = 32, uint32_t blocks = 1, std::string *all = nullptr) {
  std::string out;
  for (uint64_t seed : {0, 1}) {
    EmulatorOptions options;
    options.seed = seed;
    auto result =
        run(kernelOf(body, threads, blocks),
            {u32Array(std::vector<uint32_t>(1024)), u32Array(std::vector<uint32_t>(256)), u32Array({0})}, options);
    Diagnostics found = result ? result->diagnostics : result.error();
    if (all)
      *all = errorText(found);
    std::erase_if(found, [](const Diagnostic &one) { return one.severity == Severity::Note; });
    std::string one =
        found.empty() ? "" : (found[0].severity == Severity::Error ? "fault " : "hazard ") + found[0].kind;
    if (seed == 0)
      out = one;
    else
      EXPECT_EQ(one, out) << body << errorText(found);
  }
  return out;
}

constexpr const char *kHazard = "hazard warp-synchronous", *kFault = "fault race";
const std::string kOwn = "st.global.u32 [%d1], %r8;\n", kOther = "ld.global.u32 %r9, [%d2];\n";

TEST(GlobalLaneOrder, ABarrierOfTheWarpOrders) {
  for (const char *between : {"bar.warp.sync -1;", "bar.sync 0;", "barrier.sync 1;",
                              "@%p2 bra A;\nbar.warp.sync -1;\nbra B;\nA: bar.warp.sync -1;\nB:"})
    EXPECT_EQ(told(kOwn + between + "\n" + kOther), "") << between;
}

TEST(GlobalLaneOrder, NothingElseDoes) {
  std::string all;
  EXPECT_EQ(told(kOwn + kOther, 32, 1, &all), kHazard);
  EXPECT_TRUE(all.contains("of this warp writes without an order between them")) << all;
  EXPECT_TRUE(all.contains("the missing barrier: `bar.warp.sync`")) << all;
  for (const char *between : {"shfl.sync.idx.b32 %r5, %r8, 0, 31, -1;", "vote.sync.any.pred %p5, %p1, -1;",
                              "vote.sync.ballot.b32 %r5, %p1, -1;", "shfl.sync.bfly.b32 %r5, %r8, 16, 31, -1;",
                              "match.any.sync.b32 %r5, %r8, -1;", "redux.sync.add.u32 %r5, %r8, -1;"}) {
    EXPECT_EQ(told(kOwn + between + "\n" + kOther, 32, 1, &all), kHazard) << between;
    EXPECT_TRUE(all.contains("waits for the lanes and orders no memory")) << all;
  }
  // A write after a read, and a write after a write.
  EXPECT_EQ(told(kOther + kOwn), kHazard);
  EXPECT_EQ(told("st.global.u32 [%d2], %r8;\n" + kOwn), kHazard);
  // Any lane's read counts, not only the last one.
  EXPECT_EQ(told(kOther + "ld.global.u32 %r5, [%d1];\n" + kOwn), kHazard);
  EXPECT_EQ(told("ld.global.u32 %r5, [%d1];\n" + kOther + kOwn), kHazard);
}

TEST(GlobalLaneOrder, WhateverTheFormOfTheAccesses) {
  // Wide stores and loads of single words, by one lane and by all lanes.
  EXPECT_EQ(told("mul.wide.u32 %d4, %r1, 16;\nadd.s64 %d4, %d50, %d4;\nst.global.v4.u32 [%d4], {%r8, %r8, %r8, %r8};\n"
                 "ld.global.u32 %r9, [%d1+256];"),
            kHazard);
  EXPECT_EQ(told("@%p1 st.global.u32 [%d0+40], %r8;\nld.global.u32 %r9, [%d0+40];"), kHazard);
  // Each lane stores at a scattered place, which the next lane reads.
  const std::string scatter = "mul.lo.u32 %r5, %r1, 20;\nand.b32 %r5, %r5, 124;\ncvt.u64.u32 %d4, %r5;\n"
                              "add.s64 %d4, %d50, %d4;\nadd.u32 %r6, %r1, 1;\nmul.lo.u32 %r6, %r6, 20;\n"
                              "and.b32 %r6, %r6, 124;\ncvt.u64.u32 %d5, %r6;\nadd.s64 %d5, %d50, %d5;\n";
  EXPECT_EQ(told(scatter + "st.global.u32 [%d4], %r8;\nld.global.u32 %r9, [%d5];"), kHazard);
  EXPECT_EQ(told(scatter + "ld.global.u32 %r9, [%d4];\nst.global.u32 [%d5], %r8;"), kHazard);
  EXPECT_EQ(told(scatter + "st.global.u32 [%d4], %r8;\nbar.warp.sync -1;\nld.global.u32 %r9, [%d5];"), "");
  EXPECT_EQ(told(scatter + "st.global.u32 [%d4], %r8;\nld.global.u32 %r9, [%d4];\nst.global.u32 [%d4], %r9;"), "");
  // Every four neighbouring lanes have neighbouring places, and the groups lie at unequal distances.
  const std::string turned = "add.u32 %r5, %r1, 16;\nand.b32 %r5, %r5, 31;\nmul.wide.u32 %d4, %r5, 4;\n"
                             "add.s64 %d4, %d50, %d4;\n";
  EXPECT_EQ(told(turned + kOwn + "ld.global.u32 %r9, [%d4];"), kHazard);
  EXPECT_EQ(told(turned + kOwn + "bar.warp.sync -1;\nld.global.u32 %r9, [%d4];"), "");
  // An atomic operation, and a plain load by another lane.
  EXPECT_EQ(told("red.global.add.u32 [%d1], %r8;\n" + kOther), kHazard);
  EXPECT_EQ(told("red.global.add.u32 [%d0], %r8;\nld.global.u32 %r9, [%d0];"), kHazard);
  EXPECT_EQ(told("red.global.add.u32 [%d0], %r8;\nred.global.add.u32 [%d0], %r8;"), "");
}

TEST(GlobalLaneOrder, BytesOfOneWord) {
  const std::string bytes = "cvt.u64.u32 %d4, %r1;\nadd.s64 %d4, %d50, %d4;\ncvt.u64.u32 %d5, %r4;\n"
                            "add.s64 %d5, %d50, %d5;\nst.global.u8 [%d4], %r8;\n";
  EXPECT_EQ(told(bytes + "ld.global.u8 %r9, [%d4];"), "");
  EXPECT_EQ(told(bytes + "st.global.u8 [%d4], %r4;\nld.global.u8 %r9, [%d4];"), "");
  EXPECT_EQ(told(bytes + "ld.global.u8 %r9, [%d5];"), kHazard);
  EXPECT_EQ(told(bytes + "bar.warp.sync -1;\nld.global.u8 %r9, [%d5];"), "");
  // The word that contains one lane's byte; halves and words of another lane's longer access.
  EXPECT_EQ(told(bytes + "and.b64 %d6, %d4, -4;\nld.global.u32 %r9, [%d6];"), kHazard);
  const std::string longs = "mul.wide.u32 %d4, %r1, 8;\nadd.s64 %d4, %d50, %d4;\ncvt.u64.u32 %d6, %r8;\n"
                            "st.global.u64 [%d4], %d6;\n";
  EXPECT_EQ(told(longs + "ld.global.u32 %r9, [%d4+4];\nld.global.u16 %r5, [%d4+2];"), "");
  EXPECT_EQ(told(longs + "ld.global.u32 %r9, [%d1];"), kHazard);
  EXPECT_EQ(told(longs + "ld.global.v4.u32 {%r9, %r5, %r6, %r7}, [%d0];"), kHazard);
}

TEST(GlobalLaneOrder, StrongAccessesOfTwoLanes) {
  // If both sides are strong there is no data race; if only one side is, there is.
  EXPECT_EQ(told("st.volatile.global.u32 [%d1], %r8;\nld.volatile.global.u32 %r9, [%d2];"), "");
  EXPECT_EQ(told("st.relaxed.gpu.global.u32 [%d1], %r8;\nld.relaxed.gpu.global.u32 %r9, [%d2];"), "");
  EXPECT_EQ(told("atom.global.add.u32 %r5, [%d1], %r8;\natom.global.add.u32 %r9, [%d2], 1;"), "");
  EXPECT_EQ(told(kOwn + "ld.volatile.global.u32 %r9, [%d2];"), kHazard);
  EXPECT_EQ(told("st.volatile.global.u32 [%d1], %r8;\n" + kOther), kHazard);
  EXPECT_EQ(told("atom.global.add.u32 %r5, [%d1], %r8;\nbar.warp.sync -1;\n" + kOther), "");
  // A fence orders the accesses of one lane, not those of two lanes.
  EXPECT_EQ(told(kOwn + "fence.acq_rel.gpu;\n" + kOther), kHazard);
}

TEST(GlobalLaneOrder, RoundsOfALoop) {
  // Each lane adds another lane's word to its own. The last of the two barriers separates the round from the next
  // round's writes.
  auto rounds = [](const std::string &first, const std::string &second) {
    return "mov.u32 %r6, 0;\nLOOP:\n" + kOwn + first + kOther + second +
           "add.u32 %r8, %r8, %r9;\nadd.u32 %r6, %r6, 1;\nsetp.lt.u32 %p5, %r6, 3;\n@%p5 bra LOOP;\n";
  };
  const std::string barrier = "bar.warp.sync -1;\n";
  EXPECT_EQ(told(rounds(barrier, barrier)), "");
  EXPECT_EQ(told(rounds(barrier, "")), kHazard);
  EXPECT_EQ(told(rounds("", barrier)), kHazard);
}

TEST(GlobalLaneOrder, ALaneIsInOrder) {
  EXPECT_EQ(told(kOwn + "ld.global.u32 %r9, [%d1];\nst.global.u32 [%d1], %r9;"), "");
  // One lane's words are accessed one at a time, and all at once.
  EXPECT_EQ(told("mul.wide.u32 %d4, %r1, 16;\nadd.s64 %d4, %d50, %d4;\nst.global.v4.u32 [%d4], {%r8, %r8, %r8, %r8};\n"
                 "ld.global.u32 %r9, [%d4+8];\nst.global.u32 [%d4+12], %r9;\nld.global.v2.u32 {%r6, %r7}, [%d4+8];"),
            "");
  // One lane alone; a store of the bytes that were there already.
  EXPECT_EQ(told("@%p1 st.global.u32 [%d0], %r8;\n@%p1 ld.global.u32 %r9, [%d0];"), "");
  EXPECT_EQ(told(kOther + "st.global.u32 [%d1], 0;"), "");
  // A loop of `atom.cas` begins with a load; its value compares unequal if another lane came first.
  EXPECT_EQ(told("LOOP: ld.global.u32 %r5, [%d0];\nTRY: add.u32 %r6, %r5, %r8;\nmov.u32 %r7, %r5;\n"
                 "atom.global.cas.b32 %r5, [%d0], %r7, %r6;\nsetp.ne.u32 %p5, %r5, %r7;\n@%p5 bra TRY;\n"
                 "ld.global.u32 %r5, [%d0+4];\nTRY2: add.u32 %r6, %r5, %r8;\nmov.u32 %r7, %r5;\n"
                 "atom.global.cas.b32 %r5, [%d0+4], %r7, %r6;\nsetp.ne.u32 %p5, %r5, %r7;\n@%p5 bra TRY2;"),
            "");
}

TEST(GlobalLaneOrder, APartOfAWarpMeets) {
  // Lanes of one half exchange words; then lanes of both halves do.
  std::string half = "mov.u32 %r5, 0xffff;\n@!%p2 mov.u32 %r5, 0xffff0000;\nxor.b32 %r6, %r1, 15;\n"
                     "mul.wide.u32 %d4, %r6, 4;\nadd.s64 %d4, %d50, %d4;\n" +
                     kOwn + "bar.warp.sync %r5;\n";
  EXPECT_EQ(told(half + "ld.global.u32 %r9, [%d4];"), "");
  EXPECT_EQ(told(half + kOther), kHazard);
  EXPECT_EQ(told(half + "bar.warp.sync -1;\n" + kOther), "");
}

TEST(GlobalLaneOrder, LanesThatHaveDivergedAreAFault) {
  for (const char *order : {"@%p2 bra A;", "@!%p2 bra B;"}) {
    bool first = std::string_view(order).contains("A");
    EXPECT_EQ(told(std::string(order) + "\n" + (first ? kOther : kOwn) + "bra C;\n" + (first ? "A:\n" : "B:\n") +
                   (first ? kOwn : kOther) + "C:"),
              kFault);
  }
  // After the lanes have reconverged, hardware runs them in step.
  EXPECT_EQ(told("@!%p2 bra C;\n" + kOwn + "C: " + kOther), kHazard);
}

TEST(GlobalLaneOrder, OneLaneTellsOtherWarps) {
  const std::string wait = "@%p3 bra PRODUCE;\nWAIT: mbarrier.try_wait.parity.shared.b64 %p5, [bar], 0;\n"
                           "@!%p5 bra WAIT;\n" +
                           kOther + "bra END;\nPRODUCE:\n",
                    arrive = "@%p1 mbarrier.arrive.shared.b64 _, [bar];\n";
  std::string all;
  EXPECT_EQ(told(wait + kOwn + arrive, 64, 1, &all), kFault);
  EXPECT_TRUE(all.contains("of warp 0 writes without an order")) << all;
  EXPECT_TRUE(all.contains("`mbarrier.arrive.shared.b64` publishes the accesses only of the lanes that execute it"))
      << all;
  EXPECT_EQ(told(wait + kOwn + "bar.warp.sync -1;\n" + arrive, 64), "");
}

TEST(GlobalLaneOrder, OneLaneTellsOtherBlocks) {
  const std::string wait = "@%p6 bra PRODUCE;\nWAIT: ld.acquire.gpu.global.u32 %r5, [%d52];\nsetp.eq.u32 %p5, %r5, 0;\n"
                           "@%p5 bra WAIT;\nbar.warp.sync -1;\n" +
                           kOther + "bra END;\nPRODUCE:\n";
  std::string all;
  for (const char *tell : {"@%p1 st.release.gpu.global.u32 [%d52], 1;\n",
                           "fence.acq_rel.gpu;\n@%p1 red.relaxed.gpu.global.add.u32 [%d52], 1;\n",
                           "@%p1 fence.acq_rel.gpu;\n@%p1 st.volatile.global.u32 [%d52], 1;\n"}) {
    EXPECT_EQ(told(wait + kOwn + tell, 32, 2, &all), kFault) << tell;
    EXPECT_TRUE(all.contains("what is ordered before it in its own lane")) << all;
    EXPECT_EQ(told(wait + kOwn + "bar.warp.sync -1;\n" + tell, 32, 2, &all), "") << tell << all;
    EXPECT_EQ(told(wait + kOwn + "bar.sync 0;\n" + tell, 32, 2), "") << tell;
  }
  // A barrier of half the warp, which includes the lane that releases the flag.
  const std::string half = "@!%p2 bra M;\nbar.warp.sync 0xffff;\nM:\n@%p1 st.release.gpu.global.u32 [%d52], 1;\n";
  EXPECT_EQ(told(wait + kOwn + half, 32, 2), kFault);
  EXPECT_EQ(told("@%p6 bra PRODUCE;\nWAIT: ld.acquire.gpu.global.u32 %r5, [%d52];\nsetp.eq.u32 %p5, %r5, 0;\n"
                 "@%p5 bra WAIT;\nbar.warp.sync -1;\n@!%p2 bra END;\nld.global.u32 %r9, [%d1];\nbra END;\nPRODUCE:\n" +
                     kOwn + half,
                 32, 2),
            "");
  // Programs also use a fence of each lane followed by a barrier of the warp.
  EXPECT_EQ(
      told(wait + kOwn + "fence.acq_rel.gpu;\nbar.warp.sync -1;\n@%p1 red.relaxed.gpu.global.add.u32 [%d52], 1;\n", 32,
           2),
      "");
  // Each lane releases its own word; a lane that has acquired all words comes after all lanes.
  EXPECT_EQ(told("@%p6 bra PRODUCE;\nWAIT: ld.acquire.gpu.global.u32 %r5, [%d52];\nsetp.ne.u32 %p5, %r5, 32;\n"
                 "@%p5 bra WAIT;\nbar.warp.sync -1;\n" +
                     kOther + "bra END;\nPRODUCE:\n" + kOwn + "red.release.gpu.global.add.u32 [%d52], 1;\n",
                 32, 2),
            "");
}

TEST(GlobalLaneOrder, OneLaneCopiesWhatOthersWrote) {
  const std::string copy = "@!%p1 bra END;\nmbarrier.arrive.expect_tx.shared.b64 _, [bar], 128;\n"
                           "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%d50], 128, "
                           "[bar];\nWAIT: mbarrier.try_wait.parity.shared.b64 %p5, [bar], 0;\n@!%p5 bra WAIT;\n"
                           "ld.shared.u32 %r9, [tile+64];\n";
  auto toldOf = [](const std::string &body) {
    Kernel kernel = kernelOf(body, 32, 1);
    kernel.declarations += "\n.shared .align 128 .b8 tile[128];";
    auto result =
        run(kernel, {u32Array(std::vector<uint32_t>(1024)), u32Array(std::vector<uint32_t>(256)), u32Array({0})});
    const Diagnostics &found = result ? result->diagnostics : result.error();
    return found.empty() ? "" : (found[0].severity == Severity::Error ? "fault " : "hazard ") + found[0].kind;
  };
  EXPECT_EQ(toldOf(kOwn + copy), kHazard);
  EXPECT_EQ(toldOf(kOwn + "bar.warp.sync -1;\n" + copy), "");
}

TEST(GlobalLaneOrder, TheLastAtomicFollowsTheOthers) {
  const std::string last = "setp.eq.u32 %p5, %r5, 31;\n", write = "@%p5 st.global.u32 [%d2], 9;\n";
  EXPECT_EQ(told(kOwn + "atom.global.acq_rel.gpu.add.u32 %r5, [%d52], 1;\n" + last + write), "");
  EXPECT_EQ(told(kOwn + "atom.global.relaxed.gpu.add.u32 %r5, [%d52], 1;\n" + last + write), kHazard);
}

} // namespace
} // namespace lanescope::core::test
