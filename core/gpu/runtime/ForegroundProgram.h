// A program that `lanescope cuda` and `lanescope record` start for the user, in the place of a shell: it has the
// terminal, and signals as this program has them, so that `nohup` stays what it is (ChildStart.h resets them).
//
//   TemporaryFile journal("lanescope-cuda");            // the program's libraries write to it
//   ::setenv(…, journal.path().c_str(), 1);
//   Result<int> status = runForeground({"./my_program", "--size", "512"});
#pragma once

#include "layouts/support/Diagnostic.h"

#include <string>
#include <vector>

namespace lanescope::core {

/// The exit status of a program that is not there, as shells say it.
inline constexpr int kProgramNotFound = 127;

/// Runs `words[0]`, searched in PATH, and waits for its end. The program ends when this one is killed; Ctrl-C is for
/// the program alone. Gives its exit status as a shell does: 128 and the signal's number where a signal ended it. Where
/// it does not start, standard error says so, and the status is kProgramNotFound. Errors: "process": no process can be
/// made.
Result<int> runForeground(std::vector<std::string> words);

/// An empty file in the folder for temporary files (`TMPDIR`), which is removed at the end.
class TemporaryFile {
public:
  explicit TemporaryFile(const std::string &name);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile &) = delete;
  TemporaryFile &operator=(const TemporaryFile &) = delete;
  /// Empty: no file can be made there.
  const std::string &path() const { return path_; }

private:
  std::string path_;
};

} // namespace lanescope::core
