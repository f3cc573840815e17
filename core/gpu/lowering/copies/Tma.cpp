#include "core/gpu/lowering/copies/Tma.h"

#include "core/gpu/ir/MosaicGpu.h"
#include "core/gpu/lowering/thread/Divisibility.h"
#include "core/gpu/lowering/threads/Clusters.h"

#include "layouts/support/Text.h"

#include "mlir/IR/Matchers.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include <algorithm>
#include <numeric>

namespace lanescope::core {

using namespace mlir;
using layouts::Shape;
using layouts::tupleText;

namespace {

constexpr size_t kMaxRank = 5;
constexpr int64_t kMaxDim = int64_t{1} << 32, kMaxStride = int64_t{1} << 40;

/// One dimension of the descriptor.
struct BoxDim {
  int64_t size = 0, strideBytes = 0, box = 1;
  int64_t sharedStride = 0; // in elements; decides the order of dimensions
  Value coordinate;         // i32
};

class Planner {
public:
  /// `packed`: the dimension whose starts count elements, `packing` of which share a byte. The references count bytes.
  Planner(KernelLowering &k, Operation *op, const Ref &global, const Ref &shared,
          std::optional<size_t> packed = std::nullopt, int packing = 1)
      : k_(k), op_(op), global_(global), shared_(shared), packed_(packed), packing_(packing) {}

  FailureOr<TmaCopy> plan(ValueRange starts, ArrayRef<int64_t> lengths, const TmaSharing &sharing) {
    TmaCopy copy;
    SmallVector<int64_t> own(lengths);
    if (sharing.split) {
      split_ = sharing;
      own[*sharing.split] /= clusterSize(k_, sharing.collective);
    }
    if (failed(checkShapes(starts, own)) || failed(collect(starts, own)) || failed(checkShared()) ||
        failed(sharing.split ? success() : distribute(sharing.collective, copy)) || failed(checkBox()))
      return failure();
    TensorMapSpec &map = copy.map;
    const BytesParam &block = std::get<BytesParam>(k_.result.launch.params.front());
    map.buffer = static_cast<uint32_t>(global_.argument);
    map.dtype = packed_ ? Dtype::U8 : block.buffers[map.buffer].dtype;
    map.swizzle = shared_.swizzle;
    for (const BoxDim &dim : dims_) {
      map.shape.push_back(dim.size);
      map.box.push_back(dim.box);
      if (&dim != &dims_.back())
        map.stridesBytes.push_back(dim.strideBytes);
      copy.coordinates.push_back(dim.coordinate);
    }
    if (!dims_.empty()) {
      llvm::APInt start;
      int64_t unit = kTmaUnit / std::min<int64_t>(kTmaUnit, shared_.elementBytes);
      if (matchPattern(dims_.back().coordinate, m_ConstantInt(&start)) && start.getSExtValue() % unit != 0)
        return fail(text("the copy starts at ", start.getSExtValue(),
                         " along the last dimension; the hardware starts at "
                         "multiples of ",
                         kTmaUnit, " bytes only, which is ", unit, " elements"));
    }
    return copy;
  }

private:
  LogicalResult fail(std::string message) { return op_->emitError(message); }

  LogicalResult checkShapes(ValueRange starts, ArrayRef<int64_t> lengths) {
    if (global_.argument < 0 || global_.computedOffset || global_.knownOffset != 0)
      return fail("an asynchronous copy needs a kernel argument as its global side; give the slice to the copy itself");
    if (starts.size() != global_.dims.size() || lengths.size() != global_.dims.size())
      return fail(text("the copy has ", starts.size(), " indices for an array of rank ", global_.dims.size()));
    if (global_.element != shared_.element)
      return op_->emitError() << "the copy is between `" << global_.element << "` in global and `" << shared_.element
                              << "` in shared memory; both must have one element type";
    Shape slice;
    for (int64_t length : lengths)
      if (length != -1)
        slice.push_back(length);
    if (slice != shared_.shape())
      return fail(text("the slice of the global array has shape ", tupleText(slice),
                       " but the shared memory has shape ", tupleText(shared_.shape())));
    return success();
  }

  LogicalResult collect(ValueRange starts, ArrayRef<int64_t> lengths) {
    size_t sharedDim = 0;
    std::vector<BoxDim> leading;
    for (size_t d = 0; d < lengths.size(); ++d) {
      const RefDim &array = global_.dims[d];
      int64_t stride = array.strides.front() * global_.elementBytes;
      Value start = packed_ == d ? k_.t.divide(k_.scalar(starts[d]), packing_) : k_.scalar(starts[d]);
      int64_t step = 0; // the start is a multiple of each number that divides both this and `starts[d]`
      if (split_.split == d) {
        step = lengths[d];
        start = k_.t.add(start, k_.t.multiply(indexAlong(k_, split_.collective), step));
      }
      if (auto known = ThreadBuilder::knownInteger(start)) {
        int64_t length = std::max<int64_t>(1, lengths[d]);
        if (*known + length <= 0 || *known >= array.size())
          return fail(text("the slice [", *known, ", ", *known + length, ") is outside dimension ", d,
                           " of the global array, whose size is ", array.size()));
      }
      if (lengths[d] == -1) {
        if (array.size() != 1)
          leading.push_back({array.size(), stride, 1, 0, start});
        continue;
      }
      int64_t divisor = std::gcd(knownDivisor(starts[d]) / (packed_ == d ? packing_ : 1), step);
      if (failed(collectDim(d, array.size(), stride, start, divisor, shared_.dims[sharedDim++])))
        return failure();
    }
    // The sub-dims of shared memory, outermost first; dimensions that were indexed by an integer come before all
    // others.
    std::ranges::sort(dims_, std::ranges::greater(), &BoxDim::sharedStride);
    if (leading.size() > 1 && dims_.size() + leading.size() > kMaxRank && dims_.size() + 1 <= kMaxRank)
      leading = {collapsed(leading)};
    dims_.insert(dims_.begin(), leading.begin(), leading.end());
    if (dims_.empty())
      dims_.push_back({1, shared_.elementBytes, 1, 1, k_.t.constant(0)});
    return success();
  }

  /// Joins dimensions from which the slice takes one element into a single one. Its step is the greatest common divisor
  /// of their strides.
  BoxDim collapsed(const std::vector<BoxDim> &dims) {
    int64_t step = 0;
    for (const BoxDim &dim : dims)
      step = std::gcd(step, dim.strideBytes);
    BoxDim one{1, step, 1, 0, Value()};
    for (const BoxDim &dim : dims) {
      one.size += (dim.size - 1) * (dim.strideBytes / step);
      one.coordinate = k_.t.add(one.coordinate, k_.t.multiply(dim.coordinate, dim.strideBytes / step));
    }
    return one;
  }

  /// `divisor`: a number known to divide the start.
  LogicalResult collectDim(size_t d, int64_t arraySize, int64_t strideBytes, Value start, int64_t divisor,
                           const RefDim &dim) {
    int64_t below = 1;
    for (size_t i = dim.sizes.size(); i-- > 0; below *= dim.sizes[i]) {
      bool outermost = i == 0;
      if (dim.sizes[i] == 1 && (!outermost || arraySize == below))
        continue;
      BoxDim box;
      box.box = dim.sizes[i];
      box.sharedStride = dim.strides[i];
      box.strideBytes = strideBytes * below;
      box.size = outermost ? arraySize / below : dim.sizes[i];
      box.coordinate = outermost ? k_.t.divide(start, below) : k_.t.constant(0);
      dims_.push_back(box);
    }
    int64_t tile = below / dim.sizes.front();
    if (tile == 1)
      return success();
    // If the array ends within a tile, the descriptor can address only whole tiles.
    auto known = ThreadBuilder::knownInteger(start);
    if (arraySize % tile != 0 && !(known && *known + dim.size() <= arraySize / tile * tile))
      return fail(text("dimension ", d, " of the global array has size ", arraySize,
                       ", which is not a multiple of the "
                       "shared memory's tile size ",
                       tile, "; copy a part that is known to lie within its whole tiles"));
    if (divisor % tile != 0)
      return fail(text("the slice's start in dimension ", d, " must be a multiple of the shared memory's tile size ",
                       tile, ", and it is not known to be one; write it as a product with ", tile));
    return success();
  }

  LogicalResult checkShared() {
    int64_t expected = 1;
    for (size_t i = dims_.size(); i-- > 0;) {
      const BoxDim &dim = dims_[i];
      if (dim.box == 1)
        continue;
      if (dim.sharedStride != expected)
        return fail("the shared memory side of an asynchronous copy must be contiguous; copy whole tiles or whole "
                    "leading indices of a buffer");
      expected *= dim.box;
    }
    // A swizzle depends on bits of the address, so its pattern need not begin at the copy's start (CUDA programming
    // guide, "TMA swizzle"). Accesses by threads and other copies then find the same elements at the same places.
    if (shared_.knownOffset % kTmaSharedUnit != 0 ||
        (shared_.computedOffset && shared_.computedAlignment % kTmaSharedUnit != 0))
      return fail(text("the shared memory side of an asynchronous copy must begin at a multiple of ", kTmaSharedUnit,
                       " bytes"));
    return success();
  }

  /// Distributes the leading dimensions of the box over the blocks of a cluster.
  LogicalResult distribute(ArrayRef<int64_t> collective, TmaCopy &copy) {
    int64_t blocks = clusterSize(k_, collective), left = blocks;
    if (blocks == 1)
      return success();
    Value index = indexAlong(k_, collective);
    size_t last = dims_.size() - (shared_.swizzle ? 1 : 0); // a swizzled row is not split
    for (size_t i = 0; i < last && left > 1; ++i) {
      BoxDim &dim = dims_[i];
      if (dim.box == 1)
        continue;
      bool splits = dim.box % left == 0;
      if (!splits && left % dim.box != 0)
        break;
      int64_t parts = splits ? left : dim.box;
      Value part = k_.t.modulo(index, parts);
      index = k_.t.divide(index, parts);
      left /= parts;
      dim.box /= parts;
      dim.coordinate = k_.t.add(dim.coordinate, k_.t.multiply(part, dim.box));
      int64_t bytes = dim.box * dim.sharedStride * shared_.elementBytes;
      if (bytes % kTmaSharedUnit != 0)
        return fail(text("the blocks of the cluster each copy a part of ", bytes,
                         " bytes, which must be a multiple of ", kTmaSharedUnit, "; copy more at once"));
      copy.sharedOffset = k_.t.add(copy.sharedOffset, k_.t.multiply(part, bytes));
    }
    if (left > 1)
      return fail(text("none of the leading dimensions of the copy can be dealt out to the ", blocks,
                       " blocks of the cluster that load it together; make one a multiple of ", blocks));
    return success();
  }

  LogicalResult checkBox() {
    if (dims_.size() > kMaxRank)
      return fail(text("the copy needs ", dims_.size(), " dimensions with its tiles and indices, but TMA has at most ",
                       kMaxRank, "; use fewer tiled or indexed dimensions"));
    const BoxDim &minor = dims_.back();
    if (minor.strideBytes != shared_.elementBytes)
      return fail("the last dimension of the shared memory must be contiguous in global memory too; a copy cannot "
                  "transpose, so load and store through registers for that");
    int64_t row = minor.box * shared_.elementBytes;
    if (shared_.swizzle && row != shared_.swizzle)
      return fail(text("with a swizzle of ", shared_.swizzle, " bytes the innermost dimension of the copy must be ",
                       shared_.swizzle, " bytes (", shared_.swizzle / shared_.elementBytes * shared_.packing,
                       " elements), but it is ", row, "; give the tile that last size"));
    if (row % kTmaUnit != 0)
      return fail(
          text("the innermost dimension of the copy is ", row, " bytes, but TMA needs a multiple of ", kTmaUnit));
    for (size_t i = 0; i < dims_.size(); ++i) {
      const BoxDim &dim = dims_[i];
      if (dim.box > kTmaMaxBox)
        return fail(text("the copy's box has a dimension of ", dim.box, " elements, but TMA takes at most ", kTmaMaxBox,
                         "; tile the shared memory with `TilingTransform`, or copy it in parts"));
      if (i + 1 < dims_.size() && dim.strideBytes % kTmaUnit != 0)
        return fail(text("the global array has a stride of ", dim.strideBytes, " bytes, but TMA needs multiples of ",
                         kTmaUnit, "; make its last dimension a multiple of ", kTmaUnit / shared_.elementBytes,
                         " elements"));
      if (dim.size > kMaxDim || dim.strideBytes >= kMaxStride)
        return fail("the global array is too large for TMA: sizes are limited to 2^32, strides to 2^40 bytes");
    }
    return success();
  }

  KernelLowering &k_;
  Operation *op_;
  const Ref &global_, &shared_;
  std::optional<size_t> packed_;
  int packing_;
  TmaSharing split_; // for a slice whose parts stay in their blocks
  std::vector<BoxDim> dims_;
};

} // namespace

FailureOr<Ref> inBytes(KernelLowering &k, Operation *op, const Ref &ref) {
  Ref bytes = ref;
  bytes.packing = 1;
  bytes.element = k.t.builder().getI8Type();
  for (RefDim &dim : bytes.dims)
    for (size_t i = 0; i < dim.sizes.size(); ++i) {
      int64_t &size = dim.strides[i] == 1 ? dim.sizes[i] : dim.strides[i];
      if (size % ref.packing != 0 && dim.sizes[i] != 1)
        return op->emitError(text(8 / ref.packing, "-bit elements are copied ", ref.packing, " at a time, a byte, and ",
                                  size, " of them in a row are no whole number of bytes"));
      size = std::max<int64_t>(1, size / ref.packing);
    }
  return bytes;
}

/// The dimension along which elements are contiguous.
static std::optional<size_t> contiguousDim(const Ref &ref) {
  for (size_t d = 0; d < ref.dims.size(); ++d)
    if (ref.dims[d].strides.back() == 1 && ref.dims[d].sizes.back() != 1)
      return d;
  return std::nullopt;
}

FailureOr<PackedSlice> packedInBytes(KernelLowering &k, Operation *op, const Ref &global, ValueRange starts,
                                     ArrayRef<int64_t> lengths) {
  PackedSlice out{.global = {}, .lengths = SmallVector<int64_t>(lengths), .dim = contiguousDim(global)};
  if (out.dim && *out.dim < lengths.size() && *out.dim < starts.size()) {
    int64_t &length = out.lengths[*out.dim];
    if (length % global.packing != 0 || knownDivisor(starts[*out.dim]) % global.packing != 0)
      return op->emitError(text(8 / global.packing, "-bit elements are copied ", global.packing,
                                " at a time, a byte: along the last dimension the slice's start, known to be one, and "
                                "its length are multiples of ",
                                global.packing));
    length /= global.packing;
  }
  auto bytes = inBytes(k, op, global);
  if (failed(bytes))
    return failure();
  out.global = *bytes;
  return out;
}

/// Replaces a copy of elements narrower than a byte by a copy of bytes.
static FailureOr<TmaCopy> planNarrow(KernelLowering &k, Operation *op, const Ref &global, const Ref &shared,
                                     ValueRange starts, ArrayRef<int64_t> lengths, const TmaSharing &sharing) {
  auto packed = packedInBytes(k, op, global, starts, lengths);
  if (failed(packed))
    return failure();
  auto sharedBytes = inBytes(k, op, shared);
  if (failed(sharedBytes))
    return failure();
  return Planner(k, op, packed->global, *sharedBytes, packed->dim, global.packing)
      .plan(starts, packed->lengths, sharing);
}

FailureOr<TmaCopy> planTma(KernelLowering &k, Operation *op, const Ref &global, const Ref &shared, ValueRange starts,
                           ArrayRef<int64_t> lengths, const TmaSharing &sharing) {
  if (global.packing != 1 && shared.packing == global.packing)
    return planNarrow(k, op, global, shared, starts, lengths, sharing);
  return Planner(k, op, global, shared).plan(starts, lengths, sharing);
}

FailureOr<TmaCopy> planPrefetch(KernelLowering &k, Operation *op, const Ref &global, ValueRange starts,
                                ArrayRef<int64_t> lengths, ArrayRef<int64_t> collective) {
  Ref nowhere;
  nowhere.element = global.element;
  nowhere.elementBytes = global.elementBytes;
  nowhere.packing = global.packing;
  nowhere.shared = true;
  Shape shape;
  for (int64_t length : lengths)
    if (length != -1)
      shape.push_back(length);
  Shape strides = layouts::contiguousStrides(shape);
  for (size_t d = 0; d < shape.size(); ++d)
    nowhere.dims.push_back({{shape[d]}, {strides[d]}});
  return planTma(k, op, global, nowhere, starts, lengths, {.collective = collective});
}

LogicalResult fillWithNan(mosaic_gpu::AsyncLoadOp load, TensorMapSpec &map) {
  if (!load->hasAttr("lanescope.nan_fill"))
    return success();
  Type element = cast<MemRefType>(load.getSource().getType()).getElementType();
  if (!isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(element))
    return load->emitError() << "a copy of `" << element << "` cannot fill with NaN";
  map.oobNan = true;
  return success();
}

/// The buffer that a reference is a part of.
static Value rootOf(Value ref) {
  while (Operation *op = ref.getDefiningOp()) {
    if (op->getNumOperands() == 0 || !isa<MemRefType>(op->getOperand(0).getType()))
      break;
    ref = op->getOperand(0);
  }
  return ref;
}

bool readsWhatCopiesFill(func::FuncOp kernel) {
  llvm::SmallPtrSet<Value, 4> filled;
  kernel.walk([&](mosaic_gpu::AsyncLoadOp load) { filled.insert(rootOf(load.getDestination())); });
  if (filled.empty())
    return false;
  auto result = kernel.walk([&](Operation *op) {
    bool reads = isa<mosaic_gpu::VectorLoadOp, memref::LoadOp>(op) && filled.contains(rootOf(op->getOperand(0)));
    return reads ? WalkResult::interrupt() : WalkResult::advance();
  });
  return result.wasInterrupted();
}

} // namespace lanescope::core
