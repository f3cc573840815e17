// The debugger: stopping changes nothing, going back shows the past state, and stops come where they were requested.
#include "core/gpu/emulator/debug/Debugger.h"
#include "core/gpu/emulator/coverage/Schedule.h"
#include "tests/unit/emulator/EmulatorSupport.h"

#include <map>
#include <random>
#include <sstream>

namespace lanescope::core::test {
namespace {

std::unique_ptr<Debugger> debug(const Kernel &kernel, std::vector<Array> arrays, DebugOptions options = {}) {
  auto debugger = Debugger::open(Source::make("k.ptx", kernel.ptx()), launchOf(kernel, arrays), arrays, options);
  if (!debugger) {
    ADD_FAILURE() << errorText(debugger.error());
    return nullptr;
  }
  return std::move(*debugger);
}

uint32_t lineOf(const Kernel &kernel, std::string_view words) {
  std::string ptx = kernel.ptx();
  return static_cast<uint32_t>(std::count(ptx.begin(), ptx.begin() + static_cast<long>(ptx.find(words)), '\n')) + 1;
}

/// Four warps run a loop that adds to a word of shared memory, then a barrier, then a store of each thread's value.
Kernel counting(uint32_t rounds = 10, uint32_t blocks = 2) {
  Kernel kernel;
  kernel.params = 1;
  kernel.threads = 128;
  kernel.blocks = blocks;
  kernel.declarations = ".shared .align 16 .b8 buf[1024];";
  kernel.body = R"(mov.u32 %r0, %tid.x;
mov.u32 %r1, 0;
mov.u32 %r2, buf;
mad.lo.u32 %r3, %r0, 4, %r2;
LOOP:
add.u32 %r1, %r1, 1;
st.shared.b32 [%r3], %r1;
bar.sync 0;
xor.b32 %r4, %r3, 128;
ld.shared.b32 %r5, [%r4];
bar.sync 0;
setp.lt.u32 %p1, %r1, )" +
                std::to_string(rounds) +
                R"(;
@%p1 bra LOOP;
mov.u32 %r6, %ctaid.x;
mad.lo.u32 %r7, %r6, 128, %r0;
mul.wide.u32 %d1, %r7, 4;
add.s64 %d2, %d50, %d1;
add.u32 %r8, %r5, %r0;
st.global.b32 [%d2], %r8;
ret;)";
  return kernel;
}

std::vector<Array> countingArrays(uint32_t blocks = 2) { return {u32Array(std::vector<uint32_t>(128 * blocks))}; }

// --- stopping --------------------------------------------------------------------------------------------------------

TEST(Debugger, StandsAtTheFirstInstruction) {
  auto debugger = debug(counting(), countingArrays());
  ASSERT_TRUE(debugger);
  EXPECT_EQ(debugger->stop().reason, StopReason::Start);
  EXPECT_EQ(debugger->stop().moment, 0u);
  ASSERT_TRUE(debugger->stop().place);
  EXPECT_EQ(debugger->stop().place->opcode, "ld.param.u64");
  EXPECT_EQ(debugger->warps().size(), 4u);
}

TEST(Debugger, StopsAtBreakpointsOfAWarp) {
  Kernel kernel = counting();
  auto debugger = debug(kernel, countingArrays());
  ASSERT_TRUE(debugger);
  uint32_t line = lineOf(kernel, "st.shared");
  auto number = debugger->breakAt({.line = line, .inSnippet = false, .condition = [](const Glance &glance) {
                                     return glance.warp() == WarpRef{1, 2} && glance.value("%r1", 5) == 7u;
                                   }});
  ASSERT_TRUE(number);
  const Stop &stop = debugger->resume();
  EXPECT_EQ(stop.reason, StopReason::Breakpoint);
  EXPECT_EQ(stop.breakpoints, std::vector{*number});
  EXPECT_EQ(stop.warp, (WarpRef{1, 2}));
  EXPECT_EQ(stop.place->ptxLine, line);
  EXPECT_EQ(debugger->registerOf({1, 2}, "%r1")->lanes[0], 7u);
  EXPECT_EQ(debugger->resume().reason, StopReason::End);
  EXPECT_EQ(words(debugger->arrays()[0])[130], 12u); // 10 from its neighbour, plus 2
}

TEST(Debugger, IgnoresAsManyStopsAsAsked) {
  Kernel kernel = counting();
  auto debugger = debug(kernel, countingArrays());
  ASSERT_TRUE(debugger);
  auto only = [](const Glance &glance) { return glance.warp() == WarpRef{0, 0}; };
  ASSERT_TRUE(debugger->breakAt(
      {.line = lineOf(kernel, "st.shared"), .inSnippet = false, .condition = only, .text = {}, .ignored = 3}));
  debugger->resume();
  EXPECT_EQ(debugger->registerOf({0, 0}, "%r1")->lanes[0], 4u);
}

TEST(Debugger, ALineWithoutCodeStandsForTheNext) {
  Kernel kernel = counting();
  auto debugger = debug(kernel, countingArrays());
  ASSERT_TRUE(debugger);
  uint32_t label = lineOf(kernel, "LOOP:");
  auto number = debugger->breakAt({.line = label, .inSnippet = false});
  ASSERT_TRUE(number);
  EXPECT_EQ(debugger->breakpoints().at(*number).line, label + 1);
  auto behind = debugger->breakAt({.line = 100'000, .inSnippet = false});
  ASSERT_FALSE(behind);
  EXPECT_EQ(behind.error()[0].kind, "breakpoint");
  EXPECT_TRUE(mentions(behind.error(), "the last line with instructions is"));
  auto snippet = debugger->breakAt({.line = 1, .inSnippet = true});
  ASSERT_FALSE(snippet);
  EXPECT_TRUE(mentions(snippet.error(), "no snippet"));
}

// --- going back ------------------------------------------------------------------------------------------------------

TEST(Debugger, ShowsThePastAsItWas) {
  Kernel kernel = counting(200);
  // The memory for checkpoints is so small that most are dropped and recomputed.
  auto debugger = debug(kernel, countingArrays(), {.checkpointBytes = 1});
  ASSERT_TRUE(debugger);
  struct Seen {
    Stop stop;
    uint64_t count;
    std::vector<std::byte> shared;
    ArrayBytes global;
  };
  std::map<uint64_t, Seen> seen;
  auto look = [&] {
    const Stop &stop = debugger->stop();
    auto count = debugger->registerOf(stop.warp, "%r1");
    return Seen{stop, count ? count->lanes[3] : 0, debugger->shared(stop.warp.block).bytes,
                debugger->arrays()[0].bytes};
  };
  while (debugger->stop().reason != StopReason::End) {
    seen[debugger->stop().moment] = look();
    debugger->step(StepBy::Moment, Way::Forward, 97);
  }
  EXPECT_GT(seen.size(), 50u);
  std::mt19937 random(7);
  for (int n = 0; n < 60; ++n) {
    auto it = std::next(seen.begin(), static_cast<long>(random() % seen.size()));
    debugger->goTo(it->first);
    Seen now = look();
    EXPECT_EQ(now.stop.moment, it->first);
    EXPECT_EQ(now.stop.warp, it->second.stop.warp);
    EXPECT_EQ(now.stop.cycle, it->second.stop.cycle);
    EXPECT_EQ(now.stop.place->pc, it->second.stop.place->pc);
    EXPECT_EQ(now.count, it->second.count);
    EXPECT_EQ(now.shared, it->second.shared);
    EXPECT_EQ(now.global, it->second.global);
  }
}

TEST(Debugger, StepsBackTheWayItCame) {
  for (StepBy by : {StepBy::Instruction, StepBy::Line, StepBy::Event, StepBy::Moment}) {
    auto debugger = debug(counting(3), countingArrays());
    ASSERT_TRUE(debugger);
    debugger->setFocus({0, 1});
    debugger->step(StepBy::Instruction);
    std::vector<std::pair<uint64_t, WarpRef>> way;
    for (int n = 0; n < 20 && debugger->stop().reason == StopReason::Step; ++n) {
      way.emplace_back(debugger->stop().moment, debugger->focus());
      debugger->step(by);
    }
    ASSERT_EQ(way.size(), 20u);
    debugger->setFocus(way.back().second);
    for (size_t n = way.size(); n-- > 1;) {
      debugger->step(by, Way::Back);
      EXPECT_EQ(debugger->stop().moment, way[n].first) << static_cast<int>(by);
    }
  }
}

TEST(Debugger, ResumesBackToTheLastBreakpoint) {
  Kernel kernel = counting(5);
  auto debugger = debug(kernel, countingArrays());
  ASSERT_TRUE(debugger);
  ASSERT_TRUE(debugger->breakAt({.line = lineOf(kernel, "st.shared"), .inSnippet = false}));
  std::vector<uint64_t> moments;
  while (debugger->resume().reason == StopReason::Breakpoint)
    moments.push_back(debugger->stop().moment);
  EXPECT_EQ(moments.size(), 2u * 4 * 5);
  for (size_t n = moments.size(); n-- > 0;) {
    EXPECT_EQ(debugger->resume(Way::Back).reason, StopReason::Breakpoint);
    EXPECT_EQ(debugger->stop().moment, moments[n]);
  }
  EXPECT_EQ(debugger->resume(Way::Back).reason, StopReason::Start);
  EXPECT_EQ(debugger->stop().moment, 0u);
}

// --- watching --------------------------------------------------------------------------------------------------------

TEST(Debugger, StopsWhereSharedMemoryChanges) {
  Kernel kernel = counting(3, 1);
  auto debugger = debug(kernel, countingArrays(1));
  ASSERT_TRUE(debugger);
  auto number = debugger->watch({.what = Watchpoint::What::Shared, .block = 0, .address = 1024 + 4 * 70});
  ASSERT_TRUE(number) << errorText(number.error());
  std::vector<uint64_t> moments;
  while (debugger->resume().reason == StopReason::Watchpoint) {
    moments.push_back(debugger->stop().moment);
    EXPECT_EQ(debugger->stop().breakpoints, std::vector{*number});
  }
  ASSERT_EQ(moments.size(), 3u);
  // Going backwards, the debugger stops before the store that changes the value.
  EXPECT_EQ(debugger->resume(Way::Back).reason, StopReason::Watchpoint);
  EXPECT_EQ(debugger->stop().moment, moments[2] - 1);
  EXPECT_EQ(debugger->stop().place->opcode, "st.shared.b32");
  EXPECT_EQ(debugger->stop().warp, (WarpRef{0, 2}));
  EXPECT_NE(debugger->stop().what.find("0x00000002 → 0x00000003"), std::string::npos) << debugger->stop().what;
  EXPECT_EQ(debugger->shared(0, 1024 + 280, 4).bytes[0], std::byte{2});
}

TEST(Debugger, WatchesGlobalMemoryAndMbarriers) {
  Kernel kernel = counting(1, 2);
  kernel.declarations += "\n.shared .align 8 .b64 bar;";
  kernel.body = "mov.u32 %r20, %tid.x;\nsetp.eq.u32 %p2, %r20, 0;\n@%p2 mbarrier.init.shared.b64 [bar], 128;\nbar.sync "
                "0;\nmbarrier.arrive.shared.b64 %d9, [bar];\n" +
                kernel.body;
  auto debugger = debug(kernel, countingArrays());
  ASSERT_TRUE(debugger);
  ASSERT_TRUE(debugger->watch({.what = Watchpoint::What::Global, .buffer = 0, .address = 4 * 200}));
  EXPECT_EQ(debugger->resume().reason, StopReason::Watchpoint);
  EXPECT_EQ(words(debugger->arrays()[0])[200], 73u);
  debugger->goTo(0);
  debugger->remove(1);
  ASSERT_TRUE(debugger->watch({.what = Watchpoint::What::Mbarrier, .block = 0, .address = 1024 + 1024}));
  EXPECT_EQ(debugger->resume().reason, StopReason::Watchpoint);
  EXPECT_NE(debugger->stop().what.find("phase 0, 128 arrivals"), std::string::npos) << debugger->stop().what;
  auto barriers = debugger->barriers(0);
  ASSERT_FALSE(barriers.empty());
  EXPECT_LT(barriers[0].pending, 128u);
  EXPECT_FALSE(debugger->watch({.what = Watchpoint::What::Global, .buffer = 3, .address = 0}));
  EXPECT_FALSE(debugger->watch({.what = Watchpoint::What::Global, .buffer = 0, .address = 1 << 20}));
  EXPECT_FALSE(debugger->watch({.what = Watchpoint::What::Shared, .block = 0, .address = 8}));
  EXPECT_FALSE(debugger->watch({.what = Watchpoint::What::Shared, .block = 99, .address = 1024}));
}

// --- faults ----------------------------------------------------------------------------------------------------------

TEST(Debugger, StandsBeforeTheFault) {
  Kernel kernel = counting(2, 1);
  kernel.body.insert(kernel.body.find("mov.u32 %r6"), "mov.b64 %d7, 64;\nadd.s64 %d7, %d7, %d50;\nld.global.b32 %r9, "
                                                      "[%d7+100000];\n");
  auto debugger = debug(kernel, countingArrays(1));
  ASSERT_TRUE(debugger);
  const Stop &stop = debugger->resume();
  EXPECT_EQ(stop.reason, StopReason::Fault);
  ASSERT_TRUE(stop.fault);
  EXPECT_EQ(stop.fault->kind, "global-out-of-bounds");
  EXPECT_EQ(stop.place->opcode, "ld.global.b32");
  uint64_t moment = stop.moment;
  EXPECT_EQ(debugger->step(StepBy::Instruction).moment, moment); // the run cannot continue
  EXPECT_EQ(debugger->stop().reason, StopReason::Fault);
  debugger->step(StepBy::Instruction, Way::Back);
  EXPECT_EQ(debugger->stop().place->opcode, "add.s64");
  EXPECT_EQ(debugger->runToFault().moment, moment);
}

TEST(Debugger, ShowsWhoWaitsInADeadlock) {
  Kernel kernel;
  kernel.params = 1;
  kernel.threads = 64;
  kernel.body = "mov.u32 %r0, %tid.x;\nsetp.lt.u32 %p1, %r0, 32;\n@%p1 bar.sync 1, 64;\nret;";
  auto debugger = debug(kernel, {u32Array({0})});
  ASSERT_TRUE(debugger);
  const Stop &stop = debugger->resume();
  EXPECT_EQ(stop.reason, StopReason::Fault);
  ASSERT_TRUE(stop.fault);
  EXPECT_EQ(stop.fault->kind, "deadlock");
  auto waits = debugger->waits();
  ASSERT_EQ(waits.size(), 1u);
  EXPECT_EQ(waits[0].from, (WarpRef{0, 0}));
  EXPECT_NE(waits[0].what.find("32 of 64 threads have arrived"), std::string::npos) << waits[0].what;
  debugger->step(StepBy::Moment, Way::Back);
  EXPECT_EQ(debugger->stop().reason, StopReason::Step);
  EXPECT_EQ(debugger->resume().reason, StopReason::Fault);
}

TEST(Debugger, EndsAnEndlessRunInTime) {
  Kernel kernel;
  kernel.params = 1;
  kernel.body = "mov.u64 %d1, 0;\nL: mov.u64 %d2, %clock64;\nst.global.b64 [%d50], %d2;\nbra L;";
  auto debugger = debug(kernel, {u32Array({0, 0})}, {.timeoutSeconds = 0.2});
  ASSERT_TRUE(debugger);
  EXPECT_EQ(debugger->resume().reason, StopReason::Limit);
  uint64_t moment = debugger->stop().moment;
  EXPECT_GT(moment, 1000u);
  EXPECT_EQ(debugger->step(StepBy::Instruction).moment, moment + 1);
}

TEST(Debugger, RefusesWhatItCannotRun) {
  Kernel kernel = counting();
  std::vector<Array> arrays = countingArrays();
  Launch launch = launchOf(kernel, arrays);
  launch.devices = 2; // arrays of several devices begin with the axis of devices
  EXPECT_FALSE(Debugger::open(Source::make("k.ptx", kernel.ptx()), launch, arrays, {}));
  launch.devices = 4;
  launch.grid = {1u << 30, 1, 1};
  auto many = Debugger::open(Source::make("k.ptx", kernel.ptx()), launch, arrays, {});
  ASSERT_FALSE(many);
  EXPECT_TRUE(mentions(many.error(), "numbers the blocks of all devices"));
  EXPECT_FALSE(Debugger::open(Source::make("k.ptx", "no PTX"), launchOf(kernel, arrays), arrays, {}));
  EXPECT_FALSE(Debugger::open(Source::make("k.ptx", kernel.ptx()), launchOf(kernel, arrays), {}, {}));
}

// --- looking ---------------------------------------------------------------------------------------------------------

TEST(Debugger, NamesWhoWroteSharedMemory) {
  Kernel kernel = counting(2, 1);
  auto debugger = debug(kernel, countingArrays(1));
  ASSERT_TRUE(debugger);
  debugger->breakAt({.line = lineOf(kernel, "xor.b32"), .inSnippet = false});
  debugger->resume();
  SharedMemory shared = debugger->shared(0, 1024, 1024);
  ASSERT_GE(shared.writers.size(), 4u);
  EXPECT_EQ(shared.writers[0].who, "warp 0");
  EXPECT_EQ(shared.writers[0].bytes, 128u);
  EXPECT_EQ(shared.writers[0].place.opcode, "st.shared.b32");
  EXPECT_EQ(shared.writers[3].who, "warp 3");
  EXPECT_EQ(shared.writers[4].who, ""); // no writer
  EXPECT_EQ(debugger->shared(7).bytes.size(), 0u);
}

TEST(Debugger, FindsTheCycleOfASlice) {
  auto debugger = debug(counting(200), countingArrays());
  ASSERT_TRUE(debugger);
  debugger->setFocus({1, 3});
  debugger->step(StepBy::Instruction, Way::Forward, 500);
  Stop there = debugger->stop();
  ASSERT_EQ(there.warp, (WarpRef{1, 3}));
  debugger->goTo(0);
  debugger->goToCycle({1, 3}, there.cycle);
  EXPECT_EQ(debugger->stop().moment, there.moment);
}

TEST(Debugger, ShowsWhatIsInFlight) {
  Kernel kernel;
  kernel.params = 2;
  kernel.threads = 64;
  kernel.dynamicSmem = 256;
  kernel.declarations = ".extern .shared .align 16 .b8 smem[];";
  kernel.body = R"(mov.u32 %r1, %tid.x;
setp.eq.u32 %p1, %r1, 0;
@%p1 mbarrier.init.shared.b64 [smem+128], 1;
bar.sync 0;
@%p1 mbarrier.arrive.expect_tx.shared.b64 %d4, [smem+128], 128;
@%p1 cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [smem], [%d50], 128, [smem+128];
W: mbarrier.try_wait.parity.shared.b64 %p2, [smem+128], 0;
@!%p2 bra.uni W;
ld.shared.b32 %r2, [smem];
st.global.b32 [%d51], %r1;
ret;)";
  std::vector<Array> arrays = {u32Array(std::vector<uint32_t>(32, 9)), u32Array({0})};
  auto debugger = debug(kernel, arrays);
  ASSERT_TRUE(debugger);
  debugger->setFocus({0, 1});
  debugger->breakAt({.line = lineOf(kernel, "W:"), .inSnippet = false, .condition = [](const Glance &glance) {
                       return glance.warp().warp == 0;
                     }});
  debugger->resume();
  debugger->step(StepBy::Moment);
  auto flights = debugger->flights();
  ASSERT_EQ(flights.size(), 1u);
  EXPECT_EQ(flights[0].bytes, 128u);
  EXPECT_EQ(flights[0].warp, (WarpRef{0, 0}));
  EXPECT_NE(flights[0].from.find("byte 0 of"), std::string::npos) << flights[0].from;
  EXPECT_EQ(flights[0].sharedAddress, 1024u);
  EXPECT_NE(flights[0].signals.find("mbarrier"), std::string::npos);
  EXPECT_EQ(debugger->shared(0, 1024, 16).flights, std::vector<uint32_t>{0});
  auto waits = debugger->waits();
  ASSERT_FALSE(waits.empty());
  EXPECT_EQ(waits[0].flights, std::vector<uint32_t>{0});
}

TEST(Debugger, SeesWhoComesToAnMbarrier) {
  Kernel kernel;
  kernel.params = 1;
  kernel.threads = 64;
  kernel.declarations = ".shared .align 8 .b64 bar;";
  kernel.body = R"(mov.u32 %r1, %tid.x;
mov.u32 %r2, 0;
setp.eq.u32 %p1, %r1, 0;
@%p1 mbarrier.init.shared.b64 [bar], 32;
bar.sync 0;
setp.lt.u32 %p2, %r1, 32;
@%p2 bra W;
L: add.u32 %r2, %r2, 1;
setp.lt.u32 %p3, %r2, 4000;
@%p3 bra L;
mbarrier.arrive.shared.b64 %d4, [bar];
bra D;
W: mbarrier.try_wait.parity.shared.b64 %p4, [bar], 0;
@!%p4 bra.uni W;
D: st.global.b32 [%d50], %r2;
ret;)";
  auto debugger = debug(kernel, {u32Array({0})});
  ASSERT_TRUE(debugger);
  // Late enough for the other warp to have reached its wait.
  debugger->breakAt({.line = lineOf(kernel, "L: add"), .inSnippet = false, .condition = [](const Glance &glance) {
                       return glance.value("%r2", 0) == 3000u;
                     }});
  Stop stop = debugger->resume();
  ASSERT_EQ(stop.reason, StopReason::Breakpoint);
  auto waits = debugger->waits();
  ASSERT_EQ(waits.size(), 1u);
  EXPECT_EQ(waits[0].from, (WarpRef{0, 0}));
  EXPECT_NE(waits[0].what.find("32 of 32 arrivals"), std::string::npos) << waits[0].what;
  EXPECT_EQ(waits[0].on, (std::vector<WarpRef>{{0, 1}}));
  EXPECT_EQ(debugger->stop().moment, stop.moment);
  EXPECT_EQ(debugger->registerOf({0, 1}, "%r2")->lanes[0], 3000u);
  auto places = debugger->warps();
  EXPECT_NE(places[0].places.at(0).waitsFor, "");
  EXPECT_EQ(places[1].places.at(0).waitsFor, "");
}

/// A named barrier with a count: whichever warps make it up.
TEST(Debugger, SeesWhoComesToACountedBarrier) {
  Kernel kernel;
  kernel.params = 1;
  kernel.threads = 96;
  kernel.body = R"(mov.u32 %r0, %tid.x;
setp.ge.u32 %p1, %r0, 64;
@%p1 bra END;
setp.ge.u32 %p1, %r0, 32;
@%p1 bra MEET;
mov.u32 %r1, 0;
IDLE: add.u32 %r1, %r1, 1;
setp.lt.u32 %p2, %r1, 300;
@%p2 bra IDLE;
MEET: bar.sync 1, 64;
END: ret;)";
  auto debugger = debug(kernel, {u32Array(std::vector<uint32_t>(4))});
  ASSERT_TRUE(debugger);
  ASSERT_TRUE(debugger->breakAt({.line = lineOf(kernel, "setp.lt.u32 %p2"), .inSnippet = false, .ignored = 100}));
  ASSERT_EQ(debugger->resume().reason, StopReason::Breakpoint);
  std::vector<WaitEdge> waits = debugger->waits();
  ASSERT_EQ(waits.size(), 1u);
  EXPECT_EQ(waits[0].from, (WarpRef{0, 1}));
  EXPECT_EQ(waits[0].on, std::vector{(WarpRef{0, 0})});
}

TEST(Debugger, RemembersWhoPassedALine) {
  Kernel kernel = counting(5, 2);
  auto debugger = debug(kernel, countingArrays());
  ASSERT_TRUE(debugger);
  uint32_t line = lineOf(kernel, "st.shared");
  debugger->goTo(150);
  std::vector<uint64_t> passed;
  ASSERT_TRUE(debugger->observe(std::vector{line}, [&](const Glance &glance) {
    if (glance.warp() == WarpRef{0, 3})
      passed.push_back(glance.moment());
  }));
  size_t before = passed.size();
  EXPECT_GT(before, 0u);
  EXPECT_EQ(debugger->stop().moment, 150u);
  debugger->resume();
  EXPECT_EQ(passed.size(), 5u);
  std::vector<WarpRef> warps = {{0, 3}, {1, 0}, {0, 3}};
  auto last = debugger->lastAt(warps, std::vector{line});
  ASSERT_TRUE(last[0] && last[1] && last[2]);
  EXPECT_EQ(last[0]->moment, passed[4]);
  EXPECT_EQ(last[0]->ptxLine, line);
  EXPECT_GT(last[1]->moment, last[0]->moment);
  EXPECT_EQ(debugger->stop().reason, StopReason::End);
  debugger->goTo(passed[2]);
  EXPECT_EQ(debugger->lastAt(warps, std::vector{line})[0]->moment, passed[1]);
  EXPECT_FALSE(debugger->lastAt(warps, std::vector{line})[1]);
  std::vector<uint64_t> counts;
  debugger->lookBack({passed[1], passed[0]},
                     [&](uint64_t) { counts.push_back(debugger->registerOf({0, 3}, "%r1")->lanes[0]); });
  EXPECT_EQ(counts, (std::vector<uint64_t>{1, 2}));
  EXPECT_EQ(debugger->stop().moment, passed[2]);
}

// --- nothing changes -------------------------------------------------------------------------------------------------

/// A kernel of random arithmetic, divergent branches, shared memory, barriers, shuffles and copies. All its results
/// reach its output.
Kernel generated(uint32_t seed) {
  std::mt19937 random(seed);
  auto pick = [&](uint32_t below) { return static_cast<uint32_t>(random() % below); };
  auto reg = [&] { return "%r" + std::to_string(1 + pick(12)); };
  Kernel kernel;
  kernel.params = 2;
  kernel.threads = 32 * (1 + pick(6));
  kernel.blocks = 1 + pick(4);
  if (kernel.blocks % 2 == 0 && pick(3) == 0)
    kernel.cluster = {2, 1, 1};
  kernel.dynamicSmem = 4096;
  kernel.declarations = ".extern .shared .align 16 .b8 smem[];";
  std::string &body = kernel.body;
  body = "mov.u32 %r0, %tid.x;\nmov.u32 %r20, %ctaid.x;\nmov.u32 %r21, smem;\nmad.lo.u32 %r22, %r0, 4, %r21;\n"
         "setp.eq.u32 %p1, %r0, 0;\n@%p1 mbarrier.init.shared.b64 [smem+4000], 1;\nbar.sync 0;\nmov.u32 %r30, 0;\n";
  for (int n = 1; n <= 12; ++n)
    body += "mad.lo.u32 %r" + std::to_string(n) + ", %r0, " + std::to_string(pick(1000)) + ", %r20;\n";
  body += "mov.u32 %r23, 0;\nROUND:\n";
  int labels = 0;
  for (uint32_t n = 0, statements = 6 + pick(14); n < statements; ++n)
    switch (pick(9)) {
    case 0: body += "add.u32 " + reg() + ", " + reg() + ", " + reg() + ";\n"; break;
    case 1: body += "mul.lo.u32 " + reg() + ", " + reg() + ", " + reg() + ";\n"; break;
    case 2: body += "xor.b32 " + reg() + ", " + reg() + ", " + std::to_string(random()) + ";\n"; break;
    case 3: {
      std::string label = "SKIP" + std::to_string(labels++);
      body += "and.b32 %r24, " + reg() + ", " + std::to_string(1 + pick(7)) +
              ";\nsetp.eq.u32 %p2, %r24, 0;\n@%p2 bra " + label + ";\nadd.u32 " + reg() + ", " + reg() + ", 3;\n" +
              label + ":\n";
      break;
    }
    case 4:
      body += "bar.sync 0;\nst.shared.b32 [%r22], " + reg() +
              ";\nbar.sync 0;\nxor.b32 %r25, %r22, 64;\nld.shared.b32 " + reg() + ", [%r25];\n";
      break;
    case 5:
      body += "shfl.sync.bfly.b32 " + reg() + ", " + reg() + ", " + std::to_string(1 + pick(31)) + ", 31, -1;\n";
      break;
    case 6:
      body += "bar.sync 0;\n@%p1 mbarrier.arrive.expect_tx.shared.b64 %d4, [smem+4000], 128;\n"
              "@%p1 cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [smem+2048], [%d50], 128, "
              "[smem+4000];\nW" +
              std::to_string(labels) +
              ": mbarrier.try_wait.parity.shared.b64 %p3, [smem+4000], %r30;\n@!%p3 bra.uni W" +
              std::to_string(labels) + ";\nxor.b32 %r30, %r30, 1;\nld.shared.b32 " + reg() + ", [smem+2056];\n";
      ++labels;
      break;
    case 7: body += "mov.u32 %r26, %clock;\nadd.u32 " + reg() + ", " + reg() + ", %r26;\n"; break;
    case 8: body += "atom.global.add.u32 " + reg() + ", [%d50+128], 1;\n"; break;
    }
  body += "add.u32 %r23, %r23, 1;\nsetp.lt.u32 %p4, %r23, " + std::to_string(2 + pick(4)) + ";\n@%p4 bra ROUND;\n";
  body += "mov.u32 %r27, %ntid.x;\nmad.lo.u32 %r28, %r20, %r27, %r0;\nmul.wide.u32 %d5, %r28, 4;\nadd.s64 %d6, %d51, "
          "%d5;\n";
  for (int n = 2; n <= 12; ++n)
    body += "add.u32 %r1, %r1, %r" + std::to_string(n) + ";\n";
  body += "st.global.b32 [%d6], %r1;\nret;";
  return kernel;
}

/// 200 kernels, some with a seed, give the same results in a free run and when the debugger stops them and goes back.
TEST(Debugger, StoppingChangesNothing) {
  int faults = 0, stops = 0;
  for (uint32_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    Kernel kernel = generated(seed);
    std::vector<Array> arrays = {u32Array(std::vector<uint32_t>(64, seed)),
                                 u32Array(std::vector<uint32_t>(kernel.threads * kernel.blocks))};
    uint64_t schedule = seed % 3 ? seed : Schedule{seed, static_cast<Adversary>(1 + seed / 3 % 3), 0}.number();
    EmulatorStatistics statistics;
    auto free = emulate(Source::make("k.ptx", kernel.ptx()), launchOf(kernel, arrays), arrays,
                        {.snippet = nullptr, .seed = schedule, .threads = 1}, &statistics);
    ASSERT_TRUE(free) << errorText(free.error()) << kernel.ptx();
    auto debugger = debug(kernel, arrays, {.snippet = nullptr, .seed = schedule});
    ASSERT_TRUE(debugger);
    // The order in which all warps run, with one stop at the end only.
    for (uint32_t line : debugger->linesWithCode(false))
      if (line % 3 == seed % 3)
        ASSERT_TRUE(debugger->breakAt({.line = line, .inSnippet = false}));
    std::mt19937 random(seed);
    int here = 0;
    while (debugger->stop().reason != StopReason::End && debugger->stop().reason != StopReason::Fault &&
           here++ < 3000) {
      debugger->resume();
      if (random() % 50 == 0)
        debugger->step(StepBy::Moment, Way::Back, random() % 500);
      if (here > 300)
        for (const auto &[number, breakpoint] : debugger->breakpoints())
          debugger->enable(number, false);
    }
    stops += here;
    const Stop &stop = debugger->stop();
    if (hasErrors(free->diagnostics) && stop.reason == StopReason::Fault) {
      ++faults;
      ASSERT_TRUE(stop.fault);
      EXPECT_TRUE(mentions(free->diagnostics, stop.fault->message)) << stop.fault->message;
      continue;
    }
    ASSERT_EQ(stop.reason, StopReason::End) << errorText(free->diagnostics);
    EXPECT_EQ(debugger->arrays()[0].bytes, free->outputs[0].bytes);
    EXPECT_EQ(debugger->arrays()[1].bytes, free->outputs[1].bytes);
    EXPECT_EQ(debugger->printed(), free->printed);
    EXPECT_EQ(stop.cycle, statistics.cycles);
  }
  EXPECT_LT(faults, 40); // the generated kernels are meant to be correct
  EXPECT_GT(stops, 10'000);
}

/// Everything that is shown of a stop, as text. Two debuggers at the same stop have the same text.
std::string shown(Debugger &debugger) {
  const Stop &stop = debugger.stop();
  std::ostringstream out;
  out << static_cast<int>(stop.reason) << " moment " << stop.moment << " cycle " << stop.cycle << " warp "
      << stop.warp.block << "/" << stop.warp.warp << " " << (stop.place ? stop.place->ptxLine : 0) << stop.landing
      << stop.what << (stop.fault ? stop.fault->message : "") << "\n";
  for (const WarpPlace &warp : debugger.warps())
    for (const CodePlace &place : warp.places)
      out << warp.warp.block << "/" << warp.warp.warp << " " << warp.cycle << " " << place.pc << " " << place.lanes
          << " " << place.waitsFor << "\n";
  for (const RegisterValue &one : debugger.registers(debugger.focus()))
    for (uint64_t lane : one.lanes)
      out << one.name << " " << lane << "\n";
  for (const BarrierState &barrier : debugger.barriers(debugger.focus().block))
    out << barrier.address << " " << barrier.phase << " " << barrier.pending << " " << barrier.bytes << "\n";
  for (const Flight &flight : debugger.flights())
    out << flight.from << " " << flight.to << " " << flight.due << " " << flight.landed << "\n";
  SharedMemory shared = debugger.shared(debugger.focus().block);
  out.write(reinterpret_cast<const char *>(shared.bytes.data()), static_cast<long>(shared.bytes.size()));
  for (const SharedWriter &writer : shared.writers)
    out << writer.address << " " << writer.who << "\n";
  for (const Array &array : debugger.arrays())
    out.write(reinterpret_cast<const char *>(array.bytes.data()), static_cast<long>(array.bytes.size()));
  return out.str() + debugger.printed() + errorText(debugger.findings());
}

TEST(Debugger, ShowsTheSameWithoutAThread) {
  for (uint32_t seed = 0; seed < 8; ++seed) {
    SCOPED_TRACE(seed);
    Kernel kernel = generated(seed);
    std::vector<Array> arrays = {u32Array(std::vector<uint32_t>(64, seed)),
                                 u32Array(std::vector<uint32_t>(kernel.threads * kernel.blocks))};
    auto with = debug(kernel, arrays), without = debug(kernel, arrays, {.ownThread = false});
    ASSERT_TRUE(with && without);
    std::mt19937 random(seed);
    for (int n = 0; n < 60; ++n) {
      uint32_t what = static_cast<uint32_t>(random() % 8), count = static_cast<uint32_t>(random() % 300);
      for (Debugger *debugger : {with.get(), without.get()})
        switch (what) {
        case 0: debugger->goTo(debugger->stop().moment + count); break;
        case 1: debugger->step(StepBy::Moment, Way::Back, count); break;
        case 2: debugger->step(StepBy::Line); break;
        case 3: debugger->step(StepBy::Event); break;
        case 4: debugger->step(StepBy::Event, Way::Back); break;
        case 5: debugger->setFocus({count % kernel.blocks, 0}); break;
        case 6: debugger->step(StepBy::Instruction, Way::Forward, 1 + count % 4); break;
        default:
          if (debugger->breakpoints().size() < 4)
            (void)debugger->breakAt({.line = 20 + count % 30, .inSnippet = false});
          debugger->resume(count % 3 ? Way::Forward : Way::Back);
        }
      ASSERT_EQ(shown(*with), shown(*without)) << "after action " << n << ", " << what;
    }
  }
}

/// Long runs, some with clusters. The debugger makes snapshots on the way and keeps few of them.
TEST(Debugger, StoppingChangesNothingOfLongRuns) {
  for (uint32_t seed : {3u, 8u, 14u, 21u, 33u, 40u}) {
    SCOPED_TRACE(seed);
    Kernel kernel = generated(seed);
    size_t limit = kernel.body.find("setp.lt.u32 %p4, %r23, ");
    kernel.body.insert(kernel.body.find(';', limit), "00");
    std::vector<Array> arrays = {u32Array(std::vector<uint32_t>(64, seed)),
                                 u32Array(std::vector<uint32_t>(kernel.threads * kernel.blocks))};
    EmulatorStatistics statistics;
    auto free = emulate(Source::make("k.ptx", kernel.ptx()), launchOf(kernel, arrays), arrays,
                        {.snippet = nullptr, .seed = seed, .threads = 1}, &statistics);
    ASSERT_TRUE(free) << errorText(free.error());
    ASSERT_FALSE(hasErrors(free->diagnostics)) << errorText(free->diagnostics);
    auto debugger = debug(kernel, arrays, {.snippet = nullptr, .seed = seed, .checkpointBytes = 4 << 20});
    ASSERT_TRUE(debugger);
    ASSERT_TRUE(debugger->breakAt(
        {.line = lineOf(kernel, "add.u32 %r23"), .inSnippet = false, .condition = [](const Glance &glance) {
           return glance.warp().warp == 0 && glance.value("%r23", 0).value_or(0) % 50 == 49;
         }}));
    int stops = 0;
    while (debugger->resume().reason == StopReason::Breakpoint && stops++ < 1000)
      if (stops % 3 == 1)
        debugger->step(StepBy::Moment, Way::Back, 5000);
    EXPECT_GT(stops, 3);
    ASSERT_EQ(debugger->stop().reason, StopReason::End);
    EXPECT_EQ(debugger->arrays()[0].bytes, free->outputs[0].bytes);
    EXPECT_EQ(debugger->arrays()[1].bytes, free->outputs[1].bytes);
    EXPECT_EQ(debugger->stop().cycle, statistics.cycles);
    EXPECT_LT(debugger->checkpoints().bytes, size_t{12} << 20); // the start and the last two are always kept
  }
}

} // namespace
} // namespace lanescope::core::test
