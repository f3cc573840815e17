#include "core/gpu/runtime/RunRequest.h"

#include "core/gpu/kernel/DeviceBytes.h"
#include "core/gpu/kernel/DeviceTraces.h"
#include "core/gpu/kernel/LaunchCheck.h"

#include <algorithm>
#include <cstring>

namespace lanescope::core {

namespace {

uint32_t profileBuffer(const CompiledKernel &kernel) {
  return static_cast<uint32_t>(kernel.launch.buffers().size() - 1);
}

/// True if all bytes are zero: the first byte is zero, and each byte equals the one before it.
bool allZero(std::span<const std::byte> bytes) {
  return bytes.empty() ||
         (bytes[0] == std::byte{0} && std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0);
}

} // namespace

Result<RunRequest> makeRequest(const CompiledKernel &kernel, std::span<const Array> inputs, const RunOptions &options) {
  if (Result<void> good = checkLaunch(kernel.launch); !good)
    return std::unexpected(good.error());
  if (Result<void> good = checkInputs(kernel, inputs); !good)
    return std::unexpected(good.error());
  RunRequest request{kernel.name,
                     kernel.arch,
                     kernel.ptx,
                     kernel.launch,
                     {},
                     kernel.outputs,
                     options.timeoutSeconds,
                     options.repeat,
                     kernel.profiled && kernel.launch.deviceCount() > 1};
  for (const Array &input : inputs) {
    std::span<const std::byte> &contents = request.contents.emplace_back();
    if (input.bytes.areUntouchedZeros() || allZero(input.bytes))
      continue;
    if (isPacked(input.dtype))
      contents = *request.owned.emplace_back(std::make_shared<const Bytes>(toDevice(input)));
    else
      contents = input.bytes;
  }
  request.contents.resize(kernel.launch.buffers().size());
  if (kernel.profiled)
    request.wanted.push_back(profileBuffer(kernel));
  return request;
}

Result<RunResult> makeResult(const CompiledKernel &kernel, RunReply reply) {
  std::vector<const BufferSpec *> buffers = kernel.launch.buffers();
  size_t wanted = kernel.outputs.size() + (kernel.profiled ? 1 : 0);
  RunResult result;
  result.timeUs = reply.timeUs;
  result.device = std::move(reply.device);
  result.printed = std::move(reply.printed);
  result.diagnostics = std::move(reply.diagnostics);
  if (reply.contents.size() != wanted)
    return error("worker-protocol",
                 Message("the worker returned {buffers} buffers where {} were wanted", reply.contents.size(), wanted));
  for (size_t i = 0; i < wanted; ++i) {
    const BufferSpec &buffer = *buffers[i < kernel.outputs.size() ? kernel.outputs[i] : profileBuffer(kernel)];
    Bytes &bytes = reply.contents[i];
    if (bytes.size() != deviceBytes(buffer.dtype, buffer.shape))
      return error("worker-protocol", Message("the worker returned {bytes} bytes for {} of {}", bytes.size(),
                                              bufferText(buffer, i), deviceBytes(buffer.dtype, buffer.shape)));
    if (i < kernel.outputs.size()) {
      result.outputs.push_back(fromDevice(buffer.dtype, buffer.shape, std::move(bytes)));
      continue;
    }
    std::vector<uint32_t> words(bytes.size() / sizeof(uint32_t));
    if (!words.empty())
      std::memcpy(words.data(), bytes.data(), words.size() * sizeof(uint32_t));
    Result<Trace> trace =
        decodeProfiles(kernel.profile, kernel.launch.grid, words, kernel.launch.deviceCount(), reply.clockOffsetsNs);
    if (trace)
      result.trace = std::move(*trace);
    else // the trace cannot be decoded, but the outputs are valid
      for (Diagnostic &problem : trace.error()) {
        problem.severity = Severity::Warning;
        result.diagnostics.push_back(std::move(problem));
      }
  }
  return result;
}

RunResult failedResult(const CompiledKernel &kernel, std::string device, Diagnostics diagnostics) {
  RunResult result;
  result.device = std::move(device);
  result.diagnostics = std::move(diagnostics);
  std::vector<const BufferSpec *> buffers = kernel.launch.buffers();
  for (uint32_t output : kernel.outputs)
    result.outputs.push_back(Array::zeros(buffers[output]->dtype, buffers[output]->shape));
  return result;
}

bool isKernelFault(const Diagnostics &problems) {
  return std::ranges::any_of(problems, [](const Diagnostic &problem) {
    return problem.kind == kKernelFault || problem.kind == kKernelTimeout;
  });
}

} // namespace lanescope::core
