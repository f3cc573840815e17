// `TMEM(shape, dtype, packed=None, collective=None, layout=None)`: an array in tensor memory, for `scratch` and
// `run_scoped`.
//
//   TMEM((128, 256), f32)                               128 lanes, 256 columns of 32 bits
//   TMEM((128, 64), f16, packed=True)                   two elements to a column: the left operand of `tcgen05_mma`
//   TMEM((128, 8), f8e8m0fnu, layout=scales_layout())   what the MMA wants of scales
//   TMEM((2, 128, 64), f32)                             two of them, one beside the other: `acc.at[i]`
//
// What fits is said at once: 128 or 64 rows, the layout's tiles, packing. Whether the columns suffice is known when the
// kernel is traced.
#pragma once

#include "core/gpu/build/GpuBuilder.h"
#include "repl/kernel/gpu/trace/GpuTracer.h"
#include "repl/lang/values/Builtin.h"

namespace lanescope::repl {

class TmemSpec final : public Object {
public:
  layouts::Shape shape; // the last two dimensions fit the layout
  layouts::Dtype dtype = layouts::Dtype::F32;
  core::TensorPlace place;
  Span span; // of the call that made it
  std::string typeName() const override { return "TMEM"; }
  std::string repr() const override;

  explicit TmemSpec(core::TensorPlace place) : place(std::move(place)) {}
};

/// `TMEM`
Builtin tmemBuiltin();

/// What tensor memory of a kernel demands beside columns: an architecture that has it, one kind of allocation in all of
/// the kernel, a pair of blocks for a collective one. `first`: the kernel's first allocation, null before it.
Result<void> checkTensorBuffer(const core::KernelFrame::TensorBuffer &buffer, const core::GpuTarget &target,
                               const layouts::Shape &cluster, const core::KernelFrame::TensorBuffer *first);

} // namespace lanescope::repl
