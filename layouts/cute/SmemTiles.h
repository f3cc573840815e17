// Tiles of shared memory: the layouts that wgmma and tcgen05.mma read, and how they repeat over an array.
//
//   smemAtom("Layout_K_SW128_Atom", 16)   ->  Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)
//   tileToShape(that, (128,64), {})       ->  Sw<3,4,3> o smem_ptr[16b](unset) o
//   ((_8,_16),(_64,_1)):((_64,_512),(_1,_0))
//
// include/cute/atom/mma_traits_sm90_gmma.hpp and include/cute/layout.hpp of NVIDIA/cutlass.
#pragma once

#include "layouts/cute/CuteLayout.h"
#include "layouts/cute/Division.h"

#include <string>
#include <string_view>
#include <vector>

namespace lanescope::layouts::cute {

/// The tile of the name `Layout_K_SW128_Atom` or a similar one. K or MN runs along a row of 16 (INTER), 32, 64 or 128
/// bytes, and the swizzle spans the row. Error: "cute-atom" for an unknown name, or for elements that do not fill 16
/// bytes.
Result<CuteLayout> smemAtom(std::string_view name, int bits);
const std::vector<std::string> &smemAtomNames();

/// Strides of a compact layout. `order` orders the modes, the least first; without it the layout is column-major
/// (LayoutLeft).
Result<Layout> orderedLayout(const IntTuple &shape, const IntTuple *order = nullptr);
/// Row-major strides (LayoutRight), at every level of the nesting.
Result<Layout> rowMajor(const IntTuple &shape);
/// The block repeated over the shape, in that order. Errors: the block does not divide it.
Result<CuteLayout> tileToShape(const CuteLayout &block, const IntTuple &shape, const IntTuple *order = nullptr);

} // namespace lanescope::layouts::cute
