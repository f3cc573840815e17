// The language server: requests to answers, over a pair of streams.
//
//   Server server({.device = "auto"}, llvm::outs());
//   return server.run(MessageReader(standardInput));
//
// Every request is answered at once from what is known (Workspace.h); nothing is computed that waits for a compiler but
// `run`, which has a thread of its own.
#pragma once

#include "repl/lsp/MessageReader.h"
#include "repl/lsp/Workspace.h"

#include "llvm/Support/raw_ostream.h"

#include <memory>

namespace lanescope::repl::lsp {

struct ServerOptions {
  WorkspaceOptions workspace = {};
  std::string device = "auto", worker = {}; // of `run`
};

class Server {
public:
  Server(ServerOptions options, llvm::raw_ostream &output);
  ~Server();

  /// Until `exit` or the end of the input. The program's status (LSP 3.17, "Exit Notification"): 0 after `shutdown`.
  int run(MessageReader input);

private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace lanescope::repl::lsp
