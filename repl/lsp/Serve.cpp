#include "repl/lsp/Serve.h"

#include "repl/lsp/Server.h"

#include <cerrno>
#include <unistd.h>

namespace lanescope::repl::lsp {

Served serveStandardStreams(ServerOptions options) {
  Server server(std::move(options), llvm::outs());
  int status = server.run(MessageReader([](char *buffer, size_t size) -> size_t {
    ssize_t got;
    do
      got = ::read(STDIN_FILENO, buffer, size);
    while (got < 0 && errno == EINTR);
    return got > 0 ? static_cast<size_t>(got) : 0;
  }));
  llvm::outs().flush();
  if (std::error_code problem = llvm::outs().error()) { // else LLVM would end the process with a crash report
    llvm::outs().clear_error();
    return {.status = status, .problem = problem.message()};
  }
  return {.status = status};
}

} // namespace lanescope::repl::lsp
