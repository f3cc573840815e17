// How a snippet's next line begins.
#pragma once

#include <string>
#include <string_view>

namespace lanescope::viz {

/// The blanks at the start of the last line of `before`, and `unit` more after a line that opens a block; one unit less
/// after a statement that ends one (`return`, `pass`, `break`, `continue`).
std::string nextIndent(std::string_view before, std::string_view unit);

} // namespace lanescope::viz
