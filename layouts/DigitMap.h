// The engine of the maps: a layout as a change of digits.
//
// Element indices and owner slots are mixed-radix numbers made of the same digits in different orders; a layout only
// says which weight each digit has on either side. WGMMA at (64, 8), slots numbered thread*4 + reg*2 + position:
//
//   digit     size  element weight  slot weight
//   warp         4         16*8        32*4
//   register     2          8*8           2
//   lane major   8            8       4*4
//   lane minor   4            2         4
//   position     2            1         1
//
// So the table slot -> element is the outer sum of the element weights over the digits in slot order, and its inverse
// is the outer sum of the slot weights over the digits in element order: one routine, no division, each entry written
// once. A replicated digit has element weight 0 and comes innermost in the inverse. Private to layouts/.
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

/// The digits of a tiled layout that has been checked against `shape`; slots are (thread*registers + reg)*vector +
/// position. Register digits come first, then warp, lane and vector digits; those of size one are left out.
std::vector<Digit> digitsOf(const TiledLayout &layout, const Shape &shape, int64_t registers);

/// out[i] = sum of weight*digit over the digits of i, the last one fastest; `out` has the product of the sizes.
void outerSum(std::span<const std::pair<int64_t, int64_t>> sizesAndWeights, int32_t *out);

/// Digits whose slots may leave others idle: the weights have gaps between them, or the slots begin after the first.
/// (2, 1, 1)(4, 2, 8) from slot 16 of 64 fills the slots 16, 17, 24, 25, 32, 33, 40, 41.
struct SparseDigits {
  std::vector<Digit> digits;
  int64_t firstSlot = 0, slots = 0; // of all slots, idle ones with them
  /// Whether the weights leave each slot at most one element: in order of their slot weights, each is beyond all that
  /// the digits before it reach. Puts the digits in that order, the largest weight first. All slots are below `slots`.
  bool arrange();
};

/// Table and inverse table over a digit list.
class TwoWayTable {
public:
  /// Null when there is no memory for it. Sizes must be positive, their product below 2^31.
  static std::shared_ptr<const TwoWayTable> make(std::vector<Digit> digits, int64_t replication);
  /// The same with idle slots (entries -1). `arranged` must be so, its slots below 2^31.
  static std::shared_ptr<const TwoWayTable> makeSparse(SparseDigits arranged, int64_t replication);
  /// From a table of any kind: entries are elements below `elementCount`, or -1. Its inverse takes a pass over the
  /// entries to see whether it is a change of digits or of bits (then it is made as theirs are); else it is sorted.
  static std::shared_ptr<const TwoWayTable> fromElements(std::vector<int32_t> elements, int64_t elementCount);

  std::span<const int32_t> elements() const {
    return fromElements_ ? std::span<const int32_t>(given_) : std::span<const int32_t>(elements_.get(), count_);
  }
  /// Slots of an element, ascending.
  std::span<const int32_t> slots(int64_t element) const;
  /// The slot of every element, where each has exactly one; empty where that is not so, or there is no memory for it.
  std::span<const int32_t> soleSlots() const;
  /// The most slots that one element has; 1 when none has any. Builds the inverse table.
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
  std::vector<int32_t> given_; // in place of elements_, for a table from elements
  mutable std::once_flag inverseOnce_;
  mutable std::unique_ptr<int32_t[]> inverse_;
  mutable std::unique_ptr<int32_t[]> starts_; // of each element's slots in inverse_; null: every replication_ entries
};

/// Entries that a map may have.
constexpr int64_t kMaxMapEntries = int64_t(1) << 27;

} // namespace lanescope::layouts
