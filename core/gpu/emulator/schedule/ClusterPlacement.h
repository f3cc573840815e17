// Places separately run clusters: chooses the SMs of the device on which each cluster runs, and its first cycle.
//
//   Placement placement(grid);
//   if (placement.isNext(index)) …                                  // the clusters before it in its group have ended
//   cluster.begin(grid, index, placement.sms(index), …);            // its blocks start at placement.start(index)
//   …run…
//   uint64_t end = placement.end(index, cluster);
//
// Cluster c uses the SMs of group c % groups(). As many clusters as fit run there side by side (Grid::residentBlocks),
// each in the place that becomes free first. Blocks on one SM share its units. A block ends only when the units have
// done its work and the work of the blocks before it.
#pragma once

#include "core/gpu/emulator/machine/Cluster.h"

#include <cstdint>
#include <vector>

namespace lanescope::core::emulator {

class Placement {
public:
  explicit Placement(const Grid &grid);

  uint64_t groups() const { return groups_.size(); }
  /// True if all clusters before this one in its group have ended.
  bool isNext(uint64_t cluster) const { return group(cluster).ended == cluster / groups(); }
  /// The SM of each block of the cluster. Other blocks may run there, too.
  std::vector<uint32_t> sms(uint64_t cluster) const;
  /// The first cycle of the cluster's blocks.
  uint64_t start(uint64_t cluster) const;
  /// Call this when the cluster has run. isNext() must have been true for it. Returns the cycle at which its place
  /// becomes free.
  uint64_t end(uint64_t index, const Cluster &cluster);

private:
  struct Group {
    std::vector<uint64_t> free; // per place: the cycle at which it becomes free
    UnitClocks units;           // the units of the group's busiest SM
    uint64_t began = 0;         // the start of the last cluster
    uint64_t ended = 0;         // the number of clusters that have ended
  };
  const Group &group(uint64_t cluster) const { return groups_[cluster % groups()]; }

  uint64_t clusterSize_ = 1;
  std::vector<Group> groups_;
};

} // namespace lanescope::core::emulator
