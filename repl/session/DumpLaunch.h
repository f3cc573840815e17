// Runs a module that JAX dumped in a session: our compiler compiles it, and its arrays come from files or are random.
//
//   auto launch = launchDump(session.kernels(), source, {.inputs = {"a.npy", "b.npy"}});
//   launch->result->outputs              // null result: it did not compile, and launch->stages says why
#pragma once

#include "repl/kernel/launch/Launches.h"

namespace lanescope::repl {

struct DumpRequest {
  std::string arch = {};                // empty: the dump's own target
  std::vector<std::string> inputs = {}; // .npy files, in the order of JAX's arguments; others are random
  std::vector<core::Array> arrays = {}; // used instead of files
  bool zeros = false;                   // zeros for all arguments, instead of either
};

/// True if the name ends in .mlir or .txt, as JAX names dumps; snippets have other endings.
bool isDumpName(const std::string &file);

/// Compiles the module, and runs it unless the session's device is "none". The session keeps the launch. Errors: the
/// module cannot be read, an input does not fit, there is no such device.
Result<KernelLaunch> launchDump(KernelRuntime &runtime, const SourceRef &source, const DumpRequest &request);

} // namespace lanescope::repl
