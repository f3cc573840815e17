// Accumulators of the tensor cores: `ACC((64, 128), f32)` in `scratch`. Each warpgroup has its own, initially zero.
//
//   wgmma(acc, a, b)     starts acc += a @ b and returns at once
//   wgmma_wait(1)        waits until at most one such group is pending
//   acc[...]             waits for all of them and gives the value
//   acc[...] = 0         starts a new sum
//   acc.at[:, :128]      its left columns, for `wgmma`; `acc[:, :128]` gives their value
#pragma once

#include "repl/kernel/gpu/trace/GpuTracer.h"
#include "repl/kernel/trace/Traced.h"

namespace lanescope::repl {

/// The value of `ACC(shape, dtype=f32)`.
class AccumulatorSpec final : public Object {
public:
  layouts::Shape shape;
  layouts::Dtype dtype = layouts::Dtype::F32;
  Span span; // place of the call that made it
  std::string typeName() const override { return "ACC"; }
  std::string repr() const override;
};

/// An accumulator, or a part of one.
class AccumulatorValue final : public NamedObject {
public:
  /// The bounds of the part, in both dimensions.
  struct Part {
    int64_t begin[2] = {0, 0}, end[2] = {0, 0};
  };

  /// An accumulator that is the whole of `variable`.
  AccumulatorValue(std::string name, core::IrVariable variable, TraceId trace, Span origin)
      : NamedObject(std::move(name), trace, std::move(origin)), variable_(std::move(variable)),
        part_{{0, 0}, {variable_.shape[0], variable_.shape[1]}} {}

  layouts::Dtype dtype() const { return variable_.dtype; }
  layouts::Shape shape() const { return {part_.end[0] - part_.begin[0], part_.end[1] - part_.begin[1]}; }
  /// `acc`, or `acc[0:64, 128:256]`.
  std::string describe() const;
  /// The part that `index` takes: multiples of 64 rows and of 8 columns, known while tracing.
  Result<std::shared_ptr<AccumulatorValue>> sliced(const Arg &index) const;
  /// Waits until at most `pending` groups are pending (nullopt: does not wait) and returns the value so far.
  Result<Value> read(GpuTracer &tracer, const Span &span, std::optional<int64_t> pending) const;
  Result<void> write(GpuTracer &tracer, const Span &span, const Arg &value) const;
  /// Starts `self += a @ b`.
  void multiply(core::GpuBuilder &builder, const std::variant<core::IrRef, core::IrValue> &a,
                const core::IrRef &b) const;

  std::string typeName() const override { return "accumulator"; }
  std::string repr() const override;
  Result<Value> attribute(Context &context, const std::string &name) override;
  std::vector<std::string> members() const override { return {"at", "dtype", "ndim", "shape"}; }
  Result<Value> getItem(Context &context, const Arg &index) override;
  Result<void> setItem(Context &context, const Arg &index, const Arg &value) override;
  Result<Value> unary(Context &context, UnaryOp op) override;
  Result<std::optional<Value>> binary(Context &context, BinaryOp op, const Arg &other, bool reflected) override;
  Result<int64_t> length(Context &) override { return shape()[0]; }

private:
  bool whole() const { return shape() == variable_.shape; }
  core::IrValue taken(core::GpuBuilder &builder, const core::IrValue &all) const;
  void put(core::GpuBuilder &builder, const core::IrValue &value) const;

  core::IrVariable variable_;
  Part part_;
};

/// The builtin `ACC`, which exists outside kernels.
Builtin accumulatorBuiltin();

} // namespace lanescope::repl
