#include "core/gpu/lowering/tensor/Tcgen05Operand.h"

#include "layouts/fragments/MatrixDescriptor.h"
#include "layouts/support/Text.h"

namespace lanescope::core {

using namespace mlir;

constexpr int64_t kCoreRows = 8;

int64_t strideBytes(const Ref &ref, int64_t stride) { return stride * ref.elementBytes / ref.packing; }

Value descriptorStart(ThreadBuilder &t, const Ref &ref, int64_t bytes) {
  Value address = t.address(ref.base, ref.computedOffset, ref.knownOffset + bytes);
  return t.shiftRight(t.bitAnd(t.create<LLVM::PtrToIntOp>(t.i32(), address), 0x3FFFF), 4);
}

/// True if the dimension has the two sub-dimensions of a tile. A dimension that was sliced to less than a tile does not
/// have them.
static bool isTiled(const RefDim &dim, int64_t size, int64_t stride) {
  return dim.sizes.size() == 2 && dim.sizes[1] == size && dim.strides[1] == stride;
}

FailureOr<Tcgen05SmemOperand> tcgen05Operand(KernelLowering &k, Operation *op, const Ref &ref, const RefDim &mn,
                                             const RefDim &depth, int64_t instructionBytes, llvm::StringRef what) {
  auto fail = [&](std::string message) -> FailureOr<Tcgen05SmemOperand> {
    op->emitError(text(std::string_view(what), " of `tcgen05_mma` ", message));
    return failure();
  };
  int64_t perByte = ref.packing, bytes = ref.elementBytes;
  auto elements = [&](int64_t count) { return count * perByte / bytes; };
  if (!ref.swizzle)
    return fail(text("is not swizzled; give its buffer `transforms=(TilingTransform((8, ", elements(128),
                     ")), SwizzleTransform(128))`"));
  int64_t row = elements(ref.swizzle), instructionDepth = elements(instructionBytes);
  Tcgen05SmemOperand operand;
  if (isTiled(depth, row, 1) && isTiled(mn, kCoreRows, row)) {
    if (row % instructionDepth != 0)
      return fail(text("has rows of ", row, " elements along K, and an instruction takes ", instructionDepth,
                       "; choose a wider swizzle, or store it with K as the first dimension"));
    operand.stepBytes = instructionBytes;
    operand.stepsPerTile = row / instructionDepth;
  } else if (isTiled(mn, row, 1) && isTiled(depth, kCoreRows, row)) {
    operand.transposed = true;
    operand.stepBytes = instructionDepth / kCoreRows * strideBytes(ref, depth.strides[0]);
  } else {
    return fail(text("must be stored in tiles of (8, ", row, ") for a swizzle of ", ref.swizzle,
                     " bytes; it is stored as rows of sizes ", layouts::tupleText(mn.sizes), " with strides ",
                     layouts::tupleText(mn.strides), " and depth of sizes ", layouts::tupleText(depth.sizes),
                     " with strides ", layouts::tupleText(depth.strides)));
  }
  operand.tileK = depth.sizes[1];
  operand.tileKBytes = strideBytes(ref, depth.strides[0]);
  operand.mnTile = mn.sizes[1];
  operand.mnTileBytes = strideBytes(ref, mn.strides[0]);
  // The swizzle's pattern must start at the operand's start.
  int64_t period = kCoreRows * ref.swizzle;
  if (ref.knownOffset % period != 0 || (ref.computedOffset && ref.computedAlignment % period != 0))
    return fail(text("must begin at a multiple of ", period, " bytes"));

  // K-major: the stride is from one group of 8 rows to the next; with a swizzle, the leading offset is unused.
  // MN-major: the leading offset is along M or N, the stride along K.
  int64_t leading = operand.transposed ? operand.mnTileBytes : 0;
  int64_t stride = operand.transposed ? operand.tileKBytes : operand.mnTileBytes;
  constexpr int64_t kMaxOffset = 0x3FFF << 4;
  if (leading > kMaxOffset || stride > kMaxOffset)
    return fail("has tiles too far apart for a descriptor");
  uint64_t fixed = layouts::encode(layouts::MatrixDescriptor{
      .leading = static_cast<uint32_t>(leading), .stride = static_cast<uint32_t>(stride), .swizzle = ref.swizzle});
  operand.high = static_cast<uint32_t>(fixed >> 32);
  operand.low = k.t.add(descriptorStart(k.t, ref), static_cast<int64_t>(fixed & 0xFFFFFFFF));
  return operand;
}

} // namespace lanescope::core
