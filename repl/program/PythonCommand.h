// The Python that runs programs, and the way it finds the package `lanescope`.
//
//   auto python = PythonCommand::find("");           // $VIRTUAL_ENV/bin/python3, else python3
//   python->command({"host", "numpy"})      // {"env", "PYTHONPATH=…", "python3", "-P", "-m", "lanescope", "host", …}
#pragma once

#include "layouts/support/Diagnostic.h"

#include <filesystem>
#include <string>
#include <vector>

namespace lanescope::repl {

struct PythonCommand {
  std::string program;           // a name or a path
  std::filesystem::path package; // the folder that holds the package

  /// `wanted`: the value of `--python`; empty: $VIRTUAL_ENV/bin/python3, else `python3` from PATH. Error: "no-python".
  static Result<PythonCommand> find(const std::string &wanted);
  /// The value of PYTHONPATH: the package's folder, then the current value.
  std::string path() const;
  /// A command that runs the package's `__main__` with these words. Python finds no module in the working directory.
  std::vector<std::string> command(const std::vector<std::string> &words) const;
};

} // namespace lanescope::repl
