// Copy instructions by CuTe's names, with the (thread, bit) layouts of their sources and destinations.
//
//   CopyAtom atom = *copyAtom("SM75_U32x4_LDSM_N");
//   atom.source         ->  (_32,_128):(_128,_1)                  thread t reads row t of 128 bits
//   atom.destination    ->  (_32,(_32,_4)):(_32,(_1,_1024))       and gets word t of each of four matrices
//   atom.as(16)->destination  ->  (_32,(_2,_4)):(_2,(_1,_64))     in values of 16 bits, as Copy_Atom<…, half_t> prints
//
// Names and rules: include/cute/arch/copy_sm*.hpp and include/cute/atom/copy_traits_sm*.hpp of NVIDIA/cutlass.
#pragma once

#include "layouts/cute/Division.h"

#include <string>
#include <string_view>
#include <vector>

namespace lanescope::layouts::cute {

struct CopyAtom {
  std::string name;
  Layout threads = {};                                  // ThrID
  Layout source = {}, destination = {}, reference = {}; // (thread, bit) -> bit of the copied data
  int bits = 1;                                         // bits per value: 1 for the instruction's own layouts
  bool operator==(const CopyAtom &) const = default;

  /// The copy with layouts that count values of `valueBits` bits. Error: a thread's run of bits does not hold whole
  /// values.
  Result<CopyAtom> as(int valueBits) const;
};

/// `name` may stand in its namespace or in `Copy_Traits<…>`, and end in template arguments and `{}`. Errors:
/// "cute-atom", with the nearest name if one is near; a copy whose name does not give its size (TMA's).
Result<CopyAtom> copyAtom(std::string_view name);
bool looksLikeCopyAtom(std::string_view text);
const std::vector<std::string> &copyAtomNames();

/// A copy atom repeated over a tile, as `make_tiled_copy` and `make_tiled_copy_A` build it.
struct TiledCopy {
  CopyAtom atom; // its layouts count values
  Layout layout; // TiledLayout_TV: (thread, value) -> column-major index in the tile
  Tiler tiler;   // Tiler_MN

  /// The (thread, value) layout of the source or the destination, as get_layoutS_TV and get_layoutD_TV give it.
  Result<Layout> sourceLayout() const;
  Result<Layout> destinationLayout() const;
  /// The tile's sizes.
  Result<Shape> tile() const;
  /// One thread's part of the source or destination, (V, Rest…), and the offset at which it begins:
  /// ThrCopy::partition_S, _D. Errors: no such thread; fewer modes than the tile has.
  struct Part {
    Layout layout;
    int64_t offset = 0;
  };
  Result<Part> partitionSource(const Layout &tensor, int64_t thread) const;
  Result<Part> partitionDestination(const Layout &tensor, int64_t thread) const;

private:
  Result<Layout> layoutOf(const Layout &side) const;
  Result<Part> partition(const Layout &side, const Layout &tensor, int64_t thread) const;
};
/// Built from (m,n) -> thread and (m,n) -> value. Errors: the algebra's.
Result<TiledCopy> tiledCopy(const CopyAtom &atom, const Layout &threads, const Layout &values);
/// Built from a (thread, value) layout of a tile: make_tiled_copy_A, _B, _C for a tiled MMA's operand.
Result<TiledCopy> tiledCopyOf(const CopyAtom &atom, const Layout &layout, const Shape &tile);

} // namespace lanescope::layouts::cute
