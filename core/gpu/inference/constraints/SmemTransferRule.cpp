// The transfers between registers and shared memory that are possible: by ldmatrix and stmatrix, or by plain accesses,
// without bank conflicts if requested. Source: JAX, jax/experimental/mosaic/gpu/fragmented_array.py, `transfer_tiled`.
// Our lowering can do more (layouts/cost/SmemTransfer.h); inference follows JAX's limits.
#include "core/gpu/inference/constraints/Constraints.h"

#include "layouts/Catalogue.h"
#include "layouts/cost/TransferPlan.h"
#include "layouts/support/Try.h"

#include <algorithm>

namespace lanescope::core::constraints {

namespace c = layouts::catalogue;
using layouts::NestedShapeStrides;
using layouts::PartitionDim;
using layouts::Shape;
using layouts::TiledLayout;
using layouts::TransferMemory;
using layouts::tupleText;

namespace {

std::unexpected<Diagnostics> refuse(Message message) { return error("layout-not-inferable", std::move(message)); }

/// The memory, with elements of unknown width: each logical dimension as tiles and the part inside a tile.
Result<TransferMemory> memoryOf(const SmemTransfer &transfer, const Shape &tiling, int swizzle) {
  TransferMemory memory;
  memory.bitwidth = transfer.bitwidth;
  memory.swizzle = swizzle ? swizzle : layouts::kSwizzleChunkBytes;
  const Shape strides = LANESCOPE_TRY(tiledStrides(transfer.strides, tiling));
  const Shape &shape = transfer.shape;
  if (tiling.size() > shape.size())
    return refuse("a tile has more dimensions than the reference");
  const size_t untiled = shape.size() - tiling.size();
  for (size_t d = 0; d < shape.size(); ++d) {
    if (d < untiled) {
      memory.sizes.push_back({shape[d]});
      memory.strides.push_back({strides[d]});
      continue;
    }
    const int64_t tile = tiling[d - untiled];
    if (tile == 0 || shape[d] % tile != 0)
      return refuse(Message("tiles of {tile} do not divide shape {shape}", tupleText(tiling), tupleText(shape)));
    if (tile == 1) {
      memory.sizes.push_back({shape[d]});
      memory.strides.push_back({strides[d]});
    } else {
      memory.sizes.push_back({shape[d] / tile, tile});
      memory.strides.push_back({strides[d], strides[d + tiling.size()]});
    }
  }
  return memory;
}

/// A register layout in the form that a transfer needs: tiled, and with the memory split by the same tiles.
struct Cut {
  const TiledLayout &layout;
  const NestedShapeStrides &nested;

  size_t index(int64_t dim) const { return static_cast<size_t>(static_cast<int64_t>(nested.shape.size()) + dim); }
  const Shape &shape(int64_t dim) const { return nested.shape[index(dim)]; }
  const Shape &strides(int64_t dim) const { return nested.strides[index(dim)]; }
};

/// The arrangement of matrices for ldmatrix and stmatrix.
struct Matrix {
  bool column = false;              // in the order in which `.trans` reads them
  int64_t vectorDim = 0;            // the contiguous dimension
  std::optional<int64_t> pair = {}; // for 8-bit elements: the dimension that counts tiles in pairs
};

/// Returns nothing if the registers are not fragments of matrices, or if the memory does not have their rows.
Result<std::optional<Matrix>> matrixOf(const Cut &cut, int bitwidth, const GpuTarget &target) {
  const std::vector<PartitionDim> &lanes = cut.layout.laneDims();
  const auto *minor = std::get_if<int64_t>(&lanes.back()), *major = std::get_if<int64_t>(&lanes.front());
  const int64_t vector = cut.layout.vectorLength();
  if (bitwidth * vector != 32 || !minor || layouts::elementCount(cut.shape(*minor)) % 4 != 0)
    return std::nullopt;
  const bool row = cut.shape(*minor).back() % 4 == 0 && cut.strides(*minor).back() == vector;
  bool column = (bitwidth == 8 || bitwidth == 16) && major && lanes.size() == 2 && cut.shape(*major) == Shape{8} &&
                cut.strides(*major) == Shape{1};
  Matrix matrix;
  if (column && bitwidth == 8) {
    if (!target.byteTransposes)
      return std::nullopt;
    const int64_t rank = static_cast<int64_t>(cut.nested.shape.size());
    matrix.pair = -1;
    bool found = false;
    for (int64_t dim = -rank; dim < 0 && !found; ++dim)
      if (!cut.layout.isPartitioned(dim) && cut.strides(dim).back() == 8 && cut.shape(dim).back() % 2 == 0) {
        matrix.pair = dim;
        found = true;
      }
    column = found;
  }
  if (!row && !column)
    return std::nullopt;
  matrix.column = !row;
  matrix.vectorDim = row ? cut.layout.vectorDim() : *major;
  return matrix;
}

/// True if vectors are contiguous and aligned.
bool hasVectors(const Cut &cut, int64_t vectorDim) {
  const int64_t rank = static_cast<int64_t>(cut.nested.shape.size()), vector = cut.layout.vectorLength();
  for (int64_t dim = -rank; dim < 0; ++dim)
    for (size_t j = 0; j < cut.shape(dim).size(); ++j)
      if (dim != vectorDim && cut.strides(dim)[j] % vector != 0 && cut.shape(dim)[j] != 1)
        return false;
  return cut.strides(vectorDim) == Shape{1};
}

/// The tile (counted from the end, 0 is the last) that contains a tiled dimension, and the dimension's place in it.
std::pair<size_t, size_t> tileOf(const TiledLayout &layout, int64_t dim) {
  const auto &tiles = layout.tiling().tiles();
  int64_t dims = 0;
  for (size_t back = 0; back < tiles.size(); ++back) {
    dims -= static_cast<int64_t>(tiles[tiles.size() - 1 - back].size());
    if (dim >= dims)
      return {tiles.size() - 1 - back, static_cast<size_t>(dim - dims)};
  }
  return {0, 0};
}

/// Splits the tile of `layout` that contains `dim` once more, to `size` along it.
Result<TiledLayout> subdivided(const TiledLayout &layout, int64_t dim, int64_t size, size_t *rank = nullptr) {
  auto [tile, place] = tileOf(layout, dim);
  Shape cut = layout.tiling().tiles()[tile];
  cut[place] = size;
  if (rank)
    *rank = cut.size();
  return layout.subdivideTile(tile, std::move(cut));
}

Result<std::vector<int64_t>> integers(const std::vector<PartitionDim> &dims, size_t count) {
  std::vector<int64_t> out;
  for (const PartitionDim &dim : dims)
    if (const auto *number = std::get_if<int64_t>(&dim))
      out.push_back(*number);
  if (out.size() != count || dims.size() != count)
    return refuse("a layout for matrices has lanes in an order that is not known");
  return out;
}

/// The layout in which the rows of transposed matrices are accessed, for counting bank conflicts.
Result<TiledLayout> memoryLayout(const TiledLayout &layout, const Matrix &matrix, int bitwidth) {
  const int64_t vector = layout.vectorLength(), major = std::get<int64_t>(layout.laneDims().front()),
                minor = std::get<int64_t>(layout.laneDims().back());
  if (bitwidth == 16) {
    // The eight rows become four pairs: a lane gets one pair.
    TiledLayout sub = LANESCOPE_TRY(subdivided(layout, major, vector));
    auto lanes = LANESCOPE_TRY(integers(sub.laneDims(), 3));
    return TiledLayout::make(sub.tiling(), sub.warpDims(), {lanes[2], sub.vectorDim(), lanes[0]}, lanes[1]);
  }
  if (!(*matrix.pair < major && major < minor))
    return refuse("a layout for transposed matrices of 8-bit elements is not supported");
  TiledLayout sub = LANESCOPE_TRY(subdivided(layout, *matrix.pair, 16));
  size_t majorRank = 0, minorRank = 0;
  sub = LANESCOPE_TRY(subdivided(sub, major, vector, &majorRank));
  sub = LANESCOPE_TRY(subdivided(sub, minor, 2 * vector, &minorRank));
  auto lanes = LANESCOPE_TRY(integers(sub.laneDims(), 4));
  const int64_t pair = *matrix.pair - static_cast<int64_t>(majorRank) - static_cast<int64_t>(minorRank);
  return TiledLayout::make(sub.tiling(), sub.warpDims(), {lanes[3], sub.vectorDim(), pair, lanes[0]}, lanes[1]);
}

/// Checks that the layouts of mma find their matrices in the order in which the instruction uses them.
Result<void> checkMmaOrder(const Cut &cut, const Matrix &matrix, int bitwidth) {
  auto isTwo = [&](int64_t dim) {
    return static_cast<int64_t>(cut.nested.shape.size()) >= -dim && cut.shape(dim) == Shape{2};
  };
  for (int warps : {1, 2, 4})
    if (auto mma = c::mmaLayouts(bitwidth, warps)) {
      if (cut.layout == mma->lhs && !(isTwo(-6) && isTwo(-5)))
        return refuse("the left operand of `mma` is cut in a way that matrices are not loaded in");
      if (cut.layout == mma->rhs && !isTwo(-6))
        return refuse("the right operand of `mma` is cut in a way that matrices are not loaded in");
      if (cut.layout == mma->lhs || cut.layout == mma->rhs)
        return {};
    }
  if (matrix.pair && (cut.layout.isPartitioned(*matrix.pair) || cut.shape(*matrix.pair).back() % 2 != 0))
    return refuse("matrices of 8-bit elements do not come in pairs");
  return {};
}

enum class Instruction { Vectors, Matrices }; // loads and stores of each thread, or `ldmatrix` and `stmatrix`

Result<bool> isTransfer(const TiledLayout &layout, const TransferMemory &memory, Instruction instruction,
                        bool optimized, const GpuTarget &target) {
  const NestedShapeStrides nested =
      LANESCOPE_TRY(tileNestedShapeStrides(layout.tiling(), memory.sizes, memory.strides));
  const Cut cut{layout, nested};
  std::optional<Matrix> matrix;
  if (instruction == Instruction::Matrices) {
    matrix = LANESCOPE_TRY(matrixOf(cut, memory.bitwidth, target));
    if (!matrix)
      return false;
  }
  if (!hasVectors(cut, matrix ? matrix->vectorDim : layout.vectorDim()))
    return false;
  if (layout.vectorLength() * memory.bitwidth % 8 != 0)
    return refuse(Message("a register of {bits} bits is not whole bytes", layout.vectorLength() * memory.bitwidth));
  if (optimized) {
    const bool column = matrix && matrix->column;
    TiledLayout accessed = column ? LANESCOPE_TRY(memoryLayout(layout, *matrix, memory.bitwidth)) : layout;
    auto plan = planTransfer(accessed, memory);
    if (!plan || (matrix && plan->stagger))
      return false;
  }
  if (matrix)
    LANESCOPE_CHECK(checkMmaOrder(cut, *matrix, memory.bitwidth));
  return true;
}

} // namespace

Result<bool> isSmemTransfer(const SmemTransfer &transfer, const SmemTransforms &transforms,
                            const layouts::RegisterLayout &registers, const GpuTarget &target) {
  const auto *layout = std::get_if<TiledLayout>(&registers);
  if (!layout)
    return !transforms.tiling && !transforms.swizzle;
  const bool untiled = !transforms.tiling || transforms.tiling->empty();
  // A reference without tiling is one tile.
  const Shape &tiling = untiled ? transfer.shape : *transforms.tiling;
  if (tiling.empty())
    return refuse("a single element of shared memory is moved to or from an array in a tiled layout");
  const bool optimized =
      transfer.kind == TransferKind::Optimized || (transfer.kind == TransferKind::Downgradable && !untiled);
  const TransferMemory memory = LANESCOPE_TRY(memoryOf(transfer, tiling, transforms.swizzle));
  if (LANESCOPE_TRY(isTransfer(*layout, memory, Instruction::Matrices, optimized, target)))
    return true;
  return isTransfer(*layout, memory, Instruction::Vectors, optimized, target);
}

} // namespace lanescope::core::constraints
