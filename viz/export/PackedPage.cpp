#include "viz/export/PackedPage.h"

#include "core/data/Files.h"
#include "layouts/support/Text.h"
#include "viz/export/LinePacking.h"

#include <algorithm>
#include <cstdint>

namespace lanescope::viz {

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t at = 0; at < bytes.size(); at += 3) {
    const size_t count = std::min<size_t>(3, bytes.size() - at);
    uint32_t three = 0;
    for (size_t i = 0; i < 3; ++i)
      three = three << 8 | (i < count ? static_cast<unsigned char>(bytes[at + i]) : 0u);
    for (size_t i = 0; i < 4; ++i)
      out += i <= count ? kDigits[three >> (18 - 6 * i) & 63] : '=';
  }
  return out;
}

std::string packedElement(std::string_view content) {
  return text("<script id=\"packed\" type=\"text/plain\">", base64(core::gzipped(packedLines(content))), "</script>\n");
}

} // namespace lanescope::viz
