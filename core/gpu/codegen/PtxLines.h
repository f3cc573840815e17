// The origin of each line of PTX, by its `.file` and `.loc` directives.
#pragma once

#include "core/gpu/codegen/SourcePlaces.h"

namespace lanescope::core {

/// Instructions before the first `.loc` count as the compiler's. A line with only a part of an instruction counts as an
/// instruction. The line that declares the kernel has the place of the kernel's head.
std::vector<LineOrigin> ptxOrigins(const Source &ptx, const SourcePlaces &places);

/// The names in `.file` directives, as written, by number.
std::vector<std::string> ptxFiles(const Source &ptx);

} // namespace lanescope::core
