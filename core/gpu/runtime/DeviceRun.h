// One device's part of a run: its copies of the buffers, its parameters, its launch. GpuRun has one for each device of
// the launch.
//
//   DeviceRun one(api, modules, device, request, 0);
//   load() and allocate() of all, makeParameters(all), fill() of all, then launch() and poll() until it has ended
//
// Every function makes the device's context the current one first.
#pragma once

#include "core/gpu/runtime/Gpu.h"
#include "core/gpu/runtime/GpuKernel.h"
#include "layouts/support/Text.h"

#include <memory>
#include <span>

namespace lanescope::core {

class DeviceRun {
public:
  /// `number`: which of the launch's devices.
  DeviceRun(const cuda::Api &api, LoadedModules &modules, const GpuDevice &device, const RunRequest &request,
            uint32_t number)
      : api_(api), device_(device), request_(request), number_(number), kernel_(api, modules, device, request),
        buffers_(request.launch.buffers()) {}
  DeviceRun(const DeviceRun &) = delete;
  DeviceRun &operator=(const DeviceRun &) = delete;
  /// Gives all back, unless abandoned.
  ~DeviceRun();

  /// Errors: those of GpuKernel::load.
  Result<void> load();
  /// Errors: "out-of-memory", "gpu".
  Result<void> allocate();
  /// `all`: the devices of the launch, allocated, whose memory pointers may lead to. Errors: those of encodeTensorMap.
  Result<void> makeParameters(std::span<const std::unique_ptr<DeviceRun>> all);
  /// Gives the buffers what the request says.
  Result<void> fill();
  /// Queues the launch alone; for timing. Errors: "launch".
  Result<void> queueLaunch();
  /// Queues it between two events. Errors: "launch", "gpu", kKernelFault.
  Result<void> launch();
  /// Whether all that was queued has ended. Errors: kKernelFault.
  Result<bool> poll();
  /// After poll() was true: waits for what the kernel printed. Errors: kKernelFault.
  Result<void> finish();
  /// Of the last launch().
  Result<double> microseconds() const;
  /// Appends this device's part of each wanted buffer to `contents`, and to `diagnostics` what was written outside.
  Result<void> readBack(std::vector<Bytes> &contents, Diagnostics &diagnostics);
  /// The context is lost: nothing is given back any more.
  void abandon() { abandoned_ = true; }

  const GpuKernel &kernel() const { return kernel_; }
  const GpuDevice &device() const { return device_; }
  cuda::Stream stream() const { return stream_; }
  /// "NVIDIA H200", and "device 1 (NVIDIA H200)" of several.
  std::string name() const;

private:
  std::string kernelText() const { return text("kernel `", request_.kernel, "`"); }
  std::unexpected<Diagnostics> failed(const std::string &action, cuda::Status status) const;
  std::unexpected<Diagnostics> faulted(cuda::Status status) const;
  Result<void> enter() const;
  cuda::DevicePointer addressOf(std::span<const std::unique_ptr<DeviceRun>> all, size_t buffer,
                                const PeerSpec &peer) const;
  Result<void> makeMetadata(std::span<const std::unique_ptr<DeviceRun>> all);
  Result<void> fillBlock(std::span<const std::unique_ptr<DeviceRun>> all, const BytesParam &block, size_t firstBuffer,
                         Bytes &value) const;
  void checkGuard(const Bytes &guard, size_t buffer, bool after, Diagnostics &diagnostics) const;

  const cuda::Api &api_;
  const GpuDevice &device_;
  const RunRequest &request_;
  uint32_t number_;
  GpuKernel kernel_;
  std::vector<const BufferSpec *> buffers_;
  cuda::Stream stream_ = nullptr;
  cuda::Event start_ = nullptr, stop_ = nullptr;
  std::vector<cuda::DevicePointer> allocations_, addresses_; // with and without the guard before
  std::vector<size_t> sizes_;
  cuda::DevicePointer metadata_ = 0;
  struct Link {
    cuda::DevicePointer at, address;
  };
  std::vector<Link> links_;   // pointers inside of buffers
  std::vector<Bytes> values_; // of the parameters
  bool abandoned_ = false;
};

} // namespace lanescope::core
