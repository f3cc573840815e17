#include "core/gpu/runtime/GpuClocks.h"

#include "layouts/support/Try.h"

#include <atomic>
#include <chrono>
#include <limits>
#include <map>
#include <thread>

namespace lanescope::core {

namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kPatience = std::chrono::seconds(5);
constexpr auto kBetweenPolls = std::chrono::microseconds(50);

// The kernel polls %page, which holds the number of the host's call, then the answers. It ends after the last call.
constexpr char kPtx[] = R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry lanescope_clock(.param .u64 page, .param .u32 calls)
{
  .reg .b64 %page, %at, %asked, %time, %number;
  .reg .b32 %calls, %call;
  .reg .pred %again;
  ld.param.u64 %page, [page];
  ld.param.u32 %calls, [calls];
  cvta.to.global.u64 %page, %page;
  mov.u64 %at, %page;
  mov.u32 %call, 1;
wait:
  cvt.u64.u32 %number, %call;
  ld.relaxed.sys.global.u64 %asked, [%page];
  setp.lt.u64 %again, %asked, %number;
  @%again bra wait;
  mov.u64 %time, %globaltimer;
  add.u64 %at, %at, 8;
  st.relaxed.sys.global.u64 [%at], %time;
  add.u32 %call, %call, 1;
  setp.le.u32 %again, %call, %calls;
  @%again bra wait;
  ret;
}
)";

/// The driver's resources for the clock kernel, released by the destructor.
class ClockKernel {
public:
  ClockKernel(const cuda::Api &api, const GpuDevice &device) : api_(api), device_(device) {}
  ClockKernel(const ClockKernel &) = delete;
  ClockKernel &operator=(const ClockKernel &) = delete;
  ~ClockKernel() {
    if (launched_) {
      word(0) = kClockCalls; // ends the kernel, whichever call it is waiting for
      Clock::time_point end = Clock::now() + kPatience;
      while (api_.streamQuery(stream_) == cuda::kNotReady && Clock::now() < end)
        std::this_thread::sleep_for(kBetweenPolls);
    }
    if (stream_)
      api_.streamDestroy(stream_);
    if (module_)
      api_.moduleUnload(module_);
    if (page_)
      api_.memFreeHost(page_);
  }

  /// Measures %globaltimer minus the host's clock.
  Result<int64_t> offset() {
    if (!api_.memHostAlloc || !api_.memFreeHost || !api_.memHostGetDevicePointer)
      return failed("the driver is too old");
    LANESCOPE_CHECK(good(api_.ctxSetCurrent(device_.context)));
    LANESCOPE_CHECK(
        good(api_.memHostAlloc(&page_, (1 + kClockCalls) * sizeof(uint64_t), cuda::kHostPortable | cuda::kHostMapped)));
    for (uint32_t call = 0; call <= kClockCalls; ++call)
      word(call) = 0;
    cuda::Function function = nullptr;
    LANESCOPE_CHECK(good(api_.moduleLoadDataEx(&module_, kPtx, 0, nullptr, nullptr)));
    LANESCOPE_CHECK(good(api_.moduleGetFunction(&function, module_, kClockEntry)));
    LANESCOPE_CHECK(good(api_.streamCreate(&stream_, cuda::kStreamNonBlocking)));
    cuda::DevicePointer address = 0;
    LANESCOPE_CHECK(good(api_.memHostGetDevicePointer(&address, page_, 0)));
    uint32_t calls = kClockCalls;
    void *parameters[] = {&address, &calls};
    cuda::LaunchConfig config{1, 1, 1, 1, 1, 1, 0, stream_, nullptr, 0};
    LANESCOPE_CHECK(good(api_.launchKernelEx(&config, function, parameters, nullptr)));
    launched_ = true;
    auto now = [] {
      return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now().time_since_epoch()).count();
    };
    int64_t shortest = std::numeric_limits<int64_t>::max(), offset = 0;
    for (uint32_t call = 1; call <= kClockCalls; ++call) {
      Clock::time_point end = Clock::now() + kPatience;
      int64_t before = now();
      word(0) = call;
      uint64_t answer = 0;
      while ((answer = word(call)) == 0)
        if (Clock::now() > end)
          return failed("it does not answer");
      int64_t after = now();
      if (after - before >= shortest)
        continue;
      shortest = after - before;
      offset = static_cast<int64_t>(answer - static_cast<uint64_t>(before + shortest / 2));
    }
    return offset;
  }

private:
  std::atomic_ref<uint64_t> word(uint32_t at) const {
    return std::atomic_ref<uint64_t>(static_cast<uint64_t *>(page_)[at]);
  }
  std::unexpected<Diagnostics> failed(const std::string &why) const {
    return error(
        "profile-clocks",
        Message("the clock of GPU {} cannot be read ({}): in the trace each device's times are of its own clock",
                device_.ordinal, why));
  }
  Result<void> good(cuda::Status status) const {
    return status ? Result<void>(failed(api_.describe(status))) : Result<void>();
  }

  const cuda::Api &api_;
  const GpuDevice &device_;
  void *page_ = nullptr;
  cuda::Module module_ = nullptr;
  cuda::Stream stream_ = nullptr;
  bool launched_ = false;
};

} // namespace

Result<std::vector<int64_t>> clockOffsets(const cuda::Api &api, std::span<const GpuDevice *const> devices) {
  std::map<int, int64_t> known; // keyed by GPU
  std::vector<int64_t> offsets;
  for (const GpuDevice *device : devices) {
    auto found = known.find(device->ordinal);
    if (found == known.end())
      found = known.emplace(device->ordinal, LANESCOPE_TRY(ClockKernel(api, *device).offset())).first;
    offsets.push_back(found->second);
  }
  for (int64_t first = offsets[0]; int64_t &offset : offsets)
    offset -= first;
  return offsets;
}

} // namespace lanescope::core
