// Why operations have no layouts together, and why a value has the one that it has.
//
//   %a = layout_cast(%x) {WGMMA};  %b = arith.addf %a, %a;  %c = layout_cast(%b) {WGMMA_ROW}
//   explainContradiction(…)  ->  demands: the first cast, the last; no conversion between the two exists
//
// A contradiction's demands are a smallest set: without any of them there would be layouts. Which conversions would
// resolve it, and what each costs (layouts/cost/Relayout.h), is said of the places where arrays are handed on.
#pragma once

#include "core/gpu/inference/constraints/Search.h"
#include "core/gpu/inference/demands/Derivation.h"

namespace lanescope::core {

/// A system of what operations demand, with what follows and makes the search short.
constraints::System completed(const constraints::System &system);

struct Contradiction {
  struct Demand {
    mlir::Operation *op;
    std::string words; // "its result is `WGMMA`"
  };
  struct Cast {
    mlir::OpOperand *use; // that would be converted
    layouts::RegisterLayout from, to;
    std::string cost; // "shuffles: 16 per thread"
  };
  std::vector<Demand> demands; // in program order; empty: nothing says what some values are
  std::vector<Cast> casts;
};

/// For a derivation of which the search found nothing. Large ones are cut down to the contradiction by at most some
/// thousands of small searches.
Contradiction explainContradiction(const Derivation &derivation, const constraints::Target &target);

/// Fails with an error at the last of its operations, and a note at each other one and at each conversion that would
/// do; at `module` where it has none.
mlir::LogicalResult emitContradiction(mlir::Operation *module, const Contradiction &found);

/// A step of the chain that leads to a value's layout.
struct LayoutStep {
  mlir::Operation *op; // that demands it, or hands it on; null: nobody does
  std::string words;
};

/// From the value to where its layout is said or chosen. `solution` is the search's in
/// `completed(derivation.system())`.
std::vector<LayoutStep> explainLayout(const Derivation &derivation, const constraints::SearchResult &solution,
                                      const LayoutSite &site);

} // namespace lanescope::core
