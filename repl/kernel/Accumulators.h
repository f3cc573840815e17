// Accumulators of the tensor cores: `ACC((64, 128), f32)` in `scratch`, each warpgroup's own, zeros at first.
//
//   wgmma(acc, a, b)     starts acc += a @ b and returns at once
//   wgmma_wait(1)        until at most one such group is pending
//   acc[...]             waits for all of them and gives the value
//   acc[...] = 0         a new sum
#pragma once

#include "repl/kernel/Tracer.h"

namespace lanescope::repl {

/// `ACC(shape, dtype=f32)`
class AccumulatorSpec final : public Object {
public:
  layouts::Shape shape;
  layouts::Dtype dtype = layouts::Dtype::F32;
  Span span; // of the call that made it
  std::string typeName() const override { return "ACC"; }
  std::string repr() const override;
};

class AccumulatorValue final : public Object {
public:
  AccumulatorValue(std::string name, core::IrVariable variable, uint64_t trace, Span origin)
      : name_(std::move(name)), variable_(std::move(variable)), trace_(trace), origin_(std::move(origin)) {}

  const std::string &name() const { return name_; }
  const core::IrVariable &ir() const { return variable_; }
  uint64_t trace() const { return trace_; }
  Note declared() const;
  /// Waits until at most `pending` groups are; the value so far.
  Result<Value> read(Tracer &tracer, const Span &span, int64_t pending) const;
  Result<void> write(Tracer &tracer, const Span &span, const Arg &value) const;

  std::string typeName() const override { return "accumulator"; }
  std::string repr() const override;
  Result<Value> attribute(Context &context, const std::string &name) override;
  std::vector<std::string> members() const override { return {"dtype", "ndim", "shape"}; }
  Result<Value> getItem(Context &context, const Arg &index) override;
  Result<void> setItem(Context &context, const Arg &index, const Arg &value) override;
  Result<Value> unary(Context &context, UnaryOp op) override;
  Result<std::optional<Value>> binary(Context &context, BinaryOp op, const Arg &other, bool reflected) override;
  Result<int64_t> length(Context &) override { return variable_.shape[0]; }
  Result<std::optional<Value>> applyBuiltin(Context &context, const std::string &name,
                                            const Arguments &arguments) override;

private:
  std::string name_;
  core::IrVariable variable_;
  uint64_t trace_;
  Span origin_;
};

/// `ACC`, which exists outside of kernels.
Builtin accumulatorBuiltin();

} // namespace lanescope::repl
