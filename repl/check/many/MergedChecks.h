// The records of one or several results folders, one for each unit. Of several records, the one in the folder that is
// named last wins, and in a folder the latest one. A record counts only if it fits the unit as the folder's last run
// listed it. So a merged report does not depend on how often a run was interrupted, or on how it was divided.
//
//   MergedChecks merged = LANESCOPE_TRY(mergeResults({"shard-1", "shard-2"}));
//   std::vector<MergedFinding> findings = distinctFindings(merged);
#pragma once

#include "repl/check/many/ResultsFolder.h"

namespace lanescope::repl {

struct MergedChecks {
  std::vector<CheckRecord> records;        // sorted by unit
  std::vector<FindingRecord> unusedAllows; // notes on comments that no unit uses any more
  std::vector<std::string> unchecked;      // units that no record fits
  uint32_t missingShards = 0;
};

/// Errors: those of readResults().
Result<MergedChecks> mergeResults(const std::vector<std::filesystem::path> &folders);

/// A finding at one place, with all units that have it. Several kernels may come from one line of a source.
struct MergedFinding {
  FindingRecord finding;                 // as the first unit has it
  std::string again = {};                // the command that shows it again; empty: an error, or a comment
  std::vector<std::string> units;        // sorted
  std::vector<std::string> options = {}; // those of the first unit's record
};

/// The findings, faults first, then by unit. Errors come last.
std::vector<MergedFinding> distinctFindings(const MergedChecks &merged);

/// The grade from which on findings make a report fail. New: any finding that a baseline lacks.
enum class FailOn : uint8_t { Fault, Hazard, Note, New };

/// "fault", "hazard", "note", "new"; nothing for other words.
std::optional<FailOn> failOnNamed(std::string_view name);
/// True if the finding makes the report fail. Errors always do, unless a baseline has them.
bool fails(const FindingRecord &finding, FailOn on);
/// True if a finding does, or if a unit was not checked.
bool fails(const MergedChecks &merged, FailOn on);

} // namespace lanescope::repl
