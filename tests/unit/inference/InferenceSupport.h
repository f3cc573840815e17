// Modules in a short notation, and the result of inference in a short notation.
//
//   any 128x64 f32 -> %x                        %x = "llvm.mlir.undef"() : () -> vector<128x64xf32>
//   any smem 64x64 bf16 -> %s                   … : () -> memref<64x64xbf16, #gpu.address_space<workgroup>>
//   cast %x 128x64 f32 WGMMA -> %y              %y = "mosaic_gpu.layout_cast"(%x) …
//   "…"                                         any other line: unchanged, with $smem, $tmem and $WGMMA replaced
//
// The result has a line for each operation with layouts: `layout_cast WGMMA -> WGMMA`, `vector_load (8, 32)/128 ->
// WGMMA`.
#pragma once

#include "core/gpu/inference/SystemInference.h"

#include <string>

namespace lanescope::core {

struct LaidOut {
  std::string lines;
  std::string errors; // messages and notes, one per line
};

LaidOut layOut(const std::string &text, const InferenceOptions &options = {});
/// The system of constraints as JAX prints it.
std::string systemOf(const std::string &text);

} // namespace lanescope::core
