#include "repl/check/many/FindingSteps.h"

#include "core/data/Files.h"
#include "core/gpu/codegen/Compiler.h"
#include "core/gpu/emulator/coverage/Schedule.h"
#include "core/gpu/emulator/debug/Debugger.h"
#include "core/gpu/emulator/DecodedKernels.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "repl/check/CheckTargets.h"
#include "repl/check/ProgramRun.h"
#include "repl/debug/DebugWords.h"
#include "repl/files/FileKind.h"
#include "repl/session/Debug.h"
#include "repl/session/Session.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <set>

namespace lanescope::repl {

namespace {

namespace fs = std::filesystem;

constexpr size_t kMostAccesses = 12; // uses of the places that the finding names

/// The values of an option in a command line's words.
std::vector<std::string> valuesOf(const std::vector<std::string> &words, std::string_view option) {
  std::vector<std::string> out;
  for (size_t n = 0; n + 1 < words.size(); ++n)
    if (words[n] == option)
      out.push_back(words[n + 1]);
  return out;
}

core::SketchOptions sketchOf(const std::vector<std::string> &options) {
  core::SketchOptions sketch;
  for (const std::string &value : valuesOf(options, "--arg"))
    if (size_t equals = value.find('='); equals != value.npos)
      sketch.arguments[value.substr(0, equals)] = value.substr(equals + 1);
  for (const std::string &grids : valuesOf(options, "--grid")) {
    std::string_view value = grids;
    std::array<uint32_t, 3> &grid = sketch.grid.emplace(std::array<uint32_t, 3>{1, 1, 1});
    for (uint32_t &size : grid) {
      std::string_view first = value.substr(0, value.find(','));
      size = parseInteger<uint32_t>(first).value_or(1);
      value.remove_prefix(std::min(first.size() + 1, value.size()));
      if (value.empty())
        break;
    }
  }
  return sketch;
}

/// The launch of a PTX file as the check had it.
Result<DebugTarget> ptxRun(const fs::path &path, const std::vector<std::string> &options, uint64_t seed) {
  TargetOptions how{.sketch = sketchOf(options)};
  InductorFiles inductor;
  how.inductor = &inductor;
  std::optional<core::Compiler> compiler;
  Diagnostics remarks;
  CheckTarget found = LANESCOPE_TRY(
      ptxTarget(path, how, [&]() -> core::Compiler & { return compiler ? *compiler : compiler.emplace(); }, remarks));
  DebugTarget target;
  target.name = found.launch.entry;
  target.ptx = std::move(found.ptx);
  target.launch = std::move(found.launch);
  target.arrays = std::move(found.arrays);
  target.seed = seed;
  return target;
}

/// The launch of a snippet's kernel that has the finding.
Result<DebugTarget> snippetRun(const SourceRef &source, const std::vector<std::string> &options,
                               const FindingRecord &finding, uint64_t seed, double seconds) {
  KernelOptions kernels{.device = "emulator"};
  if (auto arch = valuesOf(options, "--arch"); !arch.empty())
    kernels.arch = arch.back();
  kernels.emulation = {.seed = seed, .keepGoing = true};
  kernels.timeoutSeconds = seconds;
  kernels.recordInputs = true;
  Session session({.kernels = std::move(kernels), .files = {.snippet = source->name(), .keepsInMemory = true}});
  auto ran = session.run(source);
  for (const KernelLaunch &launch : session.kernels().launches())
    if (launch.result && launch.stages->kernel && launch.stages->kernel->launch.entry == finding.kernel &&
        std::ranges::any_of(launch.result->diagnostics,
                            [&](const Diagnostic &each) { return each.kind == finding.rule; }))
      return debugTarget(launch, session.kernels().options());
  if (!ran)
    return std::unexpected(std::move(ran.error()));
  return error("debug-command", "no launch of the snippet shows the finding under this schedule alone");
}

bool isFinding(const Diagnostic &diagnostic, const FindingRecord &finding) {
  return diagnostic.kind == finding.rule && recordedPlace(diagnostic.span).line == finding.line &&
         recordedPlace(diagnostic.span).column == finding.column;
}

class Stepping {
public:
  Stepping(const DebugTarget &target, core::Debugger &debugger, const FindingRecord &finding, const StepOptions &how)
      : target_(target), debugger_(debugger), finding_(finding), how_(how) {}

  /// The steps up to the finding. Error: the run does not come to it.
  Result<std::vector<FindingStep>> steps() {
    Diagnostic found = LANESCOPE_TRY(goToFinding());
    const core::Stop last = debugger_.stop();
    std::set<uint64_t> moments = {last.moment}, accesses = accessesOf(found);
    debugger_.setFocus(last.warp);
    for (size_t n = 0; n < how_.most; ++n) {
      const core::Stop &stop = debugger_.step(core::StepBy::Event, core::Way::Back);
      if (stop.reason == core::StopReason::Limit || !moments.insert(stop.moment).second)
        break;
      if (stop.reason == core::StopReason::Start)
        break;
    }
    if (last.place)
      accesses.insert(last.moment);
    moments.insert(accesses.begin(), accesses.end());
    std::vector<FindingStep> out;
    for (uint64_t moment : moments) {
      debugger_.goTo(moment);
      out.push_back(look(moment == last.moment ? last : debugger_.stop()));
      out.back().access = accesses.contains(moment);
    }
    return out;
  }

private:
  Result<Diagnostic> goToFinding() {
    const core::Stop &stop = debugger_.runToFault();
    if (stop.fault && isFinding(*stop.fault, finding_))
      return *stop.fault;
    if (stop.reason == core::StopReason::Limit)
      return error("debug-command", "the run takes too long to be stepped through");
    auto has = [&](uint64_t moment) -> std::optional<Diagnostic> {
      debugger_.goTo(moment);
      for (const Diagnostic &each : debugger_.findings())
        if (isFinding(each, finding_))
          return each;
      return std::nullopt;
    };
    const std::string other = stop.fault ? text("under this schedule another fault comes first: ", stop.fault->message)
                                         : std::string("a single run of this schedule does not show the finding: it "
                                                       "comes from a comparison of several runs");
    uint64_t first = 0, end = stop.moment;
    std::optional<Diagnostic> found = has(end);
    if (!found)
      return error("debug-command", other);
    while (first < end) {
      uint64_t middle = first + (end - first) / 2;
      has(middle) ? end = middle : first = middle + 1;
    }
    debugger_.goTo(first > 0 ? first - 1 : 0); // the event that makes the finding comes next
    return *found;
  }

  /// The lines of the PTX that a place and its message name. A line of the source has many instructions: those whose
  /// operation the message quotes.
  void addLines(const Span &span, const std::string &message, std::set<uint32_t> &lines) {
    if (!span.source)
      return;
    const uint32_t line = span.source->lineColumn(span.begin).line;
    if (span.source->name() == target_.ptx->name()) {
      lines.insert(line);
      return;
    }
    std::vector<std::string> quoted; // texts between backquotes
    for (size_t from = message.find('`'); from != message.npos; from = message.find('`', from)) {
      size_t end = message.find('`', from + 1);
      if (end == message.npos)
        break;
      quoted.push_back(message.substr(from + 1, end - from - 1));
      from = end + 1;
    }
    for (uint32_t each : debugger_.linesWithCode(false))
      if (debugger_.snippetLineOf(each) == line && std::ranges::any_of(quoted, [&](const std::string &operation) {
            return operation.contains('.') && target_.ptx->lineText(each).contains(operation);
          }))
        lines.insert(each);
  }

  /// The last moments before now at which the warps were at a place in the PTX that the finding names.
  std::set<uint64_t> accessesOf(const Diagnostic &found) {
    std::set<uint32_t> lines;
    addLines(found.span, found.message, lines);
    for (const Note &note : found.notes)
      addLines(note.span, note.message, lines);
    std::vector<core::WarpRef> warps;
    for (const core::WarpPlace &warp : debugger_.warps())
      warps.push_back(warp.warp);
    std::vector<uint64_t> moments;
    for (const auto &passage : debugger_.lastAt(warps, std::vector<uint32_t>(lines.begin(), lines.end())))
      if (passage)
        moments.push_back(passage->moment);
    std::ranges::sort(moments);
    if (moments.size() > kMostAccesses)
      moments.erase(moments.begin(), moments.end() - kMostAccesses);
    return {moments.begin(), moments.end()};
  }

  FindingStep look(const core::Stop &stop) {
    FindingStep step{.moment = stop.moment, .cycle = stop.cycle, .warp = warpWords(target_, stop.warp)};
    if (stop.place) {
      step.ptxLine = stop.place->ptxLine;
      step.sourceLine = stop.place->snippetLine;
    }
    step.what = stop.landing    ? std::string("copies land")
                : !step.ptxLine ? std::string("no warp can go on")
                                : std::string(target_.ptx->lineText(step.ptxLine));
    step.what.erase(0, step.what.find_first_not_of(" \t"));
    std::ranges::replace(step.what, '\t', ' ');
    step.warps = whereWords(target_, debugger_.warps(), stop.warp);
    step.memory =
        barrierWords(target_, debugger_.barriers(stop.warp.block)) + flightWords(target_, debugger_.flights());
    return step;
  }

  const DebugTarget &target_;
  core::Debugger &debugger_;
  const FindingRecord &finding_;
  const StepOptions &how_;
};

/// The source that the lines of the PTX come from: the finding's own file, if `.loc` names it.
SourceRef sourceOf(const DebugTarget &target, const FindingRecord &finding) {
  core::emulator::DecodedKernels decoded;
  auto kernel = decoded.get(target.ptx, target.launch, nullptr);
  if (!kernel)
    return nullptr;
  for (const SourceRef &source : (*kernel)->program.module->sources)
    if (source && source->name() == finding.file)
      return source;
  return nullptr;
}

Result<FindingSteps> stepsOf(const std::string &unit, const std::vector<std::string> &options,
                             const FindingRecord &finding, const StepOptions &how) {
  const uint64_t seed = core::parseSchedule(finding.schedule).value_or(0);
  OpenedFile opened = LANESCOPE_TRY(openFor("check", unit));
  DebugTarget target;
  if (opened.kind == FileKind::Ptx)
    target = LANESCOPE_TRY(ptxRun(kernelOfPackage(unit), options, seed));
  else if (opened.kind != FileKind::Snippet)
    return error("debug-command", "only PTX and snippets can be stepped through here");
  else if (isProgramFor(*opened.source, {}, {}))
    return error("debug-command",
                 Message("a program runs in Python: step through it with `lanescope debug {}`", shellWord(unit)));
  else
    target = LANESCOPE_TRY(snippetRun(opened.source, options, finding, seed, how.seconds));
  FindingSteps out{.ptx = target.ptx, .source = target.snippet ? target.snippet : sourceOf(target, finding)};
  auto debugger = LANESCOPE_TRY(core::Debugger::open(
      target.ptx, target.launch, target.arrays, {.snippet = out.source, .seed = seed, .timeoutSeconds = how.seconds}));
  if (auto steps = Stepping(target, *debugger, finding, how).steps())
    out.steps = *std::move(steps);
  else
    out.none = steps.error().front().message;
  return out;
}

} // namespace

FindingSteps findingSteps(const std::string &unit, const std::vector<std::string> &options,
                          const FindingRecord &finding, const StepOptions &how) {
  auto steps = stepsOf(unit, options, finding, how);
  if (steps)
    return *std::move(steps);
  FindingSteps none;
  none.none = steps.error().front().message;
  return none;
}

} // namespace lanescope::repl
