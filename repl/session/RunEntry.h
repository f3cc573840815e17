// An entry of a prompt: statements, or a layout that the user pasted.
//
//   runEntry(evaluator, Source::make("<1>", "WGMMA"), write, nullptr);     // writes the value WGMMA, and sets `_`
#pragma once

#include "layouts/support/Diagnostic.h"
#include "repl/lang/evaluate/Evaluator.h"

#include <functional>
#include <string_view>

namespace lanescope::repl {

/// Gets the value of each expression statement, except None.
using Echo = std::function<void(const Value &value)>;

/// Runs one or several statements. Afterwards, `_` is the last value of an expression statement. `remarks` (may be
/// null) gets notes on how a pasted layout was read.
Result<void> runEntry(Evaluator &evaluator, const SourceRef &source, const Echo &echo,
                      const std::function<void(const Diagnostics &)> &remarks);
Result<void> runEntry(Evaluator &evaluator, const ModuleRef &module, const Echo &echo);
/// True if Enter should start a new line: after an open bracket or string, after a `\`, or in a block that no blank
/// line has ended.
bool entryNeedsMoreText(std::string_view text);

} // namespace lanescope::repl
