// Writes results with several fields as small tables.
//
//   owners(WGMMA, (64, 8), (9, 2))      thread  warp  lane  register  vector
//                                            5     0     5         1       0
//
// A dict whose values are lists of one length is a table of columns. A list of dicts with the same keys is a table of
// rows. Numbers are aligned right, texts left.
#pragma once

#include "repl/lang/values/Value.h"

#include <optional>
#include <string>

namespace lanescope::repl {

struct TableOptions {
  int width = 100;      // width in columns; text in the last column that does not fit is wrapped
  size_t maxRows = 200; // limit for rows; further rows are only counted
  bool bold = false;    // write the header bold
};

/// The table's text, which ends with a newline; nothing for a value that is no table.
std::optional<std::string> tableText(const Value &value, const TableOptions &options);

} // namespace lanescope::repl
