// Between linear layouts and the maps: the linear form of any map that has one, and the maps of a linear layout.
//
//   LinearLayout f = *linearForm(*placement(catalogue::wgmma(), {64, 8}, 16));
//   f.bases("lane")  ->  {{0, 2}, {0, 4}, {1, 0}, {2, 0}, {4, 0}}
//
// A register map's inputs are register (all values of a thread), lane, warp and block; a shared map's offset; a
// tensor-memory map's row and col, a col one element wide. Outputs are dim0, dim1, …
#pragma once

#include "layouts/linear/LinearLayout.h"
#include "layouts/Placement.h"

namespace lanescope::layouts {

/// Threads of a register map as lanes, warps and blocks; `threads` is their product.
struct ThreadGrid {
  int lanes, warps, blocks;
};

/// Every entry is checked. Errors: sizes that are no powers of two; a hole; otherwise the first place whose element
/// the others contradict: places a, b and a ^ b whose elements do not add up. Threads are lanes of the map's warps in
/// one block unless `grid` says more; fewer than a warp's are lanes of one warp. In tensor memory a lane or column bit
/// under which nothing lies is a zero basis, as in Triton.
Result<LinearLayout> linearForm(const Placement &placement, std::optional<ThreadGrid> grid = std::nullopt);

/// What a linear layout's inputs are, by their names in Triton and in linear-layout-viz (T, W, R, …): registers, lanes,
/// warps and blocks; or offsets and partitions; or rows and columns of tensor memory. Error: a mixture, or other names.
struct LinearRoles {
  Memory memory;
  std::vector<std::string> names; // the layout's inputs as register, lane, … / offset, block / row, col
};
Result<LinearRoles> linearRoles(const LinearLayout &layout);

/// The maps. `layout` is the value that they keep for printing. Inputs must be those that linearRoles() gives, outputs
/// those of `shape`. Several blocks follow one another: block-major threads, offsets and columns. A warp has as many
/// threads as the lane input has values.
Result<ElementMap> elementMapFrom(const LinearLayout &linear, Layout layout, const Shape &shape);
/// Elements with several offsets (padding of fp4, zero bases) are at the lowest. After every `interval` offsets of
/// `padding` (interval, elements left out), a power of two each, that many are skipped.
Result<AddressMap> addressMapFrom(const LinearLayout &linear, std::string title, const Shape &shape, int bitwidth,
                                  const std::vector<std::pair<int64_t, int64_t>> &padding = {});
/// Zero bases of row 32 and 64 are copies in other warps' quarters; under other zero bases nothing lies.
Result<TmemMap> tmemMapFrom(const LinearLayout &linear, Layout layout, const Shape &shape, int bitwidth);

/// f(k) for every k below 2^bits of a linear function with these bases: one pass, no multiplication.
std::vector<int32_t> xorTable(const std::vector<uint64_t> &bases);

} // namespace lanescope::layouts
