// Ends the worker when its session is gone, whatever the worker is doing: in the driver, in an endless kernel, stopped.
//
//   SessionWatch watch;
//   watch.begin();   // once the session's greeting says that the end of its input means its own end
//
// A process of its own watches standard input. When no writer is left, it gives the worker a moment to end by itself,
// and then kills it. It ends with the worker.
#pragma once

namespace lanescope::core {

class SessionWatch {
public:
  ~SessionWatch();
  SessionWatch() = default;
  SessionWatch(const SessionWatch &) = delete;
  SessionWatch &operator=(const SessionWatch &) = delete;

  /// Starts the watching process. If the system allows no further process, the worker still ends when its input ends.
  void begin();

private:
  int alive_ = -1; // the watching process sees it close
};

} // namespace lanescope::core
