// The warps that release to global memory. Each release publishes the accesses of its cluster that happened before it.
//
//   Releasers releasers;
//   Agent who = releasers.of(cluster, warp, kAllLanes, false);
//   uint32_t stamp = releasers.release(who, {known, {}, pc, warp}, releases); // a clock of releasers raises `who` to
//   it releasers.publish(acquired, cluster, use);                // whether a clock that has acquired it covers a use
//
// Where lanes of a warp know unlike things (Lanes.h), a release publishes what its own lanes know, and each lane is a
// releaser of its own.
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
    Clock known;
    std::vector<KnownLanes> apart; // as of Before
    uint32_t pc = 0, warp = 0;
    uint32_t stamp = 0;

    /// The lanes whose uses in `epoch` it publishes.
    uint32_t lanesOf(Agent agent, Epoch epoch) const {
      return known.covers(agent, epoch) ? lanesBefore(apart, agent, epoch) : 0;
    }
  };

  /// The releaser of a warp, or of the first of some of its lanes; `system`: for releases of the scope of all devices,
  /// where there are several.
  Agent of(uint32_t cluster, uint32_t warp, uint32_t lanes, bool system);
  /// Adds a release; its stamp. The last one where it publishes the same. `releases` counts.
  uint32_t release(Agent who, Release release, uint32_t &releases);
  bool publish(const Clock &acquired, uint32_t cluster, const Done &use) const;
  /// The lanes whose use it is that is published.
  uint32_t lanesPublished(const Clock &acquired, uint32_t cluster, const Done &use) const;
  /// Whether any release has published what some lanes did, and not what others did.
  bool haveParts() const { return haveParts_; }
  /// The last release of the cluster that is in `acquired`, or 0.
  uint32_t lastOf(const Clock &acquired, uint32_t cluster) const;
  /// A release of the cluster after `stamp` that does not publish the use by all of `lanes`; null: there is none.
  const Release *shortOf(uint32_t cluster, const Done &use, uint32_t lanes) const;
  size_t memoryBytes() const;

private:
  static constexpr size_t kKept = 256, kMost = 8192;
  struct Releaser {
    std::deque<Release> last; // stamps ascending
    bool many = false;        // it stands for several warps
    bool forgot = false;      // there were others before `last`
  };
  static uint32_t lanesPublished(const Releaser &releaser, uint32_t acquired, const Done &use);

  bool haveParts_ = false;
  std::vector<Releaser> releasers_;
  std::unordered_map<uint64_t, Agent> numbers_;                // by cluster, warp and lane
  std::unordered_map<uint32_t, std::vector<Agent>> ofCluster_; // its releasers
};

} // namespace lanescope::core::emulator
