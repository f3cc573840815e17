// Runs a program for the user as a shell would, for `lanescope cuda` and `lanescope record`. The program has the
// terminal. Unlike a child of ChildStart.h, it inherits this process's signal settings, so that `nohup` works.
//
//   TemporaryFile journal("lanescope-cuda");            // the program's libraries write to it
//   ::setenv(…, journal.path().c_str(), 1);
//   Result<int> status = runForeground({"./my_program", "--size", "512"});
#pragma once

#include "layouts/support/Diagnostic.h"

#include <string>
#include <vector>

namespace lanescope::core {

/// The exit status for a missing program, as in shells.
inline constexpr int kProgramNotFound = 127;

/// Runs `words[0]`, searched in PATH, and waits for its end. The program is killed when this one is; Ctrl-C reaches
/// only the program. Returns its exit status as a shell does: 128 plus the signal's number if a signal ended it. If it
/// does not start, standard error has the reason, and the status is kProgramNotFound. Errors: "process": no process can
/// be created.
Result<int> runForeground(std::vector<std::string> words);

/// An empty file in the folder for temporary files (`TMPDIR`), removed by the destructor.
class TemporaryFile {
public:
  explicit TemporaryFile(const std::string &name);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile &) = delete;
  TemporaryFile &operator=(const TemporaryFile &) = delete;
  /// The file's path; empty if the file could not be created.
  const std::string &path() const { return path_; }

private:
  std::string path_;
};

} // namespace lanescope::core
