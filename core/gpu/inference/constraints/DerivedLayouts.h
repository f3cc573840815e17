// The layout of an array that is reduced, repeated, reshaped or cut while every element stays in its place. Our
// lowering does this in more cases than JAX's.
#pragma once

#include "layouts/RegisterLayout.h"

#include <optional>
#include <vector>

namespace lanescope::core {

/// The tiled layout that distributes elements like the strided `layout`, with registers in the same order. Nothing if
/// neither a row's length divides a chunk of 128 vectors nor the chunk divides the row.
std::optional<layouts::TiledLayout> tiledForm(const layouts::WGStridedFragLayout &layout);

/// The layout after an array of `shape` is reshaped to `target` with every element in its thread and register: the same
/// tiling, if only dimensions outside the base tiles are split differently. Nothing if elements would move.
std::optional<layouts::RegisterLayout> reshapedLayout(const layouts::RegisterLayout &layout,
                                                      const layouts::Shape &shape, const layouts::Shape &target);

/// The layout of an array of `shape` that is cut from, or joined from, arrays in `layout`, with every element in its
/// thread: the same layout, if the parts consist of whole tiles. A strided layout numbers its chunks through the whole
/// array, so it can be cut only along the first dimension (`leading`). Nothing if elements would move.
std::optional<layouts::RegisterLayout> partLayout(const layouts::RegisterLayout &layout, const layouts::Shape &shape,
                                                  bool leading);

/// The layout of an array of `shape` that repeats an array in a strided layout as a whole along the dimensions `added`
/// (in order). They must come before all of its dimensions, except those of size 1; otherwise, or for another layout:
/// nothing.
std::optional<layouts::RegisterLayout> repeatedLayout(const layouts::RegisterLayout &layout,
                                                      const layouts::Shape &shape, const std::vector<int64_t> &added);

/// The layout of an array of `shape` after a reduction over `axes`, which must not be all axes; a strided layout is
/// treated as its tiled form. Nothing if the layout cannot be reduced.
std::optional<layouts::RegisterLayout> reducedLayout(const layouts::RegisterLayout &layout, const layouts::Shape &shape,
                                                     const std::vector<int64_t> &axes);

} // namespace lanescope::core
