// A table read back as a change of digits: the inverse of what DigitMap.h computes.
//
//   {0, 1, 8, 9, 2, 3, 10, 11}  ->  base 0, digits (size 2, entry 1, index 1), (2, 8, 2), (2, 2, 4)
//
// A layout that came as a table (from another language, or from a formula) is one of digits when its table is the outer
// sum of a few weights. Printers need the digits: every affine notation is a list of them. A recovered list is checked
// against every entry, so that what is printed from it is exact.
#pragma once

#include "layouts/DigitMap.h"
#include "layouts/ElementMap.h"
#include "layouts/TmemMap.h"

#include <optional>
#include <span>
#include <vector>

namespace lanescope::layouts {

struct DigitTable {
  int64_t base = 0;          // table[0]
  std::vector<Digit> digits; // minor index first; `element`: weight in the entry, `slot`: weight in the index
};
/// table[i] == base + the sum of digit*element over the digits of i; neighbouring digits that continue each other are
/// one. Nothing when there is no such list, or the table is empty or has an entry below zero.
std::optional<DigitTable> digitTableOf(std::span<const int32_t> table);
/// The digits of a register map, slots numbered thread*values + value; of a tensor-memory map, slots numbered
/// (lane*columns + column)*packing + sub. Nothing when the map is no change of digits (a swizzle, holes, an offset).
std::optional<std::vector<Digit>> digitsOf(const ElementMap &map);
std::optional<std::vector<Digit>> digitsOf(const TmemMap &map);

/// A digit that lies within one dimension of the array: index[dim] has the term digit*unit.
struct DimDigit {
  int64_t size;
  int dim; // -1: a replication, no dimension
  int64_t unit;
  int64_t slot; // weight in the other number
  bool operator==(const DimDigit &) const = default;
};
/// Cuts digits where they cross a dimension of `shape` or one of the `slotCuts` (weights in the slot number). Minor
/// slot first. Nothing when a digit straddles a border, or when the digits of a dimension do not make up its whole
/// range, each index once.
std::optional<std::vector<DimDigit>> splitDigits(const std::vector<Digit> &digits, const Shape &shape,
                                                 std::span<const int64_t> slotCuts);

/// Where the elements are, as digits of their row-major index: the other direction, which also holds for maps with idle
/// places or an offset. Every element's copies lie at the same distances from its first place.
struct PlaceDigits {
  int64_t base = 0;          // place of element 0
  std::vector<Digit> digits; // minor index first; `element`: weight in the index, `slot`: weight in the place
  std::vector<Digit> copies; // `element` is 0
};
/// Places are thread*values + value, or (lane*columns + column)*packing + sub. Nothing when the map is not such.
std::optional<PlaceDigits> placeDigitsOf(const ElementMap &map);
std::optional<PlaceDigits> placeDigitsOf(const TmemMap &map);
/// Digits cut where their index crosses a dimension of `shape` or their place one of `slotCuts`, minor index first.
std::optional<std::vector<DimDigit>> splitPlaces(const std::vector<Digit> &digits, const Shape &shape,
                                                 std::span<const int64_t> slotCuts);

} // namespace lanescope::layouts
