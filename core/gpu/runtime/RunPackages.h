// `lanescope-worker run`: packages, one after another, each in a process that a fault ends alone.
#pragma once

#include "layouts/support/Diagnostic.h"

#include <filesystem>
#include <string>
#include <vector>

namespace lanescope::core {

struct PackageRunOptions {
  std::vector<std::filesystem::path> packages;
  std::filesystem::path output = "results"; // one folder per package in there
  std::vector<std::string> worker;          // what to start as the worker, with arguments
  double timeoutSeconds = 20;
  uint32_t repeat = 1;
  uint64_t ulps = 0; // how far outputs may be from the expected ones
};

enum class PackageRunStatus { AllGood = 0, SomeFailed = 1, NoGpu = 3 };

/// Runs them, writes outputs, trace.json and result.json to `output`/NAME, and prints one line each to standard output
/// (problems below it, indented). Where several packages have one name, the second one's NAME is NAME-2. A package with
/// expected outputs fails if they differ.
PackageRunStatus runPackages(const PackageRunOptions &options);

} // namespace lanescope::core
