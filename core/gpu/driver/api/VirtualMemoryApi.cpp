// Virtual memory management: reserved addresses, physical memory, and the mappings between them.
#include "core/gpu/driver/api/DriverApi.h"
#include "core/gpu/driver/api/Entered.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <sys/mman.h>
#include <unistd.h>

namespace lanescope::core::driver {

namespace {

constexpr size_t kGranularity = 2 << 20; // bytes; physical memory and mappings are multiples of it
constexpr int kPinned = 1, kOnDevice = 1;

bool fits(size_t bytes) { return bytes != 0 && bytes % kGranularity == 0; }

Status refuse(State &state, std::string_view function, std::string_view what) {
  state.journal->complain(text("`", function, "`: the emulator has no ", what));
  return kNotSupported;
}

/// True if mappings cover the addresses.
bool isMapped(const State &state, DevicePointer address, size_t bytes) {
  for (DevicePointer at = address; at < address + bytes;) {
    auto next = state.mappings.upper_bound(at);
    if (next == state.mappings.begin())
      return false;
    const auto &[begin, mapping] = *std::prev(next);
    if (at - begin >= mapping.bytes)
      return false;
    at = begin + mapping.bytes;
  }
  return bytes != 0;
}

/// Physical memory exists as long as the program has a handle of it, or it is mapped.
void dropUnused(State &state, uint64_t handle) {
  auto found = state.physical.find(handle);
  if (found == state.physical.end() || found->second.handles > 0 || found->second.mapped)
    return;
  ::close(found->second.file);
  state.memory.countFreed(found->second.bytes);
  state.physical.erase(found);
}

} // namespace

Status cuMemGetAllocationGranularity(size_t *out, const MemoryProperties *properties, int) {
  LANESCOPE_ENTER(Needs::Library);
  if (!out || !properties)
    return kInvalidValue;
  *out = kGranularity;
  return kSuccess;
}

Status cuMemCreate(uint64_t *out, size_t bytes, const MemoryProperties *properties, unsigned long long flags) {
  LANESCOPE_ENTER(Needs::Library);
  if (!out || !properties || flags || !fits(bytes) || properties->type != kPinned)
    return kInvalidValue;
  if (properties->handleTypes)
    return refuse(state, "cuMemCreate", "memory that processes share");
  if (properties->locationType != kOnDevice)
    return refuse(state, "cuMemCreate", "memory of the host behind such handles");
  if (properties->location < 0 || static_cast<size_t>(properties->location) >= state.primaries.size())
    return kInvalidDevice;
  auto room = static_cast<size_t>(state.gpu->memoryBytes);
  if (bytes > room || state.memory.usedOnDevice() > room - bytes)
    return kOutOfMemory;
  int file = ::memfd_create("lanescope", MFD_CLOEXEC);
  if (file < 0 || ::ftruncate(file, static_cast<off_t>(bytes)) != 0) {
    if (file >= 0)
      ::close(file);
    return kOutOfMemory;
  }
  state.memory.countUsed(bytes);
  *out = state.nextId++;
  state.physical[*out] = {.file = file, .bytes = bytes, .handles = 1, .mapped = false, .properties = *properties};
  return kSuccess;
}

Status cuMemRelease(uint64_t handle) {
  LANESCOPE_ENTER(Needs::Library);
  auto found = state.physical.find(handle);
  if (found == state.physical.end() || found->second.handles == 0)
    return kInvalidValue;
  --found->second.handles;
  dropUnused(state, handle);
  return kSuccess;
}

Status cuMemAddressReserve(DevicePointer *out, size_t bytes, size_t alignment, DevicePointer,
                           unsigned long long flags) {
  LANESCOPE_ENTER(Needs::Library);
  if (!out || !fits(bytes) || flags || (alignment & (alignment - 1)) != 0)
    return kInvalidValue;
  Allocation *one = state.memory.reserve(bytes);
  if (!one)
    return kOutOfMemory;
  *out = one->address;
  return kSuccess;
}

Status cuMemAddressFree(DevicePointer address, size_t bytes) {
  LANESCOPE_ENTER(Needs::Library);
  Allocation *one = state.memory.reserved(address);
  if (!one || one->address != address || one->reserved != bytes)
    return kInvalidValue;
  auto next = state.mappings.lower_bound(address);
  if (next != state.mappings.end() && next->first < address + bytes)
    return kInvalidValue; // something is still mapped there
  return state.memory.free(address) ? kSuccess : kInvalidValue;
}

Status cuMemMap(DevicePointer address, size_t bytes, size_t offset, uint64_t handle, unsigned long long flags) {
  LANESCOPE_ENTER(Needs::Library);
  auto found = state.physical.find(handle);
  Allocation *one = state.memory.reserved(address);
  if (found == state.physical.end() || flags || !one || !fits(bytes) || address % kGranularity != 0 ||
      bytes > one->address + one->reserved - address)
    return kInvalidValue;
  if (offset || bytes != found->second.bytes)
    return refuse(state, "cuMemMap", "mapping of a part of physical memory");
  if (found->second.mapped)
    return refuse(state, "cuMemMap", "second mapping of the same physical memory");
  auto next = state.mappings.lower_bound(address);
  if ((next != state.mappings.end() && next->first < address + bytes) || isMapped(state, address, kGranularity))
    return kInvalidValue; // something is mapped there
  if (!state.memory.map(*one, address, bytes, found->second.file))
    return kOutOfMemory;
  state.mappings[address] = {bytes, handle};
  found->second.mapped = true;
  return kSuccess;
}

Status cuMemUnmap(DevicePointer address, size_t bytes) {
  LANESCOPE_ENTER(Needs::Library);
  Allocation *one = state.memory.reserved(address);
  if (!one || !isMapped(state, address, bytes))
    return kInvalidValue;
  for (DevicePointer at = address; at < address + bytes;) {
    auto found = state.mappings.find(at);
    if (found == state.mappings.end() || found->second.bytes > address + bytes - at)
      return kInvalidValue; // only whole mappings are taken back
    at += found->second.bytes;
  }
  for (DevicePointer at = address; at < address + bytes;) {
    Mapping mapping = state.mappings.extract(at).mapped();
    state.memory.unmap(*one, at, mapping.bytes);
    state.physical[mapping.handle].mapped = false;
    dropUnused(state, mapping.handle);
    at += mapping.bytes;
  }
  auto last = state.mappings.lower_bound(one->address + one->reserved);
  bool any = last != state.mappings.begin() && std::prev(last)->first >= one->address;
  one->bytes = any ? std::prev(last)->first + std::prev(last)->second.bytes - one->address : 0;
  return kSuccess;
}

// Every mapping can be read and written from every device.
Status cuMemSetAccess(DevicePointer address, size_t bytes, const void *descriptors, size_t count) {
  LANESCOPE_ENTER(Needs::Library);
  return descriptors && count && isMapped(state, address, bytes) ? kSuccess : kInvalidValue;
}

Status cuMemGetAccess(unsigned long long *out, const void *location, DevicePointer address) {
  LANESCOPE_ENTER(Needs::Library);
  if (!out || !location)
    return kInvalidValue;
  constexpr unsigned long long kReadWrite = 3;
  *out = isMapped(state, address, 1) ? kReadWrite : 0;
  return kSuccess;
}

Status cuMemGetAllocationPropertiesFromHandle(MemoryProperties *out, uint64_t handle) {
  LANESCOPE_ENTER(Needs::Library);
  auto found = state.physical.find(handle);
  if (!out || found == state.physical.end())
    return kInvalidValue;
  *out = found->second.properties;
  return kSuccess;
}

Status cuMemRetainAllocationHandle(uint64_t *out, void *address) {
  LANESCOPE_ENTER(Needs::Library);
  auto at = reinterpret_cast<DevicePointer>(address);
  auto next = state.mappings.upper_bound(at);
  if (!out || next == state.mappings.begin() || at - std::prev(next)->first >= std::prev(next)->second.bytes)
    return kInvalidValue;
  *out = std::prev(next)->second.handle;
  ++state.physical[*out].handles;
  return kSuccess;
}

} // namespace lanescope::core::driver
