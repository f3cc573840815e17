// The element <lanescope-layout> of the page for browsers, as a script for pages that are one file: the build joins the
// modules in viz/web/page that draw without the module of WebAssembly (ElementScript.cmake).
#pragma once

#include <string_view>

namespace lanescope::viz {

/// For a <script type="module">.
extern const std::string_view kElementScript;

} // namespace lanescope::viz
