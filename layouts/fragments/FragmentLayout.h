// An operand of an instruction as a layout, usable wherever layouts are: maps, pictures, equality, costs.
//
//   Foreign a = *fragment("mma.m16n8k16.f16", "a");
//   a->text()                    ->  fragment("mma.m16n8k16.f16", "a")
//   a->elementMap({16, 16})      ->  the map of the 32 threads
//
// A fragment has one shape. If the parts of several warps lie below each other, the shape of one part is accepted as
// well, for that warp. Loads and stores of tensor memory have maps for both sides: registers and cells.
#pragma once

#include "layouts/fragments/Atom.h"
#include "layouts/MapCoverage.h"

#include <memory>

namespace lanescope::layouts {

class FragmentLayout final : public ForeignLayout, public StatesArray {
public:
  /// `operand` is an index into atom->operands; that operand must have fragments.
  FragmentLayout(std::shared_ptr<const Atom> atom, size_t operand) : atom_(std::move(atom)), operand_(operand) {}

  const Atom &atom() const { return *atom_; }
  const Operand &operand() const { return atom_->operands[operand_]; }

  std::string_view language() const override { return "fragment"; }
  std::string text() const override;
  std::vector<Memory> memories() const override;
  std::optional<Shape> shape() const override { return operand().shape; }
  std::optional<int> bitwidth() const override { return operand().bits; }
  /// Errors: another shape than the operand's, or a memory that the operand is not in.
  Result<ElementMap> elementMap(const Shape &shape) const override;
  Result<TmemMap> tmemMap(const Shape &shape, int bitwidth) const override;
  Result<std::vector<ExplainStep>> explain(const Shape &shape, const Shape &index) const override;
  std::string application(const Shape &shape) const override;

private:
  std::optional<Shape> warpShape() const;
  /// The fragment in `memory` for an array of `shape`.
  Result<const Fragment *> in(Memory memory, const Shape &shape) const;

  std::shared_ptr<const Atom> atom_;
  size_t operand_;
};

/// Errors: the atom has no such operand; a descriptor places the operand in shared memory.
Result<Foreign> fragment(std::shared_ptr<const Atom> atom, std::string_view operand);
Result<Foreign> fragment(const Atom &atom, std::string_view operand);
Result<Foreign> fragment(std::string_view atom, std::string_view operand);

} // namespace lanescope::layouts
