#include "app/lanescope/EmulatePackages.h"

#include "core/data/Files.h"
#include "core/gpu/record/CompareRecorded.h"
#include "core/gpu/runtime/Package.h"
#include "layouts/support/Text.h"
#include "layouts/support/Visible.h"
#include "layouts/support/Words.h"
#include "repl/terminal/Interruption.h"

#include <algorithm>
#include <cstdio>
#include <map>

namespace lanescope::app {

namespace {

namespace fs = std::filesystem;

struct Row {
  std::string grade, words;
  bool good = false;
};

Row refused(const Diagnostics &problems) { return {"refused", problems.front().message, false}; }

Row replay(const fs::path &folder, const core::EmulatorOptions &options) {
  auto ptx = core::readSource(folder / "kernel.ptx", core::FileRole::Ptx);
  auto json = core::readSource(folder / "launch.json", core::FileRole::Json);
  if (!ptx || !json)
    return refused(ptx ? json.error() : ptx.error());
  auto launch = core::parseLaunch(*json);
  if (!launch)
    return refused(launch.error());
  auto arrays = core::loadBuffers(*launch, folder, *json);
  if (!arrays)
    return refused(arrays.error());
  auto result = core::emulate(*ptx, *launch, *arrays, options);
  if (!result)
    return refused(result.error());
  auto fault = std::ranges::find(result->diagnostics, Severity::Error, &Diagnostic::severity);
  if (fault != result->diagnostics.end()) {
    std::string words = core::record::ptxByNameWords(folder);
    return {"fault", text(fault->kind, ": ", fault->message, words.empty() ? "" : "; ", words), false};
  }
  auto verdict =
      core::record::compareRecorded(folder, *ptx, *launch, *arrays, result->outputs, !options.blocks.isAll());
  if (!verdict)
    return refused(verdict.error());
  return {core::record::name(verdict->grade), verdict->words, verdict->grade != core::record::ReplayGrade::Different};
}

} // namespace

std::vector<fs::path> recordedIn(const fs::path &folder) {
  std::vector<fs::path> out;
  std::error_code problem;
  for (fs::directory_iterator each(folder, problem), end; !problem && each != end; each.increment(problem))
    if (core::record::isRecorded(each->path()))
      out.push_back(each->path());
  std::ranges::sort(out);
  return out;
}

int emulatePackages(const std::vector<fs::path> &packages, core::EmulatorOptions options) {
  repl::Interruption interruption;
  options.interrupted = interruption.flag();
  std::map<std::string, size_t> counts;
  bool good = true;
  for (const fs::path &package : packages) {
    if (*options.interrupted) {
      say("interrupted: the others are not replayed\n");
      good = false;
      break;
    }
    Row row = replay(package, options);
    ++counts[row.grade];
    good = good && row.good;
    std::string grade = row.grade;
    grade.resize(std::max<size_t>(grade.size(), 14), ' ');
    say(text(grade, "  ", shownName(package.filename().string()), "  ", visibleLine(row.words), "\n"));
  }
  std::string all;
  for (const auto &[grade, count] : counts)
    all += text(all.empty() ? "" : ", ", count, " ", grade);
  say(text(counted(packages.size(), "package"), ": ", all, "\n"));
  return good ? kDone : kInputAtFault;
}

} // namespace lanescope::app
