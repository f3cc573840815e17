// Arrays that do not come from memory, and arrays that change layout or shape.
#include "core/gpu/inference/LayoutsInModule.h"
#include "core/gpu/ir/MosaicGpu.h"
#include "core/gpu/lowering/arrays/LayoutCast.h"
#include "core/gpu/lowering/memory/Transfer.h"

#include <map>

namespace lanescope::core {

using namespace mlir;

namespace {

layouts::Shape shapeOf(Value value) {
  auto type = cast<VectorType>(value.getType());
  return {type.getShape().begin(), type.getShape().end()};
}

/// vector.broadcast of a scalar.
LogicalResult broadcast(KernelLowering &k, Operation *op) {
  if (k.isArray(op->getOperand(0)) && !k.array(op->getOperand(0)).isSplat())
    return op->emitError("only a scalar or a constant array broadcasts here; use `broadcast_in_dim`");
  Value one = k.isArray(op->getOperand(0)) ? k.array(op->getOperand(0)).registers.front() : k.scalar(op->getOperand(0));
  layouts::Shape shape = shapeOf(op->getResult(0));
  k.set(op->getResult(0), RegisterArray{layouts::WGSplatFragLayout{shape}, shape, {one}});
  return success();
}

LogicalResult layoutCast(KernelLowering &k, Operation *op) {
  auto wanted = resultLayout(op, 0);
  if (!wanted)
    return op->emitError("this cast has no layout; run layout inference first");
  auto to = relayout(k, op, k.array(op->getOperand(0)), *wanted);
  if (failed(to))
    return failure();
  k.set(op->getResult(0), std::move(*to));
  return success();
}

LogicalResult iota(KernelLowering &k, Operation *op) {
  auto iota = cast<mosaic_gpu::BroadcastedIotaOp>(op);
  auto layout = resultLayout(op, 0);
  if (!layout)
    return op->emitError("this array has no layout; run layout inference first");
  layouts::Shape shape = shapeOf(iota.getResult());
  std::vector<RefDim> dims; // the coordinate as an offset: stride 1 along the dimension, 0 elsewhere
  for (size_t d = 0; d < shape.size(); ++d)
    dims.push_back({{shape[d]}, {d == iota.getDimension() ? 1 : 0}});
  auto offsets = offsetsOf(k, op, dims, *layout);
  if (failed(offsets))
    return failure();
  ThreadBuilder &t = k.t;
  Type element = k.registerElement(getElementTypeOrSelf(iota.getResult().getType()));
  if (!element)
    return op->emitError("this element type is not supported here");
  Value own = offsets->thread(t, 32);
  auto number = [&](const RegisterOffset &reg, int64_t position) -> Value {
    Value n = own;
    if (reg.computed)
      n = t.add(n, t.resize(reg.computed, 32));
    n = n ? t.add(n, reg.known + position) : t.constant(reg.known + position);
    if (isa<IntegerType>(element))
      return t.resize(n, element.getIntOrFloatBitWidth());
    return t.create<LLVM::SIToFPOp>(element, n);
  };
  RegisterArray array{*layout, shape, {}};
  SmallVector<Value> parts;
  int64_t length = KernelLowering::vectorLength(*layout);
  for (const RegisterOffset &reg : offsets->registers)
    for (int64_t position : offsets->positions) {
      parts.push_back(number(reg, position));
      if (static_cast<int64_t>(parts.size()) == length) {
        array.registers.push_back(t.concatenate(parts));
        parts.clear();
      }
    }
  k.set(iota.getResult(), std::move(array));
  return success();
}

/// Every element that the result's registers repeat is already in the same thread of the source.
LogicalResult broadcastInDim(KernelLowering &k, Operation *op) {
  auto broadcast = cast<mosaic_gpu::BroadcastInDimOp>(op);
  const RegisterArray &source = k.array(broadcast.getOperand());
  layouts::Shape shape = shapeOf(broadcast.getResult());
  if (source.isSplat()) {
    k.set(broadcast.getResult(), RegisterArray{layouts::WGSplatFragLayout{shape}, shape, source.registers});
    return success();
  }
  auto layout = resultLayout(op, 0);
  if (!layout)
    return op->emitError("this array has no layout; run layout inference first");
  ArrayRef<int64_t> kept = broadcast.getBroadcastDimensions();
  std::vector<int64_t> added, repeated; // added: new dimensions; repeated: these and dimensions of size 1 in the source
  for (int64_t d = 0; d < static_cast<int64_t>(shape.size()); ++d) {
    const auto *of = llvm::find(kept, d);
    if (of == kept.end())
      added.push_back(d);
    if (of == kept.end() || source.shape[of - kept.begin()] != shape[d])
      repeated.push_back(d);
  }
  if (repeatedLayout(source.layout, shape, repeated) == layout) { // whole chunks, one copy after the other
    RegisterArray array{*layout, shape, {}};
    for (int64_t r = 0, n = KernelLowering::registerCount(*layout, shape); r < n; ++r)
      array.registers.push_back(source.registers[r % source.registers.size()]);
    k.set(broadcast.getResult(), std::move(array));
    return success();
  }
  if (repeated.size() != added.size())
    return op->emitError("in this layout a dimension of size 1 is not repeated; reshape the array to drop it first");
  if (reducedLayout(*layout, shape, added) != source.layout)
    return op->emitError("the operand's layout is not the result's layout reduced by the new dimensions");

  // Finds the source register that holds the element. Elements of both arrays are identified by their coordinates along
  // the kept dimensions.
  auto strides = layouts::contiguousStrides(source.shape);
  std::vector<RefDim> sourceDims, resultDims;
  for (size_t i = 0; i < source.shape.size(); ++i)
    sourceDims.push_back({{source.shape[i]}, {strides[i]}});
  for (size_t d = 0; d < shape.size(); ++d)
    resultDims.push_back({{shape[d]}, {0}});
  for (size_t i = 0; i < kept.size(); ++i)
    resultDims[kept[i]].strides = {strides[i]};
  auto own = offsetsOf(k, op, sourceDims, source.layout), wanted = offsetsOf(k, op, resultDims, *layout);
  if (failed(own) || failed(wanted))
    return failure();
  // Offset of an element, without the thread's part -> register, position.
  llvm::DenseMap<int64_t, std::pair<int64_t, int64_t>> slots;
  for (auto [r, reg] : llvm::enumerate(own->registers))
    for (auto [v, position] : llvm::enumerate(own->positions))
      slots[reg.known + position] = {static_cast<int64_t>(r), static_cast<int64_t>(v)};
  RegisterArray array{*layout, shape, {}};
  std::map<std::vector<int64_t>, Value>
      made; // registers that hold the same elements share one value; key: the offsets of their elements
  for (const RegisterOffset &reg : wanted->registers) {
    std::vector<int64_t> offsets;
    for (int64_t position : wanted->positions)
      offsets.push_back(reg.known + position);
    Value &value = made[offsets];
    if (!value) {
      SmallVector<Value> parts;
      for (int64_t offset : offsets) {
        auto slot = slots.find(offset);
        if (slot == slots.end() || reg.computed)
          return op->emitError("the result's layout needs elements that the operand's threads do not hold");
        bool again = !parts.empty() && offset == offsets.front();
        parts.push_back(again ? parts.front() : k.t.extract(source.registers[slot->second.first], slot->second.second));
      }
      value = llvm::all_equal(parts) ? k.t.splat(parts.front(), static_cast<int64_t>(parts.size()))
                                     : k.t.concatenate(parts);
    }
    array.registers.push_back(value);
  }
  k.set(broadcast.getResult(), std::move(array));
  return success();
}

LogicalResult optimizationBarrier(KernelLowering &k, Operation *op) {
  // If all registers passed through as tied operands, the statement would need an output per register. It is enough to
  // order memory accesses.
  k.t.ptx("", "", {});
  for (auto [operand, value] : llvm::zip_equal(op->getOperands(), op->getResults()))
    k.set(value, k.values.at(operand));
  return success();
}

} // namespace

void addArrays(HandlerTable &table) {
  table["vector.broadcast"] = broadcast;
  table["mosaic_gpu.layout_cast"] = layoutCast;
  table["mosaic_gpu.broadcasted_iota"] = iota;
  table["mosaic_gpu.broadcast_in_dim"] = broadcastInDim;
  table["mosaic_gpu.optimization_barrier"] = optimizationBarrier;
}

} // namespace lanescope::core
