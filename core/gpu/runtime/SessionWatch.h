// Ends the worker when its session has ended, even if the worker is in the driver, waits for an endless kernel, or is
// stopped.
//
//   SessionWatch watch;
//   watch.begin();   // after the session's greeting has said that it ends with the worker's input
//
// A separate process watches standard input. When no writer is left, it gives the worker a moment to end, and then
// kills it. It ends together with the worker.
#pragma once

namespace lanescope::core {

class SessionWatch {
public:
  ~SessionWatch();
  SessionWatch() = default;
  SessionWatch(const SessionWatch &) = delete;
  SessionWatch &operator=(const SessionWatch &) = delete;

  /// Starts the watching process. If that fails, the worker still ends when its input ends.
  void begin();

private:
  int alive_ = -1; // the watching process sees it close when the worker ends
};

} // namespace lanescope::core
