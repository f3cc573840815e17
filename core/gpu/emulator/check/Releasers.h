// The warps that release to global memory. Each release publishes the accesses of its cluster that happened before it.
//
//   Releasers releasers;
//   Agent who = releasers.of(cluster, warp, false);
//   uint32_t stamp = releasers.release(who, known, pc, warp, releases); // a clock of releasers raises `who` to it
//   releasers.publish(acquired, cluster, use);                      // whether a clock that has acquired it covers a
//   use
//
// Bounded: each has its last kKept releases, and of more than kMost releasers the others of a cluster count as one that
// knows what any of them did. Older releases publish what came before them in their cluster, whoever did it.
#pragma once

#include "core/gpu/emulator/check/Clocks.h"

#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

namespace lanescope::core::emulator {

class Releasers {
public:
  /// A use by another cluster, and how many releases there had been before it.
  struct Done {
    uint32_t stamp = 0;
    Agent agent = 0;
    Epoch epoch = 0;
  };
  struct Release {
    uint32_t stamp = 0;
    uint32_t pc = 0, warp = 0;
    Clock known;
  };

  /// The releaser of a warp; `system`: for releases of the scope of all devices, where there are several.
  Agent of(uint32_t cluster, uint32_t warp, bool system);
  /// A release that publishes `known`; its stamp. The last one where it publishes the same. `releases` counts.
  uint32_t release(Agent who, const Clock &known, uint32_t pc, uint32_t warp, uint32_t &releases);
  bool publish(const Clock &acquired, uint32_t cluster, const Done &use) const;
  /// The last release of the cluster that is in `acquired`, or 0.
  uint32_t lastOf(const Clock &acquired, uint32_t cluster) const;
  /// A release of the cluster after `stamp` that does not publish the use; null: there is none.
  const Release *shortOf(uint32_t cluster, const Done &use) const;
  size_t memoryBytes() const;

private:
  static constexpr size_t kKept = 256, kMost = 8192;
  struct Releaser {
    std::deque<Release> last; // stamps ascending
    bool many = false;        // it stands for several warps
    bool forgot = false;      // there were others before `last`
  };
  static bool publishes(const Releaser &releaser, uint32_t acquired, const Done &use);

  std::vector<Releaser> releasers_;
  std::unordered_map<uint64_t, Agent> numbers_;                // by cluster and warp
  std::unordered_map<uint32_t, std::vector<Agent>> ofCluster_; // its releasers
};

} // namespace lanescope::core::emulator
