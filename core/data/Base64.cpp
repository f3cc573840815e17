#include "core/data/Base64.h"

#include <cstdint>

namespace lanescope::core {

namespace {
constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
} // namespace

std::string base64Url(std::string_view bytes) {
  std::string out;
  uint32_t bits = 0;
  int count = 0;
  for (unsigned char byte : bytes) {
    bits = bits << 8 | byte;
    for (count += 8; count >= 6; count -= 6)
      out += kLetters[bits >> (count - 6) & 63];
  }
  if (count > 0)
    out += kLetters[bits << (6 - count) & 63];
  return out;
}

std::optional<std::string> bytesOfBase64Url(std::string_view letters) {
  std::string out;
  uint32_t bits = 0;
  int count = 0;
  for (char letter : letters) {
    size_t value = kLetters.find(letter);
    if (value == std::string_view::npos)
      return std::nullopt;
    bits = bits << 6 | static_cast<uint32_t>(value);
    if ((count += 6) >= 8)
      out += static_cast<char>(bits >> (count -= 8) & 255);
  }
  return out;
}

} // namespace lanescope::core
