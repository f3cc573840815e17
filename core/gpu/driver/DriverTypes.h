// The types and numbers of the CUDA driver API, declared here so that no toolkit is needed to build. They are the
// library's binary interface; the names are ours. Source: NVIDIA's CUDA driver API documentation.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lanescope::core::driver {

using Status = int; // CUresult
enum : Status {
  kSuccess = 0,
  kInvalidValue = 1,
  kOutOfMemory = 2,
  kNotInitialized = 3,
  kDeinitialized = 4,
  kNoDevice = 100,
  kInvalidDevice = 101,
  kInvalidImage = 200,
  kInvalidContext = 201,
  kNoBinaryForGpu = 209,
  kPeerAccessUnsupported = 217,
  kInvalidPtx = 218,
  kInvalidSource = 300,
  kFileNotFound = 301,
  kInvalidHandle = 400,
  kIllegalState = 401,
  kNotFound = 500,
  kNotReady = 600,
  kIllegalAddress = 700,
  kLaunchOutOfResources = 701,
  kLaunchTimeout = 702,
  kPeerAccessAlreadyEnabled = 704,
  kPeerAccessNotEnabled = 705,
  kContextIsDestroyed = 709,
  kAssert = 710,
  kHostMemoryAlreadyRegistered = 712,
  kHostMemoryNotRegistered = 713,
  kHardwareStackError = 714,
  kIllegalInstruction = 715,
  kMisalignedAddress = 716,
  kLaunchFailed = 719,
  kCooperativeLaunchTooLarge = 720,
  kNotSupported = 801,
  kStreamCaptureUnsupported = 900,
  kStreamCaptureInvalidated = 901,
  kStreamCaptureMerge = 902,
  kStreamCaptureUnmatched = 903,
  kStreamCaptureUnjoined = 904,
  kStreamCaptureIsolation = 905,
  kStreamCaptureImplicit = 906,
  kCapturedEvent = 907,
  kUnknownError = 999,
};

using DevicePointer = unsigned long long; // CUdeviceptr
using Device = int;

struct Uuid {
  char bytes[16];
};

// Handles point to these types; State.h defines them.
struct Context;
struct Module;
struct Function;
struct Stream;
struct Event;
struct Graph;
struct GraphNode;
struct GraphExec;
struct MemoryPool;
struct TexelArray; // CUarray

constexpr int kDriverVersion = 13000;

// CUfunction_attribute
enum FunctionAttribute {
  kMaxThreadsPerBlock,
  kSharedSizeBytes,
  kConstSizeBytes,
  kLocalSizeBytes,
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
  kNonPortableClusterSizeAllowed,
  kClusterSchedulingPolicyPreference,
  kFunctionAttributes,
};

// CUlaunchAttributeID
enum LaunchAttributeId { kAttributeCooperative = 2, kAttributeClusterDimension = 4, kAttributePreferredCluster = 11 };

struct LaunchAttribute { // CUlaunchAttribute
  int id;
  int padding;
  union {
    char bytes[64];
    int cooperative;
    struct {
      unsigned x, y, z;
    } cluster;
    uint64_t alignment;
  };
};
static_assert(sizeof(LaunchAttribute) == 72);

struct LaunchConfig { // CUlaunchConfig
  unsigned gridX, gridY, gridZ, blockX, blockY, blockZ, sharedBytes;
  Stream *stream;
  LaunchAttribute *attributes;
  unsigned attributeCount;
};
static_assert(sizeof(LaunchConfig) == 56);

struct MemoryProperties { // CUmemAllocationProp
  int type, handleTypes, locationType, location;
  void *windows;
  unsigned char flags[8];
};
static_assert(sizeof(MemoryProperties) == 32);

// CUarray_format
enum TexelFormat : int {
  kUnsignedInt8 = 1,
  kUnsignedInt16 = 2,
  kUnsignedInt32 = 3,
  kSignedInt8 = 8,
  kSignedInt16 = 9,
  kSignedInt32 = 10,
  kHalf = 16,
  kFloat = 32,
};
struct ArrayDescriptor { // CUDA_ARRAY_DESCRIPTOR
  size_t width, height;
  int format;
  unsigned channels;
};
enum ArrayFlag : unsigned { kArrayLayered = 1, kArraySurface = 2, kArrayCube = 4, kArrayGather = 8 };
struct ArrayDescriptor3D { // CUDA_ARRAY3D_DESCRIPTOR
  size_t width, height, depth;
  int format;
  unsigned channels, flags;
};
enum ResourceType : int { kArrayResource, kMipmappedResource, kLinearResource, kPitchedResource };
struct ResourceDescriptor { // CUDA_RESOURCE_DESC
  int type;
  union {
    TexelArray *array;
    struct {
      DevicePointer address;
      int format;
      unsigned channels;
      size_t bytes;
    } linear;
    struct {
      DevicePointer address;
      int format;
      unsigned channels;
      size_t width, height, pitch;
    } pitched;
    int reserved[32];
  };
  unsigned flags;
};
static_assert(sizeof(ResourceDescriptor) == 144);
enum TextureFlag : unsigned { kReadAsInteger = 1, kNormalisedCoordinates = 2, kSrgb = 16 };
struct TextureDescriptor { // CUDA_TEXTURE_DESC
  int outside[3], filter;
  unsigned flags, anisotropy;
  int mipmapFilter;
  float mipmapBias, mipmapLeast, mipmapMost, border[4];
  int reserved[12];
};
static_assert(sizeof(TextureDescriptor) == 104);

enum MemoryType : unsigned { kHostMemory = 1, kDeviceMemory = 2, kArrayMemory = 3, kUnifiedMemory = 4 };

struct Copy2D { // CUDA_MEMCPY2D
  size_t srcX, srcY;
  MemoryType srcType;
  const void *srcHost;
  DevicePointer srcDevice;
  TexelArray *srcArray;
  size_t srcPitch;
  size_t dstX, dstY;
  MemoryType dstType;
  void *dstHost;
  DevicePointer dstDevice;
  TexelArray *dstArray;
  size_t dstPitch;
  size_t width, height;
};
static_assert(sizeof(Copy2D) == 128);

struct Copy3D { // CUDA_MEMCPY3D, CUDA_MEMCPY3D_PEER: their reserved words are the peers' contexts
  size_t srcX, srcY, srcZ, srcLod;
  MemoryType srcType;
  const void *srcHost;
  DevicePointer srcDevice;
  TexelArray *srcArray;
  void *srcContext;
  size_t srcPitch, srcHeight;
  size_t dstX, dstY, dstZ, dstLod;
  MemoryType dstType;
  void *dstHost;
  DevicePointer dstDevice;
  TexelArray *dstArray;
  void *dstContext;
  size_t dstPitch, dstHeight;
  size_t width, height, depth;
};
static_assert(sizeof(Copy3D) == 200);

struct KernelNodeParams { // CUDA_KERNEL_NODE_PARAMS_v2
  Function *function;
  unsigned gridX, gridY, gridZ, blockX, blockY, blockZ, sharedBytes;
  void **kernelParams, **extra;
  Function *kernel;
  Context *context;
};

struct MemsetNodeParams { // CUDA_MEMSET_NODE_PARAMS
  DevicePointer destination;
  size_t pitch;
  unsigned value, elementSize;
  size_t width, height;
};

using HostFunction = void (*)(void *);
struct HostNodeParams { // CUDA_HOST_NODE_PARAMS
  HostFunction function;
  void *data;
};

struct TensorMap { // CUtensorMap
  alignas(64) uint64_t opaque[16];
};

} // namespace lanescope::core::driver
