// Gluon's layouts as Python constructors, which its dataclasses also print.
//
//   BlockedLayout(size_per_thread=[1, 4], threads_per_warp=[16, 2], warps_per_cta=[4, 1], order=[1, 0], cga_layout=[])
//   gl.SliceLayout(0, gl.NVMMADistributedLayout([3, 0], [4, 1], [16, 64, 16]))
//   NVMMASharedLayout(swizzle_byte_width=128, element_bitwidth=16, rank=2)
//   TensorMemoryLayout((128, 64), col_stride=1)
//
// The parser ignores module prefixes, takes arguments by position or keyword, treats lists and tuples alike, and treats
// None as absent. These are Triton's layouts under other names (python/triton/experimental/gluon/language/_layouts.py),
// so they become TritonLayout values.
#pragma once

#include "layouts/Layout.h"
#include "layouts/notation/text/Scanner.h"

namespace lanescope::layouts {

bool looksLikeGluon(std::string_view text);
Result<Layout> parseGluon(Scanner &in, Diagnostics *remarks);

} // namespace lanescope::layouts
