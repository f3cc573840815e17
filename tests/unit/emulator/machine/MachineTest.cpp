// The machine: divergence and reconvergence, loops, calls of vprintf, warp instructions, memory spaces, atomics,
// clocks.
#include "tests/unit/emulator/EmulatorSupport.h"

#include <numeric>

namespace lanescope::core::test {
namespace {

std::vector<uint32_t> lanes() {
  std::vector<uint32_t> out(32);
  std::iota(out.begin(), out.end(), 0u);
  return out;
}

TEST(Divergence, NestedBranchesMeetAgain) {
  // After each if/else all lanes take part in the shuffle, which a diverged warp may not execute.
  auto out = perLane(lanes(), R"(
    and.b32 %r2, %r0, 1;
    setp.eq.u32 %p1, %r2, 0;
    mov.b32 %r3, 0;
    @%p1 bra EVEN;
    setp.gt.u32 %p2, %r0, 15;
    @%p2 bra BIG;
    add.u32 %r3, %r3, 1;
    bra.uni MEET;
  BIG:
    add.u32 %r3, %r3, 2;
  MEET:
    add.u32 %r3, %r3, 10;
    bra DONE;
  EVEN:
    add.u32 %r3, %r3, 100;
  DONE:
    shfl.sync.idx.b32 %r4, %r3, 0, 31, -1;
    add.u32 %r1, %r3, %r4;
  )");
  for (uint32_t l = 0; l < 32; ++l)
    EXPECT_EQ(out[l], 100 + (l % 2 == 0 ? 100u : l > 15 ? 12u : 11u)) << l;
}

TEST(Divergence, LoopsOfDifferentLengths) {
  auto out = perLane(lanes(), R"(
    mov.b32 %r2, 0;
    mov.b32 %r3, 0;
  LOOP:
    setp.ge.u32 %p1, %r2, %r0;
    @%p1 bra END;
    add.u32 %r2, %r2, 1;
    and.b32 %r5, %r2, 1;
    setp.eq.u32 %p2, %r5, 0;
    @%p2 bra LOOP;
    add.u32 %r3, %r3, %r2;
    bra LOOP;
  END:
    vote.sync.ballot.b32 %r4, %p1, -1;
    setp.ne.u32 %p3, %r4, -1;
    @%p3 trap;
    mov.b32 %r1, %r3;
  )");
  for (uint32_t l = 0; l < 32; ++l)
    EXPECT_EQ(out[l], (l + 1) / 2 * ((l + 1) / 2)) << l;
}

TEST(Divergence, LanesMayWaitForLanesOfTheirWarp) {
  // Lane 0 spins on a flag that lane 1 sets in the other arm of the branch.
  Kernel kernel;
  kernel.params = 1;
  kernel.body = R"(
    mov.u32 %r0, %tid.x;
    setp.eq.u32 %p1, %r0, 0;
    @!%p1 bra SETS;
  SPIN:
    ld.volatile.global.u32 %r1, [%d50];
    setp.eq.u32 %p2, %r1, 0;
    @%p2 bra SPIN;
    st.global.u32 [%d50+4], %r1;
    bra.uni END;
  SETS:
    setp.ne.u32 %p3, %r0, 1;
    @%p3 bra END;
    st.volatile.global.u32 [%d50], 42;
  END:
    ret;
  )";
  auto result = run(kernel, {u32Array({0, 0})});
  ASSERT_TRUE(result) << errorText(result.error());
  ASSERT_TRUE(result->diagnostics.empty()) << errorText(result->diagnostics);
  EXPECT_EQ(words(result->outputs[0])[1], 42u);
}

TEST(Divergence, LanesOfManyWarpsMayWaitForLanesOfTheirOwn) {
  // In each of 8 warps, lane 0 spins on a word that lane 1 sets in the other arm of the branch, and lane 2 on a word
  // that lane 0 sets after its spin.
  Kernel kernel;
  kernel.params = 1;
  kernel.threads = 256;
  kernel.body = R"(
    mov.u32 %r0, %tid.x;
    mov.u32 %r7, %laneid;
    shr.u32 %r2, %r0, 5;
    mul.wide.u32 %d1, %r2, 8;
    add.u64 %d1, %d1, %d50;
    setp.gt.u32 %p4, %r7, 2;
    @%p4 bra END;
    setp.eq.u32 %p1, %r7, 1;
    @%p1 bra SETS;
    setp.eq.u32 %p1, %r7, 2;
    @%p1 bra SECOND;
  SPIN:
    ld.volatile.global.u32 %r1, [%d1];
    add.u32 %r3, %r1, 5;
    setp.eq.u32 %p2, %r1, 0;
    @%p2 bra SPIN;
    st.volatile.global.u32 [%d1+4], 43;
    bra.uni END;
  SECOND:
    ld.volatile.global.u32 %r1, [%d1+4];
    setp.eq.u32 %p2, %r1, 0;
    @%p2 bra SECOND;
    bra.uni END;
  SETS:
    st.volatile.global.u32 [%d1], 42;
  END:
    ret;
  )";
  auto result = run(kernel, {u32Array(std::vector<uint32_t>(16))});
  ASSERT_TRUE(result) << errorText(result.error());
  ASSERT_TRUE(result->diagnostics.empty()) << errorText(result->diagnostics);
  for (uint32_t n = 0; n < 16; ++n)
    EXPECT_EQ(words(result->outputs[0])[n], n % 2 ? 43u : 42u);
}

/// The lanes of two warps leave a loop one after another. A lane may leave after the previous lane has executed
/// `behind`.
Kernel inTurns(const std::string &behind, const std::string &inLoop = "") {
  Kernel kernel;
  kernel.params = 1;
  kernel.threads = 64;
  kernel.body = R"(
    .shared .align 4 .b8 turns[8];
    mov.u32 %r0, %tid.x;
    mov.u32 %r7, %laneid;
    shr.u32 %r2, %r0, 5;
    mov.u32 %r1, turns;
    mad.lo.u32 %r2, %r2, 4, %r1;
    mul.wide.u32 %d1, %r0, 4;
    add.u64 %d1, %d1, %d50;
    setp.eq.u32 %p1, %r7, 0;
    @%p1 st.volatile.shared.u32 [%r2], 0;
    bar.sync 0;
  SPIN:
    ld.volatile.shared.u32 %r1, [%r2];
)" + inLoop + R"(
    setp.ne.u32 %p2, %r1, %r7;
    @%p2 bra SPIN;
    st.global.u32 [%d1], %r1;
    add.u32 %r1, %r1, 1;
    st.volatile.shared.u32 [%r2], %r1;
)" + behind + "\nret;\n";
  return kernel;
}

TEST(Divergence, LanesThatHaveLeftALoopGetOn) {
  for (const char *inLoop : {"", "mov.u32 %r9, %clock;\nnanosleep.u32 20;"}) {
    auto result = run(inTurns("", inLoop), {u32Array(std::vector<uint32_t>(64))});
    ASSERT_TRUE(result) << errorText(result.error());
    ASSERT_TRUE(result->diagnostics.empty()) << errorText(result->diagnostics);
    for (uint32_t t = 0; t < 64; ++t)
      EXPECT_EQ(words(result->outputs[0])[t], t % 32) << t;
  }
}

TEST(Divergence, LanesThatWentApartMeetAtInstructionsOfTheWholeWarp) {
  auto result = run(inTurns("shfl.sync.bfly.b32 %r3, %r1, 1, 31, -1;\nbar.warp.sync -1;\nadd.u32 %r3, %r3, %r1;\n"
                            "bar.sync 0;\nst.global.u32 [%d1], %r3;"),
                    {u32Array(std::vector<uint32_t>(64))});
  ASSERT_TRUE(result) << errorText(result.error());
  ASSERT_TRUE(result->diagnostics.empty()) << errorText(result->diagnostics);
  for (uint32_t t = 0; t < 64; ++t)
    EXPECT_EQ(words(result->outputs[0])[t], t % 32 + (t % 32 ^ 1) + 2) << t;
  // Half of them reach another barrier, so neither barrier has the whole warp.
  result = run(inTurns("and.b32 %r4, %r0, 1;\nsetp.eq.u32 %p3, %r4, 0;\n@%p3 bra EVEN;\nbar.sync 1;\nret;\n"
                       "EVEN: bar.sync 2;"),
               {u32Array(std::vector<uint32_t>(64))});
  ASSERT_TRUE(result) << errorText(result.error());
  ASSERT_FALSE(result->diagnostics.empty());
  EXPECT_EQ(result->diagnostics[0].kind, "divergent-instruction") << errorText(result->diagnostics);
}

TEST(Divergence, WhatNoLaneWillDoIsADeadlock) {
  auto result = run(inTurns("", "add.u32 %r1, %r1, 1;"), {u32Array(std::vector<uint32_t>(64))});
  ASSERT_TRUE(result) << errorText(result.error());
  ASSERT_FALSE(result->diagnostics.empty());
  EXPECT_EQ(result->diagnostics[0].kind, "deadlock") << errorText(result->diagnostics);
}

TEST(Divergence, BranchTable) {
  auto out = perLane(lanes(), R"(
    and.b32 %r2, %r0, 3;
    TABLE: .branchtargets A, B, C, B;
    brx.idx %r2, TABLE;
  A: mov.b32 %r1, 10; bra JOIN;
  B: mov.b32 %r1, 20; bra JOIN;
  C: mov.b32 %r1, 30;
  JOIN:
    bar.warp.sync -1;
  )");
  for (uint32_t l = 0; l < 32; ++l)
    EXPECT_EQ(out[l], l % 4 == 0 ? 10u : l % 4 == 2 ? 30u : 20u) << l;
}

TEST(Divergence, WarpInstructionInDivergedCodeIsRefused) {
  Kernel kernel;
  kernel.params = 0;
  kernel.body = "mov.u32 %r0, %laneid;\nsetp.gt.u32 %p1, %r0, 3;\n@%p1 bra END;\nshfl.sync.idx.b32 %r1, %r0, 0, 31, "
                "-1;\nEND: mov.u32 %r2, 0;\nret;";
  auto result = run(kernel, {});
  ASSERT_TRUE(result);
  ASSERT_EQ(result->diagnostics.size(), 1u);
  EXPECT_EQ(result->diagnostics[0].kind, "divergent-instruction");
  EXPECT_EQ(result->diagnostics[0].span.source->lineText(
                result->diagnostics[0].span.source->lineColumn(result->diagnostics[0].span.begin).line),
            "shfl.sync.idx.b32 %r1, %r0, 0, 31, -1;");
}

TEST(Divergence, WhoLeavesAtOnceIsNotAwaited) {
  // Half of warp 0 and all of warp 1 exit. The other lanes meet and see what warp 1 wrote before it exited.
  Kernel kernel;
  kernel.threads = 96;
  kernel.dynamicSmem = 512;
  kernel.declarations = ".extern .shared .align 16 .b8 smem[];";
  kernel.params = 1;
  kernel.body = R"(
    mov.u32 %r0, %tid.x;
    shl.b32 %r1, %r0, 2;
    mov.u32 %r2, smem;
    add.u32 %r3, %r2, %r1;
    st.shared.u32 [%r3], %r0;
    and.b32 %r4, %r0, 0x30;
    setp.eq.u32 %p1, %r4, 0x10;
    @%p1 bra DONE;
    setp.eq.u32 %p2, %r4, 0x20;
    @%p2 bra DONE;
    setp.eq.u32 %p3, %r4, 0x30;
    @%p3 bra DONE;
    bar.sync 0;
    xor.b32 %r5, %r1, 0xF0;
    and.b32 %r5, %r5, 0xFF;
    add.u32 %r6, %r2, %r5;
    ld.shared.u32 %r7, [%r6];
    cvt.u64.u32 %d1, %r1;
    add.s64 %d2, %d50, %d1;
    st.global.u32 [%d2], %r7;
    DONE: ret;
  )";
  auto result = run(kernel, {u32Array(std::vector<uint32_t>(96, 7))});
  ASSERT_TRUE(result) << errorText(result.error());
  EXPECT_TRUE(result->diagnostics.empty()) << errorText(result->diagnostics);
  auto out = words(result->outputs[0]);
  for (uint32_t thread = 0; thread < 96; ++thread)
    EXPECT_EQ(out[thread], thread < 16 || (thread >= 64 && thread < 80) ? (thread ^ 0x3C) & 63 : 7u) << thread;
}

/// The tiles of cooperative groups: every lane names the lanes of its own tile.
TEST(Warp, LanesNameMasksOfTheirOwn) {
  const std::string tile = "shr.u32 %r5, %r0, 3;\nshl.b32 %r6, %r5, 3;\nshl.b32 %r7, 0xFF, %r6;\n";
  auto shuffled = perLane(lanes(), tile + "shfl.sync.up.b32 %r1, %r0, 1, 0x1800, %r7;");
  auto summed = perLane(lanes(), tile + "redux.sync.add.u32 %r1, %r0, %r7;");
  auto voted = perLane(lanes(), tile + "setp.gt.u32 %p1, %r0, 12;\nvote.sync.ballot.b32 %r1, %p1, %r7;");
  for (uint32_t l = 0; l < 32; ++l) {
    uint32_t first = l / 8 * 8;
    EXPECT_EQ(shuffled[l], l == first ? l : l - 1) << l;
    EXPECT_EQ(summed[l], 8 * first + 28) << l;
    EXPECT_EQ(voted[l], (0xFFu << first) & 0xFFFFE000u) << l;
  }
}

TEST(Warp, Shuffles) {
  auto with = [](const std::string &shuffle) { return perLane(lanes(), shuffle); };
  auto up = with("shfl.sync.up.b32 %r1, %r0, 1, 0, -1;"), down = with("shfl.sync.down.b32 %r1, %r0, 2, 31, -1;"),
       bfly = with("shfl.sync.bfly.b32 %r1, %r0, 16, 31, -1;"),
       quarter = with("shfl.sync.idx.b32 %r1, %r0, 3, 0x181f, -1;"),
       inside = with("shfl.sync.down.b32 %r2|%p1, %r0, 2, 31, -1; selp.b32 %r1, 1, 0, %p1;");
  for (uint32_t l = 0; l < 32; ++l) {
    EXPECT_EQ(up[l], l ? l - 1 : 0);
    EXPECT_EQ(down[l], l < 30 ? l + 2 : l);
    EXPECT_EQ(bfly[l], l ^ 16);
    EXPECT_EQ(quarter[l], l / 8 * 8 + 3);
    EXPECT_EQ(inside[l], l < 30 ? 1u : 0u);
  }
}

TEST(Warp, VotesMatchesReductions) {
  EXPECT_EQ(perLane(lanes(), "setp.lt.u32 %p1, %r0, 5; vote.sync.ballot.b32 %r1, %p1, -1;")[9], 31u);
  EXPECT_EQ(perLane(lanes(), "setp.lt.u32 %p1, %r0, 5; vote.sync.all.pred %p2, %p1, -1; selp.b32 %r1, 1, 0, %p2;")[0],
            0u);
  EXPECT_EQ(perLane(lanes(), "setp.lt.u32 %p1, %r0, 5; vote.sync.any.pred %p2, %p1, -1; selp.b32 %r1, 1, 0, %p2;")[9],
            1u);
  EXPECT_EQ(perLane(lanes(), "and.b32 %r2, %r0, 1; match.any.sync.b32 %r1, %r2, -1;")[3], 0xAAAAAAAAu);
  EXPECT_EQ(perLane(lanes(), "redux.sync.add.s32 %r1, %r0, -1;")[4], 496u);
  EXPECT_EQ(perLane(lanes(), "redux.sync.max.u32 %r1, %r0, -1;")[4], 31u);
  auto elected = perLane(lanes(), "elect.sync %r2|%p1, -1; selp.b32 %r1, 1, 0, %p1;");
  EXPECT_EQ(std::accumulate(elected.begin(), elected.end(), 0u), 1u);
  EXPECT_EQ(perLane(lanes(), "activemask.b32 %r1;")[0], 0xFFFFFFFFu);
}

TEST(Memory, SubWordAndVectorAccesses) {
  EXPECT_EQ(evaluate(0x8081, "st.global.b8 [%d42], %r0; ld.global.s8 %r2, [%d42]; mov.b32 %r1, %r2;"), 0xFFFFFF81u);
  EXPECT_EQ(evaluate(0xABCD8081, "st.global.b16 [%d42], %r0; ld.global.u16 %h0, [%d42]; cvt.u32.u16 %r1, %h0;"),
            0x8081u);
}

TEST(Memory, LocalSharedConstAndGenericAddresses) {
  Kernel kernel;
  kernel.params = 1;
  kernel.declarations = ".const .align 4 .u32 table[3] = {5, 6, 7};\n.global .align 8 .f32 scale = 0f40000000;";
  kernel.body = R"(
    .local .align 8 .b8 depot[16];
    .shared .align 4 .b32 cell[32];
    mov.u32 %r0, %tid.x;
    mov.u64 %d0, depot;
    cvta.local.u64 %d1, %d0;
    st.b32 [%d1+4], %r0;            // generic, each lane its own
    ld.local.b32 %r1, [depot+4];
    mov.b64 %d2, cell;
    mul.wide.u32 %d3, %r0, 4;
    add.s64 %d4, %d2, %d3;
    st.shared.b32 [%d4], %r1;
    cvta.shared.u64 %d5, %d4;
    ld.b32 %r2, [%d5];
    ld.const.u32 %r3, [table+8];
    ld.global.f32 %f0, [scale];
    cvt.rzi.u32.f32 %r4, %f0;
    mad.lo.u32 %r5, %r2, %r3, %r4;
    isspacep.shared %p1, %d5;
    @!%p1 trap;
    add.s64 %d6, %d50, %d3;
    st.global.b32 [%d6], %r5;
    ret;
  )";
  auto result = run(kernel, {u32Array(std::vector<uint32_t>(32))});
  ASSERT_TRUE(result) << errorText(result.error());
  ASSERT_TRUE(result->diagnostics.empty()) << errorText(result->diagnostics);
  for (uint32_t l = 0; l < 32; ++l)
    EXPECT_EQ(words(result->outputs[0])[l], l * 7 + 2);
}

TEST(Memory, Atomics) {
  Kernel kernel;
  kernel.params = 1;
  kernel.threads = 96;
  kernel.blocks = 5;
  kernel.body = R"(
    atom.global.add.u32 %r1, [%d50], 2;
    red.global.max.u32 [%d50+4], %r1;
    atom.global.cas.b32 %r2, [%d50+8], 0, 9;
    red.global.add.f32 [%d50+12], 0f3F800000;
    ret;
  )";
  auto result = run(kernel, {u32Array({0, 0, 0, 0})});
  ASSERT_TRUE(result) << errorText(result.error());
  EXPECT_EQ(words(result->outputs[0]), (std::vector<uint32_t>{960, 958, 9, std::bit_cast<uint32_t>(480.0f)}));
}

TEST(Machine, VprintfWritesInOrder) {
  Kernel kernel;
  kernel.params = 0;
  kernel.declarations = ".extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);\n"
                        ".global .align 1 .b8 format[12] = {37, 100, 32, 37, 46, 49, 102, 32, 37, 115, 10, 0};\n"
                        ".global .align 1 .b8 word[3] = {104, 105, 0};";
  kernel.body = R"(
    .local .align 8 .b8 depot[24];
    mov.u64 %d1, depot;
    cvta.local.u64 %d2, %d1;
    mov.u32 %r0, %tid.x;
    setp.gt.u32 %p1, %r0, 1;
    @%p1 bra END;
    st.local.b32 [depot], %r0;
    cvt.rn.f64.u32 %g0, %r0;
    st.local.f64 [depot+8], %g0;
    mov.u64 %d5, word;
    cvta.global.u64 %d5, %d5;
    st.local.b64 [depot+16], %d5;
    mov.u64 %d3, format;
    cvta.global.u64 %d4, %d3;
    { // callseq
    .param .b64 param0;
    st.param.b64 [param0], %d4;
    .param .b64 param1;
    st.param.b64 [param1], %d2;
    .param .b32 retval0;
    call.uni (retval0), vprintf, (param0, param1);
    ld.param.b32 %r5, [retval0];
    }
  END: ret;
  )";
  auto result = run(kernel, {});
  ASSERT_TRUE(result) << errorText(result.error());
  EXPECT_EQ(result->printed, "0 0.0 hi\n1 1.0 hi\n");
}

TEST(Machine, AssertionsEndTheRun) {
  Kernel kernel;
  kernel.params = 0;
  kernel.declarations =
      ".extern .func __assertfail (.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e);\n"
      ".global .align 1 .b8 said[6] = {120, 32, 62, 32, 49, 0};\n"
      ".global .align 1 .b8 file[5] = {97, 46, 99, 117, 0};\n"
      ".global .align 1 .b8 func[2] = {107, 0};";
  auto with = [&](const char *least) {
    kernel.body = std::string("mov.u32 %r0, %tid.x;\nsetp.lt.u32 %p1, %r0, ") + least + R"(;
      @%p1 bra END;
      mov.u64 %d1, said; cvta.global.u64 %d1, %d1;
      mov.u64 %d2, file; cvta.global.u64 %d2, %d2;
      mov.u64 %d3, func; cvta.global.u64 %d3, %d3;
      { // callseq
      .param .b64 param0;
      st.param.b64 [param0], %d1;
      .param .b64 param1;
      st.param.b64 [param1], %d2;
      .param .b32 param2;
      st.param.b32 [param2], 7;
      .param .b64 param3;
      st.param.b64 [param3], %d3;
      .param .b64 param4;
      st.param.b64 [param4], 1;
      call.uni __assertfail, (param0, param1, param2, param3, param4);
      }
      END: ret;
    )";
    auto result = run(kernel, {});
    EXPECT_TRUE(result) << errorText(result.error());
    return result ? result->diagnostics : Diagnostics();
  };
  EXPECT_TRUE(with("32").empty());
  Diagnostics failed = with("5");
  ASSERT_EQ(failed.size(), 1u);
  EXPECT_EQ(failed[0].kind, "kernel-assertion");
  EXPECT_EQ(failed[0].message, "the assertion `x > 1` failed, a.cu:7, in `k`");
  EXPECT_TRUE(mentions(failed, "thread 5"));
}

TEST(Machine, BlocksSpreadOverSmsAndClocksAgree) {
  Kernel kernel;
  kernel.params = 1;
  kernel.blocks = 200;
  kernel.body = R"(
    mov.u32 %r0, %ctaid.x;
    mul.wide.u32 %d0, %r0, 16;
    add.s64 %d1, %d50, %d0;
    mov.u64 %d2, %globaltimer;
    mov.u32 %r1, %smid;
    mov.u32 %r2, %clock;
    mov.u32 %r3, %clock;
    sub.u32 %r4, %r3, %r2;
    cvt.u32.u64 %r5, %d2;
    st.global.v4.b32 [%d1], {%r1, %r4, %r5, %r2};
    ret;
  )";
  auto result = run(kernel, {u32Array(std::vector<uint32_t>(800))});
  ASSERT_TRUE(result) << errorText(result.error());
  auto out = words(result->outputs[0]);
  for (uint32_t block = 0; block < 132; ++block)
    EXPECT_EQ(out[4 * block], block);
  EXPECT_EQ(out[4 * 132], 0u);
  EXPECT_GT(out[4 * 132 + 2], out[2]); // the second wave starts later
  EXPECT_GT(out[1], 0u);
  EXPECT_GT(result->timeUs, 0.5);
}

TEST(Machine, BlocksMayWaitForEachOther) {
  // Block 0 spins until block 1 has run.
  Kernel kernel;
  kernel.params = 1;
  kernel.blocks = 2;
  kernel.body = R"(
    mov.u32 %r0, %ctaid.x;
    setp.eq.u32 %p1, %r0, 1;
    @%p1 bra SET;
  SPIN:
    ld.acquire.gpu.global.u32 %r1, [%d50];
    setp.eq.u32 %p2, %r1, 0;
    @%p2 bra SPIN;
    ret;
  SET:
    st.release.gpu.global.u32 [%d50], 1;
    ret;
  )";
  auto result = run(kernel, {u32Array({0})});
  ASSERT_TRUE(result) << errorText(result.error());
  EXPECT_TRUE(result->diagnostics.empty()) << errorText(result->diagnostics);
}

TEST(Machine, TheSameSeedGivesTheSameRun) {
  Kernel kernel;
  kernel.params = 1;
  kernel.threads = 128;
  kernel.body = "mov.u32 %r0, %tid.x; atom.global.exch.b32 %r1, [%d50], %r0; mov.u32 %r2, %clock; st.global.b32 "
                "[%d50+4], %r2; ret;";
  auto first = run(kernel, {u32Array({0, 0})}), second = run(kernel, {u32Array({0, 0})});
  ASSERT_TRUE(first && second);
  EXPECT_EQ(words(first->outputs[0]), words(second->outputs[0]));
}

/// Lanes reach instructions of their whole warp on paths that join after the instruction, or never: round a trap or a
/// `ret`, or through copied code. ptxas accepts all of these; CUTLASS and Marlin contain many.
TEST(Machine, LanesThatComeByWaysOfTheirOwnAreWaitedFor) {
  const std::string begin = "mov.u32 %r0, %tid.x;\nld.global.u32 %r1, [%d50];\nsetp.ne.u32 %p1, %r0, 3;\n"
                            "setp.ne.u32 %p2, %r1, 0;\n", // false
      end = "shfl.sync.idx.b32 %r3, %r0, 3, 31, -1;\nbar.sync 0;\nmad.wide.u32 %d1, %r0, 4, %d51;\n"
            "st.global.u32 [%d1], %r3;\nE: ret;\n";
  for (const std::string &ways : {
           std::string("@%p1 bra J;\n@!%p2 bra K;\ntrap;\nK: mov.u32 %r4, 1;\nJ:\n"),
           std::string("@%p1 bra J;\n@!%p2 bra K;\nbrkpt;\nK: mov.u32 %r4, 1;\nJ:\n"),
           std::string("@%p1 bra J;\n@!%p2 bra K;\nret;\nK: mov.u32 %r4, 1;\nJ:\n"),
           std::string("@%p1 bra J;\n@%p2 bra E;\nmov.u32 %r4, 1;\nJ:\n"),
           std::string("@%p1 bra J;\n@%p2 ret;\nmov.u32 %r4, 1;\nJ:\n"),
           std::string("@!%p1 bra A;\n@%p2 bra E;\nbra.uni B;\nA: @%p2 bra C;\nmov.u32 %r4, 1;\nbra.uni B;\n"
                       "C: st.global.u32 [%d51], 7;\nbra.uni E;\nB:\n"),
           // A loop that lanes leave only by a `ret`, with a branch inside.
           std::string(
               "mov.u32 %r4, 0;\nL: setp.eq.u32 %p3, %r4, 4;\n@%p3 bra M;\n@%p1 bra N;\nadd.u32 %r5, %r4, 1;\nN:\n"
               "bar.warp.sync -1;\nadd.u32 %r4, %r4, 1;\n@%p2 ret;\nbra.uni L;\nM:\n"),
       }) {
    Kernel kernel;
    kernel.body = begin + ways + end;
    for (uint64_t seed : {0, 1}) {
      EmulatorOptions options;
      options.seed = seed;
      auto result = run(kernel, {u32Array({0}), u32Array(std::vector<uint32_t>(32))}, options);
      ASSERT_TRUE(result) << errorText(result.error());
      EXPECT_TRUE(result->diagnostics.empty()) << ways << errorText(result->diagnostics);
      EXPECT_EQ(words(result->outputs[1]), std::vector<uint32_t>(32, 3)) << ways;
    }
  }
  // A lane that cannot arrive is reported, whichever lanes arrive first, and whether or not the others have work to do
  // before they are past it.
  for (const std::string work :
       {"", "mov.u32 %r4, 0;\nW: add.u32 %r4, %r4, 1;\nsetp.lt.u32 %p4, %r4, 9000;\n@%p4 bra W;\n"})
    for (const std::string other : {"%p1", "!%p1"}) {
      Kernel never;
      never.body = begin + "@" + other + " bra J;\nshfl.sync.idx.b32 %r3, %r0, 3, 31, -1;\nbra.uni K;\nJ:\n" + work +
                   "K: mad.wide.u32 %d1, %r0, 4, %d51;\nst.global.u32 [%d1], %r0;\nret;";
      auto result = run(never, {u32Array({0}), u32Array(std::vector<uint32_t>(32))});
      ASSERT_TRUE(result) << errorText(result.error());
      EXPECT_TRUE(mentions(result->diagnostics, "of its member mask does not take part"))
          << work << other << errorText(result->diagnostics);
    }
}

TEST(Machine, TextsOfInlineAssembly) {
  // Blanks inside an opcode, and registers that are vectors, as in CUTLASS.
  EXPECT_EQ(perLane(std::vector<uint32_t>(32, 6),
                    "{ .reg .v2 .b32 pair;\nxor  .b32 pair.x, %r0, 5;\n"
                    "prmt\t.b32 pair.y, pair.x, 0, 0x3210;\nadd.u32 %r1, pair.y, pair.x; }"),
            std::vector<uint32_t>(32, 6));
}

} // namespace
} // namespace lanescope::core::test
