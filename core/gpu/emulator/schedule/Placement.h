// Where the clusters of a device that run apart are, and when.
//
//   Placement placement(grid);
//   if (placement.isNext(index)) …                                  // those before it in its group have ended
//   cluster.begin(grid, index, placement.sms(index), …);            // its blocks start at placement.start(index)
//   …run…
//   uint64_t end = placement.end(index, cluster);
//
// Cluster c has the SMs of group c % groups(). As many as fit run there side by side (Grid::residentBlocks), each in
// the place that is free first. Blocks of an SM share its units: none has ended before the units have done its work and
// that of those that came before it.
#pragma once

#include "core/gpu/emulator/machine/Cluster.h"

#include <cstdint>
#include <vector>

namespace lanescope::core::emulator {

class Placement {
public:
  explicit Placement(const Grid &grid);

  uint64_t groups() const { return groups_.size(); }
  /// Whether all before it in its group have ended.
  bool isNext(uint64_t cluster) const { return group(cluster).ended == cluster / groups(); }
  /// SMs by block; there may be others on them.
  std::vector<uint32_t> sms(uint64_t cluster) const;
  /// The first cycle of its blocks.
  uint64_t start(uint64_t cluster) const;
  /// The cluster, which isNext(), has run; gives the cycle at which its place is free.
  uint64_t end(uint64_t index, const Cluster &cluster);

private:
  struct Group {
    std::vector<uint64_t> free; // by place: the cycle at which it is
    UnitClocks units;           // of the busiest of its SMs
    uint64_t began = 0;         // the last cluster
    uint64_t ended = 0;         // clusters
  };
  const Group &group(uint64_t cluster) const { return groups_[cluster % groups()]; }

  uint64_t clusterSize_ = 1;
  std::vector<Group> groups_;
};

} // namespace lanescope::core::emulator
