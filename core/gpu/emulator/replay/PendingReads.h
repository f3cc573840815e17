// Tracks which addresses of global memory threads have loaded and not yet passed to an `atom.cas` for comparison.
//
//   PendingReads pending;
//   pending.add(thread, address);      // an `ld` by that thread of the grid
//   pending.remove(thread, address);   // its `atom.cas` there
//   pending.empty()                    // true if all of them have been compared
//
// Most threads compare a loaded value before they load anything else. Such a thread's only address is stored in an
// array indexed by the thread's number, in which neighbouring threads are adjacent.
#pragma once

#include "core/gpu/emulator/replay/PlaceTable.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lanescope::core::emulator {

class PendingReads {
public:
  void add(uint64_t thread, uint64_t address) {
    uint32_t bit = 1u << lineByte(address);
    if (const auto *further = further_.find(thread, address); further && (further->known & bit))
      return;
    if (thread < kMostThreads) {
      if (first_.size() <= thread)
        first_.resize(thread + 1, kNone);
      uint64_t &first = first_[thread];
      if (first == address)
        return;
      if (first == kNone) {
        first = address;
        ++count_;
        return;
      }
    }
    further_.at(thread, address).known |= bit;
    ++count_;
  }
  void remove(uint64_t thread, uint64_t address) {
    if (count_ == 0)
      return;
    if (thread < first_.size() && first_[thread] == address) {
      first_[thread] = kNone;
      --count_;
    } else if (auto *further = further_.find(thread, address)) {
      uint32_t bit = 1u << lineByte(address);
      count_ -= (further->known & bit) != 0;
      further->known &= ~bit;
    }
  }
  bool empty() const { return count_ == 0; }

private:
  static constexpr uint64_t kNone = 0; // no array begins at this address
  static constexpr uint64_t kMostThreads = 1 << 20;

  std::vector<uint64_t> first_; // per thread: one address
  PlaceTable<NoValue> further_; // the other addresses
  size_t count_ = 0;
};

} // namespace lanescope::core::emulator
