#include "core/gpu/lowering/tensor/WgmmaOperand.h"

#include "layouts/support/Text.h"

namespace lanescope::core {

using namespace mlir;

constexpr int64_t kCoreRows = 8;

int64_t WgmmaOperand::offset(int64_t step, int64_t depth) const {
  if (transposed)
    return step * stepBytes;
  int64_t perTile = tileK / depth;
  return step / perTile * tileKBytes + step % perTile * stepBytes;
}

/// True if the dimension has the two sub-dimensions of a tile. A dimension that was sliced to less than a tile does not
/// have them.
static bool isTiled(const RefDim &dim, int64_t size, int64_t stride) {
  return dim.sizes.size() == 2 && dim.sizes[1] == size && dim.strides[1] == stride;
}

FailureOr<WgmmaOperand> wgmmaOperand(KernelLowering &k, Operation *op, const layouts::MatrixInstruction &instruction,
                                     const Ref &ref, const RefDim &mn, const RefDim &depth, llvm::StringRef what) {
  auto fail = [&](std::string message) -> FailureOr<WgmmaOperand> {
    op->emitError(text(std::string_view(what), " of `wgmma` ", message));
    return failure();
  };
  int64_t bytes = ref.elementBytes, instructionBytes = instruction.depthBits.front() / 8;
  if (!ref.swizzle)
    return fail(text("is not swizzled; give its buffer `transforms=(TilingTransform((8, ", 128 / bytes,
                     ")), SwizzleTransform(128))`"));
  int64_t row = ref.swizzle / bytes;
  WgmmaOperand operand;
  if (isTiled(depth, row, 1) && isTiled(mn, kCoreRows, row)) {
    operand.stepBytes = instructionBytes;
  } else if (isTiled(mn, row, 1) && isTiled(depth, kCoreRows, row)) {
    operand.transposed = true;
    operand.stepBytes = instructionBytes / bytes / kCoreRows * depth.strides[0] * bytes;
  } else {
    return fail(text("must be stored in tiles of (8, ", row, ") for a swizzle of ", ref.swizzle,
                     " bytes; it is stored as rows of sizes ", layouts::tupleText(mn.sizes), " with strides ",
                     layouts::tupleText(mn.strides), " and depth of sizes ", layouts::tupleText(depth.sizes),
                     " with strides ", layouts::tupleText(depth.strides)));
  }
  if (operand.transposed && !instruction.transposes)
    return fail(text("has its rows along ", what.starts_with("the left") ? "M" : "N",
                     "; only 16-bit types can be read that way, so store it with K as the last dimension"));
  operand.tileK = depth.sizes[1];
  operand.tileKBytes = depth.strides[0] * bytes;
  operand.mnTile = mn.sizes[1];
  operand.mnTileBytes = mn.strides[0] * bytes;
  // The swizzle's pattern must start at the operand's start.
  int64_t period = 8 * ref.swizzle;
  if (ref.knownOffset % period != 0 || (ref.computedOffset && ref.computedAlignment % period != 0))
    return fail(text("must begin at a multiple of ", period, " bytes"));

  // K-major: the stride is from one group of 8 rows to the next; with a swizzle, the leading offset is unused.
  // MN-major: the leading offset is along M or N, the stride along K.
  int64_t leading = operand.transposed ? operand.mnTileBytes : 16;
  int64_t stride = operand.transposed ? operand.tileKBytes : operand.mnTileBytes;
  constexpr int64_t kMaxOffset = 0x3FFF << 4;
  if (leading > kMaxOffset || stride > kMaxOffset)
    return fail("has tiles too far apart for a descriptor");
  uint32_t code = ref.swizzle == 128 ? 1 : ref.swizzle == 64 ? 2 : 3;
  operand.high = static_cast<uint32_t>(stride >> 4) | code << 30;
  ThreadBuilder &t = k.t;
  Value address = t.address(ref.base, ref.computedOffset, ref.knownOffset);
  Value encoded = t.shiftRight(t.bitAnd(t.create<LLVM::PtrToIntOp>(t.i32(), address), 0x3FFFF), 4);
  operand.low = t.add(encoded, (leading >> 4) << 16);
  return operand;
}

} // namespace lanescope::core
