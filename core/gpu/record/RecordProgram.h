// Starts a program with the recorder in it, and reports at its end what was recorded, for `lanescope record` and
// `lanescope-worker record`.
#pragma once

#include "core/gpu/record/RecordSettings.h"
#include "layouts/support/Diagnostic.h"

#include <string>
#include <vector>

namespace lanescope::core::record {

struct RecordRequest {
  RecordSettings settings; // `journal` is set here
  bool touched = false;    // packages keep only the memory that a replay accesses (TouchedMemory.h)
  std::vector<std::string> program = {};
};

struct RecordReport {
  int status = 0;    // the program's exit status, as in a shell
  std::string table; // the launches, for --list
  std::string words; // the recorded launches, and those left out
};

/// The kind of errors caused by the command line.
inline constexpr char kUsageKind[] = "usage";

/// Parses a command line: options, `--`, the program. Errors: kUsageKind.
Result<RecordRequest> readRecordWords(const std::vector<std::string> &words);
/// Runs the program. Errors: kUsageKind: no program, an invalid expression; "record": the library is missing, or the
/// folder or the report's file cannot be created; "process": no process can be started.
Result<RecordReport> recordProgram(RecordRequest request);

} // namespace lanescope::core::record
