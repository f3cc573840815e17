// The instruction descriptor of tcgen05.mma: the 32 bits with the facts that are not in the opcode (PTX ISA,
// "Instruction descriptor", one table for each group of kinds).
//
//   TmemMmaOpcode opcode{.kind = "f16"};
//   *encode(opcode, {.d = MatrixType::F32, .a = MatrixType::F16, .b = MatrixType::F16, .m = 128, .n = 64})
//                                   ->  0x08100010
//   decode(opcode, 0x08100010)->n   ->  64
//
// Both directions give an instruction of the table of matrix instructions, or a sentence with the reason why there is
// none. Not here: the descriptor of an operand in shared memory (MatrixDescriptor.h).
#pragma once

#include "layouts/fragments/MatrixInstruction.h"

#include <cstdint>

namespace lanescope::layouts {

/// The facts in the opcode.
struct TmemMmaOpcode {
  std::string_view kind{};                       // the `.kind::`: f16, tf32, f8f6f4, i8, mxf8f6f4, mxf4 or mxf4nvf4
  int ctas = 1;                                  // `.cta_group::`
  bool sparse = false, weightStationary = false; // `.sp`, `.ws`
  // `.scale_vec::2X` is a count of 2, `.block32` a block of 32. Both are 0 if none is written, or for a kind without
  // scales.
  int scaleCount = 0, scaleBlock = 0;
};

/// The facts in the descriptor. M counts the rows of all CTAs.
struct TmemMmaShape {
  MatrixType d = MatrixType::F32, a = MatrixType::F16, b = MatrixType::F16;
  int64_t m = 0, n = 0, k = 0; // k = 0: the kind's usual one; decode() always gives it
  bool negateA = false, negateB = false;
  bool transposeA = false, transposeB = false; // true if M or N is the faster dimension, not K
  bool saturate = false;                       // integers only
  int sparsitySelector = 0;                    // only without block scales
  int maxShift = 0;                            // `.ws`: the shift of B's columns: 0, 8, 16 or 32
  MatrixType scale = MatrixType::UE8M0;        // the scale type of both operands
  int scaleIdA = 0, scaleIdB = 0;              // the byte of a cell that holds the first scale

  bool operator==(const TmemMmaShape &) const = default;
};

/// Errors: no such instruction, or one that lacks a property of `shape`.
std::expected<uint32_t, MatrixProblem> encode(const TmemMmaOpcode &opcode, const TmemMmaShape &shape);
/// Errors: those of encode(); reserved bits; codes that no type has.
std::expected<TmemMmaShape, MatrixProblem> decode(const TmemMmaOpcode &opcode, uint32_t descriptor);

/// A row of the table with its scales: `count` scales along all of K, each for `block` elements of a dense product.
struct TmemMmaRow {
  const MatrixInstruction *row = nullptr;
  std::optional<BlockScale> scales{};
};
/// Errors: those of encode().
std::expected<TmemMmaRow, MatrixProblem> rowOf(const TmemMmaOpcode &opcode, const TmemMmaShape &shape);

} // namespace lanescope::layouts
