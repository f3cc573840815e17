// The session options that commands share.
#pragma once

#include "app/lanescope/Common.h"
#include "repl/session/Session.h"

#include <cstdio>

namespace lanescope::app {

/// The rules for the files of a snippet, which runs: what it saves is written. `snippet` empty: entries.
inline repl::FileRules runRules(const FileArguments &reach, std::string snippet = {}) {
  return {.snippet = std::move(snippet),
          .out = reach.out,
          .reads = {reach.reads.begin(), reach.reads.end()},
          .overwrite = reach.overwrite,
          .saved = repl::defaultSavedRecord()};
}
/// The same for a snippet that is looked at: what it saves is kept in memory.
inline repl::FileRules lookRules(const FileArguments &reach, std::string snippet) {
  return {.snippet = std::move(snippet), .reads = {reach.reads.begin(), reach.reads.end()}, .keepsInMemory = true};
}

/// A session that writes to standard output, in colour and as wide as the terminal where that is one.
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
