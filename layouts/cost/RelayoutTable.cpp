// The conversions that JAX Mosaic GPU has (jax/experimental/mosaic/gpu/fragmented_array.py, `to_layout`), and which of
// them the kernel compiler makes (core/gpu/lowering/arrays/LayoutCast.cpp).
#include "layouts/Catalogue.h"
#include "layouts/cost/RelayoutPlan.h"
#include "layouts/support/Text.h"

namespace lanescope::layouts {

namespace {

namespace c = catalogue;

bool is(const Layout &layout, const TiledLayout &named) {
  const auto *registers = std::get_if<RegisterLayout>(&layout);
  const auto *tiled = registers ? std::get_if<TiledLayout>(registers) : nullptr;
  return tiled && *tiled == named;
}

bool isPair(const Layout &a, const Layout &b, const TiledLayout &one, const TiledLayout &other) {
  return (is(a, one) && is(b, other)) || (is(a, other) && is(b, one));
}

/// TMEM_NATIVE(n) of any n.
bool isNative(const Layout &layout) {
  const auto *registers = std::get_if<RegisterLayout>(&layout);
  const auto *tiled = registers ? std::get_if<TiledLayout>(registers) : nullptr;
  if (!tiled)
    return false;
  auto native = c::tmemNative(tiled->vectorLength());
  return native && *tiled == *native;
}

KnownRelayout lowered(RelayoutCounts counts, std::string how) {
  return {.lowered = true, .lowering = counts, .published = {}, .how = std::move(how)};
}

} // namespace

std::optional<KnownRelayout> knownRelayout(const Layout &from, const Layout &to, const Shape &shape, int bitwidth,
                                           int64_t words) {
  if (isPair(from, to, c::wgmma(), c::wgmmaTransposed()) || isPair(from, to, c::tcgen05(), c::tcgen05Transposed())) {
    int64_t pairs = bitwidth == 16 ? words : words / 2;
    RelayoutCounts selecting{.shuffles = pairs, .selects = 3 * pairs};
    if (bitwidth == 16)
      return lowered({.prmt = pairs, .shuffles = pairs},
                     "per pair of elements, lanes 4 apart exchange it and keep one of each: a shuffle and a prmt");
    if (bitwidth == 32)
      return KnownRelayout{.lowered = true,
                           .lowering = selecting,
                           .published = {},
                           .how = "per pair of elements, lanes 4 apart swap one: a select, a shuffle, two selects"};
    return std::nullopt;
  }
  if (isPair(from, to, c::wgmma(), c::wgmmaAcc32Bit()))
    return KnownRelayout{.lowered = true,
                         .lowering = {},
                         .published = {},
                         .how = "each register of two elements is two registers of one, or the other way round"};
  if (is(from, c::wgmmaUpcast2x()) && is(to, c::wgmma())) {
    if (bitwidth == 16)
      return lowered({.shuffles = words / 2, .selects = 3 * (words / 2)},
                     "per register of four elements, neighbouring lanes swap one pair: a select, a shuffle, two "
                     "selects");
    if (bitwidth == 8)
      return lowered({.prmt = words, .shuffles = words},
                     "per register of four elements, one shuffle to the neighbouring lane and one prmt; its halves go "
                     "to two column tiles");
    if (bitwidth == 4 && shape.back() % 32 == 0)
      return lowered({.prmt = words, .shuffles = words},
                     "the registers of two column tiles together, then one shuffle to the neighbouring lane and one "
                     "prmt; its bytes go to four column tiles");
    return std::nullopt;
  }
  if (bitwidth == 4 && is(from, c::wgmmaUpcast4x()) && is(to, c::wgmmaUpcast2x()))
    return lowered({.prmt = words, .shuffles = words},
                   "per register of eight elements, one shuffle to the lane 2 on and one prmt; its halves go to two "
                   "column tiles");
  if (bitwidth == 4 && is(from, c::wgmmaUpcast4x()) && is(to, c::wgmma()))
    return lowered({.prmt = 2 * words, .shuffles = 2 * words},
                   "through WGMMA_UPCAST_2X: two shuffles and two prmt per register of eight elements");
  if (isNative(from) && isNative(to))
    return KnownRelayout{.lowered = true,
                         .lowering = {},
                         .published = {},
                         .how = "each row's registers cut into shorter ones, or joined to longer ones"};
  return std::nullopt;
}

} // namespace lanescope::layouts
