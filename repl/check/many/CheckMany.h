// Checks many units, several at a time, and writes a record of each to a folder. A later call with the same folder goes
// on where this one stopped.
//
//   ManyReport done = LANESCOPE_TRY(checkMany({"kernels"}, {.results = "results", .jobs = 8}));
//   done.left                                   // units without a record: 0 unless the run was interrupted
#pragma once

#include "repl/check/many/CheckUnit.h"

#include "core/data/Progress.h"

#include <atomic>

namespace lanescope::repl {

struct CheckOptions;

struct ManyOptions {
  std::filesystem::path results;         // the folder for records
  std::vector<std::string> options = {}; // words of the command line on which the findings depend
  std::string python = {};               // the Python that runs programs; empty: the default one
  Shard shard = {};
  uint32_t jobs = 0;        // units at a time; 0: one per core
  uint32_t threads = 0;     // host threads of a unit; 0: the cores are divided among the jobs
  uint64_t memory = 0;      // bytes for all units together; 0: core::memoryLimit()
  double unitSeconds = 200; // the time limit for one unit
  core::Progress *progress = nullptr;
  const std::atomic<bool> *interrupted = nullptr;
};

struct ManyReport {
  uint64_t units = 0;  // the number of units in this shard
  uint64_t reused = 0; // units whose record an earlier run wrote
  uint64_t left = 0;   // units without a record, because the run was interrupted
};

/// Checks the units that have no record yet, those first that took longest before. A unit that runs out of its share of
/// the memory is checked again alone at the end, with all of the memory. Errors: those of checkUnits(), of the results
/// folder, and "process" if no process can be started.
Result<ManyReport> checkMany(const std::vector<std::filesystem::path> &paths, const ManyOptions &options);

/// The words of the command line for the options on which the findings depend.
std::vector<std::string> findingOptions(const CheckOptions &options);

} // namespace lanescope::repl
