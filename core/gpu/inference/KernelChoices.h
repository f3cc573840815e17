// What the arrays of a kernel may be where nothing says it: the policy for kernels of ours.
//
// In this order: what reductions and broadcasts need (what it is cast to first, then the usual layouts); tensor memory
// as the array that it holds; what feeds a cast as the cast; then, in program order, what tensor memory gives, what
// swizzled memory is read as, and the strided layout. Each choice has alternatives, for the case that the first
// contradicts something.
#pragma once

#include "core/gpu/inference/KernelSystem.h"
#include "core/gpu/inference/Transforms.h"

namespace lanescope::core {

/// What all choices of a kernel share.
class KernelFacts {
public:
  KernelFacts(const KernelSystem &kernel, const TransformMap &transforms);

  /// Layouts that are the small one when they are reduced by the constraint, a reduction: what the array is cast to,
  /// then the usual ones in the order in which JAX tries them, then the small one repeated as a whole. Kept, for it is
  /// asked of each reduction in each state.
  const std::vector<layouts::RegisterLayout> &enlarged(size_t reduction, const constraints::Constant &small) const;

  const KernelSystem &kernel;
  const TransformMap &transforms;
  std::vector<size_t> reductions, casts, tensorTransfers, parts; // constraints
  llvm::DenseMap<mlir::Value, const LayoutRules::Entry *> loads; // by the array that is loaded

private:
  struct Enlarged {
    constraints::Constant small;
    std::vector<layouts::RegisterLayout> layouts;
  };
  mutable llvm::DenseMap<size_t, Enlarged> enlarged_; // by constraint, of the layout that was asked last
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
  void addTensorDefault(constraints::Variable variable);
  void addTiled(constraints::Variable variable);
  void add(constraints::Variable variable, constraints::Constant value, int constraint);
  /// What transfers with tensor memory allow, the usual layout first; nothing where there are none.
  std::optional<std::vector<layouts::RegisterLayout>> tensorCandidates(constraints::Variable variable,
                                                                       const constraints::Propagation &state) const;

  const KernelFacts &facts_;
  bool decided_ = false;
  std::vector<constraints::Candidate> candidates_;
  size_t used_ = 0;
  size_t cast_ = 0, unknown_ = 0; // those before are decided
};

/// The error where an array or a reference has no default at all.
void emitNoDefault(const KernelFacts &facts, const Group &group);

} // namespace lanescope::core
