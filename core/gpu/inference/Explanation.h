// Explains why operations have no layouts together, and why a value has its layout.
//
//   %a = layout_cast(%x) {WGMMA};  %b = arith.addf %a, %a;  %c = layout_cast(%b) {WGMMA_ROW}
//   explainContradiction(…)  ->  demands: the first cast, the last; no conversion between the two exists
//
// A contradiction's demands are a smallest set: without any one of them there would be layouts. Conversions of an array
// at an operand that would resolve it are listed with their costs (layouts/cost/Relayout.h).
#pragma once

#include "core/gpu/inference/constraints/Search.h"
#include "core/gpu/inference/demands/Derivation.h"

namespace lanescope::core {

/// The system with implied constraints added, which shorten the search.
constraints::System completed(const constraints::System &system);

struct Contradiction {
  struct Demand {
    mlir::Operation *op;
    std::string words; // "its result is `WGMMA`"
  };
  struct Cast {
    mlir::OpOperand *use; // the use that would be converted
    layouts::RegisterLayout from, to;
    std::string cost; // "shuffles: 16 per thread"
  };
  std::vector<Demand> demands; // in program order; empty: nothing determines some values
  std::vector<Cast> casts;
};

/// Explains why the search found no layouts for a derivation. It takes at most a few thousand searches in small systems
/// to find the contradiction in a large one.
Contradiction explainContradiction(const Derivation &derivation, const GpuTarget &target);

/// Fails with an error at the last operation of the contradiction. Each other operation, and each conversion that would
/// resolve it, gets a note. If it has no operation, the error is at `module`.
mlir::LogicalResult emitContradiction(mlir::Operation *module, const Contradiction &found);

/// One step of the chain that leads to a value's layout.
struct LayoutStep {
  mlir::Operation *op; // the operation that demands the layout, or passes it on; null: there is none
  std::string words;
};

/// The chain from the value to the statement or choice of its layout. `solution` is the search's result in
/// `completed(derivation.system())`.
std::vector<LayoutStep> explainLayout(const Derivation &derivation, const constraints::SearchResult &solution,
                                      const LayoutSite &site);

} // namespace lanescope::core
