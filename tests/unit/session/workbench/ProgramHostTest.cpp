// Python programs in the window's host: the host asks before it runs one, shows the program's kernels, and survives its
// end.
#include "repl/program/PythonCommand.h"
#include "repl/workbench/SessionHost.h"
#include "viz/host/DebuggedRun.h"

#include "core/data/Files.h"
#include "layouts/support/Text.h"
#include "tests/unit/TemporaryFolder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <unistd.h>

namespace lanescope::repl {
namespace {

namespace fs = std::filesystem;
using viz::HostEvent;
using Phase = viz::ProgramState::Phase;

constexpr char kProgram[] = R"(import lanescope as ls
open("RAN", "a").write("x")

@ls.kernel(grid=(1,))
def double(x: ls.GMEM((64, 64), ls.f32), out: ls.Out((64, 64), ls.f32)):
    out[...] = x[...] + x[...]

@ls.kernel(grid=(1,))
def square(x: ls.GMEM((64, 64), ls.f32), out: ls.Out((64, 64), ls.f32)):
    out[...] = x[...] * x[...]

ones = ls.ones((64, 64), ls.f32)
double(ones), double(ones), square(ones)
print("done")
)";

class ProgramHostTest : public testing::Test {
protected:
  void SetUp() override {
    fs::create_directories(folder_ / "other");
    if (!PythonCommand::find(""))
      GTEST_SKIP() << "there is no package for Python in this build";
    host_.emplace(KernelOptions{.device = "emulator"}, FileRules{},
                  ProgramOptions{.python = "", .trustRecord = folder_ / "state" / "trusted"});
    (void)rest();
  }

  /// All events of the host until it is idle, or until `seconds` have passed.
  std::vector<HostEvent> rest(double seconds = 120) {
    std::vector<HostEvent> out;
    auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    do {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      for (HostEvent &event : host_->poll())
        out.push_back(std::move(event));
    } while (!host_->activity().empty() && std::chrono::steady_clock::now() < end);
    return out;
  }
  fs::path written(const std::string &name, std::string content) {
    size_t at = content.find("RAN");
    if (at != std::string::npos)
      content.replace(at, 3, (folder_ / "RAN").string());
    EXPECT_TRUE(core::writeFile(folder_ / name, content));
    return folder_ / name;
  }
  std::vector<HostEvent> opened(const std::string &name, const std::string &content) {
    host_->open(written(name, content).string());
    return rest();
  }
  bool ran() const { return fs::exists(folder_ / "RAN"); }

  template <typename Event> static const Event *last(const std::vector<HostEvent> &events) {
    const Event *out = nullptr;
    for (const HostEvent &event : events)
      if (const auto *found = std::get_if<Event>(&event))
        out = found;
    return out;
  }
  static std::string printed(const std::vector<HostEvent> &events) {
    std::string out;
    for (const HostEvent &event : events)
      if (const auto *output = std::get_if<viz::Output>(&event))
        out += output->text;
    return out;
  }
  template <typename Request> static std::vector<Request> shown(const std::vector<HostEvent> &events) {
    std::vector<Request> out;
    for (const HostEvent &event : events)
      if (const auto *show = std::get_if<viz::Show>(&event))
        if (const auto *request = std::get_if<Request>(&show->what))
          out.push_back(*request);
    return out;
  }
  static bool hasPage(const viz::CodeRequest &code, std::string_view title, std::string_view part) {
    auto page = std::ranges::find(code.pages, title, &viz::CodeRequest::Page::title);
    return page != code.pages.end() && page->text.find(part) != std::string::npos;
  }

  const TemporaryFolder own_;
  const fs::path folder_ = own_.path();
  std::optional<SessionHost> host_;
};

TEST_F(ProgramHostTest, IsShownAndAsks) {
  auto events = opened("k.py", kProgram);
  ASSERT_TRUE(last<viz::ProgramState>(events));
  EXPECT_EQ(last<viz::ProgramState>(events)->phase, Phase::Asks);
  EXPECT_EQ(last<viz::ProgramState>(events)->folder, fs::canonical(folder_).string());
  EXPECT_TRUE(last<viz::Opened>(events)->program);
  ASSERT_FALSE(shown<viz::CodeRequest>(events).empty());
  EXPECT_TRUE(hasPage(shown<viz::CodeRequest>(events).back(), "snippet", "def square"));
  host_->reopen((folder_ / "k.py").string(), std::nullopt);
  host_->reopen((folder_ / "k.py").string(), "import lanescope\nopen('" + (folder_ / "RAN").string() + "', 'w')\n");
  (void)rest();
  host_->answer(viz::ProgramAnswer::Leave);
  EXPECT_EQ(last<viz::ProgramState>(rest())->phase, Phase::Left);
  EXPECT_FALSE(ran());
}

TEST_F(ProgramHostTest, RunsOnceAndFillsTheViews) {
  (void)opened("k.py", kProgram);
  host_->answer(viz::ProgramAnswer::Once);
  auto events = rest();
  EXPECT_TRUE(ran());
  EXPECT_NE(printed(events).find("done"), std::string::npos) << printed(events);
  const auto *state = last<viz::ProgramState>(events);
  ASSERT_TRUE(state);
  EXPECT_EQ(state->phase, Phase::Ended);
  EXPECT_EQ(state->kernels, (std::vector<std::string>{"double", "square"}));
  auto code = shown<viz::CodeRequest>(events);
  ASSERT_FALSE(code.empty());
  EXPECT_TRUE(hasPage(code.back(), "ptx", "add.f32") || hasPage(code.back(), "ptx", "add.rn"));
  EXPECT_TRUE(hasPage(code.back(), "snippet", "print(\"done\")")); // the whole file, not only the kernel's part
  ASSERT_TRUE(code.back().links);
  ASSERT_FALSE(shown<viz::DebugRequest>(events).empty());
  EXPECT_EQ(shown<viz::DebugRequest>(events).back().target->title, "double");
  EXPECT_TRUE(last<viz::Opened>(events)->ok);

  host_->chooseKernel(1);
  EXPECT_TRUE(hasPage(shown<viz::CodeRequest>(rest()).back(), "ptx", "mul"));

  // The same text runs again without a question; a changed text asks first.
  fs::remove(folder_ / "RAN");
  host_->reopen((folder_ / "k.py").string(), std::nullopt);
  events = rest();
  EXPECT_TRUE(ran());
  fs::remove(folder_ / "RAN");
  (void)written("k.py", std::string(kProgram) + "# changed\n");
  host_->reopen((folder_ / "k.py").string(), std::nullopt);
  EXPECT_EQ(last<viz::ProgramState>(rest())->phase, Phase::Asks);
  EXPECT_FALSE(ran());
  host_->chooseKernel(1); // an entry of the list that the window still shows
  EXPECT_TRUE(shown<viz::CodeRequest>(rest()).empty());
}

// The console starts a new line with each message, so a line that a program writes in pieces must arrive in one
// message.
TEST_F(ProgramHostTest, SendsTheOutputByWholeLines) {
  (void)opened("k.py", "import sys\nfor piece in ['one ', 'line', '\\n', 'another\\nwithout', ' an end']:\n"
                       "    sys.stdout.write(piece)\n    sys.stdout.flush()\n");
  host_->answer(viz::ProgramAnswer::Once);
  std::vector<std::string> messages;
  for (const HostEvent &event : rest())
    if (const auto *output = std::get_if<viz::Output>(&event))
      messages.push_back(output->text);
  std::string all;
  for (const std::string &message : messages)
    all += message;
  EXPECT_NE(all.find("one line\nanother\nwithout an end"), std::string::npos) << all;
  auto ends = [](const std::string &message) { return message.ends_with('\n') || message == "without an end"; };
  EXPECT_TRUE(std::ranges::all_of(messages, ends)) << all;
}

TEST_F(ProgramHostTest, AsksAgainWhereALinkHasMoved) {
  fs::create_symlink(written("other/k.py", kProgram), folder_ / "link.py");
  host_->open((folder_ / "link.py").string());
  EXPECT_EQ(last<viz::ProgramState>(rest())->folder, fs::canonical(folder_ / "other").string());
  fs::remove(folder_ / "link.py");
  fs::create_symlink(written("k.py", kProgram), folder_ / "link.py");
  host_->answer(viz::ProgramAnswer::Folder);
  auto events = rest();
  ASSERT_TRUE(last<viz::ProgramState>(events));
  EXPECT_EQ(last<viz::ProgramState>(events)->phase, Phase::Asks);
  EXPECT_EQ(last<viz::ProgramState>(events)->folder, fs::canonical(folder_).string());
  EXPECT_FALSE(ran());
}

TEST_F(ProgramHostTest, TrustOfAFolderIsKept) {
  (void)opened("k.py", kProgram);
  host_->answer(viz::ProgramAnswer::Folder);
  (void)rest();
  EXPECT_TRUE(ran());
  EXPECT_EQ(last<viz::ProgramState>(opened("l.py", "import lanescope\nprint('l')\n"))->phase, Phase::Ended);
  EXPECT_EQ(last<viz::ProgramState>(opened("other/k.py", kProgram))->phase, Phase::Asks);
  EXPECT_TRUE(fs::exists(folder_ / "state" / "trusted"));
}

TEST_F(ProgramHostTest, OutlivesWhatAProgramDoes) {
  ASSERT_TRUE(core::writeFile(folder_ / "k.py", "import lanescope\n"));
  (void)opened("k.py", "import lanescope\n");
  host_->answer(viz::ProgramAnswer::Folder);
  (void)rest();

  auto events = opened("crash.py", "import lanescope, os\nprint('here', flush=True)\nos.abort()\n");
  EXPECT_NE(printed(events).find("here"), std::string::npos);
  EXPECT_NE(printed(events).find("signal 6"), std::string::npos) << printed(events);

  events = opened("raise.py", "import lanescope\n\ndef f():\n    return [][0]\n\nf()\n");
  EXPECT_NE(printed(events).find("IndexError"), std::string::npos);
  ASSERT_EQ(last<viz::Opened>(events)->problems.size(), 1u);
  EXPECT_EQ(last<viz::Opened>(events)->problems[0].line, 4u);

  events = opened("flood.py", "import lanescope\nfor i in range(300000):\n    print('x' * 99)\n");
  EXPECT_LT(printed(events).size(), (1u << 20) + 4000);
  EXPECT_NE(printed(events).find("left out"), std::string::npos);

  host_->open(written("hang.py", "import lanescope\nprint('hangs', flush=True)\nwhile True:\n    pass\n").string());
  std::string all;
  for (int i = 0; i < 100 && all.find("hangs\n") == std::string::npos; ++i)
    all += printed(rest(0.2));
  EXPECT_NE(host_->activity(), "");
  host_->evaluate("1 + 1"); // the console still works
  for (int i = 0; i < 100 && all.find("2\n") == std::string::npos; ++i)
    all += printed(rest(0.2));
  EXPECT_NE(all.find("2\n"), std::string::npos);
  host_->interrupt();
  events = rest();
  EXPECT_NE(printed(events).find("stopped"), std::string::npos) << printed(events);
  EXPECT_EQ(host_->activity(), "");
}

TEST_F(ProgramHostTest, ShowsFaultsAtTheProgramsLines) {
  (void)opened("k.py", R"(import lanescope as ls

@ls.kernel(grid=(1,), scratch=[ls.SMEM((128,), ls.f32), ls.Barrier()])
def hasty(x: ls.GMEM((128,), ls.f32), out: ls.Out((128,), ls.f32), tile, loaded):
    ls.copy_gmem_to_smem(x, tile, loaded)
    out[...] = tile[...]

hasty(ls.ones((128,), ls.f32))
)");
  host_->answer(viz::ProgramAnswer::Once);
  auto events = rest();
  auto code = shown<viz::CodeRequest>(events);
  ASSERT_FALSE(code.empty());
  EXPECT_EQ(code.back().pages.front().markedLines, (std::vector<uint32_t>{6}));
  ASSERT_FALSE(shown<viz::DebugRequest>(events).empty());
  EXPECT_TRUE(shown<viz::DebugRequest>(events).back().bringToFront);
  EXPECT_EQ(last<viz::ProgramState>(events)->kernels, (std::vector<std::string>{"hasty, at fault"}));
}

TEST_F(ProgramHostTest, SnippetsRunInPythonWhereSomeoneSaysSo) {
  auto events = opened("s.py", "assert sum([1, 2]) == 3\n");
  EXPECT_FALSE(last<viz::ProgramState>(events));
  host_->openAsProgram((folder_ / "s.py").string());
  events = rest();
  ASSERT_TRUE(last<viz::ProgramState>(events));
  EXPECT_EQ(last<viz::ProgramState>(events)->phase, Phase::Asks);
}

} // namespace
} // namespace lanescope::repl
