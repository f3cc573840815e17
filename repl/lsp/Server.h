// The language server: reads requests from one stream and writes answers to another.
//
//   Server server({.device = "auto"}, llvm::outs());
//   return server.run(MessageReader(standardInput));
//
// The server answers every request at once from the newest analysis (LspWorkspace.h), without waiting for a compiler.
// Only `run` takes longer; it runs on a separate thread.
#pragma once

#include "repl/lsp/MessageReader.h"
#include "repl/lsp/Serve.h"

#include "llvm/Support/raw_ostream.h"

#include <memory>

namespace lanescope::repl::lsp {

class Server {
public:
  Server(ServerOptions options, llvm::raw_ostream &output);
  ~Server();

  /// Serves until `exit` or the end of the input. Returns the program's exit status, which is 0 after `shutdown` (LSP
  /// 3.17, "Exit Notification").
  int run(MessageReader input);

private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace lanescope::repl::lsp
