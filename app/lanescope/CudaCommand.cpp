#include "app/lanescope/Common.h"

#include "core/gpu/driver/Journal.h"
#include "core/gpu/driver/Settings.h"
#include "core/gpu/emulator/check/Rules.h"
#include "core/gpu/runtime/OwnFile.h"
#include "layouts/support/Text.h"
#include "layouts/support/Visible.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace lanescope::app {

namespace {

namespace fs = std::filesystem;

constexpr char kSearchPath[] = "LD_LIBRARY_PATH", kLibrary[] = "libcuda.so.1";
constexpr int kSignalled = 128, kNotFound = 127; // as shells say it

/// The folder of the driver library: beside the folder of our programs in a build tree, installed, or in the Python
/// package. Empty: it is not there.
fs::path driverFolder() {
  fs::path libraries = core::programFolder().parent_path() / "lib";
  std::error_code ignored;
  for (const fs::path &folder : {libraries / "lanescope" / "cuda", libraries / "cuda"})
    if (fs::exists(folder / kLibrary, ignored))
      return fs::canonical(folder, ignored);
  return {};
}

/// A file that the library writes to, removed at the end.
class JournalFile {
public:
  JournalFile() {
    std::error_code none;
    const fs::path folder = fs::temp_directory_path(none);
    if (folder.empty())
      return;
    path_ = (folder / "lanescope-cuda-XXXXXX").string();
    int file = ::mkstemp(path_.data());
    if (file < 0)
      path_.clear();
    else
      ::close(file);
  }
  ~JournalFile() {
    if (!path_.empty())
      ::unlink(path_.c_str());
  }
  JournalFile(const JournalFile &) = delete;
  JournalFile &operator=(const JournalFile &) = delete;
  const std::string &path() const { return path_; }

private:
  std::string path_;
};

core::driver::Settings settingsOf(const CudaArguments &arguments, const std::string &journal) {
  core::driver::Settings settings;
  settings.gpu = arguments.gpu;
  settings.devices = arguments.devices;
  settings.seed = arguments.emulation.seed;
  settings.seeds = arguments.seeds;
  settings.fast = arguments.emulation.fast;
  settings.strict = arguments.emulation.strict;
  settings.keepGoing = arguments.emulation.keepGoing;
  settings.strictRules = arguments.emulation.strictRules;
  settings.threads = arguments.emulation.threads;
  settings.timeLimit = arguments.timeLimit;
  settings.colour = ::isatty(STDERR_FILENO) && !std::getenv("NO_COLOR");
  settings.journal = journal;
  return settings;
}

/// The program ends when this one is killed.
[[noreturn]] void become(std::vector<std::string> words) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::vector<char *> argv;
  for (std::string &word : words)
    argv.push_back(word.data());
  argv.push_back(nullptr);
  ::execvp(argv[0], argv.data());
  complain(text("lanescope cuda: `", shownName(words[0]), "` does not start: ", std::strerror(errno), "\n"));
  ::_exit(kNotFound);
}

/// Runs the program; its exit status as a shell gives it.
int runProgram(const std::vector<std::string> &words) {
  pid_t child = ::fork();
  if (child == 0)
    become(words);
  if (child < 0) {
    complain(text("lanescope cuda: no process can be started: ", std::strerror(errno), "\n"));
    return kMachineLacks;
  }
  // Ctrl-C is for the program, which may have something to say at its end.
  auto former = std::signal(SIGINT, SIG_IGN);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR)
    continue;
  std::signal(SIGINT, former);
  return WIFSIGNALED(status) ? kSignalled + WTERMSIG(status) : WEXITSTATUS(status);
}

std::string counted(uint64_t count, std::string_view word) {
  std::string_view ending = count == 1 ? "" : word.ends_with("h") ? "es" : "s";
  return text(count, " ", word, ending);
}

} // namespace

int runCuda(const CudaArguments &arguments) {
  if (arguments.program.empty()) {
    complain("lanescope cuda: which program? `lanescope cuda -- ./my_program`\n");
    return kUsage;
  }
  if (auto rules = core::checkRuleNames(arguments.emulation.strictRules); !rules)
    return report(rules.error());
  fs::path folder = driverFolder();
  if (folder.empty()) {
    complain(text("lanescope cuda: there is no lib/lanescope/cuda/", kLibrary, " beside the folder of this program\n"));
    return kMachineLacks;
  }
  JournalFile journal;
  if (journal.path().empty()) { // without it no finding would be counted, and the exit status would be wrong
    complain("lanescope cuda: no file can be made in the folder for temporary files (`TMPDIR` names it)\n");
    return kMachineLacks;
  }
  const char *former = std::getenv(kSearchPath);
  std::string search = former && *former ? text(folder.string(), ":", former) : folder.string();
  ::setenv(kSearchPath, search.c_str(), 1);
  ::setenv(core::driver::kSettingsVariable, toText(settingsOf(arguments, journal.path())).c_str(), 1);
  int status = runProgram(arguments.program);
  core::driver::JournalCounts counts = core::driver::countJournal(journal.path());
  complain(text("lanescope cuda: ", counted(counts.launches, "launch"), " of ", counted(counts.kernels, "kernel"), "; ",
                counted(counts.faults, "fault"), ", ", counted(counts.hazards, "hazard"), ", ",
                counted(counts.notes, "note"), counts.notRun ? "; not all of it could run" : "", "\n"));
  if (counts.faults)
    return std::max<int>(status, kInputAtFault);
  return counts.notRun && status == kDone ? kMachineLacks : status;
}

} // namespace lanescope::app
