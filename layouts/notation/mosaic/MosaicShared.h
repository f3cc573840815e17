// Mosaic GPU's transforms of shared memory, as JAX prints them and as `smem_map` takes them.
//
//   (TilingTransform(tiling=(8, 64)), SwizzleTransform(swizzle=128))            print_layout, sources
//   [#mosaic_gpu.tile<[8, 64]>, #mosaic_gpu.swizzle<128 : i32>]                 in_transforms, out_transforms
//   C((8, 64), 128)                                                             layout inference errors
//   SMEMTransforms(tiling=TileTransform(tiling=(8, 64), rounding=None), swizzle=128)   its constraints
//   smem_map((64, 64), f16, tiling=(8, 64), swizzle=128, transpose=False)       with shape and type
//
// Older spellings, read with a remark: `#mosaic_gpu.swizzle<swizzle_64>`, `swizzle<128>`, and
// `#mosaic_gpu.transpose<[1, 0, 2, 3]>` after a 2-D tile.
#pragma once

#include "layouts/Layout.h"
#include "layouts/notation/text/Scanner.h"
#include "layouts/SharedMemory.h"

namespace lanescope::layouts {

class MosaicShared : public ForeignLayout {
public:
  MosaicShared(Shape tiling, std::optional<int> swizzle, bool transpose, std::optional<Shape> shape = std::nullopt,
               std::optional<Dtype> dtype = std::nullopt)
      : tiling_(std::move(tiling)), swizzle_(swizzle), transpose_(transpose), shape_(std::move(shape)), dtype_(dtype) {}
  /// The transforms of a map, with its shape and some type of its width.
  static MosaicShared of(const SmemMap &map);

  std::string_view language() const override { return "jax"; }
  std::string text() const override;
  /// The form that JAX prints, without the shape and the type: `(TilingTransform(tiling=(8, 64)),
  /// SwizzleTransform(swizzle=128))`. JAX's classes cannot express a transposed order of tiles. If the order is
  /// transposed, the function returns text(), or MLIR's older form if there is no shape.
  std::string transformsText() const;
  /// The transforms in MLIR's form: `[#mosaic_gpu.tile<[8, 64]>, #mosaic_gpu.swizzle<128 : i32>]`.
  std::string mlirText() const;
  std::vector<Memory> memories() const override { return {Memory::Shared}; }
  std::optional<Shape> shape() const override { return shape_; }
  std::optional<int> bitwidth() const override;
  Result<AddressMap> addressMap(const Shape &shape, int bitwidth) const override;
  /// The tiled, swizzled array itself. Errors: a shape that contradicts the text; a tiling that does not fit.
  Result<SmemMap> smemMap(const Shape &shape, int bitwidth) const;
  Result<std::vector<ExplainStep>> explain(const Shape &shape, const Shape &index) const override;

private:
  Shape tiling_;
  std::optional<int> swizzle_;
  bool transpose_;
  std::optional<Shape> shape_;
  std::optional<Dtype> dtype_;
};

/// True if the text starts like one of the forms above; reads nothing.
bool looksLikeMosaicShared(std::string_view text);
Result<Layout> parseMosaicShared(Scanner &in, Diagnostics *remarks);

} // namespace lanescope::layouts
