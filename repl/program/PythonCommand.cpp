#include "repl/program/PythonCommand.h"

#include "core/gpu/runtime/OwnFile.h"
#include "core/gpu/runtime/Process.h"
#include "layouts/support/Visible.h"

#include <cstdlib>
#include <unistd.h>

namespace lanescope::repl {

namespace {

namespace fs = std::filesystem;

/// The folder that contains the package: beside the folder of this executable in a build, or in Debian's Python path in
/// an installation. Empty: there is none.
fs::path packageFolder() {
  for (const char *place : {"python", "lib/python3/dist-packages"}) {
    std::error_code ignored;
    fs::path folder = core::programFolder().parent_path() / place;
    if (fs::exists(folder / "lanescope" / "__main__.py", ignored))
      return folder;
  }
  return {};
}

bool isThere(const std::string &program) {
  if (program.find('/') != std::string::npos)
    return ::access(program.c_str(), X_OK) == 0;
  return !core::findProgram(program).empty();
}

} // namespace

Result<PythonCommand> PythonCommand::find(const std::string &wanted) {
  PythonCommand out{wanted, packageFolder()};
  const char *environment = std::getenv("VIRTUAL_ENV");
  if (wanted.empty())
    out.program = environment && *environment ? (fs::path(environment) / "bin" / "python3").string() : "python3";
  if (out.package.empty())
    return error("no-python",
                 "a program runs in Python with the package `lanescope`, which is not beside this program; "
                 "`./dev build` makes it");
  if (!isThere(out.program))
    return error("no-python", Message("there is no `{path}` to run the program with; install Python 3.11 or later with "
                                      "NumPy, or name another one with `--python`",
                                      shownName(out.program)));
  return out;
}

std::string PythonCommand::path() const {
  std::string out = package.string();
  if (const char *before = std::getenv("PYTHONPATH"); before && *before)
    out += std::string(":") + before;
  return out;
}

std::vector<std::string> PythonCommand::command(const std::vector<std::string> &words) const {
  std::vector<std::string> out = {"env", "PYTHONPATH=" + path(), program, "-P", "-m", "lanescope"};
  out.insert(out.end(), words.begin(), words.end());
  return out;
}

} // namespace lanescope::repl
