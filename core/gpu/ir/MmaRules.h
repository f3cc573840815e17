// The rules on the operands of `mma`: which instruction multiplies their types, and their block scales. Messages use
// the words of snippets.
//
//   MmaOperands operands{.acc = {F32, {64, 64}}, .a = {F4E2M1FN, {64, 256}}, .b = …, .aScale = {F8E4M3FN, {64, 16}},
//   …}; chooseMma(operands)->instruction->kind   ->   "mxf4nvf4", or the error and its operand
//
// The language checks a snippet's values with these rules, and the verifier (MatrixProducts.h) checks an operation with
// them. Not here: layouts (catalogue::mmaLayouts, mmaLhsScale), and the targets that have an instruction (GpuTarget.h).
// No MLIR appears here. Source: PTX ISA, "Block Scaling for mma.sync".
#pragma once

#include "layouts/fragments/MatrixInstruction.h"
#include "layouts/Shape.h"

#include <expected>
#include <optional>
#include <string>

namespace lanescope::core {

struct MmaOperand {
  layouts::Dtype dtype = layouts::Dtype::F32;
  layouts::Shape shape{};
};

/// The accumulator has the shape (M, N), `a` (M, K), `b` (K, N), and the scales (M, K / block) and (N, K / block).
struct MmaOperands {
  MmaOperand acc, a, b;
  std::optional<MmaOperand> aScale = {}, bScale = {};
};

struct MmaProblem {
  /// The operand at fault; Call: the combination of operands.
  enum class Part : uint8_t { Call, Acc, A, B, AScale, BScale };
  Part part = Part::Call;
  std::string kind, message;
};

struct MmaChoice {
  const layouts::MatrixInstruction *instruction;
  layouts::MatrixType a, b, d;
  std::optional<layouts::BlockScale> scale = {};
  int64_t depth() const { return instruction->depths().back(); } // K of one instruction
};

/// The instruction for the operands. The caller has checked the shapes of `acc`, `a` and `b` against each other.
std::expected<MmaChoice, MmaProblem> chooseMma(const MmaOperands &operands);

/// The bits of an element of `a` and `b` in the layouts of their registers. A 4-bit float takes a byte there, except in
/// a product of 4-bit floats with scales.
int mmaElementBits(layouts::Dtype a, layouts::Dtype b, bool scaled);

} // namespace lanescope::core
