#include "core/gpu/inference/Checks.h"

#include "core/gpu/inference/Layouts.h"

#include "layouts/cost/RelayoutTable.h"
#include "layouts/cost/TmemTransfer.h"
#include "layouts/support/Text.h"

namespace lanescope::core {

using namespace mlir;
using layouts::quoted;

namespace {

class Check {
public:
  Check(Groups &groups, TensorLayouts &tensors) : groups_(groups), tensors_(tensors) {}

  /// True where the rule holds.
  bool operator()(Operation *op, const rule::Relayout &rule) {
    Group *from = groups_.of(rule.from), *to = groups_.of(rule.to);
    if (!from || !to)
      return true;
    auto conversion =
        layouts::conversion(*from->layout, *to->layout, shapeOf(rule.from.value), bitwidthOf(rule.from.value));
    if (!conversion)
      note(op->emitError(conversion.error().front().message), *from);
    return conversion.has_value();
  }

  bool operator()(Operation *op, const rule::OneOf &rule) {
    Group *group = groups_.of(rule.site);
    if (!group || llvm::is_contained(rule.layouts, *group->layout))
      return true;
    note(op->emitError() << rule.what << " is in registers as " << quoted(rule.layouts.front()) << ", but this is in "
                         << quoted(*group->layout) << "; convert it with `layout_cast`",
         *group);
    return false;
  }

  bool operator()(Operation *op, const rule::TensorTransfer &rule) {
    Group *group = groups_.of(rule.array);
    if (!group)
      return true;
    layouts::Shape shape = shapeOf(rule.array.value);
    int bits = bitwidthOf(rule.array.value);
    const layouts::TMEMLayout &tensor = *tensors_.of(rule.tensor.value);
    auto plan = layouts::chooseTmemTransfer(tensor, *group->layout, shape, bits);
    if (plan)
      return true;
    auto diagnostic = op->emitError() << plan.error();
    llvm::StringRef before = "; there it is ";
    for (const layouts::RegisterLayout &other : layouts::registerLayoutsFor(tensor, shape, bits)) {
      diagnostic << before << quoted(other);
      before = " or ";
    }
    note(diagnostic, *group);
    return false;
  }

  bool operator()(Operation *op, const rule::Splat &rule) {
    if (!groups_.of(rule.site))
      return true;
    op->emitError("only a constant array can be here, but this one's elements differ");
    return false;
  }

  bool operator()(Operation *op, const rule::Reduced &rule) {
    Group *large = groups_.of(rule.large), *small = groups_.of(rule.small);
    if (!large || !small)
      return true;
    layouts::Shape shape = shapeOf(rule.large.value);
    auto wanted = reducedLayout(*large->layout, shape, rule.axes);
    if (wanted == small->layout || (rule.repeats && repeatedLayout(*small->layout, shape, rule.axes) == large->layout))
      return true;
    if (!wanted) {
      note(op->emitError() << "an array in the layout " << quoted(*large->layout) << " cannot be "
                           << (rule.repeats ? "a broadcast along" : "reduced over")
                           << " these dimensions; give it a tiled layout with `layout_cast`, such as `WGMMA`",
           *large);
      return false;
    }
    auto diagnostic = op->emitError() << "the " << (rule.repeats ? "operand" : "result") << "'s layout "
                                      << quoted(*small->layout) << " is not the "
                                      << (rule.repeats ? "result" : "operand") << "'s layout " << quoted(*large->layout)
                                      << " reduced by the " << (rule.repeats ? "new" : "reduced")
                                      << " dimensions; convert the operand with `layout_cast`"
                                      << (rule.repeats ? " to the result's layout's `.reduce(…)`" : "");
    note(diagnostic, *small);
    note(diagnostic, *large);
    return false;
  }

  bool operator()(Operation *op, const rule::Reshaped &rule) {
    return derived(op, rule, "this reshape would move elements between threads",
                   "go through memory, or cut the array along its layout's tiles");
  }

  bool operator()(Operation *op, const rule::Part &rule) {
    return derived(op, rule,
                   rule.whole.use ? "an array is sliced in whole tiles of its layout"
                                  : "arrays are joined in one layout, in whole tiles of it",
                   "convert with `layout_cast` to a tiled layout whose tiles divide both shapes");
  }

  template <typename Rule> bool operator()(Operation *, const Rule &) { return true; }

private:
  bool derived(Operation *op, const LayoutRule &rule, const char *fault, const char *mend) {
    auto [defined, used] = endsOf(rule);
    Group *own = groups_.of(defined), *from = groups_.of(used);
    if (!own || !from || !from->layout || derivedLayout(rule, *from->layout, used, defined) == own->layout)
      return true;
    note(op->emitError() << fault << ": the layouts are " << quoted(*from->layout) << " for shape "
                         << layouts::tupleText(shapeOf(used.value)) << " and " << quoted(*own->layout) << " for "
                         << layouts::tupleText(shapeOf(defined.value)) << "; " << mend,
         *from);
    return false;
  }

  template <typename Diagnostic> static void note(Diagnostic &&diagnostic, const Group &group) {
    diagnostic.attachNote(*group.origin) << quoted(*group.layout) << " comes from here";
  }

  Groups &groups_;
  TensorLayouts &tensors_;
};

} // namespace

LogicalResult checkLayouts(const ModuleRules &module, Groups &groups, TensorLayouts &tensors) {
  bool hold = true;
  Check check(groups, tensors);
  for (const LayoutRules::Entry &entry : module.entries())
    hold &= std::visit([&](const auto &rule) { return check(entry.op, rule); }, entry.rule);
  return success(hold);
}

} // namespace lanescope::core
