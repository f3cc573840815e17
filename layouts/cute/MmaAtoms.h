// Tensor-core instructions by CuTe's names, with their (thread, value) layouts.
//
//   MmaAtom atom = *mmaAtom("SM80_16x8x16_F32F16F16F32_TN");
//   atom.operand[TiledMma::A]     ->  ((_4,_8),(_2,_2,_2)):((_32,_1),(_16,_8,_128))      column-major in 16x16
//   atom.threads                  ->  _32:_1
//
// The layouts come from one rule per family of instructions, not from tables. The rules say how a warp's or a
// warpgroup's registers hold 8 rows of four 32-bit words (PTX ISA, "Matrix Fragments"), and that all threads of the
// instruction share operands in shared or tensor memory. The names, and the layouts to match, are those of
// include/cute/arch/mma_sm*.hpp and include/cute/atom/mma_traits_sm*.hpp of NVIDIA/cutlass.
#pragma once

#include "layouts/cute/Atoms.h"

#include <string>
#include <string_view>
#include <vector>

namespace lanescope::layouts::cute {

struct MmaAtom {
  std::string name;                   // CuTe's name without namespaces
  std::array<int64_t, 3> shape = {};  // M, N, K
  Layout threads = {};                // ThrID: logical thread -> thread of the warp or warpgroup, or CTA of a pair
  std::array<Layout, 3> operand = {}; // A, B, C: (thread, value) -> column-major index in (M,K), (N,K), (M,N)
  bool operator==(const MmaAtom &) const = default;
};

/// `name` may stand in its namespaces (`SM90::GMMA::MMA_64x64x16_F32F16F16_SS`), in `MMA_Atom<…>` or `MMA_Traits<…>`,
/// and end in template arguments and `{}`. Errors: "cute-atom", with the nearest name if one is near; missing template
/// arguments (SM100 needs the types and M, N).
Result<MmaAtom> mmaAtom(std::string_view name);
/// True if a text begins like the name of a CuTe instruction: `SM80_16x8x…`, `SM100_MMA_…`, `SM90::GMMA::MMA_…`.
bool looksLikeMmaAtom(std::string_view text);
/// All names without template arguments; wgmma has one name for each N.
const std::vector<std::string> &mmaAtomNames();

/// The tiled MMA that `make_tiled_mma` builds. `atoms`: the number of atoms along M, N, K and the order of their
/// threads; missing modes are filled up. `permutation`: one tiler each for M, N, K; absent: none.
Result<TiledMma> tiledMma(const MmaAtom &atom, const Layout &atoms, const Tiler &permutation = {});

} // namespace lanescope::layouts::cute
