#include "core/gpu/inference/constraints/Search.h"

#include "layouts/support/Try.h"

namespace lanescope::core::constraints {

namespace {

/// A state of the system, and its candidates.
struct Level {
  size_t mark;
  std::unique_ptr<Choices> candidates;
  size_t known = 0;                    // unknowns[0] to unknowns[known - 1] have values
  std::optional<Candidate> tried = {}; // the candidate that led to the next level
};

std::vector<int> reasonsOf(const Propagation &state) {
  std::vector<int> out;
  for (unsigned id = 0; id < state.system().variables.size(); ++id) {
    auto reason = state.reason({id});
    out.push_back(reason ? static_cast<int>(*reason) : -1);
  }
  return out;
}

} // namespace

Result<SearchResult> search(const System &system, std::span<const Variable> unknowns, const GpuTarget &target,
                            int64_t fuel) {
  return search(system, unknowns, target, fuel, Candidates(unknowns));
}

Result<SearchResult> search(const System &system, std::span<const Variable> unknowns, const GpuTarget &target,
                            int64_t fuel, const Choices &choices, int64_t patience) {
  Propagation state(system, target);
  SearchResult result{SearchResult::Unsatisfiable};
  if (!LANESCOPE_TRY(state.start())) {
    result.conflict = state.conflict();
    return result;
  }
  std::vector<Level> levels; // a stack instead of recursion, because kernels have thousands of values
  levels.push_back({state.mark(), choices.deeper()});
  while (!levels.empty()) {
    Level &level = levels.back();
    while (level.known < unknowns.size() && state.assignments()[unknowns[level.known].id])
      ++level.known;
    if (level.known == unknowns.size()) {
      result.kind = state.openCount() == 0 ? SearchResult::Solved : SearchResult::Undecided;
      result.assignments = state.assignments();
      result.reasons = reasonsOf(state);
      result.suggestions.assign(system.variables.size(), -1);
      for (const Level &each : levels)
        if (each.tried)
          result.suggestions[each.tried->variable.id] = each.tried->constraint;
      return result;
    }
    bool deeper = false;
    while (!deeper) {
      auto candidate = LANESCOPE_TRY(level.candidates->next(state));
      if (!candidate)
        break;
      if (result.tried >= fuel || result.tried - static_cast<int64_t>(levels.size()) >= patience) {
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
      auto below = level.candidates->deeper();
      levels.push_back({state.mark(), std::move(below), level.known});
    } else {
      levels.pop_back();
      if (!levels.empty())
        state.undo(levels.back().mark);
    }
  }
  return result;
}

Result<FirstChoices> firstChoices(const System &system, const GpuTarget &target, const Choices &choices) {
  Propagation state(system, target, /*tolerant=*/true);
  LANESCOPE_CHECK(state.start());
  FirstChoices out;
  out.suggestions.assign(system.variables.size(), -1);
  for (std::unique_ptr<Choices> at = choices.deeper();; at = at->deeper()) {
    auto candidate = LANESCOPE_TRY(at->next(state));
    if (!candidate)
      break;
    out.suggestions[candidate->variable.id] = candidate->constraint;
    LANESCOPE_CHECK(state.assign(candidate->variable, candidate->value));
  }
  out.assignments = state.assignments();
  out.reasons = reasonsOf(state);
  out.contradictions = state.contradictions();
  return out;
}

} // namespace lanescope::core::constraints
