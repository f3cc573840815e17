// An array or scalar of the kernel that is being traced, and how values become one.
//
//   tile[...] * 2      a TracedValue f16[128, 128]; the 2 becomes a constant of its dtype and shape
//
// Dtypes follow JAX: Python numbers take the other operand's dtype (a float beside integers makes f32); two dtypes
// meet at the wider float. Shapes must be equal; a scalar goes with every shape.
#pragma once

#include "layouts/support/Text.h"
#include "repl/kernel/trace/Tracer.h"

#include <optional>

namespace lanescope::repl {

/// What belongs to a trace and is served by the functions of its kernel's language.
class TracedObject : public Object {
public:
  TracedObject(TraceId trace, Span origin) : trace_(trace), origin_(std::move(origin)) {}
  TraceId trace() const { return trace_; }
  /// Where it was computed or declared.
  const Span &origin() const { return origin_; }
  Result<std::optional<Value>> applyBuiltin(Context &context, const std::string &name,
                                            const Arguments &arguments) override;

protected:
  TraceId trace_;
  Span origin_;
};

/// What a parameter names: memory, a barrier, an accumulator.
class NamedObject : public TracedObject {
public:
  NamedObject(std::string name, TraceId trace, Span origin)
      : TracedObject(trace, std::move(origin)), name_(std::move(name)) {}
  const std::string &name() const { return name_; }
  Note declared() const;

protected:
  std::string name_;
};

/// Memory: no operand, but read by an index.
class Reference : public NamedObject {
public:
  using NamedObject::NamedObject;
  /// What gives its value, as an error says it.
  virtual std::string howToRead() const { return text("read it with `", name_, "[...]`"); }
  /// What a print of it from inside a kernel shows; nothing where it has to be read first.
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

/// `f16[128, 128]`, `i32`
std::string typeText(layouts::Dtype dtype, const layouts::Shape &shape);

/// Where two dtypes meet.
layouts::Dtype kernelPromotion(layouts::Dtype a, layouts::Dtype b);

/// A number of the snippet, or a traced value, ready to be combined.
struct Term {
  std::optional<core::IrValue> traced;
  Value number; // when not traced
  Span span, origin;
  layouts::Shape shape() const { return traced ? traced->shape : layouts::Shape{}; }
};
/// A host array of equal elements, `zeros(…)` say, as a constant of the kernel. Error when its elements differ.
Result<core::IrValue> splatOf(Tracer &tracer, const core::Array &array, const Span &span);
/// Error for anything else: `what` names the operation (`+`, `maximum`).
Result<Term> termOf(Tracer &tracer, const Arg &argument, std::string_view what);
/// Where the operands' dtypes meet; f32 for numbers alone that hold a float, else i32.
layouts::Dtype commonDtype(const std::vector<Term> &operands);
/// The one shape of the arrays among them (empty: all scalars). Error where two differ.
Result<layouts::Shape> commonShape(const Context &context, const std::vector<Term> &operands, std::string_view what);
/// The operand with this dtype and shape: converted, made a constant, repeated over the shape.
Result<core::IrValue> shaped(Tracer &tracer, const Term &operand, layouts::Dtype dtype, const layouts::Shape &shape);

/// `array[64:128, :]`: whole tiles of its layout, with starts that are known while tracing.
Result<Value> sliceOf(Context &context, const TracedValue &array, const Arg &index);

/// `x.astype(dtype)`
Result<Value> castTo(Context &context, const Value &value, layouts::Dtype dtype);

/// Adds two offsets; emits an addition only where one is known on the device only.
core::Offset addOffsets(Tracer &tracer, const core::Offset &a, const core::Offset &b);

/// A traced i32 scalar from `argument`; nullopt when it is no traced scalar integer.
std::optional<core::IrValue> tracedIndex(Tracer &tracer, const Value &value);

} // namespace lanescope::repl
