// The debugger's commands on kernels of the snippet language: values by name, conditions, scripts, and refused
// commands.
#include "repl/session/Debug.h"
#include "layouts/support/Text.h"
#include "repl/debug/MarkedValues.h"
#include "repl/session/Session.h"

#include <gtest/gtest.h>

namespace lanescope::repl {
namespace {

// Warpgroup w adds 64-column blocks of a row. `total` is an array; `step` and `slot` are scalars.
constexpr const char *kSums = R"(steps = 4
@kernel(grid=(2,), grid_names=("block",), num_threads=1, scratch=[SMEM((2, 64, 64), f32, transforms=(TilingTransform((8, 32)), SwizzleTransform(128))), Barrier(num_barriers=2)])
def sums(x: GMEM((128, 256), f32), out: Out((128, 64), f32), buffers, loaded):
  row = axis_index("block") * 64
  copy_gmem_to_smem(x.at[ds(row, 64), ds(0, 64)], buffers.at[0], loaded.at[0])
  total = full((64, 64), 0, f32)
  for step in range(steps):
    slot = step % 2
    if step + 1 < steps:
      copy_gmem_to_smem(x.at[ds(row, 64), ds((step + 1) * 64, 64)], buffers.at[1 - slot], loaded.at[1 - slot])
    barrier_wait(loaded.at[slot])
    part = load(buffers.at[slot], layout=WGMMA)
    total = total + part
  out[ds(row, 64), :] = total
)";

struct Debugged {
  std::string written;
  std::unique_ptr<Session> session;
  DebugTarget target;
  std::unique_ptr<DebugPrompt> prompt;

  explicit Debugged(const std::string &text, const std::string &call, const std::string &arch = "sm_90a") {
    session = std::make_unique<Session>(
        SessionOptions{.kernels = {.arch = arch, .device = "emulator", .recordInputs = true, .markValues = true},
                       .output = [this](std::string_view words) { written += words; }});
    auto ran = session->run(Source::make("sums.py", text + call));
    const auto &launches = session->kernels().launches();
    if (launches.empty()) {
      ADD_FAILURE() << (ran ? "no launch" : render(ran.error()));
      return;
    }
    target = *debugTarget(launches.back(), session->kernels().options());
    auto opened = DebugPrompt::open(target, debugOptions(*session));
    EXPECT_TRUE(opened) << render(opened.error());
    prompt = std::move(*opened);
  }
  /// A value of the focused warp.
  core::Array value(const std::string &name) {
    MarkedValues values(target);
    const MarkedValue *marked = values.find(name);
    if (!marked) {
      ADD_FAILURE() << name << " has no marks";
      return {};
    }
    auto found = recover(prompt->debugger(), target, *marked, prompt->debugger().focus());
    EXPECT_TRUE(found) << name << ": " << render(found.error());
    return found ? std::move(found->array) : core::Array();
  }
  std::string say(std::string_view line) {
    auto said = prompt->run(line);
    return said ? *said : render(said.error());
  }
};

constexpr const char *kCall = "y = sums(reshape(astype(arange(128 * 256), f32), (128, 256)))\n";

TEST(Debug, PrintsValuesByTheirNames) {
  Debugged debugged(kSums, kCall);
  debugged.say("break 13 if block == 1 and warp == 2 and step == 2");
  std::string stop = debugged.say("continue");
  EXPECT_NE(stop.find("warp 2 of block 1 at line 13"), std::string::npos) << stop;
  EXPECT_EQ(debugged.say("print step"), "step = 2\n");
  EXPECT_EQ(debugged.say("print slot"), "slot = 0\n");
  EXPECT_EQ(debugged.say("print row"), "row = 64\n");
  // Rows from 64 on of blocks 0 and 1: element (r, c) is (64 + r)*256 + c, plus the same number and 64.
  auto value = debugged.prompt->run("print total");
  ASSERT_TRUE(value) << render(value.error());
  EXPECT_NE(value->find("32832"), std::string::npos) << *value; // 2*(64*256) + 64
  std::string show = debugged.say("show part");
  EXPECT_NE(show.find("f32[64, 64] in "), std::string::npos) << show;
  // A search that goes back to the definition and returns does not change the current stop.
  EXPECT_EQ(debugged.say("here"), stop);
}

TEST(Debug, PutsSharedMemoryTogetherFromItsTiles) {
  Debugged debugged(kSums, kCall);
  EXPECT_NE(debugged.say("values").find("buffers: shared memory, f32[2, 64, 64] in tiles of (8, 32), 128-byte swizzle"),
            std::string::npos);
  debugged.say("break 12 if block == 1 and warp == 0 and step == 1");
  debugged.say("continue"); // blocks of 64 columns: 0 and 1 have arrived, and block 2 may be in flight to slot 0
  core::Array buffers = debugged.value("buffers");
  ASSERT_EQ(buffers.shape, (layouts::Shape{2, 64, 64}));
  for (int64_t row = 0; row < 64; ++row)
    for (int64_t column = 0; column < 64; ++column)
      ASSERT_EQ(buffers.number((64 + row) * 64 + column), (64 + row) * 256 + 64 + column) << row << ", " << column;
  EXPECT_NE(debugged.say("show buffers").find("shared memory from address 1024 on"), std::string::npos);
  debugged.say("goto 999999999");
  EXPECT_NE(debugged.say("print buffers").find("does not run now"), std::string::npos);
}

TEST(Debug, ReadsElementsOfLessThan16Bits) {
  Debugged debugged("@kernel(num_threads=1, scratch=[SMEM((64, 64), i8, transforms=(TilingTransform((8, 64)), "
                    "SwizzleTransform(64)))])\n"
                    "def k(x: GMEM((64, 64), i8), y: GMEM((64, 64), i8), out: Out((64, 64), i8), tile):\n"
                    "  one = load(x.at[:, :], layout=WGMMA)\n"
                    "  both = one + load(y.at[:, :], layout=WGMMA)\n"
                    "  narrow = both.astype(f32).astype(f8e4m3fn)\n"
                    "  tile[...] = both\n"
                    "  commit_smem()\n"
                    "  out[...] = both\n",
                    "k(astype(reshape(arange(4096) % 100, (64, 64)), i8) - 90, ones((64, 64), i8))\n");
  debugged.say("fault");
  debugged.say("reverse-event");
  core::Array one = debugged.value("one"), both = debugged.value("both"), tile = debugged.value("tile"),
              narrow = debugged.value("narrow");
  ASSERT_EQ(one.dtype, layouts::Dtype::I8);
  ASSERT_EQ(narrow.dtype, layouts::Dtype::F8E4M3FN);
  for (int64_t n = 0; n < 4096; ++n) {
    ASSERT_EQ(one.integer(n), n % 100 - 90) << n;
    ASSERT_EQ(both.integer(n), n % 100 - 89) << n;
    ASSERT_EQ(tile.integer(n), n % 100 - 89) << n;
    if (std::abs(n % 100 - 89) <= 16) // the range in which f8e4m3fn is exact
      ASSERT_EQ(narrow.number(n), n % 100 - 89) << n;
  }
}

TEST(Debug, ReadsNibblesTwoToARegister) {
  Debugged debugged("@kernel(num_threads=1)\n"
                    "def k(x: GMEM((64, 64), i4), out: Out((64, 64), f16)):\n"
                    "  nibbles = load(x.at[:, :], layout=WGMMA_UPCAST_4X)\n"
                    "  out[...] = nibbles.astype(f16)\n",
                    "k(astype(reshape(arange(4096) % 16 - 8, (64, 64)), i4))\n");
  debugged.say("fault");
  debugged.say("reverse-step");
  core::Array nibbles = debugged.value("nibbles");
  ASSERT_EQ(nibbles.dtype, layouts::Dtype::I4);
  for (int64_t n = 0; n < 4096; ++n)
    ASSERT_EQ(nibbles.integer(n), n % 16 - 8) << n;
}

TEST(Debug, ShowsWhatAWgmmaAddsTo) {
  for (const char *type : {"f32", "f16"}) {
    Debugged debugged(
        text("swizzled = (TilingTransform((8, 64)), SwizzleTransform(128))\n"
             "@kernel(num_threads=1, scratch=[SMEM((128, 64), f16, transforms=swizzled), SMEM((64, 64), f16, "
             "transforms=swizzled), ACC((128, 64), ",
             type,
             "), Barrier(num_arrivals=2)])\n"
             "def k(x: GMEM((128, 64), f16), y: GMEM((64, 64), f16), out: Out((128, 64), ",
             type,
             "), a, b, acc, loaded):\n"
             "  copy_gmem_to_smem(x, a, loaded)\n"
             "  copy_gmem_to_smem(y, b, loaded)\n"
             "  barrier_wait(loaded)\n"
             "  for step in range(3):\n"
             "    wgmma(acc, a, b)\n"
             "    two = step * 2\n"
             "    wgmma_wait(0)\n"
             "    three = step * 3\n"
             "  out[...] = acc[...]\n"),
        "k(astype(reshape(arange(128 * 64) // 64, (128, 64)), f16), ones((64, 64), f16))\n");
    debugged.say("break 11 if warp == 3 and two == 4"); // in the third round, after its wait
    std::string stop = debugged.say("continue");
    ASSERT_NE(stop.find("at line 11"), std::string::npos) << stop;
    core::Array sums = debugged.value("acc");
    ASSERT_EQ(sums.shape, (layouts::Shape{128, 64}));
    for (int64_t n = 0; n < sums.size(); n += 7) // each row's number, 64 times per round; f16 is exact up to 2048
      if (n / 64 <= 10)
        ASSERT_EQ(sums.number(n), n / 64 * 64 * 3) << type << " " << n;
    EXPECT_EQ(debugged.say("print acc").find("in flight"), std::string::npos);
    debugged.say("delete");
    debugged.say("break 9 if warp == 3");
    debugged.say("reverse-continue");
    EXPECT_NE(debugged.say("print acc").find("the product of line 8 is in flight"), std::string::npos)
        << debugged.say("print acc");
  }
}

TEST(Debug, KnowsWhereAnAccumulatorIsWrittenAnew) {
  Debugged debugged(
      "swizzled = (TilingTransform((8, 64)), SwizzleTransform(128))\n"
      "@kernel(num_threads=1, scratch=[SMEM((64, 64), f16, transforms=swizzled), SMEM((64, 64), f16, "
      "transforms=swizzled), ACC((64, 64), f32), Barrier(num_arrivals=2)])\n"
      "def k(x: GMEM((64, 64), f16), y: GMEM((64, 64), f16), out: Out((64, 64), f32), a, b, acc, loaded):\n"
      "  copy_gmem_to_smem(x, a, loaded)\n"
      "  copy_gmem_to_smem(y, b, loaded)\n"
      "  barrier_wait(loaded)\n"
      "  wgmma(acc, a, b)\n"
      "  wgmma_wait(0)\n"
      "  one = load(y, layout=WGMMA)\n"
      "  acc[...] = one.astype(f32)\n"
      "  out[...] = acc[...]\n",
      "k(ones((64, 64), f16), ones((64, 64), f16))\n");
  debugged.say("break 10 if warp == 3"); // stops before `acc` is written
  debugged.say("continue");
  core::Array sums = debugged.value("acc");
  for (int64_t n = 0; n < sums.size(); ++n)
    ASSERT_EQ(sums.number(n), 64) << n;
  debugged.say("fault");
  debugged.say("reverse-step");
  std::string said = debugged.say("print acc");
  EXPECT_NE(said.find("does not follow the value that line 10 writes to `acc`"), std::string::npos) << said;
}

TEST(Debug, ReadsArraysOfTensorMemory) {
  Debugged debugged("@kernel(scratch=[TMEM((2, 128, 64), f32), TMEM((128, 64), f16, packed=True)])\n"
                    "def k(x: GMEM((2, 128, 64), f32), out: Out((128, 64), f32), sums, halves):\n"
                    "  async_store_tmem(sums.at[0], load(x.at[0], layout=TCGEN05))\n"
                    "  async_store_tmem(sums.at[1], load(x.at[1], layout=TCGEN05))\n"
                    "  async_store_tmem(halves, load(x.at[0], layout=TCGEN05).astype(f16))\n"
                    "  commit_tmem()\n"
                    "  out[...] = async_load_tmem(sums.at[1])\n",
                    "k(reshape(astype(arange(2 * 128 * 64), f32), (2, 128, 64)))\n", "sm_100a");
  EXPECT_NE(debugged.say("values").find("sums: tensor memory, (2, 128, 64) f32"), std::string::npos);
  EXPECT_NE(debugged.say("print sums").find("has no tensor memory now"), std::string::npos);
  // Goes back from the end to where the block still owns the memory; by then all has been stored.
  core::Debugger &debugger = debugged.prompt->debugger();
  auto holds = [&] {
    auto memory = debugger.tensorMemory(0);
    return std::ranges::any_of(memory.allocations, [](const auto &one) { return !one.freed; });
  };
  debugged.say("fault");
  for (int n = 0; n < 1000 && !holds(); ++n)
    debugged.say("reverse-moment");
  core::Array sums = debugged.value("sums"), halves = debugged.value("halves");
  ASSERT_EQ(sums.shape, (layouts::Shape{2, 128, 64}));
  for (int64_t n = 0; n < sums.size(); ++n)
    ASSERT_EQ(sums.number(n), n) << n;
  for (int64_t n = 0; n < 2048; ++n) // the range in which f16 is exact
    ASSERT_EQ(halves.number(n), n) << n;
}

TEST(Debug, FollowsAScalarBackwards) {
  Debugged debugged(kSums, kCall);
  debugged.say("break 12 if block == 0 and warp == 0 and step >= 1");
  for (int step = 1; step < 4; ++step) {
    debugged.say("continue");
    EXPECT_EQ(debugged.say("print step"), "step = " + std::to_string(step) + "\n");
  }
  EXPECT_NE(debugged.say("continue").find("the run has ended"), std::string::npos);
  for (int step = 3; step > 0; --step) {
    debugged.say("reverse-continue");
    EXPECT_EQ(debugged.say("print step"), "step = " + std::to_string(step) + "\n");
  }
  EXPECT_NE(debugged.say("reverse-continue").find("at the start"), std::string::npos);
}

TEST(Debug, WatchesAnElement) {
  Debugged debugged(kSums, kCall);
  EXPECT_EQ(debugged.say("watch out[70, 3]"), "watchpoint 1: out[70, 3]\n");
  std::string stop = debugged.say("continue");
  EXPECT_NE(stop.find("watchpoint 1"), std::string::npos) << stop;
  EXPECT_NE(stop.find("out[70, 3]: 0x00000000 →"), std::string::npos) << stop;
  stop = debugged.say("reverse-continue"); // stops before the store to the watched element
  EXPECT_NE(stop.find("st.global"), std::string::npos) << stop;
  EXPECT_NE(stop.find("block 1 at line 14"), std::string::npos) << stop;
}

TEST(Debug, WatchesAnMbarrier) {
  Debugged debugged(kSums, kCall);
  EXPECT_NE(debugged.say("watch mbarrier 33792").find("where none is now"), std::string::npos);
  debugged.say("until 13");
  EXPECT_EQ(debugged.say("watch mbarrier 33792").find("where none is now"), std::string::npos);
  debugged.say("goto 0");
  std::string stop = debugged.say("continue");
  EXPECT_NE(stop.find("the mbarrier at shared address 33792 of block 0: phase 0, "), std::string::npos) << stop;
}

TEST(Debug, SaysWhatItDoesNotKnow) {
  Debugged debugged(kSums, kCall);
  auto refused = [&](std::string_view line) {
    auto said = debugged.prompt->run(line);
    EXPECT_FALSE(said) << line;
    return said ? Diagnostic{} : said.error().front();
  };
  EXPECT_EQ(refused("jump 3").kind, "debug-command");
  EXPECT_NE(refused("break 13 if stepp == 1").message.find("it knows block, warp"), std::string::npos);
  EXPECT_NE(refused("break 13 if total == 1").message.find("is an array"), std::string::npos);
  EXPECT_NE(refused("break 13 if %r999999 == 1").message.find("no register"), std::string::npos);
  refused("break 13 if step ==");
  EXPECT_EQ(refused("break 4000").kind, "breakpoint");
  refused("watch out[3]");
  refused("watch out[300, 0]");
  refused("watch nothing[0]");
  refused("watch smem 3");
  refused("delete 9");
  refused("enable x");
  refused("focus 99");
  refused("until 1");
  refused("back");
  refused("goto soon");
  EXPECT_NE(refused("print totl").message.find("there are"), std::string::npos);
  EXPECT_EQ(refused("print total").kind, "debug-value"); // at the start no name has a value
  EXPECT_FALSE(debugged.prompt->over());
  debugged.say("quit");
  EXPECT_TRUE(debugged.prompt->over());
}

TEST(Debug, GoesBackToWhereACommandBegan) {
  Debugged debugged(kSums, kCall);
  std::string start = debugged.say("here");
  debugged.say("stepi 5");
  std::string here = debugged.say("here");
  debugged.say("continue");
  debugged.say("back");
  EXPECT_EQ(debugged.say("here"), here);
  debugged.say("back");
  EXPECT_EQ(debugged.say("here").substr(0, 20), start.substr(start.find("warp"), 20));
}

TEST(Debug, RunsScriptsWithTheirAnswers) {
  Debugged debugged(kSums, kCall);
  DebugTranscript said = debugScript(*debugged.prompt, "# a remark\n(debug) break 13\n\nbreakpoints\nquit\nwhere\n");
  EXPECT_FALSE(said.failed);
  EXPECT_EQ(said.text,
            "(debug) # a remark\n(debug) break 13\nbreakpoint 1 at line 13\n(debug) breakpoints\n1  line 13\n"
            "(debug) quit\n");
  EXPECT_TRUE(debugScript(*Debugged(kSums, kCall).prompt, "nonsense\n").failed);
}

TEST(Debug, EachCommandHasHelpAndAnswers) {
  Debugged debugged(kSums, kCall);
  for (std::string_view line :
       {"where",       "list",         "list 7",       "focus",         "focus 1 3",     "values",   "registers %r1",
        "smem",        "smem 1024 64", "tmem",         "barriers",      "flight",        "waits",    "printed",
        "checkpoints", "breakpoints",  "help",         "event",         "reverse-event", "moment 3", "reverse-moment",
        "step",        "next",         "reverse-next", "reverse-stepi", "cycle 500",     "until 13", "fault"})
    EXPECT_TRUE(debugged.prompt->run(line)) << line;
  for (const std::string &name : debugged.prompt->completions(""))
    EXPECT_TRUE(debugged.prompt->run("help " + name)) << name;
  EXPECT_EQ(debugged.prompt->completions("print to"), std::vector<std::string>{"total"});
}

TEST(Debug, TheBuiltinTakesCommands) {
  std::string written;
  Session session({.kernels = {.arch = "sm_90a", .device = "emulator"},
                   .output = [&](std::string_view words) { written += words; }});
  auto ran = session.run(Source::make(
      "sums.py", std::string(kSums) + "debug(sums, zeros((128, 256), f32), commands=\"break 13\\ncontinue\")\n"));
  ASSERT_TRUE(ran) << render(ran.error());
  EXPECT_NE(written.find("(debug) continue\nbreakpoint 1: warp "), std::string::npos) << written;
  EXPECT_TRUE(session.kernels().launches().empty());
  auto asked = session.run(Source::make("asks.py", "debug(sums, zeros((128, 256), f32))\n"));
  ASSERT_FALSE(asked);
  EXPECT_EQ(asked.error().front().kind, "debug-command");
}

// --- several devices -------------------------------------------------------------------------------------------------

/// Each device sends its row to the next one and waits for that of the one before.
constexpr const char *kShift = R"(devices = 4
@kernel(mesh={"x": devices}, scratch=[Semaphore()])
def shift(x: GMEM((128,), f32, sharding="x"), inbox: Out((128,), f32, sharding="x"), out: Out((128,), f32, sharding="x"), come):
  me = axis_index("x")
  after = (me + 1) % devices
  remote_ref(inbox, after)[...] = x[...]
  semaphore_signal(come, device_id=after)
  semaphore_wait(come)
  out[...] = inbox[...] + 1
)";
constexpr const char *kShiftCall = "y = shift(astype(arange(devices * 128), f32))\n";

TEST(Debug, StopsOnEveryDevice) {
  Debugged debugged(kShift, kShiftCall);
  EXPECT_NE(debugged.say("here").find("warp 0 of device 0 block 0"), std::string::npos) << debugged.say("here");
  EXPECT_EQ(debugged.say("break 9 if device == 2 and warp == 1"),
            "breakpoint 1 at line 9, if device == 2 and warp == 1\n");
  std::string stop = debugged.say("continue");
  EXPECT_NE(stop.find("breakpoint 1: warp 1 of device 2 block 0 at line 9"), std::string::npos) << stop;
  EXPECT_EQ(debugged.say("print me"), "me = 2\n");
  EXPECT_EQ(debugged.say("print after"), "after = 3\n");
  EXPECT_EQ(debugged.say("here"), stop);
  // The other devices stand where they are.
  std::string where = debugged.say("where");
  for (const char *device : {"of device 0 block 0", "of device 1 block 0", "of device 3 block 0"})
    EXPECT_NE(where.find(device), std::string::npos) << where;
  EXPECT_NE(debugged.say("focus 1 0 3").find("focus: warp 3 of device 1 block 0"), std::string::npos);
  EXPECT_NE(debugged.say("focus 2").find("focus: warp 2 of device 1 block 0"), std::string::npos);
  EXPECT_NE(debugged.say("focus 0 1").find("focus: warp 1 of device 1 block 0"), std::string::npos);
  EXPECT_NE(debugged.say("focus 4 0 0").find("the launch has no warp 0 of device 4 block 0"), std::string::npos);
  EXPECT_NE(debugged.say("focus 0 1 0").find("the launch has no warp 0 of device 0 block 1"), std::string::npos);
  EXPECT_NE(debugged.say("focus 1 2 3 4").find("`focus DEVICE BLOCK WARP`"), std::string::npos);
  EXPECT_FALSE(debugged.say("registers %r1").empty());
  debugged.say("reverse-continue");
  EXPECT_NE(debugged.say("here").find("at the start"), std::string::npos) << debugged.say("here");
  debugged.say("delete");
  std::string end = debugged.say("continue");
  EXPECT_NE(end.find("the run has ended"), std::string::npos) << end;
  // The same as without the debugger.
  const auto &ran = debugged.session->kernels().launches().back();
  std::vector<core::Array> arrays = debugged.prompt->debugger().arrays();
  ASSERT_EQ(arrays.size(), debugged.target.launch.buffers().size());
  bool found = false;
  for (const core::Array &array : arrays)
    found |= array.bytes == ran.result->outputs.back().bytes;
  EXPECT_TRUE(found);
}

TEST(Debug, WatchesAnArrayOfSeveralDevices) {
  Debugged debugged(kShift, kShiftCall);
  std::vector<const core::BufferSpec *> buffers = debugged.target.launch.buffers();
  EXPECT_EQ(buffers[1]->shape, (layouts::Shape{4, 128}));
  std::string said = debugged.say("watch inbox[3, 5]");
  EXPECT_EQ(said, "watchpoint 1: inbox[3, 5]\n");
  std::string stop = debugged.say("continue");
  EXPECT_NE(stop.find("inbox[3, 5]: 0x00000000 → 0x43828000"), std::string::npos) << stop; // 2*128 + 5
}

TEST(Debug, SaysWhichDeviceSignals) {
  // Each device but the first one signals after its own wait, so the last ones poll for long.
  std::string chain = kShift;
  std::string_view first = "  remote_ref(inbox, after)", wait = "  semaphore_wait(come)\n";
  chain.replace(chain.find(wait), wait.size(), "  if me == 0:\n    semaphore_wait(come)\n");
  chain.insert(chain.find(first), "  if me > 0:\n    semaphore_wait(come)\n");
  Debugged debugged(chain, kShiftCall);
  std::string waits;
  for (int n = 0; n < 60 && waits.find("a signal at") == std::string::npos; ++n) {
    debugged.say("moment 20");
    waits = debugged.say("waits");
  }
  EXPECT_NE(waits.find(" of device "), std::string::npos) << waits;
  EXPECT_NE(waits.find("waits for a signal at "), std::string::npos) << waits;
  EXPECT_NE(waits.find("comes next: warp"), std::string::npos) << waits;
}

/// All devices wait before they signal.
TEST(Debug, LeadsToADeadlockOfDevices) {
  std::string late = kShift;
  std::string_view signal = "  semaphore_signal(come, device_id=after)\n", wait = "  semaphore_wait(come)\n";
  late.replace(late.find(signal), signal.size() + wait.size(), std::string(wait) + std::string(signal));
  Debugged debugged(late, "y = shift(zeros((devices * 128,), f32))\n");
  std::string stop = debugged.say("fault");
  EXPECT_NE(stop.find("no warp can go on: warp "), std::string::npos) << stop;
  EXPECT_NE(stop.find("deadlock in block (0, 0, 0) of device 0 and others"), std::string::npos) << stop;
  std::string waits = debugged.say("waits");
  for (const char *device : {"0", "1", "2", "3"})
    EXPECT_NE(waits.find(text(" of device ", device, " block 0 waits for a signal at ")), std::string::npos) << waits;
}

/// The markers that are added to a kernel leave its results unchanged.
TEST(Debug, MarksChangeNoResult) {
  Debugged marked(kSums, kCall);
  Session plain({.kernels = {.arch = "sm_90a", .device = "emulator"}});
  ASSERT_TRUE(plain.run(Source::make("sums.py", std::string(kSums) + kCall)));
  auto same = [](Session &session) { return session.kernels().launches().back().result->outputs[0].bytes; };
  EXPECT_EQ(same(*marked.session), same(plain));
}

} // namespace
} // namespace lanescope::repl
