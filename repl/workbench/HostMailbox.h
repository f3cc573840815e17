// Messages between the session's thread and the window's thread: events for the window, parameters for the next run,
// and the session's present work. Every function may be called on any thread.
#pragma once

#include "viz/host/Host.h"

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace lanescope::repl {

class HostMailbox {
public:
  using Parameters = std::map<std::string, std::optional<std::string>>;

  /// Adds an event and wakes the window.
  void push(viz::HostEvent event);
  std::vector<viz::HostEvent> take();
  bool hasEvents() const;
  void onUpdate(std::function<void()> wake);

  void setParameter(const std::string &name, std::optional<std::string> value);
  /// The parameters that were set since the last call.
  Parameters takeParameters();

  /// The work of the session's thread, in words; empty: it waits.
  void setActivity(std::string activity);
  std::string activity() const;

private:
  mutable std::mutex mutex_;
  std::vector<viz::HostEvent> events_;
  std::function<void()> wake_;
  Parameters parameters_;
  std::string activity_;
};

} // namespace lanescope::repl
