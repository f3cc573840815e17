// Checks PTX, the kernels that a snippet runs, or a folder of PTX with the emulator's checker. Gives its findings, and
// the gaps in the coverage of the runs.
//
//   auto report = check("kernel.ptx", {.launch = "launch.json", .seeds = 4});
//   report->findings                  // each place once, faults first: an error is a fault, a warning is a hazard, and
//                                     // a note is a note (docs/checks.md)
//   writeFindings(*report, FindingsFormat::Sarif)
#pragma once

#include "core/data/Progress.h"
#include "core/gpu/emulator/ChosenBlocks.h"
#include "core/gpu/emulator/coverage/Coverage.h"
#include "core/gpu/emulator/LaunchSketch.h"
#include "layouts/support/Diagnostic.h"
#include "repl/check/AllowComments.h"
#include "repl/check/CoverageSizes.h"
#include "repl/check/Shrink.h"

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
  core::SketchOptions sketch = {};               // grid and arguments of kernels whose launch no file describes
  // Schedules of the asynchronous operations: 0 to seeds - 1. Nothing: schedules of all kinds, until they have added
  // about half of the first run's time (core/gpu/emulator/coverage/SchedulePlan.h).
  std::optional<uint32_t> seeds = {};
  bool adversaries = false;                  // for each seed, also try slow copies, late arrivals and slow warpgroups
  std::optional<uint64_t> schedule = {};     // run only this schedule (core/gpu/emulator/coverage/Schedule.h)
  bool coverage = false;                     // also report gaps in the coverage; implies `adversaries`
  std::vector<std::string> rules = {};       // report only hazards and notes of these rules (kCheckerRules); empty: all
  std::vector<std::string> strictRules = {}; // hazards and notes of these rules are faults
  bool keepGoing = false;                    // continue runs after findings
  core::BlockChoice blocks = {};             // the blocks of PTX that run
  bool shrink = false;                       // search a smaller launch of the PTX that shows the first finding
  double timeLimit = 20;                     // seconds for one run
  std::string arch;                          // architecture for which snippets are compiled
  uint32_t threads = 0;                      // host threads; 0: one per core
  core::Progress *progress = nullptr;        // counts kernels, schedules, blocks
  const std::atomic<bool> *interrupted = nullptr; // set by Ctrl-C: ends the run, and skips the later ones
  std::string python = {}; // Python that runs the `.py` file as a program; empty: isProgramFor() decides if it is one
  std::vector<std::string> arguments = {}; // the program's arguments
  // The PTX is one of many, each checked by its own call: `sketch` also has arguments of the others, and a comment that
  // allows a finding may be for another kernel.
  bool ofMany = false;
};

/// A finding with the schedule on which it occurred, for `--seed`.
struct Finding : Diagnostic {
  std::string schedule;
  std::string kernel = {};  // the kernel's name; empty: unknown
  std::string allowed = {}; // the reason of the comment that allows the finding; empty: it is not allowed
  bool known = false;       // a baseline has it
};

/// A kernel whose launch no file describes. It runs with a guessed launch.
struct GuessedLaunch {
  std::string file, kernel;
  std::array<uint32_t, 3> grid{1, 1, 1};
  std::vector<std::string> guesses; // such as "`grid`: one block"
};

/// The search for a smaller launch that shows the first finding.
struct ShrunkFinding {
  Finding finding;
  std::array<uint32_t, 3> whole{1, 1, 1}; // the launch's grid
  Shrunk shrunk;
};

struct CheckReport {
  std::vector<Finding> findings;
  uint64_t runs = 0;                  // number of kernel runs
  uint64_t kernels = 0;               // number of PTX files that were run
  std::vector<GuessedLaunch> guessed; // launches that were guessed
  Diagnostics problems;               // files that could not be run
  Diagnostics remarks;                // notes on guessed parts of launches, on random arrays, and on what ran
  std::optional<core::Coverage> coverage;
  std::optional<ShrunkFinding> smaller;
  std::vector<AllowComment> allows; // comments of the sources, for statements that the kernels have code for
  SizeSearch sizes;                 // sizes that would close gaps in the coverage
  // The options of CheckOptions::sketch from which no launch is made: "--grid", "--arg N".
  std::vector<std::string> unused;
  bool interrupted = false; // some runs were not made
};

/// Checks a file or folder. A Python program runs once, in CPython (ProgramRun.h), with each kernel call checked as it
/// is made. Then check() runs each kernel's first call under the other schedules. Errors: the file is of another kind
/// or cannot be read; the emulator does not support the PTX, or the PTX has no launch; the snippet itself fails; a rule
/// does not exist; the folder has no PTX.
Result<CheckReport> check(const std::filesystem::path &path, const CheckOptions &options);

enum class FindingsFormat : uint8_t { Text, Json, Sarif };

/// The grade of a finding: "fault", "hazard" or "note".
const char *gradeOf(const Diagnostic &finding);
/// The rendered finding, with "error: …" replaced by "fault [race]: …".
std::string gradedText(const Diagnostic &finding);
/// Quotes a word for a POSIX shell if it has characters that the shell would change.
std::string shellWord(const std::string &word);
/// The value of `--blocks` for the choice; "all" is not one.
std::string blocksText(const core::BlockChoice &blocks);
/// The smaller launches that were found, each with a command for a shell that shows the finding again. `file`,
/// `options`: the ones that check() got.
std::string shrunkText(const ShrunkFinding &smaller, const std::string &file, const CheckOptions &options);
/// Writes a report. Text has rendered diagnostics and a last line with counts. JSON is {"findings": […], "runs": N}.
/// SARIF 2.1.0 (OASIS) is for code review. Gaps of the coverage are notes after the findings.
std::string writeFindings(const CheckReport &report, FindingsFormat format);

} // namespace lanescope::repl
