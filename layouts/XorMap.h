// Tables that are linear over F2, and their inverses: the second engine of the maps, beside DigitMap.h.
//
//   bases 1, 2, 5 (slot bits 0, 1, 2)        table   0 1 2 3 5 4 7 6       table[6] = 2 ^ 5
//   its inverse's bases 1, 2, 5              table   0 1 2 3 5 4 7 6       slots of elements 0, 1, …
//
// Swizzled layouts are no change of digits, but of bits: entry i is the exclusive or of the bases of i's bits. So is
// the inverse, as elimination finds it: a slot for each bit of the element, and slots that hold element 0 (the kernel)
// where elements have several. Like a change of digits, each table is one streaming pass. Private to layouts/.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace lanescope::layouts {

/// out[i] = the exclusive or of the bases of the bits of i; `out` has 2^bases entries.
void xorSums(std::span<const int32_t> bases, int32_t *out);
/// The bases of a table that is such a sum, every entry compared. Nothing for any other, or a size that is no power of
/// two.
std::optional<std::vector<int32_t>> xorBasesOf(std::span<const int32_t> table);

struct XorInverse {
  /// Of the table of slots: those of the kernel first, which number an element's slots, then one for each element bit.
  std::vector<int32_t> bases;
  int kernelBits = 0;
};
/// The inverse of xorSums(bases) onto 2^elementBits elements; each element's slots come out in ascending order. Nothing
/// where an element has no slot.
std::optional<XorInverse> invertXor(std::span<const int32_t> bases, int elementBits);

} // namespace lanescope::layouts
