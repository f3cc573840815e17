#include "core/gpu/lowering/copies/BulkCopy.h"

namespace lanescope::core {

using namespace mlir;

constexpr int64_t kUnit = 16;                 // bytes: addresses and sizes are multiples
constexpr int64_t kMostBytes = (1 << 20) - 1; // the most that one phase of an mbarrier counts

/// True if the elements are contiguous in row-major order.
static bool isContiguous(const Ref &ref) {
  int64_t expected = 1;
  for (size_t d = ref.dims.size(); d-- > 0;)
    for (size_t i = ref.dims[d].sizes.size(); i-- > 0; expected *= ref.dims[d].sizes[i])
      if (ref.dims[d].sizes[i] != 1 && ref.dims[d].strides[i] != expected)
        return false;
  return true;
}

std::optional<BulkCopy> planBulkCopy(KernelLowering &k, const Ref &global, const Ref &shared, ValueRange starts,
                                     ArrayRef<int64_t> lengths, SliceEnd end) {
  // Copies in the memory of all devices at once need descriptors.
  if (global.argument < 0 || global.multicast || global.computedOffset || global.knownOffset != 0 ||
      global.packing != 1 || shared.packing != 1 || shared.swizzle != 0 || !isContiguous(shared) ||
      shared.knownOffset % kUnit != 0 || (shared.computedOffset && shared.computedAlignment % kUnit != 0) ||
      lengths.size() != global.dims.size())
    return std::nullopt;
  BulkCopy copy;
  copy.bytes = global.elementBytes;
  int64_t known = 0;
  Value computed;
  bool whole = true; // all dimensions so far are taken as a whole
  for (size_t d = lengths.size(); d-- > 0;) {
    const RefDim &dim = global.dims[d];
    int64_t length = std::max<int64_t>(1, lengths[d]), stride = dim.strides.front() * global.elementBytes;
    if (length != 1 && !whole)
      return std::nullopt;
    whole = whole && length == dim.size();
    copy.bytes *= length;
    Value start = k.scalar(starts[d]);
    if (auto at = ThreadBuilder::knownInteger(start)) {
      if (*at < 0 || *at + length > dim.size())
        return std::nullopt; // the planner of descriptors reports the problem, or fills the part past the end
      known += *at * stride;
      continue;
    }
    // With SliceEnd::Promised, the caller also promises that the slice begins at a multiple of the unit, as for a
    // descriptor.
    if (end == SliceEnd::Unknown)
      return std::nullopt;
    computed = k.t.add(computed, k.t.multiply(k.t.resize(start, 64), stride));
  }
  if (known % kUnit != 0 || copy.bytes % kUnit != 0 || copy.bytes > kMostBytes)
    return std::nullopt;
  copy.global = k.t.address(global.base, computed, known);
  if (computed && end == SliceEnd::Clamped) {
    ThreadBuilder &t = k.t;
    Value all = t.wideConstant(layouts::elementCount(global.shape()) * global.elementBytes);
    Value before = t.create<LLVM::UMinOp>(t.add(computed, known), all);
    Value left = t.create<LLVM::SubOp>(all, before);
    copy.within = t.resize(t.create<LLVM::UMinOp>(left, t.wideConstant(copy.bytes)), 32);
  }
  return copy;
}

} // namespace lanescope::core
