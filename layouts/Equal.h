// Compares two layouts, of any languages: checks that both put every element in the same place.
//
//   equal(parse("WGMMA"), parse("((_4,_8,_4),(_2,_2,_8)):((_128,_1,_16),(_64,_8,_512))"), {64, 64}, 32)
//     ->  exact: the same thread and the same register for all 4096 elements
//
// The comparison is about the layouts' maps for one array, not about their texts. Registers count as the values of a
// thread in order: Mosaic's register number times the vector length plus the position is CuTe's value.
#pragma once

#include "layouts/Placement.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lanescope::layouts {

/// An element that the two layouts treat differently.
struct Counterexample {
  Shape index;
  std::string left, right; // "thread 5 (warp 0, lane 5) value 3", "byte 144", "lane 3, column 5"; "nowhere"
};

struct EqualResult {
  Memory memory = Memory::Registers; // the memory in which the two were compared
  bool exact = false;                // true if all places are the same
  /// Registers: true if every element lies in the same threads, even if its register differs. Other memories: equals
  /// `exact`.
  bool sameOwners = false;
  /// Set if the layouts differ by one renaming of registers that holds in every thread: value v of the left layout is
  /// value renaming[v] of the right one. Empty otherwise, and if `exact`.
  std::vector<int32_t> renaming;
  std::optional<Counterexample> counterexample; // the first element that differs; absent when `exact`
  int64_t differing = 0;                        // number of elements that differ
};

/// Errors: the maps are of different memories, shapes or element widths.
Result<EqualResult> equal(const Placement &a, const Placement &b);
/// Compares in the requested memory, or in the one that commonReading() finds. Errors: a layout does not apply to
/// `shape`; the two share no memory.
Result<EqualResult> equal(const Layout &a, const Layout &b, const Shape &shape, int bitwidth = 32,
                          std::optional<Memory> memory = std::nullopt);

/// The two layouts' placements in that memory.
Result<std::pair<Placement, Placement>> commonPlacements(const Layout &a, const Layout &b, const Shape &shape,
                                                         int bitwidth, std::optional<Memory> memory = std::nullopt);
/// The place of an element, in the words of a counterexample.
std::string placeText(const Placement &placement, int64_t element);

} // namespace lanescope::layouts
