// An instruction's operand, as FragmentLayout prints it.
//
//   fragment("mma.m16n8k16.f16", "a")          fragment('ldmatrix.x4.trans', 'r')
//
// Also read: `atom=` and `operand=` before the texts. Printer: FragmentLayout::text().
#pragma once

#include "layouts/Layout.h"
#include "layouts/notation/text/Scanner.h"

namespace lanescope::layouts {

/// The head is at `fragment(`. Errors point into the instruction's name. The parser makes no remarks.
Result<Layout> parseFragment(Scanner &in, Diagnostics *remarks);

} // namespace lanescope::layouts
