// The trace of a kernel for one kind of SparseCore subcore. It knows the kind, the axes of the kernel's grid or mesh,
// and the chip.
#pragma once

#include "core/tpu/build/TpuBuilder.h"
#include "repl/kernel/trace/Primitives.h"
#include "repl/kernel/trace/Traced.h"

#include <string>
#include <vector>

namespace lanescope::repl {

class TpuTracer;
using TpuPrimitive = PrimitiveOf<TpuTracer>;

/// The dimensions of a kernel's grid, including those of a mesh. Names may be empty.
struct TpuAxes {
  std::vector<std::string> names;
  layouts::Shape sizes;
  bool asked = true; // false if no grid was given; the kernel then has one step
  // The axes of a mesh, or of functions that run side by side. Their names are used to name places on other cores.
  std::string core = {}, subcore = {};
};

class TpuTracer final : public Tracer {
public:
  TpuTracer(Evaluator &evaluator, core::TpuBuilder &builder, const Primitives &primitives, TpuAxes axes,
            const core::TpuTarget &target, core::TpuCore core, bool layoutPasses = false);

  /// Tracer::of for a value that only SparseCore kernels have.
  static Result<TpuTracer *> of(const Context &context, TraceId trace);

  core::TpuBuilder &builder() { return builder_; }
  core::TpuBuilder &at(const Span &span) {
    Tracer::at(span);
    return builder_;
  }
  const TpuAxes &axes() const { return axes_; }
  const core::TpuTarget &target() const { return target_; }
  int64_t lanes() const { return target_.lanes; }
  bool scalar() const { return core_ == core::TpuCore::ScalarSubcore; }
  /// True if a later pass cuts vectors to registers, so that they may have any shape.
  bool layoutPasses() const { return layoutPasses_; }
  /// Error for an array shape that cannot be loaded and stored; `what`: "loads", ….
  Result<void> checkAccessed(layouts::Dtype dtype, const layouts::Shape &shape, std::string_view what,
                             const Span &span) const;

  Result<void> checkCall(const Context &context, std::string_view primitive) const override;
  Result<layouts::Dtype> kernelDtype(layouts::Dtype dtype, const Span &span) const override;
  Result<void> checkComputes(layouts::Dtype dtype, std::string_view what, const Span &span) const override;
  Result<void> checkConverts(layouts::Dtype from, layouts::Dtype to, const Span &span) const override;
  Result<void> checkRegisters(layouts::Dtype dtype, const layouts::Shape &shape, const Span &span) const override;
  Result<void> checkReduces(layouts::Dtype dtype, const layouts::Shape &shape, const std::vector<int64_t> &axes,
                            std::string_view what, const Span &span) const override;
  Result<void> checkIota(layouts::Dtype dtype, const layouts::Shape &shape, const Span &span) const override;
  std::string_view matrixProducts() const override { return "`x * y` and `sum`: a SparseCore has no matrix unit"; }
  std::string_view insteadOf(std::string_view function) const override;
  Result<core::IrValue> withLayout(const core::IrValue &value, const BoundArguments &arguments, size_t index) override;
  Result<core::IrValue> elementOf(const core::IrValue &array, const std::vector<int64_t> &index,
                                  const Span &span) override;
  Result<std::optional<core::IrValue>> itemOf(const core::IrValue &array, const Arg &index) override;
  Result<core::IrValue> arrayOf(const core::Array &array, const Span &span) override;
  Result<std::optional<core::IrValue>> modulo(const Term &left, const Term &right, layouts::Dtype dtype,
                                              const layouts::Shape &shape) override;
  std::optional<core::IrValue> sign(const core::IrValue &value) override;
  bool repeatsNumbers() const override { return true; }

protected:
  Result<Counting> counting(Context &context, const RangeData &range) override;
  bool unrollsOne() const override { return true; }
  Result<void> checkUnroll(const Context &context, const RangeData &range) const override;
  void looped(const RangeData &range) override;
  core::IrValue decision(const core::IrValue &condition) override;

private:
  core::TpuBuilder &builder_;
  TpuAxes axes_;
  const core::TpuTarget &target_;
  core::TpuCore core_;
  bool layoutPasses_;
};

/// The name of a memory: `HBM`, `VMEM_SHARED`, ….
std::string_view memoryName(core::TpuMemory memory);

} // namespace lanescope::repl
