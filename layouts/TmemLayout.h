// The place of a 2-D array in Blackwell's tensor memory: 128 lanes x 512 columns of 32 bits (PTX ISA, "Tensor Memory").
//
//   TMEM_DEFAULT(1) at (128, N), f32: element (r, c) is lane r, column c
//
// A TMEMLayout is a TiledLayout in which `warp` is the 32-lane quarter and `lane` the lane in it. Columns number the
// layout's registers in row-major order, and a 32-bit cell packs vectorLength elements. See TmemMap.
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
  /// Checks that the array is 2-D and divisible by the base tile, with elements of 1 to 32 bits and a packing of 1 or
  /// 32/bitwidth.
  Result<void> checkType(const Shape &shape, int bitwidth) const;
  /// The number of 32-bit columns that the array takes; call checkType first. It may exceed kTmemColumns, since this is
  /// not an allocation.
  Result<int64_t> columnsIn(const Shape &shape, int bitwidth) const;
  bool operator==(const TMEMLayout &) const = default;

private:
  TiledLayout layout_;
};

std::string jaxText(const TMEMLayout &layout);
/// The text is the same as that of a register layout's attribute. The operand that has the attribute shows which one is
/// meant.
std::string mlirText(const TMEMLayout &layout);

} // namespace lanescope::layouts
