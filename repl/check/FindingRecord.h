// A finding as data without its source: what JSON, SARIF, records and reports are written from.
//
//   std::vector<FindingRecord> all = findingRecords(report);
//   all[0].grade, all[0].rule, all[0].line      // "fault", "race", 40
#pragma once

#include "repl/check/Check.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace lanescope::repl {

/// A place that a finding names beside its own, such as the other access of a race.
struct RelatedPlace {
  std::string message, file;
  uint64_t line = 0, column = 0; // count from 1; 0: unknown
};

struct FindingRecord {
  std::string grade; // "fault", "hazard", "note"; "error": a file, or a part of it, could not be checked
  std::string rule;  // the diagnostic's kind
  std::string message, file;
  uint64_t line = 0, column = 0; // count from 1; 0: unknown
  std::string schedule;          // for `--seed`
  std::string kernel;            // its name in the PTX; empty: unknown
  std::string statement;         // the statement at the place, as StatementText writes it
  std::vector<RelatedPlace> related;
  std::vector<MessageParameter> parameters; // the fields of the message
  std::string text;                         // a terminal shows this text, with the line of the source and a caret
  std::string allowed;                      // the reason of the comment that allows it; empty: none does
  bool known = false;                       // a baseline has it

  /// True if it neither is known nor allowed.
  bool counts() const { return !known && allowed.empty(); }
};

/// The place of a span, with no message.
RelatedPlace recordedPlace(const Span &span);
/// The findings of a report, in its order.
std::vector<FindingRecord> findingRecords(const CheckReport &report);
/// A diagnostic as a record. Its grade is "error" if it is a problem with the file rather than a finding.
FindingRecord findingRecord(const Diagnostic &diagnostic, bool isProblem);
/// Marks the records of the report's findings as known, in the order of findingRecords().
void takeKnown(const std::vector<FindingRecord> &records, CheckReport &report);

/// The object of docs/ci.md, without the fields that are empty.
nlohmann::ordered_json toJson(const FindingRecord &finding);
/// SARIF 2.1.0 (OASIS). `properties`: of the run; null: none.
nlohmann::ordered_json sarif(const std::vector<FindingRecord> &findings, nlohmann::ordered_json properties);
/// The launches without a description, and their guesses.
nlohmann::ordered_json guessedJson(const std::vector<GuessedLaunch> &guessed);
/// The same in words, for some of `kernels` kernels: "launched as guessed: grid 1x1x1; grid 1x1x1 shows nothing between
/// blocks".
std::string guessedText(const std::vector<GuessedLaunch> &guessed, uint64_t kernels);
/// A file's name as a URI reference (RFC 3986).
std::string uriOf(const std::string &file);
/// JSON as text; bytes that are no UTF-8 are replaced. `indent`: −1: one line.
std::string jsonText(const nlohmann::ordered_json &json, int indent = 2);

} // namespace lanescope::repl
