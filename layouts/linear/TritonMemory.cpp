// Shared-memory and tensor-memory layouts: from an offset, or a row and column, to the element there. Source: Triton,
// lib/Dialect/TritonGPU/IR/LinearLayoutConversions.cpp. The TMA boxes into which nvmma_shared is cut:
// lib/Dialect/TritonGPU/IR/Dialect.cpp, getTMABlockShape.
#include "layouts/linear/TritonLinear.h"

#include <algorithm>

namespace lanescope::layouts {

namespace {

constexpr int64_t kTmaBoxMax = 256;

/// Offsets that run over the two fastest dimensions first, with the columns of row r permuted by `phase(r)`, and then
/// over the others.
template <typename Phase> LinearLayout swizzledTile(const Shape &shape, const Shape &order, Phase &&phase) {
  size_t column = static_cast<size_t>(order[0]), row = static_cast<size_t>(order[1]);
  LinearLayout layout;
  layout.extend(kOffset, standardName(row), 1);
  layout.extend(kOffset, standardName(column), shape[column]);
  layout.extend(kOffset, standardName(row), shape[row]);
  std::vector<LinearLayout::Basis> &bases = layout.mutableBases(kOffset);
  for (size_t bit = static_cast<size_t>(log2Exact(shape[column])); bit < bases.size(); ++bit)
    bases[bit][1] = static_cast<int32_t>(phase(int64_t(bases[bit][0])) % shape[column]);
  for (size_t i = 2; i < order.size(); ++i)
    layout.extend(kOffset, standardName(static_cast<size_t>(order[i])), shape[static_cast<size_t>(order[i])]);
  return layout;
}

/// Renames the outputs after the first dimension has become the last.
void rotateNames(LinearLayout &layout, size_t rank) {
  std::vector<LinearLayout::Output> outputs;
  for (const LinearLayout::Output &output : layout.outputs())
    for (size_t d = 0; d < rank; ++d)
      if (output.name == standardName(d))
        outputs.push_back({standardName((d + 1) % rank), output.size});
  layout = *LinearLayout::make(layout.inputs(), std::move(outputs));
}

} // namespace

Result<LinearLayout> swizzledToLinear(const SwizzledShared &encoding, const Shape &shape) {
  Shape part = shapePerCta(encoding.cga, shape);
  if (shape.size() == 1)
    return combineWithShape(identity1D(part[0], kOffset, standardName(0)), encoding.cga, shape, kOffset);
  int64_t vec = encoding.vec, perPhase = encoding.perPhase, maxPhase = encoding.maxPhase;
  LinearLayout tile = swizzledTile(part, encoding.order, [&](int64_t row) {
    int64_t phase = row / perPhase % maxPhase;
    if (encoding.rotating) // the permutation changes from one group of perPhase*maxPhase rows to the next
      phase ^= row / maxPhase / perPhase % maxPhase;
    return vec * phase;
  });
  return combineWithShape(std::move(tile), encoding.cga, shape, kOffset);
}

Result<LinearLayout> nvmmaToLinear(const NvmmaShared &encoding, const Shape &shape) {
  size_t rank = shape.size(), contiguous = encoding.transposed ? 0 : rank - 1;
  Shape part = shapePerCta(encoding.cga, shape), box = part;
  int64_t packing = encoding.fp4Padded ? 2 : 1;
  box[contiguous] *= packing;
  for (int64_t &size : box)
    size = std::min(size, kTmaBoxMax);
  int64_t rowElements = 8 * int64_t(encoding.swizzlingByteWidth) / encoding.elementBitWidth;
  if (encoding.swizzlingByteWidth != 0) {
    if (box[contiguous] < rowElements)
      return error("layout-shape", Message("a row of {elements} elements of {bits} bits is narrower than the swizzle "
                                           "of {bytes} bytes; it takes {}, or a smaller `swizzlingByteWidth`",
                                           part[contiguous], encoding.elementBitWidth, encoding.swizzlingByteWidth,
                                           rowElements / packing));
    box[contiguous] = rowElements;
  }
  box[contiguous] /= packing;
  // The box as a matrix on whose rows the swizzle acts, with its contiguous dimension last. In a transposed box of rank
  // 3 this is impossible; the middle dimension then comes between the rows, as in Triton.
  int64_t rows = 1, columns = box.back();
  for (size_t d = 0; d + 1 < rank; ++d)
    rows *= box[d];
  if (encoding.transposed) {
    std::swap(rows, columns);
    std::rotate(box.begin(), box.begin() + 1, box.end());
  }
  LinearLayout layout;
  if (encoding.swizzlingByteWidth == 0) {
    layout = identityNd(kOffset, box, matrixOrder(rank, true));
  } else {
    if (rank < 2 || rows < 8)
      return error(
          "layout-shape",
          Message(
              "a swizzled `nvmma_shared` tile has at least 8 rows of {elements} elements; shape {shape} gives it {}",
              rowElements / packing, tupleText(shape), rank < 2 ? 1 : rows));
    // Eight rows of the swizzle's width: the row's number permutes the 16-byte units (PTX ISA, "Swizzling modes").
    int64_t vec = 128 / encoding.elementBitWidth, perPhase = 128 / encoding.swizzlingByteWidth,
            maxPhase = encoding.swizzlingByteWidth / 16;
    LinearLayout tile;
    tile.extend(kOffset, standardName(0), 1);
    tile.extend(kOffset, standardName(1), 1);
    std::vector<LinearLayout::Basis> &bases = tile.mutableBases(kOffset);
    auto packed = [&](int64_t column) { // fp4: 8 elements, then 8 places of padding
      return static_cast<int32_t>(encoding.fp4Padded ? column / 16 * 8 + column % 8 : column);
    };
    for (int64_t column = 1; column < rowElements; column *= 2)
      bases.push_back({0, packed(column)});
    for (int32_t row = 1; row < 8; row *= 2)
      bases.push_back({row, packed(vec * (row / perPhase % maxPhase))});
    tile.setOutputSize(0, 8);
    tile.setOutputSize(1, static_cast<int32_t>(rowElements / packing));
    growTo(tile, {rows, columns}, kOffset);
    std::vector<LinearLayout::Output> outputs;
    for (size_t d = 0; d < rank; ++d)
      outputs.push_back({standardName(d), static_cast<int32_t>(box[d])});
    Result<LinearLayout> reshaped = tile.reshapeOutputs(outputs);
    if (!reshaped)
      return reshaped;
    layout = *std::move(reshaped);
  }
  if (encoding.transposed)
    rotateNames(layout, rank);
  layout.orderOutputs(standardNames(rank));
  growTo(layout, part, kOffset);
  return combineWithShape(std::move(layout), encoding.cga, shape, kOffset);
}

Result<LinearLayout> sharedLinearToShape(const SharedLinear &encoding, const Shape &shape) {
  LinearLayout layout = encoding.layout;
  for (size_t d = 0; d < shape.size(); ++d) {
    int64_t size = layout.outputs()[d].size;
    if (shape[d] > size)
      return error("layout-shape", Message("the layout covers shape {shape}, not {other_shape}",
                                           tupleText(layout.outputShape()), tupleText(shape)));
    if (shape[d] == size)
      continue;
    // A part of an array has the encoding of the whole array. Bases that point outside of the part are dropped.
    for (const LinearLayout::Input &input : layout.inputs()) {
      std::vector<LinearLayout::Basis> &bases = layout.mutableBases(input.name);
      std::erase_if(bases, [&](const LinearLayout::Basis &basis) { return basis[d] >= shape[d]; });
    }
    layout.setOutputSize(d, static_cast<int32_t>(shape[d]));
  }
  return layout;
}

Result<LinearLayout> paddedToShape(const PaddedShared &encoding, const Shape &shape) {
  if (shape != encoding.layout.outputShape())
    return error("layout-shape", Message("the padded layout is for shape {shape}, not {other_shape}",
                                         tupleText(encoding.layout.outputShape()), tupleText(shape)));
  return encoding.layout;
}

Result<LinearLayout> partitionedToLinear(const PartitionedShared &encoding, const Shape &shape) {
  size_t d = static_cast<size_t>(encoding.partitionDim);
  int64_t pieces = int64_t(encoding.numPartitions) * encoding.numGroups;
  if (shape[d] < pieces)
    return error(
        "layout-shape",
        Message(
            "dimension {dimension} of shape {shape} has {elements} elements, fewer than the {} pieces it is cut into",
            d, tupleText(shape), shape[d], pieces));
  Shape piece = shape;
  piece[d] /= pieces;
  const auto *padded = encoding.layout->as<PaddedShared>();
  if (padded)
    piece = padded->layout.outputShape();
  Result<LinearLayout> layout = toLinear(*encoding.layout, piece);
  if (!layout)
    return layout;
  layout->extend(kPartition, standardName(d), encoding.numPartitions);
  layout->extend(kOffset, standardName(d), encoding.numGroups);
  if (layout->outputShape() != shape)
    return error("layout-shape", Message("the partitioned layout is for shape {shape}, not {other_shape}",
                                         tupleText(layout->outputShape()), tupleText(shape)));
  return layout;
}

Result<LinearLayout> tmemToLinear(const TensorMemory &encoding, const Shape &shape) {
  Shape part = shapePerCta(encoding.cga, shape);
  int64_t blockM = encoding.blockM, blockN = std::min<int64_t>(encoding.blockN, part[1]);
  std::string m = standardName(0), n = standardName(1);
  LinearLayout tile;
  tile.extend(kRow, m, 1);
  tile.extend(kColumn, n, 1);
  auto columns = [&] {
    if (encoding.fp4Padded) // the lowest column bit selects data or padding
      tile.extendZeros(kColumn, n, 2);
    tile.extend(kColumn, n, blockN);
  };
  if (encoding.ctaMode == TmemCtaMode::TwoCtaRhs) {
    tile.extend(kRow, m, blockM);
    tile.extend(kColumn, n, blockN / 2);
    tile.extend(kRow, n, 2);
  } else {
    tile.extendZeros(kColumn, n, encoding.colStride);
    if (encoding.ctaMode == TmemCtaMode::TwoCtaLhs) {
      tile.extend(kRow, m, blockM);
      columns();
      tile.extendZeros(kRow, m, 2);
    } else if (blockM == 64 && !encoding.twoCtas) {
      // Lanes 16 to 31 of each warp's quarter can hold a second block: along M if there is one, else along N.
      tile.extend(kRow, m, 16);
      columns();
      if (part[0] > blockM) {
        tile.mutableBases(kRow).push_back({64, 0});
      } else if (part[1] > blockN) {
        tile.extend(kRow, n, 2);
      } else {
        tile.extendZeros(kRow, n, 2);
      }
      tile.extend(kRow, m, 4);
      if (part[0] > blockM)
        tile.setOutputSize(0, 128);
    } else {
      tile.extend(kRow, m, blockM);
      columns();
      if (blockM == 64) { // the accumulator of a pair with 64 rows; the upper lanes hold the right half of its columns
        std::vector<LinearLayout::Basis> &bases = tile.mutableBases(kColumn);
        if (bases.empty())
          return error("layout-shape", "a two-block layout of 64 rows has at least two columns");
        LinearLayout::Basis last = bases.back();
        bases.pop_back();
        tile.mutableBases(kRow).push_back(std::move(last));
      }
    }
  }
  for (size_t d = 0; d < 2; ++d)
    if (part[d] < tile.outputSize(standardName(d)))
      return error("layout-shape", Message("a block of {} x {} does not fit shape {shape}", tile.outputSize(m),
                                           tile.outputSize(n), tupleText(shape)));
  tile.extend(kColumn, m, part[0] / tile.outputSize(m));
  tile.extend(kColumn, n, part[1] / tile.outputSize(n));
  LinearLayout blocks = cgaLayout(encoding.cga, 2);
  shrinkTo(blocks, shape);
  tile *= blocks;
  return tile;
}

Result<LinearLayout> tmemScalesToLinear(const TensorMemoryScales &encoding, const Shape &shape) {
  Shape part = shapePerCta(encoding.cga, shape);
  std::string mn = standardName(0), k = standardName(1);
  LinearLayout tile;
  tile.extend(kRow, mn, 32);
  tile.extendZeros(kRow, mn, 4); // every warp's quarter has a copy
  tile.extend(kColumn, k, 4);
  tile.extend(kColumn, mn, 2);
  int64_t repeatsMn = std::max<int64_t>(1, part[0] / 64), repeatsK = std::max<int64_t>(1, part[1] / 4);
  if (repeatsMn > 1) { // two pieces of 64 rows make a block
    tile.extend(kColumn, mn, 2);
    repeatsMn /= 2;
  }
  if (encoding.kThenMn)
    tile.extend(kColumn, k, repeatsK);
  tile.extend(kColumn, mn, repeatsMn);
  if (!encoding.kThenMn)
    tile.extend(kColumn, k, repeatsK);
  shrinkTo(tile, part);
  LinearLayout blocks = cgaLayout(encoding.cga, 2);
  shrinkTo(blocks, shape);
  tile *= blocks;
  return tile;
}

} // namespace lanescope::layouts
