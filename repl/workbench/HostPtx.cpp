// The part of the window's host that shows PTX of any compiler. Files beside it or the user's form (LaunchForm.h)
// describe its launch.
#include "core/data/Files.h"
#include "core/gpu/codegen/StageKinds.h"
#include "core/gpu/emulator/costs/RunRecord.h"
#include "core/gpu/emulator/coverage/Schedule.h"
#include "core/gpu/emulator/coverage/SchedulePlan.h"
#include "core/gpu/emulator/Emulator.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "repl/workbench/LaunchForm.h"
#include "repl/workbench/SessionHost.h"

#include <algorithm>
#include <charconv>

namespace lanescope::repl {

namespace {

namespace fs = std::filesystem;

/// The lines of a page that findings and their notes point at.
std::vector<uint32_t> linesIn(const Diagnostics &findings, std::string_view title, const SourceRef &ptx) {
  std::vector<uint32_t> out;
  auto add = [&](const Span &span) {
    if (!span.source)
      return;
    bool here = span.source == ptx ? title == "ptx" : fs::path(span.source->name()).filename() == title;
    if (here)
      out.push_back(span.source->lineColumn(span.begin).line);
  };
  for (const Diagnostic &finding : findings) {
    add(finding.span);
    for (const Note &note : finding.notes)
      add(note.span);
  }
  std::ranges::sort(out);
  out.erase(std::ranges::unique(out).begin(), out.end());
  return out;
}

constexpr const char *kSeeds = "seeds", *kAdversarial = "adversarial";
constexpr uint32_t kMostSeeds = 1000;

/// The schedules that the form asks for, as `lanescope check --seeds N --adversarial` counts them.
Result<std::vector<uint64_t>> schedulesIn(const std::map<std::string, std::string> &set, const core::Launch &launch) {
  uint32_t seeds = 1;
  if (auto given = set.find(kSeeds); given != set.end()) {
    const std::string &value = given->second;
    auto [end, problem] = std::from_chars(value.data(), value.data() + value.size(), seeds);
    if (problem != std::errc() || end != value.data() + value.size() || seeds < 1 || seeds > kMostSeeds)
      return error(
          "launch-field",
          Message("`seeds` cannot be `{}`: it is a whole number from 1 to {limit}; 1 is one run", value, kMostSeeds));
  }
  auto adversarial = set.find(kAdversarial);
  return core::schedulesOf(seeds, adversarial != set.end() && adversarial->second == "True",
                           core::ScheduleExtent::of(launch));
}

/// The run in the form of a kernel's launch, which the debugger and the code view take.
KernelLaunch launchOfRun(CheckTarget target, core::RunResult result) {
  auto stages = std::make_shared<core::KernelStages>();
  stages->stages.push_back({core::kPtxStage, target.ptx});
  core::CompiledKernel &kernel = stages->kernel.emplace();
  kernel.name = target.launch.entry;
  kernel.ptx = target.ptx->text();
  for (size_t i = 0; i < target.arrays.size(); ++i)
    kernel.outputs.push_back(static_cast<uint32_t>(i));
  kernel.launch = std::move(target.launch);
  return {.kernel = kernel.name,
          .call = {},
          .device = "emulator",
          .stages = std::move(stages),
          .inputs = std::move(target.arrays),
          .result = std::make_shared<const core::RunResult>(std::move(result))};
}

} // namespace

Result<CheckTarget> SessionHost::launchOf(const fs::path &path, const SourceRef &ptx, viz::Opened &opened) {
  auto entries = LANESCOPE_TRY(core::entryNames(ptx));
  auto chosen = ptxSet_.find("entry");
  Diagnostics remarks;
  auto compiler = [this]() -> core::Compiler & { return session_->kernels().compiler(); };
  auto found = ptxTarget(path, {}, compiler, remarks);
  if (!found && found.error().front().kind != "no-launch")
    return found;
  print(render(remarks, true));
  if (!found || (chosen != ptxSet_.end() && found->launch.entry != chosen->second))
    found = guessedTarget(ptx, {.entry = chosen == ptxSet_.end() ? std::string() : chosen->second});
  if (!found)
    return found;
  if (entries.size() > 1)
    opened.parameters.push_back({.kind = viz::ParameterControl::Kind::List,
                                 .name = "entry",
                                 .about = "the kernel of this PTX",
                                 .value = found->launch.entry,
                                 .initial = entries.front(),
                                 .choices = entries});
  Diagnostics problems;
  auto refuse = [&](const Diagnostics &why) {
    opened.parameters.back().problem = why.front().message;
    problems.insert(problems.end(), why.begin(), why.end());
  };
  for (const LaunchField &field : launchFields(found->launch)) {
    auto set = ptxSet_.find(field.name);
    const std::string &value = set == ptxSet_.end() ? field.value : set->second;
    opened.parameters.push_back({.name = field.name,
                                 .about = field.about,
                                 .value = value,
                                 .initial = field.value,
                                 .choices = {},
                                 .takesFile = field.array});
    if (set == ptxSet_.end())
      continue;
    if (auto done = setLaunchField(found->launch, found->arrays, field.name, value, path.parent_path()); !done)
      refuse(done.error());
  }
  addSchedules(opened);
  if (auto schedules = schedulesIn(ptxSet_, found->launch); !schedules) {
    opened.parameters.back().problem = schedules.error().front().message;
    std::ranges::move(schedules.error(), std::back_inserter(problems));
  }
  if (!problems.empty())
    return std::unexpected(std::move(problems));
  return found;
}

void SessionHost::addSchedules(viz::Opened &opened) const {
  auto valueOf = [&](const char *name, const char *otherwise) {
    auto set = ptxSet_.find(name);
    return set == ptxSet_.end() ? std::string(otherwise) : set->second;
  };
  opened.parameters.push_back(
      {.kind = viz::ParameterControl::Kind::Switch,
       .name = kAdversarial,
       .about = "also runs in which one thing is late each: copies, arrivals, a warpgroup, a block",
       .value = valueOf(kAdversarial, "False"),
       .initial = "False",
       .choices = {}});
  opened.parameters.push_back({.name = kSeeds,
                               .about =
                                   "schedules to try: so many runs, each with copies that land at other times; the "
                                   "first one with a fault is shown",
                               .value = valueOf(kSeeds, "1"),
                               .initial = "1",
                               .choices = {}});
}

void SessionHost::openPtx(const fs::path &path, const SourceRef &ptx) {
  if (ptx_ != path.string())
    ptxSet_.clear(); // the settings are for another file
  ptx_ = path.string();
  HostMailbox::Parameters parameters = mailbox_.takeParameters();
  if (parameters.contains("entry"))
    ptxSet_.clear(); // the remaining settings are for another kernel
  for (auto &[name, value] : parameters)
    if (value)
      ptxSet_.insert_or_assign(name, *value);
    else
      ptxSet_.erase(name);
  snippet_.clear();
  viz::Opened opened{.path = path.string(), .again = again_, .launch = true};
  auto target = launchOf(path, ptx, opened);
  if (!again_)
    pushShow(codeOfPtx(path.filename().string(), ptx, path.string()));
  opened.ok = target.has_value();
  const bool asks = target && !target->guesses.empty() && !again_;
  if (asks)
    print(text("Nothing says how `", target->launch.entry, "` is launched. The line above the views holds a guess:\n  ",
               joined(target->guesses, "\n  "), "\nChange what is wrong, then press `run` (Ctrl+R).\n"));
  else if (target)
    launchPtx(path, *std::move(target));
  else
    print(render(target.error(), true));
  push(std::move(opened));
}

void SessionHost::launchPtx(const fs::path &path, CheckTarget target) {
  const core::Emulation &how = session_->kernels().options().emulation;
  std::vector<uint64_t> schedules = schedulesIn(ptxSet_, target.launch).value_or(std::vector<uint64_t>{how.seed});
  if (schedules.size() == 1)
    schedules.front() = how.seed;
  core::RunRecord record{.limit = record_.limit};
  core::EmulatorOptions options;
  options.record = &record;
  options.instant = how.fast;
  options.strict = how.strict;
  options.strictRules = how.strictRules;
  options.keepGoing = how.keepGoing;
  options.threads = how.threads;
  options.timeoutSeconds = session_->kernels().options().timeoutSeconds;
  options.interrupted = &stopLaunch_;
  stopLaunch_ = false;
  fileSince_ = milliseconds();
  Result<core::RunResult> result = std::unexpected(Diagnostics());
  size_t runs = 0;
  core::SchedulePlan plan(std::move(schedules));
  while (std::optional<uint64_t> schedule = plan.next()) { // the first run with an error is shown
    options.seed = *schedule;
    ++runs;
    result = core::emulate(target.ptx, target.launch, target.arrays, options);
    if (!result || hasErrors(result->diagnostics) || stopLaunch_)
      break;
    plan.ran(0, result->communicates);
  }
  fileSince_ = 0;
  if (!result)
    return print(render(result.error(), true));
  if (plan.size() > 1)
    print(text(runs, " of ", plan.size(), " schedules tried; what follows is of schedule ",
               core::scheduleText(options.seed), "\n"));
  if (!target.guesses.empty())
    print("This launch is partly a guess: the findings are those of that launch.\n");
  print(render(result->diagnostics, true));
  auto faults = std::ranges::count(result->diagnostics, Severity::Error, &Diagnostic::severity);
  print(text("`", target.launch.entry, "`: ",
             faults == 0   ? "no fault"
             : faults == 1 ? "a fault"
                           : text(faults, " faults"),
             result->note.empty() ? "" : text("; ", result->note), "\n"));
  viz::CodeRequest code = codeOfPtx(path.filename().string(), target.ptx, path.string(), &record);
  for (viz::CodeRequest::Page &page : code.pages)
    page.markedLines = linesIn(result->diagnostics, page.title, target.ptx);
  code.bringToFront = !again_;
  pushShow(std::move(code));
  KernelOptions debugged = session_->kernels().options();
  debugged.emulation.seed = options.seed;
  offerDebugger(launchOfRun(std::move(target), *std::move(result)), debugged, nullptr);
}

void SessionHost::openLaunch(const fs::path &path, const SourceRef &json) {
  auto launch = core::parseLaunch(json);
  if (!launch)
    return openFailed(launch.error());
  auto files = ptxFiles(path.parent_path().empty() ? fs::path(".") : path.parent_path());
  for (const fs::path &file : files.value_or(std::vector<fs::path>())) {
    auto ptx = core::readSource(file, core::FileRole::Ptx);
    auto entries = ptx ? core::entryNames(*ptx) : std::unexpected(std::move(ptx.error()));
    if (entries && launchBeside(file) == path && std::ranges::count(*entries, launch->entry) > 0)
      return openPtx(file, *ptx);
  }
  openFailed(
      error("no-ptx", {json, 0, 0},
            Message("this describes a launch of `{}`; no PTX beside it has an entry of that name", launch->entry))
          .error());
}

} // namespace lanescope::repl
