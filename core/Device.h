// A place where compiled kernels run. Implementations: the emulator, and a worker process that owns a GPU.
#pragma once

#include "core/gpu/kernel/CompiledKernel.h"
#include "core/RunResult.h"

#include <atomic>
#include <memory>
#include <span>
#include <string>

namespace lanescope::core {

/// How the emulator runs; other devices take no notice.
struct Emulation {
  uint64_t seed = 0;    // of the delays of asynchronous operations
  bool fast = false;    // they complete at once, and nothing is checked but bounds, barriers and convergence
  uint32_t threads = 0; // of the host; 0: one per core. The result does not depend on it
};

struct RunOptions {
  double timeoutSeconds = 20;                     // the watchdog
  const std::atomic<bool> *interrupted = nullptr; // set by Ctrl-C; polled
  Emulation emulation;
  uint32_t repeat = 1; // GPU: launches to time, each from the same inputs; the time is their median
};

class Device {
public:
  virtual ~Device() = default;
  virtual std::string name() const = 0;
  /// `inputs`: one array per kernel GMEM argument, launch.buffers() order, the profiler's buffer left out.
  /// Errors: the device is gone, the launch is refused. Faults of the kernel come back in RunResult::diagnostics.
  virtual Result<RunResult> run(const CompiledKernel &kernel, std::span<const Array> inputs,
                                const RunOptions &options) = 0;
};

std::unique_ptr<Device> makeEmulatorDevice();
/// `command`: what to start as the worker ("ssh gpu1 lanescope-worker"); empty: the worker beside this program.
/// The process starts on the first run and again after a crash.
std::unique_ptr<Device> makeWorkerDevice(std::string command);

} // namespace lanescope::core
