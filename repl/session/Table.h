// Results with several fields as small tables.
//
//   owners(WGMMA, (64, 8), (9, 2))      thread  warp  lane  register  vector
//                                            5     0     5         1       0
//
// A dict whose values are lists of one length is a table of columns; a list of dicts with the same keys, a table of
// rows. Numbers stand to the right, texts to the left.
#pragma once

#include "repl/lang/values/Value.h"

#include <optional>
#include <string>

namespace lanescope::repl {

struct TableOptions {
  int width = 100;      // columns; a last column of text is broken into lines where it does not fit
  size_t maxRows = 200; // rows past it are counted, not written
  bool bold = false;    // of the header
};

/// Nothing for a value that is no table. Ends with a newline.
std::optional<std::string> tableText(const Value &value, const TableOptions &options);

} // namespace lanescope::repl
