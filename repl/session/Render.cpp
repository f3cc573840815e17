#include "repl/session/Render.h"

#include "layouts/Reading.h"
#include "layouts/support/TerminalWidth.h"
#include "layouts/support/Text.h"
#include "layouts/support/Utf8.h"
#include "repl/lang/builtins/Builtins.h"
#include "repl/lang/values/LayoutObjects.h"
#include "repl/session/Show.h"
#include "repl/session/ShowKernels.h"
#include "repl/session/Table.h"

#include <algorithm>

namespace lanescope::repl {
namespace {

constexpr int kEchoedRows = 16;        // limit for the rows of a grid
constexpr size_t kLongText = 200;      // bytes; a longer text is written unchanged if it has several lines
constexpr size_t kMaxText = 256 << 10; // limit in bytes for one value

std::string limited(std::string out) {
  if (out.size() > kMaxText) {
    size_t end = kMaxText;
    while (end > 0 && continuesCharacter(out[end])) // do not cut a character in two
      --end;
    size_t left = out.size() - end;
    out.resize(end);
    out += text("... (", left, " more bytes)");
  }
  if (out.empty() || out.back() != '\n')
    out += '\n';
  return out;
}

/// The first rows of the picture that show() draws.
std::string sketch(const Value &value, viz::TerminalOptions terminal) {
  terminal.maxRows = kEchoedRows;
  terminal.seeAll = "show(...) draws all of it";
  auto shown = toShown(value);
  auto drawn = shown ? shownText(*shown, terminal) : Result<std::string>(std::unexpected(Diagnostics()));
  return drawn ? *drawn : std::string(); // a layout without a small picture still has its text
}

/// The lines of a record, `name   value`. A line that is wider than the terminal is broken between words of the value.
std::string wrappedFields(const std::string &record, int width) {
  std::string out;
  for (size_t at = 0; at < record.size();) {
    size_t end = std::min(record.find('\n', at), record.size());
    std::string line = record.substr(at, end - at);
    at = end + 1;
    size_t name = line.find_first_of(' '), value = line.find_first_not_of(' ', name);
    bool field =
        name != 0 && value != std::string::npos && value >= name + 2 && value + 20 < static_cast<size_t>(width);
    while (field && columnCount(line) > width) {
      size_t cut = line.rfind(' ', firstColumns(line, width).size());
      if (cut == std::string::npos || cut <= value)
        break;
      out += line.substr(0, cut) + "\n";
      line = std::string(value, ' ') + line.substr(cut + 1);
    }
    out += line + "\n";
  }
  return out;
}

} // namespace

std::string renderValue(const Evaluator &evaluator, const Value &value, const viz::TerminalOptions &terminal) {
  if (value.asLayout()) {
    std::string drawn = sketch(value, terminal); // the picture's title contains the layout's text
    if (drawn.empty())
      return limited(repr(value));
    auto reading = layouts::readingOf(*value.asLayout());
    std::string note = reading ? guessNote(*value.asLayout(), *reading) : std::string();
    return note.empty() ? drawn : text(drawn, "note: ", note, '\n');
  }
  if (isTraceValue(value))
    return sketch(value, terminal);
  if (value.as<ElementMapObject>() || value.as<TmemMapObject>() || value.as<SmemMapObject>())
    return text(repr(value), "\n", sketch(value, terminal));
  if (value.asBuiltin() || value.asFunction())
    return helpText(evaluator, value);
  if (auto table = tableText(value, {.width = terminal.width, .bold = terminal.colours()}))
    return *table;
  if (const std::string *s = value.asStr(); s && s->size() > kLongText && s->find('\n') < s->size() - 1)
    return limited(*s);
  std::string written = repr(value);
  bool record = !value.asStr() && written.find('\n') != std::string::npos;
  return limited(record ? wrappedFields(written, terminal.width) : std::move(written));
}

} // namespace lanescope::repl
