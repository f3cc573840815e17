#include "app/lanescope/Common.h"

#include "layouts/support/Text.h"
#include "repl/lsp/Server.h"

#include <algorithm>
#include <unistd.h>

namespace lanescope::app {

int runLsp(const LspArguments &arguments) {
  repl::lsp::ServerOptions options{.device = arguments.device, .worker = arguments.worker};
  options.workspace.arch = arguments.arch;
  options.workspace.checkSeconds = arguments.checkSeconds;
  repl::lsp::Server server(std::move(options), llvm::outs());
  int status = server.run(repl::lsp::MessageReader([](char *buffer, size_t size) -> size_t {
    ssize_t got;
    do
      got = read(STDIN_FILENO, buffer, size);
    while (got < 0 && errno == EINTR);
    return got > 0 ? static_cast<size_t>(got) : 0;
  }));
  llvm::outs().flush();
  if (std::error_code problem = llvm::outs().error()) { // else LLVM would end the process with a crash report
    llvm::outs().clear_error();
    complain(text("error: cannot write all of it to standard output: ", problem.message(), "\n"));
    status = std::max<int>(status, kInputAtFault);
  }
  return status;
}

} // namespace lanescope::app
