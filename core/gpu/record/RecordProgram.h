// Starts a program with the recorder in it, and says at its end what was recorded: `lanescope record` and
// `lanescope-worker record`.
#pragma once

#include "core/gpu/record/RecordSettings.h"
#include "layouts/support/Diagnostic.h"

#include <string>
#include <vector>

namespace lanescope::core::record {

struct RecordRequest {
  RecordSettings settings; // `journal` is filled in here
  std::vector<std::string> program;
};

struct RecordReport {
  int status = 0;    // the program's, as a shell gives it
  std::string table; // the launches, for --list
  std::string words; // what was recorded and what was left out
};

/// The kind of errors that the command line alone brings about.
inline constexpr char kUsageKind[] = "usage";

/// The request of a command line: options, `--`, the program. Errors: kUsageKind.
Result<RecordRequest> readRecordWords(const std::vector<std::string> &words);
/// Runs the program. Errors: kUsageKind: no program, an expression that is none; "record": the library is not there,
/// the folder or the report's file cannot be made; "process": no process can be started.
Result<RecordReport> recordProgram(RecordRequest request);

} // namespace lanescope::core::record
