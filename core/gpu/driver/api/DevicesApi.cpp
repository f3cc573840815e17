// Errors, versions, devices, and the lookup of functions by name.
#include "core/gpu/driver/api/DriverApi.h"
#include "core/gpu/driver/api/Entered.h"
#include "core/gpu/driver/api/ErrorNames.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <dlfcn.h>
#include <string>
#include <string_view>
#include <utility>

namespace lanescope::core::driver {

namespace {

bool isDevice(const State &state, Device device) {
  return device >= 0 && device < static_cast<int>(state.settings.devices);
}

/// The attributes (CUdevice_attribute) that depend on the GPU model.
int modelAttribute(const GpuModel &gpu, int attribute) {
  switch (attribute) {
  case 8: return gpu.sharedPerBlock >= 48 * 1024 ? 48 * 1024 : gpu.sharedPerBlock; // MAX_SHARED_MEMORY_PER_BLOCK
  case 13: return gpu.clockKilohertz;
  case 16: return gpu.multiprocessors;
  case 36: return gpu.memoryKilohertz;
  case 37: return gpu.memoryBusBits;
  case 38: return gpu.l2Bytes;
  case 39: return gpu.threadsPerMultiprocessor;
  case 75: return gpu.major;
  case 76: return gpu.minor;
  case 81: return gpu.sharedPerMultiprocessor;
  case 97: return gpu.sharedPerBlock;
  case 106: return gpu.blocksPerMultiprocessor;
  case 108: return gpu.l2Bytes / 4 * 3; // MAX_PERSISTING_L2_CACHE_SIZE
  case 120:                             // CLUSTER_LAUNCH
  case 127:                             // TENSOR_MAP_ACCESS_SUPPORTED
    return findGpuTarget(gpu.major, gpu.minor)->tma;
  default: return -1;
  }
}

/// The attributes that are equal for all models: number and value, sorted by number. Attributes in neither table are 0.
constexpr auto kAttributes = std::to_array<std::pair<int, int>>({
    {1, 1024},        // MAX_THREADS_PER_BLOCK
    {2, 1024},        // MAX_BLOCK_DIM_X
    {3, 1024},        // MAX_BLOCK_DIM_Y
    {4, 64},          // MAX_BLOCK_DIM_Z
    {5, 2147483647},  // MAX_GRID_DIM_X
    {6, 65535},       // MAX_GRID_DIM_Y
    {7, 65535},       // MAX_GRID_DIM_Z
    {9, 65536},       // TOTAL_CONSTANT_MEMORY
    {10, 32},         // WARP_SIZE
    {11, 2147483647}, // MAX_PITCH
    {12, 65536},      // MAX_REGISTERS_PER_BLOCK
    {14, 512},        // TEXTURE_ALIGNMENT
    {15, 1},          // GPU_OVERLAP
    {19, 1},          // CAN_MAP_HOST_MEMORY
    {21, 131072},     // MAXIMUM_TEXTURE1D_WIDTH
    {22, 131072},     // MAXIMUM_TEXTURE2D_WIDTH
    {23, 65536},      // MAXIMUM_TEXTURE2D_HEIGHT
    {24, 16384},      // MAXIMUM_TEXTURE3D_WIDTH
    {25, 16384},      // MAXIMUM_TEXTURE3D_HEIGHT
    {26, 16384},      // MAXIMUM_TEXTURE3D_DEPTH
    {27, 32768},      // MAXIMUM_TEXTURE2D_LAYERED_WIDTH
    {28, 32768},      // MAXIMUM_TEXTURE2D_LAYERED_HEIGHT
    {29, 2048},       // MAXIMUM_TEXTURE2D_LAYERED_LAYERS
    {31, 1},          // CONCURRENT_KERNELS
    {33, 1},          // PCI_BUS_ID
    {40, 3},          // ASYNC_ENGINE_COUNT
    {41, 1},          // UNIFIED_ADDRESSING
    {42, 32768},      // MAXIMUM_TEXTURE1D_LAYERED_WIDTH
    {43, 2048},       // MAXIMUM_TEXTURE1D_LAYERED_LAYERS
    {51, 32},         // TEXTURE_PITCH_ALIGNMENT
    {52, 32768},      // MAXIMUM_TEXTURECUBEMAP_WIDTH
    {55, 32768},      // MAXIMUM_SURFACE1D_WIDTH
    {56, 131072},     // MAXIMUM_SURFACE2D_WIDTH
    {57, 65536},      // MAXIMUM_SURFACE2D_HEIGHT
    {70, 131072},     // MAXIMUM_TEXTURE2D_LINEAR_WIDTH
    {71, 65000},      // MAXIMUM_TEXTURE2D_LINEAR_HEIGHT
    {72, 2097120},    // MAXIMUM_TEXTURE2D_LINEAR_PITCH
    {78, 1},          // STREAM_PRIORITIES_SUPPORTED
    {79, 1},          // GLOBAL_L1_CACHE_SUPPORTED
    {80, 1},          // LOCAL_L1_CACHE_SUPPORTED
    {82, 65536},      // MAX_REGISTERS_PER_MULTIPROCESSOR
    {83, 1},          // MANAGED_MEMORY
    {86, 1},          // HOST_NATIVE_ATOMIC_SUPPORTED
    {87, 2},          // SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO
    {89, 1},          // CONCURRENT_MANAGED_ACCESS
    {90, 1},          // COMPUTE_PREEMPTION_SUPPORTED
    {95, 1},          // COOPERATIVE_LAUNCH
    {99, 1},          // HOST_REGISTER_SUPPORTED
    {102, 1},         // VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED
    {111, 1024},      // RESERVED_SHARED_MEMORY_PER_BLOCK
    {115, 1},         // MEMORY_POOLS_SUPPORTED
});

bool writeText(char *out, int length, std::string_view from) {
  if (!out || length <= 0)
    return false;
  size_t size = std::min(from.size(), static_cast<size_t>(length) - 1);
  std::memcpy(out, from.data(), size);
  out[size] = '\0';
  return true;
}

constexpr char kBusId[] = "0000:01:00.0";

/// This library's handle, found by the address of code in it and not by a file name.
void *ownLibrary() {
  static void *library = [] {
    Dl_info info{};
    return ::dladdr(reinterpret_cast<void *>(&ownLibrary), &info) ? ::dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD)
                                                                  : nullptr;
  }();
  return library;
}

/// The newest variant of a function that a program compiled for `version` can call.
void *functionNamed(const std::string &name, int version) {
  struct Since {
    std::string_view name, suffix;
    int version;
  };
  constexpr Since kNewer[] = {
      {"cuCtxCreate", "_v4", 12050},
      {"cuCtxCreate", "_v2", 3020},
      {"cuStreamGetCaptureInfo", "_v3", 12030},
      {"cuStreamGetCaptureInfo", "_v2", 11030},
      {"cuGraphAddDependencies", "_v2", 12030},
      {"cuGraphGetEdges", "_v2", 12030},
      {"cuMemPrefetchAsync", "_v2", 12020},
      {"cuMemAdvise", "_v2", 12020},
      {"cuGetProcAddress", "_v2", 12000},
      {"cuEventElapsedTime", "_v2", 12080},
      {"cuCtxGetDevice", "_v2", 13000},
      {"cuCtxSynchronize", "_v2", 13000},
      {"cuDeviceGetUuid", "_v2", 11040},
      {"cuGraphInstantiate", "WithFlags", 11040},
  };
  bool listed = false;
  for (const Since &one : kNewer) {
    if (one.name != name)
      continue;
    listed = true;
    if (version >= one.version)
      if (void *found = ::dlsym(ownLibrary(), (name + std::string(one.suffix)).c_str()))
        return found;
  }
  if (!listed)
    if (void *newer = ::dlsym(ownLibrary(), (name + "_v2").c_str()))
      return newer;
  return ::dlsym(ownLibrary(), name.c_str());
}

/// Tables that NVIDIA's runtime, when linked into a program, requests first. The runtime identifies each table by 16
/// bytes.
constexpr std::array<unsigned char, 16> kRuntimeTable = {0x6b, 0xd5, 0xfb, 0x6c, 0x5b, 0xf4, 0xe7, 0x4a,
                                                         0x89, 0x87, 0xd9, 0x39, 0x12, 0xfd, 0x9d, 0xf9};

} // namespace

Status cuGetErrorName(Status error, const char **out) {
  const ErrorName *found = findError(error);
  if (!out)
    return kInvalidValue;
  *out = found ? found->name : nullptr;
  return found ? kSuccess : kInvalidValue;
}

Status cuGetErrorString(Status error, const char **out) {
  const ErrorName *found = findError(error);
  if (!out)
    return kInvalidValue;
  *out = found ? found->text : nullptr;
  return found ? kSuccess : kInvalidValue;
}

Status cuInit(unsigned flags) {
  State &state = State::get();
  std::scoped_lock entered(state.lock);
  return flags ? kInvalidValue : state.initialise();
}

Status cuDriverGetVersion(int *out) {
  if (!out)
    return kInvalidValue;
  *out = kDriverVersion;
  return kSuccess;
}

Status cuDeviceGet(Device *out, int ordinal) {
  LANESCOPE_ENTER(Needs::Library);
  if (!out)
    return kInvalidValue;
  if (!isDevice(state, ordinal))
    return kInvalidDevice;
  *out = ordinal;
  return kSuccess;
}

Status cuDeviceGetCount(int *out) {
  LANESCOPE_ENTER(Needs::Library);
  if (!out)
    return kInvalidValue;
  *out = static_cast<int>(state.settings.devices);
  return kSuccess;
}

Status cuDeviceGetName(char *out, int length, Device device) {
  LANESCOPE_ENTER(Needs::Library);
  if (!isDevice(state, device))
    return kInvalidDevice;
  return writeText(out, length, text(state.gpu->title, " (emulated)")) ? kSuccess : kInvalidValue;
}

Status cuDeviceGetUuid(Uuid *out, Device device) {
  LANESCOPE_ENTER(Needs::Library);
  if (!out)
    return kInvalidValue;
  if (!isDevice(state, device))
    return kInvalidDevice;
  *out = {"lanescope-gpu-"};
  out->bytes[14] = static_cast<char>('0' + device / 10);
  out->bytes[15] = static_cast<char>('0' + device % 10);
  return kSuccess;
}
Status cuDeviceGetUuid_v2(Uuid *out, Device device) { return cuDeviceGetUuid(out, device); }

Status cuDeviceGetLuid(char *, unsigned *, Device) { return kNotSupported; } // only on Windows

Status cuDeviceTotalMem_v2(size_t *out, Device device) {
  LANESCOPE_ENTER(Needs::Library);
  if (!out)
    return kInvalidValue;
  if (!isDevice(state, device))
    return kInvalidDevice;
  *out = static_cast<size_t>(state.gpu->memoryBytes);
  return kSuccess;
}
Status cuDeviceTotalMem(size_t *out, Device device) { return cuDeviceTotalMem_v2(out, device); }

Status cuDeviceGetAttribute(int *out, int attribute, Device device) {
  LANESCOPE_ENTER(Needs::Library);
  if (!out || attribute <= 0)
    return kInvalidValue;
  if (!isDevice(state, device))
    return kInvalidDevice;
  *out = modelAttribute(*state.gpu, attribute);
  if (*out >= 0)
    return kSuccess;
  auto found = std::ranges::lower_bound(kAttributes, attribute, {}, &std::pair<int, int>::first);
  *out = found != kAttributes.end() && found->first == attribute ? found->second : 0;
  if (attribute == 33) // PCI_BUS_ID
    *out += device;
  return kSuccess;
}

Status cuDeviceComputeCapability(int *major, int *minor, Device device) {
  LANESCOPE_ENTER(Needs::Library);
  if (!major || !minor)
    return kInvalidValue;
  if (!isDevice(state, device))
    return kInvalidDevice;
  *major = state.gpu->major;
  *minor = state.gpu->minor;
  return kSuccess;
}

Status cuDeviceGetProperties(int *out, Device device) {
  LANESCOPE_ENTER(Needs::Library);
  if (!out)
    return kInvalidValue;
  if (!isDevice(state, device))
    return kInvalidDevice;
  // CUdevprop: threads of a block, sizes of blocks and grids, shared and constant memory, lanes, pitch, registers,
  // clock, alignment.
  const std::array<int, 14> properties = {
      1024, 1024, 1024, 64, 2147483647, 65535, 65535, 49152, 65536, 32, 2147483647, 65536, state.gpu->clockKilohertz,
      512};
  std::ranges::copy(properties, out);
  return kSuccess;
}

Status cuDeviceGetPCIBusId(char *out, int length, Device device) {
  LANESCOPE_ENTER(Needs::Library);
  if (!isDevice(state, device))
    return kInvalidDevice;
  std::string id = kBusId;
  id[6] = static_cast<char>('1' + device);
  return writeText(out, length, id) ? kSuccess : kInvalidValue;
}

Status cuDeviceGetByPCIBusId(Device *out, const char *id) {
  LANESCOPE_ENTER(Needs::Library);
  if (!out || !id)
    return kInvalidValue;
  for (Device device = 0; isDevice(state, device); ++device) {
    std::string own = kBusId;
    own[6] = static_cast<char>('1' + device);
    if (own == id) {
      *out = device;
      return kSuccess;
    }
  }
  return kInvalidDevice;
}

Status cuDeviceCanAccessPeer(int *out, Device device, Device peer) {
  LANESCOPE_ENTER(Needs::Library);
  if (!out)
    return kInvalidValue;
  if (!isDevice(state, device) || !isDevice(state, peer))
    return kInvalidDevice;
  *out = device != peer;
  return kSuccess;
}

Status cuDeviceGetP2PAttribute(int *out, int attribute, Device source, Device destination) {
  LANESCOPE_ENTER(Needs::Library);
  if (!out || attribute < 1 || attribute > 5 || source == destination)
    return kInvalidValue;
  if (!isDevice(state, source) || !isDevice(state, destination))
    return kInvalidDevice;
  *out = attribute == 2 || attribute == 3; // reads and writes, atomics; but no arrays
  return kSuccess;
}

Status cuDeviceGetDefaultMemPool(MemoryPool **out, Device device) {
  LANESCOPE_ENTER(Needs::Library);
  if (!out)
    return kInvalidValue;
  if (!isDevice(state, device))
    return kInvalidDevice;
  *out = state.devicePools[static_cast<size_t>(device)];
  return kSuccess;
}

Status cuDeviceGetMemPool(MemoryPool **out, Device device) {
  LANESCOPE_ENTER(Needs::Library);
  if (!out)
    return kInvalidValue;
  if (!isDevice(state, device))
    return kInvalidDevice;
  *out = state.currentPools[static_cast<size_t>(device)];
  return kSuccess;
}

Status cuDeviceSetMemPool(Device device, MemoryPool *pool) {
  LANESCOPE_ENTER(Needs::Library);
  if (!isDevice(state, device))
    return kInvalidDevice;
  if (!state.pools.has(pool))
    return kInvalidValue;
  state.currentPools[static_cast<size_t>(device)] = pool;
  return kSuccess;
}

Status cuGetProcAddress_v2(const char *name, void **out, int version, uint64_t, int *found) {
  if (!name || !out)
    return kInvalidValue;
  *out = functionNamed(name, version);
  if (found)
    *found = *out ? 0 : 1; // CU_GET_PROC_ADDRESS_SUCCESS, …_SYMBOL_NOT_FOUND
  return *out ? kSuccess : kNotFound;
}
Status cuGetProcAddress(const char *name, void **out, int version, uint64_t flags) {
  return cuGetProcAddress_v2(name, out, version, flags, nullptr);
}

Status cuGetExportTable(const void **out, const Uuid *id) {
  State &state = State::get();
  std::scoped_lock entered(state.lock);
  if (!out || !id)
    return kInvalidValue;
  *out = nullptr;
  if (!state.journal)
    state.journal = std::make_unique<Journal>(state.settings = settingsFromEnvironment());
  if (std::memcmp(id->bytes, kRuntimeTable.data(), kRuntimeTable.size()) == 0)
    state.journal->couldNotRun(
        "the program has NVIDIA's CUDA runtime linked into it, which works with NVIDIA's driver "
        "alone: link the program with `nvcc -cudart shared` (CMake: `CUDA_RUNTIME_LIBRARY Shared`)");
  return kNotFound;
}

Status cuProfilerStart() { return kSuccess; }
Status cuProfilerStop() { return kSuccess; }

Status cuModuleGetLoadingMode(int *out) {
  if (!out)
    return kInvalidValue;
  *out = 1; // CU_MODULE_EAGER_LOADING
  return kSuccess;
}

} // namespace lanescope::core::driver
