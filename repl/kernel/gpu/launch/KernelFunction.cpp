#include "repl/kernel/gpu/launch/KernelFunction.h"

#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "repl/kernel/gpu/launch/Results.h"

#include <algorithm>

namespace lanescope::repl {

using layouts::Shape;

Span KernelFunction::span() const { return function_->module->span(function_->syntax->nameRange); }

Result<std::shared_ptr<KernelFunction>> KernelFunction::make(Context &context, std::shared_ptr<const Function> function,
                                                             KernelSettings settings,
                                                             std::shared_ptr<KernelRuntime> runtime) {
  if (settings.name.empty())
    settings.name = function->syntax->name;
  auto made =
      std::shared_ptr<KernelFunction>(new KernelFunction(std::move(function), std::move(settings), std::move(runtime)));
  for (const Parameter &parameter : made->function_->syntax->parameters) {
    Slot slot{.syntax = &parameter};
    Span span = made->parameterSpan(slot);
    if (parameter.form == Parameter::Form::Rest || parameter.form == Parameter::Form::KeywordRest)
      return error("kernel", span, "a kernel has a fixed number of parameters");
    if (parameter.annotation) {
      auto unknown = [](const std::string &name) -> std::optional<Value> {
        return Value(std::make_shared<SymbolicDim>(name, true));
      };
      Value value = LANESCOPE_TRY(context.evaluator.evaluate(*parameter.annotation, *made->function_, unknown));
      if (auto *spec = value.as<ArgumentSpec>()) {
        slot.role = Role::Array;
        slot.kind = spec->kind;
      } else if (const BuiltinValue *type = value.asBuiltin(); type && (type->name == "int" || type->name == "float" ||
                                                                        type->name == "bool" || type->name == "str")) {
        slot.role = Role::Static;
        slot.staticType = type->name;
      } else {
        return error("kernel", made->function_->module->span(parameter.annotation->range),
                     text("a kernel's parameter is annotated with `GMEM(…)`, `Out(…)`, `InOut(…)`, or `int`, `float`, "
                          "`bool`, `str` for a static argument; scratch has no annotation"));
      }
    }
    made->slots_.push_back(std::move(slot));
  }
  return made;
}

std::shared_ptr<const Function> KernelFunction::withSizes(const Function &function, const Sizes &sizes) const {
  auto copy = std::make_shared<Function>(function);
  auto scope = std::make_shared<Scope>();
  scope->parent = function.closure;
  for (const auto &[name, size] : sizes)
    scope->names[name] = Value(size);
  copy->closure = std::move(scope);
  return copy;
}

Result<std::shared_ptr<ArgumentSpec>> KernelFunction::annotation(Context &context, const Slot &slot,
                                                                 const Sizes &sizes) {
  auto unknown = [&](const std::string &name) -> std::optional<Value> {
    if (auto found = sizes.find(name); found != sizes.end())
      return Value(found->second);
    return Value(std::make_shared<SymbolicDim>(name, true));
  };
  Value value = LANESCOPE_TRY(context.evaluator.evaluate(*slot.syntax->annotation, *function_, unknown));
  auto spec = value.ref<ArgumentSpec>();
  if (!spec)
    return error("kernel", parameterSpan(slot), "this annotation has become something else since the definition");
  return spec;
}

Result<void> KernelFunction::matchSizes(const Slot &slot, const ArgumentSpec &spec, const Arg &argument, Sizes &sizes) {
  const core::Array *array = argument.value.asArray();
  const std::string &parameter = slot.syntax->name;
  std::vector<Note> declared = {{parameterSpan(slot), text("`", parameter, "` is declared here")}};
  if (!array)
    return error(
        "type", argument.span,
        text("`", parameter, "` of kernel `", name(), "` must be an array, not `", argument.value.typeName(), "`"),
        declared);
  auto shapeProblem = [&](std::string why) {
    return error("shape-mismatch", argument.span,
                 text("`", parameter, "` of kernel `", name(), "` is ", spec.repr(), ", and the array has shape ",
                      layouts::tupleText(array->shape), why),
                 declared);
  };
  if (array->dtype != spec.dtype)
    return error("dtype-mismatch", argument.span,
                 text("`", parameter, "` of kernel `", name(), "` has dtype ", layouts::name(spec.dtype),
                      ", and the array has dtype ", layouts::name(array->dtype), "; convert it with `.astype(",
                      layouts::name(spec.dtype), ")`"),
                 declared);
  if (array->shape.size() != spec.dims.size())
    return shapeProblem("");
  for (size_t i = 0; i < spec.dims.size(); ++i) {
    int64_t size = array->shape[i];
    if (size < 1)
      return shapeProblem("; a kernel takes no empty arrays");
    if (const auto *known = std::get_if<int64_t>(&spec.dims[i])) {
      if (*known != size)
        return shapeProblem(text("; dimension ", i, " must be ", *known));
      continue;
    }
    const SymbolicDim &symbol = *std::get<std::shared_ptr<SymbolicDim>>(spec.dims[i]);
    if (!symbol.plain())
      return error("kernel", parameterSpan(slot),
                   text("the size `", symbol.text(),
                        "` is not known here: an argument before this one must name its "
                        "dimensions, or write one name alone"));
    auto [found, fresh] = sizes.emplace(symbol.text(), size);
    if (!fresh && found->second != size)
      return shapeProblem(text("; `", symbol.text(), "` is ", found->second));
  }
  return {};
}

Result<KernelFunction::Call> KernelFunction::bind(Context &context, const Arguments &arguments) {
  Call call;
  call.given.resize(slots_.size());
  call.shapes.resize(slots_.size());
  call.dtypes.resize(slots_.size());
  std::vector<Note> defined = {{span(), text("kernel `", name(), "` is defined here")}};

  // Positions: arrays that are read, and static arguments.
  std::vector<size_t> taken;
  for (size_t i = 0; i < slots_.size(); ++i)
    if (slots_[i].role == Role::Static || (slots_[i].role == Role::Array && slots_[i].kind != core::ArgumentKind::Out))
      taken.push_back(i);
  if (arguments.positional.size() > taken.size())
    return error("arguments", arguments.positional[taken.size()].span,
                 text("kernel `", name(), "` takes ", taken.size(), taken.size() == 1 ? " argument" : " arguments",
                      ", but ", arguments.positional.size(), " are given; outputs and scratch are made by the call"),
                 defined);
  for (size_t i = 0; i < arguments.positional.size(); ++i)
    call.given[taken[i]] = arguments.positional[i];
  for (const KeywordArg &keyword : arguments.keyword) {
    auto found = std::ranges::find_if(taken, [&](size_t i) { return slots_[i].syntax->name == keyword.name; });
    if (found == taken.end())
      return error("arguments", keyword.nameSpan, text("kernel `", name(), "` takes no argument `", keyword.name, "`"),
                   defined);
    if (call.given[*found])
      return error("arguments", keyword.nameSpan,
                   text("kernel `", name(), "` gets a second value for `", keyword.name, "`"), defined);
    call.given[*found] = Arg{keyword.value, keyword.span};
  }

  // Static arguments first: dimensions may be named after them.
  for (size_t i : taken) {
    const Slot &slot = slots_[i];
    const std::string &parameter = slot.syntax->name;
    if (!call.given[i] && function_->defaults[i])
      call.given[i] = Arg{*function_->defaults[i], parameterSpan(slot)};
    if (!call.given[i])
      return context.fail("arguments", text("kernel `", name(), "` needs a value for `", parameter, "`"), defined);
    if (slot.role != Role::Static)
      continue;
    const Arg &argument = *call.given[i];
    bool fits = slot.staticType == "int"     ? argument.value.asInt() != nullptr
                : slot.staticType == "float" ? argument.value.asFloat() || argument.value.asInt()
                : slot.staticType == "bool"  ? argument.value.asBool() != nullptr
                                             : argument.value.asStr() != nullptr;
    if (!fits)
      return error("type", argument.span,
                   text("`", parameter, "` of kernel `", name(), "` must be ",
                        slot.staticType == "int" ? "an int" : text("a ", slot.staticType), ", not `",
                        argument.value.typeName(), "`"),
                   defined);
    if (const int64_t *known = argument.value.asInt())
      call.sizes.emplace(parameter, *known);
    call.key += text(parameter, "=", lanescope::repl::repr(argument.value), ", ");
  }
  for (size_t i : taken) {
    if (slots_[i].role != Role::Array)
      continue;
    auto spec = LANESCOPE_TRY(annotation(context, slots_[i], call.sizes));
    LANESCOPE_CHECK(matchSizes(slots_[i], *spec, *call.given[i], call.sizes));
    call.shapes[i] = call.given[i]->value.asArray()->shape;
    call.dtypes[i] = spec->dtype;
  }
  for (size_t i = 0; i < slots_.size(); ++i) {
    if (slots_[i].role != Role::Array)
      continue;
    if (slots_[i].kind == core::ArgumentKind::Out) {
      auto spec = LANESCOPE_TRY(annotation(context, slots_[i], call.sizes));
      for (const Dim &dim : spec->dims) {
        const auto *known = std::get_if<int64_t>(&dim);
        if (!known)
          return error("kernel", parameterSpan(slots_[i]),
                       text("the size `", std::get<std::shared_ptr<SymbolicDim>>(dim)->text(), "` of output `",
                            slots_[i].syntax->name, "` is named by no argument"));
        call.shapes[i].push_back(*known);
      }
      call.dtypes[i] = spec->dtype;
      LANESCOPE_CHECK(context.evaluator.reserveArray(spec->dtype, call.shapes[i], context.span));
    }
    call.key +=
        text(slots_[i].syntax->name, "=", layouts::name(call.dtypes[i]), layouts::tupleText(call.shapes[i]), ", ");
  }
  return call;
}

std::string KernelFunction::repr() const {
  std::vector<std::string> names;
  for (const Slot &slot : slots_)
    if (slot.role != Role::Scratch)
      names.push_back(slot.syntax->name);
  return text("<kernel ", name(), "(", joined(names, ", "), ")>");
}

Result<Value> KernelFunction::attribute(Context &context, const std::string &attribute) {
  if (attribute == "name")
    return Value(name());
  return context.fail("no-attribute", text("a kernel has no attribute `", attribute, "`"));
}

Result<Value> KernelFunction::call(Context &context, const Arguments &arguments) {
  KernelLaunch done = LANESCOPE_TRY(launch(context, arguments, {.profile = runtime_->options().profile},
                                           runtime_->options().device, runtime_->options().timeoutSeconds));
  std::vector<Value> outputs = outputValues(context, done);
  return outputs.size() == 1 ? outputs.front() : outputs.empty() ? Value() : Value::tuple(std::move(outputs));
}

} // namespace lanescope::repl
