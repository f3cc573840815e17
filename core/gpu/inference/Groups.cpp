#include "core/gpu/inference/Groups.h"

#include "layouts/cost/RelayoutTable.h"
#include "layouts/support/Text.h"

namespace lanescope::core {

using namespace mlir;
using layouts::quoted;
using layouts::RegisterLayout;

void Groups::add(const void *key, Value member) {
  int number = static_cast<int>(groups_.size());
  index_[key] = number;
  parents_.push_back(number);
  groups_.push_back({{member}, std::nullopt, std::nullopt});
}

void Groups::add(Value array) { add(array.getAsOpaquePointer(), array); }

void Groups::addUse(OpOperand &constant) { add(&constant, constant.get()); }

void Groups::follow(OpOperand &constant, const LayoutSite &site) { index_[&constant] = find(site); }

int Groups::find(int group) {
  while (parents_[group] != group)
    group = parents_[group] = parents_[parents_[group]];
  return group;
}

int Groups::find(const LayoutSite &site) {
  auto found = index_.find(site.value.getAsOpaquePointer());
  if (found == index_.end())
    found = index_.find(site.use); // null: never there
  return found == index_.end() ? -1 : find(found->second);
}

Group *Groups::of(const LayoutSite &site) {
  int group = find(site);
  return group < 0 ? nullptr : &groups_[group];
}

RegisterLayout Groups::layoutAt(const LayoutSite &site) {
  Group *group = of(site);
  return group && group->layout ? *group->layout : RegisterLayout(layouts::WGSplatFragLayout{shapeOf(site.value)});
}

LogicalResult Groups::merge(Operation *op, const LayoutSite &a, const LayoutSite &b) {
  int first = find(a), second = find(b);
  if (first == second)
    return success();
  Group &one = groups_[first], &other = groups_[second];
  if (one.layout && other.layout && !(*one.layout == *other.layout)) {
    auto diagnostic = op->emitError() << "two arrays with different layouts meet here: " << quoted(*one.layout)
                                      << " and " << quoted(*other.layout) << "; convert one of them with `layout_cast`";
    diagnostic.attachNote(*one.origin) << quoted(*one.layout) << " comes from here";
    diagnostic.attachNote(*other.origin) << quoted(*other.layout) << " comes from here";
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

LogicalResult Groups::fix(Group &group, RegisterLayout layout, Location origin) {
  std::string problem;
  for (Value member : group.members) {
    layouts::Shape shape = shapeOf(member);
    if (auto *tiled = std::get_if<layouts::TiledLayout>(&layout)) {
      if (auto registers = tiled->registersShape(shape); !registers)
        problem = registers.error().front().message;
    } else if (auto *strided = std::get_if<layouts::WGStridedFragLayout>(&layout);
               strided && strided->shape() != shape) {
      problem = text("it is for shape ", layouts::tupleText(strided->shape()));
    }
    if (!problem.empty()) {
      emitError(origin) << "the layout " << quoted(layout) << " does not apply to an array of shape "
                        << layouts::tupleText(shape) << ": " << problem
                        << "; choose another with `layout=` or `layout_cast`";
      break;
    }
  }
  group.layout = std::move(layout); // even where it does not apply, so that it is reported once
  group.origin = origin;
  return success(problem.empty());
}

} // namespace lanescope::core
