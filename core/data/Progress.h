// How far a long piece of work has come. The threads that do the work count; another thread shows it.
//
//   Progress progress;                                  // read by whoever shows it: progress.line()
//   ProgressStep kernels(&progress, "kernel", 40);      // counts for as long as it is there
//   kernels.name("matmul.ptx");
//   ProgressStep blocks(&progress, "block", 4096);
//   blocks.advance(32);                                 // "0 of 40 kernels (matmul.ptx), 32 of 4096 blocks"
//
// Without a Progress (null) a step counts nothing.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope::core {

class Progress {
public:
  /// All steps that are under way, the outermost first; empty where there is none. Any thread may ask.
  std::string line() const;

private:
  friend class ProgressStep;
  struct Step {
    uint64_t id;
    std::string_view unit;
    uint64_t done, total;
    std::string name;
  };
  Step *find(uint64_t id);

  mutable std::mutex mutex_;
  std::vector<Step> steps_;
  uint64_t nextId_ = 0;
};

class ProgressStep {
public:
  /// `unit`: one of what is counted, a word that outlives the step; `total`: how many there will be, 0 where that is
  /// not known.
  ProgressStep(Progress *progress, std::string_view unit, uint64_t total = 0);
  /// Counts nothing: it has a name alone.
  explicit ProgressStep(Progress *progress) : ProgressStep(progress, "") {}
  ~ProgressStep();
  ProgressStep(const ProgressStep &) = delete;
  ProgressStep &operator=(const ProgressStep &) = delete;

  void advance(uint64_t parts = 1);
  /// Says which part is worked on now.
  void name(std::string what);

private:
  Progress *progress_;
  uint64_t id_ = 0;
};

} // namespace lanescope::core
