#include "core/gpu/lowering/memory/Multimem.h"

#include "core/gpu/inference/LayoutsInModule.h"
#include "core/gpu/ir/MosaicGpuAsync.h"
#include "core/gpu/lowering/memory/PeerDevices.h"

#include "layouts/support/Text.h"

namespace lanescope::core {

using namespace mlir;

void fenceAliases(KernelLowering &k) { k.t.ptx("fence.proxy.alias;", "", {}); }

LogicalResult checkMulticastStore(Operation *op, const TransferInstructions &plan, const Ref &ref) {
  for (const Access &access : plan.accesses)
    if (int64_t bytes = access.count * ref.elementBytes; bytes % 4 != 0)
      return op->emitError(
          text("a store to all devices moves 4, 8 or 16 bytes of a thread, and in this layout a thread "
               "has ",
               bytes, " in a row; give the array a layout with longer vectors by `layout_cast`"));
  return success();
}

void storeToAll(KernelLowering &k, const TransferInstructions &plan, const Ref &ref, ArrayRef<Value> registers) {
  ThreadBuilder &t = k.t;
  for (const Access &access : plan.accesses) {
    int64_t words = access.count * ref.elementBytes / 4;
    Value value = t.slice(registers[access.reg], access.position, access.count);
    Type floats = ThreadBuilder::vectorOf(t.f32(), words); // holds any bits: PTX has only vectors of f32
    if (value.getType() != floats)
      value = t.create<LLVM::BitcastOp>(floats, value);
    SmallVector<Value> operands{access.address};
    std::string names, constraints = "l";
    for (int64_t i = 0; i < words; ++i) {
      names += text(i ? ", $" : "$", operands.size());
      constraints += ",f";
      operands.push_back(t.extract(value, i));
    }
    t.ptx(words == 1 ? text("multimem.st.relaxed.sys.global.f32 [$0], ", names, ";")
                     : text("multimem.st.relaxed.sys.global.v", words, ".f32 [$0], {", names, "};"),
          constraints, operands);
  }
  fenceAliases(k);
}

namespace {

/// A `multimem.ld_reduce` instruction for a run of elements.
struct LoadReduction {
  std::string suffix;    // "add.acc::f32.v2.f16x2"
  int64_t elements = 1;  // per instruction
  int64_t registers = 1; // registers that receive these elements
  Type type;             // the type of one register
  char constraint = 'r';
};

/// The widest reduction for `count` adjacent elements; nothing if a thread has too few of them.
std::optional<LoadReduction> reductionOf(ThreadBuilder &t, mosaic_gpu::MultimemReduction kind, Type element,
                                         int64_t count) {
  using enum mosaic_gpu::MultimemReduction;
  bool add = kind == Add;
  if (isa<IntegerType>(element)) {
    unsigned width = element.getIntOrFloatBitWidth();
    std::string_view name = add            ? "add.u"
                            : kind == And  ? "and.b"
                            : kind == Or   ? "or.b"
                            : kind == Xor  ? "xor.b"
                            : kind == Umin ? "min.u"
                            : kind == Umax ? "max.u"
                            : kind == Smin ? "min.s"
                                           : "max.s";
    return LoadReduction{text(name, width), 1, 1, t.builder().getIntegerType(width), width == 64 ? 'l' : 'r'};
  }
  if (element.isF32()) {
    int64_t width = std::min<int64_t>(count, 4);
    return LoadReduction{width == 1 ? "add.f32" : text("add.v", width, ".f32"), width, width, t.f32(), 'f'};
  }
  std::string_view name = add ? "add" : kind == Min ? "min" : "max";
  bool eight = element.getIntOrFloatBitWidth() == 8;
  std::string_view type = element.isF16()                ? "f16x2"
                          : element.isBF16()             ? "bf16x2"
                          : isa<Float8E5M2Type>(element) ? "e5m2x4"
                                                         : "e4m3x4";
  int64_t each = eight ? 4 : 2, words = std::min<int64_t>(count / each, 4);
  if (count % each != 0)
    return std::nullopt;
  // The hardware computes sums in a wider type and rounds them once.
  std::string_view sum = !add ? "" : eight ? ".acc::f16" : ".acc::f32";
  return LoadReduction{words == 1 ? text(name, sum, ".", type) : text(name, sum, ".v", words, ".", type), words * each,
                       words, t.i32()};
}

LogicalResult loadReduce(KernelLowering &k, Operation *op) {
  auto load = cast<mosaic_gpu::MultimemLoadReduceOp>(op);
  std::optional<layouts::RegisterLayout> layout = resultLayout(op, 0);
  if (!layout)
    return op->emitError("this load has no layout; give its result one with `layout_cast`");
  auto ref = onAllDevices(k, op, k.ref(load.getSource()));
  if (failed(ref))
    return failure();
  Type element = ref->element;
  if (element.getIntOrFloatBitWidth() == 8 && !k.gpu->tcgen05)
    return op->emitError() << "`" << element << "` of all devices is combined by sm_100a, not by " << k.gpu->name;
  auto plan = planTransfer(k, op, *ref, *layout, TransferKind::Load);
  if (failed(plan))
    return failure();
  fenceAliases(k);
  ThreadBuilder &t = k.t;
  RegisterArray array{*layout, ref->shape(), {}};
  int64_t length = KernelLowering::vectorLength(*layout);
  Type held = k.registerElement(element);
  SmallVector<Value> parts;
  for (const Access &access : plan->accesses) {
    for (int64_t i = 0, taken = 0; i < access.count; i += taken) {
      auto reduction = reductionOf(t, load.getReductionType(), element, access.count);
      if (!reduction)
        return op->emitError() << "a load of all devices combines 32 bits of `" << element
                               << "` at a time, and in this layout a thread has fewer in a row; give the result a "
                                  "layout with longer vectors by `layout_cast`";
      taken = reduction->elements;
      int64_t count = reduction->registers;
      std::string names, constraints;
      for (int64_t r = 0; r < count; ++r) {
        names += text(r ? ", $" : "$", r);
        constraints += text("=", reduction->constraint, ",");
      }
      SmallVector<Type> types(static_cast<size_t>(count), reduction->type);
      Type all = count == 1 ? reduction->type : Type(LLVM::LLVMStructType::getLiteral(t.context(), types));
      Value found = t.ptx(all,
                          text("multimem.ld_reduce.relaxed.sys.global.", reduction->suffix, " ",
                               count == 1 ? names : text("{", names, "}"), ", [$", count, "];"),
                          constraints + "l", t.address(access.address, Value(), i * ref->elementBytes));
      for (int64_t r = 0; r < count; ++r) {
        Value word = count == 1 ? found : t.create<LLVM::ExtractValueOp>(found, ArrayRef{r}).getResult();
        Type elements = ThreadBuilder::vectorOf(held, taken / count);
        parts.push_back(word.getType() == elements ? word : t.create<LLVM::BitcastOp>(elements, word).getResult());
      }
    }
    if (access.position + access.count == length) {
      array.registers.push_back(t.concatenate(parts));
      parts.clear();
    }
  }
  k.set(load.getResult(), std::move(array));
  return success();
}

} // namespace

void addMultimem(HandlerTable &table) { table["mosaic_gpu.multimem_load_reduce"] = loadReduce; }

} // namespace lanescope::core
