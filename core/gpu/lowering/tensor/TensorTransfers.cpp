// Loads and stores between tensor memory and the warpgroup's registers. layouts::chooseTmemTransfer checks that the
// layouts fit each other, and selects the instructions. PTX ISA, "tcgen05.ld", "tcgen05.st".
#include "core/gpu/inference/LayoutsInModule.h"
#include "core/gpu/ir/MosaicGpuTensor.h"
#include "core/gpu/lowering/tensor/LowerTensorMemory.h"

#include "layouts/cost/TmemTransferCost.h"
#include "layouts/support/Text.h"

namespace lanescope::core {

using namespace mlir;
using layouts::RegisterLayout;
using layouts::TmemInstruction;
using layouts::TmemTransfer;
using layouts::TmemWord;

namespace {

FailureOr<TmemTransfer> plan(Operation *op, const TensorRef &ref, const RegisterLayout &layout) {
  auto plan = layouts::chooseTmemTransfer(*ref.layout, layout, ref.shape, ref.bits());
  if (!plan)
    return op->emitError(plan.error());
  return *plan;
}

/// A list of operands for inline PTX: "{$2,$3}".
std::string wordList(size_t first, size_t count) {
  std::string list;
  for (size_t i = 0; i < count; ++i)
    list += text(i ? "," : "{", "$", first + i);
  return list + "}";
}

/// Emits statements that run the loads of these instructions and wait for them. `words` receives the loaded words, in
/// order. With `reduction`, such as ".min.s32", each instruction also appends a word to `reduced`.
void loadTogether(ThreadBuilder &t, const TmemTransfer &plan, const TensorRef &ref,
                  ArrayRef<TmemInstruction> instructions, std::string_view reduction, SmallVector<Value> &words,
                  SmallVector<Value> &reduced) {
  size_t loaded = 0;
  for (const TmemInstruction &each : instructions)
    loaded += each.words.size();
  size_t count = loaded + (reduction.empty() ? 0 : instructions.size());
  // The first load writes its results before the second one reads its address (`&`).
  std::string body, constraints;
  for (size_t i = 0; i < count; ++i)
    constraints += instructions.size() > 1 ? "=&r," : "=r,";
  SmallVector<Value> addresses;
  size_t word = 0;
  for (const TmemInstruction &each : instructions) {
    size_t number = addresses.size();
    body += reduction.empty() ? text("tcgen05.ld.sync.aligned.", plan.shape, ".x", each.num,
                                     plan.packs ? ".pack::16b" : "", ".b32 ", wordList(word, each.words.size()))
                              : text("tcgen05.ld.red.sync.aligned.", plan.shape, ".x", each.num, reduction, " ",
                                     wordList(word, each.words.size()), ", $", loaded + number);
    body += text(", [$", count + number, "];\n");
    word += each.words.size();
    constraints += addresses.empty() ? "r" : ",r";
    addresses.push_back(tensorAddress(t, ref, each.lane, each.column));
  }
  body += "tcgen05.wait::ld.sync.aligned;";
  if (count == 1) {
    words.push_back(t.ptx(t.i32(), body, constraints, addresses));
    return;
  }
  Type all = LLVM::LLVMStructType::getLiteral(t.context(), SmallVector<Type>(count, t.i32()));
  Value results = t.ptx(all, body, constraints, addresses);
  for (size_t i = 0; i < count; ++i)
    (i < loaded ? words : reduced)
        .push_back(t.create<LLVM::ExtractValueOp>(results, ArrayRef<int64_t>{static_cast<int64_t>(i)}));
}

/// The type of a register as 32-bit words.
Type wordsOf(ThreadBuilder &t, Type reg) {
  int64_t bits = ThreadBuilder::countOf(reg) * ThreadBuilder::elementOf(reg).getIntOrFloatBitWidth();
  return ThreadBuilder::vectorOf(t.i32(), bits / layouts::kTmemCellBits);
}

/// How a row is reduced: the instruction's modifiers, and the operation that joins the words of several instructions.
struct RowReduction {
  std::string modifiers; // ".min.abs.NaN.f32"
  llvm::StringRef join;
};

RowReduction reductionOf(mosaic_gpu::TmemLoadReduction reduce, Type element) {
  using enum mosaic_gpu::TmemLoadReduction;
  bool least = reduce == Min || reduce == AbsMin, absolute = reduce == AbsMin || reduce == AbsMax;
  std::string_view name = least ? ".min" : ".max";
  if (element.isF32())
    return {text(name, absolute ? ".abs" : "", ".NaN.f32"), least ? "llvm.minimum" : "llvm.maximum"};
  if (absolute) // only for types without a sign
    return {text(name, ".u32"), least ? "llvm.umin" : "llvm.umax"};
  return {text(name, ".s32"), least ? "llvm.smin" : "llvm.smax"};
}

LogicalResult load(KernelLowering &k, Operation *op) {
  auto load = cast<mosaic_gpu::AsyncLoadTmemOp>(op);
  if (failed(needsTensorMemory(k, op)))
    return failure();
  if (load.getReduce() && !k.gpu->tensorReductions)
    return op->emitError(text("a load from tensor memory that reduces rows is an instruction of ",
                              targetWith(&GpuTarget::tensorReductions, *k.gpu).name, ", not of ", k.gpu->name,
                              "; load the array and reduce it in registers"));
  ThreadBuilder &t = k.t;
  const TensorRef &ref = k.tensor(load.getSource());
  RegisterLayout layout = *resultLayout(op, 0);
  auto transfer = plan(op, ref, layout);
  if (failed(transfer))
    return failure();
  RowReduction reduction;
  if (load.getReduce()) {
    reduction = reductionOf(*load.getReduce(), ref.element);
    if (transfer->shape != "32x32b" ||
        llvm::any_of(transfer->instructions, [](const TmemInstruction &each) { return each.num < 2; }))
      return op->emitError("a load from tensor memory that reduces rows takes an even number of columns, to registers "
                           "in `TMEM_NATIVE`");
  }
  // A statement has many loads, so that there are few waits. But the words in flight must leave enough registers for
  // the code that uses them.
  constexpr size_t kWordsInFlight = 64;
  SmallVector<Value> words, reduced;
  SmallVector<TmemWord> places;
  ArrayRef<TmemInstruction> rest = transfer->instructions;
  while (!rest.empty()) {
    size_t taken = 0, count = 0;
    while (taken < rest.size() && (taken == 0 || count + rest[taken].words.size() <= kWordsInFlight))
      count += rest[taken++].words.size();
    loadTogether(t, *transfer, ref, rest.take_front(taken), reduction.modifiers, words, reduced);
    rest = rest.drop_front(taken);
  }
  for (const TmemInstruction &each : transfer->instructions)
    places.append(each.words.begin(), each.words.end());

  RegisterArray array{layout, ref.shape, {}};
  Type reg = k.registerType(ref.element, layout), asWords = wordsOf(t, reg);
  array.registers.resize(KernelLowering::registerCount(layout, ref.shape));
  for (auto [place, word] : llvm::zip_equal(places, words)) {
    Value &own = array.registers[place.reg];
    if (place.element < 0)
      own = word;
    else
      own = t.insert(own ? own : t.undefined(asWords), word, place.element);
  }
  for (Value &own : array.registers)
    if (own.getType() != reg)
      own = t.create<LLVM::BitcastOp>(reg, own);
  k.set(load.getResult(), std::move(array));
  if (!load.getReduce())
    return success();
  Value row;
  for (Value word : reduced) {
    Value own = ref.element.isF32() ? t.create<LLVM::BitcastOp>(t.f32(), word).getResult() : word;
    row = row ? t.intrinsic(reduction.join, own.getType(), {row, own}) : own;
  }
  k.set(load.getReduced(), RegisterArray{*resultLayout(op, 1), {ref.shape[0]}, {row}});
  return success();
}

LogicalResult store(KernelLowering &k, Operation *op) {
  auto store = cast<mosaic_gpu::AsyncStoreTmemOp>(op);
  if (failed(needsTensorMemory(k, op)))
    return failure();
  ThreadBuilder &t = k.t;
  const TensorRef &ref = k.tensor(store.getDestination());
  RegisterLayout layout = *operandLayout(op, 0);
  RegisterArray array = k.array(store.getValue(), layout);
  auto transfer = plan(op, ref, layout);
  if (failed(transfer))
    return failure();
  for (Value &own : array.registers)
    if (Type asWords = wordsOf(t, own.getType()); own.getType() != asWords)
      own = t.create<LLVM::BitcastOp>(asWords, own);
  for (const TmemInstruction &each : transfer->instructions) {
    SmallVector<Value> operands{tensorAddress(t, ref, each.lane, each.column)};
    std::string constraints = "r";
    for (const TmemWord &word : each.words) {
      operands.push_back(t.extract(array.registers[word.reg], std::max(0, word.element)));
      constraints += ",r";
    }
    t.ptx(text("tcgen05.st.sync.aligned.", transfer->shape, ".x", each.num, transfer->packs ? ".unpack::16b" : "",
               ".b32 [$0], ", wordList(1, each.words.size()), ";"),
          constraints, operands);
  }
  return success();
}

} // namespace

void addTensorTransfers(HandlerTable &table) {
  table["mosaic_gpu.async_load_tmem"] = load;
  table["mosaic_gpu.async_store_tmem"] = store;
}

} // namespace lanescope::core
