// `--emit package`: saves the launches of a run as folders that run anywhere (core/gpu/runtime/Package.h).
#pragma once

#include "repl/kernel/launch/Launches.h"

namespace lanescope::repl {

/// The most launches that a saving run keeps.
inline constexpr size_t kMostSavedLaunches = 4096;

struct SavedPackages {
  std::vector<std::filesystem::path> folders;
  Diagnostics problems; // reasons why some kernels were not compiled, and so not saved
};

/// Saves each launch with its inputs in `KERNEL.lspkg` below `folder`; the second launch of a kernel is
/// `KERNEL-2.lspkg`. `expected`: also saves the run's results, if it had no errors. Errors: those of savePackage().
Result<SavedPackages> savePackages(const std::vector<KernelLaunch> &launches, bool expected,
                                   const std::filesystem::path &folder);

} // namespace lanescope::repl
