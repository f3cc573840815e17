// Finds the inputs and outputs among the operands of a kernel. A module does not state them: its operands are the
// inputs, followed by the outputs. An output may be the same memory as an input; the kernel then uses only the input.
//
//   (x, o)        1 array given     inputs x, outputs o
//   (x, o, o')    1 array given     o is written and o' is not used: they are the same, and the only output
//   (x, o, o')    2 arrays given    the same, with o's initial contents
//   (x, o, y, o') 2 arrays given    inputs x and y
#pragma once

#include "core/tpu/program/TpuProgram.h"

#include <span>

namespace lanescope::core::sparsecore {

struct OperandPlan {
  struct Entry {
    int32_t input = -1;                 // the number of its array; -1 if it has no initial contents
    int32_t output = -1;                // its number among the outputs
    bool written = false, used = false; // true if the kernel may write it; true if the kernel uses it
    Shape shape;                        // shape of the whole array
    Element element;
  };
  std::vector<Entry> operands;   // operands that are not scratch
  std::vector<uint32_t> outputs; // the outputs' operands, by number
};

/// The caller's statement about an operand: the number of its array, and the number that it has among the outputs.
struct BoundOperand {
  int32_t input = -1, output = -1;
};

/// The plan for the operands as the kernels of a program use them. Shapes are those of the references, or of the
/// windows.
OperandPlan planOperands(const Program &program, size_t given);
/// Checks the arrays against the operands and finds the whole shapes; the shapes of outputs come from `outputShapes`,
/// or from the blocks that the grid reaches. `bound`: one for each operand, or none. Errors: kind "module-inputs".
Result<OperandPlan> planOperands(const Program &program, std::span<const Array> arrays,
                                 std::span<const Shape> outputShapes, std::span<const BoundOperand> bound = {});
/// The array in the form of the operand's memory: a boolean is widened, and unsigned integers can hold a float's bits.
Array toMemory(const Array &array, const Element &element);

} // namespace lanescope::core::sparsecore
