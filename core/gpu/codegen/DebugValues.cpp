#include "core/gpu/codegen/DebugValues.h"

#include "layouts/support/Text.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Matchers.h"

#include <algorithm>

namespace lanescope::core {

using namespace mlir;

namespace {

std::string_view nameIn(Location location) {
  auto name = location->findInstanceOf<NameLoc>();
  return name ? std::string_view(name.getName().strref()) : std::string_view();
}

/// Whether registers hold elements of the type as they are.
bool fillsRegisters(Type element) {
  if (isa<IndexType>(element))
    return true;
  return element.isIntOrFloat() &&
         (element.isInteger(1) || llvm::is_contained({16u, 32u, 64u}, element.getIntOrFloatBitWidth()));
}

/// Code of the kernel's threads, not of a region that computes an element.
bool runsInThreads(Block *block) {
  for (Operation *op = block->getParentOp(); op; op = op->getParentOp()) {
    if (isa<func::FuncOp>(op))
      return true;
    StringRef dialect = op->getName().getDialectNamespace();
    if (dialect != "scf" && dialect != "lanescope")
      return false;
  }
  return false;
}

class Marker {
public:
  Marker(MLIRContext *context, const std::vector<ValueLayout> &values, llvm::function_ref<Span(Location)> spanOf)
      : builder_(context), values_(values), spanOf_(spanOf) {}

  void mark(Value value) {
    std::string_view name = nameIn(value.getLoc());
    if (name.empty() || !runsInThreads(value.getParentBlock()))
      return;
    Operation *op = value.getDefiningOp();
    if (op && (op->hasTrait<OpTrait::ConstantLike>() || op->getName().getStringRef() == "mosaic_gpu.wgmma"))
      return;
    if (op)
      builder_.setInsertionPointAfter(op);
    else
      builder_.setInsertionPointToStart(value.getParentBlock());
    if (auto vector = dyn_cast<VectorType>(value.getType())) {
      auto number = numberOf(value, name);
      if (fillsRegisters(vector.getElementType()) && number)
        emit(value, text("array ", *number, " ", name));
    } else if (fillsRegisters(value.getType())) {
      std::string type;
      llvm::raw_string_ostream(type) << value.getType();
      emit(value, text("scalar ", type, " ", name));
    }
  }

private:
  /// In the list of values; none: it has no layout there.
  std::optional<size_t> numberOf(Value value, std::string_view name) {
    Span span = spanOf_(value.getLoc());
    auto found = std::ranges::find_if(values_, [&](const ValueLayout &one) {
      return one.name == name && one.span.source == span.source && one.span.begin == span.begin;
    });
    return found == values_.end() ? std::nullopt : std::optional(static_cast<size_t>(found - values_.begin()));
  }

  void statement(Location location, const std::string &ptx, ValueRange operands) {
    OperationState state(location, "lanescope.inline_ptx");
    state.addAttribute("ptx", builder_.getStringAttr(ptx));
    state.addOperands(operands);
    builder_.create(state);
  }

  void emit(Value value, const std::string &what) {
    Location location = value.getLoc();
    statement(location, "// lanescope: element $0", value);
    statement(location, text("pmevent 0; // lanescope: ", what), {});
  }

  OpBuilder builder_;
  const std::vector<ValueLayout> &values_;
  llvm::function_ref<Span(Location)> spanOf_;
};

} // namespace

void markValues(ModuleOp module, const std::vector<ValueLayout> &values, llvm::function_ref<Span(Location)> spanOf) {
  SmallVector<Value> named;
  module.walk([&](Operation *op) {
    for (OpResult result : op->getResults())
      if (op->getNumResults() == 1)
        named.push_back(result);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        if (!isa<func::FuncOp>(op))
          llvm::append_range(named, llvm::reverse(block.getArguments()));
  });
  Marker marker(module.getContext(), values, spanOf);
  for (Value value : named)
    marker.mark(value);
}

} // namespace lanescope::core
