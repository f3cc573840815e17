// mosaic_gpu.vector_load and vector_store.
#include "core/gpu/inference/LayoutsInModule.h"
#include "core/gpu/ir/MosaicGpu.h"
#include "core/gpu/lowering/memory/Multimem.h"
#include "core/gpu/lowering/memory/PeerDevices.h"
#include "core/gpu/lowering/memory/Transfer.h"

#include "layouts/support/Text.h"

namespace lanescope::core {

using namespace mlir;

namespace {

/// Selects `yes` where `condition` is true, else `no`. It selects word by word, because LLVM would split a select
/// between vectors of halves.
Value choose(ThreadBuilder &t, Value condition, Value yes, Value no) {
  Type type = yes.getType(), element = ThreadBuilder::elementOf(type);
  int64_t bits = ThreadBuilder::countOf(type) * element.getIntOrFloatBitWidth();
  Type words = bits % 32 == 0 ? ThreadBuilder::vectorOf(t.i32(), bits / 32)
                              : Type(t.builder().getIntegerType(static_cast<unsigned>(bits)));
  auto cast = [&](Value value, Type to) {
    return value.getType() == to ? value : t.create<LLVM::BitcastOp>(to, value).getResult();
  };
  return cast(t.create<LLVM::SelectOp>(condition, cast(yes, words), cast(no, words)), type);
}

/// A place relative to operand `number`, as PTX writes it: "[$4+128]".
std::string placeText(size_t number, int64_t known) {
  return known == 0 ? text("[$", number, "]") : text("[$", number, "+", known, "]");
}

/// PTX ISA, `ldmatrix`: each lane gets 32 bits of each matrix.
void loadMatrices(ThreadBuilder &t, const TransferInstructions &plan, Type type, MutableArrayRef<Value> registers) {
  for (const MatrixAccess &access : plan.matrices) {
    size_t count = access.registers.size();
    std::string results, constraints;
    for (size_t i = 0; i < count; ++i) {
      results += text(i ? ", $" : "$", i);
      constraints += "=r,";
    }
    std::string code = text("ldmatrix.sync.aligned.m8n8.x", count, plan.transposed ? ".trans" : "", ".shared.b16 {",
                            results, "}, ", placeText(count, access.known), ";");
    Type all = count == 1 ? t.i32() : LLVM::LLVMStructType::getLiteral(t.context(), SmallVector<Type>(count, t.i32()));
    Value words = t.ptx(all, code, constraints + "r", {access.base});
    for (size_t i = 0; i < count; ++i) {
      Value word = count == 1 ? words : t.create<LLVM::ExtractValueOp>(words, ArrayRef{static_cast<int64_t>(i)});
      registers[access.registers[i]] = type == t.i32() ? word : t.create<LLVM::BitcastOp>(type, word).getResult();
    }
  }
}

/// PTX ISA, `stmatrix`.
void storeMatrices(ThreadBuilder &t, const TransferInstructions &plan, ArrayRef<Value> registers) {
  for (const MatrixAccess &access : plan.matrices) {
    std::string names, constraints = "r";
    SmallVector<Value> operands = {access.base};
    for (int64_t reg : access.registers) {
      names += text(operands.size() > 1 ? ", $" : "$", operands.size());
      constraints += ",r";
      Value word = registers[reg];
      operands.push_back(word.getType() == t.i32() ? word : t.create<LLVM::BitcastOp>(t.i32(), word).getResult());
    }
    t.ptx(text("stmatrix.sync.aligned.m8n8.x", access.registers.size(), plan.transposed ? ".trans" : "", ".shared.b16 ",
               placeText(0, access.known), ", {", names, "};"),
          constraints, operands);
  }
}

/// A load of 4 to 16 bytes with a hint for the L2 cache; `policy` names it.
Value loadWithPolicy(ThreadBuilder &t, Type type, Value address, StringRef policy) {
  Type word = t.i32(), i64 = t.builder().getI64Type();
  int64_t count = ThreadBuilder::countOf(type) * ThreadBuilder::elementOf(type).getIntOrFloatBitWidth() / 32;
  Value hint = t.purePtx(i64, text("createpolicy.fractional.L2::", policy.str(), ".b64 $0, 1.0;"), "=l", {});
  std::string results, constraints;
  for (int64_t i = 0; i < count; ++i) {
    results += text(i ? ", $" : "$", i);
    constraints += "=r,";
  }
  Type all = count == 1 ? word : LLVM::LLVMStructType::getLiteral(t.context(), SmallVector<Type>(count, word));
  std::string code =
      count == 1 ? text("ld.global.L2::cache_hint.b32 $0, [$1], $2;")
                 : text("ld.global.L2::cache_hint.v", count, ".b32 {", results, "}, [$", count, "], $", count + 1, ";");
  Value loaded = t.ptx(all, code, constraints + "l,l", {address, hint});
  if (count == 1)
    return t.create<LLVM::BitcastOp>(type, loaded);
  Value words = t.undefined(ThreadBuilder::vectorOf(word, count));
  for (int64_t i = 0; i < count; ++i)
    words = t.insert(words, t.create<LLVM::ExtractValueOp>(loaded, ArrayRef{i}), i);
  return t.create<LLVM::BitcastOp>(type, words);
}

LogicalResult load(KernelLowering &k, Operation *op) {
  auto load = cast<mosaic_gpu::VectorLoadOp>(op);
  std::optional<layouts::RegisterLayout> layout = resultLayout(op, 0);
  if (!layout)
    return op->emitError("this load has no layout; run layout inference first");
  const Ref &ref = k.ref(load.getSource());
  if (ref.multicast)
    return op->emitError("a load of all devices says how it combines what they hold: `multimem_load_reduce`");
  Type element = k.registerElement(ref.element);
  if (!element || !k.registerType(ref.element, *layout))
    return op->emitError() << "arrays of `" << ref.element << "` cannot be loaded in this layout";
  bool truth = element.isInteger(1); // truth values take a byte each in memory
  if (truth)
    element = k.t.builder().getI8Type();
  // A warpgroup's statements run in order, but another thread may have written the elements that a thread reads.
  if (ref.shared && k.unsyncedStores)
    k.warpgroupBarrier();
  auto plan = planTransfer(k, op, ref, *layout, TransferKind::Load);
  if (failed(plan) || failed(reportConflicts(op, ref, *layout, *plan, load.getOptimized())))
    return failure();
  RegisterArray array{*layout, ref.shape(), {}};
  int64_t length = KernelLowering::vectorLength(*layout) / ref.packing;
  if (!plan->matrices.empty()) {
    array.registers.resize(static_cast<size_t>(KernelLowering::registerCount(*layout, array.shape)));
    loadMatrices(k.t, *plan, ThreadBuilder::vectorOf(element, length), array.registers);
  } else if (plan->odd) {
    SmallVector<Value> loaded;
    for (const Access &access : plan->accesses)
      loaded.push_back(k.t.load(ThreadBuilder::vectorOf(element, access.count), access.address, plan->alignment));
    SmallVector<Value> fromOdd(loaded.size()); // register -> the value that odd lanes loaded for it
    for (auto [access, value] : llvm::zip_equal(plan->accesses, loaded))
      fromOdd[access.other] = value;
    for (auto [mine, other] : llvm::zip_equal(loaded, fromOdd))
      array.registers.push_back(mine == other ? mine : choose(k.t, plan->odd, other, mine));
  } else {
    SmallVector<Value> parts;
    for (const Access &access : plan->accesses) {
      Type type = ThreadBuilder::vectorOf(element, access.count);
      int64_t bytes = access.count * element.getIntOrFloatBitWidth() / 8;
      // An access of less than a word does not justify a register for the hint.
      bool hinted = load.getEvictionPolicy() && bytes >= 4 && plan->alignment >= bytes;
      parts.push_back(hinted ? loadWithPolicy(k.t, type, access.address, *load.getEvictionPolicy())
                             : k.t.load(type, access.address, plan->alignment));
      if (access.position + access.count == length) {
        array.registers.push_back(k.t.concatenate(parts));
        parts.clear();
      }
    }
  }
  if (truth)
    for (Value &reg : array.registers)
      reg = k.t.compare(LLVM::ICmpPredicate::ne, reg, 0);
  k.set(load.getResult(), std::move(array));
  return success();
}

/// A constant has no layout of its own: thread t stores elements t, t + 128, …
LogicalResult storeSplat(KernelLowering &k, const Ref &ref, Value value) {
  layouts::Shape shape = ref.shape();
  int64_t count = layouts::elementCount(shape);
  ThreadBuilder &t = k.t;
  for (int64_t begin = 0; begin < count; begin += layouts::kThreadsPerWarpgroup) {
    auto write = [&] {
      Value flat = t.add(k.thread, begin);
      SmallVector<Value> indices(shape.size());
      for (size_t d = shape.size(); d-- > 0;) {
        indices[d] = d == 0 ? flat : t.modulo(flat, shape[d]);
        flat = d == 0 ? flat : t.divide(flat, shape[d]);
      }
      t.store(value, elementAddress(k, ref, indices), static_cast<unsigned>(ref.elementBytes));
    };
    if (begin + layouts::kThreadsPerWarpgroup > count)
      k.when(t.compare(LLVM::ICmpPredicate::ult, k.thread, count - begin), write);
    else
      write();
  }
  return success();
}

/// True (i1) in the first of the warps that hold the same elements; null if no two warps hold the same. Only this warp
/// stores, because two warps that store to the same place race, even if both store the same value.
Value firstOfCopies(KernelLowering &k, const layouts::RegisterLayout &layout) {
  const auto *tiled = std::get_if<layouts::TiledLayout>(&layout);
  if (!tiled)
    return {};
  int64_t below = 1;
  Value others;
  for (size_t i = tiled->warpDims().size(); i-- > 0;) {
    const layouts::PartitionDim &dim = tiled->warpDims()[i];
    if (const auto *copies = std::get_if<layouts::Replicated>(&dim)) {
      if (copies->times > 1) {
        Value digit = k.t.modulo(k.t.divide(k.warp, below), copies->times);
        others = others ? k.t.create<LLVM::OrOp>(others, digit).getResult() : digit;
      }
      below *= copies->times;
    } else {
      below *= tiled->dimSize(std::get<int64_t>(dim));
    }
  }
  return others ? k.t.compare(LLVM::ICmpPredicate::eq, others, 0) : Value();
}

LogicalResult store(KernelLowering &k, Operation *op) {
  auto store = cast<mosaic_gpu::VectorStoreOp>(op);
  Ref ref = k.ref(store.getDestination());
  if (store.getMultimem() && !ref.multicast) {
    auto all = onAllDevices(k, op, ref);
    if (failed(all))
      return failure();
    ref = *std::move(all);
  }
  RegisterArray array = k.array(store.getValue());
  // Every thread must have read the old values before one is overwritten.
  if (ref.shared) {
    k.warpgroupBarrier();
    k.unsyncedStores = true;
  }
  if (array.isSplat()) {
    std::optional<layouts::WGStridedFragLayout> strided =
        layouts::WGStridedFragLayout::fromShapedType(array.shape, static_cast<int>(ref.elementBytes * 8));
    if (ref.packing != 1 && (!strided || strided->vecSize() % ref.packing != 0))
      return op->emitError("this constant array of 4-bit elements does not fill whole bytes of each thread");
    if (!strided && (store.getAtomicType() || ref.multicast))
      return op->emitError() << "this constant array cannot be dealt evenly to 128 threads, as "
                             << (ref.multicast ? "a store to all devices" : "an atomic store")
                             << " needs; give it a layout with `layout_cast`";
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
  if (store.getAtomicType())
    return storeAtomically(k, op, ref, array);
  auto plan = planTransfer(k, op, ref, array.layout, TransferKind::Store);
  if (failed(plan) || failed(reportConflicts(op, ref, array.layout, *plan, store.getOptimized())))
    return failure();
  if (ref.multicast && failed(checkMulticastStore(op, *plan, ref)))
    return failure();
  auto emit = [&] {
    if (ref.multicast)
      return storeToAll(k, *plan, ref, array.registers);
    if (!plan->matrices.empty())
      storeMatrices(k.t, *plan, array.registers);
    for (const Access &access : plan->accesses) {
      Value value = array.registers[access.reg];
      if (plan->odd && access.other != access.reg)
        value = choose(k.t, plan->odd, array.registers[access.other], value);
      k.t.store(k.t.slice(value, access.position, access.count), access.address, plan->alignment);
    }
  };
  if (Value first = firstOfCopies(k, array.layout))
    k.when(first, emit);
  else
    emit();
  return success();
}

} // namespace

void addTransfers(HandlerTable &table) {
  table["mosaic_gpu.vector_load"] = load;
  table["mosaic_gpu.vector_store"] = store;
  addMultimem(table);
}

} // namespace lanescope::core
