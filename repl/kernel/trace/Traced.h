// An array or scalar of the kernel that is being traced, and how values become one.
//
//   tile[...] * 2      a TracedValue f16[128, 128]; the 2 becomes a constant of its dtype and shape
//
// Dtypes follow JAX: Python numbers take the other operand's dtype (a float beside integers makes f32); two dtypes
// meet at the wider float. Shapes must be equal; a scalar goes with every shape.
#pragma once

#include "repl/kernel/trace/Tracer.h"

#include <optional>

namespace lanescope::repl {

class TracedValue final : public Object {
public:
  TracedValue(core::IrValue value, uint64_t trace, Span origin)
      : value_(std::move(value)), trace_(trace), origin_(std::move(origin)) {}
  static Value make(const Tracer &tracer, core::IrValue value, const Span &origin) {
    return std::make_shared<TracedValue>(std::move(value), tracer.id(), origin);
  }

  const core::IrValue &ir() const { return value_; }
  uint64_t trace() const { return trace_; }
  /// Where it was computed.
  const Span &origin() const { return origin_; }

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
  Result<std::optional<Value>> applyBuiltin(Context &context, const std::string &name,
                                            const Arguments &arguments) override;

private:
  core::IrValue value_;
  uint64_t trace_;
  Span origin_;
};

/// `f16[128, 128]`, `i32`
std::string typeText(layouts::Dtype dtype, const layouts::Shape &shape);

/// Dtypes that kernels hold in memory and registers: all but tf32 and f8e8m0fnu.
bool isKernelDtype(layouts::Dtype dtype);
Result<layouts::Dtype> kernelDtype(layouts::Dtype dtype, const Span &span);

/// Error for elements of 4 bits and floats of 8, which can be moved, converted and compared only.
Result<void> checkComputes(layouts::Dtype dtype, std::string_view what, const Span &span);
/// Error for f4e2m1fn and another dtype: sm_90a only moves it (and clears its signs).
Result<void> checkConverts(layouts::Dtype from, layouts::Dtype to, const Span &span);

/// Error for an array that the registers of a warpgroup cannot hold by far.
Result<void> checkRegisters(layouts::Dtype dtype, const layouts::Shape &shape, const Span &span);

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

/// A traced i32 scalar from `argument`; nullopt when it is no traced scalar integer.
std::optional<core::IrValue> tracedIndex(Tracer &tracer, const Value &value);

} // namespace lanescope::repl
