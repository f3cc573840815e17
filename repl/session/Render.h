// Values as the REPL writes them: for reading, where repr() is for reading back.
//
//   renderValue(evaluator, WGMMA, terminal)    its text, and the first rows of a grid that says who holds what
//   renderValue(evaluator, catalogue(), …)     a table
//   renderValue(evaluator, "a\nb", …)          'a\nb'; a text of several long lines (PTX, say) as it is
#pragma once

#include "repl/lang/evaluate/Evaluator.h"
#include "viz/export/TerminalText.h"

namespace lanescope::repl {

/// Ends with a newline.
std::string renderValue(const Evaluator &evaluator, const Value &value, const viz::TerminalOptions &terminal);

} // namespace lanescope::repl
