#include "repl/workbench/WindowDebug.h"

#include "core/gpu/kernel/CompiledKernel.h"
#include "layouts/notation/Notation.h"
#include "repl/debug/DebugWords.h"
#include "repl/debug/NamedTarget.h"
#include "repl/session/Debug.h"
#include "repl/session/Session.h"
#include "repl/session/WithoutSaving.h"

namespace lanescope::repl {

namespace {

constexpr uint64_t kMostSteps = 20'000'000; // limit for the run that only finds the marks

class NamedValues final : public viz::DebugValues {
public:
  explicit NamedValues(std::shared_ptr<const NamedTarget> named) : named_(std::move(named)) {}
  std::vector<std::string> names() const override {
    std::vector<std::string> out;
    for (const auto &[name, value] : named_->values.all())
      out.push_back(name);
    return out;
  }
  Result<viz::DebugValue> value(core::Debugger &debugger, const std::string &name, core::WarpRef focus) const override {
    const MarkedValue *marked = named_->values.find(name);
    if (!marked)
      return error("debug-value", Message("`{name}` is no name of this kernel", name));
    RecoveredValue found = LANESCOPE_TRY(recover(debugger, named_->target, *marked, focus));
    viz::DebugValue out{std::move(found.array), std::nullopt, std::move(found.remark)};
    if (found.layout)
      if (auto layout = layouts::parseLayout(Source::make("<layout>", found.layout->layout)))
        if (const auto *registers = std::get_if<layouts::RegisterLayout>(&*layout))
          out.layout = *registers;
    if (found.tile)
      out.memory = tileWords(*found.tile);
    else if (marked->tensor >= 0)
      out.memory = tensorArrayWords(named_->target.tensorArrays[static_cast<size_t>(marked->tensor)].array);
    return out;
  }
  std::vector<viz::DebugTile> tiles(const core::Debugger &debugger) const override {
    return tilesOf(debugger, named_->values);
  }

private:
  std::shared_ptr<const NamedTarget> named_;
};

std::shared_ptr<viz::DebugTarget> made(const KernelLaunch &launch, const KernelOptions &options) {
  auto target = debugTarget(launch, options);
  if (!target)
    return nullptr;
  const core::CompiledKernel &kernel = *launch.stages->kernel;
  auto out = std::make_shared<viz::DebugTarget>();
  out->title = launch.kernel;
  out->snippet = target->snippet;
  out->ptx = target->ptx;
  out->launch = target->launch;
  out->arrays = target->arrays;
  out->shownArray = kernel.outputs.empty() ? 0 : kernel.outputs.front();
  out->seed = target->seed;
  out->strict = target->strict;
  if (kernel.profiled)
    out->profile = kernel.profile;
  out->faulted = launch.device == "emulator" && launch.result && hasErrors(launch.result->diagnostics);
  out->tensorArrays = target->tensorArrays;
  target->arrays.clear(); // names need no arrays
  auto named = std::make_shared<const NamedTarget>(*std::move(target));
  if (options.markValues)
    out->values = std::make_shared<NamedValues>(named);
  out->stops = [named](core::Debugger &debugger) { return makeStops(debugger, named); };
  return out;
}

bool sameArrays(const viz::DebugTarget &a, const viz::DebugTarget &b) {
  return std::ranges::equal(a.arrays, b.arrays, [](const core::Array &x, const core::Array &y) {
    return x.dtype == y.dtype && x.shape == y.shape;
  });
}

/// A run of the launch `like` with code that has marks, for which the file is compiled again. Null: the file's last
/// launch is another one by now.
std::shared_ptr<const viz::DebugTarget> withMarks(const SourceRef &snippet, const viz::DebugTarget &like,
                                                  KernelOptions options) {
  options.device = "none";
  options.markValues = true;
  options.keepTexts = false;
  options.maxLaunches = 1;
  SessionOptions session{.kernels = options, .files = {.snippet = snippet->name(), .keepsInMemory = true}};
  session.remarks = [](const Diagnostics &) {}; // the first run has reported them
  session.limits.steps = kMostSteps;
  session.checkAssertions = false;
  Session again(std::move(session));
  (void)again.run(snippet); // its kernels return zeros, so it may fail after its last launch
  const auto &launches = again.kernels().launches();
  auto marked = launches.empty() ? nullptr : made(launches.back(), again.kernels().options());
  if (!marked || marked->title != like.title || !sameArrays(*marked, like))
    return nullptr;
  marked->arrays = like.arrays;
  marked->faulted = like.faulted;
  return marked;
}

} // namespace

std::shared_ptr<const viz::DebugTarget> windowTarget(const KernelLaunch &launch, const KernelOptions &options,
                                                     const SourceRef &snippet) {
  std::shared_ptr<viz::DebugTarget> target = made(launch, options);
  if (target && snippet)
    target->withValues = [snippet, options, like = std::make_shared<const viz::DebugTarget>(*target)] {
      return withMarks(snippet, *like, options);
    };
  return target;
}

} // namespace lanescope::repl
