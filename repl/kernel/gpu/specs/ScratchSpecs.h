// The values for `SMEM(…)`, `TMEM(…)`, `Barrier(…)`, `ACC(…)`, `Semaphore(…)`, `Union(…)` and tuples of them in a
// kernel, for `scratch` and for the arguments of `run_scoped`.
//
//   ScratchItem item = *addScratch(frame, axes, spec, "tiles", span);   // before the trace: adds it to the frame
//   Value tiles = scratchValue(tracer, item, places);                   // in it: references, barriers, tuples of them
#pragma once

#include "repl/kernel/gpu/threads/GpuBarriers.h"
#include "repl/kernel/gpu/trace/GpuTracer.h"

namespace lanescope::repl {

struct ScratchItem {
  enum class Kind : uint8_t { Buffer, Tensor, Barriers, Semaphores, Accumulator, Tuple, Union, None };
  Kind kind = Kind::Tuple;
  std::string name;
  Span span;
  size_t index = 0;                 // index among the frame's entries of this kind
  layouts::Shape shape = {};        // for a group of barriers
  BarrierKind barrier = {};         // for barriers
  std::vector<ScratchItem> items{}; // for a tuple or a union
};

/// The values in the trace for the frame's entries, in the frame's order.
struct ScratchPlaces {
  std::vector<core::IrRef> buffers, tensorBuffers, semaphores;
  std::vector<size_t> barriers; // indices of groups of barriers
  std::vector<core::IrVariable> accumulators;
};

/// Adds the memory of `spec` to the frame. Semaphores become arguments of the frame, after its other arguments.
/// `first`: the kernel's first tensor memory, or null.
Result<ScratchItem> addScratch(core::KernelFrame &frame, const AxisNames &axes, const Value &spec,
                               const std::string &name, const Span &span,
                               const core::KernelFrame::TensorBuffer *first = nullptr);
Value scratchValue(const GpuTracer &tracer, const ScratchItem &item, const ScratchPlaces &places);

std::span<const GpuPrimitive> scopePrimitives(); // run_scoped, get_global

} // namespace lanescope::repl
