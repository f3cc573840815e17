#include "repl/kernel/gpu/trace/GpuTracer.h"

#include "layouts/support/Try.h"
#include "repl/kernel/gpu/trace/ValueRules.h"

#include <algorithm>

namespace lanescope::repl {

using layouts::Dtype;
using layouts::Shape;

GpuTracer::GpuTracer(Evaluator &evaluator, core::GpuBuilder &builder, const Primitives &primitives, AxisNames axes,
                     const core::GpuTarget &target)
    : Tracer(evaluator, builder, primitives), builder_(builder), axes_(std::move(axes)), target_(target) {}

Result<GpuTracer *> GpuTracer::of(const Context &context, TraceId trace) {
  return static_cast<GpuTracer *>(LANESCOPE_TRY(Tracer::of(context, trace)));
}

void GpuTracer::enterWarps(std::string axis) {
  warps_.emplace(std::move(axis), *this);
  warps_->parts.begin();
}

void GpuTracer::leaveWarps() { warps_.reset(); }

Result<void> GpuTracer::checkCall(const Context &context, std::string_view primitive) const {
  // Functions that only whole warpgroups call. Operations on arrays are not listed; they are refused where they are
  // used.
  static constexpr std::string_view kWarpgroupOnly[] = {"set_max_registers",
                                                        "wgmma",
                                                        "wgmma_wait",
                                                        "wgmma_accumulator_deref",
                                                        "wgmma_accumulator_load",
                                                        "wgmma_accumulator_store",
                                                        "mma",
                                                        "wait_gmem_to_smem",
                                                        "print_layout",
                                                        "core_map",
                                                        "semaphore_read",
                                                        "async_store_smem",
                                                        "async_load_tmem",
                                                        "async_store_tmem",
                                                        "wait_load_tmem",
                                                        "commit_tmem"};
  if (!warps_ || std::ranges::find(kWarpgroupOnly, primitive) == std::end(kWarpgroupOnly))
    return {};
  return context.fail("warp-level", Message("`{function}` is for a whole warpgroup, and inside of "
                                            "`core_map(WarpMesh(…))` each warp runs by itself; do it outside",
                                            primitive));
}

std::string_view GpuTracer::insteadOf(std::string_view function) const {
  struct Advice {
    std::string_view function, instead;
  };
  static constexpr Advice kAdvice[] = {
      {"cumsum", "on a GPU, put the vector of n elements into each row of a square with `broadcast_in_dim(x, (n, n), "
                 "(1,))`, and use `sum(where(columns <= rows, square, 0), axis=1)`, whose `rows` and `columns` are "
                 "`broadcasted_iota(i32, (n, n), 0)` and `broadcasted_iota(i32, (n, n), 1)`"},
      {"cummax",
       "on a GPU, put the vector of n elements into each row of a square with `broadcast_in_dim(x, (n, n), "
       "(1,))`, and use `max(where(columns <= rows, square, float(\"-inf\")), axis=1)`, whose `rows` and `columns` are "
       "`broadcasted_iota(i32, (n, n), 0)` and `broadcasted_iota(i32, (n, n), 1)`"},
      {"cummin",
       "on a GPU, put the vector of n elements into each row of a square with `broadcast_in_dim(x, (n, n), "
       "(1,))`, and use `min(where(columns <= rows, square, float(\"inf\")), axis=1)`, whose `rows` and `columns` are "
       "`broadcasted_iota(i32, (n, n), 0)` and `broadcasted_iota(i32, (n, n), 1)`"},
      {"fori_loop", "on a GPU, use a `for` loop over a `range`"},
      {"parallel_loop", "on a GPU, use a `for` loop over a `range`"},
      {"while_loop", "on a GPU, use a `while` loop"},
      {"sync_copy", "on a GPU, use `copy_gmem_to_smem` and `barrier_wait`, or `copy_smem_to_gmem` and "
                    "`wait_smem_to_gmem`"},
      {"async_copy", "on a GPU, use `copy_gmem_to_smem` or `copy_smem_to_gmem`"},
      {"make_async_copy", "on a GPU, use `copy_gmem_to_smem` or `copy_smem_to_gmem`"},
      {"addupdate", "on a GPU, use `ref[...] = ref[...] + x`"},
      {"subcore_barrier", "on a GPU, use `named_barrier_sync`, or `barrier_arrive` and `barrier_wait`"},
  };
  auto found = std::ranges::find(kAdvice, function, &Advice::function);
  return found == std::end(kAdvice) ? std::string_view() : found->instead;
}

Result<Dtype> GpuTracer::kernelDtype(Dtype dtype, const Span &span) const { return repl::kernelDtype(dtype, span); }

Result<void> GpuTracer::checkComputes(Dtype dtype, std::string_view what, const Span &span) const {
  return repl::checkComputes(target_, dtype, what, span);
}

Result<void> GpuTracer::checkConverts(Dtype from, Dtype to, const Span &span) const {
  return repl::checkConverts(target_, from, to, span);
}

Result<void> GpuTracer::checkRegisters(Dtype dtype, const Shape &shape, const Span &span) const {
  return repl::checkRegisters(dtype, shape, span);
}

Result<core::IrValue> GpuTracer::withLayout(const core::IrValue &value, const BoundArguments &arguments, size_t index) {
  auto layout = LANESCOPE_TRY(arguments.registerLayout(index));
  LANESCOPE_CHECK(checkLayout(value.shape, layout, arguments[index].span));
  return builder_.layoutCast(value, layout);
}

} // namespace lanescope::repl
