// Sizes with which a snippet would show more of its synchronisation: its own numbers, made larger one at a time
// (or much smaller: a number of blocks).
//
//   SizeSearch search = searchSizes(source, gaps, run);
//   search.proposals[0]           // 320 in place of 192 closes gaps 0 and 2
//
// The numbers are integers in the snippet's own statements, those of functions and decorators left out: the sizes that
// it calls its kernels with. Equal ones change together, as a matrix' columns are another one's rows.
#pragma once

#include "core/gpu/emulator/coverage/Coverage.h"
#include "layouts/support/Source.h"

#include <functional>
#include <vector>

namespace lanescope::repl {

struct SizeProposal {
  int64_t from = 0, to = 0;
  Span place;               // the first number that changes
  std::vector<size_t> gaps; // that it closes
};

struct SizeSearch {
  std::vector<SizeProposal> proposals;
  uint64_t tried = 0;     // sizes
  bool outOfTime = false; // there were more
};

/// `gaps`: of the snippet as it is. `run`: the gaps of a changed snippet; an error where it does not run like that.
SizeSearch searchSizes(const SourceRef &source, const Diagnostics &gaps,
                       const std::function<Result<Diagnostics>(const SourceRef &)> &run, double seconds);

} // namespace lanescope::repl
