// CuTe's atoms by name, and the tiled operations made from them, as the (thread, value) layouts that their printouts
// would show.
//
//   SM80_16x8x16_F32F16F16F32_TN{}          MMA_Atom<SM90_64x128x16_F32F16F16_SS<GMMA::Major::K, GMMA::Major::K>>
//   Copy_Atom<SM75_U32x4_LDSM_N, half_t>    SM80_CP_ASYNC_CACHEGLOBAL<uint128_t>
//   make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{}, Layout<Shape<_2,_2>>{}, Tile<_32,_32,_16>{})
//   TiledMMA<MMA_Atom<…>, Layout<…>, Tile<…>>
//   make_tiled_copy(Copy_Atom<…>{}, Layout<Shape<_16,_8>,Stride<_8,_1>>{}, Layout<Shape<_1,_8>>{})
//   make_tiled_copy_A(Copy_Atom<…>{}, make_tiled_mma(…))
#pragma once

#include "layouts/cute/CopyAtoms.h"
#include "layouts/cute/CuteLayout.h"
#include "layouts/cute/MmaAtoms.h"
#include "layouts/notation/text/Scanner.h"

#include <string>
#include <utility>
#include <vector>

namespace lanescope::layouts {

using CuteOperands = std::vector<std::pair<std::string, cute::CuteLayout>>;

/// True if a text begins like one of these.
bool looksLikeAtom(std::string_view text);
/// Returns the layouts by a printout's labels: LayoutA_TV, …, and AtomLayoutA_TV, … for a TiledMMA; TiledLayout_TV,
/// LayoutS_TV, LayoutD_TV for a TiledCopy, and ValLayoutSrc, … for its atom.
Result<CuteOperands> readAtom(Scanner &in);

Result<CuteOperands> operandsOf(const cute::MmaAtom &atom);
Result<CuteOperands> operandsOf(const cute::CopyAtom &atom);
Result<CuteOperands> operandsOf(const cute::TiledMma &mma, const cute::Layout &threadIds);
Result<CuteOperands> operandsOf(const cute::TiledCopy &copy);

/// Reads `Copy_Atom<SM75_U32x4_LDSM_N, half_t>`, or a copy's name alone, whose layouts then count bits.
Result<cute::CopyAtom> readCopyAtom(std::string_view written);

} // namespace lanescope::layouts
