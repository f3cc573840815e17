// The part of the CUDA driver API that runs kernels. It is declared here, so no toolkit is needed to build, and loaded
// from libcuda.so.1 at run time, so no GPU is needed to start. Source: NVIDIA's CUDA driver API documentation (names,
// signatures, values and layouts are the library's binary interface). Only `Gpu` uses it.
#pragma once

#include "layouts/support/Diagnostic.h"

#include <cstddef>
#include <cstdint>

namespace lanescope::core::cuda {

using Status = int; // CUresult
constexpr Status kSuccess = 0, kInvalidValue = 1, kOutOfMemory = 2, kNoDevice = 100, kInvalidImage = 200,
                 kNoBinaryForGpu = 209, kInvalidPtx = 218, kUnsupportedPtxVersion = 222, kNotReady = 600,
                 kPeerAccessAlreadyEnabled = 704;

using DevicePointer = unsigned long long; // CUdeviceptr
using Device = int;
using Context = struct OpaqueContext *;
using Module = struct OpaqueModule *;
using Function = struct OpaqueFunction *;
using Stream = struct OpaqueStream *;
using Event = struct OpaqueEvent *;
using Graph = struct OpaqueGraph *;
using GraphExec = struct OpaqueGraphExec *;

// CUdevice_attribute
constexpr int kMultiprocessorCount = 16, kComputeCapabilityMajor = 75, kComputeCapabilityMinor = 76,
              kMaxSharedMemoryPerBlockOptin = 97;
// CUdevice_P2PAttribute
constexpr int kPeerNativeAtomics = 3;
// CUfunction_attribute
constexpr int kMaxThreadsPerBlock = 0, kSharedSizeBytes = 1, kLocalSizeBytes = 3, kRegisterCount = 4,
              kMaxDynamicSharedSizeBytes = 8, kNonPortableClusterSizeAllowed = 14;
// CUjit_option
constexpr int kJitInfoLogBuffer = 3, kJitInfoLogBufferSizeBytes = 4, kJitErrorLogBuffer = 5,
              kJitErrorLogBufferSizeBytes = 6;
// CU_MEMHOSTALLOC_PORTABLE, …_DEVICEMAP: for all contexts, and at an address that GPUs can access
constexpr unsigned kHostPortable = 1, kHostMapped = 2;
// CUstream_flags
constexpr unsigned kStreamNonBlocking = 1;
// CUstreamCaptureMode
constexpr int kCaptureThreadLocal = 1;
// CUlaunchAttributeID
constexpr int kLaunchAttributeClusterDimension = 4;

// CUtensorMapDataType, …Interleave, …Swizzle, …L2promotion, …FloatOOBfill
enum TensorMapType {
  kUint8,
  kUint16,
  kUint32,
  kInt32,
  kUint64,
  kInt64,
  kFloat16,
  kFloat32,
  kFloat64,
  kBfloat16,
  kFloat32Ftz,
  kTfloat32,
  k16U4Align8B = 13, // elements of 4 and 6 bits in groups of sixteen
  k16U4Align16B,
  k16U6Align16B,
};
constexpr int kInterleaveNone = 0, kL2PromotionNone = 0, kFillZeros = 0, kFillNan = 1;
constexpr int kWideModeW = 0, kWideModeW128 = 1; // for cuTensorMapEncodeIm2colWide
enum TensorMapSwizzle { kSwizzleNone, kSwizzle32, kSwizzle64, kSwizzle128, kSwizzle128Atom32 };

struct alignas(128) TensorMap { // CUtensorMap
  uint64_t opaque[16];
};

struct LaunchAttribute { // CUlaunchAttribute
  int id;
  int padding;
  union {
    char bytes[64];
    struct {
      unsigned x, y, z;
    } clusterDimension;
    uint64_t alignment;
  };
};
static_assert(sizeof(LaunchAttribute) == 72 && alignof(LaunchAttribute) == 8);

struct LaunchConfig { // CUlaunchConfig
  unsigned gridX, gridY, gridZ, blockX, blockY, blockZ, sharedMemoryBytes;
  Stream stream;
  LaunchAttribute *attributes;
  unsigned attributeCount;
};
static_assert(sizeof(LaunchConfig) == 56 && offsetof(LaunchConfig, stream) == 32);

/// The functions, by their names in the library without `cu` and version suffix.
struct Api {
  Status (*init)(unsigned flags);
  Status (*driverGetVersion)(int *version);
  Status (*getErrorName)(Status, const char **);
  Status (*getErrorString)(Status, const char **);
  Status (*deviceGetCount)(int *);
  Status (*deviceGet)(Device *, int ordinal);
  Status (*deviceGetName)(char *name, int length, Device);
  Status (*deviceGetAttribute)(int *value, int attribute, Device);
  Status (*deviceTotalMem)(size_t *bytes, Device);
  // For several devices; null if the driver does not have these functions.
  Status (*deviceCanAccessPeer)(int *can, Device, Device peer);
  Status (*deviceGetP2PAttribute)(int *value, int attribute, Device, Device peer);
  Status (*ctxEnablePeerAccess)(Context peer, unsigned flags); // for the current context
  Status (*occupancyMaxActiveBlocks)(int *blocks, Function, int threads, size_t sharedBytes);
  Status (*occupancyMaxActiveClusters)(int *clusters, Function, const LaunchConfig *);
  Status (*memHostAlloc)(void **, size_t bytes, unsigned flags);
  Status (*memFreeHost)(void *);
  Status (*memHostGetDevicePointer)(DevicePointer *, void *, unsigned flags);
  Status (*devicePrimaryCtxRetain)(Context *, Device);
  Status (*ctxSetCurrent)(Context);
  Status (*ctxSynchronize)();
  Status (*moduleLoadDataEx)(Module *, const void *image, unsigned count, int *options, void **values);
  Status (*moduleUnload)(Module);
  Status (*moduleGetFunction)(Function *, Module, const char *name);
  Status (*funcGetAttribute)(int *value, int attribute, Function);
  Status (*funcSetAttribute)(Function, int attribute, int value);
  Status (*memAlloc)(DevicePointer *, size_t bytes);
  Status (*memFree)(DevicePointer);
  Status (*memcpyHtoD)(DevicePointer, const void *, size_t bytes);
  Status (*memcpyDtoH)(void *, DevicePointer, size_t bytes);
  Status (*memsetD8)(DevicePointer, unsigned char value, size_t bytes);
  Status (*streamCreate)(Stream *, unsigned flags);
  Status (*streamDestroy)(Stream);
  Status (*streamQuery)(Stream);
  Status (*eventCreate)(Event *, unsigned flags);
  Status (*eventDestroy)(Event);
  Status (*eventRecord)(Event, Stream);
  Status (*eventElapsedTime)(float *milliseconds, Event start, Event end);
  Status (*launchKernelEx)(const LaunchConfig *, Function, void **parameters, void **extra);
  // Null if the driver is too old to have these functions.
  Status (*tensorMapEncodeTiled)(TensorMap *, int type, uint32_t rank, void *address, const uint64_t *sizes,
                                 const uint64_t *strides, const uint32_t *box, const uint32_t *elementStrides,
                                 int interleave, int swizzle, int l2Promotion, int fill);
  Status (*tensorMapEncodeIm2col)(TensorMap *, int type, uint32_t rank, void *address, const uint64_t *sizes,
                                  const uint64_t *strides, const int *lower, const int *upper, uint32_t channels,
                                  uint32_t pixels, const uint32_t *elementStrides, int interleave, int swizzle,
                                  int l2Promotion, int fill);
  Status (*tensorMapEncodeIm2colWide)(TensorMap *, int type, uint32_t rank, void *address, const uint64_t *sizes,
                                      const uint64_t *strides, int lower, int upper, uint32_t channels, uint32_t pixels,
                                      const uint32_t *elementStrides, int interleave, int mode, int swizzle,
                                      int l2Promotion, int fill);
  Status (*funcGetParamInfo)(Function, size_t index, size_t *offset, size_t *bytes);
  // For graphs. If the driver lacks one of them, all are null.
  Status (*streamBeginCapture)(Stream, int mode);
  Status (*streamEndCapture)(Stream, Graph *);
  Status (*graphInstantiate)(GraphExec *, Graph, unsigned long long flags);
  Status (*graphLaunch)(GraphExec, Stream);
  Status (*graphExecDestroy)(GraphExec);
  Status (*graphDestroy)(Graph);

  /// The error in words: "CUDA_ERROR_ILLEGAL_ADDRESS (700): an illegal memory access was encountered".
  std::string describe(Status) const;
};

/// Loads libcuda.so.1 on the first call; the library stays loaded. Errors: "no-gpu", with instructions.
Result<const Api *> load();

} // namespace lanescope::core::cuda
