// The conversions between register layouts that there are: the kernel compiler makes these, as JAX Mosaic GPU does
// (jax/experimental/mosaic/gpu/fragmented_array.py, `to_layout`), and no others.
//
//   conversion(wgmma(), wgmmaTransposed(), {64, 64}, 16)  ->  Conversion::Transposition
//   conversion(wgmma(), tcgen05(), {128, 64}, 16)         ->  error that lists what there is
//
// One table for who asks whether an array can be converted (core/gpu/inference), who converts it
// (core/gpu/lowering/arrays/LayoutCast.cpp) and who counts what it costs (Relayout.h).
#pragma once

#include "layouts/RegisterLayout.h"

namespace lanescope::layouts {

enum class Conversion {
  Nothing,       // equal layouts
  Constant,      // a splat to anything
  Transposition, // WGMMA <-> WGMMA_TRANSPOSED, TCGEN05 <-> TCGEN05_TRANSPOSED: lanes 4 apart swap one element of a pair
  PairSplit,     // WGMMA <-> WGMMA_ACC_32BIT: a register of two elements is two registers
  Recut,         // TMEM_NATIVE(a) <-> TMEM_NATIVE(b): registers of other lengths
  Upcast2x,      // WGMMA_UPCAST_2X -> WGMMA: neighbouring lanes swap halves
  Upcast4xTo2x,  // WGMMA_UPCAST_4X -> WGMMA_UPCAST_2X: lanes 2 apart swap halves
  Upcast4x,      // WGMMA_UPCAST_4X -> WGMMA: one after the other
};

/// How an array of `shape` with elements of `bitwidth` bits is converted. `from` applies to the shape. Errors: no such
/// conversion (kind "no-conversion"); 4-bit elements whose columns do not come in groups of 32 ("odd-columns").
Result<Conversion> conversion(const RegisterLayout &from, const RegisterLayout &to, const Shape &shape, int bitwidth);

/// A layout in messages, in backquotes: its name in the catalogue where it has one, JAX's text where not.
std::string quoted(const RegisterLayout &layout);

} // namespace lanescope::layouts
