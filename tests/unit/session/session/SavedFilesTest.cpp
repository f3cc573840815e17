// The files that a run writes to folders: stages and packages, and a message if launches were dropped.
#include "core/gpu/runtime/Package.h"
#include "repl/session/LaunchChoice.h"
#include "repl/session/Packages.h"
#include "repl/session/Session.h"
#include "repl/session/StageFiles.h"
#include "tests/unit/TemporaryFolder.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace lanescope::repl {
namespace {

namespace fs = std::filesystem;

constexpr char kSnippet[] = R"(@kernel
def fill(x: GMEM((128,), f32), out: Out((128,), f32)):
  out[...] = x[...] + 1.0
@kernel(grid=(1,), num_threads=1)
def wrong(x: GMEM((128,), f32), out: Out((128,), f32)):
  out[...] = x[...] + 1.0
for i in range(3):
  run(fill, ones((128,), f32))
)";

class SavedFiles : public testing::Test {
protected:
  std::unique_ptr<Session> ran(KernelOptions kernels, const char *snippet = kSnippet) {
    auto session = std::make_unique<Session>(SessionOptions{.kernels = std::move(kernels)});
    auto done = session->run(Source::make("fill.py", snippet));
    EXPECT_TRUE(done) << render(done.error());
    return session;
  }
  std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const auto &entry : fs::directory_iterator(folder_))
      out.push_back(entry.path().filename().string());
    std::ranges::sort(out);
    return out;
  }
  const TemporaryFolder own_;
  const fs::path folder_ = own_ / "saved";
};

TEST_F(SavedFiles, StagesOfEachCompilationOnce) {
  auto session = ran({.device = "none", .keepTexts = true});
  ASSERT_TRUE(dumpStages(session->kernels().launches(), folder_.string()));
  auto found = names();
  for (const char *name : {"01_fill.ir.mlir", "01_fill.laid-out.mlir", "01_fill.launch.json", "01_fill.ptx"})
    EXPECT_NE(std::ranges::find(found, name), found.end()) << name;
  for (const std::string &name : found)
    EXPECT_TRUE(name.starts_with("01_fill.")) << name; // there are three launches of one kernel
  EXPECT_TRUE(dumpStages(session->kernels().launches(), ""));
  auto refused = dumpStages(session->kernels().launches(), (folder_ / "01_fill.ptx").string());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error()[0].kind, "unwritable-file");
}

TEST_F(SavedFiles, EachLaunchIsAPackage) {
  auto session = ran({.device = "emulator", .recordInputs = true});
  EXPECT_TRUE(session->kernels().forgottenLaunches().empty());
  auto saved = savePackages(session->kernels().launches(), true, folder_);
  ASSERT_TRUE(saved) << render(saved.error());
  EXPECT_TRUE(saved->problems.empty());
  EXPECT_EQ(names(), (std::vector<std::string>{"fill-2.lspkg", "fill-3.lspkg", "fill.lspkg"}));
  auto package = core::loadPackage(saved->folders[0]);
  ASSERT_TRUE(package) << render(package.error());
  EXPECT_EQ(package->kernel.name, "fill");
  EXPECT_EQ(package->expected.size(), 1u);
  auto without = savePackages(session->kernels().launches(), false, folder_ / "without");
  ASSERT_TRUE(without);
  package = core::loadPackage(without->folders[0]);
  ASSERT_TRUE(package);
  EXPECT_TRUE(package->expected.empty());
}

TEST_F(SavedFiles, CommandsAreAboutOneKernel) {
  SourceRef source = Source::make("t.py", "");
  std::vector<KernelLaunch> launches(3);
  launches[0].kernel = "a";
  launches[1].kernel = launches[2].kernel = "b";
  auto chosen = chooseLaunches(launches, "b", source);
  ASSERT_TRUE(chosen);
  EXPECT_EQ(chosen->size(), 2u);
  EXPECT_EQ(lastLaunch(*chosen, source)->kernel, "b");
  EXPECT_EQ(lastLaunch(launches, source).error()[0].kind, "several-kernels");
  EXPECT_EQ(chooseLaunches(launches, "c", source).error()[0].kind, "no-kernel");
  EXPECT_EQ(chooseLaunches({}, "", source).error()[0].kind, "no-kernel");
}

TEST_F(SavedFiles, NotEveryTargetHasEveryStage) {
  auto session = ran({}, "@sc_kernel\ndef k(x: GMEM((16,), i32)):\n  pass\nk(zeros((16,), i32))\n");
  auto saved = savePackages(session->kernels().launches(), false, folder_ / "packages");
  ASSERT_TRUE(saved);
  ASSERT_EQ(saved->problems.size(), 1u);
  EXPECT_EQ(saved->problems[0].kind, "no-stage");
  EXPECT_NE(saved->problems[0].message.find("lowered to `ir` and no further"), std::string::npos);
}

TEST_F(SavedFiles, ForgottenLaunchesAreTold) {
  auto session = ran({.device = "none", .recordInputs = true, .maxLaunches = 2});
  ASSERT_EQ(session->kernels().launches().size(), 2u);
  Diagnostics told = session->kernels().forgottenLaunches();
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].kind, "launches-left-out");
  EXPECT_EQ(told[0].severity, Severity::Warning);
  EXPECT_EQ(told[0].message, "there were 3 launches; only the last 2 are saved, from this one on");
  session->kernels().clearLaunches();
  EXPECT_TRUE(session->kernels().forgottenLaunches().empty());
}

} // namespace
} // namespace lanescope::repl
