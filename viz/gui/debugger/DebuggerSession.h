// A run that is open: the debugger, what people write to stop it, and the pages that are taken of it. Used by the jobs
// of DebuggerModel, one after another, on its thread.
#pragma once

#include "core/gpu/emulator/debug/Debugger.h"
#include "viz/gui/debugger/DebuggerModel.h"

#include <mutex>

namespace lanescope::viz {

struct DebuggerModel::Session {
  explicit Session(std::shared_ptr<const DebugTarget> theTarget) : target(std::move(theTarget)) {}

  /// The debugger, made when it is first asked for; null: the run cannot be opened.
  core::Debugger *open(Diagnostics &problems);
  core::Debugger &debugger() { return *debugger_; } // once it is open
  /// What the view shows of where it stands.
  std::shared_ptr<const DebugPage> page(DebugPanel panel, const std::string &value);

  /// Words of the panel of stops.
  void obey(const std::string &words);
  void say(std::string words, bool isError);

  /// Ends what a job runs, from any thread; `forGood`: the jobs that wait do nothing.
  void interrupt(bool forGood);
  /// A job begins to run, or has ended. False: it is closed, and nothing is to be run.
  bool setRunning(bool runs);

  std::shared_ptr<const DebugTarget> target;

private:
  std::shared_ptr<const DebugMemories> memories();

  std::unique_ptr<DebugStops> stops_; // the debugger's breakpoints refer to it
  std::unique_ptr<core::Debugger> debugger_;
  std::shared_ptr<const DebugMemories> memories_;
  std::string said_;
  bool refused_ = false;
  uint64_t last_ = 0;
  bool lastIsEnd_ = false;

  std::mutex mutex_; // guards the following
  bool running_ = false, closed_ = false;
};

} // namespace lanescope::viz
