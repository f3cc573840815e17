// Classifies the pieces of a line of code for syntax colours: snippets, IR, assembly, machine code.
//
//   std::vector<SyntaxToken> tokens;
//   scanLine(Language::Ptx, "@%p1 ld.global.b32 %r1, [%rd2+16]; // x", 0, tokens)
//   -> %p1 value, ld.global.b32 operation, %r1 value, %rd2 value, 16 number, the rest comment
//
// This is a scanner and not a parser. It accepts any text, never fails, and leaves unknown pieces in the colour of
// text. It works line by line, so that only visible lines need to be scanned. A comment or string that is open at the
// end of a line is the state for the next line.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace lanescope::viz {

enum class Language : uint8_t { Plain, Python, Mlir, Llvm, Ptx, Sass };

/// The language of a file by its name ("double.py", "k.ptx"), or of a stage by its id ("laid-out"). Plain for all
/// others.
Language languageOf(std::string_view name);

enum class SyntaxKind : uint8_t {
  Keyword,   // def, for, define
  Operation, // a call, an IR operation, an opcode
  Type,
  Value, // %0, %r1, R12, @kernel
  Number,
  String,
  Comment,
  Directive, // .reg, #attribute, @decorator, !metadata
  Label,
};
inline constexpr size_t kSyntaxKinds = 9;

struct SyntaxToken {
  uint32_t begin = 0, end = 0; // bytes within the line
  SyntaxKind kind = SyntaxKind::Keyword;
  bool operator==(const SyntaxToken &) const = default;
};

/// The construct that is open at the beginning of a line: 0 for none, otherwise a comment or a string over several
/// lines.
using SyntaxState = uint8_t;

/// Appends the line's tokens (without its line break) from left to right. Plain text gives no tokens. Returns the state
/// at the end of the line.
SyntaxState scanLine(Language language, std::string_view line, SyntaxState state, std::vector<SyntaxToken> &out);
/// The states at the beginnings of lines 0, 1, …. `text` is split into lines at line breaks.
std::vector<SyntaxState> syntaxStates(Language language, std::string_view text);

} // namespace lanescope::viz
