// One device's part of a run: its copies of the buffers, its parameters, its launch. GpuRun has one per device of the
// launch.
//
//   DeviceRun one(api, modules, device, request, 0);
//   call load() and allocate() on all devices, makeParameters(all) and fill() on each, then launch() and poll() until
//   it ends
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
  /// `number`: the device's index in the launch.
  DeviceRun(const cuda::Api &api, LoadedModules &modules, const GpuDevice &device, const RunRequest &request,
            uint32_t number)
      : api_(api), device_(device), request_(request), number_(number), kernel_(api, modules, device, request),
        buffers_(request.launch.buffers()) {}
  DeviceRun(const DeviceRun &) = delete;
  DeviceRun &operator=(const DeviceRun &) = delete;
  /// Releases everything, unless abandoned.
  ~DeviceRun();

  /// Errors: those of GpuKernel::load.
  Result<void> load();
  /// Errors: "out-of-memory", "gpu".
  Result<void> allocate();
  /// `all`: the devices of the launch. Their memory must be allocated, because pointers may refer to it. Errors: those
  /// of encodeTensorMap.
  Result<void> makeParameters(std::span<const std::unique_ptr<DeviceRun>> all);
  /// Writes the request's contents into the buffers.
  Result<void> fill();
  /// Queues only the launch, for timing. Errors: "launch".
  Result<void> queueLaunch();
  /// Queues the launch between two events. Errors: "launch", "gpu", kKernelFault.
  Result<void> launch();
  /// Returns true if all queued work has ended. Errors: kKernelFault.
  Result<bool> poll();
  /// Waits for the kernel's printed text. Call this after poll() has returned true. Errors: kKernelFault.
  Result<void> finish();
  /// The duration of the last launch().
  Result<double> microseconds() const;
  /// Appends this device's part of each wanted buffer to `contents`, and a finding for each write outside a buffer to
  /// `diagnostics`.
  Result<void> readBack(std::vector<Bytes> &contents, Diagnostics &diagnostics);
  /// Marks the context as lost; nothing is released any more.
  void abandon() { abandoned_ = true; }

  const GpuKernel &kernel() const { return kernel_; }
  const GpuDevice &device() const { return device_; }
  cuda::Stream stream() const { return stream_; }
  /// The device's name in messages: "NVIDIA H200"; with several devices, "device 1 (NVIDIA H200)".
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
  /// The start of each allocation, which begins with a guard, and the start of the buffer in it.
  std::vector<cuda::DevicePointer> allocations_, addresses_;
  std::vector<size_t> sizes_;
  cuda::DevicePointer metadata_ = 0;
  struct Link {
    cuda::DevicePointer at, address;
  };
  std::vector<Link> links_;   // pointers stored inside buffers
  std::vector<Bytes> values_; // values of the parameters
  bool abandoned_ = false;
};

} // namespace lanescope::core
