// Where a 2-D array sits in Blackwell's tensor memory: 128 lanes x 512 columns of 32 bits (PTX ISA, "Tensor Memory").
//
//   TMEM_DEFAULT(1) at (128, N), f32: element (r, c) is lane r, column c
//
// A TMEMLayout is a TiledLayout in which `warp` is the 32-lane quarter and `lane` the lane in it; columns number the
// layout's registers in row-major order and a 32-bit cell packs vectorLength elements. See TmemMap.
#pragma once

#include "layouts/RegisterLayout.h"

namespace lanescope::layouts {

constexpr int kTmemLanes = 128;
constexpr int kTmemColumns = 512;
constexpr int kTmemCellBits = 32;

class TMEMLayout {
public:
  explicit TMEMLayout(TiledLayout layout) : layout_(std::move(layout)) {}
  const TiledLayout &tiled() const { return layout_; }
  int64_t packing() const { return layout_.vectorLength(); }
  /// 2-D, divisible by the base tile, element width 1 to 32 bits, packing 1 or 32/bitwidth.
  Result<void> checkType(const Shape &shape, int bitwidth) const;
  /// 32-bit columns that the array takes; checkType first. May exceed kTmemColumns: allocation is another matter.
  Result<int64_t> columnsIn(const Shape &shape, int bitwidth) const;
  bool operator==(const TMEMLayout &) const = default;

private:
  TiledLayout layout_;
};

std::string jaxText(const TMEMLayout &layout);
/// The same attribute as a register layout's: the operand it is attached to tells them apart.
std::string mlirText(const TMEMLayout &layout);

} // namespace lanescope::layouts
