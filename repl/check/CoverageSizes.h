// Finds other sizes that would exercise more of a snippet's synchronisation. It makes the snippet's numbers larger one
// at a time, or much smaller, for numbers of blocks.
//
//   SizeSearch search = searchSizes(source, gaps, run);
//   search.proposals[0]           // 320 in place of 192 closes gaps 0 and 2
//
// The numbers are the integers in the snippet's top-level statements, outside functions and decorators: the sizes of
// its kernel calls. Equal numbers change together, since the columns of one matrix are the rows of another one.
#pragma once

#include "core/gpu/emulator/coverage/Coverage.h"
#include "layouts/support/Source.h"

#include <functional>
#include <vector>

namespace lanescope::repl {

struct SizeProposal {
  int64_t from = 0, to = 0;
  Span place;               // the first number that changes
  std::vector<size_t> gaps; // the gaps that it closes
};

struct SizeSearch {
  std::vector<SizeProposal> proposals;
  uint64_t tried = 0;     // number of sizes tried
  bool outOfTime = false; // some sizes were not tried
};

/// Searches for sizes. `gaps`: the gaps of the unchanged snippet. `run` returns the gaps of a changed snippet, or an
/// error if it does not run with the change.
SizeSearch searchSizes(const SourceRef &source, const Diagnostics &gaps,
                       const std::function<Result<Diagnostics>(const SourceRef &)> &run, double seconds);

} // namespace lanescope::repl
