#include "layouts/RegisterLayout.h"

#include <algorithm>

namespace lanescope::layouts {

namespace {

constexpr int kBitsPerStridedVector = 64;

} // namespace

Result<WGStridedFragLayout> WGStridedFragLayout::make(Shape shape, int64_t vecSize) {
  if (vecSize < 1)
    return error("strided-vec-size", Message("vec_size must be positive, got {}", vecSize));
  Result<int64_t> count = checkedElementCount(shape);
  if (!count)
    return std::unexpected(std::move(count.error()));
  int64_t chunk;
  if (__builtin_mul_overflow(vecSize, kThreadsPerWarpgroup, &chunk) || *count % chunk != 0)
    return error(
        "strided-size",
        Message("shape {shape} has {elements} elements, which is not a multiple of vec_size * 128 = {} * {limit}",
                tupleText(shape), *count, vecSize, kThreadsPerWarpgroup));
  WGStridedFragLayout layout;
  layout.shape_ = std::move(shape);
  layout.vecSize_ = vecSize;
  return layout;
}

std::optional<WGStridedFragLayout> WGStridedFragLayout::fromShapedType(const Shape &shape, int bitwidth) {
  Result<int64_t> count = checkedElementCount(shape);
  if (!count || bitwidth < 1 || *count % kThreadsPerWarpgroup != 0)
    return std::nullopt;
  int64_t vec = std::min<int64_t>(kBitsPerStridedVector / bitwidth, *count / kThreadsPerWarpgroup);
  while (vec > 0 && *count % (vec * kThreadsPerWarpgroup) != 0)
    vec /= 2;
  if (vec == 0 || vec * bitwidth % 8 != 0)
    return std::nullopt;
  WGStridedFragLayout layout;
  layout.shape_ = shape;
  layout.vecSize_ = vec;
  return layout;
}

int64_t WGStridedFragLayout::registers() const { return elementCount(shape_) / (vecSize_ * kThreadsPerWarpgroup); }

bool WGSplatFragLayout::canBroadcastTo(const Shape &target) const {
  if (shape.size() > target.size())
    return false;
  size_t skipped = target.size() - shape.size();
  for (size_t i = 0; i < shape.size(); ++i)
    if (shape[i] != 1 && shape[i] != target[skipped + i])
      return false;
  return true;
}

int64_t vectorLength(const RegisterLayout &layout) {
  if (const auto *tiled = std::get_if<TiledLayout>(&layout))
    return tiled->vectorLength();
  if (const auto *strided = std::get_if<WGStridedFragLayout>(&layout))
    return strided->vecSize();
  return 1;
}

Result<Shape> registersShape(const RegisterLayout &layout, const Shape &shape) {
  if (const auto *tiled = std::get_if<TiledLayout>(&layout))
    return tiled->registersShape(shape);
  const auto *strided = std::get_if<WGStridedFragLayout>(&layout);
  const Shape &own = strided ? strided->shape() : std::get<WGSplatFragLayout>(layout).shape;
  if (own != shape)
    return error("layout-shape",
                 Message("shape {shape} is not compatible with {layout}", tupleText(shape), jaxText(layout)));
  return strided ? Shape{strided->registers()} : Shape{};
}

Result<void> checkApplies(const RegisterLayout &layout, const Shape &shape) {
  if (Result<Shape> registers = registersShape(layout, shape); !registers)
    return std::unexpected(std::move(registers.error()));
  return {};
}

} // namespace lanescope::layouts
