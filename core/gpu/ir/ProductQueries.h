// The queries of `wgmma`, `mma` and `tcgen05_mma` to the table of matrix instructions. The language, the verifiers and
// the lowering (MatrixProducts.h) use the same queries, so they accept the same products. No MLIR appears here.
#pragma once

#include "core/gpu/kernel/GpuTarget.h"
#include "layouts/fragments/MatrixInstruction.h"

namespace lanescope::core {

inline constexpr layouts::MatrixQuery kWgmmaQuery{
    .family = layouts::MatrixFamily::Wgmma, .kind = "", .inSnippetWords = true};
/// For `mma`: the instructions with 16 rows whose operands have the layouts of catalogue::mmaLayouts(), so that each
/// register of a lane holds elements that are adjacent along K. Elements have at most 32 bits; `kPtxIsa` is the version
/// that we write.
inline constexpr layouts::MatrixQuery kMmaQuery{.family = layouts::MatrixFamily::Mma,
                                                .kind = "",
                                                .m = 16,
                                                .maxBits = 32,
                                                .ptxIsa = kPtxIsa,
                                                .inSnippetWords = true};

/// `tcgen05_mma`: the kind of instructions for elements of type `a`, with or without block scales.
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
