// help(): describes a name with the docstrings in the tables.
#include "layouts/support/Try.h"
#include "repl/lang/builtins/Builtins.h"
#include "repl/lang/evaluate/Evaluator.h"
#include "repl/lang/evaluate/Methods.h"
#include "repl/lang/syntax/Lexer.h"

#include "layouts/support/Text.h"

#include <algorithm>

namespace lanescope::repl {

namespace {

/// Frequent tasks, one per line. `help()` begins with them.
constexpr std::string_view kTasks =
    R"help(help(name) describes one name, and whether it is for the host, for kernels, or
for both. Tab completes names and members. Ten things to begin with:

  who holds an element  owners(WGMMA, (64, 8), (9, 2))
  draw a layout         show(WGMMA, (64, 16))
  read another tool's   layout("((4,8),(2,2)):((32,1),(16,8))")
  where two differ      diff(WGMMA, WGMMA_TRANSPOSED, (64, 64))
  what a change costs   relayout(WGMMA, WGMMA_TRANSPOSED, (64, 64), f16)
  bank conflicts        conflicts("ldmatrix.x4", WGMMA, smem_map((64, 64), f16))
  global memory         coalescing(WGMMA, dtype=f16, shape=(64, 64))
  how an index maps     explain(WGMMA, (64, 64), (9, 2))
  run a file's kernels  run("samples/kernels/double.py")
  step by step          help(debug)
)help";

/// The names in indented lines of at most `width` columns.
std::string wrapped(const std::vector<std::string> &names, int width = 100) {
  std::string out, line;
  for (const std::string &name : names) {
    if (!line.empty() && line.size() + name.size() + 4 > static_cast<size_t>(width)) {
      out += "  " + line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : "  ") + name;
  }
  return line.empty() ? out : out + "  " + line + "\n";
}

std::string signatureOf(const FunctionSyntax &syntax, const Source &source) {
  std::vector<std::string> parts;
  bool keywordOnly = false;
  for (const Parameter &parameter : syntax.parameters) {
    static constexpr std::string_view kPrefixes[] = {"", "", "*", "**"};
    if (parameter.form == Parameter::Form::KeywordOnly && !keywordOnly)
      parts.emplace_back("*");
    keywordOnly |= parameter.form == Parameter::Form::KeywordOnly || parameter.form == Parameter::Form::Rest;
    std::string part(kPrefixes[static_cast<size_t>(parameter.form)]);
    part += parameter.name;
    auto written = [&](const Expr &expression) {
      return source.text().substr(expression.range.begin, expression.range.end - expression.range.begin);
    };
    if (parameter.annotation)
      part += ": " + written(*parameter.annotation);
    if (parameter.defaultValue)
      part += "=" + written(*parameter.defaultValue);
    parts.push_back(std::move(part));
  }
  return text(syntax.name, "(", joined(parts, ", "), ")");
}

} // namespace

std::string signatureText(const Value &callable) {
  if (const BuiltinValue *builtin = callable.asBuiltin())
    return builtin->signatureText;
  const Function *function = callable.asFunction();
  return function ? signatureOf(*function->syntax, *function->module->source) : std::string();
}

std::string helpOverview(const Evaluator &evaluator, int width) {
  std::vector<std::string> groups;
  std::map<std::string, std::vector<std::string>> names;
  for (const Builtin &builtin : evaluator.builtins()) {
    // The builtin has been replaced, or is the path of a prefix.
    if (evaluator.findBuiltin(builtin.name) != &builtin || builtin.group == "modules")
      continue;
    if (!names.contains(builtin.group))
      groups.push_back(builtin.group);
    names[builtin.group].push_back(builtin.name);
  }
  std::string out(kTasks);
  for (const std::string &group : groups)
    out += "\n" + group + "\n" + wrapped(names[group], width);
  out += "\nkeywords\n" + wrapped(languageKeywords(), width);
  return out;
}

std::string helpText(const Evaluator &evaluator, const Value &value, std::string_view name) {
  if (const BuiltinValue *builtin = value.asBuiltin()) {
    const Builtin *listed = builtin->self ? nullptr : evaluator.findBuiltin(builtin->name);
    bool same = listed && listed->signature == builtin->signatureText;
    return text(signatureText(value), "\n\n", builtin->doc, "\n", same ? "\n" + whereItWorks(*listed) + "\n" : "");
  }
  if (const Function *function = value.asFunction()) {
    std::string doc = function->syntax->doc;
    return text(signatureText(value), doc.empty() ? "" : "\n\n", doc, "\n");
  }
  std::string out;
  // A constant of the table, such as a dtype or a named layout, has its own description.
  for (const Builtin &builtin : evaluator.builtins())
    if (!builtin.call && (builtin.name == name || (name.empty() && equal(builtin.constant, value)))) {
      out = text(builtin.name, "\n\n", builtin.doc, "\n");
      break;
    }
  std::string shown = repr(value);
  if (shown.size() > 300)
    shown = shown.substr(0, 300) + "...";
  out += text(out.empty() ? "" : "\n", value.typeName(), ": ", shown, "\n");
  std::vector<std::string> known = members(value);
  if (!known.empty())
    out += "\nmembers\n" + wrapped(known);
  return out;
}

Builtins helpBuiltins(std::function<int()> width) {
  Builtins out = {{"help", "help(x=None, *, picture=True)",
                   "Describes a name and its use, and draws a layout; without a name, lists all names.\n\n"
                   "As help(random), help(WGMMA), help(\"\".join), or help(\"random\").",
                   [width](Context &context, const BoundArguments &args) -> Result<Value> {
                     Evaluator &evaluator = context.evaluator;
                     if (!args.has(0)) {
                       evaluator.print(helpOverview(evaluator, width ? width() : 100));
                       return Value();
                     }
                     const Value *value = &args[0].value;
                     std::string name;
                     // A str with the name of a builtin is a question about that builtin.
                     if (const std::string *asked = value->asStr())
                       if (const Value *named = evaluator.lookup(*asked)) {
                         name = *asked;
                         value = named;
                       }
                     // The name under which the user wrote the argument, if it is a plain name.
                     if (const Span &span = args[0].span; name.empty() && span.source)
                       name = span.source->text().substr(span.begin, span.end - span.begin);
                     if (Object *object = value->asObject())
                       if (auto words = object->help(context)) { // modules and their functions have texts of their own
                         evaluator.print(*words);
                         return Value();
                       }
                     evaluator.print(helpText(evaluator, *value, name));
                     // The function exists only if the session can show pictures.
                     const Value *show = evaluator.builtin("show");
                     if (show && value->asLayout() && LANESCOPE_TRY(args.booleanOr(1, true)))
                       LANESCOPE_CHECK(evaluator.call(*show, {{{*value, args[0].span}}, {}}, args.call));
                     return Value();
                   }}};
  out.front().group = "session";
  return out;
}

} // namespace lanescope::repl
