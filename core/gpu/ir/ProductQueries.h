// What the operations `wgmma` and `mma` take of the table of matrix instructions. The language asks with these, and so
// do the verifiers and lowering (MatrixProducts.h), which makes their answers one. No MLIR shows here.
#pragma once

#include "layouts/fragments/MatrixInstruction.h"

namespace lanescope::core {

inline constexpr layouts::MatrixQuery kWgmmaQuery{
    .family = layouts::MatrixFamily::Wgmma, .kind = "", .inSnippetWords = true};
/// Of `mma` the instructions that fill a register with K for each lane, in the layouts of catalogue::mmaLayouts(): 16
/// rows and the largest K of at most 32-bit elements; in the ISA that we write (kPtxFeature in codegen/PtxBackend.h).
inline constexpr layouts::MatrixQuery kMmaQuery{
    .family = layouts::MatrixFamily::Mma, .kind = "", .m = 16, .maxBits = 32, .ptxIsa = 86, .inSnippetWords = true};

} // namespace lanescope::core
