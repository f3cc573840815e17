#include "app/lanescope/Common.h"

#include "core/gpu/driver/DriverJournal.h"
#include "core/gpu/driver/Settings.h"
#include "core/gpu/emulator/check/Rules.h"
#include "core/gpu/runtime/ForegroundProgram.h"
#include "core/gpu/runtime/OwnFile.h"
#include "layouts/support/Text.h"
#include "layouts/support/Words.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <unistd.h>

namespace lanescope::app {

namespace {

namespace fs = std::filesystem;

constexpr char kSearchPath[] = "LD_LIBRARY_PATH", kLibrary[] = "libcuda.so.1";

/// The folder of the driver library. It is beside the folder of our programs in a build tree, in an installation or in
/// the Python package. Empty: not found.
fs::path driverFolder() {
  fs::path libraries = core::programFolder().parent_path() / "lib";
  std::error_code ignored;
  for (const fs::path &folder : {libraries / "lanescope" / "cuda", libraries / "cuda"})
    if (fs::exists(folder / kLibrary, ignored))
      return fs::canonical(folder, ignored);
  return {};
}

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
  core::TemporaryFile journal("lanescope-cuda");
  if (journal.path().empty()) { // without the journal, findings are not counted, and the exit status is wrong
    complain("lanescope cuda: no file can be made in the folder for temporary files (`TMPDIR` names it)\n");
    return kMachineLacks;
  }
  const char *former = std::getenv(kSearchPath);
  std::string search = former && *former ? text(folder.string(), ":", former) : folder.string();
  ::setenv(kSearchPath, search.c_str(), 1);
  ::setenv(core::driver::kSettingsVariable, toText(settingsOf(arguments, journal.path())).c_str(), 1);
  auto status = core::runForeground(arguments.program);
  if (!status) {
    report(status.error());
    return kMachineLacks;
  }
  core::driver::JournalCounts counts = core::driver::countJournal(journal.path());
  complain(text("lanescope cuda: ", counted(counts.launches, "launch", "launches"), " of ",
                counted(counts.kernels, "kernel"), "; ", counted(counts.faults, "fault"), ", ",
                counted(counts.hazards, "hazard"), ", ", counted(counts.notes, "note"),
                counts.notRun ? "; not all of it could run" : "", "\n"));
  if (counts.faults)
    return std::max<int>(*status, kInputAtFault);
  return counts.notRun && *status == kDone ? kMachineLacks : *status;
}

} // namespace lanescope::app
