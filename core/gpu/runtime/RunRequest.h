// One run as bytes: what goes to a GPU worker and what comes back. The kernel's metadata stays with the caller.
#pragma once

#include "core/Device.h"
#include "core/gpu/kernel/CompiledKernel.h"
#include "core/RunResult.h"

#include <functional>
#include <memory>
#include <span>

namespace lanescope::core {

using Bytes = std::vector<std::byte>;

struct RunRequest {
  std::string kernel, arch, ptx;
  Launch launch;
  /// One per launch.buffers(), as the device sees them; empty: zeros. They are of `owned` or of what the maker keeps.
  std::vector<std::span<const std::byte>> contents;
  std::vector<uint32_t> wanted; // buffers to return
  double timeoutSeconds = 20;
  uint32_t repeat = 1;      // samples of the time; each launch finds the same contents
  bool alignClocks = false; // of several devices: how far their clocks are apart is wanted, for a trace of all
  std::vector<std::shared_ptr<const Bytes>> owned = {};
};

/// What a run will want compiled, known before its arrays have come.
struct Announcement {
  std::string arch, ptx;
};

struct RunReply {
  std::vector<Bytes> contents; // RunRequest::wanted order
  double timeUs = 0;           // of one launch, the median of the samples
  std::string device, printed;
  Diagnostics diagnostics; // the launch ended, but not all is well
  /// How far each device's %globaltimer is ahead of device 0's; empty: not known.
  std::vector<int64_t> clockOffsetsNs = {};
};

/// Called as a run proceeds, with what is being done now: "loading the PTX", "running the kernel".
using StageReport = std::function<void(const char *stage)>;

/// Checks the launch and the inputs first (LaunchCheck.h). The inputs are to live as long as the request.
Result<RunRequest> makeRequest(const CompiledKernel &kernel, std::span<const Array> inputs, const RunOptions &options);
/// Outputs as arrays and the profiler's buffer as a trace. A reply of the wrong size is an error.
Result<RunResult> makeResult(const CompiledKernel &kernel, RunReply reply);
/// What a run gives whose kernel faulted: zeros as outputs, and the diagnostics that say why.
RunResult failedResult(const CompiledKernel &kernel, std::string device, Diagnostics diagnostics);
/// Whether an error of a run is the kernel's fault (RunResult::diagnostics) rather than the device's or the launch's.
bool isKernelFault(const Diagnostics &problems);

inline constexpr char kKernelFault[] = "kernel-fault", kKernelTimeout[] = "timeout";

} // namespace lanescope::core
