#include "core/gpu/driver/DriverKernels.h"

#include <cstring>

namespace lanescope::core::driver {

namespace {

constexpr uintptr_t kEnd = 0, kBuffer = 1, kBufferSize = 2; // CU_LAUNCH_PARAM_…

struct Block {
  const std::byte *begin = nullptr;
  size_t bytes = 0;
};

Block blockOf(void **extra) {
  Block out;
  for (; extra && reinterpret_cast<uintptr_t>(extra[0]) != kEnd; extra += 2) {
    if (reinterpret_cast<uintptr_t>(extra[0]) == kBuffer)
      out.begin = static_cast<const std::byte *>(extra[1]);
    if (reinterpret_cast<uintptr_t>(extra[0]) == kBufferSize)
      out.bytes = *static_cast<const size_t *>(extra[1]);
  }
  return out;
}

} // namespace

Status readParameters(const Function &function, void **parameters, void **extra,
                      std::vector<std::vector<std::byte>> &out) {
  out.clear();
  Block block = blockOf(extra);
  for (size_t n = 0; n < function.parameters.size(); ++n) {
    auto [offset, bytes] = function.parameters[n];
    const std::byte *from = nullptr;
    if (parameters)
      from = static_cast<const std::byte *>(parameters[n]);
    else if (block.begin && offset + bytes <= block.bytes)
      from = block.begin + offset;
    if (!from)
      return kInvalidValue;
    out.emplace_back(from, from + bytes);
  }
  return kSuccess;
}

Status readKernelNode(State &state, const KernelNodeParams &from, KernelWork &out) {
  Function *function = from.function ? from.function : from.kernel;
  if (!state.isFunction(function))
    return kInvalidHandle;
  out.function = function;
  out.grid = {from.gridX, from.gridY, from.gridZ};
  out.block = {from.blockX, from.blockY, from.blockZ};
  out.sharedBytes = from.sharedBytes;
  return readParameters(*function, from.kernelParams, from.extra, out.parameters);
}

} // namespace lanescope::core::driver
