// The interface for running compiled kernels (artifacts). It is implemented by the emulators and by a GPU in a worker
// process.
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

/// Options of emulators; other devices ignore them.
struct Emulation {
  uint64_t seed = 0;      // decides the delays of asynchronous operations
  bool fast = false;      // asynchronous operations complete at once, and only bounds, barriers and convergence are
                          // checked
  bool strict = false;    // hazards end the run
  bool keepGoing = false; // faults do not end the run
  uint32_t threads = 0;   // host threads; 0: one per core. The result does not depend on it
  std::vector<std::string> strictRules = {}; // rules whose hazards and notes count as faults
};

struct RunOptions {
  double timeoutSeconds = 20;                     // the watchdog
  const std::atomic<bool> *interrupted = nullptr; // set by Ctrl-C; the run polls it
  Progress *progress = nullptr;                   // an emulator counts its progress here
  Emulation emulation;
  uint32_t repeat = 1; // hardware: number of timed launches, each from the same inputs; the reported time is their
                       // median
};

class Device {
public:
  virtual ~Device() = default;
  virtual std::string name() const = 0;
  /// The largest number of devices on which one run can execute side by side. Starts the device if needed. Error: the
  /// device is gone.
  virtual Result<uint32_t> width(const std::atomic<bool> * /*interrupted*/) { return 1; }
  /// `inputs`: one array per argument of the kernel, in the order of Artifact::buffers(), without those that the target
  /// adds. Errors: the artifact is for another kind of device, the device is gone, or the launch is refused. Faults of
  /// the kernel are in RunResult::diagnostics.
  virtual Result<RunResult> run(const Artifact &artifact, std::span<const Array> inputs, const RunOptions &options) = 0;
};

} // namespace lanescope::core
