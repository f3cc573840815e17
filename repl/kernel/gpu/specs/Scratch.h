// What stands for `SMEM(…)`, `TMEM(…)`, `Barrier(…)`, `ACC(…)`, `Semaphore(…)`, `Union(…)` and tuples of them in a
// kernel: for `scratch`, and for the arguments of `run_scoped`.
//
//   ScratchItem item = *addScratch(frame, axes, spec, "tiles", span);   // before the trace: what the frame is to hold
//   Value tiles = scratchValue(tracer, item, places);                   // in it: references, barriers, tuples of them
#pragma once

#include "repl/kernel/gpu/threads/Barriers.h"
#include "repl/kernel/gpu/trace/GpuTracer.h"

namespace lanescope::repl {

struct ScratchItem {
  enum class Kind : uint8_t { Buffer, Tensor, Barriers, Semaphores, Accumulator, Tuple, Union, None };
  Kind kind = Kind::Tuple;
  std::string name;
  Span span;
  size_t index = 0;                 // among the frame's things of this kind
  layouts::Shape shape = {};        // of a group of barriers
  BarrierKind barrier = {};         // of barriers
  std::vector<ScratchItem> items{}; // of a tuple or a union
};

/// Where the frame's things are in the trace.
struct ScratchPlaces {
  std::vector<core::IrRef> buffers, tensorBuffers, semaphores;
  std::vector<size_t> barriers; // groups
  std::vector<core::IrVariable> accumulators;
};

/// Semaphores become arguments of the frame, after those that it has. `first`: the tensor memory that the kernel has
/// already, null for none.
Result<ScratchItem> addScratch(core::KernelFrame &frame, const AxisNames &axes, const Value &spec,
                               const std::string &name, const Span &span,
                               const core::KernelFrame::TensorBuffer *first = nullptr);
Value scratchValue(const GpuTracer &tracer, const ScratchItem &item, const ScratchPlaces &places);

std::span<const GpuPrimitive> scopePrimitives(); // run_scoped, get_global

} // namespace lanescope::repl
