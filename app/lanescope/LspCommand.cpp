#include "app/lanescope/Common.h"

#include "layouts/support/Text.h"
#include "repl/lsp/Serve.h"

#include <algorithm>

namespace lanescope::app {

int runLsp(const LspArguments &arguments) {
  repl::lsp::ServerOptions options{.device = arguments.device, .worker = arguments.worker};
  options.workspace.arch = arguments.arch;
  options.workspace.checkSeconds = arguments.checkSeconds;
  repl::lsp::Served served = repl::lsp::serveStandardStreams(std::move(options));
  if (served.problem.empty())
    return served.status;
  complain(text("error: cannot write all of it to standard output: ", served.problem, "\n"));
  return std::max<int>(served.status, kInputAtFault);
}

} // namespace lanescope::app
