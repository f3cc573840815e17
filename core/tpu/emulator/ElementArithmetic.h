// Arithmetic on elements, lane by lane. It follows IEEE and two's complement, except for these rules:
//
// - f16, bf16 and narrower are computed in f32 and rounded once, to nearest even; overflow of 8-bit floats saturates.
// - Division by zero follows XLA: the quotient is all ones, the remainder is the dividend. The least integer by -1
//   wraps.
// - A shift by the width or more gives zeros, or sign bits. Float to integer truncates and saturates; NaN gives 0.
// - exp and tanh are XLA's (XlaFunctions.h); other functions are computed in f64 and rounded.
//
// Where the dialect leaves a result undefined, it is that of XLA's elementwise operation (openxla.org, operation
// semantics).
#pragma once

#include "core/tpu/program/TpuProgram.h"

#include <span>

namespace lanescope::core::sparsecore {

/// The value of an integer's bits.
int64_t signedOf(const Element &element, uint64_t bits);
/// The bits of an integer of that type, with wrap-around.
uint64_t integerBits(const Element &element, int64_t value);
double floatOf(const Element &element, uint64_t bits);
uint64_t floatBits(const Element &element, double value);

/// The parameters of elementwise() besides its operands: the operands' type, the result's type, and the instruction's
/// own parameters.
struct ElementwiseForm {
  Elementwise op = Elementwise::AddInteger;
  int32_t predicate = 0; // for comparisons, in arith's numbering
  Element operand, result;
};
/// `a`, `b`, `c`: one cell per lane, as many as `out`. Operands that the operation does not take are empty.
void elementwise(const ElementwiseForm &form, std::span<const uint64_t> a, std::span<const uint64_t> b,
                 std::span<const uint64_t> c, std::span<uint64_t> out);

/// The sum that stores and copies with `add` write: integers wrap, floats round.
uint64_t added(const Element &element, uint64_t a, uint64_t b);

} // namespace lanescope::core::sparsecore
