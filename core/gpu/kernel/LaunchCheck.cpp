#include "core/gpu/kernel/LaunchCheck.h"

#include "core/gpu/kernel/DeviceBytes.h"
#include "core/gpu/kernel/LaunchBuffers.h"
#include "core/gpu/kernel/TensorMapCheck.h"
#include "layouts/support/Text.h"

#include <algorithm>

namespace lanescope::core {

namespace {

// CUDA C++ programming guide: technical specifications per compute capability (all since 3.0).
constexpr uint64_t kMaxThreads = 1024, kMaxBlockZ = 64, kMaxGridX = 0x7FFFFFFF, kMaxGridYZ = 65535;

} // namespace

std::string bufferText(const BufferSpec &buffer, size_t index) {
  return buffer.name.empty() ? text("argument ", index) : text("`", buffer.name, "`");
}

Result<void> checkDevices(const Launch &launch) {
  Diagnostics problems;
  auto refuse = [&](Message message) {
    problems.push_back(diagnosed(Severity::Error, "launch", {}, std::move(message)));
  };
  if (launch.devices > kMaxDevices)
    refuse(Message("the launch is on {devices} devices; at most {limit} are joined by links", launch.devices,
                   kMaxDevices));
  for (const BufferSpec *buffer : launch.buffers())
    if (launch.devices && (buffer->shape.empty() || buffer->shape[0] != launch.devices))
      refuse(Message("the launch is on {devices} devices, so that a buffer's shape begins with {}; one is {shape}",
                     launch.devices, launch.devices, layouts::tupleText(buffer->shape)));
  auto checkPeer = [&](const PeerSpec &peer) {
    bool fits = peer.peers.empty() || peer.peers.size() == launch.devices;
    if (!fits || (peer.multicast && launch.devices == 0) ||
        std::ranges::any_of(peer.peers, [&](uint32_t one) { return one >= launch.devices; }))
      refuse(Message("the launch names a peer that it does not have on {devices} devices", launch.deviceCount()));
  };
  for (const BufferLink &link : launch.links)
    checkPeer(link.peer);
  for (const Param &param : launch.params) {
    const auto *block = std::get_if<BytesParam>(&param);
    if ((std::holds_alternative<MetadataParam>(param) || (block && block->metadata)) && launch.devices == 0)
      refuse("collective metadata are for a launch with a number of devices");
    if (block && block->metadata &&
        (*block->metadata % kPointerBytes != 0 || *block->metadata + kPointerBytes > block->size))
      refuse(Message("offset {offset} does not hold a pointer of a parameter of {bytes} bytes", *block->metadata,
                     block->size));
    if (const auto *pointer = std::get_if<PointerParam>(&param))
      checkPeer(pointer->peer);
    for (size_t n = 0; block && n < block->pointers.size(); ++n)
      checkPeer(block->pointers[n].peer);
    for (size_t n = 0; block && n < block->tensorMaps.size(); ++n)
      checkPeer(block->tensorMaps[n].peer);
  }
  if (!problems.empty())
    return std::unexpected(std::move(problems));
  return {};
}

Result<void> checkLaunch(const Launch &launch) {
  Diagnostics problems;
  auto refuse = [&](Message message) {
    problems.push_back(diagnosed(Severity::Error, "launch", {}, std::move(message)));
  };
  uint64_t threads = 1, cluster = 1;
  for (size_t i = 0; i < 3; ++i) {
    if (launch.grid[i] == 0 || launch.block[i] == 0 || launch.cluster[i] == 0) {
      refuse("the sizes of grid, block and cluster are at least 1");
      return std::unexpected(std::move(problems));
    }
    threads = std::min<uint64_t>(threads * launch.block[i], uint64_t{1} << 32);
    cluster = std::min<uint64_t>(cluster * launch.cluster[i], uint64_t{1} << 32);
    if (launch.grid[i] % launch.cluster[i] != 0)
      refuse(Message("the grid's size {size} is no multiple of the cluster's {}", launch.grid[i], launch.cluster[i]));
    if (launch.grid[i] > (i == 0 ? kMaxGridX : kMaxGridYZ))
      refuse(Message("the grid's size {size} in dimension {dimension} exceeds {}", launch.grid[i], i,
                     i == 0 ? kMaxGridX : kMaxGridYZ));
  }
  if (threads > kMaxThreads || launch.block[2] > kMaxBlockZ)
    refuse(Message("a block of {} x {} x {threads} threads is more than the {limit} ({} in the last dimension) that a "
                   "block may have",
                   launch.block[0], launch.block[1], launch.block[2], kMaxThreads, kMaxBlockZ));
  if (cluster > kMaxClusterBlocks)
    refuse(
        Message("a cluster of {blocks} blocks is more than the {limit} that one may have", cluster, kMaxClusterBlocks));

  if (Result<void> good = checkDevices(launch); !good)
    problems.insert(problems.end(), good.error().begin(), good.error().end());
  const std::vector<const BufferSpec *> all = launch.buffers();
  for (const Param &param : launch.params) {
    const auto *block = std::get_if<BytesParam>(&param);
    if (!block)
      continue;
    auto fits = [&](uint32_t offset, uint32_t bytes, uint32_t align, uint32_t buffer) {
      if (offset % align != 0 || uint64_t{offset} + bytes > block->size)
        refuse(Message("offset {offset} does not hold {bytes} aligned bytes of a parameter of {count}", offset, bytes,
                       block->size));
      size_t there = isOfLaunch(buffer) ? all.size() : block->buffers.size(), number = buffer & ~kOfLaunch;
      if (number >= there)
        refuse(Message("buffer {} is meant where the {} has {}", number, isOfLaunch(buffer) ? "launch" : "parameter",
                       there));
      return number < there;
    };
    for (const PointerSpec &pointer : block->pointers)
      fits(pointer.offset, kPointerBytes, kPointerBytes, pointer.buffer);
    for (size_t i = 0; i < block->tensorMaps.size(); ++i) {
      const TensorMapSpec &map = block->tensorMaps[i];
      if (!fits(map.offset, kTensorMapBytes, kTensorMapAlign, map.buffer))
        continue;
      const BufferSpec &buffer = isOfLaunch(map.buffer) ? *all[map.buffer & ~kOfLaunch] : block->buffers[map.buffer];
      Result<void> good =
          checkTensorMap(map, deviceBytes(buffer.dtype, launch.shapeOnDevice(buffer)),
                         text("TMA descriptor ", i, " over ", bufferText(buffer, map.buffer & ~kOfLaunch)));
      if (!good)
        problems.insert(problems.end(), good.error().begin(), good.error().end());
    }
  }
  for (const BufferSpec *buffer : launch.buffers())
    if (!checkedArrayBytes(buffer->dtype, buffer->shape))
      refuse(Message("a buffer of shape {shape} is too large", layouts::tupleText(buffer->shape)));
  if (!problems.empty())
    return std::unexpected(std::move(problems));
  return {};
}

Result<void> checkInputs(const CompiledKernel &kernel, std::span<const Array> inputs) {
  std::vector<const BufferSpec *> buffers = kernel.launch.buffers();
  size_t wanted = buffers.size() - (kernel.profiled && !buffers.empty() ? 1 : 0);
  if (inputs.size() != wanted)
    return error("launch", Message("kernel `{kernel}` takes {} arrays, outputs included; {count} are given",
                                   kernel.name, wanted, inputs.size()));
  for (size_t i = 0; i < wanted; ++i) {
    const BufferSpec &buffer = *buffers[i];
    const Array &input = inputs[i];
    if (input.dtype != buffer.dtype || input.shape != buffer.shape ||
        input.bytes.size() != checkedArrayBytes(buffer.dtype, buffer.shape))
      return error("launch",
                   Message("{} of kernel `{kernel}` is {dtype}{shape}; the array given is {other_dtype}{other_shape}",
                           bufferText(buffer, i), kernel.name, layouts::name(buffer.dtype),
                           layouts::tupleText(buffer.shape), layouts::name(input.dtype),
                           layouts::tupleText(input.shape)));
  }
  for (uint32_t output : kernel.outputs)
    if (output >= buffers.size())
      return error("launch", Message("kernel `{kernel}` names output {} of {buffers} buffers", kernel.name, output,
                                     buffers.size()));
  return {};
}

} // namespace lanescope::core
