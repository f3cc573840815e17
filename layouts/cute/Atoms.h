// From an MMA atom and its arrangement to the (thread, value) layouts of the whole tile, as CuTe's TiledMMA computes
// them (include/cute/atom/mma_atom.hpp, thrfrg_A/B/C and get_layoutA/B/C_TV).
//
//   TiledMma mma{.shape = {16, 8, 16}, .atom = {A, B, C}, .threads = (_32,_2,_2,_1):(_1,_32,_64,_0)};
//   mma.operand(TiledMma::C)  ->  (thread of 128, value of 4) -> column-major index in 32x16
#pragma once

#include "layouts/cute/Division.h"

#include <array>

namespace lanescope::layouts::cute {

struct TiledMma {
  enum Operand { A, B, C };
  std::array<int64_t, 3> shape = {};     // M, N, K of the atom
  std::array<Layout, 3> atom = {};       // (thread, value) -> column-major index in the operand's part of the atom
  Layout threads = {};                   // ThrLayoutVMNK
  std::array<Tiler, 3> permutation = {}; // of M, N, K; `_`: one atom's size times the threads along it

  struct Tile {
    Layout layout;               // (thread, value) -> column-major index in `tile`
    std::array<int64_t, 2> tile; // (M,K) of A, (N,K) of B, (M,N) of C
  };
  /// Errors: the arrangement has not the four modes V, M, N, K; what the algebra refuses.
  Result<Tile> operand(Operand operand) const;
  /// The sizes of one tile of the operand.
  Result<std::array<int64_t, 2>> tileOf(Operand operand) const;
  /// Any layout of (rows, columns), cut into tiles and dealt:
  /// ((ThrV,(ThrFirst,ThrSecond)),(FrgV,(RestFirst,RestSecond))) as thrfrg_A, _B, _C.
  Result<Layout> threadFragments(Operand operand, const Layout &tensor) const;
  /// What one thread has of a layout, (FrgV, RestFirst, RestSecond), and where it begins: ThrMMA::partition_A, _B, _C.
  /// Error: there is no such thread.
  struct Part {
    Layout layout;
    int64_t offset = 0;
  };
  Result<Part> partition(Operand operand, const Layout &tensor, int64_t thread) const;

private:
  /// How many of a mode M, N, K one tile has, and in which order.
  Tiler along(size_t mode) const;
};

} // namespace lanescope::layouts::cute
