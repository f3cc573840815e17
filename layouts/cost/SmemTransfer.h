// Chooses the instructions that move a tiled register layout to or from shared memory, and counts their wavefronts. The
// lowering emits these instructions.
//
//   auto memory = TransferMemory::of(*SmemMap::of({128, 64}, 16, {8, 64}, 128));   // f16, 128-byte swizzle
//   chooseTransfer(true, catalogue::wgmma(), memory, {.bytes = 4})  ->  ldmatrix.x4, 64 wavefronts, no conflicts
//
// The order of choice: ldmatrix or stmatrix, if the registers are its fragments and its rows have no bank conflicts;
// plain accesses, if they have none; Mosaic GPU's staggered plan (TransferPlan.h); else the choice with the fewest
// wavefronts. Matrices are of 8x8 16-bit elements, the only ones of sm_90; other elements travel as parts of a row.
// Sources: PTX ISA, "ldmatrix" and "stmatrix"; the grouping into .x4, .x2 and .x1 follows JAX, fragmented_array.py
// (`transfer_tiled`).
#pragma once

#include "layouts/cost/SmemAccess.h"
#include "layouts/cost/TransferPlan.h"

#include <array>
#include <optional>
#include <vector>

namespace lanescope::layouts {

/// Instructions of one width. Matrix m of a group is in register `registers[m]`, at `offset` plus the sum of m's bits
/// times `strides`.
struct MatrixSet {
  int matrices = 1; // 1, 2 or 4
  std::array<int64_t, 2> strides{0, 0};
  struct Group {
    int64_t offset = 0; // the byte offset of its first register
    std::array<int32_t, 4> registers{};
  };
  std::vector<Group> groups;
};

struct MatrixTransfer {
  bool trans = false;
  /// Bytes that each bit of a row's number adds. Lane 8m + j gives the address of row j of matrix m.
  std::array<int64_t, 3> rowStrides{};
  std::vector<MatrixSet> sets;
};

struct SmemTransfer {
  SmemOp op;                            // for matrices, the largest instruction
  std::optional<TransferPlan> stagger;  // set for a staggered plan
  std::optional<MatrixTransfer> matrix; // set for ldmatrix or stmatrix
  int64_t wavefronts = 0;               // summed over all warps
  int64_t ideal = 0;                    // wavefronts without conflicts
  int64_t conflicts() const { return wavefronts - ideal; }
  /// The instruction in words: "ldmatrix.x4.trans", "ld.shared.b64, staggered: +2 of 4 …".
  std::string text() const;
};

/// Facts about the place of the transfer that the layout and the memory do not give.
struct TransferPlace {
  int bytes = 4;            // bytes of a plain access: contiguous in every register, and aligned
  int64_t base = 0;         // the known distance from a multiple of 1024, in bytes
  int64_t alignment = 1024; // divides the unknown part of the address
  bool matrices = true;     // true if ldmatrix and stmatrix reach this memory
};

/// Returns nothing if the layout does not fit the memory's tiles, or if 4-bit elements do not come in whole bytes.
std::optional<SmemTransfer> chooseTransfer(bool load, const TiledLayout &layout, const TransferMemory &memory,
                                           const TransferPlace &place);

/// The widest plain access, in bytes: at most 16, and 1 if the layout does not fit.
int widestAccess(const TiledLayout &layout, const TransferMemory &memory);

} // namespace lanescope::layouts
