// Tables that are linear over F2, and their inverses. The maps of swizzled layouts use this file; the maps of other
// layouts use DigitMap.h.
//
//   bases 1, 2, 5 (slot bits 0, 1, 2)        table   0 1 2 3 5 4 7 6       table[6] = 2 ^ 5
//   its inverse's bases 1, 2, 5              table   0 1 2 3 5 4 7 6       slots of elements 0, 1, …
//
// A swizzled layout is a change of bits, not of digits: entry i is the exclusive or of the bases of i's bits. Its
// inverse has the same form, and Gaussian elimination finds it. The inverse has a slot for each bit of the element. If
// elements have several slots, it also has the slots that hold element 0 (the kernel). As with a change of digits, each
// table takes one streaming pass. Private to layouts/.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace lanescope::layouts {

/// out[i] = the exclusive or of the bases of the bits of i; `out` has 2^bases entries.
void xorSums(std::span<const int32_t> bases, int32_t *out);
/// The bases of a table, if it is such a sum; the function compares every entry. Nothing for any other table, or for a
/// size that is not a power of two.
std::optional<std::vector<int32_t>> xorBasesOf(std::span<const int32_t> table);

struct XorInverse {
  /// The bases of the table of slots: first those of the kernel, which number an element's slots, then one for each
  /// element bit.
  std::vector<int32_t> bases;
  int kernelBits = 0;
};
/// The inverse of xorSums(bases) onto 2^elementBits elements. Each element's slots come out in ascending order. Nothing
/// if some element has no slot.
std::optional<XorInverse> invertXor(std::span<const int32_t> bases, int elementBits);

} // namespace lanescope::layouts
