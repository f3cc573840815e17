// TVM TIRx layouts: `S[…] + R[…] + offset`, in Python's form and in the form that TVMScript prints.
//
//   S[(8,2,4,2):(4@laneid,1@warpid,1@laneid,1)] + R[2:4@warpid] + 5@warpid
//   Tx.TileLayout(Tx.S[(8, 4, 2) : (4 @ Axis.laneid, 1 @ Axis.laneid, 1)] + (1 @ Axis.laneid + 64))
//   ComposeLayout(3, 3, 3, TileLayout(S[(8,64):(64,1)]))          (per_element, swizzle_len, atom_len)
//   ComposeLayout(SwizzleLayout(per_element=3, swizzle_len=3, atom_len=3), S[(8, 64)])          before TVM 0.26
//
// The parser skips any module prefix. Extents without strides are row-major on `m`. A stride may be `"laneid"` (one on
// that axis) or `(4, "laneid")`. Printer: ForeignLayout::text(), the Python form.
#pragma once

#include "layouts/Layout.h"
#include "layouts/notation/text/Scanner.h"
#include "layouts/Placement.h"

namespace lanescope::layouts {

/// True if the text starts like a TIRx layout; reads nothing.
bool looksLikeTirx(std::string_view text);
Result<Layout> parseTirx(Scanner &in, Diagnostics *remarks);
/// Writes a placement in TIRx's form. Errors say why there is none.
Result<std::string> tirxText(const Placement &placement);

} // namespace lanescope::layouts
