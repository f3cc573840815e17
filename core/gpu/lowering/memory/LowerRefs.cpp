// References: the start of shared memory, slices, transposes, and scalar accesses.
#include "core/gpu/inference/LayoutsInModule.h"
#include "core/gpu/ir/LayoutRules.h"
#include "core/gpu/ir/MosaicGpu.h"
#include "core/gpu/lowering/memory/TensorRefs.h"
#include "core/gpu/lowering/memory/Transfer.h"
#include "core/gpu/lowering/thread/Divisibility.h"
#include "core/gpu/lowering/thread/Variables.h"

#include "layouts/support/Text.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include <numeric>

namespace lanescope::core {

using namespace mlir;

namespace {

constexpr int64_t kBarrierBytes = 8;

/// True if the reference already has these transforms.
bool hasTransforms(const Ref &ref, const SmemTransforms &transforms) {
  size_t tiled = transforms.tiling ? transforms.tiling->size() : 0;
  if (ref.swizzle != (transforms.swizzle == 16 ? 0 : transforms.swizzle) || tiled > ref.dims.size())
    return false;
  size_t leading = ref.dims.size() - tiled;
  for (size_t d = 0; d < ref.dims.size(); ++d) {
    const layouts::Shape &sizes = ref.dims[d].sizes;
    bool fits = d < leading ? sizes.size() == 1 : sizes.size() == 2 && sizes[1] == (*transforms.tiling)[d - leading];
    if (!fits)
      return false;
  }
  return true;
}

LogicalResult transform(Operation *op, Ref &ref, const SmemTransforms &transforms) {
  if (hasTransforms(ref, transforms))
    return success();
  layouts::Shape shape = ref.shape();
  if (ref.swizzle != 0)
    return op->emitError("this reference has transforms already");
  for (const RefDim &dim : ref.dims)
    if (dim.sizes.size() != 1)
      return op->emitError("this reference has transforms already");
  if (transforms.tiling) {
    const layouts::Shape &tile = *transforms.tiling;
    auto tiling = layouts::Tiling::make({tile});
    if (!tiling || tile.size() > shape.size() || !tiling->tileShape(shape))
      return op->emitError(text("tiling ", layouts::tupleText(tile), " does not divide the shape ",
                                layouts::tupleText(shape), "; choose a tile whose sizes divide the last dimensions"));
    // Order in memory: leading dims, the grid of tiles, the elements of a tile.
    layouts::Shape tiled = *tiling->tileShape(shape), strides = layouts::contiguousStrides(tiled);
    size_t leading = shape.size() - tile.size();
    for (size_t d = 0; d < shape.size(); ++d) {
      if (d < leading)
        ref.dims[d] = {{shape[d]}, {strides[d]}};
      else
        ref.dims[d] = {{tiled[d], tiled[d + tile.size()]}, {strides[d], strides[d + tile.size()]}};
    }
  }
  ref.swizzle = transforms.swizzle == 16 ? 0 : transforms.swizzle;
  if (ref.swizzle) {
    // The swizzle depends only on the address, not on rows. Copies and products check their own rules for rows.
    int64_t period = 8 * ref.swizzle;
    if (ref.knownOffset % period != 0)
      return op->emitError(text("swizzled shared memory must begin at a multiple of ", period,
                                " bytes, but this begins at byte ", ref.knownOffset));
  }
  return success();
}

LogicalResult sliceSmem(KernelLowering &k, Operation *op) {
  auto slice = cast<mosaic_gpu::SliceSmemOp>(op);
  auto type = cast<MemRefType>(slice.getResult().getType());
  bool barriers = isa<mosaic_gpu::BarrierType>(type.getElementType());
  if (!barriers && !type.getElementType().isIntOrFloat())
    return op->emitError() << "elements of `" << type.getElementType() << "` in shared memory are not supported";
  Ref ref;
  ref.element = type.getElementType();
  ref.elementBytes = barriers ? kBarrierBytes : std::max<int64_t>(1, type.getElementTypeBitWidth() / 8);
  ref.packing = barriers ? 1 : elementsPerByte(type.getElementType());
  ref.shared = true;
  ref.base = k.smem;
  ref.knownOffset = slice.getOffset();
  layouts::Shape shape(type.getShape().begin(), type.getShape().end());
  layouts::Shape strides = layouts::contiguousStrides(shape);
  for (size_t d = 0; d < shape.size(); ++d)
    ref.dims.push_back({{shape[d]}, {strides[d]}});
  int64_t end = ref.knownOffset + layouts::elementCount(shape) * ref.elementBytes / ref.packing;
  if (end > k.userSmem)
    return op->emitError(text("bytes ", ref.knownOffset, " to ", end, " are beyond the kernel's ", k.userSmem,
                              " bytes of shared memory"));
  if (ref.knownOffset % ref.elementBytes != 0)
    return op->emitError(
        text("offset ", ref.knownOffset, " is not a multiple of the element's ", ref.elementBytes, " bytes"));
  // Inference may choose transforms for a slice that has no `with_transforms` in the source.
  if (auto given = op->getAttrOfType<ArrayAttr>(kOutTransforms); given && given.size() == 1 && !barriers) {
    auto list = dyn_cast<ArrayAttr>(given[0]);
    auto transforms = list ? toTransforms(list) : error("ir", "`out_transforms` has an entry that is no list");
    if (!transforms)
      return op->emitError(transforms.error().front().message);
    if (failed(transform(op, ref, *transforms)))
      return failure();
  }
  k.set(slice.getResult(), std::move(ref));
  return success();
}

LogicalResult withTransforms(KernelLowering &k, Operation *op) {
  auto with = cast<mosaic_gpu::WithTransformsOp>(op);
  Ref ref = k.ref(with.getRef());
  auto transforms = toTransforms(with.getTransforms());
  if (!transforms)
    return op->emitError(transforms.error().front().message);
  if (failed(transform(op, ref, *transforms)))
    return failure();
  k.set(with.getResult(), std::move(ref));
  return success();
}

/// Advances `ref` along `dim` by a start, given as a number or a value. Returns false if the start is not on a tile
/// boundary.
bool advance(KernelLowering &k, Ref &ref, const RefDim &dim, OpFoldResult start, int64_t length) {
  int64_t tile = 1; // elements below the outermost sub-dim
  for (size_t i = 1; i < dim.sizes.size(); ++i)
    tile *= dim.sizes[i];
  if (auto known = getConstantIntValue(start)) {
    if (length != 1 && tile != 1 && *known % tile != 0)
      return false;
    int64_t rest = *known;
    for (size_t i = dim.sizes.size(); i-- > 0;) {
      int64_t digit = i == 0 ? rest : rest % dim.sizes[i];
      int64_t offset = digit * dim.strides[i] * ref.elementBytes;
      if (offset % ref.packing != 0)
        return false; // in the middle of a byte
      ref.knownOffset += offset / ref.packing;
      rest /= dim.sizes[i];
    }
    return true;
  }
  Value source = cast<Value>(start);
  int64_t divisor = knownDivisor(source);
  if (length != 1 && divisor % tile != 0)
    return false;
  Value rest = k.t.resize(k.scalar(source), KernelLowering::offsetBits(ref.shared));
  for (size_t i = dim.sizes.size(); i-- > 0;) {
    bool aligned = divisor % tile == 0;
    if (i > 0 && aligned)
      continue; // digits below the tile are zero
    Value digit = i == 0 ? (aligned ? k.t.divide(rest, tile) : rest) : k.t.modulo(rest, dim.sizes[i]);
    int64_t stride = dim.strides[i] * ref.elementBytes;
    if (stride % ref.packing != 0)
      return false;
    stride /= ref.packing;
    int64_t known = stride * (i == 0 && aligned ? std::max<int64_t>(1, divisor / tile) : 1);
    ref.computedAlignment = ref.computedOffset ? std::gcd(ref.computedAlignment, known) : known;
    ref.computedOffset = k.t.add(ref.computedOffset, k.t.multiply(digit, stride));
    if (i > 0)
      rest = k.t.divide(rest, dim.sizes[i]);
  }
  return true;
}

LogicalResult subview(KernelLowering &k, Operation *op) {
  auto view = cast<memref::SubViewOp>(op);
  if (isTensorMemory(view.getType()))
    return sliceTensor(k, view);
  const Ref &from = k.ref(view.getSource());
  Ref to = from;
  to.dims.clear();
  llvm::SmallBitVector dropped = view.getDroppedDims();
  for (size_t d = 0; d < from.dims.size(); ++d) {
    const RefDim &dim = from.dims[d];
    std::optional<int64_t> length = getConstantIntValue(view.getMixedSizes()[d]);
    if (!length || getConstantIntValue(view.getMixedStrides()[d]) != 1)
      return op->emitError("slices need a static length and no step");
    OpFoldResult start = view.getMixedOffsets()[d];
    if (auto known = getConstantIntValue(start); known && (*known < 0 || *known + *length > dim.size()))
      return op->emitError(
          text("the slice [", *known, ", ", *known + *length, ") is outside dimension ", d, " of size ", dim.size()));
    int64_t tile = 1;
    for (size_t i = 1; i < dim.sizes.size(); ++i)
      tile *= dim.sizes[i];
    bool wholeTiles = tile == 1 || *length == 1 || *length % tile == 0;
    if (!wholeTiles || !advance(k, to, dim, start, *length))
      return op->emitError(text("a slice of a reference tiled by ", tile, " in dimension ", d,
                                " must begin and end at multiples of ", tile,
                                wholeTiles ? "; the start is not known to be one" : "",
                                " (write a computed start as a product with ", tile, ")"));
    if (dropped[d])
      continue;
    if (tile == 1 || *length % tile == 0) {
      RefDim kept = dim;
      kept.sizes.front() = *length / tile;
      to.dims.push_back(kept);
    } else {
      to.dims.push_back({{*length}, {dim.strides.back()}});
    }
  }
  k.set(view.getResult(), std::move(to));
  return success();
}

LogicalResult transpose(KernelLowering &k, Operation *op) {
  auto view = cast<memref::TransposeOp>(op);
  if (isTensorMemory(cast<MemRefType>(view.getType())))
    return op->emitError("a reference to tensor memory cannot be transposed: its rows are lanes");
  Ref ref = k.ref(view.getIn());
  std::vector<RefDim> dims;
  for (unsigned i = 0; i < ref.dims.size(); ++i)
    dims.push_back(ref.dims[view.getPermutation().getDimPosition(i)]);
  ref.dims = std::move(dims);
  k.set(view.getResult(), std::move(ref));
  return success();
}

LogicalResult refuseReshape(Operation *op) { return op->emitError("a reference to tensor memory cannot be reshaped"); }

/// Splits a dimension into dimensions of `sizes`, outermost first; false if a sub-dimension would be cut.
bool expand(RefDim dim, ArrayRef<int64_t> sizes, std::vector<RefDim> &out) {
  std::vector<RefDim> parts;
  int64_t beyond =
      // A dimension of one element gets the stride that follows from the inner dimensions.
      dim.strides.empty() ? 1 : dim.strides.back();
  for (int64_t left : llvm::reverse(sizes)) {
    RefDim part;
    while (left > 1 && !dim.sizes.empty()) {
      int64_t &size = dim.sizes.back(), &stride = dim.strides.back();
      int64_t taken = std::min(size, left);
      if (size % taken != 0 || left % taken != 0)
        return false;
      if (taken > 1 || part.sizes.empty()) {
        part.sizes.insert(part.sizes.begin(), taken);
        part.strides.insert(part.strides.begin(), stride);
      }
      left /= taken;
      size /= taken;
      stride *= taken;
      beyond = stride;
      if (size == 1) {
        dim.sizes.pop_back();
        dim.strides.pop_back();
      }
    }
    if (left > 1)
      return false;
    parts.push_back(part.sizes.empty() ? RefDim{{1}, {beyond}} : std::move(part));
  }
  out.insert(out.end(), parts.rbegin(), parts.rend());
  return true;
}

LogicalResult expandShape(KernelLowering &k, Operation *op) {
  auto view = cast<memref::ExpandShapeOp>(op);
  if (isTensorMemory(cast<MemRefType>(view.getType())))
    return refuseReshape(op);
  const Ref &from = k.ref(view.getSrc());
  Ref to = from;
  to.dims.clear();
  if (from.dims.empty()) // one element
    to.dims.assign(view.getResultType().getRank(), RefDim{{1}, {1}});
  for (auto [d, group] : llvm::enumerate(view.getReassociationIndices())) {
    SmallVector<int64_t> sizes;
    for (int64_t i : group)
      sizes.push_back(view.getResultType().getDimSize(static_cast<unsigned>(i)));
    if (!expand(from.dims[d], sizes, to.dims))
      return op->emitError(text("dimension ", d, " cannot be divided into ",
                                layouts::tupleText({sizes.begin(), sizes.end()}), ": it lies in memory by tiles of ",
                                from.dims[d].sizes.back(), "; divide it at multiples of them"));
  }
  k.set(view.getResult(), std::move(to));
  return success();
}

LogicalResult collapseShape(KernelLowering &k, Operation *op) {
  auto view = cast<memref::CollapseShapeOp>(op);
  if (isTensorMemory(cast<MemRefType>(view.getType())))
    return refuseReshape(op);
  const Ref &from = k.ref(view.getSrc());
  Ref to = from;
  to.dims.clear();
  for (const ReassociationIndices &group : view.getReassociationIndices()) {
    RefDim merged;
    for (int64_t i : group)
      for (size_t j = 0; j < from.dims[i].sizes.size(); ++j) {
        int64_t size = from.dims[i].sizes[j], stride = from.dims[i].strides[j];
        if (size == 1)
          continue;
        if (!merged.sizes.empty() && merged.strides.back() == size * stride) {
          merged.sizes.back() *= size;
          merged.strides.back() = stride;
        } else {
          merged.sizes.push_back(size);
          merged.strides.push_back(stride);
        }
      }
    to.dims.push_back(merged.sizes.empty() ? RefDim{{1}, {1}} : std::move(merged));
  }
  k.set(view.getResult(), std::move(to));
  return success();
}

LogicalResult sameRef(KernelLowering &k, Operation *op) {
  Lowered same = k.values.find(op->getOperand(0))->second;
  k.set(op->getResult(0), std::move(same));
  return success();
}

//===----------------------------------------------------------------------===//
// Scalars in memory
//===----------------------------------------------------------------------===//

/// A thread's variable, as in `memref.alloca() : memref<i32>`; for a vector, one slot per register.
LogicalResult variable(KernelLowering &k, Operation *op) {
  auto type = cast<memref::AllocaOp>(op).getType();
  if (isVariable(op->getResult(0).getType()))
    return makeArrayVariable(k, op);
  Type element = k.registerElement(type.getElementType());
  if (type.getRank() != 0 || !element)
    return op->emitError("only single numbers can be variables of a thread");
  k.set(op->getResult(0), k.t.slot(element));
  return success();
}

LogicalResult checkOneDevice(Operation *op, const Ref &ref) {
  if (ref.multicast)
    return op->emitError("all devices' memory at once is reached with arrays, not element by element");
  return success();
}

Value scalarAddress(KernelLowering &k, Value memref, OperandRange indices) {
  if (memref.getDefiningOp<memref::AllocaOp>())
    return k.scalar(memref);
  const Ref &ref = k.ref(memref);
  SmallVector<Value> coordinates;
  for (Value index : indices)
    coordinates.push_back(k.scalar(index));
  return elementAddress(k, ref, coordinates);
}

bool isNibble(Type type) { return type.isIntOrFloat() && type.getIntOrFloatBitWidth() == 4; }

/// Loads one of the two elements of a byte, with its sign extended, as registers hold single 4-bit elements. Null if
/// the reference is swizzled.
Value loadNibble(KernelLowering &k, const Ref &ref, OperandRange indices) {
  constexpr int64_t kBits = 4;
  if (ref.swizzle)
    return {};
  ThreadBuilder &t = k.t;
  const unsigned width = KernelLowering::offsetBits(ref.shared);
  Value computed; // elements from the reference's beginning
  int64_t known = 0;
  for (auto [dim, index] : llvm::zip_equal(ref.dims, indices)) {
    Value rest = k.scalar(index);
    if (auto number = ThreadBuilder::knownInteger(rest)) {
      known += nestedOffset(*number, dim.sizes, dim.strides);
      continue;
    }
    for (size_t i = dim.sizes.size(); i-- > 0;) {
      Value digit = i == 0 ? rest : t.modulo(rest, dim.sizes[i]);
      computed = t.add(computed, t.multiply(t.resize(digit, width), dim.strides[i]));
      rest = i == 0 ? rest : t.divide(rest, dim.sizes[i]);
    }
  }
  Value element = computed ? t.add(computed, known) : t.integer(t.builder().getIntegerType(width), known);
  Value offset = t.divide(element, 2);
  if (ref.computedOffset)
    offset = t.add(offset, ref.computedOffset);
  Value byte = t.load(t.builder().getI8Type(), t.address(ref.base, offset, ref.knownOffset), 1);
  // The upper element needs no move; the lower one is shifted into its place.
  Value odd = t.compare(LLVM::ICmpPredicate::ne, t.modulo(element, 2), 0);
  Value upper = t.create<LLVM::SelectOp>(odd, byte, t.shiftLeft(byte, kBits));
  return t.create<LLVM::AShrOp>(upper, t.integer(t.builder().getI8Type(), kBits));
}

LogicalResult loadScalar(KernelLowering &k, Operation *op) {
  auto load = cast<memref::LoadOp>(op);
  if (isVariable(load.getMemRefType()))
    return readArrayVariable(k, load.getMemRef(), load.getResult());
  Type element = k.registerElement(load.getType());
  if (!element)
    return op->emitError() << "a scalar of type `" << load.getType() << "` cannot be loaded; load an array";
  // Wait for the warpgroup, because another thread may have written the element just before (as in LowerTransfers.cpp).
  bool variable = load.getMemRef().getDefiningOp<memref::AllocaOp>() != nullptr;
  if (!variable && failed(checkOneDevice(op, k.ref(load.getMemRef()))))
    return failure();
  if (!variable && k.ref(load.getMemRef()).shared && k.unsyncedStores && !k.byOneThread)
    k.warpgroupBarrier();
  if (isNibble(load.getType()) && !variable) {
    Value nibble = loadNibble(k, k.ref(load.getMemRef()), load.getIndices());
    if (!nibble)
      return op->emitError("a single 4-bit element of swizzled shared memory cannot be loaded; load an array");
    k.set(load.getResult(), nibble);
    return success();
  }
  Value address = scalarAddress(k, load.getMemRef(), load.getIndices());
  bool truth = element.isInteger(1) && !variable;
  Value value =
      k.t.load(truth ? k.t.builder().getI8Type() : element, address, std::max(1u, element.getIntOrFloatBitWidth() / 8));
  k.set(load.getResult(), truth ? k.t.compare(LLVM::ICmpPredicate::ne, value, 0) : value);
  return success();
}

/// One thread stores a scalar to shared memory. To global memory, all threads store the same value. In warp-level code,
/// one lane stores.
LogicalResult storeScalar(KernelLowering &k, Operation *op) {
  auto store = cast<memref::StoreOp>(op);
  if (isVariable(store.getMemRefType()))
    return writeArrayVariable(k, store.getMemRef(), store.getValue());
  Value value = k.scalar(store.getValue());
  if (isNibble(store.getValue().getType()))
    return op->emitError("a single 4-bit element cannot be stored; store an array");
  bool variable = store.getMemRef().getDefiningOp<memref::AllocaOp>() != nullptr;
  if (!variable && failed(checkOneDevice(op, k.ref(store.getMemRef()))))
    return failure();
  if (value.getType().isInteger(1) && !variable)
    value = k.t.resize(value, 8);
  Value address = scalarAddress(k, store.getMemRef(), store.getIndices());
  auto write = [&] { k.t.store(value, address, std::max(1u, value.getType().getIntOrFloatBitWidth() / 8)); };
  if (variable) {
    write();
  } else if (k.byOneThread) {
    write();
    k.unsyncedStores = true;
  } else if (k.inWarps) {
    k.warpgroupBarrier(); // the other lanes must have read the old value
    k.when(k.elected, write);
    k.warpgroupBarrier();
  } else {
    // Every thread must have read the old value before it is overwritten (as in LowerTransfers.cpp).
    k.warpgroupBarrier();
    if (const Ref &ref = k.ref(store.getMemRef()); ref.shared || ref.device) {
      k.when(k.elected, write);
      k.unsyncedStores = true;
    } else {
      write(); // by all threads, so that each reads its own write
    }
  }
  return success();
}

} // namespace

void addRefs(HandlerTable &table) {
  table["mosaic_gpu.slice_smem"] = sliceSmem;
  table["mosaic_gpu.with_transforms"] = withTransforms;
  table["memref.subview"] = subview;
  table["memref.transpose"] = transpose;
  table["memref.expand_shape"] = expandShape;
  table["memref.collapse_shape"] = collapseShape;
  table["memref.cast"] = sameRef;
  table["memref.alloca"] = variable;
  table["memref.load"] = loadScalar;
  table["memref.store"] = storeScalar;
}

} // namespace lanescope::core
