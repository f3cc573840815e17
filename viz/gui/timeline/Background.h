// Runs one job at a time on a separate thread, and returns the answer to the latest request. It exists because the
// window's thread would be too slow for the analysis of a trace with millions of slices.
//
//   Background<core::TraceAnalysis> analysis;
//   analysis.ask([trace] { return core::analyse(*trace); });
//   if (auto done = analysis.take()) …              // each frame
//
// In a browser's module, which has no threads, take() does the work.
#pragma once

#include <chrono>
#include <functional>
#ifndef __wasi__
#include <future>
#endif
#include <optional>
#include <utility>

namespace lanescope::viz {

#ifdef __wasi__
template <typename T> class Background {
public:
  void ask(std::function<T()> work) { next_ = std::move(work); }
  std::optional<T> take() { return next_ ? std::optional<T>(std::exchange(next_, nullptr)()) : std::nullopt; }
  void drop() { next_ = nullptr; }
  bool busy() const { return next_ != nullptr; }

private:
  std::function<T()> next_;
};
#else
template <typename T> class Background {
public:
  /// Requests `work`. The request replaces one that has not begun. A running job finishes, but its answer is dropped.
  void ask(std::function<T()> work) {
    next_ = std::move(work);
    if (!running_.valid())
      begin();
  }
  /// The answer to the last request, if it is ready. Each answer is returned once.
  std::optional<T> take() {
    if (!running_.valid() || running_.wait_for(std::chrono::seconds(0)) != std::future_status::ready)
      return std::nullopt;
    std::optional<T> done = running_.get();
    if (next_)
      begin();
    else if (!std::exchange(dropped_, false))
      return done;
    return std::nullopt;
  }
  /// Drops the request, so that take() does not return its answer.
  void drop() {
    next_ = nullptr;
    dropped_ = running_.valid();
  }
  bool busy() const { return running_.valid(); }

private:
  void begin() {
    dropped_ = false;
    running_ = std::async(std::launch::async, std::exchange(next_, nullptr));
  }

  std::function<T()> next_;
  std::future<T> running_;
  bool dropped_ = false; // take() ignores the running job's answer
};
#endif

} // namespace lanescope::viz
