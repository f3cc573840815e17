// Derives what follows from known values in a system, step by step, and undoes it.
//
//   Propagation p(system, target);
//   p.start();                 derives all that follows; false: a contradiction
//   auto mark = p.mark();
//   p.assign(v, constant);     … and derives all that follows
//   p.undo(mark);
//
// Constraints are examined in their order, pass after pass, as in JAX (`reduce`), but only if one of their variables
// has become known since.
#pragma once

#include "core/gpu/inference/constraints/ConstraintSystem.h"

namespace lanescope::core::constraints {

class Propagation {
public:
  /// `system` must outlive this object. Tolerant: the propagation collects violated constraints in `contradictions` and
  /// continues with the others.
  Propagation(const System &system, const GpuTarget &target, bool tolerant = false);

  /// Returns false on a contradiction; the state is then incomplete, and can only be undone.
  Result<bool> start();
  Result<bool> assign(Variable variable, const Constant &constant);

  const Assignments &assignments() const { return assignments_; }
  bool isOpen(size_t constraint) const { return open_[constraint]; }
  size_t openCount() const { return openCount_; }
  const System &system() const { return system_; }
  const GpuTarget &target() const { return target_; }

  size_t mark() const { return trail_.size(); }
  void undo(size_t mark);

  /// The constraint that gave a variable its value; nothing if a caller of assign() gave it.
  std::optional<size_t> reason(Variable variable) const;
  /// After a contradiction, the constraint that cannot hold.
  std::optional<size_t> conflict() const { return conflict_; }
  /// If tolerant: the constraints that do not hold, ascending.
  std::vector<size_t> contradictions() const;

private:
  Result<bool> run();
  /// Returns false on a contradiction.
  Result<bool> look(size_t constraint);
  bool contradicts(size_t constraint);
  void close(size_t constraint);
  void set(Variable variable, const Constant &constant, int reason);

  const System &system_;
  const GpuTarget &target_;
  Assignments assignments_;
  std::vector<int> reasons_;                // indexed by variable: a constraint, or -1
  std::vector<std::vector<unsigned>> uses_; // indexed by variable: constraints, ascending
  std::vector<bool> notSplat_;              // indexed by variable
  std::vector<bool> open_, queued_;         // indexed by constraint
  std::vector<unsigned> now_, next_;        // heaps of constraints to examine, in this pass and in the next one
  size_t position_ = 0, openCount_ = 0;
  std::vector<std::pair<bool, unsigned>> trail_; // a constraint that was closed (true), or a variable that was set
  std::optional<size_t> conflict_;
  bool tolerant_;
  std::vector<size_t> contradictions_;
};

} // namespace lanescope::core::constraints
