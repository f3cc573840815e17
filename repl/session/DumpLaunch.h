// A module that JAX dumped, run in a session: compiled by us, with arrays from files or random ones.
//
//   auto launch = launchDump(session.kernels(), source, {.inputs = {"a.npy", "b.npy"}});
//   launch->result->outputs              // null result: it did not compile, and launch->stages says why
#pragma once

#include "repl/kernel/launch/Launches.h"

namespace lanescope::repl {

struct DumpRequest {
  std::string arch = {};                // empty: what the dump was made for
  std::vector<std::string> inputs = {}; // .npy files, in the order of JAX's arguments; others are random
  std::vector<core::Array> arrays = {}; // in place of files
  bool zeros = false;                   // in place of either, for all arguments
};

/// By its ending, .mlir or .txt as JAX names dumps; snippets have others.
bool isDumpName(const std::string &file);

/// Compiles, and runs unless the session's device is "none"; the session keeps the launch. Errors: the module cannot be
/// read, an input does not fit, there is no such device.
Result<KernelLaunch> launchDump(KernelRuntime &runtime, const SourceRef &source, const DumpRequest &request);

} // namespace lanescope::repl
