// Computes the (thread, value) layouts of a whole tile from an MMA atom and its arrangement, as CuTe's TiledMMA does
// (include/cute/atom/mma_atom.hpp, thrfrg_A/B/C and get_layoutA/B/C_TV).
//
//   TiledMma mma{.shape = {16, 8, 16}, .atom = {A, B, C}, .threads = (_32,_2,_2,_1):(_1,_32,_64,_0)};
//   mma.operand(TiledMma::C)  ->  (thread of 128, value of 4) -> column-major index in 32x16
#pragma once

#include "layouts/cute/Division.h"

#include <array>

namespace lanescope::layouts::cute {

struct TiledMma {
  enum Operand { A, B, C };
  std::array<int64_t, 3> shape = {};     // M, N, K of one atom
  std::array<Layout, 3> atom = {};       // (thread, value) -> column-major index in the operand's part of the atom
  Layout threads = {};                   // ThrLayoutVMNK
  std::array<Tiler, 3> permutation = {}; // for M, N, K; `_`: one atom's size times the threads along it

  struct Tile {
    Layout layout;               // (thread, value) -> column-major index in `tile`
    std::array<int64_t, 2> tile; // (M,K) for A, (N,K) for B, (M,N) for C
  };
  /// Errors: the arrangement does not have the four modes V, M, N, K; the algebra's errors.
  Result<Tile> operand(Operand operand) const;
  /// The sizes of one tile of the operand.
  Result<std::array<int64_t, 2>> tileOf(Operand operand) const;
  /// Cuts any layout of (rows, columns) into tiles and deals them:
  /// ((ThrV,(ThrFirst,ThrSecond)),(FrgV,(RestFirst,RestSecond))), like thrfrg_A, _B, _C.
  Result<Layout> threadFragments(Operand operand, const Layout &tensor) const;
  /// One thread's part of a layout, (FrgV, RestFirst, RestSecond), and the offset where it begins: ThrMMA::partition_A,
  /// _B, _C. Error: there is no such thread.
  struct Part {
    Layout layout;
    int64_t offset = 0;
  };
  Result<Part> partition(Operand operand, const Layout &tensor, int64_t thread) const;

private:
  /// The number and the order of the indices of a mode M, N, K in one tile.
  Tiler along(size_t mode) const;
};

} // namespace lanescope::layouts::cute
