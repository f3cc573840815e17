// The meanings of a document's names, for colours that an editor's grammar of Python cannot give.
#include "repl/lsp/Answers.h"
#include "repl/session/CursorContext.h"

namespace lanescope::repl::lsp {

namespace {

TokenType typeOf(const Value &value) {
  if (value.asDtype())
    return TokenType::Type;
  std::string type = value.typeName();
  if (type == "module")
    return TokenType::Namespace;
  if (type == "type")
    return TokenType::Class;
  bool callable = value.asFunction() || value.asBuiltin() || (value.asObject() && value.asObject()->callable());
  return callable ? TokenType::Function : TokenType::Variable;
}

class TokenWalk {
public:
  explicit TokenWalk(const Document &document)
      : document_(document), evaluator_(document.known->session->evaluator()),
        functions_(functionsOf(*document.snippet)) {
    for (const ValueFact &fact : document.values())
      if (!fact.name.empty())
        laidOut_.emplace(functionAt(fact.place.begin), fact.name);
  }

  std::vector<TokenAnswer> all() {
    for (const NameUse &use : document_.names.uses())
      if (use.range.end - use.range.begin ==
          use.name.size()) // leaves out `import a.b`, whose range is longer than the name `a`
        add(use.range, ofUse(use));
    members();
    std::ranges::stable_sort(out_, {}, [](const TokenAnswer &token) { return token.range.begin; });
    auto same = [](const TokenAnswer &a, const TokenAnswer &b) { return a.range.begin == b.range.begin; };
    // Several uses may begin at one place, of which one token remains.
    out_.erase(std::ranges::unique(out_, same).begin(), out_.end());
    return std::move(out_);
  }

private:
  void add(TextRange range, std::optional<TokenAnswer> token) {
    if (!token)
      return;
    token->range = range;
    out_.push_back(*token);
  }

  /// The innermost function around the offset; null: none.
  const FunctionStmt *functionAt(uint32_t offset) const {
    const FunctionStmt *innermost = nullptr; // outer functions come before inner ones
    for (const FunctionStmt *function : functions_)
      if (function->range.begin <= offset && offset <= function->range.end)
        innermost = function;
    return innermost;
  }

  std::optional<TokenAnswer> ofSession(std::string_view name) const {
    const Value *value = evaluator_.lookup(name);
    if (!value)
      return std::nullopt;
    return TokenAnswer{.type = typeOf(*value), .builtin = evaluator_.builtin(name) != nullptr};
  }

  std::optional<TokenAnswer> ofUse(const NameUse &use) const {
    const NameUse *bound = document_.names.definition(use);
    if (!bound)
      return ofSession(use.name);
    TokenAnswer token{.declares = use.binds};
    switch (bound->kind) {
    case NameKind::Variable: token.type = TokenType::Variable; break;
    case NameKind::Parameter: token.type = TokenType::Parameter; break;
    case NameKind::Class: token.type = TokenType::Class; break;
    case NameKind::Function: {
      token.type = TokenType::Function;
      const std::vector<std::string> &kernels = document_.known->kernels;
      token.kernel = std::ranges::find(kernels, use.name) != kernels.end();
      return token;
    }
    }
    const FunctionStmt *function = functionAt(use.range.begin);
    token.kernel = function && laidOut_.contains({function, use.name});
    return token;
  }

  /// Adds the tokens that are not uses of names: members, keyword arguments and the words of imports.
  void members() {
    Lexed lexed = lex(document_.snippet->text);
    Tokens tokens = lexed.tokens;
    bool leads = false; // true if the chain of members began with one of the session's names
    bool imports = false;
    int brackets = 0;
    for (size_t i = 0; i < tokens.size(); ++i) {
      const Token &token = tokens[i];
      brackets += token.is("(") || token.is("[") || token.is("{");
      brackets -= token.is(")") || token.is("]") || token.is("}");
      if (token.kind == TokenKind::Newline || token.is("import") || token.is("from"))
        imports = token.kind != TokenKind::Newline;
      if (token.kind != TokenKind::Name)
        continue;
      bool called = i + 1 < tokens.size() && tokens[i + 1].is("(");
      const NameUse *use = document_.names.at(token.range.begin);
      bool isUse = use && use->range.begin == token.range.begin && use->name == token.text;
      if (imports) {
        if (!isUse || use->range.end != token.range.end)
          add(token.range, TokenAnswer{.type = TokenType::Namespace});
      } else if (i > 0 && tokens[i - 1].is(".")) {
        auto value = leads ? chainValue(evaluator_, tokens.first(i + 1)) : std::nullopt;
        add(token.range, value ? TokenAnswer{.type = typeOf(*value), .builtin = true}
                               : TokenAnswer{.type = called ? TokenType::Method : TokenType::Property});
        leads &= value.has_value();
      } else if (!isUse && brackets > 0 && i + 1 < tokens.size() && tokens[i + 1].is("=")) {
        add(token.range, TokenAnswer{.type = TokenType::Parameter});
      } else {
        const NameUse *bound = isUse ? document_.names.definition(*use) : nullptr;
        leads = !bound || bound->scope == 0;
      }
    }
  }

  const Document &document_;
  Evaluator &evaluator_;
  std::vector<const FunctionStmt *> functions_;
  std::set<std::pair<const FunctionStmt *, std::string>> laidOut_; // variables that hold a value with a layout
  std::vector<TokenAnswer> out_;
};

} // namespace

std::vector<TokenAnswer> semanticTokens(const Document &document, TextRange within) {
  std::vector<TokenAnswer> out = TokenWalk(document).all();
  std::erase_if(out, [&](const TokenAnswer &token) {
    return token.range.end <= within.begin || token.range.begin >= within.end;
  });
  return out;
}

} // namespace lanescope::repl::lsp
