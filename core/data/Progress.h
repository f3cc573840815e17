// The progress of a long piece of work. The working threads count; another thread shows the count.
//
//   Progress progress;                                  // another thread reads progress.line()
//   ProgressStep kernels(&progress, "kernel", 40);      // counts while the object lives
//   kernels.name("matmul.ptx");
//   ProgressStep blocks(&progress, "block", 4096);
//   blocks.advance(32);                                 // "0 of 40 kernels (matmul.ptx), 32 of 4096 blocks"
//
// Without a Progress (null), a step counts nothing.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope::core {

class Progress {
public:
  /// All running steps, the outermost first; empty if there is none. Any thread may call it.
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
  /// `unit`: the word for one counted item, which must outlive the step; `total`: the expected number, 0 if not known.
  ProgressStep(Progress *progress, std::string_view unit, uint64_t total = 0);
  /// A step that has a name but counts nothing.
  explicit ProgressStep(Progress *progress) : ProgressStep(progress, "") {}
  ~ProgressStep();
  ProgressStep(const ProgressStep &) = delete;
  ProgressStep &operator=(const ProgressStep &) = delete;

  void advance(uint64_t parts = 1);
  /// Names the item that is being processed.
  void name(std::string what);

private:
  Progress *progress_;
  uint64_t id_ = 0;
};

} // namespace lanescope::core
