#include "repl/kernel/pallas/MutableArray.h"

#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "repl/lang/evaluate/Methods.h"
#include "repl/lang/values/ArrayOps.h"

#include <algorithm>

namespace lanescope::repl {

using Live = std::vector<std::weak_ptr<MutableArray>>;

const Value *MutableArray::inside(const Context &context) const {
  return context.evaluator.staging() && !inside_.isNone() ? &inside_ : nullptr;
}

Result<void> MutableArray::write(Context &context, const core::Array &array) {
  LANESCOPE_CHECK(context.evaluator.willChange(array_, context.span));
  array_.asArrayData()->array = array;
  return {};
}

Result<Value> MutableArray::attribute(Context &context, const std::string &name) {
  if (const Value *reference = inside(context))
    return context.evaluator.attribute(*reference, name, context.span);
  if (const auto known = members(); std::ranges::find(known, name) != known.end())
    return context.evaluator.attribute(array_, name, context.span);
  return context.fail("no-attribute",
                      Message("a mutable array has no attribute `{attribute}` on the host; `ref[...]` is its value{}",
                              name, name == "at" ? ", and `ref[index] = value` writes a part" : ""));
}

Result<Value> MutableArray::getItem(Context &context, const Arg &index) {
  if (const Value *reference = inside(context))
    return context.evaluator.getItem({*reference, context.span}, index, context.span);
  if (context.evaluator.staging())
    return context.fail("staging", "a kernel reads a mutable array that it is called with: pass it as an operand");
  Value out = LANESCOPE_TRY(context.evaluator.getItem({array_, context.span}, index, context.span));
  // Copied, so that a later write to the mutable array does not change the result.
  const core::Array *array = out.asArray();
  return array ? Value(core::Array(*array)) : out;
}

Result<void> MutableArray::setItem(Context &context, const Arg &index, const Arg &value) {
  if (const Value *reference = inside(context))
    return reference->asObject()->setItem(context, index, value);
  if (context.evaluator.staging())
    return context.fail("staging", "a kernel writes a mutable array that it is called with: pass it as an operand");
  return setItemOf(context.evaluator, {array_, context.span}, index, value, context.span);
}

Result<int64_t> MutableArray::length(Context &context) {
  const core::Array *array = array_.asArray();
  if (array->shape.empty())
    return context.fail("type", "an array of rank 0 has no length");
  return array->shape.front();
}

Result<std::optional<Value>> MutableArray::applyBuiltin(Context &context, const std::string &name,
                                                        const Arguments &arguments) {
  if (!inside(context))
    return std::nullopt;
  Arguments replaced = arguments;
  bool any = false;
  auto replace = [&](Value &value) {
    if (auto *array = value.as<MutableArray>())
      if (const Value *reference = array->inside(context))
        value = *reference, any = true;
  };
  for (Arg &arg : replaced.positional)
    replace(arg.value);
  for (KeywordArg &arg : replaced.keyword)
    replace(arg.value);
  const Value *function = any ? context.evaluator.builtin(name) : nullptr;
  if (!function)
    return std::nullopt;
  return std::optional(LANESCOPE_TRY(context.evaluator.call(*function, replaced, context.span)));
}

namespace {

using C = Context;
using A = BoundArguments;
using R = Result<Value>;

R made(C &, const std::shared_ptr<Live> &live, core::Array array, Value place = {}) {
  auto out = std::make_shared<MutableArray>(Value(std::move(array), ArrayRules::Jax), std::move(place));
  std::erase_if(*live, [](const auto &one) { return one.expired(); });
  live->push_back(out);
  return Value(std::move(out));
}

BuiltinCall newRef(std::shared_ptr<Live> live) {
  return [live](C &context, const A &args) -> R {
    const Value given = underJaxRules(args[0].value);
    if (!given.asArray())
      return args.wrongType(0, "an array or a number");
    core::Array array = *given.asArray();
    LANESCOPE_CHECK(context.evaluator.reserveArray(array.dtype, array.shape, context.span));
    return made(context, live, std::move(array), args.has(1) ? args[1].value : Value());
  };
}

BuiltinCall emptyRef(std::shared_ptr<Live> live) {
  return [live](C &context, const A &args) -> R {
    Value shape = LANESCOPE_TRY(context.evaluator.attribute(args[0].value, "shape", args[0].span));
    Value dtype = LANESCOPE_TRY(context.evaluator.attribute(args[0].value, "dtype", args[0].span));
    layouts::Shape sizes;
    for (const Value &size : shape.asTuple() ? *shape.asTuple() : std::vector<Value>{})
      sizes.push_back(size.plain().integer().value_or(0));
    if (!dtype.asDtype())
      return args.wrongType(0, "`jax.ShapeDtypeStruct(shape, dtype)`");
    LANESCOPE_CHECK(context.evaluator.reserveArray(*dtype.asDtype(), sizes, context.span));
    return made(context, live, core::Array::zeros(*dtype.asDtype(), sizes));
  };
}

R freeze(C &context, const A &args) {
  auto *array = args[0].value.as<MutableArray>();
  if (!array)
    return args.wrongType(0, "what `jax.new_ref` gives");
  return array->getItem(context, {Value::ellipsis(), args[0].span});
}

BuiltinCall liveRefs(std::shared_ptr<Live> live) {
  return [live](C &, const A &) -> R {
    std::vector<Value> out;
    for (const auto &one : *live)
      if (auto array = one.lock())
        out.push_back(Value(std::move(array)));
    return Value::tuple(std::move(out));
  };
}

R insideRef(C &context, const A &args) {
  auto *array = args[0].value.as<MutableArray>();
  const Value *reference = array ? array->inside(context) : nullptr;
  return reference ? *reference : args[0].value;
}

R bindRefs(C &, const A &args) {
  const auto *arrays = args[0].value.asTuple(), *references = args[1].value.asTuple();
  for (size_t i = 0; arrays && i < arrays->size(); ++i)
    if (auto *array = (*arrays)[i].as<MutableArray>())
      array->bind(references && i < references->size() ? (*references)[i] : Value());
  return Value();
}

} // namespace

Builtins mutableArrayNatives() {
  auto live = std::make_shared<Live>();
  return {
      {"new_ref", "new_ref(x, *, memory_space=None, kind=None)",
       "A mutable array: kernels that are called with it read and write it in place; `ref[...]` is its value.",
       newRef(live)},
      {"empty_ref", "empty_ref(type, *, memory_space=None)", "A mutable array of zeros.", emptyRef(live)},
      {"freeze", "freeze(ref)", "The value of a mutable array.", freeze},
      {"_live_refs", "_live_refs()", "", liveRefs(live)},
      {"_inside", "_inside(ref)", "", insideRef},
      {"_bind", "_bind(refs, references)", "", bindRefs},
  };
}

} // namespace lanescope::repl
