// Findings of the emulator's checker in PTX, in the kernels that a snippet runs, or in a folder of PTX; and what these
// runs have not shown.
//
//   auto report = check("kernel.ptx", {.launch = "launch.json", .seeds = 4});
//   report->findings                  // errors are faults, warnings hazards, notes notes (docs/checks.md); each place
//                                     // once, faults first
//   writeFindings(*report, FindingsFormat::Sarif)
#pragma once

#include "core/data/Progress.h"
#include "core/gpu/emulator/coverage/Coverage.h"
#include "core/gpu/emulator/LaunchSketch.h"
#include "layouts/support/Diagnostic.h"
#include "repl/session/CoverageSizes.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace lanescope::repl {

struct CheckOptions {
  std::vector<std::filesystem::path> reads = {}; // folders that a snippet may read
  std::filesystem::path launch = {};             // describes one PTX file; empty: the description beside it
  core::SketchOptions sketch = {};               // grid and arguments of kernels that nothing else says them of
  // Schedules of the asynchronous operations: 0 to seeds - 1. Nothing: as many of all kinds as take about half as long
  // again as one does (core/gpu/emulator/coverage/SchedulePlan.h)
  std::optional<uint32_t> seeds = {};
  bool adversaries = false;                       // with each seed also slow copies, late arrivals, slow warpgroups
  std::optional<uint64_t> schedule = {};          // this one alone (core/gpu/emulator/coverage/Schedule.h)
  bool coverage = false;                          // tell what the runs have not shown, too; implies `adversaries`
  std::vector<std::string> rules = {};            // hazards and notes of these alone (kCheckerRules); empty: of all
  std::vector<std::string> strictRules = {};      // hazards and notes of these are faults
  bool keepGoing = false;                         // runs go on after what the checker finds
  double timeLimit = 20;                          // seconds that one run may take
  std::string arch;                               // snippets are compiled for it
  uint32_t threads = 0;                           // host threads; 0: one per core
  core::Progress *progress = nullptr;             // counts kernels, schedules, blocks
  const std::atomic<bool> *interrupted = nullptr; // set by Ctrl-C: ends the run, and leaves out those after it
  std::string python = {};                        // runs the `.py` file, which is a program; empty: isProgramFor() says
  std::vector<std::string> arguments = {};        // the program's own
};

/// With the schedule that it was found on, for `--seed`.
struct Finding : Diagnostic {
  std::string schedule;
};

/// A kernel without a description of its launch: its runs show what a guess does.
struct GuessedLaunch {
  std::string file, kernel;
  std::array<uint32_t, 3> grid{1, 1, 1};
  std::vector<std::string> guesses; // "`grid`: one block"
};

struct CheckReport {
  std::vector<Finding> findings;
  uint64_t runs = 0;                  // kernel runs
  uint64_t kernels = 0;               // PTX files that were run
  std::vector<GuessedLaunch> guessed; // launches that were guessed
  Diagnostics problems;               // files that could not be run
  Diagnostics remarks;                // notes: what of a launch was guessed, which arrays are random, what ran
  std::optional<core::Coverage> coverage;
  SizeSearch sizes;         // that would show more
  bool interrupted = false; // not all runs were made
};

/// A Python program (ProgramRun.h) is run by CPython, once. Each kernel's call is checked where it is made, and
/// the first one of each kernel under the other schedules here. Errors: what is no file of these kinds or cannot be
/// read; PTX that the emulator does not know, or without a launch; a snippet that fails by itself; no rule of that
/// name; a folder without PTX.
Result<CheckReport> check(const std::filesystem::path &path, const CheckOptions &options);

enum class FindingsFormat : uint8_t { Text, Json, Sarif };

/// "fault", "hazard" or "note".
const char *gradeOf(const Diagnostic &finding);
/// Text: as diagnostics are rendered, with a last line that counts; JSON: {"findings": […], "runs": N}; SARIF 2.1.0
/// (OASIS), for code review. Gaps of the coverage are notes of their own behind the findings.
std::string writeFindings(const CheckReport &report, FindingsFormat format);

} // namespace lanescope::repl
