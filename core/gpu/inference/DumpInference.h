// Infers the layouts of a dump's module again, for `lanescope open --emit laid-out`.
//
//   auto module = parseModule(context, source);
//   layOutDump(*module, {.arch = "sm_100a"});        // writes JAX's attributes, or returns its errors in our words
//   moduleText(*module);
#pragma once

#include "core/ir/KernelModule.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lanescope::core {

struct DumpInferenceOptions {
  /// "sm_90a", "sm_100a", …; empty: the module's own target, or sm_90a.
  std::string arch;
  /// Attempts before the search gives up; nothing: JAX's number.
  std::optional<int64_t> fuel;
};

/// Removes the module's layouts and transforms, and infers them as JAX does. Errors (kind "layout"): the smallest set
/// of operations that contradict each other, each at its place, with the conversions that would resolve it; an
/// operation without a rule; an unknown architecture.
Result<void> layOutDump(KernelModule &module, const DumpInferenceOptions &options);

/// Infers what the module does not state, and keeps what it states. Errors: those above, and a stated layout that is
/// impossible.
Result<void> completeLayouts(KernelModule &module, const DumpInferenceOptions &options);

/// The system of constraints as JAX dumps it (`MOSAIC_GPU_DUMP_CONSTRAINT_SYSTEM`). Errors as above.
Result<std::string> constraintSystemOf(const KernelModule &module);

/// One step in the explanation of a value's layout.
struct LayoutReason {
  Span span; // the operation that demands it
  std::string words;
};
struct ValueReasons {
  Span op;           // the operation
  std::string value; // "operand 1", "result 0"
  std::vector<LayoutReason> steps;
};
/// Explains the layouts of values at the operations that begin in `place`: one chain for each operand that has a
/// layout, then one for each such result. Errors as above.
Result<std::vector<ValueReasons>> layoutReasons(const KernelModule &module, const Span &place,
                                                const DumpInferenceOptions &options);

} // namespace lanescope::core
