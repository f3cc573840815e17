// What the lines of a text cost: a table with a row for each line, of what a target counts
// (core/gpu/emulator/PtxCosts.h for GPUs). From the text that runs it goes over the links to every other text.
//
//   LineCosts snippet = costsFrom(code, links, 5, 0);   // text 5 costs `code`; text 0 is the snippet
//   snippet.of(30)                                      {12, 4, 0, …}: line 30's share, a number per column
//   costWords(snippet, 30)                              "12 instructions\n4 shuffles\n…"
#pragma once

#include "core/LinkTable.h"

#include <string>

namespace lanescope::core {

struct CostColumn {
  std::string id;        // "instructions": heads a column of costTable()
  std::string one, many; // "instruction", "instructions": behind a number
  std::string about;     // what is counted, a sentence
  bool most = false;     // of several lines the largest counts; otherwise their sum
};

struct LineCosts {
  std::vector<CostColumn> columns;
  std::vector<std::vector<double>> lines; // of line - 1, by column; empty: nothing is known to cost anything
  std::vector<std::string> notes = {};    // how to read them, a sentence each

  /// Of a line (from 1); empty: it costs nothing.
  const std::vector<double> &of(uint32_t line) const;
  /// The largest number of a column; 0 without any.
  double largest(size_t column) const;
  bool empty() const { return columns.empty() || lines.empty(); }
};

/// The costs of text `from`, seen from the lines of text `to`, which has `lines` of them: of each those of the lines
/// that belong to it. A line that belongs to several counts in each.
LineCosts costsFrom(const LineCosts &costs, const LinkTable &links, size_t from, size_t to, size_t lines);

/// "1234", "1.2 M": a number of a column, short.
std::string costNumber(double value);
/// What a line costs in words, one of them a line; empty for nothing.
std::string costWords(const LineCosts &costs, uint32_t line);
/// The text from the first line that costs anything to the last, each behind what it costs and its number: a column for
/// each cost that is not 0 everywhere, headed by its id. The notes come last.
std::string costTable(const LineCosts &costs, const Source &source);

} // namespace lanescope::core
