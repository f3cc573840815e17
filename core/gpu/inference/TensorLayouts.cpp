#include "core/gpu/inference/TensorLayouts.h"

#include "layouts/Catalogue.h"
#include "layouts/cost/TmemTransfer.h"
#include "layouts/support/Text.h"

#include "mlir/IR/BuiltinTypes.h"

namespace lanescope::core {

using namespace mlir;
using layouts::quoted;
using layouts::TMEMLayout;

static bool isTensor(Value value) { return hasTensorLayout(value.getType()); }

static layouts::Shape tensorShape(Value tensor) { return cast<MemRefType>(tensor.getType()).getShape().vec(); }

static int tensorBits(Value tensor) {
  Type element = cast<MemRefType>(tensor.getType()).getElementType();
  return element.isIntOrFloat() ? static_cast<int>(element.getIntOrFloatBitWidth()) : layouts::kTmemCellBits;
}

TensorLayouts::TensorLayouts(const ModuleRules &module) : module_(module) {
  for (const LayoutRules::Entry &entry : module.entries())
    if (auto *equal = std::get_if<rule::Equal>(&entry.rule))
      for (const LayoutSite &site : equal->sites)
        if (isTensor(site.value))
          merge(equal->sites.front().value, site.value);
}

TensorLayouts::Group &TensorLayouts::group(Value tensor) {
  auto [found, added] = index_.try_emplace(tensor, static_cast<int>(groups_.size()));
  if (added)
    groups_.push_back({{tensor}, std::nullopt, std::nullopt});
  return groups_[found->second];
}

void TensorLayouts::merge(Value a, Value b) {
  group(a), group(b);
  int to = index_[a], from = index_[b];
  if (to == from)
    return;
  for (Value member : groups_[from].members) {
    groups_[to].members.push_back(member);
    index_[member] = to;
  }
  groups_[from].members.clear();
}

LogicalResult TensorLayouts::decide() {
  bool good = true;
  for (const LayoutRules::Entry &entry : module_.entries()) {
    auto *rule = std::get_if<rule::TensorOneOf>(&entry.rule);
    if (!rule)
      continue;
    Group &own = group(rule->site.value);
    if (!own.layout) {
      layouts::Shape shape = tensorShape(rule->site.value);
      auto fits = llvm::find_if(rule->layouts, [&](const TMEMLayout &layout) {
        return layout.checkType(shape, tensorBits(rule->site.value)).has_value();
      });
      good &= succeeded(
          fix(rule->site.value, fits == rule->layouts.end() ? rule->layouts.front() : *fits, entry.op->getLoc()));
    } else if (!llvm::is_contained(rule->layouts, *own.layout)) {
      auto diagnostic = entry.op->emitError()
                        << rule->what << " is in tensor memory as " << quoted(rule->layouts.front())
                        << ", but this is laid out as " << quoted(*own.layout) << "; allocate it so";
      diagnostic.attachNote(*own.origin) << quoted(*own.layout) << " comes from here";
      good = false;
    }
  }
  return success(good);
}

/// What is wrong with `part` of another tensor, whatever their layout; empty where nothing is.
static std::string partProblem(Value part, Value of) {
  layouts::Shape shape = tensorShape(part), whole = tensorShape(of);
  if (shape.size() != whole.size())
    return "a reference to tensor memory is sliced, not indexed: both dimensions stay";
  if (shape[0] < whole[0])
    return text("a slice of tensor memory has all of its ", whole[0], " rows: they are the lanes of the tensor core");
  return {};
}

LogicalResult TensorLayouts::fix(Value tensor, const TMEMLayout &layout, Location origin) {
  Group &own = group(tensor);
  own.layout = layout; // even where it does not apply, so that it is reported once
  own.origin = origin;
  for (Value member : own.members) {
    Operation *op = member.getDefiningOp();
    if (op && op->getNumOperands() > 0 && llvm::is_contained(own.members, op->getOperand(0)))
      if (std::string problem = partProblem(member, op->getOperand(0)); !problem.empty())
        return emitError(member.getLoc()) << problem;
    if (auto fits = layout.checkType(tensorShape(member), tensorBits(member)); !fits)
      return emitError(member.getLoc()) << "the layout " << quoted(layout)
                                        << " does not apply to a reference to tensor memory of shape "
                                        << layouts::tupleText(tensorShape(member)) << ": "
                                        << fits.error().front().message;
  }
  return success();
}

LogicalResult TensorLayouts::finish() {
  bool good = true;
  for (const LayoutRules::Entry &entry : module_.entries())
    for (const LayoutSite &site : sitesOf(entry.rule)) {
      if (!isTensor(site.value) || group(site.value).layout)
        continue;
      auto usual = layouts::catalogue::inferTmem(tensorShape(site.value), /*collective=*/false);
      if (!usual) {
        emitError(site.value.getLoc()) << usual.error().front().message;
        group(site.value).layout = *layouts::catalogue::tmemDefault();
        good = false;
      } else {
        good &= succeeded(fix(site.value, *usual, site.value.getLoc()));
      }
    }
  return success(good);
}

const TMEMLayout *TensorLayouts::of(Value tensor) {
  Group &own = group(tensor);
  return own.layout ? &*own.layout : nullptr;
}

} // namespace lanescope::core
