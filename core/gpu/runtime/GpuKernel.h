// A launch's entry in a GPU's context: loads its PTX, and checks it against the launch with messages that the driver
// lacks.
//
//   GpuKernel kernel(api, modules, device, request);
//   LANESCOPE_CHECK(kernel.load());
//   api.launchKernelEx(…, kernel.function(), …);
#pragma once

#include "core/gpu/runtime/Gpu.h"
#include "core/gpu/runtime/LoadedModules.h"

namespace lanescope::core {

class GpuKernel {
public:
  GpuKernel(const cuda::Api &api, LoadedModules &modules, const GpuDevice &device, const RunRequest &request)
      : api_(api), modules_(modules), device_(device), gpu_(device.info), request_(request) {}
  GpuKernel(const GpuKernel &) = delete;
  GpuKernel &operator=(const GpuKernel &) = delete;

  /// Loads the PTX into the device's context, which must be current. Errors: "ptx-rejected", "launch", "gpu".
  Result<void> load();
  /// Returns the module to the cache for the next run. Do not call it after a fault, because the driver would wait for
  /// the kernel.
  void unload();

  cuda::Function function() const { return function_; }
  /// Number of the launch's blocks that this GPU runs at once. Errors: "gpu".
  Result<uint64_t> residentBlocks() const;
  /// Size of a parameter in the entry.
  static size_t parameterBytes(const Param &param);
  /// The driver's form of the launch; `cluster` must live as long as the result.
  cuda::LaunchConfig config(cuda::LaunchAttribute &cluster, cuda::Stream stream) const;

private:
  std::string kernel() const;
  int attribute(int which) const;
  uint32_t clusterSize() const;
  Result<void> loadModule();
  Result<void> check() const;
  Result<void> checkParameters() const;

  const cuda::Api &api_;
  LoadedModules &modules_;
  const GpuDevice &device_;
  const GpuInfo &gpu_;
  const RunRequest &request_;
  cuda::Module module_ = nullptr;
  cuda::Function function_ = nullptr;
};

} // namespace lanescope::core
