// Which accesses an atomic operation publishes to other blocks. A relaxed operation publishes the accesses before a
// fence of the GPU in its thread or before a barrier; a release publishes all accesses before it. A relaxed read
// acquires nothing without a fence.
#include "tests/unit/emulator/EmulatorSupport.h"

#include <tuple>

namespace lanescope::core::test {
namespace {

/// The last of four blocks adds up what all have stored; `publish` counts the blocks in. `order` is the order of the
/// stores and loads.
Result<RunResult> lastBlockSums(const std::string &publish, const std::string &before = "",
                                const std::string &order = "") {
  Kernel kernel;
  kernel.threads = 1;
  kernel.blocks = 4;
  kernel.params = 3;
  kernel.body = "mov.u32 %r0, %ctaid.x;\nmul.wide.u32 %d0, %r0, 4;\nadd.u64 %d1, %d50, %d0;\nadd.u32 %r1, %r0, 1;\n"
                "st" +
                order + ".global.u32 [%d1], %r1;\n" + before + publish + "\nsetp.ne.u32 %p1, %r2, 3;\n@%p1 ret;\nld" +
                order +
                ".global.v4.u32 {%r3, %r4, %r5, %r6}, [%d50];\n"
                "add.u32 %r3, %r3, %r4;\nadd.u32 %r5, %r5, %r6;\nadd.u32 %r3, %r3, %r5;\nst.global.u32 [%d52], %r3;\n"
                "ret;";
  return run(kernel, {u32Array({0, 0, 0, 0}), u32Array({0}), u32Array({0})});
}

TEST(Publish, ByAFenceBeforeARelaxedAtomicOrByARelease) {
  for (auto [publish, before] :
       {std::pair("atom.global.add.u32 %r2, [%d51], 1;\nmembar.gl;", "membar.gl;\n"),
        std::pair("atom.global.relaxed.gpu.add.u32 %r2, [%d51], 1;\nfence.acquire.gpu;", "fence.release.gpu;\n"),
        std::pair("atom.acq_rel.gpu.global.add.u32 %r2, [%d51], 1;", ""),
        std::pair("atom.add.release.gpu.global.u32 %r2, [%d51], 1;\nfence.acq_rel.gpu;", ""),
        std::pair("atom.add.acquire.gpu.global.u32 %r2, [%d51], 1;", "membar.gl;\n")}) {
    auto result = lastBlockSums(publish, before);
    ASSERT_TRUE(result) << errorText(result.error());
    EXPECT_TRUE(result->diagnostics.empty()) << before << publish << errorText(result->diagnostics);
    EXPECT_EQ(words(result->outputs[2])[0], 10u);
  }
}

TEST(Publish, NotByARelaxedAtomicAlone) {
  for (const char *before : {"", "membar.cta;\n", "fence.acq_rel.cluster;\n"}) {
    auto result = lastBlockSums("atom.global.add.u32 %r2, [%d51], 1;", before);
    ASSERT_TRUE(result) << errorText(result.error());
    ASSERT_EQ(result->diagnostics.size(), 1u) << before;
    EXPECT_EQ(result->diagnostics[0].kind, "race");
    EXPECT_TRUE(mentions(result->diagnostics, "fence.acq_rel.gpu")) << errorText(result->diagnostics);
  }
}

/// Block 0 raises a flag; block 1 waits for it and clears it by a plain store, as Marlin's locks do.
Result<RunResult> flagTakenDown(const std::string &fence, const std::string &wait) {
  Kernel kernel;
  kernel.threads = 1;
  kernel.blocks = 2;
  kernel.params = 1;
  kernel.body = "mov.u32 %r0, %ctaid.x;\nsetp.eq.u32 %p1, %r0, 1;\n@%p1 bra WAIT;\n" + fence +
                "red.relaxed.gpu.global.add.u32 [%d50], 1;\nret;\nWAIT:\n" + wait + "st.global.u32 [%d50], 0;\nret;";
  return run(kernel, {u32Array({0})});
}

TEST(Publish, AFlagIsReadBeforeWhatComesBehindItsAcquire) {
  const std::string fence = "fence.acq_rel.gpu;\n",
                    wait = "ld.global.acquire.gpu.u32 %r1, [%d50];\nsetp.ne.u32 %p2, %r1, 1;\n@%p2 bra WAIT;\n";
  auto good = flagTakenDown(fence, wait);
  ASSERT_TRUE(good) << errorText(good.error());
  EXPECT_TRUE(good->diagnostics.empty()) << errorText(good->diagnostics);
  EXPECT_EQ(words(good->outputs[0])[0], 0u);
  auto bare = flagTakenDown("", wait); // a warp that has seen the flag comes after it, whatever the warp publishes
  ASSERT_TRUE(bare) << errorText(bare.error());
  EXPECT_TRUE(bare->diagnostics.empty()) << errorText(bare->diagnostics);
  auto bad = flagTakenDown(fence, "");
  ASSERT_TRUE(bad) << errorText(bad.error());
  ASSERT_FALSE(bad->diagnostics.empty());
  EXPECT_EQ(bad->diagnostics[0].kind, "race");
}

TEST(Publish, NotWhatComesBehindTheFence) {
  auto result = lastBlockSums("atom.global.add.u32 %r2, [%d51], 1;", "fence.acq_rel.gpu;\nst.global.u32 [%d1], 9;\n");
  ASSERT_TRUE(result) << errorText(result.error());
  EXPECT_TRUE(mentions(result->diagnostics, "without an order")) << errorText(result->diagnostics);
}

TEST(Publish, NotByAScopeWithinTheCluster) {
  for (auto [publish, before] : {std::pair("atom.global.relaxed.cta.add.u32 %r2, [%d51], 1;", "fence.acq_rel.gpu;\n"),
                                 std::pair("atom.acq_rel.cta.global.add.u32 %r2, [%d51], 1;", ""),
                                 std::pair("atom.add.acq_rel.cluster.global.u32 %r2, [%d51], 1;", "")}) {
    auto result = lastBlockSums(publish, before);
    ASSERT_TRUE(result) << errorText(result.error());
    ASSERT_EQ(result->diagnostics.size(), 1u) << before << publish;
    EXPECT_EQ(result->diagnostics[0].kind, "race");
    EXPECT_TRUE(mentions(result->diagnostics, "with `.gpu` they are")) << errorText(result->diagnostics);
  }
}

/// Block 0 stores 42 and raises a flag by `raise`; block 1 waits for the flag by `look`, and reads.
Result<RunResult> byAFlag(const std::string &raise, const std::string &look, const std::string &order = "") {
  Kernel kernel;
  kernel.threads = 1;
  kernel.blocks = 2;
  kernel.params = 3;
  kernel.body = "mov.u32 %r0, %ctaid.x;\nsetp.ne.u32 %p1, %r0, 0;\n@%p1 bra LOOK;\nst" + order +
                ".global.u32 [%d50], 42;\n" + raise + "\nret;\nLOOK:\n" + look +
                "\nsetp.ne.u32 %p2, %r2, 1;\n@%p2 bra LOOK;\nld" + order +
                ".global.u32 %r3, [%d50];\nst.global.u32 [%d52], %r3;\nret;";
  return run(kernel, {u32Array({0}), u32Array({0}), u32Array({0})});
}

TEST(Publish, ByAFlagOfAScopeThatBothAreIn) {
  const std::string acquire = "ld.acquire.gpu.global.u32 %r2, [%d51];";
  auto good = byAFlag("st.release.gpu.global.u32 [%d51], 1;", acquire);
  ASSERT_TRUE(good) << errorText(good.error());
  EXPECT_TRUE(good->diagnostics.empty()) << errorText(good->diagnostics);
  EXPECT_EQ(words(good->outputs[2])[0], 42u);
  for (const auto &[raise, look] :
       {std::pair<std::string, std::string>("st.release.cta.global.u32 [%d51], 1;", acquire),
        {"red.release.cluster.global.add.u32 [%d51], 1;", acquire},
        {"red.release.gpu.global.add.u32 [%d51], 1;", "ld.acquire.cta.global.u32 %r2, [%d51];"}}) {
    auto result = byAFlag(raise, look);
    ASSERT_TRUE(result) << errorText(result.error());
    ASSERT_EQ(result->diagnostics.size(), 1u) << raise << look;
    EXPECT_EQ(result->diagnostics[0].kind, "race");
    EXPECT_TRUE(mentions(result->diagnostics, "with `.gpu` they are")) << errorText(result->diagnostics);
  }
}

/// Volatile reads of another block's data are no race, and may still be stale.
TEST(Publish, VolatileDataBehindAFenceToo) {
  const std::string count = "atom.global.add.u32 %r2, [%d51], 1;\nmembar.gl;",
                    raise = "st.volatile.global.u32 [%d51], 1;",
                    look = "ld.volatile.global.u32 %r2, [%d51];\nmembar.gl;";
  for (const char *order : {".volatile", ".relaxed.gpu"}) {
    auto sum = lastBlockSums(count, "membar.gl;\n", order), flag = byAFlag("membar.gl;\n" + raise, look, order);
    ASSERT_TRUE(sum && flag);
    EXPECT_TRUE(sum->diagnostics.empty()) << errorText(sum->diagnostics);
    EXPECT_TRUE(flag->diagnostics.empty()) << errorText(flag->diagnostics);
    EXPECT_EQ(words(sum->outputs[2])[0], 10u);
    EXPECT_EQ(words(flag->outputs[2])[0], 42u);
    sum = lastBlockSums(count, "", order);
    flag = byAFlag(raise, look, order);
    ASSERT_TRUE(sum && flag);
    for (const RunResult *result : {&*sum, &*flag}) {
      ASSERT_EQ(result->diagnostics.size(), 1u) << order;
      EXPECT_EQ(result->diagnostics[0].kind, "race");
      EXPECT_TRUE(mentions(result->diagnostics, "may load the old value of byte 0 of buffer 0"))
          << errorText(result->diagnostics);
      EXPECT_TRUE(mentions(result->diagnostics, "the missing fence: `fence.acq_rel.gpu`"));
    }
  }
}

/// Two blocks each raise their own word, look at the other's, and count themselves if it is not raised: at most one of
/// them may (Dekker's algorithm). `first` and `second` are their fences.
Result<RunResult> dekker(const std::string &first, const std::string &second) {
  Kernel kernel;
  kernel.threads = 1;
  kernel.blocks = 2;
  kernel.params = 2;
  auto side = [](int own, int others, const std::string &fence) {
    return "st.relaxed.gpu.global.u32 [%d50+" + std::to_string(own) + "], 1;\n" + fence +
           "ld.relaxed.gpu.global.u32 %r1, [%d50+" + std::to_string(others) +
           "];\nsetp.ne.u32 %p2, %r1, 0;\n@%p2 ret;\nred.global.add.u32 [%d51], 1;\nret;\n";
  };
  kernel.body = "mov.u32 %r0, %ctaid.x;\nsetp.eq.u32 %p1, %r0, 1;\n@%p1 bra B;\n" + side(0, 4, first) + "B:\n" +
                side(4, 0, second);
  return run(kernel, {u32Array({0, 0}), u32Array({0})});
}

TEST(Publish, FencesInOneOrderLetOneOfTwoSeeTheOther) {
  for (const char *fence : {"fence.sc.gpu;\n", "fence.sc.sys;\n", "membar.gl;\n"}) {
    auto result = dekker(fence, fence);
    ASSERT_TRUE(result) << errorText(result.error());
    EXPECT_TRUE(result->diagnostics.empty()) << fence << errorText(result->diagnostics);
    EXPECT_EQ(words(result->outputs[1])[0], 1u);
  }
}

TEST(Publish, WithAWeakerFenceOnOneSideBothMayMissTheOther) {
  const std::string strong = "fence.sc.gpu;\n";
  for (const std::string weak : {"", "fence.acq_rel.gpu;\n", "fence.sc.cta;\n"})
    for (auto [first, second] : {std::pair(weak, strong), std::pair(strong, weak), std::pair(weak, weak)}) {
      auto result = dekker(first, second);
      ASSERT_TRUE(result) << errorText(result.error());
      ASSERT_FALSE(result->diagnostics.empty()) << first << second;
      EXPECT_EQ(result->diagnostics[0].kind, "race");
    }
}

/// If a barrier orders two loads of one word, the second returns no older value than the first, without any fence.
TEST(Publish, ALoadAfterOneThatHasMetTheValue) {
  for (const char *load : {"ld.relaxed.gpu.global.u32", "ld.volatile.global.u32"}) {
    Kernel kernel;
    kernel.threads = 64;
    kernel.blocks = 2;
    kernel.params = 2;
    std::string look = std::string(load) + " %r2, [%d50];\n";
    kernel.body =
        "mov.u32 %r0, %ctaid.x;\nmov.u32 %r1, %tid.x;\nsetp.ne.u32 %p1, %r0, 0;\nsetp.ne.u32 %p3, %r1, 0;\n"
        "@%p1 bra LOOK;\n@%p3 ret;\nst.relaxed.gpu.global.u32 [%d50], 5;\nret;\nLOOK:\n@%p3 bra MEET;\nPOLL:\n" +
        look + "setp.eq.u32 %p2, %r2, 0;\n@%p2 bra POLL;\nMEET:\nbar.sync 0;\nsetp.ne.u32 %p4, %r1, 32;\n@%p4 ret;\n" +
        look + "st.global.u32 [%d51], %r2;\nret;";
    auto result = run(kernel, {u32Array({0}), u32Array({0})});
    ASSERT_TRUE(result) << errorText(result.error());
    EXPECT_TRUE(result->diagnostics.empty()) << errorText(result->diagnostics);
    EXPECT_EQ(words(result->outputs[1])[0], 5u);
  }
}

/// As for plain data, a reader that has seen the flag and lacks only its fence is a hazard.
TEST(Publish, VolatileDataReadWithoutAFence) {
  for (const char *order : {".volatile", ".relaxed.gpu"}) {
    auto flag = byAFlag("membar.gl;\nst.volatile.global.u32 [%d51], 1;", "ld.volatile.global.u32 %r2, [%d51];", order);
    ASSERT_TRUE(flag) << errorText(flag.error());
    ASSERT_EQ(flag->diagnostics.size(), 1u) << errorText(flag->diagnostics);
    EXPECT_EQ(flag->diagnostics[0].kind, "unfenced-acquire") << errorText(flag->diagnostics);
    EXPECT_EQ(flag->diagnostics[0].severity, Severity::Warning);
    EXPECT_TRUE(
        mentions(flag->diagnostics, "the missing fence: `fence.acq_rel.gpu` (`__threadfence()`) in this thread"))
        << errorText(flag->diagnostics);
  }
}

/// Each of four blocks of two warps stores, thread 0 counts its block in, and the last block adds up what all have
/// stored. `told` comes between the stores and the count, `seen` between the count and the loads.
Result<RunResult> lastOfTwoWarps(const std::string &told, const std::string &seen, uint64_t seed = 0) {
  Kernel kernel;
  kernel.threads = 64;
  kernel.blocks = 4;
  kernel.params = 3;
  kernel.declarations = ".shared .align 4 .b8 last[4];";
  kernel.body =
      "mov.u32 %r0, %ctaid.x;\nmov.u32 %r1, %tid.x;\nmad.lo.u32 %r2, %r0, 64, %r1;\nmul.wide.u32 %d0, %r2, 4;\n"
      "add.u64 %d1, %d50, %d0;\nadd.u32 %r3, %r2, 1;\nst.global.u32 [%d1], %r3;\n" +
      told +
      "setp.ne.u32 %p1, %r1, 0;\n@%p1 bra MEET;\natom.global.add.u32 %r4, [%d51], 1;\nst.shared.u32 [last], %r4;\n"
      "MEET:\nbar.sync 0;\nld.shared.u32 %r4, [last];\nsetp.ne.u32 %p2, %r4, 3;\n@%p2 ret;\n" +
      seen +
      "mul.wide.u32 %d2, %r1, 4;\nadd.u64 %d3, %d50, %d2;\nadd.u64 %d4, %d52, %d2;\nmov.u32 %r9, 0;\n"
      "ld.global.u32 %r5, [%d3];\nadd.u32 %r9, %r9, %r5;\nld.global.u32 %r5, [%d3+256];\nadd.u32 %r9, %r9, %r5;\n"
      "ld.global.u32 %r5, [%d3+512];\nadd.u32 %r9, %r9, %r5;\nld.global.u32 %r5, [%d3+768];\n"
      "add.u32 %r9, %r9, %r5;\nst.global.u32 [%d4], %r9;\nret;";
  EmulatorOptions options;
  options.seed = seed;
  return run(kernel, {u32Array(std::vector<uint32_t>(256)), u32Array({0}), u32Array(std::vector<uint32_t>(64))},
             options);
}

TEST(Publish, AFenceIsItsThreadsAndBarriersCarryIt) {
  const std::string fence = "membar.gl;\n", meet = "bar.sync 0;\n";
  for (uint64_t seed = 0; seed < 4; ++seed) {
    // A fence by each thread, or by the thread that counts.
    for (const std::string &told : {fence + meet, meet + fence}) {
      auto good = lastOfTwoWarps(told, fence, seed);
      ASSERT_TRUE(good) << errorText(good.error());
      EXPECT_TRUE(good->diagnostics.empty()) << told << errorText(good->diagnostics);
      EXPECT_EQ(words(good->outputs[2])[1], 2 * 4 + 64u * 6);
    }
    for (const auto &[told, seen, words] :
         // Neither are the other lanes, nor warp 1.
         {std::tuple(fence, fence, "no barrier lies between the access"),
          std::tuple(meet, fence, "and there is none)"),                   // no warp has fenced
          std::tuple("membar.cta;\n" + meet, fence, "and there is none)"), // only within the block
          std::tuple(fence + meet, std::string(), "the missing fence"),    // no warp acquires
          std::tuple(fence + meet, std::string("membar.cta;\n"), "the missing fence")}) {
      auto bad = lastOfTwoWarps(told, seen, seed);
      ASSERT_TRUE(bad) << errorText(bad.error());
      ASSERT_FALSE(bad->diagnostics.empty()) << told << seen;
      bool acquires = std::string_view(words) == "the missing fence";
      EXPECT_EQ(bad->diagnostics[0].kind, acquires ? "unfenced-acquire" : "race");
      EXPECT_EQ(bad->diagnostics[0].severity, acquires ? Severity::Warning : Severity::Error);
      EXPECT_TRUE(mentions(bad->diagnostics, words)) << errorText(bad->diagnostics);
    }
  }
}

/// The last block also overwrites another block's store after it has seen that block's count, as CUDA's
/// threadFenceReduction does.
TEST(Publish, WhatIsReplacedBehindTheCountToo) {
  const std::string fence = "membar.gl;\nbar.sync 0;\n",
                    replace = "@!%p1 ld.global.u32 %r5, [%d50];\n@!%p1 st.global.u32 [%d50], 99;\n";
  for (uint64_t seed = 0; seed < 4; ++seed) {
    auto hazard = lastOfTwoWarps(fence, replace, seed), race = lastOfTwoWarps("", replace, seed),
         good = lastOfTwoWarps(fence, "membar.gl;\n" + replace, seed);
    ASSERT_TRUE(hazard && race && good);
    EXPECT_TRUE(good->diagnostics.empty()) << errorText(good->diagnostics);
    EXPECT_FALSE(hazard->diagnostics.empty());
    for (const Diagnostic &found : hazard->diagnostics)
      EXPECT_EQ(found.kind, "unfenced-acquire") << errorText(hazard->diagnostics);
    EXPECT_TRUE(hasErrors(race->diagnostics)) << "nothing publishes the stores";
  }
}

/// Warp 1 of each of four blocks adds to a sum, thread 0 counts its block in, and the last block reads the sum. Only by
/// luck does its own addition come after all others.
TEST(Publish, AtomicsOfAllWhoWereNotWaitedFor) {
  for (const char *meet : {"bar.sync 0;\n", ""}) {
    Kernel kernel;
    kernel.threads = 64;
    kernel.blocks = 4;
    kernel.params = 3;
    kernel.declarations = ".shared .align 4 .b8 last[4];";
    kernel.body = "mov.u32 %r1, %tid.x;\nsetp.eq.u32 %p3, %r1, 32;\n@%p3 red.global.add.u32 [%d50], 5;\n" +
                  std::string(meet) +
                  "membar.gl;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra MEET;\natom.global.add.u32 %r4, [%d51], 1;\n"
                  "st.shared.u32 [last], %r4;\nMEET:\nbar.sync 0;\nld.shared.u32 %r4, [last];\n"
                  "setp.ne.u32 %p2, %r4, 3;\n@%p2 ret;\n@%p1 ret;\nmembar.gl;\nld.global.u32 %r5, [%d50];\n"
                  "st.global.u32 [%d52], %r5;\nret;";
    auto result = run(kernel, {u32Array({0}), u32Array({0}), u32Array({0})});
    ASSERT_TRUE(result) << errorText(result.error());
    if (*meet) {
      EXPECT_TRUE(result->diagnostics.empty()) << errorText(result->diagnostics);
      EXPECT_EQ(words(result->outputs[2])[0], 20u);
    } else {
      ASSERT_TRUE(hasErrors(result->diagnostics));
      EXPECT_EQ(result->diagnostics[0].kind, "race");
      EXPECT_TRUE(mentions(result->diagnostics, "signals other blocks here")) << errorText(result->diagnostics);
    }
  }
}

/// Each of two blocks links one of two words to the other, unless it sees that they are linked. The first block
/// decides; a stale read of the link is no mistake.
TEST(Publish, ResultsOfTheScheduleAccuseNobody) {
  Kernel kernel;
  kernel.threads = 1;
  kernel.blocks = 2;
  kernel.params = 1;
  kernel.body = "mov.u32 %r0, %ctaid.x;\nxor.b32 %r1, %r0, 1;\nmul.wide.u32 %d0, %r0, 4;\nadd.u64 %d0, %d0, %d50;\n"
                "mul.wide.u32 %d1, %r1, 4;\nadd.u64 %d1, %d1, %d50;\nld.volatile.global.u32 %r2, [%d1];\n"
                "setp.ne.u32 %p1, %r2, 7;\n@%p1 ret;\natom.global.cas.b32 %r3, [%d0], 7, %r1;\nret;";
  auto result = run(kernel, {u32Array({7, 7})});
  ASSERT_TRUE(result) << errorText(result.error());
  EXPECT_TRUE(result->diagnostics.empty()) << errorText(result->diagnostics);
  EXPECT_EQ(words(result->outputs[0]), (std::vector<uint32_t>{1, 7}));
}

/// The largest number of all threads, as programs compute it: a plain load, then `atom.cas` until memory equals the
/// loaded value.
Result<RunResult> largestBy(const std::string &load, const std::string &use = "") {
  Kernel kernel;
  kernel.threads = 64;
  kernel.blocks = 3;
  kernel.params = 2;
  kernel.body = "mov.u32 %r0, %tid.x;\nmov.u32 %r4, %ctaid.x;\nmad.lo.u32 %r0, %r4, 64, %r0;\n" + load +
                "\nAGAIN:\nmax.u32 %r2, %r1, %r0;\natom.global.cas.b32 %r3, [%d50], %r1, %r2;\n"
                "setp.ne.u32 %p1, %r3, %r1;\nmov.u32 %r1, %r3;\n@%p1 bra AGAIN;\n" +
                use + "ret;";
  return run(kernel, {u32Array({0}), u32Array(std::vector<uint32_t>(192))});
}

TEST(Publish, WhatACasComparesMayBeLoadedPlainly) {
  auto result = largestBy("ld.global.u32 %r1, [%d50];");
  ASSERT_TRUE(result) << errorText(result.error());
  ASSERT_FALSE(result->diagnostics.empty());
  for (const Diagnostic &found : result->diagnostics) {
    EXPECT_EQ(found.kind, "racing-read");
    EXPECT_EQ(found.severity, Severity::Note) << errorText(result->diagnostics);
  }
  EXPECT_EQ(words(result->outputs[0])[0], 191u);
  result = largestBy("ld.relaxed.gpu.global.u32 %r1, [%d50];");
  ASSERT_TRUE(result) << errorText(result.error());
  EXPECT_TRUE(result->diagnostics.empty()) << errorText(result->diagnostics);
}

/// As in Triton's layer-norm tutorial: all warps load whether another block was here before, and one warp writes that
/// flag. A late warp finds its own block's flag, and adds zeros.
TEST(Publish, WhoComesLateMayTakeTheOtherPath) {
  for (const std::string late : {"@%p1 nanosleep.u32 5000;\n", ""}) {
    Kernel kernel;
    kernel.threads = 64;
    kernel.params = 2;
    kernel.body =
        "mov.u32 %r0, %tid.x;\nmul.wide.u32 %d0, %r0, 4;\nadd.u64 %d0, %d0, %d51;\nsetp.ge.u32 %p1, %r0, 32;\n" + late +
        "ld.global.u32 %r1, [%d50];\nmov.u32 %r2, 0;\nsetp.eq.u32 %p2, %r1, 0;\n"
        "@%p2 bra FIRST;\nld.global.u32 %r2, [%d0];\nFIRST:\nadd.u32 %r2, %r2, 5;\nst.global.u32 [%d0], %r2;\n"
        "setp.eq.u32 %p3, %r0, 0;\n@%p3 atom.global.exch.b32 %r3, [%d50], 1;\nret;";
    auto result = run(kernel, {u32Array({0}), u32Array(std::vector<uint32_t>(64))});
    ASSERT_TRUE(result) << errorText(result.error());
    ASSERT_EQ(result->diagnostics.size(), 1u) << errorText(result->diagnostics);
    EXPECT_EQ(result->diagnostics[0].kind, "racing-read");
    EXPECT_EQ(words(result->outputs[1]), std::vector<uint32_t>(64, 5));
  }
}

TEST(Publish, WhatIsLoadedPlainlyMayNotDecide) {
  // The loaded value reaches a result; a loop polls it until it changes; the first block wins.
  const std::string plain = "ld.global.u32 %r1, [%d50];\n",
                    place = "mul.wide.u32 %d0, %r0, 4;\nadd.u64 %d0, %d0, %d51;\n";
  for (const auto &[load, use] : {std::pair(plain + "mov.u32 %r5, %r1;", place + "st.global.u32 [%d0], %r5;\n"),
                                  std::pair("setp.ne.u32 %p2, %r0, 70;\n@%p2 bra ON;\nPOLL:\n" + plain +
                                                "setp.eq.u32 %p2, %r1, 0;\n@%p2 bra POLL;\nON:\nmov.u32 %r1, 0;",
                                            std::string()),
                                  std::pair(plain + "setp.ne.u32 %p2, %r1, 0;\n@%p2 ret;", std::string())}) {
    auto result = largestBy(load, use);
    ASSERT_TRUE(result) << errorText(result.error());
    ASSERT_TRUE(hasErrors(result->diagnostics)) << load;
    EXPECT_EQ(result->diagnostics[0].kind, "race") << errorText(result->diagnostics);
  }
}

TEST(Publish, AnyValueThatWasThereMayServe) {
  // A thread that finds a larger number has nothing to add, whichever number it is.
  auto larger = largestBy("ld.global.u32 %r1, [%d50];\nsetp.ge.u32 %p2, %r1, %r0;\n@%p2 ret;", "");
  ASSERT_TRUE(larger) << errorText(larger.error());
  ASSERT_FALSE(larger->diagnostics.empty());
  for (const Diagnostic &found : larger->diagnostics) {
    EXPECT_EQ(found.kind, "racing-value");
    EXPECT_EQ(found.severity, Severity::Warning) << errorText(larger->diagnostics);
  }
  EXPECT_TRUE(mentions(larger->diagnostics, "`ld.relaxed`"));
  // Breadth-first search: threads of several blocks mark the same nodes. Any thread that reaches a node marks it.
  Kernel kernel;
  kernel.blocks = 3;
  kernel.threads = 64;
  kernel.params = 2;
  auto search = [&](const std::string &cost) {
    kernel.body = "mov.u32 %r0, %tid.x;\nmov.u32 %r4, %ctaid.x;\nmad.lo.u32 %r0, %r4, 64, %r0;\n"
                  "mul.lo.u32 %r5, %r0, 7;\nand.b32 %r5, %r5, 31;\nmul.wide.u32 %d0, %r5, 4;\nadd.u64 %d1, %d0, %d50;\n"
                  "add.u64 %d2, %d0, %d51;\nld.global.u32 %r1, [%d1];\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 ret;\n"
                  "st.global.u32 [%d2], " +
                  cost + ";\nst.global.u32 [%d1], 1;\nret;";
    return run(kernel, {u32Array(std::vector<uint32_t>(32)), u32Array(std::vector<uint32_t>(32))});
  };
  auto marks = search("5");
  ASSERT_TRUE(marks) << errorText(marks.error());
  ASSERT_FALSE(marks->diagnostics.empty());
  for (const Diagnostic &found : marks->diagnostics)
    EXPECT_TRUE(found.kind == "racing-value" || found.kind == "racing-read") << errorText(marks->diagnostics);
  EXPECT_EQ(words(marks->outputs[1]), std::vector<uint32_t>(32, 5));
  auto own = search("%r0"); // the thread that marks it decides the result
  ASSERT_TRUE(own) << errorText(own.error());
  ASSERT_TRUE(hasErrors(own->diagnostics));
  EXPECT_EQ(own->diagnostics[0].kind, "race") << errorText(own->diagnostics);
}

} // namespace
} // namespace lanescope::core::test
