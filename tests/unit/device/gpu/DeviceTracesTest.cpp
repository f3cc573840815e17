// The profiles of several GPUs as one trace, with their clocks aligned.
#include "core/gpu/kernel/DeviceTraces.h"

#include "core/gpu/runtime/RunRequest.h"

#include <cstring>
#include <gtest/gtest.h>

namespace lanescope::core {
namespace {

constexpr uint32_t kEntries = 7, kEnd = 1u << 31;
const ProfileSpec kSpec{.names = {"work"}, .entriesPerTrace = kEntries, .tracesPerBlock = 1, .threadsPerTrace = 128};

/// A record with one region of 100 cycles that begins at `start`.
std::vector<uint32_t> record(uint32_t start, uint32_t sm) { return {start, sm, 4, 0, 1000, kEnd, 1100}; }

std::vector<uint32_t> both(uint32_t first, uint32_t second) {
  std::vector<uint32_t> words = record(first, 3), more = record(second, 4);
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

double apart(const Trace &trace) {
  return trace.tracks.at(1).slices.at(0).beginNs - trace.tracks.at(0).slices.at(0).beginNs;
}

TEST(DeviceTraces, HaveAGroupOfProcessesEach) {
  Result<Trace> trace = decodeProfiles(kSpec, {1, 1, 1}, both(5000, 5000), 2, {});
  ASSERT_TRUE(trace) << render(trace.error());
  ASSERT_EQ(trace->tracks.size(), 2u);
  EXPECT_EQ(trace->tracks[0].processName, "device 0 SM 3");
  EXPECT_EQ(trace->tracks[1].processName, "device 1 SM 4");
  EXPECT_EQ(trace->tracks[1].pid, kProcessesOfDevice + 5);
  EXPECT_EQ(apart(*trace), 0);
}

TEST(DeviceTraces, AreOnTheFirstDevicesClock) {
  auto apartBy = [](uint32_t first, uint32_t second, int64_t ahead) {
    std::vector<int64_t> offsets{0, ahead};
    Result<Trace> trace = decodeProfiles(kSpec, {1, 1, 1}, both(first, second), 2, offsets);
    EXPECT_TRUE(trace);
    return apart(*trace);
  };
  EXPECT_EQ(apartBy(5000, 9000, 3000), 1000);
  EXPECT_EQ(apartBy(5000, 1000, -4200), 200);
  // One clock wraps before the other; a clock is ahead by more than its low half can hold.
  EXPECT_EQ(apartBy(~0u - 99, 400, 0), 500);
  EXPECT_EQ(apartBy(~0u - 99, 900, (int64_t{7} << 32) + 1500), -500);
  EXPECT_EQ(apartBy(50, ~0u - 49, 0), -100);
}

TEST(DeviceTraces, OneDeviceIsAsEver) {
  Result<Trace> one = decodeProfiles(kSpec, {1, 1, 1}, record(5000, 3), 1, {}),
                same = decodeProfile(kSpec, {1, 1, 1}, record(5000, 3), false);
  ASSERT_TRUE(one && same);
  EXPECT_EQ(toChromeJson(*one), toChromeJson(*same));
  EXPECT_FALSE(decodeProfiles(kSpec, {1, 1, 1}, record(5000, 3), 2, {})) << "half a record for each";
}

// The result that a worker returns for a profiled kernel on two devices.
TEST(DeviceTraces, ComeWithTheResultOfARun) {
  CompiledKernel kernel;
  kernel.name = kernel.launch.entry = "k";
  kernel.launch.devices = 2;
  kernel.launch.params = {BufferParam{{Dtype::U32, {2, kEntries}, "", "", "profile"}}};
  kernel.profiled = true;
  kernel.profile = kSpec;
  Result<RunRequest> request = makeRequest(kernel, {}, {});
  ASSERT_TRUE(request) << render(request.error());
  EXPECT_TRUE(request->alignClocks);
  std::vector<uint32_t> words = both(5000, 9000);
  RunReply reply{.contents = {Bytes(words.size() * 4)}, .clockOffsetsNs = {0, 3500}};
  std::memcpy(reply.contents[0].data(), words.data(), words.size() * 4);
  Result<RunResult> result = makeResult(kernel, reply);
  ASSERT_TRUE(result) << render(result.error());
  ASSERT_TRUE(result->trace);
  EXPECT_EQ(apart(*result->trace), 500);
}

} // namespace
} // namespace lanescope::core
