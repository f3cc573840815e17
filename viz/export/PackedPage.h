// Compresses a page's pictures. A page with many cells is repetitive and shrinks to a hundredth of its size.
//
//   out += packedElement(markup);   // <script id="packed" …>; kUnpackScript (PageTexts.h) restores the text
#pragma once

#include <string>
#include <string_view>

namespace lanescope::viz {

/// An element that contains the text: its lines are packed (LinePacking.h), compressed (gzip, RFC 1952), and encoded in
/// base64 (RFC 4648). Browsers can decompress since Chromium 80, Firefox 113 and Safari 16.4.
std::string packedElement(std::string_view content);

/// Encodes bytes in base64 (RFC 4648, with padding).
std::string base64(std::string_view bytes);

} // namespace lanescope::viz
