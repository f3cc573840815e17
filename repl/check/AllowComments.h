// Comments in a source that allow findings of a rule at one statement:
//
//   x[i] = y[i];  // lanescope: allow race because all blocks write the same value
//
//   # lanescope: allow racing-read, racing-value because a stale value only costs a round
//   seen = flags[i]
//
// A comment after code is for the statement there; a comment on a line of its own is for the next statement. It has to
// give a reason.
#pragma once

#include "layouts/support/Diagnostic.h"

#include <cstdint>
#include <string>
#include <vector>

namespace lanescope::core::emulator {
struct Module;
}

namespace lanescope::repl {

struct AllowComment {
  Span place; // the words from `lanescope:` on
  std::vector<std::string> rules;
  std::string reason;
  uint32_t first = 0, last = 0; // lines of the statement, from 1; 0: no statement follows
  bool used = false;            // a finding was allowed

  /// True if the comment is for findings of that rule at that place.
  bool allows(const std::string &rule, const Span &where) const;
};

struct AllowComments {
  std::vector<AllowComment> comments;
  Diagnostics problems; // "allow-without-reason"; "no-rule": a rule does not exist
};

AllowComments readAllowComments(const SourceRef &source);
/// The comments of a kernel's PTX, and those of its sources that are for statements with code.
AllowComments readAllowComments(const core::emulator::Module &module);

/// The note that the comment allows no finding any more.
Diagnostic unusedAllow(const AllowComment &comment);

} // namespace lanescope::repl
