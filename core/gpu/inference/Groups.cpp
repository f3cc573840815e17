#include "core/gpu/inference/Groups.h"

#include "core/gpu/inference/CastCost.h"

#include "layouts/cost/RelayoutTable.h"
#include "layouts/cost/TmemTransferCost.h"
#include "layouts/support/Text.h"

namespace lanescope::core {

using namespace mlir;
using constraints::Constant;
using layouts::RegisterLayout;
using layouts::TMEMLayout;

bool Group::isTensor() const { return hasTensorLayout(members.front().getType()); }

std::string quoted(const Constant &layout) {
  return layout.tensor() ? layouts::quoted(*layout.tensor()) : layouts::quoted(*layout.registers());
}

void Groups::add(const void *key, Value member) {
  auto [found, isNew] = index_.try_emplace(key, static_cast<int>(groups_.size()));
  if (!isNew)
    return;
  parents_.push_back(found->second);
  groups_.push_back({{member}});
}

void Groups::add(Value value) { add(value.getAsOpaquePointer(), value); }

void Groups::addUse(OpOperand &constant) { add(&constant, constant.get()); }

void Groups::follow(OpOperand &constant, const LayoutSite &site) { index_[&constant] = number(site); }

int Groups::find(int group) {
  while (parents_[group] != group)
    group = parents_[group] = parents_[parents_[group]];
  return group;
}

int Groups::number(const LayoutSite &site) {
  auto found = index_.find(site.value.getAsOpaquePointer());
  if (found == index_.end())
    found = index_.find(site.use); // null: this use of a constant was never added
  return found == index_.end() ? -1 : find(found->second);
}

Group *Groups::of(const LayoutSite &site) {
  int group = number(site);
  return group < 0 ? nullptr : &groups_[group];
}

Group &Groups::ensured(const LayoutSite &site) {
  if (!of(site))
    addUse(*site.use);
  return *of(site);
}

RegisterLayout Groups::layoutAt(const LayoutSite &site) {
  Group *group = of(site);
  return group && group->layout.registers() ? *group->layout.registers()
                                            : RegisterLayout(layouts::WGSplatFragLayout{shapeOf(site.value)});
}

const TMEMLayout *Groups::tensorAt(Value tensor) {
  Group *group = of(tensor);
  return group ? group->layout.tensor() : nullptr;
}

LogicalResult Groups::merge(Operation *op, const LayoutSite &a, const LayoutSite &b) {
  int first = number(a), second = number(b);
  if (first == second)
    return success();
  Group &one = groups_[first], &other = groups_[second];
  if (one.layout && other.layout && !(one.layout == other.layout)) {
    auto diagnostic = op->emitError() << "two " << (one.isTensor() ? "references" : "arrays")
                                      << " with different layouts meet here: " << quoted(one.layout) << " and "
                                      << quoted(other.layout);
    if (one.isTensor())
      diagnostic << "; allocate one of them as the other";
    else
      diagnostic << "; convert one of them with `layout_cast`"
                 << castCosts(*one.layout.registers(), *other.layout.registers(), shapeOf(one.members.front()),
                              bitwidthOf(one.members.front()), /*bothWays=*/true);
    diagnostic.attachNote(one.origin) << quoted(one.layout) << " comes from here";
    diagnostic.attachNote(other.origin) << quoted(other.layout) << " comes from here";
    return diagnostic;
  }
  if (!one.layout) {
    one.layout = other.layout;
    one.origin = other.origin;
  }
  one.members.insert(one.members.end(), other.members.begin(), other.members.end());
  parents_[second] = first;
  return success();
}

/// Returns why an array of the shape cannot have the layout; empty if it can.
static std::string problemOf(const RegisterLayout &layout, const layouts::Shape &shape) {
  if (auto *tiled = std::get_if<layouts::TiledLayout>(&layout)) {
    if (auto registers = tiled->registersShape(shape); !registers)
      return registers.error().front().message;
  } else if (auto *strided = std::get_if<layouts::WGStridedFragLayout>(&layout); strided && strided->shape() != shape) {
    return text("it is for shape ", layouts::tupleText(strided->shape()));
  }
  return {};
}

/// Returns why `part` cannot be a part of another tensor in any layout; empty if it can.
static std::string partProblem(Value part, Value of) {
  layouts::Shape shape = tensorShape(part), whole = tensorShape(of);
  if (shape.size() != whole.size())
    return "a reference to tensor memory is sliced, not indexed: both dimensions stay";
  if (shape[0] < whole[0])
    return text("a slice of tensor memory has all of its ", whole[0], " rows: they are the lanes of the tensor core");
  return {};
}

static LogicalResult checkTensor(const Group &group, Value member, const TMEMLayout &layout) {
  Operation *op = member.getDefiningOp();
  if (op && op->getNumOperands() > 0 && llvm::is_contained(group.members, op->getOperand(0)))
    if (std::string problem = partProblem(member, op->getOperand(0)); !problem.empty())
      return emitError(member.getLoc()) << problem;
  if (auto fits = layout.checkType(tensorShape(member), tensorBits(member)); !fits)
    return emitError(member.getLoc()) << "the layout " << layouts::quoted(layout)
                                      << " does not apply to a reference to tensor memory of shape "
                                      << layouts::tupleText(tensorShape(member)) << ": "
                                      << fits.error().front().message;
  return success();
}

LogicalResult Groups::fix(Group &group, Constant layout, Location origin) {
  group.layout = std::move(layout); // keep a layout that does not apply, too, so that the error is reported once
  group.origin = origin;
  for (Value member : group.members) {
    if (const TMEMLayout *tensor = group.layout.tensor()) {
      if (failed(checkTensor(group, member, *tensor)))
        return failure();
      continue;
    }
    layouts::Shape shape = shapeOf(member);
    if (std::string problem = problemOf(*group.layout.registers(), shape); !problem.empty())
      return emitError(origin) << "the layout " << quoted(group.layout) << " does not apply to an array of shape "
                               << layouts::tupleText(shape) << ": " << problem
                               << "; choose another with `layout=` or `layout_cast`";
  }
  return success();
}

} // namespace lanescope::core
