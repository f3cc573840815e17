#include "core/gpu/inference/KernelFaults.h"

#include "core/gpu/inference/CastCost.h"
#include "core/gpu/inference/constraints/DerivedLayouts.h"

#include "layouts/cost/RelayoutTable.h"
#include "layouts/cost/TmemTransferCost.h"
#include "layouts/support/Text.h"

namespace lanescope::core {

using namespace mlir;

namespace {

class Fault {
public:
  Fault(Operation *op, Groups &groups) : op_(op), groups_(groups) {}

  void operator()(const rule::Relayout &rule) {
    const Group &from = *groups_.of(rule.from);
    auto conversion = layouts::conversion(*from.layout.registers(), groups_.layoutAt(rule.to), shapeOf(rule.from.value),
                                          bitwidthOf(rule.from.value));
    if (!conversion)
      note(op_->emitError(conversion.error().front().message), from);
  }

  void operator()(const rule::OneOf &rule) {
    const Group &group = *groups_.of(rule.site);
    note(op_->emitError() << rule.what << " is in registers as " << quoted(rule.layouts.front()) << ", but this is in "
                          << quoted(group.layout) << "; convert it with `layout_cast`"
                          << castCosts(*group.layout.registers(), rule.layouts.front(), shapeOf(rule.site.value),
                                       bitwidthOf(rule.site.value), /*bothWays=*/false),
         group);
  }

  void operator()(const rule::TensorOneOf &rule) {
    const Group &group = *groups_.of(rule.site);
    note(op_->emitError() << rule.what << " is in tensor memory as " << quoted(rule.layouts.front())
                          << ", but this is laid out as " << quoted(group.layout) << "; allocate it so",
         group);
  }

  void operator()(const rule::TensorTransfer &rule) {
    const Group &group = *groups_.of(rule.array);
    layouts::Shape shape = shapeOf(rule.array.value);
    int bits = bitwidthOf(rule.array.value);
    const layouts::TMEMLayout &tensor = *groups_.tensorAt(rule.tensor.value);
    auto plan = layouts::chooseTmemTransfer(tensor, *group.layout.registers(), shape, bits);
    if (plan)
      return;
    auto diagnostic = op_->emitError() << plan.error();
    llvm::StringRef before = "; there it is ";
    for (const layouts::RegisterLayout &other : layouts::registerLayoutsFor(tensor, shape, bits)) {
      diagnostic << before << quoted(other);
      before = " or ";
    }
    note(diagnostic, group);
  }

  void operator()(const rule::Reduced &rule) {
    const Group &large = *groups_.of(rule.large), &small = *groups_.of(rule.small);
    auto needed = reducedLayout(*large.layout.registers(), shapeOf(rule.large.value), rule.axes);
    if (!needed) {
      note(op_->emitError() << "an array in the layout " << quoted(large.layout) << " cannot be "
                            << (rule.repeats ? "a broadcast along" : "reduced over")
                            << " these dimensions; give it a tiled layout with `layout_cast`, such as `WGMMA`",
           large);
      return;
    }
    auto diagnostic = op_->emitError();
    if (rule.repeats)
      diagnostic << "an array in the layout " << quoted(small.layout)
                 << " is not spread along these dimensions to one in " << quoted(large.layout)
                 << ", by `broadcast_in_dim` or as NumPy broadcasts; it is from " << quoted(*needed)
                 << ": cast it with `layout_cast` first, or spread another dimension, as `x[:, None]` does";
    else
      diagnostic << "the result's layout " << quoted(small.layout) << " is not the operand's layout "
                 << quoted(large.layout)
                 << " reduced by the reduced dimensions; convert the operand with `layout_cast`";
    note(diagnostic, small);
    note(diagnostic, large);
  }

  void operator()(const rule::Reshaped &rule) {
    derived(rule, "this reshape would move elements between threads",
            "go through memory, or cut the array along its layout's tiles");
  }

  void operator()(const rule::Part &rule) {
    derived(rule,
            rule.whole.use ? "an array is sliced in whole tiles of its layout"
                           : "arrays are joined in one layout, in whole tiles of it",
            "convert with `layout_cast` to a tiled layout whose tiles divide both shapes");
  }

  template <typename Rule> void operator()(const Rule &) {}

private:
  void derived(const LayoutRule &rule, const char *fault, const char *mend) {
    auto [defined, used] = endsOf(rule);
    const Group &own = *groups_.of(defined), &from = *groups_.of(used);
    note(op_->emitError() << fault << ": the layouts are " << quoted(from.layout) << " for shape "
                          << layouts::tupleText(shapeOf(used.value)) << " and " << quoted(own.layout) << " for "
                          << layouts::tupleText(shapeOf(defined.value)) << "; " << mend,
         from);
  }

  template <typename Diagnostic> static void note(Diagnostic &&diagnostic, const Group &group) {
    diagnostic.attachNote(group.origin) << quoted(group.layout) << " comes from here";
  }

  Operation *op_;
  Groups &groups_;
};

} // namespace

LogicalResult checkConstants(const ModuleRules &module, Groups &groups) {
  bool hold = true;
  for (const LayoutRules::Entry &entry : module.entries())
    if (auto *rule = std::get_if<rule::Splat>(&entry.rule); rule && groups.of(rule->site)) {
      entry.op->emitError("only a constant array can be here, but this one's elements differ");
      hold = false;
    }
  return success(hold);
}

void emitFault(const LayoutRules::Entry &entry, Groups &groups) { std::visit(Fault(entry.op, groups), entry.rule); }

} // namespace lanescope::core
