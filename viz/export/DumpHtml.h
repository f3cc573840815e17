// Kernels that JAX dumped, as one self-contained HTML file. It shows operations with their layouts (and a picture on
// hover), links from values to their sources, the reasons for layouts, the use of memory over time, and PTX beside the
// module. The page follows the reader's light or dark theme.
#pragma once

#include "viz/scene/DumpPage.h"

#include <span>
#include <string>

namespace lanescope::viz {

std::string dumpHtml(std::span<const DumpPage> pages);

} // namespace lanescope::viz
