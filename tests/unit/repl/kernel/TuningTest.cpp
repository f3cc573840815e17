// `tune` and `tuned`: an imaginary GPU whose times the test makes up, the emulator, and the file of remembered results.
#include "tests/unit/repl/Snippets.h"

#include "core/data/Files.h"
#include "core/gpu/emulator/EmulatorDevice.h"
#include "repl/kernel/Kernels.h"
#include "repl/kernel/launch/TunedFile.h"

#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace lanescope::repl {
namespace {

namespace fs = std::filesystem;

/// The emulator under a GPU's name. The grid determines a kernel's time, and every run is recorded.
class FakeGpu final : public core::Device {
public:
  explicit FakeGpu(std::string model = "NVIDIA Test", double factor = 1) : model_(std::move(model)), factor_(factor) {}
  std::string name() const override { return "gpu"; }
  Result<core::RunResult> run(const core::Artifact &artifact, std::span<const core::Array> inputs,
                              const core::RunOptions &options) override {
    if (deaths > 0) {
      --deaths;
      return error("worker-gone", "the worker ended");
    }
    auto result = emulator_->run(artifact, inputs, {});
    if (!result)
      return result;
    const auto &kernel = dynamic_cast<const core::CompiledKernel &>(artifact);
    result->timeUs = factor_ > 0 ? 10.0 * kernel.launch.grid[0] * factor_ : 1000.0 / kernel.launch.grid[0];
    result->device = model_;
    runs.push_back({kernel.launch.grid[0], options.repeat});
    return result;
  }
  struct Run {
    uint32_t blocks = 0, repeat = 0;
  };
  std::vector<Run> runs;
  uint32_t deaths = 0; // the number of next runs in which the worker dies

private:
  std::string model_;
  double factor_; // scales the times; 0: more blocks are faster
  std::unique_ptr<core::Device> emulator_ = core::makeEmulatorDevice();
};

constexpr char kMake[] = R"(
def make(scale, rows):
  assert rows != 3, "three is none"
  @kernel(grid=lambda: (N // rows,))
  def scaled(x: GMEM((N, 128), f32), out: Out((N, 128), f32)):
    at = ds(program_id(0) * rows, rows)
    out[at] = x[at] * scale
  return scaled
x = random((64, 128), f32, seed=0)
)";

class TuningTest : public ::testing::Test {
protected:
  TuningTest() : folder_(fs::temp_directory_path() / text("lanescope-tuning-", getpid())) { fs::remove_all(folder_); }
  ~TuningTest() override { fs::remove_all(folder_); }

  std::string run(const std::string &device, const std::string &snippet) {
    auto kernels = std::make_shared<KernelRuntime>(KernelOptions{.device = device, .cacheFolder = folder_ / "kernels"});
    auto fake = std::make_unique<FakeGpu>();
    gpu_ = fake.get();
    gpu_->deaths = deaths_;
    kernels->setDevice("gpu", std::move(fake));
    std::vector<FakeGpu *> more;
    for (std::unique_ptr<FakeGpu> &other : std::exchange(others_, {})) {
      more.push_back(other.get());
      kernels->addGpu(std::move(other));
    }
    std::string printed;
    Evaluator evaluator(withKernels(hostBuiltins(), kernels),
                        {.print = [&](std::string_view line) { printed += line; }});
    auto done = evaluator.run(Source::make("test.py", text(kMake, snippet)));
    launches_ = kernels->launches().size();
    runs_ = gpu_->runs;
    otherRuns_ = 0;
    for (FakeGpu *other : more)
      otherRuns_ += other->runs.size();
    return done ? printed : places(done.error());
  }

  fs::path folder_;
  FakeGpu *gpu_ = nullptr;
  uint32_t deaths_ = 0;                          // how often the first worker dies
  std::vector<std::unique_ptr<FakeGpu>> others_; // the GPUs of more workers, for the next run
  std::vector<FakeGpu::Run> runs_;
  size_t launches_ = 0, otherRuns_ = 0;
};

TEST_F(TuningTest, TheBestIsFoundAndWhatIsWrongRefusedOrSlowDropsOut) {
  EXPECT_EQ(run("gpu", "found = tune(make, dict(scale=[2, 3], rows=[3, 8, 32, 64]), [x], expected=x * 2, repeat=5)\n"
                       "print(found)\nprint(found.best, found.time_us, found.device)\n"),
            "kernel scaled on NVIDIA Test\n"
            "  scale=2, rows=64       10.0 us  ██████████████████████████████\n"
            "  scale=2, rows=32       20.0 us  ███████████████  slow: timed once\n"
            "  scale=2, rows=8        80.0 us  ████  slow: timed once\n"
            "  scale=2, rows=3   refused: assertion `rows != 3` does not hold: three is none\n"
            "  scale=3, rows=3   refused: assertion `rows != 3` does not hold: three is none\n"
            "  scale=3, rows=8   wrong: other outputs than expected\n"
            "  scale=3, rows=32  wrong: other outputs than expected\n"
            "  scale=3, rows=64  wrong: other outputs than expected\n"
            "{'scale': 2, 'rows': 64} 10.0 NVIDIA Test\n");
  // Six kernels run once, then the fastest runs in two more rounds. Each run takes the requested number of samples.
  EXPECT_EQ(runs_.size(), 8u);
  for (const FakeGpu::Run &each : runs_)
    EXPECT_EQ(each.repeat, 5u);
  EXPECT_EQ(launches_, 0u) << "the session does not keep what was tried";
}

TEST_F(TuningTest, EachModelOfSeveralWorkersHasItsOwnBest) {
  others_.push_back(std::make_unique<FakeGpu>());
  others_.push_back(std::make_unique<FakeGpu>("NVIDIA Other", 0));
  EXPECT_EQ(run("gpu", "found = tune(make, dict(scale=[2, 3], rows=[3, 8, 32, 64]), [x], expected=x * 2)\n"
                       "print(found)\nprint(found.by_device)\n"),
            "kernel scaled on NVIDIA Test\n"
            "  scale=2, rows=64       10.0 us  ██████████████████████████████\n"
            "  scale=2, rows=32       20.0 us  ███████████████  slow: timed once\n"
            "  scale=2, rows=8        80.0 us  ████  slow: timed once\n"
            "  scale=2, rows=3   refused: assertion `rows != 3` does not hold: three is none\n"
            "  scale=3, rows=3   refused: assertion `rows != 3` does not hold: three is none\n"
            "  scale=3, rows=8   wrong: other outputs than expected\n"
            "  scale=3, rows=32  wrong: other outputs than expected\n"
            "  scale=3, rows=64  wrong: other outputs than expected\n"
            "kernel scaled on NVIDIA Other\n"
            "  scale=2, rows=8       125.0 us  ██████████████████████████████\n"
            "  scale=2, rows=32      500.0 us  ████████  slow: timed once\n"
            "  scale=2, rows=64     1000.0 us  ████  slow: timed once\n"
            "  scale=2, rows=3   refused: assertion `rows != 3` does not hold: three is none\n"
            "  scale=3, rows=3   refused: assertion `rows != 3` does not hold: three is none\n"
            "  scale=3, rows=8   wrong: other outputs than expected\n"
            "  scale=3, rows=32  wrong: other outputs than expected\n"
            "  scale=3, rows=64  wrong: other outputs than expected\n"
            "{'NVIDIA Test': {'scale': 2, 'rows': 64}, 'NVIDIA Other': {'scale': 2, 'rows': 8}}\n");
  EXPECT_EQ(readTuned(folder_ / "tuned.json").size(), 2u) << "both models are remembered";
  // Six kernels once on each model, where a GPU's first run may repeat one; then two rounds of one kernel each.
  EXPECT_GE(runs_.size() + otherRuns_, 16u);
  EXPECT_LE(runs_.size() + otherRuns_, 17u);
}

TEST_F(TuningTest, AConfigurationWhoseWorkerDiesIsTriedElsewhere) {
  deaths_ = 1;
  others_.push_back(std::make_unique<FakeGpu>());
  EXPECT_EQ(run("gpu", "found = tune(make, dict(scale=[2], rows=[8, 16, 32, 64]), [x], expected=x * 2)\n"
                       "print(found.best, len([row for row in found.rows if row['refused'] is None]))\n"),
            "{'scale': 2, 'rows': 64} 4\n");
  deaths_ = 1000; // the worker cannot be started at all
  others_.push_back(std::make_unique<FakeGpu>());
  EXPECT_EQ(run("gpu", "print(tune(make, dict(scale=[2], rows=[8, 64]), [x]).best)\n"), "{'scale': 2, 'rows': 64}\n");
  others_.push_back(std::make_unique<FakeGpu>());
  others_.back()->deaths = 1000;
  const std::string said = run("gpu", "tune(make, dict(scale=[2], rows=[8, 64]), [x])\n");
  EXPECT_TRUE(said.ends_with("no configuration runs and is right")) << said; // the notes say that the workers ended
  deaths_ = 0;
}

TEST_F(TuningTest, RoundsTakeTurns) {
  run("gpu", "tune(make, [dict(scale=2, rows=8), dict(scale=2.0, rows=8)], [x], rounds=3)\n");
  EXPECT_EQ(runs_.size(), 6u);
}

TEST_F(TuningTest, TheBestIsRememberedAndTheNearestSizesCount) {
  run("gpu", "tune(make, dict(scale=[2], rows=[8, 64]), [x])\n");
  auto entries = readTuned(folder_ / "tuned.json");
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0].kernel, "scaled");
  EXPECT_EQ(entries[0].gpu, "NVIDIA Test");
  EXPECT_EQ(entries[0].sizes, (std::vector<int64_t>{64, 128}));
  // In another session: the remembered file wins over an equally near row of the table, and a nearer row wins over the
  // file.
  EXPECT_EQ(run("gpu", "table = {(64, 128): dict(rows=1), (1024, 128): dict(rows=2)}\n"
                       "print(tuned('scaled', (64, 128), table), tuned('scaled', (512, 128), table))\n"
                       "print(tuned('scaled', (100, 128)))\n"),
            "{'scale': 2, 'rows': 64} {'rows': 2}\n{'scale': 2, 'rows': 64}\n");
  // Results of another GPU do not count for this GPU.
  ASSERT_TRUE(rememberTuned(folder_ / "tuned.json", {.kernel = "scaled",
                                                     .gpu = "NVIDIA Other",
                                                     .sizes = {32, 128},
                                                     .timeUs = 1,
                                                     .configuration = Value::dict({{"rows", Value(4)}})}));
  EXPECT_EQ(run("gpu", "print(tuned('scaled', (32, 128)))\nmake(2, 8)(x)\nprint(tuned('scaled', (32, 128)))\n"),
            "{'rows': 4}\n{'scale': 2, 'rows': 64}\n");
}

TEST_F(TuningTest, TheEmulatorsTimesAreSaidToBeModelledAndNotRemembered) {
  std::string out = run("emulator", "print(tune(make, dict(scale=[2], rows=[8, 64]), [x]))\n");
  EXPECT_TRUE(out.starts_with("kernel scaled on emulator (sm_90a): times of the cost model, no GPU ran it\n")) << out;
  EXPECT_FALSE(fs::exists(folder_ / "tuned.json"));
}

TEST_F(TuningTest, Mistakes) {
  auto last = [&](const std::string &snippet) {
    std::string out = run("emulator", snippet);
    return out.substr(out.find(' ') + 1);
  };
  EXPECT_EQ(last("tune(make, dict(scale=[2], rows=[3]), [x])\n"), "no configuration runs and is right");
  EXPECT_EQ(last("tune(make, {}, [x])\n"), "`space` of `tune`: the space is empty: give each name at least one value");
  EXPECT_EQ(last("tune(make, 3, [x])\n"), "`space` of `tune` must be a dict of lists, or a list of dicts, not int");
  EXPECT_EQ(last("tune(make, dict(rows=3), [x])\n"),
            "`space` of `tune` must be a dict from names to lists of values, not dict");
  EXPECT_EQ(last("tune(make, dict(rows=[3]), x)\n"),
            "`inputs` of `tune` must be a list of the kernel's arguments, not array");
  EXPECT_EQ(last("tune(lambda rows: rows, dict(rows=[8]), [x])\n"),
            "the function that is tuned returns a kernel, not `int`");
  EXPECT_EQ(last("tune(make, dict(scale=[2], rows=[8]), [x], repeat=1)\n"),
            "`repeat` of `tune`: a round times from 2 to 1000 samples");
  EXPECT_EQ(last("tuned('nothing', (1, 2))\n"),
            "nothing is known of kernel `nothing` at 2 sizes; tune it, or give a table that has rows of as many sizes");
  EXPECT_EQ(last("tuned('nothing', (1, 2), {3: 4})\n"),
            "`table` of `tuned` must be a dict from tuples of sizes to dicts, not dict");
  EXPECT_EQ(last("run(make(2, 8), x, repeat=0)\n"), "`repeat` of `run`: `repeat` is from 1 to 1000");
}

TEST_F(TuningTest, ASessionThatOnlyLooksCompilesTheFirst) {
  EXPECT_EQ(run("none", "print(tune(make, dict(scale=[2], rows=[3, 8, 64]), [x]).best)\n"),
            "{'scale': 2, 'rows': 8}\n");
  EXPECT_EQ(launches_, 1u);
}

TEST_F(TuningTest, KindsOfErrors) {
  auto kind = [](const std::string &snippet) {
    auto kernels = std::make_shared<KernelRuntime>(KernelOptions{.device = "emulator"});
    Evaluator evaluator(withKernels(hostBuiltins(), kernels));
    auto done = evaluator.run(Source::make("test.py", text(kMake, snippet)));
    return done ? std::string() : done.error().front().kind;
  };
  EXPECT_EQ(kind("tune(make, dict(scale=[2], rows=[3]), [x])\n"), "tune");
  EXPECT_EQ(kind("tuned('nothing', (1, 2))\n"), "tuned");
}

TEST_F(TuningTest, ADamagedFileCountsAsEmpty) {
  fs::create_directories(folder_);
  for (const char *content : {"", "{", "[]", R"({"format": 2, "entries": []})", R"({"format": 1, "entries": [3, {}]})",
                              R"({"format": 1, "entries": [{"kernel": "k", "gpu": "g", "sizes": [1.5], "time_us": 1,
                                  "configuration": {}}]})"}) {
    std::ofstream(folder_ / "tuned.json") << content;
    EXPECT_TRUE(readTuned(folder_ / "tuned.json").empty()) << content;
  }
}

} // namespace
} // namespace lanescope::repl
