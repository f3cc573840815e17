// Values for all variables of a system, by trying candidates depth first. Source: JAX, jax/experimental/mosaic/gpu/
// layout_inference.py, `find_assignments_for`: the same candidates in the same order, so the same answer. Kernels of
// snippets are searched the same way, with choices of their own.
#pragma once

#include "core/gpu/inference/constraints/Candidates.h"

#include <limits>

namespace lanescope::core::constraints {

/// Candidates that are tried before the search gives up, unless someone says otherwise. JAX's number.
constexpr int64_t kDefaultFuel = 100'000;

struct SearchResult {
  enum Kind {
    Solved,
    Unsatisfiable,
    OutOfFuel,
    Undecided, // all variables have values, and it is not known whether constraints hold
  } kind;
  Assignments assignments = {};        // of Solved
  int64_t tried = 0;                   // candidates
  std::vector<int> reasons = {};       // of Solved, by variable: the constraint that gave the value, -1 none
  std::vector<int> suggestions = {};   // of Solved, by variable: the constraint for which the value was tried, -1 none
  std::optional<size_t> conflict = {}; // of Unsatisfiable without a choice: the constraint that cannot hold
};

/// `unknowns`: all variables that shall have values, in the order of their defaults. Errors: what JAX does not answer.
Result<SearchResult> search(const System &system, std::span<const Variable> unknowns, const Target &target,
                            int64_t fuel = kDefaultFuel);
/// By other choices than JAX's. `patience`: candidates that come to nothing before the search gives up.
Result<SearchResult> search(const System &system, std::span<const Variable> unknowns, const Target &target,
                            int64_t fuel, const Choices &choices,
                            int64_t patience = std::numeric_limits<int64_t>::max());

/// Where the first choices lead, whatever contradicts them: what a contradiction is explained by.
struct FirstChoices {
  Assignments assignments;
  std::vector<int> reasons, suggestions; // as SearchResult's
  std::vector<size_t> contradictions;    // constraints that do not hold, ascending
};
Result<FirstChoices> firstChoices(const System &system, const Target &target, const Choices &choices);

} // namespace lanescope::core::constraints
