// Formulas that instructions share: the fragments of multiplicands, accumulators, sparsity metadata and block scales.
// Private to fragments/. g = lane / 4 ("groupID"), t = lane % 4 ("threadID_in_group"), V = elements per register.
#pragma once

#include "layouts/fragments/Atom.h"

namespace lanescope::layouts::operands {

/// A (rows x columns) of mma, and of wgmma from registers. PTX ISA, "Matrix Fragments for mma.m16n8k…": row g + 8 *
/// (register % 2), column t*V + position; after every two registers, the column increases by 4*V. Each of `warps` has
/// 16 rows. If there are only 8 rows, the register does not select the row. `bits`: bits of an element's container; f64
/// has one register per element.
Fragment multiplicandA(int64_t rows, int64_t columns, int bits, int64_t warps = 1);
/// B (rows = K): the formula of A with rows and columns exchanged, and with 8 columns.
Fragment multiplicandB(int64_t rows, int bits);
/// C and D: rows as in A; columns t*2 and t*2 + 1 of every 8 columns. Pairs of 16-bit elements share a register.
Fragment accumulator(int64_t rows, int64_t columns, int bits, int64_t warps = 1);

/// The lanes that hold sparsity metadata, among each four, and the part that each of them holds.
enum class MetadataSpread {
  OneLane,      // the selected lane: row g in the lower half, row g + 8 in the upper
  HalvesOfRows, // the selected pair of lanes: each has rows g and g + 8 as in OneLane, in half of the columns
  RowsOfPair,   // the selected pair of lanes: the first has row g, the second row g + 8
  AllLanes,     // lanes 0, 1: the left half of rows g and g + 8; lanes 2, 3: the right half
};
/// The metadata: `fields` indices of `fieldBits` bits for each row (PTX ISA, "Sparse matrix storage" and the metadata
/// figures of "Matrix Fragments for sparse mma.m16n8k…"; confirmed on an H200 by flipping each index in turn).
Operand metadata(int64_t rows, int64_t fields, int fieldBits, MetadataSpread spread, int64_t selector,
                 int64_t warps = 1);
/// The values that PTX allows for the selector, as words.
std::string_view selectorChoices(MetadataSpread spread);

/// `scale_a` (16 x count): among each four lanes, 2*pair and 2*pair + 1 hold rows g and g + 8. The scales are in the
/// bytes from `byte` on (PTX ISA, "Block Scaling for mma.sync").
Operand scaleA(std::string_view type, int64_t count, int64_t byte, int64_t pair);
/// `scale_b` (count x 8): lane `lane` of each four holds column g.
Operand scaleB(std::string_view type, int64_t count, int64_t byte, int64_t lane);

} // namespace lanescope::layouts::operands
