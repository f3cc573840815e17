// Kernels that JAX dumped, as one self-contained HTML file: operations with their layouts, with a picture on hover;
// links from values to their sources; the reasons for layouts; memory over time; PTX beside the module. The page
// follows the reader's light or dark theme.
#pragma once

#include "viz/scene/DumpPage.h"

#include <span>
#include <string>

namespace lanescope::viz {

std::string dumpHtml(std::span<const DumpPage> pages);

} // namespace lanescope::viz
