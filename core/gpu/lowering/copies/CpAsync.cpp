// lanescope.cp_async. The slice is cut along its last dimension into pieces of 16, 8 or 4 bytes that are contiguous on
// both sides; thread p % 128 copies piece p. PTX ISA, `cp.async`, `cp.async.mbarrier.arrive`.
#include "core/gpu/lowering/copies/CpAsync.h"

#include "core/gpu/ir/LaunchOps.h"
#include "core/gpu/lowering/copies/Tma.h"
#include "core/gpu/lowering/memory/Transfer.h"
#include "core/gpu/lowering/thread/Divisibility.h"
#include "core/gpu/lowering/threads/Warps.h"
#include "layouts/support/Text.h"

#include <numeric>

namespace lanescope::core {

using namespace mlir;
using layouts::Shape;

namespace {

/// The slice of a global array as a reference, and a number that divides the byte offsets of all of its rows.
struct Slice {
  Ref ref;
  int64_t alignment = 0;
};

/// Makes the slice. Starts along dimension `packed` count elements, `packing` of which share a byte; they are multiples
/// of `packing`.
FailureOr<Slice> sliceOf(KernelLowering &k, Operation *op, const Ref &global, ValueRange starts,
                         ArrayRef<int64_t> lengths, std::optional<size_t> packed, int packing) {
  if (starts.size() != global.dims.size() || lengths.size() != global.dims.size())
    return op->emitError(text("the copy has ", starts.size(), " indices for an array of rank ", global.dims.size()));
  Slice slice{global, std::gcd(int64_t{256}, global.knownOffset)};
  slice.ref.dims.clear();
  for (size_t d = 0; d < lengths.size(); ++d) {
    int64_t stride = global.dims[d].strides.front() * global.elementBytes, per = packed == d ? packing : 1;
    if (auto known = ThreadBuilder::knownInteger(k.scalar(starts[d]))) {
      slice.ref.knownOffset += *known / per * stride;
      slice.alignment = std::gcd(slice.alignment, *known / per * stride);
    } else {
      Value wide = k.t.create<LLVM::SExtOp>(k.t.i64(), k.t.divide(k.scalar(starts[d]), per));
      slice.ref.computedOffset = k.t.add(slice.ref.computedOffset, k.t.multiply(wide, stride));
      slice.alignment = std::gcd(slice.alignment, knownDivisor(starts[d]) / per * stride);
    }
    if (lengths[d] == -1)
      continue;
    slice.ref.dims.push_back({{lengths[d]}, {global.dims[d].strides.front()}});
    if (d + 1 < lengths.size() && lengths[d] > 1)
      slice.alignment = std::gcd(slice.alignment, stride);
  }
  return slice;
}

LogicalResult copy(KernelLowering &k, Operation *op) {
  auto copy = cast<statements::CpAsyncOp>(op);
  if (copy.getBarrier() && ordersTensorCore(copy.getBarrier()))
    return op->emitError(
        "all threads of the warpgroup arrive here, and a barrier with `orders_tensor_core=True` counts "
        "one of them; wait at another");
  ThreadBuilder &t = k.t;
  Ref shared = k.ref(copy.getDestination()), global = k.ref(copy.getSource());
  if (global.multicast)
    return op->emitError("a copy reads the memory of one device");
  bool sameElement = global.element == shared.element && global.packing == shared.packing;
  SmallVector<int64_t> lengths(copy.getSliceLengths());
  std::optional<size_t> packed;
  int packing = shared.packing;
  if (shared.packing != 1 && sameElement) {
    auto globalBytes = packedInBytes(k, op, global, copy.getIndices(), lengths);
    if (failed(globalBytes))
      return failure();
    auto sharedBytes = inBytes(k, op, shared);
    if (failed(sharedBytes))
      return failure();
    global = globalBytes->global;
    lengths = globalBytes->lengths;
    packed = globalBytes->dim;
    shared = *sharedBytes;
  }
  auto slice = sliceOf(k, op, global, copy.getIndices(), lengths, packed, packing);
  if (failed(slice))
    return failure();
  if (!sameElement || slice->ref.shape() != shared.shape())
    return op->emitError(text("the slice of the global array has shape ", layouts::tupleText(slice->ref.shape()),
                              " but the shared memory has shape ", layouts::tupleText(shared.shape()),
                              ", or their element types differ"));
  const RefDim &row = shared.dims.back();
  if (slice->ref.dims.back().strides.back() != 1 || row.strides.back() != 1)
    return op->emitError("a copy by the threads needs a last dimension that is contiguous on both sides");
  // The bytes of a row that are contiguous in shared memory: at most a tile's row, and at most 16 if there is a
  // swizzle.
  int64_t run = std::gcd(row.sizes.back() * shared.elementBytes, shared.knownOffset);
  if (shared.computedOffset)
    run = std::gcd(run, shared.computedAlignment);
  for (const RefDim &dim : shared.dims)
    for (size_t i = 0; i < dim.sizes.size(); ++i)
      if (dim.sizes[i] > 1 && dim.strides[i] > 1)
        run = std::gcd(run, dim.strides[i] * shared.elementBytes);
  int64_t width = std::gcd(int64_t{16}, std::gcd(run, slice->alignment));
  if (width < 4)
    return op->emitError(
        text("a copy by the threads moves pieces of 4, 8 or 16 bytes, and rows here begin at multiples "
             "of ",
             width, " bytes only; copy by TMA, with a barrier, or through registers"));
  int64_t elements = width / shared.elementBytes;
  if (elements == 0)
    return op->emitError("elements wider than 16 bytes cannot be copied");
  Shape pieces = shared.shape();
  pieces.back() /= elements;
  int64_t count = layouts::elementCount(pieces);

  k.warpgroupBarrier(); // threads may still read the copy's target
  std::string name = text("cp.async.", width == 16 ? "cg" : "ca", ".shared.global [$0], [$1], ", width, ";");
  for (int64_t begin = 0; begin < count; begin += layouts::kThreadsPerWarpgroup) {
    Value flat = t.add(k.thread, begin);
    auto issue = [&] {
      SmallVector<Value> indices(pieces.size());
      Value rest = flat;
      for (size_t d = pieces.size(); d-- > 0;) {
        indices[d] = d == 0 ? rest : t.modulo(rest, pieces[d]);
        rest = d == 0 ? rest : t.divide(rest, pieces[d]);
      }
      indices.back() = t.multiply(indices.back(), elements);
      t.ptx(name, "r,l", {elementAddress(k, shared, indices), elementAddress(k, slice->ref, indices)});
    };
    if (begin + layouts::kThreadsPerWarpgroup <= count)
      issue();
    else
      k.when(t.compare(LLVM::ICmpPredicate::ult, flat, count), issue);
  }
  if (copy.getBarrier())
    // Each thread arrives when its pieces have landed. All these arrivals together are the warpgroup's arrival.
    t.ptx("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [$0];", "r", k.scalar(copy.getBarrier()));
  else
    t.ptx("cp.async.commit_group;", "", {});
  return success();
}

LogicalResult wait(KernelLowering &k, Operation *op) {
  k.t.ptx(text("cp.async.wait_group ", cast<statements::WaitCpAsyncOp>(op).getN(), ";"), "", {});
  k.warpgroupBarrier();
  return success();
}

} // namespace

void addCpAsync(HandlerTable &table) {
  table["lanescope.cp_async"] = copy;
  table["lanescope.wait_cp_async"] = wait;
}

} // namespace lanescope::core
