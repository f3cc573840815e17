// The tensor-memory cells of tcgen05.mma's operands, for one CTA. The fragments' names and the emulator's products use
// them.
#pragma once

#include "layouts/fragments/Atom.h"
#include "layouts/fragments/MatrixInstruction.h"

namespace lanescope::layouts::operands {

/// The division of rows and columns among the 128 lanes (PTX ISA, "Data Path Layout Organization").
enum class DataPath {
  Full,      // A, D: row r in lane r
  Halves,    // B, E: 64 rows; lanes 64 to 127 hold the right half of the columns
  LowerHalf, // C, F: 64 rows, 16 in the lower half of each quarter
  Quarters,  // G: 32 rows; each quarter holds a fourth of the columns
};

struct DataPathLayout {
  DataPath path;
  std::string_view title; // the title of the ISA's section
};
/// The data path of an instruction with this M.
DataPathLayout dataPathOf(int64_t m, const MatrixInstruction &row);
/// The rows of A and D in one CTA.
int64_t rowsOf(DataPath path);

/// D has one element per cell, whatever its width ("Packing format for matrix D in Tensor Memory").
Fragment resultCells(DataPath path, int64_t columns);
/// A, packed into 32-bit cells. A row of A is in the lanes of D's row, with all its columns (CUTLASS,
/// mma_traits_sm100_frag.hpp). If several lanes hold parts of one row of D, each of them holds a copy of A's row.
Fragment multiplicandCells(DataPath path, int64_t columns, int bits);
/// Sparsity metadata for the path's rows (CUTLASS, mma_traits_sm100_frag.hpp, tmem_e_frg, tmem_e_frg_ws). For
/// LowerHalf, the metadata fill whole quarters. `bits`: bits per element of A.
Operand metadataCells(DataPath path, int64_t k, std::string_view type, int bits);
/// Scales for `vectors` rows of A (dim 0) or columns of B (dim 1), with `count` scales each. A column of tensor memory
/// holds 32 vectors, the same in all four quarters, in the bytes from `byte` on ("Layout of the Scale Factor A Matrix
/// for scale_vec::1X", …). If a vector has more than four scales, they take further groups of columns. For Halves, the
/// upper two quarters hold the scales of B's right half (CUTLASS, ScaleFactorDuplicated2by2).
Fragment scaleCells(DataPath path, int dim, int64_t vectors, int64_t count, int64_t byte);

} // namespace lanescope::layouts::operands
