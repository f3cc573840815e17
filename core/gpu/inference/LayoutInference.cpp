#include "core/gpu/inference/LayoutInference.h"

#include "core/gpu/inference/Checks.h"
#include "core/gpu/inference/Groups.h"
#include "core/gpu/inference/Layouts.h"
#include "core/gpu/inference/Rules.h"
#include "core/gpu/inference/TensorLayouts.h"
#include "core/gpu/inference/Transforms.h"

#include "layouts/Catalogue.h"
#include "layouts/cost/RelayoutTable.h"
#include "layouts/cost/TmemTransfer.h"
#include "layouts/support/Text.h"

#include "llvm/ADT/DenseSet.h"

namespace lanescope::core {

using namespace mlir;
using layouts::RegisterLayout;
using layouts::Shape;
using layouts::TiledLayout;
using Entry = LayoutRules::Entry;

namespace {

/// The arrays that are not constants: those with elements that differ by a rule, and what has to do with such a one.
llvm::DenseSet<Value> withoutSplats(const ModuleRules &module) {
  llvm::DenseSet<Value> found;
  SmallVector<SmallVector<LayoutSite, 4>> related; // an array at a place that defines one is like the others
  for (const Entry &entry : module.entries()) {
    if (auto *rule = std::get_if<rule::NotSplat>(&entry.rule))
      found.insert(rule->site.value);
    else if (auto *rule = std::get_if<rule::OneOf>(&entry.rule); rule && !rule->site.use)
      found.insert(rule->site.value);
    auto *cast = std::get_if<rule::Relayout>(&entry.rule);
    if (!cast || cast->strict)
      if (auto sites = sitesOf(entry.rule); sites.size() > 1)
        related.push_back(std::move(sites));
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto &sites : related)
      if (llvm::any_of(sites, [&](const LayoutSite &site) { return found.contains(site.value); }))
        for (const LayoutSite &site : sites)
          if (!site.use)
            changed |= found.insert(site.value).second;
  }
  return found;
}

class Inference {
public:
  explicit Inference(const ModuleRules &module)
      : module_(module), transforms_(propagateTransforms(module.rules)), tensors_(module) {}

  LogicalResult run() {
    llvm::DenseSet<Value> found = withoutSplats(module_);
    for (Value array : module_.arrays)
      if (found.contains(array)) {
        order_.push_back(array);
        groups_.add(array);
      }
    failed_ |= failed(tensors_.decide());
    for (const Entry &entry : module_.entries())
      sort(entry);
    for (const Entry &entry : module_.entries())
      if (auto *rule = std::get_if<rule::OneOf>(&entry.rule))
        demand(entry, *rule);
    for (const Entry &entry : module_.entries())
      unite(entry);
    if (failed_)
      return failure();
    solve();
    failed_ |= failed(tensors_.finish());
    return success(!failed_);
  }

  Groups &groups() { return groups_; }
  TensorLayouts &tensors() { return tensors_; }
  const TransformMap &transforms() const { return transforms_; }

private:
  void fix(Group &group, RegisterLayout layout, Location origin) {
    failed_ |= failed(groups_.fix(group, std::move(layout), origin));
  }

  //===--- what is said outright ---===//

  void sort(const Entry &entry) {
    if (std::holds_alternative<rule::Reduced>(entry.rule))
      reduced_.push_back(&entry);
    else if (std::holds_alternative<rule::Reshaped>(entry.rule) || std::holds_alternative<rule::Part>(entry.rule))
      derived_.push_back(&entry);
    else if (auto *cast = std::get_if<rule::Relayout>(&entry.rule); cast && !cast->strict)
      casts_.push_back(&entry);
    else if (auto *rule = std::get_if<rule::Transfer>(&entry.rule); rule && !rule->array.use)
      loads_[rule->array.value] = &entry;
    else if (auto *rule = std::get_if<rule::TensorTransfer>(&entry.rule))
      tensorTransfers_.push_back(rule);
  }

  /// Before arrays are merged, so that merging sees where two demands meet. What has a layout already keeps it:
  /// checkLayouts says so where it is none of the demanded ones. A constant that fits none stays one: what is wrong
  /// with it, its instruction says better.
  void demand(const Entry &entry, const rule::OneOf &rule) {
    auto fits = llvm::find_if(rule.layouts, [&](const RegisterLayout &layout) {
      return layouts::checkApplies(layout, shapeOf(rule.site.value)).has_value();
    });
    if (!groups_.of(rule.site) && fits == rule.layouts.end())
      return;
    if (Group *group = memberAt(rule.site); !group->layout)
      fix(*group, fits == rule.layouts.end() ? rule.layouts.back() : *fits, entry.op->getLoc());
  }

  Group *memberAt(const LayoutSite &site) {
    if (!groups_.of(site))
      groups_.addUse(*site.use);
    return groups_.of(site);
  }

  void unite(const Entry &entry) {
    if (auto *rule = std::get_if<rule::Equal>(&entry.rule)) {
      unite(entry.op, rule->sites);
    } else if (auto *rule = std::get_if<rule::Relayout>(&entry.rule)) {
      bool constant = !groups_.of(rule->from);
      if (rule->strict && !constant)
        unite(entry.op, {rule->to, rule->from});
      else if (!rule->strict && constant) // made in the layout that it is cast to
        groups_.follow(*rule->from.use, rule->to);
    } else if (auto *rule = std::get_if<rule::Part>(&entry.rule)) {
      if (groups_.of(rule->whole))
        memberAt(rule->part);
    } else if (auto *rule = std::get_if<rule::TensorTransfer>(&entry.rule)) {
      memberAt(rule->array);
    }
  }

  void unite(Operation *op, ArrayRef<LayoutSite> sites) {
    const LayoutSite *first = llvm::find_if(sites, [&](const LayoutSite &site) { return groups_.of(site); });
    if (first == sites.end())
      return;
    for (const LayoutSite &site : sites)
      if (groups_.of(site))
        failed_ |= failed(groups_.merge(op, *first, site));
    for (const LayoutSite &site : sites)
      if (!groups_.of(site))
        groups_.follow(*site.use, *first);
  }

  //===--- what nobody said ---===//

  void solve() {
    while (!failed_) {
      bool progress = false;
      for (const Entry *entry : reduced_)
        progress |= propagate(*entry, std::get<rule::Reduced>(entry->rule));
      if (!progress)
        for (const Entry *entry : derived_)
          progress |= propagate(*entry);
      if (!progress && !learnTensor() && !takeHint() && !takeDefault())
        return;
    }
  }

  /// Reductions and broadcasts: one side's layout gives the other's.
  bool propagate(const Entry &entry, const rule::Reduced &rule) {
    Group *large = groups_.of(rule.large), *small = groups_.of(rule.small);
    if (!large || !small || failed_ || large->layout.has_value() == small->layout.has_value())
      return false;
    Group &unknown = large->layout ? *small : *large;
    auto layout = large->layout ? reducedLayout(*large->layout, shapeOf(rule.large.value), rule.axes)
                                : enlarged(rule, *large, *small->layout);
    if (layout)
      fix(unknown, *layout, entry.op->getLoc());
    return layout.has_value();
  }

  /// A layout that is `small` when it is reduced: what the array is cast to, then the named layouts in the order in
  /// which JAX tries them, then `small` repeated as a whole.
  std::optional<RegisterLayout> enlarged(const rule::Reduced &rule, Group &group, const RegisterLayout &small) {
    namespace c = layouts::catalogue;
    Shape shape = shapeOf(rule.large.value);
    std::vector<RegisterLayout> candidates;
    for (const Entry *entry : casts_) {
      auto &cast = std::get<rule::Relayout>(entry->rule);
      if (groups_.of(cast.from) == &group && std::holds_alternative<TiledLayout>(groups_.layoutAt(cast.to)))
        candidates.push_back(groups_.layoutAt(cast.to));
    }
    candidates.insert(candidates.end(),
                      {c::wgmma(), c::wgmmaTransposed(), c::tcgen05(), c::tcgen05Transposed(), *c::tmemNative(2)});
    if (auto halves = c::faM64Collective(shape.back()))
      candidates.push_back(*halves);
    for (const RegisterLayout &candidate : candidates)
      if (layouts::checkApplies(candidate, shape) && reducedLayout(candidate, shape, rule.axes) == small)
        return candidate;
    return rule.repeats ? repeatedLayout(small, shape, rule.axes) : std::nullopt;
  }

  /// Arrays cut, joined and reshaped: one side's layout gives the other's, from what the operation defines first.
  bool propagate(const Entry &entry) {
    auto [defined, used] = endsOf(entry.rule);
    bool progress = false;
    for (auto [from, to] : {std::pair(defined, used), std::pair(used, defined)}) {
      Group *known = groups_.of(from), *unknown = groups_.of(to);
      if (failed_ || !known || !unknown || !known->layout || unknown->layout)
        continue;
      if (auto layout = derivedLayout(entry.rule, *known->layout, from, to)) {
        fix(*unknown, *layout, entry.op->getLoc());
        progress = true;
      }
    }
    return progress;
  }

  /// Where tensor memory holds an array whose layout is known.
  bool learnTensor() {
    for (const rule::TensorTransfer *transfer : tensorTransfers_) {
      Group *array = groups_.of(transfer->array);
      if (tensors_.of(transfer->tensor.value) || !array->layout)
        continue;
      Value value = transfer->array.value;
      auto found = layouts::tensorLayoutsFor(*array->layout, shapeOf(value), bitwidthOf(value));
      if (found.empty())
        continue;
      failed_ |= failed(tensors_.fix(transfer->tensor.value, found.front(), *array->origin));
      return true;
    }
    return false;
  }

  /// What the group's transfers with tensor memory allow, the usual layout first; nullopt where there are none.
  std::optional<std::vector<RegisterLayout>> tensorCandidates(const Group &group) {
    std::optional<std::vector<RegisterLayout>> candidates;
    for (const rule::TensorTransfer *transfer : tensorTransfers_) {
      const layouts::TMEMLayout *tensor = tensors_.of(transfer->tensor.value);
      if (groups_.of(transfer->array) != &group || !tensor)
        continue;
      Value array = transfer->array.value;
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

  /// What feeds a cast takes its layout, or where tensor memory does not give that, one that can be converted to it.
  bool takeHint() {
    for (const Entry *entry : casts_) {
      auto &cast = std::get<rule::Relayout>(entry->rule);
      Group *from = groups_.of(cast.from);
      if (!from || from->layout)
        continue;
      RegisterLayout hint = groups_.layoutAt(cast.to);
      if (auto candidates = tensorCandidates(*from); candidates && !llvm::is_contained(*candidates, hint))
        for (const RegisterLayout &each : *candidates)
          if (layouts::conversion(each, hint, shapeOf(cast.from.value), bitwidthOf(cast.from.value))) {
            hint = each;
            break;
          }
      fix(*from, hint, entry->op->getLoc());
      return true;
    }
    return false;
  }

  bool takeDefault() {
    for (Value array : order_)
      if (Group *group = groups_.of(array); !group->layout) {
        fixDefault(*group);
        return true;
      }
    for (const rule::TensorTransfer *transfer : tensorTransfers_) // of a constant
      if (Group *group = groups_.of(transfer->array); !group->layout) {
        fixDefault(*group);
        return true;
      }
    return false;
  }

  void fixDefault(Group &group) {
    for (const rule::TensorTransfer *transfer : tensorTransfers_)
      if (groups_.of(transfer->array) == &group && !tensors_.of(transfer->tensor.value)) {
        failed_ |= failed(tensors_.finish());
        break;
      }
    if (auto candidates = tensorCandidates(group); candidates && !candidates->empty())
      return fix(group, candidates->front(), group.members.front().getLoc());
    // Strided arrays cannot be cut, and joined along the first dimension only.
    const TiledLayout &tiled = layouts::catalogue::wgmma();
    for (const Entry *entry : derived_) {
      auto *part = std::get_if<rule::Part>(&entry->rule);
      if (part && !part->leading && (groups_.of(part->whole) == &group || groups_.of(part->part) == &group) &&
          tiled.registersShape(shapeOf(part->whole.value)) && tiled.registersShape(shapeOf(part->part.value)))
        return fix(group, tiled, entry->op->getLoc());
    }
    // Swizzled memory decides if any of the group's loads reads it: the others can be read in any layout.
    Value leader;
    for (Value member : group.members) {
      auto load = loads_.find(member);
      if (load == loads_.end())
        continue;
      RefTransforms transforms = transforms_.lookup(std::get<rule::Transfer>(load->second->rule).reference);
      if (transforms.isTiled())
        return fixTiledLoad(group, *load->second->op, member, transforms);
      if (!leader)
        leader = member;
    }
    if (!leader)
      leader = group.members.front();
    auto strided = layouts::WGStridedFragLayout::fromShapedType(shapeOf(leader), std::max(8, bitwidthOf(leader)));
    if (strided)
      return fix(group, *strided, leader.getLoc());
    failed_ = true;
    emitError(leader.getLoc()) << "an array of shape " << layouts::tupleText(shapeOf(leader))
                               << " cannot be dealt evenly to a warpgroup's 128 threads; name a layout that fits with "
                                  "`layout=`";
  }

  void fixTiledLoad(Group &group, Operation &load, Value array, const RefTransforms &transforms) {
    int bits = bitwidthOf(array);
    bool down = transforms.transposed && (bits == 16 || bits == 32);
    const TiledLayout &layout = down ? layouts::catalogue::wgmmaTransposed() : layouts::catalogue::wgmma();
    if (layout.registersShape(shapeOf(array)))
      return fix(group, layout, load.getLoc());
    failed_ = true;
    load.emitError() << "tiled shared memory is loaded as " << layouts::quoted(layout) << ", which needs multiples of "
                     << layouts::tupleText(layout.baseTile()) << ", but this has shape "
                     << layouts::tupleText(shapeOf(array)) << "; name a layout that fits with `layout=`";
  }

  const ModuleRules &module_;
  TransformMap transforms_;
  Groups groups_;
  std::vector<Value> order_;
  std::vector<const Entry *> reduced_, derived_, casts_;
  llvm::DenseMap<Value, const Entry *> loads_; // by the array that is loaded
  std::vector<const rule::TensorTransfer *> tensorTransfers_;
  TensorLayouts tensors_;
  bool failed_ = false;
};

void annotate(Operation *op, Groups &groups, TensorLayouts &tensors) {
  if (op->hasTrait<OpTrait::IsTerminator>())
    return;
  auto write = [&](llvm::StringRef name, ArrayRef<Attribute> entries) {
    if (!entries.empty())
      op->setAttr(name, ArrayAttr::get(op->getContext(), entries));
  };
  auto ofTensors = [&](ValueRange values) {
    SmallVector<Attribute> entries;
    for (Value value : values)
      if (hasTensorLayout(value.getType()))
        entries.push_back(toAttribute(op->getContext(), *tensors.of(value)));
    return entries;
  };
  write(kInTmemLayouts, ofTensors(op->getOperands()));
  write(kOutTmemLayouts, ofTensors(op->getResults()));
  SmallVector<Attribute> in, out;
  for (OpOperand &operand : op->getOpOperands())
    if (isa<VectorType>(operand.get().getType()))
      in.push_back(toAttribute(op->getContext(), groups.layoutAt(operand)));
  for (Value result : op->getResults())
    if (hasRegisterLayout(result.getType()))
      out.push_back(toAttribute(op->getContext(), groups.layoutAt(result)));
  write(kInLayouts, in);
  write(kOutLayouts, out);
}

} // namespace

LogicalResult inferLayouts(ModuleOp module) {
  auto rules = collectRules(module);
  if (failed(rules))
    return failure();
  Inference inference(*rules);
  if (failed(inference.run()) || failed(checkLayouts(*rules, inference.groups(), inference.tensors())))
    return failure();
  module->walk([&](Operation *op) { annotate(op, inference.groups(), inference.tensors()); });
  annotateTransforms(module, inference.transforms());
  return success();
}

} // namespace lanescope::core
