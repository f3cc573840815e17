// The GPUs that run kernels, through the CUDA driver. Only the worker process uses this class. A kernel's fault makes
// the process's CUDA contexts unusable, so the process must end after an error of kind kKernelFault or kKernelTimeout.
//
//   Result<std::unique_ptr<Gpu>> gpu = Gpu::open();
//   Result<RunReply> reply = (*gpu)->run(request, [](const char *stage) {});
//
// A launch on several devices takes the first ones opened. One GPU may act as several of them (`Gpu::open({0, 0})`):
// their grids run on it side by side. This shows on one GPU if a kernel is correct, but not how fast it is.
#pragma once

#include "core/gpu/runtime/CudaApi.h"
#include "core/gpu/runtime/LoadedModules.h"
#include "core/gpu/runtime/RunRequest.h"

#include <memory>
#include <vector>

namespace lanescope::core {

/// How a GPU can access another one's memory.
enum class PeerReach : uint8_t {
  None,
  Memory,  // loads, stores and copies (cuDeviceCanAccessPeer)
  Atomics, // loads, stores, copies and atomics, which the link supports (NVLink); semaphores need this
};

struct GpuInfo {
  std::string name; // "NVIDIA H200": the first one that runs kernels
  int major = 0, minor = 0, multiprocessors = 0;
  int sharedMemoryPerBlock = 0; // the most that a kernel may request, in bytes
  uint64_t memoryBytes = 0;
  int driverVersion = 0; // CUDA version that the driver supports: 12040 for 12.4
  int deviceCount = 0;   // GPUs in this machine
  /// The GPUs that run kernels, by their numbers below deviceCount. A launch may use up to this many devices.
  std::vector<int> devices;
  /// [deviceCount][deviceCount]: the access from one GPU to another; empty if the driver does not report it.
  std::vector<PeerReach> peers;

  PeerReach reach(int from, int to) const {
    return peers.empty() ? PeerReach::None : peers[static_cast<size_t>(from * deviceCount + to)];
  }
};

/// The text of a CUDA version: "12.4" for 12040.
std::string cudaVersionText(int version);
/// Error if PTX for `arch` ("sm_90a") cannot run on this GPU. A GPU runs PTX for an older architecture, unless the
/// architecture's name ends in `a` or `f`.
Result<void> checkArch(const std::string &arch, const GpuInfo &gpu);

/// A device of a launch. Several devices may be one GPU, and then share a context.
struct GpuDevice {
  int ordinal = 0;
  cuda::Device handle = 0;
  cuda::Context context = nullptr; // null before the first run
  GpuInfo info;                    // without the fields about the whole machine
};

class Gpu {
public:
  /// `ordinals`: the GPUs for launches, in this order; empty: all of the machine's. Creates no context yet. Errors:
  /// "no-gpu", a number that the machine does not have.
  static Result<std::unique_ptr<Gpu>> open(const std::vector<int> &ordinals = {});
  /// Uses a driver that is already loaded.
  static Result<std::unique_ptr<Gpu>> open(const cuda::Api &api, const std::vector<int> &ordinals);
  const GpuInfo &info() const { return info_; }
  /// Errors: "ptx-rejected" (with the driver's log), "launch" (also if the machine has too few GPUs, or they cannot
  /// access each other), "out-of-memory", "gpu", kKernelFault, kKernelTimeout. Writes outside a buffer (within 4 KiB)
  /// are returned as diagnostics.
  Result<RunReply> run(const RunRequest &request, const StageReport &progress);
  /// Compiles the next run's code for the first GPU. Problems are reported by run().
  void prepare(const Announcement &next);

private:
  explicit Gpu(const cuda::Api &api) : api_(api), modules_(api) {}
  Result<void> findDevices(const std::vector<int> &ordinals);
  Result<void> checkPeers(const RunRequest &request) const;
  Result<void> makeContexts(uint32_t devices);
  Result<void> enablePeers(uint32_t devices);

  const cuda::Api &api_;
  LoadedModules modules_;
  GpuInfo info_;
  std::vector<GpuDevice> devices_;
  uint32_t joined_ = 1; // the first `joined_` devices can access each other
};

} // namespace lanescope::core
