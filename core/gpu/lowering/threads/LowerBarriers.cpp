// mbarriers: initialisation, arrival, waiting. PTX ISA, "Parallel Synchronization and Communication: mbarrier".
//
// A barrier reference is lowered to its address (ptr<3>). All 128 threads of a warpgroup arrive, so counts are in
// threads. A barrier that orders the tensor core is the exception: there, one thread arrives, because the tensor core
// also arrives only once.
#include "core/gpu/ir/LaunchOps.h"
#include "core/gpu/ir/MosaicGpu.h"
#include "core/gpu/lowering/threads/BarrierNames.h"
#include "core/gpu/lowering/threads/LowerWarps.h"

#include "layouts/support/Text.h"

namespace lanescope::core {

using namespace mlir;

namespace {

constexpr int64_t kMaxArrivals = (1 << 20) - 1; // per mbarrier
constexpr int64_t kSuspendHint = 10'000'000;    // ns; how long one try may sleep, as in JAX

/// Stores MLIR's descriptor of a reference, a struct: its pointer twice, an offset, sizes and strides. JAX's code
/// extracts pointers to barriers from it. The pointer that we store is the reference's start, so the offset is 0.
LogicalResult descriptor(KernelLowering &k, const Ref &ref, Value to) {
  auto type = mlir::cast<LLVM::LLVMStructType>(to.getType());
  ThreadBuilder &t = k.t;
  Value start = t.address(ref.base, ref.computedOffset, ref.knownOffset);
  constexpr int64_t kPointer = 0, kAligned = 1, kOffset = 2;
  bool described = type.getBody().size() > kOffset && isa<LLVM::LLVMPointerType>(type.getBody()[kAligned]);
  if (described && !ref.shared) // a pointer to any memory
    start = t.create<LLVM::AddrSpaceCastOp>(type.getBody()[kAligned], start);
  if (!described || type.getBody()[kAligned] != start.getType())
    return to.getDefiningOp()->emitError() << "a reference is not described by `" << type << "`";
  Value all = t.undefined(type);
  auto put = [&](Value field, int64_t at) { all = t.create<LLVM::InsertValueOp>(all, field, ArrayRef<int64_t>{at}); };
  put(start, kPointer);
  put(start, kAligned);
  put(t.integer(type.getBody()[kOffset], 0), kOffset);
  k.set(to, all);
  return success();
}

/// True if the elements are contiguous from the reference's start.
bool isContiguous(MemRefType type) {
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  return succeeded(type.getStridesAndOffset(strides, offset)) && offset == 0 &&
         layouts::Shape(strides.begin(), strides.end()) == layouts::contiguousStrides(type.getShape().vec());
}

/// Turns such a struct into a reference to global memory with the sizes and strides of type `type`.
LogicalResult globalReference(KernelLowering &k, Operation *op, Value from, MemRefType type) {
  auto fields = dyn_cast<LLVM::LLVMStructType>(from.getType());
  constexpr int64_t kAligned = 1, kOffset = 2;
  bool described = fields && fields.getBody().size() > kOffset &&
                   isa<LLVM::LLVMPointerType>(fields.getBody()[kAligned]) && isGlobalMemory(type) &&
                   type.hasStaticShape() && type.getElementType().isIntOrFloat() && isContiguous(type);
  if (!described)
    return op->emitError(
        "a pointer can be cast to a reference to barriers, and the description of a reference to one to "
        "contiguous global memory, only");
  ThreadBuilder &t = k.t;
  auto field = [&](int64_t at) { return t.create<LLVM::ExtractValueOp>(from, ArrayRef<int64_t>{at}); };
  Ref ref;
  ref.element = type.getElementType();
  ref.elementBytes = std::max<int64_t>(1, type.getElementTypeBitWidth() / 8);
  ref.packing = elementsPerByte(ref.element);
  ref.base = t.create<LLVM::AddrSpaceCastOp>(t.pointer(kGlobalSpace), field(kAligned));
  ref.computedOffset = t.multiply(field(kOffset), ref.elementBytes);
  ref.computedAlignment = ref.elementBytes;
  layouts::Shape shape = type.getShape().vec(), strides = layouts::contiguousStrides(shape);
  for (size_t d = 0; d < shape.size(); ++d)
    ref.dims.push_back({{shape[d]}, {strides[d]}});
  k.set(op->getResult(0), std::move(ref));
  return success();
}

/// Casts between a memref of barriers and its address; also the index casts that MLIR's text form requires.
LogicalResult cast(KernelLowering &k, Operation *op) {
  if (op->getNumOperands() != 1 || op->getNumResults() != 1)
    return op->emitError("only casts of one value are supported");
  Value from = op->getOperand(0), to = op->getResult(0);
  auto found = k.values.find(from);
  if (found == k.values.end())
    return op->emitError("this cast's operand has no value");
  Lowered value = found->second;
  auto memref = dyn_cast<MemRefType>(to.getType());
  bool barrier = memref && isa<mosaic_gpu::BarrierType>(memref.getElementType());
  if (std::holds_alternative<Value>(value) && memref && !barrier)
    return globalReference(k, op, std::get<Value>(value), memref);
  if (auto *ref = std::get_if<Ref>(&value); ref && isa<LLVM::LLVMPointerType>(to.getType()))
    value = k.t.address(ref->base, ref->computedOffset, ref->knownOffset);
  else if (ref && isa<LLVM::LLVMStructType>(to.getType()))
    return descriptor(k, *ref, to);
  k.set(to, std::move(value));
  return success();
}

/// Pointer arithmetic on barriers.
LogicalResult elementPointer(KernelLowering &k, Operation *op) {
  auto gep = mlir::cast<LLVM::GEPOp>(op);
  if (gep.getIndices().size() != 1)
    return op->emitError("only one index is supported here");
  auto integer = dyn_cast<IntegerType>(gep.getElemType());
  if (!integer)
    return op->emitError("only pointers to integers are supported here");
  auto index = gep.getIndices()[0];
  int64_t bytes = integer.getWidth() / 8;
  Value base = k.scalar(gep.getBase());
  if (auto known = dyn_cast<IntegerAttr>(index))
    k.set(gep, k.t.address(base, Value(), known.getInt() * bytes));
  else
    k.set(gep, k.t.address(base, k.t.multiply(k.scalar(mlir::cast<Value>(index)), bytes), 0));
  return success();
}

LogicalResult initialize(KernelLowering &k, Operation *op) {
  auto init = mlir::cast<mosaic_gpu::InitializeBarrierOp>(op);
  if (init.getOrdersTensorCore() && !k.gpu->tcgen05)
    return op->emitError(
        text("barriers that order the tensor core are those of sm_100a, and this kernel is for ", k.gpu->name));
  int64_t perWarpgroup = init.getOrdersTensorCore() ? 1 : layouts::kThreadsPerWarpgroup;
  int64_t arrivals = init.getArrivalCount() * perWarpgroup;
  if (arrivals > kMaxArrivals)
    return op->emitError(text("a barrier takes at most ", kMaxArrivals / perWarpgroup,
                              " arrivals of a warpgroup, but this one expects ", init.getArrivalCount()));
  Value base = k.scalar(init.getBasePointer());
  Value first = k.t.create<LLVM::AndOp>(k.elected, k.t.compare(LLVM::ICmpPredicate::eq, k.warpgroup, 0));
  for (int64_t i = 0, n = init.getNumBarriers(); i < n; ++i)
    k.t.ptx(text("@$0 mbarrier.init.shared::cta.b64 [$1], $2;", barrierComment(op, i)), "b,r,r",
            {first, k.t.address(base, Value(), 8 * i), k.t.constant(arrivals)});
  return success();
}

/// One thread arrives for the warpgroup (or warp); `bytes` as in arriveAsWarp.
void arriveAtTensorCore(KernelLowering &k, Value barrier, Value bytes) {
  k.t.ptx("tcgen05.fence::before_thread_sync;", "", {});
  k.warpgroupBarrier(); // the effects of the other threads must precede this thread's arrival
  if (bytes)
    k.t.ptx("@$0 mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [$1], $2;", "b,r,r",
            {k.elected, barrier, bytes});
  else
    k.t.ptx("@$0 mbarrier.arrive.release.cta.shared::cta.b64 _, [$1];", "b,r", {k.elected, barrier});
}

LogicalResult arrive(KernelLowering &k, Operation *op) {
  auto arrive = mlir::cast<mosaic_gpu::ArriveOp>(op);
  // After the arrival, a copy may overwrite data that this warpgroup has just read. The arrival orders only ordinary
  // accesses, so a proxy fence must order these reads before the copy.
  if (k.fencesReads)
    k.fenceAsyncShared();
  if (ordersTensorCore(arrive.getBarrier()))
    arriveAtTensorCore(k, k.scalar(arrive.getBarrier()), Value());
  else if (k.inWarps)
    arriveAsWarp(k, k.scalar(arrive.getBarrier()), Value());
  else
    k.t.ptx("mbarrier.arrive.release.cta.shared::cta.b64 _, [$0];", "r", k.scalar(arrive.getBarrier()));
  return success();
}

LogicalResult arriveExpectTx(KernelLowering &k, Operation *op) {
  auto arrive = mlir::cast<mosaic_gpu::ArriveExpectTxOp>(op);
  if (failed(k.needsTma(op, "a barrier that counts bytes", "copies by the threads arrive at a barrier themselves")))
    return failure();
  ThreadBuilder &t = k.t;
  Value total = k.scalar(arrive.getExpectTx()), mine;
  if (ordersTensorCore(arrive.getBarrier())) {
    arriveAtTensorCore(k, k.scalar(arrive.getBarrier()), total);
    return success();
  }
  if (k.inWarps) {
    arriveAsWarp(k, k.scalar(arrive.getBarrier()), total);
    return success();
  }
  constexpr int64_t kThreads = layouts::kThreadsPerWarpgroup;
  if (auto known = ThreadBuilder::knownInteger(total); known && *known % kThreads == 0) {
    mine = t.constant(*known / kThreads);
  } else {
    // The first thread arrives for the remainder.
    Value isFirst = t.compare(LLVM::ICmpPredicate::eq, k.thread, 0);
    Value rest = t.create<LLVM::SelectOp>(isFirst, t.modulo(total, kThreads), t.constant(0));
    mine = t.add(t.divide(total, kThreads), rest);
  }
  t.ptx("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [$0], $1;", "r,r",
        {k.scalar(arrive.getBarrier()), mine});
  return success();
}

/// Orders all effects before the arrivals before later instructions on tensor memory.
void fenceAfterWait(KernelLowering &k, Value barrier) {
  if (ordersTensorCore(barrier))
    k.t.ptx("tcgen05.fence::after_thread_sync;", "", {});
}

/// `scope`: "" or ".acquire.cluster".
void waitForPhase(KernelLowering &k, Value barrier, Value parity, std::string_view scope) {
  ThreadBuilder &t = k.t;
  Block *loop = k.newBlock({}), *after = k.newBlock({});
  k.branch(loop, {});
  k.enter(loop);
  // `try_wait`, which lets the thread sleep, is new in sm_90.
  SmallVector<Value> operands{barrier, parity};
  if (k.gpu->tma)
    operands.push_back(t.constant(kSuspendHint));
  Value done = t.ptx(t.i32(),
                     text("{ .reg .pred p; mbarrier.", k.gpu->tma ? "try" : "test", "_wait.parity", scope,
                          ".shared::cta.b64 p, [$1], $2", k.gpu->tma ? ", $3" : "", "; selp.b32 $0, 1, 0, p; }"),
                     k.gpu->tma ? "=r,r,r,r" : "=r,r,r", operands);
  k.branchIf(t.compare(LLVM::ICmpPredicate::ne, done, 0), after, {}, loop, {});
  k.enter(after);
}

LogicalResult wait(KernelLowering &k, Operation *op) {
  auto wait = mlir::cast<mosaic_gpu::WaitOp>(op);
  // Effects of other blocks of the cluster before their arrivals are visible only if the wait acquires at cluster
  // scope.
  std::string_view scope = op->hasAttr("lanescope.cluster_scope") ? ".acquire.cluster" : "";
  waitForPhase(k, k.scalar(wait.getBarrier()), k.t.resize(k.scalar(wait.getParity()), 32), scope);
  fenceAfterWait(k, wait.getBarrier());
  return success();
}

//===--- JAX's per-thread operations ---===//

/// nvvm.mbarrier.try_wait.parity: its operands are a pointer, the parity, and how long a try may sleep.
LogicalResult waitThread(KernelLowering &k, Operation *op) {
  std::string_view scope = k.result.launch.clusterBlocks() > 1 ? ".acquire.cluster" : "";
  waitForPhase(k, k.scalar(op->getOperand(0)), k.t.resize(k.scalar(op->getOperand(1)), 32), scope);
  return success();
}

/// nvvm.mbarrier.init: a pointer, the count of arriving threads, and optionally a condition.
LogicalResult initializeThread(KernelLowering &k, Operation *op) {
  SmallVector<Value> operands{k.scalar(op->getOperand(0)), k.scalar(op->getOperand(1))};
  bool conditional = op->getNumOperands() == 3;
  if (conditional)
    operands.push_back(k.scalar(op->getOperand(2)));
  k.t.ptx(text(conditional ? "@$2 " : "", "mbarrier.init.shared::cta.b64 [$0], $1;"), conditional ? "r,r,b" : "r,r",
          operands);
  return success();
}

/// Threads may see the end of the phase at different times, so the warpgroup (or warp) agrees on the result.
LogicalResult test(KernelLowering &k, Operation *op) {
  auto test = mlir::cast<statements::BarrierTestOp>(op);
  ThreadBuilder &t = k.t;
  Value parity = t.resize(k.scalar(test.getParity()), 32);
  std::string_view scope = op->hasAttr("lanescope.cluster_scope") ? ".acquire.cluster" : "";
  if (k.inWarps) {
    Value agreed = t.ptx(t.i32(),
                         text("{ .reg .pred p, q; mbarrier.test_wait.parity", scope,
                              ".shared::cta.b64 p, [$1], $2; vote.sync.all.pred q, p, 0xffffffff; "
                              "selp.b32 $0, 1, 0, q; }"),
                         "=r,r,r", {k.scalar(test.getBarrier()), parity});
    fenceAfterWait(k, test.getBarrier());
    k.set(test.getCompleted(), t.compare(LLVM::ICmpPredicate::ne, agreed, 0));
    return success();
  }
  Value done =
      t.ptx(t.i32(),
            text("{ .reg .pred p, q; mbarrier.test_wait.parity", scope,
                 ".shared::cta.b64 p, [$1], $2; barrier.cta.red.and.aligned.pred q, $3, $4, p; "
                 "selp.b32 $0, 1, 0, q; }"),
            "=r,r,r,r,r",
            {k.scalar(test.getBarrier()), parity, t.add(k.warpgroup, 1), t.constant(layouts::kThreadsPerWarpgroup)});
  k.unsyncedStores = false; // the warpgroup agrees through a barrier
  fenceAfterWait(k, test.getBarrier());
  k.set(test.getCompleted(), t.compare(LLVM::ICmpPredicate::ne, done, 0));
  return success();
}

} // namespace

void addBarriers(HandlerTable &table) {
  table["builtin.unrealized_conversion_cast"] = cast;
  table["llvm.getelementptr"] = elementPointer;
  table["mosaic_gpu.initialize_barrier"] = initialize;
  table["mosaic_gpu.arrive"] = arrive;
  table["mosaic_gpu.arrive_expect_tx"] = arriveExpectTx;
  table["mosaic_gpu.wait"] = wait;
  table["lanescope.barrier_test"] = test;
  table["nvvm.mbarrier.try_wait.parity"] = waitThread;
  table["nvvm.mbarrier.init"] = initializeThread;
}

} // namespace lanescope::core
