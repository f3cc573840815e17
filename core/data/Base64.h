// Bytes in letters that stand in addresses without quoting: base64 for URLs, without padding (RFC 4648, section 5).
//
//   base64Url("a\xff")  ->  "Yf8"        bytesOfBase64Url("Yf8")  ->  "a\xff"
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace lanescope::core {

std::string base64Url(std::string_view bytes);
/// Nothing if the text has another letter.
std::optional<std::string> bytesOfBase64Url(std::string_view letters);

} // namespace lanescope::core
