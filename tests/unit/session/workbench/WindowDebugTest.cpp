// The input of the window's debugger: the run of a launch, and its values by name.
#include "repl/workbench/WindowDebug.h"
#include "core/gpu/emulator/debug/Debugger.h"
#include "repl/session/Session.h"
#include "tests/unit/TemporaryFolder.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace lanescope::repl {
namespace {

const TemporaryFolder kFolder; // one folder per process
const std::string kSaved = (kFolder / "debugged.npy").string();
const std::string kSnippet = "@kernel(grid=(1,), num_threads=1)\n"
                             "def double(x: GMEM((64, 64), f32), out: Out((64, 64), f32)):\n"
                             "  value = load(x.at[:, :], layout=WGMMA)\n"
                             "  out[:, :] = value + value\n"
                             "y = double(ones((64, 64), f32))\n"
                             "save('" +
                             kSaved +
                             "', y)\n"
                             "z = 1 / y[0, 0]\n"; // fails if y is zero; the launch is recorded nevertheless

class WindowDebugs : public testing::Test {
protected:
  std::shared_ptr<const viz::DebugTarget> targetOf(const std::string &text, bool file) {
    session.emplace(SessionOptions{.kernels = {.device = "emulator", .recordInputs = true},
                                   .files = {.out = kFolder.path(), .overwrite = true}});
    (void)session->run(Source::make("a.py", text));
    const auto &launches = session->kernels().launches();
    return launches.empty() ? nullptr
                            : windowTarget(launches.back(), session->kernels().options(),
                                           file ? Source::make("a.py", text) : nullptr);
  }
  std::optional<Session> session;
};

TEST_F(WindowDebugs, RunsAsTheLaunchDid) {
  auto target = targetOf(kSnippet, false);
  std::filesystem::remove(kSaved);
  ASSERT_TRUE(target);
  EXPECT_EQ(target->title, "double");
  EXPECT_EQ(target->shownArray, 1U);
  EXPECT_FALSE(target->faulted);
  EXPECT_FALSE(target->withValues);
  auto debugger = core::Debugger::open(target->ptx, target->launch, target->arrays, {.snippet = target->snippet});
  ASSERT_TRUE(debugger);
  EXPECT_EQ((*debugger)->resume().reason, core::StopReason::End);
  EXPECT_EQ((*debugger)->arrays()[1].number(0), 2.0);
}

TEST_F(WindowDebugs, TellsValuesByName) {
  auto target = targetOf(kSnippet, true);
  ASSERT_TRUE(target && target->withValues);
  std::filesystem::remove(kSaved); // the run has written the file
  auto marked = target->withValues();
  EXPECT_FALSE(std::filesystem::exists(kSaved));
  ASSERT_TRUE(marked && marked->values);
  std::vector<std::string> names = marked->values->names();
  EXPECT_TRUE(std::ranges::find(names, "value") != names.end());
  auto debugger = core::Debugger::open(marked->ptx, marked->launch, marked->arrays, {.snippet = marked->snippet});
  ASSERT_TRUE(debugger);
  EXPECT_FALSE(marked->values->value(**debugger, "value", {0, 0})); // the name has no value yet
  EXPECT_FALSE(marked->values->value(**debugger, "nobody", {0, 0}));
  (*debugger)->breakAt({.line = marked->snippet->lineColumn(marked->snippet->text().find("out[")).line});
  (*debugger)->resume();
  (*debugger)->goTo(UINT64_MAX);
  (*debugger)->goTo((*debugger)->stop().moment - 1);
  auto value = marked->values->value(**debugger, "value", {0, 0});
  ASSERT_TRUE(value) << value.error().front().message;
  EXPECT_EQ(value->array.shape, (layouts::Shape{64, 64}));
  EXPECT_EQ(value->array.number(4095), 1.0);
  EXPECT_TRUE(value->layout);
}

TEST_F(WindowDebugs, StopsAsTheCommandsDo) {
  auto target = targetOf(kSnippet, true);
  ASSERT_TRUE(target && target->stops);
  auto marked = target->withValues();
  ASSERT_TRUE(marked && marked->stops);
  auto opened = core::Debugger::open(marked->ptx, marked->launch, marked->arrays, {.snippet = marked->snippet});
  ASSERT_TRUE(opened);
  core::Debugger &debugger = **opened;
  std::unique_ptr<viz::DebugStops> stops = marked->stops(debugger);
  auto said = stops->obey("4 if warp == 2");
  ASSERT_TRUE(said) << said.error().front().message;
  EXPECT_EQ(*said, "breakpoint 1 at line 4, if warp == 2");
  EXPECT_EQ(debugger.resume().reason, core::StopReason::Breakpoint);
  EXPECT_EQ(debugger.stop().warp, (core::WarpRef{0, 2}));
  ASSERT_TRUE(stops->obey("out[40, 0]"));
  ASSERT_TRUE(stops->obey("disable 1"));
  EXPECT_EQ(debugger.resume().reason, core::StopReason::Watchpoint);
  EXPECT_NE(debugger.stop().what.find("out[40, 0]: 0x00000000 → 0x40000000"), std::string::npos)
      << debugger.stop().what;
  ASSERT_TRUE(stops->obey("delete 2"));
  EXPECT_EQ(debugger.resume().reason, core::StopReason::End);
  for (const char *wrong : {"", "4 if", "4 if nobody == 2", "nothing[0]", "smem 3", "delete 9", "ptx:x"})
    EXPECT_FALSE(stops->obey(wrong)) << wrong;
  ASSERT_TRUE(stops->obey("delete"));
  ASSERT_TRUE(stops->obey("4 if 1 // (block * 0) == 2"));
  debugger.goTo(0);
  // A condition that fails to evaluate counts as true.
  EXPECT_EQ(debugger.resume().reason, core::StopReason::Breakpoint);
  EXPECT_FALSE(stops->takeProblems().empty());
  EXPECT_TRUE(stops->takeProblems().empty());
}

TEST_F(WindowDebugs, GivesNothingForWhatIsNoKernelOfAGpu) {
  EXPECT_FALSE(targetOf("x = 1\n", true));
  KernelLaunch launch{.kernel = "k"};
  EXPECT_FALSE(windowTarget(launch, {}, nullptr));
}

} // namespace
} // namespace lanescope::repl
