// Allocations and the attributes of pointers.
#include "core/gpu/driver/api/DriverApi.h"
#include "core/gpu/driver/api/Entered.h"

#include <algorithm>
#include <cstring>

namespace lanescope::core::driver {

namespace {

constexpr size_t kPitch = 512;
constexpr unsigned kOfGraph = 1u << 31; // in Allocation::flags: a graph allocates it, and may run again

struct AllocationNodeParams { // CUDA_MEM_ALLOC_NODE_PARAMS
  char pool[88];
  const void *access;
  size_t accessCount, bytes;
  DevicePointer address;
};

Status allocate(State &state, Allocation::Kind kind, size_t bytes, Allocation *&out) {
  if (bytes == 0)
    return kInvalidValue;
  auto room = static_cast<size_t>(state.gpu->memoryBytes);
  bool ofDevice = kind == Allocation::Kind::Device;
  if (ofDevice && (bytes > room || state.memory.usedOnDevice() > room - bytes))
    return kOutOfMemory;
  out = state.memory.allocate(kind, bytes, state.current()->device);
  return out ? kSuccess : kOutOfMemory;
}

Status allocateDevice(DevicePointer *out, size_t bytes, Stream *stream = nullptr) {
  LANESCOPE_ENTER_STREAM(stream);
  if (!out)
    return kInvalidValue;
  Allocation *one = nullptr;
  if (Status status = allocate(state, Allocation::Kind::Device, bytes, one))
    return status;
  *out = one->address;
  if (!on->capture)
    return kSuccess;
  one->flags |= kOfGraph;
  return state.submit(on, AllocateWork{one->address});
}

Status allocateHost(void **out, size_t bytes, unsigned flags) {
  LANESCOPE_ENTER(Needs::Context);
  if (!out || flags & ~7u)
    return kInvalidValue;
  Allocation *one = nullptr;
  if (Status status = allocate(state, Allocation::Kind::Pinned, bytes, one))
    return status;
  one->flags = flags;
  *out = one->host;
  return kSuccess;
}

/// CUpointer_attribute: the size of the value in bytes; 0: no such attribute.
size_t sizeOfAttribute(int attribute) {
  switch (attribute) {
  case 1:
  case 3:
  case 4:
  case 10:
  case 11:
  case 12:
  case 17:
  case 20: return 8;
  case 2:
  case 9:
  case 14:
  case 15: return 4;
  case 7: return 8;
  case 6:
  case 8:
  case 13:
  case 16: return 4;
  default: return 0;
  }
}

/// Gets the value of a pointer's attribute as a word; false: the pointer does not have it.
bool attributeOf(State &state, const Allocation *one, int attribute, uint64_t address, uint64_t &value) {
  using Kind = Allocation::Kind;
  value = 0;
  if (!one)
    return attribute == 8 || attribute == 13;
  uint64_t offset = one->hostVisible() && address - reinterpret_cast<uint64_t>(one->host) < one->bytes
                        ? address - reinterpret_cast<uint64_t>(one->host)
                        : address - one->address;
  bool ofHost = one->kind == Kind::Pinned || one->kind == Kind::Registered;
  switch (attribute) {
  case 1: value = reinterpret_cast<uint64_t>(state.primaries[static_cast<size_t>(one->device)]); break; // CONTEXT
  case 2: value = ofHost ? kHostMemory : kDeviceMemory; break;                                          // MEMORY_TYPE
  case 3: value = one->address + offset; break; // DEVICE_POINTER
  case 4:                                       // HOST_POINTER
    if (!one->hostVisible())
      return false;
    value = reinterpret_cast<uint64_t>(one->host) + offset;
    break;
  case 7: value = one->id; break;                            // BUFFER_ID
  case 8: value = one->kind == Kind::Managed; break;         // IS_MANAGED
  case 9: value = static_cast<uint32_t>(one->device); break; // DEVICE_ORDINAL
  case 11: value = one->address; break;                      // RANGE_START_ADDR
  case 12: value = one->bytes; break;                        // RANGE_SIZE
  case 13: value = 1; break;                                 // MAPPED
  case 16: value = 3; break;                                 // ACCESS_FLAGS: read and write
  case 17: value = reinterpret_cast<uint64_t>(one->kind == Kind::Device ? state.devicePools[0] : nullptr); break;
  default: break;
  }
  return true;
}

Allocation *ownerOf(State &state, DevicePointer address) {
  Allocation *one = state.memory.find(address);
  return one ? one : state.memory.findOnHost(reinterpret_cast<const void *>(address));
}

} // namespace

Status cuMemGetInfo_v2(size_t *free, size_t *total) {
  LANESCOPE_ENTER(Needs::Context);
  if (!free || !total)
    return kInvalidValue;
  *total = static_cast<size_t>(state.gpu->memoryBytes);
  *free = *total - std::min(*total, state.memory.usedOnDevice());
  return kSuccess;
}
Status cuMemGetInfo(size_t *free, size_t *total) { return cuMemGetInfo_v2(free, total); }

Status cuMemAlloc_v2(DevicePointer *out, size_t bytes) { return allocateDevice(out, bytes); }
Status cuMemAlloc(DevicePointer *out, size_t bytes) { return allocateDevice(out, bytes); }
Status cuMemAllocAsync(DevicePointer *out, size_t bytes, Stream *stream) { return allocateDevice(out, bytes, stream); }
Status cuMemAllocFromPoolAsync(DevicePointer *out, size_t bytes, MemoryPool *pool, Stream *stream) {
  {
    LANESCOPE_ENTER(Needs::Context);
    if (!state.pools.has(pool))
      return kInvalidValue;
  }
  return allocateDevice(out, bytes, stream);
}

Status cuMemAllocPitch_v2(DevicePointer *out, size_t *pitch, size_t width, size_t height, unsigned elementSize) {
  if (!pitch || width == 0 || height == 0 || (elementSize != 4 && elementSize != 8 && elementSize != 16))
    return kInvalidValue;
  *pitch = (width + kPitch - 1) / kPitch * kPitch;
  return allocateDevice(out, *pitch * height);
}
Status cuMemAllocPitch(DevicePointer *out, size_t *pitch, size_t width, size_t height, unsigned elementSize) {
  return cuMemAllocPitch_v2(out, pitch, width, height, elementSize);
}

Status cuMemFree_v2(DevicePointer address) {
  LANESCOPE_ENTER(Needs::Context);
  if (address == 0)
    return kSuccess;
  Allocation *one = state.memory.find(address);
  bool fits =
      one && !one->reserved && (one->kind == Allocation::Kind::Device || one->kind == Allocation::Kind::Managed);
  if (fits && one->address == address && one->flags & kOfGraph)
    return state.current()->sticky; // the memory is kept at its address for the graph's next launch
  if (!fits || !state.memory.free(address))
    return kInvalidValue;
  return state.current()->sticky;
}
Status cuMemFree(DevicePointer address) { return cuMemFree_v2(address); }

Status cuMemFreeAsync(DevicePointer address, Stream *stream) {
  {
    LANESCOPE_ENTER_STREAM(stream);
    if (on->capture) // the memory is kept, because the graph may run again
      return state.submit(on, FreeWork{address});
  }
  return cuMemFree_v2(address);
}

Status cuGraphAddMemAllocNode(GraphNode **out, Graph *graph, GraphNode *const *dependencies, size_t count,
                              void *parameters) {
  auto *wanted = static_cast<AllocationNodeParams *>(parameters);
  if (!wanted)
    return kInvalidValue;
  if (Status status = cuGraphAddEmptyNode(out, graph, dependencies, count))
    return status;
  LANESCOPE_ENTER(Needs::Context);
  Allocation *one = nullptr;
  if (Status status = allocate(state, Allocation::Kind::Device, wanted->bytes, one))
    return status;
  one->flags |= kOfGraph;
  wanted->address = one->address;
  (*out)->work = AllocateWork{one->address};
  return kSuccess;
}

Status cuGraphAddMemFreeNode(GraphNode **out, Graph *graph, GraphNode *const *dependencies, size_t count,
                             DevicePointer address) {
  if (Status status = cuGraphAddEmptyNode(out, graph, dependencies, count))
    return status;
  LANESCOPE_ENTER(Needs::Library);
  (*out)->work = FreeWork{address};
  return kSuccess;
}

Status cuMemGetAddressRange_v2(DevicePointer *base, size_t *bytes, DevicePointer address) {
  LANESCOPE_ENTER(Needs::Context);
  Allocation *one = state.memory.find(address);
  if (!one)
    return kNotFound;
  if (base)
    *base = one->address;
  if (bytes)
    *bytes = one->bytes;
  return kSuccess;
}
Status cuMemGetAddressRange(DevicePointer *base, size_t *bytes, DevicePointer address) {
  return cuMemGetAddressRange_v2(base, bytes, address);
}

Status cuMemAllocHost_v2(void **out, size_t bytes) { return allocateHost(out, bytes, 0); }
Status cuMemAllocHost(void **out, size_t bytes) { return allocateHost(out, bytes, 0); }
Status cuMemHostAlloc(void **out, size_t bytes, unsigned flags) { return allocateHost(out, bytes, flags); }

Status cuMemFreeHost(void *memory) {
  LANESCOPE_ENTER(Needs::Context);
  if (!memory)
    return kSuccess;
  Allocation *one = state.memory.findOnHost(memory);
  if (!one || one->kind != Allocation::Kind::Pinned || one->host != memory)
    return kInvalidValue;
  state.memory.free(one->address);
  return kSuccess;
}

Status cuMemHostGetDevicePointer_v2(DevicePointer *out, void *memory, unsigned flags) {
  LANESCOPE_ENTER(Needs::Context);
  if (!out || flags)
    return kInvalidValue;
  Allocation *one = state.memory.findOnHost(memory);
  if (!one)
    return kInvalidValue;
  *out = one->address + static_cast<uint64_t>(static_cast<std::byte *>(memory) - one->host);
  return kSuccess;
}
Status cuMemHostGetDevicePointer(DevicePointer *out, void *memory, unsigned flags) {
  return cuMemHostGetDevicePointer_v2(out, memory, flags);
}

Status cuMemHostGetFlags(unsigned *out, void *memory) {
  LANESCOPE_ENTER(Needs::Context);
  Allocation *one = state.memory.findOnHost(memory);
  if (!out || !one || one->kind != Allocation::Kind::Pinned)
    return kInvalidValue;
  *out = one->flags | 2; // CU_MEMHOSTALLOC_DEVICEMAP, which holds for all
  return kSuccess;
}

Status cuMemHostRegister_v2(void *memory, size_t bytes, unsigned flags) {
  LANESCOPE_ENTER(Needs::Context);
  if (!memory || bytes == 0)
    return kInvalidValue;
  Allocation *one = state.memory.enlist(memory, bytes);
  if (!one)
    return kHostMemoryAlreadyRegistered;
  one->flags = flags;
  return kSuccess;
}
Status cuMemHostRegister(void *memory, size_t bytes, unsigned flags) {
  return cuMemHostRegister_v2(memory, bytes, flags);
}

Status cuMemHostUnregister(void *memory) {
  LANESCOPE_ENTER(Needs::Context);
  Allocation *one = state.memory.findOnHost(memory);
  if (!one || one->kind != Allocation::Kind::Registered || one->host != memory)
    return kHostMemoryNotRegistered;
  state.memory.free(one->address);
  return kSuccess;
}

Status cuMemAllocManaged(DevicePointer *out, size_t bytes, unsigned flags) {
  LANESCOPE_ENTER(Needs::Context);
  if (!out || (flags != 1 && flags != 2)) // CU_MEM_ATTACH_GLOBAL or …_HOST
    return kInvalidValue;
  Allocation *one = nullptr;
  if (Status status = allocate(state, Allocation::Kind::Managed, bytes, one))
    return status;
  *out = one->address;
  return kSuccess;
}

Status cuMemPoolCreate(MemoryPool **out, const void *properties) {
  LANESCOPE_ENTER(Needs::Library);
  if (!out || !properties)
    return kInvalidValue;
  *out = state.pools.add(std::make_unique<MemoryPool>());
  return kSuccess;
}

Status cuMemPoolDestroy(MemoryPool *pool) {
  LANESCOPE_ENTER(Needs::Library);
  if (std::ranges::find(state.devicePools, pool) != state.devicePools.end() || !state.pools.remove(pool))
    return kInvalidValue;
  for (size_t n = 0; n < state.currentPools.size(); ++n)
    if (state.currentPools[n] == pool)
      state.currentPools[n] = state.devicePools[n];
  return kSuccess;
}

Status cuMemPoolTrimTo(MemoryPool *pool, size_t) {
  LANESCOPE_ENTER(Needs::Library);
  return state.pools.has(pool) ? kSuccess : kInvalidValue;
}

// CUmemPool_attribute: 1 to 3 are flags of 32 bits, the others sizes.
Status cuMemPoolSetAttribute(MemoryPool *pool, int attribute, void *value) {
  LANESCOPE_ENTER(Needs::Library);
  if (!state.pools.has(pool) || !value || attribute < 1 || attribute > 8)
    return kInvalidValue;
  uint64_t word = 0;
  std::memcpy(&word, value, attribute <= 3 ? 4 : 8);
  pool->attributes[attribute] = word;
  return kSuccess;
}

Status cuMemPoolGetAttribute(MemoryPool *pool, int attribute, void *value) {
  LANESCOPE_ENTER(Needs::Library);
  if (!state.pools.has(pool) || !value || attribute < 1 || attribute > 8)
    return kInvalidValue;
  auto set = pool->attributes.find(attribute);
  uint64_t word = set != pool->attributes.end() ? set->second : attribute <= 3 ? 1 : 0;
  if (attribute >= 5) // reserved and used bytes: current, and the maximum
    word = state.memory.usedOnDevice();
  std::memcpy(value, &word, attribute <= 3 ? 4 : 8);
  return kSuccess;
}

Status cuMemPoolSetAccess(MemoryPool *pool, const void *descriptors, size_t) {
  LANESCOPE_ENTER(Needs::Library);
  return state.pools.has(pool) && descriptors ? kSuccess : kInvalidValue;
}

Status cuMemPoolGetAccess(int *flags, MemoryPool *pool, void *) {
  LANESCOPE_ENTER(Needs::Library);
  if (!flags || !state.pools.has(pool))
    return kInvalidValue;
  *flags = 3; // read and write
  return kSuccess;
}

Status cuMemPrefetchAsync(DevicePointer address, size_t bytes, Device, Stream *stream) {
  LANESCOPE_ENTER_STREAM(stream);
  Allocation *one = ownerOf(state, address);
  return one && bytes ? kSuccess : kInvalidValue;
}
Status cuMemPrefetchAsync_v2(DevicePointer address, size_t bytes, uint64_t, unsigned, Stream *stream) {
  return cuMemPrefetchAsync(address, bytes, 0, stream);
}

Status cuMemAdvise(DevicePointer address, size_t bytes, int advice, Device) {
  LANESCOPE_ENTER(Needs::Context);
  return ownerOf(state, address) && bytes && advice >= 1 && advice <= 6 ? kSuccess : kInvalidValue;
}
Status cuMemAdvise_v2(DevicePointer address, size_t bytes, int advice, uint64_t) {
  return cuMemAdvise(address, bytes, advice, 0);
}

Status cuPointerGetAttribute(void *out, int attribute, DevicePointer address) {
  LANESCOPE_ENTER(Needs::Context);
  size_t size = sizeOfAttribute(attribute);
  uint64_t value = 0;
  if (!out || size == 0 || !attributeOf(state, ownerOf(state, address), attribute, address, value))
    return kInvalidValue;
  std::memcpy(out, &value, size);
  return kSuccess;
}

Status cuPointerGetAttributes(unsigned count, int *attributes, void **out, DevicePointer address) {
  LANESCOPE_ENTER(Needs::Context);
  if (!attributes || !out)
    return kInvalidValue;
  for (unsigned n = 0; n < count; ++n) {
    size_t size = sizeOfAttribute(attributes[n]);
    if (size == 0 || !out[n])
      return kInvalidValue;
    uint64_t value = 0;
    if (!attributeOf(state, ownerOf(state, address), attributes[n], address, value))
      value = attributes[n] == 9 ? static_cast<uint32_t>(-2) : 0; // CU_DEVICE_INVALID
    std::memcpy(out[n], &value, size);
  }
  return kSuccess;
}

Status cuPointerSetAttribute(const void *value, int attribute, DevicePointer address) {
  LANESCOPE_ENTER(Needs::Context);
  return value && attribute == 6 && ownerOf(state, address) ? kSuccess : kInvalidValue; // SYNC_MEMOPS
}

} // namespace lanescope::core::driver
