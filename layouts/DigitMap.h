// Computes the maps: a layout is a change of digits.
//
// Element indices and owner slots are mixed-radix numbers made of the same digits in different orders. A layout gives
// each digit a weight on either side. WGMMA at (64, 8), slots numbered thread*4 + reg*2 + position:
//
//   digit     size  element weight  slot weight
//   warp         4         16*8        32*4
//   register     2          8*8           2
//   lane major   8            8       4*4
//   lane minor   4            2         4
//   position     2            1         1
//
// So the table slot -> element is the outer sum of the element weights over the digits in slot order. Its inverse is
// the outer sum of the slot weights over the digits in element order. One routine computes both, without division, and
// writes each entry once. A replicated digit has element weight 0 and comes innermost in the inverse. Private to
// layouts/.
#pragma once

#include "layouts/RegisterLayout.h"

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace lanescope::layouts {

struct Digit {
  int64_t size;
  int64_t element; // weight in the row-major element index; 0: a replication
  int64_t slot;    // weight in the slot number
};

/// The digits of a tiled layout that has been checked against `shape`. Slots are (thread*registers + reg)*vector +
/// position. Register digits come first, then warp, lane and vector digits; digits of size one are left out.
std::vector<Digit> digitsOf(const TiledLayout &layout, const Shape &shape, int64_t registers);

/// out[i] = sum of weight*digit over the digits of i, the last digit fastest. `out` has the product of the sizes.
void outerSum(std::span<const std::pair<int64_t, int64_t>> sizesAndWeights, int32_t *out);

/// Digits that may leave slots idle: there are gaps between the weights, or the slots begin after the first. Example:
/// (2, 1, 1)(4, 2, 8) from slot 16 of 64 fills the slots 16, 17, 24, 25, 32, 33, 40, 41.
struct SparseDigits {
  std::vector<Digit> digits;
  int64_t firstSlot = 0, slots = 0; // `slots` counts idle slots too
  /// Sorts the digits by slot weight, the largest first. True if each slot gets at most one element: each slot weight
  /// must exceed the range of all smaller digits. All slots must be below `slots`.
  bool arrange();
};

/// A table and its inverse, made from a list of digits.
class TwoWayTable {
public:
  /// Returns null if there is not enough memory. Sizes must be positive, and their product below 2^31.
  static std::shared_ptr<const TwoWayTable> make(std::vector<Digit> digits, int64_t replication);
  /// Builds a table that may have idle slots (entries -1). The caller must have called arrange(), and slots are below
  /// 2^31.
  static std::shared_ptr<const TwoWayTable> makeSparse(SparseDigits arranged, int64_t replication);
  /// Takes any table; its entries are elements below `elementCount`, or -1. To build the inverse, one pass checks if
  /// the table is a change of digits or of bits. If it is, the inverse is computed from these; otherwise by sorting.
  static std::shared_ptr<const TwoWayTable> fromElements(std::vector<int32_t> elements, int64_t elementCount);

  std::span<const int32_t> elements() const {
    return fromElements_ ? std::span<const int32_t>(given_) : std::span<const int32_t>(elements_.get(), count_);
  }
  /// Slots of an element, ascending.
  std::span<const int32_t> slots(int64_t element) const;
  /// The slot of every element, if each has exactly one; empty otherwise, or if memory is short.
  std::span<const int32_t> soleSlots() const;
  /// The most slots that one element has; 1 if none has any. Builds the inverse table.
  int64_t mostSlots() const;

private:
  void invert() const;
  void invertDigits(std::vector<Digit> digits) const;
  bool invertRecognised() const;
  void invertEntries() const;

  std::vector<Digit> digits_;
  int64_t firstSlot_ = 0;
  int64_t elementCount_ = 0;
  bool fromElements_ = false;
  size_t count_ = 0;
  mutable size_t replication_ = 1;
  std::unique_ptr<int32_t[]> elements_;
  std::vector<int32_t> given_; // replaces elements_ in a table made from elements
  mutable std::once_flag inverseOnce_;
  mutable std::unique_ptr<int32_t[]> inverse_;
  // The start of each element's slots in inverse_; null if each element has replication_ slots.
  mutable std::unique_ptr<int32_t[]> starts_;
};

/// The most entries that a map may have.
constexpr int64_t kMaxMapEntries = int64_t(1) << 27;

} // namespace lanescope::layouts
