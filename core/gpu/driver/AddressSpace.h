// The memory that a program has allocated: each allocation is a region of the emulator's standing memory, so that an
// access past its end is noticed and an address never means another allocation soon after it was freed.
//
//   Allocation *one = space.allocate(Allocation::Kind::Managed, 4096, 0);
//   one->address     // kernels use it; the host uses the same one for pinned and managed memory
//
// Addresses of device memory are beyond those of any process, so that a host that follows one ends as on a GPU.
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

  /// Null: there is no room. `name`: what messages call it; empty: "allocation 3", by how many
  /// there were before.
  Allocation *allocate(Allocation::Kind kind, size_t bytes, int device, std::string name = {});
  /// Memory of the program's own that kernels may reach; null: a part of it is registered already.
  Allocation *enlist(void *host, size_t bytes);
  /// False where no allocation begins there.
  bool free(uint64_t address);
  /// The allocation with that byte; the byte right after its end counts where nothing else begins. Null: there is none.
  Allocation *find(uint64_t address);
  /// The same by an address of the host's.
  Allocation *findOnHost(const void *place);
  /// The host's place of `bytes` bytes at an address of either side; null: an allocation is smaller than that, or was
  /// freed. What is no address of an allocation is the host's own.
  std::byte *resolve(uint64_t address, size_t bytes);

  /// By region. Freed memory is of no bytes, so that a use of it is told by its name.
  std::vector<emulator::StandingPiece> pieces() const;
  size_t usedOnDevice() const { return used_; }

private:
  uint32_t takeRegion(bool hostVisible);
  void release(const Allocation &allocation);

  std::map<uint32_t, Allocation> regions_;
  std::map<uint64_t, uint32_t> onHost_;  // begins of what the host sees, to their regions
  std::deque<uint32_t> freed_;           // regions of device memory, oldest first
  std::map<uint32_t, std::string> gone_; // what these were called
  uint32_t nextDevice_ = 0, nextHost_ = 0;
  uint64_t nextId_ = 1, named_ = 0;
  size_t used_ = 0;
};

} // namespace lanescope::core::driver
