#include "repl/debug/CommandWords.h"

#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "layouts/support/Words.h"

#include <algorithm>

namespace lanescope::repl {

constexpr std::string_view kBlanks = " \t\r\n";

std::string_view takeWord(std::string_view &text) {
  text = trimmed(text);
  std::string_view word = text.substr(0, text.find_first_of(kBlanks));
  text = trimmed(text.substr(word.size()));
  return word;
}

Result<uint64_t> numberIn(std::string_view word, std::string_view what) {
  auto value = word.starts_with("0x") ? std::nullopt : parseInteger<uint64_t>(word);
  if (!value)
    return error("debug-command", Message("`{}` is no number; {}", word, what));
  return *value;
}

Result<std::pair<uint32_t, bool>> lineIn(std::string_view word, const DebugTarget &target) {
  bool ptx = word.starts_with("ptx:") || !target.snippet;
  if (word.starts_with("ptx:"))
    word.remove_prefix(4);
  uint64_t line = LANESCOPE_TRY(numberIn(word, "expected a line of the snippet, or `ptx:120` for a line of the PTX"));
  return std::pair(static_cast<uint32_t>(std::min<uint64_t>(line, UINT32_MAX)), !ptx);
}

} // namespace lanescope::repl
