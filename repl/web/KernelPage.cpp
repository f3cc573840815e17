#include "repl/web/KernelPage.h"

#include "core/data/Files.h"
#include "core/gpu/emulator/CheckedRuns.h"
#include "core/gpu/emulator/coverage/SchedulePlan.h"
#include "core/gpu/emulator/debug/Debugger.h"
#include "core/gpu/emulator/Emulator.h"
#include "core/gpu/emulator/LaunchSketch.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "repl/check/AllowComments.h"
#include "repl/debug/NamedTarget.h"
#include "repl/web/KernelPageJson.h"
#include "viz/gui/debugger/DebuggerPlace.h"
#include "viz/host/LinkedFiles.h"
#include "viz/web/GivenFiles.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <tuple>

namespace lanescope::repl {
namespace {

using namespace viz;

using nlohmann::json;

constexpr double kMostSeconds = 120; // for one run; the user may stop it earlier
constexpr std::string_view kPtxEnding = ".ptx", kLaunchEnding = ".launch.json", kLaunchName = "launch.json";

SourceRef sourceOf(const std::string &name) {
  const core::Bytes *bytes = givenFile(name);
  return bytes ? Source::make(name, std::string(reinterpret_cast<const char *>(bytes->data()), bytes->size()))
               : nullptr;
}

/// The folder of a name, with its last `/`.
std::string folderOf(const std::string &name) { return name.substr(0, name.rfind('/') + 1); }

/// The description of a PTX file's launch, beside it; null: there is none.
SourceRef launchOf(const std::string &ptx) {
  if (SourceRef own = sourceOf(text(ptx.substr(0, ptx.size() - kPtxEnding.size()), kLaunchEnding)))
    return own;
  return sourceOf(folderOf(ptx) + std::string(kLaunchName));
}

/// The arrays in the dynamic shared memory that the launch description names.
class NamedMemory final : public DebugValues {
public:
  explicit NamedMemory(std::vector<core::SharedArray> arrays) : arrays_(std::move(arrays)) {}
  std::vector<std::string> names() const override { return {}; }
  Result<DebugValue> value(core::Debugger &, const std::string &name, core::WarpRef) const override {
    return error("debug-value", Message("`{name}` has no value", name));
  }
  std::vector<DebugTile> tiles(const core::Debugger &debugger) const override {
    std::vector<DebugTile> out;
    for (const core::SharedArray &array : arrays_)
      if (auto elements = core::elementsOf(array, debugger.dynamicShared() + array.offset))
        out.push_back({array.name, array.dtype, elements->first, std::move(elements->map)});
    return out;
  }

private:
  std::vector<core::SharedArray> arrays_;
};

core::FileRole roleOf(std::string_view name) {
  return name.ends_with(kPtxEnding) ? core::FileRole::Ptx
         : name.ends_with(".json")  ? core::FileRole::Json
         : name.ends_with(".npy")   ? core::FileRole::Array
                                    : core::FileRole::Text;
}

struct CheckedFinding : Diagnostic {
  std::string schedule;
  std::string allowed = {}; // the reason of the comment that allows it; empty: it is not allowed
};

constexpr size_t kMostLinked = size_t{1} << 20; // bytes of files; a link's state has no more (PageLink.h)

uint32_t countIn(double number) { return static_cast<uint32_t>(std::clamp(number, 0.0, double(UINT32_MAX))); }

} // namespace

struct KernelPage::Kernel {
  SourceRef ptx;
  core::Launch launch;
  std::vector<core::Array> arrays, outputs; // outputs: of the last run; empty: none was made
  std::vector<std::string> guesses;         // the guessed parts of the launch
  Diagnostics remarks;
  std::vector<SourceRef> sources;             // the files that `.loc` names
  SourceRef snippet;                          // file 1 of `.loc`; null: it is not there
  std::vector<std::string> files, arrayFiles; // the names of the files that the kernel was made from
  std::vector<AllowComment> allows;           // comments of the PTX and the sources
  bool faulted = false;                       // the last run has a fault

  /// Loads the arrays from the files that the description names. If a file is missing, its array is random.
  Result<void> load(const SourceRef &description);
};

Result<void> KernelPage::Kernel::load(const SourceRef &description) {
  std::vector<std::string> missing;
  std::vector<const core::BufferSpec *> buffers = launch.buffers();
  for (size_t n = 0; n < buffers.size(); ++n) {
    const core::BufferSpec &buffer = *buffers[n];
    if (!core::checkedArrayBytes(buffer.dtype, buffer.shape))
      return error("launch", {description, 0, 0}, Message("buffer {} is too large", n));
    if (buffer.data.empty()) {
      arrays.push_back(core::Array::zeros(buffer.dtype, buffer.shape));
      continue;
    }
    std::string name = folderOf(description->name()) + buffer.data;
    const core::Bytes *bytes = givenFile(name);
    if (!bytes) {
      missing.push_back(text("`", buffer.data, "`"));
      arrays.push_back(core::sampleArray(buffer, static_cast<uint32_t>(n)));
      continue;
    }
    core::Array array = LANESCOPE_TRY(core::parseNpy(*bytes, name, buffer.dtype));
    arrayFiles.push_back(name);
    if (array.shape != buffer.shape)
      return error("launch", {description, 0, 0},
                   Message("`{name}` has shape {shape}; buffer {} has {other_shape}", name,
                           layouts::tupleText(array.shape), n, layouts::tupleText(buffer.shape)));
    arrays.push_back(std::move(array));
  }
  if (!missing.empty())
    remarks.push_back(
        {Severity::Note,
         "random-inputs",
         {description, 0, 0},
         text(joined(missing, ", "), missing.size() == 1 ? " is" : " are", " not there; random numbers stand in"),
         {}});
  return {};
}

KernelPage::KernelPage() = default;
KernelPage::~KernelPage() = default;

std::string KernelPage::call(std::string_view request) {
  return answered(request, [&](const Asked &asked) { return answer(asked); });
}

Result<std::string> KernelPage::answer(const Asked &asked) {
  const std::string what = asked.text("do");
  if (what == "forget") {
    forgetFiles();
    return written(json::object());
  }
  if (what == "size") {
    const std::string name = asked.text("name", "file");
    LANESCOPE_CHECK(core::checkSize(name, static_cast<uint64_t>(std::max(asked.number("bytes"), 0.0)), roleOf(name)));
    return written(json::object());
  }
  if (what == "file") {
    giveFile(asked.text("name", "file"), std::exchange(file_, {}));
    return written(json::object());
  }
  if (what == "open")
    return open(asked);
  if (!kernel_)
    return error("bad-view", "no kernel is open");
  if (what == "run")
    return run();
  if (what == "text")
    return sourceText(asked.text("name"));
  if (what == "output")
    return output(asked);
  if (what == "files")
    return linkedFiles(asked);
  if (what == "share")
    return share();
  if (what == "load") {
    const core::Json *state = asked.object("state");
    if (!state)
      return error("bad-view", "this link has no state of a debugger");
    std::string refused = LANESCOPE_TRY(load(*state));
    return debugAnswer(refused);
  }
  return debug(asked);
}

Result<std::string> KernelPage::open(const Asked &asked) {
  std::vector<std::string> choices;
  for (const std::string &name : givenFiles())
    if (name.ends_with(kPtxEnding))
      choices.push_back(name);
  std::string name = asked.text("ptx", choices.empty() ? "" : choices.front());
  auto made = std::make_unique<Kernel>();
  made->ptx = sourceOf(name);
  if (!made->ptx)
    return error("no-ptx", "there is no PTX among these files: the name of one has to end in `.ptx`");
  made->files.push_back(name);
  if (SourceRef description = launchOf(name)) {
    made->files.push_back(description->name());
    made->launch = LANESCOPE_TRY(core::parseLaunch(description));
    LANESCOPE_CHECK(made->load(description));
  } else {
    core::LaunchSketch sketch = LANESCOPE_TRY(core::sketchLaunch(made->ptx, {.entry = asked.text("entry")}));
    made->launch = std::move(sketch.launch);
    made->guesses = std::move(sketch.guesses);
    uint32_t seed = 0;
    for (const core::BufferSpec *buffer : made->launch.buffers())
      made->arrays.push_back(core::sampleArray(*buffer, seed++));
  }
  // Finds errors in the PTX before a run, and the sources of its lines.
  core::emulator::DecodedKernels decoder;
  auto decoded = LANESCOPE_TRY(decoder.get(made->ptx, made->launch, nullptr));
  const std::vector<SourceRef> &sources = decoded->program.module->sources;
  for (size_t file = 0; file < sources.size(); ++file)
    if (sources[file] &&
        sources[file]->text().find_first_not_of('\n') != std::string::npos) { // a missing file is empty
      made->sources.push_back(sources[file]);
      if (givenFile(sources[file]->name()))
        made->files.push_back(sources[file]->name());
      if (file == 1)
        made->snippet = sources[file];
    }
  AllowComments allows = readAllowComments(*decoded->program.module);
  made->allows = std::move(allows.comments);
  std::ranges::move(allows.problems, std::back_inserter(made->remarks));
  std::vector<std::string> entries = LANESCOPE_TRY(core::entryNames(made->ptx));
  kernel_ = std::move(made);
  debugger_.reset();
  sharedFrom_ = 0;
  json remarks = json::array(), files = json::array(), actions = json::array(), panels = json::array();
  for (const Diagnostic &remark : kernel_->remarks)
    remarks.push_back(remark.kind == "random-inputs" || !remark.span.source
                          ? remark.message
                          : text(remark.span.source->name(), ", line ",
                                 remark.span.source->lineColumn(remark.span.begin).line, ": ", remark.message));
  for (const SourceRef &source : kernel_->sources)
    files.push_back(source->name());
  for (const DebugActionEntry &action : debugActions())
    actions.push_back({{"name", action.name}, {"title", action.title}, {"about", action.about}});
  for (const DebugPanelEntry &panel : debugPanels())
    panels.push_back({{"name", panel.name}, {"title", panel.title}});
  return written({{"kernel",
                   {{"entry", kernel_->launch.entry},
                    {"ptx", kernel_->ptx->name()},
                    {"choices", choices},
                    {"entries", entries},
                    {"sources", std::move(files)},
                    {"snippet", kernel_->snippet ? kernel_->snippet->name() : ""},
                    {"actions", std::move(actions)},
                    {"panels", std::move(panels)},
                    {"launch", launchWords(kernel_->launch)},
                    {"guesses", kernel_->guesses},
                    {"remarks", std::move(remarks)}}}});
}

/// Runs the schedules of `lanescope check`, and merges their findings as it does.
Result<std::string> KernelPage::run() {
  Kernel &kernel = *kernel_;
  auto began = std::chrono::steady_clock::now();
  std::vector<CheckedFinding> findings;
  for (AllowComment &comment : kernel.allows)
    comment.used = false;
  const bool keepsGoing = !kernel.allows.empty(); // an allowed fault would hide the ones after it
  core::emulator::DecodedKernels decoded;
  core::ScheduleReserve reserve{core::kCheckMicroseconds};
  core::SchedulePlan plan(reserve, core::ScheduleExtent::of(kernel.launch), kernel.ptx->text().size(),
                          core::arrayBytesOf(kernel.launch));
  std::optional<core::RunResult> first;
  uint64_t runs = 0;
  while (std::optional<uint64_t> schedule = plan.next()) {
    core::EmulatorStatistics counted;
    core::RunResult result = LANESCOPE_TRY(core::emulate(
        kernel.ptx, kernel.launch, kernel.arrays,
        {.seed = *schedule, .keepGoing = keepsGoing, .threads = 1, .decoded = &decoded, .timeoutSeconds = kMostSeconds},
        &counted));
    ++runs;
    for (const Diagnostic &finding : result.diagnostics) {
      if (!kernel.guesses.empty() && (finding.kind == "global-out-of-bounds" || finding.kind == "timeout"))
        return error(
            "guessed-launch", finding.span,
            Message("with the guessed launch this kernel {}{}); give its numbers in a `launch.json` beside the PTX",
                    finding.kind == "timeout" ? "takes too long (" : "leaves its buffers (", finding.message));
      if (std::ranges::none_of(findings, [&](const auto &other) { return core::isSameFinding(other, finding); }))
        findings.push_back({finding, core::scheduleText(*schedule)});
    }
    plan.ran(counted.warpInstructions + counted.judged, result.communicates);
    if (!keepsGoing && hasErrors(result.diagnostics) && !core::mayHaveOtherCause(result.diagnostics))
      plan.stop();
    if (!first)
      first = std::move(result);
  }
  for (CheckedFinding &finding : findings)
    for (AllowComment &comment : kernel.allows)
      if (comment.allows(finding.kind, finding.span)) {
        finding.allowed = comment.reason;
        comment.used = true;
      }
  for (const AllowComment &comment : kernel.allows)
    if (!comment.used)
      findings.push_back({unusedAllow(comment), "0"});
  std::ranges::stable_sort(findings, {}, [](const CheckedFinding &finding) {
    return std::tuple(!finding.allowed.empty(), finding.severity, core::isConsequence(finding));
  });
  kernel.faulted = hasErrors(first->diagnostics);
  kernel.outputs = kernel.faulted ? std::vector<core::Array>() : std::move(first->outputs);
  json list = json::array();
  for (const CheckedFinding &finding : findings)
    list.push_back(checkedJson(finding, finding.schedule,
                               finding.kind == "unused-allow" ? std::string() : kernel.launch.entry, finding.allowed));
  std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  return written({{"ran",
                   {{"findings", std::move(list)},
                    {"runs", runs},
                    {"seconds", took.count()},
                    {"note", first->note},
                    {"printed", first->printed},
                    {"faulted", kernel.faulted},
                    {"outputs", outputsJson(kernel.launch, kernel.arrays, kernel.outputs)}}}});
}

Result<std::string> KernelPage::sourceText(const std::string &name) const {
  if (name == kernel_->ptx->name())
    return written({{"text", kernel_->ptx->text()}});
  for (const SourceRef &source : kernel_->sources)
    if (source->name() == name)
      return written({{"text", source->text()}});
  return error("unreadable-file", Message("`{name}` is no file of this kernel", name));
}

Result<std::string> KernelPage::output(const Asked &asked) {
  auto index = static_cast<size_t>(std::clamp(asked.number("index"), 0.0, 1e6));
  if (index >= kernel_->outputs.size())
    return error("bad-view", "there is no such output");
  npy_ = core::npyBytes(kernel_->outputs[index]);
  return written({{"npy", {{"at", reinterpret_cast<uintptr_t>(npy_.data())}, {"bytes", npy_.size()}}}});
}

Result<std::string> KernelPage::linkedFiles(const Asked &asked) const {
  std::vector<std::string> names = kernel_->files;
  if (asked.truth("arrays"))
    names.insert(names.end(), kernel_->arrayFiles.begin(), kernel_->arrayFiles.end());
  std::ranges::sort(names);
  auto again = std::ranges::unique(names);
  names.erase(again.begin(), again.end());
  std::vector<LinkedFile> files;
  size_t all = 0;
  for (const std::string &name : names)
    if (const core::Bytes *bytes = givenFile(name)) {
      if ((all += bytes->size()) > kMostLinked)
        return written({{"files", nullptr}, {"arrays", kernel_->arrayFiles.size()}});
      files.push_back({name, {reinterpret_cast<const char *>(bytes->data()), bytes->size()}});
    }
  return written({{"files", linkedFilesJson(files)}, {"arrays", kernel_->arrayFiles.size()}});
}

// --- the debugger ----------------------------------------------------------------------------------------------------

DebuggerModel &KernelPage::debugger() {
  if (debugger_)
    return *debugger_;
  auto target = std::make_shared<viz::DebugTarget>();
  target->title = kernel_->launch.entry;
  target->ptx = kernel_->ptx;
  target->snippet = kernel_->snippet;
  target->launch = kernel_->launch;
  target->arrays = kernel_->arrays;
  if (!kernel_->launch.sharedArrays.empty())
    target->values = std::make_shared<NamedMemory>(kernel_->launch.sharedArrays);
  auto named = std::make_shared<const NamedTarget>(DebugTarget{.name = kernel_->launch.entry,
                                                               .ptx = kernel_->ptx,
                                                               .launch = kernel_->launch,
                                                               .arrays = {},
                                                               .snippet = kernel_->snippet,
                                                               .values = {},
                                                               .tensorArrays = {}});
  target->stops = [named](core::Debugger &debugger) { return makeStops(debugger, named); };
  debugger_ = std::make_unique<DebuggerModel>();
  debugger_->offer(std::move(target));
  return *debugger_;
}

Result<void> KernelPage::finish() {
  while (debugger_->busy()) // in the page, the job is done when it is posted
    debugger_->update();
  if (!debugger_->problems().empty())
    return std::unexpected(debugger_->problems());
  return {};
}

std::string KernelPage::share() const {
  json out = {{"ptx", kernel_->ptx->name()}, {"entry", kernel_->launch.entry}};
  if (json state = debugger_ ? debuggerState(*debugger_) : json(); !state.is_null()) {
    if (sharedFrom_ != 0)
      state["shared"] = sharedFrom_;
    out["debug"] = std::move(state);
  }
  return written(out);
}

Result<std::string> KernelPage::load(const core::Json &state) {
  debugger_.reset();
  DebuggerModel &model = debugger();
  sharedFrom_ = countIn(Asked(state).number("shared"));
  std::string refused;
  for (const DebuggerStep &step : debuggerSteps(state)) {
    step.run(model);
    LANESCOPE_CHECK(finish());
    if (step.setsStop && model.page()->refused)
      refused = text("a stop of this link is not set: ", model.page()->said);
  }
  return refused;
}

Result<std::string> KernelPage::debug(const Asked &asked) {
  const std::string what = asked.text("do");
  const DebugActionEntry *action = what == "act" ? debugActionNamed(asked.text("action")) : nullptr;
  auto number = [&](std::string_view name) { return countIn(asked.number(name)); };
  DebuggerModel &model = debugger();
  model.stopWords.clear();
  if (what == "debug") {
    if (kernel_->faulted)
      model.perform(DebugAction::Fault);
    else
      model.setFocus({}); // opens the run at its start
  } else if (action) {
    model.perform(action->action);
  } else if (what == "goTo") {
    model.goTo(static_cast<uint64_t>(std::clamp(asked.number("moment"), 0.0, 1e18)));
  } else if (what == "focus") {
    model.setFocus({number("block"), number("warp")});
  } else if (what == "next") {
    model.focusNext(asked.number("step") < 0 ? -1 : 1);
  } else if (what == "break") {
    model.toggleBreakpoint(number("line"), kernel_->snippet && asked.truth("inSnippet"));
  } else if (what == "stop") {
    model.obey(asked.text("words"));
  } else if (what == "condition") {
    model.ptxInFront = !asked.truth("inSnippet");
    model.cursorLine = number("line");
    model.writeCondition();
  } else if (what == "enable") {
    model.enableStop(number("number"), asked.truth("enabled"));
  } else if (what == "remove") {
    model.removeStop(number("number"));
  } else if (what == "word") {
    model.sharedWord = number("address");
  } else if (what == "shared") {
    sharedFrom_ = number("from");
  } else if (what == "panel") {
    auto panel = std::ranges::find(debugPanels(), asked.text("panel"), &DebugPanelEntry::name);
    if (panel == debugPanels().end())
      return error("bad-view", "there is no such panel");
    model.showPanel(panel->panel);
  } else {
    return error("bad-view", Message("`{}` is no request", what));
  }
  LANESCOPE_CHECK(finish());
  return debugAnswer();
}

std::string KernelPage::debugAnswer(const std::string &refused) const {
  json out = debugger_->page() ? debugJson(*debugger_, sharedFrom_) : json();
  if (!refused.empty()) {
    out["said"] = refused;
    out["refused"] = true;
  }
  return written({{"debug", std::move(out)}});
}

} // namespace lanescope::repl
