// Grids on several host threads give the same values, times, reports and output as on one thread.
#include "tests/unit/emulator/EmulatorSupport.h"

namespace lanescope::core::test {
namespace {

struct Seen {
  std::vector<uint32_t> values;
  std::string note, report, printed;
  double timeUs = 0;

  bool operator==(const Seen &) const = default;
};

Seen runOn(const Kernel &kernel, std::vector<Array> arrays, uint32_t threads, uint64_t seed = 0) {
  EmulatorOptions options;
  options.threads = threads;
  options.seed = seed;
  auto result = run(kernel, std::move(arrays), options);
  if (!result) {
    ADD_FAILURE() << errorText(result.error());
    return {};
  }
  Seen seen{{}, result->note, errorText(result->diagnostics), result->printed, result->timeUs};
  if (!hasErrors(result->diagnostics))
    seen.values = words(result->outputs.back());
  return seen;
}

Seen sameOnAll(const Kernel &kernel, const std::vector<Array> &arrays) {
  Seen one = runOn(kernel, arrays, 1);
  for (uint32_t threads : {2u, 5u, 0u})
    for (int again = 0; again < 3; ++again) {
      Seen many = runOn(kernel, arrays, threads);
      EXPECT_EQ(many.report, one.report) << threads;
      EXPECT_EQ(many.note, one.note) << threads;
      EXPECT_TRUE(many == one) << threads << " threads";
    }
  return one;
}

// Block b loops 100 * (b % 7) times, copies through shared memory, and stores its values and the time.
Kernel unequal(uint32_t blocks) {
  Kernel kernel;
  kernel.params = 2;
  kernel.blocks = blocks;
  kernel.threads = 32;
  kernel.dynamicSmem = 256;
  kernel.declarations = ".extern .shared .align 16 .b8 smem[];";
  kernel.body = R"(
    mov.u32 %r0, %ctaid.x;
    mov.u32 %r1, %tid.x;
    rem.u32 %r2, %r0, 7;
    mul.lo.u32 %r2, %r2, 100;
    setp.eq.u32 %p1, %r1, 0;
    @%p1 mbarrier.init.shared.b64 [smem+128], 1;
    bar.sync 0;
    @%p1 mbarrier.arrive.expect_tx.shared.b64 %d4, [smem+128], 128;
    @%p1 cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [smem], [%d50], 128, [smem+128];
    W: mbarrier.try_wait.parity.shared.b64 %p2, [smem+128], 0;
    @!%p2 bra.uni W;
    L: setp.eq.u32 %p3, %r2, 0;
    @%p3 bra D;
    sub.u32 %r2, %r2, 1;
    bra.uni L;
    D:
    mov.u64 %d5, %globaltimer;
    cvt.u32.u64 %r5, %d5;
    mov.u32 %r6, %smid;
    add.u32 %r5, %r5, %r6;
    mad.lo.u32 %r7, %r0, 32, %r1;
    mul.wide.u32 %d6, %r7, 4;
    add.s64 %d6, %d6, %d51;
    st.global.b32 [%d6], %r5;
    ret;
  )";
  return kernel;
}

TEST(Grid, ValuesAndTimesDoNotDependOnThreads) {
  std::vector<Array> arrays{u32Array(std::vector<uint32_t>(32, 5)), u32Array(std::vector<uint32_t>(400 * 32))};
  Seen seen = sameOnAll(unequal(400), arrays);
  EXPECT_EQ(seen.report, "");
  // Block 132 runs on block 0's SM after it.
  EXPECT_GT(seen.values[132 * 32], seen.values[0]);
  EXPECT_NE(runOn(unequal(400), arrays, 2, 1).values, seen.values) << "another seed, other times";
}

TEST(Grid, TheLowestFaultIsTold) {
  Kernel kernel = unequal(400);
  std::vector<Array> arrays{u32Array(std::vector<uint32_t>(32, 5)), u32Array(std::vector<uint32_t>(400 * 32))};
  // Blocks 300 to 399 read beyond the buffer; block 61 traps at a later clock.
  kernel.body = "mov.u32 %r0, %ctaid.x;\nsetp.ge.u32 %p5, %r0, 300;\n@%p5 ld.global.b32 %r9, [%d50+4096];\n"
                "setp.ne.u32 %p6, %r0, 61;\n@%p6 bra GO;\nmov.u32 %r9, 100000;\nS: sub.u32 %r9, %r9, 1;\n"
                "setp.ne.u32 %p7, %r9, 0;\n@%p7 bra S;\ntrap;\nGO:\nret;\n";
  Seen seen = sameOnAll(kernel, arrays);
  EXPECT_NE(seen.report.find("block (61, 0, 0)"), std::string::npos) << seen.report;
  EXPECT_EQ(seen.report.find("block (3"), std::string::npos) << seen.report;
}

TEST(Grid, WordsComeInBlockOrder) {
  Kernel kernel;
  kernel.params = 1;
  kernel.blocks = 50;
  kernel.threads = 1;
  kernel.declarations = ".extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);\n"
                        ".global .align 1 .b8 words[7] = {98, 32, 37, 100, 10, 0, 0};";
  kernel.body = R"(
    .local .align 8 .b8 buffer[8];
    .reg .b64 %SP;
    mov.u32 %r0, %ctaid.x;
    mov.u64 %d1, buffer;
    st.local.u32 [buffer], %r0;
    cvta.local.u64 %d1, %d1;
    mov.u64 %d2, words;
    cvta.global.u64 %d2, %d2;
    {
    .param .b64 param0;
    st.param.b64 [param0], %d2;
    .param .b64 param1;
    st.param.b64 [param1], %d1;
    .param .b32 retval0;
    call.uni (retval0), vprintf, (param0, param1);
    ld.param.b32 %r1, [retval0];
    }
    ret;
  )";
  std::string expected;
  for (int b = 0; b < 50; ++b)
    expected += "b " + std::to_string(b) + "\n";
  EXPECT_EQ(sameOnAll(kernel, {u32Array({0})}).printed, expected);
}

TEST(Grid, BlocksThatTalkTakeTurns) {
  // A float sum whose bits depend on the order, and a ticket for each block.
  Kernel kernel;
  kernel.params = 1;
  kernel.blocks = 200;
  kernel.threads = 32;
  kernel.body = R"(
    mov.u32 %r0, %ctaid.x;
    mov.u32 %r1, %tid.x;
    mad.lo.u32 %r2, %r0, 32, %r1;
    add.u32 %r2, %r2, 1;
    cvt.rn.f32.u32 %f0, %r2;
    rcp.rn.f32 %f0, %f0;
    red.global.add.f32 [%d50], %f0;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 ret;
    atom.global.add.u32 %r3, [%d50+4], 1;
    mul.wide.u32 %d1, %r0, 4;
    add.s64 %d1, %d1, %d50;
    st.global.b32 [%d1+8], %r3;
    ret;
  )";
  Seen seen = sameOnAll(kernel, {u32Array(std::vector<uint32_t>(202))});
  EXPECT_EQ(seen.values[1], 200u);
  // Block 0 waits until the last block releases it.
  kernel.body = R"(
    mov.u32 %r0, %ctaid.x;
    setp.eq.u32 %p1, %r0, 0;
    @%p1 bra WAIT;
    setp.ne.u32 %p2, %r0, 199;
    @%p2 ret;
    st.release.gpu.global.b32 [%d50], 7;
    ret;
    WAIT: ld.acquire.gpu.global.b32 %r1, [%d50];
    setp.ne.u32 %p3, %r1, 7;
    @%p3 bra WAIT;
    st.global.b32 [%d50+4], 9;
    ret;
  )";
  seen = runOn(kernel, {u32Array({0, 0})}, 0); // once, since the checker follows each of the many polls
  EXPECT_EQ(seen.values, (std::vector<uint32_t>{7, 9})) << seen.report;
}

TEST(Grid, BlocksOfACooperativeLaunchAreThereAtOnce) {
  Kernel kernel; // twice as many blocks as there are SMs meet
  kernel.threads = 1;
  kernel.blocks = 264;
  kernel.params = 1;
  kernel.body =
      "mov.u32 %r0, %nctaid.x;\nmov.u32 %r4, %smid;\nmov.u32 %r5, %nsmid;\nsetp.ge.u32 %p2, %r4, %r5;\n@%p2 trap;\n"
      "atom.add.release.gpu.global.u32 %r1, [%d50], 1;\n"
      "W: ld.acquire.gpu.global.u32 %r2, [%d50];\nsetp.lt.u32 %p1, %r2, %r0;\n@%p1 bra W;\nret;";
  std::vector<Array> arrays{u32Array({0})};
  Launch launch = launchOf(kernel, arrays);
  launch.cooperative = true;
  auto result = emulate(Source::make("k.ptx", kernel.ptx()), launch, arrays, {});
  ASSERT_TRUE(result) << errorText(result.error());
  EXPECT_TRUE(result->diagnostics.empty()) << errorText(result->diagnostics);
  EXPECT_EQ(words(result->outputs[0])[0], 264u);
}

TEST(Grid, AnEndlessBlockIsStoppedOnAnyThread) {
  Kernel kernel;
  kernel.params = 1;
  kernel.blocks = 8;
  kernel.body = "mov.u32 %r0, %ctaid.x;\nL: add.u32 %r1, %r1, 1;\nsetp.eq.u32 %p1, %r0, 3;\n@%p1 bra L;\nret;";
  for (uint32_t threads : {1u, 3u}) {
    EmulatorOptions options;
    options.threads = threads;
    options.timeoutSeconds = 0.05;
    auto result = run(kernel, {u32Array({1})}, options);
    ASSERT_TRUE(result) << errorText(result.error());
    ASSERT_EQ(result->diagnostics.size(), 1u);
    EXPECT_EQ(result->diagnostics[0].kind, "timeout");
    EXPECT_TRUE(mentions(result->diagnostics, "in block (3, 0, 0), warp 0 is here")) << errorText(result->diagnostics);
  }
}

// Blocks that access the same bytes. %r0 is the block. Thread t of block b has word 32b + t at %d4 and word t at %d5.
Kernel blocks(const std::string &body, uint32_t count = 12) {
  Kernel kernel;
  kernel.params = 1;
  kernel.blocks = count;
  kernel.body = "mov.u32 %r0, %ctaid.x;\nmov.u32 %r1, %tid.x;\nmad.lo.u32 %r2, %r0, 32, %r1;\n"
                "mul.wide.u32 %d3, %r2, 4;\nadd.s64 %d4, %d50, %d3;\nmul.wide.u32 %d5, %r1, 4;\n"
                "add.s64 %d5, %d50, %d5;\nsetp.eq.u32 %p1, %r0, 7;\nsetp.eq.u32 %p2, %r1, 0;\n" +
                body + "\nret;";
  return kernel;
}

TEST(Grid, RacesBetweenBlocks) {
  std::vector<Array> arrays{u32Array(std::vector<uint32_t>(32 * 16))};
  struct Case {
    const char *name, *words;
    std::string good, bad;
  };
  const std::string own = "st.global.b32 [%d4], %r0;\n";
  for (const Case &c : std::initializer_list<Case>{
           {"two blocks write", "which a warp of block (0, 0, 0) writes", own, "st.global.b32 [%d5], %r0;\n"},
           {"a block reads another's part", "which a warp of block (6, 0, 0) writes", own + "ld.global.b32 %r5, [%d4];",
            own + "@%p1 ld.global.b32 %r5, [%d4+-128];"},
           {"a block writes what another reads", "which a warp of block (6, 0, 0) reads",
            "@!%p1 ld.global.b32 %r5, [%d4+-0];\n@%p1 st.global.b32 [%d4], 5;\n",
            "@!%p1 ld.global.b32 %r5, [%d4];\n@%p1 st.global.b32 [%d4+-128], 5;\n"},
           {"a sum without atomics", "which a warp of block (0, 0, 0) writes", "red.global.add.u32 [%d5], 1;\n",
            "ld.global.b32 %r5, [%d5];\nadd.u32 %r5, %r5, 1;\nst.global.b32 [%d5], %r5;\n"},
           {"parts of one line of words", "which a warp of block (0, 0, 0) writes",
            "mul.wide.u32 %d6, %r0, 8;\nadd.s64 %d6, %d6, %d50;\n@%p2 st.global.v2.b32 [%d6], {%r0, %r0};\n",
            "mul.wide.u32 %d6, %r0, 8;\nadd.s64 %d6, %d6, %d50;\nadd.u32 %r0, %r0, 1;\n"
            "@%p2 st.global.b32 [%d6], %r0;\n@%p2 st.global.b32 [%d6+8], %r0;\n"}}) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(sameOnAll(blocks(c.good), arrays).report, "");
    std::string report = sameOnAll(blocks(c.bad), arrays).report;
    EXPECT_NE(report.find("without an order between them"), std::string::npos) << report;
    EXPECT_NE(report.find(c.words), std::string::npos) << report;
  }
  // Blocks that all write the same value do not race, and neither do blocks that only read.
  EXPECT_EQ(sameOnAll(blocks("ld.global.b32 %r5, [%d5+256];\nst.global.b32 [%d5], 9;\n"), arrays).report, "");
}

TEST(Grid, BlocksThatWaitForEachOtherAreOrdered) {
  // Block b adds its part after block b - 1. A ticket in word 0 gives the order.
  const std::string turn = "add.s64 %d6, %d5, 128;\nL: ld.acquire.gpu.global.b32 %r4, [%d50];\n"
                           "setp.ne.u32 %p3, %r4, %r0;\n@%p3 bra L;\n";
  const std::string add = "ld.global.b32 %r5, [%d6];\nadd.u32 %r5, %r5, 1;\nst.global.b32 [%d6], %r5;\n";
  const std::string pass = "add.u32 %r6, %r0, 1;\nbar.sync 0;\n@%p2 st.release.gpu.global.b32 [%d50], %r6;\n";
  std::vector<Array> arrays{u32Array(std::vector<uint32_t>(32 * 16))};
  Seen good = sameOnAll(blocks(turn + add + pass), arrays);
  EXPECT_EQ(good.report, "");
  ASSERT_EQ(good.values.size(), 512u);
  EXPECT_EQ(good.values[32 + 5], 12u);
  // The ticket is passed on too early, so that the accesses after it are not ordered.
  std::string report = sameOnAll(blocks(turn + pass + add), arrays).report;
  EXPECT_NE(report.find("without an order between them"), std::string::npos) << report;
}

} // namespace
} // namespace lanescope::core::test
