// Findings of the emulator's checker in PTX, in the kernels that a snippet runs, or in a folder of PTX.
//
//   auto report = check("kernel.ptx", {.launch = "launch.json", .seeds = 4});
//   report->findings                  // errors are faults, warnings hazards, notes notes (docs/checks.md); each place
//   once writeFindings(*report, FindingsFormat::Sarif)
#pragma once

#include "layouts/support/Diagnostic.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace lanescope::repl {

struct CheckOptions {
  std::filesystem::path launch = {};   // of one PTX file; empty: `launch.json` beside it
  uint32_t seeds = 1;                  // schedules of the asynchronous operations: 0 to seeds - 1
  std::vector<std::string> rules = {}; // hazards and notes of these alone (kCheckerRules); empty: of all
  std::string arch;                    // what snippets are compiled for
  uint32_t threads = 0;                // of the host; 0: one per core
};

struct CheckReport {
  Diagnostics findings;
  uint64_t runs = 0;    // of kernels
  Diagnostics problems; // of a folder: files that could not be run
};

/// Errors: what is no file of these kinds or cannot be read; PTX that the emulator does not know, or without a launch;
/// a snippet that fails by itself; no rule of that name; a folder without PTX.
Result<CheckReport> check(const std::filesystem::path &path, const CheckOptions &options);

enum class FindingsFormat : uint8_t { Text, Json, Sarif };

/// "fault", "hazard" or "note".
const char *gradeOf(const Diagnostic &finding);
/// Text: as diagnostics are rendered, with a last line that counts; JSON: {"findings": […], "runs": N}; SARIF 2.1.0
/// (OASIS), for code review.
std::string writeFindings(const CheckReport &report, FindingsFormat format);

} // namespace lanescope::repl
