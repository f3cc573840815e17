#include "core/gpu/emulator/machine/TensorMap.h"

#include <algorithm>
#include <cstring>

namespace lanescope::core::emulator {

namespace {

constexpr uint64_t kMark = 0x50414D544E414C01ull; // "\1LANTMAP"

struct Encoded {
  uint64_t mark;
  uint64_t global;
  uint32_t sizes[5];
  uint16_t box[5];
  uint8_t rank, swizzle, elementBytes, oobNan, dtype, format;
  uint64_t strides[5];
  uint8_t steps[5], mode;
  uint16_t pixels;
  int16_t lower[3], upper[3];
};
static_assert(sizeof(Encoded) <= kTensorMapBytes);

} // namespace

void encode(const TensorMap &map, std::byte *to) {
  Encoded e{};
  e.mark = kMark;
  e.global = map.global;
  for (int n = 0; n < 5; ++n) {
    e.sizes[n] = static_cast<uint32_t>(map.sizes[n] - 1);
    e.box[n] = map.box[n];
    e.strides[n] = map.strides[n];
    e.steps[n] = map.steps[n];
  }
  e.mode = static_cast<uint8_t>(map.mode);
  e.pixels = map.pixels;
  std::ranges::copy(map.lower, e.lower);
  std::ranges::copy(map.upper, e.upper);
  e.rank = map.rank;
  e.swizzle = map.swizzle;
  e.elementBytes = map.elementBytes;
  e.oobNan = map.oobNan;
  e.dtype = static_cast<uint8_t>(map.dtype);
  e.format = static_cast<uint8_t>(map.format);
  std::memset(to, 0, kTensorMapBytes);
  std::memcpy(to, &e, sizeof e);
}

std::optional<TensorMap> decode(const std::byte *from) {
  Encoded e;
  std::memcpy(&e, from, sizeof e);
  bool steps = std::ranges::none_of(e.steps, [](uint8_t step) { return step == 0; });
  if (e.mark != kMark || e.rank < 1 || e.rank > 5 || !steps || e.mode > static_cast<uint8_t>(TmaMode::Im2colW128))
    return std::nullopt;
  TensorMap map;
  map.global = e.global;
  for (int n = 0; n < 5; ++n) {
    map.sizes[n] = static_cast<uint64_t>(e.sizes[n]) + 1;
    map.box[n] = e.box[n];
    map.strides[n] = e.strides[n];
    map.steps[n] = e.steps[n];
  }
  map.mode = static_cast<TmaMode>(e.mode);
  map.pixels = e.pixels;
  std::ranges::copy(e.lower, map.lower.begin());
  std::ranges::copy(e.upper, map.upper.begin());
  map.rank = e.rank;
  map.swizzle = e.swizzle;
  map.elementBytes = e.elementBytes;
  map.oobNan = e.oobNan;
  map.dtype = static_cast<layouts::Dtype>(e.dtype);
  map.format = static_cast<TmaFormat>(e.format);
  return map;
}

TensorMap TensorMap::inSixteens() const {
  TensorMap out = *this;
  if (format == TmaFormat::Plain)
    return out;
  TmaFormatSizes of = sizesOf(format);
  out.sizes[0] /= kTmaSixteen;
  out.box[0] = static_cast<uint16_t>(box[0] / kTmaSixteen);
  out.elementBytes = static_cast<uint8_t>(of.globalBytes);
  out.strides[0] = out.elementBytes;
  out.sharedBytes = of.padded() ? static_cast<uint8_t>(of.sharedBytes) : 0;
  return out;
}

} // namespace lanescope::core::emulator
