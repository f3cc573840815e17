#include "repl/session/RunEntry.h"

#include "layouts/notation/cute/Cute.h"
#include "layouts/notation/Notation.h"
#include "repl/lang/syntax/Parser.h"

#include <optional>

namespace lanescope::repl {

Result<void> runEntry(Evaluator &evaluator, const SourceRef &source, const Echo &echo,
                      const std::function<void(const Diagnostics &)> &remarks) {
  Parsed parsed = parse(source);
  if (parsed.diagnostics.empty() && !layouts::beginsPrintout(source->text()))
    return runEntry(evaluator, parsed.module, echo);
  // A text that is not Python may be a pasted layout: CuTe's print, or an atom's printout of several lines.
  Diagnostics read;
  auto layout = layouts::parseLayout(source, &read);
  if (!layout && parsed.diagnostics.empty())
    return runEntry(evaluator, parsed.module, echo);
  if (!layout)
    return std::unexpected(std::move(parsed.diagnostics));
  if (remarks && !read.empty())
    remarks(read);
  Value value(*std::move(layout));
  echo(value);
  evaluator.set("_", std::move(value));
  return {};
}

Result<void> runEntry(Evaluator &evaluator, const ModuleRef &module, const Echo &echo) {
  std::optional<Value> last;
  Result<void> done = evaluator.run(module, [&](const Value &value, const Span &) -> Result<void> {
    echo(value);
    last = value;
    return {};
  });
  if (done && last)
    evaluator.set("_", std::move(*last));
  return done;
}

bool entryNeedsMoreText(std::string_view text) {
  if (!layouts::beginsPrintout(text))
    return isIncomplete(text);
  if (text.ends_with('\n'))
    text.remove_suffix(1);
  std::string_view last = text.substr(text.rfind('\n') + 1); // a printout ends with a blank line
  return last.find_first_not_of(" \t\r") != std::string_view::npos;
}

} // namespace lanescope::repl
