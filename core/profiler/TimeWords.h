// Times and shares as every text and picture of a trace writes them.
#pragma once

#include <string>

namespace lanescope::core {

/// "850 ns", "1.24 µs", "3.5 ms".
std::string timeText(double ns);
/// "68.9 %"
std::string percentText(double share);

} // namespace lanescope::core
