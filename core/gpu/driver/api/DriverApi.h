// The functions of the CUDA driver API that `libcuda.so.1` provides. The library's files define them; our CUDA runtime
// and the tests' programs call them. Source: NVIDIA's CUDA driver API documentation (names, signatures, values).
#pragma once

#include "core/gpu/driver/DriverTypes.h"

extern "C" {
#define LANESCOPE_CUDA __attribute__((visibility("default")))
// clang-format off
namespace lanescope::core::driver {

// Errors, versions, devices (DevicesApi.cpp)
LANESCOPE_CUDA Status cuGetErrorName(Status error, const char **out);
LANESCOPE_CUDA Status cuGetErrorString(Status error, const char **out);
LANESCOPE_CUDA Status cuInit(unsigned flags);
LANESCOPE_CUDA Status cuDriverGetVersion(int *out);
LANESCOPE_CUDA Status cuDeviceGet(Device *out, int ordinal);
LANESCOPE_CUDA Status cuDeviceGetCount(int *out);
LANESCOPE_CUDA Status cuDeviceGetName(char *out, int length, Device device);
LANESCOPE_CUDA Status cuDeviceGetUuid(Uuid *out, Device device);
LANESCOPE_CUDA Status cuDeviceGetUuid_v2(Uuid *out, Device device);
LANESCOPE_CUDA Status cuDeviceGetLuid(char *luid, unsigned *mask, Device device);
LANESCOPE_CUDA Status cuDeviceTotalMem(size_t *out, Device device);
LANESCOPE_CUDA Status cuDeviceTotalMem_v2(size_t *out, Device device);
LANESCOPE_CUDA Status cuDeviceGetAttribute(int *out, int attribute, Device device);
LANESCOPE_CUDA Status cuDeviceComputeCapability(int *major, int *minor, Device device);
LANESCOPE_CUDA Status cuDeviceGetProperties(int *out, Device device);
LANESCOPE_CUDA Status cuDeviceGetPCIBusId(char *out, int length, Device device);
LANESCOPE_CUDA Status cuDeviceGetByPCIBusId(Device *out, const char *id);
LANESCOPE_CUDA Status cuDeviceCanAccessPeer(int *out, Device device, Device peer);
LANESCOPE_CUDA Status cuDeviceGetP2PAttribute(int *out, int attribute, Device source, Device destination);
LANESCOPE_CUDA Status cuDeviceGetDefaultMemPool(MemoryPool **out, Device device);
LANESCOPE_CUDA Status cuDeviceGetMemPool(MemoryPool **out, Device device);
LANESCOPE_CUDA Status cuDeviceSetMemPool(Device device, MemoryPool *pool);
LANESCOPE_CUDA Status cuGetProcAddress(const char *name, void **out, int version, uint64_t flags);
LANESCOPE_CUDA Status cuGetProcAddress_v2(const char *name, void **out, int version, uint64_t flags, int *found);
LANESCOPE_CUDA Status cuGetExportTable(const void **out, const Uuid *id);
LANESCOPE_CUDA Status cuProfilerStart();
LANESCOPE_CUDA Status cuProfilerStop();
LANESCOPE_CUDA Status cuModuleGetLoadingMode(int *out);

// Contexts (ContextsApi.cpp)
LANESCOPE_CUDA Status cuDevicePrimaryCtxRetain(Context **out, Device device);
LANESCOPE_CUDA Status cuDevicePrimaryCtxRelease(Device device);
LANESCOPE_CUDA Status cuDevicePrimaryCtxRelease_v2(Device device);
LANESCOPE_CUDA Status cuDevicePrimaryCtxReset(Device device);
LANESCOPE_CUDA Status cuDevicePrimaryCtxReset_v2(Device device);
LANESCOPE_CUDA Status cuDevicePrimaryCtxSetFlags(Device device, unsigned flags);
LANESCOPE_CUDA Status cuDevicePrimaryCtxSetFlags_v2(Device device, unsigned flags);
LANESCOPE_CUDA Status cuDevicePrimaryCtxGetState(Device device, unsigned *flags, int *active);
LANESCOPE_CUDA Status cuCtxCreate(Context **out, unsigned flags, Device device);
LANESCOPE_CUDA Status cuCtxCreate_v2(Context **out, unsigned flags, Device device);
LANESCOPE_CUDA Status cuCtxCreate_v3(Context **out, void *affinity, int count, unsigned flags, Device device);
LANESCOPE_CUDA Status cuCtxCreate_v4(Context **out, void *parameters, unsigned flags, Device device);
LANESCOPE_CUDA Status cuCtxDestroy(Context *context);
LANESCOPE_CUDA Status cuCtxDestroy_v2(Context *context);
LANESCOPE_CUDA Status cuCtxPushCurrent(Context *context);
LANESCOPE_CUDA Status cuCtxPushCurrent_v2(Context *context);
LANESCOPE_CUDA Status cuCtxPopCurrent(Context **out);
LANESCOPE_CUDA Status cuCtxPopCurrent_v2(Context **out);
LANESCOPE_CUDA Status cuCtxSetCurrent(Context *context);
LANESCOPE_CUDA Status cuCtxGetCurrent(Context **out);
LANESCOPE_CUDA Status cuCtxGetDevice(Device *out);
LANESCOPE_CUDA Status cuCtxGetDevice_v2(Device *out, Context *context);
LANESCOPE_CUDA Status cuCtxGetFlags(unsigned *out);
LANESCOPE_CUDA Status cuCtxSetFlags(unsigned flags);
LANESCOPE_CUDA Status cuCtxGetId(Context *context, unsigned long long *out);
LANESCOPE_CUDA Status cuCtxSynchronize();
LANESCOPE_CUDA Status cuCtxSynchronize_v2(Context *context);
LANESCOPE_CUDA Status cuCtxSetLimit(int limit, size_t value);
LANESCOPE_CUDA Status cuCtxGetLimit(size_t *out, int limit);
LANESCOPE_CUDA Status cuCtxGetCacheConfig(int *out);
LANESCOPE_CUDA Status cuCtxSetCacheConfig(int config);
LANESCOPE_CUDA Status cuCtxGetSharedMemConfig(int *out);
LANESCOPE_CUDA Status cuCtxSetSharedMemConfig(int config);
LANESCOPE_CUDA Status cuCtxGetApiVersion(Context *context, unsigned *out);
LANESCOPE_CUDA Status cuCtxGetStreamPriorityRange(int *least, int *greatest);
LANESCOPE_CUDA Status cuCtxResetPersistingL2Cache();
LANESCOPE_CUDA Status cuCtxEnablePeerAccess(Context *peer, unsigned flags);
LANESCOPE_CUDA Status cuCtxDisablePeerAccess(Context *peer);

// Modules, libraries, kernels (ModulesApi.cpp)
LANESCOPE_CUDA Status cuModuleLoad(Module **out, const char *file);
LANESCOPE_CUDA Status cuModuleLoadData(Module **out, const void *image);
LANESCOPE_CUDA Status cuModuleLoadDataEx(Module **out, const void *image, unsigned count, int *options, void **values);
LANESCOPE_CUDA Status cuModuleLoadFatBinary(Module **out, const void *image);
LANESCOPE_CUDA Status cuModuleUnload(Module *module);
LANESCOPE_CUDA Status cuModuleGetFunction(Function **out, Module *module, const char *name);
LANESCOPE_CUDA Status cuModuleGetFunctionCount(unsigned *out, Module *module);
LANESCOPE_CUDA Status cuModuleEnumerateFunctions(Function **out, unsigned count, Module *module);
LANESCOPE_CUDA Status cuModuleGetGlobal(DevicePointer *out, size_t *bytes, Module *module, const char *name);
LANESCOPE_CUDA Status cuModuleGetGlobal_v2(DevicePointer *out, size_t *bytes, Module *module, const char *name);
LANESCOPE_CUDA Status cuLibraryLoadData(Module **out, const void *image, int *jit, void **jitValues, unsigned jitCount, int *options, void **values, unsigned count);
LANESCOPE_CUDA Status cuLibraryLoadFromFile(Module **out, const char *file, int *jit, void **jitValues, unsigned jitCount, int *options, void **values, unsigned count);
LANESCOPE_CUDA Status cuLibraryUnload(Module *library);
LANESCOPE_CUDA Status cuLibraryGetKernel(Function **out, Module *library, const char *name);
LANESCOPE_CUDA Status cuLibraryGetModule(Module **out, Module *library);
LANESCOPE_CUDA Status cuLibraryGetGlobal(DevicePointer *out, size_t *bytes, Module *library, const char *name);
LANESCOPE_CUDA Status cuLibraryGetManaged(DevicePointer *out, size_t *bytes, Module *library, const char *name);
LANESCOPE_CUDA Status cuLibraryGetKernelCount(unsigned *out, Module *library);
LANESCOPE_CUDA Status cuLibraryEnumerateKernels(Function **out, unsigned count, Module *library);
LANESCOPE_CUDA Status cuKernelGetFunction(Function **out, Function *kernel);
LANESCOPE_CUDA Status cuKernelGetLibrary(Module **out, Function *kernel);
LANESCOPE_CUDA Status cuKernelGetAttribute(int *out, int attribute, Function *kernel, Device device);
LANESCOPE_CUDA Status cuKernelSetAttribute(int attribute, int value, Function *kernel, Device device);
LANESCOPE_CUDA Status cuKernelSetCacheConfig(Function *kernel, int config, Device device);
LANESCOPE_CUDA Status cuKernelGetName(const char **out, Function *kernel);
LANESCOPE_CUDA Status cuKernelGetParamInfo(Function *kernel, size_t index, size_t *offset, size_t *bytes);
LANESCOPE_CUDA Status cuFuncGetAttribute(int *out, int attribute, Function *function);
LANESCOPE_CUDA Status cuFuncSetAttribute(Function *function, int attribute, int value);
LANESCOPE_CUDA Status cuFuncSetCacheConfig(Function *function, int config);
LANESCOPE_CUDA Status cuFuncSetSharedMemConfig(Function *function, int config);
LANESCOPE_CUDA Status cuFuncGetModule(Module **out, Function *function);
LANESCOPE_CUDA Status cuFuncGetName(const char **out, Function *function);
LANESCOPE_CUDA Status cuFuncGetParamInfo(Function *function, size_t index, size_t *offset, size_t *bytes);
LANESCOPE_CUDA Status cuFuncIsLoaded(int *out, Function *function);
LANESCOPE_CUDA Status cuFuncLoad(Function *function);

// The linker (LinkApi.cpp)
LANESCOPE_CUDA Status cuLinkCreate(unsigned count, int *options, void **values, void **out);
LANESCOPE_CUDA Status cuLinkCreate_v2(unsigned count, int *options, void **values, void **out);
LANESCOPE_CUDA Status cuLinkAddData(void *linker, int type, void *data, size_t bytes, const char *name, unsigned count, int *options, void **values);
LANESCOPE_CUDA Status cuLinkAddData_v2(void *linker, int type, void *data, size_t bytes, const char *name, unsigned count, int *options, void **values);
LANESCOPE_CUDA Status cuLinkAddFile(void *linker, int type, const char *path, unsigned count, int *options, void **values);
LANESCOPE_CUDA Status cuLinkAddFile_v2(void *linker, int type, const char *path, unsigned count, int *options, void **values);
LANESCOPE_CUDA Status cuLinkComplete(void *linker, void **out, size_t *bytes);
LANESCOPE_CUDA Status cuLinkDestroy(void *linker);

// Memory (MemoryApi.cpp, CopiesApi.cpp)
LANESCOPE_CUDA Status cuMemGetInfo(size_t *free, size_t *total);
LANESCOPE_CUDA Status cuMemGetInfo_v2(size_t *free, size_t *total);
LANESCOPE_CUDA Status cuMemAlloc(DevicePointer *out, size_t bytes);
LANESCOPE_CUDA Status cuMemAlloc_v2(DevicePointer *out, size_t bytes);
LANESCOPE_CUDA Status cuMemAllocPitch(DevicePointer *out, size_t *pitch, size_t width, size_t height, unsigned elementSize);
LANESCOPE_CUDA Status cuMemAllocPitch_v2(DevicePointer *out, size_t *pitch, size_t width, size_t height, unsigned elementSize);
LANESCOPE_CUDA Status cuMemFree(DevicePointer address);
LANESCOPE_CUDA Status cuMemFree_v2(DevicePointer address);
LANESCOPE_CUDA Status cuMemGetAddressRange(DevicePointer *base, size_t *bytes, DevicePointer address);
LANESCOPE_CUDA Status cuMemGetAddressRange_v2(DevicePointer *base, size_t *bytes, DevicePointer address);
LANESCOPE_CUDA Status cuMemAllocHost(void **out, size_t bytes);
LANESCOPE_CUDA Status cuMemAllocHost_v2(void **out, size_t bytes);
LANESCOPE_CUDA Status cuMemHostAlloc(void **out, size_t bytes, unsigned flags);
LANESCOPE_CUDA Status cuMemFreeHost(void *memory);
LANESCOPE_CUDA Status cuMemHostGetDevicePointer(DevicePointer *out, void *memory, unsigned flags);
LANESCOPE_CUDA Status cuMemHostGetDevicePointer_v2(DevicePointer *out, void *memory, unsigned flags);
LANESCOPE_CUDA Status cuMemHostGetFlags(unsigned *out, void *memory);
LANESCOPE_CUDA Status cuMemHostRegister(void *memory, size_t bytes, unsigned flags);
LANESCOPE_CUDA Status cuMemHostRegister_v2(void *memory, size_t bytes, unsigned flags);
LANESCOPE_CUDA Status cuMemHostUnregister(void *memory);
LANESCOPE_CUDA Status cuMemAllocManaged(DevicePointer *out, size_t bytes, unsigned flags);
LANESCOPE_CUDA Status cuMemAllocAsync(DevicePointer *out, size_t bytes, Stream *stream);
LANESCOPE_CUDA Status cuMemAllocFromPoolAsync(DevicePointer *out, size_t bytes, MemoryPool *pool, Stream *stream);
LANESCOPE_CUDA Status cuMemFreeAsync(DevicePointer address, Stream *stream);
LANESCOPE_CUDA Status cuMemPoolCreate(MemoryPool **out, const void *properties);
LANESCOPE_CUDA Status cuMemPoolDestroy(MemoryPool *pool);
LANESCOPE_CUDA Status cuMemPoolTrimTo(MemoryPool *pool, size_t keep);
LANESCOPE_CUDA Status cuMemPoolSetAttribute(MemoryPool *pool, int attribute, void *value);
LANESCOPE_CUDA Status cuMemPoolGetAttribute(MemoryPool *pool, int attribute, void *value);
LANESCOPE_CUDA Status cuMemPoolSetAccess(MemoryPool *pool, const void *descriptors, size_t count);
LANESCOPE_CUDA Status cuMemPoolGetAccess(int *flags, MemoryPool *pool, void *location);
LANESCOPE_CUDA Status cuMemPrefetchAsync(DevicePointer address, size_t bytes, Device device, Stream *stream);
LANESCOPE_CUDA Status cuMemPrefetchAsync_v2(DevicePointer address, size_t bytes, uint64_t location, unsigned flags, Stream *stream);
LANESCOPE_CUDA Status cuMemAdvise(DevicePointer address, size_t bytes, int advice, Device device);
LANESCOPE_CUDA Status cuMemAdvise_v2(DevicePointer address, size_t bytes, int advice, uint64_t location);
LANESCOPE_CUDA Status cuPointerGetAttribute(void *out, int attribute, DevicePointer address);
LANESCOPE_CUDA Status cuPointerGetAttributes(unsigned count, int *attributes, void **out, DevicePointer address);
LANESCOPE_CUDA Status cuPointerSetAttribute(const void *value, int attribute, DevicePointer address);
LANESCOPE_CUDA Status cuMemcpy(DevicePointer to, DevicePointer from, size_t bytes);
LANESCOPE_CUDA Status cuMemcpyPeer(DevicePointer to, Context *toContext, DevicePointer from, Context *fromContext, size_t bytes);
LANESCOPE_CUDA Status cuMemcpyHtoD(DevicePointer to, const void *from, size_t bytes);
LANESCOPE_CUDA Status cuMemcpyHtoD_v2(DevicePointer to, const void *from, size_t bytes);
LANESCOPE_CUDA Status cuMemcpyDtoH(void *to, DevicePointer from, size_t bytes);
LANESCOPE_CUDA Status cuMemcpyDtoH_v2(void *to, DevicePointer from, size_t bytes);
LANESCOPE_CUDA Status cuMemcpyDtoD(DevicePointer to, DevicePointer from, size_t bytes);
LANESCOPE_CUDA Status cuMemcpyDtoD_v2(DevicePointer to, DevicePointer from, size_t bytes);
LANESCOPE_CUDA Status cuMemcpyAsync(DevicePointer to, DevicePointer from, size_t bytes, Stream *stream);
LANESCOPE_CUDA Status cuMemcpyPeerAsync(DevicePointer to, Context *toContext, DevicePointer from, Context *fromContext, size_t bytes, Stream *stream);
LANESCOPE_CUDA Status cuMemcpyHtoDAsync(DevicePointer to, const void *from, size_t bytes, Stream *stream);
LANESCOPE_CUDA Status cuMemcpyHtoDAsync_v2(DevicePointer to, const void *from, size_t bytes, Stream *stream);
LANESCOPE_CUDA Status cuMemcpyDtoHAsync(void *to, DevicePointer from, size_t bytes, Stream *stream);
LANESCOPE_CUDA Status cuMemcpyDtoHAsync_v2(void *to, DevicePointer from, size_t bytes, Stream *stream);
LANESCOPE_CUDA Status cuMemcpyDtoDAsync(DevicePointer to, DevicePointer from, size_t bytes, Stream *stream);
LANESCOPE_CUDA Status cuMemcpyDtoDAsync_v2(DevicePointer to, DevicePointer from, size_t bytes, Stream *stream);
LANESCOPE_CUDA Status cuMemcpy2D(const Copy2D *copy);
LANESCOPE_CUDA Status cuMemcpy2D_v2(const Copy2D *copy);
LANESCOPE_CUDA Status cuMemcpy2DUnaligned(const Copy2D *copy);
LANESCOPE_CUDA Status cuMemcpy2DUnaligned_v2(const Copy2D *copy);
LANESCOPE_CUDA Status cuMemcpy2DAsync(const Copy2D *copy, Stream *stream);
LANESCOPE_CUDA Status cuMemcpy2DAsync_v2(const Copy2D *copy, Stream *stream);
LANESCOPE_CUDA Status cuMemcpy3D(const Copy3D *copy);
LANESCOPE_CUDA Status cuMemcpy3D_v2(const Copy3D *copy);
LANESCOPE_CUDA Status cuMemcpy3DAsync(const Copy3D *copy, Stream *stream);
LANESCOPE_CUDA Status cuMemcpy3DAsync_v2(const Copy3D *copy, Stream *stream);
LANESCOPE_CUDA Status cuMemcpy3DPeer(const Copy3D *copy);
LANESCOPE_CUDA Status cuMemcpy3DPeerAsync(const Copy3D *copy, Stream *stream);
LANESCOPE_CUDA Status cuMemsetD8(DevicePointer to, unsigned char value, size_t count);
LANESCOPE_CUDA Status cuMemsetD8_v2(DevicePointer to, unsigned char value, size_t count);
LANESCOPE_CUDA Status cuMemsetD16(DevicePointer to, unsigned short value, size_t count);
LANESCOPE_CUDA Status cuMemsetD16_v2(DevicePointer to, unsigned short value, size_t count);
LANESCOPE_CUDA Status cuMemsetD32(DevicePointer to, unsigned value, size_t count);
LANESCOPE_CUDA Status cuMemsetD32_v2(DevicePointer to, unsigned value, size_t count);
LANESCOPE_CUDA Status cuMemsetD8Async(DevicePointer to, unsigned char value, size_t count, Stream *stream);
LANESCOPE_CUDA Status cuMemsetD16Async(DevicePointer to, unsigned short value, size_t count, Stream *stream);
LANESCOPE_CUDA Status cuMemsetD32Async(DevicePointer to, unsigned value, size_t count, Stream *stream);
LANESCOPE_CUDA Status cuMemsetD2D8(DevicePointer to, size_t pitch, unsigned char value, size_t width, size_t height);
LANESCOPE_CUDA Status cuMemsetD2D8_v2(DevicePointer to, size_t pitch, unsigned char value, size_t width, size_t height);
LANESCOPE_CUDA Status cuMemsetD2D16_v2(DevicePointer to, size_t pitch, unsigned short value, size_t width, size_t height);
LANESCOPE_CUDA Status cuMemsetD2D32_v2(DevicePointer to, size_t pitch, unsigned value, size_t width, size_t height);
LANESCOPE_CUDA Status cuMemsetD2D8Async(DevicePointer to, size_t pitch, unsigned char value, size_t width, size_t height, Stream *stream);
LANESCOPE_CUDA Status cuMemsetD2D16Async(DevicePointer to, size_t pitch, unsigned short value, size_t width, size_t height, Stream *stream);
LANESCOPE_CUDA Status cuMemsetD2D32Async(DevicePointer to, size_t pitch, unsigned value, size_t width, size_t height, Stream *stream);

// Launches, occupancy (LaunchApi.cpp)
LANESCOPE_CUDA Status cuLaunchKernel(Function *function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX, unsigned blockY, unsigned blockZ, unsigned sharedBytes, Stream *stream, void **parameters, void **extra);
LANESCOPE_CUDA Status cuLaunchKernelEx(const LaunchConfig *config, Function *function, void **parameters, void **extra);
LANESCOPE_CUDA Status cuLaunchCooperativeKernel(Function *function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX, unsigned blockY, unsigned blockZ, unsigned sharedBytes, Stream *stream, void **parameters);
LANESCOPE_CUDA Status cuLaunchHostFunc(Stream *stream, HostFunction function, void *data);
LANESCOPE_CUDA Status cuOccupancyMaxActiveBlocksPerMultiprocessor(int *out, Function *function, int threads, size_t sharedBytes);
LANESCOPE_CUDA Status cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *out, Function *function, int threads, size_t sharedBytes, unsigned flags);
LANESCOPE_CUDA Status cuOccupancyMaxPotentialBlockSize(int *grid, int *block, Function *function, size_t (*sharedOf)(int), size_t sharedBytes, int limit);
LANESCOPE_CUDA Status cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, Function *function, size_t (*sharedOf)(int), size_t sharedBytes, int limit, unsigned flags);
LANESCOPE_CUDA Status cuOccupancyAvailableDynamicSMemPerBlock(size_t *out, Function *function, int blocks, int threads);
LANESCOPE_CUDA Status cuOccupancyMaxPotentialClusterSize(int *out, Function *function, const LaunchConfig *config);
LANESCOPE_CUDA Status cuOccupancyMaxActiveClusters(int *out, Function *function, const LaunchConfig *config);
LANESCOPE_CUDA Status cuTensorMapEncodeTiled(TensorMap *out, int type, unsigned rank, void *address, const uint64_t *sizes, const uint64_t *strides, const uint32_t *box, const uint32_t *steps, int interleave, int swizzle, int promotion, int fill);
LANESCOPE_CUDA Status cuTensorMapEncodeIm2col(TensorMap *out, int type, unsigned rank, void *address, const uint64_t *sizes, const uint64_t *strides, const int *lower, const int *upper, uint32_t channels, uint32_t pixels, const uint32_t *steps, int interleave, int swizzle, int promotion, int fill);
LANESCOPE_CUDA Status cuTensorMapReplaceAddress(TensorMap *map, void *address);

// Streams and events (StreamsApi.cpp)
LANESCOPE_CUDA Status cuStreamCreate(Stream **out, unsigned flags);
LANESCOPE_CUDA Status cuStreamCreateWithPriority(Stream **out, unsigned flags, int priority);
LANESCOPE_CUDA Status cuStreamDestroy(Stream *stream);
LANESCOPE_CUDA Status cuStreamDestroy_v2(Stream *stream);
LANESCOPE_CUDA Status cuStreamSynchronize(Stream *stream);
LANESCOPE_CUDA Status cuStreamQuery(Stream *stream);
LANESCOPE_CUDA Status cuStreamWaitEvent(Stream *stream, Event *event, unsigned flags);
LANESCOPE_CUDA Status cuStreamAddCallback(Stream *stream, void (*callback)(Stream *, Status, void *), void *data, unsigned flags);
LANESCOPE_CUDA Status cuStreamGetPriority(Stream *stream, int *out);
LANESCOPE_CUDA Status cuStreamGetFlags(Stream *stream, unsigned *out);
LANESCOPE_CUDA Status cuStreamGetId(Stream *stream, unsigned long long *out);
LANESCOPE_CUDA Status cuStreamGetCtx(Stream *stream, Context **out);
LANESCOPE_CUDA Status cuStreamGetDevice(Stream *stream, Device *out);
LANESCOPE_CUDA Status cuStreamAttachMemAsync(Stream *stream, DevicePointer address, size_t bytes, unsigned flags);
LANESCOPE_CUDA Status cuStreamSetAttribute(Stream *stream, int attribute, const void *value);
LANESCOPE_CUDA Status cuStreamGetAttribute(Stream *stream, int attribute, void *value);
LANESCOPE_CUDA Status cuEventCreate(Event **out, unsigned flags);
LANESCOPE_CUDA Status cuEventDestroy(Event *event);
LANESCOPE_CUDA Status cuEventDestroy_v2(Event *event);
LANESCOPE_CUDA Status cuEventRecord(Event *event, Stream *stream);
LANESCOPE_CUDA Status cuEventRecordWithFlags(Event *event, Stream *stream, unsigned flags);
LANESCOPE_CUDA Status cuEventQuery(Event *event);
LANESCOPE_CUDA Status cuEventSynchronize(Event *event);
LANESCOPE_CUDA Status cuEventElapsedTime(float *out, Event *start, Event *end);
LANESCOPE_CUDA Status cuEventElapsedTime_v2(float *out, Event *start, Event *end);
LANESCOPE_CUDA Status cuStreamBeginCapture(Stream *stream);
LANESCOPE_CUDA Status cuStreamBeginCapture_v2(Stream *stream, int mode);
LANESCOPE_CUDA Status cuStreamEndCapture(Stream *stream, Graph **out);
LANESCOPE_CUDA Status cuStreamIsCapturing(Stream *stream, int *out);
LANESCOPE_CUDA Status cuStreamGetCaptureInfo_v2(Stream *stream, int *status, uint64_t *id, Graph **graph, GraphNode *const **dependencies, size_t *count);
LANESCOPE_CUDA Status cuStreamGetCaptureInfo_v3(Stream *stream, int *status, uint64_t *id, Graph **graph, GraphNode *const **dependencies, const void **edges, size_t *count);
LANESCOPE_CUDA Status cuThreadExchangeStreamCaptureMode(int *mode);

// Virtual memory management (VirtualMemoryApi.cpp)
LANESCOPE_CUDA Status cuMemGetAllocationGranularity(size_t *out, const MemoryProperties *properties, int option);
LANESCOPE_CUDA Status cuMemCreate(uint64_t *out, size_t bytes, const MemoryProperties *properties, unsigned long long flags);
LANESCOPE_CUDA Status cuMemRelease(uint64_t handle);
LANESCOPE_CUDA Status cuMemAddressReserve(DevicePointer *out, size_t bytes, size_t alignment, DevicePointer address, unsigned long long flags);
LANESCOPE_CUDA Status cuMemAddressFree(DevicePointer address, size_t bytes);
LANESCOPE_CUDA Status cuMemMap(DevicePointer address, size_t bytes, size_t offset, uint64_t handle, unsigned long long flags);
LANESCOPE_CUDA Status cuMemUnmap(DevicePointer address, size_t bytes);
LANESCOPE_CUDA Status cuMemSetAccess(DevicePointer address, size_t bytes, const void *descriptors, size_t count);
LANESCOPE_CUDA Status cuMemGetAccess(unsigned long long *out, const void *location, DevicePointer address);
LANESCOPE_CUDA Status cuMemGetAllocationPropertiesFromHandle(MemoryProperties *out, uint64_t handle);
LANESCOPE_CUDA Status cuMemRetainAllocationHandle(uint64_t *out, void *address);

// Graphs (GraphsApi.cpp)
LANESCOPE_CUDA Status cuGraphCreate(Graph **out, unsigned flags);
LANESCOPE_CUDA Status cuGraphDestroy(Graph *graph);
LANESCOPE_CUDA Status cuGraphClone(Graph **out, Graph *graph);
LANESCOPE_CUDA Status cuGraphAddKernelNode(GraphNode **out, Graph *graph, GraphNode *const *dependencies, size_t count, const KernelNodeParams *parameters);
LANESCOPE_CUDA Status cuGraphAddKernelNode_v2(GraphNode **out, Graph *graph, GraphNode *const *dependencies, size_t count, const KernelNodeParams *parameters);
LANESCOPE_CUDA Status cuGraphAddMemcpyNode(GraphNode **out, Graph *graph, GraphNode *const *dependencies, size_t count, const Copy3D *copy, Context *context);
LANESCOPE_CUDA Status cuGraphAddMemsetNode(GraphNode **out, Graph *graph, GraphNode *const *dependencies, size_t count, const MemsetNodeParams *parameters, Context *context);
LANESCOPE_CUDA Status cuGraphAddHostNode(GraphNode **out, Graph *graph, GraphNode *const *dependencies, size_t count, const HostNodeParams *parameters);
LANESCOPE_CUDA Status cuGraphAddEmptyNode(GraphNode **out, Graph *graph, GraphNode *const *dependencies, size_t count);
LANESCOPE_CUDA Status cuGraphAddChildGraphNode(GraphNode **out, Graph *graph, GraphNode *const *dependencies, size_t count, Graph *child);
LANESCOPE_CUDA Status cuGraphAddEventRecordNode(GraphNode **out, Graph *graph, GraphNode *const *dependencies, size_t count, Event *event);
LANESCOPE_CUDA Status cuGraphAddEventWaitNode(GraphNode **out, Graph *graph, GraphNode *const *dependencies, size_t count, Event *event);
LANESCOPE_CUDA Status cuGraphAddMemAllocNode(GraphNode **out, Graph *graph, GraphNode *const *dependencies, size_t count, void *parameters);
LANESCOPE_CUDA Status cuGraphAddMemFreeNode(GraphNode **out, Graph *graph, GraphNode *const *dependencies, size_t count, DevicePointer address);
LANESCOPE_CUDA Status cuGraphAddDependencies(Graph *graph, GraphNode *const *from, GraphNode *const *to, size_t count);
LANESCOPE_CUDA Status cuGraphAddDependencies_v2(Graph *graph, GraphNode *const *from, GraphNode *const *to, const void *edges, size_t count);
LANESCOPE_CUDA Status cuGraphGetNodes(Graph *graph, GraphNode **out, size_t *count);
LANESCOPE_CUDA Status cuGraphGetRootNodes(Graph *graph, GraphNode **out, size_t *count);
LANESCOPE_CUDA Status cuGraphGetEdges(Graph *graph, GraphNode **from, GraphNode **to, size_t *count);
LANESCOPE_CUDA Status cuGraphGetEdges_v2(Graph *graph, GraphNode **from, GraphNode **to, void *edges, size_t *count);
LANESCOPE_CUDA Status cuGraphNodeFindInClone(GraphNode **out, GraphNode *original, Graph *clone);
LANESCOPE_CUDA Status cuGraphNodeGetType(GraphNode *node, int *out);
LANESCOPE_CUDA Status cuGraphKernelNodeGetAttribute(GraphNode *node, int attribute, void *value);
LANESCOPE_CUDA Status cuGraphKernelNodeSetAttribute(GraphNode *node, int attribute, const void *value);
LANESCOPE_CUDA Status cuGraphKernelNodeGetParams_v2(GraphNode *node, KernelNodeParams *out);
LANESCOPE_CUDA Status cuGraphKernelNodeSetParams_v2(GraphNode *node, const KernelNodeParams *parameters);
LANESCOPE_CUDA Status cuGraphInstantiate(GraphExec **out, Graph *graph, unsigned long long flags);
LANESCOPE_CUDA Status cuGraphInstantiateWithFlags(GraphExec **out, Graph *graph, unsigned long long flags);
LANESCOPE_CUDA Status cuGraphInstantiateWithParams(GraphExec **out, Graph *graph, void *parameters);
LANESCOPE_CUDA Status cuGraphExecDestroy(GraphExec *exec);
LANESCOPE_CUDA Status cuGraphExecKernelNodeSetParams_v2(GraphExec *exec, GraphNode *node, const KernelNodeParams *parameters);
LANESCOPE_CUDA Status cuGraphExecMemcpyNodeSetParams(GraphExec *exec, GraphNode *node, const Copy3D *copy, Context *context);
LANESCOPE_CUDA Status cuGraphExecMemsetNodeSetParams(GraphExec *exec, GraphNode *node, const MemsetNodeParams *parameters, Context *context);
LANESCOPE_CUDA Status cuGraphExecHostNodeSetParams(GraphExec *exec, GraphNode *node, const HostNodeParams *parameters);
LANESCOPE_CUDA Status cuGraphExecUpdate_v2(GraphExec *exec, Graph *graph, void *info);
LANESCOPE_CUDA Status cuGraphNodeSetEnabled(GraphExec *exec, GraphNode *node, unsigned enabled);
LANESCOPE_CUDA Status cuGraphUpload(GraphExec *exec, Stream *stream);
LANESCOPE_CUDA Status cuGraphLaunch(GraphExec *exec, Stream *stream);

// Arrays, textures and surfaces (TexturesApi.cpp)
LANESCOPE_CUDA Status cuArrayCreate(TexelArray **out, const ArrayDescriptor *shape);
LANESCOPE_CUDA Status cuArrayCreate_v2(TexelArray **out, const ArrayDescriptor *shape);
LANESCOPE_CUDA Status cuArray3DCreate(TexelArray **out, const ArrayDescriptor3D *shape);
LANESCOPE_CUDA Status cuArray3DCreate_v2(TexelArray **out, const ArrayDescriptor3D *shape);
LANESCOPE_CUDA Status cuArrayDestroy(TexelArray *array);
LANESCOPE_CUDA Status cuArrayGetDescriptor(ArrayDescriptor *out, TexelArray *array);
LANESCOPE_CUDA Status cuArrayGetDescriptor_v2(ArrayDescriptor *out, TexelArray *array);
LANESCOPE_CUDA Status cuArray3DGetDescriptor(ArrayDescriptor3D *out, TexelArray *array);
LANESCOPE_CUDA Status cuArray3DGetDescriptor_v2(ArrayDescriptor3D *out, TexelArray *array);
LANESCOPE_CUDA Status cuMemcpyHtoA(TexelArray *to, size_t at, const void *from, size_t bytes);
LANESCOPE_CUDA Status cuMemcpyHtoA_v2(TexelArray *to, size_t at, const void *from, size_t bytes);
LANESCOPE_CUDA Status cuMemcpyHtoAAsync(TexelArray *to, size_t at, const void *from, size_t bytes, Stream *stream);
LANESCOPE_CUDA Status cuMemcpyHtoAAsync_v2(TexelArray *to, size_t at, const void *from, size_t bytes, Stream *stream);
LANESCOPE_CUDA Status cuMemcpyDtoA(TexelArray *to, size_t at, DevicePointer from, size_t bytes);
LANESCOPE_CUDA Status cuMemcpyDtoA_v2(TexelArray *to, size_t at, DevicePointer from, size_t bytes);
LANESCOPE_CUDA Status cuMemcpyAtoH(void *to, TexelArray *from, size_t at, size_t bytes);
LANESCOPE_CUDA Status cuMemcpyAtoH_v2(void *to, TexelArray *from, size_t at, size_t bytes);
LANESCOPE_CUDA Status cuMemcpyAtoHAsync(void *to, TexelArray *from, size_t at, size_t bytes, Stream *stream);
LANESCOPE_CUDA Status cuMemcpyAtoHAsync_v2(void *to, TexelArray *from, size_t at, size_t bytes, Stream *stream);
LANESCOPE_CUDA Status cuMemcpyAtoD(DevicePointer to, TexelArray *from, size_t at, size_t bytes);
LANESCOPE_CUDA Status cuMemcpyAtoD_v2(DevicePointer to, TexelArray *from, size_t at, size_t bytes);
LANESCOPE_CUDA Status cuMemcpyAtoA(TexelArray *to, size_t toAt, TexelArray *from, size_t fromAt, size_t bytes);
LANESCOPE_CUDA Status cuMemcpyAtoA_v2(TexelArray *to, size_t toAt, TexelArray *from, size_t fromAt, size_t bytes);
LANESCOPE_CUDA Status cuTexObjectCreate(unsigned long long *out, const ResourceDescriptor *resource, const TextureDescriptor *texture, const void *view);
LANESCOPE_CUDA Status cuTexObjectDestroy(unsigned long long object);
LANESCOPE_CUDA Status cuTexObjectGetResourceDesc(ResourceDescriptor *out, unsigned long long object);
LANESCOPE_CUDA Status cuTexObjectGetTextureDesc(TextureDescriptor *out, unsigned long long object);
LANESCOPE_CUDA Status cuSurfObjectCreate(unsigned long long *out, const ResourceDescriptor *resource);
LANESCOPE_CUDA Status cuSurfObjectDestroy(unsigned long long object);
LANESCOPE_CUDA Status cuSurfObjectGetResourceDesc(ResourceDescriptor *out, unsigned long long object);

// Refused by name (Refused.cpp)
LANESCOPE_CUDA Status cuMipmappedArrayCreate(void **out, const void *descriptor, unsigned levels);
LANESCOPE_CUDA Status cuModuleGetTexRef(void **out, Module *module, const char *name);
LANESCOPE_CUDA Status cuModuleGetSurfRef(void **out, Module *module, const char *name);
LANESCOPE_CUDA Status cuGraphConditionalHandleCreate(unsigned long long *out, Graph *graph, Context *context, unsigned initial, unsigned flags);
LANESCOPE_CUDA Status cuIpcGetMemHandle(void *out, DevicePointer address);

} // namespace lanescope::core::driver
// clang-format on
} // extern "C"
