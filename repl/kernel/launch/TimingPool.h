// Times compiled kernels on several GPUs at once, for `tune`. Each GPU runs one kernel at a time.
//
//   TimingPool pool(LANESCOPE_TRY(runtime.gpus()), {.rounds = 3, .agrees = …});
//   std::vector<ModelTimes> times = LANESCOPE_TRY(pool.time(kernels));     // one for each model of GPU
//
// GPUs of one model share the kernels among them; each model times all kernels. The kernels that are timed again, which
// are those close to the model's fastest one, run in turn on one GPU in each round, so that their times compare.
#pragma once

#include "core/Device.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace lanescope::repl {

/// A kernel to time, with its inputs.
struct KernelToTime {
  std::shared_ptr<const core::Artifact> kernel;
  std::vector<core::Array> inputs;
};

/// The times of one kernel on GPUs of one model.
struct KernelTimes {
  std::vector<double> times; // µs
  std::string refused;       // the reason why it has no time; empty if it ran and its outputs are right
  bool slow = false;         // too slow to be timed again

  /// The median; infinite if the kernel has no time.
  double time() const;
};

struct ModelTimes {
  std::string gpu;                  // the model, such as "NVIDIA H200"
  std::vector<KernelTimes> kernels; // as given
};

struct TimingOptions {
  uint32_t rounds = 3; // how often the fastest kernels are timed
  double slow = 1.3;   // a kernel that takes this many times as long as the fastest one is not timed again
  core::RunOptions run = {};
  std::function<bool(const std::vector<core::Array> &outputs)> agrees = nullptr; // true if the outputs are right
  std::function<void()> advanced = nullptr; // called after each first run; may be null
};

class TimingPool {
public:
  /// The GPUs have to outlive the pool.
  TimingPool(std::vector<core::Device *> gpus, TimingOptions options);

  /// Times the kernels. If a GPU's worker dies, its kernel is run again on another GPU of the model, if there is one. A
  /// kernel whose worker died twice is refused. A worker that dies three times in a row is left out; the notes of
  /// dropped() say so. Errors: no GPU is left; the run was interrupted.
  Result<std::vector<ModelTimes>> time(const std::vector<KernelToTime> &kernels);
  const Diagnostics &dropped() const { return dropped_; }

private:
  class Run;
  std::vector<core::Device *> gpus_;
  TimingOptions options_;
  Diagnostics dropped_;
};

} // namespace lanescope::repl
