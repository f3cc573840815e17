#include "core/gpu/lowering/copies/CopyPieces.h"

#include "core/gpu/lowering/copies/Tma.h"
#include "core/gpu/lowering/memory/Transfer.h"
#include "core/gpu/lowering/thread/Divisibility.h"
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
  SmallVector<SliceBound> bounds;
};

/// Starts along this dimension count elements, `packing` of which share a byte; they are multiples of `packing`.
struct PackedDim {
  std::optional<size_t> dim;
  int packing = 1;
};

FailureOr<Slice> sliceOf(KernelLowering &k, Operation *op, const Ref &global, ValueRange starts,
                         ArrayRef<int64_t> lengths, const PackedDim &packed, const PieceRule &rule) {
  if (starts.size() != global.dims.size() || lengths.size() != global.dims.size())
    return op->emitError(text("the copy has ", starts.size(), " indices for an array of rank ", global.dims.size()));
  Slice slice{global, std::gcd(int64_t{256}, global.knownOffset), {}};
  slice.ref.dims.clear();
  for (size_t d = 0; d < lengths.size(); ++d) {
    int64_t stride = global.dims[d].strides.front() * global.elementBytes, per = packed.dim == d ? packed.packing : 1;
    if (auto known = ThreadBuilder::knownInteger(k.scalar(starts[d]))) {
      slice.ref.knownOffset += *known / per * stride;
      slice.alignment = std::gcd(slice.alignment, *known / per * stride);
    } else {
      Value wide = k.t.create<LLVM::SExtOp>(k.t.i64(), k.t.divide(k.scalar(starts[d]), per));
      slice.ref.computedOffset = k.t.add(slice.ref.computedOffset, k.t.multiply(wide, stride));
      slice.alignment = std::gcd(slice.alignment, knownDivisor(starts[d]) / per * stride);
    }
    int64_t length = lengths[d] == -1 ? 1 : lengths[d], size = global.dims[d].size();
    int dim = lengths[d] == -1 ? -1 : static_cast<int>(slice.ref.dims.size());
    auto first = ThreadBuilder::knownInteger(k.scalar(starts[d]));
    if (rule.mayBeOutside && (!first || *first < 0 || *first / per + length > size)) {
      slice.bounds.push_back({k.t.divide(k.scalar(starts[d]), per), size, dim});
      if (d + 1 == lengths.size()) // pieces are wholly inside or outside
        slice.alignment = std::gcd(slice.alignment, size * global.elementBytes);
    }
    if (lengths[d] == -1)
      continue;
    slice.ref.dims.push_back({{lengths[d]}, {global.dims[d].strides.front()}});
    if (d + 1 < lengths.size() && lengths[d] > 1)
      slice.alignment = std::gcd(slice.alignment, stride);
  }
  return slice;
}

} // namespace

FailureOr<CopyPieces> planPieces(KernelLowering &k, Operation *op, const Ref &sharedRef, const Ref &globalRef,
                                 ValueRange indices, ArrayRef<int64_t> sliceLengths, const PieceRule &rule) {
  Ref shared = sharedRef, global = globalRef;
  if (global.multicast)
    return op->emitError("a copy by the threads is of one device's memory");
  bool sameElement = global.element == shared.element && global.packing == shared.packing;
  SmallVector<int64_t> lengths(sliceLengths);
  PackedDim packed{{}, shared.packing};
  if (shared.packing != 1 && sameElement) {
    auto globalBytes = packedInBytes(k, op, global, indices, lengths);
    if (failed(globalBytes))
      return failure();
    auto sharedBytes = inBytes(k, op, shared);
    if (failed(sharedBytes))
      return failure();
    global = globalBytes->global;
    lengths = globalBytes->lengths;
    packed.dim = globalBytes->dim;
    shared = *sharedBytes;
  }
  auto slice = sliceOf(k, op, global, indices, lengths, packed, rule);
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
  CopyPieces pieces;
  pieces.bytes = std::gcd(int64_t{16}, std::gcd(run, slice->alignment));
  if (pieces.bytes < rule.least)
    return op->emitError(
        text("a copy by the threads moves pieces of 4, 8 or 16 bytes, and rows here begin at multiples "
             "of ",
             pieces.bytes, " bytes only; ", std::string_view(rule.advice)));
  pieces.elements = pieces.bytes / shared.elementBytes;
  if (pieces.elements == 0)
    return op->emitError("elements wider than 16 bytes cannot be copied");
  pieces.counts = shared.shape();
  pieces.counts.back() /= pieces.elements;
  pieces.shared = std::move(shared);
  pieces.global = std::move(slice->ref);
  pieces.bounds = std::move(slice->bounds);
  return pieces;
}

/// True (i1) if the piece at `indices` of the slice is inside of the array; null if all pieces are.
static Value isInside(KernelLowering &k, const CopyPieces &pieces, ArrayRef<Value> indices) {
  ThreadBuilder &t = k.t;
  Value all;
  for (const SliceBound &bound : pieces.bounds) {
    Value at = bound.dim < 0 ? bound.start : t.add(bound.start, indices[static_cast<size_t>(bound.dim)]);
    Value one = t.compare(LLVM::ICmpPredicate::ult, at, t.constant(bound.size));
    all = all ? t.create<LLVM::AndOp>(all, one).getResult() : one;
  }
  return all;
}

void forEachPiece(KernelLowering &k, const CopyPieces &pieces, llvm::function_ref<void(const CopyPiece &)> each) {
  ThreadBuilder &t = k.t;
  const Shape &counts = pieces.counts;
  int64_t count = layouts::elementCount(counts),
          threads = k.inWarps ? layouts::kLanesPerWarp : layouts::kThreadsPerWarpgroup;
  for (int64_t begin = 0; begin < count; begin += threads) {
    Value flat = t.add(k.inWarps ? k.lane : k.thread, begin);
    auto copy = [&] {
      SmallVector<Value> indices(counts.size());
      Value rest = flat;
      for (size_t d = counts.size(); d-- > 0;) {
        indices[d] = d == 0 ? rest : t.modulo(rest, counts[d]);
        rest = d == 0 ? rest : t.divide(rest, counts[d]);
      }
      indices.back() = t.multiply(indices.back(), pieces.elements);
      each({elementAddress(k, pieces.shared, indices), elementAddress(k, pieces.global, indices),
            isInside(k, pieces, indices)});
    };
    if (begin + threads <= count)
      copy();
    else
      k.when(t.compare(LLVM::ICmpPredicate::ult, flat, count), copy);
  }
}

} // namespace lanescope::core
