// A block that runs only if the others can do nothing more, and signals that come as late as the memory model allows,
// show kernels that rely on the speed of blocks.
#include "core/gpu/emulator/coverage/Schedule.h"
#include "core/gpu/emulator/debug/Debugger.h"
#include "layouts/support/Text.h"
#include "tests/unit/emulator/EmulatorSupport.h"

#include <string>
#include <utility>
#include <vector>

namespace lanescope::core::test {
namespace {

/// Blocks of one thread each. %r0 is the block's number; `bodies[n]` runs in block n. Word w of the buffer is at
/// [%d50+4w].
Kernel blocks(const std::vector<std::string> &bodies) {
  Kernel kernel;
  kernel.params = 1;
  kernel.blocks = static_cast<uint32_t>(bodies.size());
  kernel.threads = 1;
  kernel.body = "mov.u32 %r0, %ctaid.x;\n";
  for (size_t n = 1; n < bodies.size(); ++n)
    kernel.body += text("setp.eq.u32 %p9, %r0, ", n, ";\n@%p9 bra BLOCK", n, ";\n");
  for (size_t n = 0; n < bodies.size(); ++n)
    kernel.body += text("BLOCK", n, ":\n", bodies[n], "ret;\n");
  return kernel;
}

/// Polls until the word is at least `value`.
std::string await(const std::string &label, int word, const std::string &value) {
  return text(label, ": ld.acquire.gpu.global.u32 %r1, [%d50+", 4 * word, "];\nsetp.lt.s32 %p1, %r1, ", value,
              ";\n@%p1 bra ", label, ";\n");
}
std::string release(int word, const std::string &value) {
  return text("st.release.gpu.global.u32 [%d50+", 4 * word, "], ", value, ";\n");
}

/// The kind of the first finding under the schedule; "" if there is none.
std::string found(const Kernel &kernel, const char *schedule) {
  EmulatorOptions options;
  options.seed = *parseSchedule(schedule);
  options.timeoutSeconds = 300; // a busy machine under the sanitizers is slow
  auto result = run(kernel, {u32Array(std::vector<uint32_t>(8))}, options);
  if (!result)
    return errorText(result.error());
  return result->diagnostics.empty() ? "" : result->diagnostics[0].kind;
}

/// Word 4 is written twice, and word 0 counts the writes.
std::string writeTwice() {
  return "st.global.u32 [%d50+16], 1;\n" + release(0, "1") + "st.global.u32 [%d50+16], 2;\n" + release(0, "2");
}
/// Reads word 4 once `writes` writes are done.
std::string readAfter(const char *writes) {
  return await("A", 0, writes) + "ld.global.u32 %r2, [%d50+16];\nst.global.u32 [%d50+20], %r2;\n";
}

TEST(SlowBlock, AReaderOfAnEarlyFlagMeetsALateWriter) {
  Kernel early = blocks({writeTwice(), readAfter("1")}), late = blocks({writeTwice(), readAfter("2")});
  EXPECT_EQ(found(early, "0"), "") << "the writer is fast";
  EXPECT_EQ(found(early, "slow-block-0"), "race");
  EXPECT_EQ(found(early, "late-signals"), "race");
  for (const char *schedule : {"0", "late-signals", "slow-block-0", "slow-block-1", "slow-block-7:3"})
    EXPECT_EQ(found(late, schedule), "") << schedule;
}

/// A barrier in the loop of a poll is an effect for ever, so the slow block cannot wait until there is none.
TEST(SlowBlock, RunsAlthoughAnotherPollsWithABarrier) {
  Kernel kernel = blocks({"st.global.u32 [%d50+16], 7;\n" + release(0, "1"),
                          "P: ld.acquire.gpu.global.u32 %r1, [%d50];\nbar.sync 0;\nsetp.eq.u32 %p1, %r1, 0;\n"
                          "@%p1 bra P;\nld.global.u32 %r2, [%d50+16];\nst.global.u32 [%d50+20], %r2;\n"});
  EmulatorOptions options;
  options.seed = *parseSchedule("slow-block-0");
  options.timeoutSeconds = 60;
  auto result = run(kernel, {u32Array(std::vector<uint32_t>(8))}, options);
  ASSERT_TRUE(result) << errorText(result.error());
  EXPECT_TRUE(result->diagnostics.empty()) << errorText(result->diagnostics);
  EXPECT_EQ(words(result->outputs[0])[5], 7u);
}

/// Block 0 fills a ring of two words, block 1 reads them; word 0 counts what is full, word 1 what is free again. The
/// producer may be `ahead` items ahead.
Kernel ring(int ahead, int items = 8) {
  const std::string count = std::to_string(items);
  return blocks({"mov.u32 %r5, 0;\nFILL:\nsub.s32 %r6, %r5, " + std::to_string(ahead) + ";\n" +
                     await("ROOM", 1, "%r6") +
                     "and.b32 %r7, %r5, 1;\nmul.wide.u32 %d1, %r7, 4;\nadd.s64 %d1, %d1, %d50;\n"
                     "st.global.u32 [%d1+16], %r5;\nadd.u32 %r5, %r5, 1;\n" +
                     release(0, "%r5") + "setp.lt.u32 %p2, %r5, " + count + ";\n@%p2 bra FILL;\n",
                 "mov.u32 %r5, 0;\nmov.u32 %r9, 0;\nREAD:\nadd.u32 %r6, %r5, 1;\n" + await("FULL", 0, "%r6") +
                     "and.b32 %r7, %r5, 1;\nmul.wide.u32 %d1, %r7, 4;\nadd.s64 %d1, %d1, %d50;\n"
                     "ld.global.u32 %r8, [%d1+16];\nadd.u32 %r9, %r9, %r8;\nadd.u32 %r5, %r5, 1;\n" +
                     release(1, "%r5") + "setp.lt.u32 %p2, %r5, " + count +
                     ";\n@%p2 bra READ;\nst.global.u32 [%d50+24], %r9;\n"});
}

/// The debugger makes the run that emulate() makes, also if it goes back on the way: to the start in the short rings,
/// to checkpoints in the long ones.
TEST(LateSignals, TheDebuggerStepsAndGoesBack) {
  for (const char *schedule : {"late-signals", "late-signals:2", "slow-block-0", "slow-block-1"})
    for (auto [ahead, items] : {std::pair(1, 8), std::pair(2, 8), std::pair(1, 300)}) {
      SCOPED_TRACE(text(schedule, ", ", ahead, " ahead, ", items, " items"));
      Kernel kernel = ring(ahead, items);
      std::vector<Array> arrays = {u32Array(std::vector<uint32_t>(8))};
      EmulatorOptions options;
      options.seed = *parseSchedule(schedule);
      options.threads = 1;
      auto free = run(kernel, arrays, options);
      ASSERT_TRUE(free) << errorText(free.error());
      auto debugger =
          Debugger::open(Source::make("k.ptx", kernel.ptx()), launchOf(kernel, arrays), arrays, {.seed = options.seed});
      ASSERT_TRUE(debugger) << errorText(debugger.error());
      Debugger &there = **debugger;
      there.step(StepBy::Moment, Way::Forward, 100);
      there.step(StepBy::Moment, Way::Back, 40);
      const uint64_t moment = there.stop().moment;
      there.resume();
      const StopReason end = there.stop().reason;
      const uint64_t last = there.stop().moment;
      there.step(StepBy::Moment, Way::Back, items * 10);
      EXPECT_LT(there.stop().moment, last);
      EXPECT_GT(moment, 0u);
      there.resume();
      EXPECT_EQ(there.stop().reason, end);
      EXPECT_EQ(there.stop().moment, last);
      if (hasErrors(free->diagnostics)) {
        ASSERT_EQ(end, StopReason::Fault);
        EXPECT_TRUE(mentions(free->diagnostics, there.stop().fault->message)) << there.stop().fault->message;
      } else {
        ASSERT_EQ(end, StopReason::End);
        EXPECT_EQ(there.arrays()[0].bytes, free->outputs[0].bytes);
      }
    }
}

TEST(LateSignals, AProducerThatMayBeOneItemTooFarAhead) {
  EXPECT_EQ(found(ring(2), "late-signals"), "race");
  for (const char *schedule : {"0", "late-signals", "slow-block-0", "slow-block-1"})
    EXPECT_EQ(found(ring(1), schedule), "") << schedule;
}

/// Block 0 writes words 4 and 5, then raises word 0 twice, after each of them. Block 1 hands word 0 on to block 2 by
/// word 1, once it has seen `seen` there. Block 2 reads word 5.
Kernel handedOn(const char *seen) {
  return blocks({"st.global.u32 [%d50+16], 1;\n" + release(0, "1") + "st.global.u32 [%d50+20], 2;\n" + release(0, "2"),
                 await("A", 0, seen) + release(1, "1"),
                 await("B", 1, "1") + "ld.global.u32 %r2, [%d50+20];\nst.global.u32 [%d50+24], %r2;\n"});
}

TEST(LateSignals, WhatAThirdBlockKnowsByTwoSteps) {
  EXPECT_EQ(found(handedOn("1"), "late-signals"), "race");
  EXPECT_EQ(found(handedOn("2"), "late-signals"), "");
}

/// A block never sees an older value of a flag than one that it knows of: block 2 has waited for word 1, which block 1
/// has set after it saw word 0 at 1. So it finds word 0 raised, and no result depends on a race.
TEST(LateSignals, NoFlagGoesBackToAValueBeforeOneThatIsKnown) {
  for (const char *fence : {"", "fence.acq_rel.gpu;\n"}) {
    std::string relaxed = *fence ? "relaxed" : "acquire";
    Kernel kernel = blocks({release(0, "1"), await("A", 0, "1") + release(1, "1"),
                            await("B", 1, "1") + fence + "ld." + relaxed + ".gpu.global.u32 %r2, [%d50];\n" +
                                "st.global.u32 [%d50+28], %r2;\n"});
    EmulatorOptions options;
    options.seed = *parseSchedule("late-signals");
    auto result = run(kernel, {u32Array(std::vector<uint32_t>(8))}, options);
    ASSERT_TRUE(result) << errorText(result.error());
    EXPECT_TRUE(result->diagnostics.empty()) << errorText(result->diagnostics);
    EXPECT_EQ(words(result->outputs[0])[7], 1u);
  }
}

TEST(LateSignals, EachPollGivesTheNextValue) {
  // Block 1 counts how often it reads a new value of word 0 until it reads 3.
  Kernel kernel = blocks({release(0, "1") + release(0, "2") + release(0, "3"),
                          "mov.u32 %r5, 0;\nmov.u32 %r6, 0;\nL: ld.acquire.gpu.global.u32 %r1, [%d50];\n"
                          "setp.ne.u32 %p1, %r1, %r6;\n@%p1 add.u32 %r5, %r5, 1;\nmov.u32 %r6, %r1;\n"
                          "setp.ne.u32 %p2, %r1, 3;\n@%p2 bra L;\nst.global.u32 [%d50+28], %r5;\n"});
  EmulatorOptions options;
  options.seed = *parseSchedule("late-signals");
  auto result = run(kernel, {u32Array(std::vector<uint32_t>(8))}, options);
  ASSERT_TRUE(result) << errorText(result.error());
  EXPECT_EQ(words(result->outputs[0])[7], 3u);
}

TEST(LateSignals, AtomicOperationsReadTheNewestValue) {
  // Both blocks count themselves in by atom.add; the second one reads what the first wrote before that.
  std::string count =
      "st.global.u32 [%d1+16], 1;\nfence.acq_rel.gpu;\natom.add.relaxed.gpu.global.u32 %r2, [%d50], 1;\n"
      "fence.acq_rel.gpu;\nsetp.ne.u32 %p1, %r2, 1;\n@%p1 ret;\nld.global.v2.u32 {%r3, %r4}, [%d50+16];\n"
      "ld.relaxed.gpu.global.u32 %r6, [%d50];\nadd.u32 %r3, %r3, %r4;\nst.global.u32 [%d50+28], %r3;\n";
  std::string place = "mul.wide.u32 %d1, %r0, 4;\nadd.s64 %d1, %d1, %d50;\n";
  EXPECT_EQ(found(blocks({place + count, place + count}), "late-signals"), "");
}

TEST(LateSignals, DekkersAlgorithmStays) {
  auto side = [](int own, int others) {
    return text("st.relaxed.gpu.global.u32 [%d50+", own, "], 1;\nfence.sc.gpu;\nld.relaxed.gpu.global.u32 %r1, [%d50+",
                others, "];\nsetp.ne.u32 %p2, %r1, 0;\n@%p2 ret;\nred.global.add.u32 [%d50+28], 1;\n");
  };
  EmulatorOptions options;
  options.seed = *parseSchedule("late-signals");
  auto result = run(blocks({side(0, 4), side(4, 0)}), {u32Array(std::vector<uint32_t>(8))}, options);
  ASSERT_TRUE(result) << errorText(result.error());
  EXPECT_TRUE(result->diagnostics.empty()) << errorText(result->diagnostics);
  EXPECT_LE(words(result->outputs[0])[7], 1u);
}

TEST(SlowBlock, BlocksThatWaitForEachOtherAreADeadlock) {
  Kernel kernel = blocks({await("A", 0, "1") + release(1, "1"), await("B", 1, "1") + release(0, "1")});
  for (const char *schedule : {"0", "late-signals", "slow-block-0", "slow-block-1"})
    EXPECT_EQ(found(kernel, schedule), "deadlock") << schedule;
}

TEST(SlowBlock, OneThatAllOthersAwaitGoesOn) {
  Kernel kernel = blocks({release(0, "1"), await("A", 0, "1") + release(1, "1"), await("B", 1, "1")});
  for (const char *schedule : {"slow-block-0", "slow-block-1", "slow-block-2"})
    EXPECT_EQ(found(kernel, schedule), "") << schedule;
}

TEST(SlowBlock, WithItsWholeCluster) {
  Kernel kernel = blocks({writeTwice(), readAfter("1")});
  kernel.blocks = 4;
  kernel.cluster = {2, 1, 1};
  kernel.body = "mov.u32 %r0, %cluster_ctarank;\nsetp.ne.u32 %p9, %r0, 0;\n@%p9 ret;\nmov.u32 %r0, %clusterid.x;\n" +
                kernel.body.substr(kernel.body.find('\n') + 1);
  for (const char *schedule : {"slow-block-0", "slow-block-1"})
    EXPECT_EQ(found(kernel, schedule), "race") << schedule;
  for (const char *schedule : {"0", "slow-block-2", "slow-block-3"})
    EXPECT_EQ(found(kernel, schedule), "") << schedule;
}

TEST(SlowBlock, SchedulesOfAGrid) {
  auto texts = [](const ScheduleExtent &extent) {
    std::string all;
    for (uint64_t schedule : schedulesOf(1, true, extent))
      all += scheduleText(schedule) + " ";
    return all;
  };
  EXPECT_EQ(texts({.blocks = 1}), "0 slow-copies late-arrivals ");
  EXPECT_EQ(texts({.blocks = 2}), "0 late-signals slow-block-0 slow-block-1 slow-copies late-arrivals ");
  EXPECT_EQ(texts({.blocks = 132}),
            "0 late-signals slow-block-0 slow-block-131 slow-block-1 slow-block-2 slow-copies late-arrivals ");
  EXPECT_EQ(texts({.blocks = 8, .clusterWidth = 4}),
            "0 late-signals slow-block-0 slow-block-7 slow-block-4 slow-copies late-arrivals ");
  EXPECT_EQ(texts({.blocks = 4, .clusterWidth = 4}), "0 slow-copies late-arrivals ");
  std::vector<uint64_t> all = schedulesOf(2, true, {.blocks = 2});
  dropBlockSchedules(all);
  EXPECT_EQ(all, schedulesOf(2, true));
}

} // namespace
} // namespace lanescope::core::test
