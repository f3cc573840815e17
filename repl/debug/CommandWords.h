// Reads the words, numbers and lines in the debugger's commands.
#pragma once

#include "repl/debug/DebugTarget.h"

#include <string_view>
#include <utility>

namespace lanescope::repl {

/// Removes the first word and the blanks around it from the text, and returns the word.
std::string_view takeWord(std::string_view &text);
/// The number in a word. Error "debug-command": the word is no number. `what` names the number in the message.
Result<uint64_t> numberIn(std::string_view word, std::string_view what);
/// Reads "46" or "ptx:120": the line, from 1, and true if it is a line of the snippet. Error "debug-command": the word
/// is neither.
Result<std::pair<uint32_t, bool>> lineIn(std::string_view word, const DebugTarget &target);

} // namespace lanescope::repl
