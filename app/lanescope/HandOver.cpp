#include "app/lanescope/HandOver.h"

#include "app/lanescope/Common.h"
#include "layouts/support/Text.h"
#include "layouts/support/Visible.h"
#include "repl/program/ProgramKind.h"
#include "repl/program/PythonCommand.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace lanescope::app {
namespace {

/// The command `python3 -m lanescope run …` with the options for devices and checks.
std::vector<std::string> commandOf(const RunArguments &arguments, const std::string &python) {
  std::vector<std::string> out = {python, "-m", "lanescope", "run"};
  if (arguments.device == "gpu")
    out.insert(out.end(), {"--device", "gpu"});
  if (!arguments.worker.empty())
    out.insert(out.end(), {"--worker", arguments.worker});
  if (arguments.arch.starts_with("sm_10"))
    out.insert(out.end(), {"--gpu", "b200"});
  if (arguments.arch.starts_with("sm_12"))
    out.insert(out.end(), {"--gpu", "rtx5090"});
  if (arguments.emulation.fast)
    out.push_back("--fast");
  if (arguments.emulation.strict)
    out.push_back("--strict");
  if (arguments.emulation.seed != 0)
    out.insert(out.end(), {"--seed", text(arguments.emulation.seed)});
  out.push_back(arguments.file);
  out.insert(out.end(), arguments.programArguments.begin(), arguments.programArguments.end());
  return out;
}

/// The first option that does not apply to a program; empty: none.
std::string_view misplaced(const RunArguments &arguments) {
  return !arguments.trace.empty()        ? "--trace"
         : !arguments.dump.empty()       ? "--dump"
         : !arguments.parameters.empty() ? "--param"
         : !arguments.inputs.empty()     ? "--inputs"
                                         : std::string_view();
}

} // namespace

bool isForPython(const RunArguments &arguments, const Source &source) {
  return !arguments.python.empty() || repl::isProgram(source.text());
}

int handOver(const RunArguments &arguments) {
  if (std::string_view option = misplaced(arguments); !option.empty()) {
    complain(text("lanescope run: `", option, "` is for snippets and dumps; ", shownName(arguments.file),
                  " is a program, which Python runs\n"));
    return kUsage;
  }
  auto python = repl::PythonCommand::find(arguments.python);
  if (!python) {
    complain(text("lanescope run: ", python.error().front().message, "\n"));
    return kMachineLacks;
  }
  ::setenv("PYTHONPATH", python->path().c_str(), 1);
  std::vector<std::string> words = commandOf(arguments, python->program);
  std::vector<char *> argv;
  for (std::string &word : words)
    argv.push_back(word.data());
  argv.push_back(nullptr);
  ::execvp(argv[0], argv.data());
  complain(text("lanescope run: `", shownName(python->program), "` does not start: ", std::strerror(errno), "\n"));
  return kMachineLacks;
}

} // namespace lanescope::app
