// Devices, their properties, limits, peers; entry points of the driver.
#include "core/gpu/driver/runtime/Thread.h"

#include <cstring>

namespace lanescope::core::runtime {

using namespace driver;

namespace {

int attribute(int number, int device) {
  int value = 0;
  cuDeviceGetAttribute(&value, number, device);
  return value;
}

void fillSizes(DeviceProperties &out, int device) {
  cuDeviceTotalMem_v2(&out.totalGlobalMem, device);
  out.sharedMemPerBlock = static_cast<size_t>(attribute(8, device));
  out.regsPerBlock = attribute(12, device);
  out.warpSize = attribute(10, device);
  out.memPitch = static_cast<size_t>(attribute(11, device));
  out.maxThreadsPerBlock = attribute(1, device);
  for (int n = 0; n < 3; ++n) {
    out.maxThreadsDim[n] = attribute(2 + n, device);
    out.maxGridSize[n] = attribute(5 + n, device);
  }
  out.totalConstMem = static_cast<size_t>(attribute(9, device));
  out.major = attribute(75, device);
  out.minor = attribute(76, device);
  out.textureAlignment = static_cast<size_t>(attribute(14, device));
  out.texturePitchAlignment = static_cast<size_t>(attribute(51, device));
  out.multiProcessorCount = attribute(16, device);
  out.sharedMemPerMultiprocessor = static_cast<size_t>(attribute(81, device));
  out.regsPerMultiprocessor = attribute(82, device);
  out.sharedMemPerBlockOptin = static_cast<size_t>(attribute(97, device));
  out.maxBlocksPerMultiProcessor = attribute(106, device);
  out.reservedSharedMemPerBlock = static_cast<size_t>(attribute(111, device));
  out.maxThreadsPerMultiProcessor = attribute(39, device);
  out.memoryBusWidth = attribute(37, device);
  out.l2CacheSize = attribute(38, device);
  out.persistingL2CacheMaxSize = attribute(108, device);
}

/// The sizes of textures, in the order of cudaDeviceProp from maxTexture1D on.
void fillTextures(DeviceProperties &out, int device) {
  constexpr int kNumbers[] = {21, 77, 22, 23, 73, 74, 70, 71, 72, 45, 46, 24, 25, 26, 47, 48, 49, 52, 42, 43,
                              27, 28, 29, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68};
  static_assert(std::size(kNumbers) == std::size(decltype(out.textures){}));
  for (size_t n = 0; n < std::size(kNumbers); ++n)
    out.textures[n] = attribute(kNumbers[n], device);
}

void fillAbilities(DeviceProperties &out, int device) {
  out.canMapHostMemory = attribute(19, device);
  out.concurrentKernels = attribute(31, device);
  out.pciBusId = attribute(33, device);
  out.asyncEngineCount = attribute(40, device);
  out.unifiedAddressing = attribute(41, device);
  out.streamPrioritiesSupported = attribute(78, device);
  out.globalL1CacheSupported = attribute(79, device);
  out.localL1CacheSupported = attribute(80, device);
  out.managedMemory = attribute(83, device);
  out.hostNativeAtomicSupported = attribute(86, device);
  out.pageableMemoryAccess = attribute(88, device);
  out.concurrentManagedAccess = attribute(89, device);
  out.computePreemptionSupported = attribute(90, device);
  out.canUseHostPointerForRegisteredMem = attribute(91, device);
  out.cooperativeLaunch = attribute(95, device);
  out.hostRegisterSupported = attribute(99, device);
  out.memoryPoolsSupported = attribute(115, device);
  out.clusterLaunch = attribute(120, device);
}

Error properties(DeviceProperties *out, int device) {
  if (!out)
    return remember(runtime::kInvalidValue);
  return finish([&]() -> Status {
    *out = {};
    if (Status status = cuDeviceGetName(out->name, sizeof out->name, device))
      return status;
    Uuid uuid{};
    cuDeviceGetUuid(&uuid, device);
    std::memcpy(out->uuid, uuid.bytes, sizeof uuid.bytes);
    fillSizes(*out, device);
    fillTextures(*out, device);
    fillAbilities(*out, device);
    return 0;
  });
}

Error entryPoint(const char *name, void **out, int version, unsigned long long flags, int *found) {
  return finish([&]() -> Status {
    int state = 0;
    cuGetProcAddress_v2(name, out, version, flags, &state);
    if (found)
      *found = state;
    return name && out ? 0 : 1;
  });
}

} // namespace

LANESCOPE_RUNTIME Error cudaGetDeviceCount(int *out) {
  return finish([&] { return cuDeviceGetCount(out); });
}
LANESCOPE_RUNTIME Error cudaGetDevice(int *out) {
  return finish([&] { return cuCtxGetDevice(out); });
}

LANESCOPE_RUNTIME Error cudaSetDevice(int device) {
  Thread &thread = Thread::current();
  Context *context = nullptr;
  if (Status status = cuInit(0))
    return remember(errorOf(status));
  if (cuDevicePrimaryCtxRetain(&context, device))
    return remember(runtime::kInvalidDevice);
  thread.device = device;
  thread.chosen = true;
  return remember(errorOf(cuCtxSetCurrent(context)));
}
LANESCOPE_RUNTIME Error cudaInitDevice(int device, unsigned, unsigned) {
  return finish([&] { return cuDeviceGet(&device, device); });
}

LANESCOPE_RUNTIME Error cudaGetDeviceProperties(DeviceProperties *out, int device) { return properties(out, device); }
LANESCOPE_RUNTIME Error cudaDeviceGetAttribute(int *out, int which, int device) {
  return finish([&] { return cuDeviceGetAttribute(out, which, device); });
}
LANESCOPE_RUNTIME Error cudaChooseDevice(int *out, const void *) {
  return finish([&]() -> Status { return out ? (*out = 0) : 1; });
}
LANESCOPE_RUNTIME Error cudaDeviceSynchronize() {
  return finish([&] { return cuCtxSynchronize(); });
}
LANESCOPE_RUNTIME Error cudaDeviceReset() {
  return finish([&] { return cuDevicePrimaryCtxReset_v2(Thread::current().device); });
}
LANESCOPE_RUNTIME Error cudaSetDeviceFlags(unsigned flags) {
  return finish([&] { return cuCtxSetFlags(flags); });
}
LANESCOPE_RUNTIME Error cudaGetDeviceFlags(unsigned *out) {
  return finish([&] { return cuCtxGetFlags(out); });
}
LANESCOPE_RUNTIME Error cudaDeviceSetLimit(int limit, size_t value) {
  return finish([&] { return cuCtxSetLimit(limit, value); });
}
LANESCOPE_RUNTIME Error cudaDeviceGetLimit(size_t *out, int limit) {
  return finish([&] { return cuCtxGetLimit(out, limit); });
}
LANESCOPE_RUNTIME Error cudaDeviceSetCacheConfig(int config) {
  return finish([&] { return cuCtxSetCacheConfig(config); });
}
LANESCOPE_RUNTIME Error cudaDeviceGetCacheConfig(int *out) {
  return finish([&] { return cuCtxGetCacheConfig(out); });
}
LANESCOPE_RUNTIME Error cudaDeviceSetSharedMemConfig(int config) {
  return finish([&] { return cuCtxSetSharedMemConfig(config); });
}
LANESCOPE_RUNTIME Error cudaCtxResetPersistingL2Cache() {
  return finish([&] { return cuCtxResetPersistingL2Cache(); });
}
LANESCOPE_RUNTIME Error cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
  return finish([&] { return cuCtxGetStreamPriorityRange(least, greatest); });
}
LANESCOPE_RUNTIME Error cudaDeviceGetPCIBusId(char *out, int length, int device) {
  return finish([&] { return cuDeviceGetPCIBusId(out, length, device); });
}
LANESCOPE_RUNTIME Error cudaDeviceGetByPCIBusId(int *out, const char *id) {
  return finish([&] { return cuDeviceGetByPCIBusId(out, id); });
}
LANESCOPE_RUNTIME Error cudaDeviceCanAccessPeer(int *out, int device, int peer) {
  return finish([&] { return cuDeviceCanAccessPeer(out, device, peer); });
}
LANESCOPE_RUNTIME Error cudaDeviceGetP2PAttribute(int *out, int which, int source, int destination) {
  return finish([&] { return cuDeviceGetP2PAttribute(out, which, source, destination); });
}
LANESCOPE_RUNTIME Error cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
  return finish([&]() -> Status {
    Context *context = nullptr;
    Status status = cuDevicePrimaryCtxRetain(&context, peer);
    return status ? status : cuCtxEnablePeerAccess(context, flags);
  });
}
LANESCOPE_RUNTIME Error cudaDeviceDisablePeerAccess(int peer) {
  return finish([&]() -> Status {
    Context *context = nullptr;
    Status status = cuDevicePrimaryCtxRetain(&context, peer);
    return status ? status : cuCtxDisablePeerAccess(context);
  });
}
LANESCOPE_RUNTIME Error cudaDriverGetVersion(int *out) { return remember(errorOf(cuDriverGetVersion(out))); }
LANESCOPE_RUNTIME Error cudaRuntimeGetVersion(int *out) {
  if (!out)
    return remember(runtime::kInvalidValue);
  *out = kRuntimeVersion;
  return runtime::kSuccess;
}
LANESCOPE_RUNTIME Error cudaProfilerStart() { return runtime::kSuccess; }
LANESCOPE_RUNTIME Error cudaProfilerStop() { return runtime::kSuccess; }
LANESCOPE_RUNTIME Error cudaGetDriverEntryPoint(const char *name, void **out, unsigned long long flags, int *found) {
  return entryPoint(name, out, kRuntimeVersion, flags, found);
}
LANESCOPE_SAME(cudaGetDriverEntryPoint, "_ptsz");
LANESCOPE_RUNTIME Error cudaGetDriverEntryPointByVersion(const char *name, void **out, unsigned version,
                                                         unsigned long long flags, int *found) {
  return entryPoint(name, out, static_cast<int>(version), flags, found);
}
LANESCOPE_SAME(cudaGetDriverEntryPointByVersion, "_ptsz");

} // namespace lanescope::core::runtime
