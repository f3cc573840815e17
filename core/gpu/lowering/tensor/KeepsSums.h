#pragma once

#include <string_view>

namespace lanescope::core {

/// The first line of a product's inline PTX: it sets the predicate of the first instruction on each sum, which is true
/// if the instruction adds to the old sum (`scale-d`, PTX ISA 9.7.15.5). The sums are the statement's results and its
/// first operands. Code generation replaces the line if the sums begin at zero.
inline constexpr std::string_view kKeepsSums = "setp.ne.b32 keep, 1, 0;";

} // namespace lanescope::core
