// A repeated run is not executed again, and all its results are the same; a different run is executed.
#include "core/gpu/runtime/RememberedRuns.h"
#include "core/gpu/kernel/CompiledKernel.h"

#include <gtest/gtest.h>

namespace lanescope::core {
namespace {

/// A device that returns its input and counts its runs.
class CountingDevice : public Device {
public:
  CountingDevice(int &runs, RunRecord &record) : runs_(runs), record_(record) {}
  std::string name() const override { return "counting"; }
  Result<RunResult> run(const Artifact &artifact, std::span<const Array> inputs, const RunOptions &options) override {
    ++runs_;
    if (inputs.empty())
      return error("launch", "nothing");
    record_.ptx = Source::make("k.ptx", static_cast<const CompiledKernel &>(artifact).ptx);
    record_.instructions = {{.executed = static_cast<uint64_t>(runs_)}};
    RunResult result{.outputs = {inputs.begin(), inputs.end()}, .timeUs = static_cast<double>(runs_), .printed = "hi"};
    if (artifact.name == "hazardous")
      result.diagnostics = {{Severity::Warning, "hazard", {}, "careful", {}}};
    return result;
  }

private:
  int &runs_;
  RunRecord &record_;
};

struct Remembering {
  int runs = 0;
  RunRecord record{.limit = 7};
  std::unique_ptr<Device> device;
  CompiledKernel kernel;
  std::vector<Array> inputs = {Array::zeros(Dtype::F32, {16})};
  RunOptions options;

  explicit Remembering(size_t mostBytes = 1 << 20)
      : device(rememberedRuns(std::make_unique<CountingDevice>(runs, record),
                              {.record = &record, .mostBytes = mostBytes})) {
    kernel.name = "k";
    kernel.ptx = "first";
  }
  RunResult run() {
    auto result = device->run(kernel, inputs, options);
    EXPECT_TRUE(result);
    return result ? *result : RunResult();
  }
};

TEST(RememberedRuns, TheSameIsNotRunAgain) {
  Remembering of;
  RunResult first = of.run();
  of.kernel.ptx = "second";
  of.run();
  EXPECT_EQ(of.record.instructions[0].executed, 2u);
  of.kernel.ptx = "first";
  of.options.emulation.threads = 3; // does not affect the results
  RunResult again = of.run();
  EXPECT_EQ(of.runs, 2);
  EXPECT_EQ(again.outputs[0].bytes, first.outputs[0].bytes);
  EXPECT_EQ(again.timeUs, first.timeUs);
  EXPECT_EQ(again.printed, "hi");
  EXPECT_EQ(of.record.instructions[0].executed, 1u); // the record of that run, for the costs of lines
  EXPECT_EQ(of.record.ptx->text(), "first");
  EXPECT_EQ(of.record.limit, 7u);
}

TEST(RememberedRuns, AnythingElseIs) {
  Remembering of;
  of.run();
  int runs = 1;
  auto changed = [&](const char *what) {
    of.run();
    EXPECT_EQ(of.runs, ++runs) << what;
    of.run();
    EXPECT_EQ(of.runs, runs) << what << ", again";
  };
  of.inputs[0].bytes[63] = std::byte{1};
  changed("the last byte of an input");
  of.inputs[0].shape = {4, 4};
  changed("a shape");
  of.inputs[0].dtype = Dtype::I32;
  changed("a type");
  of.options.emulation.seed = 5;
  changed("the schedule");
  of.options.emulation.fast = true;
  changed("the checks");
  of.kernel.launch.grid = {2, 1, 1};
  changed("the grid");
  of.kernel.profiled = true;
  changed("the profiler");
  of.kernel.profile.names = {"load"};
  changed("a region");
  of.kernel.outputs = {0};
  changed("what is returned");
  of.kernel.source = Source::make("other.py", "");
  changed("the source's name");
}

TEST(RememberedRuns, WhatWentWrongIsRunAgain) {
  Remembering of;
  of.kernel.name = "hazardous";
  of.run(), of.run();
  EXPECT_EQ(of.runs, 2);
  of.inputs.clear();
  EXPECT_FALSE(of.device->run(of.kernel, of.inputs, of.options));
  EXPECT_FALSE(of.device->run(of.kernel, of.inputs, of.options));
  EXPECT_EQ(of.runs, 4);
}

TEST(RememberedRuns, TheOldestMakeRoom) {
  Remembering of(10'000);
  for (int n = 0; n < 5; ++n) { // each has about 64 bytes of input and output, and 3000 of text
    of.kernel.ptx = std::string(3000, static_cast<char>('a' + n));
    of.run();
  }
  EXPECT_EQ(of.runs, 5);
  of.run(); // the last run is kept
  EXPECT_EQ(of.runs, 5);
  of.kernel.ptx = std::string(3000, 'a'); // the first run is not kept
  of.run();
  EXPECT_EQ(of.runs, 6);
  of.kernel.ptx = std::string(20'000, 'x'); // is never kept
  of.run(), of.run();
  EXPECT_EQ(of.runs, 8);
}

} // namespace
} // namespace lanescope::core
