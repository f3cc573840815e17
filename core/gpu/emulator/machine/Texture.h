// Textures and surfaces as the driver writes them into the device's memory. A handle is the address of a descriptor of
// 128 bytes in our own encoding, because the GPU's is not public. A mark makes it possible to notice any other number
// that is used as a handle.
//
//   encode(texture, allocation);  ...  auto texture = decodeTexture(allocation);   // nullopt: not a descriptor
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace lanescope::core::emulator {

inline constexpr size_t kTextureBytes = 128;

/// The kind of a texel's channels in memory.
enum class Channel : uint8_t { Unsigned, Signed, Float };
/// How a coordinate outside the texture is read, in the order of CUaddress_mode.
enum class Outside : uint8_t { Wrap, Clamp, Mirror, Border };

struct Texture {
  uint64_t texels = 0;                    // address of the first one
  uint64_t pitch = 0, slice = 0;          // bytes from a row, and from a layer or plane, to the next one
  std::array<uint32_t, 3> sizes{1, 1, 1}; // width, height, depth in texels
  uint32_t layers = 0;                    // in a layered texture; a cube has six faces; 0: neither
  std::array<float, 4> border{};          // the texel outside, with Outside::Border
  std::array<Outside, 3> outside{};       // per coordinate
  uint8_t channels = 1, channelBytes = 4; // 1, 2 or 4 channels of 1, 2 or 4 bytes
  Channel channel = Channel::Float;
  bool filtered = false;   // neighbours are interpolated
  bool normalised = false; // coordinates go from 0 to 1
  bool fraction = false;   // integers are read as numbers from 0 to 1, or from -1 to 1
  bool srgb = false;
  bool surface = false; // for `suld` and `sust`

  uint32_t texelBytes() const { return static_cast<uint32_t>(channels) * channelBytes; }
};

void encode(const Texture &texture, std::byte *to);
std::optional<Texture> decodeTexture(const std::byte *from);

} // namespace lanescope::core::emulator
