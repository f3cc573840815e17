// Recovers a change of digits from a table: the inverse of DigitMap.h's computation.
//
//   {0, 1, 8, 9, 2, 3, 10, 11}  ->  base 0, digits (size 2, entry 1, index 1), (2, 8, 2), (2, 2, 4)
//
// A layout that came as a table (from another language, or from a formula) is a change of digits if its table is the
// outer sum of a few weights. Printers need the digits, because every affine notation is a list of them. A recovered
// list is compared with every entry, so text printed from it is exact.
#pragma once

#include "layouts/DigitMap.h"
#include "layouts/ElementMap.h"
#include "layouts/TmemMap.h"

#include <optional>
#include <span>
#include <vector>

namespace lanescope::layouts {

struct DigitTable {
  int64_t base = 0;          // the first entry of the table
  std::vector<Digit> digits; // minor index first; `element`: weight in the entry, `slot`: weight in the index
};
/// table[i] == base + the sum of digit*element over the digits of i. Neighbouring digits that continue each other are
/// merged. Nothing if there is no such list, or if the table is empty or has a negative entry.
std::optional<DigitTable> digitTableOf(std::span<const int32_t> table);
/// The digits of a register map, with slots numbered thread*values + value, or of a tensor-memory map, with slots
/// numbered (lane*columns + column)*packing + sub. Nothing if the map is no change of digits (a swizzle, holes, an
/// offset).
std::optional<std::vector<Digit>> digitsOf(const ElementMap &map);
std::optional<std::vector<Digit>> digitsOf(const TmemMap &map);

/// A digit that lies within one dimension of the array: it adds digit*unit to index[dim].
struct DimDigit {
  int64_t size;
  int dim; // -1 for a replication
  int64_t unit;
  int64_t slot; // weight in the slot or place number
  bool operator==(const DimDigit &) const = default;
};
/// Cuts digits at the borders of the dimensions of `shape` and at the `slotCuts` (weights in the slot number). The
/// result is sorted by slot, minor first. Nothing if a digit straddles a border, or if the digits of a dimension do not
/// cover each index of its range exactly once.
std::optional<std::vector<DimDigit>> splitDigits(const std::vector<Digit> &digits, const Shape &shape,
                                                 std::span<const int64_t> slotCuts);

/// The places of elements as digits of their row-major index. This direction also holds for maps with idle places or an
/// offset. The copies of every element must lie at the same distances from its first place.
struct PlaceDigits {
  int64_t base = 0;          // the place of element 0
  std::vector<Digit> digits; // minor index first; `element`: weight in the index, `slot`: weight in the place
  std::vector<Digit> copies; // `element` is 0
};
/// Places are thread*values + value, or (lane*columns + column)*packing + sub. Nothing if the map has no such form.
std::optional<PlaceDigits> placeDigitsOf(const ElementMap &map);
std::optional<PlaceDigits> placeDigitsOf(const TmemMap &map);
/// Cuts digits at the borders of the dimensions of `shape` in the index, and at `slotCuts` in the place; minor index
/// first.
std::optional<std::vector<DimDigit>> splitPlaces(const std::vector<Digit> &digits, const Shape &shape,
                                                 std::span<const int64_t> slotCuts);

} // namespace lanescope::layouts
