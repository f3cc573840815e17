#include "core/gpu/emulator/instructions/TextureTaps.h"

#include "core/gpu/emulator/numbers/NarrowFloat.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace lanescope::core::emulator {

namespace {

constexpr uint32_t kWeight = 256;      // the sum of the texels' weights, which have eight bits after the point
constexpr double kFarAway = 1ll << 30; // beyond any texture
constexpr int64_t kOutsideTexture = -1;

/// One coordinate's texels: one, or two neighbours. `upper`: the second one's share of kWeight.
struct Along {
  std::array<int64_t, 2> index{};
  uint32_t upper = 0;
  size_t count = 1;
};

/// Coordinates that are not normalised cannot repeat the texture: the driver clamps them.
Outside outsideOf(const Texture &texture, size_t n) {
  Outside wanted = texture.outside[n];
  bool repeats = wanted == Outside::Wrap || wanted == Outside::Mirror;
  return repeats && !texture.normalised ? Outside::Clamp : wanted;
}

int64_t indexInside(int64_t index, int64_t size, Outside outside) {
  if (index >= 0 && index < size)
    return index;
  switch (outside) {
  case Outside::Wrap: return ((index % size) + size) % size;
  case Outside::Mirror: {
    int64_t at = ((index % (2 * size)) + 2 * size) % (2 * size);
    return at < size ? at : 2 * size - 1 - at;
  }
  case Outside::Clamp: return std::clamp<int64_t>(index, 0, size - 1);
  case Outside::Border: return kOutsideTexture;
  }
  return kOutsideTexture;
}

/// `place`: in texels.
Along along(const Texture &texture, size_t n, double place, bool pair) {
  Along out;
  auto size = static_cast<int64_t>(texture.sizes[n]);
  Outside outside = outsideOf(texture, n);
  place = std::isnan(place) ? 0 : std::clamp(place, -kFarAway, kFarAway);
  if (!pair) {
    out.index[0] = indexInside(static_cast<int64_t>(std::floor(place)), size, outside);
    return out;
  }
  double fixed = std::round((place - 0.5) * kWeight) / kWeight, first = std::floor(fixed);
  out.count = 2;
  out.index = {indexInside(static_cast<int64_t>(first), size, outside),
               indexInside(static_cast<int64_t>(first) + 1, size, outside)};
  out.upper = static_cast<uint32_t>((fixed - first) * kWeight);
  return out;
}

/// Splits a weight between two neighbours. The product that is rounded, half up, is the weight of `rounded`; the other
/// neighbour has the rest.
uint32_t shareOf(uint32_t weight, const Along &axis, size_t neighbour, size_t rounded) {
  uint32_t part = rounded ? axis.upper : kWeight - axis.upper, share = (weight * part + kWeight / 2) / kWeight;
  return neighbour == rounded ? share : weight - share;
}

/// The weight of a texel, as an H200 has it: kWeight is split along z, then along x, then along y.
uint32_t weightOf(const std::array<Along, 3> &axes, size_t x, size_t y, size_t z) {
  constexpr size_t kUpper = 1;
  uint32_t alongZ = shareOf(kWeight, axes[2], z, kUpper);
  return shareOf(shareOf(alongZ, axes[0], x, kUpper), axes[1], y, x);
}

double placeOf(const Texture &texture, size_t n, float coordinate) {
  return texture.normalised ? static_cast<double>(coordinate) * texture.sizes[n] : static_cast<double>(coordinate);
}

struct FacePlace {
  uint32_t face = 0;
  float s = 0, t = 0; // 0 to 1
};
/// CUDA Programming Guide, "Cubemap Textures": the face and the place on it that a direction meets.
FacePlace faceOf(float x, float y, float z) {
  float ax = std::fabs(x), ay = std::fabs(y), az = std::fabs(z);
  float m = ax, s = 0, t = 0;
  FacePlace out;
  if (ax >= ay && ax >= az) {
    out.face = x >= 0 ? 0 : 1;
    s = x >= 0 ? -z : z;
    t = -y;
  } else if (ay >= az) {
    m = ay;
    out.face = y >= 0 ? 2 : 3;
    s = x;
    t = y >= 0 ? z : -z;
  } else {
    m = az;
    out.face = z >= 0 ? 4 : 5;
    s = z >= 0 ? x : -x;
    t = -y;
  }
  out.s = m == 0 ? 0.5f : (s / m + 1) / 2;
  out.t = m == 0 ? 0.5f : (t / m + 1) / 2;
  return out;
}

float asFraction(const Texture &texture, uint32_t bits) {
  uint32_t width = texture.channelBytes * 8u;
  if (texture.channel == Channel::Unsigned)
    return static_cast<float>(static_cast<double>(bits) / static_cast<double>((uint64_t{1} << width) - 1));
  auto value = static_cast<double>(static_cast<int32_t>(bits)) / static_cast<double>((uint64_t{1} << (width - 1)) - 1);
  return static_cast<float>(std::max(value, -1.0));
}

float fromSrgb(float value) { return value <= 0.04045f ? value / 12.92f : std::pow((value + 0.055f) / 1.055f, 2.4f); }

} // namespace

bool readsFloats(const Texture &texture) { return texture.channel == Channel::Float || texture.fraction; }

TextureTaps tapsOf(const Texture &texture, const TextureCoordinates &at, bool gathered) {
  bool layered = isLayered(at.shape), cube = at.shape == TextureShape::Cube || at.shape == TextureShape::Cubes;
  bool pair = gathered || (texture.filtered && !at.integers && readsFloats(texture));
  size_t rank = at.shape == TextureShape::Line || at.shape == TextureShape::Lines ? 1
                : at.shape == TextureShape::Space                                 ? 3
                                                                                  : 2;
  uint64_t layer = 0;
  constexpr uint32_t kFaces = 6;
  if (uint32_t layers = cube ? texture.layers / kFaces : texture.layers; layered && layers)
    layer = static_cast<uint64_t>(
        std::clamp<int64_t>(static_cast<int32_t>(at.bits[0]), 0, static_cast<int64_t>(layers) - 1));
  std::array<Along, 3> axes{};
  if (cube) {
    auto direction = [&](size_t n) { return std::bit_cast<float>(at.bits[n + layered]); };
    FacePlace face = faceOf(direction(0), direction(1), direction(2));
    layer = layer * kFaces + face.face;
    axes[0] = along(texture, 0, static_cast<double>(face.s) * texture.sizes[0], pair);
    axes[1] = along(texture, 1, static_cast<double>(face.t) * texture.sizes[1], pair);
  } else {
    for (size_t n = 0; n < rank; ++n) {
      uint32_t bits = at.bits[n + layered];
      double place = at.integers ? static_cast<double>(static_cast<int32_t>(bits))
                                 : placeOf(texture, n, std::bit_cast<float>(bits));
      axes[n] = along(texture, n, place + at.offsets[n], pair);
    }
  }
  TextureTaps out;
  auto add = [&](size_t x, size_t y, size_t z) {
    TextureTap &tap = out.taps[out.count++];
    std::array<int64_t, 3> index{axes[0].index[x], axes[1].index[y], axes[2].index[z]};
    tap.weight = static_cast<double>(weightOf(axes, x, y, z)) / kWeight;
    tap.inside = index[0] != kOutsideTexture && index[1] != kOutsideTexture && index[2] != kOutsideTexture;
    tap.offset = tap.inside ? static_cast<uint64_t>(index[0]) * texture.texelBytes() +
                                  static_cast<uint64_t>(index[1]) * texture.pitch +
                                  (static_cast<uint64_t>(index[2]) + layer) * texture.slice
                            : 0;
  };
  if (gathered) { // counter-clockwise, from the lower left one
    add(0, 1, 0);
    add(1, 1, 0);
    add(1, 0, 0);
    add(0, 0, 0);
    return out;
  }
  for (size_t z = 0; z < axes[2].count; ++z)
    for (size_t y = 0; y < axes[1].count; ++y)
      for (size_t x = 0; x < axes[0].count; ++x)
        add(x, y, z);
  return out;
}

TexelWords texelWords(const Texture &texture, const std::byte *from) {
  TexelWords out{};
  for (size_t n = 0; n < texture.channels; ++n) {
    uint32_t bits = 0;
    std::memcpy(&bits, from + n * texture.channelBytes, texture.channelBytes);
    if (texture.channel == Channel::Float) {
      out[n] = texture.channelBytes == 2 ? std::bit_cast<uint32_t>(widenF16(static_cast<uint16_t>(bits))) : bits;
      continue;
    }
    if (texture.channel == Channel::Signed && texture.channelBytes < 4) {
      uint32_t drop = 32 - texture.channelBytes * 8u;
      bits = static_cast<uint32_t>(static_cast<int32_t>(bits << drop) >> drop);
    }
    out[n] = bits;
    if (texture.fraction) {
      float value = asFraction(texture, bits);
      out[n] = std::bit_cast<uint32_t>(texture.srgb && n < 3 ? fromSrgb(value) : value);
    }
  }
  return out;
}

TexelWords borderWords(const Texture &texture) {
  TexelWords out{};
  for (size_t n = 0; n < texture.channels; ++n)
    out[n] = readsFloats(texture) ? std::bit_cast<uint32_t>(texture.border[n])
                                  : static_cast<uint32_t>(static_cast<int64_t>(texture.border[n]));
  return out;
}

} // namespace lanescope::core::emulator
