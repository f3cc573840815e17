#include "core/gpu/runtime/GpuRun.h"

#include "core/gpu/kernel/DeviceBytes.h"
#include "core/gpu/kernel/LaunchCheck.h"
#include "core/gpu/runtime/DeviceRun.h"
#include "core/gpu/runtime/GpuClocks.h"
#include "core/gpu/runtime/GpuTiming.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <thread>

namespace lanescope::core {

namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kShortestPoll = std::chrono::microseconds(20), kLongestPoll = std::chrono::microseconds(1000);

std::string secondsText(double seconds) {
  auto tenths = std::llround(seconds * 10);
  return tenths % 10 ? text(tenths / 10, ".", tenths % 10) : text(tenths / 10);
}

class GpuRun {
public:
  GpuRun(const cuda::Api &api, LoadedModules &modules, std::span<const GpuDevice> devices, const RunRequest &request,
         const StageReport &progress)
      : api_(api), request_(request), progress_(progress) {
    for (const GpuDevice &device : devices)
      parts_.push_back(
          std::make_unique<DeviceRun>(api, modules, device, request, static_cast<uint32_t>(parts_.size())));
  }

  Result<RunReply> run() {
    reply_.device = devicesText();
    progress_("loading the PTX");
    LANESCOPE_CHECK(onAll(&DeviceRun::load));
    LANESCOPE_CHECK(checkShared());
    progress_("copying the inputs to the GPU");
    LANESCOPE_CHECK(onAll(&DeviceRun::allocate));
    for (const std::unique_ptr<DeviceRun> &part : parts_)
      LANESCOPE_CHECK(part->makeParameters(parts_));
    if (request_.alignClocks && parts_.size() > 1)
      compareClocks();
    LANESCOPE_CHECK(launchAndTime());
    progress_("copying the outputs from the GPU");
    reply_.contents.resize(request_.wanted.size());
    for (const std::unique_ptr<DeviceRun> &part : parts_)
      LANESCOPE_CHECK(part->readBack(reply_.contents, reply_.diagnostics));
    return std::move(reply_);
  }

private:
  std::string kernel() const { return text("kernel `", request_.kernel, "`"); }

  /// The devices in words: "NVIDIA H200", "2 x NVIDIA H200", "2 devices on one NVIDIA H200".
  std::string devicesText() const {
    const std::string &first = parts_[0]->device().info.name;
    if (parts_.size() == 1)
      return first;
    bool one = std::ranges::all_of(
        parts_, [&](const auto &part) { return part->device().ordinal == parts_[0]->device().ordinal; });
    return one ? text(parts_.size(), " devices on one ", first) : text(parts_.size(), " x ", first);
  }

  Result<void> onAll(Result<void> (DeviceRun::*step)()) {
    for (const std::unique_ptr<DeviceRun> &part : parts_)
      LANESCOPE_CHECK((*part.*step)());
    return {};
  }

  /// Devices of a launch may wait for each other, so the grids of all devices on one GPU must fit on it at once.
  Result<void> checkShared() const {
    std::map<int, std::vector<const DeviceRun *>> byGpu;
    for (const std::unique_ptr<DeviceRun> &part : parts_)
      byGpu[part->device().ordinal].push_back(part.get());
    const Launch &launch = request_.launch;
    uint64_t blocks = uint64_t{launch.grid[0]} * launch.grid[1] * launch.grid[2];
    for (const auto &[ordinal, parts] : byGpu) {
      if (parts.size() == 1)
        continue;
      uint64_t fit = LANESCOPE_TRY(parts[0]->kernel().residentBlocks());
      if (blocks * parts.size() > fit)
        return error("launch", Message("{count} grids of {blocks} blocks of {} do not fit side by side on GPU {}, "
                                       "which runs {} of these blocks at once: one would wait for another that cannot "
                                       "begin; take a smaller grid, or a GPU for each device",
                                       parts.size(), blocks, kernel(), ordinal, fit));
    }
    return {};
  }

  void compareClocks() {
    std::vector<const GpuDevice *> devices;
    for (const std::unique_ptr<DeviceRun> &part : parts_)
      devices.push_back(&part->device());
    if (Result<std::vector<int64_t>> offsets = clockOffsets(api_, devices)) {
      reply_.clockOffsetsNs = std::move(*offsets);
      return;
    } else {
      for (Diagnostic &problem : offsets.error()) {
        problem.severity = Severity::Warning;
        reply_.diagnostics.push_back(std::move(problem));
      }
    }
  }

  Result<void> launchAndTime() {
    LANESCOPE_CHECK(onAll(&DeviceRun::fill));
    progress_("running the kernel");
    reply_.timeUs = LANESCOPE_TRY(launchOnce());
    if (request_.repeat == 1)
      return {};
    progress_("timing the kernel");
    DeviceRun &first = *parts_[0];
    reply_.timeUs = LANESCOPE_TRY(parts_.size() == 1 && writesOutputsAlone()
                                      ? timeLaunches(api_, first.stream(),
                                                     {.launch = [&] { return first.queueLaunch(); },
                                                      .await = [&] { return await(); },
                                                      .firstUs = reply_.timeUs,
                                                      .samples = request_.repeat})
                                      : timeFromTheSameContents());
    return {};
  }

  /// True if a second launch would have the same inputs as the first, because the kernel writes no buffer that it
  /// reads. False if there is scratch: a buffer that is neither wanted nor given.
  bool writesOutputsAlone() const {
    std::vector<const BufferSpec *> buffers = request_.launch.buffers();
    for (size_t i = 0; i < buffers.size(); ++i) {
      bool wanted = std::ranges::find(request_.wanted, i) != request_.wanted.end();
      bool given = !request_.contents[i].empty();
      if (deviceBytes(buffers[i]->dtype, buffers[i]->shape) > 0 && wanted == given)
        return false;
    }
    return true;
  }

  /// Times launches one by one, and restores all contents before each; the time includes the gap between a launch and
  /// its events. Several devices need this. Otherwise a device that has gone on to the next launch would exchange data
  /// with one that is still in this launch.
  Result<double> timeFromTheSameContents() {
    std::vector<double> times;
    for (uint32_t i = 0; i < request_.repeat; ++i) {
      LANESCOPE_CHECK(onAll(&DeviceRun::fill));
      times.push_back(LANESCOPE_TRY(launchOnce()));
    }
    std::ranges::sort(times);
    return times[times.size() / 2];
  }

  /// The duration in microseconds. With several devices, it is the duration on the slowest one.
  Result<double> launchOnce() {
    for (const std::unique_ptr<DeviceRun> &part : parts_)
      if (Result<void> launched = part->launch(); !launched)
        return lostIf(part != parts_[0] || isKernelFault(launched.error()), std::move(launched.error()));
    LANESCOPE_CHECK(await());
    double slowest = 0;
    for (const std::unique_ptr<DeviceRun> &part : parts_)
      slowest = std::max(slowest, LANESCOPE_TRY(part->microseconds()));
    return slowest;
  }

  /// Returns the error. If the contexts are `lost`, they are not used again, because the kernels still run and freeing
  /// their memory would wait for them.
  std::unexpected<Diagnostics> lostIf(bool lost, Diagnostics problems) {
    for (const std::unique_ptr<DeviceRun> &part : parts_)
      if (lost)
        part->abandon();
    if (lost && !isKernelFault(problems))
      problems.front().kind = kKernelFault; // an error of this kind ends the process, and the kernels with it
    return std::unexpected(std::move(problems));
  }

  Result<void> await() {
    Clock::time_point deadline =
        Clock::now() + std::chrono::microseconds(static_cast<int64_t>(request_.timeoutSeconds * 1e6));
    auto pause = std::chrono::duration_cast<Clock::duration>(kShortestPoll);
    for (;;) {
      std::vector<std::string> running;
      for (const std::unique_ptr<DeviceRun> &part : parts_) {
        Result<bool> ended = part->poll();
        if (!ended)
          return lostIf(true, std::move(ended.error()));
        if (!*ended)
          running.push_back(part->name());
      }
      if (running.empty())
        break;
      if (Clock::now() > deadline)
        return lostIf(true, timedOut(running));
      std::this_thread::sleep_for(pause);
      pause = std::min<Clock::duration>(pause * 2, kLongestPoll);
    }
    for (const std::unique_ptr<DeviceRun> &part : parts_)
      if (Result<void> ended = part->finish(); !ended)
        return lostIf(true, std::move(ended.error()));
    return {};
  }

  Diagnostics timedOut(const std::vector<std::string> &running) const {
    const char *hint = parts_.size() == 1 ? "it may wait for a barrier at which no thread arrives, or loop for ever; "
                                          : "one may wait for a signal that another does not give, or loop for ever; ";
    return {{Severity::Error,
             kKernelTimeout,
             {},
             text(kernel(), " did not finish in ", secondsText(request_.timeoutSeconds), " s on ",
                  joined(running, " and "), "; it was ended"),
             {{{}, text(hint, "`--device emulator` shows where each warp stands")}}}};
  }

  const cuda::Api &api_;
  const RunRequest &request_;
  const StageReport &progress_;
  RunReply reply_;
  std::vector<std::unique_ptr<DeviceRun>> parts_; // one per device
};

} // namespace

Result<void> checkRequest(const RunRequest &request) {
  const Launch &launch = request.launch;
  LANESCOPE_CHECK(checkLaunch(launch));
  if (!launch.addresses.empty())
    return error("launch", "the PTX names a buffer by its address, which a GPU cannot give it again: run it on the "
                           "emulator, or compile the kernel so that it takes the buffer as a parameter");
  if (!launch.variables.empty() || launch.cooperative)
    return error("launch", "only the emulator fills module variables and launches cooperatively");
  std::vector<const BufferSpec *> buffers = launch.buffers();
  if (request.contents.size() != buffers.size())
    return error("launch",
                 Message("a run of {buffers} buffers comes with {count}", buffers.size(), request.contents.size()));
  for (size_t i = 0; i < buffers.size(); ++i) {
    uint64_t bytes = deviceBytes(buffers[i]->dtype, buffers[i]->shape);
    if (!request.contents[i].empty() && request.contents[i].size() != bytes)
      return error("launch", Message("the contents of {} have the wrong size", bufferText(*buffers[i], i)));
    if (deviceBytes(buffers[i]->dtype, launch.shapeOnDevice(*buffers[i])) * launch.deviceCount() != bytes)
      return error("launch",
                   Message("the parts of {} that the devices have end within a byte", bufferText(*buffers[i], i)));
  }
  for (uint32_t index : request.wanted)
    if (index >= buffers.size())
      return error("launch", Message("buffer {} is wanted of {count}", index, buffers.size()));
  return {};
}

Result<RunReply> runOn(const cuda::Api &api, LoadedModules &modules, std::span<const GpuDevice> devices,
                       const RunRequest &request, const StageReport &progress) {
  return GpuRun(api, modules, devices, request, progress).run();
}

} // namespace lanescope::core
