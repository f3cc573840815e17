// A page's pictures, compressed: a page of many cells repeats itself, and takes a tenth of the bytes.
//
//   out += packedElement(markup);   // <script id="packed" …>, of which `unpacked()` in kUnpackScript makes the text
//   again
#pragma once

#include <string>
#include <string_view>

namespace lanescope::viz {

/// An element that holds the text, compressed (gzip, RFC 1952) and in base64 (RFC 4648).
std::string packedElement(std::string_view content);
/// The script's function `unpacked()`, a promise of the text; browsers decompress since Chromium 80, Firefox 113 and
/// Safari 16.4.
extern const std::string_view kUnpackScript;

/// RFC 4648, with padding.
std::string base64(std::string_view bytes);

} // namespace lanescope::viz
