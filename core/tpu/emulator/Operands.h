// Which operands of a kernel are its inputs and which its outputs. A module does not say: operands are the inputs and
// then the outputs, and an output may be the same memory as an input, which then is the one that the kernel uses.
//
//   (x, o)        1 array given     inputs x, outputs o
//   (x, o, o')    1 array given     o is written and o' is not used: they are the same, and the only output
//   (x, o, o')    2 arrays given    the same, with what o holds before
//   (x, o, y, o') 2 arrays given    inputs x and y
#pragma once

#include "core/tpu/program/Program.h"

#include <span>

namespace lanescope::core::sparsecore {

struct OperandPlan {
  struct Entry {
    int32_t input = -1;                 // the number of its array; -1: it holds nothing at first
    int32_t output = -1;                // its number among the outputs
    bool written = false, used = false; // the kernel may
    Shape shape;                        // of the whole array
    Element element;
  };
  std::vector<Entry> operands;   // those that are no scratch
  std::vector<uint32_t> outputs; // operands, by their number
};

/// The program's maker says what an operand is: the number of its array, and the number of the output that it becomes.
struct BoundOperand {
  int32_t input = -1, output = -1;
};

/// What the kernels of a program do with each operand; shapes are those of the references, a window's where there is
/// one.
OperandPlan planOperands(const Program &program, size_t given);
/// Checks the arrays against the operands and finds the whole shapes, those of outputs from `outputShapes` or from the
/// blocks that the grid reaches. `bound`: one for each operand, or none. Errors: kind "module-inputs".
Result<OperandPlan> planOperands(const Program &program, std::span<const Array> arrays,
                                 std::span<const Shape> outputShapes, std::span<const BoundOperand> bound = {});
/// The array as the operand's memory has it: a boolean widened, the bits of a float that came as an unsigned integer.
Array toMemory(const Array &array, const Element &element);

} // namespace lanescope::core::sparsecore
