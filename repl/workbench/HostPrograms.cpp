// The part of the window's host that shows a Python program (ProgramHost.h).
#include "core/data/Files.h"
#include "core/gpu/codegen/StageKinds.h"
#include "layouts/support/Text.h"
#include "repl/program/ProgramKind.h"
#include "repl/workbench/SessionHost.h"

#include <algorithm>

namespace lanescope::repl {

namespace {

/// The text of the program among the call's own sources, to which the places of its stages refer. If the call has no
/// such source, `program`.
SourceRef programOf(const KernelLaunch &launch, const SourceRef &program) {
  auto found = std::ranges::find(launch.stages->sources, program->name(), &Source::name);
  return found == launch.stages->sources.end() ? program : *found;
}

std::vector<uint32_t> markedLines(const KernelLaunch &launch, const SourceRef &program) {
  std::vector<uint32_t> out;
  Diagnostics all = launch.stages->diagnostics;
  if (launch.result)
    all.insert(all.end(), launch.result->diagnostics.begin(), launch.result->diagnostics.end());
  for (const Diagnostic &each : all)
    if (each.span.source == program)
      out.push_back(program->lineColumn(each.span.begin).line);
  return out;
}

/// True for a kernel of another compiler, of which only the PTX is known.
bool isPtxAlone(const KernelLaunch &launch) {
  const auto &stages = launch.stages->stages;
  return stages.size() == 1 && stages.front().kind == core::kPtxStage && stages.front().origins.empty();
}

/// True if the run can be repeated. It cannot if the arrays of the call were too large to be sent.
bool hasArrays(const KernelLaunch &launch) {
  const auto &kernel = launch.stages->kernel;
  return kernel && launch.inputs.size() + (kernel->profiled ? 1 : 0) == kernel->launch.buffers().size();
}

} // namespace

bool SessionHost::isProgram(const std::filesystem::path &path, const SourceRef &source) const {
  return inPython_.contains(path) || repl::isProgram(source->text());
}

void SessionHost::openAsProgram(std::string given) {
  ++openings_;
  post("open", "opening " + std::filesystem::path(given).filename().string(), [this, path = found(given)] {
    auto source = core::readSource(path, core::FileRole::Snippet);
    if (!source)
      return openFailed(source.error());
    inPython_.insert(path);
    openProgram(path, *source, false);
  });
}

void SessionHost::openProgram(const std::filesystem::path &given, const SourceRef &source, bool again) {
  std::error_code ignored;
  std::filesystem::path path = std::filesystem::absolute(given, ignored).lexically_normal();
  SourceRef program = Source::make(path.string(), source->text());
  if (again)
    push(viz::RunsAgain{given.string()});
  print("\x1b[2m" + text(again ? "again: " : "opened ", given.string()) + "\x1b[0m\n");
  again_ = again;
  if (!again)
    pushShow(codeOf({path.filename().string(), program, nullptr, {}}));
  again_ = false;
  snippet_.clear();
  session_->parameters().clear();
  push(viz::Opened{.path = given.string(), .again = again, .snippet = true, .program = true});
  programs_.open(given, program, again);
}

void SessionHost::postCall(std::shared_ptr<const KernelLaunch> launch, SourceRef program, bool again) {
  std::string tag = text("call ", ++shownCalls_); // each call has its own tag, so that no call replaces another
  std::string activity = "showing " + launch->kernel;
  post(std::move(tag), std::move(activity), [this, launch = std::move(launch), program = std::move(program), again] {
    if (programs_.isOpen(program)) // another file may have been opened since then
      showCall(*launch, program, again);
  });
}

void SessionHost::showCall(const KernelLaunch &launch, const SourceRef &program, bool again) {
  std::string title = std::filesystem::path(program->name()).filename().string();
  again_ = again;
  if (isPtxAlone(launch)) {
    pushShow(codeOfPtx(title, launch.stages->stages.front().source, program->name()));
  } else {
    SourceRef snippet = programOf(launch, program);
    pushShow(codeOf({title, snippet, launch.stages, markedLines(launch, snippet)}));
  }
  offerTensorMemory(launch);
  if (launch.result && launch.result->trace)
    pushShow(viz::TraceRequest{std::make_shared<const core::Trace>(*launch.result->trace), title, false});
  if (hasArrays(launch))
    offerDebugger(launch, session_->kernels().options(), nullptr);
  again_ = false;
}

void SessionHost::programEnded(const std::filesystem::path &path, const SourceRef &program, const ProgramEnd &end,
                               bool ranWell) {
  viz::Opened opened{.path = path.string(), .again = true, .snippet = true, .program = true};
  opened.ok = end.problems.empty() || !ranWell; // the pictures that are left come from a run that succeeded
  for (const Diagnostic &problem : end.problems) {
    viz::TextProblem each{.message = problem.message};
    if (const SourceRef &in = problem.span.source;
        in && in->name() == program->name() && problem.span.end > problem.span.begin) {
      LineColumn at = in->lineColumn(problem.span.begin);
      each.line = at.line, each.column = at.column, each.length = problem.span.end - problem.span.begin;
    }
    opened.problems.push_back(std::move(each));
  }
  if (!end.problems.empty() && !end.faulted)
    print(render(end.problems, true));
  if (end.leftOut > 0)
    print("\x1b[2m" +
          text(end.leftOut, " of ", end.calls,
               " calls of kernels are not shown: equal ones, and those above the limits") +
          "\x1b[0m\n");
  push(std::move(opened));
}

} // namespace lanescope::repl
