#include "repl/kernel/trace/Traced.h"

#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "repl/kernel/trace/Expanded.h"
#include "repl/kernel/trace/Primitives.h"
#include "repl/lang/evaluate/Methods.h"
#include "repl/lang/values/ArrayFunctions.h"
#include "repl/lang/values/ArrayOps.h"

#include <algorithm>
#include <limits>
#include <span>

namespace lanescope::repl {

using core::IrValue;
using layouts::Dtype;
using layouts::Shape;

Result<std::optional<Value>> TracedObject::applyBuiltin(Context &context, const std::string &name,
                                                        const Arguments &arguments) {
  return trace_.primitives->apply(context, name, arguments);
}

Note NamedObject::declared() const { return {origin_, text("`", name_, "` is declared here")}; }

std::string typeText(Dtype dtype, const Shape &shape) {
  return shape.empty() ? text(name(dtype)) : text(name(dtype), "[", joined(shape, ", "), "]");
}

Dtype kernelPromotion(Dtype a, Dtype b) {
  if (a == b)
    return a;
  if (layouts::isFloat(a) != layouts::isFloat(b))
    return layouts::isFloat(a) ? a : b;
  if (layouts::isFloat(a)) // if they are f16 and bf16, f32 contains both
    return layouts::bitwidth(a) == layouts::bitwidth(b)  ? Dtype::F32
           : layouts::bitwidth(a) > layouts::bitwidth(b) ? a
                                                         : b;
  Dtype wide = layouts::bitwidth(a) > layouts::bitwidth(b) ? a : b;
  auto both = promote(a, b);
  if (!both) // both dtypes have 64 bits, and one of them is signed
    return wide;
  // JAX's result has 32 bits unless an operand has 64.
  return layouts::bitwidth(wide) < 64 ? narrowed(*both) : *both;
}

//===------------------------------------ operands ----------------------------------------------------------------===//

Result<IrValue> splatOf(Tracer &tracer, const core::Array &array, const Span &span) {
  LANESCOPE_CHECK(tracer.kernelDtype(array.dtype, span));
  const size_t width = layouts::hostBytes(array.dtype);
  const std::span<const std::byte> bytes = array.bytes;
  for (size_t at = width; at < bytes.size(); at += width)
    if (!std::ranges::equal(bytes.first(width), bytes.subspan(at, width)))
      return error("type", span,
                   "an array of the host whose elements differ has no value in a kernel; pass it as an argument "
                   "(`GMEM(…)`), or make it there with `broadcasted_iota`");
  if (bytes.empty())
    return error("type", span, "an array without elements has no value in a kernel");
  LANESCOPE_CHECK(tracer.checkRegisters(array.dtype, array.shape, span));
  core::KernelBuilder &builder = tracer.at(span);
  return layouts::isFloat(array.dtype) ? builder.constant(array.dtype, array.shape, array.number(0))
                                       : builder.constant(array.dtype, array.shape, array.integer(0));
}

Result<Term> termOf(Tracer &tracer, const Arg &argument, std::string_view what) {
  const Value &value = argument.value;
  if (auto *traced = value.as<TracedValue>()) {
    LANESCOPE_CHECK(Tracer::of({tracer.evaluator(), argument.span}, traced->trace()));
    return Term{traced->ir(), {}, argument.span, traced->origin()};
  }
  if (value.number())
    return Term{std::nullopt, value, argument.span, argument.span};
  if (auto *ref = value.as<Reference>())
    return error(
        "type", argument.span,
        Message("`{function}` works on values, and `{name}` is a reference; {}", what, ref->name(), ref->howToRead()));
  if (const core::Array *array = value.asArray())
    return Term{LANESCOPE_TRY(tracer.arrayOf(*array, argument.span)), {}, argument.span, argument.span};
  if (value.as<ExpandedValue>())
    return error("unsupported", argument.span,
                 Message("`{function}` does not take `{type}`; spread it with `broadcast_in_dim` first", what,
                         value.typeName()));
  return error("type", argument.span,
               Message("`{function}` does not take `{type}` in a kernel", what, value.typeName()));
}

Dtype commonDtype(const std::vector<Term> &operands) {
  std::optional<Dtype> dtype;
  bool hasFloat = false, hasInt = false;
  for (const Term &operand : operands) {
    if (operand.traced)
      dtype = dtype ? kernelPromotion(*dtype, operand.traced->dtype) : operand.traced->dtype;
    else if (operand.number.asFloat())
      hasFloat = true;
    else if (!operand.number.asBool())
      hasInt = true;
  }
  if (!dtype)
    return hasFloat ? Dtype::F32 : hasInt ? Dtype::I32 : Dtype::I1;
  if (hasFloat && !layouts::isFloat(*dtype))
    return Dtype::F32;
  if (hasInt && *dtype == Dtype::I1)
    return Dtype::I32;
  return *dtype;
}

/// A hint for two shapes that do not broadcast: the dimensions for which the smaller shape may be meant.
static std::string howToSpread(const Shape &a, const Shape &b) {
  if (a.size() == b.size())
    return ", which must be equal";
  const Shape &small = a.size() < b.size() ? a : b, &large = a.size() < b.size() ? b : a;
  std::vector<int64_t> dims;
  for (size_t d = 0; d < large.size() && dims.size() < small.size(); ++d)
    if (large[d] == small[dims.size()])
      dims.push_back(static_cast<int64_t>(d));
  if (dims.size() != small.size())
    return ", which do not broadcast: no dimensions of the larger one have the sizes of the smaller one";
  return text(", and broadcasting aligns the last dimensions; spread the smaller one: `broadcast_in_dim(x, ",
              layouts::tupleText(large), ", ", layouts::tupleText(dims), ")`");
}

Result<Shape> commonShape(const Context &context, const std::vector<Term> &operands, std::string_view what) {
  const Term *first = nullptr;
  for (const Term &operand : operands) {
    if (operand.shape().empty())
      continue;
    if (!first) {
      first = &operand;
      continue;
    }
    if (first->shape() != operand.shape() && broadcastShapes(first->shape(), operand.shape()))
      continue; // shaped() broadcasts such an operand
    if (first->shape() != operand.shape())
      return context.fail(
          "shape-mismatch",
          Message("`{function}` combines arrays of shapes {shape} and {other_shape}{}", what,
                  layouts::tupleText(first->shape()), layouts::tupleText(operand.shape()),
                  howToSpread(first->shape(), operand.shape())),
          {{first->origin, text("the array of shape ", layouts::tupleText(first->shape()), " is computed here")},
           {operand.origin, text("the array of shape ", layouts::tupleText(operand.shape()), " is computed here")}});
  }
  Shape shape;
  for (const Term &operand : operands)
    shape = LANESCOPE_TRY(broadcastShapes(shape, operand.shape()));
  return shape;
}

Result<IrValue> shaped(Tracer &tracer, const Term &operand, Dtype dtype, const Shape &shape) {
  Context context{tracer.evaluator(), operand.span};
  core::KernelBuilder &builder = tracer.builder();
  LANESCOPE_CHECK(tracer.checkRegisters(dtype, shape, operand.span));
  if (operand.traced) {
    LANESCOPE_CHECK(tracer.checkConverts(operand.traced->dtype, dtype, operand.span));
    IrValue value = builder.cast(*operand.traced, dtype);
    if (value.isScalar() || value.shape == shape)
      return value.isScalar() && !shape.empty() ? builder.splat(value, shape) : value;
    // Broadcasts by NumPy's rules, aligned at the last dimension. Dimensions of size 1 that grow are dropped first.
    Shape kept;
    std::vector<int64_t> dims;
    size_t lead = shape.size() - value.shape.size();
    for (size_t i = 0; i < value.shape.size(); ++i)
      if (value.shape[i] == shape[lead + i]) {
        kept.push_back(value.shape[i]);
        dims.push_back(static_cast<int64_t>(lead + i));
      }
    if (kept.size() != value.shape.size() && !kept.empty())
      value = builder.reshape(value, kept);
    return builder.broadcastInDim(value, shape, dims);
  }
  if (layouts::isFloat(dtype))
    return builder.constant(dtype, shape, *operand.number.number());
  std::optional<int64_t> whole = operand.number.integer();
  if (!whole)
    return context.fail("type", Message("a float does not fit a value of dtype {dtype}", name(dtype)));
  if (dtype == Dtype::I1)
    return builder.constant(dtype, shape, int64_t{*whole != 0});
  // The bits may be read as signed or as unsigned: for 8 bits, both ~0 and 0xff are accepted.
  if (int bits = layouts::bitwidth(dtype);
      bits < 64 && (*whole < -(int64_t{1} << (bits - 1)) || *whole >= int64_t{1} << bits))
    return context.fail("range", Message("{} does not fit {dtype}", *whole, name(dtype)));
  return builder.constant(dtype, shape, *whole);
}

core::Offset addOffsets(Tracer &tracer, const core::Offset &a, const core::Offset &b) {
  const auto *x = std::get_if<int64_t>(&a), *y = std::get_if<int64_t>(&b);
  if (x && y)
    return *x + *y;
  if (x && *x == 0)
    return b;
  if (y && *y == 0)
    return a;
  core::KernelBuilder &builder = tracer.builder();
  auto value = [&](const core::Offset &offset) {
    const auto *known = std::get_if<int64_t>(&offset);
    return known ? builder.constant(Dtype::I32, {}, *known) : std::get<IrValue>(offset);
  };
  IrValue left = value(a), right = value(b);
  return builder.binary(core::BinaryKind::Add, left, right);
}

std::optional<IrValue> tracedIndex(Tracer &tracer, const Value &value) {
  auto *traced = value.as<TracedValue>();
  if (!traced || !traced->ir().isScalar() || !tracer.owns(traced->trace()) || traced->ir().dtype != Dtype::I32)
    return std::nullopt;
  return traced->ir();
}

//===------------------------------------ the object --------------------------------------------------------------===//

std::string TracedValue::typeName() const {
  return text(value_.isScalar() ? "traced scalar " : "traced array ", typeText(value_.dtype, value_.shape));
}

std::string TracedValue::repr() const { return text("<", typeName(), ">"); }

std::vector<std::string> TracedValue::members() const {
  return {"all",  "any",  "astype",  "dtype", "max",  "mean", "min",
          "ndim", "prod", "reshape", "shape", "size", "sum",  "view"};
}

Result<Value> TracedValue::attribute(Context &context, const std::string &name) {
  if (name == "shape")
    return Value::shape(value_.shape);
  if (name == "dtype")
    return Value(value_.dtype);
  if (name == "ndim")
    return Value(value_.shape.size());
  if (name == "size")
    return Value(layouts::elementCount(value_.shape));
  if (name == "astype")
    return BuiltinValue::make({.name = "astype",
                               .signature = "astype(dtype)",
                               .doc = "The same values in another dtype.",
                               .call = [](Context &context, const BoundArguments &args) -> Result<Value> {
                                 Dtype dtype = LANESCOPE_TRY(args.dtype(0));
                                 return castTo(context, *args.self, dtype);
                               }},
                              Value(shared_from_this()));
  if (const ArrayFunction *function = arrayFunction(name);
      function && function->kind == ArrayFunction::Kind::Reduction) // `x.sum(axis=1)` is `sum(x, axis=1)`
    return BuiltinValue::make(functionMethod(name), Value(shared_from_this()));
  if (name == "reshape")
    return BuiltinValue::make({.name = name,
                               .signature = "reshape(*shape)",
                               .doc = "The array under another shape.",
                               .call = [](Context &context, const BoundArguments &args) -> Result<Value> {
                                 Arguments all{args.rest(), {}};
                                 if (all.positional.size() > 1) {
                                   std::vector<Value> sizes;
                                   for (const Arg &size : all.positional)
                                     sizes.push_back(size.value);
                                   all.positional = {{Value::tuple(std::move(sizes)), args.call}};
                                 }
                                 all.positional.insert(all.positional.begin(), {*args.self, context.span});
                                 return context.evaluator.call(*context.evaluator.builtin("reshape"), all,
                                                               context.span);
                               }},
                              Value(shared_from_this()));
  if (name == "view")
    return BuiltinValue::make({.name = name,
                               .signature = "view(dtype)",
                               .doc = "The same bits as another dtype.",
                               .call = [](Context &context, const BoundArguments &args) -> Result<Value> {
                                 Arguments all{{{*args.self, context.span}, args[0]}, {}};
                                 return context.evaluator.call(*context.evaluator.builtin("bitcast"), all,
                                                               context.span);
                               }},
                              Value(shared_from_this()));
  std::string_view way = name == "T" ? "; transpose the reference (`ref.T`), or change the layout (`layout_cast`)" : "";
  return context.fail("no-attribute", Message("an array of a kernel has no attribute `{attribute}`{}", name, way));
}

Result<Value> TracedValue::getItem(Context &context, const Arg &index) {
  if (index.value.isEllipsis())
    return Value(shared_from_this());
  if (auto view = expandedBy(std::static_pointer_cast<TracedValue>(shared_from_this()), index.value))
    return std::move(*view);
  Tracer *tracer = LANESCOPE_TRY(Tracer::of(context, trace_));
  if (auto item = LANESCOPE_TRY(tracer->itemOf(value_, index)))
    return make(*tracer, *item, context.span);
  return sliceOf(context, *this, index);
}

Result<void> TracedValue::setItem(Context &context, const Arg &, const Arg &) {
  return context.fail("unsupported",
                      "an array in registers cannot be changed in place; write to a reference, or choose "
                      "elements with `select`");
}

Result<bool> TracedValue::truth(Context &context) {
  return context.fail(
      "staging",
      value_.isScalar()
          ? "this value is known on the device only, so it cannot decide what is traced; use it in `if`, "
            "`while`, `and`, `or` or `select`"
          : Message("an array of shape {shape} is neither true nor false; use `select` to choose element by element",
                    layouts::tupleText(value_.shape)));
}

Result<int64_t> TracedValue::length(Context &context) {
  if (value_.isScalar())
    return context.fail("type", "a scalar has no length");
  return value_.shape[0];
}

Result<std::vector<Value>> TracedValue::iterate(Context &context) {
  return context.fail("type", Message("a {type} cannot be iterated over", typeName()));
}

} // namespace lanescope::repl
