// Launches of kernels and host functions, occupancy, TMA descriptors.
#include "core/gpu/driver/api/DriverApi.h"
#include "core/gpu/driver/api/Entered.h"
#include "core/gpu/driver/DriverKernels.h"
#include "core/gpu/driver/DriverModules.h"
#include "core/gpu/driver/TensorMapArguments.h"
#include "core/gpu/emulator/LaunchImage.h"
#include "core/gpu/emulator/machine/TensorMap.h"
#include "core/gpu/kernel/TensorMapCheck.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <cstring>

namespace lanescope::core::driver {

namespace {

Status launch(const LaunchConfig &config, Function *function, void **parameters, void **extra, bool cooperative) {
  LANESCOPE_ENTER_STREAM(config.stream);
  if (!state.isFunction(function))
    return kInvalidHandle;
  KernelWork work;
  if (Status status = readParameters(*function, parameters, extra, work.parameters))
    return status;
  work.function = function;
  work.grid = {config.gridX, config.gridY, config.gridZ};
  work.block = {config.blockX, config.blockY, config.blockZ};
  work.sharedBytes = config.sharedBytes;
  work.cooperative = cooperative;
  for (unsigned n = 0; n < config.attributeCount; ++n) {
    const LaunchAttribute &one = config.attributes[n];
    if (one.id == kAttributeCooperative)
      work.cooperative = work.cooperative || one.cooperative;
    if (one.id == kAttributeClusterDimension)
      work.cluster = {one.cluster.x, one.cluster.y, one.cluster.z};
  }
  return state.submit(on, std::move(work));
}

Status occupancy(int *out, Function *function, int threads, size_t sharedBytes) {
  LANESCOPE_ENTER(Needs::Library);
  if (!out || threads <= 0)
    return kInvalidValue;
  if (!state.isFunction(function))
    return kInvalidHandle;
  *out = residentBlocks(state, *function, threads, sharedBytes);
  return kSuccess;
}

Status bestBlock(int *grid, int *block, Function *function, size_t (*sharedOf)(int), size_t sharedBytes, int limit) {
  LANESCOPE_ENTER(Needs::Library);
  if (!grid || !block || limit < 0)
    return kInvalidValue;
  if (!state.isFunction(function))
    return kInvalidHandle;
  int most = 0, bestThreads = 0;
  functionAttribute(state, *function, kMaxThreadsPerBlock, most);
  most = limit ? std::min(most, limit) : most;
  *grid = *block = 0;
  for (int threads = most; threads > 0; threads = (threads - 1) / 32 * 32) {
    size_t shared = sharedOf ? sharedOf(threads) : sharedBytes;
    int blocks = residentBlocks(state, *function, threads, shared);
    if (blocks * threads <= bestThreads)
      continue;
    bestThreads = blocks * threads;
    *block = threads;
    *grid = blocks * state.gpu->multiprocessors;
  }
  return kSuccess;
}

int clusterSizeOf(const LaunchConfig &config) {
  for (unsigned n = 0; n < config.attributeCount; ++n)
    if (const LaunchAttribute &one = config.attributes[n]; one.id == kAttributeClusterDimension)
      return static_cast<int>(one.cluster.x * one.cluster.y * one.cluster.z);
  return 1;
}

Status encode(TensorMap *out, const TensorMapSpec &spec, const void *address) {
  State &state = State::get();
  std::scoped_lock entered(state.lock);
  auto refuse = [&](std::string_view why) {
    if (state.journal)
      state.journal->complain(text("a TMA descriptor is refused: ", why));
    return kInvalidValue;
  };
  if (!out || reinterpret_cast<uintptr_t>(out) % 64 != 0)
    return refuse("the place of a descriptor is a multiple of 64");
  if (reinterpret_cast<uintptr_t>(address) % 16 != 0)
    return refuse("the address of its array is a multiple of 16");
  if (auto problems = tensorMapProblems(spec); !problems.empty())
    return refuse(problems.front().message);
  auto encoded =
      emulator::encodeTensorMap(spec, reinterpret_cast<uint64_t>(address), {}, reinterpret_cast<std::byte *>(out));
  return encoded ? kSuccess : refuse(encoded.error().front().message);
}

} // namespace

Status cuLaunchKernel(Function *function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX,
                      unsigned blockY, unsigned blockZ, unsigned sharedBytes, Stream *stream, void **parameters,
                      void **extra) {
  return launch({gridX, gridY, gridZ, blockX, blockY, blockZ, sharedBytes, stream, nullptr, 0}, function, parameters,
                extra, false);
}

Status cuLaunchKernelEx(const LaunchConfig *config, Function *function, void **parameters, void **extra) {
  if (!config || (config->attributeCount && !config->attributes))
    return kInvalidValue;
  return launch(*config, function, parameters, extra, false);
}

Status cuLaunchCooperativeKernel(Function *function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX,
                                 unsigned blockY, unsigned blockZ, unsigned sharedBytes, Stream *stream,
                                 void **parameters) {
  return launch({gridX, gridY, gridZ, blockX, blockY, blockZ, sharedBytes, stream, nullptr, 0}, function, parameters,
                nullptr, true);
}

Status cuLaunchHostFunc(Stream *stream, HostFunction function, void *data) {
  LANESCOPE_ENTER_STREAM(stream);
  return function ? state.submit(on, HostWork{function, data}) : kInvalidValue;
}

Status cuOccupancyMaxActiveBlocksPerMultiprocessor(int *out, Function *function, int threads, size_t sharedBytes) {
  return occupancy(out, function, threads, sharedBytes);
}
Status cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *out, Function *function, int threads,
                                                            size_t sharedBytes, unsigned) {
  return occupancy(out, function, threads, sharedBytes);
}
Status cuOccupancyMaxPotentialBlockSize(int *grid, int *block, Function *function, size_t (*sharedOf)(int),
                                        size_t sharedBytes, int limit) {
  return bestBlock(grid, block, function, sharedOf, sharedBytes, limit);
}
Status cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, Function *function, size_t (*sharedOf)(int),
                                                 size_t sharedBytes, int limit, unsigned) {
  return bestBlock(grid, block, function, sharedOf, sharedBytes, limit);
}

Status cuOccupancyAvailableDynamicSMemPerBlock(size_t *out, Function *function, int blocks, int threads) {
  LANESCOPE_ENTER(Needs::Library);
  if (!out || blocks <= 0 || threads <= 0)
    return kInvalidValue;
  if (!state.isFunction(function))
    return kInvalidHandle;
  int shared = 0;
  functionAttribute(state, *function, kSharedSizeBytes, shared);
  int each = state.gpu->sharedPerMultiprocessor / blocks - 1024;
  *out = static_cast<size_t>(std::max(std::min(each, state.gpu->sharedPerBlock) - shared, 0));
  return kSuccess;
}

Status cuOccupancyMaxPotentialClusterSize(int *out, Function *function, const LaunchConfig *config) {
  LANESCOPE_ENTER(Needs::Library);
  if (!out || !config)
    return kInvalidValue;
  if (!state.isFunction(function))
    return kInvalidHandle;
  auto wide = function->attributes.find(kNonPortableClusterSizeAllowed);
  *out = wide != function->attributes.end() && wide->second ? 16 : 8;
  return kSuccess;
}

Status cuOccupancyMaxActiveClusters(int *out, Function *function, const LaunchConfig *config) {
  LANESCOPE_ENTER(Needs::Library);
  if (!out || !config)
    return kInvalidValue;
  if (!state.isFunction(function))
    return kInvalidHandle;
  int threads = static_cast<int>(config->blockX * config->blockY * config->blockZ);
  int blocks = residentBlocks(state, *function, threads, config->sharedBytes) * state.gpu->multiprocessors;
  *out = blocks / std::max(clusterSizeOf(*config), 1);
  return kSuccess;
}

Status cuTensorMapEncodeTiled(TensorMap *out, int type, unsigned rank, void *address, const uint64_t *sizes,
                              const uint64_t *strides, const uint32_t *box, const uint32_t *steps, int interleave,
                              int swizzle, int, int fill) {
  TensorMapSpec spec;
  if (!tiledMap({rank, sizes, strides, steps, type, interleave, swizzle, fill}, box, spec))
    return kInvalidValue;
  return encode(out, spec, address);
}

Status cuTensorMapEncodeIm2col(TensorMap *out, int type, unsigned rank, void *address, const uint64_t *sizes,
                               const uint64_t *strides, const int *lower, const int *upper, uint32_t channels,
                               uint32_t pixels, const uint32_t *steps, int interleave, int swizzle, int, int fill) {
  TensorMapSpec spec;
  if (!im2colMap({rank, sizes, strides, steps, type, interleave, swizzle, fill}, {lower, upper, channels, pixels},
                 spec))
    return kInvalidValue;
  return encode(out, spec, address);
}

Status cuTensorMapReplaceAddress(TensorMap *map, void *address) {
  auto *bytes = reinterpret_cast<std::byte *>(map);
  auto known = map ? emulator::decode(bytes) : std::nullopt;
  if (!known || reinterpret_cast<uintptr_t>(address) % 16 != 0)
    return kInvalidValue;
  known->global = reinterpret_cast<uint64_t>(address);
  emulator::encode(*known, bytes);
  return kSuccess;
}

} // namespace lanescope::core::driver
