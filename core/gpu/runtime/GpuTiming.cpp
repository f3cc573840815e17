#include "core/gpu/runtime/GpuTiming.h"

#include "layouts/support/Try.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace lanescope::core {

namespace {

constexpr double kSampleUs = 1000;
constexpr uint32_t kMostLaunches = 64;

/// The driver's resources for a timing, released by the destructor.
class Timing {
public:
  Timing(const cuda::Api &api, cuda::Stream stream) : api_(api), stream_(stream) {}
  ~Timing() {
    for (cuda::Event event : {start_, stop_})
      if (event)
        api_.eventDestroy(event);
    if (runnable_)
      api_.graphExecDestroy(runnable_);
    if (graph_)
      api_.graphDestroy(graph_);
  }

  Result<double> run(const TimedLaunches &launches) {
    double fit = std::round(kSampleUs / std::max(launches.firstUs, 1.0));
    count_ = static_cast<uint32_t>(std::clamp(fit, 1.0, double{kMostLaunches}));
    for (cuda::Event *event : {&start_, &stop_})
      LANESCOPE_CHECK(good(api_.eventCreate(event, 0), "create an event"));
    if (api_.graphLaunch)
      LANESCOPE_CHECK(capture(launches));
    std::vector<double> times;
    for (uint32_t sample = 0; sample <= launches.samples; ++sample) {
      double time = LANESCOPE_TRY(once(launches));
      if (sample > 0) // sample 0 warms up
        times.push_back(time);
    }
    std::ranges::sort(times);
    return times[times.size() / 2];
  }

private:
  Result<void> good(cuda::Status status, const char *action) const {
    if (status)
      return error("gpu", Message("cannot {}: {}", action, api_.describe(status)));
    return {};
  }

  Result<void> capture(const TimedLaunches &launches) {
    LANESCOPE_CHECK(good(api_.streamBeginCapture(stream_, cuda::kCaptureThreadLocal), "begin a graph"));
    Result<void> queued;
    for (uint32_t i = 0; i < count_ && queued; ++i)
      queued = launches.launch();
    cuda::Status ended =
        // The capture must end even after a failure, so that the stream stays usable.
        api_.streamEndCapture(stream_, &graph_);
    LANESCOPE_CHECK(std::move(queued));
    LANESCOPE_CHECK(good(ended, "make a graph of launches"));
    return good(api_.graphInstantiate(&runnable_, graph_, 0), "prepare a graph of launches");
  }

  /// Microseconds per launch in one sample.
  Result<double> once(const TimedLaunches &launches) {
    LANESCOPE_CHECK(good(api_.eventRecord(start_, stream_), "record an event"));
    if (runnable_) {
      LANESCOPE_CHECK(good(api_.graphLaunch(runnable_, stream_), "launch a graph"));
    } else {
      for (uint32_t i = 0; i < count_; ++i)
        LANESCOPE_CHECK(launches.launch());
    }
    LANESCOPE_CHECK(good(api_.eventRecord(stop_, stream_), "record an event"));
    LANESCOPE_CHECK(launches.await());
    float milliseconds = 0;
    LANESCOPE_CHECK(good(api_.eventElapsedTime(&milliseconds, start_, stop_), "read the time"));
    return double{milliseconds} * 1000 / count_;
  }

  const cuda::Api &api_;
  cuda::Stream stream_;
  uint32_t count_ = 1; // launches per sample
  cuda::Event start_ = nullptr, stop_ = nullptr;
  cuda::Graph graph_ = nullptr;
  cuda::GraphExec runnable_ = nullptr;
};

} // namespace

Result<double> timeLaunches(const cuda::Api &api, cuda::Stream stream, const TimedLaunches &launches) {
  return Timing(api, stream).run(launches);
}

} // namespace lanescope::core
