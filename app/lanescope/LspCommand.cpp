#include "app/lanescope/Common.h"

#include "repl/lsp/Server.h"

#include <unistd.h>

namespace lanescope::app {

int runLsp(const LspArguments &arguments) {
  repl::lsp::ServerOptions options{.device = arguments.device, .worker = arguments.worker};
  options.workspace.arch = arguments.arch;
  options.workspace.checkSeconds = arguments.checkSeconds;
  repl::lsp::Server server(std::move(options), llvm::outs());
  return server.run(repl::lsp::MessageReader([](char *buffer, size_t size) -> size_t {
    ssize_t got;
    do
      got = read(STDIN_FILENO, buffer, size);
    while (got < 0 && errno == EINTR);
    return got > 0 ? static_cast<size_t>(got) : 0;
  }));
}

} // namespace lanescope::app
