// Finds values for all variables of a system, by trying candidates depth first. Source: JAX,
// jax/experimental/mosaic/gpu/ layout_inference.py, `find_assignments_for`: the same candidates in the same order give
// the same result. Kernels from snippets are searched in the same way, with their own choices.
#pragma once

#include "core/gpu/inference/constraints/Candidates.h"

#include <limits>

namespace lanescope::core::constraints {

/// Default for the number of candidates after which the search gives up. It is JAX's number.
constexpr int64_t kDefaultFuel = 100'000;

struct SearchResult {
  enum Kind {
    Solved,
    Unsatisfiable,
    OutOfFuel,
    Undecided, // all variables have values, but it is not known if all constraints hold
  } kind;
  Assignments assignments = {};  // if Solved
  int64_t tried = 0;             // number of candidates that were tried
  std::vector<int> reasons = {}; // if Solved, indexed by variable: the constraint that gave the value, -1 none
  /// If Solved, indexed by variable: the constraint that suggested the value, or -1.
  std::vector<int> suggestions = {};
  /// If the system is Unsatisfiable without any choice: the constraint that cannot hold.
  std::optional<size_t> conflict = {};
};

/// `unknowns`: all variables that must get values, in the order of their defaults. Errors: cases in which JAX raises.
Result<SearchResult> search(const System &system, std::span<const Variable> unknowns, const GpuTarget &target,
                            int64_t fuel = kDefaultFuel);
/// Searches with choices other than JAX's. `patience`: the number of failed candidates after which the search gives up.
Result<SearchResult> search(const System &system, std::span<const Variable> unknowns, const GpuTarget &target,
                            int64_t fuel, const Choices &choices,
                            int64_t patience = std::numeric_limits<int64_t>::max());

/// The result of the first choices, even if they contradict constraints; it is used to explain a contradiction.
struct FirstChoices {
  Assignments assignments;
  std::vector<int> reasons, suggestions; // as in SearchResult
  std::vector<size_t> contradictions;    // constraints that do not hold, ascending
};
Result<FirstChoices> firstChoices(const System &system, const GpuTarget &target, const Choices &choices);

} // namespace lanescope::core::constraints
