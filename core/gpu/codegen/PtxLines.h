// Where each line of PTX comes from, by its `.file` and `.loc` directives.
#pragma once

#include "core/gpu/codegen/SourcePlaces.h"

namespace lanescope::core {

/// Instructions before the first `.loc` are the compiler's. A line that holds a part of an instruction counts as one.
/// The line that declares the kernel comes from the kernel's head.
std::vector<LineOrigin> ptxOrigins(const Source &ptx, const SourcePlaces &places);

/// The names that `.file` directives give, as they are written, by their numbers.
std::vector<std::string> ptxFiles(const Source &ptx);

} // namespace lanescope::core
