// An array of a kernel with added dimensions of size 1: `x[:, None]`, `max(x, axis=1, keepdims=True)`.
//
//   m = max(x, axis=1, keepdims=True)     f32[64] seen as f32[64, 1]
//   exp(x - m)                            m is broadcast over x's shape, as by `broadcast_in_dim(m, x.shape, (0,))`
//
// Registers have no dimensions of size 1; the view only decides how the array is combined with others.
#pragma once

#include "repl/kernel/trace/Traced.h"

namespace lanescope::repl {

class ExpandedValue final : public TracedObject {
public:
  /// `view`: the shape of the inner array with added dimensions of size 1.
  ExpandedValue(std::shared_ptr<TracedValue> inner, layouts::Shape view)
      : TracedObject(inner->trace(), inner->origin()), inner_(std::move(inner)), view_(std::move(view)) {}
  const TracedValue &inner() const { return *inner_; }
  const layouts::Shape &view() const { return view_; }

  std::string typeName() const override;
  std::string repr() const override;
  Result<Value> attribute(Context &context, const std::string &name) override;
  std::vector<std::string> members() const override { return {"astype", "dtype", "ndim", "shape", "size"}; }
  Result<Value> getItem(Context &context, const Arg &index) override;
  Result<Value> unary(Context &context, UnaryOp op) override;
  Result<std::optional<Value>> binary(Context &context, BinaryOp op, const Arg &other, bool reflected) override;
  Result<std::optional<Value>> compare(Context &context, CompareOp op, const Arg &other) override;
  Result<std::optional<Value>> applyBuiltin(Context &context, const std::string &name,
                                            const Arguments &arguments) override;

private:
  /// The operands of an operation. If the other operand fits the inner array, neither has the view. Otherwise, both are
  /// broadcast to their common shape.
  struct Together {
    Value mine, other;
    bool viewed = false; // true if the result becomes a view again
  };
  Result<Together> together(Context &context, const Value &other) const;
  Value viewed(Value value) const;

  std::shared_ptr<TracedValue> inner_;
  layouts::Shape view_;
};

/// The array broadcast to a shape, by NumPy's rules. Error: it does not broadcast; the message names
/// `broadcast_in_dim`.
Result<Value> spreadOver(Context &context, const Value &value, const layouts::Shape &shape);
/// The view for an index such as `x[:, None]` or `x[None]`, which has a None and otherwise only `:` and `...`. Nothing
/// for other indices.
std::optional<Value> expandedBy(const std::shared_ptr<TracedValue> &value, const Value &index);
/// A reduction's result with the reduced axes as dimensions of size 1.
Value keptDimensions(const Value &reduced, const layouts::Shape &from, const std::vector<int64_t> &axes);

} // namespace lanescope::repl
