// The conversions between register layouts that the kernel compiler makes. They are those of JAX Mosaic GPU
// (jax/experimental/mosaic/gpu/fragmented_array.py, `to_layout`), and one for the operands of `mma`.
//
//   conversion(wgmma(), wgmmaTransposed(), {64, 64}, 16)  ->  Conversion::Transposition
//   conversion(wgmma(), tcgen05(), {128, 64}, 16)         ->  error that lists the conversions
//
// Three parts of the program share this table. Layout inference (core/gpu/inference) asks if an array can be converted,
// the lowering (core/gpu/lowering/arrays/LayoutCast.cpp) converts it, and Relayout.h counts the cost.
#pragma once

#include "layouts/RegisterLayout.h"

#include <optional>

namespace lanescope::layouts {

enum class Conversion {
  Nothing,       // equal layouts
  Constant,      // a splat to anything
  Transposition, // WGMMA <-> WGMMA_TRANSPOSED, TCGEN05 <-> TCGEN05_TRANSPOSED: lanes 4 apart swap one element of a pair
  PairSplit,     // WGMMA <-> WGMMA_ACC_32BIT: a register of two elements is two registers
  Recut,         // TMEM_NATIVE(a) <-> TMEM_NATIVE(b): registers of other lengths
  Renaming,      // the accumulator <-> the 16-bit left operand of `mma`: the same registers
  Upcast2x,      // WGMMA_UPCAST_2X -> WGMMA: neighbouring lanes swap halves
  Upcast4xTo2x,  // WGMMA_UPCAST_4X -> WGMMA_UPCAST_2X: lanes 2 apart swap halves
  Upcast4x,      // WGMMA_UPCAST_4X -> WGMMA: Upcast4xTo2x, then Upcast2x
};

/// Names the conversion between two layouts, for some width of the elements at least; nothing if there is none. The
/// kernel compiler and JAX's layout inference allow it for different widths.
std::optional<Conversion> conversionOfPair(const RegisterLayout &from, const RegisterLayout &to);

/// Selects the kernel compiler's conversion for an array of `shape` with elements of `bitwidth` bits. `from` must apply
/// to the shape. Errors: no such conversion (kind "no-conversion"); 4-bit elements in a number of columns that 32 does
/// not divide ("odd-columns").
Result<Conversion> conversion(const RegisterLayout &from, const RegisterLayout &to, const Shape &shape, int bitwidth);

/// A layout for messages, in backquotes: its name in the catalogue if it has one, else JAX's text.
std::string quoted(const RegisterLayout &layout);

} // namespace lanescope::layouts
