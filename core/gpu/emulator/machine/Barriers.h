// The state of a block's barriers: the 16 named barriers (`bar.sync`) and the mbarriers in shared memory. sync/ has the
// operations on them. The cluster's barrier is in Cluster.h.
//
// The 8 bytes of an mbarrier in shared memory hold an image of its state. The state itself is in the table, so that a
// stray store into a barrier is noticed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace lanescope::core::emulator {

inline constexpr uint32_t kNamedBarriers = 16;

struct NamedBarrier {
  uint32_t arrived = 0;  // threads
  uint32_t expected = 0; // threads; 0: all threads of the block
  bool open = false;     // a phase has begun
  uint64_t time = 0;     // cycle of the last arrival
  uint32_t reduceAnd = 0, reduceOr = 0, reduceCount = 0;
  uint64_t phase = 0;
  uint32_t instruction = 0; // the first arrival's index in Program::code
};

struct Mbarrier {
  uint32_t address = 0;
  uint32_t expected = 0; // arrivals per phase
  uint32_t pending = 0;
  int64_t tx = 0;
  uint64_t phase = 0;
  uint64_t image = 0;
  uint32_t initialised = 0; // the instruction that initialised it
};

inline constexpr uint32_t kMaxArrivals = (1u << 20) - 1;
inline constexpr int64_t kMaxTx = (1 << 20) - 1;

class MbarrierTable {
public:
  Mbarrier *find(uint32_t address) {
    if (last_ < barriers_.size() && barriers_[last_].address == address)
      return &barriers_[last_];
    for (size_t i = 0; i < barriers_.size(); ++i)
      if (barriers_[i].address == address) {
        last_ = i;
        return &barriers_[i];
      }
    return nullptr;
  }
  Mbarrier &add(uint32_t address) {
    barriers_.push_back({});
    barriers_.back().address = address;
    return barriers_.back();
  }
  void remove(uint32_t address) {
    std::erase_if(barriers_, [&](const Mbarrier &b) { return b.address == address; });
  }
  const std::vector<Mbarrier> &all() const { return barriers_; }
  /// `by`: the index of the `mbarrier.inval` in Program::code.
  void invalidate(uint32_t address, uint32_t by) {
    remove(address);
    invalidated_[address] = by;
  }
  /// The last `mbarrier.inval` of an mbarrier at this address; nothing if there was none.
  std::optional<uint32_t> invalidatedBy(uint32_t address) const {
    auto found = invalidated_.find(address);
    return found == invalidated_.end() ? std::nullopt : std::optional(found->second);
  }

private:
  std::vector<Mbarrier> barriers_;
  std::map<uint32_t, uint32_t> invalidated_; // by address
  size_t last_ = 0;
};

} // namespace lanescope::core::emulator
