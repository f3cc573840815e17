#include "repl/lang/prefixes/Prefixes.h"

#include "layouts/support/Nearest.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "repl/lang/evaluate/Evaluator.h"
#include "repl/lang/evaluate/ForeignNames.h"
#include "repl/lang/syntax/Parser.h"

#include <algorithm>

namespace lanescope::repl {
namespace {

class PrefixValue final : public Object {
public:
  explicit PrefixValue(PrefixSpec spec) : spec_(std::move(spec)) {}

  std::string typeName() const override { return "module"; }
  std::string repr() const override { return text("<module '", spec_.path, "'>"); }
  std::string key() const override { return text("module ", spec_.path); }
  bool callable() const override { return !spec_.callable.empty(); }
  Result<Value> call(Context &context, const Arguments &arguments) override {
    auto library = LANESCOPE_TRY(scope(context));
    return context.evaluator.call(library->names.find(spec_.callable)->second, arguments, context.span);
  }

  Result<Value> attribute(Context &context, const std::string &name) override {
    if (name == "__name__")
      return Value(spec_.path);
    if (const Value *part = context.evaluator.builtin(text(spec_.path, ".", name)))
      return *part;
    const std::string ours = targetOf(name);
    if (const Value *builtin = ours.empty() ? nullptr : context.evaluator.builtin(ours))
      return *builtin;
    auto library = LANESCOPE_TRY(scope(context));
    if (auto found = library->names.find(name); found != library->names.end() && !name.starts_with('_'))
      return found->second;
    return missing(context, name);
  }

  std::vector<std::string> members() const override {
    std::vector<std::string> out;
    forEach([&](std::string_view name, std::string_view) { out.emplace_back(name); });
    for (const Builtin &native : spec_.natives)
      if (!native.name.starts_with('_'))
        out.push_back(native.name);
    if (spec_.text) {
      Parsed parsed = parse(Source::make(spec_.path, spec_.text));
      for (const StmtPtr &statement : parsed.module->body)
        for (std::string &name : boundBy(*statement))
          if (!name.starts_with('_'))
            out.push_back(std::move(name));
    }
    std::ranges::sort(out);
    out.erase(std::ranges::unique(out).begin(), out.end());
    return out;
  }

  std::optional<std::string> help(Context &context) override {
    std::string out = text(spec_.path, "\n\n", spec_.doc, "\n");
    const Value *called = callable() ? context.evaluator.builtin(spec_.callable) : nullptr;
    if (called)
      if (const BuiltinValue *builtin = called->asBuiltin())
        out = text(spec_.path, " is ", builtin->signatureText, "\n\n", builtin->doc, "\n");
    std::string line;
    for (const std::string &name : members()) {
      if (!line.empty() && line.size() + name.size() + 3 > 100) {
        out += "\n  " + line;
        line.clear();
      }
      line += (line.empty() ? "" : "  ") + name;
    }
    return line.empty() ? out : text(out, "\n  ", line, "\n");
  }

private:
  template <typename Visit> void forEach(Visit visit) const {
    std::string_view rest = spec_.spellings;
    while (!rest.empty()) {
      size_t end = std::min(rest.find(' '), rest.size());
      std::string_view word = rest.substr(0, end);
      rest.remove_prefix(std::min(end + 1, rest.size()));
      size_t equals = word.find('=');
      if (!word.empty())
        visit(word.substr(0, equals), equals == std::string_view::npos ? word : word.substr(equals + 1));
    }
  }
  /// The builtin for which a name is a spelling; empty if the name is no spelling.
  std::string targetOf(std::string_view wanted) const {
    std::string out;
    forEach([&](std::string_view name, std::string_view target) {
      if (name == wanted)
        out = std::string(target);
    });
    return out;
  }
  static std::vector<std::string> boundBy(const Stmt &statement) {
    if (const auto *def = as<FunctionStmt>(&statement))
      return {def->function.name};
    std::vector<std::string> names;
    if (const auto *assign = as<AssignStmt>(&statement))
      for (const ExprPtr &target : assign->targets)
        boundNames(*target, names);
    if (const auto *type = as<ClassStmt>(&statement))
      names.push_back(type->name);
    return names;
  }

  /// The scope with the natives and the definitions of the text, for this evaluator.
  Result<std::shared_ptr<Scope>> scope(Context &context) {
    std::shared_ptr<Scope> &library = context.evaluator.libraryScope(spec_.path);
    if (library)
      return library;
    auto made = std::make_shared<Scope>();
    for (const Builtin &native : spec_.natives)
      made->names.insert_or_assign(native.name, native.call ? BuiltinValue::make(native) : native.constant);
    if (spec_.text) {
      Parsed parsed = parse(Source::make(text(spec_.path, ".py"), spec_.text));
      if (hasErrors(parsed.diagnostics))
        return std::unexpected(std::move(parsed.diagnostics));
      context.evaluator.addLibrary(parsed.module->source);
      LANESCOPE_CHECK(context.evaluator.runIn(parsed.module, made));
    }
    context.evaluator.libraryScope(spec_.path) = made;
    return made;
  }

  std::unexpected<Diagnostics> missing(const Context &context, const std::string &name) const {
    if (std::string_view here = foreignName(name); !here.empty())
      return context.fail("no-attribute", Message("`{prefix}` has no `{attribute}` here; {}", spec_.path, name, here));
    std::vector<std::string> known = members();
    for (const Builtin &builtin : context.evaluator.builtins())
      if (builtin.name.starts_with(spec_.path + "."))
        known.push_back(builtin.name.substr(spec_.path.size() + 1));
    std::string near(layouts::nearest(name, known));
    return context.fail("no-attribute",
                        Message("`{prefix}` has no `{attribute}` here{}", spec_.path, name,
                                near.empty() ? "; `lanescope run FILE` runs a file with imports in Python, "
                                               "which has all of it"
                                             : layouts::didYouMean(near))
                            .with("nearest", near));
  }

  PrefixSpec spec_;
};

} // namespace

Builtins prefixBuiltins(std::vector<PrefixSpec> specs) {
  Builtins out;
  for (PrefixSpec &spec : specs) {
    const std::string path = spec.path, alias = spec.alias, doc = spec.doc;
    const Value prefix(std::make_shared<PrefixValue>(std::move(spec)));
    out.push_back({.name = path, .doc = doc, .constant = prefix, .group = alias == path ? "prefixes" : "modules"});
    if (!alias.empty() && alias != path)
      out.push_back({.name = alias, .doc = doc, .constant = prefix, .group = "prefixes"});
  }
  return out;
}

} // namespace lanescope::repl
