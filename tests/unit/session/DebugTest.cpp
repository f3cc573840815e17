// The debugger's commands on kernels of the snippet language: values by name, conditions, scripts, what is refused.
#include "repl/session/Debug.h"
#include "repl/session/Session.h"

#include <gtest/gtest.h>

namespace lanescope::repl {
namespace {

// Warpgroup w adds 64-column blocks of a row; `total` is an array, `step` and `slot` are scalars.
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
  std::unique_ptr<DebugPrompt> prompt;

  explicit Debugged(const std::string &text, const std::string &call) {
    session = std::make_unique<Session>(
        SessionOptions{.kernels = {.arch = "sm_90a", .device = "emulator", .recordInputs = true, .markValues = true},
                       .output = [this](std::string_view words) { written += words; }});
    auto ran = session->run(Source::make("sums.py", text + call));
    const auto &launches = session->kernels().launches();
    if (launches.empty()) {
      ADD_FAILURE() << (ran ? "no launch" : render(ran.error()));
      return;
    }
    auto target = debugTarget(launches.back(), session->kernels().options());
    auto opened = DebugPrompt::open(*target, debugOptions(*session));
    EXPECT_TRUE(opened) << render(opened.error());
    prompt = std::move(*opened);
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
  // Rows 64 and on of blocks 0 and 1: element (r, c) is (64 + r)*256 + c and 64 more.
  auto value = debugged.prompt->run("print total");
  ASSERT_TRUE(value) << render(value.error());
  EXPECT_NE(value->find("32832"), std::string::npos) << *value; // 2*(64*256) + 64
  std::string show = debugged.say("show part");
  EXPECT_NE(show.find("f32[64, 64] in "), std::string::npos) << show;
  // Going back to the definition and here again changes nothing of where it stands.
  EXPECT_EQ(debugged.say("here"), stop);
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
  stop = debugged.say("reverse-continue"); // before the store that writes it
  EXPECT_NE(stop.find("st.global"), std::string::npos) << stop;
  EXPECT_NE(stop.find("block 1 at line 14"), std::string::npos) << stop;
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
  EXPECT_EQ(refused("print total").kind, "debug-value"); // at the start nothing has a value
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

/// What the marks add to a kernel leaves its results as they are.
TEST(Debug, MarksChangeNoResult) {
  Debugged marked(kSums, kCall);
  Session plain({.kernels = {.arch = "sm_90a", .device = "emulator"}});
  ASSERT_TRUE(plain.run(Source::make("sums.py", std::string(kSums) + kCall)));
  auto same = [](Session &session) { return session.kernels().launches().back().result->outputs[0].bytes; };
  EXPECT_EQ(same(*marked.session), same(plain));
}

} // namespace
} // namespace lanescope::repl
