// A part of a launch whose blocks do not communicate: some of its clusters, which start from the memory that earlier
// parts have left. A launch that runs in parts can be stopped between two of them and continued later.
//
//   RunPart first{.first = 0, .count = 100};
//   emulate(ptx, launch, arrays, {.part = &first});       // clusters 0 to 99
//   RunPart second{.first = 100, .count = 100, .before = &first.after};
//   emulate(ptx, launch, arrays, {.part = &second});      // the outputs are those of both
#pragma once

#include "core/data/Bytes.h"
#include "core/gpu/emulator/check/GlobalTouches.h"
#include "core/gpu/emulator/machine/Grid.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace lanescope::core::emulator {

/// The pages of a region that differ from the contents with which the launch began.
struct ChangedPages {
  static constexpr uint64_t kPageBytes = uint64_t{1} << 16;

  uint64_t bytes = 0;            // the size of the whole region
  std::vector<uint32_t> pages{}; // their numbers, in ascending order
  Bytes contents{};              // theirs, one after the other; the region's last page may be shorter

  /// Compares the region with its first contents. Null: they are not known, so all pages count as changed.
  static ChangedPages of(std::span<const std::byte> now, const std::byte *initial);
  /// Copies the pages into a region that has its first contents.
  void restore(std::byte *region) const;
  /// The size that `contents` must have; nothing if the pages are not in order or not in the region.
  std::optional<uint64_t> contentBytes() const;
};

/// The contents of global memory that a kernel can change.
struct MemoryState {
  std::map<uint32_t, ChangedPages> regions; // by number; without those that no kernel has written
  uint64_t heapUsed = 0;

  /// The regions of a grid after its clusters have ended.
  static MemoryState of(const Grid &grid);
  /// Error "checkpoint" if the grid has no such regions, or they have other sizes.
  Result<void> fits(const Grid &grid) const;
  /// Replaces the changed pages of the grid's regions, which fit and have their first contents. An array that is lent
  /// is marked as written in place of that, because its memory is the caller's.
  void restore(Grid &grid) const;
};

struct RunPart {
  uint64_t first = 0, count = 0;       // clusters, in the order of the grid; the grid's end may come before
  const MemoryState *before = nullptr; // null: the launch's own arrays
  double secondsBefore = 0;            // the time that earlier parts took; it counts for the time limit
  // Set by the run, unless it repeats another one:
  uint64_t clusters = 0; // the number of clusters in the whole grid
  uint64_t blocksOfCluster = 1;
  MemoryState after = {};
  GlobalTouches touches = {};

  /// The numbers of the clusters that run.
  std::vector<uint64_t> chosen(const Grid &grid) const;
};

} // namespace lanescope::core::emulator
