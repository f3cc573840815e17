// The GPUs that kernels run on, through the CUDA driver. They live in the worker process alone: a fault of a kernel
// leaves the process's CUDA contexts unusable, so after an error of the kinds kKernelFault and kKernelTimeout the
// process has to end.
//
//   Result<std::unique_ptr<Gpu>> gpu = Gpu::open();
//   Result<RunReply> reply = (*gpu)->run(request, [](const char *stage) {});
//
// A launch on several devices takes the first so many of those that were opened. One GPU may stand for several of them
// (`Gpu::open({0, 0})`): their grids run on it side by side, which shows on one GPU whether a kernel is right, not how
// fast it is.
#pragma once

#include "core/gpu/runtime/CudaApi.h"
#include "core/gpu/runtime/LoadedModules.h"
#include "core/gpu/runtime/RunRequest.h"

#include <memory>
#include <vector>

namespace lanescope::core {

/// How a GPU reaches another one's memory.
enum class PeerReach : uint8_t {
  None,
  Memory,  // loads, stores and copies (cuDeviceCanAccessPeer)
  Atomics, // these, and the link carries atomics (NVLink): what semaphores need
};

struct GpuInfo {
  std::string name; // "NVIDIA H200": of the first that kernels run on
  int major = 0, minor = 0, multiprocessors = 0;
  int sharedMemoryPerBlock = 0; // the most that a kernel may ask for, in bytes
  uint64_t memoryBytes = 0;
  int driverVersion = 0; // CUDA version that the driver supports: 12040 for 12.4
  int deviceCount = 0;   // GPUs of this machine
  /// Those that kernels run on, by their numbers among deviceCount: as many devices as a launch may be for.
  std::vector<int> devices;
  /// [deviceCount][deviceCount], who reaches whom; empty: the driver does not say.
  std::vector<PeerReach> peers;

  PeerReach reach(int from, int to) const {
    return peers.empty() ? PeerReach::None : peers[static_cast<size_t>(from * deviceCount + to)];
  }
};

/// "12.4" for 12040.
std::string cudaVersionText(int version);
/// An error where PTX for `arch` ("sm_90a") cannot run on this GPU; PTX for an older architecture can, unless it ends
/// in `a` or `f`.
Result<void> checkArch(const std::string &arch, const GpuInfo &gpu);

/// One of the devices of a launch. Several may be one GPU, and then have one context.
struct GpuDevice {
  int ordinal = 0;
  cuda::Device handle = 0;
  cuda::Context context = nullptr; // none before the first run
  GpuInfo info;                    // without what is of the whole machine
};

class Gpu {
public:
  /// `ordinals`: the GPUs that launches take, in this order, none: all of the machine. Creates no context yet. Errors:
  /// "no-gpu", a number that the machine does not have.
  static Result<std::unique_ptr<Gpu>> open(const std::vector<int> &ordinals = {});
  /// The same of a driver that is loaded already.
  static Result<std::unique_ptr<Gpu>> open(const cuda::Api &api, const std::vector<int> &ordinals);
  const GpuInfo &info() const { return info_; }
  /// Errors: "ptx-rejected" (with the driver's log), "launch" (also where the machine has too few GPUs, or these do not
  /// reach each other), "out-of-memory", "gpu", kKernelFault, kKernelTimeout. Writes outside of a buffer (within 4 KiB)
  /// come back as diagnostics.
  Result<RunReply> run(const RunRequest &request, const StageReport &progress);
  /// Compiles for the first GPU what a run will want. What is wrong with it that run tells.
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
  uint32_t joined_ = 1; // of devices_, which reach each other
};

} // namespace lanescope::core
