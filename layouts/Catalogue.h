// The layouts that have names: one factory each, and the list that builtins, help and completion read.
//
//   catalogue::wgmma()                       the accumulator of wgmma.mma_async
//   catalogue::tmemHalfLane(128, 2)          Result: parameters are checked
//   findLayout("WGMMA_ROW")->make({})        by name, as a snippet does
//   catalogueName(catalogue::wgmma())  ->    "WGMMA"
//
// The comments give closed forms (warp ; lane ; vector position), where r and c are the element's row and column.
// Sources: JAX Mosaic GPU; PTX ISA, "Register Fragments for wgmma.mma_async.m64nNk*", "tcgen05 Data Path Layout
// Organization". A new layout is one factory here, one row of the list in CatalogueEntries.cpp, and its laws as a test.
#pragma once

#include "layouts/Layout.h"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace lanescope::layouts {

namespace catalogue {

/// The accumulator of wgmma: ((r/16)%4 ; (r%8)*4 + (c%8)/2 ; c%2).
const TiledLayout &wgmma();
/// wgmma() with each pair split into two registers.
const TiledLayout &wgmmaAcc32Bit();
/// ((r/16)%4 ; (r%8)*4 + (c%16)/4 ; c%4): the A operand of 8-bit wgmma.
const TiledLayout &wgmma8Bit();
/// The A operand of wgmma in registers, with elements of `bitwidth` bits.
const TiledLayout &wgmmaLeft(int64_t bitwidth);
/// ((r/16)%4 ; (r%8)*4 + ((c%8)/4)*2 + (c%16)/8 ; c%4). After a conversion to elements twice as wide, one shuffle gives
/// wgmma().
const TiledLayout &wgmmaUpcast2x();
/// ((r/16)%4 ; (r%8)*4 + (c%32)/8 ; c%8). The counterpart of wgmmaUpcast2x() for elements four times as wide.
const TiledLayout &wgmmaUpcast4x();
/// ((r/16)%4 ; ((r%8)/2)*8 + (c%2)*4 + (c%8)/2 ; r%2): vectors run down columns.
const TiledLayout &wgmmaTransposed();
/// 1-D: wgmma() reduced over columns; four lanes hold each row.
const TiledLayout &wgmmaRow();
/// 1-D: wgmma() reduced over rows; every warp and eight lanes hold each column.
const TiledLayout &wgmmaCol();
/// The rows of tensor memory for tcgen05.ld, 32 rows per warp: ((r/32)%4 ; (r%8)*4 + (c%8)/2 ; c%2).
const TiledLayout &tcgen05();
const TiledLayout &tcgen05Transposed();
const TiledLayout &tcgen05Row();
const TiledLayout &tcgen05Col();
/// ((r/32)%4 ; r%32 ; c%n): one row per lane, as tcgen05.ld.32x32b loads it. Error: n < 1.
Result<TiledLayout> tmemNative(int64_t n = 2);
/// 1-D: indices of a TMA gather, four per warp, the same in every lane.
const TiledLayout &tmaIndices();
/// 1-D: four indices in every lane.
const TiledLayout &tmaIndices4();
/// Registers for tmemM64Collective(columns). Error: columns is not a positive multiple of 16.
Result<TiledLayout> faM64Collective(int64_t columns);

struct MmaLayouts {
  TiledLayout lhs, rhs, acc;
};
/// Operands of mma.sync with `warpsAlongM` in {1, 2, 4} warps along M and the rest along N, for elements of `bitwidth`
/// bits (4, 8, 16, 32). rhs is K x N.
Result<MmaLayouts> mmaLayouts(int bitwidth, int warpsAlongM = 4);
/// Block scales of an operand of mma.sync, (rows, number along K). The rows are those of A, or the columns of B.
struct MmaScaleLayout {
  TiledLayout layout;
  int64_t neighbours; // the scales of a row that one lane holds together, at most 16
  int64_t tiles;      // the warp's tiles whose scales are in different ones of four neighbouring lanes
};
/// Scales of A for the warps of mmaLayouts(). Lane 4 g + 2 s + h holds row g + 8 h of each tile of 16 rows with number
/// s modulo `tiles`; with an odd number of tiles, s = 0 and s = 1 hold the same. Error: the number of rows is no
/// multiple of the warps' tiles.
Result<MmaScaleLayout> mmaLhsScale(const Shape &shape, int warpsAlongM = 4);
/// Scales of B: lane 4 g + s holds column g of each tile of 8 columns with number s modulo `tiles`.
Result<MmaScaleLayout> mmaRhsScale(const Shape &shape, int warpsAlongM = 4);

/// Coalesced copies between row-major global memory and shared memory that is cut into rowTiles x colTiles tiles of (8,
/// 8*swizzle/bitwidth). swizzle: 16 (none), 32, 64, 128 bytes.
Result<TiledLayout> tiledCopySmemGmem(int64_t rowTiles, int64_t colTiles, int64_t swizzle, int64_t bitwidth);
/// Builds the same layout from a shape. Its rows must be a multiple of 8, its columns a multiple of the swizzle's
/// width.
Result<TiledLayout> smemGmemCopy(const Shape &shape, int bitwidth, int64_t swizzle);

/// Lane r%128, column (r/128)*(N/p) + c/p, sub-word c%p. Error: packing is not a power of two.
Result<TMEMLayout> tmemDefault(int64_t packing = 1);
/// M=64 on one CTA: each quarter holds 16 rows twice, left and right half of the columns.
Result<TMEMLayout> tmemHalfLane(int64_t columns, int64_t packing = 1);
/// M=128 on two CTAs: lanes 0-63 hold the left half of the columns, lanes 64-127 the right half.
Result<TMEMLayout> tmemM64Collective(int64_t columns, int64_t packing = 1);
/// Block scales (.scale_vec::1X): four copies, rows r, r+32, r+64, r+96 in four neighbouring columns.
const TMEMLayout &scales();
/// Scales of B for two-CTA M=64: quarters 0 and 2 hold rows 0-127, quarters 1 and 3 rows 128-255.
const TMEMLayout &bScalesM64Collective();
/// The scales of B in a product whose A has `rows` rows on each CTA, of one CTA or (`collective`) two.
const TMEMLayout &bScales(int64_t rows, bool collective);
/// Sparsity metadata. The layout only describes them; it has no map.
const TMEMLayout &sparseMeta();
/// The usual layout for an operand or accumulator of tcgen05.mma, chosen by its shape, which has 128 or 64 rows.
Result<TMEMLayout> inferTmem(const Shape &shape, bool collective, int64_t packing = 1);

} // namespace catalogue

/// An argument of a parametrised entry. Dtype parameters also accept their bit width as an integer.
using CatalogueArgument = std::variant<int64_t, bool, Dtype, Shape>;
enum class ParameterKind { Integer, Boolean, Dtype, Shape };

struct CatalogueParameter {
  std::string_view name;
  ParameterKind kind = ParameterKind::Integer;
  std::optional<CatalogueArgument> fallback = std::nullopt;
};

struct CatalogueEntry {
  std::string_view name;                      // "WGMMA", "tmem_default_layout"
  std::vector<std::string_view> aliases;      // JAX's own names: "WGMMA_LAYOUT"
  std::vector<CatalogueParameter> parameters; // empty if the name itself is the layout
  std::string_view doc;                       // one sentence
  Shape example;                              // a small shape that the layout applies to, for pictures
  bool callable = false;                      // written with parentheses even without arguments
  std::function<Result<Layout>(std::span<const CatalogueArgument>)> build; // one argument per parameter

  /// How a snippet writes the layout: `tmem_half_lane_layout(columns, packing=1)`, or the bare name.
  std::string signature() const;
  /// Fills in defaults, and checks the arguments' count and kinds.
  Result<Layout> make(std::span<const CatalogueArgument> arguments) const;
  Result<Layout> make(std::initializer_list<CatalogueArgument> arguments = {}) const {
    return make(std::span(arguments.begin(), arguments.size()));
  }
};

/// Every named layout, registers first.
const std::vector<CatalogueEntry> &catalogueEntries();
/// Finds an entry by name or alias; null if there is none.
const CatalogueEntry *findLayout(std::string_view name);
/// The name that the catalogue gives a layout, with its arguments if it has any: `WGMMA`, `TMEM_NATIVE(4)`,
/// `tmem_default_layout(packing=2)`. Nothing for other layouts.
std::optional<std::string> catalogueName(const TiledLayout &layout);
std::optional<std::string> catalogueName(const RegisterLayout &layout);
std::optional<std::string> catalogueName(const TMEMLayout &layout);
std::optional<std::string> catalogueName(const Layout &layout);

} // namespace lanescope::layouts
