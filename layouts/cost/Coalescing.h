// Counts the cost of loading or storing an array in global memory: 32-byte sectors and 128-byte lines per warp
// instruction.
//
//   auto map = *ElementMap::of(catalogue::wgmma(), {64, 64});
//   coalescing(map, {64, 1}, 16)  ->  16 accesses of 4 bytes per thread; each warp's takes 8 sectors, the 4-byte pieces
//                                     of which fill half: efficiency 0.5
//
// An instruction moves 1, 2, 4, 8 or 16 bytes per lane: as many values as every thread holds adjacent and aligned. A
// warp's instruction reads whole sectors; a line (one tag of the L1 cache) is four of them. The ideal is the fewest
// sectors that hold the requested bytes. The base address is assumed to be aligned to 128 bytes. Source: CUDA C++
// Programming Guide, "Device Memory Accesses".
#pragma once

#include "layouts/ElementMap.h"

#include <vector>

namespace lanescope::layouts {

constexpr int kSectorBytes = 32;
constexpr int kLineBytes = 128;

struct CoalescingReport {
  struct Instruction {
    int64_t sectors = 0, idealSectors = 0, lines = 0; // summed over all warps
    int worstWarp = 0;                                // the warp with the most sectors
  };
  int bytes = 0; // bytes per lane and access
  int warps = 0;
  std::vector<int32_t> slots; // [instruction][value]: reg*vector + position
  int slotsPerInstruction = 1;
  std::vector<Instruction> instructions;
  int64_t sectors = 0, idealSectors = 0, lines = 0;
  /// idealSectors / sectors; 1 for an empty array.
  double efficiency() const {
    return sectors == 0 ? 1 : static_cast<double>(idealSectors) / static_cast<double>(sectors);
  }
};

/// `strides`: the array's strides in global memory, in elements, one per dimension; 0 repeats. Errors: a wrong number
/// of strides; a negative stride; an extent beyond 2^40 bytes; elements below a byte that do not come in pairs.
Result<CoalescingReport> coalescing(const ElementMap &map, const Shape &strides, int bitwidth);

} // namespace lanescope::layouts
