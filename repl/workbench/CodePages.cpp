#include "repl/workbench/CodePages.h"

#include "core/data/Beneath.h"
#include "core/gpu/codegen/PtxLines.h"
#include "core/gpu/codegen/StageKinds.h"
#include "core/gpu/emulator/PtxCosts.h"
#include "core/gpu/record/ProgramStack.h"
#include "core/Links.h"
#include "layouts/notation/Notation.h"
#include "layouts/support/Text.h"
#include "layouts/support/Visible.h"
#include "layouts/TmemLayout.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>

namespace lanescope::repl {

namespace {

/// Builds pages from texts as stages, with the links between them. The costs of one page's lines are shown on all
/// pages.
class PageBuilder {
public:
  explicit PageBuilder(std::string title) { request_.title = std::move(title); }

  size_t add(std::string title, core::Stage stage) {
    request_.pages.push_back({std::move(title), stage.text(), {}});
    stages_.push_back(std::move(stage));
    return stages_.size() - 1;
  }
  /// The index of the page that shows this source object.
  std::optional<size_t> pageOf(const SourceRef &source) const {
    for (size_t i = 0; i < stages_.size(); ++i)
      if (stages_[i].source == source)
        return i;
    return std::nullopt;
  }
  viz::CodeRequest &request() { return request_; }
  const std::vector<core::Stage> &stages() const { return stages_; }

  /// Ends the request. `counted`: the page whose lines have the `costs`.
  viz::CodeRequest finish(std::optional<size_t> counted, std::optional<core::LineCosts> costs) {
    std::vector<const core::Stage *> pointers;
    for (const core::Stage &stage : stages_)
      pointers.push_back(&stage);
    request_.links = std::make_shared<const core::LinkTable>(pointers);
    bool linked = false;
    for (size_t i = 0; i < stages_.size(); ++i)
      linked |= request_.links->hasLinks(i);
    if (costs && counted)
      for (size_t i = 0; i < stages_.size(); ++i) {
        auto lines = static_cast<size_t>(std::ranges::count(stages_[i].text(), '\n') + 1);
        core::LineCosts own = i == *counted ? *costs : core::costsFrom(*costs, *request_.links, *counted, i, lines);
        request_.pages[i].costs = std::make_shared<const core::LineCosts>(std::move(own));
      }
    if (!linked)
      request_.links = nullptr;
    return std::move(request_);
  }

private:
  viz::CodeRequest request_;
  std::vector<core::Stage> stages_;
};

std::optional<core::LineCosts> countedOf(const SourceRef &ptx, const core::RunRecord *record) {
  auto costs = core::ptxCosts(ptx, record);
  return costs ? std::optional(*std::move(costs)) : std::nullopt;
}

/// Reads "f32[64, 128]" as shape and dtype; false for other texts.
bool readType(std::string_view type, viz::ViewSpec &spec) {
  size_t open = type.find('[');
  if (open == std::string_view::npos || !type.ends_with(']'))
    return false;
  spec.dtype = layouts::dtypeNamed(type.substr(0, open));
  std::string_view sizes = type.substr(open + 1, type.size() - open - 2);
  while (!sizes.empty()) {
    int64_t size = 0;
    auto [end, problem] = std::from_chars(sizes.data(), sizes.data() + sizes.size(), size);
    if (problem != std::errc())
      return false;
    spec.shape.push_back(size);
    sizes.remove_prefix(static_cast<size_t>(end - sizes.data()));
    sizes.remove_prefix(std::min(sizes.find_first_not_of(", "), sizes.size()));
  }
  return spec.dtype && !spec.shape.empty();
}

void addArrays(PageBuilder &builder, const core::CompiledKernel &kernel) {
  for (const core::ValueLayout &value : kernel.values) {
    std::optional<size_t> page = builder.pageOf(value.span.source);
    viz::CodeRequest::Array array{.name = value.name, .type = value.type, .view = {.layout = value.layout}};
    if (!page || !readType(value.type, array.view))
      continue;
    Diagnostics ignored;
    if (!layouts::parseLayout(Source::make("<layout>", value.layout), &ignored))
      continue; // transforms of shared memory are no register layout
    array.page = *page;
    array.line = value.span.source->lineColumn(value.span.begin).line;
    auto &arrays = builder.request().arrays;
    bool known = std::ranges::any_of(arrays, [&](const viz::CodeRequest::Array &other) {
      return other.page == array.page && other.line == array.line && other.name == array.name &&
             other.view == array.view;
    });
    if (!known)
      arrays.push_back(std::move(array));
  }
}

void addMemories(PageBuilder &builder, const core::CompiledKernel &kernel, size_t ptx, const core::RunRecord *record) {
  auto &memories = builder.request().memories;
  if (std::optional<size_t> snippet = builder.pageOf(kernel.source))
    for (const core::TensorArray &each : kernel.tensorArrays)
      if (auto columns = layouts::columnsOf(each.array); columns && !each.writtenAt.empty())
        memories.push_back({.page = *snippet,
                            .lines = each.writtenAt,
                            .name = text("tensor memory of `", each.array.name, "`"),
                            .unit = "column",
                            .size = layouts::kTmemColumns,
                            .ranges = {{each.array.column, each.array.column + *columns}}});
  if (!record || !record->ptx || record->ptx->text() != kernel.ptx)
    return;
  for (const core::InstructionRecord &entry : record->instructions)
    if (!entry.shared.empty())
      memories.push_back({.page = ptx,
                          .lines = {record->ptx->lineColumn(entry.place).line},
                          .name = "shared memory",
                          .unit = "byte",
                          .size = record->sharedBytes,
                          .ranges = entry.shared});
}

/// The last quoted text of a line. It is the name in `lanescope.region_begin "load"`, and in SparseCore's
/// `tpu.trace_start`.
std::string_view quotedIn(std::string_view line) {
  size_t close = line.rfind('"'), open = close == line.npos || close == 0 ? line.npos : line.rfind('"', close - 1);
  return open == line.npos ? std::string_view() : line.substr(open + 1, close - open - 1);
}

/// Adds the regions. A region's lines are the source lines of the operations between its begin and end in the IR.
void addRegions(PageBuilder &builder, const core::Stage &ir) {
  std::map<std::string, std::map<size_t, std::vector<uint32_t>>, std::less<>> found; // lines by region and page
  std::vector<std::string> open;
  for (uint32_t line = 1; line <= ir.origins.size(); ++line) {
    std::string_view words = ir.source->lineText(line);
    auto names = [&](std::string_view operation) { return words.find(operation) != words.npos; };
    if (names("lanescope.region_begin ") || names("tpu.trace_start"))
      open.emplace_back(quotedIn(words));
    for (const std::string &name : open)
      for (const Span &place : core::originOf(ir, line).places)
        if (std::optional<size_t> page = builder.pageOf(place.source))
          found[name][*page].push_back(place.source->lineColumn(place.begin).line);
    if ((names("lanescope.region_end ") || names("tpu.trace_stop")) && !open.empty())
      open.pop_back();
  }
  for (auto &[name, pages] : found)
    for (auto &[page, lines] : pages) {
      std::ranges::sort(lines);
      lines.erase(std::ranges::unique(lines).begin(), lines.end());
      builder.request().regions.push_back({name, page, std::move(lines)});
    }
}

} // namespace

viz::CodeRequest codeOfStages(const std::string &title, const SourceRef &snippet, const core::KernelStages &stages,
                              const core::RunRecord *record, const std::vector<core::Stage> &more) {
  PageBuilder builder(title);
  // The places of a kernel from an earlier session refer to another source object with the snippet's text, which then
  // stands for the snippet.
  SourceRef front = snippet;
  for (const SourceRef &source : stages.sources)
    if (source && snippet && source->text() == snippet->text())
      front = source;
  if (front)
    builder.add("snippet", core::sourceStage(front));
  for (const SourceRef &source : stages.sources)
    if (source && source != front && !source->text().empty())
      builder.add(std::filesystem::path(source->name()).filename().string(), core::sourceStage(source));
  std::optional<size_t> ptx;
  for (const core::Stage &stage : stages.stages) {
    if (stage.text().empty())
      continue;
    size_t page = builder.add(std::string(stage.kind.id), stage);
    if (stage.kind == core::kPtxStage)
      ptx = page;
  }
  for (const core::Stage &stage : more)
    builder.add(std::string(stage.kind.id), stage);
  if (const core::Stage *ir = stages.find(core::kIrStage.id))
    addRegions(builder, *ir);
  if (stages.kernel && ptx) {
    addArrays(builder, *stages.kernel);
    addMemories(builder, *stages.kernel, *ptx, record);
    if (more.empty())
      builder.request().onDemand = core::kSassStage.id;
  }
  std::optional<core::LineCosts> costs;
  if (ptx)
    costs = countedOf(builder.stages()[*ptx].source, record);
  return builder.finish(ptx, std::move(costs));
}

viz::CodeRequest codeOfDump(const viz::DumpPage &page) {
  PageBuilder builder(page.name);
  SourceRef module = Source::make(page.name, page.module);
  if (!page.module.empty())
    builder.add("module", core::sourceStage(module));
  auto fromModule = [&](uint32_t line) { return spanAt(module, line, 1); };
  std::optional<size_t> counted;
  if (!page.ours.empty()) {
    core::Stage ours{core::kPtxStage, Source::make(page.name + ".ptx", page.ours)};
    for (uint32_t line : page.oursFrom)
      ours.origins.push_back(line ? core::LineOrigin{core::LineOrigin::Kind::Source, {fromModule(line)}}
                                  : core::LineOrigin{});
    counted = builder.add("our ptx", std::move(ours));
  }
  if (!page.ptx.empty()) {
    // Lines of the PTX and operations of the module both have places in Python. These places link them.
    std::map<std::string, std::vector<uint32_t>, std::less<>> linesAt;
    for (const viz::DumpRow &row : page.rows)
      if (size_t column = row.place.rfind(':'); column != std::string::npos && row.line > 0) {
        std::string_view place = std::string_view(row.place).substr(0, column);
        linesAt[std::string(place.substr(place.rfind('/') + 1))].push_back(row.line);
      }
    core::Stage jax{core::kSourceStage, Source::make("jax.ptx", page.ptx)};
    for (const std::string &place : page.ptxPlaces) {
      core::LineOrigin &origin = jax.origins.emplace_back();
      if (auto lines = linesAt.find(place); lines != linesAt.end()) {
        origin.kind = core::LineOrigin::Kind::Source;
        for (uint32_t line : lines->second)
          origin.places.push_back(fromModule(line));
      }
    }
    size_t jaxPage = builder.add("JAX's ptx", std::move(jax));
    counted = counted ? counted : std::optional(jaxPage);
  }
  std::optional<core::LineCosts> costs;
  if (counted)
    costs = countedOf(builder.stages()[*counted].source, nullptr);
  viz::CodeRequest code = builder.finish(counted, std::move(costs));
  code.bringToFront = false;
  return code;
}

/// The source file that PTX names: the file of that name beside the PTX, or else the file at the named path. Null:
/// there is none. The PTX's author chose the name, so only files with the ending of a program's text are read, and no
/// links are followed.
static SourceRef sourceOfPtx(const std::string &name, const std::filesystem::path &folder) {
  constexpr std::string_view kEndings[] = {".py", ".cu",  ".cuh", ".c",    ".cc",   ".cpp",   ".cxx",
                                           ".h",  ".hpp", ".inc", ".mlir", ".ttir", ".ttgir", ".jl"};
  std::filesystem::path named = name;
  if (std::ranges::find(kEndings, named.extension()) == std::end(kEndings))
    return nullptr;
  auto beside = core::readSourceBeneath(folder, named.filename(), core::FileRole::Snippet);
  auto read = beside ? beside : core::readSourceBeneath(named.parent_path(), named.filename(), core::FileRole::Snippet);
  return read ? Source::make(name, (*read)->text()) : nullptr;
}

/// Adds the call stack of a recorded launch, with the sources of its functions that are on this machine. The package's
/// author chose their names, as those of PTX.
static void addCallStack(PageBuilder &builder, const core::record::ProgramStack &stack) {
  std::string all = text("launch ", stack.launch, " of ", visibleLine(stack.kernel), "\n");
  core::Stage page{core::kSourceStage, nullptr};
  page.origins.emplace_back();
  std::map<std::string, SourceRef> sources;
  for (const core::record::ProgramFrame &frame : stack.frames) {
    all += frame.place.empty() ? text("    ", visibleLine(frame.words), "\n")
                               : text("  → ", visibleLine(frame.place), "\n");
    core::LineOrigin &origin = page.origins.emplace_back();
    if (frame.file.empty() || frame.place.empty()) // the functions of libraries would be many pages
      continue;
    auto [known, fresh] = sources.try_emplace(frame.file, nullptr);
    if (fresh)
      known->second = sourceOfPtx(frame.file, std::filesystem::path(frame.file).parent_path());
    const SourceRef &source = known->second;
    if (!source || source->lineText(frame.line).empty()) {
      all += text("      ", visibleLine(frame.file), ", which is not here\n");
      page.origins.emplace_back();
      continue;
    }
    if (!builder.pageOf(source))
      builder.add(std::filesystem::path(frame.file).filename().string(), core::sourceStage(source));
    origin = {core::LineOrigin::Kind::Source, {spanAt(source, frame.line, 1)}};
    std::string_view code = source->lineText(frame.line);
    code.remove_prefix(std::min(code.find_first_not_of(" \t"), code.size()));
    all += text("      ", visibleLine(code), "\n");
    page.origins.push_back(origin);
  }
  page.source = Source::make("call stack", std::move(all));
  builder.add("call stack", std::move(page));
}

viz::CodeRequest codeOfPtx(const std::string &title, const SourceRef &ptx, const std::string &path,
                           const core::RunRecord *record) {
  PageBuilder builder(title);
  std::vector<SourceRef> sources;
  for (const std::string &name : core::ptxFiles(*ptx))
    if (SourceRef source = sourceOfPtx(name, std::filesystem::path(path).parent_path()))
      sources.push_back(std::move(source));
  for (const SourceRef &source : sources)
    builder.add(std::filesystem::path(source->name()).filename().string(), core::sourceStage(source));
  core::Stage stage{core::kPtxStage, ptx};
  stage.origins = core::ptxOrigins(*ptx, core::SourcePlaces(sources, {}));
  size_t page = builder.add("ptx", std::move(stage));
  if (auto stack = core::record::programStack(std::filesystem::path(path).parent_path()))
    addCallStack(builder, *stack);
  return builder.finish(page, countedOf(ptx, record));
}

viz::CodeRequest codeOfListing(const std::string &title, const SourceRef &from, std::string listingTitle,
                               std::string listing, const std::vector<uint32_t> &lines) {
  PageBuilder builder(title);
  builder.add("module", core::sourceStage(from));
  core::Stage stage{core::kSourceStage, Source::make(listingTitle, std::move(listing))};
  for (uint32_t line : lines)
    stage.origins.push_back(line ? core::LineOrigin{core::LineOrigin::Kind::Source, {spanAt(from, line, 1)}}
                                 : core::LineOrigin{});
  builder.add(std::move(listingTitle), std::move(stage));
  return builder.finish(std::nullopt, std::nullopt);
}

} // namespace lanescope::repl
