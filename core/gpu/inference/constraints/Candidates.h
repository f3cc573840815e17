// What an unknown may be, in the order in which it is tried. Source: JAX, jax/experimental/mosaic/gpu/
// layout_inference.py, `conjure_assignment`.
//
//   Relayout(v ⟶ WGMMA)                            v = WGMMA
//   SmemTransfer(v ⟶ tile (8, 64), swizzle 128)    v = WGMMA, then WGMMA_TRANSPOSED; on Blackwell TCGEN05 first
//   nothing                                        v = the strided layout of its type
#pragma once

#include "core/gpu/inference/constraints/Propagation.h"

namespace lanescope::core::constraints {

struct Candidate {
  Variable variable;
  Constant value;
  int constraint = -1; // that suggests it
};

/// What may be tried in one state of a system, one after the other.
class Choices {
public:
  virtual ~Choices() = default;
  /// Nothing when there are no more. The state is the one in which the first was asked for.
  virtual Result<std::optional<Candidate>> next(const Propagation &state) = 0;
  /// For the state that the last candidate leads to.
  virtual std::unique_ptr<Choices> deeper() const = 0;
};

/// JAX's choices: first what keeps values as they are where conversions could be, then what
/// other constraints suggest, then those of both that are no tiled layouts, then defaults.
class Candidates : public Choices {
public:
  /// `unknowns` outlives this.
  explicit Candidates(std::span<const Variable> unknowns) : unknowns_(unknowns) {}

  Result<std::optional<Candidate>> next(const Propagation &state) override;
  std::unique_ptr<Choices> deeper() const override;

private:
  Result<bool> fill(const Propagation &state);

  std::span<const Variable> unknowns_;
  enum class Stage { Relayouts, Others, NotTiled, Defaults, Done } stage_ = Stage::Relayouts;
  size_t at_ = 0, used_ = 0;
  std::vector<Candidate> buffer_, later_;
};

/// What one open constraint suggests.
Result<std::vector<Candidate>> candidatesOf(const Constraint &constraint, const Propagation &state);

/// What divides a variable's tiles; null where nothing is known.
const Divides *dividesOf(Variable variable, const System &system);

/// Tilings and swizzles of a reference in shared memory, the widest first, as far as `divides` allows (null: all).
Result<std::vector<SmemTransforms>> conjuredTransforms(const VariableInfo &info, const Divides *divides);

/// Layouts of which `small` is left without `axes`, the usual ones first.
Result<std::vector<layouts::RegisterLayout>> reductionSources(const layouts::RegisterLayout &small,
                                                              const layouts::Shape &large,
                                                              const std::vector<int64_t> &axes, bool keepDims);

} // namespace lanescope::core::constraints
