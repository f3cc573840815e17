// Racing reads of shared memory by a software pipeline that reads ahead for a round that never comes. They are notes if
// no result depends on them.
#include "tests/unit/emulator/EmulatorSupport.h"

#include "core/gpu/emulator/coverage/Coverage.h"

namespace lanescope::core::test {
namespace {

/// Each of 64 threads adds up, three times, a word of a thread of the other warp. The thread reads that word one round
/// ahead. After the loop it replaces its own word. `behind` is its use of the last value read.
Result<RunResult> readsAhead(const std::string &behind, uint64_t seed,
                             const std::string &load = "ld.shared.b32 %r1, [%d5];\n", Coverage *coverage = nullptr) {
  Kernel kernel;
  kernel.threads = 64;
  kernel.declarations = ".shared .align 16 .b8 smem[1024];";
  kernel.params = 1;
  kernel.body = "mov.u32 %r0, %tid.x;\nmul.wide.u32 %d0, %r0, 16;\nmov.b64 %d1, smem;\nadd.s64 %d2, %d1, %d0;\n"
                "xor.b32 %r11, %r0, 32;\nmul.wide.u32 %d5, %r11, 16;\nadd.s64 %d5, %d5, %d1;\n"
                "mul.wide.u32 %d0, %r0, 4;\nadd.s64 %d3, %d50, %d0;\n"
                "st.shared.v4.b32 [%d2], {7, 7, 7, 7};\nbar.sync 0;\n" +
                load +
                "mov.u32 %r2, 0;\nmov.u32 %r9, 0;\n"
                "LOOP:\nadd.u32 %r2, %r2, %r1;\nbar.sync 0;\n" +
                load +
                "add.u32 %r9, %r9, 1;\nsetp.lt.u32 %p5, %r9, 3;\n@%p5 bra LOOP;\n"
                "st.shared.b32 [%d2], 5;\n" +
                behind + "st.global.b32 [%d3], %r2;\nret;";
  EmulatorOptions options;
  options.seed = seed;
  options.coverage = coverage;
  return run(kernel, {u32Array(std::vector<uint32_t>(64))}, options);
}

TEST(DeadReads, OfTheLastRoundAreNoted) {
  for (const std::string &load :
       {std::string("ld.shared.b32 %r1, [%d5];\n"),
        std::string("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1, %r3, %r4, %r5}, [%d5];\nand.b32 %r1, %r1, 7;\n")})
    for (uint64_t seed = 0; seed < 4; ++seed) {
      auto result = readsAhead("", seed, load);
      ASSERT_TRUE(result) << errorText(result.error());
      ASSERT_FALSE(result->diagnostics.empty());
      for (const Diagnostic &found : result->diagnostics) {
        EXPECT_EQ(found.kind, "dead-read") << errorText(result->diagnostics);
        EXPECT_EQ(found.severity, Severity::Note);
      }
      EXPECT_TRUE(mentions(result->diagnostics, "no result depends on the value that it reads"));
      EXPECT_TRUE(mentions(result->diagnostics, "no barrier"));
      EXPECT_EQ(words(result->outputs[0]), std::vector<uint32_t>(64, 21));
      EXPECT_TRUE(result->note.starts_with("emulated ")) << result->note;
      EXPECT_FALSE(result->note.starts_with("emulated until")) << "it ran to its end";
    }
}

TEST(DeadReads, ThatComeToAResultOrDecideAreRaces) {
  for (const char *behind : {"add.u32 %r2, %r2, %r1;\n", "setp.ne.u32 %p6, %r1, 7;\n@%p6 mov.u32 %r2, 1;\n",
                             "setp.ne.u32 %p6, %r1, 7;\n@%p6 bra OTHER;\nmov.u32 %r12, 1;\nOTHER:\n"})
    for (uint64_t seed = 0; seed < 4; ++seed) {
      auto result = readsAhead(behind, seed);
      ASSERT_TRUE(result) << errorText(result.error());
      ASSERT_FALSE(result->diagnostics.empty());
      EXPECT_EQ(result->diagnostics[0].kind, "race") << behind << errorText(result->diagnostics);
      EXPECT_EQ(result->diagnostics[0].severity, Severity::Error);
    }
}

/// A value that is stored to shared memory counts as used, even if no thread reads it there.
TEST(DeadReads, ThatAreStoredAreRaces) {
  for (const char *behind : {"st.shared.b32 [%d2+8], %r1;\n", "add.u32 %r12, %r1, 1;\nst.shared.b8 [%d2+12], %r12;\n",
                             "and.b32 %r12, %r1, 1;\natom.shared.add.u32 %r13, [%d2+4], %r12;\n"})
    for (uint64_t seed = 0; seed < 4; ++seed) {
      auto result = readsAhead(behind, seed);
      ASSERT_TRUE(result) << errorText(result.error());
      ASSERT_TRUE(hasErrors(result->diagnostics)) << behind << seed;
      EXPECT_EQ(result->diagnostics[0].kind, "race") << errorText(result->diagnostics);
    }
}

TEST(DeadReads, RacesInEveryRoundOfALongLoop) {
  Kernel kernel;
  kernel.threads = 64;
  kernel.declarations = ".shared .align 16 .b8 smem[256];";
  kernel.params = 1;
  kernel.body = "mov.u32 %r0, %tid.x;\nsetp.lt.u32 %p0, %r0, 32;\n@%p0 st.shared.u32 [smem], 5;\nmov.u32 %r9, 0;\n"
                "mov.u32 %r2, 0;\nLOOP:\nld.shared.u32 %r1, [smem];\nadd.u32 %r2, %r2, %r1;\n"
                "add.u32 %r9, %r9, 1;\nsetp.lt.u32 %p5, %r9, 40000;\n@%p5 bra LOOP;\n"
                "mul.wide.u32 %d0, %r0, 4;\nadd.s64 %d3, %d50, %d0;\nst.global.b32 [%d3], %r2;\nret;";
  auto result = run(kernel, {u32Array(std::vector<uint32_t>(64))});
  ASSERT_TRUE(result) << errorText(result.error());
  ASSERT_FALSE(result->diagnostics.empty());
  EXPECT_EQ(result->diagnostics[0].kind, "race") << errorText(result->diagnostics);
}

TEST(DeadReads, RunsThatJudgeThemAreNotCounted) {
  for (const char *behind : {"", "add.u32 %r2, %r2, %r1;\n"}) {
    Coverage coverage;
    auto result = readsAhead(behind, 0, "ld.shared.b32 %r1, [%d5];\n", &coverage);
    ASSERT_TRUE(result) << errorText(result.error());
    EXPECT_FALSE(result->diagnostics.empty());
    std::vector<uint64_t> reached;
    for (const CoveragePoint &point : coverage.points())
      if (point.kind == CoveragePoint::Kind::Barrier)
        reached.push_back(point.reached);
    EXPECT_EQ(reached, (std::vector<uint64_t>{2, 6})) << behind << ": by two warps, once and in three rounds";
  }
}

TEST(DeadReads, HideNoOtherFault) {
  // Both warps write the same bytes.
  auto result = readsAhead("st.shared.b32 [smem+512], %r0;\n", 0);
  ASSERT_TRUE(result) << errorText(result.error());
  ASSERT_FALSE(result->diagnostics.empty());
  EXPECT_EQ(result->diagnostics[0].severity, Severity::Error) << errorText(result->diagnostics);
}

/// Thread 0 stores a word of shared memory, and then all threads run `body`. %p1: thread 0; %p2: warp 1; %p3: all but
/// thread 0. Returns the kinds of the findings at reads that race.
std::string toldOfAWord(const std::string &body) {
  Kernel kernel;
  kernel.threads = 64;
  kernel.declarations = ".shared .align 16 .b8 smem[1024];";
  kernel.params = 1;
  kernel.body = "mov.u32 %r0, %tid.x;\nmul.wide.u32 %d0, %r0, 4;\nadd.s64 %d3, %d50, %d0;\nmov.u32 %r9, 7;\n"
                "setp.eq.u32 %p1, %r0, 0;\nsetp.ge.u32 %p2, %r0, 32;\nsetp.ne.u32 %p3, %r0, 0;\n"
                "@%p1 st.shared.b32 [smem], 3;\nbar.sync 0;\n" +
                body + "st.global.b32 [%d3], %r9;\nret;";
  std::string out;
  for (uint64_t seed : {0, 1, 2}) {
    EmulatorOptions options;
    options.seed = seed;
    auto result = run(kernel, {u32Array(std::vector<uint32_t>(64))}, options);
    const Diagnostics &found = result ? result->diagnostics : result.error();
    std::string kinds;
    for (const Diagnostic &one : found)
      if (!kinds.contains(one.kind))
        kinds += (kinds.empty() ? "" : " ") + one.kind;
    if (seed == 0)
      out = kinds;
    else
      EXPECT_EQ(kinds, out) << body << errorText(found);
  }
  return out;
}

TEST(DeadReads, AreNotedIfTheLanesDiscardThem) {
  const std::string store = "@%p1 st.shared.b32 [smem], 5;\n", load = "ld.shared.b32 %r1, [smem];\n";
  for (const std::string &body :
       {"@%p3 bra OTHER;\nst.shared.b32 [smem], 5;\nmov.u32 %r1, 5;\nbra BOTH;\nOTHER:\n" + load +
            "BOTH:\nselp.b32 %r9, %r1, 7, %p1;\n", // lanes of the storing warp, too, while they have diverged
        store + "bar.warp.sync -1;\n" + load + "selp.b32 %r9, 7, %r1, %p2;\n",
        store + "bar.warp.sync -1;\n" + load +
            "mul.lo.u32 %r2, %r1, 3;\nadd.u32 %r2, %r2, %r0;\n"
            "selp.b32 %r9, 7, %r2, %p2;\n",
        store + load + "selp.b32 %r9, %r1, 7, %p1;\n", // also lanes in step with the one that stores
        store + "bar.warp.sync -1;\n" + load + "@%p1 st.global.b32 [%d50], %r1;\n"})
    EXPECT_EQ(toldOfAWord(body), "dead-read") << body;
}

TEST(DeadReads, ThatALaneSelectsOrThatDecideAreRaces) {
  const std::string begin = "@%p1 st.shared.b32 [smem], 5;\nbar.warp.sync -1;\nld.shared.b32 %r1, [smem];\n";
  for (const std::string end :
       {"selp.b32 %r9, %r1, 7, %p2;\n", "add.u32 %r9, %r1, 1;\n", "@%p2 st.global.b32 [%d50+4], %r1;\n",
        "setp.eq.u32 %p4, %r1, 5;\nselp.b32 %r9, 7, 8, %p4;\n",
        "selp.b32 %r9, 7, %r1, %p2;\nst.global.b32 [%d3], %r1;\n",
        "setp.eq.u32 %p4, %r1, 5;\n@%p4 bra NEXT;\nmov.u32 %r2, 1;\nNEXT:\nselp.b32 %r9, 7, %r1, %p2;\n"})
    EXPECT_EQ(toldOfAWord(begin + end), "race") << end;
}

} // namespace
} // namespace lanescope::core::test
