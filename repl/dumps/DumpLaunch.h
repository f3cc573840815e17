// Runs a module that JAX dumped, in a session. Our compiler compiles it, and its arrays come from files or are random.
//
//   auto launch = launchDump(session.kernels(), source, {.inputs = {"a.npy", "b.npy"}});
//   launch->result->outputs              // null result: it did not compile, and launch->stages says why
#pragma once

#include "repl/kernel/launch/Launches.h"

namespace lanescope::repl {

struct DumpRequest {
  std::string arch = {}; // empty: the dump's own target
  // .npy files for the first arguments of JAX, in order; the other arguments are random.
  std::vector<std::string> inputs = {};
  std::vector<core::Array> arrays = {}; // used instead of files
  bool zeros = false;                   // zeros for all arguments, instead of files and random numbers
};

/// True if the name ends in .mlir or .txt, as the names of JAX's dumps do; snippets have other endings.
bool isDumpName(const std::string &file);

/// Compiles the module, and runs it unless the session's device is "none". The session keeps the launch. Errors: the
/// module cannot be read, an input does not fit, or the device does not exist.
Result<KernelLaunch> launchDump(KernelRuntime &runtime, const SourceRef &source, const DumpRequest &request);

} // namespace lanescope::repl
