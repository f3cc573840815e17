// The register file of a warp, as the decoder lays it out: a slot for each register, constant and special register. A
// slot has a value for each lane; the slot of a predicate has a bit for each lane.
//
//   RegisterFile file;
//   uint32_t sum = file.allocate(32);       // 32 lanes of 4 bytes
//   uint32_t two = file.constant(2, 32);    // the same slot whenever it is asked for
//   program.registerImage = file.image();   // zeros, and the constants in their slots
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace lanescope::core::emulator {

class RegisterFile {
public:
  struct Slot {
    uint32_t begin, bytes;
  };
  using Constants = std::unordered_map<uint64_t, uint32_t>; // bits -> slot

  static uint32_t slotBytes(uint32_t bits) { return bits == 1 ? 4 : bits <= 16 ? 64 : bits == 32 ? 128 : 256; }

  /// A new slot. Slot 0, if the file is full.
  uint32_t allocate(uint32_t bits);
  bool full() const { return full_; }
  /// The slot of a constant.
  uint32_t constant(uint64_t bits, uint32_t width);
  /// The slot of a shared address, and true if it is new. It is not shared with equal numbers, because a block may add
  /// its rank to it (Block::begin).
  std::pair<uint32_t, bool> sharedAddress(uint64_t address, uint32_t width);
  /// The slot of a special register, if it has one already.
  std::optional<uint32_t> special(std::string_view name, uint32_t bits) const;
  uint32_t addSpecial(std::string_view name, uint32_t bits);

  const Constants &constants(uint32_t width) const { return constants_[widthIndex(width)]; }
  /// The slots of constants and shared addresses.
  std::unordered_set<uint32_t> constantSlots() const;
  const std::vector<Slot> &slots() const { return slots_; } // all, in ascending order
  std::vector<std::byte> image() const;

private:
  /// The index for a width: 16, 32 and 64 bits, predicates.
  static int widthIndex(uint32_t bits) { return bits == 1 ? 3 : bits <= 16 ? 0 : bits == 32 ? 1 : 2; }

  std::vector<Slot> slots_;
  uint32_t bytes_ = 0;
  bool full_ = false;
  Constants constants_[4];                                     // by widthIndex()
  Constants sharedAddresses_;                                  // key: address * 2, plus 1 if the slot has 64 bits
  std::unordered_map<std::string_view, uint32_t> specials_[4]; // by widthIndex()
};

} // namespace lanescope::core::emulator
