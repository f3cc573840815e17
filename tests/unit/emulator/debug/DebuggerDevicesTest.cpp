// The debugger of a kernel on several devices: all devices stand still together, go back together, and leave what the
// run without a debugger leaves.
#include "core/gpu/emulator/coverage/Schedule.h"
#include "core/gpu/emulator/debug/Debugger.h"
#include "tests/unit/emulator/World.h"

#include <map>
#include <set>

namespace lanescope::core::test {
namespace {

const std::string kSend = "add.u64 %a, %next_box, %lane4; st.global.u32 [%a], %value;\nbar.sync 0;\n"
                          "@%leader red.release.sys.global.add.u32 [%next_sem], 1;\n";
const std::string kWait = "@%others bra DONE;\nWAIT: ld.acquire.sys.global.u32 %r, [%sem]; setp.lt.u32 %p, %r, 1; "
                          "@%p bra WAIT;\nDONE: bar.sync 0;\n";
const std::string kRead = "add.u64 %a, %box, %lane4; ld.global.u32 %r, [%a];\n" + kKeep;
/// Each device sends its row to the next one and waits for that of the one before.
const std::string kShift = kSend + kWait + kRead;
/// As kShift, but device 0 starts late.
const std::string kLateFirst = "mov.u32 %q, 0; setp.ne.u32 %p, %rank, 0; @%p bra GO;\nIDLE: add.u32 %q, %q, 1; "
                               "setp.lt.u32 %p, %q, 400; @%p bra IDLE;\nGO:\n" +
                               kShift;

std::vector<Array> zeros(const World &world) {
  return std::vector<Array>(3, Array::zeros(Dtype::U32, {world.devices, 64}));
}

std::unique_ptr<Debugger> debug(const World &world, DebugOptions options = {}) {
  auto debugger = Debugger::open(Source::make("k.ptx", world.ptx()), world.launch(), zeros(world), options);
  if (!debugger) {
    ADD_FAILURE() << errorText(debugger.error());
    return nullptr;
  }
  return std::move(*debugger);
}

uint32_t lineOf(const World &world, std::string_view words) {
  std::string ptx = world.ptx();
  return static_cast<uint32_t>(std::count(ptx.begin(), ptx.begin() + static_cast<long>(ptx.find(words)), '\n')) + 1;
}

TEST(DebuggerDevices, NumbersBlocksOverAllDevices) {
  Launch launch;
  launch.grid = {3, 2, 1};
  launch.devices = 4;
  EXPECT_EQ(deviceBlockOf(launch, 0), (DeviceBlock{0, 0}));
  EXPECT_EQ(deviceBlockOf(launch, 20), (DeviceBlock{3, 2}));
  EXPECT_EQ(blockNumberOf(launch, {3, 2}), 20u);
  EXPECT_FALSE(blockNumberOf(launch, {4, 0}));
  EXPECT_FALSE(blockNumberOf(launch, {0, 6}));
  EXPECT_EQ(blockWords(launch, 22), "device 3 block (1, 1)");
  launch.grid = {6, 1, 1};
  EXPECT_EQ(blockWords(launch, 20), "device 3 block 2");
  launch.devices = 1;
  EXPECT_EQ(blockWords(launch, 4), "block 4");
}

TEST(DebuggerDevices, StopsWarpsOfEveryDevice) {
  for (uint32_t devices : {2u, 4u}) {
    World world{.body = kShift, .devices = devices, .threads = 64};
    auto debugger = debug(world);
    ASSERT_TRUE(debugger);
    EXPECT_EQ(debugger->warps().size(), devices * 2);
    uint32_t line = lineOf(world, "add.u64 %a, %box");
    ASSERT_TRUE(debugger->breakAt({.line = line, .inSnippet = false}));
    std::set<WarpRef> stopped;
    std::set<uint32_t> seen;
    while (debugger->resume().reason == StopReason::Breakpoint) {
      EXPECT_EQ(debugger->stop().place->ptxLine, line);
      EXPECT_TRUE(stopped.insert(debugger->stop().warp).second);
      auto rank = debugger->registerOf(debugger->stop().warp, "%rank");
      ASSERT_TRUE(rank);
      EXPECT_EQ(rank->lanes[3], deviceBlockOf(world.launch(), debugger->stop().warp.block).device);
      seen.insert(static_cast<uint32_t>(rank->lanes[3]));
    }
    EXPECT_EQ(stopped.size(), devices * 2);
    EXPECT_EQ(seen.size(), devices);
    EXPECT_EQ(debugger->stop().reason, StopReason::End);
    auto free = world.run();
    ASSERT_TRUE(free);
    for (size_t n = 0; n < 3; ++n) {
      EXPECT_EQ(debugger->arrays()[n].shape, (Shape{devices, 64}));
      EXPECT_EQ(debugger->arrays()[n].bytes, free->outputs[n].bytes) << n;
    }
  }
}

TEST(DebuggerDevices, TakesTheDeviceInConditions) {
  World world{.body = kShift, .devices = 4};
  auto debugger = debug(world);
  ASSERT_TRUE(debugger);
  ASSERT_TRUE(debugger->breakAt({.line = lineOf(world, "add.u64 %a, %box"),
                                 .inSnippet = false,
                                 .condition = [](const Glance &glance) { return glance.device() == 2; }}));
  EXPECT_EQ(debugger->resume().warp, (WarpRef{2, 0}));
  EXPECT_EQ(debugger->focus(), (WarpRef{2, 0}));
  EXPECT_EQ(debugger->resume().reason, StopReason::End);
}

/// All state of all devices at many moments, forward and then backward, in any order.
TEST(DebuggerDevices, ShowsThePastAsItWas) {
  for (uint32_t devices : {2u, 4u})
    for (size_t room : {size_t{1}, size_t{256} << 20}) {
      World world{.body = kLateFirst, .devices = devices, .threads = 64, .blocks = 1};
      auto debugger = debug(world, {.checkpointBytes = room});
      ASSERT_TRUE(debugger);
      struct Seen {
        Stop stop;
        std::vector<ArrayBytes> arrays;
        std::vector<std::array<uint64_t, 32>> registers;
        std::vector<std::string> places;
      };
      auto look = [&] {
        Seen seen{.stop = debugger->stop(), .arrays = {}, .registers = {}, .places = {}};
        for (const Array &array : debugger->arrays())
          seen.arrays.push_back(array.bytes);
        for (const WarpPlace &warp : debugger->warps()) {
          if (auto found = debugger->registerOf(warp.warp, "%r"))
            seen.registers.push_back(found->lanes);
          for (const CodePlace &place : warp.places)
            seen.places.push_back(place.opcode + std::to_string(place.ptxLine) + place.waitsFor);
        }
        return seen;
      };
      std::map<uint64_t, Seen> seen;
      while (debugger->stop().reason != StopReason::End && seen.size() < 2000) {
        seen.emplace(debugger->stop().moment, look());
        debugger->step(StepBy::Moment, Way::Forward, 61);
      }
      ASSERT_EQ(debugger->stop().reason, StopReason::End);
      ASSERT_GT(seen.size(), 10u);
      std::vector<uint64_t> moments;
      for (const auto &[moment, was] : seen)
        moments.push_back(moment);
      std::ranges::reverse(moments);
      for (size_t n = 0; n + 3 < moments.size(); n += 5)
        std::swap(moments[n], moments[n + 3]);
      for (uint64_t moment : moments) {
        debugger->goTo(moment);
        Seen now = look(), &was = seen.at(moment);
        EXPECT_EQ(now.stop.moment, was.stop.moment);
        EXPECT_EQ(now.stop.warp, was.stop.warp);
        EXPECT_EQ(now.stop.cycle, was.stop.cycle);
        EXPECT_EQ(now.arrays, was.arrays) << moment;
        EXPECT_EQ(now.registers, was.registers) << moment;
        EXPECT_EQ(now.places, was.places) << moment;
      }
      debugger->goTo(UINT64_MAX);
      EXPECT_EQ(debugger->stop().reason, StopReason::End);
      auto free = world.run();
      ASSERT_TRUE(free);
      EXPECT_EQ(debugger->arrays()[0].bytes, free->outputs[0].bytes);
    }
}

/// Every schedule, also those that hold a device or a link back, gives the debugger the run that emulate() makes of it.
TEST(DebuggerDevices, RunsEverySchedule) {
  for (uint64_t schedule : schedulesOf(3, true, {.devices = 4})) {
    SCOPED_TRACE(scheduleText(schedule));
    World world{.body = kShift, .devices = 4};
    world.options.seed = schedule;
    EmulatorStatistics statistics;
    auto free = emulate(Source::make("k.ptx", world.ptx()), world.launch(), zeros(world), world.options, &statistics);
    ASSERT_TRUE(free) << errorText(free.error());
    auto debugger = debug(world, {.seed = schedule});
    ASSERT_TRUE(debugger);
    ASSERT_TRUE(debugger->breakAt({.line = lineOf(world, "add.u64 %a, %box"), .inSnippet = false}));
    int stops = 0;
    while (debugger->resume().reason == StopReason::Breakpoint && stops++ < 100)
      if (stops == 2)
        debugger->step(StepBy::Moment, Way::Back, 40);
    ASSERT_EQ(debugger->stop().reason, StopReason::End);
    EXPECT_EQ(debugger->stop().cycle, statistics.cycles);
    for (size_t n = 0; n < 3; ++n)
      EXPECT_EQ(debugger->arrays()[n].bytes, free->outputs[n].bytes) << n;
  }
}

TEST(DebuggerDevices, FocusesWarpsOfOtherDevices) {
  World world{.body = kShift, .devices = 2, .threads = 64};
  auto debugger = debug(world);
  ASSERT_TRUE(debugger);
  EXPECT_TRUE(debugger->setFocus({1, 1}));
  EXPECT_FALSE(debugger->setFocus({2, 0})); // there are two devices of one block
  EXPECT_FALSE(debugger->setFocus({1, 2}));
  debugger->step(StepBy::Instruction, Way::Forward, 4);
  EXPECT_EQ(debugger->stop().warp, (WarpRef{1, 1}));
  uint64_t there = debugger->stop().moment;
  debugger->step(StepBy::Instruction);
  EXPECT_EQ(debugger->stop().warp, (WarpRef{1, 1}));
  debugger->step(StepBy::Instruction, Way::Back);
  EXPECT_EQ(debugger->stop().moment, there);
}

TEST(DebuggerDevices, SaysThatAWarpOfAnotherDeviceHasEnded) {
  World world{.body = "setp.eq.u32 %p, %rank, 1; @%p bra END;\nmov.u32 %q, 0;\nIDLE: add.u32 %q, %q, 1; setp.lt.u32 "
                      "%p, %q, 4000; @%p bra IDLE;\natom.global.add.u32 %r, [%sem], 1;\nEND:\n",
              .devices = 2};
  auto debugger = debug(world);
  ASSERT_TRUE(debugger);
  ASSERT_TRUE(debugger->setFocus({1, 0}));
  debugger->step(StepBy::Instruction, Way::Forward, 10'000);
  EXPECT_NE(debugger->stop().what.find("warp 0 of device 1 block 0 has ended"), std::string::npos)
      << debugger->stop().what << static_cast<int>(debugger->stop().reason);
}

TEST(DebuggerDevices, ShowsBarriersAndSharedMemoryOfADevice) {
  World world{.body = "mbarrier.init.shared.b64 [bar], %devices; @%leader st.shared.u32 [tile], %rank;\nbar.sync 0;\n" +
                      kKeep,
              .devices = 2};
  auto debugger = debug(world);
  ASSERT_TRUE(debugger);
  ASSERT_TRUE(debugger->breakAt({.line = lineOf(world, "add.u64 %a, %out"), .inSnippet = false}));
  ASSERT_EQ(debugger->resume().reason, StopReason::Breakpoint);
  ASSERT_EQ(debugger->resume().reason, StopReason::Breakpoint);
  WarpRef there = debugger->stop().warp;
  SharedMemory tile = debugger->shared(there.block);
  ASSERT_GE(tile.bytes.size(), 4u);
  EXPECT_EQ(static_cast<uint32_t>(tile.bytes[0]), deviceBlockOf(world.launch(), there.block).device);
  std::vector<BarrierState> barriers = debugger->barriers(there.block);
  ASSERT_FALSE(barriers.empty());
  EXPECT_EQ(barriers[0].expected, 2u);
}

TEST(DebuggerDevices, WatchesTheArrayOfOneDevice) {
  World world{.body = kShift, .devices = 4};
  auto debugger = debug(world);
  ASSERT_TRUE(debugger);
  // box[2, 5] is written by device 1.
  auto number =
      debugger->watch({.what = Watchpoint::What::Global, .buffer = 1, .address = (2 * 64 + 5) * 4, .bytes = 4});
  ASSERT_TRUE(number) << errorText(number.error());
  ASSERT_EQ(debugger->resume().reason, StopReason::Watchpoint);
  EXPECT_EQ(words(debugger->arrays()[1])[2 * 64 + 5], 106u);
  debugger->resume(Way::Back);
  debugger->step(StepBy::Moment); // from before the write to after it
  EXPECT_EQ(words(debugger->arrays()[1])[2 * 64 + 5], 106u);
  debugger->step(StepBy::Moment, Way::Back);
  EXPECT_EQ(words(debugger->arrays()[1])[2 * 64 + 5], 0u);
  EXPECT_EQ(debugger->stop().warp.block, 1u); // device 1 is about to write
  auto outside = debugger->watch({.what = Watchpoint::What::Global, .buffer = 1, .address = 4 * 64 * 4, .bytes = 4});
  EXPECT_FALSE(outside);
}

// --- faults and waits between devices --------------------------------------------------------------------------------

/// Without the wait, a device reads its box while the device before it writes there.
TEST(DebuggerDevices, StandsBeforeARaceOfTwoDevices) {
  for (uint32_t devices : {2u, 4u}) {
    World world{.body = kSend + kRead, .devices = devices};
    auto free = world.run();
    ASSERT_TRUE(free);
    ASSERT_TRUE(hasErrors(free->diagnostics));
    auto debugger = debug(world);
    ASSERT_TRUE(debugger);
    const Stop &stop = debugger->runToFault();
    ASSERT_EQ(stop.reason, StopReason::Fault);
    ASSERT_TRUE(stop.fault);
    EXPECT_TRUE(mentions({*stop.fault}, "of device ")) << errorText({*stop.fault});
    ASSERT_TRUE(stop.place);
    EXPECT_EQ(debugger->focus(), stop.warp);
    uint64_t there = stop.moment;
    uint32_t line = stop.place->ptxLine;
    WarpRef warp = stop.warp;
    debugger->step(StepBy::Moment, Way::Back, 30);
    EXPECT_LT(debugger->stop().moment, there);
    debugger->runToFault();
    EXPECT_EQ(debugger->stop().moment, there);
    EXPECT_EQ(debugger->stop().warp, warp);
    EXPECT_EQ(debugger->stop().place->ptxLine, line);
  }
}

const WaitEdge *edgeOf(const std::vector<WaitEdge> &edges, WarpRef warp, std::string_view words) {
  for (const WaitEdge &edge : edges)
    if (edge.from == warp && edge.what.find(words) != std::string::npos)
      return &edge;
  return nullptr;
}

std::string wordsOf(const std::vector<WaitEdge> &edges) {
  std::string out;
  for (const WaitEdge &edge : edges)
    out += "block " + std::to_string(edge.from.block) + ", warp " + std::to_string(edge.from.warp) + ": " + edge.what +
           "\n";
  return out;
}

/// Device 1 polls until device 0, which is late, signals.
TEST(DebuggerDevices, SeesWhichDeviceSignals) {
  World world{.body = kLateFirst, .devices = 2};
  auto debugger = debug(world);
  ASSERT_TRUE(debugger);
  ASSERT_TRUE(debugger->breakAt({.line = lineOf(world, "WAIT: ld"),
                                 .inSnippet = false,
                                 .condition = [](const Glance &glance) { return glance.device() == 1; },
                                 .ignored = 5}));
  ASSERT_EQ(debugger->resume().reason, StopReason::Breakpoint);
  uint64_t there = debugger->stop().moment;
  std::vector<WaitEdge> edges = debugger->waits();
  EXPECT_EQ(debugger->stop().moment, there);
  const WaitEdge *edge =
      edgeOf(edges, {1, 0}, "a signal at `sem[0]`, byte 0 of `sem` (u32[64]) of device 1, which is 0 now");
  ASSERT_TRUE(edge) << wordsOf(edges);
  EXPECT_EQ(edge->on, std::vector{(WarpRef{0, 0})});
  EXPECT_NE(edge->what.find("no device has signalled there"), std::string::npos) << edge->what;
  EXPECT_FALSE(edgeOf(edges, {0, 0}, "signal")) << wordsOf(edges); // it still counts
  // Forward, back and forward again gives the same.
  debugger->goTo(there + 3000);
  debugger->goTo(there);
  EXPECT_EQ(wordsOf(debugger->waits()), wordsOf(edges));
}

/// Two devices that wait for each other, each before it signals.
TEST(DebuggerDevices, ShowsWhoWaitsInADeadlockOfTwoDevices) {
  World world{.body = kWait + kSend + kRead, .devices = 2};
  auto debugger = debug(world);
  ASSERT_TRUE(debugger);
  const Stop &stop = debugger->runToFault();
  ASSERT_EQ(stop.reason, StopReason::Fault);
  ASSERT_TRUE(stop.fault);
  EXPECT_EQ(stop.fault->kind, "deadlock");
  uint64_t there = stop.moment;
  std::vector<WaitEdge> edges = debugger->waits();
  for (uint32_t device : {0u, 1u}) {
    const WaitEdge *edge = edgeOf(edges, {device, 0}, "a signal at `sem[0]`");
    ASSERT_TRUE(edge) << wordsOf(edges);
    EXPECT_TRUE(edge->on.empty());
  }
  EXPECT_EQ(debugger->stop().moment, there);
  EXPECT_EQ(debugger->stop().reason, StopReason::Fault);
  // Both wait at the line of the poll.
  uint32_t low = lineOf(world, "WAIT: ld"), found = 0;
  for (const WarpPlace &warp : debugger->warps())
    for (const CodePlace &place : warp.places)
      found += place.ptxLine == low;
  EXPECT_GE(found, 2u);
  debugger->step(StepBy::Moment, Way::Back, 100);
  EXPECT_LT(debugger->stop().moment, there);
  EXPECT_EQ(debugger->runToFault().moment, there);
  EXPECT_EQ(debugger->stop().fault->kind, "deadlock");
}

/// Signals that are repeated by going back are not counted twice.
TEST(DebuggerDevices, CountsSignalsOnce) {
  World world{.body = "setp.eq.u32 %p, %rank, 2; @%p bra WAITS;\n@%leader red.release.sys.global.add.u32 [%next_sem], "
                      "1;\nWAITS: @%others bra DONE;\nWAIT: ld.acquire.sys.global.u32 %r, [%sem];\nsetp.lt.u32 %p, %r, "
                      "2; @%p bra WAIT;\nDONE:\n",
              .devices = 3};
  auto debugger = debug(world, {.checkpointBytes = 1});
  ASSERT_TRUE(debugger);
  for (int round = 0; round < 3; ++round) {
    const Stop &stop = debugger->runToFault();
    ASSERT_EQ(stop.reason, StopReason::Fault);
    EXPECT_TRUE(mentions({*stop.fault}, "device 0 has signalled byte 0 of `sem` (u32[64]) of device 1 1 time"))
        << errorText({*stop.fault});
    debugger->goTo(0);
  }
}

} // namespace
} // namespace lanescope::core::test
