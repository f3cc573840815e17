// The version of Lanescope, from the project's version in CMakeLists.txt.
#pragma once

namespace lanescope::core {

/// The version as text: "0.1.0".
extern const char *const kVersion;

} // namespace lanescope::core
