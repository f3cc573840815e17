// Which instructions move a tiled register layout to or from shared memory, and how many wavefronts they take: what the
// lowering emits.
//
//   auto memory = TransferMemory::of(*SmemMap::of({128, 64}, 16, {8, 64}, 128));   // f16, 128-byte swizzle
//   chooseTransfer(true, catalogue::wgmma(), memory, {.bytes = 4})  ->  ldmatrix.x4, 64 wavefronts, no conflicts
//
// The choice, in this order: ldmatrix or stmatrix where the registers are its fragments and its rows meet in no bank;
// plain accesses, if these meet in none; Mosaic GPU's staggered plan (TransferPlan.h); else whatever takes the fewest
// wavefronts. Matrices are of 8x8 16-bit elements, all that sm_90 has, so that other elements go along as parts of a
// row. PTX ISA, "ldmatrix" and "stmatrix"; the grouping into .x4, .x2 and .x1 follows JAX, fragmented_array.py
// (`transfer_tiled`).
#pragma once

#include "layouts/cost/SmemAccess.h"
#include "layouts/cost/TransferPlan.h"

#include <array>
#include <optional>
#include <vector>

namespace lanescope::layouts {

/// Instructions of one width. Matrix m of a group is in register `registers[m]`, `offset` + m's bits times `strides`.
struct MatrixSet {
  int matrices = 1; // 1, 2 or 4
  std::array<int64_t, 2> strides{0, 0};
  struct Group {
    int64_t offset = 0; // bytes that its first register adds
    std::array<int32_t, 4> registers{};
  };
  std::vector<Group> groups;
};

struct MatrixTransfer {
  bool trans = false;
  /// Bytes that each bit of a row's number adds: the address of row j of matrix m comes from lane 8m + j.
  std::array<int64_t, 3> rowStrides{};
  std::vector<MatrixSet> sets;
};

struct SmemTransfer {
  SmemOp op;                            // of matrices: of the largest instruction
  std::optional<TransferPlan> stagger;  // a staggered plan
  std::optional<MatrixTransfer> matrix; // ldmatrix or stmatrix
  int64_t wavefronts = 0;               // of all warps
  int64_t ideal = 0;                    // without conflicts
  int64_t conflicts() const { return wavefronts - ideal; }
  /// "ldmatrix.x4.trans", "ld.shared.b64, staggered: +2 of 4 …".
  std::string text() const;
};

/// What is known beyond layout and memory.
struct TransferPlace {
  int bytes = 4;            // of a plain access: contiguous in every register, and aligned
  int64_t base = 0;         // bytes from a multiple of 1024
  int64_t alignment = 1024; // divides what is added to it and not known
  bool matrices = true;     // whether ldmatrix and stmatrix reach this memory
};

/// Nothing where the layout does not fit the way the memory is tiled, or 4-bit elements do not come in whole bytes.
std::optional<SmemTransfer> chooseTransfer(bool load, const TiledLayout &layout, const TransferMemory &memory,
                                           const TransferPlace &place);

/// Widest plain access, in bytes: at most 16. 1 where the layout does not fit.
int widestAccess(const TiledLayout &layout, const TransferMemory &memory);

} // namespace lanescope::layouts
