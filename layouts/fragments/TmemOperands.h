// Cells of tensor memory that the operands of tcgen05.mma take, for one CTA. Private to fragments/.
#pragma once

#include "layouts/fragments/Atom.h"

namespace lanescope::layouts::operands {

/// How rows and columns share the 128 lanes (PTX ISA, "Data Path Layout Organization").
enum class DataPath {
  Full,      // A, D: row r in lane r
  Halves,    // B, E: 64 rows; lanes 64 to 127 hold the right half of the columns
  LowerHalf, // C, F: 64 rows, 16 in the lower half of each quarter
  Quarters,  // G: 32 rows; each quarter holds a fourth of the columns
};

/// D: one element to a cell, whatever its width ("Packing format for matrix D in Tensor Memory").
Fragment resultCells(DataPath path, int64_t columns);
/// A, packed into 32-bit cells: rows as D's, all columns of A at each row (CUTLASS, mma_traits_sm100_frag.hpp: lanes 64
/// to 127 repeat A where they hold other columns of D). Not for Quarters.
Fragment multiplicandCells(DataPath path, int64_t columns, int bits);
/// Sparsity metadata of 128 rows (CUTLASS, mma_traits_sm100_frag.hpp, tmem_e_frg). `bits`: of an element of A.
Operand metadataCells(int64_t k, std::string_view type, int bits);
/// Scales of `vectors` rows of A or columns of B along dimension `dim`, `count` each: 32 to a column, the same in all
/// four quarters, in the bytes from `byte` on ("Layout of the Scale Factor A Matrix for scale_vec::1X", …).
Fragment scaleCells(int dim, int64_t vectors, int64_t count, int64_t byte);

} // namespace lanescope::layouts::operands
