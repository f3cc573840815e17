// Runs work off the UI thread. Jobs run one after another on a separate thread, and their results are delivered on the
// UI thread.
//
//   requests.post("layout", [text] { auto scene = draw(text); return [scene] { model.show(scene); }; });
//   requests.deliver();          // every frame: runs the second halves that are ready
//
// A job replaces a waiting job with the same tag, so typing never builds up a queue. In a browser's module, which has
// no threads, post() runs the job before it returns.
#pragma once

#include <functional>
#include <string>
#include <vector>

#ifndef __wasi__
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#endif

namespace lanescope::viz {

class Requests {
public:
  using Delivery = std::function<void()>; // runs on the thread that calls deliver()
  using Job = std::function<Delivery()>;  // runs on the worker thread

  Requests();
  /// Waits for the running job, and drops the queued ones.
  ~Requests();
  Requests(const Requests &) = delete;
  Requests &operator=(const Requests &) = delete;

  void post(std::string tag, Job job);
  /// Runs the deliveries that are ready. Returns true if there were any.
  bool deliver();
  /// True if a job is queued or running, or its result is not delivered yet.
  bool busy() const;
  /// Sets a function that the worker thread calls after each job.
  void onUpdate(std::function<void()> wake);

private:
  std::vector<Delivery> ready_;
  std::function<void()> wake_;
#ifndef __wasi__
  struct Queued {
    std::string tag;
    Job job;
  };
  void run();

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Queued> queue_;
  bool running_ = false, stop_ = false;
  std::thread thread_; // the last member, because the thread starts when all others exist
#endif
};

} // namespace lanescope::viz
