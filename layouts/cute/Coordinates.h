// CuTe's coordinates: the value of a layout at a coordinate, and the part of a layout that a coordinate with `_`
// leaves.
//
//   crd2idx((1,(2,0)), (4,(2,8)):(1,(4,8)))      ->  nested, or one index for a nested mode
//   idx2crd(14, (4,(2,8)))                       ->  (2,(1,1))
//   slice((_,3), (4,8):(8,1))                    ->  the layout (4):(8), from offset 3 on
//
// include/cute/{stride,underscore}.hpp of NVIDIA/cutlass.
#pragma once

#include "layouts/cute/CuteLayout.h"

namespace lanescope::layouts::cute {

/// The index of a coordinate in the layout's own shape, colexicographic. A number may stand for a whole nested mode.
/// Errors: a different nesting, a number outside its mode.
Result<int64_t> indexOf(const IntTuple &coordinate, const IntTuple &shape);
/// The coordinate of an index, nested like the shape. Error: the index is outside.
Result<IntTuple> coordinateOf(int64_t index, const IntTuple &shape);

/// The rest of a sliced layout: the modes at `_`, side by side, and the offset at which they begin.
struct Slice {
  Layout layout;
  int64_t offset = 0;
};
/// Errors: those of indexOf(); a layout whose offsets are not integers.
Result<Slice> slice(const IntTuple &coordinate, const Layout &layout);
/// Slices a swizzled layout. The swizzle applies to the offset as well, so the offset becomes a part of the layout.
Result<CuteLayout> slice(const IntTuple &coordinate, const CuteLayout &layout);
bool hasWhole(const IntTuple &coordinate);

} // namespace lanescope::layouts::cute
