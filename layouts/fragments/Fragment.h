// The place of an instruction's operand, as a change of digits: the closed formulas of the PTX ISA, written as data.
//
//   A of mma.m16n8k16 with 16-bit elements (PTX ISA, "Matrix Fragments for mma.m16n8k16 with floating point type"):
//
//   part       digit (lowest first)    along        step
//   thread     4  (laneid % 4)         columns      2
//              8  (laneid / 4)         rows         1
//   register   2                       rows         8
//              2                       columns      8
//   position   2                       columns      1
//
//   so register 2, position 1 of thread 5 holds row 1, column 2 + 8 + 1.
//
// The ISA's `row = groupID + 8 …, col = threadID_in_group * 2 + (i & 1) …` gives the same per element number i, which
// is register * 2 + position. Digits describe every operand of the ISA, so one routine makes all tables and all
// explanations.
#pragma once

#include "layouts/Layout.h"

#include <array>
#include <cstdint>
#include <vector>

namespace lanescope::layouts {

struct FragmentDigit {
  int64_t size;
  int dim = -1;      // the dimension of the operand's array along which the digit steps; -1: none
  int64_t step = 0;  // elements of that dimension per step of the digit
  int64_t only = -1; // >= 0: the digit's only value with elements; a selector chose it, and other slots are empty
};
using FragmentDigits = std::vector<FragmentDigit>;

/// The parts are thread, register and position in registers; lane, column and sub-word in tensor memory.
struct Fragment {
  Memory memory = Memory::Registers;
  std::array<FragmentDigits, 3> parts;

  /// The number of threads, registers or positions; in tensor memory, of lanes, columns or sub-words.
  int64_t size(int part) const;
  /// [part 0][part 1][part 2] flat: the row-major element of each slot, or -1. `shape` is the operand's.
  std::vector<int32_t> elements(const Shape &shape) const;
  /// One line for each part, which derives its number from the element's coordinates i, j, k.
  std::vector<ExplainStep> explain(const Shape &shape, const Shape &index) const;
};

} // namespace lanescope::layouts
