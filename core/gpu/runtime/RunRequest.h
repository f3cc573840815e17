// A run in the form in which it is sent to a GPU worker: the request and the reply, as bytes. The kernel's metadata
// stays with the caller.
#pragma once

#include "core/data/Bytes.h"
#include "core/Device.h"
#include "core/gpu/kernel/CompiledKernel.h"
#include "core/RunResult.h"

#include <functional>
#include <memory>
#include <span>

namespace lanescope::core {

struct RunRequest {
  std::string kernel, arch, ptx;
  Launch launch;
  /// One per launch.buffers(), in the device's format; empty: zeros. The memory belongs to `owned` or to the caller
  /// that made the request.
  std::vector<std::span<const std::byte>> contents;
  std::vector<uint32_t> wanted; // buffers to return
  double timeoutSeconds = 20;
  uint32_t repeat = 1;      // number of timed samples; each launch starts with the same contents
  bool alignClocks = false; // with several devices: measure their clock offsets, for a joint trace
  std::vector<std::shared_ptr<const Bytes>> owned = {};
};

/// The code that a run will need compiled, known before its arrays have arrived.
struct Announcement {
  std::string arch, ptx;
};

struct RunReply {
  std::vector<Bytes> contents; // in the order of RunRequest::wanted
  double timeUs = 0;           // per launch, the median of the samples
  std::string device, printed;
  Diagnostics diagnostics; // problems of a launch that ended
  /// How far each device's %globaltimer is ahead of device 0's; empty: unknown.
  std::vector<int64_t> clockOffsetsNs = {};
};

/// Called during a run with the current activity: "loading the PTX", "running the kernel".
using StageReport = std::function<void(const char *stage)>;

/// Makes a request, after it has checked the launch and the inputs (LaunchCheck.h). The inputs must outlive the
/// request.
Result<RunRequest> makeRequest(const CompiledKernel &kernel, std::span<const Array> inputs, const RunOptions &options);
/// Returns the outputs as arrays, and the profiler's buffer as a trace. A reply of the wrong size is an error.
Result<RunResult> makeResult(const CompiledKernel &kernel, RunReply reply);
/// The result of a run whose kernel faulted: zeros as outputs, and the diagnostics with the reason.
RunResult failedResult(const CompiledKernel &kernel, std::string device, Diagnostics diagnostics);
/// True if a run's error is the kernel's fault (RunResult::diagnostics), not the device's or the launch's.
bool isKernelFault(const Diagnostics &problems);

inline constexpr char kKernelFault[] = "kernel-fault", kKernelTimeout[] = "timeout";

} // namespace lanescope::core
