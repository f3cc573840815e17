// The state of the web page in a link: `#1=`, then JSON, compressed (deflate, RFC 1951) and written in base64 with the
// letters of URLs (RFC 4648, section 5). viz/web/page/link.js writes and reads the same.
//
//   pageFragment(R"({"view": "view(\"WGMMA\", shape=(64, 8))"})")   ->  "#1=q1Yqy0wtV7JSKoNQ…"
//   pageState(Source::make("link", "http://localhost:8000/app/#1=q1Yq…"))   ->  the JSON
#pragma once

#include "layouts/support/Diagnostic.h"

#include <string>
#include <string_view>

namespace lanescope::core {

/// The page that a link leads to if the user names none: the site of `./dev site`, served as docs/browser.md shows.
inline constexpr std::string_view kDefaultPage = "http://localhost:8000/app/";

/// The most letters of a link. Larger traces and kernels are opened from their files.
inline constexpr size_t kLongestPageLink = 65536;

std::string pageFragment(std::string_view state);
/// True if the text is meant as a link: an address of http or https, or a fragment alone.
bool looksLikePageLink(std::string_view text);
/// The state in a link. Errors (kind "bad-view"): the link is cut off or damaged, is of another version, or its state
/// has more than 1 MiB.
Result<std::string> pageState(const SourceRef &link);

} // namespace lanescope::core
