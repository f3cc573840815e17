// A folder with the records of a check of many kernels. Each shard has two files: `records-K-of-N.jsonl`, to which a
// record is appended when its unit is done, and `units-K-of-N.json`, the list of the units of the last run.
//
//   RecordWriter writer = LANESCOPE_TRY(RecordWriter::open("results", {1, 2}, units));
//   writer.append(record);
//   ResultsFolder folder = LANESCOPE_TRY(readResults("results"));
//
// A process that is killed leaves at most half a line, which readers skip and the next writer completes.
#pragma once

#include "repl/check/many/CheckRecord.h"
#include "repl/check/many/CheckUnit.h"

#include <filesystem>
#include <map>

namespace lanescope::repl {

struct ResultsFolder {
  std::vector<CheckRecord> records;         // the earliest first
  std::map<std::string, std::string> units; // keys by name, of the last run of each shard
  std::vector<Shard> shards;                // those that have a list
};

/// Reads the records and the lists. Errors: "results": the folder has none, or one is of a later schema;
/// "unreadable-file".
Result<ResultsFolder> readResults(const std::filesystem::path &folder);

class RecordWriter {
public:
  /// Creates the folder if it is missing, and writes the list of units. Lists of runs with another number of shards are
  /// removed; their records stay. Errors: "results": another process writes this shard; "unwritable-file".
  static Result<RecordWriter> open(const std::filesystem::path &folder, Shard shard,
                                   const std::vector<CheckUnit> &units);
  RecordWriter(RecordWriter &&other) noexcept;
  RecordWriter &operator=(RecordWriter &&) = delete;
  ~RecordWriter();

  /// Appends the line with one call of the system. Errors: "unwritable-file".
  Result<void> append(const CheckRecord &record);

private:
  RecordWriter(int file, std::filesystem::path path) : file_(file), path_(std::move(path)) {}

  int file_;
  std::filesystem::path path_;
};

} // namespace lanescope::repl
