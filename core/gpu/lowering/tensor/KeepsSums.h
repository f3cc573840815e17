#pragma once

#include <string_view>

namespace lanescope::core {

/// What the inline PTX of a product says first: a predicate for the first instruction on each of its sums, true where
/// what they held is added to (`scale-d`, PTX ISA 9.7.15.5). The sums are the statement's results, and its first
/// operands. Code generation replaces it where they begin at zero.
inline constexpr std::string_view kKeepsSums = "setp.ne.b32 keep, 1, 0;";

} // namespace lanescope::core
