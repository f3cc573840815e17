// The code of a kernel after its instructions are decoded, and the passes over it. They fuse and fold what ptxas does,
// and record facts for the checker and the schedule.
#pragma once

#include "core/gpu/emulator/decode/RegisterFile.h"
#include "core/gpu/emulator/machine/Program.h"

namespace lanescope::core::emulator {

/// An instruction that may become part of a fused operation: a product or a sum without a rounding modifier, or an
/// approximate quotient. A quotient ends in a product; with a constant divisor, it is only that product. The fused
/// handler of a sum takes a product's factors as `a` and `b`, and the addend as `c`. quotientPlus takes the operands of
/// the quotient and the addend.
struct FusiblePart {
  uint32_t format = 0;     // format of the values; both parts must have the same
  Handler fused = nullptr; // for a sum: the handler of the fused operation
  bool difference = false;
  bool saturates = false;
  Handler product = nullptr, quotientPlus = nullptr; // for a quotient: with a constant divisor, and fused with a sum
};
inline uint32_t fusedFormatOf(uint32_t bits, bool ftz) { return bits * 2 + ftz; } // for f32 and f64
enum FusedSub : uint8_t { kNegatesProduct = 1, kNegatesAddend = 2 };              // Instr::sub of such handlers

/// An instruction reads or writes a register by its name.
struct NamedUse {
  uint32_t instruction, slot;
  bool write;
  std::string_view name;
};

struct DecodedCode {
  Program &program;
  const Function *function = nullptr;
  std::vector<NamedUse> uses;                        // by instruction
  std::unordered_map<uint32_t, FusiblePart> fusible; // by pc
  std::unordered_map<uint32_t, Handler> foldable;    // by pc: the handler that folds a constant argument

  uint32_t next() const { return static_cast<uint32_t>(program.code.size()); } // the pc of the next instruction
  const Instruction &source(const Instr &instr) const { return function->instructions[instr.source]; }
  std::string_view opcodeAt(uint32_t pc) const { return source(program.code[pc]).opcode; }
  /// By pc: true if a label is there.
  std::vector<bool> labelled() const;
};

/// Lanes that branch to a `ret` exit at once, as in code from ptxas. The remaining lanes may then meet at a barrier for
/// the whole warp.
void branchesToEnds(DecodedCode &code);
/// Marks the instructions before which a warp waits for its loads.
void markLoadWaits(DecodedCode &code);
/// Gives instructions of the same line and kind one number.
void numberPlaces(DecodedCode &code);
/// Marks accesses whose lanes' addresses are arranged as those of an access before.
void markKnownRows(DecodedCode &code);
/// Evaluates special functions of constants as ptxas does (FoldConstants.cpp).
void foldConstants(DecodedCode &code);
/// Fuses products and sums as ptxas does (Contraction.cpp).
void contract(DecodedCode &code, RegisterFile &file);
/// Finds the instructions that use the accumulators of wgmmas, or registers that hold their A.
void trackWgmmaRegisters(DecodedCode &code);
/// Finds the registers that need their initial values when a block starts (FreshRegisters.cpp).
void findFreshRegisters(DecodedCode &code, const RegisterFile &file);

} // namespace lanescope::core::emulator
