// Reads an instruction, a CuTe atom or a tiled MMA, and gives every operand that it multiplies or moves as a layout.
//
//   operandSet(Source::make("layout", "mma.m16n8k16.f16"))            A (16, 16), B (16, 8), D (16, 8)
//   operandSet(… "make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{}, Layout<Shape<_2,_2>>{})")
//                                                                     A (32, 16), B (16, 16), C (32, 16), 128 threads
//   operandSet(… "WGMMA")                                             nothing: it is one layout
//
// If a text has to be one layout, as for `owners`, parseInstruction takes the operand that the instruction writes.
#pragma once

#include "layouts/Layout.h"
#include "layouts/notation/text/Scanner.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope::layouts {

/// An operand's part in the product; it decides the operand's place in a picture of all of them.
enum class OperandRole : uint8_t { A, B, Result, Metadata, ScaleA, ScaleB, Other };

struct NamedOperand {
  OperandRole role = OperandRole::Other;
  std::string name; // "A", "scale_a"
  std::string type; // "f16", "e4m3"; empty if the text does not give it
  int bits = 0;     // bits per element; 0 if not known
  Layout layout;    // the thread and the register that hold each element
  Shape shape;      // (M, K) for A, (M, N) for the result; (K, N) for B, or (N, K) if `turned`
  bool turned = false;
};

struct OperandSet {
  std::string title;                  // the instruction's name, or the text
  std::vector<NamedOperand> operands; // the operands in registers; at least one
  std::vector<std::string> notes;     // where the other operands are, and the costs of loads and of bank conflicts
};

/// True if a text begins with the name of a PTX instruction that moves or multiplies matrices.
bool looksLikeInstruction(std::string_view text);
/// Gives the layout of the operand that the instruction writes: D, or a load's registers. A remark names the other
/// operands. In a line of PTX, the parser skips the registers that follow the name. Errors: those of parseAtom.
Result<Layout> parseInstruction(Scanner &in, Diagnostics *remarks);
/// Returns nothing if the text is not an instruction, an atom or a tiled MMA, or if fewer than two operands are in
/// registers.
std::optional<OperandSet> operandSet(const SourceRef &source);

} // namespace lanescope::layouts
