// The last steps of the run that shows a finding, from the debugger: what the block's warps did, and the state of its
// barriers and copies at each moment.
//
//   FindingSteps steps = findingSteps("k.ptx", {"--grid", "4"}, finding, {.seconds = 20});
//   steps.steps.back().what        // "the access of the finding"
#pragma once

#include "repl/check/FindingRecord.h"

#include <string>
#include <vector>

namespace lanescope::repl {

/// One event of the run: it is about to happen.
struct FindingStep {
  uint64_t moment = 0, cycle = 0;
  std::string warp;        // "warp 2 of block 1"
  std::string what = {};   // the PTX instruction, or "copies land"
  uint32_t ptxLine = 0;    // from 1; 0: none
  uint32_t sourceLine = 0; // from 1; 0: none
  bool access = false;     // a place that the finding names
  std::string warps = {};  // where the warps are
  std::string memory = {}; // barriers, and operations in flight
};

struct FindingSteps {
  SourceRef ptx;    // null: it cannot be read
  SourceRef source; // the file of the finding's line, if it is not the PTX; may be null
  std::vector<FindingStep> steps = {};
  std::string none = {}; // the reason if there are no steps
};

struct StepOptions {
  double seconds = 20; // time limit for each search in the run
  size_t most = 40;    // events before the finding
};

/// Runs the unit again under the finding's schedule. `options`: those of the unit's record. PTX and snippets are run; a
/// program is not, since it can do what Python can.
FindingSteps findingSteps(const std::string &unit, const std::vector<std::string> &options,
                          const FindingRecord &finding, const StepOptions &how);

} // namespace lanescope::repl
