// A table of facts about single bytes of global memory. It has one fact per byte, or one per byte and owner. An owner
// is a warp or a thread of the grid.
//
//   PlaceTable<std::byte> given;
//   auto &line = given.at(warp, address);              // 32 bytes; `line.known`: a bit for each byte with a value
//   uint32_t bits = lineBits(address, 4);              // an access is aligned to its size, so it lies in one line
//   if ((line.known & bits) == bits) … line.values[lineByte(address)] …
//
// This is a hash table of lines with open addressing. Replays look at every access of a run, and most of their time
// would be spent on a table with a node per byte.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace lanescope::core::emulator {

inline constexpr uint32_t kLineBytes = 32; // the most bytes that a lane accesses

inline uint32_t lineByte(uint64_t address) { return static_cast<uint32_t>(address % kLineBytes); }
/// The bytes of an access, one bit each.
inline uint32_t lineBits(uint64_t address, uint32_t bytes) {
  return UINT32_MAX >> (kLineBytes - bytes) << lineByte(address);
}

/// Calls visit(n) for each byte of a line whose bit is in `bits`.
template <class Visit> void forBytes(uint32_t bits, Visit visit) {
  for (; bits; bits &= bits - 1)
    visit(static_cast<uint32_t>(std::countr_zero(bits)));
}

struct NoValue {}; // the table is a set

template <class Value> class PlaceTable {
public:
  struct Line {
    uint32_t known = 0; // a bit for each byte that has a value
    [[no_unique_address]] std::conditional_t<std::is_empty_v<Value>, NoValue, std::array<Value, kLineBytes>> values{};
  };

  /// The line of an address. The reference is valid until the next call.
  Line &at(uint64_t owner, uint64_t address) {
    Key key{owner, address / kLineBytes};
    if (last_ < lines_.size() && keys_[last_] == key)
      return lines_[last_];
    if (2 * (lines_.size() + 1) > slots_.size())
      grow();
    uint32_t &slot = slots_[slotOf(key)];
    if (slot == kFree) {
      slot = static_cast<uint32_t>(lines_.size());
      keys_.push_back(key);
      lines_.emplace_back();
    }
    return lines_[last_ = slot];
  }
  /// The line of an address; null if there is none.
  Line *find(uint64_t owner, uint64_t address) {
    if (lines_.empty())
      return nullptr;
    Key key{owner, address / kLineBytes};
    if (keys_[last_] == key)
      return &lines_[last_];
    uint32_t slot = slots_[slotOf(key)];
    return slot == kFree ? nullptr : &lines_[last_ = slot];
  }
  bool empty() const { return lines_.empty(); }
  void clear() {
    slots_.clear();
    keys_.clear();
    lines_.clear();
    last_ = 0;
  }

private:
  struct Key {
    uint64_t owner = 0, line = 0;
    bool operator==(const Key &) const = default;
  };
  static constexpr uint32_t kFree = UINT32_MAX;

  /// The slot that holds the key, or the free slot for it.
  size_t slotOf(const Key &key) const {
    uint64_t mixed = (key.line + key.owner * 0x9E3779B97F4A7C15ull) * 0xD6E8FEB86659FD93ull;
    size_t mask = slots_.size() - 1;
    for (size_t n = (mixed ^ mixed >> 32) & mask;; n = (n + 1) & mask)
      if (slots_[n] == kFree || keys_[slots_[n]] == key)
        return n;
  }
  void grow() {
    slots_.assign(std::max<size_t>(64, 4 * std::bit_ceil(lines_.size() + 1)), kFree);
    for (uint32_t n = 0; n < keys_.size(); ++n)
      slots_[slotOf(keys_[n])] = n;
  }

  std::vector<uint32_t> slots_; // numbers of lines; their count is a power of two
  std::vector<Key> keys_;
  std::vector<Line> lines_;
  uint32_t last_ = 0; // the line found last, which neighbouring lanes usually share
};

} // namespace lanescope::core::emulator
