// A worker that runs kernels on the emulator instead of a GPU. It has the same protocol, packages and errors.
#include "core/gpu/emulator/EmulatorDevice.h"
#include "core/gpu/kernel/DeviceBytes.h"
#include "core/gpu/runtime/WorkerServer.h"

#include <algorithm>

namespace lanescope::core {

WorkerBackend emulatorBackend(std::string program, const Emulation &emulation) {
  WorkerBackend backend;
  backend.hello.program = std::move(program);
  GpuInfo info;
  info.name = "emulator";
  for (int device = 0; // as many as a launch may use
       device < static_cast<int>(kMaxDevices); ++device)
    info.devices.push_back(device);
  backend.hello.gpu = info;
  std::shared_ptr<Device> emulator = makeEmulatorDevice();
  backend.run = [emulator, emulation](const RunRequest &request, const StageReport &progress) -> Result<RunReply> {
    // The profiler's buffer is returned as a further output, because the other side decodes it.
    CompiledKernel kernel;
    kernel.name = request.kernel;
    kernel.arch = request.arch;
    kernel.ptx = request.ptx;
    kernel.launch = request.launch;
    kernel.outputs = request.wanted;
    std::vector<Array> inputs;
    std::vector<const BufferSpec *> buffers = request.launch.buffers();
    if (request.contents.size() != buffers.size() ||
        std::ranges::any_of(request.wanted, [&](uint32_t index) { return index >= buffers.size(); }))
      return error("launch", "the request does not fit its launch");
    for (size_t i = 0; i < buffers.size(); ++i) {
      const BufferSpec &buffer = *buffers[i];
      Bytes bytes(request.contents[i].begin(), request.contents[i].end());
      bytes.resize(deviceBytes(buffer.dtype, buffer.shape));
      inputs.push_back(fromDevice(buffer.dtype, buffer.shape, std::move(bytes)));
    }
    RunOptions options;
    options.timeoutSeconds = request.timeoutSeconds;
    options.emulation = emulation;
    progress("running the kernel");
    Result<RunResult> result = emulator->run(kernel, inputs, options);
    if (!result)
      return std::unexpected(result.error());
    RunReply reply;
    for (const Array &output : result->outputs)
      reply.contents.push_back(toDevice(output));
    reply.timeUs = result->timeUs;
    reply.device = result->device;
    reply.printed = result->printed;
    reply.diagnostics = result->diagnostics;
    return reply;
  };
  return backend;
}

} // namespace lanescope::core
