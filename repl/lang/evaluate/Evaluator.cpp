#include "repl/lang/evaluate/Evaluator.h"
#include "repl/lang/values/ArrayOps.h"

#include "core/data/MemoryReserve.h"
#include "layouts/support/Nearest.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "layouts/support/Utf8.h"
#include "layouts/support/Words.h"
#include "repl/lang/evaluate/Interpreter.h"
#include "repl/lang/evaluate/Journal.h"
#include "repl/lang/evaluate/Methods.h"
#include "repl/lang/evaluate/Operators.h"
#include "repl/lang/syntax/Parser.h"
#include "repl/lang/values/ArrayFunctions.h"
#include "repl/lang/values/ArrayViews.h"
#include "repl/lang/values/Equality.h"

#include <algorithm>
#include <ranges>

namespace lanescope::repl {

Evaluator::Evaluator(Builtins builtins, EvaluatorOptions options)
    : builtins_(std::move(builtins)), print_(std::move(options.print)), remark_(std::move(options.remark)),
      limits_(options.limits), checkAssertions_(options.checkAssertions) {
  builtinIndex_.reserve(builtins_.size());
  for (size_t i = 0; i < builtins_.size(); ++i)
    builtinIndex_[builtins_[i].name] = i;
}

Evaluator::~Evaluator() {
  globals_.clear();
  for (auto &[path, scope] : libraryScopes_)
    if (scope)
      scope->names.clear(); // breaks the cycle: the scope's functions refer to the scope
  // Inner functions and their scopes refer to each other: break the cycles.
  for (const std::weak_ptr<Scope> &weak : captured_)
    if (auto scope = weak.lock()) {
      std::vector<Value> values;
      for (auto &[name, value] : scope->names)
        values.push_back(std::move(value));
      scope->names.clear();
      dismantle(std::move(values));
    }
}

// --- entries ---------------------------------------------------------------------------------------------------------

static thread_local Evaluator *runningHere = nullptr;

Evaluator *Evaluator::running() { return runningHere; }

/// The error for an entry that a failed allocation stopped, at the place where the entry stopped.
static std::unexpected<Diagnostics> outOfMemory(Diagnostics interrupted) {
  Diagnostics out = core::StopWithoutMemory::error().error();
  out[0].span = interrupted[0].span;
  out[0].notes = std::move(interrupted[0].notes);
  return std::unexpected(std::move(out));
}

Result<void> Evaluator::guarded(const std::function<Result<void>()> &entry) {
  if (stackBase_)
    return entry();
  Evaluator *outside = std::exchange(runningHere, this);
  stackBase_ = static_cast<const char *>(__builtin_frame_address(0));
  interrupted_.store(false, std::memory_order_relaxed);
  steps_ = 0;
  entryEpoch_ = ++epoch_;
  auto before = globals_;
  journal_ = std::make_unique<Journal>();
  core::StopWithoutMemory stop(interrupted_);
  Result<void> done = entry();
  if (!done && stop.happened() && done.error()[0].kind != "out-of-memory")
    done = outOfMemory(std::move(done.error()));
  if (!done) {
    globals_ = std::move(before);
    journal_->undo();
  }
  journal_.reset();
  frames_.clear();
  staging_ = nullptr;
  stagedFloor_ = 0;
  carried_ = nullptr;
  stackBase_ = nullptr;
  runningHere = outside;
  return done;
}

Result<void> Evaluator::run(const SourceRef &source, const Show &show) {
  Parsed parsed = parse(source);
  if (!parsed.diagnostics.empty())
    return std::unexpected(std::move(parsed.diagnostics));
  return run(parsed.module, show);
}

Result<void> Evaluator::run(const ModuleRef &module, const Show &show) {
  return guarded([&]() -> Result<void> {
    Interpreter interpreter(*this, module, nullptr);
    if (show)
      interpreter.show = &show;
    LANESCOPE_CHECK(interpreter.execute(module->body));
    return {};
  });
}

Result<void> Evaluator::runIn(const ModuleRef &module, const std::shared_ptr<Scope> &scope) {
  Staging *staging = std::exchange(staging_, nullptr); // a library is read on the host, even if a kernel needs it first
  auto done = guarded([&]() -> Result<void> {
    Interpreter interpreter(*this, module, scope);
    LANESCOPE_CHECK(interpreter.execute(module->body));
    return {};
  });
  staging_ = staging;
  return done;
}

Result<Value> Evaluator::evaluate(const SourceRef &source) {
  ModuleRef module = LANESCOPE_TRY(parseExpression(source));
  Value out;
  LANESCOPE_CHECK(guarded([&]() -> Result<void> {
    Interpreter interpreter(*this, module, nullptr);
    out = LANESCOPE_TRY(interpreter.evaluate(*as<ExpressionStmt>(module->body.front())->value));
    return {};
  }));
  return out;
}

Result<Value> Evaluator::evaluate(const Expr &expression, const Function &function, const UnknownName &unknown) {
  Value out;
  LANESCOPE_CHECK(guarded([&]() -> Result<void> {
    Interpreter interpreter(*this, function.module, function.closure);
    if (unknown)
      interpreter.unknownName = &unknown;
    out = LANESCOPE_TRY(interpreter.evaluate(expression));
    return {};
  }));
  return out;
}

void Evaluator::set(std::string name, Value value) { globals_.insert_or_assign(std::move(name), std::move(value)); }

const Value *Evaluator::lookup(std::string_view name) const {
  if (auto found = globals_.find(name); found != globals_.end())
    return &found->second;
  return builtin(name);
}

const Value *Evaluator::builtin(std::string_view name) const {
  std::string wanted(name);
  if (auto found = builtinValues_.find(wanted); found != builtinValues_.end())
    return &found->second;
  auto index = builtinIndex_.find(wanted);
  if (index == builtinIndex_.end())
    return nullptr;
  const Builtin &entry = builtins_[index->second];
  Value value = entry.call ? BuiltinValue::make(entry) : entry.constant;
  return &builtinValues_.emplace(std::move(wanted), std::move(value)).first->second;
}

const Builtin *Evaluator::findBuiltin(std::string_view name) const {
  auto found = builtinIndex_.find(name);
  return found == builtinIndex_.end() ? nullptr : &builtins_[found->second];
}

void Evaluator::remark(Diagnostic note) const {
  if (remark_)
    remark_({std::move(note)});
  else
    print(render(note));
}

void Evaluator::print(std::string_view text) const {
  if (print_)
    print_(text);
}

// --- calls -----------------------------------------------------------------------------------------------------------

Result<Value> Evaluator::call(const Value &callee, const Arguments &arguments, const Span &span) {
  Value out;
  LANESCOPE_CHECK(guarded([&]() -> Result<void> {
    LANESCOPE_CHECK(checkStack(span));
    if (auto function = callee.functionRef()) {
      out = LANESCOPE_TRY(callFunction(function, arguments, span));
      return {};
    }
    if (const BuiltinValue *builtin = callee.asBuiltin()) {
      // The callee's name may be rebound during the call.
      Value keep = callee; // NOLINT(performance-unnecessary-copy-initialization)
      out = LANESCOPE_TRY(callBuiltin(*builtin, keep, arguments, span));
      return {};
    }
    if (Object *object = callee.asObject(); object && object->callable()) {
      auto keep = callee.objectRef();
      Context context{*this, span};
      auto result = object->call(context, arguments);
      if (!result)
        return at(span, std::move(result.error()));
      out = fresh(std::move(*result));
      return {};
    }
    if (callee.asDtype()) {
      out = LANESCOPE_TRY(convert(callee, arguments, span));
      return {};
    }
    // A layout of CuTe is a function of coordinates.
    if (const Value *at = callee.asLayout() ? builtin("layout_at") : nullptr) {
      Arguments all = arguments;
      all.positional.insert(all.positional.begin(), {callee, span});
      out = LANESCOPE_TRY(call(*at, all, span));
      return {};
    }
    return error(
        "type", span,
        Message("`{type}` cannot be called{}", callee.typeName(), callee.asTuple() ? "; is a comma missing?" : ""));
  }));
  return out;
}

/// `f32(x)`: x converted to that dtype; a number becomes an array of rank 0.
Result<Value> Evaluator::convert(const Value &type, const Arguments &arguments, const Span &span) {
  layouts::Dtype dtype = *type.asDtype();
  if (arguments.positional.size() > 1 || !arguments.keyword.empty())
    return error("arguments", span, Message("`{function}` takes one value", layouts::name(dtype)));
  Arg given = arguments.positional.empty() ? Arg{Value(0), span} : arguments.positional[0];
  if (given.value.asObject()) {
    Arguments call;
    call.positional.push_back({Value(dtype), span});
    return this->call(LANESCOPE_TRY(attribute(given.value, "astype", span)), call, span);
  }
  Result<Array> array = given.value.asArray() ? Result<Array>(*given.value.asArray()) : arrayOf(given.value, dtype);
  if (!array)
    return at(given.span, std::move(array.error()));
  const ArrayRules rules = given.value.arrayRules();
  if (rules == ArrayRules::Jax)
    dtype = narrowed(dtype);
  return fresh(Value(LANESCOPE_TRY(castUnder(*array, dtype, rules)), rules));
}

static Result<std::shared_ptr<Scope>> bindParameters(Evaluator &evaluator, const Function &function,
                                                     const Arguments &arguments, const Span &span) {
  const FunctionSyntax &syntax = *function.syntax;
  auto scope = std::make_shared<Scope>();
  scope->parent = function.closure;
  scope->syntax = &syntax;
  scope->born = evaluator.epoch();
  std::vector<Note> defined = {{function.module->span(syntax.nameRange), text("`", syntax.name, "` is defined here")}};
  size_t next = 0, positional = 0;
  const Parameter *rest = nullptr, *keywordRest = nullptr;
  for (const Parameter &parameter : syntax.parameters) {
    if (parameter.form == Parameter::Form::Normal) {
      ++positional;
      if (next < arguments.positional.size())
        scope->names[parameter.name] = arguments.positional[next++].value;
    } else if (parameter.form == Parameter::Form::Rest) {
      rest = &parameter;
    } else if (parameter.form == Parameter::Form::KeywordRest) {
      keywordRest = &parameter;
    }
  }
  if (rest) {
    std::vector<Value> more;
    for (; next < arguments.positional.size(); ++next)
      more.push_back(arguments.positional[next].value);
    scope->names[rest->name] = Value::tuple(std::move(more));
  } else if (next < arguments.positional.size()) {
    return error("arguments", arguments.positional[next].span,
                 Message("`{function}` takes {}, but {given} are given", syntax.name,
                         counted(positional, "positional argument"), arguments.positional.size())
                     .with("limit", positional),
                 defined);
  }
  DictData extra;
  for (const KeywordArg &keyword : arguments.keyword) {
    auto known = std::ranges::find_if(syntax.parameters, [&](const Parameter &parameter) {
      return parameter.name == keyword.name &&
             (parameter.form == Parameter::Form::Normal || parameter.form == Parameter::Form::KeywordOnly);
    });
    if (known == syntax.parameters.end()) {
      if (!keywordRest) {
        std::vector<std::string> names;
        for (const Parameter &parameter : syntax.parameters)
          names.push_back(parameter.name);
        std::string near(layouts::nearest(keyword.name, names));
        return error("arguments", keyword.nameSpan,
                     Message("`{function}` has no parameter `{argument}`{}", syntax.name, keyword.name,
                             layouts::didYouMean(near))
                         .with("nearest", near),
                     defined);
      }
      extra.set(Value(keyword.name), keyword.value);
      continue;
    }
    if (!scope->names.emplace(keyword.name, keyword.value).second)
      return error("arguments", keyword.nameSpan,
                   Message("`{function}` gets a second value for `{argument}`", syntax.name, keyword.name), defined);
  }
  if (keywordRest)
    scope->names[keywordRest->name] = evaluator.fresh(Value::dict(std::move(extra)));
  for (size_t i = 0; i < syntax.parameters.size(); ++i) {
    const Parameter &parameter = syntax.parameters[i];
    if (scope->names.contains(parameter.name))
      continue;
    if (!function.defaults[i])
      return error("arguments", span,
                   Message("`{function}` needs a value for `{argument}`", syntax.name, parameter.name), defined);
    scope->names[parameter.name] = *function.defaults[i];
  }
  return scope;
}

/// Drops a finished call's scope if only its own inner functions refer to it, because that cycle would live for ever.
static void release(const std::shared_ptr<Scope> &scope) {
  long own = 1;
  for (const auto &[name, value] : scope->names)
    if (auto function = value.functionRef(); function && function->closure == scope && function.use_count() == 2)
      ++own;
  if (own > 1 && scope.use_count() == own)
    scope->names.clear();
}

Span Evaluator::snippetPlace(const Span &span) const {
  if (!isLibrary(span.source))
    return span;
  for (const Frame &frame : frames_ | std::views::reverse)
    if (!isLibrary(frame.call.source))
      return frame.call;
  return span;
}

void Evaluator::moveOutOfLibrary(Diagnostics &diagnostics, const Span &call) const {
  for (Diagnostic &diagnostic : diagnostics) {
    if (isLibrary(diagnostic.span.source))
      diagnostic.span = call;
    std::erase_if(diagnostic.notes, [&](const Note &note) { return isLibrary(note.span.source); });
  }
}

Result<Value> Evaluator::callFunction(const std::shared_ptr<const Function> &function, const Arguments &arguments,
                                      const Span &span) {
  if (static_cast<int>(frames_.size()) >= limits_.callDepth)
    return error("recursion", span, Message("calls nest more than {limit} deep", limits_.callDepth));
  LANESCOPE_CHECK(poll(span));
  auto scope = LANESCOPE_TRY(bindParameters(*this, *function, arguments, span));
  frames_.push_back({function->syntax->name, span});
  Interpreter interpreter(*this, function->module, scope);
  Result<Value> out;
  if (function->syntax->result) {
    out = interpreter.evaluate(*function->syntax->result);
  } else if (auto flow = interpreter.execute(function->syntax->body)) {
    out = interpreter.takeReturn();
  } else {
    out = std::unexpected(std::move(flow.error()));
  }
  frames_.pop_back();
  release(scope);
  if (!out && isLibrary(function->module->source) && !isLibrary(span.source))
    moveOutOfLibrary(out.error(), span);
  // Adds notes for the calls that led here. A recursive call is listed once.
  constexpr size_t kMaxNotes = 5;
  auto same = [&](const Span &place) { return place.source == span.source && place.begin == span.begin; };
  auto told = [&](const Note &note) { return same(note.span); };
  if (!out && span.source && !isLibrary(span.source) && !out.error().empty() && !same(out.error().front().span) &&
      out.error().front().notes.size() < kMaxNotes && std::ranges::none_of(out.error().front().notes, told))
    out.error().front().notes.push_back({span, text("in the call of `", function->syntax->name, "` here")});
  return out;
}

/// Puts an array that a builtin made from one of NumPy's or JAX's arrays under the rules of that array.
static Value underRulesOf(Value out, const BuiltinValue &builtin, const Arguments &arguments) {
  ArrayData *made = out.asArrayData();
  if (!made || made->rules != ArrayRules::Snippet)
    return out;
  ArrayRules rules = builtin.self ? builtin.self->arrayRules() : ArrayRules::Snippet;
  for (const Arg &argument : arguments.positional)
    if (argument.value.asArray() && rules != ArrayRules::Jax)
      rules = argument.value.arrayRules();
  if (rules != ArrayRules::Snippet) {
    if (!out.uniquelyHeld())
      return Value(*out.asArray(), rules);
    made->rules = rules;
  }
  return out;
}

/// True if a call of a shape function makes a kernel's array while a kernel is traced. The function has a parameter
/// `layout`, or the call has no host arrays.
static bool makesArray(const BuiltinValue &builtin, const Arguments &arguments) {
  const ArrayFunction *function = builtin.worksIn == WorksIn::Host ? arrayFunction(builtin.name) : nullptr;
  if (!function || function->kind != ArrayFunction::Kind::Shape)
    return false;
  auto array = [](const auto &argument) { return argument.value.asArray() != nullptr; };
  return function->signature.contains("layout=") ||
         (std::ranges::none_of(arguments.positional, array) && std::ranges::none_of(arguments.keyword, array));
}

Result<Value> Evaluator::callBuiltin(const BuiltinValue &builtin, const Value &callee, const Arguments &arguments,
                                     const Span &span) {
  Context context{*this, span};
  auto ask = [&](const Value &value) -> Result<std::optional<Value>> {
    if (Object *object = value.asObject())
      return object->applyBuiltin(context, builtin.name, arguments);
    return std::nullopt;
  };
  auto place = [&](Diagnostics diagnostics) { return at(span, std::move(diagnostics)); };
  for (const Arg &argument : arguments.positional) {
    auto answer = ask(argument.value);
    if (!answer)
      return place(std::move(answer.error()));
    if (*answer)
      return std::move(**answer);
  }
  for (const KeywordArg &argument : arguments.keyword) {
    auto answer = ask(argument.value);
    if (!answer)
      return place(std::move(answer.error()));
    if (*answer)
      return std::move(**answer);
  }
  bool kernels = builtin.worksIn == WorksIn::Kernels;
  if (kernels && !staging_)
    return context.fail(
        "host-stage",
        Message("`{function}` works inside kernels: call it in a function under `@kernel(…)`", builtin.name));
  if (staging_ && (kernels || makesArray(builtin, arguments))) {
    auto answer = staging_->call(context, builtin.name, arguments);
    if (!answer)
      return place(std::move(answer.error()));
    if (*answer)
      return fresh(std::move(**answer));
    if (const Builtin *listed = findBuiltin(builtin.name); kernels && listed && !listed->targets.empty()) {
      std::string_view instead = staging_->insteadOf(builtin.name);
      return context.fail("unsupported", Message("`{function}` is for kernels of {target}{}{}", builtin.name,
                                                 listed->targets.front(), instead.empty() ? "" : "; ", instead));
    }
  }
  if (staging_ && builtin.worksIn == WorksIn::Host) {
    auto traced = [&](const auto &argument) { return staging_->isTraced(argument.value); };
    if (std::ranges::any_of(arguments.positional, traced) || std::ranges::any_of(arguments.keyword, traced))
      return context.fail(
          "unsupported",
          Message("kernels do not have `{function}`: it takes values of the host, and this is one of the kernel",
                  builtin.name));
  }
  auto bound = BoundArguments::bind(*builtin.signature, arguments, span);
  if (!bound)
    return place(std::move(bound.error()));
  if (builtin.self)
    bound->self = &*builtin.self;
  auto out = builtin.call(context, *bound);
  if (!out)
    return place(std::move(out.error()));
  return fresh(underRulesOf(std::move(*out), builtin, arguments));
}

// --- operations ------------------------------------------------------------------------------------------------------

static CompareOp mirrored(CompareOp op) {
  switch (op) {
  case CompareOp::Less: return CompareOp::Greater;
  case CompareOp::LessEqual: return CompareOp::GreaterEqual;
  case CompareOp::Greater: return CompareOp::Less;
  case CompareOp::GreaterEqual: return CompareOp::LessEqual;
  default: return op;
  }
}

/// True for a builtin such as `int` or `tuple`, which represents a type in annotations.
static bool namesType(const Value &value) {
  const BuiltinValue *builtin = value.asBuiltin();
  return builtin && !builtin->self && isTypeName(builtin->name);
}

/// The result of the left object's operation or, if it does not take the other operand, of the right object's, which is
/// reflected. Nothing if neither takes the other.
template <typename Operation>
static Result<std::optional<Value>> ofEither(Object *left, Object *right, const Span &span, Operation operation) {
  for (bool reflected : {false, true})
    if (Object *object = reflected ? right : left) {
      Result<std::optional<Value>> out = operation(*object, reflected);
      if (!out)
        return at(span, std::move(out.error()));
      if (*out)
        return out;
    }
  return std::nullopt;
}

Result<Value> Evaluator::binary(BinaryOp op, const Arg &left, const Arg &right, const Span &span) {
  auto finish = [&](Result<Value> out) -> Result<Value> {
    if (!out)
      return at(span, std::move(out.error()));
    return out;
  };
  if (left.value.asStr() && op == BinaryOp::Modulo)
    return error("type", span, "`%` fills no text here; write an f-string: `f\"{x:.2f}\"`");
  Object *a = left.value.asObject(), *b = right.value.asObject();
  if (a || b) {
    Context context{*this, span};
    std::optional<Value> out = LANESCOPE_TRY(ofEither(a, b, span, [&](Object &object, bool reflected) {
      return object.binary(context, op, reflected ? left : right, reflected);
    }));
    if (out)
      return *std::move(out);
    return error("type", span,
                 Message("`{operator}` does not combine `{left_type}` and `{right_type}`", spelling(op),
                         left.value.typeName(), right.value.typeName()));
  }
  const core::Array *x = left.value.asArray(), *y = right.value.asArray();
  if (op == BinaryOp::BitOr && namesType(left.value) && (namesType(right.value) || right.value.isNone()))
    return left.value; // `int | None` in an annotation
  if (!x && !y)
    return finish(hostBinary(*this, op, left.value, right.value, span));
  if (op == BinaryOp::MatrixMultiply) {
    if (!x || !y)
      return error("type", span,
                   Message("`@` needs two arrays, not `{left_type}` and `{right_type}`", left.value.typeName(),
                           right.value.typeName()));
    ArrayRules rules = commonRules(left.value, right.value);
    auto out = matmul(*x, *y, [&] { return poll(span); }, rules);
    if (!out)
      return at(span, std::move(out.error()));
    return fresh(Value(std::move(*out), rules));
  }
  auto shape = x && y ? broadcastShapes(x->shape, y->shape) : Result<Shape>((x ? x : y)->shape);
  if (!shape)
    return at(span, std::move(shape.error()));
  LANESCOPE_CHECK(reserveArray(layouts::Dtype::F64, *shape, span));
  auto out = finish(arrayBinary(op, left.value, right.value));
  return out ? Result<Value>(fresh(std::move(*out))) : std::move(out);
}

Result<Value> Evaluator::unary(UnaryOp op, const Arg &operand, const Span &span) {
  Result<Value> out;
  if (Object *object = operand.value.asObject()) {
    Context context{*this, span};
    out = object->unary(context, op);
  } else if (op == UnaryOp::Not) {
    return Value(!LANESCOPE_TRY(truth(operand.value, operand.span)));
  } else if (const core::Array *array = operand.value.asArray()) {
    LANESCOPE_CHECK(reserveArray(array->dtype, array->shape, span));
    out = arrayUnary(op, *array);
    if (out)
      out = Value(*out->asArray(), operand.value.arrayRules());
  } else {
    out = hostUnary(op, operand.value);
  }
  if (!out)
    return at(span, std::move(out.error()));
  return fresh(std::move(*out));
}

Result<Value> Evaluator::compare(CompareOp op, const Arg &left, const Arg &right, const Span &span) {
  auto finish = [&](Result<Value> out) -> Result<Value> {
    if (!out)
      return at(span, std::move(out.error()));
    return fresh(std::move(*out));
  };
  if (op == CompareOp::Is || op == CompareOp::IsNot)
    return Value(left.value.identical(right.value) == (op == CompareOp::Is));
  if (op == CompareOp::In || op == CompareOp::NotIn) {
    auto found = contains(*this, right, left, span);
    if (!found)
      return at(span, std::move(found.error()));
    return Value(*found == (op == CompareOp::In));
  }
  Object *a = left.value.asObject(), *b = right.value.asObject();
  if (a || b) {
    Context context{*this, span};
    std::optional<Value> out = LANESCOPE_TRY(ofEither(a, b, span, [&](Object &object, bool reflected) {
      return object.compare(context, reflected ? mirrored(op) : op, reflected ? left : right);
    }));
    if (out)
      return *std::move(out);
    if (op != CompareOp::Equal && op != CompareOp::NotEqual)
      return error("type", span,
                   Message("`{operator}` does not compare `{left_type}` and `{right_type}`", spelling(op),
                           left.value.typeName(), right.value.typeName()));
    Result<bool> same = compared(left.value, right.value);
    if (!same)
      return at(span, std::move(same.error()));
    return Value(*same == (op == CompareOp::Equal));
  }
  const core::Array *x = left.value.asArray(), *y = right.value.asArray();
  if ((x && (y || right.value.number())) || (y && left.value.number())) {
    auto shape = x && y ? broadcastShapes(x->shape, y->shape) : Result<Shape>((x ? x : y)->shape);
    if (!shape)
      return at(span, std::move(shape.error()));
    LANESCOPE_CHECK(reserveArray(layouts::Dtype::I64, *shape, span));
    return finish(arrayCompare(op, left.value, right.value));
  }
  auto out = hostCompare(op, left.value, right.value);
  if (!out)
    return at(span, std::move(out.error()));
  return Value(*out);
}

Result<bool> Evaluator::truth(const Value &value, const Span &span) {
  if (const bool *b = value.asBool())
    return *b;
  if (auto x = value.number())
    return *x != 0;
  if (value.isNone())
    return false;
  if (const std::string *s = value.asStr())
    return !s->empty();
  if (const auto *tuple = value.asTuple())
    return !tuple->empty();
  if (const ListData *list = value.asList())
    return !list->items.empty();
  if (const DictData *dict = value.asDict())
    return dict->size() > 0;
  if (const core::Array *array = value.asArray()) {
    if (array->size() == 1)
      return array->number(0) != 0;
    return error("type", span,
                 Message("an array of shape {shape} is neither true nor false; use `all(…)` or `any(…)`",
                         layouts::tupleText(array->shape)));
  }
  if (const RangeData *range = value.asRange())
    return range->count().value_or(1) > 0;
  if (Object *object = value.asObject()) {
    Context context{*this, span};
    auto out = object->truth(context);
    if (!out)
      return at(span, std::move(out.error()));
    return *out;
  }
  return true;
}

Result<std::vector<Value>> Evaluator::iterate(const Value &value, const Span &span) {
  if (const ListData *list = value.asList())
    return list->items;
  if (const auto *tuple = value.asTuple())
    return *tuple;
  std::vector<Value> out;
  if (const DictData *dict = value.asDict()) {
    for (const DictData::Item &item : dict->items())
      out.push_back(item.key);
    return out;
  }
  if (const std::string *s = value.asStr()) {
    LANESCOPE_CHECK(reserveItems(static_cast<int64_t>(s->size()), span));
    for (size_t i = 0; i < s->size();) {
      size_t end = characterEnd(*s, i);
      out.emplace_back(s->substr(i, end - i));
      i = end;
    }
    return out;
  }
  if (const RangeData *range = value.asRange()) {
    auto count = range->count();
    if (!count)
      return error("type", span,
                   "a range with bounds that are known on the device only can be looped over by a `for` statement, "
                   "nothing else");
    LANESCOPE_CHECK(reserveItems(*count, span));
    int64_t start = *range->start.integer(), step = *range->step.integer();
    out.reserve(static_cast<size_t>(*count));
    for (int64_t i = 0; i < *count; ++i)
      out.emplace_back(start + i * step);
    return out;
  }
  if (const ArrayData *data = value.asArrayData()) {
    const layouts::Shape &shape = data->array.shape;
    if (shape.empty())
      return error("type", span, "an array of rank 0 cannot be iterated over");
    LANESCOPE_CHECK(reserveItems(shape[0], span));
    for (int64_t i = 0; i < shape[0]; ++i) {
      auto row = itemOfArray(value, Value(i));
      if (!row)
        return at(span, std::move(row.error()));
      out.push_back(fresh(std::move(*row)));
    }
    return out;
  }
  if (Object *object = value.asObject()) {
    Context context{*this, span};
    auto items = object->iterate(context);
    if (!items)
      return at(span, std::move(items.error()));
    return items;
  }
  return error("type", span, Message("`{type}` cannot be iterated over", value.typeName()));
}

Result<Value> Evaluator::attribute(const Value &object, const std::string &name, const Span &span) {
  Context context{*this, span};
  auto out = object.asObject() ? object.asObject()->attribute(context, name) : attributeOf(object, name);
  if (!out)
    return at(span, std::move(out.error()));
  return out;
}

Result<Value> Evaluator::getItem(const Arg &object, const Arg &index, const Span &span) {
  Context context{*this, span};
  Result<Value> out;
  if (namesType(object.value)) // `tuple[int, ...]` in an annotation
    return object.value;
  if (Object *target = object.value.asObject()) {
    out = target->getItem(context, index);
  } else if (const ArrayData *data = object.value.asArrayData()) {
    LANESCOPE_CHECK(reserveArray(data->array.dtype, data->array.shape, span));
    out = itemOfArray(object.value, index.value);
    if (!out)
      return at(index.span, std::move(out.error()));
  } else {
    out = itemOf(object.value, index.value.plain());
    if (!out)
      return at(index.span, std::move(out.error()));
    if (index.value.asSlice())
      out = fresh(std::move(*out));
    return out;
  }
  if (!out)
    return at(span, std::move(out.error()));
  return fresh(std::move(*out));
}

} // namespace lanescope::repl
