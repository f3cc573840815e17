// The findings that a project knows and has not mended yet. A finding is known by its rule, its kernel and the
// statement at its place, so it stays known if its line moves, its file gets another name, or a formatter runs.
//
//   Baseline baseline = LANESCOPE_TRY(readBaseline("lanescope-baseline.json"));
//   std::vector<KnownFinding> gone = markKnown(baseline, merged);
//
// A finding that is worse than the known one is new, and so is the same finding at one more place of the kernel.
#pragma once

#include "repl/check/many/MergedChecks.h"

namespace lanescope::repl {

struct KnownFinding {
  std::string rule, grade;
  std::string kernel;    // its name in the PTX; the unit's name if it is not known
  std::string statement; // as StatementText writes it
  std::string file;      // the file that had it, for people
  uint64_t places = 1;   // the number of places in the kernel with that statement
};

struct Baseline {
  std::vector<KnownFinding> known; // sorted
};

/// A baseline of all findings that no comment allows.
Baseline baselineOf(const MergedChecks &merged);
/// The file: JSON with one finding on each line.
std::string baselineText(const Baseline &baseline);
/// Errors: "unreadable-file", "json", "baseline": a field is missing or of another type.
Result<Baseline> readBaseline(const std::filesystem::path &file);

/// Marks the known findings. Returns the known findings that no unit has any more.
std::vector<KnownFinding> markKnown(const Baseline &baseline, MergedChecks &merged);
/// The same for the findings of one file, `unit`.
void markKnown(const Baseline &baseline, const std::string &unit, std::vector<FindingRecord> &findings);

} // namespace lanescope::repl
