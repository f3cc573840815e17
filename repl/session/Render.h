// Values as the REPL writes them, for people to read; repr() writes text that can be parsed back.
//
//   renderValue(evaluator, WGMMA, terminal)    its text, and the first rows of the grid of owners
//   renderValue(evaluator, catalogue(), …)     a table
//   renderValue(evaluator, "a\nb", …)          'a\nb'; a long text of several lines (PTX, say) unchanged
#pragma once

#include "repl/lang/evaluate/Evaluator.h"
#include "viz/export/TerminalText.h"

namespace lanescope::repl {

/// The value's text, which ends with a newline.
std::string renderValue(const Evaluator &evaluator, const Value &value, const viz::TerminalOptions &terminal);

} // namespace lanescope::repl
