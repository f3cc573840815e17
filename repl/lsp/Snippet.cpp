#include "repl/lsp/Snippet.h"

#include "repl/lang/syntax/Lexer.h"

namespace lanescope::repl::lsp {

namespace {

constexpr int kMostLinesLeftOut = 16;

/// The first bracket or string that is never closed, and so contains the text after it; null: none.
const Diagnostic *swallowing(const Diagnostics &problems) {
  for (const Diagnostic &problem : problems)
    if (problem.kind == "unclosed-bracket" || problem.kind == "unterminated-string" ||
        problem.kind == "unmatched-bracket")
      return &problem;
  return nullptr;
}

/// The name before the `=` of a line, which the line would bind.
std::string boundBy(std::string_view line) {
  Lexed lexed = lex(Source::make("<line>", std::string(line)));
  const auto &tokens = lexed.tokens;
  for (size_t i = 0; i + 1 < tokens.size(); ++i)
    if (tokens[i].kind == TokenKind::Name && (tokens[i + 1].is("=") || (i > 0 && tokens[i - 1].is("def"))))
      return tokens[i].text;
  return {};
}

/// Replaces the line of `code` at `offset` by `pass`, or by blanks if `pass` does not fit. Returns false if the line
/// was replaced before.
bool leaveOut(std::string &code, uint32_t offset) {
  size_t begin = offset == 0 ? 0 : code.rfind('\n', offset - 1);
  begin = begin == std::string::npos || offset == 0 ? 0 : begin + 1;
  size_t end = std::min(code.find('\n', offset), code.size());
  begin = std::min(code.find_first_not_of(" \t", begin), end);
  std::string made(end - begin, ' ');
  constexpr std::string_view kPass = "pass";
  if (made.size() >= kPass.size())
    made.replace(0, kPass.size(), kPass);
  if (code.compare(begin, end - begin, made) == 0)
    return false;
  code.replace(begin, end - begin, made);
  return true;
}

void collect(const Block &block, std::vector<const FunctionStmt *> &out) {
  for (const StmtPtr &statement : block) {
    if (const auto *function = as<FunctionStmt>(statement)) {
      out.push_back(function);
      collect(function->function.body, out);
    } else if (const auto *type = as<ClassStmt>(statement)) {
      collect(type->body, out);
    } else if (const auto *branch = as<IfStmt>(statement)) {
      collect(branch->body, out);
      collect(branch->orElse, out);
    } else if (const auto *loop = as<ForStmt>(statement)) {
      collect(loop->body, out);
    } else if (const auto *with = as<WithStmt>(statement)) {
      collect(with->body, out);
    }
  }
}

} // namespace

bool Snippet::broken(uint32_t begin, uint32_t end) const {
  return std::ranges::any_of(
      problems, [&](const Diagnostic &problem) { return problem.span.begin < end && begin <= problem.span.end; });
}

std::shared_ptr<const Snippet> readSnippet(const SourceRef &text) {
  auto out = std::make_shared<Snippet>();
  out->text = out->code = text;
  out->problems = parse(text).diagnostics;
  std::string code = text->text();
  const Diagnostic *cause = swallowing(out->problems);
  Diagnostics again;
  for (int n = 0; cause && n < kMostLinesLeftOut; ++n) {
    if (std::string name = boundBy(out->code->lineText(out->code->lineColumn(cause->span.begin).line)); !name.empty())
      out->unknown.insert(std::move(name));
    if (!leaveOut(code, cause->span.begin))
      break;
    out->code = Source::make(text->name(), code);
    again = lex(out->code).diagnostics;
    cause = swallowing(again);
    if (cause && cause->kind == "unclosed-bracket") // a problem that the first one has hidden
      out->problems.push_back(*cause);
  }
  out->entries = parseEntries(out->code);
  return out;
}

TextRange rangeOf(const Parsed &entry) {
  const Block &body = entry.module->body;
  return body.empty() ? TextRange{} : TextRange{body.front()->range.begin, body.back()->range.end};
}

std::vector<const FunctionStmt *> functionsOf(const Snippet &snippet) {
  std::vector<const FunctionStmt *> out;
  for (const Parsed &entry : snippet.entries)
    collect(entry.module->body, out);
  return out;
}

} // namespace lanescope::repl::lsp
