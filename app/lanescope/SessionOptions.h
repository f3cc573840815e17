// The session options that commands share.
#pragma once

#include "app/lanescope/Common.h"
#include "repl/session/Session.h"

#include <cstdio>

namespace lanescope::app {

/// A session that writes to standard output, in colour and as wide as the terminal where that is one.
inline repl::SessionOptions sessionOptions(repl::KernelOptions kernels = {},
                                           std::map<std::string, std::string> parameters = {}) {
  return {.kernels = std::move(kernels),
          .parameters = std::move(parameters),
          .colour = colourOutput(),
          .width = outputWidth(),
          .output = [](std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); },
          .remarks =
              [](const Diagnostics &remarks) {
                std::fflush(stdout);
                report(remarks);
              }};
}

} // namespace lanescope::app
