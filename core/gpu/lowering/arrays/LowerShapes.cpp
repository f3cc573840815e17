// Slices, joins and reshapes of arrays: registers move within the register grid, and nothing is computed.
#include "core/gpu/inference/LayoutsInModule.h"
#include "core/gpu/ir/MosaicGpu.h"
#include "core/gpu/lowering/thread/KernelLowering.h"

#include "layouts/support/Text.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace lanescope::core {

using namespace mlir;
using layouts::Shape;
using layouts::TiledLayout;

namespace {

Shape shapeOf(Value value) {
  auto type = cast<VectorType>(value.getType());
  return {type.getShape().begin(), type.getShape().end()};
}

/// The part of the register grid that runs over base tiles, along the array's dimensions. Each base tile has `inner`
/// registers.
struct Grid {
  Shape outer;
  int64_t inner = 1;
};
std::optional<Grid> gridOf(const TiledLayout &layout, const Shape &shape) {
  auto registers = layout.registersShape(shape);
  if (!registers)
    return std::nullopt;
  Grid grid{{registers->begin(), registers->begin() + static_cast<ptrdiff_t>(shape.size())}, 1};
  for (size_t i = shape.size(); i < registers->size(); ++i)
    grid.inner *= (*registers)[i];
  return grid;
}

/// The size of the base tile along each dimension of an array of `rank`; 1 for leading dimensions.
Shape tileAlong(const TiledLayout &layout, size_t rank) {
  Shape tile(rank - layout.baseTile().size(), 1);
  tile.insert(tile.end(), layout.baseTile().begin(), layout.baseTile().end());
  return tile;
}

LogicalResult setSplat(KernelLowering &k, Value to, const RegisterArray &from) {
  Shape shape = shapeOf(to);
  k.set(to, RegisterArray{layouts::WGSplatFragLayout{shape}, shape, from.registers});
  return success();
}

LogicalResult reshape(KernelLowering &k, Operation *op) {
  Value from = op->getOperand(0), to = op->getResult(0);
  const RegisterArray &source = k.array(from);
  if (source.isSplat())
    return setSplat(k, to, source);
  auto layout = resultLayout(op, 0);
  auto wanted = reshapedLayout(source.layout, source.shape, shapeOf(to));
  if (!layout || !wanted || !(*layout == *wanted))
    return op->emitError("this reshape moves elements between threads, which layout inference should have reported");
  k.set(to, RegisterArray{*layout, shapeOf(to), source.registers});
  return success();
}

/// The place where a part of an array begins, in whole base tiles.
struct PartOfArray {
  Grid whole, part;
  Shape first;

  /// The whole's register at which a tile of the part begins.
  int64_t registerOf(int64_t tile) const {
    Shape at = layouts::unravelIndex(tile, part.outer);
    for (size_t d = 0; d < at.size(); ++d)
      at[d] += first[d];
    return layouts::ravelIndex(at, whole.outer) * whole.inner;
  }
};

FailureOr<PartOfArray> partOf(Operation *op, const layouts::RegisterLayout &given, const Shape &whole,
                              const Shape &sizes, ArrayAttr offsets, ArrayAttr steps) {
  const auto *layout = std::get_if<TiledLayout>(&given);
  auto from = layout ? gridOf(*layout, whole) : std::nullopt;
  auto to = layout ? gridOf(*layout, sizes) : std::nullopt;
  if (!from || !to || sizes.size() != whole.size())
    return op->emitError("only arrays in a tiled layout are sliced, in whole tiles of it");
  Shape tile = tileAlong(*layout, sizes.size());
  PartOfArray part{*from, *to, {}};
  for (size_t d = 0; d < sizes.size(); ++d) {
    int64_t offset = cast<IntegerAttr>(offsets[d]).getInt();
    if (cast<IntegerAttr>(steps[d]).getInt() != 1 || offset % tile[d] != 0)
      return op->emitError(text("a slice of an array must begin at a multiple of its layout's tile ",
                                layouts::tupleText(tile), " and have no step"));
    part.first.push_back(offset / tile[d]);
  }
  return part;
}

/// Selects the registers of the part's base tiles.
LogicalResult slice(KernelLowering &k, Operation *op) {
  auto slice = cast<vector::ExtractStridedSliceOp>(op);
  const RegisterArray &source = k.array(slice.getSource());
  if (source.isSplat())
    return setSplat(k, slice.getResult(), source);
  Shape sizes = shapeOf(slice.getResult());
  auto part = partOf(op, source.layout, source.shape, sizes, slice.getOffsets(), slice.getStrides());
  if (failed(part))
    return failure();
  RegisterArray result{source.layout, sizes, {}};
  for (int64_t i = 0, n = layouts::elementCount(part->part.outer); i < n; ++i) {
    auto begin = source.registers.begin() + part->registerOf(i);
    result.registers.insert(result.registers.end(), begin, begin + part->whole.inner);
  }
  k.set(slice.getResult(), std::move(result));
  return success();
}

/// Extracts an array at a known place: selects its registers.
LogicalResult extractArray(KernelLowering &k, vector::ExtractOp op) {
  const RegisterArray &source = k.array(op.getSource());
  if (source.isSplat())
    return setSplat(k, op.getResult(), source);
  if (op.hasDynamicPosition())
    return op.emitError("an array is taken from one of more dimensions at a known place; store it and load that part");
  Shape sizes = source.shape;
  SmallVector<int64_t> offsets(sizes.size(), 0), steps(sizes.size(), 1);
  for (auto [d, position] : llvm::enumerate(op.getStaticPosition())) {
    offsets[d] = position;
    sizes[d] = 1;
  }
  OpBuilder &builder = k.t.builder();
  auto part =
      partOf(op, source.layout, source.shape, sizes, builder.getI64ArrayAttr(offsets), builder.getI64ArrayAttr(steps));
  if (failed(part))
    return failure();
  RegisterArray result{source.layout, shapeOf(op.getResult()), {}};
  for (int64_t i = 0, n = layouts::elementCount(part->part.outer); i < n; ++i) {
    auto begin = source.registers.begin() + part->registerOf(i);
    result.registers.insert(result.registers.end(), begin, begin + part->whole.inner);
  }
  k.set(op.getResult(), std::move(result));
  return success();
}

/// Extracts an array, one element of a constant array, or the scalar of a rank-0 array.
LogicalResult extract(KernelLowering &k, Operation *op) {
  auto extract = cast<vector::ExtractOp>(op);
  if (isa<VectorType>(extract.getType()))
    return extractArray(k, extract);
  if (!k.array(extract.getSource()).isSplat())
    return op->emitError("an element can be taken from a constant array only; store the array and load the element");
  k.set(extract.getResult(), k.array(extract.getSource()).registers.front());
  return success();
}

/// Replaces the registers of the part in the whole array.
LogicalResult insertSlice(KernelLowering &k, Operation *op) {
  auto insert = cast<vector::InsertStridedSliceOp>(op);
  auto layout = resultLayout(op, 0);
  if (!layout)
    return op->emitError("this array has no layout; run layout inference first");
  RegisterArray result = k.array(insert.getDest(), *layout), source = k.array(insert.getValueToStore(), *layout);
  auto part = partOf(op, *layout, result.shape, source.shape, insert.getOffsets(), insert.getStrides());
  if (failed(part))
    return failure();
  for (int64_t i = 0, n = layouts::elementCount(part->part.outer); i < n; ++i)
    std::copy_n(source.registers.begin() + i * part->part.inner, part->part.inner,
                result.registers.begin() + part->registerOf(i));
  k.set(insert.getResult(), std::move(result));
  return success();
}

LogicalResult concatenate(KernelLowering &k, Operation *op) {
  auto join = cast<mosaic_gpu::VectorConcatOp>(op);
  auto layout = resultLayout(op, 0);
  Shape shape = shapeOf(join.getResult());
  auto along = static_cast<size_t>(join.getDimension());
  if (!layout || std::holds_alternative<layouts::WGSplatFragLayout>(*layout))
    return op->emitError("constant arrays are not joined; give one of them a layout with `layout_cast`");
  std::vector<RegisterArray> parts;
  for (auto [i, source] : llvm::enumerate(join.getSources())) {
    auto own = operandLayout(op, i);
    if (!own)
      return op->emitError("this array has no layout; run layout inference first");
    parts.push_back(k.array(source, *own));
  }
  RegisterArray result{*layout, shape, {}};
  const auto *tiled = std::get_if<TiledLayout>(&*layout);
  if (!tiled) { // a strided layout continues along the first dimension, chunk by chunk
    for (RegisterArray &part : parts)
      llvm::append_range(result.registers, part.registers);
    k.set(join.getResult(), std::move(result));
    return success();
  }
  auto grid = gridOf(*tiled, shape);
  if (!grid)
    return op->emitError("the layout does not apply to the result's shape");
  result.registers.resize(layouts::elementCount(grid->outer) * grid->inner);
  int64_t begin = 0;
  for (const RegisterArray &part : parts) {
    auto own = gridOf(*tiled, part.shape);
    if (!own)
      return op->emitError("the layout does not apply to an operand's shape");
    for (int64_t i = 0, n = layouts::elementCount(own->outer); i < n; ++i) {
      Shape at = layouts::unravelIndex(i, own->outer);
      at[along] += begin;
      llvm::copy(llvm::ArrayRef(part.registers).slice(i * own->inner, own->inner),
                 result.registers.begin() + layouts::ravelIndex(at, grid->outer) * grid->inner);
    }
    begin += own->outer[along];
  }
  k.set(join.getResult(), std::move(result));
  return success();
}

} // namespace

void addShapes(HandlerTable &table) {
  table["vector.shape_cast"] = reshape;
  table["vector.extract"] = extract;
  table["vector.extract_strided_slice"] = slice;
  table["vector.insert_strided_slice"] = insertSlice;
  table["mosaic_gpu.vector_concat"] = concatenate;
}

} // namespace lanescope::core
