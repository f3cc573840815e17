// The statement at a place in a source, in a form that formatters do not change. Baselines find a finding again by it,
// and a comment that allows findings is for one statement.
//
//   statementAt(*source, offset)   // {40, 41, "x[i]=y[i];"} for `x[i] =` and, on the next line, `y[i];  // copy`
#pragma once

#include "layouts/support/Source.h"

#include <cstdint>
#include <string>

namespace lanescope::repl {

struct StatementText {
  uint32_t first = 0, last = 0; // lines, from 1; 0: the source has no statement there
  std::string text;             // without white space, comments and commas before a closing bracket
};

/// The statement that contains the byte `offset`. In a source whose name ends in `.py` it is a logical line; in PTX it
/// is a line; in any other source it ends at `;`, `{` or `}` outside of parentheses, and a preprocessor directive is a
/// statement.
StatementText statementAt(const Source &source, uint32_t offset);

} // namespace lanescope::repl
