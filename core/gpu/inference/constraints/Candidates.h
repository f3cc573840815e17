// The candidates for an unknown, in the order in which they are tried. Source: JAX, jax/experimental/mosaic/gpu/
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
  int constraint = -1; // the constraint that suggests it
};

/// The candidates of one state of a system, one after another.
class Choices {
public:
  virtual ~Choices() = default;
  /// Returns nothing if there are no more. `state` must be the state of the first call.
  virtual Result<std::optional<Candidate>> next(const Propagation &state) = 0;
  /// The choices for the state to which the last candidate leads.
  virtual std::unique_ptr<Choices> deeper() const = 0;
};

/// JAX's choices. First come candidates that avoid conversions, then candidates that other constraints suggest.
/// Register layouts that are not tiled come after all of these, and the defaults come last.
class Candidates : public Choices {
public:
  /// `unknowns` must outlive this object.
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

/// The candidates that one open constraint suggests.
Result<std::vector<Candidate>> candidatesOf(const Constraint &constraint, const Propagation &state);

/// The system's Divides constraint on the variable; null if there is none.
const Divides *dividesOf(Variable variable, const System &system);

/// Tilings and swizzles of a reference in shared memory, the widest first. `divides` restricts them; null permits all.
Result<std::vector<SmemTransforms>> conjuredTransforms(const VariableInfo &info, const Divides *divides);

/// The layouts that a reduction over `axes` turns into `small`, the usual ones first.
Result<std::vector<layouts::RegisterLayout>> reductionSources(const layouts::RegisterLayout &small,
                                                              const layouts::Shape &large,
                                                              const std::vector<int64_t> &axes, bool keepDims);

} // namespace lanescope::core::constraints
