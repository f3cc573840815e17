#include "core/gpu/inference/Explanation.h"

#include "core/gpu/inference/LayoutWords.h"

#include "layouts/support/Text.h"

#include "llvm/ADT/DenseSet.h"

namespace lanescope::core {

using namespace mlir;
using constraints::Expression;
using constraints::SearchResult;
using constraints::System;
using constraints::Variable;

System completed(const System &system) {
  System out = system;
  saturateNotSplat(out);
  equateStrictRelayouts(out);
  saturateDivides(out);
  return out;
}

/// Maps constraints of a completed system to those they come from: Divides constraints move to the end, the others keep
/// their order.
static std::vector<size_t> originals(const System &system) {
  std::vector<size_t> out;
  for (size_t i = 0; i < system.constraints.size(); ++i) {
    const auto *divides = std::get_if<constraints::Divides>(&system.constraints[i]);
    if (!divides || !divides->expr.variable())
      out.push_back(i);
  }
  return out;
}

std::vector<LayoutStep> explainLayout(const Derivation &derivation, const SearchResult &solution,
                                      const LayoutSite &site) {
  std::vector<LayoutStep> out;
  auto variable = derivation.variableAt(site);
  if (!variable)
    return out;
  const std::vector<size_t> origin = originals(derivation.system());
  llvm::DenseSet<unsigned> seen;
  while (variable && seen.insert(variable->id).second) {
    const std::string value = inWords(solution.assignments[variable->id]);
    auto statement =
        llvm::find_if(derivation.statements(), [&](const auto &each) { return each.variable == *variable; });
    if (statement != derivation.statements().end()) {
      out.push_back({statement->op, text(value, ", as this operation says")});
      return out;
    }
    const int reason = solution.reasons[variable->id];
    const bool chosen = reason < 0;
    const int from = chosen ? solution.suggestions[variable->id] : reason;
    if (from < 0 || static_cast<size_t>(from) >= origin.size()) {
      out.push_back({nullptr, text(value, chosen ? ", by default: nothing else says what it is" : ", as follows")});
      return out;
    }
    const size_t constraint = origin[static_cast<size_t>(from)];
    Operation *op = derivation.origin(constraint);
    const bool handedOn = derivation.handedOn(constraint);
    out.push_back({op, text(value, chosen ? ", tried first for this operation: " : ", for ",
                            handedOn ? "a value that is handed on keeps its layout"
                                     : inWords(derivation.system().constraints[constraint]))});
    // Continue with the constraint's other side.
    std::optional<Variable> next;
    auto [first, second] = constraints::sidesOf(derivation.system().constraints[constraint]);
    for (const Expression *side : {first, second})
      if (side)
        if (const auto *leaf = std::get_if<Variable>(&side->leaf); leaf && *leaf != *variable)
          next = *leaf;
    variable = next;
  }
  return out;
}

} // namespace lanescope::core
