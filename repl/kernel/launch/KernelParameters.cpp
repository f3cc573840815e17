#include "repl/kernel/launch/KernelParameters.h"

#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "layouts/support/Words.h"

#include <algorithm>

namespace lanescope::repl {

Span KernelParameters::span() const {
  return function_ ? function_->module->span(function_->syntax->nameRange) : span_;
}

Span KernelParameters::spanOf(const Slot &slot) const {
  return function_ ? function_->module->span(slot.syntax->range) : slot.place;
}

KernelParameters KernelParameters::of(std::string kernel, Span span, const std::vector<Given> &parameters, Body body) {
  KernelParameters made(nullptr, std::move(kernel));
  made.span_ = std::move(span);
  made.body_ = std::move(body);
  made.made_ = std::make_shared<std::deque<Parameter>>();
  for (const Given &given : parameters) {
    Parameter &syntax = made.made_->emplace_back();
    syntax.name = given.name;
    made.slots_.push_back({&syntax, given.role, given.kind, {}, given.spec, given.place});
  }
  return made;
}

Result<KernelParameters> KernelParameters::make(Context &context, std::shared_ptr<const Function> function,
                                                std::string kernel) {
  KernelParameters made(std::move(function), std::move(kernel));
  for (const Parameter &parameter : made.function_->syntax->parameters) {
    Slot slot{.syntax = &parameter};
    Span span = made.spanOf(slot);
    if (parameter.form == Parameter::Form::Rest || parameter.form == Parameter::Form::KeywordRest)
      return error("kernel", span, "a kernel has a fixed number of parameters");
    if (parameter.annotation) {
      auto unknown = [](const std::string &name) -> std::optional<Value> {
        return Value(std::make_shared<SymbolicDim>(name, true));
      };
      Value value = LANESCOPE_TRY(context.evaluator.evaluate(*parameter.annotation, *made.function_, unknown));
      if (auto *spec = value.as<ArgumentSpec>()) {
        slot.role = Role::Array;
        slot.kind = spec->kind;
      } else if (const BuiltinValue *type = value.asBuiltin(); type && (type->name == "int" || type->name == "float" ||
                                                                        type->name == "bool" || type->name == "str")) {
        slot.role = Role::Static;
        slot.staticType = type->name;
      } else if (const layouts::Dtype *number = value.asDtype()) {
        return error("kernel", made.function_->module->span(parameter.annotation->range),
                     text("a kernel takes a number that changes from call to call as an array of one element: "
                          "`GMEM((1,), ",
                          name(*number), ")`, read with `", parameter.name,
                          "[0]`; with `int` or `float`, it compiles anew for each number"));
      } else {
        return error("kernel", made.function_->module->span(parameter.annotation->range),
                     "a kernel's parameter is annotated with `GMEM(…)`, `Out(…)`, `InOut(…)`, or `int`, `float`, "
                     "`bool`, `str` for a static argument; scratch has no annotation");
      }
    }
    made.slots_.push_back(std::move(slot));
  }
  return made;
}

std::shared_ptr<const Function> KernelParameters::withSizes(const Function &function, const Sizes &sizes) const {
  auto copy = std::make_shared<Function>(function);
  auto scope = std::make_shared<Scope>();
  scope->parent = function.closure;
  for (const auto &[name, size] : sizes)
    scope->names[name] = Value(size);
  copy->closure = std::move(scope);
  return copy;
}

Result<std::shared_ptr<ArgumentSpec>> KernelParameters::annotation(Context &context, const Slot &slot,
                                                                   const Sizes &sizes) const {
  if (slot.spec)
    return slot.spec;
  auto unknown = [&](const std::string &name) -> std::optional<Value> {
    if (auto found = sizes.find(name); found != sizes.end())
      return Value(found->second);
    return Value(std::make_shared<SymbolicDim>(name, true));
  };
  Value value = LANESCOPE_TRY(context.evaluator.evaluate(*slot.syntax->annotation, *function_, unknown));
  auto spec = value.ref<ArgumentSpec>();
  if (!spec)
    return error("kernel", spanOf(slot), "this annotation has become something else since the definition");
  return spec;
}

Result<void> KernelParameters::matchSizes(const Slot &slot, const ArgumentSpec &spec, const Arg &argument,
                                          Sizes &sizes) const {
  const core::Array *array = argument.value.asArray();
  const std::string &parameter = slot.syntax->name;
  std::vector<Note> declared = {{spanOf(slot), text("`", parameter, "` is declared here")}};
  if (!array)
    return error("type", argument.span,
                 Message("`{}` of kernel `{kernel}` must be an array, not `{type}`", parameter, kernel_,
                         argument.value.typeName()),
                 declared);
  auto shapeProblem = [&](std::string why) {
    return error("shape-mismatch", argument.span,
                 Message("`{}` of kernel `{kernel}` is {}, and {} has shape {shape}{}", parameter, kernel_, spec.repr(),
                         spec.sharding.empty() ? "the array" : "each device's part of the array",
                         layouts::tupleText(array->shape), why),
                 declared);
  };
  if (array->dtype != spec.dtype)
    return error("dtype-mismatch", argument.span,
                 Message("`{}` of kernel `{kernel}` has dtype {dtype}, and the array has dtype {other_dtype}; convert "
                         "it with `.astype({})`",
                         parameter, kernel_, layouts::name(spec.dtype), layouts::name(array->dtype),
                         layouts::name(spec.dtype)),
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
      return error("kernel", spanOf(slot),
                   Message("the size `{name}` is not known here: an argument before this one must name its dimensions, "
                           "or write one name alone",
                           symbol.text()));
    auto [found, fresh] = sizes.emplace(symbol.text(), size);
    if (!fresh && found->second != size)
      return shapeProblem(text("; `", symbol.text(), "` is ", found->second));
  }
  return {};
}

std::vector<size_t> KernelParameters::givenSlots() const {
  std::vector<size_t> taken;
  for (size_t i = 0; i < slots_.size(); ++i)
    if (slots_[i].role == Role::Static || (slots_[i].role == Role::Array && slots_[i].kind != core::ArgumentKind::Out))
      taken.push_back(i);
  return taken;
}

Result<std::vector<Arguments>> KernelParameters::shards(Context &context, const Arguments &arguments,
                                                        const DeviceMesh &mesh) const {
  std::vector<Arguments> out(static_cast<size_t>(mesh.devices()));
  std::vector<size_t> taken = givenSlots();
  // bind reports arguments that no parameter takes.
  auto part = [&](const Slot *slot, const Value &value, const Span &span) -> Result<std::vector<Value>> {
    std::vector<Value> each(out.size(), value);
    const core::Array *array = value.asArray();
    if (!slot || slot->role != Role::Array || !array)
      return each;
    auto spec = LANESCOPE_TRY(annotation(context, *slot, {}));
    if (spec->sharding.empty())
      return each;
    core::Array parts = LANESCOPE_TRY(dealt(context, *array, mesh, spec->sharding, slot->syntax->name, span));
    for (size_t d = 0; d < each.size(); ++d)
      each[d] = Value(partOf(parts, static_cast<int64_t>(d)));
    return each;
  };
  for (size_t i = 0; i < arguments.positional.size(); ++i) {
    const Arg &given = arguments.positional[i];
    auto each = LANESCOPE_TRY(part(i < taken.size() ? &slots_[taken[i]] : nullptr, given.value, given.span));
    for (size_t d = 0; d < out.size(); ++d)
      out[d].positional.push_back({each[d], given.span});
  }
  for (const KeywordArg &given : arguments.keyword) {
    auto found = std::ranges::find_if(taken, [&](size_t i) { return slots_[i].syntax->name == given.name; });
    auto each = LANESCOPE_TRY(part(found == taken.end() ? nullptr : &slots_[*found], given.value, given.span));
    for (size_t d = 0; d < out.size(); ++d)
      out[d].keyword.push_back({given.name, given.nameSpan, each[d], given.span});
  }
  return out;
}

Result<std::vector<Sharding>> KernelParameters::outputShardings(Context &context) const {
  std::vector<Sharding> out;
  for (const Slot &slot : slots_)
    if (slot.role == Role::Array && slot.kind != core::ArgumentKind::In)
      out.push_back(LANESCOPE_TRY(annotation(context, slot, {}))->sharding);
  return out;
}

Result<KernelParameters::Call> KernelParameters::bind(Context &context, const Arguments &arguments,
                                                      const DeviceMesh &mesh) const {
  Call call;
  call.given.resize(slots_.size());
  call.shapes.resize(slots_.size());
  call.dtypes.resize(slots_.size());
  std::vector<Note> defined = {{span(), text("kernel `", kernel_, "` is defined here")}};

  std::vector<size_t> taken = givenSlots();
  auto checkSharding = [&](const Slot &slot, const ArgumentSpec &spec) -> Result<void> {
    if (spec.sharding.empty() || !mesh.none())
      return {};
    return error("kernel", spanOf(slot),
                 Message("`{name}` is split over devices, and kernel `{kernel}` is for one; a mesh makes it one for "
                         "several: `@kernel(mesh={{\"x\": 2}}, …)`",
                         slot.syntax->name, kernel_));
  };

  if (arguments.positional.size() > taken.size())
    return error(
        "arguments", arguments.positional[taken.size()].span,
        Message("kernel `{kernel}` takes {}, but {count} are given; outputs and scratch are made by the call{}",
                kernel_, counted(taken.size(), "argument"), arguments.positional.size(),
                taken.empty() ? ", and an array that it reads is annotated, `x: GMEM((64, 64), f16)`" : ""),
        defined);
  for (size_t i = 0; i < arguments.positional.size(); ++i)
    call.given[taken[i]] = arguments.positional[i];
  for (const KeywordArg &keyword : arguments.keyword) {
    auto found = std::ranges::find_if(taken, [&](size_t i) { return slots_[i].syntax->name == keyword.name; });
    if (found == taken.end())
      return error("arguments", keyword.nameSpan,
                   Message("kernel `{kernel}` takes no argument `{argument}`", kernel_, keyword.name), defined);
    if (call.given[*found])
      return error("arguments", keyword.nameSpan,
                   Message("kernel `{kernel}` gets a second value for `{name}`", kernel_, keyword.name), defined);
    call.given[*found] = Arg{keyword.value, keyword.span};
  }

  // Static arguments come first, because dimensions may be named after them.
  for (size_t i : taken) {
    const Slot &slot = slots_[i];
    const std::string &parameter = slot.syntax->name;
    if (!call.given[i] && function_ && function_->defaults[i])
      call.given[i] = Arg{*function_->defaults[i], spanOf(slot)};
    if (!call.given[i])
      return context.fail("arguments", Message("kernel `{kernel}` needs a value for `{}`", kernel_, parameter),
                          defined);
    if (slot.role != Role::Static)
      continue;
    const Arg &argument = *call.given[i];
    bool fits = slot.staticType == "int"     ? argument.value.asInt() != nullptr
                : slot.staticType == "float" ? argument.value.asFloat() || argument.value.asInt()
                : slot.staticType == "bool"  ? argument.value.asBool() != nullptr
                                             : argument.value.asStr() != nullptr;
    if (!fits)
      return error("type", argument.span,
                   Message("`{}` of kernel `{kernel}` must be {}, not `{type}`", parameter, kernel_,
                           slot.staticType == "int" ? "an int" : text("a ", slot.staticType),
                           argument.value.typeName()),
                   defined);
    if (const int64_t *known = argument.value.asInt())
      call.sizes.emplace(parameter, *known);
    call.key += text(parameter, "=", lanescope::repl::repr(argument.value), ", ");
  }
  for (size_t i : taken) {
    if (slots_[i].role != Role::Array)
      continue;
    auto spec = LANESCOPE_TRY(annotation(context, slots_[i], call.sizes));
    LANESCOPE_CHECK(checkSharding(slots_[i], *spec));
    LANESCOPE_CHECK(matchSizes(slots_[i], *spec, *call.given[i], call.sizes));
    call.shapes[i] = call.given[i]->value.asArray()->shape;
    call.dtypes[i] = spec->dtype;
  }
  for (size_t i = 0; i < slots_.size(); ++i) {
    if (slots_[i].role != Role::Array)
      continue;
    if (slots_[i].kind == core::ArgumentKind::Out) {
      auto spec = LANESCOPE_TRY(annotation(context, slots_[i], call.sizes));
      LANESCOPE_CHECK(checkSharding(slots_[i], *spec));
      for (const Dim &dim : spec->dims) {
        const auto *known = std::get_if<int64_t>(&dim);
        if (!known)
          return error("kernel", spanOf(slots_[i]),
                       Message("the size `{name}` of output `{output}` is named by no argument",
                               std::get<std::shared_ptr<SymbolicDim>>(dim)->text(), slots_[i].syntax->name));
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

Arguments KernelParameters::placeholders(Context &context) const {
  Arguments out;
  for (const Slot &slot : slots_) {
    if (slot.role != Role::Array || slot.kind == core::ArgumentKind::Out)
      continue;
    auto spec = annotation(context, slot, {});
    layouts::Shape shape;
    for (const Dim &dim : spec ? (*spec)->dims : std::vector<Dim>{})
      if (const auto *known = std::get_if<int64_t>(&dim))
        shape.push_back(*known);
    if (!spec || shape.size() != (*spec)->dims.size() ||
        !context.evaluator.reserveArray((*spec)->dtype, shape, context.span))
      return {};
    out.keyword.push_back(
        {slot.syntax->name, spanOf(slot), Value(core::Array::zeros((*spec)->dtype, shape)), spanOf(slot)});
  }
  return out;
}

std::vector<core::Array> KernelParameters::arrays(const Call &call) const {
  std::vector<core::Array> arrays;
  arrays.reserve(slots_.size());
  for (size_t i = 0; i < slots_.size(); ++i) {
    if (slots_[i].role != Role::Array)
      continue;
    if (slots_[i].kind == core::ArgumentKind::Out)
      arrays.push_back({call.dtypes[i], call.shapes[i],
                        core::ArrayBytes::zeros(core::checkedArrayBytes(call.dtypes[i], call.shapes[i]).value_or(0))});
    else
      arrays.push_back(*call.given[i]->value.asArray());
  }
  return arrays;
}

Result<std::vector<core::Array>> KernelParameters::arrays(Context &context, const std::vector<Call> &calls) const {
  for (size_t i = 0; i < slots_.size(); ++i)
    if (slots_[i].role == Role::Array) {
      layouts::Shape shape = calls.front().shapes[i];
      shape.insert(shape.begin(), static_cast<int64_t>(calls.size()));
      LANESCOPE_CHECK(context.evaluator.reserveArray(calls.front().dtypes[i], shape, context.span));
    }
  std::vector<std::vector<core::Array>> each;
  for (const Call &call : calls)
    each.push_back(arrays(call));
  std::vector<core::Array> all;
  for (size_t i = 0; i < each.front().size(); ++i) {
    std::vector<const core::Array *> parts;
    for (const std::vector<core::Array> &mine : each)
      parts.push_back(&mine[i]);
    all.push_back(stacked(parts));
  }
  return all;
}

Result<Value> KernelParameters::setting(Context &context, const Arg &setting, const Sizes &sizes) const {
  auto function = setting.value.functionRef();
  if (!function)
    return setting.value;
  return context.evaluator.call(Value(withSizes(*function, sizes)), {}, setting.span);
}

Result<void> KernelParameters::checkScratch(size_t entries, const Span &scratch) const {
  size_t count = 0;
  for (const Slot &slot : slots_) {
    if (slot.role != Role::Scratch)
      continue;
    if (count++ == entries)
      return error("kernel", spanOf(slot),
                   Message("`{name}` has no annotation and nothing in `scratch` to stand for: `scratch` has {}",
                           slot.syntax->name, counted(entries, "entry", "entries")),
                   {{scratch, "`scratch` is given here"}});
  }
  if (count != entries)
    return error("kernel", scratch,
                 Message("`scratch` has {}, and kernel `{kernel}` has {} without annotation",
                         counted(entries, "entry", "entries"), kernel_, counted(count, "parameter")),
                 {{span(), text("kernel `", kernel_, "` is defined here")}});
  return {};
}

Result<void> KernelParameters::trace(Context &context, const Call &call, const std::vector<Value> &values) const {
  if (body_)
    return body_(context, values);
  Arguments arguments;
  for (size_t i = 0; i < slots_.size(); ++i) {
    const Slot &slot = slots_[i];
    if (slot.syntax->form == Parameter::Form::KeywordOnly)
      arguments.keyword.push_back({slot.syntax->name, spanOf(slot), values[i], spanOf(slot)});
    else
      arguments.positional.push_back({values[i], spanOf(slot)});
  }
  Value result =
      LANESCOPE_TRY(context.evaluator.call(Value(withSizes(*function_, call.sizes)), arguments, context.span));
  if (!result.isNone())
    return error(
        "kernel", span(),
        Message("kernel `{kernel}` returns a value; a kernel gives results through its `Out(…)` arguments", kernel_));
  return {};
}

} // namespace lanescope::repl
