// Times and shares, in the form that all texts and pictures of a trace use.
#pragma once

#include <string>

namespace lanescope::core {

/// A time in words: "850 ns", "1.24 µs", "3.5 ms".
std::string timeText(double ns);
/// A share in words: "68.9 %".
std::string percentText(double share);

} // namespace lanescope::core
