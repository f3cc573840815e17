#include "core/profiler/TextTable.h"

#include "layouts/support/Text.h"
#include "layouts/support/Visible.h"

#include <algorithm>
#include <string_view>

namespace lanescope::core {

namespace {

size_t widthOf(std::string_view s) {
  return static_cast<size_t>(std::ranges::count_if(s, [](char c) { return (c & 0xC0) != 0x80; }));
}

} // namespace

std::string alignedColumns(const std::vector<std::vector<std::string>> &given) {
  std::vector<std::vector<std::string>> rows = given;
  for (auto &row : rows)
    for (std::string &cell : row)
      cell = shownName(cell);
  std::vector<size_t> widths(rows[0].size(), 0);
  for (const auto &row : rows)
    for (size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], widthOf(row[i]));
  std::string out;
  for (const auto &row : rows) {
    for (size_t i = 0; i < row.size(); ++i) {
      std::string padding(widths[i] - widthOf(row[i]), ' ');
      out += i == 0 ? text(row[i], padding) : text("  ", padding, row[i]);
    }
    out += "\n";
  }
  return out;
}

} // namespace lanescope::core
