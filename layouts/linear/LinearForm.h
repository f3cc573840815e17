// Converts between linear layouts and maps: the linear form of a map, if it has one, and the maps of a linear layout.
//
//   LinearLayout f = *linearForm(*placement(catalogue::wgmma(), {64, 8}, 16));
//   f.bases("lane")  ->  {{0, 2}, {0, 4}, {1, 0}, {2, 0}, {4, 0}}
//
// The inputs are register (all values of a thread), lane, warp and block for a register map; offset for a shared map;
// row and col for a tensor-memory map, with a col one element wide. Outputs are dim0, dim1, …
#pragma once

#include "layouts/linear/LinearLayout.h"
#include "layouts/Placement.h"

namespace lanescope::layouts {

/// The threads of a register map as lanes, warps and blocks; `threads` is their product.
struct ThreadGrid {
  int lanes, warps, blocks;
};

/// Finds the linear form of a map, and checks every entry. Errors: sizes that are not powers of two; a hole; a map that
/// is not linear, with the first places a, b and a ^ b whose elements do not add up. Threads are lanes of the map's
/// warps in one block, unless `grid` gives several blocks. If there are fewer threads than a warp has, they are lanes
/// of one warp. In tensor memory, a lane or column bit whose cells are empty is a zero basis, as in Triton.
Result<LinearLayout> linearForm(const Placement &placement, std::optional<ThreadGrid> grid = std::nullopt);

/// The meaning of a linear layout's inputs, by their names in Triton and in linear-layout-viz (T, W, R, …): registers,
/// lanes, warps and blocks; or offsets and partitions; or rows and columns of tensor memory. Error: a mixture, or other
/// names.
struct LinearRoles {
  Memory memory;
  std::vector<std::string> names; // the layout's inputs as register, lane, … / offset, block / row, col
};
Result<LinearRoles> linearRoles(const LinearLayout &layout);

/// The maps of a linear layout. They keep `layout` for printing. Inputs must be those that linearRoles() gives, outputs
/// those of `shape`. Several blocks follow one another: threads, offsets and columns are block-major. A warp has as
/// many threads as the lane input has values.
Result<ElementMap> elementMapFrom(const LinearLayout &linear, Layout layout, const Shape &shape);
/// If an element has several offsets (padding of fp4, zero bases), the map has the lowest one. `padding` is (interval,
/// elements), both powers of two: after every `interval` offsets, that many elements are skipped.
Result<AddressMap> addressMapFrom(const LinearLayout &linear, std::string title, const Shape &shape, int bitwidth,
                                  const std::vector<std::pair<int64_t, int64_t>> &padding = {});
/// The zero bases of rows 32 and 64 mean copies in the quarters of other warps. Cells that other zero bases select are
/// empty.
Result<TmemMap> tmemMapFrom(const LinearLayout &linear, Layout layout, const Shape &shape, int bitwidth);

/// The values f(k) of a linear function with these bases, for every k below 2^bits. It takes one pass and no
/// multiplication.
std::vector<int32_t> xorTable(const std::vector<uint64_t> &bases);

} // namespace lanescope::layouts
