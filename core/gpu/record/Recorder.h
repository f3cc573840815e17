// Records launches in a program: chooses them, and reads memory before and after each.
//
//   Recorder &recorder = Recorder::get();
//   return recorder.launch(wanted, [&] { return cuLaunchKernel(…); });
//
// A recorded launch runs alone: all work on the device ends before it, and no other launch begins before it has ended.
#pragma once

#include "core/gpu/record/Graphs.h"
#include "core/gpu/record/Images.h"
#include "core/gpu/record/RecordedPackage.h"
#include "core/gpu/record/RecordSettings.h"

#include <atomic>
#include <functional>
#include <map>
#include <memory>
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
  /// Counts a launch for which nothing else is to be done, because an earlier one of the same kernel, grid and block
  /// has decided that. Returns false for other launches. Has to be fast, because most launches of a program are such.
  bool onlyCounts(const LaunchCall &call);
  /// To be held while a launch that is not recorded runs.
  std::shared_lock<std::shared_mutex> together() { return std::shared_lock(device_); }
  /// Launches a graph. If one of its kernels is to be recorded, its nodes run one after another instead.
  Status launchGraph(GraphExec *exec, Stream *stream, bool perThread, const std::function<Status()> &run);
  void captureBegins() { ++captures_; }
  /// The capture may have begun with a function that the recorder does not know.
  void captureEnds() {
    int open = captures_;
    while (open > 0 && !captures_.compare_exchange_weak(open, open - 1))
      ;
  }
  void mapEncoded(const void *map, KnownMap known);
  /// Notes that the descriptor was copied from `former` and given another address.
  void mapReplaced(const void *former, const void *map, uint64_t address);
  /// Reports at the end of the process how often kernels were launched.
  void finish();
  /// Begins to count anew in a child process.
  void afterFork();
  /// Notes that the program got modules or libraries. Their handles, and those of their kernels, may have belonged to a
  /// context that was destroyed.
  void loaded() { ++generation_; }
  /// Forgets a module and its kernels, whose handles the driver may give to others.
  void unloaded(Module *module) {
    images.unloaded(module);
    ++generation_;
  }

  /// Changes settings from now on, for all threads, until end(). `changes` has the form of RecordSettings' text.
  /// Returns the reason why they cannot be changed; empty: they are.
  std::string begin(std::string_view changes);
  void end();

  Images images;
  Graphs graphs;

private:
  Recorder();
  bool chosen(const KernelImage &kernel, const std::string &kind);
  bool isCapturing(const LaunchCall &call) const;
  bool mayRead(const LaunchCall &call) const;
  /// Counts the launch, and gives it its number. True if it is to be recorded.
  bool wants(const LaunchCall &call, const KernelImage &kernel, uint64_t &number);
  /// True if no later launch of this kind is to be recorded with these settings.
  bool isDecided(const KernelImage &kernel, const std::string &kind) const;
  /// Counts the launch of a graph in which nothing is to be recorded any more. Returns false for other graphs.
  bool onlyCounts(GraphCopy &graph);
  void settle(GraphCopy &graph, std::vector<std::string> kinds);
  /// The launch of a graph's kernel, and the kernel.
  std::pair<LaunchCall, KernelImage> nodeOf(const GraphCopy::Step &step, Stream *stream, bool perThread);
  struct Chosen {
    KernelImage kernel;
    uint64_t number = 0;
    std::string graph; // see RecordedLaunch
  };
  /// A launch that is being recorded.
  struct Recording {
    explicit Recording(uint64_t maxBytes) : snapshot(maxBytes) {}
    RecordedLaunch launch;
    Snapshot snapshot;
    PackagePlan plan;
    std::filesystem::path folder;
  };
  Status record(const LaunchCall &call, Chosen chosen, const std::function<Status()> &run);
  /// Writes the package of a launch that has not run yet. Returns null if that is not possible.
  std::unique_ptr<Recording> before(const LaunchCall &call, Chosen chosen);
  bool save(const Recording &recording, const Outcome *outcome);
  std::string prepare(const LaunchCall &call, const KnownMaps &maps, RecordedLaunch &launch, Snapshot &snapshot);
  Outcome wait(const LaunchCall &call, double since) const;
  std::filesystem::path nameFor(const std::string &kernel);
  void write(const std::string &line) const;

  RecordSettings settings_;
  std::vector<RecordSettings> former_; // those that end() brings back
  bool active_ = false;
  regex_t expression_{};
  std::shared_mutex device_;                            // shared by ordinary launches, exclusive for a recorded launch
  std::mutex lock_;                                     // guards the members below
  std::map<std::string, std::atomic<uint64_t>> counts_; // launches by name, grid, block, shared memory
  std::set<std::pair<std::string, size_t>> recorded_;   // launches that were recorded, with the hash of their PTX
  std::set<std::string> told_;
  KnownMaps maps_;
  std::atomic<uint64_t> launches_{0};
  uint64_t matching_ = 0, packages_ = 0, graphs_ = 0;
  std::atomic<uint64_t> generation_{1};                      // counts what makes earlier decisions about launches void
  std::vector<std::shared_ptr<GraphCopy::Counted>> counted_; // graphs that are only counted
  std::atomic<int> captures_{0};
  bool failed_ = false; // writing failed, for example because the disk is full; nothing more is written
};

/// The calling thread's stack: functions of shared objects, innermost first.
std::vector<std::string> callStack();
/// The functions of the thread's Python code, if it runs Python.
std::vector<std::string> pythonStack();

} // namespace lanescope::core::record
