#include "layouts/TmemLayout.h"

#include "layouts/support/Text.h"

#include <bit>

namespace lanescope::layouts {

Result<void> TMEMLayout::checkType(const Shape &shape, int bitwidth) const {
  if (shape.size() != 2)
    return error("tmem-rank", Message("tensor memory can only represent 2-D shapes, got {shape}", tupleText(shape)));
  if (Result<int64_t> count = checkedElementCount(shape); !count)
    return std::unexpected(std::move(count.error()));
  const Shape &base = layout_.baseTile();
  if (base.size() != 2)
    return error("tmem-rank", Message("tensor memory layouts need a 2-D base tile, but that of {layout} is {shape}",
                                      jaxText(*this), tupleText(base)));
  if (shape[0] % base[0] != 0 || shape[1] % base[1] != 0)
    return error("tmem-shape", Message("shape {shape} is not divisible into tiles of shape {other_shape}",
                                       tupleText(shape), tupleText(base)));
  if (bitwidth < 1 || bitwidth > kTmemCellBits || !std::has_single_bit(static_cast<unsigned>(bitwidth)))
    return error("tmem-bitwidth", Message("tensor memory cells have {limit} bits and can't hold {bits}-bit elements",
                                          kTmemCellBits, bitwidth));
  int fullyPacked = kTmemCellBits / bitwidth;
  if (packing() != 1 && packing() != fullyPacked)
    return error("tmem-packing", Message("for {bits}-bit types, the vector length must be 1{}, but it is {}", bitwidth,
                                         fullyPacked == 1 ? "" : text(" or ", fullyPacked), packing()));
  return {};
}

Result<int64_t> TMEMLayout::columnsIn(const Shape &shape, int bitwidth) const {
  if (Result<void> checked = checkType(shape, bitwidth); !checked)
    return std::unexpected(std::move(checked.error()));
  return saturatingMultiply(elementCount(shape) / packing(), layout_.replication()) / kTmemLanes;
}

} // namespace lanescope::layouts
