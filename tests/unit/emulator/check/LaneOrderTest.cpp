// Accesses of shared memory by two lanes of one warp: what orders them, and what is reported if nothing does.
#include "tests/unit/emulator/EmulatorSupport.h"

namespace lanescope::core::test {
namespace {

/// [%r3] is the thread's word of shared memory, [%r4] the word of lane 31 - its own. An mbarrier for one arrival is at
/// byte 4096. %p1: lane 0; %p2: lanes 0 to 15; %p3: warp 0. %r9 is stored at the end.
Kernel kernelOf(const std::string &body, uint32_t threads = 32) {
  Kernel kernel;
  kernel.threads = threads;
  kernel.dynamicSmem = 8192;
  kernel.declarations = ".extern .shared .align 1024 .b8 smem[];";
  kernel.body = "mov.u32 %r0, %tid.x;\nmov.u32 %r1, %laneid;\nmov.u32 %r2, smem;\nshl.b32 %r3, %r0, 2;\n"
                "add.u32 %r3, %r3, %r2;\nsub.u32 %r4, 31, %r1;\nshl.b32 %r4, %r4, 2;\nadd.u32 %r4, %r4, %r2;\n"
                "mul.wide.u32 %d1, %r0, 4;\nadd.s64 %d1, %d51, %d1;\nmov.u32 %r9, 0;\nadd.u32 %r8, %r0, 1;\n"
                "setp.eq.u32 %p1, %r1, 0;\nsetp.lt.u32 %p2, %r1, 16;\nsetp.lt.u32 %p3, %r0, 32;\n"
                "setp.eq.u32 %p4, %r0, 0;\n@%p4 mbarrier.init.shared.b64 [smem+4096], 1;\n"
                "st.shared.u32 [%r3], 0;\n@%p4 st.shared.v2.u32 [smem+4104], {0, 0};\nbar.sync 0;\n" +
                body + "\nst.global.u32 [%d1], %r9;\nret;";
  return kernel;
}

/// Returns the first finding, such as "hazard warp-synchronous" or "fault race", or "".
std::string told(const std::string &body, uint32_t threads = 32, std::string *all = nullptr) {
  std::string out;
  for (uint64_t seed : {0, 1}) {
    EmulatorOptions options;
    options.seed = seed;
    auto result = run(kernelOf(body, threads), {u32Array({0}), u32Array(std::vector<uint32_t>(256))}, options);
    const Diagnostics &found = result ? result->diagnostics : result.error();
    std::string one =
        found.empty() ? "" : (found[0].severity == Severity::Error ? "fault " : "hazard ") + found[0].kind;
    if (all)
      *all = errorText(found);
    if (seed == 0)
      out = one;
    else
      EXPECT_EQ(one, out) << body << errorText(found);
  }
  return out;
}

constexpr const char *kHazard = "hazard warp-synchronous", *kFault = "fault race";

TEST(LaneOrder, ABarrierOfTheWarpOrders) {
  for (const char *between : {"bar.warp.sync -1;", "bar.sync 0;", "barrier.sync 1;",
                              "@%p2 bra A;\nbar.warp.sync -1;\nbra B;\nA: bar.warp.sync -1;\nB:"})
    EXPECT_EQ(told("st.shared.u32 [%r3], %r8;\n" + std::string(between) + "\nld.shared.u32 %r9, [%r4];"), "")
        << between;
}

TEST(LaneOrder, NothingElseDoes) {
  std::string all;
  EXPECT_EQ(told("st.shared.u32 [%r3], %r8;\nld.shared.u32 %r9, [%r4];", 32, &all), kHazard);
  EXPECT_TRUE(all.contains("`ld.shared.u32` reads byte 0 of") || all.contains("which lane")) << all;
  EXPECT_TRUE(all.contains("the missing barrier: `bar.warp.sync`")) << all;
  for (const char *between : {"shfl.sync.idx.b32 %r5, %r8, 0, 31, -1;", "vote.sync.any.pred %p5, %p1, -1;",
                              "match.any.sync.b32 %r5, %r8, -1;", "redux.sync.add.u32 %r5, %r8, -1;"}) {
    EXPECT_EQ(told("st.shared.u32 [%r3], %r8;\n" + std::string(between) + "\nld.shared.u32 %r9, [%r4];", 32, &all),
              kHazard)
        << between;
    EXPECT_TRUE(all.contains("waits for the lanes and orders no memory")) << all;
  }
  // A write after a read, and a write after a write.
  EXPECT_EQ(told("ld.shared.u32 %r9, [%r4];\nst.shared.u32 [%r3], %r8;"), kHazard);
  EXPECT_EQ(told("st.shared.u32 [%r4], %r8;\nst.shared.u32 [%r3], %r8;"), kHazard);
  // Any lane's read counts, not only the last one.
  EXPECT_EQ(told("ld.shared.u32 %r9, [%r4];\nld.shared.u32 %r5, [%r3];\nst.shared.u32 [%r3], %r8;"), kHazard);
}

TEST(LaneOrder, ALaneIsInOrder) {
  EXPECT_EQ(told("st.shared.u32 [%r3], %r8;\nld.shared.u32 %r9, [%r3];\nst.shared.u32 [%r3], %r9;"), "");
  // One lane's words are accessed one at a time, and all at once.
  EXPECT_EQ(told("shl.b32 %r5, %r1, 4;\nadd.u32 %r5, %r5, %r2;\nst.shared.v4.u32 [%r5], {%r8, %r8, %r8, %r8};\n"
                 "ld.shared.u32 %r9, [%r5+8];\nst.shared.u32 [%r5+12], %r9;\n"
                 "ld.shared.v2.u32 {%r6, %r7}, [%r5+8];"),
            "");
  // The places form no row.
  EXPECT_EQ(told("xor.b32 %r5, %r3, 20;\nst.shared.u32 [%r5], %r8;\n@%p2 ld.shared.u32 %r9, [%r5];\n"
                 "@%p2 st.shared.u32 [%r5], %r9;"),
            "");
  // One lane alone.
  EXPECT_EQ(told("@%p1 st.shared.u32 [%r2], %r8;\n@%p1 ld.shared.u32 %r9, [%r2];"), "");
  // A store of the bytes that were there already.
  EXPECT_EQ(told("ld.shared.u32 %r9, [%r4];\nst.shared.u32 [%r3], 0;"), "");
}

TEST(LaneOrder, OneLaneOverwritesWhatAllRead) {
  // The lane's own read is ordered before its write, the reads of the others are not.
  const std::string reads = "ld.shared.u32 %r9, [%r2];\n", writes = "@%p1 st.shared.u32 [%r2], %r8;";
  EXPECT_EQ(told(reads + writes), kHazard);
  EXPECT_EQ(told(reads + "bar.warp.sync -1;\n" + writes), "");
}

/// PTX ISA, `cp.async.wait_group`: the executing thread waits for its own groups.
TEST(LaneOrder, AWaitForCopiesIsTheLanesOwn) {
  const std::string copy = "cp.async.ca.shared.global [%r3], [%d50], 4;\ncp.async.commit_group;\n"
                           "cp.async.wait_group 0;\n";
  std::string all;
  EXPECT_EQ(told(copy + "ld.shared.u32 %r9, [%r4];", 32, &all), kHazard);
  EXPECT_TRUE(all.contains("of this warp copies there and waits for")) << all;
  EXPECT_TRUE(all.contains("waits only for the copies of the lane that executes it")) << all;
  EXPECT_EQ(told(copy + "ld.shared.u32 %r9, [%r3];"), "");
  EXPECT_EQ(told(copy + "st.shared.u32 [%r4], %r8;"), kHazard);
  for (const char *between : {"bar.warp.sync -1;\n", "bar.sync 0;\n"}) {
    EXPECT_EQ(told(copy + between + "ld.shared.u32 %r9, [%r4];"), "") << between;
    EXPECT_EQ(told(copy + between + copy + between + "ld.shared.u32 %r9, [%r4];"), "") << between;
  }
  // A barrier before the wait does not count.
  EXPECT_EQ(told("cp.async.ca.shared.global [%r3], [%d50], 4;\ncp.async.commit_group;\nbar.warp.sync -1;\n"
                 "cp.async.wait_group 0;\nld.shared.u32 %r9, [%r4];"),
            kHazard);
}

/// PTX ISA, `cp.async.mbarrier.arrive`: it follows the earlier copies of the executing thread.
TEST(LaneOrder, AnArrivalAfterCopiesIsTheLanesOwn) {
  auto body = [](std::string_view arrive) {
    return "@%p4 mbarrier.init.shared.b64 [smem+4112], 32;\nbar.sync 0;\n"
           "@%p3 cp.async.ca.shared.global [%r3], [%d50], 4;\n" +
           std::string(arrive) +
           "@%p3 bra C;\nW: mbarrier.test_wait.parity.shared.b64 %p5, [%r5], 0;\n@!%p5 bra W;\n"
           "ld.shared.u32 %r9, [%r4];\nC:";
  };
  std::string all;
  EXPECT_EQ(told(body("add.u32 %r5, %r2, 4096;\n@%p4 cp.async.mbarrier.arrive.noinc.shared.b64 [%r5];\n"), 64, &all),
            "fault copy-not-awaited");
  EXPECT_TRUE(all.contains("each lane that copies has to arrive")) << all;
  EXPECT_EQ(told(body("add.u32 %r5, %r2, 4112;\n@%p3 cp.async.mbarrier.arrive.noinc.shared.b64 [%r5];\n"), 64), "");
}

TEST(LaneOrder, APartOfAWarpMeets) {
  // Lanes of one half exchange words; then lanes of both halves do.
  std::string half = "mov.u32 %r5, 0xffff;\n@!%p2 mov.u32 %r5, 0xffff0000;\nxor.b32 %r6, %r3, 60;\n"
                     "st.shared.u32 [%r3], %r8;\nbar.warp.sync %r5;\n";
  EXPECT_EQ(told(half + "ld.shared.u32 %r9, [%r6];"), "");
  EXPECT_EQ(told(half + "ld.shared.u32 %r9, [%r4];"), kHazard);
  EXPECT_EQ(told(half + "bar.warp.sync -1;\nld.shared.u32 %r9, [%r4];"), "");
}

TEST(LaneOrder, LanesThatHaveDivergedAreAFault) {
  for (const char *order : {"@%p2 bra A;", "@!%p2 bra B;"}) {
    bool first = std::string_view(order).contains("A");
    std::string writes = "st.shared.u32 [%r3], %r8;\n", reads = "ld.shared.u32 %r9, [%r4];\n";
    EXPECT_EQ(told(std::string(order) + "\n" + (first ? reads : writes) + "bra C;\n" + (first ? "A:\n" : "B:\n") +
                   (first ? writes : reads) + "C:"),
              kFault);
  }
  // After the lanes have reconverged, hardware runs them in step.
  EXPECT_EQ(told("@!%p2 bra C;\nst.shared.u32 [%r3], %r8;\nC: ld.shared.u32 %r9, [%r4];"), kHazard);
  // The lanes share a lock.
  EXPECT_EQ(told("TRY: atom.shared.cas.b32 %r5, [%r2+4104], 0, 1;\nsetp.ne.u32 %p5, %r5, 0;\n@%p5 bra TRY;\n"
                 "membar.cta;\nld.shared.u32 %r9, [%r2];\nadd.u32 %r9, %r9, 1;\nst.shared.u32 [%r2], %r9;\n"
                 "membar.cta;\natom.shared.exch.b32 %r5, [%r2+4104], 0;"),
            "");
}

TEST(LaneOrder, OneLaneTellsOtherWarps) {
  const std::string wait = "@%p3 bra PRODUCE;\nWAIT: mbarrier.try_wait.parity.shared.b64 %p5, [smem+4096], 0;\n"
                           "@!%p5 bra WAIT;\nld.shared.u32 %r9, [%r4];\nbra END;\nPRODUCE:\n",
                    arrive = "@%p1 mbarrier.arrive.shared.b64 _, [smem+4096];\nEND:";
  std::string all;
  EXPECT_EQ(told(wait + "st.shared.u32 [%r3], %r8;\n" + arrive, 64, &all), kFault);
  EXPECT_TRUE(all.contains("of warp 0 writes without an order")) << all;
  EXPECT_TRUE(all.contains("`mbarrier.arrive.shared.b64` publishes the accesses only of the lanes that execute it"))
      << all;
  EXPECT_EQ(told(wait + "st.shared.u32 [%r3], %r8;\nbar.warp.sync -1;\n" + arrive, 64), "");
  EXPECT_EQ(told(wait + "@%p1 st.shared.v4.u32 [%r2], {%r8, %r8, %r8, %r8};\n" + arrive, 64), "");
  // A lane also passes on the order that it has acquired from the other lanes.
  EXPECT_EQ(told(wait + "st.shared.u32 [%r3], %r8;\nbar.warp.sync -1;\nst.shared.u32 [%r3+2048], %r8;\n" + arrive, 64),
            "");
  // The lanes use a flag.
  const std::string flag =
                        "@%p3 bra PRODUCE;\nWAIT: ld.acquire.cta.shared.u32 %r5, [%r2+4104];\nsetp.ne.u32 %p5, %r5, 1;"
                        "\n@%p5 bra WAIT;\nld.shared.u32 %r9, [%r4];\nbra END;\nPRODUCE:\n",
                    raise = "@%p1 st.release.cta.shared.u32 [%r2+4104], 1;\nEND:";
  EXPECT_EQ(told(flag + "st.shared.u32 [%r3], %r8;\n" + raise, 64), kFault);
  EXPECT_EQ(told(flag + "st.shared.u32 [%r3], %r8;\nbar.warp.sync -1;\n" + raise, 64), "");
}

TEST(LaneOrder, OneLaneReleasesWhatOthersRead) {
  const std::string consume = "@%p3 bra READ;\nWAIT: mbarrier.try_wait.parity.shared.b64 %p5, [smem+4096], 0;\n"
                              "@!%p5 bra WAIT;\nst.shared.u32 [%r4], %r8;\nbra END;\nREAD: ld.shared.u32 %r9, [%r3];\n",
                    arrive = "@%p1 mbarrier.arrive.shared.b64 _, [smem+4096];\nEND:";
  EXPECT_EQ(told(consume + arrive, 64), kHazard);
  EXPECT_EQ(told(consume + "bar.warp.sync -1;\n" + arrive, 64), "");
}

TEST(LaneOrder, OneLaneStoresWhatOthersWrote) {
  const std::string store = "@%p1 cp.async.bulk.global.shared::cta.bulk_group [%d51], [%r2], 128;\n"
                            "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\nret;";
  EXPECT_EQ(told("st.shared.u32 [%r3], %r8;\n@%p1 fence.proxy.async;\n" + store), kFault);
  EXPECT_EQ(told("st.shared.u32 [%r3], %r8;\nfence.proxy.async;\n" + store), kHazard);
  EXPECT_EQ(told("st.shared.u32 [%r3], %r8;\nbar.warp.sync -1;\n@%p1 fence.proxy.async;\n" + store), "");
  EXPECT_EQ(told("st.shared.u32 [%r3], %r8;\nfence.proxy.async;\nbar.warp.sync -1;\n" + store), "");
}

TEST(LaneOrder, AtomicsOfAllLanesCount) {
  const std::string add = "atom.shared.add.u32 %r5, [%r2+4104], 1;\n", read = "ld.shared.u32 %r9, [%r2+4104];";
  EXPECT_EQ(told(add + read), kHazard);
  EXPECT_EQ(told(add + "bar.warp.sync -1;\n" + read), "");
  EXPECT_EQ(told("@%p1 " + add + "@%p1 " + read), "");
}

/// The last of 32 arrivals at a counter resets a word that all lanes have read: `cuda::barrier` with a completion
/// function does so.
TEST(LaneOrder, TheLastAtomicFollowsTheOthers) {
  const std::string read = "ld.shared.u32 %r9, [%r2+4104];\n", last = "setp.eq.u32 %p5, %r5, 31;\n",
                    write = "@%p5 st.shared.u32 [%r2+4104], 9;";
  const std::string count = "atom.shared.cta.acq_rel.add.u32 %r5, [%r2+4108], 1;\n" + last;
  EXPECT_EQ(told(read + count + write), "");
  EXPECT_EQ(told(read +
                 "fence.acq_rel.cta;\natom.shared.cta.relaxed.add.u32 %r5, [%r2+4108], 1;\nfence.acq_rel.cta;\n" +
                 last + write),
            "");
  EXPECT_EQ(told(read + "atom.shared.cta.relaxed.add.u32 %r5, [%r2+4108], 1;\n" + last + write), kHazard);
  // The first one is not ordered after what the others did.
  EXPECT_EQ(told(read + "atom.shared.cta.acq_rel.add.u32 %r5, [%r2+4108], 1;\nsetp.eq.u32 %p5, %r5, 0;\n" + write),
            kHazard);
}

} // namespace
} // namespace lanescope::core::test
