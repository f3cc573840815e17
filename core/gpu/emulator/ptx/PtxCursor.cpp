#include "core/gpu/emulator/ptx/PtxCursor.h"

#include <charconv>
#include <cstring>
#include <string>

namespace lanescope::core::emulator {

namespace {

bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isWordStart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c == '%';
}
bool isWord(char c) { return (isWordStart(c) && c != '%') || isDigit(c); }
int hexValue(char c) {
  if (isDigit(c))
    return c - '0';
  if (c >= 'a' && c <= 'f')
    return c - 'a' + 10;
  if (c >= 'A' && c <= 'F')
    return c - 'A' + 10;
  return 99;
}

} // namespace

void PtxCursor::skipBlanks() {
  while (pos_ < text_.size()) {
    char c = text_[pos_];
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v') {
      ++pos_;
    } else if (c == '/' && pos_ + 1 < text_.size() && text_[pos_ + 1] == '/') {
      while (pos_ < text_.size() && text_[pos_] != '\n')
        ++pos_;
    } else if (c == '/' && pos_ + 1 < text_.size() && text_[pos_ + 1] == '*') {
      size_t close = text_.find("*/", pos_ + 2);
      if (close == std::string_view::npos)
        unclosed_ = static_cast<uint32_t>(pos_);
      pos_ = close == std::string_view::npos ? text_.size() : close + 2;
    } else {
      return;
    }
  }
}

std::string_view PtxCursor::finish(size_t begin) {
  std::string_view word = text_.substr(begin, pos_ - begin);
  lastEnd_ = pos_;
  skipBlanks();
  return word;
}

bool PtxCursor::take(char c) {
  if (peek() != c || atEnd())
    return false;
  ++pos_;
  lastEnd_ = pos_;
  skipBlanks();
  return true;
}

std::string_view PtxCursor::identifier() {
  size_t begin = pos_;
  if (!isWordStart(peek()))
    return {};
  do
    ++pos_;
  while (pos_ < text_.size() && isWord(text_[pos_]));
  return finish(begin);
}

std::string_view PtxCursor::dottedIdentifier() {
  size_t begin = pos_;
  if (!isWordStart(peek()))
    return {};
  do
    ++pos_;
  while (pos_ < text_.size() && (isWord(text_[pos_]) || text_[pos_] == '.'));
  return finish(begin);
}

std::string_view PtxCursor::directive() {
  size_t begin = pos_;
  if (peek() != '.')
    return {};
  ++pos_;
  while (pos_ < text_.size() && (isWord(text_[pos_]) || text_[pos_] == ':'))
    ++pos_;
  return finish(begin);
}

bool PtxCursor::takeDirective(std::string_view word) {
  size_t end = pos_ + word.size();
  if (!startsWith(word) || (end < text_.size() && (isWord(text_[end]) || text_[end] == ':')))
    return false;
  directive();
  return true;
}

std::string_view PtxCursor::opcode() {
  size_t begin = pos_;
  while (pos_ < text_.size() && (isWord(text_[pos_]) || text_[pos_] == '.' || text_[pos_] == ':'))
    ++pos_;
  return finish(begin);
}

std::string_view PtxCursor::version() {
  size_t begin = pos_;
  while (isDigit(peek()) || peek() == '.')
    ++pos_;
  return finish(begin);
}

std::string_view PtxCursor::quoted() {
  if (peek() != '"')
    return {};
  size_t close = text_.find('"', pos_ + 1);
  if (close == std::string_view::npos)
    close = text_.size();
  std::string_view word = text_.substr(pos_ + 1, close - pos_ - 1);
  pos_ = close < text_.size() ? close + 1 : close;
  lastEnd_ = pos_;
  skipBlanks();
  return word;
}

std::optional<Operand> PtxCursor::number() {
  size_t begin = pos_;
  bool minus = false;
  while (peek() == '-' || peek() == '+') {
    minus ^= peek() == '-';
    ++pos_;
  }
  auto fail = [&]() -> std::optional<Operand> {
    pos_ = begin;
    return std::nullopt;
  };
  if (!isDigit(peek()) && !(peek() == '.' && pos_ + 1 < text_.size() && isDigit(text_[pos_ + 1])))
    return fail();
  Operand value;
  char second = pos_ + 1 < text_.size() ? text_[pos_ + 1] : '\0';
  bool overflow = false;
  auto digits = [&](uint64_t base, size_t limit) {
    size_t count = 0;
    while (pos_ < text_.size() && static_cast<uint64_t>(hexValue(text_[pos_])) < base && count < limit) {
      auto digit = static_cast<uint64_t>(hexValue(text_[pos_]));
      overflow |= value.bits > (UINT64_MAX - digit) / base;
      value.bits = value.bits * base + digit;
      ++pos_, ++count;
    }
    return count;
  };
  if (peek() == '0' && (second == 'f' || second == 'F')) {
    pos_ += 2;
    value.kind = Operand::Kind::Float32;
    if (digits(16, 8) != 8)
      return fail();
    if (minus)
      value.bits ^= 0x80000000u;
  } else if (peek() == '0' && (second == 'd' || second == 'D')) {
    pos_ += 2;
    value.kind = Operand::Kind::Float64;
    if (digits(16, 16) != 16)
      return fail();
    if (minus)
      value.bits ^= 1ull << 63;
  } else {
    value.kind = Operand::Kind::Integer;
    if (peek() == '0' && (second == 'x' || second == 'X')) {
      pos_ += 2;
      if (digits(16, 16) == 0)
        return fail();
    } else if (peek() == '0' && (second == 'b' || second == 'B')) {
      pos_ += 2;
      if (digits(2, 64) == 0)
        return fail();
    } else {
      size_t end = pos_;
      bool isFloat = false;
      while (
          end < text_.size() &&
          (isDigit(text_[end]) || text_[end] == '.' || text_[end] == 'e' || text_[end] == 'E' ||
           ((text_[end] == '-' || text_[end] == '+') && isFloat && (text_[end - 1] == 'e' || text_[end - 1] == 'E')))) {
        isFloat |= !isDigit(text_[end]);
        ++end;
      }
      if (isFloat) {
        double number = 0;
        auto [stop, problem] = std::from_chars(text_.data() + pos_, text_.data() + end, number);
        if (problem != std::errc())
          return fail();
        pos_ = static_cast<size_t>(stop - text_.data());
        number = minus ? -number : number;
        value.kind = Operand::Kind::Float64;
        std::memcpy(&value.bits, &number, 8);
        minus = false;
      } else if (peek() == '0' && isDigit(second)) {
        digits(8, 22);
      } else {
        digits(10, 20);
      }
    }
    if (minus)
      value.bits = 0 - value.bits;
    if (value.kind == Operand::Kind::Integer && (peek() == 'U' || peek() == 'u'))
      ++pos_;
  }
  if (isWord(peek()) || overflow)
    return fail();
  finish(begin);
  return value;
}

bool PtxCursor::skipBraces() {
  int depth = 0;
  while (!atEnd()) {
    char c = peek();
    if (c == '"') {
      quoted();
      continue;
    }
    ++pos_;
    if (c == '{')
      ++depth;
    if (c == '}' && --depth == 0) {
      lastEnd_ = pos_;
      skipBlanks();
      return true;
    }
    skipBlanks();
  }
  return false;
}

void PtxCursor::skipLine() {
  while (pos_ < text_.size() && text_[pos_] != '\n')
    ++pos_;
  skipBlanks();
}

} // namespace lanescope::core::emulator
