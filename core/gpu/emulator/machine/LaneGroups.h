// The groups of copies that one lane has committed and waits for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace lanescope::core::emulator {

/// The committed groups of one lane, oldest first. A group counts its unfinished operations, and its operations that
/// are still reading.
struct LaneGroups {
  struct Group {
    uint32_t unfinished = 0, reading = 0;
    uint32_t epoch = 0; // the checker's epoch of its last operation
  };
  uint32_t erasedEpoch = 0; // the checker's epoch of the last operation in dropped groups
  uint64_t first = 0;       // sequence number of groups[0]
  std::vector<Group> groups;
  Group open; // issued, not committed; its sequence number is first + groups.size()

  /// Resets this to the state before the block began. Keeps the allocated memory.
  void reset() {
    std::vector<Group> kept = std::move(groups);
    kept.clear();
    *this = {};
    groups = std::move(kept);
  }
  uint64_t openSequence() const { return first + groups.size(); }
  Group &at(uint64_t sequence) { return sequence == openSequence() ? open : groups[sequence - first]; }
  void commit() {
    groups.push_back(open);
    open = {};
    size_t done = 0;
    while (done < groups.size() && groups[done].unfinished == 0 && groups[done].reading == 0)
      ++done;
    if (done > 64) {
      for (size_t n = 0; n < done; ++n)
        erasedEpoch = groups[n].epoch > erasedEpoch ? groups[n].epoch : erasedEpoch;
      groups.erase(groups.begin(), groups.begin() + static_cast<long>(done));
      first += done;
    }
  }
};

} // namespace lanescope::core::emulator
