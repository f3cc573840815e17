#include "layouts/support/Diagnostic.h"

#include "layouts/support/TerminalWidth.h"
#include "layouts/support/Utf8.h"
#include "layouts/support/Visible.h"

#include <algorithm>
#include <cassert>

namespace lanescope {

Diagnostic diagnosed(Severity severity, std::string kind, Span span, Message message, std::vector<Note> notes) {
  assert(declares(kind, message.parameters) && "layouts/support/KindParameters.inc lacks a parameter of this kind");
  return {severity,         std::move(kind),
          std::move(span),  std::move(message.words),
          std::move(notes), std::move(message.parameters)};
}

std::unexpected<Diagnostics> error(std::string kind, Span span, Message message, std::vector<Note> notes) {
  Diagnostics diagnostics;
  diagnostics.push_back(
      diagnosed(Severity::Error, std::move(kind), std::move(span), std::move(message), std::move(notes)));
  return std::unexpected(std::move(diagnostics));
}

std::unexpected<Diagnostics> error(std::string kind, Message message) {
  return error(std::move(kind), Span{}, std::move(message));
}

std::unexpected<Diagnostics> at(Span span, Diagnostics diagnostics) {
  for (Diagnostic &diagnostic : diagnostics)
    if (!diagnostic.span.source)
      diagnostic.span = span;
  return std::unexpected(std::move(diagnostics));
}

bool hasErrors(const Diagnostics &diagnostics) {
  return std::ranges::any_of(diagnostics, [](const Diagnostic &d) { return d.severity == Severity::Error; });
}

namespace {

const char *severityName(Severity severity) {
  switch (severity) {
  case Severity::Error: return "error";
  case Severity::Warning: return "warning";
  case Severity::Note: return "note";
  }
  return "error";
}

const char *severityColour(Severity severity) {
  switch (severity) {
  case Severity::Error: return "\x1b[1;31m";
  case Severity::Warning: return "\x1b[1;35m";
  case Severity::Note: return "\x1b[1;36m";
  }
  return "";
}

/// The text that is shown for a message. A name in a message may contain any text. Text after a line break is indented,
/// so that it does not look like another message; the middle of a very long message is left out.
std::string shownMessage(std::string_view message) {
  constexpr size_t kLongest = 4000, kEnd = kLongest / 2 - 40;
  std::string whole;
  if (message.size() > kLongest) {
    size_t tail = message.size() - kEnd, head = kEnd;
    while (head > 0 && continuesCharacter(message[head]))
      --head;
    while (tail < message.size() && continuesCharacter(message[tail]))
      ++tail;
    whole = std::string(message.substr(0, head)) + " … (" + std::to_string(tail - head) + " bytes are left out) … " +
            std::string(message.substr(tail));
    message = whole;
  }
  std::string out;
  for (char c : visible(message)) {
    out += c;
    if (c == '\n')
      out += "  ";
  }
  return out;
}

/// The source's line around the place, and the marks under it.
struct Excerpt {
  std::string line, blank, marks;
};

Excerpt excerptOf(std::string_view line, size_t column, size_t length) {
  column = std::min(column, line.size());
  auto [from, to] = quotedPart(line, column); // shortens a one-line megabyte to a readable part
  std::string part(line.substr(from, to - from));
  std::ranges::replace(part, '\t', ' ');
  // Escapes are longer than the characters that they replace, so the marks below the line shift, too.
  auto shown = [&](size_t begin, size_t end) { return visible(std::string_view(part).substr(begin, end - begin)); };
  size_t begin = std::clamp(column, from, to) - from, end = std::clamp(column + length, column, to) - from;
  Excerpt out{.line = visible(part), .blank = {}, .marks = {}};
  int64_t before = columnCount(shown(0, begin)), under = begin < end ? columnCount(shown(begin, end)) : 1;
  if (under == 0 && before > 0)
    --before; // a combining mark is drawn in the column of the character before it
  out.blank.assign(static_cast<size_t>(before), ' ');
  out.marks = "^" + std::string(static_cast<size_t>(std::max<int64_t>(under, 1) - 1), '~');
  return out;
}

void renderMessage(std::string &out, Severity severity, const Span &span, const std::string &message, bool colour) {
  const char *bold = colour ? "\x1b[1m" : "";
  const char *reset = colour ? "\x1b[0m" : "";
  LineColumn place;
  if (span.source) {
    place = span.source->lineColumn(span.begin);
    out += bold + shownName(span.source->name()) + ":" + std::to_string(place.line) + ":" +
           std::to_string(place.column) + ": " + reset;
  }
  out += std::string(colour ? severityColour(severity) : "") + severityName(severity) + ": " + reset + bold +
         shownMessage(message) + reset + "\n";
  if (!span.source)
    return;
  std::string_view line = span.source->lineText(place.line);
  if (line.empty())
    return;
  Excerpt excerpt = excerptOf(line, place.column - 1, span.end > span.begin ? span.end - span.begin : 1);
  out += "  " + excerpt.line + "\n  " + excerpt.blank + (colour ? "\x1b[1;32m" : "") + excerpt.marks + reset + "\n";
}

} // namespace

std::string render(const Diagnostic &diagnostic, bool colour) {
  std::string out;
  renderMessage(out, diagnostic.severity, diagnostic.span, diagnostic.message, colour);
  for (const Note &note : diagnostic.notes)
    renderMessage(out, Severity::Note, note.span, note.message, colour);
  return out;
}

std::string render(const Diagnostics &diagnostics, bool colour) {
  std::string out;
  for (const Diagnostic &diagnostic : diagnostics)
    out += render(diagnostic, colour);
  return out;
}

} // namespace lanescope
