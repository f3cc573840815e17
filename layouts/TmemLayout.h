// Where a 2-D array sits in Blackwell's tensor memory: 128 lanes x 512 columns of 32 bits (PTX ISA, "Tensor Memory").
//
// A TMEMLayout is a TiledLayout in which `warp` is the 32-lane quarter and `lane` the lane in it; columns number the
// layout's registers in row-major order and a 32-bit cell packs vectorLength elements.
#pragma once

#include "layouts/RegisterLayout.h"

namespace lanescope::layouts {

constexpr int kTmemLanes = 128;
constexpr int kTmemColumns = 512;

class TMEMLayout {
public:
  explicit TMEMLayout(TiledLayout layout) : layout_(std::move(layout)) {}
  const TiledLayout &tiled() const { return layout_; }
  int64_t packing() const { return layout_.vectorLength(); }
  /// 2-D, divisible by the base tile, packing 1 or 32/bitwidth.
  Result<void> checkType(const Shape &shape, int bitwidth) const;
  Result<int64_t> columnsIn(const Shape &shape, int bitwidth) const;
  bool operator==(const TMEMLayout &) const = default;

private:
  TiledLayout layout_;
};

std::string jaxText(const TMEMLayout &layout);
std::string mlirText(const TMEMLayout &layout);

} // namespace lanescope::layouts
