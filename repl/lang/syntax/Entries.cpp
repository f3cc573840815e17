// Parser: whole files, batches of entries, single expressions, and the check for incomplete entries.
#include "repl/lang/syntax/Parser.h"
#include "repl/lang/syntax/ParserState.h"

#include "core/data/ProcessMemory.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <utility>

namespace lanescope::repl {

/// The errors of lexer and parser, without those that only follow from a bad token nearby.
static Diagnostics merged(Diagnostics lexical, Diagnostics syntactic) {
  if (lexical.empty())
    return syntactic;
  auto spoilsRest = [](const Diagnostic &diagnostic) {
    return diagnostic.kind != "bad-number" && diagnostic.kind != "bad-escape" &&
           diagnostic.kind != "unexpected-character" && diagnostic.kind != "integer-overflow";
  };
  if (std::ranges::any_of(lexical, spoilsRest))
    return lexical;
  auto line = [](const Diagnostic &diagnostic) {
    return diagnostic.span.source->lineColumn(diagnostic.span.begin).line;
  };
  Diagnostics out = lexical;
  for (Diagnostic &diagnostic : syntactic)
    if (std::ranges::none_of(lexical, [&](const Diagnostic &cause) { return line(cause) == line(diagnostic); }))
      out.push_back(std::move(diagnostic));
  std::ranges::sort(out, {}, [](const Diagnostic &diagnostic) { return diagnostic.span.begin; });
  return out;
}

static Parsed parseTokens(const SourceRef &source, std::vector<Token> tokens, Diagnostics lexical) {
  Parsed out;
  out.module = std::make_shared<Module>();
  out.module->source = source;
  TokenParser parser(source, std::move(tokens));
  out.module->body = parser.statements();
  Diagnostics syntactic = parser.takeDiagnostics();
  out.diagnostics = merged(std::move(lexical), std::move(syntactic));
  return out;
}

Parsed parse(const SourceRef &source) {
  constexpr uint64_t kPerByte = 96; // bytes of the tree for each byte of text; a list of digits needs as many
  if (auto room = core::reserveParsed(source, kPerByte); !room) {
    Parsed refused = parseTokens(Source::make(source->name(), ""), {Token{}}, std::move(room.error()));
    refused.module->source = source;
    return refused;
  }
  Lexed lexed = lex(source);
  return parseTokens(source, std::move(lexed.tokens), std::move(lexed.diagnostics));
}

std::vector<Parsed> parseEntries(const SourceRef &source) {
  Lexed lexed = lex(source);
  std::vector<Parsed> out;
  std::vector<Token> chunk;
  uint32_t chunkBegin = 0;
  int depth = 0;
  bool decorator = false;
  auto close = [&](uint32_t end) {
    if (chunk.empty())
      return;
    Token last;
    auto textEnd = std::min(end, static_cast<uint32_t>(source->text().size()));
    last.range = {textEnd, textEnd};
    chunk.push_back(std::move(last));
    Diagnostics own;
    for (const Diagnostic &diagnostic : lexed.diagnostics)
      if (diagnostic.span.begin >= chunkBegin && diagnostic.span.begin < end)
        own.push_back(diagnostic);
    out.push_back(parseTokens(source, std::move(chunk), std::move(own)));
    chunk = {};
    chunkBegin = end;
  };
  for (Token &token : lexed.tokens) {
    TokenKind kind = token.kind;
    if (kind == TokenKind::End)
      break;
    // A line at the outer level starts the next entry, unless it continues the last one.
    bool startsLine = !chunk.empty() && depth == 0 &&
                      (chunk.back().kind == TokenKind::Newline || chunk.back().kind == TokenKind::Dedent);
    if (startsLine && kind != TokenKind::Indent && kind != TokenKind::Dedent && !token.is("elif") &&
        !token.is("else") && !token.is("except") && !token.is("finally") && !decorator)
      close(token.range.begin);
    if (chunk.empty() || startsLine)
      decorator = token.is("@");
    depth += kind == TokenKind::Indent ? 1 : kind == TokenKind::Dedent ? -1 : 0;
    chunk.push_back(std::move(token));
  }
  close(static_cast<uint32_t>(source->text().size()) + 1);
  if (out.empty() && !lexed.diagnostics.empty()) {
    out.push_back({std::make_shared<Module>(), std::move(lexed.diagnostics)});
    out.back().module->source = source;
  }
  return out;
}

Result<ModuleRef> parseExpression(const SourceRef &source) {
  Lexed lexed = lex(source);
  if (!lexed.diagnostics.empty())
    return std::unexpected(std::move(lexed.diagnostics));
  TokenParser parser(source, std::move(lexed.tokens));
  ExprPtr value = parser.wholeExpression();
  if (!value)
    return std::unexpected(parser.takeDiagnostics());
  auto module = std::make_shared<Module>();
  module->source = source;
  auto statement = make<ExpressionStmt>(value->range);
  statement->value = std::move(value);
  module->body.push_back(std::move(statement));
  return module;
}

bool isIncomplete(std::string_view entry) {
  auto source = Source::make("<entry>", std::string(entry));
  Lexed lexed = lex(source);
  if (lexed.openAtEnd) // more lines cannot complete an entry with a wrong bracket before its end
    return std::ranges::none_of(lexed.diagnostics, [](const Diagnostic &d) { return d.kind == "unmatched-bracket"; });
  if (!lexed.diagnostics.empty())
    return false;
  // The first token of the last logical line that starts at the outer level decides.
  int depth = 0;
  bool lineStart = true;
  const Token *outer = nullptr;
  for (const Token &token : lexed.tokens) {
    if (token.kind == TokenKind::Newline) {
      lineStart = true;
    } else if (token.kind == TokenKind::Indent) {
      ++depth;
    } else if (token.kind == TokenKind::Dedent) {
      --depth;
    } else if (token.kind != TokenKind::End && lineStart) {
      if (depth == 0)
        outer = &token;
      lineStart = false;
    }
  }
  if (!outer)
    return false;
  if (outer->is("@"))
    return true;
  bool compound = outer->is("def") || outer->is("if") || outer->is("elif") || outer->is("else") || outer->is("for") ||
                  outer->is("while") || outer->is("with") || outer->is("class") || outer->is("try") ||
                  outer->is("except") || outer->is("finally");
  if (!compound)
    return false;
  // A blank last line ends the block.
  size_t end = entry.find_last_not_of(" \t\r");
  bool blankEnd = end != std::string_view::npos && entry[end] == '\n' && end > 0 &&
                  entry.substr(0, end).find_last_not_of(" \t\r") != std::string_view::npos &&
                  entry[entry.substr(0, end).find_last_not_of(" \t\r")] == '\n';
  return !blankEnd;
}

} // namespace lanescope::repl
