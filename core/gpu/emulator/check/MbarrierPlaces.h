// The places of a cluster's mbarriers in shared memory. Until `mbarrier.inval`, the memory of an mbarrier may not be
// used for anything else (PTX ISA, "mbarrier", `mbarrier.inval`).
//
//   places.add(rank, address); places.in(rank, from, bytes)   ->  the first mbarrier in these bytes
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace lanescope::core::emulator {

class MbarrierPlaces {
public:
  static constexpr uint32_t kBytes = 8;

  void clear() {
    all_.clear();
    fit();
  }
  void add(uint32_t rank, uint32_t address) {
    uint64_t key = keyOf(rank, address);
    if (auto at = std::ranges::lower_bound(all_, key); at == all_.end() || *at != key)
      all_.insert(at, key);
    fit();
  }
  void remove(uint32_t rank, uint32_t address) {
    std::erase(all_, keyOf(rank, address));
    fit();
  }
  bool empty() const { return all_.empty(); }
  /// True if an mbarrier may be in the bytes. This quick test runs for every write.
  bool mayBeIn(uint32_t rank, uint64_t from, uint64_t bytes) const {
    return keyOf(rank, from) < end_ && keyOf(rank, from) + bytes > begin_;
  }
  /// The address of the first mbarrier that overlaps the bytes.
  std::optional<uint32_t> in(uint32_t rank, uint64_t from, uint64_t bytes) const {
    uint64_t key = keyOf(rank, from);
    auto at = std::ranges::lower_bound(all_, key - std::min<uint64_t>(from, kBytes - 1));
    if (at == all_.end() || *at >= key + bytes)
      return std::nullopt;
    return static_cast<uint32_t>(*at);
  }

private:
  static uint64_t keyOf(uint32_t rank, uint64_t address) { return uint64_t{rank} << 32 | address; }
  void fit() {
    begin_ = all_.empty() ? UINT64_MAX : all_.front();
    end_ = all_.empty() ? 0 : all_.back() + kBytes;
  }

  std::vector<uint64_t> all_; // ascending
  uint64_t begin_ = UINT64_MAX, end_ = 0;
};

} // namespace lanescope::core::emulator
