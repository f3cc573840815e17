// Cells of tensor memory that the operands of tcgen05.mma take, for one CTA: what names of fragments and the emulator's
// products are made of.
#pragma once

#include "layouts/fragments/Atom.h"
#include "layouts/fragments/MatrixInstruction.h"

namespace lanescope::layouts::operands {

/// How rows and columns share the 128 lanes (PTX ISA, "Data Path Layout Organization").
enum class DataPath {
  Full,      // A, D: row r in lane r
  Halves,    // B, E: 64 rows; lanes 64 to 127 hold the right half of the columns
  LowerHalf, // C, F: 64 rows, 16 in the lower half of each quarter
  Quarters,  // G: 32 rows; each quarter holds a fourth of the columns
};

struct DataPathLayout {
  DataPath path;
  std::string_view title; // of the ISA's section
};
/// Of an instruction with this M.
DataPathLayout dataPathOf(int64_t m, const MatrixInstruction &row);
/// Rows of A and D in one CTA.
int64_t rowsOf(DataPath path);

/// D: one element to a cell, whatever its width ("Packing format for matrix D in Tensor Memory").
Fragment resultCells(DataPath path, int64_t columns);
/// A, packed into 32-bit cells: rows as D's, all columns of A at each row (CUTLASS, mma_traits_sm100_frag.hpp: lanes
/// that hold other columns of D repeat A).
Fragment multiplicandCells(DataPath path, int64_t columns, int bits);
/// Sparsity metadata of the path's rows (CUTLASS, mma_traits_sm100_frag.hpp, tmem_e_frg, tmem_e_frg_ws; in the lower
/// halves as in whole quarters). `bits`: of an element of A.
Operand metadataCells(DataPath path, int64_t k, std::string_view type, int bits);
/// Scales of `vectors` rows of A (dim 0) or columns of B (dim 1), `count` each: 32 to a column, the same in all four
/// quarters, in the bytes from `byte` on ("Layout of the Scale Factor A Matrix for scale_vec::1X", …); beyond four of
/// each, in groups of columns one after another. Halves: the upper two quarters hold the scales of B's right half
/// (CUTLASS, ScaleFactorDuplicated2by2).
Fragment scaleCells(DataPath path, int dim, int64_t vectors, int64_t count, int64_t byte);

} // namespace lanescope::layouts::operands
