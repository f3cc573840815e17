// `lanescope-worker run`: runs packages one after another, each in its own process, so that a fault ends only that
// package's run.
#pragma once

#include "layouts/support/Diagnostic.h"

#include <filesystem>
#include <string>
#include <vector>

namespace lanescope::core {

struct PackageRunOptions {
  std::vector<std::filesystem::path> packages;
  std::filesystem::path output = "results"; // gets a folder per package
  std::vector<std::string> worker;          // the worker's command and arguments
  double timeoutSeconds = 20;
  uint32_t repeat = 1;
  uint64_t ulps = 0; // allowed distance of outputs from expected outputs, in units in the last place
};

enum class PackageRunStatus { AllGood = 0, SomeFailed = 1, NoGpu = 3 };

/// Runs the packages, writes outputs, trace.json and result.json to `output`/NAME, and prints a line for each package
/// to standard output, with its problems indented below. If several packages have the same name, the second one is
/// written to NAME-2. A package with expected outputs fails if they differ.
PackageRunStatus runPackages(const PackageRunOptions &options);

} // namespace lanescope::core
