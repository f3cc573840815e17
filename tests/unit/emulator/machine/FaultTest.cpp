// Planted faults: each is reported with its kind on its line of the snippet, and ends the run.
#include "tests/unit/emulator/EmulatorSupport.h"

#include <algorithm>

namespace lanescope::core::test {
namespace {

const char *const kSnippet = "line one\nline two\nline three\nline four\nline five\n";

struct Fault {
  Result<RunResult> result;
  uint32_t line = 0;
  std::string kind;
};

Fault runFaulty(Kernel kernel, std::vector<Array> arrays, EmulatorOptions options = {}) {
  options.snippet = Source::make("snippet.py", kSnippet);
  Fault fault{run(kernel, std::move(arrays), options), 0, ""};
  if (!fault.result) {
    ADD_FAILURE() << errorText(fault.result.error());
    return fault;
  }
  if (fault.result->diagnostics.empty()) {
    ADD_FAILURE() << "no fault was reported";
    return fault;
  }
  const Diagnostic &first = fault.result->diagnostics[0];
  fault.kind = first.kind;
  if (first.span.source && first.span.source->name() == "snippet.py")
    fault.line = first.span.source->lineColumn(first.span.begin).line;
  return fault;
}

Kernel sharedKernel(std::string body, uint32_t threads = 32) {
  Kernel kernel;
  kernel.params = 1;
  kernel.threads = threads;
  kernel.dynamicSmem = 256;
  kernel.declarations = ".extern .shared .align 16 .b8 smem[];";
  kernel.body = std::move(body);
  return kernel;
}

TEST(Fault, GlobalOutOfBounds) {
  auto past =
      runFaulty(sharedKernel(".loc 1 2 3\nmov.u32 %r0, %tid.x;\nmul.wide.u32 %d0, %r0, 4;\nadd.s64 %d1, %d50, %d0;\n"
                             ".loc 1 3 5\nld.global.b32 %r1, [%d1];\nret;"),
                {u32Array(std::vector<uint32_t>(30))});
  EXPECT_EQ(past.line, 3u);
  EXPECT_EQ(past.kind, "global-out-of-bounds");
  EXPECT_TRUE(mentions(past.result->diagnostics, "4 bytes at byte 120 of buffer 0 (u32[30]), which has 120 bytes"));
  EXPECT_TRUE(mentions(past.result->diagnostics, "lane 30"));
  auto before = runFaulty(sharedKernel(".loc 1 4 1\nst.global.b32 [%d50+-8], 0;\nret;"), {u32Array({1})});
  EXPECT_EQ(before.line, 4u);
  auto nowhere =
      runFaulty(sharedKernel(".loc 1 1 1\nmov.b64 %d0, 16;\nld.global.b32 %r1, [%d0];\nret;"), {u32Array({1})});
  EXPECT_TRUE(mentions(nowhere.result->diagnostics, "in none of the kernel's arrays"));
  // Only lane 0's address is inside the array; the other lanes' offsets are negative.
  auto below =
      runFaulty(sharedKernel(".loc 1 2 3\nmov.u32 %r0, %tid.x;\nmul.wide.u32 %d0, %r0, 256;\nsub.s64 %d1, %d50, %d0;\n"
                             ".loc 1 3 5\nld.global.b32 %r1, [%d1];\nret;"),
                {u32Array({1})});
  EXPECT_EQ(below.line, 3u);
  EXPECT_EQ(below.kind, "global-out-of-bounds");
  EXPECT_TRUE(mentions(below.result->diagnostics, "lane 1"));
}

TEST(Fault, ArraysAreNamedByTheirElements) {
  auto say = [](const std::string &body) {
    Kernel kernel;
    kernel.params = 1;
    kernel.threads = 64;
    kernel.body = body + "\nret;";
    std::vector<Array> arrays{Array::zeros(Dtype::U32, {8, 64})};
    Launch launch = launchOf(kernel, arrays);
    std::get<BufferParam>(launch.params[0]).buffer.name = "x";
    auto result = emulate(Source::make("k.ptx", kernel.ptx()), launch, arrays, {});
    return result ? errorText(result->diagnostics) : errorText(result.error());
  };
  EXPECT_NE(say("mov.u32 %r0, %tid.x;\nst.global.b32 [%d50+384], %r0;")
                .find("writes `x[1, 32]`, byte 384 of `x` (u32[8, 64]), which warp"),
            std::string::npos);
  EXPECT_NE(say("ld.global.v4.b32 {%r0, %r1, %r2, %r3}, [%d50+2064];")
                .find("at byte 2064 of `x` (u32[8, 64]), which has 2048 bytes; `x[8, 4:8]` would be there"),
            std::string::npos);
}

TEST(Fault, SharedOutOfBounds) {
  auto fault =
      runFaulty(sharedKernel(".loc 1 5 2\nst.shared.v4.b32 [smem+252], {%r0, %r0, %r0, %r0};\nret;"), {u32Array({1})});
  EXPECT_EQ(fault.line, 5u);
  EXPECT_EQ(fault.kind, "shared-out-of-bounds");
  EXPECT_TRUE(mentions(fault.result->diagnostics, "byte 252 of the dynamic shared memory"))
      << errorText(fault.result->diagnostics);
}

// nvcc mangles the names of variables inside functions; the message has the name of the source.
TEST(Fault, StaticSharedVariablesHaveTheirNames) {
  Kernel kernel = sharedKernel(".loc 1 2 1\nld.shared.b32 %r1, [_ZZ3sumPfE4tile+130];\nret;");
  kernel.declarations += "\n.shared .align 16 .b8 plain[64];\n.shared .align 16 .b8 _ZZ3sumPfE4tile[256];";
  auto mangled = runFaulty(kernel, {u32Array({1})});
  EXPECT_EQ(mangled.kind, "misaligned-access");
  EXPECT_TRUE(mentions(mangled.result->diagnostics, "byte 130 of `tile`, shared address 1154"))
      << errorText(mangled.result->diagnostics);
  kernel.body = ".loc 1 2 1\nmov.b32 %r0, %tid.x;\nmul.lo.u32 %r2, %r0, 0;\nst.shared.b32 [plain+8], %r0;\nret;";
  kernel.threads = 64;
  auto race = runFaulty(kernel, {u32Array({1})});
  EXPECT_EQ(race.kind, "race");
  EXPECT_TRUE(mentions(race.result->diagnostics, "writes byte 8 of `plain`, shared address 1032, which warp"))
      << errorText(race.result->diagnostics);
}

TEST(Fault, Misaligned) {
  auto fault = runFaulty(sharedKernel(".loc 1 2 1\nld.shared.b32 %r1, [smem+2];\nret;"), {u32Array({1})});
  EXPECT_EQ(fault.kind, "misaligned-access");
  EXPECT_EQ(fault.line, 2u);
}

// Line 0 means no source line. The fault is reported at the line that ran before it, or, at the start of a basic block,
// at the next line.
TEST(Fault, CodeOfNoLine) {
  auto before = runFaulty(sharedKernel(".loc 1 2 1\nmov.u32 %r0, 1;\n.loc 1 0 1\nld.shared.b32 %r1, [smem+2];\n"
                                       ".loc 1 4 1\nret;"),
                          {u32Array({1})});
  EXPECT_EQ(before.line, 2u);
  auto behind = runFaulty(sharedKernel(".loc 1 2 1\nmov.u32 %r0, 1;\nbra L;\nL:\n.loc 1 0 1\n"
                                       "ld.shared.b32 %r1, [smem+2];\n.loc 1 4 1\nret;"),
                          {u32Array({1})});
  EXPECT_EQ(behind.line, 4u);
}

TEST(Fault, WaitForNobody) {
  auto fault = runFaulty(sharedKernel(R"(
    .loc 1 1 1
    mov.u32 %r0, %tid.x;
    setp.eq.u32 %p1, %r0, 0;
    @%p1 mbarrier.init.shared.b64 [smem+8], 3;
    bar.sync 0;
    .loc 1 4 3
    {
    .reg .pred P1;
    WAIT:
    mbarrier.try_wait.parity.shared.b64 P1, [smem+8], 0, 10000000;
    @P1 bra.uni DONE;
    bra.uni WAIT;
    DONE:
    }
    ret;)",
                                      128),
                         {u32Array({1})});
  EXPECT_EQ(fault.kind, "deadlock");
  EXPECT_EQ(fault.line, 4u);
  EXPECT_TRUE(
      mentions(fault.result->diagnostics,
               "warps 0-3 wait here for the mbarrier at shared address 1032 (byte 8 of the dynamic shared memory), "
               "phase 0 (parity 0): 3 of 3 arrivals and 0 bytes are missing"))
      << errorText(fault.result->diagnostics);
}

TEST(Fault, BytesThatNeverCome) {
  for (const char *test : {"try_wait", "test_wait"}) {
    auto fault = runFaulty(sharedKernel(std::string(R"(
    .loc 1 2 1
    mov.u32 %r0, %tid.x;
    setp.eq.u32 %p1, %r0, 0;
    @%p1 mbarrier.init.shared.b64 [smem], 1;
    bar.sync 0;
    @%p1 mbarrier.arrive.expect_tx.shared.b64 %d1, [smem], 4096;
    .loc 1 5 1
    WAIT:
    mbarrier.)") + test + R"(.parity.shared.b64 %p2, [smem], 0;
    @!%p2 bra.uni WAIT;
    ret;)"),
                           {u32Array({1})});
    EXPECT_EQ(fault.kind, "deadlock") << test;
    EXPECT_EQ(fault.line, 5u);
    EXPECT_TRUE(mentions(fault.result->diagnostics, "0 of 1 arrivals and 4096 bytes are missing"))
        << errorText(fault.result->diagnostics);
  }
}

TEST(Fault, NamedBarrierThatNobodyCompletes) {
  auto fault = runFaulty(
      sharedKernel(".loc 1 3 1\nmov.u32 %r0, %tid.x;\nsetp.lt.u32 %p1, %r0, 32;\n@%p1 bar.sync 2, 128;\nret;", 64),
      {u32Array({1})});
  EXPECT_EQ(fault.kind, "deadlock");
  EXPECT_EQ(fault.line, 3u);
  EXPECT_TRUE(mentions(fault.result->diagnostics, "warp 0 waits here for barrier 2: 32 of 128 threads have arrived"));
  EXPECT_TRUE(mentions(fault.result->diagnostics, "warp 1 has exited and cannot arrive any more"));
}

TEST(Fault, EndlessLoopMeetsTheWatchdog) {
  EmulatorOptions options;
  options.timeoutSeconds = 0.05;
  auto fault =
      runFaulty(sharedKernel(".loc 1 3 1\nL: add.u32 %r1, %r1, 1;\nbra.uni L;\nret;"), {u32Array({1})}, options);
  EXPECT_EQ(fault.kind, "timeout");
  EXPECT_EQ(fault.line, 3u);
  EXPECT_TRUE(mentions(fault.result->diagnostics, "within the time limit of 0.05 s (`--time-limit`): 0 of 1 block has "
                                                  "ended; is there an endless loop?"))
      << errorText(fault.result->diagnostics);
  std::atomic<bool> stop = true;
  options.timeoutSeconds = 1000;
  options.interrupted = &stop;
  EXPECT_EQ(runFaulty(sharedKernel("L: add.u32 %r1, %r1, 1;\nbra.uni L;\nret;"), {u32Array({1})}, options).kind,
            "interrupted");
}

TEST(Fault, Trap) {
  auto fault = runFaulty(sharedKernel(".loc 1 2 1\nmov.u32 %r0, %tid.x;\nsetp.eq.u32 %p1, %r0, 7;\n@%p1 trap;\nret;"),
                         {u32Array({1})});
  EXPECT_EQ(fault.kind, "trap");
  EXPECT_EQ(fault.line, 2u);
  EXPECT_TRUE(mentions(fault.result->diagnostics, "lane 7"));
}

// A grid of many blocks that end is not reported as endless.
TEST(Fault, ManyBlocksMeetTheTimeLimit) {
  Kernel kernel;
  kernel.params = 1;
  kernel.blocks = 1 << 24;
  kernel.body = "mov.u32 %r0, 0;\nL: add.u32 %r0, %r0, 1;\nsetp.lt.u32 %p1, %r0, 50;\n@%p1 bra L;\nret;";
  EmulatorOptions options;
  options.timeoutSeconds = 0.2;
  auto result = run(kernel, {u32Array({1})}, options);
  ASSERT_TRUE(result) << errorText(result.error());
  EXPECT_TRUE(mentions(result->diagnostics, " of 16777216 blocks have ended")) << errorText(result->diagnostics);
  EXPECT_FALSE(mentions(result->diagnostics, "endless loop")) << errorText(result->diagnostics);
}

TEST(Unknown, BytesThatEndAString) {
  Kernel kernel;
  kernel.params = 1;
  kernel.body = "ret;";
  std::vector<Array> arrays = {u32Array({1})};
  Launch launch = launchOf(kernel, arrays);
  auto emulated = [&](std::string ptx) { return emulate(Source::make("k.ptx", std::move(ptx)), launch, arrays, {}); };
  EXPECT_TRUE(emulated(kernel.ptx() + std::string(3, '\0')));
  std::string within = kernel.ptx();
  within[within.find("ret;")] = '\0';
  auto refused = emulated(within);
  ASSERT_FALSE(refused);
  EXPECT_TRUE(mentions(refused.error(), "here is a NUL byte")) << errorText(refused.error());
  EXPECT_EQ(refused.error()[0].span.begin, within.find('\0'));
}

// Two warps read each other's words at two places; the results are those of the schedule.
TEST(Fault, RunsGoOnAfterFindings) {
  Kernel kernel =
      sharedKernel("mov.u32 %r0, %tid.x;\nmov.u32 %r5, smem;\nshl.b32 %r2, %r0, 2;\nxor.b32 %r3, %r2, 128;\n"
                   "add.s32 %r2, %r2, %r5;\nadd.s32 %r3, %r3, %r5;\n"
                   "st.shared.b32 [%r2], %r0;\nld.shared.b32 %r1, [%r3];\n"
                   "st.shared.b32 [%r3+256], %r1;\nld.shared.b32 %r4, [%r2+256];\n"
                   "mul.wide.u32 %d2, %r0, 4;\nadd.s64 %d2, %d50, %d2;\nst.global.b32 [%d2], 7;\nret;",
                   64);
  kernel.dynamicSmem = 512;
  auto ends = run(kernel, {u32Array(std::vector<uint32_t>(64))});
  ASSERT_TRUE(ends) << errorText(ends.error());
  EXPECT_EQ(ends->diagnostics.size(), 1u) << errorText(ends->diagnostics);
  EmulatorOptions options;
  options.keepGoing = true;
  auto goesOn = run(kernel, {u32Array(std::vector<uint32_t>(64))}, options);
  ASSERT_TRUE(goesOn) << errorText(goesOn.error());
  EXPECT_GE(goesOn->diagnostics.size(), 2u) << errorText(goesOn->diagnostics);
  EXPECT_EQ(words(goesOn->outputs[0]), std::vector<uint32_t>(64, 7));
}

/// A replay that changes what loads give needs the checks, which an instruction after a fault is executed without.
TEST(KeepGoing, DoesNotEndAReplayOfRacingReads) {
  // Thread 0 stores without a barrier what all threads load in a loop.
  Kernel kernel =
      sharedKernel("mov.u32 %r0, %tid.x;\nmov.u32 %r5, smem;\nmov.u32 %r6, 0;\nmov.u32 %r7, 0;\n"
                   "setp.eq.u32 %p1, %r0, 0;\nL: @%p1 st.shared.u32 [%r5], %r6;\nld.shared.u32 %r1, [%r5];\n"
                   "add.u32 %r7, %r7, %r1;\nadd.u32 %r6, %r6, 1;\nsetp.lt.u32 %p2, %r6, 4;\n@%p2 bra L;\n"
                   "mul.wide.u32 %d2, %r0, 4;\nadd.s64 %d2, %d50, %d2;\nst.global.u32 [%d2], %r7;\nret;",
                   64);
  kernel.dynamicSmem = 64;
  EmulatorOptions options;
  options.keepGoing = true;
  options.threads = 1;
  auto result = run(kernel, {u32Array(std::vector<uint32_t>(64))}, options);
  ASSERT_TRUE(result) << errorText(result.error());
  EXPECT_FALSE(result->diagnostics.empty());
}

/// Returns the findings and outputs of a run that continues after faults.
RunResult goesOn(const Kernel &kernel, size_t elements) {
  EmulatorOptions options;
  options.keepGoing = true;
  auto result = run(kernel, {u32Array(std::vector<uint32_t>(elements, 5))}, options);
  EXPECT_TRUE(result) << errorText(result.error());
  return result ? std::move(*result) : RunResult{};
}

std::vector<std::string> kindsOf(const RunResult &result) {
  std::vector<std::string> kinds;
  for (const Diagnostic &finding : result.diagnostics)
    kinds.push_back(finding.kind);
  return kinds;
}

const std::string kOwnWord = "mov.u32 %r0, %tid.x;\nmul.wide.u32 %d1, %r0, 4;\nadd.s64 %d2, %d50, %d1;\n";

TEST(Fault, LanesOutOfBoundsAreSkipped) {
  // The buffer has 48 words for 64 threads. The last 16 threads read nothing, and their writes are lost.
  const std::string body = kOwnWord + "ld.global.u32 %r1, [%d2];\nadd.u32 %r1, %r1, 1;\nst.global.u32 [%d2], %r1;\n";
  RunResult result = goesOn(sharedKernel(body + "ret;", 64), 48);
  EXPECT_EQ(kindsOf(result), (std::vector<std::string>{"global-out-of-bounds", "global-out-of-bounds"}));
  EXPECT_EQ(words(result.outputs[0]), std::vector<uint32_t>(48, 6));
  // The faulty read returns 0, and the run finds the next fault.
  RunResult zeros =
      goesOn(sharedKernel(kOwnWord + "ld.global.u32 %r1, [%d2+192];\nbar.sync 0;\nst.global.u32 [%d2], %r1;\n"
                                     "st.shared.u32 [smem], %r0;\nret;",
                          64),
             64);
  EXPECT_EQ(kindsOf(zeros), (std::vector<std::string>{"global-out-of-bounds", "race"})) << errorText(zeros.diagnostics);
  std::vector<uint32_t> expected(64, 0);
  std::fill_n(expected.begin(), 16, 5);
  EXPECT_EQ(words(zeros.outputs[0]), expected);
}

TEST(Fault, OtherWrongAddressesAreSkipped) {
  const std::string end = "st.global.u32 [%d2], 7;\nret;";
  for (auto [line, kind] :
       {std::pair("ld.shared.u32 %r1, [smem+4096];", "shared-out-of-bounds"),
        std::pair("st.shared.u32 [smem+4096], %r0;", "shared-out-of-bounds"),
        std::pair("atom.shared.add.u32 %r1, [smem+4096], 1;", "shared-out-of-bounds"),
        std::pair("red.global.add.u32 [%d50+4096], 1;", "global-out-of-bounds"),
        std::pair("ld.global.v4.u32 {%r1, %r3, %r4, %r5}, [%d50+4];", "misaligned-access"),
        std::pair("ld.global.u64 %d3, [%d50+4];", "misaligned-access"),
        std::pair("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [smem+4096];", "shared-out-of-bounds")}) {
    RunResult result = goesOn(sharedKernel(kOwnWord + line + "\n" + end, 32), 32);
    EXPECT_EQ(kindsOf(result), std::vector<std::string>{kind}) << line << errorText(result.diagnostics);
    EXPECT_EQ(words(result.outputs[0]), std::vector<uint32_t>(32, 7)) << line;
  }
}

const std::string kBarrier = "setp.eq.u32 %p1, %r0, 0;\n@%p1 mbarrier.init.shared.b64 [smem+128], 1;\n"
                             "fence.mbarrier_init.release.cluster;\nbar.sync 0;\n"
                             "@%p1 mbarrier.arrive.expect_tx.shared.b64 %d3, [smem+128], 64;\n";
const std::string kWaitForIt = "W: mbarrier.try_wait.parity.shared.b64 %p2, [smem+128], 0;\n@!%p2 bra.uni W;\n";

TEST(Fault, ACopyOutOfBoundsIsSkippedAndItsWaitNeverEnds) {
  RunResult result =
      goesOn(sharedKernel(
                 kOwnWord + "st.global.u32 [%d2], 7;\n" + kBarrier +
                     "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [smem], [%d50+4096], 64, "
                     "[smem+128];\n" +
                     kWaitForIt + "st.global.u32 [%d2], 8;\nret;",
                 32),
             32);
  EXPECT_EQ(kindsOf(result), (std::vector<std::string>{"global-out-of-bounds", "deadlock"}))
      << errorText(result.diagnostics);
  EXPECT_EQ(words(result.outputs[0]), std::vector<uint32_t>(32, 7)); // written before the wait
}

TEST(Fault, ADeadlockEndsItsBlockAlone) {
  // Block 1 waits forever, while blocks 0, 2 and 3 write. Block 1's own bulk store completes.
  Kernel kernel = sharedKernel(kOwnWord +
                                   "mov.u32 %r4, %ctaid.x;\nmul.wide.u32 %d4, %r4, 128;\nadd.s64 %d2, %d2, %d4;\n"
                                   "setp.ne.u32 %p5, %r4, 1;\n@%p5 bra.uni GO;\n" +
                                   kBarrier +
                                   "st.shared.u32 [smem], 9;\nfence.proxy.async.shared::cta;\nbar.sync 0;\n"
                                   "@%p1 cp.async.bulk.global.shared::cta.bulk_group [%d2], [smem], 16;\n"
                                   "@%p1 cp.async.bulk.commit_group;\n" +
                                   kWaitForIt + "GO: st.global.u32 [%d2], 7;\nret;",
                               32);
  kernel.blocks = 4;
  RunResult result = goesOn(kernel, 128);
  std::vector<std::string> kinds = kindsOf(result);
  EXPECT_EQ(std::ranges::count(kinds, "deadlock"), 1) << errorText(result.diagnostics);
  std::vector<uint32_t> left = words(result.outputs[0]);
  EXPECT_EQ(left[0], 7u);
  EXPECT_EQ(left[32], 9u);
  EXPECT_EQ(left[63], 5u);
  EXPECT_EQ(left[64], 7u);
  EXPECT_EQ(left[127], 7u);
}

TEST(Fault, ASpinThatNeverEndsEndsItsBlockAlone) {
  Kernel kernel =
      sharedKernel(kOwnWord + "mov.u32 %r4, %ctaid.x;\nmul.wide.u32 %d4, %r4, 128;\nadd.s64 %d2, %d2, %d4;\n"
                              "st.shared.u32 [smem], 0;\nsetp.ne.u32 %p5, %r4, 1;\n@%p5 bra.uni GO;\n"
                              "L: ld.volatile.shared.u32 %r1, [smem];\nsetp.eq.u32 %p2, %r1, 0;\n"
                              "@%p2 bra.uni L;\nGO: st.global.u32 [%d2], 7;\nret;",
                   32);
  kernel.blocks = 3;
  RunResult result = goesOn(kernel, 96);
  ASSERT_EQ(result.diagnostics.size(), 1u) << errorText(result.diagnostics);
  EXPECT_EQ(result.diagnostics[0].severity, Severity::Error);
  std::vector<uint32_t> left = words(result.outputs[0]);
  EXPECT_EQ(left[0], 7u);
  EXPECT_EQ(left[32], 5u);
  EXPECT_EQ(left[95], 7u);
}

TEST(Fault, ACopyWhoseBarrierIsGoneDoesNotEndTheRun) {
  RunResult result = goesOn(
      sharedKernel(kOwnWord + kBarrier +
                       "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [smem], [%d50], 64, "
                       "[smem+128];\n@%p1 mbarrier.inval.shared.b64 [smem+128];\nnanosleep.u32 20000;\n"
                       "st.shared.u32 [smem+192], %r0;\nst.global.u32 [%d2], 7;\nret;",
                   64),
      64);
  std::vector<std::string> kinds = kindsOf(result);
  EXPECT_EQ(std::ranges::count(kinds, "mbarrier"), 1) << errorText(result.diagnostics);
  EXPECT_EQ(std::ranges::count(kinds, "race"), 1) << errorText(result.diagnostics);
  EXPECT_EQ(words(result.outputs[0]), std::vector<uint32_t>(64, 7));
}

TEST(Unknown, InstructionsAreNamedBeforeAnythingRuns) {
  for (const char *bad : {"frobnicate.b32 %r1, %r0;", "add.funny.s32 %r1, %r0, 1;", "cvt.rn.f32.wide %r1, %r0;",
                          "wgmma.mma_async.sync.aligned.m64n40k32.s32.s8.s8 {%r0,%r1,%r2,%r3}, %d0, %d1, 1;",
                          "tcgen05.frobnicate.cta_group::1 [%r0];"}) {
    Kernel kernel;
    kernel.params = 0;
    kernel.body = std::string("mov.b32 %r0, 1;\n") + bad + "\nret;";
    auto result = run(kernel, {});
    ASSERT_FALSE(result) << bad;
    const Diagnostic &first = result.error()[0];
    EXPECT_EQ(first.kind, "unknown-instruction") << first.message;
    std::string_view opcode(bad, std::string_view(bad).find(' '));
    EXPECT_NE(first.message.find(opcode), std::string::npos) << first.message;
    EXPECT_EQ(first.span.source->lineText(first.span.source->lineColumn(first.span.begin).line), bad);
  }
}

TEST(Unknown, LaunchesThatDoNotFitAreRefused) {
  Kernel kernel;
  kernel.body = "ret;";
  EXPECT_FALSE(run(kernel, {u32Array({1})})); // the kernel has two parameters
  kernel.params = 1;
  kernel.threads = 2000;
  EXPECT_FALSE(run(kernel, {u32Array({1})}));
  kernel.threads = 32;
  kernel.dynamicSmem = 1 << 20;
  EXPECT_FALSE(run(kernel, {u32Array({1})}));
}

} // namespace
} // namespace lanescope::core::test
