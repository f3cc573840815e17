#include "repl/workbench/SessionHost.h"

#include "core/data/Files.h"
#include "core/gpu/codegen/Sass.h"
#include "core/gpu/codegen/StageKinds.h"
#include "core/gpu/dumps/DumpFolder.h"
#include "core/gpu/emulator/EmulatorDevice.h"
#include "core/gpu/ir/DumpListing.h"
#include "core/gpu/kernel/Profile.h"
#include "core/gpu/runtime/RememberedRuns.h"
#include "core/profiler/TraceNotes.h"
#include "core/tpu/ir/TpuModule.h"
#include "layouts/Catalogue.h"
#include "layouts/DefaultArray.h"
#include "layouts/notation/Notation.h"
#include "layouts/support/Text.h"
#include "layouts/tpu/TiledMemoryLayout.h"
#include "repl/dumps/DumpLaunch.h"
#include "repl/dumps/DumpPages.h"
#include "repl/files/FileKind.h"
#include "repl/lang/builtins/FileBuiltins.h"
#include "repl/lang/syntax/Parser.h"
#include "repl/session/Render.h"
#include "repl/session/Show.h"
#include "repl/session/WithoutSaving.h"
#include "repl/workbench/ModuleFile.h"
#include "repl/workbench/WindowDebug.h"
#include "viz/export/ReadPng.h"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <tuple>
#include <utility>

namespace lanescope::repl {

namespace {

constexpr int kConsoleColumns = 120;
constexpr size_t kMostKernels = 64; // limit for the kernels in a folder of dumps
constexpr size_t kKeptLaunches = 16;

std::string faint(const std::string &line) { return "\x1b[2m" + line + "\x1b[0m\n"; }

bool endsWith(std::string_view path, std::initializer_list<std::string_view> endings) {
  return std::ranges::any_of(endings, [&](std::string_view ending) { return path.ends_with(ending); });
}

/// The description of a sample: its first comment line, or the title of a document.
std::string aboutFile(const std::filesystem::path &path) {
  std::ifstream file(path);
  std::string line;
  if ((path.extension() != ".py" && path.extension() != ".md") || !std::getline(file, line) || !line.starts_with("# "))
    return {};
  return line.substr(2);
}

/// The diagnostics with their places in `source`. The place is that of the diagnostic itself, or that of the call in
/// `source` that led to it.
std::vector<viz::TextProblem> problemsOf(const SourceRef &source, const Diagnostics &diagnostics) {
  std::vector<viz::TextProblem> out;
  for (const Diagnostic &diagnostic : diagnostics) {
    Span place = diagnostic.span;
    for (const Note &note : diagnostic.notes)
      if (place.source != source && note.span.source == source)
        place = note.span;
    viz::TextProblem problem{.message = diagnostic.message};
    if (place.source == source) {
      LineColumn begin = source->lineColumn(place.begin);
      size_t left = source->lineText(begin.line).size() + 1 -
                    std::min<size_t>(begin.column, source->lineText(begin.line).size() + 1);
      problem.line = begin.line, problem.column = begin.column;
      problem.length = static_cast<uint32_t>(std::clamp<size_t>(place.end - place.begin, 1, std::max<size_t>(left, 1)));
    }
    out.push_back(std::move(problem));
  }
  return out;
}

viz::ParameterControl controlOf(const SnippetParameter &parameter) {
  using enum viz::ParameterControl::Kind;
  viz::ParameterControl control{.name = parameter.name, .about = parameter.about};
  control.value = parameterText(parameter.value), control.initial = parameterText(parameter.initial);
  for (const Value &choice : parameter.choices)
    control.choices.push_back(parameterText(choice));
  control.kind = parameter.ranged ? Slider : !control.choices.empty() ? List : parameter.value.asBool() ? Switch : Text;
  return control;
}

} // namespace

std::filesystem::path findSamples() {
  std::error_code ignored;
  std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
  for (const std::filesystem::path &candidate :
       {std::filesystem::path("samples"), program / "../../../samples", program / "../share/lanescope/samples"})
    if (std::filesystem::is_directory(candidate, ignored))
      return candidate.lexically_normal();
  return {};
}

SessionHost::SessionHost(KernelOptions kernels, FileRules files, ProgramOptions programs)
    : samples_(findSamples()),
      programs_(std::move(programs),
                {.push = [this](viz::HostEvent event) { push(std::move(event)); },
                 .show = [this](std::shared_ptr<const KernelLaunch> launch, SourceRef program,
                                bool again) { postCall(std::move(launch), std::move(program), again); },
                 .ended = [this](const std::filesystem::path &path, const SourceRef &program, const ProgramEnd &end,
                                 bool ranWell) { programEnded(path, program, end, ranWell); }}) {
  kernels.keepTexts = true;
  kernels.recordInputs = true; // the debugger needs the inputs; only a few launches are kept
  kernels.maxLaunches = kKeptLaunches;
  post("start", "starting", [this, kernels = std::move(kernels), files = std::move(files)] {
    SessionOptions options;
    options.kernels = kernels;
    options.files = files;
    options.colour = true;
    options.width = kConsoleColumns;
    options.output = [this](std::string_view text) {
      firstKernelRan(); // called for every launch, since each launch writes its kernel's output, even if that is empty
      if (!text.empty())
        print(std::string(text));
    };
    options.remarks = [this](const Diagnostics &remarks) { print(render(remarks, true)); };
    options.onShow = [this](const Shown &shown) { return show(shown); };
    session_ = std::make_unique<Session>(std::move(options));
    // The record gives the costs of lines. When a file is edited, kernels that did not change are not run again.
    session_->kernels().setDevice(
        "emulator", core::rememberedRuns(core::makeEmulatorDevice(nullptr, &record_), {.record = &record_}));
    print("Lanescope. Try \x1b[1mshow(WGMMA)\x1b[0m, \x1b[1mhelp(show)\x1b[0m, or open a file from the list.\n");
  });
}

SessionHost::~SessionHost() {
  interrupt();
  programs_.end(); // programs post calls to the session's thread, which ends first
}

void SessionHost::post(std::string tag, std::string activity, std::function<void()> work) {
  thread_.post(std::move(tag), [this, activity = std::move(activity), work = std::move(work)] {
    mailbox_.setActivity(activity);
    work();
    mailbox_.setActivity("");
    return viz::Requests::Delivery();
  });
}

void SessionHost::evaluate(std::string entry) {
  // Each entry has its own tag, so that entries never replace each other.
  std::string name = text("<", ++entries_, ">");
  post("entry " + name, "evaluating", [this, name, entry = std::move(entry)] {
    session_->kernels().clearLaunches(); // so that the code below sees only this entry's launches
    traceShown_ = false;
    running_ = session_.get();
    SourceRef source = Source::make(name, entry);
    auto result = session_->entry(source);
    running_ = nullptr;
    if (!result)
      print(render(result.error(), true));
    if (!session_->kernels().launches().empty()) {
      viz::CodeRequest code = pagesOf(source, name, result ? Diagnostics() : result.error());
      code.bringToFront = false;
      pushShow(std::move(code));
      offerTensorMemory(session_->kernels().launches().back());
      offerDebugger(session_->kernels().launches().back(), session_->kernels().options(), nullptr);
      if (auto trace = session_->lastTrace(); trace && !traceShown_)
        pushShow(viz::TraceRequest{trace, session_->kernels().launches().back().kernel, false});
    }
    push(viz::Evaluated{result.has_value()});
  });
}

void SessionHost::open(std::string path) {
  ++openings_;
  std::string name = std::filesystem::path(path).filename().string();
  post("open", "opening " + name, [this, path = std::move(path)] { openNow(path); });
}

int64_t SessionHost::milliseconds() {
  auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count() + 1;
}

void SessionHost::reopen(std::string path, std::optional<std::string> edited) {
  uint64_t call = ++openings_;
  // The running text is outdated, so stop it. Let a quick run finish, so that pictures appear while a slider moves.
  constexpr int64_t kQuick = 200;
  if (int64_t since = fileSince_; since != 0 && milliseconds() - since > kQuick)
    interrupt();
  std::string name = std::filesystem::path(path).filename().string();
  post("open", "running " + name, [this, path = found(path), edited = std::move(edited), call]() mutable {
    bool saved = !edited;
    if (saved && path.extension() != ".py") {
      again_ = true;
      openNow(path.string());
      again_ = false;
      return;
    }
    auto source =
        saved ? core::readSource(path, core::FileRole::Snippet) : Source::make(path.string(), *std::move(edited));
    if (!source)
      return openFailed(source.error());
    if (path == programs_.current() || (saved && isProgram(path, *source)))
      return openProgram(path, *source, true);
    runAgain(path, *source, saved, call);
  });
}

std::vector<viz::TextProblem> SessionHost::problemsIn(const std::string &content) const {
  SourceRef source = Source::make("edited", content);
  return problemsOf(source, parse(source).diagnostics);
}

void SessionHost::complete(uint64_t request, std::string entry, size_t cursor) {
  post("complete", "completing", [this, request, entry = std::move(entry), cursor] {
    Completion found = session_->complete(entry, cursor);
    push(viz::Completions{request, found.from, std::move(found.candidates)});
  });
}

void SessionHost::interrupt() {
  programs_.stop();
  stopLaunch_ = true;
  if (Session *session = running_)
    session->interrupt();
}

bool SessionHost::needsMoreText(std::string_view entry) const {
  return Session::needsMoreText(text(entry, "\n")); // the blank line that Enter adds would end a block
}

std::vector<viz::FileEntry> SessionHost::files() {
  std::vector<viz::FileEntry> out;
  std::error_code problem;
  auto walk = std::filesystem::recursive_directory_iterator(samples_, problem);
  for (; !problem && walk != std::filesystem::recursive_directory_iterator(); walk.increment(problem)) {
    const std::filesystem::path &path = walk->path();
    std::error_code ignored;
    if (!walk->is_regular_file(ignored) || endsWith(path.native(), {".md", ".gui", ".png", ".svg"}))
      continue;
    std::string group = path.parent_path().lexically_relative(samples_).string();
    out.push_back({path.string(), group == "." ? "samples" : group, path.filename().string(), aboutFile(path)});
  }
  std::error_code none;
  for (const auto &entry : std::filesystem::directory_iterator(samples_.parent_path() / "docs", none))
    if (!samples_.empty() && entry.path().extension() == ".md")
      out.push_back({entry.path().string(), "documents", entry.path().filename().string(), aboutFile(entry.path())});
  std::ranges::sort(out, {}, [](const viz::FileEntry &file) { // samples come first
    return std::tuple(file.group == "documents", file.group, file.name);
  });
  return out;
}

std::string SessionHost::activity() const {
  bool busy = thread_.busy();
  std::string program = programs_.activity();
  if (std::string own = mailbox_.activity(); !own.empty())
    return own;
  if (!program.empty())
    return program;
  return busy || mailbox_.hasEvents() ? "working" : "";
}

void SessionHost::onUpdate(std::function<void()> wake) {
  thread_.onUpdate(wake);
  programs_.onUpdate(wake);
  mailbox_.onUpdate(std::move(wake));
}

void SessionHost::offerTensorMemory(const KernelLaunch &launch) {
  const auto &stages = launch.stages;
  if (!stages || !stages->kernel || stages->kernel->tensorArrays.empty())
    return;
  viz::ViewSpec spec{.view = viz::View::Tmem};
  for (const core::TensorArray &each : stages->kernel->tensorArrays)
    spec.arrays.push_back(each.array);
  pushShow(viz::ViewRequest{std::move(spec), false});
}

void SessionHost::pushShow(viz::ShowRequest request) {
  viz::Show show{std::move(request), again_};
  if (held_)
    held_->push_back(std::move(show));
  else
    push(std::move(show));
}

viz::ShowRequest SessionHost::requestOf(const Shown &shown) {
  if (const auto *view = std::get_if<ShownView>(&shown))
    return viz::ViewRequest{writtenSpec(*view)};
  if (const auto *dump = std::get_if<ShownDump>(&shown))
    return viz::DumpPageRequest{std::make_shared<const viz::DumpPage>(drawnPage(*dump->page))};
  if (const auto *trace = std::get_if<ShownTrace>(&shown))
    return viz::TraceRequest{trace->trace, trace->title};
  const auto &code = std::get<ShownCode>(shown);
  if (code.stages)
    return codeOf({code.title, code.source, code.stages, {}});
  viz::CodeRequest request{.title = code.title, .pages = {}};
  for (const auto &page : code.pages)
    request.pages.push_back({page.title, page.text, {}});
  return request;
}

void SessionHost::offerDebugger(const KernelLaunch &launch, const KernelOptions &options, const SourceRef &file) {
  if (auto target = windowTarget(launch, options, file)) {
    bool faulted = target->faulted;
    pushShow(viz::DebugRequest{std::move(target), faulted});
  }
}

bool SessionHost::show(const Shown &shown) {
  traceShown_ |= std::holds_alternative<ShownTrace>(shown);
  viz::ShowRequest request = requestOf(shown);
  const auto *dump = std::get_if<viz::DumpPageRequest>(&request);
  std::optional<viz::CodeRequest> code = dump ? std::optional(codeOfDump(*dump->page)) : std::nullopt;
  pushShow(std::move(request));
  if (code)
    pushShow(*std::move(code));
  return true;
}

void SessionHost::openFailed(const Diagnostics &problems) {
  print(render(problems, true));
  push(viz::OpenFailed{problems.front().message});
}

std::filesystem::path SessionHost::found(const std::string &path) const {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored) && !samples_.empty())
    if (auto beside = samples_.parent_path() / path; std::filesystem::exists(beside, ignored))
      return beside;
  return path;
}

void SessionHost::openNow(const std::string &given) {
  std::filesystem::path path = kernelOfPackage(found(given));
  if (core::dumps::looksLikeDumps(path)) {
    programs_.close();
    return openDump(path.string());
  }
  auto file = openFor("gui", path);
  if (file && file->kind == FileKind::Folder) // the folder has no dumps
    return openFailed(core::readSource(path).error());
  if (!file)
    return openFailed(file.error());
  if (file->kind == FileKind::Snippet && path.extension() == ".py" && isProgram(path, file->source))
    return openProgram(path, file->source, false);
  programs_.close();
  if (file->kind == FileKind::Snippet && path.extension() == ".py")
    return openSnippet(path, file->source);
  if (isDumpName(path.string()) && core::looksLikeDump(file->source->text()))
    return openDump(path.string());
  print(faint("opened " + path.string()));
  openOther(path, *file);
}

void SessionHost::openOther(const std::filesystem::path &path, const OpenedFile &file) {
  std::string title = path.filename().string();
  if (file.kind == FileKind::Ptx)
    return openPtx(path, file.source);
  if (file.kind == FileKind::Launch)
    return openLaunch(path, file.source);
  if (file.kind == FileKind::Arrays)
    openArrays(path);
  else if (file.kind == FileKind::Image)
    openImage(file.source, title);
  else if (endsWith(path.native(), {".json", ".json.gz", ".gz", ".chrome_trace"}))
    openTrace(file.source, title);
  else if (endsWith(path.native(), {".layout"}))
    openLayout(file.source);
  else if (core::looksLikeTpuModule(file.source->text()))
    openModule(file.source, title);
  else
    pushShow(viz::CodeRequest{.title = title, .pages = {{"text", file.source->text(), {}}}});
  push(viz::Opened{.path = path.string(), .again = again_});
}

void SessionHost::openArrays(const std::filesystem::path &path) {
  auto bytes = core::readFile(path, path.extension() == ".npz" ? core::FileRole::Archive : core::FileRole::Array);
  auto loaded = bytes ? arraysIn(*bytes, path.string(), std::nullopt) : std::unexpected(std::move(bytes.error()));
  if (!loaded)
    return openFailed(loaded.error());
  showLoaded(path.filename().string(), *loaded, false);
}

void SessionHost::openImage(const SourceRef &source, const std::string &title) {
  auto image = viz::readPng(source->text(), source->name());
  if (!image)
    return openFailed(image.error());
  showLoaded(title, Value(*std::move(image)), true);
}

void SessionHost::showLoaded(const std::string &title, const Value &loaded, bool image) {
  session_->evaluator().set("loaded", loaded);
  viz::DataRequest request{.title = title, .items = {}};
  auto add = [&](const std::string &name, const core::Array &array) {
    if (auto numbers = viz::arrayNumbers(array, image))
      request.items.push_back({name, *numbers});
    else
      print(render(numbers.error(), true));
  };
  if (const DictData *several = loaded.asDict())
    for (const DictData::Item &item : several->items())
      add(str(item.key), *item.value.asArray());
  else
    add(title, *loaded.asArray());
  print("in the console it is called `loaded`\n");
  if (request.items.empty())
    return openFailed(error("npy", Message("`{name}` holds no arrays to show", title)).error());
  pushShow(std::move(request));
}

void SessionHost::openTrace(const SourceRef &source, const std::string &title) {
  auto trace = core::parseGpuTrace(source);
  if (!trace)
    return openFailed(trace.error());
  if (auto noted = core::addNotes(*trace, source->name()); !noted)
    print(render(noted.error(), true));
  print(render(trace->warnings, true));
  pushShow(viz::TraceRequest{std::make_shared<const core::Trace>(*std::move(trace)), title, true, source->name()});
}

void SessionHost::openLayout(const SourceRef &source) {
  Diagnostics remarks;
  auto layout = layouts::parseLayout(source, &remarks);
  if (!layout)
    return openFailed(layout.error());
  print(render(remarks, true));
  auto picture = viz::readPicture({}, *layout, layouts::ReadingSwitch::Window);
  if (!picture)
    return openFailed(picture.error());
  if (!picture->note.empty())
    print(faint(picture->note));
  ShownView shown{.spec = std::move(picture->spec), .layout = *layout};
  shown.spec.dtype = layouts::defaultDtype(*layout);
  shown.spec.memory.reset(); // the window reads the text itself, and has a switch for the memory
  if (const layouts::TiledMemoryLayout *tiled = layouts::asTiledMemory(*layout))
    shown.spec.shape = tiled->exampleShape();
  pushShow(viz::ViewRequest{writtenSpec(shown)});
}

void SessionHost::openDump(const std::string &path) {
  print(faint("opened " + path));
  std::string entry = text("dump = open_dump(", repr(Value(path)), ")\nshow(dump)\n");
  if (auto kernels = core::dumps::findDumps(path); core::dumps::looksLikeDumps(path) && kernels && kernels->size() > 1)
    entry = entryOf(path, *kernels);
  SnippetFiles::Opened opened(session_->files(), path);
  if (auto done = session_->run(Source::make("<open>", entry)); !done)
    return openFailed(done.error());
  push(viz::Opened{.path = path, .again = again_});
}

std::string SessionHost::entryOf(const std::filesystem::path &path, std::span<const core::dumps::DumpFiles> kernels) {
  std::filesystem::path folder = std::filesystem::is_directory(path) ? path : path.parent_path();
  std::vector<std::string> items, names, without;
  for (const core::dumps::DumpFiles &kernel : kernels) {
    std::string file = (folder / kernel.name).string();
    if (items.size() >= kMostKernels || !readDumpPage(file)) {
      without.push_back(kernel.name);
      continue;
    }
    names.push_back(repr(Value(kernel.name)));
    items.push_back(text(names.back(), ": open_dump(", repr(Value(file)), ")"));
  }
  if (!without.empty())
    print(faint(text("not opened, because they have no module or are too many: ", joined(without, ", "))));
  if (items.empty())
    return "";
  print(text(items.size(), " kernels, in `dumps`: ", joined(names, ", "), "; another one: dump = dumps[", names.back(),
             "]; show(dump)\n"));
  return text("dumps = {", joined(items, ", "), "}\ndump = dumps[", names.front(), "]\nshow(dump)\n");
}

void SessionHost::openModule(const SourceRef &source, const std::string &title) {
  ModuleFile file = openModuleFile(source, title);
  print(file.words + render(file.problems, true));
  if (file.tiles)
    pushShow(viz::ViewRequest{*std::move(file.tiles)});
  if (file.trace)
    pushShow(viz::TraceRequest{file.trace, title, false});
  pushShow(std::move(file.code));
}

Result<void> SessionHost::runSnippet(const SourceRef &source) {
  session_->files().setSnippet(source->name());
  session_->kernels().clearLaunches();
  session_->parameters().begin();
  for (auto &[name, value] : mailbox_.takeParameters())
    session_->parameters().set(name, std::move(value));
  traceShown_ = false;
  fileSince_ = milliseconds();
  running_ = session_.get();
  auto result = session_->run(source);
  running_ = nullptr;
  fileSince_ = 0;
  session_->files().setSnippet({});
  return result;
}

void SessionHost::openSnippet(const std::filesystem::path &path, const SourceRef &source) {
  std::string title = path.filename().string();
  print(faint("opened " + path.string()));
  pushShow(codeOf({title, source, nullptr, {}}));
  if (snippet_ != path.string()) // the settings are for another file
    session_->parameters().clear();
  snippet_ = path.string();
  auto result = runSnippet(source);
  viz::CodeRequest code = pagesOf(source, title, result ? Diagnostics() : result.error());
  ranWell_ = result.has_value();
  code.bringToFront = !result;
  pushShow(std::move(code));
  if (const auto &launches = session_->kernels().launches(); !launches.empty()) {
    offerTensorMemory(launches.back());
    offerDebugger(launches.back(), session_->kernels().options(), source);
  }
  if (!result)
    print(render(result.error(), true));
  else if (auto trace = session_->lastTrace(); trace && !traceShown_)
    pushShow(viz::TraceRequest{trace, title});
  push(ranText(path, source, result, false));
}

void SessionHost::runAgain(const std::filesystem::path &path, const SourceRef &source, bool saved, uint64_t call) {
  std::string title = path.filename().string();
  push(viz::RunsAgain{path.string()});
  print(faint((saved ? "ran again: " : "ran as it is typed: ") + path.string()));
  again_ = true;
  held_.emplace();
  CodeShown before = code_;
  code_ = {title, source, nullptr, {}};
  firstWanted_ = true; // so that a long file shows its first kernel early
  if (!saved)
    withoutSaving(*session_);
  auto result = runSnippet(source);
  savingAgain(*session_);
  firstWanted_ = false;
  if (!result)
    held_->clear(); // drop the new pictures and texts, and keep those of the last run that succeeded
  if (!result && ranWell_) {
    viz::CodeRequest code = codeOf(std::move(before));
    code.bringToFront = false;
    pushShow(std::move(code));
  } else {
    viz::CodeRequest code = pagesOf(source, title, result ? Diagnostics() : result.error());
    code.bringToFront = false;
    pushShow(std::move(code));
  }
  if (result && !session_->kernels().launches().empty())
    offerTensorMemory(session_->kernels().launches().back());
  if (auto trace = session_->lastTrace(); result && trace && !traceShown_)
    pushShow(viz::TraceRequest{trace, title, false});
  ranWell_ |= result.has_value();
  std::vector<viz::Show> shows = *std::exchange(held_, std::nullopt);
  again_ = false;
  if (!result && call != openings_)
    return; // the run was stopped for a newer text, which runs next
  // Show only the last one of several pictures.
  auto isPicture = [](const viz::Show &show) {
    const auto *view = std::get_if<viz::ViewRequest>(&show.what);
    return view && view->bringToFront;
  };
  auto pictures = static_cast<size_t>(std::ranges::count_if(shows, isPicture));
  for (viz::Show &show : shows)
    if (!isPicture(show) || --pictures == 0)
      push(std::move(show));
  if (!result)
    print(render(result.error(), true));
  push(ranText(path, source, result, true));
}

void SessionHost::firstKernelRan() {
  if (!firstWanted_ || session_->kernels().launches().empty())
    return;
  firstWanted_ = false;
  const KernelLaunch &launch = session_->kernels().launches().back();
  if (!launch.stages || !launch.result)
    return;
  viz::CodeRequest code = codeOf({code_.title, code_.snippet, launch.stages, {}});
  code.bringToFront = false;
  push(viz::Show{std::move(code), true});
}

viz::Opened SessionHost::ranText(const std::filesystem::path &path, const SourceRef &source, const Result<void> &result,
                                 bool again) const {
  viz::Opened opened{.path = path.string(), .again = again, .snippet = true, .ok = result.has_value()};
  if (!result)
    opened.problems = problemsOf(source, result.error());
  for (const SnippetParameter &each : session_->parameters().declared())
    opened.parameters.push_back(controlOf(each));
  return opened;
}

viz::CodeRequest SessionHost::codeOf(CodeShown shown) {
  code_ = std::move(shown);
  viz::CodeRequest code{.title = code_.title, .pages = {}};
  if (code_.stages)
    code = codeOfStages(code_.title, code_.snippet, *code_.stages, &record_);
  else
    code.pages.push_back({"snippet", code_.snippet->text(), {}});
  code.pages.front().markedLines = code_.marked;
  return code;
}

viz::CodeRequest SessionHost::pagesOf(const SourceRef &source, const std::string &title,
                                      const Diagnostics &diagnostics) {
  CodeShown shown{title, source, nullptr, {}};
  for (const Diagnostic &diagnostic : diagnostics)
    if (diagnostic.span.source == source)
      shown.marked.push_back(source->lineColumn(diagnostic.span.begin).line);
  const auto &launches = session_->kernels().launches();
  if (!launches.empty())
    shown.stages = launches.back().stages;
  return codeOf(std::move(shown));
}

void SessionHost::makePage(std::string page) {
  post("page", text("making ", page), [this, page] {
    if (!code_.stages || page != core::kSassStage.id)
      return;
    auto made = core::disassembled(*code_.stages);
    const bool failed = !made;
    if (failed)
      print(render(made.error(), true));
    core::Stage sass =
        made ? *std::move(made) : core::Stage{core::kSassStage, Source::make("sass", render(made.error()))};
    viz::CodeRequest code = codeOfStages(code_.title, code_.snippet, *code_.stages, &record_, {std::move(sass)});
    code.pages.front().markedLines = code_.marked;
    if (failed)
      code.pages.back().language = viz::Language::Plain;
    push(viz::Show{std::move(code)});
  });
}

} // namespace lanescope::repl
