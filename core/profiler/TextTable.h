// Columns of text for a terminal.
#pragma once

#include <string>
#include <vector>

namespace lanescope::core {

/// Aligns the first column to the left and the others to the right, with a line per row. Columns count characters, not
/// bytes. Cells are written through `shownName`, because names come from files.
std::string alignedColumns(const std::vector<std::vector<std::string>> &rows);

} // namespace lanescope::core
