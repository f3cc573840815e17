#include "core/gpu/lowering/memory/TensorRefs.h"

#include "core/gpu/lowering/thread/Divisibility.h"

#include "layouts/support/Text.h"

namespace lanescope::core {

using namespace mlir;
using layouts::kTmemLanes;

Value tensorAddress(ThreadBuilder &t, const TensorRef &ref, int64_t lane, int64_t column) {
  constexpr int64_t kLaneShift = 16; // PTX ISA, "Tensor Memory Addressing"
  return t.add(ref.address, (lane << kLaneShift) + ref.knownColumn + column);
}

LogicalResult sliceTensor(KernelLowering &k, memref::SubViewOp view) {
  Operation *op = view;
  TensorRef ref = k.tensor(view.getSource());
  std::array<int64_t, 2> lengths{};
  for (unsigned d = 0; d < 2; ++d) {
    std::optional<int64_t> length = getConstantIntValue(view.getMixedSizes()[d]);
    if (!length || getConstantIntValue(view.getMixedStrides()[d]) != 1)
      return op->emitError("slices need a static length and no step");
    lengths[d] = *length;
  }
  OpFoldResult rows = view.getMixedOffsets()[0], start = view.getMixedOffsets()[1];
  if (getConstantIntValue(rows) != 0) // inference has checked that all rows are taken
    return op->emitError(text("a slice of tensor memory begins with its first row, and this has ", ref.shape[0]));
  const layouts::Shape &tile = ref.layout->tiled().baseTile();
  if (ref.shape[0] != tile[0])
    return op->emitError(text("only tensor memory of ", tile[0], " rows can be sliced, and this has ", ref.shape[0]));
  auto known = getConstantIntValue(start);
  if (known && (*known < 0 || *known + lengths[1] > ref.shape[1]))
    return op->emitError(
        text("the slice [", *known, ", ", *known + lengths[1], ") is outside of ", ref.shape[1], " columns"));
  int64_t divisor = known ? *known : knownDivisor(cast<Value>(start));
  if (lengths[1] % tile[1] != 0 || divisor % tile[1] != 0)
    return op->emitError(text("a slice of tensor memory in this layout begins and ends at multiples of ", tile[1],
                              " columns",
                              lengths[1] % tile[1] != 0 || known ? "" : "; the start is not known to be one",
                              " (write a computed start as a product with ", tile[1], ")"));
  // The cells in a lane that one tile of columns takes.
  int64_t cells = *ref.layout->columnsIn({tile[0], tile[1]}, ref.bits());
  if (known)
    ref.knownColumn += *known / tile[1] * cells;
  else
    ref.address =
        k.t.add(ref.address, k.t.multiply(k.t.divide(k.t.resize(k.scalar(cast<Value>(start)), 32), tile[1]), cells));
  ref.shape[1] = lengths[1];
  k.set(view.getResult(), std::move(ref));
  return success();
}

} // namespace lanescope::core
