// Tilus's layouts as values: registers, shared and tensor memory, and the algebra of its layout expressions.
//
//   auto c = *compose(*compose(*local({2, 1}), *spatial({8, 4})), *local({1, 2}));     // mma m16n8, accumulator
//   c.text()  ->  "RegisterLayout(shape=[16, 8], mode_shape=[2, 8, 4, 2], spatial_modes=[1, 2], local_modes=[0, 3])"
//
// Each dimension is cut into modes, major first. The thread is the row-major number formed by the indices of the
// spatial modes, and the local index is the one formed by the local modes. A negative spatial mode -n means n copies.
// Sources: NVIDIA/tilus python/tilus/ir/layout/{register_layout,shared_layout,tmem_layout}.py and ops/register_ops.py.
#pragma once

#include "layouts/Affine.h"
#include "layouts/Layout.h"

namespace lanescope::layouts::tilus {

class RegisterLayout : public ForeignLayout {
public:
  /// The result is canonical: modes of size one are dropped, and neighbours that continue each other are merged.
  /// Errors: modes that do not make up the shape; a mode used twice, not at all, or out of range; more than 2^27
  /// elements or 2^20 threads.
  static Result<RegisterLayout> make(Shape shape, Shape modeShape, Shape spatialModes, Shape localModes);

  const Shape &arrayShape() const { return shape_; }
  const Shape &modeShape() const { return modeShape_; }
  const Shape &spatialModes() const { return spatialModes_; }
  const Shape &localModes() const { return localModes_; }
  /// The modes of each dimension, as indices into modeShape().
  std::vector<std::vector<size_t>> groups() const;
  int64_t threads() const;

  std::string_view language() const override { return "tilus"; }
  std::string text() const override;
  std::vector<Memory> memories() const override { return {Memory::Registers}; }
  std::optional<Shape> shape() const override { return shape_; }
  Result<ElementMap> elementMap(const Shape &shape) const override;
  Result<std::vector<ExplainStep>> explain(const Shape &shape, const Shape &index) const override;

private:
  Shape shape_, modeShape_, spatialModes_, localModes_;
};

class SharedLayout : public ForeignLayout {
public:
  /// Errors: modes that do not make up the shape, negative strides, a swizzle out of range.
  static Result<SharedLayout> make(Shape shape, Shape modeShape, Shape modeStrides,
                                   std::optional<AffineSwizzle> swizzle);
  std::string_view language() const override { return "tilus"; }
  std::string text() const override;
  std::vector<Memory> memories() const override { return {Memory::Shared}; }
  std::optional<Shape> shape() const override { return shape_; }
  Result<AddressMap> addressMap(const Shape &shape, int bitwidth) const override;
  Result<std::vector<ExplainStep>> explain(const Shape &shape, const Shape &index) const override;

private:
  Shape shape_, modeShape_, modeStrides_;
  std::optional<AffineSwizzle> swizzle_;
};

class TmemLayout : public ForeignLayout {
public:
  /// Errors: fewer than two dimensions, rows other than 32, 64, 128, lanes past 127, a stride for the rows.
  static Result<TmemLayout> make(Shape shape, int64_t laneOffset, Shape columnStrides);
  std::string_view language() const override { return "tilus"; }
  std::string text() const override;
  std::vector<Memory> memories() const override { return {Memory::Tmem}; }
  std::optional<Shape> shape() const override { return shape_; }
  Result<TmemMap> tmemMap(const Shape &shape, int bitwidth) const override;

private:
  Shape shape_, columnStrides_;
  int64_t laneOffset_ = 0;
};

using Registers = Result<RegisterLayout>;
/// `ranks[i]`: the position of dimension i in the order of the thread number; empty for row-major order.
Registers spatial(const Shape &shape, const Shape &ranks = {});
Registers local(const Shape &shape, const Shape &ranks = {});
Registers columnSpatial(const Shape &shape);
Registers columnLocal(const Shape &shape);
Registers replicated(const Shape &shape, int64_t workers);
/// outer * inner: every place of the outer layout holds an inner layout.
Registers compose(const RegisterLayout &outer, const RegisterLayout &inner);
/// The layout x with x * `rhs` = `lhs`.
Registers divide(const RegisterLayout &lhs, const RegisterLayout &rhs);
Registers reduce(const RegisterLayout &layout, const Shape &dims, bool keepDims);
/// Reduces over the dimensions that `shape` lacks or in which its size is one.
Registers reduceTo(const RegisterLayout &layout, const Shape &shape);
Registers permute(const RegisterLayout &layout, const Shape &dims);
Registers reshape(const RegisterLayout &layout, const Shape &shape);
Registers squeeze(const RegisterLayout &layout, const Shape &dims);
Registers unsqueeze(const RegisterLayout &layout, const Shape &dims);
/// Merges dimensions [start, end) into one. As in Tilus, a negative `end` counts from the rank (-1 excludes the last
/// dimension).
Registers flatten(const RegisterLayout &layout, int64_t start, int64_t end);
/// Deals `threads` to the dimensions, the last ones first. The rest of each dimension is local.
Registers autoLocalSpatial(int64_t threads, const Shape &shape);

} // namespace lanescope::layouts::tilus
