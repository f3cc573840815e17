// An array or scalar of the kernel that is being traced, and the conversion of other values to one.
//
//   tile[...] * 2      a TracedValue f16[128, 128]; the 2 becomes a constant of its dtype and shape
//
// Dtypes follow JAX: Python numbers take the other operand's dtype (a float with integers gives f32), and two dtypes
// are promoted to the wider float. Shapes must be equal; a scalar fits every shape.
#pragma once

#include "layouts/support/Text.h"
#include "repl/kernel/trace/Tracer.h"

#include <optional>

namespace lanescope::repl {

/// An object that belongs to a trace. The functions of its kernel's language apply to it.
class TracedObject : public Object {
public:
  TracedObject(TraceId trace, Span origin) : trace_(trace), origin_(std::move(origin)) {}
  TraceId trace() const { return trace_; }
  /// The place where the object was computed or declared.
  const Span &origin() const { return origin_; }
  Result<std::optional<Value>> applyBuiltin(Context &context, const std::string &name,
                                            const Arguments &arguments) override;

protected:
  TraceId trace_;
  Span origin_;
};

/// An object that a parameter names: memory, a barrier, an accumulator.
class NamedObject : public TracedObject {
public:
  NamedObject(std::string name, TraceId trace, Span origin)
      : TracedObject(trace, std::move(origin)), name_(std::move(name)) {}
  const std::string &name() const { return name_; }
  Note declared() const;

protected:
  std::string name_;
};

/// Memory. It is no operand itself, but an index reads a part of it.
class Reference : public NamedObject {
public:
  using NamedObject::NamedObject;
  /// A text that says how to read the memory, for errors.
  virtual std::string howToRead() const { return text("read it with `", name_, "[...]`"); }
  /// The value that a print inside a kernel shows; nothing if the object must be read first.
  virtual Result<std::optional<core::IrValue>> printed(Tracer &, const Span &) const { return std::nullopt; }
};

class TracedValue final : public TracedObject {
public:
  TracedValue(core::IrValue value, TraceId trace, Span origin)
      : TracedObject(trace, std::move(origin)), value_(std::move(value)) {}
  static Value make(const Tracer &tracer, core::IrValue value, const Span &origin) {
    return std::make_shared<TracedValue>(std::move(value), tracer.id(), origin);
  }

  const core::IrValue &ir() const { return value_; }

  std::string typeName() const override;
  std::string repr() const override;
  Result<Value> attribute(Context &context, const std::string &name) override;
  std::vector<std::string> members() const override;
  Result<Value> getItem(Context &context, const Arg &index) override;
  Result<void> setItem(Context &context, const Arg &index, const Arg &value) override;
  Result<Value> unary(Context &context, UnaryOp op) override;
  Result<std::optional<Value>> binary(Context &context, BinaryOp op, const Arg &other, bool reflected) override;
  Result<std::optional<Value>> compare(Context &context, CompareOp op, const Arg &other) override;
  Result<bool> truth(Context &context) override;
  Result<int64_t> length(Context &context) override;
  Result<std::vector<Value>> iterate(Context &context) override;

private:
  core::IrValue value_;
};

/// The text of a type: `f16[128, 128]`, `i32`.
std::string typeText(layouts::Dtype dtype, const layouts::Shape &shape);

/// The dtype to which two dtypes are promoted.
layouts::Dtype kernelPromotion(layouts::Dtype a, layouts::Dtype b);

/// A number of the snippet, or a traced value, ready as an operand.
struct Term {
  std::optional<core::IrValue> traced;
  Value number; // set if the operand is not traced
  Span span, origin;
  layouts::Shape shape() const { return traced ? traced->shape : layouts::Shape{}; }
};
/// A host array with equal elements, such as `zeros(…)`, as a constant of the kernel. Error: its elements differ.
Result<core::IrValue> splatOf(Tracer &tracer, const core::Array &array, const Span &span);
/// The argument as an operand: a number or a traced value. Error for any other value; `what` names the operation (`+`,
/// `maximum`).
Result<Term> termOf(Tracer &tracer, const Arg &argument, std::string_view what);
/// The dtype to which the operands are promoted. If all are numbers, it is f32 if one of them is a float, else i32.
layouts::Dtype commonDtype(const std::vector<Term> &operands);
/// The common shape of the arrays among the operands; empty if all are scalars. Error: two shapes differ.
Result<layouts::Shape> commonShape(const Context &context, const std::vector<Term> &operands, std::string_view what);
/// The operand converted to this dtype and shape: a number becomes a constant, and a scalar is repeated over the shape.
Result<core::IrValue> shaped(Tracer &tracer, const Term &operand, layouts::Dtype dtype, const layouts::Shape &shape);

/// `array[64:128, :]`: a slice of whole tiles of the array's layout, with starts that are known while tracing.
Result<Value> sliceOf(Context &context, const TracedValue &array, const Arg &index);

/// Converts a value: `x.astype(dtype)`.
Result<Value> castTo(Context &context, const Value &value, layouts::Dtype dtype);

/// Adds two offsets; emits an addition only if one is known only on the device.
core::Offset addOffsets(Tracer &tracer, const core::Offset &a, const core::Offset &b);

/// `value` as a traced i32 scalar; nullopt if it is not a traced integer scalar.
std::optional<core::IrValue> tracedIndex(Tracer &tracer, const Value &value);

} // namespace lanescope::repl
