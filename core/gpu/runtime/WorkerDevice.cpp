// A worker process as a Device.
#include "core/gpu/runtime/WorkerDevice.h"
#include "core/gpu/runtime/WorkerClient.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"

namespace lanescope::core {

namespace {

class WorkerDevice : public Device {
public:
  WorkerDevice(std::string command, WaitingNotice waiting)
      : command_(std::move(command)), client_(workerArguments(command_), {}, std::move(waiting)) {}

  std::string name() const override { return command_.empty() ? "GPU" : text("GPU by `", command_, "`"); }

  Result<uint32_t> width(const std::atomic<bool> *interrupted) override {
    Hello hello = LANESCOPE_TRY(client_.hello(interrupted));
    return hello.gpu ? static_cast<uint32_t>(hello.gpu->devices.size()) : 0;
  }

  Result<RunResult> run(const Artifact &artifact, std::span<const Array> inputs, const RunOptions &options) override {
    auto found = gpuKernel(artifact);
    if (!found)
      return std::unexpected(std::move(found.error()));
    const CompiledKernel &kernel = **found;
    Result<RunRequest> request = makeRequest(kernel, inputs, options);
    if (!request)
      return std::unexpected(request.error());
    Result<RunReply> reply = client_.run(*request, options.interrupted);
    if (reply)
      return makeResult(kernel, std::move(*reply));
    if (isKernelFault(reply.error()))
      return failedResult(kernel, name(), reply.error());
    return std::unexpected(reply.error());
  }

private:
  std::string command_;
  WorkerClient client_;
};

} // namespace

std::unique_ptr<Device> makeWorkerDevice(std::string command, std::function<void(const std::string &line)> waiting) {
  return std::make_unique<WorkerDevice>(std::move(command), std::move(waiting));
}

} // namespace lanescope::core
