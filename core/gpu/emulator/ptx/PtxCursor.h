// A position in PTX text: skips blanks and comments, reads words, numbers and punctuation. The parser's lexical layer.
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
  /// End of the last thing read, before the blanks that followed.
  uint32_t lastEnd() const { return static_cast<uint32_t>(lastEnd_); }

  /// Takes one character if it comes next.
  bool take(char c);
  /// [A-Za-z_$%][A-Za-z0-9_$]*, empty when none comes next.
  std::string_view identifier();
  /// An identifier that may go on with dots: `%tid.x`.
  std::string_view dottedIdentifier();
  /// A directive with its dot: `.reg`; `::` belongs to it.
  std::string_view directive();
  /// Takes this directive if it comes next.
  bool takeDirective(std::string_view word);
  /// The rest of an opcode: letters, digits, `_`, `.` and `::`.
  std::string_view opcode();
  /// Up to the next quote, or the end where there is none.
  std::string_view quoted();
  /// Digits and a dot: `8.6`.
  std::string_view version();
  /// Decimal, 0x, 0b, 0 (octal) integers with an optional U, 0f/0d hex floats, decimal floats; a sign before.
  std::optional<Operand> number();
  /// Skips a `{ … }` with everything in it; false when it does not close.
  bool skipBraces();
  void skipLine();
  /// The offset at which a comment without an end begins.
  std::optional<uint32_t> unclosed() const { return unclosed_; }

private:
  void skipBlanks();
  std::string_view finish(size_t begin);

  std::string_view text_;
  size_t pos_ = 0, lastEnd_ = 0;
  std::optional<uint32_t> unclosed_;
};

} // namespace lanescope::core::emulator
