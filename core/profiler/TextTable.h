// Columns of text for a terminal.
#pragma once

#include <string>
#include <vector>

namespace lanescope::core {

/// The first column to the left, the others to the right, a line each. Columns count characters, not bytes. Cells are
/// written as `shownName` gives them, as names come from files.
std::string alignedColumns(const std::vector<std::vector<std::string>> &rows);

} // namespace lanescope::core
