#include "layouts/cost/RelayoutTable.h"

#include "layouts/Catalogue.h"
#include "layouts/cost/RelayoutPlan.h"
#include "layouts/support/Text.h"

#include <algorithm>

namespace lanescope::layouts {

namespace {

namespace c = catalogue;

bool is(const RegisterLayout &layout, const TiledLayout &named) {
  const auto *tiled = std::get_if<TiledLayout>(&layout);
  return tiled && *tiled == named;
}

bool isPair(const RegisterLayout &a, const RegisterLayout &b, const TiledLayout &one, const TiledLayout &other) {
  return (is(a, one) && is(b, other)) || (is(a, other) && is(b, one));
}

/// True for TMEM_NATIVE(n) with any n.
bool isNative(const RegisterLayout &layout) {
  const auto *tiled = std::get_if<TiledLayout>(&layout);
  if (!tiled)
    return false;
  auto native = c::tmemNative(tiled->vectorLength());
  return native && *tiled == *native;
}

/// True if the registers of both layouts hold whole bytes (4-bit elements come in pairs), and whole registers of one
/// layout fill each register of the other.
bool canRecut(const RegisterLayout &from, const RegisterLayout &to, int bitwidth) {
  auto [less, more] = std::minmax({vectorLength(from), vectorLength(to)});
  return more % less == 0 && (bitwidth >= 8 || less > 1);
}

/// True for the layouts of the accumulator and of the 16-bit left operand of `mma` whose four warps are along M, in
/// either order. A step of 16 along K is two tiles of 8 columns, so the same lanes hold the same elements in the same
/// registers (PTX ISA, "Matrix Fragments for mma.m16n8k16"). The accumulator's layout is also that of `wgmma`.
bool isSumAndOperand(const RegisterLayout &a, const RegisterLayout &b) {
  static const Result<c::MmaLayouts> mma = c::mmaLayouts(16, kWarpsPerWarpgroup);
  return isPair(a, b, mma->acc, mma->lhs);
}

/// True if the kernel compiler makes the conversion for elements of this width.
bool isCompiled(Conversion conversion, const RegisterLayout &from, const RegisterLayout &to, int bitwidth) {
  switch (conversion) {
  case Conversion::Nothing:
  case Conversion::Constant: return true;
  case Conversion::Transposition: return bitwidth == 16 || bitwidth == 32;
  case Conversion::PairSplit:
  case Conversion::Recut: return canRecut(from, to, bitwidth);
  case Conversion::Renaming: return bitwidth >= 8;
  case Conversion::Upcast2x: return bitwidth == 4 || bitwidth == 8 || bitwidth == 16;
  case Conversion::Upcast4xTo2x:
  case Conversion::Upcast4x: return bitwidth == 4;
  }
  return false;
}

std::optional<Conversion> find(const RegisterLayout &from, const RegisterLayout &to, int bitwidth) {
  std::optional<Conversion> found = conversionOfPair(from, to);
  return found && isCompiled(*found, from, to, bitwidth) ? found : std::nullopt;
}

} // namespace

/// True if columns are left over: two column tiles of 16 fill a register of 32 bits.
bool oddColumns(Conversion conversion, const Shape &shape, int bitwidth) {
  return conversion == Conversion::Upcast2x && bitwidth == 4 && shape.back() % 32 != 0;
}

std::optional<Conversion> conversionOfPair(const RegisterLayout &from, const RegisterLayout &to) {
  if (from == to)
    return Conversion::Nothing;
  if (std::holds_alternative<WGSplatFragLayout>(from))
    return Conversion::Constant;
  if (isPair(from, to, c::wgmma(), c::wgmmaTransposed()) || isPair(from, to, c::tcgen05(), c::tcgen05Transposed()))
    return Conversion::Transposition;
  if (isPair(from, to, c::wgmma(), c::wgmmaAcc32Bit()))
    return Conversion::PairSplit;
  if (isNative(from) && isNative(to))
    return Conversion::Recut;
  if (isSumAndOperand(from, to))
    return Conversion::Renaming;
  if (is(from, c::wgmmaUpcast2x()) && is(to, c::wgmma()))
    return Conversion::Upcast2x;
  if (is(from, c::wgmmaUpcast4x()) && is(to, c::wgmmaUpcast2x()))
    return Conversion::Upcast4xTo2x;
  if (is(from, c::wgmmaUpcast4x()) && is(to, c::wgmma()))
    return Conversion::Upcast4x;
  return std::nullopt;
}

std::string quoted(const RegisterLayout &layout) {
  return text("`", catalogueName(layout).value_or(jaxText(layout)), "`");
}

Result<Conversion> conversion(const RegisterLayout &from, const RegisterLayout &to, const Shape &shape, int bitwidth) {
  std::optional<Conversion> found = find(from, to, bitwidth);
  if (!found)
    return error(
        "no-conversion",
        Message(
            "there is no conversion from {layout} to {other_layout} for {bits}-bit elements; there are: WGMMA <-> "
            "WGMMA_TRANSPOSED and TCGEN05 <-> TCGEN05_TRANSPOSED (16 and 32 bits), WGMMA <-> WGMMA_ACC_32BIT, MMA_ACC "
            "<-> MMA_LHS(f16), WGMMA_UPCAST_2X -> WGMMA (4, 8 and 16 bits), WGMMA_UPCAST_4X -> WGMMA_UPCAST_2X and "
            "WGMMA (4 bits), tmem_native_layout(a) <-> tmem_native_layout(b), and a constant to anything",
            quoted(from), quoted(to), bitwidth));
  if (oddColumns(*found, shape, bitwidth))
    return error("odd-columns",
                 Message("4-bit elements go from WGMMA_UPCAST_2X to WGMMA 32 columns at a time, but there are {}",
                         shape.back()));
  return *found;
}

//===--- what they cost ---===//

std::optional<KnownRelayout> knownRelayout(const Layout &from, const Layout &to, const Shape &shape, int bitwidth,
                                           int64_t words) {
  const auto *one = std::get_if<RegisterLayout>(&from), *other = std::get_if<RegisterLayout>(&to);
  if (!one || !other)
    return std::nullopt;
  std::optional<Conversion> kind = find(*one, *other, bitwidth);
  if (!kind || oddColumns(*kind, shape, bitwidth))
    return std::nullopt;
  auto counted = [](RelayoutCounts counts, std::string how) {
    return KnownRelayout{.counts = counts, .how = std::move(how)};
  };
  auto planned = [](std::string how) { return KnownRelayout{.counts = {}, .how = std::move(how)}; };
  int64_t pairs = bitwidth == 16 ? words : words / 2;
  switch (*kind) {
  case Conversion::Nothing:
  case Conversion::Constant: return std::nullopt; // nothing to count
  case Conversion::Transposition:
    if (bitwidth == 16)
      return counted({.prmt = pairs, .shuffles = pairs},
                     "per pair of elements, lanes 4 apart exchange it and keep one of each: a shuffle and a prmt");
    return counted({.shuffles = pairs, .selects = 3 * pairs},
                   "per pair of elements, lanes 4 apart swap one: a select, a shuffle, two selects");
  case Conversion::PairSplit:
    return planned("each register of two elements is two registers of one, or the other way round");
  case Conversion::Renaming: return planned("the same registers in the same order");
  case Conversion::Recut: return planned("each row's registers cut into shorter ones, or joined to longer ones");
  case Conversion::Upcast2x:
    if (bitwidth == 16)
      return counted({.shuffles = words / 2, .selects = 3 * (words / 2)},
                     "per register of four elements, neighbouring lanes swap one pair: a select, a shuffle, two "
                     "selects");
    if (bitwidth == 8)
      return counted({.prmt = words, .shuffles = words},
                     "per register of four elements, one shuffle to the neighbouring lane and one prmt; its halves go "
                     "to two column tiles");
    return counted({.prmt = words, .shuffles = words},
                   "the registers of two column tiles together, then one shuffle to the neighbouring lane and one "
                   "prmt; its bytes go to four column tiles");
  case Conversion::Upcast4xTo2x:
    return counted({.prmt = words, .shuffles = words},
                   "per register of eight elements, one shuffle to the lane 2 on and one prmt; its halves go to two "
                   "column tiles");
  case Conversion::Upcast4x:
    return counted({.prmt = 2 * words, .shuffles = 2 * words},
                   "through WGMMA_UPCAST_2X: two shuffles and two prmt per register of eight elements");
  }
  return std::nullopt;
}

} // namespace lanescope::layouts
