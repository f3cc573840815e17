// vector_store with `atomic_type`: `red` on shared and global memory, with as many elements at once as possible.
//
// PTX ISA, `red`: global memory has vectors of f32 (.v2, .v4) and of halves (.v2, .v4, .v8, or of pairs) from sm_90 on,
// and halves have minima and maxima only in such vectors. For shared memory, `red` can also add a pair of halves. Each
// element is combined separately, so vectors only change the number of instructions.
#include "core/gpu/ir/MosaicGpu.h"
#include "core/gpu/lowering/memory/Multimem.h"
#include "core/gpu/lowering/memory/PeerDevices.h"
#include "core/gpu/lowering/memory/Transfer.h"

#include "layouts/support/Text.h"

namespace lanescope::core {

using namespace mlir;

namespace {

constexpr unsigned kClusterSpace = 7; // LLVM's NVPTX: shared::cluster

/// A `red` instruction for a run of elements.
struct Reduction {
  std::string suffix;    // "add.noftz.v2.f16x2"
  int64_t elements = 1;  // per instruction
  int64_t registers = 1; // registers that hold these elements
};

/// Elements that are beside each other in memory.
struct ElementRun {
  Type element;
  bool isSigned = true;
  bool shared = false; // in shared memory
  int64_t count = 1;   // a power of two; the run is aligned to its size
};

/// The widest reduction for a run; nothing if there is none. `since90`: the target has sm_90's vectors, and its
/// reductions of bf16.
std::optional<Reduction> reductionOf(mosaic_gpu::AtomicOp kind, const ElementRun &run, bool since90) {
  const auto &[element, isSigned, shared, count] = run;
  using mosaic_gpu::AtomicOp;
  bool add = kind == AtomicOp::Add, bits = kind == AtomicOp::And || kind == AtomicOp::Or || kind == AtomicOp::Xor;
  std::string name = mosaic_gpu::stringifyAtomicOp(kind).str();
  if (element.isF32()) {
    if (!add)
      return std::nullopt;
    int64_t width = shared || !since90 ? 1 : std::min<int64_t>(count, 4);
    return Reduction{width == 1 ? "add.f32" : text("add.v", width, ".f32"), width, width};
  }
  if (element.isF16() || element.isBF16()) {
    std::string type = element.isF16() ? "f16" : "bf16";
    if (bits || (!add && (shared || count == 1 || !since90)) || (element.isBF16() && !since90))
      return std::nullopt;
    name += ".noftz.";
    if (count == 1)
      return Reduction{name + type, 1, 1};
    if (shared || (add && (count == 2 || !since90)))
      return Reduction{name + type + "x2", 2, 1};
    if (count == 2)
      return Reduction{name + "v2." + type, 2, 2};
    int64_t pairs = std::min<int64_t>(count, 8) / 2;
    return Reduction{text(name, "v", pairs, ".", type, "x2"), 2 * pairs, pairs};
  }
  if (!element.isInteger(32))
    return std::nullopt;
  return Reduction{name + (bits ? ".b32" : add ? ".u32" : isSigned ? ".s32" : ".u32"), 1, 1};
}

} // namespace

LogicalResult storeAtomically(KernelLowering &k, Operation *op, const Ref &ref, const RegisterArray &array) {
  auto store = cast<mosaic_gpu::VectorStoreOp>(op);
  if (const auto *tiled = std::get_if<layouts::TiledLayout>(&array.layout); tiled && tiled->replication() != 1)
    return op->emitError("several threads hold each element in this layout, and each would take part; convert the "
                         "array with `layout_cast` to a layout without copies");
  auto plan = planTransfer(k, op, ref, array.layout, TransferKind::Atomic);
  if (failed(plan))
    return failure();
  ThreadBuilder &t = k.t;
  Type element = ref.element;
  auto sign = store->getAttrOfType<BoolAttr>("is_signed");
  bool remote = cast<LLVM::LLVMPointerType>(ref.base.getType()).getAddressSpace() == kClusterSpace;
  const char *scope = hasDevices(k) && !ref.shared ? "sys" : "gpu"; // other devices may update the memory, too
  const char *space = remote ? "shared::cluster" : ref.shared ? "shared::cta" : "global";
  // PTX has these reductions for pairs of halves and ptxas accepts them, but an H200 added the pairs as integers.
  if (remote && !element.isInteger(32))
    return op->emitError() << "atomics on another block's memory are for 32-bit integers, not `" << element
                           << "`; have that block combine what it gets (`async_store_smem`)";
  for (const Access &access : plan->accesses) {
    auto reduction =
        reductionOf(*store.getAtomicType(), {element, !sign || sign.getValue(), ref.shared, access.count}, k.gpu->tma);
    if (!reduction)
      return op->emitError() << "there is no atomic `" << mosaic_gpu::stringifyAtomicOp(*store.getAtomicType())
                             << "` of `" << element
                             << (k.gpu->tma
                                     ? "` here: f32, f16 and bf16 can be added; pairs of f16 and bf16 in global memory "
                                       "have minima and maxima; 32-bit integers can do all"
                                     : "` before sm_90: f32 and f16 can be added; 32-bit integers can do all");
    int64_t each = reduction->elements / reduction->registers;
    unsigned bits = element.getIntOrFloatBitWidth() * static_cast<unsigned>(each);
    std::string names, constraints = remote || !ref.shared ? "l" : "r";
    for (int64_t r = 0; r < reduction->registers; ++r) {
      names += text(r ? ", $" : "$", r + 1);
      constraints += bits == 16 ? ",h" : element.isF32() ? ",f" : ",r";
    }
    std::string suffix = reduction->suffix;
    if (ref.multicast) // a multicast address implies `.noftz`
      if (size_t at = suffix.find("noftz."); at != std::string::npos)
        suffix.erase(at, std::string_view("noftz.").size());
    std::string code = text(ref.multicast ? "multimem." : "", "red.relaxed.", scope, ".", space, ".", suffix, " [$0], ",
                            reduction->registers == 1 ? names : text("{", names, "}"), ";");
    for (int64_t i = 0; i < access.count; i += reduction->elements) {
      SmallVector<Value> operands = {t.address(access.address, Value(), i * ref.elementBytes)};
      for (int64_t r = 0; r < reduction->registers; ++r) {
        Value part = t.slice(array.registers[access.reg], access.position + i + r * each, each);
        bool isHalf = element.getIntOrFloatBitWidth() == 16;
        operands.push_back(isHalf ? t.create<LLVM::BitcastOp>(t.builder().getIntegerType(bits), part) : part);
      }
      t.ptx(code, constraints, operands);
    }
  }
  if (ref.multicast)
    fenceAliases(k);
  return success();
}

} // namespace lanescope::core
