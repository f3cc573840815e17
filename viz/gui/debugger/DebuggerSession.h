// An open run: the debugger, the user's stops, and the pages made from it. The jobs of DebuggerModel use it on the
// model's thread, one after another.
#pragma once

#include "core/gpu/emulator/debug/Debugger.h"
#include "viz/gui/debugger/DebuggerModel.h"

#include <mutex>

namespace lanescope::viz {

struct DebuggerModel::Session {
  explicit Session(std::shared_ptr<const DebugTarget> theTarget) : target(std::move(theTarget)) {}

  /// The debugger. The first call opens it. Null if the run cannot be opened.
  core::Debugger *open(Diagnostics &problems);
  core::Debugger &debugger() { return *debugger_; } // valid after open()
  /// The data that the view shows at the current moment.
  std::shared_ptr<const DebugPage> page(DebugPanel panel, const std::string &value);

  /// Runs a command of the panel of stops.
  void obey(const std::string &words);
  void say(std::string words, bool isError);

  /// Interrupts the running job. Any thread may call this. With `forGood`, waiting jobs do nothing when they start.
  void interrupt(bool forGood);
  /// Marks the beginning or the end of a job's run. Returns false if the session is closed, so that the job must not
  /// run.
  bool setRunning(bool runs);

  std::shared_ptr<const DebugTarget> target;

private:
  std::shared_ptr<const DebugMemories> memories();

  std::unique_ptr<DebugStops> stops_; // must outlive the debugger, whose breakpoints refer to it
  std::unique_ptr<core::Debugger> debugger_;
  std::shared_ptr<const DebugMemories> memories_;
  std::string said_;
  bool refused_ = false;
  uint64_t last_ = 0;
  bool lastIsEnd_ = false;

  std::mutex mutex_; // guards the members below
  bool running_ = false, closed_ = false;
};

} // namespace lanescope::viz
