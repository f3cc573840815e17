// Cuts the registers of a layout into load or store instructions: finds the values of a thread that each instruction
// moves.
//
//   WGMMA at (64, 16) in f16, row-major memory: each register's pair of elements is adjacent, so 4-byte accesses
//   groupAccesses(map, offsets, 16, 4)  ->  slots {0,1, 2,3, 4,5, 6,7}: four instructions of two values
//
// An instruction names the same registers in every lane. So a group counts only if its values are adjacent, in the same
// order and aligned in every thread that holds them. They need not be neighbours in the layout's own register order.
#pragma once

#include "layouts/ElementMap.h"

#include <cstdint>
#include <span>
#include <vector>

namespace lanescope::layouts {

struct AccessGroups {
  int bytes = 0;              // bytes per lane
  int perInstruction = 1;     // values per instruction
  std::vector<int32_t> slots; // [instruction][value, by address]: reg*vector + position
  int instructions() const { return static_cast<int>(slots.size()) / perInstruction; }
  /// The first value of an instruction.
  int32_t first(int instruction) const { return slots[static_cast<size_t>(instruction) * perInstruction]; }
};

/// Groups for accesses of exactly `bytes` (1, 2, 4, 8 or 16). `offsets` has one entry per element of the map's array,
/// in elements of `bitwidth` bits from an aligned base. A thread that holds none of a group's values takes no part.
/// Errors: an access narrower than an element; values that are not adjacent or not aligned, with the first thread where
/// this happens.
template <typename Offset>
Result<AccessGroups> groupAccesses(const ElementMap &map, std::span<const Offset> offsets, int bitwidth, int bytes);
/// The widest accesses that the layout and the memory allow, at most `maxBytes`. Error: elements below a byte that do
/// not come in pairs.
template <typename Offset>
Result<AccessGroups> widestGroups(const ElementMap &map, std::span<const Offset> offsets, int bitwidth,
                                  int maxBytes = 16);

extern template Result<AccessGroups> groupAccesses(const ElementMap &, std::span<const int32_t>, int, int);
extern template Result<AccessGroups> groupAccesses(const ElementMap &, std::span<const int64_t>, int, int);
extern template Result<AccessGroups> widestGroups(const ElementMap &, std::span<const int32_t>, int, int);
extern template Result<AccessGroups> widestGroups(const ElementMap &, std::span<const int64_t>, int, int);

} // namespace lanescope::layouts
