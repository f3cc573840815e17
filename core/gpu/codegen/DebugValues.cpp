#include "core/gpu/codegen/DebugValues.h"

#include "core/gpu/inference/LayoutsInModule.h"
#include "core/gpu/ir/MosaicGpu.h"
#include "core/ir/ElementTypes.h"
#include "layouts/support/Text.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Matchers.h"

#include "llvm/ADT/DenseSet.h"

#include <algorithm>

namespace lanescope::core {

using namespace mlir;

namespace {

std::string_view nameIn(Location location) {
  auto name = location->findInstanceOf<NameLoc>();
  return name ? std::string_view(name.getName().strref()) : std::string_view();
}

/// True if a mark can name the registers that hold elements of the type.
bool fillsRegisters(Type element) {
  if (isa<IndexType>(element))
    return true;
  return element.isIntOrFloat() && llvm::is_contained({1u, 4u, 8u, 16u, 32u, 64u}, element.getIntOrFloatBitWidth());
}

/// The offset in dynamic shared memory of an array that exists during the whole kernel.
std::optional<uint32_t> fixedOffset(Value ref) {
  while (auto with = ref.getDefiningOp<mosaic_gpu::WithTransformsOp>())
    ref = with.getRef();
  if (auto slice = ref.getDefiningOp<mosaic_gpu::SliceSmemOp>())
    return slice.getOffset();
  return std::nullopt;
}

std::string numbersText(ArrayRef<int64_t> numbers) { return numbers.empty() ? std::string("-") : joined(numbers, "x"); }

/// The variable of an accumulator that a product adds to as a whole; null if it adds to a part, or to a value.
Value accumulatorOf(mosaic_gpu::WGMMAOp product) {
  Operation *read = product.getAccumulator().getDefiningOp();
  return read && read->getName().getStringRef() == "memref.load" ? read->getOperand(0) : Value();
}

/// True if the operation stores to the variable something other than a product or a product after its wait.
bool writesAnew(Operation *op, const llvm::DenseSet<Value> &accumulators) {
  if (op->getName().getStringRef() != "memref.store" || !accumulators.contains(op->getOperand(1)))
    return false;
  Operation *value = op->getOperand(0).getDefiningOp();
  bool product =
      value && (isa<mosaic_gpu::WGMMAOp>(value) || value->getName().getStringRef() == "lanescope.wgmma_wait");
  return !product;
}

/// True for code of the kernel's threads; false in a region that computes an element.
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
    if (auto product = value.getDefiningOp<mosaic_gpu::WGMMAOp>())
      return markProduct(product);
    std::string_view name = nameIn(value.getLoc());
    if (name.empty() || !runsInThreads(value.getParentBlock()))
      return;
    Operation *op = value.getDefiningOp();
    if (op && (op->hasTrait<OpTrait::ConstantLike>() || isa<mosaic_gpu::SliceSmemOp>(op)))
      return;
    if (op)
      builder_.setInsertionPointAfter(op);
    else
      builder_.setInsertionPointToStart(value.getParentBlock());
    if (auto memory = dyn_cast<MemRefType>(value.getType())) {
      markReference(value, memory, name);
    } else if (auto vector = dyn_cast<VectorType>(value.getType())) {
      auto number = numberOf(value, name);
      if (fillsRegisters(vector.getElementType()) && number)
        emit(value, text("array ", *number, " ", name));
    } else if (fillsRegisters(value.getType())) {
      std::string type;
      llvm::raw_string_ostream(type) << value.getType();
      emit(value, text("scalar ", type, " ", name));
    }
  }

  /// Marks a store that gives the accumulator another value, whose registers are not known.
  void markWrite(Operation *store) {
    std::string_view name = nameIn(store->getOperand(1).getLoc());
    if (name.empty() || !runsInThreads(store->getBlock()))
      return;
    builder_.setInsertionPointAfter(store);
    statement(store->getLoc(), text("pmevent 0; // lanescope: unknown ", name), {});
  }

private:
  /// The accumulator of a wgmma must not be touched before the wait. So the mark names no registers; a reader of the
  /// PTX finds them in the instructions.
  void markProduct(mosaic_gpu::WGMMAOp product) {
    Value accumulator = accumulatorOf(product);
    std::string_view name = accumulator ? nameIn(accumulator.getLoc()) : "";
    auto number = numberOf(product.getResult(), nameIn(product.getLoc()));
    if (name.empty() || !number || !runsInThreads(product->getBlock()))
      return;
    builder_.setInsertionPointAfter(product);
    statement(product.getLoc(), text("pmevent 0; // lanescope: product ", *number, " ", name), {});
  }

  void markReference(Value value, MemRefType type, std::string_view name) {
    Operation *op = value.getDefiningOp();
    auto given = op ? op->getAttrOfType<ArrayAttr>(kOutTransforms) : ArrayAttr();
    auto dtype = dtypeOf(type.getElementType());
    auto offset = fixedOffset(value);
    if (!isSharedMemory(type) || !given || given.size() != 1 || !dtype || !offset)
      return;
    auto list = dyn_cast<ArrayAttr>(given[0]);
    if (!list)
      return;
    auto transforms = toTransforms(list);
    if (!transforms)
      return;
    Location location = value.getLoc();
    statement(location, text("// lanescope: element dynamic+", *offset), {});
    statement(location,
              text("pmevent 0; // lanescope: ref ", layouts::name(*dtype), " ", numbersText(type.getShape()), " ",
                   numbersText(transforms->tiling.value_or(layouts::Shape())), " ", transforms->swizzle, " ", name),
              {});
  }

  /// The index of the value in the list of values; nothing if it has no layout there.
  std::optional<size_t> numberOf(Value value, std::string_view name) {
    Span span = spanOf_(value.getLoc());
    auto result = dyn_cast<OpResult>(value);
    auto layout = result ? resultLayout(result.getOwner(), result.getResultNumber()) : std::nullopt;
    std::string written = layout ? layouts::jaxText(*layout) : std::string();
    auto found = std::ranges::find_if(values_, [&](const ValueLayout &one) {
      return one.name == name && one.span.source == span.source && one.span.begin == span.begin &&
             (written.empty() || one.layout == written);
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
  SmallVector<Operation *> writes;
  llvm::DenseSet<Value> accumulators;
  module.walk([&](mosaic_gpu::WGMMAOp product) {
    if (Value accumulator = accumulatorOf(product))
      accumulators.insert(accumulator);
  });
  module.walk([&](Operation *op) {
    if (writesAnew(op, accumulators))
      writes.push_back(op);
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
  for (Operation *op : writes)
    marker.markWrite(op);
}

} // namespace lanescope::core
