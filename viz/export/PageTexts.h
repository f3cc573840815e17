// The styles and scripts of pages that are one file. The build makes them (PageTexts.cmake) of the files in
// viz/export/pages, and, for the element <lanescope-layout>, of the modules in viz/web/page that draw without the
// module of WebAssembly.
#pragma once

#include <string_view>

namespace lanescope::viz {

/// For a <script type="module">: the element <lanescope-layout>.
extern const std::string_view kElementScript;
/// The page of one picture. The script puts the content that packedElement() wrote into the element; it goes before
/// kElementScript.
extern const std::string_view kPictureStyle, kUnpackScript;
/// The page of kernels that JAX dumped.
extern const std::string_view kDumpStyle, kDumpScript;
/// The texts of a kernel in a notebook.
extern const std::string_view kCodeStyle, kCodeScript;
/// A report of findings, and the page of one finding. The latter's script needs a constant `steps`.
extern const std::string_view kReportStyle, kReportScript, kFindingStyle, kFindingScript;

} // namespace lanescope::viz
