// What the debugger's commands are written with: words, numbers, lines.
#pragma once

#include "repl/debug/DebugTarget.h"

#include <string_view>
#include <utility>

namespace lanescope::repl {

std::string_view trimmed(std::string_view text);
/// The word at the front of the text, which it loses with the blanks around it.
std::string_view takeWord(std::string_view &text);
/// Error "debug-command": it is none; `what` says what is meant.
Result<uint64_t> numberIn(std::string_view word, std::string_view what);
/// "46" or "ptx:120": the line, from 1, and whether it is one of the snippet. Error as above.
Result<std::pair<uint32_t, bool>> lineIn(std::string_view word, const DebugTarget &target);

} // namespace lanescope::repl
