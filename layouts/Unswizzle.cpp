#include "layouts/Unswizzle.h"

namespace lanescope::layouts {

namespace {

/// The first entries, which rule out most swizzles before the whole table is checked.
constexpr size_t kFront = 4096;

std::optional<DigitTable> under(const AffineSwizzle &swizzle, std::span<const int32_t> offsets,
                                std::vector<int32_t> &scratch) {
  scratch.assign(offsets.begin(), offsets.end());
  for (int32_t &offset : scratch)
    offset = static_cast<int32_t>(swizzle(offset)); // its own inverse
  return digitTableOf(scratch);
}

} // namespace

std::optional<Unswizzled> unswizzled(std::span<const int32_t> offsets) {
  if (std::optional<DigitTable> plain = digitTableOf(offsets))
    return Unswizzled{std::nullopt, *std::move(plain)};
  std::vector<int32_t> scratch;
  bool front = offsets.size() > kFront && offsets.size() % kFront == 0;
  for (int64_t bits = 1; bits <= 5; ++bits)
    for (int64_t base = 0; base <= 7; ++base)
      for (int64_t shift = bits; shift <= 8; ++shift) {
        AffineSwizzle swizzle{.bits = bits, .base = base, .shift = shift};
        if (front && !under(swizzle, offsets.first(kFront), scratch))
          continue;
        if (std::optional<DigitTable> table = under(swizzle, offsets, scratch))
          return Unswizzled{swizzle, *std::move(table)};
      }
  return std::nullopt;
}

} // namespace lanescope::layouts
