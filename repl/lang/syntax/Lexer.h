// Converts snippet text to tokens: Python's tokens, indentation included.
//
//   lex(Source::make("a", "if x:\n  y = 1\n"))  ->  if x : NEWLINE INDENT y = 1 NEWLINE DEDENT END
//
// Never fails: text that is not a token becomes a diagnostic and is skipped, so that the parser can find more errors.
#pragma once

#include "repl/lang/syntax/Ast.h"

#include <string>
#include <string_view>
#include <vector>

namespace lanescope::repl {

enum class TokenKind : uint8_t {
  Name,
  Keyword, // Python 3's keywords, including those that the language lacks
  Int,
  Float,
  Str,          // `text` is the decoded value
  FormattedStr, // the parser handles the braces: see `bodyBegin`
  Operator,
  Newline,
  Indent,
  Dedent,
  End,
};

struct Token {
  TokenKind kind = TokenKind::End;
  TextRange range;
  std::string text; // the spelling; for a Str, the decoded value
  int64_t integer = 0;
  double number = 0;
  // The text between the quotes of a FormattedStr.
  uint32_t bodyBegin = 0, bodyEnd = 0;
  bool raw = false;

  bool is(std::string_view spelling) const {
    return (kind == TokenKind::Operator || kind == TokenKind::Keyword) && text == spelling;
  }
};

struct Lexed {
  std::vector<Token> tokens; // ends with End
  Diagnostics diagnostics;
  /// True if the text stops inside a bracket, inside a triple-quoted string or after a `\`, so that more lines may
  /// complete it.
  bool openAtEnd = false;
};

/// The largest accepted snippet, in bytes.
constexpr size_t kMaxSourceBytes = 8 << 20;

Lexed lex(const SourceRef &source);
/// The tokens of one expression inside a formatted string. There is no indentation, and line breaks count as blanks.
Lexed lexExpression(const SourceRef &source, TextRange range);

/// Resolves the escapes of a string's body. For each bad escape, `problem` gets the offset in `body` and a message.
struct EscapeProblem {
  size_t offset;
  std::string message;
};
std::string unescape(std::string_view body, std::vector<EscapeProblem> &problems);

bool isKeyword(std::string_view word);
/// The language's keywords, for completion.
const std::vector<std::string> &languageKeywords();

} // namespace lanescope::repl
