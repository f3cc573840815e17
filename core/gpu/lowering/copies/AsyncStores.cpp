// Arrays sent to the shared memory of another block of the cluster: `st.async`, or `red.async` if the array is combined
// with the old values (PTX ISA, "Data Movement and Conversion Instructions"). The barrier in that block counts the
// bytes.
#include "core/gpu/lowering/copies/AsyncStores.h"

#include "core/gpu/ir/MosaicGpu.h"
#include "core/gpu/ir/MosaicGpuAsync.h"
#include "core/gpu/ir/WarpOps.h"
#include "core/gpu/lowering/memory/Transfer.h"
#include "core/gpu/lowering/threads/Clusters.h"
#include "core/gpu/lowering/threads/LowerWarps.h"

#include "layouts/support/Text.h"

namespace lanescope::core {

using namespace mlir;

namespace {

constexpr unsigned kClusterSpace = 7; // LLVM's NVPTX: shared::cluster
constexpr int64_t kWordBits = 32, kMostWords = 4;

struct AsyncStore {
  Value array, destination, barrier;
  std::array<Value, 3> block = {}; // along each dimension of the cluster; null: this block's own
  std::optional<mosaic_gpu::AtomicOp> atomic = std::nullopt;
  bool isSigned = true;
};

/// The rank of the target block in its cluster.
Value blockNumber(KernelLowering &k, const std::array<Value, 3> &block) {
  Value number;
  int64_t stride = 1;
  for (int64_t dim = 0; dim < 3; ++dim) {
    int64_t size = k.result.launch.cluster[dim];
    if (size > 1)
      number = k.t.add(number, k.t.multiply(block[dim] ? k.scalar(block[dim]) : blockInCluster(k, dim), stride));
    stride *= size;
  }
  return number ? number : k.t.constant(0);
}

/// Checks that the layout holds each element once and gives each thread the same number of bytes.
LogicalResult checkShares(Operation *op, const RegisterArray &array, int64_t bytes) {
  const auto *tiled = std::get_if<layouts::TiledLayout>(&array.layout);
  if (array.isSplat() || (tiled && tiled->replication() != 1))
    return op->emitError("several threads hold the same element, and the barrier would count it for each of them; give "
                         "the array a layout without copies by `layout_cast`");
  if (bytes % layouts::kThreadsPerWarpgroup != 0)
    return op->emitError(text("the array has ", bytes, " bytes, and each of the 128 threads announces as many"));
  return success();
}

/// The reduction's name for words of 32 bits: "add.u32". `red.async` has only integer types (PTX ISA).
FailureOr<std::string> reductionOf(Operation *op, const AsyncStore &store, Type element) {
  using mosaic_gpu::AtomicOp;
  if (!element.isInteger(kWordBits))
    return op->emitError() << "an array that is sent to another block is combined with what is there as 32-bit "
                              "integers, not as `"
                           << element << "`; send it, and let that block combine";
  AtomicOp kind = *store.atomic;
  bool bits = kind == AtomicOp::And || kind == AtomicOp::Or || kind == AtomicOp::Xor;
  bool ordered = kind == AtomicOp::Min || kind == AtomicOp::Max;
  return mosaic_gpu::stringifyAtomicOp(kind).str() + (bits ? ".b32" : ordered && store.isSigned ? ".s32" : ".u32");
}

void storeWords(KernelLowering &k, Value address, Value words, int64_t count, Value barrier) {
  SmallVector<Value> operands{k.t.create<LLVM::PtrToIntOp>(k.t.i32(), address), barrier};
  std::string values, constraints = "r,r";
  for (int64_t word = 0; word < count; ++word) {
    operands.push_back(k.t.extract(words, word));
    values += text(word ? ", " : "", "$", word + 2);
    constraints += ",r";
  }
  k.t.ptx(count == 1 ? text("st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [$0], ", values, ", [$1];")
                     : text("st.async.shared::cluster.mbarrier::complete_tx::bytes.v", count, ".b32 [$0], {", values,
                            "}, [$1];"),
          constraints, operands);
}

void combineWords(KernelLowering &k, Value address, Value words, int64_t count, Value barrier,
                  const std::string &reduction) {
  for (int64_t word = 0; word < count; ++word) {
    Value at = k.t.create<LLVM::PtrToIntOp>(k.t.i32(), k.t.address(address, Value(), word * kWordBits / 8));
    k.t.ptx(
        text("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.", reduction, " [$0], $2, [$1];"),
        "r,r,r", {at, barrier, k.t.extract(words, word)});
  }
}

LogicalResult send(KernelLowering &k, Operation *op, const AsyncStore &store) {
  ThreadBuilder &t = k.t;
  if (ordersTensorCore(store.barrier))
    return op->emitError(
        "all threads of the warpgroup arrive here, and a barrier with `orders_tensor_core=True` counts "
        "one of them; wait at another");
  const RegisterArray &array = k.array(store.array);
  Ref ref = k.ref(store.destination);
  int64_t bytes = layouts::elementCount(array.shape) * ref.elementBytes / ref.packing;
  if (failed(checkShares(op, array, bytes)))
    return failure();
  std::string reduction;
  if (store.atomic) {
    FailureOr<std::string> found = reductionOf(op, store, ref.element);
    if (failed(found))
      return failure();
    reduction = *found;
  }
  Value number = blockNumber(k, store.block);
  ref.base = t.intrinsic("llvm.nvvm.mapa.shared.cluster", t.pointer(kClusterSpace), {ref.base, number});
  auto plan = planTransfer(k, op, ref, array.layout, TransferKind::Atomic);
  if (failed(plan))
    return failure();
  Value barrier = t.ptx(t.i32(), "mapa.shared::cluster.u32 $0, $1, $2;", "=r,r,r", {k.scalar(store.barrier), number});
  t.ptx("mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [$0], $1;", "r,r",
        {barrier, t.constant(bytes / layouts::kThreadsPerWarpgroup)});
  for (const Access &access : plan->accesses) {
    Value part = t.slice(array.registers[access.reg], access.position, access.count);
    int64_t bits = access.count * ThreadBuilder::elementOf(part.getType()).getIntOrFloatBitWidth();
    if (bits % kWordBits != 0 || bits > kMostWords * kWordBits)
      return op->emitError(text("in this layout a thread writes ", bits,
                                " bits at a time, and such stores have 32, 64 or "
                                "128; choose a layout with more elements side by side"));
    int64_t words = bits / kWordBits;
    if (!part.getType().isInteger(kWordBits))
      part = t.create<LLVM::BitcastOp>(ThreadBuilder::vectorOf(t.i32(), words), part);
    if (store.atomic)
      combineWords(k, access.address, part, words, barrier, reduction);
    else
      storeWords(k, access.address, part, words, barrier);
  }
  return success();
}

/// Reads how the array is combined with the old values, from operations of both dialects.
void readAtomic(Operation *op, AsyncStore &store) {
  if (auto atomic = op->getAttrOfType<mosaic_gpu::AtomicOpAttr>("atomic_type"))
    store.atomic = atomic.getValue();
  if (auto sign = op->getAttrOfType<BoolAttr>("is_signed"))
    store.isSigned = sign.getValue();
}

LogicalResult sendStatement(KernelLowering &k, Operation *op) {
  auto store = cast<statements::AsyncStoreSmemOp>(op);
  AsyncStore out{.array = store.getValue(),
                 .destination = store.getDestination(),
                 .barrier = store.getBarrier(),
                 .block = {store.getX(), store.getY(), store.getZ()}};
  readAtomic(op, out);
  return send(k, op, out);
}

LogicalResult sendMosaic(KernelLowering &k, Operation *op) {
  auto store = cast<mosaic_gpu::AsyncStoreSmemOp>(op);
  AsyncStore out{.array = store.getValue(), .destination = store.getDestination(), .barrier = store.getBarrier()};
  out.block[static_cast<size_t>(store.getClusterDim())] = store.getClusterIdx();
  readAtomic(op, out);
  return send(k, op, out);
}

} // namespace

void addAsyncStores(HandlerTable &table) {
  table["lanescope.async_store_smem"] = sendStatement;
  table["mosaic_gpu.async_store_smem"] = sendMosaic;
}

} // namespace lanescope::core
