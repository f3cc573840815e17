#include "layouts/notation/text/Scanner.h"

#include "layouts/support/Text.h"
#include "layouts/support/Utf8.h"

#include <algorithm>

namespace lanescope::layouts {

namespace {

bool isSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isNameStart(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

/// Bytes of the UTF-8 character that `text` begins with; 0 if it does not begin with one that can be shown.
size_t characterBytes(std::string_view text) {
  char32_t code = 0;
  size_t length = characterLength(text, &code);
  bool control = code < 0x20 || (code >= 0x7F && code < 0xA0);
  return control ? 0 : length;
}

} // namespace

Result<void> Scanner::checkSize() const {
  if (text_.size() > kMaxText)
    return error("layout-syntax", Span{source_, 0, 1},
                 Message("the text of a layout has {bytes} bytes; at most {limit} are read", text_.size(), kMaxText));
  return {};
}

void Scanner::skipSpace() {
  while (offset_ < text_.size() && isSpace(text_[offset_]))
    ++offset_;
}

bool Scanner::atEnd() {
  skipSpace();
  return offset_ == text_.size();
}

char Scanner::peek() { return atEnd() ? '\0' : text_[offset_]; }

bool Scanner::eat(char c) {
  if (atEnd() || text_[offset_] != c)
    return false;
  ++offset_;
  return true;
}

bool Scanner::eat(std::string_view word) {
  skipSpace();
  if (!text_.substr(offset_).starts_with(word))
    return false;
  offset_ += word.size();
  return true;
}

Result<void> Scanner::expect(char c, std::string_view context) {
  if (eat(c))
    return {};
  return expected(text('`', c, "` in ", context));
}

std::string_view Scanner::identifier() {
  skipSpace();
  size_t begin = offset_;
  if (begin < text_.size() && isNameStart(text_[begin]))
    while (offset_ < text_.size() && (isNameStart(text_[offset_]) || isDigit(text_[offset_])))
      ++offset_;
  return text_.substr(begin, offset_ - begin);
}

Result<int64_t> Scanner::integer(std::string_view what) {
  skipSpace();
  size_t begin = offset_, digits = begin;
  if (digits < text_.size() && (text_[digits] == '-' || text_[digits] == '+'))
    ++digits;
  size_t end = digits;
  while (end < text_.size() && isDigit(text_[end]))
    ++end;
  if (end == digits)
    return expected(what);
  offset_ = end;
  size_t from = text_[begin] == '+' ? digits : begin;
  std::optional<int64_t> value = parseInteger<int64_t>(text_.substr(from, end - from));
  if (!value)
    return fail(static_cast<uint32_t>(begin), "the number does not fit 64 bits");
  return *value;
}

std::string Scanner::found() {
  if (atEnd())
    return "the end";
  auto byte = static_cast<unsigned char>(text_[offset_]);
  if (size_t bytes = characterBytes(text_.substr(offset_)))
    return text('`', text_.substr(offset_, bytes), '`');
  constexpr std::string_view kHex = "0123456789abcdef";
  return text("byte 0x", kHex[byte >> 4], kHex[byte & 15]);
}

std::unexpected<Diagnostics> Scanner::expected(std::string_view what) {
  std::string here = found();
  auto begin = offset();
  size_t bytes = atEnd() ? 0 : std::max<size_t>(characterBytes(text_.substr(offset_)), 1);
  return error("layout-syntax", Span{source_, begin, begin + static_cast<uint32_t>(bytes)},
               Message("expected {}, found {}", what, here));
}

std::unexpected<Diagnostics> Scanner::fail(uint32_t begin, Message message) const {
  return error("layout-syntax", spanFrom(begin), std::move(message));
}

} // namespace lanescope::layouts
