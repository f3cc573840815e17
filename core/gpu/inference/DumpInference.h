// Layouts of a dump's module, inferred anew: what `lanescope open --emit laid-out` prints.
//
//   auto module = parseModule(context, source);
//   layOutDump(*module, {.arch = "sm_100a"});        // as JAX does: its attributes, or its errors in our words
//   moduleText(*module);
#pragma once

#include "core/ir/KernelModule.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lanescope::core {

struct DumpInferenceOptions {
  /// "sm_90a", "sm_100a", …; empty: what the module says, or sm_90a.
  std::string arch;
  /// Attempts before the search gives up; nothing: as many as JAX.
  std::optional<int64_t> fuel;
};

/// Takes the module's layouts and transforms off and infers them as JAX does. Errors (kind "layout"): the smallest set
/// of operations that contradict each other, each at its place, with the conversions that would resolve it; an
/// operation that has no rule; an architecture that there is not.
Result<void> layOutDump(KernelModule &module, const DumpInferenceOptions &options);

/// Infers what the module does not state, and takes the rest as it is. Errors as above, and where the module states
/// what cannot be.
Result<void> completeLayouts(KernelModule &module, const DumpInferenceOptions &options);

/// The system of constraints as JAX dumps it (`MOSAIC_GPU_DUMP_CONSTRAINT_SYSTEM`). Errors as above.
Result<std::string> constraintSystemOf(const KernelModule &module);

/// A step of why a value has its layout.
struct LayoutReason {
  Span span; // of the operation that demands it
  std::string words;
};
struct ValueReasons {
  Span op;           // the operation
  std::string value; // "operand 1", "result 0"
  std::vector<LayoutReason> steps;
};
/// Why values have their layouts, for the operations that begin in `place`: a chain for each operand, then each result,
/// that has one. Errors as above.
Result<std::vector<ValueReasons>> layoutReasons(const KernelModule &module, const Span &place,
                                                const DumpInferenceOptions &options);

} // namespace lanescope::core
