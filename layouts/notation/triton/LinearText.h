// Linear layouts as text: Triton's LinearLayout::toString prints the left form, linear-layout-viz reads the right one.
//
//    - register=1 -> (0, 1)                    Blocked: [T,W,R] -> [Y,X]       # a comment
//      register=2 -> (8, 0)                    T: [[4,0],[8,0],[0,1],[0,2],[0,4]]
//    - lane=1 -> (0, 2)                        W: [[0,8],[0,16]]
//    - warp is a size 1 dimension              R: [[1,0],[2,0]]
//   where out dims are: [dim0 (size 16), dim1 (size 8)]
//
// After several blocks, a line that combines their names selects the layout: `A * B` (product), `A(B)` (A after B),
// `inv(A)`. Without such a line, the last block is taken. If a text is cut off before "where out dims are", the reader
// takes the smallest sizes that fit. Printer: LinearLayout::toString(), and linearText() for any map.
#pragma once

#include "layouts/linear/LinearLayout.h"
#include "layouts/notation/text/Scanner.h"
#include "layouts/Placement.h"

namespace lanescope::layouts {

bool looksLikeLinearText(std::string_view text);
Result<Layout> parseLinearText(Scanner &in, Diagnostics *remarks);

/// The linear form of a map as toString's text. Error "not-linear" gives three places that contradict each other.
Result<std::string> linearText(const Placement &placement);

} // namespace lanescope::layouts
