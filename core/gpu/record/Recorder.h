// Records launches in a program: chooses them, and reads memory before and after each.
//
//   Recorder &recorder = Recorder::get();
//   return recorder.launch(wanted, [&] { return cuLaunchKernel(…); });
//
// A recorded launch runs alone: all work on the device ends before it, and no other launch begins before it has ended.
#pragma once

#include "core/gpu/record/Images.h"
#include "core/gpu/record/RecordedPackage.h"
#include "core/gpu/record/RecordSettings.h"

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <regex.h>
#include <set>
#include <shared_mutex>
#include <string>

namespace lanescope::core::record {

/// A launch as the program requests it.
struct LaunchCall {
  Function *function = nullptr;
  LaunchConfig config{};
  void **parameters = nullptr, **extra = nullptr;
  bool cooperative = false, perThread = false;
};

class Recorder {
public:
  /// The process's recorder. It is never destroyed, because a program's last calls may come from destructors.
  static Recorder &get();
  /// False if the environment has no settings of `lanescope record`. All calls then only call the driver.
  bool active() const { return active_; }

  Status launch(const LaunchCall &call, const std::function<Status()> &run);
  /// Counts kernels launched by a graph; they are not recorded.
  void graphLaunched();
  void captureBegins() { ++captures_; }
  void captureEnds() { --captures_; }
  void mapEncoded(const void *map, KnownMap known);
  /// Notes that the descriptor was copied from `former` and given another address.
  void mapReplaced(const void *former, const void *map, uint64_t address);
  /// Reports at the end of the process how often kernels were launched.
  void finish();
  void afterFork();

  Images images;

private:
  Recorder();
  bool chosen(const KernelImage &kernel, const std::string &kind);
  bool mayRead(const LaunchCall &call) const;
  Status record(const LaunchCall &call, KernelImage kernel, uint64_t number, const std::function<Status()> &run);
  std::string prepare(const LaunchCall &call, const KnownMaps &maps, RecordedLaunch &launch, Snapshot &snapshot);
  Outcome wait(const LaunchCall &call, double since) const;
  std::filesystem::path nameFor(const std::string &kernel);
  void write(const std::string &line) const;

  RecordSettings settings_;
  bool active_ = false;
  regex_t expression_{};
  std::shared_mutex device_;                          // shared by ordinary launches, exclusive for a recorded launch
  std::mutex lock_;                                   // guards the members below
  std::map<std::string, uint64_t> counts_;            // launches by name, grid, block, shared memory
  std::set<std::pair<std::string, size_t>> recorded_; // launches that were recorded, with the hash of their PTX
  std::set<std::string> told_;
  KnownMaps maps_;
  uint64_t launches_ = 0, matching_ = 0, packages_ = 0, graphs_ = 0;
  std::atomic<int> captures_{0};
  bool failed_ = false; // writing failed, for example because the disk is full; nothing more is written
};

/// The calling thread's stack: functions of shared objects, innermost first.
std::vector<std::string> callStack();
/// The functions of the thread's Python code, if it runs Python.
std::vector<std::string> pythonStack();

} // namespace lanescope::core::record
