// A position in PTX text. This is the lexical layer of the parser: it skips blanks and comments, and reads words,
// numbers and punctuation.
#pragma once

#include "core/gpu/emulator/ptx/PtxModule.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace lanescope::core::emulator {

class PtxCursor {
public:
  explicit PtxCursor(std::string_view text) : text_(text) { skipBlanks(); }

  bool atEnd() const { return pos_ >= text_.size(); }
  uint32_t position() const { return static_cast<uint32_t>(pos_); }
  char peek() const { return pos_ < text_.size() ? text_[pos_] : '\0'; }
  bool startsWith(std::string_view word) const { return text_.substr(pos_).starts_with(word); }
  /// The end of the last token, before any blanks that follow it.
  uint32_t lastEnd() const { return static_cast<uint32_t>(lastEnd_); }

  /// Takes the character if it is next.
  bool take(char c);
  /// Takes [A-Za-z_$%][A-Za-z0-9_$]*. Empty if no such word is next.
  std::string_view identifier();
  /// Takes an identifier that may contain dots: `%tid.x`.
  std::string_view dottedIdentifier();
  /// Takes a directive with its dot, like `.reg`. It may contain `::`.
  std::string_view directive();
  /// Takes this directive if it is next.
  bool takeDirective(std::string_view word);
  /// Takes the rest of an opcode: letters, digits, `_`, `.` and `::`.
  std::string_view opcode();
  /// Takes the text up to the next quote, or up to the end.
  std::string_view quoted();
  /// Takes digits and a dot: `8.6`.
  std::string_view version();
  /// Takes a number with an optional sign: decimal, 0x, 0b, 0 (octal) integers with an optional U, 0f/0d hex floats,
  /// decimal floats.
  std::optional<Operand> number();
  /// Skips `{ … }` with its contents. Returns false if the brace is not closed.
  bool skipBraces();
  void skipLine();
  /// The offset of a comment that is not closed.
  std::optional<uint32_t> unclosed() const { return unclosed_; }

private:
  void skipBlanks();
  std::string_view finish(size_t begin);

  std::string_view text_;
  size_t pos_ = 0, lastEnd_ = 0;
  std::optional<uint32_t> unclosed_;
};

} // namespace lanescope::core::emulator
