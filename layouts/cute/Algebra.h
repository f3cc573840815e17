// CuTe's layout algebra: simplify, compose, complement, invert.
//
//   composition((6,2):(8,2), (4,3):(3,1))  ->  ((2,2),3):((24,2),8)      // R(c) = A(B(c))
//   complement((2,2):(1,6), 24)            ->  (3,2):(2,12)              // 6 shifted copies cover 0 to 23
//   rightInverse((4,3):(3,1))              ->  (3,4):(4,1)               // A(R(i)) = i
//
// Semantics: NVIDIA/cutlass, include/cute/layout.hpp and media/docs/cpp/cute/02_layout_algebra.md. Integers known here
// count as static (so `((5,1),(2,2))` of C++'s dynamic integers simplifies). An integer of a result is static if the
// integers that it was computed from are static. CuTe checks the divisibility of only some operands. Here, a
// composition that would differ from A(B(c)) is an error. Every result passes Layout::make. Errors: `?` where a number
// is needed, values out of range, and the errors that the functions list.
#pragma once

#include "layouts/cute/StridedLayout.h"

namespace lanescope::layouts::cute {

/// The divisor or inner operand for operations by mode: a layout, a tuple of tilers, or `_` for a mode that stays as it
/// is. An integer `n` is the layout n:1.
struct Tiler {
  enum class Kind { Layout, Tuple, Whole };
  Kind kind = Kind::Whole;
  Layout layout = {};
  std::vector<Tiler> modes = {};

  static Tiler of(Layout layout) { return {Kind::Layout, std::move(layout), {}}; }
  static Tiler of(std::vector<Tiler> modes) { return {Kind::Tuple, {}, std::move(modes)}; }
  static Tiler whole() { return {}; }
  /// Converts a shape as CuTe does: every integer n becomes n:1, `_` the whole mode.
  static Result<Tiler> ofShape(const IntTuple &shape);
  bool operator==(const Tiler &) const = default;
};
/// The text of a tiler: as C++ prints a tile, `(_8:_2,_16,_)` (one mode in brackets), and as CuTe DSL prints it,
/// `[8:2;16:1;_]`.
std::string cppText(const Tiler &tiler);
std::string dslText(const Tiler &tiler);
/// The nesting depth of the tiler's tuples.
int depthOf(const Tiler &tiler);

/// A layout with the fewest modes that is the same function of an index. A `?` prevents merging.
Layout coalesce(const Layout &layout);
/// Coalesces at the leaves of `profile`, mode by mode. Error: the profile has more modes than the layout.
Result<Layout> coalesce(const Layout &layout, const IntTuple &profile);
/// The coalesced layout without the modes of stride 0.
Layout filter(const Layout &layout);

/// R(c) = outer(inner(c)), with the shape of `inner` or a finer one. Basis strides of `inner` pick modes of `outer`.
/// Errors: the divisibility conditions of CuTe, with the modes.
Result<Layout> composition(const Layout &outer, const Layout &inner);
/// Composes by mode; modes without a tiler are dropped, as in C++. Error: the tiler has more modes than the layout.
Result<Layout> composition(const Layout &outer, const Tiler &tiler);

/// The ordered layout that shares no value but 0 with `layout` and fills the values up to `cotarget` (default: the
/// layout's cosize). Errors: the layout is not injective; strides that are not integers.
Result<Layout> complement(const Layout &layout, std::optional<int64_t> cotarget = std::nullopt);

/// The largest R with layout(R(i)) = i.
Result<Layout> rightInverse(const Layout &layout);
/// The L with layout(L(layout(i))) = layout(i); for an injective layout L(layout(i)) = i. Error: a stride that does not
/// divide.
Result<Layout> leftInverse(const Layout &layout);
/// The largest R with a(R(i)) = b(R(i)) = i: the elements that both store contiguously. Its size is CuTe's
/// max_common_vector.
Result<Layout> maxCommonLayout(const Layout &a, const Layout &b);

/// The layout of elements `factor` times as wide (offsets shrink), or narrower. Errors: strides that do not divide; no
/// mode of stride 1 to widen.
Result<Layout> upcast(const Layout &layout, int64_t factor);
Result<Layout> downcast(const Layout &layout, int64_t factor);
/// Changes elements of `fromBits` bits to elements of `toBits` bits.
Result<Layout> recast(const Layout &layout, int64_t fromBits, int64_t toBits);

} // namespace lanescope::layouts::cute
