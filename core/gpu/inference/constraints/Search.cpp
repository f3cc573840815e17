#include "core/gpu/inference/constraints/Search.h"

#include "core/gpu/inference/constraints/Candidates.h"

#include "layouts/support/Try.h"

namespace lanescope::core::constraints {

namespace {

/// A state of the system and what may be tried in it.
struct Level {
  size_t mark;
  Candidates candidates;
  size_t known = 0;                    // of the unknowns, from the first, have values
  std::optional<Candidate> tried = {}; // that led to the next level
};

} // namespace

Result<SearchResult> search(const System &system, std::span<const Variable> unknowns, const Target &target,
                            int64_t fuel) {
  Propagation state(system, target);
  SearchResult result{SearchResult::Unsatisfiable};
  if (!LANESCOPE_TRY(state.start())) {
    result.conflict = state.conflict();
    return result;
  }
  std::vector<Level> levels; // not calls: kernels have thousands of values
  levels.push_back({state.mark(), Candidates(unknowns)});
  while (!levels.empty()) {
    Level &level = levels.back();
    while (level.known < unknowns.size() && state.assignments()[unknowns[level.known].id])
      ++level.known;
    if (level.known == unknowns.size()) {
      result.kind = state.openCount() == 0 ? SearchResult::Solved : SearchResult::Undecided;
      result.assignments = state.assignments();
      for (unsigned id = 0; id < system.variables.size(); ++id) {
        auto reason = state.reason({id});
        result.reasons.push_back(reason ? static_cast<int>(*reason) : -1);
      }
      result.suggestions.assign(system.variables.size(), -1);
      for (const Level &each : levels)
        if (each.tried)
          result.suggestions[each.tried->variable.id] = each.tried->constraint;
      return result;
    }
    bool deeper = false;
    while (!deeper) {
      auto candidate = LANESCOPE_TRY(level.candidates.next(state));
      if (!candidate)
        break;
      if (result.tried >= fuel) {
        result.kind = SearchResult::OutOfFuel;
        return result;
      }
      if (!LANESCOPE_TRY(isValidAssignment(system.variables[candidate->variable.id], candidate->value)))
        continue;
      ++result.tried;
      deeper = LANESCOPE_TRY(state.assign(candidate->variable, candidate->value));
      if (!deeper)
        state.undo(level.mark);
      else
        level.tried = std::move(candidate);
    }
    if (deeper) {
      levels.push_back({state.mark(), Candidates(unknowns), level.known});
    } else {
      levels.pop_back();
      if (!levels.empty())
        state.undo(levels.back().mark);
    }
  }
  return result;
}

} // namespace lanescope::core::constraints
