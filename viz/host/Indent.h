// The indentation of a snippet's next line.
#pragma once

#include <string>
#include <string_view>

namespace lanescope::viz {

/// The indentation of the line after the text `before`. It is that of the last line, plus `unit` after a line that
/// opens a block, minus one unit after a statement that ends a block (`return`, `pass`, `break`, `continue`).
std::string nextIndent(std::string_view before, std::string_view unit);

} // namespace lanescope::viz
