#include "repl/workbench/HostMailbox.h"

#include <utility>

namespace lanescope::repl {

void HostMailbox::push(viz::HostEvent event) {
  std::function<void()> wake;
  {
    std::lock_guard lock(mutex_);
    events_.push_back(std::move(event));
    wake = wake_;
  }
  if (wake)
    wake();
}

std::vector<viz::HostEvent> HostMailbox::take() {
  std::lock_guard lock(mutex_);
  return std::exchange(events_, {});
}

bool HostMailbox::hasEvents() const {
  std::lock_guard lock(mutex_);
  return !events_.empty();
}

void HostMailbox::onUpdate(std::function<void()> wake) {
  std::lock_guard lock(mutex_);
  wake_ = std::move(wake);
}

void HostMailbox::setParameter(const std::string &name, std::optional<std::string> value) {
  std::lock_guard lock(mutex_);
  parameters_[name] = std::move(value);
}

HostMailbox::Parameters HostMailbox::takeParameters() {
  std::lock_guard lock(mutex_);
  return std::exchange(parameters_, {});
}

void HostMailbox::setActivity(std::string activity) {
  std::lock_guard lock(mutex_);
  activity_ = std::move(activity);
}

std::string HostMailbox::activity() const {
  std::lock_guard lock(mutex_);
  return activity_;
}

} // namespace lanescope::repl
