// mosaic_gpu.async_load and async_store: an elected thread of the warpgroup issues a TMA instruction.
#include "core/gpu/ir/MosaicGpuAsync.h"
#include "core/gpu/lowering/copies/AsyncStores.h"
#include "core/gpu/lowering/copies/BulkCopy.h"
#include "core/gpu/lowering/copies/CpAsync.h"
#include "core/gpu/lowering/copies/Gather.h"
#include "core/gpu/lowering/copies/Tma.h"
#include "core/gpu/lowering/memory/PeerDevices.h"
#include "core/gpu/lowering/threads/Clusters.h"

#include "layouts/support/Text.h"

namespace lanescope::core {

using namespace mlir;

namespace {

/// Lists coordinates for PTX, innermost first: "{$3, $2, …}". The operands, from `first` on, are outermost first.
std::string coordinateList(size_t first, size_t rank) {
  std::string list = "{";
  for (size_t i = rank; i-- > 0;)
    list += text("$", first + i, i ? ", " : "}");
  return list;
}

/// The shared address of the reference's start, or of the part that this block copies.
Value sharedAddress(KernelLowering &k, const Ref &shared, const TmaCopy &copy) {
  return k.t.address(shared.base, k.t.add(shared.computedOffset, copy.sharedOffset), shared.knownOffset);
}

Value issuer(KernelLowering &k, Value predicate) {
  return predicate ? k.t.create<LLVM::AndOp>(k.elected, k.scalar(predicate)).getResult() : k.elected;
}

SmallVector<int64_t> dimensions(ArrayAttr collective) {
  SmallVector<int64_t> dims;
  for (Attribute dim : collective)
    dims.push_back(cast<IntegerAttr>(dim).getInt());
  return dims;
}

Value sizeOf(KernelLowering &k, const BulkCopy &copy) { return copy.within ? copy.within : k.t.constant(copy.bytes); }

/// True (i1) in the thread that issues a copy, if the copy has bytes to move.
Value holdsBytes(KernelLowering &k, Value issues, const BulkCopy &copy) {
  if (!copy.within)
    return issues;
  return k.t.create<LLVM::AndOp>(issues, k.t.compare(LLVM::ICmpPredicate::ne, copy.within, 0));
}

/// True if no box of a descriptor can have these lengths.
bool isLongerThanABox(ArrayRef<int64_t> lengths) {
  constexpr int64_t kLongest = 256; // PTX ISA, "Tensor-map": boxDim
  return llvm::any_of(lengths, [](int64_t length) { return length > kLongest; });
}

void loadInOnePiece(KernelLowering &k, mosaic_gpu::AsyncLoadOp load, const Ref &shared, const BulkCopy &copy) {
  if (k.fencesReads)
    k.fenceAsyncShared();
  k.warpgroupBarrier(); // threads of the warpgroup may still read the copy's target
  Value issues = issuer(k, load.getPredicate()), barrier = k.scalar(load.getBarrier());
  k.t.ptx("@$0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [$1], [$2], $3, [$4];", "b,r,l,r,r",
          {holdsBytes(k, issues, copy), k.t.address(shared.base, shared.computedOffset, shared.knownOffset),
           copy.global, sizeOf(k, copy), barrier});
  if (copy.within) // the barrier expects all bytes of the slice
    k.t.ptx("@$0 mbarrier.complete_tx.shared::cta.b64 [$1], $2;", "b,r,r",
            {issues, barrier, k.t.create<LLVM::SubOp>(k.t.constant(copy.bytes), copy.within)});
}

void storeInOnePiece(KernelLowering &k, mosaic_gpu::AsyncStoreOp store, const Ref &shared, const BulkCopy &copy) {
  k.t.ptx("@$0 cp.async.bulk.global.shared::cta.bulk_group [$1], [$2], $3;", "b,l,r,r",
          {holdsBytes(k, issuer(k, store.getPredicate()), copy), copy.global,
           k.t.address(shared.base, shared.computedOffset, shared.knownOffset), sizeOf(k, copy)});
}

/// Makes the barrier of the pair's first block count the copy's bytes.
LogicalResult shareWithLeader(KernelLowering &k, mosaic_gpu::AsyncLoadOp load, TmaSharing &sharing) {
  auto partitioned = dyn_cast<mosaic_gpu::CopyPartitionedAttr>(load.getLeaderTrackedAttr());
  if (!k.gpu->pairedCopies) {
    std::string_view other = targetWith(&GpuTarget::pairedCopies, *k.gpu).name;
    return load->emitError(
        text("a copy that the first block's barrier counts for two needs ", other, "; compile with `--arch ", other,
             "`, or leave `partitioned_axis` or `leader_tracked` out: then each block waits at its own barrier"));
  }
  if (clusterSize(k, sharing.collective) != 2 || clusterSize(k) != 2)
    return load->emitError("the first block's barrier counts only a copy of the two blocks of a cluster");
  if (!partitioned)
    return success();
  int64_t left = partitioned.getAxis();
  for (auto [d, length] : llvm::enumerate(load.getSliceLengths()))
    if (length != -1 && left-- == 0)
      sharing.split = d;
  return success();
}

/// The global side of a copy, on the device that it names.
FailureOr<Ref> globalSide(KernelLowering &k, Operation *op, Value ref, Value peer, bool broadcast = false) {
  if (peer)
    return onDevice(k, op, k.ref(ref), k.scalar(peer));
  return broadcast ? onAllDevices(k, op, k.ref(ref)) : FailureOr<Ref>(k.ref(ref));
}

LogicalResult load(KernelLowering &k, Operation *op) {
  auto load = cast<mosaic_gpu::AsyncLoadOp>(op);
  if (failed(k.needsTma(op, "TMA", "copy with `cp.async`")))
    return failure();
  auto global = globalSide(k, op, load.getSource(), load.getGmemPeerId());
  if (failed(global))
    return failure();
  if (global->multicast)
    return op->emitError("a copy reads the memory of one device: its own, or that of a `remote_ref`");
  if (choosesRows(load.getIndices()))
    return gather(k, load, *global);
  const Ref &shared = k.ref(load.getDestination());
  SmallVector<int64_t> collective = dimensions(load.getCollective());
  TmaSharing sharing{.collective = collective};
  if (load.getLeaderTracked() && failed(shareWithLeader(k, load, sharing)))
    return failure();
  // A contiguous piece needs no descriptor if no fill is requested, and it may then be longer than a box.
  SliceEnd end = load.getOobFillMode() != mosaic_gpu::OobFillMode::Undefined ? SliceEnd::Promised
                 : isLongerThanABox(load.getSliceLengths())                  ? SliceEnd::Clamped
                                                                             : SliceEnd::Unknown;
  if (load.getOobFillMode() != mosaic_gpu::OobFillMode::Zeros && clusterSize(k, collective) == 1)
    if (auto bulk = planBulkCopy(k, *global, shared, load.getIndices(), load.getSliceLengths(), end)) {
      loadInOnePiece(k, load, shared, *bulk);
      return success();
    }
  auto copy = planTma(k, op, *global, shared, load.getIndices(), load.getSliceLengths(), sharing);
  if (failed(copy) || failed(fillWithNan(load, copy->map)))
    return failure();
  // Threads of the warpgroup may still read the copy's target.
  if (k.fencesReads)
    k.fenceAsyncShared();
  k.warpgroupBarrier();
  Value barrier = k.scalar(load.getBarrier());
  if (load.getLeaderTracked())
    barrier = k.t.purePtx(k.t.i32(), "mapa.shared::cluster.u32 $0, $1, 0;", "=r,r", barrier);
  SmallVector<Value> operands{issuer(k, load.getPredicate()), sharedAddress(k, shared, *copy),
                              descriptorOf(k, *global, copy->map), barrier};
  size_t first = operands.size(), rank = copy->coordinates.size();
  llvm::append_range(operands, copy->coordinates);
  std::string constraints = "b,r,l,r";
  for (size_t i = 0; i < rank; ++i)
    constraints += ",r";
  // There are three cases. In the first, each block's part goes to the same place in all blocks, and each block's
  // barrier counts it. In the second, it goes there as well, but the first block's barrier counts all parts. In the
  // third, each part stays in its block, and the first block's barrier counts it.
  std::string multicast, mask;
  if (load.getLeaderTracked())
    multicast = ".cta_group::2";
  if (!sharing.split && clusterSize(k, collective) > 1) {
    multicast = ".multicast::cluster" + multicast;
    mask = text(", $", operands.size());
    constraints += ",h";
    operands.push_back(k.t.resize(maskAlong(k, collective), 16));
  }
  k.t.ptx(text("@$0 cp.async.bulk.tensor.", rank, "d.shared::cluster.global.mbarrier::complete_tx::bytes", multicast,
               " [$1], [$2, ", coordinateList(first, rank), "], [$3]", mask, ";"),
          constraints, operands);
  return success();
}

LogicalResult prefetch(KernelLowering &k, Operation *op) {
  auto prefetch = cast<mosaic_gpu::AsyncPrefetchOp>(op);
  if (failed(k.needsTma(op, "a prefetch of a slice", "leave it out")))
    return failure();
  auto copy = planPrefetch(k, op, k.ref(prefetch.getSource()), prefetch.getIndices(), prefetch.getSliceLengths(),
                           dimensions(prefetch.getCollective()));
  if (failed(copy))
    return failure();
  SmallVector<Value> operands{issuer(k, prefetch.getPredicate()),
                              descriptorOf(k, k.ref(prefetch.getSource()), copy->map)};
  size_t first = operands.size(), rank = copy->coordinates.size();
  llvm::append_range(operands, copy->coordinates);
  std::string constraints = "b,l";
  for (size_t i = 0; i < rank; ++i)
    constraints += ",r";
  k.t.ptx(text("@$0 cp.async.bulk.prefetch.tensor.", rank, "d.L2.global.tile [$1, ", coordinateList(first, rank), "];"),
          constraints, operands);
  return success();
}

/// The PTX name of a reduction, and its element type in the descriptor; nothing if the type has no such reduction.
/// PTX ISA, `cp.reduce.async.bulk.tensor`.
std::optional<std::string_view> reductionOf(mosaic_gpu::TmaReduction op, Dtype &dtype) {
  using enum mosaic_gpu::TmaReduction;
  bool half = dtype == Dtype::F16 || dtype == Dtype::BF16, f32 = dtype == Dtype::F32;
  bool i32 = dtype == Dtype::I32 || dtype == Dtype::U32, i64 = dtype == Dtype::I64 || dtype == Dtype::U64;
  bool integer = i32 || i64;
  auto withSign = [&](bool isSigned) {
    dtype = i32 ? (isSigned ? Dtype::I32 : Dtype::U32) : (isSigned ? Dtype::I64 : Dtype::U64);
  };
  auto known = [](bool good, std::string_view name) { return good ? std::optional(name) : std::nullopt; };
  switch (op) {
  case Add: return known(half || f32 || integer, "add");
  case Min: return known(half, "min");
  case Max: return known(half, "max");
  case Inc:
  case Dec:
    if (i32)
      dtype = Dtype::U32; // inc and dec operate on unsigned integers
    return known(i32, op == Inc ? "inc" : "dec");
  case And: return known(integer, "and");
  case Or: return known(integer, "or");
  case Xor: return known(integer, "xor");
  case Umin:
  case Umax:
  case Smin:
  case Smax:
    if (!integer)
      return std::nullopt;
    withSign(op == Smin || op == Smax);
    return op == Umin || op == Smin ? "min" : "max";
  }
  return std::nullopt;
}

LogicalResult store(KernelLowering &k, Operation *op) {
  auto store = cast<mosaic_gpu::AsyncStoreOp>(op);
  auto global = globalSide(k, op, store.getDestination(), store.getGmemPeerId(), store.getIsGlobalBroadcast());
  if (failed(global))
    return failure();
  if (global->multicast && store.getReductionOp())
    return op->emitError("a copy to all devices overwrites what they hold; `atomic_add` and its like of a "
                         "`multicast_ref` combine with it, from registers");
  if (choosesRows(store.getIndices()))
    return scatter(k, store, *global);
  if (!k.gpu->tma)
    return storeByThreads(k, store, *global);
  const Ref &shared = k.ref(store.getSource());
  if (isLongerThanABox(store.getSliceLengths()) && !store.getReductionOp())
    if (auto bulk = planBulkCopy(k, *global, shared, store.getIndices(), store.getSliceLengths(), SliceEnd::Clamped)) {
      storeInOnePiece(k, store, shared, *bulk);
      if (store.getCommitGroup())
        k.t.commitBulkGroup();
      return success();
    }
  auto copy = planTma(k, op, *global, shared, store.getIndices(), store.getSliceLengths());
  if (failed(copy))
    return failure();
  size_t rank = copy->coordinates.size();
  std::string name = text("cp.async.bulk.tensor.", rank, "d.global.shared::cta.bulk_group");
  if (auto reduction = store.getReductionOp()) {
    auto mnemonic = reductionOf(*reduction, copy->map.dtype);
    if (!mnemonic)
      return op->emitError() << "a copy cannot combine elements of `" << shared.element << "` by `"
                             << mosaic_gpu::stringifyTmaReduction(*reduction) << "`";
    name = text("cp.reduce.async.bulk.tensor.", rank, "d.global.shared::cta.", *mnemonic, ".tile.bulk_group");
  }
  SmallVector<Value> operands{issuer(k, store.getPredicate()), descriptorOf(k, *global, copy->map),
                              sharedAddress(k, shared, *copy)};
  size_t first = operands.size();
  llvm::append_range(operands, copy->coordinates);
  std::string constraints = "b,l,r";
  for (size_t i = 0; i < rank; ++i)
    constraints += ",r";
  k.t.ptx(text("@$0 ", name, " [$1, ", coordinateList(first, rank), "], [$2];"), constraints, operands);
  // The hardware counts groups per thread, so all threads commit. A thread that issued nothing commits an empty group.
  if (store.getCommitGroup())
    k.t.commitBulkGroup();
  return success();
}

} // namespace

void addAsyncCopies(HandlerTable &table) {
  table["mosaic_gpu.async_load"] = load;
  table["mosaic_gpu.async_store"] = store;
  table["mosaic_gpu.async_prefetch"] = prefetch;
  addCpAsync(table);
  addAsyncStores(table);
}

} // namespace lanescope::core
