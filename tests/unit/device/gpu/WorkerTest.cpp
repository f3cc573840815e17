// The worker's protocol and every way in which a worker can fail, with small fake workers.
#include "core/gpu/runtime/OwnTarget.h"
#include "core/gpu/runtime/WorkerClient.h"

#include "core/data/Files.h"
#include "core/gpu/runtime/WorkerDevice.h"
#include "layouts/support/Text.h"
#include "tests/unit/TemporaryFolder.h"

#include <chrono>
#include <csignal>
#include <dirent.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace lanescope::core {
namespace {

namespace fs = std::filesystem;

GpuInfo fakeGpu() {
  GpuInfo info;
  info.name = "a fake";
  info.major = 9;
  info.memoryBytes = 7;
  info.deviceCount = 4;
  info.devices = {0, 2};
  info.peers.assign(16, PeerReach::Memory);
  info.peers[1] = PeerReach::Atomics;
  return info;
}

CompiledKernel kernel() {
  CompiledKernel kernel;
  kernel.name = "copy";
  kernel.ptx = ".version 8.0";
  kernel.launch.entry = "copy";
  kernel.launch.params = {BufferParam{{Dtype::F32, {4}, "", "", "x"}}, BufferParam{{Dtype::F32, {4}, "", "", "out"}}};
  kernel.outputs = {1};
  return kernel;
}

std::vector<Array> inputs() {
  Array x = Array::zeros(Dtype::F32, {4});
  x.setNumber(2, 5);
  return {x, Array::zeros(Dtype::F32, {4})};
}

/// Scripts that act as the worker: they combine frames, prepared as files, with shell commands.
class FakeWorker : public testing::Test {
protected:
  void SetUp() override {
    put("hello", encodeMessage(Hello{"fake 1", fakeGpu(), ""}));
    put("no_gpu", encodeMessage(Hello{"fake 1", {}, "there is no GPU to run on: no driver"}));
    RunReply reply{{toBytes(5)}, 12.5, "a fake", "printed", {}};
    put("reply", encodeMessage(reply));
    put("running", encodeMessage(ProgressNote{"running the kernel"}));
    put("fault", encodeMessage(Failure{error("kernel-fault", "kernel `copy` faulted").error(), true}));
    put("refused", encodeMessage(Failure{error("ptx-rejected", "no such instruction").error(), false}));
    timeouts_.start = timeouts_.silence = 20;
  }

  static Bytes toBytes(float value) {
    Array array = Array::zeros(Dtype::F32, {4});
    array.setNumber(2, value);
    return std::move(array.bytes).take();
  }
  void put(const std::string &name, const Bytes &bytes) { ASSERT_TRUE(writeFile(folder_ / name, bytes)); }
  WorkerClient client(std::string script) const {
    return WorkerClient({"/bin/sh", "-c", "cd " + folder_.string() + "; " + script}, timeouts_);
  }
  static Result<RunReply> run(WorkerClient &client, double timeout = 1,
                              const std::atomic<bool> *interrupted = nullptr) {
    RunOptions options;
    options.timeoutSeconds = timeout;
    std::vector<Array> arrays = inputs();
    Result<RunRequest> request = makeRequest(kernel(), arrays, options);
    EXPECT_TRUE(request);
    return client.run(*request, interrupted);
  }
  /// The kind and message of the failure.
  static std::pair<std::string, std::string> failure(const Result<RunReply> &result) {
    if (result)
      return {"", ""};
    return {result.error()[0].kind, render(result.error())};
  }

  const TemporaryFolder own_;
  const fs::path folder_ = own_.path();
  WorkerTimeouts timeouts_;
};

TEST_F(FakeWorker, AnswersARun) {
  WorkerClient worker = client("cat hello; cat running; cat reply; cat > taken");
  Result<RunReply> reply = run(worker);
  ASSERT_TRUE(reply) << render(reply.error());
  EXPECT_EQ(reply->timeUs, 12.5);
  EXPECT_EQ(reply->printed, "printed");
  Result<RunResult> result = makeResult(kernel(), *reply);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->outputs[0].number(2), 5);
  EXPECT_EQ(worker.hello()->gpu->memoryBytes, 7u);
  EXPECT_EQ(worker.hello()->gpu->devices, (std::vector<int>{0, 2}));
  EXPECT_EQ(worker.hello()->gpu->peers, fakeGpu().peers);
  worker.stop();
  // The bytes that the worker received read back as the requested run.
  Result<Bytes> taken = readFile(folder_ / "taken", FileRole::Array);
  ASSERT_TRUE(taken);
  FrameReader reader;
  for (std::byte b : *taken)
    reader.feed({&b, 1});
  Result<std::optional<Frame>> greeting = reader.next(), frame = reader.next();
  ASSERT_TRUE(greeting && *greeting && frame && *frame);
  Result<WorkerMessage> message = decodeMessage(std::move(**frame));
  ASSERT_TRUE(message) << render(message.error());
  const auto &request = std::get<RunRequest>(*message);
  EXPECT_EQ(request.kernel, "copy");
  EXPECT_EQ(request.ptx, ".version 8.0");
  EXPECT_EQ(request.launch.buffers()[1]->name, "out");
  EXPECT_TRUE(std::ranges::equal(request.contents[0], inputs()[0].bytes));
  EXPECT_TRUE(request.contents[1].empty()); // zeros are not sent
  EXPECT_EQ(request.wanted, std::vector<uint32_t>{1});
  EXPECT_EQ(request.timeoutSeconds, 1);
}

TEST_F(FakeWorker, WithoutAGpuSaysSo) {
  WorkerClient worker = client("cat no_gpu; cat > /dev/null");
  auto [kind, message] = failure(run(worker));
  EXPECT_EQ(kind, "no-gpu");
  EXPECT_NE(message.find("no driver"), std::string::npos);
}

/// `--arch auto`: the architecture of the worker's GPU.
TEST_F(FakeWorker, SaysWhichTargetItsGpuIs) {
  auto own = targetOfWorker(text("cat ", (folder_ / "hello").string(), "; cat > /dev/null"));
  ASSERT_TRUE(own) << own.error()[0].message;
  EXPECT_EQ(own->target->name, "sm_90a");
  EXPECT_EQ(own->note, "");
  auto none = targetOfWorker(text("cat ", (folder_ / "no_gpu").string(), "; cat > /dev/null"));
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error()[0].kind, "no-gpu");
  EXPECT_EQ(none.error()[0].message,
            "the architecture `auto` is that of the GPU, and no GPU was found; name an architecture, such as `sm_90a`");
  EXPECT_EQ(none.error()[0].notes.at(0).message, "there is no GPU to run on: no driver");
}

/// A GPU without a target of its own takes the nearest baseline, and a note says so.
TEST(OwnTarget, OfAnUnknownGpuIsABaseline) {
  GpuInfo gpu{.name = "a fake"};
  auto found = [&](int major, int minor) {
    gpu.major = major;
    gpu.minor = minor;
    auto own = targetOf(gpu);
    return own ? text(own->target->name, "; ", own->note) : own.error()[0].message;
  };
  EXPECT_EQ(found(8, 9), "sm_89; ");
  EXPECT_EQ(found(12, 0), "sm_120a; ");
  EXPECT_EQ(found(10, 7),
            "sm_103; this GPU (a fake) is sm_107, which has no target of its own; kernels are compiled for "
            "sm_103, whose code runs on it");
  EXPECT_TRUE(found(14, 2).starts_with("sm_121; this GPU (a fake) is sm_142, which has no target of its own"));
  EXPECT_TRUE(found(8, 8).starts_with("sm_87; "));
  EXPECT_TRUE(found(7, 5).starts_with("this GPU (a fake) is sm_75, and code is generated for `sm_80` (Ampere), "))
      << found(7, 5);
}

TEST_F(FakeWorker, ThatIsNotThere) {
  WorkerClient missing({"/no/such/worker"});
  auto [kind, message] = failure(run(missing));
  EXPECT_EQ(kind, "process");
  EXPECT_NE(message.find("/no/such/worker"), std::string::npos);
  WorkerClient shell = client("no-such-program-at-all");
  std::tie(kind, message) = failure(run(shell));
  EXPECT_EQ(kind, "worker-gone");
  EXPECT_NE(message.find("exit status 127"), std::string::npos) << message;
  EXPECT_NE(message.find("no-such-program-at-all: not found"), std::string::npos) << message;
}

TEST_F(FakeWorker, CrashesAndIsStartedAgain) {
  // The first worker dies during the run; the second one answers.
  WorkerClient worker =
      client("cat hello; if [ -e once ]; then cat reply; cat > /dev/null; else touch once; cat running; "
             "echo it hurts >&2; kill -SEGV $$; fi");
  auto [kind, message] = failure(run(worker));
  EXPECT_EQ(kind, "worker-gone");
  EXPECT_NE(message.find("signal 11"), std::string::npos) << message;
  EXPECT_NE(message.find("while running the kernel"), std::string::npos) << message;
  EXPECT_NE(message.find("it hurts"), std::string::npos) << message;
  Result<RunReply> again = run(worker);
  ASSERT_TRUE(again) << render(again.error());
}

TEST_F(FakeWorker, DiesBetweenTwoRuns) {
  WorkerClient worker = client("cat hello; cat reply; head -c 16 > /dev/null");
  ASSERT_TRUE(run(worker));
  ::usleep(100000);
  EXPECT_TRUE(run(worker));
}

TEST_F(FakeWorker, Hangs) {
  timeouts_.grace = 0.2;
  WorkerClient worker = client("cat hello; cat running; exec sleep 100");
  auto begin = std::chrono::steady_clock::now();
  auto [kind, message] = failure(run(worker, 0.1));
  EXPECT_EQ(kind, "worker-timeout");
  EXPECT_NE(message.find("while running the kernel"), std::string::npos) << message;
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(90)) << "it waited for the sleep's end";
  timeouts_.start = 0.2;
  WorkerClient silent = client("exec sleep 100");
  std::tie(kind, message) = failure(run(silent));
  EXPECT_EQ(kind, "worker-timeout");
  EXPECT_NE(message.find("while starting"), std::string::npos) << message;
}

TEST_F(FakeWorker, IsInterrupted) {
  WorkerClient worker = client("cat hello; cat running; exec sleep 100");
  std::atomic<bool> interrupted = true;
  auto [kind, message] = failure(run(worker, 100, &interrupted));
  EXPECT_EQ(kind, "interrupted");
}

TEST_F(FakeWorker, SpeaksGarbage) {
  WorkerClient banner = client("echo 'Welcome to gpu1!'; cat hello; cat > /dev/null");
  auto [kind, message] = failure(run(banner));
  EXPECT_EQ(kind, "worker-protocol");
  EXPECT_NE(message.find("Welcome to gpu1!"), std::string::npos) << message;
  WorkerClient noise = client("head -c 100000 /dev/urandom; cat > /dev/null");
  EXPECT_EQ(failure(run(noise)).first, "worker-protocol");
  WorkerClient late = client("cat hello; echo oops; cat > /dev/null");
  EXPECT_EQ(failure(run(late)).first, "worker-protocol");
  WorkerClient wrong = client("cat reply; cat > /dev/null");
  EXPECT_EQ(failure(run(wrong)).first, "worker-protocol");
}

TEST_F(FakeWorker, ShowsWhatCameInsteadOfAFrame) {
  auto said = [&](const std::string &script) {
    WorkerClient worker = client(script + "; cat > /dev/null");
    return failure(run(worker)).second;
  };
  std::string message = said(R"(printf 'a\033[31m`\\b\n\200\0end')");
  EXPECT_NE(message.find(R"(it says `a\x1b[31m\`\\b\n\x80\x00end`)"), std::string::npos) << message;
  EXPECT_EQ(message.find('\x1b'), std::string::npos);
  message = said("head -c 100000 /dev/zero | tr '\\0' x");
  EXPECT_NE(message.find(std::string(120, 'x') + "…`"), std::string::npos) << message;
  EXPECT_LT(message.size(), 1000u);
  message = said(R"(printf 'LSW\377')");
  EXPECT_NE(message.find(R"(version `\xff`)"), std::string::npos) << message;
}

TEST_F(FakeWorker, DiesWithoutAWord) {
  WorkerClient worker = client("exit 0");
  auto [kind, message] = failure(run(worker));
  EXPECT_EQ(kind, "worker-gone");
  EXPECT_NE(message.find("(exit status 0) while starting, and wrote nothing at all"), std::string::npos) << message;
  WorkerClient complains = client("echo no such queue >&2; exit 3");
  std::tie(kind, message) = failure(run(complains));
  EXPECT_NE(message.find("and wrote only to standard error"), std::string::npos) << message;
  EXPECT_NE(message.find("no such queue"), std::string::npos) << message;
}

TEST_F(FakeWorker, IsSaidToBeSilent) {
  timeouts_.notice = 0.1;
  timeouts_.silence = 1;
  std::vector<std::string> lines;
  auto silent = [&](const std::string &script) {
    lines.clear();
    WorkerClient worker({"/bin/sh", "-c", "cd " + folder_.string() + "; " + script}, timeouts_,
                        [&](const std::string &line) { lines.push_back(line); });
    return failure(run(worker)).first;
  };
  EXPECT_EQ(silent("cat hello; exec sleep 100"), "worker-timeout");
  ASSERT_GE(lines.size(), 2u);
  EXPECT_LE(lines.size(), 5u); // each after twice the previous delay
  EXPECT_NE(lines[0].find("cat hello; exec sleep 100` has said nothing for 0 s, since "), std::string::npos)
      << lines[0];
  EXPECT_NE(lines[0].find(":"), std::string::npos);
  EXPECT_NE(lines[0].find("while taking the request; Ctrl-C ends it"), std::string::npos) << lines[0];
  timeouts_.start = 0.3;
  EXPECT_EQ(silent("exec sleep 100"), "worker-timeout");
  ASSERT_FALSE(lines.empty());
  EXPECT_NE(lines[0].find("while starting"), std::string::npos) << lines[0];
  EXPECT_EQ(silent("cat hello reply; cat > /dev/null"), "");
  EXPECT_TRUE(lines.empty());
}

TEST_F(FakeWorker, StartsOnSeveralMachines) {
  WorkerClient worker = client("cat hello hello; cat > /dev/null");
  auto [kind, message] = failure(run(worker));
  EXPECT_EQ(kind, "worker-protocol");
  EXPECT_NE(message.find("more than one worker greets"), std::string::npos) << message;
}

TEST_F(FakeWorker, SaysForHowManyDevicesItRuns) {
  std::unique_ptr<Device> device = makeWorkerDevice("cd " + folder_.string() + "; cat hello; cat > /dev/null");
  Result<uint32_t> width = device->width(nullptr);
  ASSERT_TRUE(width) << render(width.error());
  EXPECT_EQ(*width, 2u);
  EXPECT_FALSE(makeWorkerDevice("exit 1")->width(nullptr));
}

TEST_F(FakeWorker, HasAnotherVersion) {
  Bytes hello = encodeMessage(Hello{"fake 2", fakeGpu(), ""});
  hello[3] = std::byte{'2'};
  put("hello2", hello);
  WorkerClient worker = client("cat hello2; cat > /dev/null");
  auto [kind, message] = failure(run(worker));
  EXPECT_EQ(kind, "worker-protocol");
  EXPECT_NE(message.find("version `2`"), std::string::npos) << message;
}

TEST_F(FakeWorker, StopsWithinAnAnswer) {
  WorkerClient worker = client("cat hello; head -c 60 reply");
  auto [kind, message] = failure(run(worker));
  EXPECT_EQ(kind, "worker-gone");
  EXPECT_NE(message.find("in the middle of an answer: it sent 60 of "), std::string::npos) << message;
  EXPECT_NE(message.find("bytes, which begin `LSW1"), std::string::npos) << message;
  put("large", encodeMessage(RunReply{{Bytes(1000)}, 12.5, "a fake", "", {}}));
  auto size = fs::file_size(folder_ / "large");
  WorkerClient later = client("cat hello; head -c " + std::to_string(size - 300) + " large");
  std::tie(kind, message) = failure(run(later));
  EXPECT_NE(message.find("it sent 700 of 1000 raw bytes, after the text `{\"type\":\"result\""), std::string::npos)
      << message;
}

TEST_F(FakeWorker, PassesOnWhatWentWrong) {
  WorkerClient worker = client("cat hello; cat refused; cat reply; cat > /dev/null");
  EXPECT_EQ(failure(run(worker)).first, "ptx-rejected");
  EXPECT_TRUE(run(worker)); // the same process continues
  WorkerClient fatal =
      client("cat hello; if [ -e once ]; then cat reply; cat > /dev/null; else touch once; cat fault; fi");
  EXPECT_EQ(failure(run(fatal)).first, "kernel-fault");
  EXPECT_TRUE(run(fatal));
}

TEST_F(FakeWorker, AsADevice) {
  std::unique_ptr<Device> device =
      makeWorkerDevice("cd " + folder_.string() +
                       "; cat hello; if [ -e once ]; then cat reply; cat > /dev/null; else touch once; cat fault; fi");
  Result<RunResult> faulted = device->run(kernel(), inputs(), {});
  ASSERT_TRUE(faulted) << render(faulted.error()); // a fault of the kernel is a result
  EXPECT_TRUE(hasErrors(faulted->diagnostics));
  ASSERT_EQ(faulted->outputs.size(), 1u);
  Result<RunResult> good = device->run(kernel(), inputs(), {});
  ASSERT_TRUE(good) << render(good.error());
  EXPECT_EQ(good->outputs[0].number(2), 5);
  EXPECT_FALSE(device->run(kernel(), {}, {}));
}

TEST_F(FakeWorker, ReturnsTooLittle) {
  put("short", encodeMessage(RunReply{{Bytes(4)}, 1, "a fake", "", {}}));
  std::unique_ptr<Device> device = makeWorkerDevice("cd " + folder_.string() + "; cat hello short; cat > /dev/null");
  Result<RunResult> result = device->run(kernel(), inputs(), {});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error()[0].kind, "worker-protocol");
}

// The system kernel ends a child when the thread that started it ends, and a session's threads come and go.
TEST_F(FakeWorker, OutlivesTheThreadThatStartedIt) {
  WorkerClient worker = client("cat hello reply; touch $$.alive; cat > /dev/null");
  std::thread([&] { EXPECT_TRUE(worker.hello()); }).join();
  ::usleep(50000);
  EXPECT_TRUE(run(worker));
  worker.stop();
  size_t started = 0;
  for (const auto &entry : fs::directory_iterator(folder_))
    started += entry.path().extension() == ".alive";
  EXPECT_EQ(started, 1u);
}

TEST_F(FakeWorker, LeavesNothingBehind) {
  auto descriptors = [] {
    size_t count = 0;
    for ([[maybe_unused]] const auto &entry : fs::directory_iterator("/proc/self/fd"))
      ++count;
    return count;
  };
  size_t before = descriptors();
  for (int i = 0; i < 20; ++i) {
    WorkerClient worker = client(i % 2 ? "exit 1" : "cat hello; cat reply; cat > /dev/null");
    (void)run(worker);
  }
  EXPECT_EQ(descriptors(), before);
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1); // no child remains, not even a zombie
}

TEST(Frames, PiecesOfAnySizeGiveTheSameFrames) {
  Bytes first(100, std::byte{1}), second(7, std::byte{2});
  Bytes both = bytesOf(outgoingFrame("{}", {first, second})), end = bytesOf(outgoingFrame("[1]"));
  both.insert(both.end(), end.begin(), end.end());
  Bytes joined = first;
  joined.insert(joined.end(), second.begin(), second.end());
  for (size_t piece : {1, 5, 16, 18, 64, 125, 126, 1000}) {
    FrameReader reader;
    std::vector<Frame> frames;
    for (size_t at = 0; at < both.size(); at += piece) {
      reader.feed(std::span(both).subspan(at, std::min(piece, both.size() - at)));
      for (;;) {
        Result<std::optional<Frame>> frame = reader.next();
        ASSERT_TRUE(frame) << render(frame.error());
        if (!*frame)
          break;
        frames.push_back(std::move(**frame));
      }
    }
    EXPECT_FALSE(reader.midFrame());
    ASSERT_EQ(frames.size(), 2u) << piece;
    EXPECT_EQ(frames[0].json, "{}");
    EXPECT_EQ(frames[0].blob, joined);
    EXPECT_EQ(frames[1].json, "[1]");
    EXPECT_TRUE(frames[1].blob.empty());
  }
}

TEST(Frames, ARunIsAnnouncedOnceItsPtxIsThere) {
  CompiledKernel announced = kernel();
  announced.arch = "sm_90a";
  std::vector<Array> arrays = inputs();
  Result<RunRequest> request = makeRequest(announced, arrays, {});
  ASSERT_TRUE(request);
  Bytes bytes = bytesOf(outgoing(*request));
  size_t behindPtx = bytes.size() - arrays[0].bytes.size(); // zeros are not sent
  FrameReader reader;
  for (size_t n = 0; n + 1 < bytes.size(); ++n) {
    reader.feed(std::span(bytes).subspan(n, 1));
    Result<std::optional<Frame>> frame = reader.next();
    ASSERT_TRUE(frame && !*frame);
    std::optional<Announcement> next = reader.begun() ? announcementOf(*reader.begun()) : std::nullopt;
    ASSERT_EQ(next.has_value(), n + 1 >= behindPtx) << n;
    if (next) {
      EXPECT_EQ(next->ptx, announced.ptx);
      EXPECT_EQ(next->arch, "sm_90a");
    }
  }
  for (const char *json : {"", "[]", "{}", "{\"type\": 1}", "{\"type\": \"hello\"}", "{\"type\": \"run\"}",
                           "{\"type\": \"run\", \"arch\": \"sm_90a\", \"ptx_bytes\": -1}"})
    EXPECT_FALSE(announcementOf({json, {}})) << json;
}

TEST(Frames, EveryCorruptionIsAnErrorOrAFrame) {
  Bytes good = encodeMessage(RunReply{{Bytes(16)}, 1, "d", "p", error("k", "m").error()});
  for (size_t i = 0; i < good.size(); ++i)
    for (int value : {0, 0x7F, 0xFF, 0x22}) {
      Bytes changed = good;
      changed[i] = static_cast<std::byte>(value);
      FrameReader reader(1 << 20);
      reader.feed(changed);
      Result<std::optional<Frame>> frame = reader.next();
      if (frame && *frame)
        (void)decodeMessage(std::move(**frame));
    }
  for (const char *json : {"", "{}", "[]", "{\"type\": \"hello\"}", "{\"type\": \"run\"}", "{\"type\": \"result\"}",
                           "{\"type\": \"error\", \"fatal\": true, \"diagnostics\": []}", "{\"type\": \"other\"}",
                           "{\"type\": \"progress\", \"stage\": 3}"}) {
    FrameReader reader;
    reader.feed(bytesOf(outgoingFrame(json)));
    Result<std::optional<Frame>> frame = reader.next();
    ASSERT_TRUE(frame && *frame);
    EXPECT_FALSE(decodeMessage(std::move(**frame))) << json;
  }
}

TEST(Frames, DiagnosticsKeepTheirParameters) {
  Diagnostics said = error("unknown-name", lanescope::Message("name `{name}` is not defined", "x")).error();
  said[0].parameters.push_back({"warp", int64_t{-3}});
  FrameReader reader(1 << 20);
  reader.feed(encodeMessage(Failure{said}));
  Result<WorkerMessage> read = decodeMessage(std::move(*reader.next().value()));
  ASSERT_TRUE(read) << render(read.error());
  EXPECT_EQ(std::get<Failure>(*read).diagnostics.at(0).parameters, said[0].parameters);
}

TEST(Process, RunsCommands) {
  Result<CommandResult> result = runCommand({"sh", "-c", "cat; echo out; echo err >&2; exit 3"}, 10, "in\n");
  ASSERT_TRUE(result) << render(result.error());
  EXPECT_EQ(result->status, 3);
  EXPECT_EQ(result->output, "in\nout\n");
  EXPECT_EQ(result->errors, "err\n");
  std::string large(1 << 20, 'x');
  result = runCommand({"cat"}, 10, large);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->output, large);
  EXPECT_TRUE(runCommand({"true"}, 10, large)); // the program does not read its input
  EXPECT_FALSE(runCommand({"sleep", "100"}, 0.1));
  EXPECT_FALSE(runCommand({"/no/such/program"}, 1));
  EXPECT_NE(findProgram("sh"), "");
  EXPECT_EQ(findProgram("no-such-program-at-all"), "");
}

} // namespace
} // namespace lanescope::core
