// Several devices side by side: peers' memory, signals, multicast objects; equal results for any number of devices,
// schedules and threads. The faults between devices are in tests/emulator/devices.
#include "tests/unit/emulator/World.h"

#include "core/gpu/emulator/coverage/Schedule.h"
#include "core/gpu/emulator/record/DeviceLinks.h"
#include "core/gpu/kernel/Profile.h"

namespace lanescope::core::test {
namespace {

constexpr uint32_t kCounts[] = {1, 2, 4, 8};

const std::string kShift = "add.u64 %a, %next_box, %lane4; st.global.u32 [%a], %value;\nbar.sync 0;\n"
                           "@%leader red.release.sys.global.add.u32 [%next_sem], 1;\n@%others bra DONE;\n"
                           "WAIT: ld.acquire.sys.global.u32 %r, [%sem]; setp.lt.u32 %p, %r, 1; @%p bra WAIT;\n"
                           "DONE: bar.sync 0;\nadd.u64 %a, %box, %lane4; ld.global.u32 %r, [%a];\n" +
                           kKeep;

TEST(World, ARingOnAnyNumberOfDevices) {
  for (uint32_t devices : kCounts)
    for (uint32_t device = 0; device < devices; ++device) {
      uint32_t before = (device + devices - 1) % devices;
      World world{.body = kShift, .devices = devices};
      EXPECT_EQ(world.outOf(device)[5], 100 * before + 6) << devices;
    }
}

TEST(World, EverySchedule) {
  for (uint64_t schedule : schedulesOf(3, true, {.devices = 4})) {
    World world{.body = kShift, .devices = 4};
    world.options.seed = schedule;
    EXPECT_EQ(world.outOf(2)[31], 132u) << scheduleText(schedule);
    auto again = parseSchedule(scheduleText(schedule)); // a schedule's name is its number
    ASSERT_TRUE(again) << scheduleText(schedule);
    EXPECT_EQ(*again, schedule);
  }
}

TEST(World, SchedulesThatThereAreNot) {
  for (const char *text : {"slow-device-", "slow-device-72", "slow-device-x", "slow-link-1"})
    EXPECT_FALSE(parseSchedule(text)) << text;
}

TEST(World, TheSameOnAnyNumberOfThreads) {
  // Devices that do not communicate run on all host cores.
  const std::string alone = "mov.u32 %q, %ctaid.x;\nmad.lo.u32 %r, %q, 7, %value;\nmul.wide.u32 %b, %q, 4; add.u64 %b, "
                            "%b, %out;\n@%leader st.global.u32 [%b], %r;\n";
  std::vector<uint32_t> first;
  for (uint32_t threads : {1u, 2u, 5u}) {
    World world{.body = alone, .devices = 4, .blocks = 64};
    world.options.threads = threads;
    std::vector<uint32_t> out = world.outOf(3);
    EXPECT_EQ(out[63], 301u + 63 * 7);
    EXPECT_TRUE(first.empty() || first == out);
    first = out;
  }
}

/// Volatile reads of another device's data are no race, but may be stale without fences of the system.
TEST(World, VolatileDataBehindFencesOfTheSystem) {
  auto exchange = [](const std::string &told, const std::string &seen) {
    return World{.body = "add.u64 %a, %box, %lane4; st.volatile.global.u32 [%a], %value;\n" + told +
                         "bar.sync 0;\n@%others bra DONE;\nst.volatile.global.u32 [%next_sem], 1;\n"
                         "POLL: ld.volatile.global.u32 %r, [%sem];\nsetp.eq.u32 %p, %r, 0;\n@%p bra POLL;\n" +
                         seen + "DONE: bar.sync 0;\nadd.u64 %a, %next_box, %lane4; ld.volatile.global.u32 %r, [%a];\n" +
                         kKeep};
  };
  const std::string fence = "membar.sys;\n";
  EXPECT_EQ(exchange(fence, fence).outOf(0)[5], 106u);
  for (const auto &[told, seen] :
       {std::pair<std::string, std::string>("", ""), {"membar.gl;\n", "membar.gl;\n"}, {"", fence}, {fence, ""}}) {
    auto result = exchange(told, seen).run();
    ASSERT_TRUE(result) << errorText(result.error());
    ASSERT_TRUE(hasErrors(result->diagnostics)) << told << seen;
    EXPECT_EQ(result->diagnostics[0].kind, "race");
    EXPECT_TRUE(mentions(result->diagnostics, "fence.acq_rel.sys")) << errorText(result->diagnostics);
  }
}

TEST(World, SumsOfAllCopies) {
  for (uint32_t devices : kCounts) {
    World world{.body = "add.u64 %a, %box, %lane4; st.global.u32 [%a], %value;\n" + meet() +
                        "add.u64 %a, %mc_box, %lane4; multimem.ld_reduce.relaxed.sys.global.add.u32 %r, [%a];\n" +
                        kKeep,
                .devices = devices};
    EXPECT_EQ(world.outOf(devices - 1)[3], 100 * devices * (devices - 1) / 2 + 4 * devices);
  }
}

/// The result of ld_reduce for words that the devices hold at the thread's place.
uint32_t reduced(const std::string &form, std::vector<uint32_t> values, const std::string &target = "sm_90a") {
  std::string pick = "mov.u32 %w0, 0;\n";
  for (size_t n = 0; n < values.size(); ++n)
    pick +=
        "setp.eq.u32 %p, %rank, " + std::to_string(n) + "; selp.b32 %w0, " + std::to_string(values[n]) + ", %w0, %p;\n";
  World world{.body = pick + "add.u64 %a, %box, %lane4; st.global.u32 [%a], %w0;\n" + meet() +
                      "add.u64 %a, %mc_box, %lane4; multimem.ld_reduce" + form + " %r, [%a];\n" + kKeep,
              .devices = static_cast<uint32_t>(values.size()),
              .target = target};
  return world.outOf(1)[7];
}

TEST(World, ReductionsOfEveryType) {
  EXPECT_EQ(reduced(".acquire.sys.global.min.s32", {5, 0xFFFFFFFE, 3}), 0xFFFFFFFE);
  EXPECT_EQ(reduced(".weak.global.max.u32", {5, 0xFFFFFFFE, 3}), 0xFFFFFFFE);
  EXPECT_EQ(reduced(".relaxed.gpu.global.and.b32", {0xFF, 0x3C, 0x0F}), 0x0Cu);
  EXPECT_EQ(reduced(".relaxed.sys.global.or.b32", {1, 2, 8}), 11u);
  EXPECT_EQ(reduced(".relaxed.sys.global.xor.b32", {1, 3, 8}), 10u);
  EXPECT_EQ(reduced(".relaxed.sys.global.add.f32", {0x3F800000, 0x40000000, 0x40400000}), 0x40C00000u); // 1 + 2 + 3
  EXPECT_EQ(reduced(".relaxed.sys.global.add.f16x2", {0x3C004000, 0x3C004000}), 0x40004400u);           // 2, 4
  EXPECT_EQ(reduced(".relaxed.sys.global.min.bf16x2", {0x3F804000, 0x40003F80}), 0x3F803F80u);
  // 2048 + 1 + 1: in f16 each 1 is lost, in f32 it is not.
  EXPECT_EQ(reduced(".relaxed.sys.global.add.f16x2", {0x6800, 0x3C00, 0x3C00}), 0x6800u);
  EXPECT_EQ(reduced(".relaxed.sys.global.add.acc::f32.f16x2", {0x6800, 0x3C00, 0x3C00}), 0x6801u);
  EXPECT_EQ(reduced(".relaxed.sys.global.add.acc::f16.e4m3x4", {0x38383838, 0x40404040}, "sm_100a"),
            0x44444444u); // 1 + 2
}

TEST(World, VectorsAndStoresToAllCopies) {
  World world{.body = "setp.ne.u32 %p, %rank, 1; @%p bra SENT; setp.ne.u32 %p, %t, 0; @%p bra SENT;\n"
                      "mov.b32 %w0, 1; mov.b32 %w1, 2; mov.b32 %w2, 3; mov.b32 %w3, 4;\n"
                      "multimem.st.relaxed.sys.global.v4.f32 [%mc_box], {%w0, %w1, %w2, %w3};\nSENT:\n" +
                      meet() + "add.u64 %a, %box, %lane4; ld.global.u32 %r, [%a];\n" + kKeep,
              .devices = 4};
  world.body.replace(
      world.body.find("mov.b32 %w0"), world.body.find("multimem.st") - world.body.find("mov.b32 %w0"),
      "mov.f32 %f0, 0f3F800000; mov.f32 %f1, 0f40000000; mov.f32 %f2, 0f40400000; mov.f32 %f3, 0f40800000;\n");
  for (const char *from : {"%w0", "%w1", "%w2", "%w3"})
    world.body.replace(world.body.find(from), 2, "%f");
  for (uint32_t device : {0u, 3u}) {
    std::vector<uint32_t> out = world.outOf(device);
    EXPECT_EQ(out[0], 0x3F800000u);
    EXPECT_EQ(out[3], 0x40800000u);
    EXPECT_EQ(out[4], 0u);
  }
}

/// Signals to all devices without an alias fence. `before` precedes the signal, `behind` follows the wait.
std::string meetWith(const std::string &before, const std::string &behind) {
  std::string text = meet();
  size_t fence = text.find("fence.proxy.alias;\n");
  text.replace(fence, std::string("fence.proxy.alias;\n").size(), before);
  return text + behind;
}

// Accesses by two addresses of one memory need an alias fence between them.
TEST(World, TwoAddressesOfOneMemory) {
  const std::string own = "add.u64 %a, %box, %lane4; ", all = "add.u64 %a, %mc_box, %lane4; ",
                    fence = "fence.proxy.alias;\n";
  const std::string stores = own + "st.global.u32 [%a], %value;\n",
                    sums = all + "multimem.ld_reduce.relaxed.sys.global.add.u32 %r, [%a];\n",
                    loads = own + "ld.global.u32 %r, [%a];\n",
                    spreads = "setp.ne.u32 %p, %rank, 0; @%p bra SENT;\n" + all +
                              "multimem.st.weak.global.u32 [%a], %value;\nSENT:\n";
  for (auto [first, second] : {std::pair(stores, sums), std::pair(spreads, loads)})
    for (uint64_t schedule : schedulesOf(2, true, {.devices = 2}))
      for (auto [before, behind] : {std::pair(fence, std::string()), std::pair(std::string(), fence),
                                    std::pair(std::string(), std::string())}) {
        World world{.body = first + meetWith(before, behind) + second + kKeep};
        world.options.seed = schedule;
        auto result = world.run();
        ASSERT_TRUE(result) << errorText(result.error());
        bool fenced = before != behind;
        EXPECT_EQ(result->diagnostics.empty(), fenced) << scheduleText(schedule) << errorText(result->diagnostics);
        for (const Diagnostic &said : result->diagnostics) {
          EXPECT_EQ(said.kind, "unfenced-alias");
          EXPECT_EQ(said.severity, Severity::Warning);
        }
        EXPECT_FALSE(!fenced && !mentions(result->diagnostics, "these are two proxies"))
            << errorText(result->diagnostics);
        world.options.strict = true;
        result = world.run();
        ASSERT_TRUE(result);
        EXPECT_EQ(hasErrors(result->diagnostics), !fenced);
      }
}

TEST(World, FormsThatAreNotThere) {
  for (const char *form : {".relaxed.sys.global.add.s64", ".relaxed.sys.global.min.f32", ".relaxed.sys.global.and.u32",
                           ".relaxed.sys.global.add.v2.u32", ".relaxed.sys.global.add.v4.f64"}) {
    auto result = World{.body = std::string("multimem.ld_reduce") + form + " %r, [%mc_box];"}.run();
    ASSERT_FALSE(result) << form;
  }
  for (const char *form :
       {"multimem.red.relaxed.sys.global.min.f16x2 [%mc_box], %r;",
        "multimem.red.acquire.sys.global.add.u32 [%mc_box], %r;", "multimem.st.relaxed.global.u32 [%mc_box], %r;",
        "multimem.red.weak.global.add.u32 [%mc_box], %r;"})
    ASSERT_FALSE((World{.body = form}.run())) << form;
}

/// Fills the tile with the rank as a float; one thread sends it by `copy`.
std::string sent(const std::string &copy) {
  return "cvt.rn.f32.u32 %f0, %rank; add.f32 %f0, %f0, 0f3F800000;\nmov.u32 %q, tile; mul.lo.u32 %n, %t, 4; add.u32 "
         "%n, "
         "%n, %q; st.shared.f32 [%n], %f0;\nfence.proxy.async;\nbar.sync 0;\n@%others bra SENT;\n" +
         copy + "\ncp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\nSENT:\n";
}

TEST(World, TmaStoresToAPeerAndToAll) {
  World peer{.body = sent("mov.b64 %a, maps; cvta.param.u64 %a, %a; "
                          "cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [%a, {%w0}], [%q];") +
                     meet()};
  peer.body = "mov.u32 %w0, 0;\n" + peer.body;
  peer.maps = {{{1, 0}, false}};
  auto result = peer.run();
  ASSERT_TRUE(result) << errorText(result.error());
  EXPECT_TRUE(result->diagnostics.empty()) << errorText(result->diagnostics);
  EXPECT_EQ(result->outputs[3].number(0), 2);  // device 0 has what device 1 sent
  EXPECT_EQ(result->outputs[3].number(64), 1); // device 1 has the data of device 0

  World all{.body = "mov.u32 %w0, 0;\n" +
                    sent("setp.ne.u32 %p, %rank, 2; @%p bra SENT; mov.b64 %a, maps; cvta.param.u64 %a, %a;\n"
                         "cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.tile.bulk_group [%a, {%w0}], [%q];") +
                    meet(),
            .devices = 4};
  all.maps = {{{}, true}};
  auto spread = all.run();
  ASSERT_TRUE(spread) << errorText(spread.error());
  EXPECT_TRUE(spread->diagnostics.empty()) << errorText(spread->diagnostics);
  for (int64_t device = 0; device < 4; ++device)
    EXPECT_EQ(spread->outputs[3].number(64 * device + 31), 3);
}

TEST(World, BulkCopiesToAll) {
  for (auto [copy, wanted] :
       {std::pair("multimem.cp.async.bulk.global.shared::cta.bulk_group [%mc_box], [%q], 128;", 0x40000000u),
        std::pair("multimem.cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%mc_box], [%q], 128;",
                  0x40000000u)}) {
    World world{.body = sent(std::string("setp.ne.u32 %p, %rank, 1; @%p bra SENT;\n") + copy) + meet() +
                        "add.u64 %a, %box, %lane4; ld.global.u32 %r, [%a];\n" + kKeep};
    EXPECT_EQ(world.outOf(0)[9], wanted) << copy;
    EXPECT_EQ(world.outOf(1)[9], wanted) << copy;
  }
  auto plain = World{.body = sent("cp.async.bulk.global.shared::cta.bulk_group [%mc_box], [%q], 128;")}.run();
  ASSERT_TRUE(plain) << errorText(plain.error());
  EXPECT_TRUE(mentions(plain->diagnostics, "such addresses are for `multimem`")) << errorText(plain->diagnostics);
}

TEST(World, ADeadlockTellsWhoHasNotSignalled) {
  // Each of three devices waits for two signals; device 2 sends none.
  World world{.body = "setp.eq.u32 %p, %rank, 2; @%p bra WAITS;\n@%leader multimem.red.release.sys.global.add.u32 "
                      "[%mc_sem], 1;\nfence.proxy.alias;\nWAITS: @%others bra DONE;\nWAIT: ld.acquire.sys.global.u32 "
                      "%r, [%sem];\nsetp.lt.u32 %p, %r, 3; @%p bra WAIT;\nDONE:\n",
              .devices = 3};
  auto result = world.run();
  ASSERT_TRUE(result) << errorText(result.error());
  ASSERT_FALSE(result->diagnostics.empty());
  EXPECT_EQ(result->diagnostics.back().kind, "deadlock");
  for (const char *words : {"of device 1, warp 0 polls here", "byte 0 of `sem` (u32[64]) of device 0 is 2",
                            "device 0 has signalled byte 0 of `sem` (u32[64]) of device 1 1 time",
                            "device 0 waits for a signal at byte 0 of `sem` (u32[64]) of device 0, and none has come "
                            "from device 2"})
    EXPECT_TRUE(mentions(result->diagnostics, words)) << words << errorText(result->diagnostics);
}

TEST(World, LinksCountTheirBytes) {
  World world{.body = kShift, .devices = 4};
  emulator::Links links(4);
  world.options.links = &links;
  auto result = world.run();
  ASSERT_TRUE(result) << errorText(result.error());
  EXPECT_EQ(links.bytes(0, 1), 32 * 4 + 4u); // the message and the signal
  EXPECT_EQ(links.bytes(3, 0), 32 * 4 + 4u);
  EXPECT_EQ(links.bytes(1, 0), 0u);
  EXPECT_NE(result->note.find("over links, device 0 to device 1: 132 bytes"), std::string::npos) << result->note;
}

TEST(World, BytesReadFromAPeerComeTheOtherWay) {
  World world{.body = "add.u64 %a, %next_box, %lane4; ld.global.u32 %r, [%a];\n" + kKeep, .devices = 4};
  emulator::Links links(4);
  world.options.links = &links;
  auto result = world.run();
  ASSERT_TRUE(result) << errorText(result.error());
  EXPECT_TRUE(result->diagnostics.empty()) << errorText(result->diagnostics);
  EXPECT_EQ(links.bytes(1, 0), 128u);
  EXPECT_EQ(links.bytes(0, 1), 0u);
}

TEST(World, OneTraceOfAllDevices) {
  World world{.body = kShift};
  emulator::Links links(2);
  world.options.links = &links;
  auto result = world.run();
  ASSERT_TRUE(result) << errorText(result.error());
  ProfileSpec spec;
  spec.tracesPerBlock = 1;
  spec.threadsPerTrace = 32;
  std::vector<Trace> traces(2);
  for (Trace &one : traces) {
    one.names = {"all"};
    one.tracks = {{4, 1, "SM 3", "block (0, 0, 0) warp 0", {{0, 0, 1e9, 1e9 + 1e6}}}};
  }
  Trace all = links.join(std::move(traces), spec, {1, 1, 1});
  ASSERT_EQ(all.tracks.size(), 4u); // one warp on each device, one link in each direction
  EXPECT_EQ(all.tracks[1].processName, "device 1 SM 3");
  EXPECT_NE(all.tracks[0].pid, all.tracks[1].pid);
  EXPECT_EQ(all.tracks[1].threadName, "device 1 block (0, 0, 0) warp 0");
  EXPECT_EQ(all.tracks[2].threadName, "device 0 to device 1 in flight");
  ASSERT_EQ(all.flights.size(), 2u);
  EXPECT_EQ(all.flights[0].detail, "132 bytes in all");
  ASSERT_EQ(all.flows.size(), 2u);
  for (const TraceFlow &flow : all.flows) {
    EXPECT_NE(flow.from.pid, flow.to.pid);
    EXPECT_LT(flow.from.ns, flow.to.ns);
  }
  Result<Trace> read = parseChromeTrace(Source::make("trace.json", toChromeJson(all)));
  ASSERT_TRUE(read) << errorText(read.error());
  EXPECT_EQ(read->tracks.size(), 4u);
  EXPECT_EQ(read->flows.size(), 2u);
  EXPECT_NE(summarize(all).find("device 1 block (0, 0, 0) warp 0"), std::string::npos) << summarize(all);
}

TEST(World, VariablesAreEachDevicesOwn) {
  World world{.body =
                  "@%leader red.global.add.u32 [count], %value;\nbar.sync 0;\nld.global.u32 %r, [count];\n" + kKeep};
  std::string ptx = world.ptx();
  ptx.insert(ptx.find(".visible"), ".global .u32 count = 5;\n");
  auto result =
      emulate(Source::make("k.ptx", ptx), world.launch(), std::vector<Array>(3, Array::zeros(Dtype::U32, {2, 64})), {});
  ASSERT_TRUE(result) << errorText(result.error());
  EXPECT_TRUE(result->diagnostics.empty()) << errorText(result->diagnostics);
  EXPECT_EQ(words(result->outputs[0])[0], 6u);
  EXPECT_EQ(words(result->outputs[0])[64], 106u);
}

TEST(World, TheMetadataCanOnlyBeRead) {
  for (const char *write :
       {"@%leader st.global.u32 [%meta+8], %value;", "mad.lo.u32 %t, %t, 0, 0; st.global.u32 [%meta], %value;",
        "@%leader st.u32 [%meta+16], %value;", "@%leader atom.global.add.u32 %r, [%meta+8], 1;",
        "fence.proxy.async;\n@%leader cp.async.bulk.global.shared::cta.bulk_group [%meta], [tile], 16;\n"
        "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;"}) {
    World world{.body = write};
    auto result = world.run();
    ASSERT_TRUE(result) << errorText(result.error());
    ASSERT_FALSE(result->diagnostics.empty()) << write;
    EXPECT_EQ(result->diagnostics.back().kind, "read-only-memory") << errorText(result->diagnostics);
    EXPECT_TRUE(mentions(result->diagnostics, "of the collective metadata of device"));
  }
}

TEST(World, ALaunchThatItsDevicesDoNotFit) {
  World world{.body = ""};
  Launch launch = world.launch();
  std::get<BufferParam>(launch.params[0]).buffer.shape = {3, 64};
  auto result =
      emulate(Source::make("k.ptx", world.ptx()), launch, std::vector<Array>(3, Array::zeros(Dtype::U32, {2, 64})), {});
  ASSERT_FALSE(result);
  EXPECT_TRUE(mentions(result.error(), "a buffer's shape begins with 2")) << errorText(result.error());
}

} // namespace
} // namespace lanescope::core::test
