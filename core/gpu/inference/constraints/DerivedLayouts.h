// What a layout becomes when an array is reduced, repeated, reshaped or cut, every element where it is: as the lowering
// of ours does it, which takes more than JAX's.
#pragma once

#include "layouts/RegisterLayout.h"

#include <optional>
#include <vector>

namespace lanescope::core {

/// The tiled layout that deals the elements out as a strided one does, registers in the same order. Nothing where rows
/// and the chunks of 128 vectors do not divide each other.
std::optional<layouts::TiledLayout> tiledForm(const layouts::WGStridedFragLayout &layout);

/// The layout in which an array of `shape` may be read as one of `target` with every element where it is: the same
/// tiling when only what lies outside of the base tiles is cut differently. Nothing where elements would move.
std::optional<layouts::RegisterLayout> reshapedLayout(const layouts::RegisterLayout &layout,
                                                      const layouts::Shape &shape, const layouts::Shape &target);

/// The layout of an array of `shape` that is cut out of, or joined from, arrays in `layout`, every element where it is:
/// the same layout, in whole tiles. A strided layout counts its chunks through, so that it is cut along the first
/// dimension only (`leading`). Nothing where elements would move.
std::optional<layouts::RegisterLayout> partLayout(const layouts::RegisterLayout &layout, const layouts::Shape &shape,
                                                  bool leading);

/// The layout of an array of `shape` that repeats one in a strided layout along the dimensions `added` (in order), as a
/// whole: they come before all that it has, sizes of 1 aside. Nothing where they do not, or the layout is another.
std::optional<layouts::RegisterLayout> repeatedLayout(const layouts::RegisterLayout &layout,
                                                      const layouts::Shape &shape, const std::vector<int64_t> &added);

/// The layout of an array of `shape` after a reduction over `axes`, which are not all; a strided layout counts as its
/// tiled form. Nothing where the layout cannot be reduced.
std::optional<layouts::RegisterLayout> reducedLayout(const layouts::RegisterLayout &layout, const layouts::Shape &shape,
                                                     const std::vector<int64_t> &axes);

} // namespace lanescope::core
