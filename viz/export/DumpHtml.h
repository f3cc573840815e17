// Kernels that JAX dumped as one self-contained HTML file: operations with their layouts, each a picture when it is
// pointed at, values linked to where they come from, why they have their layouts, memory over time, PTX beside the
// module. It follows the reader's light or dark theme.
#pragma once

#include "viz/scene/DumpPage.h"

#include <span>
#include <string>

namespace lanescope::viz {

std::string dumpHtml(std::span<const DumpPage> pages);

} // namespace lanescope::viz
