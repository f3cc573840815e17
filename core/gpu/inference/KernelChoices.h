// The policy for kernels of ours: the layouts to try for arrays whose layout no rule determines.
//
// The order is: sources of reductions and broadcasts (the layout they are cast to, then the usual ones); tensor memory,
// as the array that it holds; sources of casts, as the cast; then, in program order, tensor memory's layouts, the
// layouts in which swizzled memory is read, and the strided layout. Each choice has alternatives, in case the first one
// leads to a contradiction.
#pragma once

#include "core/gpu/inference/KernelSystem.h"
#include "core/gpu/inference/Transforms.h"

namespace lanescope::core {

/// The facts about a kernel that all of its choices share.
class KernelFacts {
public:
  KernelFacts(const KernelSystem &kernel, const TransformMap &transforms);

  /// The layouts that the reduction `reduction` turns into `small`: the layout the array is cast to, then the usual
  /// ones in JAX's order, then `small` repeated as a whole. Cached, because each state asks for each reduction.
  const std::vector<layouts::RegisterLayout> &enlarged(size_t reduction, const constraints::Constant &small) const;

  const KernelSystem &kernel;
  const TransformMap &transforms;
  std::vector<size_t> reductions, casts, tensorTransfers, parts; // indices of constraints
  llvm::DenseMap<mlir::Value, const LayoutRules::Entry *> loads; // by the loaded array

private:
  struct Enlarged {
    constraints::Constant small;
    std::vector<layouts::RegisterLayout> layouts;
  };
  mutable llvm::DenseMap<size_t, Enlarged> enlarged_; // by constraint, for the layout of the last request
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
  /// The layouts that transfers with tensor memory allow, the usual one first; nothing if there are no transfers.
  std::optional<std::vector<layouts::RegisterLayout>> tensorCandidates(constraints::Variable variable,
                                                                       const constraints::Propagation &state) const;

  const KernelFacts &facts_;
  bool decided_ = false;
  std::vector<constraints::Candidate> candidates_;
  size_t used_ = 0;
  size_t cast_ = 0, unknown_ = 0; // those before are decided
};

/// Reports an array or a reference that has no default layout.
void emitNoDefault(const KernelFacts &facts, const Group &group);

} // namespace lanescope::core
