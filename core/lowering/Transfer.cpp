#include "core/lowering/Transfer.h"

#include "layouts/SharedMemory.h"
#include "layouts/support/Text.h"

#include "llvm/ADT/STLExtras.h"

#include <limits>
#include <map>
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
  bool powers = llvm::isPowerOf2_64(size) && llvm::isPowerOf2_64(stride);
  int64_t bits = (size - 1) * stride;
  if (!powers || pattern.threadBits == -1 || (pattern.threadBits & bits) != 0)
    pattern.threadBits = -1;
  else
    pattern.threadBits |= bits;
}

/// Row-major walk over `sizes`: calls visit(index).
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

/// Offset of position `index` of a dimension made of sub-dims.
int64_t nestedOffset(int64_t index, const Shape &sizes, const Shape &strides) {
  int64_t offset = 0;
  for (size_t i = sizes.size(); i-- > 0;) {
    offset += index % sizes[i] * strides[i];
    index /= sizes[i];
  }
  return offset;
}

OffsetPattern tiledPattern(KernelLowering &k, const layouts::TiledLayout &layout,
                           const layouts::NestedShapeStrides &nested) {
  OffsetPattern pattern;
  size_t rank = nested.shape.size();
  std::vector<bool> spread(rank, false);
  auto dealt = [&](const std::vector<layouts::PartitionDim> &dims, Value id) {
    int64_t below = 1;
    for (size_t i = dims.size(); i-- > 0;) {
      if (auto *copies = std::get_if<layouts::Replicated>(&dims[i])) {
        below *= copies->times;
        continue;
      }
      size_t dim = rank + std::get<int64_t>(dims[i]);
      spread[dim] = true;
      const Shape &sizes = nested.shape[dim], &strides = nested.strides[dim];
      for (size_t j = sizes.size(); j-- > 0;) {
        addDigit(k, pattern, id, below, sizes[j], strides[j]);
        below *= sizes[j];
      }
    }
  };
  dealt(layout.laneDims(), k.lane);
  dealt(layout.warpDims(), k.warp);

  size_t vectorDim = rank + layout.vectorDim();
  spread[vectorDim] = true;
  for (int64_t v = 0, n = layout.vectorLength(); v < n; ++v)
    pattern.positions.push_back(nestedOffset(v, nested.shape[vectorDim], nested.strides[vectorDim]));

  Shape grid;
  for (size_t d = 0; d < rank; ++d) {
    grid.push_back(spread[d] ? 1 : layouts::elementCount(nested.shape[d]));
    if (!spread[d])
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

/// A strided layout on rows that don't divide into its chunks: coordinates by division, per register, or per element
/// where vectors cross the end of a row.
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

/// All sub-dims in one list, neighbours that form one contiguous run merged.
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

/// The layout as a tiling of the flat array: chunks of 128 vectors, then vectors. Nothing when rows straddle chunks.
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

/// Largest power of two that divides `n` (at most `limit`); `limit` for 0.
int64_t powerDividing(int64_t n, int64_t limit) {
  while (limit > 1 && n % limit != 0)
    limit /= 2;
  return limit;
}

/// The widest group of positions that is contiguous everywhere.
int64_t contiguousRun(const std::vector<int64_t> &positions, int64_t elementBytes) {
  int64_t n = static_cast<int64_t>(positions.size());
  for (int64_t width = powerDividing(n, 16); width > 1; width /= 2) {
    bool contiguous = true;
    for (int64_t v = 0; v < n && contiguous; ++v)
      contiguous = positions[v] - positions[v / width * width] == v % width * elementBytes;
    if (contiguous)
      return width;
  }
  return 1;
}

int64_t swizzled(int64_t byte, int swizzle) {
  return static_cast<int64_t>(layouts::swizzledByte(static_cast<uint64_t>(byte), swizzle));
}

Value swizzled(ThreadBuilder &t, Value byte, int swizzle) {
  Value line = t.bitAnd(t.shiftRight(byte, 3), (swizzle / 16 - 1) * 16);
  return t.bitXor(byte, line);
}

/// Makes addresses of one reference; remembers what registers share.
class Addresser {
public:
  Addresser(KernelLowering &k, const Ref &ref, const OffsetPattern &pattern) : k_(k), ref_(ref) {
    thread_ = k.t.add(ref.computedOffset, pattern.thread(k.t, k.offsetBits(ref.shared)));
    bits_ = ref.computedOffset || pattern.wideThreadOffset ? -1 : pattern.threadBits;
  }

  Value address(const RegisterOffset &reg, int64_t position) {
    ThreadBuilder &t = k_.t;
    int64_t known = ref_.knownOffset + reg.known + position;
    Value computed = thread_;
    if (reg.computed)
      computed = t.add(thread_, t.resize(reg.computed, k_.offsetBits(ref_.shared)));
    if (!ref_.swizzle)
      return t.address(base(computed, !reg.computed), Value(), known);
    if (!computed)
      return t.address(ref_.base, Value(), swizzled(known, ref_.swizzle));
    // The pattern repeats every `period` bytes, so whole periods may be added afterwards.
    int64_t period = 128 * (ref_.swizzle / 16), low = known % period;
    if (reg.computed)
      return t.address(ref_.base, swizzled(t, t.add(computed, low), ref_.swizzle), known - low);
    Value &mine = byLow_[low];
    if (!mine) {
      Value offset;
      if (bits_ != -1 && (bits_ & low) == 0) { // then adding is XOR, and the swizzle is linear over XOR
        if (!swizzledThread_)
          swizzledThread_ = swizzled(t, computed, ref_.swizzle);
        offset = t.bitXor(swizzledThread_, swizzled(low, ref_.swizzle));
      } else {
        offset = swizzled(t, t.add(computed, low), ref_.swizzle);
      }
      mine = t.address(ref_.base, offset, 0);
    }
    return t.address(mine, Value(), known - low);
  }

private:
  Value base(Value computed, bool shared) {
    if (!shared)
      return k_.t.address(ref_.base, computed, 0);
    if (!base_)
      base_ = k_.t.address(ref_.base, computed, 0);
    return base_;
  }

  KernelLowering &k_;
  const Ref &ref_;
  Value thread_, base_, swizzledThread_;
  int64_t bits_;
  std::map<int64_t, Value> byLow_;
};

/// Offsets of 4-bit elements -> offsets of bytes; false where an access would begin in the middle of one.
bool packNibbles(KernelLowering &k, OffsetPattern &pattern) {
  size_t count = pattern.positions.size();
  if (count % 2 != 0 || pattern.alignment % 2 != 0)
    return false;
  std::vector<int64_t> bytes;
  for (size_t v = 0; v < count; v += 2) {
    if (pattern.positions[v] % 2 != 0 || pattern.positions[v + 1] != pattern.positions[v] + 1)
      return false;
    bytes.push_back(pattern.positions[v] / 2);
  }
  pattern.positions = std::move(bytes);
  for (RegisterOffset &reg : pattern.registers) {
    if (reg.known % 2 != 0)
      return false;
    reg.known /= 2;
    reg.computed = reg.computed ? k.t.shiftRight(reg.computed, 1) : Value();
  }
  pattern.threadOffset = pattern.threadOffset ? k.t.shiftRight(pattern.threadOffset, 1) : Value();
  pattern.wideThreadOffset = pattern.wideThreadOffset ? k.t.shiftRight(pattern.wideThreadOffset, 1) : Value();
  pattern.threadMax /= 2;
  pattern.threadBits = pattern.threadBits == -1 ? -1 : pattern.threadBits >> 1;
  pattern.alignment /= 2;
  return true;
}

} // namespace

Value OffsetPattern::thread(ThreadBuilder &t, unsigned bits) const {
  Value sum = threadOffset ? t.resize(threadOffset, bits) : Value();
  return wideThreadOffset ? t.add(sum, t.resize(wideThreadOffset, bits)) : sum;
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
  std::vector<Shape> shape, strides;
  for (const RefDim &dim : dims) {
    shape.push_back(dim.sizes);
    strides.push_back(dim.strides);
  }
  auto nested = layouts::tileNestedShapeStrides(tiled.tiling(), shape, strides);
  if (!nested) {
    auto diagnostic = op->emitError(
        text("the layout `", layouts::jaxText(layout), "` does not fit the way this reference is stored: "));
    for (const Diagnostic &problem : nested.error())
      diagnostic << problem.message;
    return failure();
  }
  return tiledPattern(k, tiled, *nested);
}

FailureOr<TransferPlan> planTransfer(KernelLowering &k, Operation *op, const Ref &ref,
                                     const layouts::RegisterLayout &layout) {
  std::vector<RefDim> dims = ref.dims; // strides in bytes from here on
  for (RefDim &dim : dims)
    for (int64_t &stride : dim.strides)
      stride *= ref.elementBytes;
  FailureOr<OffsetPattern> pattern = offsetsOf(k, op, dims, layout);
  if (failed(pattern))
    return failure();
  if (ref.packing == 2 && !packNibbles(k, *pattern)) {
    op->emitError("pairs of neighbouring 4-bit elements share a byte, so they must be in one register and adjacent in "
                  "memory; choose a layout whose vectors run along the reference's contiguous dimension");
    return failure();
  }

  int64_t width = contiguousRun(pattern->positions, ref.elementBytes);
  int64_t alignment = std::gcd(pattern->alignment, ref.knownOffset);
  if (ref.computedOffset)
    alignment = std::gcd(alignment, ref.computedAlignment);
  // Positions beyond the first group of a register start at multiples of the group, or where their offsets say.
  while (width > 1) {
    int64_t all = alignment;
    for (size_t v = 0; v < pattern->positions.size(); v += width)
      all = std::gcd(all, pattern->positions[v]);
    if (powerDividing(all, 16) >= width * ref.elementBytes && width * ref.elementBytes <= 16)
      break;
    width /= 2;
  }

  TransferPlan plan;
  plan.alignment = static_cast<unsigned>(width * ref.elementBytes);
  Addresser addresser(k, ref, *pattern);
  int64_t separated = pattern->entriesPerRegister;
  for (int64_t r = 0; r < static_cast<int64_t>(pattern->registers.size()); ++r)
    for (int64_t v = 0; v < static_cast<int64_t>(pattern->positions.size()); v += width)
      plan.accesses.push_back(
          {r / separated, r % separated + v, width, addresser.address(pattern->registers[r], pattern->positions[v])});
  return plan;
}

Value elementAddress(KernelLowering &k, const Ref &ref, ArrayRef<Value> indices) {
  ThreadBuilder &t = k.t;
  Value computed = ref.computedOffset;
  int64_t known = ref.knownOffset;
  for (auto [dim, index] : llvm::zip_equal(ref.dims, indices)) {
    if (auto number = ThreadBuilder::knownInteger(index)) {
      known += nestedOffset(*number, dim.sizes, dim.strides) * ref.elementBytes;
      continue;
    }
    Value rest = index;
    for (size_t i = dim.sizes.size(); i-- > 0;) {
      Value digit = i == 0 ? rest : t.modulo(rest, dim.sizes[i]);
      computed =
          t.add(computed, t.multiply(t.resize(digit, k.offsetBits(ref.shared)), dim.strides[i] * ref.elementBytes));
      if (i != 0)
        rest = t.divide(rest, dim.sizes[i]);
    }
  }
  if (!ref.swizzle)
    return t.address(ref.base, computed, known);
  if (!computed)
    return t.address(ref.base, Value(), swizzled(known, ref.swizzle));
  return t.address(ref.base, swizzled(t, t.add(computed, known), ref.swizzle), 0);
}

} // namespace lanescope::core
