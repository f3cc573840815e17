// The types of the CUDA runtime API of CUDA 13, declared here so that no toolkit is needed to build. They are the
// library's binary interface; the names are ours. Source: NVIDIA's CUDA runtime API documentation.
#pragma once

#include "core/gpu/driver/api/DriverApi.h"

namespace lanescope::core::runtime {

using driver::Event;
using driver::Function;
using driver::Graph;
using driver::GraphExec;
using driver::GraphNode;
using driver::HostFunction;
using driver::MemoryPool;
using driver::Module;
using driver::Stream;
using driver::TexelArray;

using Error = int; // cudaError_t
enum : Error {
  kSuccess = 0,
  kInvalidValue = 1,
  kMemoryAllocation = 2,
  kInitialization = 3,
  kInvalidConfiguration = 9,
  kInvalidSymbol = 13,
  kInvalidDevicePointer = 17,
  kInvalidDeviceFunction = 98,
  kInvalidDevice = 101,
  kNoKernelImage = 209,
  kInvalidResourceHandle = 400,
  kNotReady = 600,
  kNotSupported = 801,
};
constexpr int kRuntimeVersion = 13000;

struct Size3 { // dim3
  unsigned x = 1, y = 1, z = 1;
};
struct Place3 { // cudaPos, cudaExtent
  size_t x = 0, y = 0, z = 0;
};
struct Pitched { // cudaPitchedPtr
  void *pointer = nullptr;
  size_t pitch = 0, width = 0, height = 0;
};
struct CopyParameters { // cudaMemcpy3DParms
  TexelArray *fromArray;
  Place3 fromPlace;
  Pitched from;
  TexelArray *toArray;
  Place3 toPlace;
  Pitched to;
  Place3 extent;
  int kind;
};

struct ChannelDescription { // cudaChannelFormatDesc
  int x, y, z, w, kind;
};
enum ChannelKind : int { kSignedChannel, kUnsignedChannel, kFloatChannel };
struct Resource { // cudaResourceDesc
  int type;
  union {
    TexelArray *array;
    struct {
      void *pointer;
      ChannelDescription channels;
      size_t bytes;
    } linear;
    struct {
      void *pointer;
      ChannelDescription channels;
      size_t width, height, pitch;
    } pitched;
    int reserved[32];
  };
  unsigned flags;
};
static_assert(sizeof(Resource) == 144);
struct Sampling { // cudaTextureDesc
  int outside[3], filter, readMode, srgb;
  float border[4];
  int normalised;
  unsigned anisotropy;
  int mipmapFilter;
  float mipmapBias, mipmapLeast, mipmapMost;
  int disableTrilinear, seamlessCubemap;
};
static_assert(sizeof(Sampling) == 72);

struct DeviceProperties { // cudaDeviceProp
  char name[256];
  char uuid[16];
  char luid[8];
  unsigned luidDeviceNodeMask;
  size_t totalGlobalMem, sharedMemPerBlock;
  int regsPerBlock, warpSize;
  size_t memPitch;
  int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3];
  size_t totalConstMem;
  int major, minor;
  size_t textureAlignment, texturePitchAlignment;
  int multiProcessorCount, integrated, canMapHostMemory;
  int textures[39];
  size_t surfaceAlignment;
  int concurrentKernels, eccEnabled, pciBusId, pciDeviceId, pciDomainId, tccDriver, asyncEngineCount, unifiedAddressing,
      memoryBusWidth, l2CacheSize, persistingL2CacheMaxSize, maxThreadsPerMultiProcessor, streamPrioritiesSupported,
      globalL1CacheSupported, localL1CacheSupported;
  size_t sharedMemPerMultiprocessor;
  int regsPerMultiprocessor, managedMemory, isMultiGpuBoard, multiGpuBoardGroupId, hostNativeAtomicSupported,
      pageableMemoryAccess, concurrentManagedAccess, computePreemptionSupported, canUseHostPointerForRegisteredMem,
      cooperativeLaunch;
  size_t sharedMemPerBlockOptin;
  int pageableMemoryAccessUsesHostPageTables, directManagedMemAccessFromHost, maxBlocksPerMultiProcessor,
      accessPolicyMaxWindowSize;
  size_t reservedSharedMemPerBlock;
  int hostRegisterSupported, sparseArrays, hostRegisterReadOnlySupported, timelineSemaphores, memoryPoolsSupported,
      gpuDirectRdma;
  unsigned gpuDirectRdmaFlush;
  int gpuDirectRdmaOrdering;
  unsigned memoryPoolHandles;
  int deferredMapping, ipcEventSupported, clusterLaunch, unifiedFunctionPointers, deviceNumaConfig, deviceNumaId,
      mpsEnabled, hostNumaId;
  unsigned gpuPciDeviceId, gpuPciSubsystemId;
  int hostNumaMultinodeIpc, reserved[56];
};
static_assert(sizeof(DeviceProperties) == 1008);

struct FunctionAttributes { // cudaFuncAttributes
  size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
  int values[13]; // maxThreadsPerBlock and those after it
  int reserved[16];
};
static_assert(sizeof(FunctionAttributes) == 144);

struct PointerAttributes { // cudaPointerAttributes
  int type, device;
  void *devicePointer, *hostPointer;
  long reserved[8];
};

struct LaunchConfig { // cudaLaunchConfig_t
  Size3 grid, block;
  size_t sharedBytes;
  Stream *stream;
  driver::LaunchAttribute *attributes;
  unsigned attributeCount;
};

struct KernelNode { // cudaKernelNodeParams
  void *function;
  Size3 grid, block;
  unsigned sharedBytes;
  void **parameters, **extra;
};
struct AllocationNode { // cudaMemAllocNodeParams
  char pool[88];
  const void *access;
  size_t accessCount, bytes;
  void *pointer;
};
struct NodeParameters { // cudaGraphNodeParams
  int type;
  int reserved[3];
  union {
    long long words[29];
    KernelNode kernel;
    struct {
      int flags, reserved[3];
      CopyParameters copy;
    } copy;
    driver::MemsetNodeParams fill;
    driver::HostNodeParams host;
    Graph *child;
    Event *event;
    AllocationNode allocation;
    void *freed;
  };
  long long reserved2;
};

} // namespace lanescope::core::runtime
