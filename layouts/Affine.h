// Maps of layouts that are lists of modes: the row-major index is cut into mixed-radix digits, each with a weight.
// Private to notation/.
//
//   modes (2: value 2)(8: thread 4)(4: thread 1)(2: value 1) at (16, 8)  ->  the C fragment of mma.m16n8k16
#pragma once

#include "layouts/AddressMap.h"
#include "layouts/ElementMap.h"
#include "layouts/TmemMap.h"

#include <string>
#include <vector>

namespace lanescope::layouts {

/// One digit of the row-major index; weights are non-negative.
struct AffineMode {
  int64_t size = 1;
  int64_t thread = 0; // or the tensor-memory lane
  int64_t value = 0;  // or the offset in memory, or the tensor-memory column
};

struct AffinePlaces {
  std::vector<AffineMode> modes;    // major first; the sizes' product is the number of elements
  std::vector<AffineMode> replicas; // further places of every element, relative to its first
  int64_t baseThread = 0, baseValue = 0;
  int64_t threads = 0; // the least number of threads; the modes may need more
  int64_t threadMultiple = 1;

  int64_t threadCount() const;
  int64_t valueCount() const;
};

/// Errors: more places than a map has, two elements in one register.
Result<ElementMap> affineRegisters(const Layout &layout, const Shape &shape, const AffinePlaces &places);
/// The unswizzled offsets of the elements (value weights only). Errors: too far apart for a map.
Result<std::vector<int32_t>> affineOffsets(const std::string &title, const Shape &shape, const AffinePlaces &places);
/// thread = lane, value = column in elements. For `bitwidth` below 32, a column packs 32/bitwidth elements.
Result<TmemMap> affineTmem(const Layout &layout, const Shape &shape, int bitwidth, const AffinePlaces &places);

/// `Sw<bits, base, shift>` of an element offset, by CuTe's rule: the bits above `base + shift` are XORed into those
/// from `base` up; with a negative shift, the lower bits are XORed into the higher ones.
struct AffineSwizzle {
  int64_t bits = 0, base = 0, shift = 0;
  int64_t operator()(int64_t offset) const {
    int64_t mask = (int64_t(1) << bits) - 1;
    if (shift >= 0)
      return offset ^ ((offset & (mask << (base + shift))) >> shift);
    return offset ^ ((offset & (mask << base)) << -shift);
  }
  bool operator==(const AffineSwizzle &) const = default;
};
/// Error if a 32-bit offset cannot be swizzled with these numbers.
Result<void> checkAffineSwizzle(const AffineSwizzle &swizzle);

} // namespace lanescope::layouts
