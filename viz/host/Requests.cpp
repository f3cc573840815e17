#include "viz/host/Requests.h"

#include <algorithm>

namespace lanescope::viz {

#ifdef __wasi__

Requests::Requests() = default;
Requests::~Requests() = default;

void Requests::post(std::string, Job job) {
  if (Delivery delivery = job())
    ready_.push_back(std::move(delivery));
  if (wake_)
    wake_();
}

bool Requests::deliver() {
  std::vector<Delivery> ready;
  ready.swap(ready_);
  for (Delivery &delivery : ready)
    delivery();
  return !ready.empty();
}

bool Requests::busy() const { return !ready_.empty(); }

void Requests::onUpdate(std::function<void()> wake) { wake_ = std::move(wake); }

#else

Requests::Requests() : thread_([this] { run(); }) {}

Requests::~Requests() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
    queue_.clear();
  }
  changed_.notify_all();
  thread_.join();
}

void Requests::post(std::string tag, Job job) {
  {
    std::lock_guard lock(mutex_);
    auto same = std::find_if(queue_.begin(), queue_.end(), [&](const Queued &queued) { return queued.tag == tag; });
    if (same != queue_.end())
      same->job = std::move(job);
    else
      queue_.push_back({std::move(tag), std::move(job)});
  }
  changed_.notify_all();
}

bool Requests::deliver() {
  std::vector<Delivery> ready;
  {
    std::lock_guard lock(mutex_);
    ready.swap(ready_);
  }
  for (Delivery &delivery : ready)
    delivery();
  return !ready.empty();
}

bool Requests::busy() const {
  std::lock_guard lock(mutex_);
  return running_ || !queue_.empty() || !ready_.empty();
}

void Requests::onUpdate(std::function<void()> wake) {
  std::lock_guard lock(mutex_);
  wake_ = std::move(wake);
}

void Requests::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return stop_ || !queue_.empty(); });
    if (stop_)
      return;
    Job job = std::move(queue_.front().job);
    queue_.pop_front();
    running_ = true;
    lock.unlock();
    Delivery delivery = job();
    job = nullptr; // the job's captures may be large, and must not be freed under the lock
    lock.lock();
    running_ = false;
    if (delivery)
      ready_.push_back(std::move(delivery));
    if (wake_)
      wake_();
  }
}

#endif

} // namespace lanescope::viz
