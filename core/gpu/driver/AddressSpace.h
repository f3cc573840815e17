// The memory that a program has allocated. Each allocation is a region of the emulator's standing memory, so an access
// past its end is noticed, and an address is not reused soon after it was freed.
//
//   Allocation *one = space.allocate(Allocation::Kind::Managed, 4096, 0);
//   one->address     // kernels use it; the host uses the same one for pinned and managed memory
//
// Device memory has addresses beyond those of any process, so a host that dereferences one crashes as with a GPU.
#pragma once

#include "core/gpu/emulator/machine/StandingMemory.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

namespace lanescope::core::driver {

struct Allocation {
  enum class Kind : uint8_t { Device, Pinned, Managed, Registered, Variable };
  Kind kind = Kind::Device;
  uint32_t region = 0;
  uint64_t address = 0;
  std::byte *host = nullptr;
  size_t bytes = 0;
  size_t reserved = 0; // all bytes of a reserved range, whose `bytes` end with its last mapping; else 0
  int device = 0;
  unsigned flags = 0;
  uint64_t id = 0;
  std::string name;

  bool hostVisible() const { return kind == Kind::Pinned || kind == Kind::Managed || kind == Kind::Registered; }
};

class AddressSpace {
public:
  AddressSpace() = default;
  AddressSpace(const AddressSpace &) = delete;
  AddressSpace &operator=(const AddressSpace &) = delete;
  ~AddressSpace();

  /// Returns null if there is no room. `name`: for messages; empty: "allocation 3", by the number of earlier
  /// allocations.
  Allocation *allocate(Allocation::Kind kind, size_t bytes, int device, std::string name = {});
  /// Registers memory that the program allocated itself, so that kernels may access it. Returns null if a part of it is
  /// registered already.
  Allocation *enlist(void *host, size_t bytes);
  /// Reserves addresses of the device, without memory. Returns null if there is no room.
  Allocation *reserve(size_t bytes);
  /// Finds the reserved addresses that contain the address.
  Allocation *reserved(uint64_t address);
  /// Maps a file's contents at reserved addresses. Returns false if the host cannot.
  bool map(Allocation &reserved, uint64_t address, size_t bytes, int file);
  void unmap(Allocation &reserved, uint64_t address, size_t bytes);
  /// Counts memory of the device that has no address yet.
  void countUsed(size_t bytes) { used_ += bytes; }
  void countFreed(size_t bytes) { used_ -= bytes; }
  /// Returns false if no allocation begins there.
  bool free(uint64_t address);
  /// The allocation that contains the byte. The byte after its end counts if no other allocation begins there. Null:
  /// there is none.
  Allocation *find(uint64_t address);
  /// Finds the allocation that contains an address of the host.
  Allocation *findOnHost(const void *place);
  /// Translates an address of host or device to the host's address of `bytes` bytes there; null if the allocation ends
  /// earlier or was freed. An address outside all allocations is the host's own.
  std::byte *resolve(uint64_t address, size_t bytes);

  /// The allocations as pieces of memory, by region. A freed allocation has no bytes; the emulator reports an access to
  /// it by its name.
  std::vector<emulator::StandingPiece> pieces() const;
  size_t usedOnDevice() const { return used_; }

private:
  uint32_t takeRegion(bool hostVisible);
  void release(const Allocation &allocation);

  std::map<uint32_t, Allocation> regions_;
  std::map<uint64_t, uint32_t> onHost_;  // first host address of each visible allocation -> its region
  std::deque<uint32_t> freed_;           // regions of freed device memory, oldest first
  std::map<uint32_t, std::string> gone_; // names of freed allocations
  uint32_t nextDevice_ = 0, nextHost_ = 0;
  uint64_t nextId_ = 1, named_ = 0;
  size_t used_ = 0;
};

} // namespace lanescope::core::driver
