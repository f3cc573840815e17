// The policy for kernels of ours: the layouts to try for arrays whose layout no rule determines.
//
// The policy decides arrays in this order. Sources of reductions and broadcasts: first the layout to which they are
// cast, then the usual ones. Tensor memory: the layout that fits the stored array. Sources of casts: the cast's layout.
// All other arrays, in program order: the layouts of tensor memory, the layouts that read swizzled memory well, and the
// strided layout; if that fails for the result of a reduction, the reduced array's layouts decide. Each choice has
// alternatives, in case the first one leads to a contradiction.
#pragma once

#include "core/gpu/inference/KernelSystem.h"
#include "core/gpu/inference/Transforms.h"

namespace lanescope::core {

/// The facts about a kernel that all of its choices share.
class KernelFacts {
public:
  KernelFacts(const KernelSystem &kernel, const TransformMap &transforms);

  /// The layouts that the reduction with index `reduction` turns into `small`: first the layout that the array is cast
  /// to, then the usual ones in JAX's order, then `small` repeated as a whole. The result is cached, because every
  /// state of the search needs it.
  const std::vector<layouts::RegisterLayout> &enlarged(size_t reduction, const constraints::Constant &small) const;

  const KernelSystem &kernel;
  const TransformMap &transforms;
  std::vector<size_t> reductions, casts, tensorTransfers, parts; // indices of constraints
  llvm::DenseMap<mlir::Value, const LayoutRules::Entry *> loads; // keyed by the loaded array

private:
  struct Enlarged {
    constraints::Constant small;
    std::vector<layouts::RegisterLayout> layouts;
  };
  /// Keyed by constraint; each entry holds the result for the most recent layout.
  mutable llvm::DenseMap<size_t, Enlarged> enlarged_;
};

class KernelChoices : public constraints::Choices {
public:
  explicit KernelChoices(const KernelFacts &facts) : facts_(facts) {}

  Result<std::optional<constraints::Candidate>> next(const constraints::Propagation &state) override;
  std::unique_ptr<constraints::Choices> deeper() const override;

private:
  bool enlarge(const constraints::Propagation &state);
  bool learnTensor(const constraints::Propagation &state);
  bool takeHint(const constraints::Propagation &state);
  bool takeDefault(const constraints::Propagation &state);
  void addDefaults(constraints::Variable variable, const constraints::Propagation &state);
  void addReduced(constraints::Variable variable, const constraints::Propagation &state);
  void addTensorDefault(constraints::Variable variable);
  void addTiled(constraints::Variable variable);
  void add(constraints::Variable variable, constraints::Constant value, int constraint);
  /// The layouts that transfers with tensor memory allow, the usual one first; nothing if there are no transfers.
  std::optional<std::vector<layouts::RegisterLayout>> tensorCandidates(constraints::Variable variable,
                                                                       const constraints::Propagation &state) const;

  const KernelFacts &facts_;
  bool decided_ = false;
  std::vector<constraints::Candidate> candidates_;
  size_t used_ = 0;
  size_t cast_ = 0, unknown_ = 0; // constraints and variables with smaller indices are decided
};

/// Reports an array or a reference that has no default layout.
void emitNoDefault(const KernelFacts &facts, const Group &group);

} // namespace lanescope::core
