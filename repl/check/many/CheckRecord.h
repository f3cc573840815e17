// The findings of the check of one unit (a PTX file with its launch, a snippet, a program) as a line of JSON.
// docs/ci.md has the schema.
//
//   std::string line = recordLine(record);          // {"schema": "lanescope.record/1", "unit": "k.ptx", …}\n
//   Result<CheckRecord> again = readRecord(Source::make("records-1-of-1.jsonl", line));
//
// `run` in it says when and where the check ran. All other fields follow from the unit, the options and the program.
#pragma once

#include "repl/check/FindingRecord.h"

namespace lanescope::repl {

inline constexpr std::string_view kRecordSchema = "lanescope.record/1";

/// How the check of a unit ended.
enum class Outcome : uint8_t {
  Checked,
  Refused,     // the unit, or a part of it, could not be checked: findings with the grade "error" say why
  TimeLimit,   // the process was stopped at its time limit
  OutOfMemory, // the process had no more memory
  Crashed      // the process ended without a result
};

/// "checked", "refused", "time-limit", "out-of-memory", "crashed".
std::string_view outcomeName(Outcome outcome);

/// A comment that allows findings (AllowComments.h), for a statement that the unit has code for.
struct AllowRecord {
  bool used = false;
  FindingRecord unused; // the note for a comment that no unit uses
};

struct CheckRecord {
  std::string unit; // the file, as the user named it or its folder
  std::string key;  // a hash of the unit's files, the options and the program
  Outcome outcome = Outcome::Checked;
  uint64_t runs = 0;
  std::vector<std::string> options = {}; // the words of the command line on which the findings depend
  std::vector<FindingRecord> findings = {};
  std::vector<GuessedLaunch> guessed = {};
  std::vector<AllowRecord> allows = {};
  // The options that no launch of the unit is made from: "--grid", "--arg N". Only the process that checks the unit
  // writes them; `options` of a kept record leaves them out.
  std::vector<std::string> unused = {};

  double seconds = 0;        // the time that the process took
  uint64_t memory = 0;       // the bytes that the process was allowed to use; 0: unknown
  int64_t finished = 0;      // milliseconds since 1970
  std::string host, program; // the machine's name; programIdentity()
};

/// The record of a report; `key` and the fields about the run are not set.
CheckRecord checkRecord(const std::string &unit, const CheckReport &report);
/// The record of a unit that could not be checked.
CheckRecord failedRecord(const std::string &unit, Outcome outcome, const Diagnostics &problems);

/// The record as a line, with its line break.
std::string recordLine(const CheckRecord &record);
/// Errors: "json", "results": it is no record, or of a later schema.
Result<CheckRecord> readRecord(const SourceRef &line);

} // namespace lanescope::repl
