// The tokens of MLIR's text form, in enough detail to find the begin of an operation and the nesting. It knows no
// grammar; MLIR's own parser reads the module.
//
//   ModuleLexer lexer("%0 = nvvm.elect.sync -> i1");
//   lexer.next()   // Value `%0`, then Punctuation `=`, Word `nvvm.elect.sync`, Punctuation `->`, Word `i1`, End
//
// MLIR, "Language Reference", "Common syntax".
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace lanescope::core {

/// True if the byte may stand in an alias's or a value's name.
bool isModuleNameByte(char c);
/// The first byte from `at` on that is not a space.
size_t pastSpace(std::string_view text, size_t at);
/// The byte after the string that begins at `at`. As in MLIR, a string ends at the end of its line at the latest.
size_t pastString(std::string_view text, size_t at);

struct ModuleToken {
  enum class Kind : uint8_t { Word, Value, Attribute, Type, String, Number, Punctuation, End };
  Kind kind = Kind::End;
  size_t begin = 0, end = 0;
};

class ModuleLexer {
public:
  explicit ModuleLexer(std::string_view text, size_t at = 0) : text_(text), at_(at) {}

  /// The next token; skips comments and spaces. At the end of the text it returns End, any number of times.
  ModuleToken next();
  size_t at() const { return at_; }
  std::string_view of(const ModuleToken &token) const { return text_.substr(token.begin, token.end - token.begin); }

private:
  std::string_view text_;
  size_t at_;
};

/// The byte after the bracket that closes the one at `open`; npos if there is none.
size_t pastBracket(std::string_view text, size_t open);

} // namespace lanescope::core
