// Answers while the user types: completion and signatures.
#include "repl/lang/builtins/Builtins.h"
#include "repl/lsp/Answers.h"
#include "repl/lsp/KernelWords.h"
#include "repl/session/Completion.h"
#include "repl/session/CursorContext.h"

namespace lanescope::repl::lsp {

namespace {

constexpr size_t kMostExplained = 100; // candidates that get their help; if there are more, the user will type on

std::string firstParagraph(std::string_view doc) { return std::string(doc.substr(0, doc.find("\n\n"))); }

CandidateKind kindOf(const std::string &candidate, bool member, const Value *value) {
  if (candidate.ends_with('='))
    return CandidateKind::Argument;
  if (member)
    return CandidateKind::Member;
  if (candidate.ends_with('('))
    return CandidateKind::Function;
  if (!value && isKeyword(candidate))
    return CandidateKind::Keyword;
  return value && value->typeName() == "module" ? CandidateKind::Module : CandidateKind::Variable;
}

std::string docOf(const Value &callee) {
  if (const BuiltinValue *builtin = callee.asBuiltin())
    return builtin->doc;
  const Function *function = callee.asFunction();
  return function ? function->syntax->doc : std::string();
}

/// The signature and the help of a callee. If the callee is a module's function, its help begins with the signature:
/// "jax.numpy.exp is exp(x)", then a blank line.
CalleeWords wordsOf(Evaluator &evaluator, const Value &callee) {
  if (std::string label = signatureText(callee); !label.empty())
    return {std::move(label), docOf(callee)};
  Context context{evaluator, {}};
  auto help = callee.asObject() ? callee.asObject()->help(context) : std::nullopt;
  if (!help)
    return {};
  size_t line = std::min(help->find('\n'), help->size());
  std::string label = help->substr(0, line);
  if (size_t is = label.find(" is "); is != label.npos)
    label.erase(0, is + 4);
  return {label.find('(') == label.npos ? std::string() : label,
          help->substr(std::min(help->find_first_not_of('\n', line), help->size()))};
}

/// The header of a definition from its name on: "scale(x: GMEM((64,), f32), out: Out((64,), f32))".
std::string headerAt(std::string_view code, size_t begin) {
  int depth = 0;
  for (size_t at = begin; at < code.size(); ++at) {
    depth += code[at] == '(' ? 1 : code[at] == ')' ? -1 : 0;
    if (depth == 0 && code[at] == ')')
      return std::string(code.substr(begin, at + 1 - begin));
  }
  return {};
}

/// The words for a kernel, which is called with the parameters of its function.
CalleeWords kernelWords(const Document &document, const Value &callee) {
  const Kernel *kernel = callee.as<Kernel>();
  const Snippet &snippet = *document.known->snippet;
  if (kernel && kernel->span().source == snippet.code)
    for (const FunctionStmt *function : functionsOf(snippet))
      if (function->function.nameRange.begin == kernel->span().begin)
        return {headerAt(snippet.code->text(), kernel->span().begin), function->function.doc};
  return {};
}

/// The ranges of the parameters between the outermost brackets of a label.
std::vector<TextRange> parametersOf(std::string_view label) {
  std::vector<TextRange> out;
  size_t open = label.find('(');
  if (open == label.npos)
    return out;
  int depth = 0;
  size_t begin = open + 1;
  auto close = [&](size_t end) {
    size_t from = std::min(label.find_first_not_of(" \n", begin), end);
    if (from < end)
      out.push_back({static_cast<uint32_t>(from), static_cast<uint32_t>(end)});
    begin = end + 1;
  };
  for (size_t at = open + 1; at < label.size(); ++at) {
    char c = label[at];
    if (depth == 0 && (c == ',' || c == ')'))
      close(at);
    if (depth == 0 && c == ')')
      break;
    depth += c == '(' || c == '[' || c == '{' ? 1 : c == ')' || c == ']' || c == '}' ? -1 : 0;
  }
  return out;
}

/// The parameter that the argument at the cursor fills. A keyword names it; otherwise the position counts, and `*rest`
/// takes all remaining arguments.
std::optional<size_t> activeOf(const SignatureAnswer &answer, const OpenCall &call) {
  size_t position = 0;
  for (size_t i = 0; i < answer.parameters.size(); ++i) {
    auto [begin, end] = answer.parameters[i];
    std::string_view parameter = std::string_view(answer.label).substr(begin, end - begin);
    std::string_view name = parameter.substr(0, parameter.find_first_of(":= "));
    if (!call.keyword.empty()) {
      if (name == call.keyword || name.starts_with("**"))
        return i;
      continue;
    }
    if (name == "*" || name.starts_with("**"))
      return std::nullopt;
    if (position++ == call.positional || name.starts_with('*'))
      return i;
  }
  return std::nullopt;
}

} // namespace

CompletionAnswer completion(const Document &document, uint32_t offset) {
  Evaluator &evaluator = document.known->session->evaluator();
  const std::string &code = document.text().text();
  Completion found = complete(evaluator, code, offset);
  CompletionAnswer out{.from = static_cast<uint32_t>(found.from), .candidates = {}};
  bool member = found.from > 0 && code[found.from - 1] == '.';
  for (std::string &name : found.candidates) {
    std::string bare = name.substr(0, name.find_first_of("(="));
    const Value *value = member || name.ends_with('=') ? nullptr : evaluator.lookup(bare);
    Candidate candidate{.name = name, .kind = kindOf(name, member, value), .detail = {}, .doc = {}};
    if (value && out.candidates.size() < kMostExplained) {
      candidate.detail = signatureText(*value);
      candidate.doc = firstParagraph(docOf(*value));
    }
    out.candidates.push_back(std::move(candidate));
  }
  return out;
}

std::optional<SignatureAnswer> signature(const Document &document, uint32_t offset) {
  Evaluator &evaluator = document.known->session->evaluator();
  Lexed lexed = lex(Source::make("<signature>", document.text().text().substr(0, offset)));
  std::vector<Token> &tokens = lexed.tokens;
  while (!tokens.empty() && (tokens.back().kind == TokenKind::End || tokens.back().kind == TokenKind::Dedent ||
                             tokens.back().kind == TokenKind::Newline))
    tokens.pop_back();
  if (tokens.empty())
    return std::nullopt;
  auto call = openCall(tokens);
  if (!call)
    return std::nullopt;
  bool bare = call->bracket < 2 || !tokens[call->bracket - 2].is(".");
  auto inKernel = bare ? kernelFunctionAt(document, offset, tokens[call->bracket - 1].text) : std::nullopt;
  auto callee = chainValue(evaluator, Tokens(tokens).first(call->bracket));
  if (!callee && !inKernel)
    return std::nullopt;
  CalleeWords words = inKernel ? *inKernel : kernelWords(document, *callee);
  if (words.label.empty())
    words = wordsOf(evaluator, *callee);
  if (words.label.empty())
    return std::nullopt;
  SignatureAnswer out{.label = words.label, .doc = words.doc, .parameters = parametersOf(words.label), .active = {}};
  out.active = activeOf(out, *call);
  return out;
}

} // namespace lanescope::repl::lsp
