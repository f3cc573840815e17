#include "layouts/notation/FragmentNotation.h"

#include "layouts/fragments/FragmentLayout.h"
#include "layouts/support/Text.h"

namespace lanescope::layouts {

namespace {

struct Quoted {
  std::string_view text;
  Span span; // the text between the quotes
};

/// Reads `"…"` or `'…'`, after an optional `keyword=`. Names have no escapes.
Result<Quoted> quoted(Scanner &in, std::string_view keyword, std::string_view what) {
  in.peek();
  uint32_t begin = in.offset();
  if (std::string_view word = in.identifier(); !word.empty() && (word != keyword || !in.eat('=')))
    return in.fail(begin, Message("expected {}, found `{}`", what, word));
  char quote = in.peek();
  if (quote != '"' && quote != '\'')
    return in.expected(what);
  in.eat(quote);
  Span span = in.spanFrom(in.offset());
  std::string_view whole = span.source->text();
  size_t end = whole.find_first_of("\"'\n", span.begin);
  if (end == std::string_view::npos || whole[end] != quote)
    return in.fail(span.begin - 1, Message("the text lacks its closing `{}`", quote));
  span.end = static_cast<uint32_t>(end);
  in.rewind(span.end + 1);
  return Quoted{whole.substr(span.begin, end - span.begin), std::move(span)};
}

} // namespace

Result<Layout> parseFragment(Scanner &in, Diagnostics *) {
  in.peek();
  uint32_t begin = in.offset();
  if (in.identifier() != "fragment") {
    in.rewind(begin);
    return in.expected("`fragment`");
  }
  if (Result<void> opened = in.expect('(', "`fragment`"); !opened)
    return std::unexpected(std::move(opened.error()));
  Result<Quoted> name = quoted(in, "atom", "the name of an instruction in quotes, as \"mma.m16n8k16.f16\"");
  if (!name)
    return std::unexpected(std::move(name.error()));
  if (Result<void> comma = in.expect(',', "`fragment`, before the operand"); !comma)
    return std::unexpected(std::move(comma.error()));
  Result<Quoted> operand = quoted(in, "operand", "an operand in quotes, as \"a\"");
  if (!operand)
    return std::unexpected(std::move(operand.error()));
  in.eat(',');
  if (Result<void> closed = in.expect(')', "`fragment`"); !closed)
    return std::unexpected(std::move(closed.error()));
  Result<Atom> atom = parseAtom(name->text, name->span);
  if (!atom)
    return std::unexpected(std::move(atom.error()));
  Result<Foreign> layout = fragment(*atom, operand->text);
  if (!layout)
    return at(operand->span, std::move(layout.error()));
  return Layout(*std::move(layout));
}

} // namespace lanescope::layouts
