// Allocations, copies, fills, pointers and pools.
#include "core/gpu/driver/runtime/Registry.h"
#include "core/gpu/driver/runtime/RuntimeCopies.h"
#include "core/gpu/driver/runtime/Thread.h"

#include <algorithm>

namespace lanescope::core::runtime {

using namespace driver;

namespace {

DevicePointer *words(void **out) { return reinterpret_cast<DevicePointer *>(out); }

Error copy(void *to, const void *from, size_t bytes, Stream *stream) {
  return finish([&] { return cuMemcpyAsync(address(to), address(from), bytes, stream); });
}

Error copyPlane(void *to, size_t toPitch, const void *from, size_t fromPitch, size_t width, size_t height,
                Stream *stream) {
  return finish([&] {
    Copy2D plane{};
    plane.srcType = plane.dstType = kUnifiedMemory;
    plane.srcDevice = address(from);
    plane.srcPitch = fromPitch;
    plane.dstDevice = address(to);
    plane.dstPitch = toPitch;
    plane.width = width;
    plane.height = height;
    return cuMemcpy2DAsync_v2(&plane, stream);
  });
}

Error copySpace(const CopyParameters *parameters, Stream *stream) {
  if (!parameters)
    return remember(runtime::kInvalidValue);
  return finish([&] {
    Copy3D space = spaceOf(*parameters);
    return cuMemcpy3DAsync_v2(&space, stream);
  });
}

/// The address of a part of a variable.
Error place(const void *symbol, size_t bytes, size_t offset, DevicePointer &out) {
  size_t size = 0;
  if (Error problem = Registry::get().variable(symbol, out, size))
    return remember(problem);
  if (offset > size || bytes > size - offset)
    return remember(runtime::kInvalidValue);
  out += offset;
  return runtime::kSuccess;
}

Error toSymbol(const void *symbol, const void *from, size_t bytes, size_t offset, Stream *stream) {
  DevicePointer to = 0;
  if (Error problem = place(symbol, bytes, offset, to))
    return problem;
  return finish([&] { return cuMemcpyAsync(to, address(from), bytes, stream); });
}

Error fromSymbol(void *to, const void *symbol, size_t bytes, size_t offset, Stream *stream) {
  DevicePointer from = 0;
  if (Error problem = place(symbol, bytes, offset, from))
    return problem;
  return finish([&] { return cuMemcpyAsync(address(to), from, bytes, stream); });
}

Error fillPlane(void *to, size_t pitch, int value, size_t width, size_t height, Stream *stream) {
  auto byte = static_cast<unsigned char>(value);
  return finish([&] { return cuMemsetD2D8Async(address(to), pitch, byte, width, height, stream); });
}

Error fillSpace(const Pitched &to, int value, const Place3 &extent, Stream *stream) {
  for (size_t z = 0; z < extent.z; ++z) {
    auto *slice = static_cast<std::byte *>(to.pointer) + z * to.pitch * to.height;
    if (Error problem = fillPlane(slice, to.pitch, value, extent.x, extent.y, stream))
      return problem;
  }
  return runtime::kSuccess;
}

Error freeHost(void *memory) {
  return finish([&] { return cuMemFreeHost(memory); });
}

} // namespace

Copy3D spaceOf(const CopyParameters &from) {
  // Places in an array count texels. So does the width, if an array takes part.
  size_t fromTexel = from.fromArray ? texelBytes(from.fromArray) : 1,
         toTexel = from.toArray ? texelBytes(from.toArray) : 1;
  Copy3D out{};
  out.srcX = from.fromPlace.x * fromTexel;
  out.srcY = from.fromPlace.y;
  out.srcZ = from.fromPlace.z;
  out.srcType = from.fromArray ? kArrayMemory : kUnifiedMemory;
  out.srcArray = from.fromArray;
  out.srcDevice = address(from.from.pointer);
  out.srcPitch = from.from.pitch;
  out.srcHeight = from.from.height;
  out.dstX = from.toPlace.x * toTexel;
  out.dstY = from.toPlace.y;
  out.dstZ = from.toPlace.z;
  out.dstType = from.toArray ? kArrayMemory : kUnifiedMemory;
  out.dstArray = from.toArray;
  out.dstDevice = address(from.to.pointer);
  out.dstPitch = from.to.pitch;
  out.dstHeight = from.to.height;
  out.width = from.extent.x * std::max(fromTexel, toTexel);
  out.height = from.extent.y;
  out.depth = from.extent.z;
  return out;
}

LANESCOPE_RUNTIME Error cudaMalloc(void **out, size_t bytes) {
  return finish([&]() -> Status {
    if (out && bytes == 0) { // the runtime returns no memory and no error
      *out = nullptr;
      return 0;
    }
    return cuMemAlloc_v2(words(out), bytes);
  });
}
LANESCOPE_RUNTIME Error cudaFree(void *memory) {
  return finish([&] { return cuMemFree_v2(address(memory)); });
}
LANESCOPE_RUNTIME Error cudaMallocPitch(void **out, size_t *pitch, size_t width, size_t height) {
  return finish([&] { return cuMemAllocPitch_v2(words(out), pitch, width, height, 16); });
}
LANESCOPE_RUNTIME Error cudaMalloc3D(Pitched *out, Place3 extent) {
  return finish([&]() -> Status {
    if (!out)
      return 1;
    DevicePointer memory = 0;
    Status status = cuMemAllocPitch_v2(&memory, &out->pitch, extent.x, extent.y * extent.z, 16);
    out->pointer = reinterpret_cast<void *>(memory);
    out->width = extent.x;
    out->height = extent.y;
    return status;
  });
}
LANESCOPE_RUNTIME Error cudaMallocManaged(void **out, size_t bytes, unsigned flags) {
  return finish([&] { return cuMemAllocManaged(words(out), bytes, flags ? flags : 1); });
}
LANESCOPE_RUNTIME Error cudaMallocHost(void **out, size_t bytes) {
  return finish([&] { return cuMemAllocHost_v2(out, bytes); });
}
LANESCOPE_RUNTIME Error cudaHostAlloc(void **out, size_t bytes, unsigned flags) {
  return finish([&] { return cuMemHostAlloc(out, bytes, flags); });
}
LANESCOPE_RUNTIME Error cudaFreeHost(void *memory) { return freeHost(memory); }
LANESCOPE_RUNTIME Error cudaHostRegister(void *memory, size_t bytes, unsigned flags) {
  return finish([&] { return cuMemHostRegister_v2(memory, bytes, flags); });
}
LANESCOPE_RUNTIME Error cudaHostUnregister(void *memory) {
  return finish([&] { return cuMemHostUnregister(memory); });
}
LANESCOPE_RUNTIME Error cudaHostGetDevicePointer(void **out, void *memory, unsigned flags) {
  return finish([&] { return cuMemHostGetDevicePointer_v2(words(out), memory, flags); });
}
LANESCOPE_RUNTIME Error cudaHostGetFlags(unsigned *out, void *memory) {
  return finish([&] { return cuMemHostGetFlags(out, memory); });
}
LANESCOPE_RUNTIME Error cudaMemGetInfo(size_t *free, size_t *total) {
  return finish([&] { return cuMemGetInfo_v2(free, total); });
}

LANESCOPE_RUNTIME Error cudaMemcpy(void *to, const void *from, size_t bytes, int) {
  return copy(to, from, bytes, nullptr);
}
LANESCOPE_SAME(cudaMemcpy, "_ptds");
LANESCOPE_RUNTIME Error cudaMemcpyAsync(void *to, const void *from, size_t bytes, int, Stream *stream) {
  return copy(to, from, bytes, stream);
}
LANESCOPE_SAME(cudaMemcpyAsync, "_ptsz");
LANESCOPE_RUNTIME Error cudaMemcpyPeer(void *to, int, const void *from, int, size_t bytes) {
  return copy(to, from, bytes, nullptr);
}
LANESCOPE_RUNTIME Error cudaMemcpyPeerAsync(void *to, int, const void *from, int, size_t bytes, Stream *stream) {
  return copy(to, from, bytes, stream);
}
LANESCOPE_RUNTIME Error cudaMemcpy2D(void *to, size_t toPitch, const void *from, size_t fromPitch, size_t width,
                                     size_t height, int) {
  return copyPlane(to, toPitch, from, fromPitch, width, height, nullptr);
}
LANESCOPE_SAME(cudaMemcpy2D, "_ptds");
LANESCOPE_RUNTIME Error cudaMemcpy2DAsync(void *to, size_t toPitch, const void *from, size_t fromPitch, size_t width,
                                          size_t height, int, Stream *stream) {
  return copyPlane(to, toPitch, from, fromPitch, width, height, stream);
}
LANESCOPE_SAME(cudaMemcpy2DAsync, "_ptsz");
LANESCOPE_RUNTIME Error cudaMemcpy3D(const CopyParameters *parameters) { return copySpace(parameters, nullptr); }
LANESCOPE_SAME(cudaMemcpy3D, "_ptds");
LANESCOPE_RUNTIME Error cudaMemcpy3DAsync(const CopyParameters *parameters, Stream *stream) {
  return copySpace(parameters, stream);
}
LANESCOPE_SAME(cudaMemcpy3DAsync, "_ptsz");
LANESCOPE_RUNTIME Error cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t offset, int) {
  return toSymbol(symbol, from, bytes, offset, nullptr);
}
LANESCOPE_SAME(cudaMemcpyToSymbol, "_ptds");
LANESCOPE_RUNTIME Error cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t bytes, size_t offset, int,
                                                Stream *stream) {
  return toSymbol(symbol, from, bytes, offset, stream);
}
LANESCOPE_SAME(cudaMemcpyToSymbolAsync, "_ptsz");
LANESCOPE_RUNTIME Error cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset, int) {
  return fromSymbol(to, symbol, bytes, offset, nullptr);
}
LANESCOPE_SAME(cudaMemcpyFromSymbol, "_ptds");
LANESCOPE_RUNTIME Error cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t bytes, size_t offset, int,
                                                  Stream *stream) {
  return fromSymbol(to, symbol, bytes, offset, stream);
}
LANESCOPE_SAME(cudaMemcpyFromSymbolAsync, "_ptsz");
LANESCOPE_RUNTIME Error cudaGetSymbolAddress(void **out, const void *symbol) {
  DevicePointer found = 0;
  Error problem = out ? place(symbol, 0, 0, found) : remember(runtime::kInvalidValue);
  if (!problem)
    *out = reinterpret_cast<void *>(found);
  return problem;
}
LANESCOPE_RUNTIME Error cudaGetSymbolSize(size_t *out, const void *symbol) {
  DevicePointer found = 0;
  return out ? remember(Registry::get().variable(symbol, found, *out)) : remember(runtime::kInvalidValue);
}

LANESCOPE_RUNTIME Error cudaMemset(void *to, int value, size_t bytes) {
  return finish([&] { return cuMemsetD8_v2(address(to), static_cast<unsigned char>(value), bytes); });
}
LANESCOPE_SAME(cudaMemset, "_ptds");
LANESCOPE_RUNTIME Error cudaMemsetAsync(void *to, int value, size_t bytes, Stream *stream) {
  return finish([&] { return cuMemsetD8Async(address(to), static_cast<unsigned char>(value), bytes, stream); });
}
LANESCOPE_SAME(cudaMemsetAsync, "_ptsz");
LANESCOPE_RUNTIME Error cudaMemset2D(void *to, size_t pitch, int value, size_t width, size_t height) {
  return fillPlane(to, pitch, value, width, height, nullptr);
}
LANESCOPE_RUNTIME Error cudaMemset2DAsync(void *to, size_t pitch, int value, size_t width, size_t height,
                                          Stream *stream) {
  return fillPlane(to, pitch, value, width, height, stream);
}
LANESCOPE_RUNTIME Error cudaMemset3D(Pitched to, int value, Place3 extent) {
  return fillSpace(to, value, extent, nullptr);
}
LANESCOPE_RUNTIME Error cudaMemset3DAsync(Pitched to, int value, Place3 extent, Stream *stream) {
  return fillSpace(to, value, extent, stream);
}

LANESCOPE_RUNTIME Error cudaPointerGetAttributes(PointerAttributes *out, const void *pointer) {
  if (!out)
    return remember(runtime::kInvalidValue);
  return finish([&]() -> Status {
    unsigned type = 0, managed = 0;
    int ordinal = -2, numbers[] = {2, 8, 9, 3, 4};
    void *onDevice = nullptr, *onHost = nullptr, *values[] = {&type, &managed, &ordinal, &onDevice, &onHost};
    Status status = cuPointerGetAttributes(5, numbers, values, address(pointer));
    *out = {};
    out->type = managed ? 3 : static_cast<int>(type);
    out->device = ordinal;
    out->devicePointer = onDevice;
    out->hostPointer = type ? onHost : const_cast<void *>(pointer);
    return status;
  });
}

// cudaMemLocation is a kind and a number in one word.
LANESCOPE_RUNTIME Error cudaMemPrefetchAsync(const void *memory, size_t bytes, uint64_t location, unsigned flags,
                                             Stream *stream) {
  return finish([&] { return cuMemPrefetchAsync_v2(address(memory), bytes, location, flags, stream); });
}
LANESCOPE_SAME(cudaMemPrefetchAsync, "_ptsz");
LANESCOPE_RUNTIME Error cudaMemAdvise(const void *memory, size_t bytes, int advice, uint64_t location) {
  return finish([&] { return cuMemAdvise_v2(address(memory), bytes, advice, location); });
}

LANESCOPE_RUNTIME Error cudaMallocAsync(void **out, size_t bytes, Stream *stream) {
  return finish([&] { return cuMemAllocAsync(words(out), bytes, stream); });
}
LANESCOPE_SAME(cudaMallocAsync, "_ptsz");
LANESCOPE_RUNTIME Error cudaMallocFromPoolAsync(void **out, size_t bytes, MemoryPool *pool, Stream *stream) {
  return finish([&] { return cuMemAllocFromPoolAsync(words(out), bytes, pool, stream); });
}
LANESCOPE_SAME(cudaMallocFromPoolAsync, "_ptsz");
LANESCOPE_RUNTIME Error cudaFreeAsync(void *memory, Stream *stream) {
  return finish([&] { return cuMemFreeAsync(address(memory), stream); });
}
LANESCOPE_SAME(cudaFreeAsync, "_ptsz");
LANESCOPE_RUNTIME Error cudaMemPoolCreate(MemoryPool **out, const void *properties) {
  return finish([&] { return cuMemPoolCreate(out, properties); });
}
LANESCOPE_RUNTIME Error cudaMemPoolDestroy(MemoryPool *pool) {
  return finish([&] { return cuMemPoolDestroy(pool); });
}
LANESCOPE_RUNTIME Error cudaMemPoolTrimTo(MemoryPool *pool, size_t keep) {
  return finish([&] { return cuMemPoolTrimTo(pool, keep); });
}
LANESCOPE_RUNTIME Error cudaMemPoolSetAttribute(MemoryPool *pool, int which, void *value) {
  return finish([&] { return cuMemPoolSetAttribute(pool, which, value); });
}
LANESCOPE_RUNTIME Error cudaMemPoolGetAttribute(MemoryPool *pool, int which, void *value) {
  return finish([&] { return cuMemPoolGetAttribute(pool, which, value); });
}
LANESCOPE_RUNTIME Error cudaMemPoolSetAccess(MemoryPool *pool, const void *descriptors, size_t count) {
  return finish([&] { return cuMemPoolSetAccess(pool, descriptors, count); });
}
LANESCOPE_RUNTIME Error cudaMemPoolGetAccess(int *flags, MemoryPool *pool, void *location) {
  return finish([&] { return cuMemPoolGetAccess(flags, pool, location); });
}
LANESCOPE_RUNTIME Error cudaDeviceGetDefaultMemPool(MemoryPool **out, int device) {
  return finish([&] { return cuDeviceGetDefaultMemPool(out, device); });
}
LANESCOPE_RUNTIME Error cudaDeviceGetMemPool(MemoryPool **out, int device) {
  return finish([&] { return cuDeviceGetMemPool(out, device); });
}
LANESCOPE_RUNTIME Error cudaDeviceSetMemPool(int device, MemoryPool *pool) {
  return finish([&] { return cuDeviceSetMemPool(device, pool); });
}

} // namespace lanescope::core::runtime
