// Modules of Python: what is native of them. The rest is in the language (python/*.py).
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "repl/lang/evaluate/Classes.h"
#include "repl/lang/evaluate/Enums.h"
#include "repl/lang/evaluate/Exceptions.h"
#include "repl/lang/evaluate/Generators.h"
#include "repl/lang/evaluate/Iterators.h"
#include "repl/lang/modules/Libraries.h"
#include "repl/lang/modules/Modules.h"
#include "repl/lang/values/ArrayOps.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>

namespace lanescope::repl {
namespace {

using C = Context;
using A = BoundArguments;
using R = Result<Value>;

//===------------------------------------ math --------------------------------------------------------------------===//

Builtin ofNumber(std::string name, double (*function)(double)) {
  return {.name = name, .signature = name + "(x)", .doc = "As Python's.", .call = [function](C &, const A &args) -> R {
            double x = LANESCOPE_TRY(args.number(0)), y = function(x);
            if (std::isnan(y) && !std::isnan(x))
              return args.wrongValue(0, text(floatText(x), " is outside of where the function is defined"));
            return Value(y);
          }};
}

Builtin rounded(std::string name, double (*function)(double)) {
  return {.name = name,
          .signature = name + "(x)",
          .doc = "As Python's: an int.",
          .call = [function](C &, const A &args) -> R {
            if (auto n = args[0].value.plain().integer())
              return Value(*n);
            double y = function(LANESCOPE_TRY(args.number(0)));
            if (!(std::abs(y) < 9.2e18))
              return args.wrongValue(0, "the result does not fit in 64 bits");
            return Value(static_cast<int64_t>(y));
          }};
}

Builtin test(std::string name, bool (*holds)(double)) {
  return {.name = name, .signature = name + "(x)", .doc = "As Python's.", .call = [holds](C &, const A &args) -> R {
            return Value(holds(LANESCOPE_TRY(args.number(0))));
          }};
}

R logarithm(C &, const A &args) {
  double x = LANESCOPE_TRY(args.number(0));
  if (!(x > 0))
    return args.wrongValue(0, "a logarithm is of a number above 0");
  return Value(args.has(1) ? std::log(x) / std::log(LANESCOPE_TRY(args.number(1))) : std::log(x));
}

R productOf(C &context, const A &args) {
  Arg total{args.has(1) ? args[1].value : Value(1), args.call};
  for (Value &item : LANESCOPE_TRY(context.evaluator.iterate(args[0].value, args[0].span)))
    total.value =
        LANESCOPE_TRY(context.evaluator.binary(BinaryOp::Multiply, total, {std::move(item), args[0].span}, args.call));
  return total.value;
}

template <int64_t (*combine)(int64_t, int64_t)> R overInts(C &, const A &args) {
  int64_t out = 0;
  bool first = true;
  for (const Arg &item : args.rest()) {
    auto n = item.value.plain().integer();
    if (!n)
      return error("type", item.span, text("an int is needed, not `", item.value.typeName(), "`"));
    out = first ? std::abs(*n) : combine(out, *n);
    first = false;
  }
  return Value(out);
}

R isClose(C &, const A &args) {
  double a = LANESCOPE_TRY(args.number(0)), b = LANESCOPE_TRY(args.number(1));
  double relative = LANESCOPE_TRY(args.numberOr(2, 1e-9)), absolute = LANESCOPE_TRY(args.numberOr(3, 0));
  return Value(a == b || std::abs(a - b) <= std::max(relative * std::max(std::abs(a), std::abs(b)), absolute));
}

Builtins mathNatives() {
  Builtins out = {
      ofNumber("sqrt", std::sqrt),
      ofNumber("exp", std::exp),
      ofNumber("exp2", std::exp2),
      ofNumber("expm1", std::expm1),
      ofNumber("log2", std::log2),
      ofNumber("log10", std::log10),
      ofNumber("log1p", std::log1p),
      ofNumber("sin", std::sin),
      ofNumber("cos", std::cos),
      ofNumber("tan", std::tan),
      ofNumber("asin", std::asin),
      ofNumber("acos", std::acos),
      ofNumber("atan", std::atan),
      ofNumber("sinh", std::sinh),
      ofNumber("cosh", std::cosh),
      ofNumber("tanh", std::tanh),
      ofNumber("erf", std::erf),
      ofNumber("erfc", std::erfc),
      ofNumber("gamma", std::tgamma),
      ofNumber("lgamma", std::lgamma),
      ofNumber("fabs", std::fabs),
      ofNumber("radians", [](double x) { return x * std::numbers::pi / 180; }),
      ofNumber("degrees", [](double x) { return x * 180 / std::numbers::pi; }),
      rounded("ceil", std::ceil),
      rounded("floor", std::floor),
      rounded("trunc", std::trunc),
      test("isnan", [](double x) { return std::isnan(x); }),
      test("isinf", [](double x) { return std::isinf(x); }),
      test("isfinite", [](double x) { return std::isfinite(x); }),
      {"log", "log(x, base=None)", "The logarithm, natural or to `base`.", logarithm},
      {"prod", "prod(items, *, start=1)", "The product of the items.", productOf},
      {"gcd", "gcd(*ints)", "The greatest common divisor.", overInts<std::gcd<int64_t, int64_t>>},
      {"lcm", "lcm(*ints)", "The least common multiple.", overInts<std::lcm<int64_t, int64_t>>},
      {"isclose", "isclose(a, b, *, rel_tol=1e-09, abs_tol=0.0)", "Whether two numbers are close.", isClose},
      {"pow", "pow(x, y)", "x to the power of y, a float.",
       [](C &, const A &args) -> R {
         return Value(std::pow(LANESCOPE_TRY(args.number(0)), LANESCOPE_TRY(args.number(1))));
       }},
      {"atan2", "atan2(y, x)", "The angle of the point (x, y).",
       [](C &, const A &args) -> R {
         return Value(std::atan2(LANESCOPE_TRY(args.number(0)), LANESCOPE_TRY(args.number(1))));
       }},
      {"copysign", "copysign(x, y)", "x with the sign of y.",
       [](C &, const A &args) -> R {
         return Value(std::copysign(LANESCOPE_TRY(args.number(0)), LANESCOPE_TRY(args.number(1))));
       }},
      {"fmod", "fmod(x, y)", "The remainder with the sign of x.",
       [](C &, const A &args) -> R {
         return Value(std::fmod(LANESCOPE_TRY(args.number(0)), LANESCOPE_TRY(args.number(1))));
       }},
      {"hypot", "hypot(x, y)", "The length of (x, y).",
       [](C &, const A &args) -> R {
         return Value(std::hypot(LANESCOPE_TRY(args.number(0)), LANESCOPE_TRY(args.number(1))));
       }},
      {"isqrt", "isqrt(n)", "The root of an int, rounded down.",
       [](C &, const A &args) -> R {
         int64_t n = LANESCOPE_TRY(args.integer(0));
         if (n < 0)
           return args.wrongValue(0, "a root is of a number that is not negative");
         auto root = static_cast<int64_t>(std::sqrt(static_cast<double>(n)));
         for (; root > 0 && root > n / root; --root)
           ;
         for (; (root + 1) <= n / (root + 1); ++root)
           ;
         return Value(root);
       }},
      {.name = "pi", .doc = "", .constant = Value(std::numbers::pi)},
      {.name = "e", .doc = "", .constant = Value(std::numbers::e)},
      {.name = "tau", .doc = "", .constant = Value(2 * std::numbers::pi)},
      {.name = "inf", .doc = "", .constant = Value(HUGE_VAL)},
      {.name = "nan", .doc = "", .constant = Value(std::nan(""))},
  };
  return out;
}

//===------------------------------------ functools ---------------------------------------------------------------===//

/// `functools.partial(f, a, k=v)`
class Partial final : public Object {
public:
  Partial(Value function, Arguments given) : function_(std::move(function)), given_(std::move(given)) {}
  std::string typeName() const override { return "functools.partial"; }
  bool callable() const override { return true; }
  Result<Value> call(Context &context, const Arguments &arguments) override {
    Arguments all = given_;
    all.positional.insert(all.positional.end(), arguments.positional.begin(), arguments.positional.end());
    for (const KeywordArg &keyword : arguments.keyword) {
      auto known = std::ranges::find(all.keyword, keyword.name, &KeywordArg::name);
      if (known == all.keyword.end())
        all.keyword.push_back(keyword);
      else
        *known = keyword; // the later one counts
    }
    return context.evaluator.call(function_, all, context.span);
  }
  Result<Value> attribute(Context &context, const std::string &name) override {
    if (name == "func")
      return function_;
    if (name == "args") {
      std::vector<Value> out;
      for (const Arg &argument : given_.positional)
        out.push_back(argument.value);
      return Value::tuple(std::move(out));
    }
    if (name == "keywords") {
      DictData out;
      for (const KeywordArg &keyword : given_.keyword)
        out.set(Value(keyword.name), keyword.value);
      return Value::dict(std::move(out));
    }
    return Object::attribute(context, name);
  }
  std::vector<std::string> members() const override { return {"args", "func", "keywords"}; }

private:
  Value function_;
  Arguments given_;
};

R partial(C &, const A &args) {
  if (args.rest().empty())
    return error("arguments", args.call, "`partial` takes a function first");
  Arguments given;
  given.positional.assign(args.rest().begin() + 1, args.rest().end());
  given.keyword = args.keywords();
  const Value &function = args.rest().front().value;
  if (!function.asFunction() && !function.asBuiltin() && !(function.asObject() && function.asObject()->callable()))
    return error("type", args.rest().front().span, text("`partial` takes a function, not `", function.typeName(), "`"));
  return Value(std::make_shared<Partial>(function, std::move(given)));
}

/// `functools.lru_cache`: a function that keeps what it gave for arguments that may be a dict's keys.
class Remembering final : public Object {
public:
  Remembering(Value function, int64_t most) : function_(std::move(function)), most_(most) {}
  std::string typeName() const override { return "function"; }
  bool callable() const override { return true; }
  Result<Value> call(Context &context, const Arguments &arguments) override {
    std::string key;
    auto add = [&](const Value &value) {
      auto part = hashKey(value);
      key += part ? text(*part, value.asFloat() ? "f" : "", ",") : std::string();
      return part.has_value();
    };
    for (const Arg &argument : arguments.positional)
      if (!add(argument.value))
        return unhashable(argument.span, argument.value);
    for (const KeywordArg &argument : arguments.keyword) {
      key += text(argument.name, "=");
      if (!add(argument.value))
        return unhashable(argument.span, argument.value);
    }
    if (context.evaluator.staging()) // what a trace made is of that trace
      return context.evaluator.call(function_, arguments, context.span);
    if (auto found = known_.find(key); found != known_.end()) {
      ++hits_;
      return found->second;
    }
    Value made = LANESCOPE_TRY(context.evaluator.call(function_, arguments, context.span));
    ++misses_;
    if (most_ >= 0 && static_cast<int64_t>(known_.size()) >= most_)
      known_.clear();
    if (most_ != 0)
      known_.emplace(std::move(key), made);
    return made;
  }
  Result<Value> attribute(Context &context, const std::string &name) override {
    if (name == "__wrapped__")
      return function_;
    if (name == "cache_clear" || name == "cache_info")
      return BuiltinValue::make({.name = name,
                                 .signature = name + "()",
                                 .doc = name == "cache_clear" ? "Forgets all." : "How often a call was known.",
                                 .call = [clear = name == "cache_clear", self = std::static_pointer_cast<Remembering>(
                                                                             shared_from_this())](C &, const A &) -> R {
                                   if (!clear)
                                     return self->information();
                                   self->known_.clear();
                                   self->hits_ = self->misses_ = 0;
                                   return Value();
                                 }});
    return context.evaluator.attribute(function_, name, context.span);
  }

private:
  Value information() const {
    auto type = std::make_shared<ClassValue>();
    type->name = "CacheInfo";
    type->kind = ClassValue::Kind::NamedTuple;
    DictData fields;
    auto add = [&](std::string name, Value value) {
      type->fields.push_back({.name = name, .value = std::nullopt, .span = {}});
      fields.set(Value(std::move(name)), std::move(value));
    };
    add("hits", hits_);
    add("misses", misses_);
    add("maxsize", most_ < 0 ? Value() : Value(most_));
    add("currsize", known_.size());
    return Value(std::make_shared<InstanceValue>(std::move(type), Value::dict(std::move(fields))));
  }
  std::unexpected<Diagnostics> unhashable(const Span &span, const Value &value) const {
    return error("type", span,
                 text("an argument of a function that is cached may be a dict's key, not a `", value.typeName(), "`"));
  }
  Value function_;
  int64_t most_; // negative: without a limit
  int64_t hits_ = 0, misses_ = 0;
  std::map<std::string, Value> known_;
};

R renamed(C &, const A &args) {
  const Function *function = args[0].value.asFunction();
  if (!function)
    return args[0].value;
  auto out = std::make_shared<Function>(*function);
  out->name = LANESCOPE_TRY(args.text(1));
  return Value(std::shared_ptr<const Function>(std::move(out)));
}

R remembering(C &, const A &args) {
  return Value(
      std::make_shared<Remembering>(args[0].value, args[1].value.isNone() ? -1 : LANESCOPE_TRY(args.integer(1))));
}

//===------------------------------------ collections -------------------------------------------------------------===//

/// A dict under its kind; `missing` is what makes the value of a key that it lacks.
R kindOfDict(C &, const A &args) {
  DictData out;
  out.kind = LANESCOPE_TRY(args.booleanOr(0, false)) ? DictData::Kind::Counter : DictData::Kind::Default;
  out.missing = args[1].value;
  if (out.kind == DictData::Kind::Default && out.missing.isNone())
    out.kind = DictData::Kind::Plain;
  return Value::dict(std::move(out));
}

//===------------------------------------ dataclasses -------------------------------------------------------------===//

R markDataclass(C &context, const A &args) {
  auto type = args[0].value.ref<ClassValue>();
  if (!type)
    return args.wrongType(0, "a class");
  type->kind = ClassValue::Kind::Dataclass;
  type->frozen = LANESCOPE_TRY(args.booleanOr(1, false));
  type->ordered = LANESCOPE_TRY(args.booleanOr(2, false));
  type->equality = LANESCOPE_TRY(args.booleanOr(3, true));
  type->takeFields();
  bool defaults = false;
  for (const ClassValue::Field &field : type->fields) {
    if (defaults && !field.value && field.init)
      return error("value", field.span, text("field `", field.name, "` has no default but follows one that has"));
    if (field.value && !field.factory && (field.value->asList() || field.value->asDict()))
      return error(
          "value", field.span,
          text("a list or dict would be shared by all of `", type->name, "`; write `field(default_factory=list)`"));
    defaults |= field.value.has_value();
  }
  return Value(std::static_pointer_cast<Object>(type));
}

R field(C &, const A &args) {
  auto made = std::make_shared<Marked>(Marked::Kind::Field, Value());
  made->hasDefault = args.has(0) || args.has(1);
  if (args.has(0))
    made->value = args[0].value;
  if (args.has(1)) {
    made->value = args[1].value;
    made->factory = true;
  }
  made->init = LANESCOPE_TRY(args.booleanOr(2, true));
  made->shown = LANESCOPE_TRY(args.booleanOr(3, true));
  made->compared = LANESCOPE_TRY(args.booleanOr(4, true));
  return Value(std::move(made));
}

R replace(C &context, const A &args) {
  auto *instance = args[0].value.as<InstanceValue>();
  if (!instance)
    return args.wrongType(0, "an instance of a dataclass");
  Arguments all;
  for (const ClassValue::Field &known : instance->type()->fields)
    if (const Value *value = instance->fields().asDict()->find(std::string_view(known.name)); value && known.init)
      all.keyword.push_back({known.name, args.call, *value, args.call});
  for (const KeywordArg &change : args.keywords()) {
    auto same = std::ranges::find(all.keyword, change.name, &KeywordArg::name);
    if (same == all.keyword.end())
      all.keyword.push_back(change);
    else
      *same = change;
  }
  return instance->type()->call(context, all);
}

/// A value with the dataclasses in it as dicts, or as tuples.
Value unpacked(const Value &value, bool tuples, int depth = 0) {
  constexpr int kDeepest = 100;
  auto all = [&](const std::vector<Value> &items) {
    std::vector<Value> out;
    for (const Value &item : items)
      out.push_back(unpacked(item, tuples, depth + 1));
    return out;
  };
  if (depth > kDeepest)
    return value;
  if (const auto *instance = value.as<InstanceValue>();
      instance && instance->type()->kind == ClassValue::Kind::Dataclass) {
    if (tuples)
      return Value::tuple(all(instance->items()));
    DictData out;
    for (const DictData::Item &item : instance->fields().asDict()->items())
      out.set(item.key, unpacked(item.value, tuples, depth + 1));
    return Value::dict(std::move(out));
  }
  if (const ListData *list = value.asList())
    return Value::list(all(list->items));
  if (const auto *items = value.asTuple())
    return Value::tuple(all(*items));
  if (const DictData *dict = value.asDict()) {
    DictData out;
    for (const DictData::Item &item : dict->items())
      out.set(item.key, unpacked(item.value, tuples, depth + 1));
    return Value::dict(std::move(out));
  }
  return value;
}

template <bool Tuples> R unpackedFields(C &, const A &args) {
  if (!args[0].value.as<InstanceValue>())
    return args.wrongType(0, "an instance of a dataclass");
  return unpacked(args[0].value, Tuples);
}

R fieldNames(C &, const A &args) {
  const auto *type = args[0].value.as<ClassValue>();
  const auto *instance = args[0].value.as<InstanceValue>();
  const ClassValue *known = type ? type : instance ? instance->type().get() : nullptr;
  if (!known || known->kind != ClassValue::Kind::Dataclass)
    return args.wrongType(0, "a dataclass or an instance of one");
  std::vector<Value> names;
  for (const ClassValue::Field &field : known->fields)
    names.emplace_back(field.name);
  return Value::tuple(std::move(names));
}

/// What a program says beside its output.
R remark(C &context, const A &args) {
  context.evaluator.remark(
      {Severity::Note, "said", context.evaluator.snippetPlace(args.call), LANESCOPE_TRY(args.text(0)), {}});
  return Value();
}

R isDataclass(C &, const A &args) {
  const auto *type = args[0].value.as<ClassValue>();
  const auto *instance = args[0].value.as<InstanceValue>();
  const ClassValue *known = type ? type : instance ? instance->type().get() : nullptr;
  return Value(known && known->kind == ClassValue::Kind::Dataclass);
}

R namedTuple(C &context, const A &args) {
  auto type = std::make_shared<ClassValue>();
  type->name = LANESCOPE_TRY(args.text(0));
  type->kind = ClassValue::Kind::NamedTuple;
  type->equality = true;
  type->span = args.call;
  std::vector<Value> names;
  if (const std::string *all = args[1].value.asStr()) {
    std::string word;
    for (char c : *all + " ") {
      if (c != ' ' && c != ',')
        word += c;
      else if (!word.empty())
        names.emplace_back(std::exchange(word, {}));
    }
  } else {
    names = LANESCOPE_TRY(context.evaluator.iterate(args[1].value, args[1].span));
  }
  for (const Value &name : names) {
    if (!name.asStr())
      return args.wrongType(1, "names");
    type->fields.push_back({*name.asStr(), std::nullopt, false, true, args.call});
  }
  if (args.has(2) && !args[2].value.isNone()) {
    std::vector<Value> defaults = LANESCOPE_TRY(context.evaluator.iterate(args[2].value, args[2].span));
    for (size_t i = 0; i < defaults.size() && i < type->fields.size(); ++i)
      type->fields[type->fields.size() - 1 - i].value = defaults[defaults.size() - 1 - i];
  }
  return Value(std::move(type));
}

//===------------------------------------ typing ------------------------------------------------------------------===//

/// A type that is written for the reader: it can be indexed, joined and called, and checks nothing.
class TypeName final : public Object {
public:
  explicit TypeName(std::string name) : name_(std::move(name)) {}
  std::string typeName() const override { return "type"; }
  std::string repr() const override { return name_; }
  std::string key() const override { return "type " + name_; }
  Result<Value> getItem(Context &, const Arg &) override { return Value(shared_from_this()); }
  Result<std::optional<Value>> binary(Context &, BinaryOp op, const Arg &, bool) override {
    if (op != BinaryOp::BitOr)
      return std::nullopt;
    return Value(shared_from_this());
  }
  bool callable() const override { return true; }
  Result<Value> call(Context &, const Arguments &) override { return Value(shared_from_this()); }

private:
  std::string name_;
};

Builtins typeNames(std::string_view names) {
  Builtins out;
  while (!names.empty()) {
    size_t end = std::min(names.find(' '), names.size());
    std::string name(names.substr(0, end));
    out.push_back({.name = name, .doc = "", .constant = Value(std::make_shared<TypeName>(name))});
    names.remove_prefix(std::min(end + 1, names.size()));
  }
  return out;
}

Builtins abstractNatives() {
  Builtins out = typeNames("ABC ABCMeta");
  out.push_back(
      {"abstractmethod", "abstractmethod(function)", "Above a method that classes which inherit it write.",
       [](C &, const A &args) -> R { return Value(std::make_shared<Marked>(Marked::Kind::Abstract, args[0].value)); }});
  return out;
}

/// The next item of a generator, after an exception was raised where it stands.
R throwInto(C &context, const A &args) {
  auto *items = args[0].value.as<Iterator>();
  if (!items || !items->generator)
    return args.wrongType(0, "what a function that yields gives");
  auto item = LANESCOPE_TRY(items->generator->raise(context, args[1].value));
  return item ? *std::move(item) : Value();
}

Value exceptionNamed(std::string_view name) {
  return Value(std::const_pointer_cast<ExceptionClass>(
      *std::ranges::find(exceptionClasses(), name, [](const auto &type) -> std::string_view { return type->name(); })));
}

R now(C &, const A &) {
  return Value(std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count());
}

R nowInNanoseconds(C &, const A &) {
  return Value(
      static_cast<int64_t>(std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count()));
}

} // namespace

std::vector<ModuleSpec> pythonModules() {
  constexpr std::string_view kTypes =
      "Any AnyStr Callable ClassVar Concatenate Dict Final FrozenSet Generic Hashable "
      "Iterable Iterator List Literal Mapping MutableMapping Optional ParamSpec Protocol "
      "Self Sequence Set Tuple Type TypeAlias TypeVar Union Annotated NewType Never NoReturn "
      "Required NotRequired SupportsFloat SupportsInt SupportsIndex TypeGuard Unpack Sized Collection Container "
      "Awaitable "
      "Generator Deque DefaultDict OrderedDict Counter Number TypedDict";
  Builtins typing = typeNames(kTypes);
  typing.push_back({.name = "TYPE_CHECKING", .doc = "", .constant = Value(false)});
  typing.push_back({"cast", "cast(type, x)", "x.", [](C &, const A &args) -> R { return args[1].value; }});
  for (const char *name : {"runtime_checkable", "no_type_check", "final", "override"})
    typing.push_back({name, text(name, "(f)"), "f.", [](C &, const A &args) -> R { return args[0].value; }});
  typing.push_back({"overload", "overload(f)", "f.", [](C &, const A &args) -> R { return args[0].value; }});
  Builtins time;
  time.push_back(
      {"sleep", "sleep(seconds)", "Nothing: no time passes here.", [](C &, const A &) -> R { return Value(); }});
  for (const char *name : {"perf_counter", "monotonic", "time", "process_time"})
    time.push_back({name, text(name, "()"), "Seconds of a clock that runs on.", now});
  for (const char *name : {"perf_counter_ns", "monotonic_ns", "time_ns"})
    time.push_back({name, text(name, "()"), "Nanoseconds of a clock that runs on.", nowInNanoseconds});
  return {
      {.path = "math",
       .doc = "Python's math: functions of numbers.",
       .natives = mathNatives(),
       .text = libraryText("math")},
      {.path = "functools",
       .doc = "Python's functools: partial, reduce, wraps, …",
       .natives = {{"partial", "partial(*function_and_arguments, **keywords)",
                    "A function with some of its arguments given.", partial},
                   {"_renamed", "_renamed(function, name)", "", renamed},
                   {"_remembering", "_remembering(function, most)", "", remembering}},
       .text = libraryText("functools")},
      {.path = "itertools", .doc = "Python's itertools.", .text = libraryText("itertools")},
      {.path = "operator", .doc = "Python's operators as functions.", .text = libraryText("operator")},
      {.path = "dataclasses",
       .doc = "Python's dataclasses.",
       .natives = {{"_mark", "_mark(type, frozen=False, order=False, eq=True)", "", markDataclass},
                   {"field",
                    "field(*, default=None, default_factory=None, init=True, repr=True, compare=True, "
                    "metadata=None, kw_only=False, hash=None)",
                    "A field of a dataclass: its default, or what makes it.",
                    [](C &c, const A &args) { return field(c, args); }},
                   {"_names", "_names(x)", "", fieldNames},
                   {"replace", "replace(instance, **changes)", "The same with some fields changed.", replace},
                   {"asdict", "asdict(instance)", "Its fields as a dict, and those of dataclasses in them.",
                    unpackedFields<false>},
                   {"astuple", "astuple(instance)", "Its fields as a tuple, and those of dataclasses in them.",
                    unpackedFields<true>},
                   {.name = "FrozenInstanceError", .doc = "", .constant = exceptionNamed("FrozenInstanceError")},
                   {.name = "KW_ONLY", .doc = "", .constant = Value(std::make_shared<TypeName>("KW_ONLY"))},
                   {.name = "MISSING", .doc = "", .constant = Value(std::make_shared<TypeName>("MISSING"))},
                   {"is_dataclass", "is_dataclass(x)", "Whether x is a dataclass or of one.", isDataclass}},
       .text = libraryText("dataclasses")},
      {.path = "collections",
       .doc = "Python's collections: namedtuple, Counter, defaultdict, deque, OrderedDict.",
       .natives = {{"namedtuple", "namedtuple(name, fields, *, defaults=None)", "A class of tuples with named parts.",
                    namedTuple},
                   {"_kind_of_dict", "_kind_of_dict(counts, missing)", "", kindOfDict}},
       .text = libraryText("collections")},
      {.path = "collections.abc", .doc = "Names of types, for annotations.", .natives = typeNames(kTypes)},
      {.path = "typing",
       .doc = "Names of types, for annotations.",
       .spellings = {{"NamedTuple"}},
       .natives = std::move(typing)},
      {.path = "enum", .doc = "Python's Enum and IntEnum: named values.", .natives = enumNatives()},
      {.path = "os",
       .doc = "An environment without variables: nothing here reaches the host.",
       .text = libraryText("os")},
      {.path = "sys",
       .doc = "`exit`, `argv` without arguments, and what programs ask of Python's version.",
       .natives = {{.name = "maxsize", .doc = "", .constant = Value(INT64_MAX)},
                   {"_remark", "_remark(text)", "", remark}},
       .text = libraryText("sys")},
      {.path = "warnings",
       .doc = "Python's warnings: what `warn` says comes as a note, and what filters them changes nothing.",
       .natives = {{"_remark", "_remark(text)", "", remark}},
       .text = libraryText("warnings")},
      {.path = "logging",
       .doc = "Python's loggers: what they say comes as notes, beside the output.",
       .natives = {{"_remark", "_remark(text)", "", remark}},
       .text = libraryText("logging")},
      {.path = "copy", .doc = "Python's copy and deepcopy, of lists and dicts.", .text = libraryText("copy")},
      {.path = "types", .doc = "SimpleNamespace of Python's types.", .text = libraryText("types")},
      {.path = "abc", .doc = "Python's abc: `ABC` and `abstractmethod`, for the reader.", .natives = abstractNatives()},
      {.path = "contextlib",
       .doc = "Python's contextlib: `contextmanager`, `nullcontext`, `suppress`.",
       .natives = {{"_throw", "_throw(generator, exception)", "", throwInto}},
       .text = libraryText("contextlib")},
      {.path = "argparse",
       .doc = "Python's argparse: a program has no arguments here, so that each has its default.",
       .text = libraryText("argparse")},
      {.path = "string", .doc = "Python's string: letters and digits.", .text = libraryText("string")},
      {.path = "textwrap", .doc = "Python's textwrap: `dedent`, `indent`.", .text = libraryText("textwrap")},
      {.path = "_random", // `random` itself is a builtin of the language
       .doc = "Python's random numbers: those of a seed are Python's.",
       .text = libraryText("random")},
      {.path = "statistics", .doc = "Means and medians of Python's statistics.", .text = libraryText("statistics")},
      {.path = "time", .doc = "Clocks, for timing.", .natives = std::move(time)},
  };
}

} // namespace lanescope::repl
