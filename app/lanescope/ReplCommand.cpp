#include "app/lanescope/SessionOptions.h"

#include "core/data/Version.h"
#include "layouts/support/Text.h"
#include "repl/terminal/Repl.h"

#include <iostream>
#include <iterator>
#include <unistd.h>

namespace lanescope::app {

int runRepl(const ReplArguments &arguments) {
  repl::Session session(sessionOptions({.arch = arguments.arch, .device = arguments.device, .worker = arguments.worker},
                                       arguments.parameters, runRules(arguments.reach)));
  if (isatty(STDIN_FILENO))
    return repl::runInteractive(
        session, {.banner = text("Lanescope ", core::kVersion, ": help() lists what there is, Ctrl-D leaves\n"),
                  .progress = &progressLine()});
  std::string text{std::istreambuf_iterator<char>(std::cin), {}};
  return repl::runBatch(session, "<stdin>", std::move(text));
}

} // namespace lanescope::app
