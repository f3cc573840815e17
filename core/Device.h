// A place where artifacts run. Implementations: a GPU in a worker process, emulators.
#pragma once

#include "core/Artifact.h"
#include "core/RunResult.h"

#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace lanescope::core {

class Progress;

/// How an emulator runs; other devices take no notice.
struct Emulation {
  uint64_t seed = 0;      // draws the delays of asynchronous operations
  bool fast = false;      // they complete at once, and nothing is checked but bounds, barriers and convergence
  bool strict = false;    // hazards end the run
  bool keepGoing = false; // faults do not end the run
  uint32_t threads = 0;   // host threads; 0: one per core. The result does not depend on it
  std::vector<std::string> strictRules = {}; // whose hazards and notes are faults
};

struct RunOptions {
  double timeoutSeconds = 20;                     // the watchdog
  const std::atomic<bool> *interrupted = nullptr; // set by Ctrl-C; polled
  Progress *progress = nullptr;                   // an emulator counts there what it has done
  Emulation emulation;
  uint32_t repeat = 1; // hardware: launches to time, each from the same inputs; the time is their median
};

class Device {
public:
  virtual ~Device() = default;
  virtual std::string name() const = 0;
  /// How many devices side by side a run may be for. Starts what has to be started to know; errors: it is gone.
  virtual Result<uint32_t> width(const std::atomic<bool> * /*interrupted*/) { return 1; }
  /// `inputs`: one array per argument of the kernel, Artifact::buffers() order, what the target adds left out.
  /// Errors: the artifact is for another kind of device, the device is gone, the launch is refused. Faults of the
  /// kernel come back in RunResult::diagnostics.
  virtual Result<RunResult> run(const Artifact &artifact, std::span<const Array> inputs, const RunOptions &options) = 0;
};

} // namespace lanescope::core
