#include "core/gpu/lowering/memory/Transfer.h"

#include "layouts/support/Text.h"

#include <limits>
#include <numeric>

namespace lanescope::core {

using namespace mlir;
using layouts::Shape;

namespace {

/// Adds digit * stride to the thread's offset: digit = (id / below) % size.
void addDigit(KernelLowering &k, OffsetPattern &pattern, Value id, int64_t below, int64_t size, int64_t stride) {
  if (size == 1 || stride == 0)
    return;
  ThreadBuilder &t = k.t;
  Value digit = t.modulo(t.divide(id, below), size);
  if (pattern.threadMax + (size - 1) * stride <= std::numeric_limits<int32_t>::max()) {
    pattern.threadMax += (size - 1) * stride;
    pattern.threadOffset = t.add(pattern.threadOffset, t.multiply(digit, stride));
  } else {
    pattern.wideThreadOffset = t.add(pattern.wideThreadOffset, t.multiply(t.resize(digit, 64), stride));
  }
  pattern.alignment = std::gcd(pattern.alignment, stride);
  int64_t bits = 0;
  for (int64_t value = 1; value < size; ++value)
    bits |= value * stride;
  if (pattern.threadBits == -1 || (pattern.threadBits & bits) != 0)
    pattern.threadBits = -1;
  else
    pattern.threadBits |= bits;
}

/// Calls visit(index) for each index in row-major order.
template <typename Visit> void forEachIndex(const Shape &sizes, Visit visit) {
  Shape index(sizes.size(), 0);
  for (int64_t n = layouts::elementCount(sizes); n > 0; --n) {
    visit(index);
    for (size_t d = sizes.size(); d-- > 0;) {
      if (++index[d] < sizes[d])
        break;
      index[d] = 0;
    }
  }
}

/// Adds the part of the offset that depends on `id`. `id` counts through `dims`, the last one fastest. `unit` divides
/// the strides.
void addDealt(KernelLowering &k, OffsetPattern &pattern, const std::vector<layouts::PartitionDim> &dims,
              const layouts::NestedShapeStrides &nested, Value id, int64_t unit = 1) {
  int64_t below = 1;
  for (size_t i = dims.size(); i-- > 0;) {
    if (auto *copies = std::get_if<layouts::Replicated>(&dims[i])) {
      below *= copies->times;
      continue;
    }
    size_t dim = nested.shape.size() + std::get<int64_t>(dims[i]);
    const Shape &sizes = nested.shape[dim], &strides = nested.strides[dim];
    for (size_t j = sizes.size(); j-- > 0;) {
      addDigit(k, pattern, id, below, sizes[j], strides[j] / unit);
      below *= sizes[j];
    }
  }
}

OffsetPattern tiledPattern(KernelLowering &k, const layouts::TiledLayout &layout,
                           const layouts::NestedShapeStrides &nested) {
  OffsetPattern pattern;
  size_t rank = nested.shape.size();
  addDealt(k, pattern, layout.laneDims(), nested, k.lane);
  addDealt(k, pattern, layout.warpDims(), nested, k.warp);

  size_t vectorDim = rank + layout.vectorDim();
  for (int64_t v = 0, n = layout.vectorLength(); v < n; ++v)
    pattern.positions.push_back(nestedOffset(v, nested.shape[vectorDim], nested.strides[vectorDim]));

  Shape grid;
  for (size_t d = 0; d < rank; ++d) {
    bool spread = layout.isPartitioned(static_cast<int64_t>(d) - static_cast<int64_t>(rank));
    grid.push_back(spread ? 1 : layouts::elementCount(nested.shape[d]));
    if (!spread)
      for (size_t j = 0; j < nested.shape[d].size(); ++j)
        if (nested.shape[d][j] != 1)
          pattern.alignment = std::gcd(pattern.alignment, nested.strides[d][j]);
  }
  forEachIndex(grid, [&](const Shape &index) {
    int64_t offset = 0;
    for (size_t d = 0; d < rank; ++d)
      offset += nestedOffset(index[d], nested.shape[d], nested.strides[d]);
    pattern.registers.push_back({offset, Value()});
  });
  return pattern;
}

/// The pattern of a strided layout whose chunks do not divide the rows. Computes the coordinates of each register by
/// division; of each element, if vectors cross the end of a row.
OffsetPattern flatPattern(KernelLowering &k, const layouts::WGStridedFragLayout &layout, const Shape &sizes,
                          const Shape &strides) {
  ThreadBuilder &t = k.t;
  OffsetPattern pattern;
  for (size_t d = 0; d < sizes.size(); ++d)
    pattern.alignment = std::gcd(pattern.alignment, strides[d]);
  int64_t vec = layout.vecSize();
  int64_t together = sizes.back() % vec == 0 ? vec : 1;
  pattern.entriesPerRegister = vec / together;
  for (int64_t v = 0; v < together; ++v)
    pattern.positions.push_back(v * strides.back());
  for (int64_t first = 0; first < layout.registers() * vec; first += together) {
    int64_t chunk = first / vec * layouts::kThreadsPerWarpgroup * vec + first % vec;
    Value rest = t.add(t.multiply(k.thread, vec), chunk), offset;
    for (size_t d = sizes.size(); d-- > 0;) {
      Value digit = d == 0 ? rest : t.modulo(rest, sizes[d]);
      if (strides[d] != 0)
        offset = t.add(offset, t.multiply(t.resize(digit, 64), strides[d]));
      if (d != 0)
        rest = t.divide(rest, sizes[d]);
    }
    pattern.registers.push_back({0, offset});
  }
  return pattern;
}

/// Collects all sub-dims in one list, and merges neighbours that form a contiguous run.
void flatten(const std::vector<RefDim> &dims, Shape &sizes, Shape &strides) {
  for (const RefDim &dim : dims)
    for (size_t i = 0; i < dim.sizes.size(); ++i) {
      if (dim.sizes[i] == 1)
        continue;
      int64_t stride = dim.strides[i];
      if (!sizes.empty() && strides.back() == dim.sizes[i] * stride) {
        sizes.back() *= dim.sizes[i];
        strides.back() = stride;
      } else {
        sizes.push_back(dim.sizes[i]);
        strides.push_back(stride);
      }
    }
  if (sizes.empty()) {
    sizes.push_back(1);
    strides.push_back(0);
  }
}

/// Treats the layout as a tiling of the flat array: chunks of 128 vectors, then vectors. Nothing if chunks do not
/// divide the rows.
std::optional<OffsetPattern> stridedPattern(KernelLowering &k, const layouts::WGStridedFragLayout &layout,
                                            const Shape &sizes, const Shape &strides) {
  int64_t vec = layout.vecSize();
  auto tiling = layouts::Tiling::make({{vec * layouts::kThreadsPerWarpgroup}, {vec}});
  if (!tiling)
    return std::nullopt;
  auto nested = layouts::tileNestedShapeStrides(*tiling, {sizes}, {strides});
  if (!nested)
    return std::nullopt;
  // Dims: chunk, thread, position.
  OffsetPattern pattern;
  int64_t below = 1;
  const Shape &threadSizes = nested->shape[1];
  for (size_t j = threadSizes.size(); j-- > 0;) {
    addDigit(k, pattern, k.thread, below, threadSizes[j], nested->strides[1][j]);
    below *= threadSizes[j];
  }
  for (int64_t v = 0; v < vec; ++v)
    pattern.positions.push_back(nestedOffset(v, nested->shape[2], nested->strides[2]));
  for (size_t j = 0; j < nested->shape[0].size(); ++j)
    if (nested->shape[0][j] != 1)
      pattern.alignment = std::gcd(pattern.alignment, nested->strides[0][j]);
  for (int64_t r = 0; r < layout.registers(); ++r)
    pattern.registers.push_back({nestedOffset(r, nested->shape[0], nested->strides[0]), Value()});
  return pattern;
}

} // namespace

int64_t nestedOffset(int64_t index, const Shape &sizes, const Shape &strides) {
  int64_t offset = 0;
  for (size_t i = sizes.size(); i-- > 0;) {
    offset += index % sizes[i] * strides[i];
    index /= sizes[i];
  }
  return offset;
}

Value OffsetPattern::thread(ThreadBuilder &t, unsigned bits) const {
  Value sum = threadOffset ? t.resize(threadOffset, bits) : Value();
  return wideThreadOffset ? t.add(sum, t.resize(wideThreadOffset, bits)) : sum;
}

static Result<layouts::NestedShapeStrides> nestedDims(const layouts::TiledLayout &layout,
                                                      const std::vector<RefDim> &dims) {
  std::vector<Shape> shape, strides;
  for (const RefDim &dim : dims) {
    shape.push_back(dim.sizes);
    strides.push_back(dim.strides);
  }
  return layouts::tileNestedShapeStrides(layout.tiling(), shape, strides);
}

FailureOr<OffsetPattern> offsetsOf(KernelLowering &k, Operation *op, const std::vector<RefDim> &dims,
                                   const layouts::RegisterLayout &layout) {
  if (auto *strided = std::get_if<layouts::WGStridedFragLayout>(&layout)) {
    Shape sizes, strides;
    flatten(dims, sizes, strides);
    if (auto pattern = stridedPattern(k, *strided, sizes, strides))
      return *pattern;
    return flatPattern(k, *strided, sizes, strides);
  }
  const auto &tiled = std::get<layouts::TiledLayout>(layout);
  auto nested = nestedDims(tiled, dims);
  if (!nested) {
    auto diagnostic = op->emitError(
        text("the layout `", layouts::jaxText(layout), "` does not fit the way this reference is stored: "));
    for (const Diagnostic &problem : nested.error())
      diagnostic << problem.message;
    return failure();
  }
  return tiledPattern(k, tiled, *nested);
}

OffsetPattern matrixOffsets(KernelLowering &k, const std::vector<RefDim> &dims, const layouts::TiledLayout &layout,
                            int64_t packing, const layouts::MatrixTransfer &matrix, const layouts::MatrixSet &set) {
  OffsetPattern pattern;
  // Lane 8m + j provides the address of row j of matrix m. Adjacent bits of the lane whose strides double form one
  // digit.
  std::vector<int64_t> strides(matrix.rowStrides.begin(), matrix.rowStrides.end());
  for (int bit = 0; set.matrices > (1 << bit); ++bit)
    strides.push_back(set.strides[bit]);
  for (size_t bit = 0; bit < strides.size();) {
    size_t end = bit + 1;
    while (end < strides.size() && strides[end] == 2 * strides[end - 1])
      ++end;
    addDigit(k, pattern, k.lane, int64_t(1) << bit, int64_t(1) << (end - bit), strides[bit]);
    bit = end;
  }
  auto nested = nestedDims(layout, dims);
  assert(nested && "the choice of matrices has tiled the reference before");
  addDealt(k, pattern, layout.warpDims(), *nested, k.warp, packing);
  pattern.positions = {0};
  for (const layouts::MatrixSet::Group &group : set.groups)
    pattern.registers.push_back({group.offset, Value()});
  return pattern;
}

} // namespace lanescope::core
