// Text from files may be anything; what we draw and write is valid UTF-8 without control characters.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lanescope::viz {

/// Malformed sequences and control characters become U+FFFD.
std::string validUtf8(std::string_view text);
/// Characters, not bytes; `text` is valid.
int64_t characterCount(std::string_view text);
/// The first `count` characters.
std::string_view firstCharacters(std::string_view text, int64_t count);

} // namespace lanescope::viz
