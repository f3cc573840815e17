#include "core/gpu/runtime/ForegroundProgram.h"

#include "layouts/support/Text.h"
#include "layouts/support/Visible.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace lanescope::core {

namespace {

constexpr int kSignalled = 128; // the offset that shells use

[[noreturn]] void become(std::vector<std::string> &words) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::vector<char *> argv;
  for (std::string &word : words)
    argv.push_back(word.data());
  argv.push_back(nullptr);
  ::execvp(argv[0], argv.data());
  std::string line = text("lanescope: `", shownName(words[0]), "` does not start: ", std::strerror(errno), "\n");
  (void)!::write(STDERR_FILENO, line.data(), line.size());
  ::_exit(kProgramNotFound);
}

} // namespace

Result<int> runForeground(std::vector<std::string> words) {
  pid_t child = ::fork();
  if (child == 0)
    become(words);
  if (child < 0)
    return error("process", Message("no process can be started: {}", std::strerror(errno)));
  // Ctrl-C must not end this process, because it may still print at the program's end.
  auto former = std::signal(SIGINT, SIG_IGN);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR)
    continue;
  std::signal(SIGINT, former);
  return WIFSIGNALED(status) ? kSignalled + WTERMSIG(status) : WEXITSTATUS(status);
}

TemporaryFile::TemporaryFile(const std::string &name) {
  std::error_code none;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(none);
  if (folder.empty())
    return;
  path_ = (folder / (name + "-XXXXXX")).string();
  int file = ::mkstemp(path_.data());
  if (file < 0)
    path_.clear();
  else
    ::close(file);
}

TemporaryFile::~TemporaryFile() {
  if (!path_.empty())
    ::unlink(path_.c_str());
}

} // namespace lanescope::core
