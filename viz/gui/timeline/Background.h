// One piece of work at a time on a thread of its own, the latest one asked for: what a trace of millions of slices says
// is not for the window's thread.
//
//   Background<core::TraceAnalysis> analysis;
//   analysis.ask([trace] { return core::analyse(*trace); });
//   if (auto done = analysis.take()) …              // each frame
#pragma once

#include <chrono>
#include <functional>
#include <future>
#include <optional>

namespace lanescope::viz {

template <typename T> class Background {
public:
  /// A newer request replaces one that has not begun; one that runs is finished, and its answer dropped.
  void ask(std::function<T()> work) {
    next_ = std::move(work);
    if (!running_.valid())
      begin();
  }
  /// The answer to the last request, once.
  std::optional<T> take() {
    if (!running_.valid() || running_.wait_for(std::chrono::seconds(0)) != std::future_status::ready)
      return std::nullopt;
    std::optional<T> done = running_.get();
    if (!next_)
      return done;
    begin();
    return std::nullopt;
  }
  bool busy() const { return running_.valid(); }

private:
  void begin() { running_ = std::async(std::launch::async, std::exchange(next_, nullptr)); }

  std::function<T()> next_;
  std::future<T> running_;
};

} // namespace lanescope::viz
