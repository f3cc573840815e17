// What follows in a system from what is known, step by step, and back again.
//
//   Propagation p(system, target);
//   p.start();                 all that follows at once; false: a contradiction
//   auto mark = p.mark();
//   p.assign(v, constant);     … and all that follows
//   p.undo(mark);
//
// Constraints are looked at in their order, pass after pass, as JAX does (`reduce`), but only those of which a variable
// has become known since.
#pragma once

#include "core/gpu/inference/constraints/System.h"

namespace lanescope::core::constraints {

class Propagation {
public:
  /// `system` outlives this. Tolerant: what does not hold is kept in `contradictions`, and all else goes on.
  Propagation(const System &system, const Target &target, bool tolerant = false);

  /// False where there is a contradiction: the state is then as far as it came, and can only be undone.
  Result<bool> start();
  Result<bool> assign(Variable variable, const Constant &constant);

  const Assignments &assignments() const { return assignments_; }
  bool isOpen(size_t constraint) const { return open_[constraint]; }
  size_t openCount() const { return openCount_; }
  const System &system() const { return system_; }
  const Target &target() const { return target_; }

  size_t mark() const { return trail_.size(); }
  void undo(size_t mark);

  /// Why a variable has its value: the constraint that gave it; nothing where it was assigned.
  std::optional<size_t> reason(Variable variable) const;
  /// The constraint that cannot hold, after a contradiction.
  std::optional<size_t> conflict() const { return conflict_; }
  /// Of a tolerant one, ascending: constraints that do not hold.
  std::vector<size_t> contradictions() const;

private:
  Result<bool> run();
  /// False: contradiction.
  Result<bool> look(size_t constraint);
  bool contradicts(size_t constraint);
  void close(size_t constraint);
  void set(Variable variable, const Constant &constant, int reason);

  const System &system_;
  Target target_;
  Assignments assignments_;
  std::vector<int> reasons_;                // by variable: a constraint, or -1
  std::vector<std::vector<unsigned>> uses_; // by variable: constraints, ascending
  std::vector<bool> notSplat_;              // by variable
  std::vector<bool> open_, queued_;         // by constraint
  std::vector<unsigned> now_, next_;        // heaps of constraints to look at: in this pass, in the next one
  size_t position_ = 0, openCount_ = 0;
  std::vector<std::pair<bool, unsigned>> trail_; // a constraint that was closed (true), or a variable that was set
  std::optional<size_t> conflict_;
  bool tolerant_;
  std::vector<size_t> contradictions_;
};

} // namespace lanescope::core::constraints
