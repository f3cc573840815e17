// A page for each finding of a report, without anything from elsewhere: the lines around its places in the source and
// in the PTX, its accesses in order, and the last steps of the run, through which a reader goes forward and back.
//
//   std::string page = findingPage(finding, findingSteps(…), "../report.html");
#pragma once

#include "repl/check/many/FindingSteps.h"
#include "repl/check/many/MergedChecks.h"

#include <atomic>
#include <filesystem>

namespace lanescope::core {
class Progress;
}

namespace lanescope::repl {

/// `report`: the address of the report, relative to the page; empty: none.
std::string findingPage(const MergedFinding &finding, const FindingSteps &steps, const std::string &report);

struct PagesOptions {
  std::filesystem::path folder; // for the pages; made if it is missing
  std::filesystem::path report; // the report that links the pages; empty: none
  StepOptions steps = {};
  core::Progress *progress = nullptr;
  const std::atomic<bool> *interrupted = nullptr;
};

/// Writes the pages of all findings but errors. Returns their addresses relative to the report, by number of the
/// finding; an empty one has no page. Errors: "unwritable-file"; "interrupted".
Result<std::vector<std::string>> writeFindingPages(const std::vector<MergedFinding> &findings,
                                                   const PagesOptions &options);

} // namespace lanescope::repl
