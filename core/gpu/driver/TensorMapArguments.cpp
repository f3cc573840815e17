#include "core/gpu/driver/TensorMapArguments.h"

#include <iterator>

namespace lanescope::core::driver {

namespace {

// CUtensorMapDataType, in order up to 12.
struct TensorType {
  Dtype dtype;
  TmaFormat format = TmaFormat::Plain;
};
bool typeOf(int type, TensorType &out) {
  constexpr Dtype kTypes[] = {Dtype::U8,  Dtype::U16, Dtype::U32,  Dtype::I32, Dtype::U64, Dtype::I64, Dtype::F16,
                              Dtype::F32, Dtype::F64, Dtype::BF16, Dtype::F32, Dtype::F32, Dtype::F32};
  if (type >= 0 && type < static_cast<int>(std::size(kTypes)))
    out.dtype = kTypes[type];
  else if (type == 13 || type == 14)
    out = {Dtype::U4, type == 13 ? TmaFormat::B4x16 : TmaFormat::B4x16P64};
  else if (type == 15)
    out = {Dtype::U8, TmaFormat::B6x16P32};
  else
    return false;
  return true;
}

/// The API lists dimensions innermost first, this project outermost first.
bool specOf(const TensorShape &from, TensorMapSpec &out) {
  TensorType type{};
  constexpr int kSwizzles[] = {0, 32, 64, 128, 128};
  if (!from.sizes || !from.steps || (from.rank > 1 && !from.strides) || from.rank < 1 || from.rank > 5 ||
      from.interleave != 0 || from.swizzle < 0 || from.swizzle > 4 || from.fill < 0 || from.fill > 1 ||
      !typeOf(from.type, type))
    return false;
  out.dtype = type.dtype;
  out.format = type.format;
  out.swizzle = kSwizzles[from.swizzle];
  out.atom = from.swizzle == 4 ? 32 : 16;
  out.oobNan = from.fill == 1;
  bool plainSteps = true;
  for (unsigned n = from.rank; n-- > 0;) {
    out.shape.push_back(static_cast<int64_t>(from.sizes[n]));
    out.elementStrides.push_back(from.steps[n]);
    plainSteps = plainSteps && from.steps[n] == 1;
    if (n > 0)
      out.stridesBytes.push_back(static_cast<int64_t>(from.strides[n - 1]));
  }
  if (plainSteps)
    out.elementStrides.clear();
  return true;
}

} // namespace

bool tiledMap(const TensorShape &shape, const uint32_t *box, TensorMapSpec &out) {
  if (!box || !specOf(shape, out))
    return false;
  for (unsigned n = shape.rank; n-- > 0;)
    out.box.push_back(box[n]);
  return true;
}

bool im2colMap(const TensorShape &shape, const Im2colArguments &how, TensorMapSpec &out) {
  if (shape.rank < 3 || !how.lower || !how.upper || !specOf(shape, out))
    return false;
  out.mode = TmaMode::Im2col;
  out.im2col.channels = how.channels;
  out.im2col.pixels = how.pixels;
  for (unsigned n = shape.rank - 2; n-- > 0;) {
    out.im2col.lower.push_back(how.lower[n]);
    out.im2col.upper.push_back(how.upper[n]);
  }
  return true;
}

} // namespace lanescope::core::driver
