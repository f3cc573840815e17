// The Python that runs programs, and how it finds the package `lanescope`.
#pragma once

#include "layouts/support/Diagnostic.h"

#include <filesystem>
#include <string>
#include <vector>

namespace lanescope::repl {

struct PythonCommand {
  std::string program;           // name or path of Python
  std::filesystem::path package; // the folder that holds the package

  /// Finds Python. `wanted`: the value of `--python`; if empty, it is $VIRTUAL_ENV/bin/python3, else `python3` from
  /// PATH. Error: "no-python".
  static Result<PythonCommand> find(const std::string &wanted);
  /// The value for PYTHONPATH: the package's folder, then the current value.
  std::string path() const;
  /// A command that runs the package's `__main__` with these words. In it, Python does not find modules of the working
  /// directory.
  std::vector<std::string> command(const std::vector<std::string> &words) const;
};

} // namespace lanescope::repl
