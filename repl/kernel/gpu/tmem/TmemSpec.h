// `TMEM(shape, dtype, packed=None, collective=None, layout=None)`: an array in tensor memory, for `scratch` and
// `run_scoped`.
//
//   TMEM((128, 256), f32)                               128 lanes, 256 columns of 32 bits
//   TMEM((128, 64), f16, packed=True)                   two elements per column: the left operand of `tcgen05_mma`
//   TMEM((128, 8), f8e8m0fnu, layout=scales_layout())   the form that the MMA requires for scales
//   TMEM((2, 128, 64), f32)                             two of them, one beside the other: `acc.at[i]`
//
// The call checks at once that the array fits: 128 or 64 rows, the layout's tiles, packing. The number of columns is
// checked when the kernel is traced.
#pragma once

#include "core/gpu/build/GpuBuilder.h"
#include "repl/kernel/gpu/trace/GpuTracer.h"
#include "repl/lang/values/Builtin.h"

namespace lanescope::repl {

class TmemSpec final : public Object {
public:
  layouts::Shape shape; // the last two dimensions have to fit the layout
  layouts::Dtype dtype = layouts::Dtype::F32;
  core::TensorPlace place;
  Span span; // place of the call that made it
  std::string typeName() const override { return "TMEM"; }
  std::string repr() const override;

  explicit TmemSpec(core::TensorPlace place) : place(std::move(place)) {}
};

/// The builtin `TMEM`.
Builtin tmemBuiltin();

/// Checks the other requirements of a kernel's tensor memory: an architecture that has it, one kind of allocation in
/// the whole kernel, a pair of blocks for a collective allocation. `first`: the kernel's first allocation, or null.
Result<void> checkTensorBuffer(const core::KernelFrame::TensorBuffer &buffer, const core::GpuTarget &target,
                               const layouts::Shape &cluster, const core::KernelFrame::TensorBuffer *first);

} // namespace lanescope::repl
