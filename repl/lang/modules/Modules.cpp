#include "repl/lang/modules/Modules.h"

#include "layouts/support/Nearest.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "repl/lang/evaluate/Classes.h"
#include "repl/lang/evaluate/Evaluator.h"
#include "repl/lang/evaluate/ForeignNames.h"
#include "repl/lang/syntax/Parser.h"
#include "repl/lang/values/ArrayOps.h"

#include <algorithm>
#include <map>

namespace lanescope::repl {

static Value ruled(const Value &value, ArrayRules rules, int depth) {
  auto narrowed = [&](Dtype dtype) {
    if (rules != ArrayRules::Jax)
      return dtype;
    switch (dtype) {
    case Dtype::F64: return Dtype::F32;
    case Dtype::I64: return Dtype::I32;
    case Dtype::U64: return Dtype::U32;
    default: return dtype;
    }
  };
  if (const Array *array = value.asArray()) {
    if (value.arrayRules() == rules && narrowed(array->dtype) == array->dtype)
      return value;
    if (narrowed(array->dtype) == array->dtype)
      return Value(*array, rules);
    return Value(*cast(*array, narrowed(array->dtype)), rules);
  }
  if (value.number()) {
    Dtype dtype = value.asBool() ? Dtype::I1 : value.asFloat() ? Dtype::F64 : Dtype::I64;
    Array out = Array::zeros(narrowed(dtype), {});
    setElement(out, 0, value);
    return Value(std::move(out), rules);
  }
  auto all = [&](const std::vector<Value> &items) {
    std::vector<Value> out;
    for (const Value &item : items)
      out.push_back(item.number() ? item : ruled(item, rules, depth + 1));
    return out;
  };
  constexpr int kDeepest = 32;
  if (depth > kDeepest)
    return value;
  if (const auto *items = value.asTuple())
    return Value::tuple(all(*items));
  if (const ListData *list = value.asList())
    return Value::list(all(list->items));
  return value;
}

Value underRules(const Value &value, ArrayRules rules) { return ruled(value, rules, 0); }

namespace {

/// A function of a module that gives arrays of its module's kind.
class ModuleFunction final : public Object {
public:
  ModuleFunction(std::string name, Value target, ArrayRules rules, bool ofFloats)
      : name_(std::move(name)), target_(std::move(target)), rules_(rules), ofFloats_(ofFloats) {}
  std::string typeName() const override { return "function"; }
  std::string repr() const override { return text("<function ", name_, ">"); }
  std::string key() const override { return text("function ", name_); }
  bool callable() const override { return true; }
  Result<Value> call(Context &context, const Arguments &arguments) override {
    Arguments given = arguments;
    for (size_t i = 0; i < given.positional.size(); ++i) {
      Arg &argument = given.positional[i];
      if (takesLists(i) && (argument.value.asList() || argument.value.asTuple()))
        argument.value = LANESCOPE_TRY(asArray(context, argument));
      argument.value = operand(argument.value);
    }
    for (KeywordArg &argument : given.keyword)
      argument.value = operand(argument.value);
    Value out = LANESCOPE_TRY(context.evaluator.call(target_, given, context.span));
    // What the library says with Python's numbers (`ndim`, `allclose`) stays that; in a kernel numbers go with any
    // dtype.
    const bool activation = name_.starts_with("jax.nn.") || name_.starts_with("jax.scipy.");
    bool python = out.asBool() || (out.number() && target_.asFunction() && !activation);
    return python || (context.evaluator.staging() && !out.asArray()) ? out : underRules(out, rules_);
  }
  Result<Value> attribute(Context &context, const std::string &name) override {
    if (name == "__name__")
      return Value(shortName());
    static constexpr std::string_view kOfUfuncs[] = {"reduce", "accumulate", "outer", "at", "reduceat"};
    if (std::ranges::find(kOfUfuncs, name) != std::end(kOfUfuncs)) {
      const Value *module = context.evaluator.builtin(name_.substr(0, name_.rfind('.')));
      if (module && takesLists(1))
        return Value(std::make_shared<BoundMethod>(
            LANESCOPE_TRY(context.evaluator.attribute(*module, text("_ufunc_", name), context.span)),
            Value(shared_from_this())));
    }
    return context.evaluator.attribute(target_, name, context.span);
  }
  std::optional<std::string> help(Context &context) override;

private:
  std::string shortName() const { return name_.substr(name_.rfind('.') + 1); }

  /// Whether a list at that place stands for an array: each operand of NumPy's functions of elements, the first of
  /// those that reduce, move and sort.
  bool takesLists(size_t place) const {
    static constexpr std::string_view kOfElements =
        " abs absolute fabs exp exp2 log log2 log10 log1p expm1 sin cos tan tanh sinh cosh sqrt cbrt square reciprocal "
        "negative positive sign floor ceil trunc rint maximum minimum fmax fmin add subtract multiply divide "
        "true_divide "
        "floor_divide mod remainder fmod power float_power where logical_and logical_or logical_xor logical_not isnan "
        "isinf isfinite bitwise_and bitwise_or bitwise_xor left_shift right_shift invert bitwise_not hypot arctan2 "
        "copysign logaddexp heaviside equal not_equal less less_equal greater greater_equal isclose allclose "
        "nan_to_num clip around round array_equal ";
    static constexpr std::string_view kOfFirst =
        " sum max min amax amin mean any all prod std var median average ptp cumsum cumprod argmax argmin argsort sort "
        "nansum nanmax nanmin nanmean reshape transpose broadcast_to ravel squeeze expand_dims swapaxes moveaxis flip "
        "roll repeat tile take take_along_axis diag tril triu trace outer diff unique searchsorted digitize bincount "
        "histogram percentile quantile count_nonzero nonzero flatnonzero argwhere atleast_1d atleast_2d pad split "
        "array_split norm copy astype interp convolve correlate kron isin unravel_index ";
    if (rules_ != ArrayRules::Numpy)
      return false;
    const std::string word = text(" ", shortName(), " ");
    return kOfElements.find(word) != std::string_view::npos ||
           (place == 0 && kOfFirst.find(word) != std::string_view::npos);
  }
  static Result<Value> asArray(Context &context, const Arg &given) {
    Arguments one;
    one.positional.push_back(given);
    Value function =
        LANESCOPE_TRY(context.evaluator.attribute(*context.evaluator.builtin("numpy"), "asarray", given.span));
    return context.evaluator.call(function, one, given.span);
  }

  Value operand(const Value &value) const {
    const Array *array = value.asArray();
    if (!array)
      return value;
    Value mine = value.arrayRules() == rules_ ? value : underRules(value, rules_);
    if (!ofFloats_ || layouts::isFloat(mine.asArray()->dtype))
      return mine;
    int bits = layouts::bitwidth(mine.asArray()->dtype);
    Dtype wide = rules_ != ArrayRules::Numpy ? Dtype::F32
                 : bits <= 8                 ? Dtype::F16
                 : bits == 16                ? Dtype::F32
                                             : Dtype::F64;
    return Value(*cast(*mine.asArray(), wide), rules_);
  }

  std::string name_;
  Value target_;
  ArrayRules rules_;
  bool ofFloats_;
};

std::string helpOf(const Evaluator &evaluator, const Value &target) {
  if (const BuiltinValue *builtin = target.asBuiltin()) {
    const Builtin *listed = evaluator.findBuiltin(builtin->name);
    bool same = listed && listed->signature == builtin->signatureText;
    return text(builtin->signatureText, "\n\n", builtin->doc, "\n", same ? "\n" + whereItWorks(*listed) + "\n" : "");
  }
  if (const Function *function = target.asFunction()) {
    auto range = function->syntax->range;
    std::string_view source = function->module->source->text();
    std::string_view header = source.substr(range.begin, source.find('\n', range.begin) - range.begin);
    if (header.starts_with("def "))
      header.remove_prefix(4);
    if (header.ends_with(':'))
      header.remove_suffix(1);
    return text(header, function->syntax->doc.empty() ? "" : "\n\n", function->syntax->doc, "\n");
  }
  return text(repr(target), "\n");
}

std::optional<std::string> ModuleFunction::help(Context &context) {
  return text(name_, " is ", helpOf(context.evaluator, target_));
}

class ModuleValue final : public Object {
public:
  explicit ModuleValue(ModuleSpec spec) : spec_(std::move(spec)) {}
  ModuleSpec &spec() { return spec_; }

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
    std::string ours = name;
    for (const Spellings &group : spec_.spellings)
      if (auto target = targetOf(group, name)) {
        if (const Value *builtin = context.evaluator.builtin(*target))
          return wrapped(name, *builtin, group.ofFloats);
        ours = *target;
      }
    auto library = LANESCOPE_TRY(scope(context));
    if (auto found = library->names.find(ours); ours != name && found != library->names.end())
      return wrapped(name, found->second, false);
    for (bool last : {false, true}) {
      if (auto found = library->names.find(name);
          found != library->names.end() &&
          (!name.starts_with('_') || name.starts_with("_ufunc_") || name.starts_with("__")))
        return wrapped(name, found->second, false);
      std::shared_ptr<Scope> &read = context.evaluator.libraryScope(spec_.path + ".more");
      if (last || !spec_.more || read)
        break;
      LANESCOPE_CHECK(readInto(context, library, spec_.path + ".more", spec_.more));
      read = library;
    }
    return missing(context, name);
  }

  std::vector<std::string> members() const override {
    std::vector<std::string> out;
    for (const Spellings &group : spec_.spellings)
      forEach(group, [&](std::string_view name, std::string_view) { out.emplace_back(name); });
    for (const Builtin &native : spec_.natives)
      if (!native.name.starts_with('_'))
        out.push_back(native.name);
    for (const char *part : {spec_.text, spec_.more}) {
      if (!part)
        continue;
      Parsed parsed = parse(Source::make(spec_.path, part));
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
  template <typename Visit> static void forEach(const Spellings &group, Visit visit) {
    std::string_view rest = group.names;
    while (!rest.empty()) {
      size_t end = std::min(rest.find(' '), rest.size());
      std::string_view word = rest.substr(0, end);
      rest.remove_prefix(std::min(end + 1, rest.size()));
      if (word.empty())
        continue;
      size_t equals = word.find('=');
      visit(word.substr(0, equals), equals == std::string_view::npos ? word : word.substr(equals + 1));
    }
  }
  static std::optional<std::string> targetOf(const Spellings &group, std::string_view wanted) {
    std::optional<std::string> out;
    forEach(group, [&](std::string_view name, std::string_view target) {
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

  Value wrapped(const std::string &name, const Value &value, bool ofFloats) const {
    if (const layouts::Dtype *dtype = value.asDtype(); dtype && spec_.rules)
      return Value(*dtype, *spec_.rules, true);
    bool function = value.asFunction() || value.asBuiltin();
    if (!spec_.rules || !function || value.as<ModuleFunction>())
      return value;
    return Value(std::make_shared<ModuleFunction>(text(spec_.path, ".", name), value, *spec_.rules, ofFloats));
  }

  static Result<void> readInto(Context &context, const std::shared_ptr<Scope> &scope, const std::string &name,
                               const char *code) {
    Parsed parsed = parse(Source::make(text(name, ".py"), code));
    if (hasErrors(parsed.diagnostics))
      return std::unexpected(std::move(parsed.diagnostics));
    context.evaluator.addLibrary(parsed.module->source);
    return context.evaluator.runIn(parsed.module, scope);
  }

  /// Natives and what the text defines, for this evaluator.
  Result<std::shared_ptr<Scope>> scope(Context &context) {
    std::shared_ptr<Scope> &library = context.evaluator.libraryScope(spec_.path);
    if (library)
      return library;
    auto made = std::make_shared<Scope>();
    for (const Builtin &native : spec_.natives)
      made->names.insert_or_assign(native.name, native.call ? BuiltinValue::make(native) : native.constant);
    if (spec_.text)
      LANESCOPE_CHECK(readInto(context, made, spec_.path, spec_.text));
    context.evaluator.libraryScope(spec_.path) = made;
    return made;
  }

  std::unexpected<Diagnostics> missing(const Context &context, const std::string &name) const {
    if (std::string_view here = foreignName(name); !here.empty())
      return context.fail("no-attribute", text("`", spec_.path, "` has no `", name, "` here; ", here));
    std::vector<std::string> known = members();
    for (const Builtin &builtin : context.evaluator.builtins())
      if (builtin.name.starts_with(spec_.path + "."))
        known.push_back(builtin.name.substr(spec_.path.size() + 1));
    std::string near(layouts::nearest(name, known));
    return context.fail("no-attribute", text("`", spec_.path, "` has no `", name, "` here",
                                             near.empty() ? std::string() : text("; did you mean `", near, "`?")));
  }

  ModuleSpec spec_;
};

} // namespace

Builtins moduleBuiltins(std::vector<ModuleSpec> specs) {
  std::map<std::string, std::shared_ptr<ModuleValue>> modules;
  Builtins out;
  for (ModuleSpec &spec : specs) {
    if (auto known = modules.find(spec.path); known != modules.end()) { // one room's part of a module of several
      ModuleSpec &whole = known->second->spec();
      whole.spellings.insert(whole.spellings.end(), spec.spellings.begin(), spec.spellings.end());
      whole.natives.insert(whole.natives.end(), std::make_move_iterator(spec.natives.begin()),
                           std::make_move_iterator(spec.natives.end()));
      continue;
    }
    std::string path = spec.path, doc = spec.doc;
    auto module = std::make_shared<ModuleValue>(std::move(spec));
    modules.emplace(path, module);
    out.push_back({.name = path, .doc = doc, .constant = Value(std::move(module)), .group = "modules"});
  }
  return out;
}

} // namespace lanescope::repl
