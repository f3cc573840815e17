// Columns of text for a terminal.
#pragma once

#include <string>
#include <vector>

namespace lanescope::core {

/// The first column to the left, the others to the right, a line each. Columns count characters, not bytes; what could
/// steer a terminal is written as `?`, as names come from files.
std::string alignedColumns(const std::vector<std::vector<std::string>> &rows);
/// A name from a file, in which nothing steers the terminal.
std::string printableName(std::string name);

} // namespace lanescope::core
