#include "core/LineCosts.h"

#include "layouts/support/TerminalWidth.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace lanescope::core {

const std::vector<double> &LineCosts::of(uint32_t line) const {
  static const std::vector<double> nothing;
  return line > 0 && line <= lines.size() ? lines[line - 1] : nothing;
}

double LineCosts::largest(size_t column) const {
  double out = 0;
  for (const std::vector<double> &line : lines)
    if (column < line.size())
      out = std::max(out, line[column]);
  return out;
}

LineCosts costsFrom(const LineCosts &costs, const LinkTable &links, size_t from, size_t to, size_t lines) {
  LineCosts out{.columns = costs.columns, .lines = {}, .notes = costs.notes};
  out.lines.resize(lines);
  for (uint32_t line = 1; line <= lines; ++line) {
    std::vector<double> &sum = out.lines[line - 1];
    for (uint32_t each : links.linked(to, line, from)) {
      const std::vector<double> &of = costs.of(each);
      if (of.empty())
        continue;
      sum.resize(costs.columns.size());
      for (size_t column = 0; column < of.size(); ++column)
        sum[column] = costs.columns[column].most ? std::max(sum[column], of[column]) : sum[column] + of[column];
    }
  }
  return out;
}

std::string costNumber(double value) {
  constexpr std::pair<double, const char *> kScales[] = {{1e9, " G"}, {1e6, " M"}, {1e4, " k"}};
  char buffer[32];
  for (auto [from, suffix] : kScales)
    if (value >= from) {
      double scaled = value / (from == 1e4 ? 1e3 : from);
      std::snprintf(buffer, sizeof buffer, scaled < 100 ? "%.1f%s" : "%.0f%s", scaled, suffix);
      return buffer;
    }
  std::snprintf(buffer, sizeof buffer, value == std::floor(value) ? "%.0f" : "%.1f", value);
  return buffer;
}

std::string costWords(const LineCosts &costs, uint32_t line) {
  std::string out;
  const std::vector<double> &of = costs.of(line);
  for (size_t column = 0; column < of.size(); ++column)
    if (of[column] > 0)
      out += text(out.empty() ? "" : "\n", costNumber(of[column]), " ",
                  of[column] == 1 ? costs.columns[column].one : costs.columns[column].many);
  return out;
}

std::string costTable(const LineCosts &costs, const Source &source) {
  std::vector<size_t> shown;
  std::vector<int64_t> widths;
  for (size_t column = 0; column < costs.columns.size(); ++column)
    if (costs.largest(column) > 0) {
      int64_t width = columnCount(costs.columns[column].id);
      for (const std::vector<double> &line : costs.lines)
        if (column < line.size() && line[column] > 0)
          width = std::max(width, columnCount(costNumber(line[column])));
      shown.push_back(column);
      widths.push_back(width);
    }
  uint32_t first = 0, last = 0;
  for (uint32_t line = 1; line <= costs.lines.size(); ++line)
    if (!costs.of(line).empty())
      first = first ? first : line, last = line;
  int64_t numberWidth = columnCount(text(last));
  std::string out;
  for (size_t i = 0; i < shown.size(); ++i)
    out += text(padded(costs.columns[shown[i]].id, widths[i], Aligned::Right), "  ");
  out += text(padded("", numberWidth), " |\n");
  for (uint32_t line = first; first > 0 && line <= last; ++line) {
    const std::vector<double> &of = costs.of(line);
    for (size_t i = 0; i < shown.size(); ++i) {
      double value = shown[i] < of.size() ? of[shown[i]] : 0;
      out += text(padded(value > 0 ? costNumber(value) : "", widths[i], Aligned::Right), "  ");
    }
    out += text(padded(text(line), numberWidth, Aligned::Right), " | ", source.lineText(line), "\n");
  }
  for (const std::string &note : costs.notes)
    out += text(note, "\n");
  return out;
}

} // namespace lanescope::core
