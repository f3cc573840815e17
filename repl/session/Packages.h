// `--emit package`: the launches of a run as folders that run anywhere (core/gpu/runtime/Package.h).
#pragma once

#include "repl/kernel/launch/Launches.h"

namespace lanescope::repl {

/// How many launches a run keeps that saves them.
inline constexpr size_t kMostSavedLaunches = 4096;

struct SavedPackages {
  std::vector<std::filesystem::path> folders;
  Diagnostics problems; // of kernels that were not compiled, and so not saved
};

/// Saves each launch with its inputs in `KERNEL.lspkg` below `folder`; the second launch of a kernel is
/// `KERNEL-2.lspkg`. `expected`: with the results that the run had, where it had no errors. Errors: as savePackage().
Result<SavedPackages> savePackages(const std::vector<KernelLaunch> &launches, bool expected,
                                   const std::filesystem::path &folder);

} // namespace lanescope::repl
