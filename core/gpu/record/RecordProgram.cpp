#include "core/gpu/record/RecordProgram.h"

#include "core/gpu/record/RecordedPackage.h"
#include "core/gpu/record/TouchedMemory.h"
#include "core/gpu/runtime/ForegroundProgram.h"
#include "core/gpu/runtime/OwnFile.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "layouts/support/Visible.h"
#include "layouts/support/Words.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex.h>
#include <sstream>

namespace lanescope::core::record {

namespace {

namespace fs = std::filesystem;
constexpr char kPreload[] = "LD_PRELOAD", kLibrary[] = "liblanescope_record.so";
constexpr char kDefaultFolder[] = "recorded";

std::vector<std::string> fieldsOf(const std::string &line) {
  std::vector<std::string> out;
  std::istringstream rest(line);
  for (std::string field; std::getline(rest, field, '\t');)
    out.push_back(field);
  return out;
}

/// Reads the library's report, which has a line for each kernel, each package, and each launch that was left out.
struct Journal {
  std::vector<std::vector<std::string>> kernels;
  std::map<std::string, uint64_t> launches; // keyed by name, grid, block, shared memory
  std::map<std::string, uint64_t> states, leftOut;
  std::vector<std::string> packages; // their folders
  uint64_t graphs = 0;
  std::string stopped;
};

Journal readJournal(const std::string &path) {
  Journal out;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::vector<std::string> fields = fieldsOf(line);
    if (fields.empty())
      continue;
    if (fields[0] == "kernel" && fields.size() == 7)
      out.kernels.push_back(fields);
    else if (fields[0] == "count" && fields.size() == 6)
      out.launches[joined(std::span(fields).subspan(1, 4), "\t")] += parseInteger<uint64_t>(fields[5]).value_or(0);
    else if (fields[0] == "package" && fields.size() == 5)
      out.packages.push_back(fields[4]), ++out.states[fields[2]];
    else if (fields[0] == "left out" && fields.size() == 3)
      ++out.leftOut[text(fields[1], ": ", fields[2])];
    else if (fields[0] == "graphs" && fields.size() == 2)
      out.graphs += parseInteger<uint64_t>(fields[1]).value_or(0);
    else if (fields[0] == "stopped" && fields.size() == 2)
      out.stopped = fields[1];
  }
  return out;
}

std::string tableOf(const Journal &journal) {
  std::string out = "launches  registers  grid            block           kernel\n";
  for (const std::vector<std::string> &one : journal.kernels) {
    auto count = journal.launches.find(joined(std::span(one).subspan(1, 4), "\t"));
    char columns[128];
    std::snprintf(columns, sizeof columns, "%8s  %9s  %-14s  %-14s  ",
                  count == journal.launches.end() ? "?" : text(count->second).c_str(), one[5].c_str(), one[2].c_str(),
                  one[3].c_str());
    out += text(columns, visibleLine(one[1]), one[6] == "PTX" ? "" : text(" (", visibleLine(one[6]), ")"), "\n");
  }
  return out;
}

/// The number of packages in each folder: the command's, and those that the program chose (Recorder::begin).
std::map<fs::path, uint64_t> packagesByFolder(const Journal &journal, const RecordSettings &settings) {
  std::map<fs::path, uint64_t> out{{(fs::path(settings.folder) / "").parent_path(), 0}};
  for (const std::string &package : journal.packages)
    ++out[fs::path(package).parent_path()];
  return out;
}

std::string wordsOf(const Journal &journal, const RecordSettings &settings) {
  std::string out;
  for (const auto &[why, count] : journal.leftOut)
    out += text("left out: ", visibleLine(why), count > 1 ? text(" (", count, " times)") : "", "\n");
  std::map<std::string, uint64_t> without;
  for (const std::vector<std::string> &one : journal.kernels)
    if (one[6] != "PTX")
      ++without[one[6]];
  for (const auto &[why, count] : without)
    out += text(count, count == 1 ? " kind of launch was" : " kinds of launches were",
                " without PTX: ", visibleLine(why), "\n");
  if (journal.graphs)
    out += text(journal.graphs, journal.graphs == 1 ? " launch of a graph" : " launches of graphs",
                " that cannot be read: the kernels in it are not recorded\n");
  if (!journal.stopped.empty())
    out += text("recording stopped: ", visibleLine(journal.stopped), "\n");
  if (auto running = journal.states.find("running"); running != journal.states.end())
    out += text(running->second,
                " did not end within the time limit; `lanescope emulate` says what each warp waits for\n");
  if (!settings.list)
    for (const auto &[folder, count] : packagesByFolder(journal, settings))
      out += text(counted(count, "package"), " in ", shownName(folder.string()), "\n");
  return out;
}

/// Removes unfinished packages of processes that were killed while they wrote: `NAME-PID-N.lspkg.part`.
void removeUnfinished(const fs::path &folder) {
  std::error_code problem;
  std::vector<fs::path> left;
  for (fs::directory_iterator each(folder, problem), end; !problem && each != end; each.increment(problem)) {
    std::string name = each->path().filename().string();
    size_t last = name.rfind('-'), before = last == name.npos || last == 0 ? name.npos : name.rfind('-', last - 1);
    if (!name.ends_with(".lspkg.part") || before == name.npos)
      continue;
    auto process = parseInteger<pid_t>(name.substr(before + 1, last - before - 1));
    if (process && *process > 0 && ::kill(*process, 0) != 0 && errno == ESRCH)
      left.push_back(each->path());
  }
  for (const fs::path &each : left)
    fs::remove_all(each, problem);
}

/// Restricts each package to the memory that its replay accesses. Returns what became of them.
std::string touchedWords(const Journal &journal, double timeLimit) {
  std::string out;
  uint64_t kept = 0, all = 0, packages = 0;
  for (const std::string &folder : journal.packages) {
    auto touched = keepTouched(folder, timeLimit);
    if (!touched) {
      out += text("--touched: ", shownName(fs::path(folder).filename().string()), ": ",
                  visibleLine(touched.error().front().message), "\n");
      continue;
    }
    ++packages;
    kept += touched->kept;
    all += touched->all;
  }
  if (packages)
    out += text("--touched: ", packages, packages == 1 ? " package keeps " : " packages keep ", kept, " of ", all,
                " bytes\n");
  return out;
}

} // namespace

Result<RecordReport> recordProgram(RecordRequest request) {
  RecordSettings &settings = request.settings;
  if (request.program.empty())
    return error(kUsageKind, "which program? `record -- ./my_program`");
  if (request.touched && !settings.arrays)
    return error(kUsageKind,
                 "`--touched` and `--no-arrays` exclude each other: without arrays there is no memory to keep");
  regex_t expression;
  if (::regcomp(&expression, settings.kernel.c_str(), REG_EXTENDED | REG_NOSUB) != 0)
    return error(kUsageKind, Message("`{kernel}` is no regular expression", settings.kernel));
  ::regfree(&expression);
  fs::path preloaded = ownLibrary(kLibrary);
  if (preloaded.empty())
    return error(kKind, Message("there is no {} beside this program, nor in lib/lanescope", kLibrary));
  settings.folder = settings.folder.empty() ? kDefaultFolder : settings.folder;
  std::error_code problem;
  settings.folder = fs::absolute(settings.folder, problem).string();
  for (std::string &folder : settings.ptxFolders)
    folder = fs::absolute(folder, problem).string();
  if (!settings.list)
    fs::create_directories(settings.folder, problem);
  if (problem)
    return error(kKind, Message("cannot create `{}`: {}", settings.folder, problem.message()));
  TemporaryFile file("lanescope-record");
  if (file.path().empty())
    return error(kKind, "no file can be made in the folder for temporary files (`TMPDIR` names it)");
  settings.journal = file.path();
  const char *former = std::getenv(kPreload);
  std::string preload = former && *former ? text(preloaded.string(), ":", former) : preloaded.string();
  ::setenv(kPreload, preload.c_str(), 1);
  ::setenv(kRecordVariable, toText(settings).c_str(), 1);
  RecordReport report;
  report.status = LANESCOPE_TRY(runForeground(request.program));
  Journal journal = readJournal(settings.journal);
  if (!settings.list)
    for (const auto &[folder, count] : packagesByFolder(journal, settings))
      removeUnfinished(folder);
  report.table = settings.list ? tableOf(journal) : "";
  report.words = wordsOf(journal, settings);
  if (request.touched)
    report.words += touchedWords(journal, settings.timeLimit);
  return report;
}

} // namespace lanescope::core::record
