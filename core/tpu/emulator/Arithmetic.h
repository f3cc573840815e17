// Arithmetic on elements, lane by lane; all that is not said here is IEEE's and two's complement.
//
// - f16, bf16 and narrower are computed in f32 and rounded once, to nearest even; overflow of 8-bit floats saturates.
// - Division by zero as XLA has it: all ones, and the remainder is the dividend. The least integer by -1 wraps.
// - A shift by the width or more gives zeros, or signs. Float to integer truncates, saturates, and NaN gives 0.
// - exp and tanh are XLA's (Functions.h); other functions are computed in f64 and rounded.
// What is not defined by the dialect is as XLA's elementwise operations have it (openxla.org, operation semantics).
#pragma once

#include "core/tpu/program/Program.h"

#include <span>

namespace lanescope::core::sparsecore {

/// An integer's bits as the number they stand for.
int64_t signedOf(const Element &element, uint64_t bits);
/// The bits of an integer of that type: wraps.
uint64_t integerBits(const Element &element, int64_t value);
double floatOf(const Element &element, uint64_t bits);
uint64_t floatBits(const Element &element, double value);

/// What elementwise() takes besides its operands: their type, the result's, and the instruction's own.
struct ElementwiseForm {
  Elementwise op = Elementwise::AddInteger;
  int32_t predicate = 0; // of comparisons, as arith numbers them
  Element operand, result;
};
/// `a`, `b`, `c`: one cell a lane, as many as `out`; those that the operation does not take are empty.
void elementwise(const ElementwiseForm &form, std::span<const uint64_t> a, std::span<const uint64_t> b,
                 std::span<const uint64_t> c, std::span<uint64_t> out);

/// Sums as stores and copies with `add` do: integers wrap, floats round.
uint64_t added(const Element &element, uint64_t a, uint64_t b);

} // namespace lanescope::core::sparsecore
