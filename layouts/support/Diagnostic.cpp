#include "layouts/support/Diagnostic.h"

#include "layouts/support/Utf8.h"

#include <algorithm>

namespace lanescope {

std::unexpected<Diagnostics> error(std::string kind, Span span, std::string message, std::vector<Note> notes) {
  Diagnostics diagnostics;
  diagnostics.push_back({Severity::Error, std::move(kind), std::move(span), std::move(message), std::move(notes)});
  return std::unexpected(std::move(diagnostics));
}

std::unexpected<Diagnostics> error(std::string kind, std::string message) {
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

constexpr size_t kWidestExcerpt = 160;

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

void renderMessage(std::string &out, Severity severity, const Span &span, const std::string &message, bool colour) {
  const char *bold = colour ? "\x1b[1m" : "";
  const char *reset = colour ? "\x1b[0m" : "";
  if (span.source) {
    LineColumn place = span.source->lineColumn(span.begin);
    out += bold + span.source->name() + ":" + std::to_string(place.line) + ":" + std::to_string(place.column) + ": " +
           reset;
  }
  out += std::string(colour ? severityColour(severity) : "") + severityName(severity) + ": " + reset + bold + message +
         reset + "\n";
  if (!span.source)
    return;
  // The excerpt: at most kWidestExcerpt bytes around the place, so that a one-line megabyte stays readable.
  LineColumn place = span.source->lineColumn(span.begin);
  std::string_view line = span.source->lineText(place.line);
  if (line.empty())
    return;
  size_t column = std::min<size_t>(place.column - 1, line.size());
  size_t from = column > kWidestExcerpt / 2 && line.size() > kWidestExcerpt ? column - kWidestExcerpt / 2 : 0;
  std::string shown, marks;
  for (size_t i = from; i < line.size() && i < from + kWidestExcerpt; ++i) {
    auto byte = static_cast<unsigned char>(line[i]);
    shown += byte == '\t' ? ' ' : byte < 0x20 || byte == 0x7F ? '?' : line[i];
    if (!continuesCharacter(line[i]) && i < column)
      marks += ' ';
  }
  size_t end = std::clamp<size_t>(column + (span.end > span.begin ? span.end - span.begin : 1), column + 1,
                                  std::max(line.size(), column + 1));
  out += "  " + shown + "\n  " + marks + (colour ? "\x1b[1;32m" : "") + "^" +
         std::string(
             std::min(end, from + kWidestExcerpt) > column + 1 ? std::min(end, from + kWidestExcerpt) - column - 1 : 0,
             '~') +
         reset + "\n";
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
