// The language server on the process's standard streams.
#pragma once

#include "repl/lsp/LspWorkspace.h"

#include <string>

namespace lanescope::repl::lsp {

struct ServerOptions {
  WorkspaceOptions workspace = {};
  std::string device = "auto", worker = {}; // used by `run`
};

struct Served {
  int status = 0;           // the program's exit status: 0 after `shutdown` (LSP 3.17, "Exit Notification")
  std::string problem = {}; // why the standard output did not take all of it; empty if it did
};

/// Reads requests from the standard input until `exit` or its end, and writes answers to the standard output.
Served serveStandardStreams(ServerOptions options);

} // namespace lanescope::repl::lsp
