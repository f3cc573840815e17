#include "core/gpu/inference/KernelChoices.h"

#include "core/gpu/inference/constraints/DerivedLayouts.h"

#include "layouts/Catalogue.h"
#include "layouts/cost/RelayoutTable.h"
#include "layouts/cost/TmemTransferCost.h"
#include "layouts/support/Text.h"

namespace lanescope::core {

using namespace mlir;
using constraints::Candidate;
using constraints::Constant;
using constraints::Propagation;
using constraints::Variable;
using layouts::RegisterLayout;
using layouts::Shape;
using layouts::TiledLayout;
namespace c = layouts::catalogue;

namespace {

/// The variables of a constraint with two sides, in order.
std::pair<Variable, Variable> variablesOf(const constraints::Constraint &constraint) {
  auto [first, second] = constraints::sidesOf(constraint);
  return {std::get<Variable>(first->leaf), std::get<Variable>(second->leaf)};
}

std::vector<RegisterLayout> usualLayouts(const Shape &shape) {
  std::vector<RegisterLayout> out = {c::wgmma(), c::wgmmaTransposed(), c::tcgen05(), c::tcgen05Transposed(),
                                     *c::tmemNative(2)};
  if (!shape.empty())
    if (auto halves = c::faM64Collective(shape.back()))
      out.push_back(*halves);
  return out;
}

/// The layout for reading tiled memory into registers.
const TiledLayout &tiledLoad(Value array, const RefTransforms &transforms) {
  const int bits = bitwidthOf(array);
  return transforms.transposed && (bits == 16 || bits == 32) ? c::wgmmaTransposed() : c::wgmma();
}

/// The group's first array that is loaded from tiled memory. This array decides the layout, because the other memories
/// can be read in any layout.
struct Load {
  Value array;
  Operation *op = nullptr;
  RefTransforms transforms = {};
};
std::optional<Load> tiledLoadOf(const KernelFacts &facts, const Group &group) {
  for (Value member : group.members)
    if (auto load = facts.loads.find(member); load != facts.loads.end()) {
      RefTransforms transforms = facts.transforms.lookup(std::get<rule::Transfer>(load->second->rule).reference);
      if (transforms.isTiled())
        return Load{member, load->second->op, std::move(transforms)};
    }
  return std::nullopt;
}

/// The array whose shape and width determine the strided layout.
Value leaderOf(const KernelFacts &facts, const Group &group) {
  for (Value member : group.members)
    if (facts.loads.contains(member))
      return member;
  return group.members.front();
}

std::optional<layouts::WGStridedFragLayout> stridedFor(Value array) {
  return layouts::WGStridedFragLayout::fromShapedType(shapeOf(array), std::max(8, bitwidthOf(array)));
}

} // namespace

KernelFacts::KernelFacts(const KernelSystem &kernel, const TransformMap &transforms)
    : kernel(kernel), transforms(transforms) {
  for (size_t i = 0; i < kernel.system().constraints.size(); ++i) {
    const LayoutRule &rule = kernel.entry(i).rule;
    if (std::holds_alternative<rule::Reduced>(rule))
      reductions.push_back(i);
    else if (std::holds_alternative<rule::Relayout>(rule))
      casts.push_back(i);
    else if (std::holds_alternative<rule::TensorTransfer>(rule))
      tensorTransfers.push_back(i);
    else if (std::holds_alternative<rule::Part>(rule))
      parts.push_back(i);
  }
  for (const LayoutRules::Entry &entry : kernel.module().entries())
    if (auto *rule = std::get_if<rule::Transfer>(&entry.rule); rule && !rule->array.use)
      loads[rule->array.value] = &entry;
}

std::unique_ptr<constraints::Choices> KernelChoices::deeper() const {
  auto out = std::make_unique<KernelChoices>(facts_);
  out->cast_ = cast_;
  out->unknown_ = unknown_;
  return out;
}

Result<std::optional<Candidate>> KernelChoices::next(const Propagation &state) {
  if (!decided_) {
    decided_ = true;
    (void)(enlarge(state) || learnTensor(state) || takeHint(state) || takeDefault(state));
  }
  if (used_ == candidates_.size())
    return std::optional<Candidate>();
  return std::optional(candidates_[used_++]);
}

void KernelChoices::add(Variable variable, Constant value, int constraint) {
  if (llvm::none_of(candidates_,
                    [&](const Candidate &each) { return each.variable == variable && each.value == value; }))
    candidates_.push_back({variable, std::move(value), constraint});
}

const std::vector<RegisterLayout> &KernelFacts::enlarged(size_t reduction, const Constant &small) const {
  Enlarged &kept = enlarged_[reduction];
  if (kept.small == small)
    return kept.layouts;
  kept = {small, {}};
  const auto &rule = std::get<rule::Reduced>(kernel.entry(reduction).rule);
  const Variable large = variablesOf(kernel.system().constraints[reduction]).second;
  const Shape shape = shapeOf(rule.large.value);
  std::vector<RegisterLayout> layouts;
  for (size_t cast : casts) {
    auto [from, to] = variablesOf(kernel.system().constraints[cast]);
    if (const Constant &target = kernel.system().assignments[to.id]; from == large && target.tiled())
      layouts.push_back(*target.registers());
  }
  llvm::append_range(layouts, usualLayouts(shape));
  for (RegisterLayout &layout : layouts)
    if (layouts::checkApplies(layout, shape) && reducedLayout(layout, shape, rule.axes) == *small.registers())
      kept.layouts.push_back(std::move(layout));
  if (rule.repeats)
    if (auto repeated = repeatedLayout(*small.registers(), shape, rule.axes))
      kept.layouts.push_back(std::move(*repeated));
  return kept.layouts;
}

/// Chooses the larger side of a reduction or a broadcast.
bool KernelChoices::enlarge(const Propagation &state) {
  for (size_t constraint : facts_.reductions) {
    if (!state.isOpen(constraint))
      continue;
    auto [small, large] = variablesOf(facts_.kernel.system().constraints[constraint]);
    const Constant &known = state.assignments()[small.id];
    if (!known || state.assignments()[large.id])
      continue;
    for (const RegisterLayout &layout : facts_.enlarged(constraint, known))
      add(large, layout, static_cast<int>(constraint));
    if (!candidates_.empty())
      return true;
  }
  return false;
}

/// Chooses the layout of tensor memory that holds an array of known layout.
bool KernelChoices::learnTensor(const Propagation &state) {
  for (size_t constraint : facts_.tensorTransfers) {
    auto [array, tensor] = variablesOf(facts_.kernel.system().constraints[constraint]);
    const Constant &known = state.assignments()[array.id];
    if (!known || state.assignments()[tensor.id])
      continue;
    Value value = std::get<rule::TensorTransfer>(facts_.kernel.entry(constraint).rule).array.value;
    for (layouts::TMEMLayout &layout : layouts::tensorLayoutsFor(*known.registers(), shapeOf(value), bitwidthOf(value)))
      add(tensor, std::move(layout), static_cast<int>(constraint));
    if (!candidates_.empty())
      return true;
  }
  return false;
}

std::optional<std::vector<RegisterLayout>> KernelChoices::tensorCandidates(Variable variable,
                                                                           const Propagation &state) const {
  std::optional<std::vector<RegisterLayout>> candidates;
  for (size_t constraint : facts_.tensorTransfers) {
    auto [own, memory] = variablesOf(facts_.kernel.system().constraints[constraint]);
    const layouts::TMEMLayout *tensor = state.assignments()[memory.id].tensor();
    if (own != variable || !tensor)
      continue;
    Value array = std::get<rule::TensorTransfer>(facts_.kernel.entry(constraint).rule).array.value;
    Shape shape = shapeOf(array);
    if (!candidates)
      candidates = layouts::registerLayoutsFor(*tensor, shape, bitwidthOf(array));
    else
      std::erase_if(*candidates, [&](const RegisterLayout &each) {
        return !layouts::isTransferable(*tensor, each, shape, bitwidthOf(array));
      });
  }
  return candidates;
}

/// Gives a cast's source the cast's layout. A load from tensor memory may not be possible in the cast's layout. For
/// such a source, first tries layouts that can be converted to the cast's.
bool KernelChoices::takeHint(const Propagation &state) {
  for (; cast_ < facts_.casts.size(); ++cast_) {
    const size_t constraint = facts_.casts[cast_];
    auto [from, to] = variablesOf(facts_.kernel.system().constraints[constraint]);
    const Constant &known = state.assignments()[to.id];
    if (state.assignments()[from.id] || !known)
      continue;
    Value array = std::get<rule::Relayout>(facts_.kernel.entry(constraint).rule).from.value;
    const Shape shape = shapeOf(array);
    auto convertible = [&](const RegisterLayout &layout) {
      return layouts::conversion(layout, *known.registers(), shape, bitwidthOf(array)).has_value();
    };
    auto candidates = tensorCandidates(from, state);
    if (candidates && !llvm::is_contained(*candidates, *known.registers()))
      for (RegisterLayout &each : *candidates)
        if (convertible(each))
          add(from, std::move(each), static_cast<int>(constraint));
    add(from, known, static_cast<int>(constraint));
    for (RegisterLayout &each : usualLayouts(shape))
      if (convertible(each))
        add(from, std::move(each), static_cast<int>(constraint));
    return true;
  }
  return false;
}

bool KernelChoices::takeDefault(const Propagation &state) {
  const auto &unknowns = facts_.kernel.unknowns();
  while (unknown_ < unknowns.size() && state.assignments()[unknowns[unknown_].id])
    ++unknown_;
  if (unknown_ == unknowns.size())
    return false;
  const Variable variable = unknowns[unknown_];
  if (facts_.kernel.group(variable).isTensor()) {
    addTensorDefault(variable);
    return true;
  }
  for (size_t constraint : facts_.tensorTransfers) {
    auto [array, tensor] = variablesOf(facts_.kernel.system().constraints[constraint]);
    if (array == variable && !state.assignments()[tensor.id]) {
      addTensorDefault(tensor);
      return true;
    }
  }
  addDefaults(variable, state);
  addReduced(variable, state);
  return true;
}

void KernelChoices::addTensorDefault(Variable variable) {
  if (auto usual = c::inferTmem(facts_.kernel.system().variables[variable.id].shape, /*collective=*/false))
    add(variable, *usual, -1);
}

void KernelChoices::addDefaults(Variable variable, const Propagation &state) {
  const Group &group = facts_.kernel.group(variable);
  if (auto candidates = tensorCandidates(variable, state); candidates && !candidates->empty()) {
    for (RegisterLayout &each : *candidates)
      add(variable, std::move(each), -1);
    return;
  }
  // Strided arrays cannot be cut, and can be joined only along the first dimension, so a tiled layout is used.
  const TiledLayout &tiled = c::wgmma();
  for (size_t constraint : facts_.parts) {
    const auto &part = std::get<rule::Part>(facts_.kernel.entry(constraint).rule);
    if (!part.leading &&
        (facts_.kernel.variable(part.whole) == variable || facts_.kernel.variable(part.part) == variable) &&
        tiled.registersShape(shapeOf(part.whole.value)) && tiled.registersShape(shapeOf(part.part.value))) {
      add(variable, tiled, static_cast<int>(constraint));
      break;
    }
  }
  if (auto load = tiledLoadOf(facts_, group)) {
    if (const TiledLayout &layout = tiledLoad(load->array, load->transforms);
        layout.registersShape(shapeOf(load->array)))
      add(variable, layout, -1);
    else if (candidates_.empty())
      return; // without candidates, the caller reports an error
  } else if (auto strided = stridedFor(leaderOf(facts_, group))) {
    add(variable, RegisterLayout(std::move(*strided)), -1);
  } else if (candidates_.empty()) {
    return;
  }
  addTiled(variable);
}

/// Adds the layouts in which any array may be cut and which read memory well.
void KernelChoices::addTiled(Variable variable) {
  const Shape &shape = facts_.kernel.system().variables[variable.id].shape;
  for (const TiledLayout *layout : {&c::wgmma(), &c::wgmmaTransposed(), &c::tcgen05(), &c::tcgen05Transposed()})
    if (layout->registersShape(shape))
      add(variable, *layout, -1);
}

/// Adds layouts of the arrays that are reduced to this one. A sum that a loop carries comes before the arrays that it
/// sums, and few of their layouts reduce to its default.
void KernelChoices::addReduced(Variable variable, const Propagation &state) {
  for (size_t constraint : facts_.reductions) {
    auto [small, large] = variablesOf(facts_.kernel.system().constraints[constraint]);
    if (small != variable || !state.isOpen(constraint) || state.assignments()[large.id])
      continue;
    if (auto strided = stridedFor(leaderOf(facts_, facts_.kernel.group(large))))
      add(large, RegisterLayout(std::move(*strided)), static_cast<int>(constraint));
    addTiled(large);
  }
}

void emitNoDefault(const KernelFacts &facts, const Group &group) {
  if (group.isTensor()) {
    Value tensor = group.members.front();
    if (auto usual = c::inferTmem(tensorShape(tensor), /*collective=*/false); !usual)
      emitError(tensor.getLoc()) << usual.error().front().message;
    return;
  }
  if (auto load = tiledLoadOf(facts, group)) {
    const TiledLayout &layout = tiledLoad(load->array, load->transforms);
    load->op->emitError() << "tiled shared memory is loaded as " << layouts::quoted(RegisterLayout(layout))
                          << ", which needs multiples of " << layouts::tupleText(layout.baseTile())
                          << ", but this has shape " << layouts::tupleText(shapeOf(load->array))
                          << "; read it with a layout that fits: `load(ref, layout=…)`, in Pallas "
                             "`plgpu.load(ref, (), layout=…)`";
    return;
  }
  Value leader = leaderOf(facts, group);
  emitError(leader.getLoc()) << "an array of shape " << layouts::tupleText(shapeOf(leader))
                             << " cannot be dealt evenly to a warpgroup's 128 threads; pad it to a multiple of 128 "
                                "elements, or read it with a layout that fits it: `load(ref, layout=…)`, in Pallas "
                                "`plgpu.load(ref, (), layout=…)`";
}

} // namespace lanescope::core
