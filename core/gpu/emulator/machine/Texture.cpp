#include "core/gpu/emulator/machine/Texture.h"

#include <cstring>
#include <type_traits>

namespace lanescope::core::emulator {

namespace {

constexpr uint64_t kTextureMark = 0x5854454C414E4C01ull;

struct MarkedTexture {
  uint64_t mark = kTextureMark;
  Texture texture;
};
static_assert(sizeof(MarkedTexture) <= kTextureBytes && std::is_trivially_copyable_v<MarkedTexture>);

} // namespace

void encode(const Texture &texture, std::byte *to) {
  MarkedTexture marked{.texture = texture};
  std::memset(to, 0, kTextureBytes);
  std::memcpy(to, &marked, sizeof marked);
}

std::optional<Texture> decodeTexture(const std::byte *from) {
  MarkedTexture marked;
  std::memcpy(&marked, from, sizeof marked);
  if (marked.mark != kTextureMark)
    return std::nullopt;
  return marked.texture;
}

} // namespace lanescope::core::emulator
