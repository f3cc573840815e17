// The scanner that the notation parsers share. It reads characters, names, integers and lists, with spans. Private to
// notation/.
#pragma once

#include "layouts/Shape.h"
#include "layouts/support/Diagnostic.h"

#include <optional>
#include <string_view>

namespace lanescope::layouts {

/// True if the character may stand in a name.
constexpr bool isNameCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}
/// The errors of a failed result, for the caller to return.
template <typename T> std::unexpected<Diagnostics> failure(Result<T> &result) {
  return std::unexpected(std::move(result.error()));
}

class Scanner {
public:
  static constexpr size_t kMaxText = 64 * 1024;
  static constexpr size_t kMaxListEntries = 256;

  explicit Scanner(SourceRef source) : source_(std::move(source)), text_(source_->text()) {}

  /// Returns an error if the text is longer than kMaxText.
  Result<void> checkSize() const;

  uint32_t offset() const { return static_cast<uint32_t>(offset_); }
  void rewind(uint32_t offset) { offset_ = offset; }
  bool atEnd();
  /// The next character after white space; '\0' at the end.
  char peek();
  bool eat(char c);
  bool eat(std::string_view word);
  Result<void> expect(char c, std::string_view context);
  /// Reads a name `[A-Za-z_][A-Za-z0-9_]*`; empty if the next text is none.
  std::string_view identifier();
  /// Reads an integer with an optional sign. Errors: there is none, or it does not fit 64 bits.
  Result<int64_t> integer(std::string_view what);

  Span spanFrom(uint32_t begin) const { return {source_, begin, offset()}; }
  /// A syntax error at the next character: "expected `what`, found …".
  [[nodiscard]] std::unexpected<Diagnostics> expected(std::string_view what);
  [[nodiscard]] std::unexpected<Diagnostics> fail(uint32_t begin, Message message) const;
  /// The text at the head, for messages: "`x`", "the end", "byte 0xff".
  std::string found();

private:
  void skipSpace();

  SourceRef source_;
  std::string_view text_;
  size_t offset_ = 0;
};

/// Reads `open` item {`,` item} [`,`] `close`. `item` is a callable that consumes one entry and returns Result<void>.
template <typename Item> Result<void> readList(Scanner &in, char open, char close, std::string_view what, Item &&item) {
  if (Result<void> opened = in.expect(open, what); !opened)
    return opened;
  for (size_t n = 0; !in.eat(close); ++n) {
    if (n >= Scanner::kMaxListEntries)
      return in.expected("a shorter list");
    if (Result<void> read = item(); !read)
      return read;
    if (!in.eat(',')) {
      if (Result<void> closed = in.expect(close, what); !closed)
        return closed;
      break;
    }
  }
  return {};
}

/// Gives errors without a span the span that the parser has read.
template <typename T> Result<T> located(const Scanner &in, uint32_t begin, Result<T> result) {
  if (!result)
    return at(in.spanFrom(begin), std::move(result.error()));
  return result;
}

} // namespace lanescope::layouts
