// mosaic_gpu.vector_load and vector_store.
#include "core/inference/Layouts.h"
#include "core/ir/MosaicGpu.h"
#include "core/lowering/Transfer.h"

#include "layouts/support/Text.h"

namespace lanescope::core {

using namespace mlir;

namespace {

LogicalResult load(KernelLowering &k, Operation *op) {
  auto load = cast<mosaic_gpu::VectorLoadOp>(op);
  std::optional<layouts::RegisterLayout> layout = resultLayout(op, 0);
  if (!layout)
    return op->emitError("this load has no layout; run layout inference first");
  const Ref &ref = k.ref(load.getSource());
  Type element = k.registerElement(ref.element);
  if (!element || !k.registerType(ref.element, *layout))
    return op->emitError() << "arrays of `" << ref.element << "` cannot be loaded in this layout";
  bool truth = element.isInteger(1); // a byte each in memory
  if (truth)
    element = k.t.builder().getI8Type();
  // Statements of a warpgroup happen in order, but its threads write each other's elements.
  if (ref.shared && k.unsyncedStores)
    k.warpgroupBarrier();
  auto plan = planTransfer(k, op, ref, *layout);
  if (failed(plan))
    return failure();
  RegisterArray array{*layout, ref.shape(), {}};
  SmallVector<Value> parts;
  int64_t length = KernelLowering::vectorLength(*layout) / ref.packing;
  for (const Access &access : plan->accesses) {
    parts.push_back(k.t.load(ThreadBuilder::vectorOf(element, access.count), access.address, plan->alignment));
    if (access.position + access.count == length) {
      Value reg = k.t.concatenate(parts);
      array.registers.push_back(truth ? k.t.compare(LLVM::ICmpPredicate::ne, reg, 0) : reg);
      parts.clear();
    }
  }
  k.set(load.getResult(), std::move(array));
  return success();
}

/// A constant has no layout of its own: each thread stores elements t, t + 128, …; those past the end repeat the last.
LogicalResult storeSplat(KernelLowering &k, const Ref &ref, Value value) {
  layouts::Shape shape = ref.shape();
  int64_t count = layouts::elementCount(shape);
  ThreadBuilder &t = k.t;
  for (int64_t begin = 0; begin < count; begin += layouts::kThreadsPerWarpgroup) {
    Value flat = t.add(k.thread, begin);
    if (begin + layouts::kThreadsPerWarpgroup > count)
      flat = t.create<LLVM::UMinOp>(flat, t.constant(count - 1));
    SmallVector<Value> indices(shape.size());
    for (size_t d = shape.size(); d-- > 0;) {
      indices[d] = d == 0 ? flat : t.modulo(flat, shape[d]);
      flat = d == 0 ? flat : t.divide(flat, shape[d]);
    }
    t.store(value, elementAddress(k, ref, indices), static_cast<unsigned>(ref.elementBytes));
  }
  return success();
}

LogicalResult store(KernelLowering &k, Operation *op) {
  auto store = cast<mosaic_gpu::VectorStoreOp>(op);
  if (store.getMultimem() || store.getAtomicType())
    return op->emitError("atomic and multi-device stores are not supported yet");
  const Ref &ref = k.ref(store.getDestination());
  RegisterArray array = k.array(store.getValue());
  // Every thread must have read what this overwrites.
  if (ref.shared) {
    k.warpgroupBarrier();
    k.unsyncedStores = true;
  }
  if (array.isSplat()) {
    std::optional<layouts::WGStridedFragLayout> strided =
        layouts::WGStridedFragLayout::fromShapedType(array.shape, static_cast<int>(ref.elementBytes * 8));
    if (ref.packing != 1 && (!strided || strided->vecSize() % ref.packing != 0))
      return op->emitError("this constant array of 4-bit elements does not fill whole bytes of each thread");
    if (!strided) {
      Value one = array.registers.front();
      return storeSplat(k, ref, one.getType().isInteger(1) ? k.t.resize(one, 8) : one);
    }
    array = k.array(store.getValue(), *strided);
  }
  if (ThreadBuilder::elementOf(array.registers.front().getType()).isInteger(1))
    for (Value &reg : array.registers) {
      Type bytes = ThreadBuilder::vectorOf(k.t.builder().getI8Type(), ThreadBuilder::countOf(reg.getType()));
      reg = k.t.create<LLVM::ZExtOp>(bytes, reg);
    }
  auto plan = planTransfer(k, op, ref, array.layout);
  if (failed(plan))
    return failure();
  for (const Access &access : plan->accesses)
    k.t.store(k.t.slice(array.registers[access.reg], access.position, access.count), access.address, plan->alignment);
  return success();
}

} // namespace

void addTransfers(HandlerTable &table) {
  table["mosaic_gpu.vector_load"] = load;
  table["mosaic_gpu.vector_store"] = store;
}

} // namespace lanescope::core
