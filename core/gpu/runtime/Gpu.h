// A GPU, through the CUDA driver. It lives in the worker process alone: a fault of a kernel leaves the process's CUDA
// context unusable, so after an error of the kinds kKernelFault and kKernelTimeout the process has to end.
//
//   Result<std::unique_ptr<Gpu>> gpu = Gpu::open();
//   Result<RunReply> reply = (*gpu)->run(request, [](const char *stage) {});
#pragma once

#include "core/gpu/runtime/CudaApi.h"
#include "core/gpu/runtime/RunRequest.h"

#include <memory>
#include <optional>

namespace lanescope::core {

struct GpuInfo {
  std::string name; // "NVIDIA H200"
  int major = 0, minor = 0, multiprocessors = 0;
  int sharedMemoryPerBlock = 0; // the most that a kernel may ask for, in bytes
  uint64_t memoryBytes = 0;
  int driverVersion = 0; // CUDA version that the driver supports: 12040 for 12.4
  int deviceCount = 0;
  /// Ordered pairs of these devices of which the first can reach the second's memory (cuDeviceCanAccessPeer); none: the
  /// driver does not say.
  std::optional<int> peerPairs = std::nullopt;
};

/// "12.4" for 12040.
std::string cudaVersionText(int version);
/// An error where PTX for `arch` ("sm_90a") cannot run on this GPU; PTX for an older architecture can, unless it ends
/// in `a` or `f`.
Result<void> checkArch(const std::string &arch, const GpuInfo &gpu);

class Gpu {
public:
  /// The first device. Creates no context yet. Errors: "no-gpu".
  static Result<std::unique_ptr<Gpu>> open();
  const GpuInfo &info() const { return info_; }
  /// Errors: "ptx-rejected" (with the driver's log), "launch", "out-of-memory", "gpu", kKernelFault, kKernelTimeout.
  /// Writes outside of a buffer (within 4 KiB) come back as diagnostics.
  Result<RunReply> run(const RunRequest &request, const Progress &progress);

private:
  Gpu(const cuda::Api &api, cuda::Device device, GpuInfo info) : api_(api), device_(device), info_(std::move(info)) {}
  Result<void> makeContext();

  const cuda::Api &api_;
  cuda::Device device_;
  GpuInfo info_;
  cuda::Context context_ = nullptr;
};

} // namespace lanescope::core
