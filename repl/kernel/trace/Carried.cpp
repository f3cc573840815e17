#include "repl/kernel/trace/Carried.h"

#include "layouts/support/Text.h"
#include "layouts/support/Try.h"

namespace lanescope::repl {

using core::IrValue;
using layouts::Dtype;

void flatten(const Value &value, std::vector<Value> &leaves) {
  if (const auto *items = value.asTuple())
    for (const Value &item : *items)
      flatten(item, leaves);
  else
    leaves.push_back(value);
}

Value rebuilt(const Value &model, const std::vector<Value> &leaves, size_t &next) {
  const auto *items = model.asTuple();
  if (!items)
    return leaves[next++];
  std::vector<Value> out;
  for (const Value &item : *items)
    out.push_back(rebuilt(item, leaves, next));
  return Value::tuple(std::move(out));
}

bool sameStructure(const Value &a, const Value &b) {
  const auto *x = a.asTuple(), *y = b.asTuple();
  if (!x || !y)
    return !x && !y;
  if (x->size() != y->size())
    return false;
  for (size_t i = 0; i < x->size(); ++i)
    if (!sameStructure((*x)[i], (*y)[i]))
      return false;
  return true;
}

bool sameStatic(const Value &a, const Value &b) {
  if (a.identical(b))
    return true;
  // Lists, dicts and arrays are the same only if they are one object. Scalars, strings and layouts are compared by
  // value and type.
  return !a.asObject() && !b.asObject() && !a.asList() && !a.asDict() && !a.asArray() && a.typeName() == b.typeName() &&
         equal(a, b);
}

std::string described(const Value &value) {
  if (auto *traced = value.as<TracedValue>())
    return typeText(traced->ir().dtype, traced->ir().shape);
  if (const core::Array *array = value.asArray())
    return typeText(array->dtype, array->shape);
  if (value.number())
    return text("the number ", repr(value));
  return text("a ", value.typeName());
}

Carried::Carried(Tracer &tracer, const std::vector<std::string> &names, const Bindings &initial, Span span)
    : tracer_(tracer), names_(names), initial_(initial), span_(std::move(span)), lost_(names.size(), false) {
  for (size_t i = 0; i < names.size(); ++i) {
    if (!initial[i])
      continue;
    std::vector<Value> leaves;
    flatten(*initial[i], leaves);
    for (Value &leaf : leaves) {
      std::optional<Type> type;
      // After `total = zeros(…)` before a loop, the leaf is a constant that the iterations replace. If its elements
      // differ, it is not converted, and merged() explains why it cannot be carried.
      if (const core::Array *array = leaf.asArray())
        if (auto splat = splatOf(tracer, *array, span_))
          leaf = TracedValue::make(tracer, *splat, span_);
      if (auto *traced = leaf.as<TracedValue>())
        type = Type{traced->ir().dtype, traced->ir().shape};
      leaves_.push_back({i, std::move(leaf), std::move(type)});
    }
  }
}

Result<std::vector<IrValue>> Carried::initialValues() {
  std::vector<IrValue> values;
  tracer_.at(span_);
  for (const Leaf &leaf : leaves_) {
    if (!leaf.carried)
      continue;
    Term operand = LANESCOPE_TRY(termOf(tracer_, {leaf.initial, span_}, names_[leaf.name]));
    values.push_back(LANESCOPE_TRY(shaped(tracer_, operand, leaf.carried->dtype, leaf.carried->shape)));
  }
  return values;
}

Bindings Carried::inside(const std::vector<IrValue> &carried) const {
  std::vector<Value> values;
  size_t next = 0;
  for (const Leaf &leaf : leaves_)
    values.push_back(leaf.carried ? TracedValue::make(tracer_, carried[next++], span_) : leaf.initial);
  Bindings bindings(names_.size());
  size_t at = 0;
  for (size_t i = 0; i < names_.size(); ++i)
    if (initial_[i])
      bindings[i] = rebuilt(*initial_[i], values, at);
  return bindings;
}

Bindings Carried::after(const std::vector<IrValue> &results) const {
  Bindings bindings = inside(results);
  for (size_t i = 0; i < names_.size(); ++i)
    if (lost_[i])
      bindings[i].reset();
  return bindings;
}

Result<std::optional<Carried::Type>> Carried::merged(const Leaf &leaf, const Value &result) const {
  auto changes = [&]() {
    return error("staging", span_,
                 Message("`{}` is {type} before the loop and {other_type} after a round; a variable that a loop on the "
                         "device rebinds keeps its type",
                         names_[leaf.name], described(leaf.initial), described(result)));
  };
  if (!leaf.carried && sameStatic(leaf.initial, result))
    return std::nullopt;
  auto *traced = result.as<TracedValue>();
  bool startsAsNumber = leaf.initial.number().has_value();
  if ((!traced && !result.number()) || (!startsAsNumber && !leaf.carried))
    return error(
        "staging", span_,
        Message("`{}` is {type} before the loop and {other_type} after a round; only numbers and arrays can change "
                "from round to round, so bind another name inside the loop, or loop over `static_range(…)`",
                names_[leaf.name], described(leaf.initial), described(result)));
  if (!startsAsNumber) { // the value was traced before the loop, so its type is fixed
    Type found = traced ? Type{traced->ir().dtype, traced->ir().shape} : *leaf.carried;
    if (found != *leaf.carried || (!traced && result.asFloat() && !layouts::isFloat(leaf.carried->dtype)))
      return changes();
    return leaf.carried;
  }
  Term start{std::nullopt, leaf.initial, span_, span_};
  if (leaf.carried) // the type that an earlier attempt found
    start.traced = IrValue{nullptr, leaf.carried->dtype, leaf.carried->shape};
  Term end{std::nullopt, traced ? Value() : result, span_, span_};
  if (traced)
    end.traced = traced->ir();
  Dtype dtype = traced && !leaf.carried && !(leaf.initial.asFloat() && !layouts::isFloat(traced->ir().dtype))
                    ? traced->ir().dtype
                    : commonDtype({start, end});
  if (!start.shape().empty() && !end.shape().empty() && start.shape() != end.shape())
    return changes();
  return Type{dtype, end.shape().empty() ? start.shape() : end.shape()};
}

Result<std::optional<std::vector<IrValue>>> Carried::absorb(const Bindings &results) {
  std::vector<Value> found;
  for (size_t i = 0; i < names_.size(); ++i) {
    if (!initial_[i])
      continue;
    if (!results[i]) { // the name is deleted, or bound on only one path
      lost_[i] = true;
      flatten(*initial_[i], found);
      continue;
    }
    if (!sameStructure(*initial_[i], *results[i]))
      return error("staging", span_,
                   Message("`{}` is {type} before the loop and {other_type} of another structure after a round",
                           names_[i], described(*initial_[i]), described(*results[i])));
    flatten(*results[i], found);
  }
  bool changed = false;
  for (size_t k = 0; k < leaves_.size(); ++k) {
    if (lost_[leaves_[k].name])
      continue;
    auto type = LANESCOPE_TRY(merged(leaves_[k], found[k]));
    changed = changed || type != leaves_[k].carried;
    leaves_[k].carried = std::move(type);
  }
  if (changed)
    return std::nullopt;
  std::vector<IrValue> values;
  tracer_.at(span_);
  for (size_t k = 0; k < leaves_.size(); ++k) {
    const Leaf &leaf = leaves_[k];
    if (!leaf.carried)
      continue;
    Term operand = LANESCOPE_TRY(termOf(tracer_, {found[k], span_}, names_[leaf.name]));
    values.push_back(LANESCOPE_TRY(shaped(tracer_, operand, leaf.carried->dtype, leaf.carried->shape)));
  }
  return values;
}

} // namespace lanescope::repl
