// Tilus: the layout expressions in its demo and sources, and the forms that its IR printer prints.
//
//   local(2, 1).spatial(8, 4).local(1, 2)                                  the accumulator of mma.m16n8
//   reduce(spatial(3, 4), [0])      local(2) * spatial(8) / spatial(4)     auto_local_spatial(128, [64, 64])
//   RegisterLayout(shape=[4], mode_shape=[4], spatial_modes=[-3, 0], local_modes=[])
//   SharedLayout(shape=[8, 64], mode_shape=[8, 64], mode_strides=[64, 1], swizzle=Swizzle(base=3, bits=3, shift=3))
//   TMemoryLayout(shape=[128, 64], lane_offset=0, column_strides=[0, 1])
//
// `*` and `/` bind alike, from the left. A swizzle's numbers are (base, bits, shift): CuTe writes the same three as
// <bits, base, shift>. Printer: ForeignLayout::text(), the IR printer's form.
#pragma once

#include "layouts/Layout.h"
#include "layouts/notation/text/Scanner.h"
#include "layouts/Placement.h"

namespace lanescope::layouts {

/// True if the text starts like one of Tilus's forms; reads nothing.
bool looksLikeTilus(std::string_view text);
Result<Layout> parseTilus(Scanner &in, Diagnostics *remarks);
/// Writes a placement in Tilus's form. Errors say why there is none: no affine layout, registers that hold copies, or
/// holes.
Result<std::string> tilusText(const Placement &placement);

} // namespace lanescope::layouts
