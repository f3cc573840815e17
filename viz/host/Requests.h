// Runs work off the UI thread: jobs run one after another on a thread of their own, and their results are delivered on
// the UI thread.
//
//   requests.post("layout", [text] { auto scene = draw(text); return [scene] { model.show(scene); }; });
//   requests.deliver();          // every frame: runs the second halves that are ready
//
// A job posted with the tag of one that still waits replaces it, so typing never builds up a queue.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace lanescope::viz {

class Requests {
public:
  using Delivery = std::function<void()>; // runs on the thread that calls deliver()
  using Job = std::function<Delivery()>;  // runs on the worker thread

  Requests();
  /// Waits for the running job; drops the queued ones.
  ~Requests();
  Requests(const Requests &) = delete;
  Requests &operator=(const Requests &) = delete;

  void post(std::string tag, Job job);
  /// Runs the deliveries that are ready; true if there were any.
  bool deliver();
  /// True if a job is queued, running or undelivered.
  bool busy() const;
  /// Sets a function that the worker thread calls after each job.
  void onNews(std::function<void()> wake);

private:
  struct Queued {
    std::string tag;
    Job job;
  };
  void run();

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Queued> queue_;
  std::vector<Delivery> ready_;
  std::function<void()> wake_;
  bool running_ = false, stop_ = false;
  std::thread thread_; // last: starts when the rest exists
};

} // namespace lanescope::viz
