// Launches on several GPUs of a fake driver: each device's arguments, the peer access, and the failures.
#include "tests/unit/device/gpu/FakeCuda.h"

#include "core/gpu/runtime/Gpu.h"

#include <cstring>
#include <gtest/gtest.h>
#include <numeric>

namespace lanescope::core {
namespace {

constexpr uint32_t kDevices = 2, kElements = 4;

const StageReport kQuiet = [](const char *) {};

BufferSpec buffer(const char *name, Shape shape, Dtype dtype = Dtype::U32) {
  return {dtype, std::move(shape), "", "", name};
}

/// x, out and a semaphore on each of two devices, followed by the metadata.
RunRequest request(uint32_t devices = kDevices) {
  RunRequest request;
  request.kernel = "swap";
  request.arch = "sm_90a";
  request.launch.entry = "swap";
  request.launch.devices = devices;
  request.launch.params = {BufferParam{buffer("x", {devices, kElements})},
                           BufferParam{buffer("out", {devices, kElements})}, BufferParam{buffer("done", {devices, 1})},
                           MetadataParam{}};
  std::vector<uint32_t> x(size_t{devices} * kElements);
  std::iota(x.begin(), x.end(), 10);
  auto bytes = std::as_bytes(std::span(x));
  request.owned = {std::make_shared<const Bytes>(bytes.begin(), bytes.end())};
  request.contents = {*request.owned[0], {}, {}};
  request.wanted = {1};
  request.timeoutSeconds = 20;
  return request;
}

std::vector<uint32_t> numbers(const Bytes &bytes) {
  std::vector<uint32_t> out(bytes.size() / sizeof(uint32_t));
  std::memcpy(out.data(), bytes.data(), bytes.size());
  return out;
}

class SeveralGpus : public testing::Test {
protected:
  SeveralGpus() {
    cuda_.parameters = 4;
    // Each device writes its x into the next device's `out`, signals it, and waits for the previous device.
    cuda_.kernel = [this](const FakeLaunch &launch) -> cuda::Status {
      auto *metadata = static_cast<uint64_t *>(cuda_.reach(launch.gpu, launch.words[3]));
      constexpr uint64_t kBuffers = 3;
      uint64_t self = metadata[0], next = (self + 1) % devices_;
      auto copy = [&](uint64_t array, uint64_t device) {
        return metadata[kMetadataHeaderWords + devices_ * array + device];
      };
      for (uint64_t array = 0; array < kBuffers; ++array)
        if (copy(array, self) != launch.words[array] ||
            metadata[kMetadataHeaderWords + devices_ * kBuffers + array] != 0)
          return kWrongMetadata;
      auto *from = static_cast<uint32_t *>(cuda_.reach(launch.gpu, copy(0, self)));
      auto *to = static_cast<uint32_t *>(cuda_.reach(launch.gpu, copy(1, next)));
      if (!from || !to)
        return kIllegalAddress;
      std::memcpy(to, from, kElements * sizeof(uint32_t));
      ++std::atomic_ref(cuda_.word(launch.gpu, copy(2, next)));
      std::atomic_ref own(cuda_.word(launch.gpu, copy(2, self)));
      while (own == 0 && !cuda_.over)
        std::this_thread::yield();
      return cuda::kSuccess;
    };
  }
  static constexpr cuda::Status kWrongMetadata = 1000, kIllegalAddress = 700;

  std::unique_ptr<Gpu> open(std::vector<int> ordinals = {}) {
    Result<std::unique_ptr<Gpu>> gpu = Gpu::open(cuda_.api(), ordinals);
    EXPECT_TRUE(gpu) << (gpu ? "" : render(gpu.error()));
    return std::move(*gpu);
  }
  /// The kind and message of a failure.
  std::pair<std::string, std::string> failure(Gpu &gpu, const RunRequest &request) {
    Result<RunReply> reply = gpu.run(request, kQuiet);
    return reply ? std::pair<std::string, std::string>() : std::pair(reply.error()[0].kind, render(reply.error()));
  }

  uint64_t devices_ = kDevices;
  FakeCuda cuda_{2};
};

TEST_F(SeveralGpus, ReachEachOther) {
  std::unique_ptr<Gpu> gpu = open();
  EXPECT_EQ(gpu->info().devices, (std::vector<int>{0, 1}));
  for (int run = 0; run < 2; ++run) {
    Result<RunReply> reply = gpu->run(request(), kQuiet);
    ASSERT_TRUE(reply) << render(reply.error());
    EXPECT_EQ(numbers(reply->contents[0]), (std::vector<uint32_t>{14, 15, 16, 17, 10, 11, 12, 13}));
    EXPECT_EQ(reply->timeUs, 2000) << "the slower one's";
    EXPECT_EQ(reply->device, "2 x Fake");
    EXPECT_TRUE(reply->diagnostics.empty());
  }
  EXPECT_EQ(cuda_.count("retain"), 2);
  EXPECT_EQ(cuda_.count("enable"), 2) << "once, both ways";
  EXPECT_EQ(cuda_.count("memAlloc"), cuda_.count("memFree"));
  EXPECT_EQ(cuda_.count("load"), 2) << "once on each, for both runs";
  EXPECT_EQ(cuda_.count("unload"), 0);
}

TEST_F(SeveralGpus, InTheOrderThatIsAskedFor) {
  std::unique_ptr<Gpu> gpu = open({1, 0});
  std::vector<int> gpus;
  auto swap = cuda_.kernel;
  std::mutex mutex;
  cuda_.kernel = [&](const FakeLaunch &launch) {
    auto *metadata = static_cast<uint64_t *>(cuda_.reach(launch.gpu, launch.words[3]));
    {
      std::scoped_lock lock(mutex);
      EXPECT_EQ(launch.gpu, metadata[0] == 0 ? 1 : 0);
    }
    return swap(launch);
  };
  Result<RunReply> reply = gpu->run(request(), kQuiet);
  ASSERT_TRUE(reply) << render(reply.error());
  EXPECT_EQ(numbers(reply->contents[0]), (std::vector<uint32_t>{14, 15, 16, 17, 10, 11, 12, 13}));
}

TEST_F(SeveralGpus, OneInTheirPlace) {
  std::unique_ptr<Gpu> gpu = open({1, 1});
  Result<RunReply> reply = gpu->run(request(), kQuiet);
  ASSERT_TRUE(reply) << render(reply.error());
  EXPECT_EQ(numbers(reply->contents[0]), (std::vector<uint32_t>{14, 15, 16, 17, 10, 11, 12, 13}));
  EXPECT_EQ(reply->device, "2 devices on one Fake");
  EXPECT_EQ(cuda_.count("enable"), 0) << "one context has one memory";
  // Two grids of 3 blocks are more than the 4 blocks that run at once.
  RunRequest large = request();
  large.launch.grid = {3, 1, 1};
  auto [kind, message] = failure(*gpu, large);
  EXPECT_EQ(kind, "launch");
  EXPECT_NE(message.find("2 grids of 3 blocks of kernel `swap` do not fit side by side on GPU 1, which runs 4"),
            std::string::npos)
      << message;
  large.launch.cluster = {3, 1, 1};
  EXPECT_EQ(failure(*gpu, large).first, "launch") << "one cluster of 3 at once";
  cuda_.residentBlocks = 2;
  EXPECT_TRUE(gpu->run(large, kQuiet)) << "one for each device";
}

TEST_F(SeveralGpus, AreTooFew) {
  RunRequest four = request(4);
  auto [kind, message] = failure(*open(), four);
  EXPECT_EQ(kind, "launch");
  EXPECT_NE(message.find("this machine has 2 GPUs, kernel `swap` wants 4; GPUs of several machines are not joined"),
            std::string::npos)
      << message;
  EXPECT_NE(message.find("--devices 0,0,0,0"), std::string::npos) << message;
  std::tie(kind, message) = failure(*open({1}), request());
  EXPECT_NE(message.find("the worker was given 1 GPU (`--devices`), kernel `swap` wants 2"), std::string::npos)
      << message;
  EXPECT_EQ(cuda_.count("retain"), 0);
  Result<std::unique_ptr<Gpu>> missing = Gpu::open(cuda_.api(), {2});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error()[0].kind, "no-gpu");
  EXPECT_NE(missing.error()[0].message.find("there is no GPU 2 to run on: this machine has 2, numbers 0 to 1"),
            std::string::npos);
}

TEST(OneGpu, SaysWhatItLacks) {
  FakeCuda cuda(1);
  Result<std::unique_ptr<Gpu>> gpu = Gpu::open(cuda.api(), {});
  ASSERT_TRUE(gpu);
  Result<RunReply> reply = (*gpu)->run(request(), kQuiet);
  ASSERT_FALSE(reply);
  EXPECT_NE(reply.error()[0].message.find("this machine has one GPU, kernel `swap` wants 2"), std::string::npos)
      << render(reply.error());
}

// A launch without devices, and a launch for one device: neither asks for peer access.
TEST(OneGpu, RunsAsBefore) {
  FakeCuda cuda(1);
  cuda.parameters = 1;
  cuda.kernel = [&](const FakeLaunch &launch) {
    cuda.word(launch.gpu, launch.words[0]) = 7;
    return cuda::kSuccess;
  };
  Result<std::unique_ptr<Gpu>> gpu = Gpu::open(cuda.api(), {});
  ASSERT_TRUE(gpu);
  RunRequest one;
  one.kernel = one.launch.entry = "seven";
  one.arch = "sm_90a";
  one.launch.params = {BufferParam{buffer("out", {1})}};
  one.contents = {{}};
  one.wanted = {0};
  for (uint32_t devices : {0u, 1u}) {
    one.launch.devices = devices;
    std::get<BufferParam>(one.launch.params[0]).buffer.shape = devices ? Shape{1, 1} : Shape{1};
    Result<RunReply> reply = (*gpu)->run(one, kQuiet);
    ASSERT_TRUE(reply) << render(reply.error());
    EXPECT_EQ(numbers(reply->contents[0]), std::vector<uint32_t>{7});
    EXPECT_EQ(reply->device, "Fake");
  }
  EXPECT_EQ(cuda.count("enable"), 0);
}

TEST_F(SeveralGpus, DoNotReachEachOther) {
  cuda_.withoutAtomics[{1, 0}] = true;
  auto [kind, message] = failure(*open(), request());
  EXPECT_EQ(kind, "launch");
  EXPECT_NE(message.find("GPU 1 has a link without atomics, which semaphores need, to GPU 0"), std::string::npos)
      << message;
  cuda_.cut[{0, 1}] = true;
  EXPECT_NE(failure(*open(), request()).second.find("GPU 0 does not reach the memory of GPU 1"), std::string::npos);
  EXPECT_EQ(cuda_.count("launch"), 0);
  EXPECT_EQ(open()->info().peers,
            (std::vector<PeerReach>{PeerReach::Atomics, PeerReach::None, PeerReach::Memory, PeerReach::Atomics}));
}

TEST_F(SeveralGpus, HaveNoMulticast) {
  RunRequest uses = request();
  uses.ptx = "multimem.red.relaxed.sys.global.add.u32 [%rd1], 1;";
  EXPECT_NE(failure(*open(), uses).second.find("kernel `swap` uses multicast memory"), std::string::npos);
  uses = request();
  uses.launch.links = {{.buffer = 0, .offset = 0, .target = 1, .at = 0, .peer = {{}, true}}};
  EXPECT_NE(failure(*open(), uses).second.find("kernel `swap` uses multicast memory"), std::string::npos);
}

TEST_F(SeveralGpus, GetPointersToPeers) {
  RunRequest linked = request();
  BytesParam block{
      .size = 160, .data = {}, .buffers = {buffer("table", {2, 2}, Dtype::U64)}, .tensorMaps = {}, .pointers = {}};
  block.tensorMaps = {
      {.offset = 0, .buffer = 0, .dtype = Dtype::U64, .shape = {2}, .stridesBytes = {}, .box = {2}, .peer = {{1, 0}}}};
  block.pointers = {{.offset = 128, .buffer = 0, .at = 8, .peer = {{1, 1}}}};
  block.metadata = 136;
  linked.launch.params = {block, PointerParam{0, 8, {{0, 0}}}};
  linked.launch.links = {{.buffer = 0, .offset = 8, .target = 0, .at = 8, .peer = {{1, 0}}}};
  linked.contents = {{}};
  linked.wanted = {0};
  cuda_.parameters = 2;
  cuda_.blockBytes = 160;
  std::array<std::vector<uint64_t>, kDevices> seen;
  cuda_.kernel = [&](const FakeLaunch &launch) {
    auto at = [&](size_t offset) {
      uint64_t word = 0;
      std::memcpy(&word, launch.block.data() + offset, sizeof word);
      return word;
    };
    seen[static_cast<size_t>(launch.gpu)] = {at(0), at(128), at(136), launch.words[1]};
    return cuda::kSuccess;
  };
  Result<RunReply> reply = open()->run(linked, kQuiet);
  ASSERT_TRUE(reply) << render(reply.error());
  uint64_t table0 = seen[1][0], table1 = seen[0][0]; // each device's descriptor describes the other device's table
  EXPECT_NE(table0, table1);
  for (const auto &each : seen) {
    EXPECT_EQ(each[1], table1 + 8);
    EXPECT_EQ(each[3], table0 + 8);
  }
  EXPECT_NE(seen[0][2], seen[1][2]) << "each has metadata of its own";
  std::vector<uint64_t> words(4);
  std::memcpy(words.data(), reply->contents[0].data(), 32);
  EXPECT_EQ(words, (std::vector<uint64_t>{0, table1 + 8, 0, table0 + 8}));
}

TEST_F(SeveralGpus, OneFaults) {
  auto swap = cuda_.kernel;
  cuda_.kernel = [&, swap](const FakeLaunch &launch) {
    return launch.gpu == 1 ? cuda::Status{kIllegalAddress} : swap(launch);
  };
  std::unique_ptr<Gpu> gpu = open();
  auto [kind, message] = failure(*gpu, request());
  EXPECT_EQ(kind, kKernelFault);
  EXPECT_NE(message.find("kernel `swap` faulted on device 1 (Fake)"), std::string::npos) << message;
  EXPECT_EQ(cuda_.count("memFree"), 0) << "the process ends; to free would wait for the other device";
}

TEST_F(SeveralGpus, OneWaitsForEver) {
  auto swap = cuda_.kernel;
  cuda_.kernel = [&, swap](const FakeLaunch &launch) {
    return launch.gpu == 1 ? cuda::kSuccess : swap(launch); // device 0 gets no signal
  };
  cuda_.atOnce = {1};
  RunRequest impatient = request();
  impatient.timeoutSeconds = 0.1;
  std::unique_ptr<Gpu> gpu = open();
  auto [kind, message] = failure(*gpu, impatient);
  EXPECT_EQ(kind, kKernelTimeout);
  EXPECT_NE(message.find("did not finish in 0.1 s on device 0 (Fake); it was ended"), std::string::npos) << message;
  EXPECT_EQ(cuda_.count("memFree"), 0);
}

TEST_F(SeveralGpus, WriteOutsideOfABuffer) {
  auto swap = cuda_.kernel;
  cuda_.kernel = [&, swap](const FakeLaunch &launch) {
    if (launch.gpu == 1)
      cuda_.word(launch.gpu, launch.words[1] + kElements * 4) = 3;
    return swap(launch);
  };
  Result<RunReply> reply = open()->run(request(), kQuiet);
  ASSERT_TRUE(reply) << render(reply.error());
  ASSERT_EQ(reply->diagnostics.size(), 1u);
  EXPECT_EQ(reply->diagnostics[0].message, "kernel `swap` wrote outside of `out` of device 1: at byte 16 of 16");
}

TEST_F(SeveralGpus, AreTimedFromTheSameContents) {
  RunRequest timed = request();
  timed.repeat = 3;
  Result<RunReply> reply = open()->run(timed, kQuiet);
  ASSERT_TRUE(reply) << render(reply.error());
  EXPECT_EQ(cuda_.count("launch"), 2 * 4);
  EXPECT_EQ(reply->timeUs, 2000);
  EXPECT_EQ(numbers(reply->contents[0]), (std::vector<uint32_t>{14, 15, 16, 17, 10, 11, 12, 13}));
}

TEST_F(SeveralGpus, SayHowFarTheirClocksAreApart) {
  constexpr int64_t kSecond = 1'000'000'000, kAhead = 100 * kSecond;
  cuda_.clockAhead = {{0, 1'700'000'000 * uint64_t{kSecond}}, {1, 1'700'000'100 * uint64_t{kSecond}}};
  RunRequest profiled = request();
  profiled.alignClocks = true;
  Result<RunReply> reply = open()->run(profiled, kQuiet);
  ASSERT_TRUE(reply) << render(reply.error());
  ASSERT_EQ(reply->clockOffsetsNs.size(), 2u);
  EXPECT_EQ(reply->clockOffsetsNs[0], 0);
  EXPECT_NEAR(static_cast<double>(reply->clockOffsetsNs[1]), kAhead, 5.0 * kSecond);
  // One GPU has one clock.
  reply = open({0, 0})->run(profiled, kQuiet);
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->clockOffsetsNs, (std::vector<int64_t>{0, 0}));
  cuda_.hostAlloc = cuda::kOutOfMemory;
  reply = open()->run(profiled, kQuiet);
  ASSERT_TRUE(reply) << "the run is as good without";
  EXPECT_TRUE(reply->clockOffsetsNs.empty());
  ASSERT_EQ(reply->diagnostics.size(), 1u);
  EXPECT_EQ(reply->diagnostics[0].kind, "profile-clocks");
  EXPECT_EQ(reply->diagnostics[0].severity, Severity::Warning);
}

TEST_F(SeveralGpus, PartsAreWholeBytes) {
  RunRequest odd = request();
  std::get<BufferParam>(odd.launch.params[0]).buffer = buffer("x", {2, 3}, Dtype::I4);
  odd.contents[0] = odd.contents[0].first(3);
  EXPECT_NE(failure(*open(), odd).second.find("the parts of `x` that the devices have end within a byte"),
            std::string::npos);
}

} // namespace
} // namespace lanescope::core
