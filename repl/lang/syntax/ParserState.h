// The parser's implementation: one class over a sequence of tokens. Statements are in Parser.cpp, operators in
// ExpressionParser.cpp, their operands in AtomParser.cpp, strings in StringParser.cpp, the entry points in Entries.cpp.
#pragma once

#include "layouts/support/DiagnosticKind.h"
#include "repl/lang/syntax/Lexer.h"
#include "repl/lang/syntax/Parser.h"

#include <memory>
#include <optional>

namespace lanescope::repl {

template <typename T> std::unique_ptr<T> make(TextRange range) { return std::make_unique<T>(range); }

class TokenParser {
public:
  TokenParser(const SourceRef &source, std::vector<Token> tokens) : source_(source), tokens_(std::move(tokens)) {}

  Block statements();
  /// Parses `expression [,…] NEWLINE? END`.
  ExprPtr wholeExpression();
  Diagnostics takeDiagnostics() { return std::move(diagnostics_); }

private:
  // A null pointer means that an error was reported.
  // --- tokens
  const Token &token() const { return tokens_[at_]; }
  const Token &ahead(size_t n) const { return tokens_[std::min(at_ + n, tokens_.size() - 1)]; }
  const Token &take() { return tokens_[at_ + 1 < tokens_.size() ? at_++ : at_]; }
  bool is(std::string_view spelling) const { return token().is(spelling); }
  bool accept(std::string_view spelling) { return is(spelling) && (take(), true); }
  bool expect(std::string_view spelling, std::string_view after);
  uint32_t lastEnd() const { return at_ == 0 ? 0 : tokens_[at_ - 1].range.end; }
  TextRange from(uint32_t begin) const { return {begin, std::max(begin, lastEnd())}; }
  void report(DiagnosticKind kind, TextRange range, Message message, std::vector<Note> notes = {});
  void unexpected(std::string_view expected);
  static std::string describe(const Token &token);
  Span span(TextRange range) const { return {source_, range.begin, range.end}; }

  // --- nesting
  class Deeper {
  public:
    explicit Deeper(TokenParser &parser) : parser_(parser) { ++parser_.depth_; }
    ~Deeper() { --parser_.depth_; }

  private:
    TokenParser &parser_;
  };
  bool tooDeep();
  /// While the object lives, names that `:=` binds belong to one statement.
  class Naming {
  public:
    explicit Naming(TokenParser &parser) : parser_(parser), outer_(std::exchange(parser.named_, {})) {}
    ~Naming() { parser_.named_ = std::move(outer_); }
    StmtPtr of(StmtPtr statement) {
      if (statement)
        statement->named = parser_.named_;
      return statement;
    }

  private:
    TokenParser &parser_;
    std::vector<std::string> outer_;
  };
  bool grow(Expr &parent, const Expr *child);

  // --- statements (Parser.cpp)
  void statement(Block &out);
  void simpleLine(Block &out);
  StmtPtr simple();
  StmtPtr assignmentOrExpression();
  bool namedAlone(const Expr &expression, uint32_t begin);
  StmtPtr functionDefinition(std::vector<ExprPtr> decorators, uint32_t begin);
  StmtPtr conditionalStatement(int chain);
  StmtPtr forStatement();
  StmtPtr whileStatement();
  StmtPtr withStatement();
  StmtPtr deleteStatement();
  std::optional<Block> block(std::string_view after);
  /// Reads the block of a loop, and the one after its `else`. Returns false after an error.
  bool loopBlocks(std::string_view after, Block &body, Block &orElse);
  bool unsupportedKeyword();
  bool saysMatch(const Expr &first);
  void onlyInPython(TextRange range, std::string_view what);
  bool outerNames();
  // --- decorators, classes, imports (DefinitionParser.cpp)
  StmtPtr decorated();
  StmtPtr classDefinition(std::vector<ExprPtr> decorators, uint32_t begin);
  StmtPtr importStatement();
  StmtPtr fromStatement();
  std::optional<std::string> dottedName();
  bool importedAs(ImportStmt::Item &item);
  void skipLine();
  bool checkTarget(const Expr &target, std::string_view use);
  std::optional<std::vector<Parameter>> parameters(std::string_view closing, bool annotations);

  // --- expressions (ExpressionParser.cpp, AtomParser.cpp, StringParser.cpp)
  ExprPtr expressionList(); // `a, *b, c`: a tuple when there is a comma
  ExprPtr starOrTest();
  ExprPtr test();
  ExprPtr disjunction();
  ExprPtr conjunction();
  ExprPtr inversion();
  ExprPtr comparison();
  ExprPtr binary(int level);
  ExprPtr unary();
  ExprPtr power();
  ExprPtr postfix();
  ExprPtr atom();
  ExprPtr lambda();
  ExprPtr parenthesised();
  ExprPtr listDisplay();
  ExprPtr dictDisplay();
  ExprPtr strings();
  ExprPtr call(ExprPtr callee);
  ExprPtr subscript(ExprPtr object);
  ExprPtr sliceOrTest();
  ExprPtr targetList();
  std::unique_ptr<ComprehensionExpr> comprehension(uint32_t begin, ExprPtr key, ExprPtr element);
  bool formattedBody(FormattedStrExpr &out, uint32_t &at, uint32_t end, bool raw, int level);
  bool formattedField(FormattedStrExpr &out, uint32_t &at, uint32_t end, bool raw, int level);
  ExprPtr nestedExpression(TextRange range);

  SourceRef source_;
  std::vector<Token> tokens_;
  size_t at_ = 0;
  int depth_ = 0;
  int functions_ = 0, loops_ = 0;            // the number of functions and of loops around the present token
  std::vector<std::string> outerNames_;      // names in the innermost function's `nonlocal` and `global`
  std::vector<std::string> innerOuterNames_; // the same names of the functions inside of the innermost function
  std::vector<std::string> named_;           // names that `:=` has bound in the statement so far
  bool nestingReported_ = false;
  Diagnostics diagnostics_;
};

} // namespace lanescope::repl
