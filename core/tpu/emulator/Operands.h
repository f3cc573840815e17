// Finds the operands of a kernel that are its inputs and its outputs. A module does not state this: operands are the
// inputs, then the outputs. An output may be the same memory as an input; then the kernel uses only the input.
//
//   (x, o)        1 array given     inputs x, outputs o
//   (x, o, o')    1 array given     o is written and o' is not used: they are the same, and the only output
//   (x, o, o')    2 arrays given    the same, with o's initial contents
//   (x, o, y, o') 2 arrays given    inputs x and y
#pragma once

#include "core/tpu/program/Program.h"

#include <span>

namespace lanescope::core::sparsecore {

struct OperandPlan {
  struct Entry {
    int32_t input = -1;                 // the number of its array; -1 if it has no initial contents
    int32_t output = -1;                // its number among the outputs
    bool written = false, used = false; // by the kernel, possibly
    Shape shape;                        // shape of the whole array
    Element element;
  };
  std::vector<Entry> operands;   // operands that are not scratch
  std::vector<uint32_t> outputs; // the outputs' operands, by number
};

/// The caller's statement about an operand: the number of its array, and the number of the output that it becomes.
struct BoundOperand {
  int32_t input = -1, output = -1;
};

/// How the kernels of a program use each operand. Shapes are those of the references, or of the windows.
OperandPlan planOperands(const Program &program, size_t given);
/// Checks the arrays against the operands and finds the whole shapes; those of outputs come from `outputShapes` or from
/// the blocks that the grid reaches. `bound`: one for each operand, or none. Errors: kind "module-inputs".
Result<OperandPlan> planOperands(const Program &program, std::span<const Array> arrays,
                                 std::span<const Shape> outputShapes, std::span<const BoundOperand> bound = {});
/// The array in the form of the operand's memory: a boolean is widened, and unsigned integers can hold a float's bits.
Array toMemory(const Array &array, const Element &element);

} // namespace lanescope::core::sparsecore
