// What the operations `wgmma`, `mma` and `tcgen05_mma` take of the table of matrix instructions. The language asks with
// these, and so do the verifiers and lowering (MatrixProducts.h), which makes their answers one. No MLIR shows here.
#pragma once

#include "core/gpu/kernel/GpuTarget.h"
#include "layouts/fragments/MatrixInstruction.h"

namespace lanescope::core {

inline constexpr layouts::MatrixQuery kWgmmaQuery{
    .family = layouts::MatrixFamily::Wgmma, .kind = "", .inSnippetWords = true};
/// Of `mma` the instructions that fill a register with K for each lane, in the layouts of catalogue::mmaLayouts(): 16
/// rows and the largest K of at most 32-bit elements; in the ISA that we write.
inline constexpr layouts::MatrixQuery kMmaQuery{.family = layouts::MatrixFamily::Mma,
                                                .kind = "",
                                                .m = 16,
                                                .maxBits = 32,
                                                .ptxIsa = kPtxIsa,
                                                .inSnippetWords = true};

/// Of `tcgen05_mma`: the kind of instructions for elements of type `a`, with block scales or without.
inline layouts::MatrixQuery tcgen05Query(layouts::Dtype a, bool scaled) {
  using layouts::Dtype;
  std::string_view kind = "f8f6f4";
  if (int bits = layouts::bitwidth(a); layouts::isInteger(a))
    kind = "i8";
  else if (bits == 32)
    kind = "tf32";
  else if (bits == 16)
    kind = "f16";
  else if (scaled)
    kind = bits == 4 ? "mxf4nvf4" : "mxf8f6f4";
  return {.family = layouts::MatrixFamily::Tcgen05, .kind = kind, .inSnippetWords = true};
}

} // namespace lanescope::core
