// The texels that a texture fetch reads, and their weights (CUDA Programming Guide, "Texture Fetching").
#pragma once

#include "core/gpu/emulator/machine/Texture.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace lanescope::core::emulator {

enum class TextureShape : uint8_t { Line, Plane, Space, Lines, Planes, Cube, Cubes };
inline bool isLayered(TextureShape shape) {
  return shape == TextureShape::Lines || shape == TextureShape::Planes || shape == TextureShape::Cubes;
}

/// One lane's coordinates, as bits. The layer comes first if there are layers.
struct TextureCoordinates {
  std::array<uint32_t, 4> bits{};
  std::array<int32_t, 3> offsets{}; // in texels; a cube has none
  TextureShape shape = TextureShape::Line;
  bool integers = false;
};

struct TextureTap {
  bool inside;     // else it is the border's texel
  uint64_t offset; // in bytes, from the first texel
  double weight;
};
/// Up to eight texels. Only the first `count` have values, because a warp has 32 of these.
struct TextureTaps {
  std::array<TextureTap, 8> taps;
  size_t count = 0;
};
/// `gathered`: the four texels of a plane that `tld4` reads, in its order.
TextureTaps tapsOf(const Texture &texture, const TextureCoordinates &at, bool gathered);

/// A texel's channels as 32 bits each: floats, or integers if the texture reads integers. A missing channel is 0.
using TexelWords = std::array<uint32_t, 4>;
TexelWords texelWords(const Texture &texture, const std::byte *from);
TexelWords borderWords(const Texture &texture);
bool readsFloats(const Texture &texture);

} // namespace lanescope::core::emulator
