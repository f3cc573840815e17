#include "repl/kernel/trace/Expanded.h"

#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "repl/kernel/trace/Primitives.h"
#include "repl/lang/values/ArrayFunctions.h"
#include "repl/lang/values/ArrayOps.h"

#include <algorithm>

namespace lanescope::repl {

using layouts::Dtype;
using layouts::Shape;

namespace {

/// The shape of an operand. A view's shape includes the added dimensions of size 1; a number's shape is empty.
Shape shapeOf(const Value &value) {
  if (const auto *expanded = value.as<ExpandedValue>())
    return expanded->view();
  if (const auto *traced = value.as<TracedValue>())
    return traced->ir().shape;
  return value.asArray() ? value.asArray()->shape : Shape{};
}

/// The shape with dimensions of size 1 where the index has a None. Nothing for an index that has anything else than
/// None, `:` and `...`, or that has no None.
std::optional<Shape> withNewAxes(const Shape &own, const Value &index) {
  std::vector<Value> entries = index.asTuple() ? *index.asTuple() : std::vector{index};
  if (std::ranges::none_of(entries, &Value::isNone))
    return std::nullopt;
  size_t taken = 0;
  for (const Value &entry : entries) {
    const SliceData *slice = entry.asSlice();
    bool all = slice && slice->start.isNone() && slice->stop.isNone() && slice->step.isNone();
    if (!all && !entry.isNone() && !entry.isEllipsis())
      return std::nullopt;
    taken += all;
  }
  if (taken > own.size())
    return std::nullopt;
  Shape view;
  size_t next = 0;
  bool dots = false;
  for (const Value &entry : entries) {
    if (entry.isNone())
      view.push_back(1);
    else if (entry.isEllipsis() && !std::exchange(dots, true))
      for (size_t rest = own.size() - taken; rest > 0; --rest)
        view.push_back(own[next++]);
    else if (entry.asSlice())
      view.push_back(own[next++]);
  }
  view.insert(view.end(), own.begin() + static_cast<std::ptrdiff_t>(next), own.end());
  return view;
}

} // namespace

Result<Value> spreadOver(Context &context, const Value &value, const Shape &shape) {
  Shape mine = shapeOf(value);
  if (mine == shape || mine.empty())
    return value;
  const auto *expanded = value.as<ExpandedValue>();
  auto inner = expanded ? std::make_shared<TracedValue>(expanded->inner()) : value.ref<TracedValue>();
  if (!inner) { // a host array: either its elements are equal, or a later check refuses it
    Array wide = LANESCOPE_TRY(broadcastTo(*value.asArray(), shape));
    return Value(std::move(wide), value.arrayRules());
  }
  // The result's dimensions for those of the inner array: the view's dimensions without the added ones, aligned at the
  // end.
  std::vector<int64_t> dims;
  size_t lead = shape.size() - mine.size(), next = 0;
  const Shape &own = inner->ir().shape;
  for (size_t i = 0; i < mine.size(); ++i) {
    bool added = expanded && mine[i] == 1 && (next >= own.size() || own[next] != 1);
    if (!added) {
      dims.push_back(static_cast<int64_t>(lead + i));
      ++next;
    }
  }
  Tracer *tracer = LANESCOPE_TRY(Tracer::of(context, inner->trace()));
  Arguments call;
  std::vector<Value> places(dims.begin(), dims.end());
  call.positional = {{Value(std::static_pointer_cast<Object>(inner)), context.span},
                     {Value::shape(shape), context.span},
                     {Value::tuple(std::move(places)), context.span}};
  auto spread = LANESCOPE_TRY(tracer->primitives().apply(context, "broadcast_in_dim", call));
  return std::move(*spread);
}

std::optional<Value> expandedBy(const std::shared_ptr<TracedValue> &value, const Value &index) {
  std::optional<Shape> view = withNewAxes(value->ir().shape, index);
  return view ? std::optional(Value(std::make_shared<ExpandedValue>(value, *std::move(view)))) : std::nullopt;
}

Value keptDimensions(const Value &reduced, const Shape &from, const std::vector<int64_t> &axes) {
  auto inner = reduced.ref<TracedValue>();
  if (!inner || inner->ir().isScalar()) // a scalar fits every shape
    return reduced;
  Shape view = from;
  for (int64_t axis : axes)
    view[static_cast<size_t>(axis)] = 1;
  return Value(std::make_shared<ExpandedValue>(std::move(inner), std::move(view)));
}

//===------------------------------------ the object --------------------------------------------------------------===//

std::string ExpandedValue::typeName() const { return text("traced array ", typeText(inner_->ir().dtype, view_)); }
std::string ExpandedValue::repr() const { return text("<", typeName(), ">"); }

Value ExpandedValue::viewed(Value value) const {
  auto inner = value.ref<TracedValue>();
  return inner && inner->ir().shape == inner_->ir().shape
             ? Value(std::make_shared<ExpandedValue>(std::move(inner), view_))
             : value;
}

Result<Value> ExpandedValue::attribute(Context &context, const std::string &name) {
  if (name == "shape")
    return Value::shape(view_);
  if (name == "ndim")
    return Value(view_.size());
  if (name == "dtype" || name == "size")
    return inner_->attribute(context, name);
  if (name == "astype") {
    auto self = std::static_pointer_cast<ExpandedValue>(shared_from_this());
    return BuiltinValue::make({.name = "astype",
                               .signature = "astype(dtype)",
                               .doc = "The same values in another dtype.",
                               .call = [self](Context &context, const BoundArguments &args) -> Result<Value> {
                                 return self->viewed(
                                     LANESCOPE_TRY(castTo(context, Value(self->inner_), LANESCOPE_TRY(args.dtype(0)))));
                               }});
  }
  return context.fail("no-attribute",
                      Message("an array of shape {shape} of a kernel has no attribute `{attribute}`: it is "
                              "one of shape {other_shape} that goes with others; combine it first",
                              layouts::tupleText(view_), name, layouts::tupleText(inner_->ir().shape)));
}

Result<Value> ExpandedValue::getItem(Context &context, const Arg &index) {
  if (index.value.isEllipsis())
    return Value(shared_from_this());
  if (std::optional<Shape> view = withNewAxes(view_, index.value))
    return Value(std::make_shared<ExpandedValue>(inner_, *std::move(view)));
  return error("unsupported", index.span,
               Message("an array of shape {shape} is one of shape {other_shape} that goes with others; index that",
                       layouts::tupleText(view_), layouts::tupleText(inner_->ir().shape)));
}

Result<Value> ExpandedValue::unary(Context &context, UnaryOp op) {
  return viewed(LANESCOPE_TRY(inner_->unary(context, op)));
}

Result<ExpandedValue::Together> ExpandedValue::together(Context &context, const Value &other) const {
  Shape theirs = shapeOf(other);
  const auto *expanded = other.as<ExpandedValue>();
  if (theirs.empty())
    return Together{Value(inner_), other, true};
  if (expanded && theirs == view_ && expanded->inner().ir().shape == inner_->ir().shape)
    return Together{Value(inner_), Value(expanded->inner_), true};
  auto shape = broadcastShapes(view_, theirs);
  if (!shape)
    return at(context.span, std::move(shape.error()));
  Value self(std::const_pointer_cast<Object>(shared_from_this()));
  return Together{LANESCOPE_TRY(spreadOver(context, self, *shape)), LANESCOPE_TRY(spreadOver(context, other, *shape)),
                  false};
}

Result<std::optional<Value>> ExpandedValue::binary(Context &context, BinaryOp op, const Arg &other, bool reflected) {
  auto [mine, theirs, again] = LANESCOPE_TRY(together(context, other.value));
  Arg left{reflected ? theirs : mine, reflected ? other.span : context.span};
  Arg right{reflected ? mine : theirs, reflected ? context.span : other.span};
  Value out = LANESCOPE_TRY(context.evaluator.binary(op, left, right, context.span));
  return again ? viewed(std::move(out)) : out;
}

Result<std::optional<Value>> ExpandedValue::compare(Context &context, CompareOp op, const Arg &other) {
  if (other.value.isNone())
    return std::nullopt;
  auto [mine, theirs, again] = LANESCOPE_TRY(together(context, other.value));
  Value out = LANESCOPE_TRY(context.evaluator.compare(op, {mine, context.span}, {theirs, other.span}, context.span));
  return again ? viewed(std::move(out)) : out;
}

/// Handles functions of elements, and `broadcast_in_dim`. For any other function, the view would have to become an
/// array.
Result<std::optional<Value>> ExpandedValue::applyBuiltin(Context &context, const std::string &name,
                                                         const Arguments &arguments) {
  if (name == "broadcast_in_dim" && arguments.positional.size() >= 3 &&
      arguments.positional[0].value.as<ExpandedValue>() && arguments.positional[2].value.asTuple()) {
    // The view's added dimensions are not in the inner array, so leave out their entries of `broadcast_dimensions`.
    Arguments call = arguments;
    std::vector<Value> dims;
    const auto &given = *arguments.positional[2].value.asTuple();
    size_t next = 0;
    const Shape &own = inner_->ir().shape;
    for (size_t i = 0; i < view_.size() && i < given.size(); ++i)
      if (next < own.size() && own[next] == view_[i] && !(view_[i] == 1 && own.size() - next < view_.size() - i)) {
        dims.push_back(given[i]);
        ++next;
      }
    call.positional[0].value = Value(inner_);
    call.positional[2].value = Value::tuple(std::move(dims));
    return context.evaluator.call(*context.evaluator.builtin(name), call, context.span);
  }
  if (name == "broadcast_to")
    return inner_->applyBuiltin(context, name, arguments);
  const ArrayFunction *function = arrayFunction(name);
  if (name != "debug_print" && !(function && function->kind == ArrayFunction::Kind::Elements))
    return context.fail("unsupported",
                        Message("`{name}` does not take an array of shape {shape}, which is one of shape {other_shape} "
                                "that goes with others; spread it with `broadcast_in_dim` first",
                                name, layouts::tupleText(view_), layouts::tupleText(inner_->ir().shape)));
  Shape shape = view_;
  bool same = true;
  for (const Arg &argument : arguments.positional) {
    Shape theirs = shapeOf(argument.value);
    const auto *expanded = argument.value.as<ExpandedValue>();
    same =
        same && (theirs.empty() || (expanded && theirs == view_ && expanded->inner().ir().shape == inner_->ir().shape));
    auto joint = broadcastShapes(shape, theirs);
    if (!joint)
      return at(argument.span, std::move(joint.error()));
    shape = std::move(*joint);
  }
  Arguments call = arguments;
  for (Arg &argument : call.positional) {
    const auto *expanded = argument.value.as<ExpandedValue>();
    if (same && expanded)
      argument.value = Value(expanded->inner_);
    else if (!same)
      argument.value = LANESCOPE_TRY(spreadOver(context, argument.value, shape));
  }
  Value out = LANESCOPE_TRY(context.evaluator.call(*context.evaluator.builtin(name), call, context.span));
  return same ? viewed(std::move(out)) : out;
}

} // namespace lanescope::repl
