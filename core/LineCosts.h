// The costs of the lines of a text: a table with a row for each line, in units that a target counts
// (core/gpu/emulator/PtxCosts.h for GPUs). The links carry the costs from the executed text to every other text.
//
//   LineCosts snippet = costsFrom(code, links, 5, 0);   // text 5 costs `code`; text 0 is the snippet
//   snippet.of(30)                                      {12, 4, 0, …}: line 30's share, a number per column
//   costWords(snippet, 30)                              "12 instructions\n4 shuffles\n…"
#pragma once

#include "core/LinkTable.h"

#include <string>

namespace lanescope::core {

struct CostColumn {
  std::string id;        // "instructions": the heading of a column of costTable()
  std::string one, many; // "instruction", "instructions": follow a number
  std::string about;     // a sentence that describes what the column counts
  bool most = false;     // true: several lines have the maximum of their numbers, not the sum
};

struct LineCosts {
  std::vector<CostColumn> columns;
  std::vector<std::vector<double>> lines; // indexed by line - 1, then by column; an empty row has no known cost
  std::vector<std::string> notes = {};    // sentences that help to read the table

  /// The costs of a line (from 1); empty if it has none.
  const std::vector<double> &of(uint32_t line) const;
  /// The largest number of a column; 0 if the column is empty.
  double largest(size_t column) const;
  bool empty() const { return columns.empty() || lines.empty(); }
};

/// Maps the costs of text `from` to text `to`, which has `lines` lines. Each line of `to` gets the costs of the lines
/// of `from` that are linked to it. A line with several links counts in each.
LineCosts costsFrom(const LineCosts &costs, const LinkTable &links, size_t from, size_t to, size_t lines);

/// A number of a column in short form: "1234", "1.2 M".
std::string costNumber(double value);
/// The costs of a line in words, one cost per line; empty if there is none.
std::string costWords(const LineCosts &costs, uint32_t line);
/// The text from the first to the last line with a cost. Each row shows a line's costs, its number and its text. There
/// is a column for each cost that is not 0 everywhere, headed by its id. The notes come last.
std::string costTable(const LineCosts &costs, const Source &source);

} // namespace lanescope::core
