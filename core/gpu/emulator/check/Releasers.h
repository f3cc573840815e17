// The warps that release to global memory. Each release publishes the accesses of its cluster that happened before it.
//
//   Releasers releasers;
//   Agent who = releasers.of(cluster, warp, kAllLanes, false);
//   uint32_t stamp = releasers.release(who, {known, {}, pc, warp}, releases);
//   acquired.raise(who, stamp);                    // a clock of releasers: its owner has acquired that release
//   releasers.publish(acquired, cluster, use)      // true if the release publishes `use`
//
// If the lanes of a warp know different things (Lanes.h), each lane is a releaser of its own, and a release publishes
// only what its own lanes know.
//
// Memory is bounded. A releaser keeps its last kKept releases. Once there are kMost releasers, all other warps of a
// cluster share one releaser, which knows what any of them did. A release that was dropped counts as publishing
// everything that its cluster did before it.
#pragma once

#include "core/gpu/emulator/check/Clocks.h"

#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

namespace lanescope::core::emulator {

class Releasers {
public:
  /// A use by another cluster. `stamp`: how many releases there had been before it.
  struct Done {
    uint32_t stamp = 0;
    Agent agent = 0;
    Epoch epoch = 0;
  };
  struct Release {
    Clock known;
    std::vector<KnownLanes> apart; // as Before::apart
    uint32_t pc = 0, warp = 0;
    uint32_t stamp = 0;

    /// The lanes whose uses in `epoch` the release publishes.
    uint32_t lanesOf(Agent agent, Epoch epoch) const {
      return known.covers(agent, epoch) ? lanesBefore(apart, agent, epoch) : 0;
    }
  };

  /// The releaser of a warp. If `lanes` are only a part of the warp, the releaser of the first of these lanes.
  /// `system`: with several devices, the releaser for releases that reach all devices.
  Agent of(uint32_t cluster, uint32_t warp, uint32_t lanes, bool system);
  /// Adds a release and returns its stamp. If the previous release publishes the same accesses, adds nothing and
  /// returns the stamp of the previous release. `releases` counts all releases.
  uint32_t release(Agent who, Release release, uint32_t &releases);
  bool publish(const Clock &acquired, uint32_t cluster, const Done &use) const;
  /// The lanes whose part of the use is published.
  uint32_t lanesPublished(const Clock &acquired, uint32_t cluster, const Done &use) const;
  /// True if any release has published accesses by some lanes of a warp and not those by other lanes.
  bool haveParts() const { return haveParts_; }
  /// The stamp of the cluster's last release that `acquired` covers; 0 if there is none.
  uint32_t lastOf(const Clock &acquired, uint32_t cluster) const;
  /// A release of the cluster after `use.stamp` that does not publish the use by all of `lanes`; null if there is none.
  const Release *shortOf(uint32_t cluster, const Done &use, uint32_t lanes) const;
  size_t memoryBytes() const;

private:
  static constexpr size_t kKept = 256, kMost = 8192;
  struct Releaser {
    std::deque<Release> last; // ascending by stamp
    bool many = false;        // stands for several warps
    bool forgot = false;      // older releases were dropped
  };
  static uint32_t lanesPublished(const Releaser &releaser, uint32_t acquired, const Done &use);

  bool haveParts_ = false;
  std::vector<Releaser> releasers_;
  std::unordered_map<uint64_t, Agent> numbers_;                // by cluster, warp and lane
  std::unordered_map<uint32_t, std::vector<Agent>> ofCluster_; // the releasers of a cluster
};

} // namespace lanescope::core::emulator
