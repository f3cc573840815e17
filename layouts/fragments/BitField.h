// A field of some bits in a descriptor word, lowest bit first.
#pragma once

#include <cstdint>

namespace lanescope::layouts {

template <typename Word> struct BitField {
  int first, size;

  constexpr Word mask() const { return ((Word(1) << size) - 1) << first; }
  constexpr uint32_t of(Word bits) const { return static_cast<uint32_t>((bits & mask()) >> first); }
  constexpr Word as(Word value) const { return value << first & mask(); }
};

} // namespace lanescope::layouts
