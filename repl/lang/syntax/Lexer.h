// Snippet text to tokens: Python's tokens, indentation included.
//
//   lex(Source::make("a", "if x:\n  y = 1\n"))  ->  if x : NEWLINE INDENT y = 1 NEWLINE DEDENT END
//
// Never fails: what is not a token becomes a diagnostic and is skipped, so that the parser can find more errors.
#pragma once

#include "repl/lang/syntax/Ast.h"

#include <string>
#include <string_view>
#include <vector>

namespace lanescope::repl {

enum class TokenKind : uint8_t {
  Name,
  Keyword, // of Python 3, whether the language has it or not
  Int,
  Float,
  Str,          // `text` is the decoded value
  FormattedStr, // the braces are the parser's business: see `bodyBegin`
  Operator,
  Newline,
  Indent,
  Dedent,
  End,
};

struct Token {
  TokenKind kind = TokenKind::End;
  TextRange range;
  std::string text; // spelling; of a Str its value
  int64_t integer = 0;
  double number = 0;
  // Of a FormattedStr: the text between the quotes.
  uint32_t bodyBegin = 0, bodyEnd = 0;
  bool raw = false;

  bool is(std::string_view spelling) const {
    return (kind == TokenKind::Operator || kind == TokenKind::Keyword) && text == spelling;
  }
};

struct Lexed {
  std::vector<Token> tokens; // ends with End
  Diagnostics diagnostics;
  /// The text stops inside a bracket, a triple-quoted string or after a `\`: more lines may complete it.
  bool openAtEnd = false;
};

/// The largest snippet taken, in bytes.
constexpr size_t kMaxSourceBytes = 8 << 20;

Lexed lex(const SourceRef &source);
/// The tokens of one expression inside a formatted string: no indentation, line breaks are blanks.
Lexed lexExpression(const SourceRef &source, TextRange range);

/// Resolves the escapes of a string body; `problem` gets the offset (in `body`) and a message for each bad escape.
struct EscapeProblem {
  size_t offset;
  std::string message;
};
std::string unescape(std::string_view body, std::vector<EscapeProblem> &problems);

bool isKeyword(std::string_view word);
/// Keywords that the language has, for completion.
const std::vector<std::string> &languageKeywords();

} // namespace lanescope::repl
