// Functions that nvcc's code calls at a program's start and for each launch; launches, attributes, occupancy.
#include "core/gpu/driver/runtime/Registry.h"
#include "core/gpu/driver/runtime/Thread.h"

#include <algorithm>

namespace lanescope::core::runtime {

using namespace driver;

namespace {

/// The driver reports an invalid grid as an invalid value, but the runtime has its own error for it.
Error launchError(Status status) { return status == driver::kInvalidValue ? kInvalidConfiguration : errorOf(status); }

Error launch(const void *host, const LaunchConfig &config, void **arguments, bool cooperative = false) {
  Function *kernel = nullptr;
  if (Error problem = Registry::get().function(host, kernel))
    return remember(problem);
  driver::LaunchConfig all{config.grid.x,
                           config.grid.y,
                           config.grid.z,
                           config.block.x,
                           config.block.y,
                           config.block.z,
                           static_cast<unsigned>(std::min<size_t>(config.sharedBytes, UINT32_MAX)),
                           config.stream,
                           config.attributes,
                           config.attributeCount};
  void *none[] = {nullptr};
  void **parameters = arguments ? arguments : none;
  if (cooperative)
    return remember(
        launchError(cuLaunchCooperativeKernel(kernel, all.gridX, all.gridY, all.gridZ, all.blockX, all.blockY,
                                              all.blockZ, all.sharedBytes, all.stream, parameters)));
  return remember(launchError(cuLaunchKernelEx(&all, kernel, parameters, nullptr)));
}

/// Runs `body` on the kernel of a host function.
template <typename Body> Error onKernel(const void *host, Body body) {
  Function *kernel = nullptr;
  if (Error problem = Registry::get().function(host, kernel))
    return remember(problem);
  return remember(errorOf(body(kernel)));
}

RegisteredImage *imageOf(void **handle) { return reinterpret_cast<RegisteredImage *>(handle); }

Status attributesOf(Function *kernel, FunctionAttributes &out) {
  out = {};
  int value = 0;
  size_t *sizes[] = {&out.sharedSizeBytes, &out.constSizeBytes, &out.localSizeBytes};
  for (int n = 0; n < 3; ++n) {
    if (Status status = cuFuncGetAttribute(&value, kSharedSizeBytes + n, kernel))
      return status;
    *sizes[n] = static_cast<size_t>(value);
  }
  // The attributes have the order of the members of cudaFuncAttributes.
  constexpr int kOrder[] = {kMaxThreadsPerBlock,
                            kNumRegs,
                            kPtxVersion,
                            kBinaryVersion,
                            kCacheModeCa,
                            kMaxDynamicSharedSizeBytes,
                            kPreferredSharedMemoryCarveout,
                            kClusterSizeMustBeSet,
                            kRequiredClusterWidth,
                            kRequiredClusterHeight,
                            kRequiredClusterDepth,
                            kClusterSchedulingPolicyPreference,
                            kNonPortableClusterSizeAllowed};
  for (size_t n = 0; n < std::size(kOrder); ++n)
    if (Status status = cuFuncGetAttribute(&out.values[n], kOrder[n], kernel))
      return status;
  return 0;
}

driver::LaunchConfig configOf(const LaunchConfig &from) {
  return {from.grid.x,
          from.grid.y,
          from.grid.z,
          from.block.x,
          from.block.y,
          from.block.z,
          static_cast<unsigned>(from.sharedBytes),
          from.stream,
          from.attributes,
          from.attributeCount};
}

} // namespace

LANESCOPE_RUNTIME void **__cudaRegisterFatBinary(void *image) {
  return reinterpret_cast<void **>(Registry::get().add(image));
}
LANESCOPE_RUNTIME void __cudaRegisterFatBinaryEnd(void **) {}
LANESCOPE_RUNTIME void __cudaUnregisterFatBinary(void **handle) { Registry::get().remove(imageOf(handle)); }
LANESCOPE_RUNTIME void __cudaRegisterFunction(void **handle, const char *host, char *, const char *name, int, void *,
                                              void *, void *, void *, int *) {
  Registry::get().addFunction(imageOf(handle), host, name);
}
LANESCOPE_RUNTIME void __cudaRegisterVar(void **handle, char *host, char *, const char *name, int, size_t, int, int) {
  Registry::get().addVariable(imageOf(handle), host, name);
}
LANESCOPE_RUNTIME void __cudaRegisterHostVar(void **handle, char *name, char *host, size_t) {
  Registry::get().addVariable(imageOf(handle), host, name);
}
LANESCOPE_RUNTIME void __cudaRegisterManagedVar(void **handle, void **host, char *, const char *name, int, size_t, int,
                                                int) {
  Registry::get().addVariable(imageOf(handle), host, name, host);
}
LANESCOPE_RUNTIME void __cudaRegisterUnifiedTable(void **, void *) {}
LANESCOPE_RUNTIME char __cudaInitModule(void **) { return Registry::get().loadManaged() == runtime::kSuccess; }

LANESCOPE_RUNTIME unsigned __cudaPushCallConfiguration(Size3 grid, Size3 block, size_t sharedBytes, Stream *stream) {
  Thread::current().configurations.push_back({grid, block, sharedBytes, stream});
  return 0;
}
LANESCOPE_RUNTIME Error __cudaPopCallConfiguration(Size3 *grid, Size3 *block, size_t *sharedBytes, void *stream) {
  auto &all = Thread::current().configurations;
  if (all.empty())
    return remember(52); // cudaErrorMissingConfiguration
  *grid = all.back().grid;
  *block = all.back().block;
  *sharedBytes = all.back().sharedBytes;
  *static_cast<Stream **>(stream) = all.back().stream;
  all.pop_back();
  return runtime::kSuccess;
}

LANESCOPE_RUNTIME Error __cudaGetKernel(Function **out, const void *host) {
  return remember(Registry::get().function(host, *out));
}
LANESCOPE_RUNTIME Error __cudaLaunchKernel(Function *kernel, Size3 grid, Size3 block, void **arguments,
                                           size_t sharedBytes, Stream *stream) {
  return launch(kernel, {grid, block, sharedBytes, stream, nullptr, 0}, arguments);
}
LANESCOPE_SAME(__cudaLaunchKernel, "_ptsz");

LANESCOPE_RUNTIME Error cudaGetKernel(Function **out, const void *host) {
  return out ? remember(Registry::get().function(host, *out)) : remember(runtime::kInvalidValue);
}
LANESCOPE_RUNTIME Error cudaGetFuncBySymbol(Function **out, const void *host) { return cudaGetKernel(out, host); }
LANESCOPE_RUNTIME Error cudaLaunchKernel(const void *host, Size3 grid, Size3 block, void **arguments,
                                         size_t sharedBytes, Stream *stream) {
  return launch(host, {grid, block, sharedBytes, stream, nullptr, 0}, arguments);
}
LANESCOPE_SAME(cudaLaunchKernel, "_ptsz");
LANESCOPE_RUNTIME Error cudaLaunchKernelExC(const LaunchConfig *config, const void *host, void **arguments) {
  return config ? launch(host, *config, arguments) : remember(runtime::kInvalidValue);
}
LANESCOPE_SAME(cudaLaunchKernelExC, "_ptsz");
LANESCOPE_RUNTIME Error cudaLaunchCooperativeKernel(const void *host, Size3 grid, Size3 block, void **arguments,
                                                    size_t sharedBytes, Stream *stream) {
  return launch(host, {grid, block, sharedBytes, stream, nullptr, 0}, arguments, true);
}
LANESCOPE_SAME(cudaLaunchCooperativeKernel, "_ptsz");
LANESCOPE_RUNTIME Error cudaLaunchHostFunc(Stream *stream, HostFunction function, void *data) {
  return finish([&] { return cuLaunchHostFunc(stream, function, data); });
}
LANESCOPE_SAME(cudaLaunchHostFunc, "_ptsz");

LANESCOPE_RUNTIME Error cudaFuncGetAttributes(FunctionAttributes *out, const void *host) {
  if (!out)
    return remember(runtime::kInvalidValue);
  return onKernel(host, [&](Function *kernel) { return attributesOf(kernel, *out); });
}
LANESCOPE_RUNTIME Error cudaFuncSetAttribute(const void *host, int which, int value) {
  return onKernel(host, [&](Function *kernel) { return cuFuncSetAttribute(kernel, which, value); });
}
LANESCOPE_RUNTIME Error cudaFuncSetCacheConfig(const void *host, int config) {
  return onKernel(host, [&](Function *kernel) { return cuFuncSetCacheConfig(kernel, config); });
}
LANESCOPE_RUNTIME Error cudaFuncSetSharedMemConfig(const void *host, int config) {
  return onKernel(host, [&](Function *kernel) { return cuFuncSetSharedMemConfig(kernel, config); });
}
LANESCOPE_RUNTIME Error cudaFuncGetName(const char **out, const void *host) {
  return onKernel(host, [&](Function *kernel) { return cuFuncGetName(out, kernel); });
}
LANESCOPE_RUNTIME Error cudaFuncGetParamInfo(const void *host, size_t index, size_t *offset, size_t *bytes) {
  return onKernel(host, [&](Function *kernel) { return cuFuncGetParamInfo(kernel, index, offset, bytes); });
}
LANESCOPE_RUNTIME Error cudaKernelSetAttributeForDevice(Function *kernel, int which, int value, int device) {
  return finish([&] { return cuKernelSetAttribute(which, value, kernel, device); });
}

LANESCOPE_RUNTIME Error cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *out, const void *host, int threads,
                                                                      size_t sharedBytes) {
  return onKernel(host, [&](Function *kernel) {
    return cuOccupancyMaxActiveBlocksPerMultiprocessor(out, kernel, threads, sharedBytes);
  });
}
LANESCOPE_RUNTIME Error cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *out, const void *host, int threads,
                                                                               size_t sharedBytes, unsigned) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(out, host, threads, sharedBytes);
}
LANESCOPE_RUNTIME Error cudaOccupancyAvailableDynamicSMemPerBlock(size_t *out, const void *host, int blocks,
                                                                  int threads) {
  return onKernel(
      host, [&](Function *kernel) { return cuOccupancyAvailableDynamicSMemPerBlock(out, kernel, blocks, threads); });
}
LANESCOPE_RUNTIME Error cudaOccupancyMaxPotentialClusterSize(int *out, const void *host, const LaunchConfig *config) {
  if (!config)
    return remember(runtime::kInvalidValue);
  driver::LaunchConfig all = configOf(*config);
  return onKernel(host, [&](Function *kernel) { return cuOccupancyMaxPotentialClusterSize(out, kernel, &all); });
}
LANESCOPE_RUNTIME Error cudaOccupancyMaxActiveClusters(int *out, const void *host, const LaunchConfig *config) {
  if (!config)
    return remember(runtime::kInvalidValue);
  driver::LaunchConfig all = configOf(*config);
  return onKernel(host, [&](Function *kernel) { return cuOccupancyMaxActiveClusters(out, kernel, &all); });
}

LANESCOPE_RUNTIME Error cudaLibraryLoadData(Module **out, const void *image, int *jit, void **jitValues,
                                            unsigned jitCount, int *options, void **values, unsigned count) {
  return finish([&] { return cuLibraryLoadData(out, image, jit, jitValues, jitCount, options, values, count); });
}
LANESCOPE_RUNTIME Error cudaLibraryLoadFromFile(Module **out, const char *file, int *jit, void **jitValues,
                                                unsigned jitCount, int *options, void **values, unsigned count) {
  return finish([&] { return cuLibraryLoadFromFile(out, file, jit, jitValues, jitCount, options, values, count); });
}
LANESCOPE_RUNTIME Error cudaLibraryUnload(Module *library) {
  return finish([&] { return cuLibraryUnload(library); });
}
LANESCOPE_RUNTIME Error cudaLibraryGetKernel(Function **out, Module *library, const char *name) {
  return finish([&] { return cuLibraryGetKernel(out, library, name); });
}
LANESCOPE_RUNTIME Error cudaLibraryGetGlobal(void **out, size_t *bytes, Module *library, const char *name) {
  return finish([&] { return cuLibraryGetGlobal(reinterpret_cast<DevicePointer *>(out), bytes, library, name); });
}
LANESCOPE_RUNTIME Error cudaLibraryGetManaged(void **out, size_t *bytes, Module *library, const char *name) {
  return cudaLibraryGetGlobal(out, bytes, library, name);
}
LANESCOPE_RUNTIME Error cudaLibraryGetKernelCount(unsigned *out, Module *library) {
  return finish([&] { return cuLibraryGetKernelCount(out, library); });
}
LANESCOPE_RUNTIME Error cudaLibraryEnumerateKernels(Function **out, unsigned count, Module *library) {
  return finish([&] { return cuLibraryEnumerateKernels(out, count, library); });
}

} // namespace lanescope::core::runtime
