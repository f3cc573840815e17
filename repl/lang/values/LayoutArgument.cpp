#include "repl/lang/values/LayoutArgument.h"

#include "layouts/notation/Notation.h"
#include "layouts/support/Text.h"

#include <algorithm>

namespace lanescope::repl {

namespace {

/// The place of each character of a string literal's value, and one more place for its end. Nothing for a text that is
/// no literal, or that has an unsupported escape. `whole`: the literal has to be the whole span, not only its
/// beginning.
std::optional<std::vector<uint32_t>> placesInLiteral(const Span &argument, const std::string &written, bool whole) {
  std::string_view all = std::string_view(argument.source->text()).substr(0, argument.end);
  std::vector<uint32_t> places;
  uint32_t at = argument.begin;
  auto opens = [&] {
    size_t quote = at < all.size() && (all[at] == 'r' || all[at] == 'R') ? at + 1 : at;
    return quote < all.size() && (all[quote] == '"' || all[quote] == '\'');
  };
  auto blank = [&] {
    return at < all.size() && (all[at] == ' ' || all[at] == '\t' || all[at] == '\n' || all[at] == '\\');
  };
  while (at < all.size()) { // adjacent literals form one string
    bool raw = all[at] == 'r' || all[at] == 'R';
    at += raw;
    if (at >= all.size() || (all[at] != '"' && all[at] != '\''))
      return std::nullopt;
    std::string quote(3, all[at]);
    if (!all.substr(at).starts_with(quote))
      quote.resize(1);
    at += static_cast<uint32_t>(quote.size());
    while (at < all.size() && !all.substr(at).starts_with(quote)) {
      uint32_t begin = at++;
      if (all[begin] == '\\' && !raw) {
        char escaped = at < all.size() ? all[at++] : '\0';
        if (escaped == '\n') // the literal continues on the next line
          continue;
        constexpr std::string_view kNamed = "ntr\\'\"", kValues = "\n\t\r\\'\"";
        size_t known = kNamed.find(escaped);
        if (known == std::string_view::npos || places.size() >= written.size() ||
            written[places.size()] != kValues[known])
          return std::nullopt;
      } else if (places.size() >= written.size() || written[places.size()] != all[begin]) {
        return std::nullopt;
      }
      places.push_back(begin);
    }
    if (at >= all.size())
      return std::nullopt;
    places.push_back(at); // the end of the text, unless another literal follows
    at += static_cast<uint32_t>(quote.size());
    while (blank())
      ++at;
    if (at < all.size() && !whole && !opens())
      break;
    if (at < all.size())
      places.pop_back();
  }
  if (places.size() != written.size() + 1)
    return std::nullopt;
  return places;
}

/// The places in the argument itself, or in the first literal inside it with that value (such as an item of a tuple).
/// Nothing if there is no such literal.
std::optional<std::vector<uint32_t>> placesOf(const Span &argument, const std::string &written) {
  if (!argument.source)
    return std::nullopt;
  if (auto places = placesInLiteral(argument, written, true))
    return places;
  const std::string &all = argument.source->text();
  for (uint32_t at = argument.begin; at < argument.end && at < all.size(); ++at)
    if (all[at] == '"' || all[at] == '\'')
      if (auto places = placesInLiteral({argument.source, at, argument.end}, written, false))
        return places;
  return std::nullopt;
}

} // namespace

Diagnostics inSnippet(Diagnostics errors, const Span &argument, const std::string &written) {
  std::optional<std::vector<uint32_t>> places = placesOf(argument, written);
  auto moved = [&](const Span &span) {
    size_t last = written.size();
    return Span{argument.source, (*places)[std::min<size_t>(span.begin, last)],
                (*places)[std::min<size_t>(span.end, last)]};
  };
  for (Diagnostic &diagnostic : errors) {
    for (Note &note : diagnostic.notes)
      note.span = places && note.span.source ? moved(note.span) : argument;
    if (places && diagnostic.span.source) {
      diagnostic.span = moved(diagnostic.span);
      continue;
    }
    if (diagnostic.span.source)
      diagnostic.message += text(" (at character ", diagnostic.span.begin + 1, " of the text)");
    diagnostic.span = argument;
  }
  return errors;
}

Result<layouts::Layout> layoutOfText(const std::string &written, const Span &argument, Diagnostics *remarks) {
  Diagnostics noted;
  auto layout = layouts::parseLayout(Source::make("<layout>", written), remarks ? &noted : nullptr);
  if (!layout)
    return std::unexpected(inSnippet(std::move(layout.error()), argument, written));
  if (remarks)
    for (Diagnostic &remark : inSnippet(std::move(noted), argument, written))
      remarks->push_back(std::move(remark));
  return layout;
}

} // namespace lanescope::repl
