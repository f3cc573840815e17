#include "repl/check/Check.h"

#include "core/data/Files.h"
#include "core/data/Progress.h"
#include "core/gpu/codegen/Compiler.h"
#include "core/gpu/emulator/check/Rules.h"
#include "core/gpu/emulator/CheckedRuns.h"
#include "core/gpu/emulator/coverage/Schedule.h"
#include "core/gpu/emulator/coverage/SchedulePlan.h"
#include "core/gpu/emulator/DecodedKernels.h"
#include "core/gpu/emulator/Emulator.h"
#include "core/gpu/emulator/EmulatorDevice.h"
#include "core/gpu/record/ProgramStack.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "layouts/support/Visible.h"
#include "repl/check/CheckTargets.h"
#include "repl/check/PlannedDevice.h"
#include "repl/check/ProgramRun.h"
#include "repl/files/FileKind.h"
#include "repl/session/Session.h"
#include "repl/terminal/Interruption.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

namespace lanescope::repl {

namespace {

namespace fs = std::filesystem;

// The time that a check takes in addition to its runs, in microseconds: starting the process for PTX, compiling for a
// snippet. Each kernel of a folder gets its own share, so that its verdict does not depend on the other kernels.
constexpr double kProcess = core::kCheckMicroseconds, kCompiler = 40'000, kOfMany = 3'000;
constexpr double kSizeSeconds = 60;   // limit in seconds of the search for sizes
constexpr double kShrinkSeconds = 60; // limit in seconds of the search for a smaller launch

/// The kernel's name in its PTX.
std::string entryOf(const KernelLaunch &launch) {
  return launch.stages && launch.stages->kernel ? launch.stages->kernel->launch.entry : launch.kernel;
}

/// Moves places in a copy of the kernel's PTX to the PTX as the program launched it. A device names its copy after the
/// kernel, so a finding would else have one place in the program's own run and another one in later runs.
Diagnostics placedInProgram(Diagnostics findings, const KernelLaunch &launch) {
  const core::Stage *ptx = launch.stages->find(core::kPtxStage.id);
  if (!ptx || !ptx->source)
    return findings;
  auto move = [&](Span &span) {
    if (span.source && span.source != ptx->source && span.source->text() == ptx->text())
      span.source = ptx->source;
  };
  for (Diagnostic &finding : findings) {
    move(finding.span);
    for (Note &note : finding.notes)
      move(note.span);
  }
  return findings;
}

class Checking {
public:
  explicit Checking(const CheckOptions &options) : options_(options) {
    if (options.coverage)
      report_.coverage.emplace();
  }

  CheckReport take() {
    if (options_.sketch.grid && !used_.contains("--grid"))
      report_.unused.emplace_back("--grid");
    for (const auto &[name, value] : options_.sketch.arguments)
      if (std::string option = text("--arg ", name); !used_.contains(option))
        report_.unused.push_back(std::move(option));
    matchAllows();
    for (const AllowComment &comment : report_.allows)
      if (!comment.used && !options_.ofMany && !report_.interrupted)
        report_.findings.push_back({unusedAllow(comment), "0"});
    sortFindings();
    return std::move(report_);
  }

  /// Takes the error that ended the check as a problem beside the findings, which may be its cause: a program that
  /// asserts its result fails after the race that spoils it. False if there are no findings.
  bool keepBeside(Diagnostics &error) {
    if (report_.findings.empty())
      return false;
    std::ranges::move(error, std::back_inserter(report_.problems));
    return true;
  }

  /// Checks a PTX file. `ofMany`: the file is one of several, whose kernels have different argument names.
  Result<void> ptx(const fs::path &path, bool ofMany) {
    auto compiler = [&]() -> core::Compiler & { return compiler_ ? *compiler_ : compiler_.emplace(); };
    TargetOptions how{.launch = options_.launch, .sketch = options_.sketch, .inductor = &inductor_};
    how.sketch.ofOthersToo = ofMany;
    CheckTarget target = LANESCOPE_TRY(ptxTarget(path, how, compiler, report_.remarks));
    ++report_.kernels;
    used_.insert(target.used.begin(), target.used.end());
    if (auto decoded = decoded_.get(target.ptx, target.launch, nullptr)) // its errors are reported by the run
      addAllows(*(*decoded)->program.module);
    if (!target.guesses.empty()) {
      report_.guessed.push_back({path.string(), target.launch.entry, target.launch.grid, target.guesses});
      report_.remarks.push_back(
          {Severity::Note,
           "guessed-launch",
           {target.ptx, 0, 0},
           text("no description gives all of this kernel's launch; guessed: ", joined(target.guesses, "; "),
                " (`--grid`, `--arg NAME=VALUE`); its arrays hold invented numbers"),
           {}});
    }
    core::ScheduleReserve reserve{ofMany ? kOfMany : kProcess};
    const core::ScheduleExtent extent = core::ScheduleExtent::of(target.launch);
    core::SchedulePlan plan =
        planned() ? core::SchedulePlan(reserve, extent, target.ptx->text().size(), core::arrayBytesOf(target.launch))
                  : core::SchedulePlan(schedules(extent));
    core::ProgressStep step(options_.progress, "schedule", planned() ? 0 : plan.size());
    const size_t findings = report_.findings.size();
    while (std::optional<uint64_t> schedule = plan.next()) {
      if (!LANESCOPE_TRY(ptxRun(target, *schedule, plan)))
        return {};
      step.advance();
    }
    if (report_.findings.size() > findings)
      addLaunchPlace(path, target);
    if (options_.shrink && !report_.findings.empty() && !stopped())
      shrinkFirst(target);
    return {};
  }

  Result<void> folder(const fs::path &path) {
    std::vector<fs::path> files = LANESCOPE_TRY(ptxFiles(path));
    core::ProgressStep step(options_.progress, "kernel", files.size());
    for (const fs::path &file : files) {
      if (stopped())
        break;
      step.name(file.filename().string());
      if (Result<void> done = ptx(file, true); !done)
        std::ranges::move(done.error(), std::back_inserter(report_.problems));
      step.advance();
    }
    return {};
  }

  Result<void> snippet(const fs::path &path) {
    SourceRef source = LANESCOPE_TRY(core::readSource(path, core::FileRole::Snippet));
    addAllows(source);
    if (planned())
      return snippetRun(source, 0, nullptr, nullptr, true);
    core::ScheduleExtent extent;
    LANESCOPE_CHECK(snippetRun(source, schedules({}).front(), coverage(), &extent, true));
    std::vector<uint64_t> all = schedules(extent);
    core::ProgressStep step(options_.progress, "schedule", all.size());
    for (size_t n = 1; n < all.size() && !stopped(); ++n) {
      step.advance();
      LANESCOPE_CHECK(snippetRun(source, all[n], coverage(), nullptr, true));
    }
    if (!report_.coverage || !report_.findings.empty() || stopped())
      return {};
    auto gapsWith = [&](const SourceRef &changed) -> Result<Diagnostics> {
      core::Coverage shown; // coverage of the two schedules that exercise most
      for (uint64_t schedule : {uint64_t{0}, core::Schedule{0, core::Adversary::SlowCopies}.number()})
        LANESCOPE_CHECK(snippetRun(changed, schedule, &shown, nullptr, false));
      return shown.gaps();
    };
    if (Diagnostics gaps = report_.coverage->gaps(); !gaps.empty())
      report_.sizes = searchSizes(source, gaps, gapsWith, kSizeSeconds);
    return {};
  }

  /// Runs a program in Python, and then its kernels under more schedules. Errors: the program cannot be started, or
  /// fails.
  Result<void> program(const fs::path &path, const SourceRef &source) {
    addAllows(source);
    const bool keptGoing = keepsGoing();
    ProgramRun run = LANESCOPE_TRY(programRun(path, source));
    for (const KernelLaunch &launch : run.calls)
      addAllows(launch);
    if (!keptGoing && keepsGoing() && run.end.faults > 0 && !stopped())
      run = LANESCOPE_TRY(programRun(path, source)); // the fault may be an allowed one, which hides what comes after it
    report_.remarks.push_back(run.remark);
    report_.runs += run.end.calls;
    bool faulted = run.end.faults > 0;
    for (const KernelLaunch &launch : run.calls) {
      if (launch.result)
        add(launch.result->diagnostics, 0, entryOf(launch));
      if (!stopped() && launch.stages->kernel && !launch.inputs.empty() &&
          (keepsGoing() || !(launch.result && hasErrors(launch.result->diagnostics))))
        LANESCOPE_CHECK(callRuns(launch));
    }
    if (run.end.leftOut > 0)
      report_.remarks.push_back(
          {Severity::Note,
           kProgramKind,
           run.remark.span,
           text(run.end.calls, " calls of kernels; the first of each kernel was run under more schedules"),
           {}});
    if (stopped())
      return {};
    if (!run.end.problems.empty() && !(run.end.faulted && faulted))
      return std::unexpected(std::move(run.end.problems));
    if (run.end.status != 0 && !faulted)
      return error(kProgramKind, run.remark.span, Message("the program ended with exit status {}", run.end.status),
                   {{{}, text("it wrote: ", run.lastWords)}});
    return {};
  }

private:
  Result<ProgramRun> programRun(const fs::path &path, const SourceRef &source) {
    return runProgram({.python = options_.python,
                       .path = path,
                       .text = source->text(),
                       .arguments = options_.arguments,
                       .arch = options_.arch,
                       .emulation = {.seed = options_.schedule.value_or(0),
                                     .keepGoing = keepsGoing(),
                                     .strictRules = options_.strictRules},
                       .timeLimit = options_.timeLimit,
                       .interrupted = options_.interrupted});
  }

  void sortFindings() {
    std::ranges::stable_sort(report_.findings, {}, [](const Finding &finding) {
      return std::tuple(!finding.allowed.empty(), finding.severity, core::isConsequence(finding));
    });
  }

  /// Runs the launch under all chosen schedules but 0, under which the program itself ran.
  Result<void> callRuns(const KernelLaunch &launch) {
    const core::CompiledKernel &kernel = *launch.stages->kernel;
    core::RunOptions run{.timeoutSeconds = options_.timeLimit};
    run.interrupted = options_.interrupted;
    run.emulation = {.keepGoing = keepsGoing(), .threads = options_.threads, .strictRules = options_.strictRules};
    if (planned()) {
      core::ScheduleReserve reserve{kCompiler};
      auto device =
          makePlannedDevice(reserve, [&](const Diagnostics &findings, uint64_t schedule, const std::string &entry) {
            add(placedInProgram(takeInterrupted(findings), launch), schedule, entry);
            ++report_.runs;
          });
      LANESCOPE_TRY(device->run(kernel, launch.inputs, run));
      return {};
    }
    auto device = core::makeEmulatorDevice(coverage());
    core::SchedulePlan plan(schedules(core::ScheduleExtent::of(kernel.launch)));
    while (std::optional<uint64_t> schedule = plan.next()) {
      run.emulation.seed = *schedule;
      core::RunResult result = LANESCOPE_TRY(device->run(kernel, launch.inputs, run));
      plan.ran(0, result.communicates);
      add(placedInProgram(takeInterrupted(std::move(result.diagnostics)), launch), *schedule, kernel.launch.entry);
      ++report_.runs;
      if (stopped())
        break;
    }
    return {};
  }

  /// Runs the target. Returns false if the launch is guessed, and the run says nothing about the kernel.
  Result<bool> ptxRun(const CheckTarget &target, uint64_t schedule, core::SchedulePlan &plan) {
    core::EmulatorOptions emulation{.seed = schedule,
                                    .keepGoing = keepsGoing(),
                                    .strictRules = options_.strictRules,
                                    .threads = options_.threads,
                                    .blocks = options_.blocks,
                                    .coverage = coverage(),
                                    .decoded = &decoded_,
                                    .timeoutSeconds = options_.timeLimit,
                                    .interrupted = options_.interrupted,
                                    .progress = options_.progress};
    core::EmulatorStatistics counted;
    core::RunResult result =
        LANESCOPE_TRY(core::emulate(target.ptx, target.launch, target.arrays, emulation, &counted));
    ++report_.runs;
    if (stopped()) {
      add(takeInterrupted(result.diagnostics), schedule, target.launch.entry);
      return false;
    }
    if (!target.guesses.empty() && beyondGuess(result.diagnostics))
      return false;
    add(result.diagnostics, schedule, target.launch.entry);
    plan.ran(counted.warpInstructions + counted.judged, result.communicates);
    if (planned() && !keepsGoing() && hasErrors(result.diagnostics) && !core::mayHaveOtherCause(result.diagnostics))
      plan.stop();
    return true;
  }

  /// Says where the program made a recorded launch that has findings.
  void addLaunchPlace(const fs::path &ptx, const CheckTarget &target) {
    auto stack = core::record::programStack(ptx.parent_path());
    std::string place = stack ? stack->place() : std::string();
    if (!place.empty())
      report_.remarks.push_back({Severity::Note,
                                 "record",
                                 {target.ptx, 0, 0},
                                 text("launch ", stack->launch, " of the recorded program, by ", visibleLine(place),
                                      "; `lanescope list --stack` shows its call stack"),
                                 {}});
  }

  /// Searches a smaller launch that shows the first finding.
  void shrinkFirst(const CheckTarget &target) {
    matchAllows();
    sortFindings();
    const Finding &finding = report_.findings.front();
    core::EmulatorOptions emulation{.seed = core::parseSchedule(finding.schedule).value_or(0),
                                    .keepGoing = keepsGoing(),
                                    .strictRules = options_.strictRules,
                                    .threads = options_.threads,
                                    .decoded = &decoded_,
                                    .timeoutSeconds = options_.timeLimit,
                                    .interrupted = options_.interrupted};
    core::ProgressStep step(options_.progress, "smaller launch");
    Shrunk shrunk =
        shrink(target.launch, kShrinkSeconds, [&](const core::Launch &launch, const core::BlockChoice &blocks) {
          if (stopped())
            return false;
          step.advance();
          emulation.blocks = blocks;
          auto result = core::emulate(target.ptx, launch, target.arrays, emulation);
          return result && std::ranges::any_of(result->diagnostics, [&](const Diagnostic &each) {
                   return core::isSameFinding(each, finding);
                 });
        });
    shrunk.endedEarly |= stopped();
    report_.smaller = {finding, target.launch.grid, std::move(shrunk)};
  }

  /// Moves the diagnostic for an interrupted run to the problems, since it is no finding. Returns the other
  /// diagnostics.
  Diagnostics takeInterrupted(Diagnostics diagnostics) {
    std::erase_if(diagnostics, [&](const Diagnostic &each) {
      bool is = each.kind == "interrupted";
      if (is)
        report_.problems.push_back(each);
      return is;
    });
    return diagnostics;
  }

  bool stopped() {
    report_.interrupted |= options_.interrupted && *options_.interrupted;
    return report_.interrupted;
  }

  /// True if no option chooses the schedules.
  bool planned() const { return !options_.schedule && !options_.seeds && !options_.adversaries && !options_.coverage; }

  core::Coverage *coverage() { return report_.coverage ? &*report_.coverage : nullptr; }

  /// The schedules that the options ask for.
  std::vector<uint64_t> schedules(const core::ScheduleExtent &extent) const {
    if (options_.schedule)
      return {*options_.schedule};
    std::vector<uint64_t> all =
        core::schedulesOf(options_.seeds.value_or(1), options_.adversaries || options_.coverage, extent);
    if (options_.coverage)
      addSlowOnes(all, extent);
    return all;
  }

  /// Coverage counts every warp, and every block, that comes to an access. Adds the schedules in which one of them is
  /// slow, up to a number that takes seconds with a small kernel.
  static void addSlowOnes(std::vector<uint64_t> &all, const core::ScheduleExtent &extent) {
    constexpr uint32_t kMostWarps = 32, kMostBlocks = 16;
    auto add = [&](const core::Schedule &schedule) {
      if (std::ranges::find(all, schedule.number()) == all.end())
        all.push_back(schedule.number());
    };
    for (uint32_t warp = 0; extent.warps > 1 && warp < std::min(extent.warps, kMostWarps); ++warp)
      add({.adversary = core::Adversary::SlowWarp, .warp = warp});
    const uint32_t width = extent.clusterWidth;
    for (uint32_t block = 0;
         extent.devices == 1 && extent.blocks > width && block < extent.blocks && block < kMostBlocks * width;
         block += width)
      add({.adversary = core::Adversary::SlowBlock, .block = block});
  }

  /// With a comment that allows a fault, the run has to go on after the fault: it would hide others.
  bool keepsGoing() const { return options_.keepGoing || !report_.allows.empty(); }

  void addAllows(const SourceRef &source) { addAllows(readAllowComments(source)); }
  void addAllows(const core::emulator::Module &module) { addAllows(readAllowComments(module)); }

  /// Adds comments. A file may be the source of several kernels.
  void addAllows(AllowComments read) {
    for (AllowComment &comment : read.comments) {
      auto same = [&](const AllowComment &other) {
        return core::isSameSpan(other.place, comment.place) &&
               other.place.source->text() == comment.place.source->text();
      };
      if (std::ranges::none_of(report_.allows, same))
        report_.allows.push_back(std::move(comment));
    }
    for (Diagnostic &problem : read.problems)
      if (std::ranges::none_of(report_.problems,
                               [&](const Diagnostic &other) { return core::isSamePlace(other, problem); }))
        report_.problems.push_back(std::move(problem));
  }

  /// Adds the comments of the PTX that a program launched, and those of its sources.
  void addAllows(const KernelLaunch &launch) {
    const core::Stage *ptx = launch.stages ? launch.stages->find(core::kPtxStage.id) : nullptr;
    if (!ptx || !ptx->source || !launch.stages->kernel)
      return;
    if (auto decoded = decoded_.get(ptx->source, launch.stages->kernel->launch, nullptr))
      addAllows(*(*decoded)->program.module);
  }

  void add(const Diagnostics &diagnostics, uint64_t schedule, const std::string &kernel) {
    for (const Diagnostic &finding : diagnostics) {
      bool wanted = finding.severity == Severity::Error || options_.rules.empty() ||
                    std::ranges::find(options_.rules, finding.kind) != options_.rules.end();
      auto same = [&](const Finding &other) { return core::isSameFinding(other, finding); };
      if (!wanted || std::ranges::any_of(report_.findings, same))
        continue;
      report_.findings.emplace_back(finding, core::scheduleText(schedule), kernel);
    }
  }

  /// Marks the findings that a comment allows. The code of a program, and with it the comments, is known only after the
  /// program has run.
  void matchAllows() {
    for (Finding &finding : report_.findings)
      for (AllowComment &comment : report_.allows)
        if (comment.allows(finding.kind, finding.span)) {
          finding.allowed = comment.reason;
          comment.used = true;
        }
  }

  /// True if the findings may come from a guess: a use outside a buffer of guessed size, or a loop over a guessed
  /// number.
  bool beyondGuess(const Diagnostics &diagnostics) {
    auto found = std::ranges::find_if(diagnostics, [](const Diagnostic &finding) {
      return finding.kind == "global-out-of-bounds" || finding.kind == "timeout";
    });
    if (found == diagnostics.end())
      return false;
    report_.problems.push_back({Severity::Error, "guessed-launch", found->span,
                                text("with the guessed launch this kernel ",
                                     found->kind == "timeout" ? "takes too long (" : "leaves its buffers (",
                                     found->message, "); give its numbers with `--arg NAME=VALUE`, or a `launch.json`"),
                                found->notes});
    return true;
  }

  /// Runs the snippet. `extent` gets the largest sizes of its launches. Errors: those of the snippet itself, not of its
  /// kernels.
  Result<void> snippetRun(const SourceRef &source, uint64_t schedule, core::Coverage *coverage,
                          core::ScheduleExtent *extent, bool counts) {
    KernelOptions kernels{.device = "emulator"};
    if (!options_.arch.empty())
      kernels.arch = options_.arch;
    kernels.emulation = {
        .seed = schedule, .keepGoing = keepsGoing(), .threads = options_.threads, .strictRules = options_.strictRules};
    kernels.timeoutSeconds = options_.timeLimit;
    kernels.progress = options_.progress;
    Session session({.kernels = std::move(kernels),
                     .files = {.snippet = source->name(), .reads = options_.reads, .keepsInMemory = true}});
    if (coverage)
      session.kernels().setDevice("emulator", core::makeEmulatorDevice(coverage));
    core::ScheduleReserve reserve{kCompiler};
    if (planned())
      session.kernels().setDevice(
          "emulator",
          makePlannedDevice(reserve, [this](const Diagnostics &findings, uint64_t other, const std::string &entry) {
            add(findings, other, entry);
            ++report_.runs;
          }));
    Interruption::Reaches reaches(session);
    Result<void> done = session.run(source);
    if (!done && stopped()) {
      takeInterrupted(std::move(done.error()));
      return {};
    }
    bool faulted = false;
    for (const KernelLaunch &launch : session.kernels().launches()) {
      if (!launch.result)
        continue;
      faulted |= hasErrors(launch.result->diagnostics);
      if (extent && launch.stages->kernel) {
        core::ScheduleExtent own = core::ScheduleExtent::of(launch.stages->kernel->launch);
        if (!launch.result->communicates)
          own.blocks = 1;
        extent->unite(own);
      }
      if (!counts)
        continue;
      add(launch.result->diagnostics, schedule, entryOf(launch));
      ++report_.runs;
    }
    return !done && !(faulted && counts) ? std::move(done) : Result<void>();
  }

  const CheckOptions &options_;
  std::optional<core::Compiler> compiler_;
  core::emulator::DecodedKernels decoded_;
  InductorFiles inductor_;
  std::set<std::string> used_; // options of `sketch` that launches are made from
  CheckReport report_;
};

} // namespace

Result<CheckReport> check(const fs::path &path, const CheckOptions &options) {
  LANESCOPE_CHECK(core::checkRuleNames(options.rules));
  LANESCOPE_CHECK(core::checkRuleNames(options.strictRules));
  OpenedFile opened = LANESCOPE_TRY(openFor("check", path));
  if (options.shrink && opened.kind != FileKind::Ptx)
    return error("launch", {opened.source, 0, 0}, "`--shrink` is for one PTX file or package, which has one launch");
  if (options.shrink && !options.blocks.isAll())
    return error("launch", {opened.source, 0, 0}, "`--shrink` chooses blocks itself: leave out `--blocks`");
  if (opened.kind == FileKind::Snippet && !options.blocks.isAll())
    return error("launch", {opened.source, 0, 0},
                 "`--blocks` is for PTX and packages; a snippet or a program launches its kernels itself, with a grid "
                 "that it chooses");
  Checking checking(options);
  auto run = [&]() -> Result<void> {
    if (opened.kind == FileKind::Folder)
      return checking.folder(path);
    if (opened.kind == FileKind::Snippet && isProgramFor(*opened.source, options.python, options.arguments))
      return checking.program(path, opened.source);
    if (opened.kind == FileKind::Snippet)
      return checking.snippet(path);
    return checking.ptx(path, options.ofMany);
  };
  if (Result<void> done = run(); !done && !checking.keepBeside(done.error()))
    return std::unexpected(std::move(done.error()));
  return checking.take();
}

} // namespace lanescope::repl
