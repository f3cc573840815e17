// A kernel of ours as a system of constraints. Each group of arrays, or of references to tensor memory, with one layout
// is a variable; the operations' rules about different groups are the constraints.
//
//   KernelSystem system(rules, groups);
//   search(system.system(), system.unknowns(), target, fuel, KernelChoices(system, …));
//   system.adopt(found, groups)                  the groups have the layouts
//
// Values with equal layouts were merged before (Groups), so systems are small: a kernel of thousands of operations has
// some dozens of variables.
#pragma once

#include "core/gpu/inference/constraints/Search.h"
#include "core/gpu/inference/Groups.h"

namespace lanescope::core {

class KernelSystem {
public:
  /// Both arguments must outlive this object.
  KernelSystem(const ModuleRules &module, Groups &groups);

  const constraints::System &system() const { return system_; }
  /// All variables: arrays in program order, then uses of constants, then references.
  const std::vector<constraints::Variable> &unknowns() const { return unknowns_; }
  Groups &groups() const { return groups_; }
  const ModuleRules &module() const { return module_; }

  Group &group(constraints::Variable variable) const { return groups_.byNumber(numbers_[variable.id]); }
  /// Returns nothing for a constant.
  std::optional<constraints::Variable> variable(const LayoutSite &site) const;
  /// The rule from which a constraint was made.
  const LayoutRules::Entry &entry(size_t constraint) const { return *entries_[constraint]; }

  /// Sets the groups' layouts. Errors: a layout does not apply to all members. `reasons`, `suggestions`: indices of
  /// constraints by variable, -1: none.
  mlir::LogicalResult adopt(const constraints::Assignments &assignments, const std::vector<int> &reasons,
                            const std::vector<int> &suggestions);

private:
  void add(const LayoutRules::Entry &entry);
  void require(const LayoutRules::Entry &entry, constraints::Constraint constraint);
  void addVariable(const LayoutSite &site);

  const ModuleRules &module_;
  Groups &groups_;
  constraints::System system_;
  std::vector<int> numbers_;                        // indices of groups, by variable
  std::vector<int> variables_;                      // indexed by group; -1: none
  std::vector<const LayoutRules::Entry *> entries_; // indexed by constraint
  std::vector<constraints::Variable> unknowns_;
};

} // namespace lanescope::core
