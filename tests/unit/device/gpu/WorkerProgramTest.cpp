// The real worker program from end to end: tests/gpu/run.sh with the emulator as the GPU, and the worker's command
// line.
#include "core/data/Files.h"
#include "core/gpu/runtime/Messages.h"
#include "core/gpu/runtime/Process.h"
#include "tests/unit/TemporaryFolder.h"

#include <gtest/gtest.h>
#include <set>

namespace lanescope::core {
namespace {

namespace fs = std::filesystem;

class WorkerProgram : public testing::Test {
protected:
  void SetUp() override {
    if (!fs::exists(worker_))
      GTEST_SKIP() << worker_ << " is not built";
  }
  CommandResult run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), worker_);
    Result<CommandResult> result = runCommand(arguments, 60);
    EXPECT_TRUE(result);
    return result ? *result : CommandResult{};
  }

  std::string worker_ = LANESCOPE_BIN_DIR "/lanescope-worker";
  const TemporaryFolder own_;
  const fs::path folder_ = own_.path();
};

// The worker is copied to machines that have a GPU and little else.
TEST_F(WorkerProgram, NeedsTheCLibraryAlone) {
  if (findProgram("ldd").empty())
    GTEST_SKIP() << "ldd lists what a program needs";
  Result<CommandResult> needs = runCommand({"ldd", worker_}, 10);
  ASSERT_TRUE(needs);
  for (const char *library : {"libsimdjson", "libz.", "libstdc++", "LLVM", "MLIR"})
    EXPECT_EQ(needs->output.find(library), std::string::npos) << needs->output;
}

TEST_F(WorkerProgram, RunsThePackagesOfTheGpuTests) {
  if (findProgram("python3").empty())
    GTEST_SKIP() << "python3 makes the packages";
  Result<CommandResult> result =
      runCommand({"env", "WORKER=" + worker_, "DEVICE=emulator", "TIMEOUT=1", LANESCOPE_SOURCE_DIR "/tests/gpu/run.sh",
                  "", (folder_ / "results").string()},
                 120);
  ASSERT_TRUE(result) << render(result.error());
  EXPECT_EQ(result->status, 0) << result->output << result->errors;
  EXPECT_NE(result->output.find("15 passed, 0 failed"), std::string::npos) << result->output;
  EXPECT_TRUE(fs::exists(folder_ / "results/jax_add_Lane/out.npy"));
  EXPECT_TRUE(fs::exists(folder_ / "results/jax_add_Lane/result.json"));
  // An output that differs from the expected one fails, and the message names the place.
  fs::path package = folder_ / "results/packages/zz_still_works.lspkg";
  fs::copy_file(folder_ / "results/print/out.npy", package / "expected/out.npy", fs::copy_options::overwrite_existing);
  CommandResult wrong = run({"run", package.string(), "--device", "emulator", "-o", (folder_ / "again").string()});
  EXPECT_EQ(wrong.status, 1);
  EXPECT_NE(wrong.output.find("`out`: 2 of 4 elements differ, the first at (0,): 0 where 42 is expected"),
            std::string::npos)
      << wrong.output;
  auto record = readSource(folder_ / "again/zz_still_works/result.json");
  ASSERT_TRUE(record) << render(record.error());
  EXPECT_NE((*record)->text().find(R"("unexpected-output")"), std::string::npos) << (*record)->text();
}

TEST_F(WorkerProgram, ComparesFiles) {
  std::string a = LANESCOPE_SOURCE_DIR "/tests/golden/npy/bf16.npy",
              b = LANESCOPE_SOURCE_DIR "/tests/golden/npy/fortran.npy";
  EXPECT_EQ(run({"compare", a, a}).status, 0);
  EXPECT_EQ(run({"compare", a, b}).status, 1);
  EXPECT_EQ(run({"compare", a, "no such file"}).status, 1);
}

TEST_F(WorkerProgram, ExplainsItself) {
  EXPECT_EQ(run({"--help"}).status, 0);
  EXPECT_NE(run({"--version"}).output.find("protocol 1"), std::string::npos);
  for (std::vector<std::string> wrong : {std::vector<std::string>{"bogus"},
                                         {"run"},
                                         {"compare", "a"},
                                         {"run", "a", "--repeat", "0"},
                                         {"run", "a", "--repeat"},
                                         {"run", "a", "--device", "tpu"},
                                         {"run", "a", "--bogus", "1"}}) {
    CommandResult result = run(wrong);
    EXPECT_EQ(result.status, 2) << wrong[0];
    EXPECT_NE(result.errors.find("--help"), std::string::npos);
  }
}

TEST_F(WorkerProgram, EndsOnGarbage) {
  Result<CommandResult> result = runCommand({worker_, "serve", "--device", "emulator"}, 20, "this is no frame at all");
  ASSERT_TRUE(result);
  EXPECT_EQ(result->status, 1);
  result = runCommand({worker_, "serve", "--device", "emulator"}, 20, "LSW1");
  ASSERT_TRUE(result);
  EXPECT_EQ(result->status, 1);
  result = runCommand({worker_, "serve", "--device", "emulator"}, 20);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->status, 0);
  EXPECT_TRUE(result->output.starts_with("LSW1"));
}

/// The messages that the worker sends for these frames; its greeting is the first.
std::vector<WorkerMessage> answersTo(const std::string &worker, std::span<const Bytes> frames) {
  std::string input;
  for (const Bytes &frame : frames)
    input.append(reinterpret_cast<const char *>(frame.data()), frame.size());
  Result<CommandResult> result = runCommand({worker, "serve", "--device", "emulator"}, 20, input);
  std::vector<WorkerMessage> answers;
  if (!result || result->status != 0)
    return answers;
  FrameReader reader;
  reader.feed(std::as_bytes(std::span(result->output)));
  for (auto frame = reader.next(); frame && *frame; frame = reader.next())
    if (Result<WorkerMessage> message = decodeMessage(std::move(**frame)))
      answers.push_back(std::move(*message));
  return answers;
}

TEST_F(WorkerProgram, GoesOnAfterAMessageThatIsMalformed) {
  std::string run = R"({"type": "run", "kernel": "k", "arch": "sm_90a", "wanted": [], "timeout_ms": 1000, "repeat": 1,)"
                    R"( "ptx_bytes": 0, "buffers": [], "launch": )";
  for (std::string json :
       {run + R"("{"})", run + R"("{\"entry\": 1}"})", run + R"("{\"entry\": \"k\", \"grid\": [0, 1, 1]}"})",
        run + "3}", std::string("{}"), std::string("[]"), std::string("{\"type\": 3}"), std::string("not JSON"),
        std::string(R"({"type": "dance"})"), std::string(R"({"type": "progress", "stage": "x"})"),
        std::string(5000, '[')}) {
    Bytes frame = bytesOf(outgoingFrame(json));
    std::vector<WorkerMessage> answers = answersTo(worker_, std::vector<Bytes>{frame, frame});
    ASSERT_EQ(answers.size(), 3u) << json.substr(0, 200); // the greeting, and an error for each frame
    for (size_t n : {1, 2}) {
      const auto *failure = std::get_if<Failure>(&answers[n]);
      ASSERT_TRUE(failure) << json.substr(0, 200);
      EXPECT_FALSE(failure->fatal);
      EXPECT_FALSE(failure->diagnostics[0].message.empty());
    }
  }
  std::vector<WorkerMessage> answers = answersTo(worker_, std::vector<Bytes>{bytesOf(outgoingFrame(run + R"("{"})"))});
  ASSERT_EQ(answers.size(), 2u);
  EXPECT_NE(render(std::get<Failure>(answers[1]).diagnostics).find("launch.json"), std::string::npos);
}

TEST_F(WorkerProgram, GivesPackagesOfOneNameAResultEach) {
  for (const char *folder : {"a", "b", "c"})
    fs::create_directories(folder_ / folder / "double.lspkg");
  fs::create_directories(folder_ / "double-2.lspkg");
  run({"run", "--device", "emulator", "-o", (folder_ / "results").string(), (folder_ / "a/double.lspkg").string(),
       (folder_ / "b/double.lspkg/").string(), (folder_ / "double-2.lspkg").string(),
       (folder_ / "c/double.lspkg").string()});
  std::set<std::string> names;
  for (const auto &entry : fs::directory_iterator(folder_ / "results"))
    names.insert(entry.path().filename().string());
  EXPECT_EQ(names, (std::set<std::string>{"double", "double-2", "double-3", "double-4"}));
  for (const std::string &name : names)
    EXPECT_TRUE(fs::exists(folder_ / "results" / name / "result.json")) << name;
}

} // namespace
} // namespace lanescope::core
