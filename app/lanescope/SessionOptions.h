// The session options that commands share.
#pragma once

#include "app/lanescope/Common.h"
#include "repl/session/Session.h"

#include <cstdio>

namespace lanescope::app {

/// The file rules for a snippet that the user runs: `save` writes files. An empty `snippet` stands for entries of the
/// REPL.
inline repl::FileRules runRules(const FileArguments &reach, std::string snippet = {}) {
  return {.snippet = std::move(snippet),
          .out = reach.out,
          .reads = {reach.reads.begin(), reach.reads.end()},
          .overwrite = reach.overwrite,
          .saved = repl::defaultSavedRecord()};
}
/// The file rules for a snippet that the user only inspects: `save` keeps its arrays in memory.
inline repl::FileRules lookRules(const FileArguments &reach, std::string snippet) {
  return {.snippet = std::move(snippet), .reads = {reach.reads.begin(), reach.reads.end()}, .keepsInMemory = true};
}

/// Options for a session that writes to standard output. On a terminal, it writes in colour and at the terminal's
/// width.
inline repl::SessionOptions sessionOptions(repl::KernelOptions kernels = {},
                                           std::map<std::string, std::string> parameters = {},
                                           repl::FileRules files = {}) {
  kernels.progress = &progressLine().progress();
  return {.kernels = std::move(kernels),
          .parameters = std::move(parameters),
          .colour = colourOutput(),
          .width = outputWidth(),
          .output = [](std::string_view text) { say(text); },
          .remarks =
              [](const Diagnostics &remarks) {
                std::fflush(stdout);
                report(remarks);
              },
          .files = std::move(files)};
}

} // namespace lanescope::app
