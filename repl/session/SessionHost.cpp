#include "repl/session/SessionHost.h"

#include "core/data/Files.h"
#include "core/gpu/dumps/DumpFolder.h"
#include "core/gpu/ir/DumpListing.h"
#include "core/gpu/kernel/Profile.h"
#include "core/tpu/ir/TpuModule.h"
#include "layouts/Catalogue.h"
#include "layouts/DefaultArray.h"
#include "layouts/notation/Notation.h"
#include "layouts/support/Text.h"
#include "layouts/tpu/TiledMemoryLayout.h"
#include "repl/session/DumpLaunch.h"
#include "repl/session/DumpPages.h"
#include "repl/session/ModuleFile.h"

#include <algorithm>
#include <fstream>
#include <tuple>
#include <utility>

namespace lanescope::repl {

namespace {

constexpr int kConsoleColumns = 120;
constexpr size_t kMostKernels = 64; // of a folder of dumps

std::string faint(const std::string &line) { return "\x1b[2m" + line + "\x1b[0m\n"; }

bool endsWith(std::string_view path, std::initializer_list<std::string_view> endings) {
  return std::ranges::any_of(endings, [&](std::string_view ending) { return path.ends_with(ending); });
}

std::string textFor(const layouts::Layout &layout) {
  return layouts::catalogueName(layout).value_or(layouts::layoutText(layout));
}

/// The picture of the memory that the layout is about.
viz::View viewFor(const layouts::Layout &layout) {
  if (layouts::asTiledMemory(layout))
    return viz::View::Grid;
  switch (layouts::memoryOf(layout)) {
  case layouts::Memory::Shared: return viz::View::Smem;
  case layouts::Memory::Tmem: return viz::View::Tmem;
  case layouts::Memory::Registers: break;
  }
  return viz::View::Grid;
}

/// What a sample says about itself: its first comment line.
std::string aboutFile(const std::filesystem::path &path) {
  std::ifstream file(path);
  std::string line;
  if (path.extension() != ".py" || !std::getline(file, line) || !line.starts_with("# "))
    return {};
  return line.substr(2);
}

/// The Show events of a session's show().
struct ShownToRequest {
  viz::ShowRequest operator()(const ShownView &shown) const {
    viz::ViewSpec spec = shown.spec;
    if (shown.layout) {
      spec.layout = textFor(*shown.layout);
      if (spec.view == viz::View::Auto)
        spec.view = viewFor(*shown.layout);
    }
    if (shown.against)
      spec.against = textFor(*shown.against);
    return viz::ViewRequest{std::move(spec)};
  }
  viz::ShowRequest operator()(const ShownDump &shown) const {
    return viz::DumpPageRequest{std::make_shared<const viz::DumpPage>(drawnPage(*shown.page))};
  }
  viz::ShowRequest operator()(const ShownTrace &shown) const { return viz::TraceRequest{shown.trace, shown.title}; }
  viz::ShowRequest operator()(const ShownCode &shown) const {
    viz::CodeRequest request{.title = shown.title, .pages = {}};
    for (const auto &page : shown.pages)
      request.pages.push_back({page.title, page.text, {}});
    return request;
  }
};

/// The texts of a dump: its module, what we compile it to, JAX's PTX.
viz::CodeRequest codeOf(const viz::DumpPage &page) {
  viz::CodeRequest code{.title = page.name, .bringToFront = false};
  for (const auto &[title, content] :
       {std::pair("module", &page.module), std::pair("our ptx", &page.ours), std::pair("JAX's ptx", &page.ptx)})
    if (!content->empty())
      code.pages.push_back({title, *content, {}});
  return code;
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

SessionHost::SessionHost(KernelOptions kernels) : samples_(findSamples()) {
  kernels.keepTexts = true;
  post("start", "starting", [this, kernels = std::move(kernels)] {
    SessionOptions options;
    options.kernels = kernels;
    options.colour = true;
    options.width = kConsoleColumns;
    options.output = [this](std::string_view text) { print(std::string(text)); };
    options.onShow = [this](const Shown &shown) { return show(shown); };
    session_ = std::make_unique<Session>(std::move(options));
    print("Lanescope. Try \x1b[1mshow(WGMMA)\x1b[0m, \x1b[1mhelp(show)\x1b[0m, or open a file from the list.\n");
  });
}

SessionHost::~SessionHost() { interrupt(); }

void SessionHost::post(std::string tag, std::string activity, std::function<void()> work) {
  thread_.post(std::move(tag), [this, activity = std::move(activity), work = std::move(work)] {
    {
      std::lock_guard lock(mutex_);
      activity_ = activity;
    }
    work();
    std::lock_guard lock(mutex_);
    activity_.clear();
    return viz::Requests::Delivery();
  });
}

void SessionHost::push(viz::HostEvent event) {
  std::function<void()> wake;
  {
    std::lock_guard lock(mutex_);
    events_.push_back(std::move(event));
    wake = wake_;
  }
  if (wake)
    wake();
}

void SessionHost::evaluate(std::string entry) {
  // A tag of its own: entries never replace each other.
  std::string name = text("<", ++entries_, ">");
  post("entry " + name, "evaluating", [this, name, entry = std::move(entry)] {
    size_t launches = session_->kernels().launches().size();
    traceShown_ = false;
    running_ = session_.get();
    SourceRef source = Source::make(name, entry);
    auto result = session_->entry(source);
    running_ = nullptr;
    if (!result)
      print(render(result.error(), true));
    if (session_->kernels().launches().size() > launches) {
      viz::CodeRequest code = pagesOf(source, name, result ? Diagnostics() : result.error(), launches);
      code.bringToFront = false;
      push(viz::Show{std::move(code)});
      offerTensorMemory();
      if (auto trace = session_->lastTrace(); trace && !traceShown_)
        push(viz::Show{viz::TraceRequest{trace, session_->kernels().launches().back().kernel, false}});
    }
    push(viz::Evaluated{result.has_value()});
  });
}

void SessionHost::open(std::string path) {
  std::string name = std::filesystem::path(path).filename().string();
  post("open", "opening " + name, [this, path = std::move(path)] { openNow(path); });
}

void SessionHost::complete(uint64_t request, std::string entry, size_t cursor) {
  post("complete", "completing", [this, request, entry = std::move(entry), cursor] {
    Completion found = session_->complete(entry, cursor);
    push(viz::Completions{request, found.from, std::move(found.candidates)});
  });
}

void SessionHost::interrupt() {
  if (Session *session = running_)
    session->interrupt();
}

bool SessionHost::needsMoreText(std::string_view entry) const {
  return Session::needsMoreText(text(entry, "\n")); // as if Enter had been pressed: a blank line ends a block
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
  std::ranges::sort(out, {}, [](const viz::FileEntry &file) { return std::tie(file.group, file.name); });
  return out;
}

std::vector<viz::HostEvent> SessionHost::poll() {
  std::lock_guard lock(mutex_);
  return std::exchange(events_, {});
}

std::string SessionHost::activity() const {
  bool busy = thread_.busy();
  std::lock_guard lock(mutex_);
  if (!activity_.empty())
    return activity_;
  return busy || !events_.empty() ? "working" : "";
}

void SessionHost::onNews(std::function<void()> wake) {
  thread_.onNews(wake);
  std::lock_guard lock(mutex_);
  wake_ = std::move(wake);
}

void SessionHost::offerTensorMemory() {
  const auto &stages = session_->kernels().launches().back().stages;
  if (!stages || !stages->kernel || stages->kernel->tensorArrays.empty())
    return;
  viz::ViewSpec spec{.view = viz::View::Tmem};
  for (const core::TensorArray &each : stages->kernel->tensorArrays)
    spec.arrays.push_back(each.array);
  push(viz::Show{viz::ViewRequest{std::move(spec), false}});
}

bool SessionHost::show(const Shown &shown) {
  traceShown_ |= std::holds_alternative<ShownTrace>(shown);
  viz::ShowRequest request = std::visit(ShownToRequest{}, shown);
  const auto *dump = std::get_if<viz::DumpPageRequest>(&request);
  std::optional<viz::CodeRequest> code = dump ? std::optional(codeOf(*dump->page)) : std::nullopt;
  push(viz::Show{std::move(request)});
  if (code)
    push(viz::Show{*std::move(code)});
  return true;
}

void SessionHost::openNow(const std::string &path) {
  std::error_code ignored;
  std::filesystem::path found = path;
  // Paths in scripts start at the repository, which is where the samples lie.
  if (!std::filesystem::exists(found, ignored) && !samples_.empty())
    if (auto beside = samples_.parent_path() / path; std::filesystem::exists(beside, ignored))
      found = beside;
  if (core::dumps::looksLikeDumps(found))
    return openDump(found.string());
  auto source = core::readSource(found.string());
  if (!source)
    return print(render(source.error(), true));
  std::string title = found.filename().string();
  if (isDumpName(found.string()) && core::looksLikeDump((*source)->text()))
    return openDump(found.string());
  print(faint("opened " + found.string()));
  if (endsWith(path, {".json", ".json.gz", ".gz"}))
    openTrace(*source, title);
  else if (endsWith(path, {".layout"}))
    openLayout(*source);
  else if (endsWith(path, {".py"}))
    openSnippet(*source, title);
  else if (core::looksLikeTpuModule((*source)->text()))
    openModule(*source, title);
  else
    push(viz::Show{viz::CodeRequest{.title = title, .pages = {{"text", (*source)->text(), {}}}}});
}

void SessionHost::openTrace(const SourceRef &source, const std::string &title) {
  auto trace = core::parseGpuTrace(source);
  if (!trace)
    return print(render(trace.error(), true));
  print(render(trace->warnings, true));
  push(viz::Show{viz::TraceRequest{std::make_shared<const core::Trace>(*std::move(trace)), title}});
}

void SessionHost::openLayout(const SourceRef &source) {
  Diagnostics remarks;
  auto layout = layouts::parseLayout(source, &remarks);
  if (!layout)
    return print(render(layout.error(), true));
  print(render(remarks, true));
  viz::ViewSpec spec;
  spec.layout = textFor(*layout);
  const layouts::TiledMemoryLayout *tiled = layouts::asTiledMemory(*layout);
  spec.shape = tiled ? tiled->exampleShape() : layouts::exampleShape(*layout);
  spec.dtype = layouts::defaultDtype(*layout);
  spec.view = viewFor(*layout);
  push(viz::Show{viz::ViewRequest{std::move(spec)}});
}

void SessionHost::openDump(const std::string &path) {
  print(faint("opened " + path));
  std::string entry = text("dump = open_dump(", repr(Value(path)), ")\nshow(dump)\n");
  if (auto kernels = core::dumps::findDumps(path); core::dumps::looksLikeDumps(path) && kernels && kernels->size() > 1)
    entry = entryOf(path, *kernels);
  if (auto done = session_->run(Source::make("<open>", entry)); !done)
    print(render(done.error(), true));
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
    print(faint(text("not opened, without a module or too many: ", joined(without, ", "))));
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
    push(viz::Show{viz::ViewRequest{*std::move(file.tiles)}});
  if (file.trace)
    push(viz::Show{viz::TraceRequest{file.trace, title, false}});
  push(viz::Show{std::move(file.code)});
}

void SessionHost::openSnippet(const SourceRef &source, const std::string &title) {
  push(viz::Show{viz::CodeRequest{.title = title, .pages = {{"snippet", source->text(), {}}}}});
  size_t launches = session_->kernels().launches().size();
  traceShown_ = false;
  running_ = session_.get();
  auto result = session_->run(source);
  running_ = nullptr;
  viz::CodeRequest code = pagesOf(source, title, result ? Diagnostics() : result.error(), launches);
  code.bringToFront = !result;
  push(viz::Show{std::move(code)});
  if (session_->kernels().launches().size() > launches)
    offerTensorMemory();
  if (!result)
    print(render(result.error(), true));
  else if (auto trace = session_->lastTrace();
           trace && !traceShown_ && session_->kernels().launches().size() > launches)
    push(viz::Show{viz::TraceRequest{trace, title}});
}

viz::CodeRequest SessionHost::pagesOf(const SourceRef &source, const std::string &title, const Diagnostics &diagnostics,
                                      size_t firstLaunch) const {
  viz::CodeRequest code{.title = title, .pages = {{"snippet", source->text(), {}}}};
  for (const Diagnostic &diagnostic : diagnostics)
    if (diagnostic.span.source == source)
      code.pages.front().markedLines.push_back(source->lineColumn(diagnostic.span.begin).line);
  const auto &launches = session_->kernels().launches();
  if (launches.size() > firstLaunch && launches.back().stages)
    for (const core::Stage &stage : launches.back().stages->stages)
      code.pages.push_back({std::string(stage.kind.id), stage.text(), {}});
  return code;
}

} // namespace lanescope::repl
