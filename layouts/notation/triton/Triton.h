// Triton's layouts as TTGIR prints them.
//
//   #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
//   #ttg.slice<{dim = 1, parent = #ttg.nvidia_mma<{versionMajor = 2, …}>}>
//   tensor<128x64xf16, #ttg.blocked<{…}>>
//   #mma = #ttg.nvidia_mma<{…}>   tensor<128xf32, #ttg.slice<{dim = 1, parent = #mma}>>      alias lines before it
//   !ttg.memdesc<128x64xf16, #ttg.nvmma_shared<{…}>, #smem, mutable, 2x128x64>
//   -l "#ttg.blocked<{…}>" -t "tensor<16x16xf16>"                      as triton-tensor-layout is called
//
// Keys come in any order. Older spellings (`#triton_gpu.`, `CTAsPerCGA`, `hasLeadingOffset`, `unpacked`, …) are read as
// their present equivalents, with a remark. If a text has only alias lines, the last alias is the layout. Printer:
// TritonLayout::text().
#pragma once

#include "layouts/Layout.h"
#include "layouts/notation/text/Scanner.h"

namespace lanescope::layouts {

/// True for a Triton layout attribute, type or alias; `#mosaic_gpu` is not one.
bool looksLikeTriton(std::string_view text);
Result<Layout> parseTriton(Scanner &in, Diagnostics *remarks);

} // namespace lanescope::layouts
