#include "core/gpu/dumps/DumpKernelPage.h"

#include "core/data/Files.h"
#include "core/gpu/dumps/PageParts.h"
#include "core/gpu/inference/DumpInference.h"
#include "core/gpu/ir/Context.h"
#include "core/gpu/ir/DumpListing.h"
#include "core/ir/KernelModule.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"

#include <algorithm>
#include <numeric>

namespace lanescope::core::dumps {

namespace {

/// The module with newly inferred layouts, as a new text.
Result<SourceRef> laidOut(const SourceRef &module, const std::string &arch) {
  IrContext context = makeGpuContext();
  KernelModule read = LANESCOPE_TRY(parseModule(context, module, ModuleChecks::Structure));
  LANESCOPE_CHECK(layOutDump(read, {.arch = arch, .fuel = {}}));
  return Source::make(text(module->name(), " (laid out)"), moduleText(read));
}

void analyse(KernelPage &page) {
  page.relayouts = relayoutsOf(page.dump);
  page.transfers = transfersOf(page.dump);
  page.allocations = allocationsOf(page.dump);
  std::tie(page.registers, page.registersAt) = mostRegisters(page.dump);
}

std::string withoutEnd(std::string_view text) {
  return std::string(text.substr(0, text.find_last_not_of(" \n\r\t") + 1));
}

/// The lines of a text, sorted. A system of constraints is a set, so the order of its lines does not matter.
std::vector<std::string> sortedLines(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty()) {
    size_t end = std::min(text.find('\n'), text.size());
    if (std::string line = withoutEnd(text.substr(0, end)); !line.empty())
      out.push_back(std::move(line));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  std::ranges::sort(out);
  return out;
}

void append(Diagnostics &to, Diagnostics more) {
  to.insert(to.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

/// Compares JAX's layouts with ours.
void compare(KernelPage &page) {
  auto ours = laidOut(page.module, "");
  if (!ours) {
    page.missing.push_back("our own inference finds no layouts for this module, so there is nothing to compare with");
    append(page.problems, std::move(ours.error()));
    return;
  }
  auto dump = readDump(*ours);
  if (!dump)
    return append(page.problems, std::move(dump.error()));
  page.differences = differencesOf(page.dump, *dump);
  page.compared = true;
}

class PageReader {
public:
  PageReader(const DumpFiles &files, const SourceReader &read) : read_(read) { page_.files = files; }

  KernelPage run() {
    sayWhatIsMissing();
    if (SourceRef after = source(DumpFileKind::After)) {
      auto dump = openDump(after);
      if (dump)
        useAfter(after, *std::move(dump));
      else
        damaged(DumpFileKind::After, std::move(dump.error()));
    }
    if (!page_.hasModule())
      readBefore();
    readTexts();
    return std::move(page_);
  }

private:
  void sayWhatIsMissing() {
    using enum DumpFileKind;
    for (DumpFileKind kind : {Before, After, Ptx})
      if (!page_.files.find(kind))
        page_.missing.push_back(text(name(kind), " is missing"));
  }

  void damaged(DumpFileKind kind, Diagnostics problems) {
    page_.missing.push_back(text(name(kind), " cannot be used"));
    append(page_.problems, std::move(problems));
  }

  /// Returns null if the file is missing or cannot be read. A file that cannot be read is reported.
  SourceRef source(DumpFileKind kind) {
    const std::filesystem::path *path = page_.files.find(kind);
    if (!path)
      return nullptr;
    auto read = read_(*path, kind == DumpFileKind::Ptx ? FileRole::Ptx : FileRole::Module);
    if (read)
      return *read;
    damaged(kind, std::move(read.error()));
    return nullptr;
  }

  void useAfter(const SourceRef &after, Dump dump) {
    page_.dump = std::move(dump);
    page_.module = after;
    page_.problems = page_.dump.warnings;
    if (!page_.dump.hasLayouts)
      if (auto inferred = pageOf(after); inferred && inferred->dump.hasLayouts) {
        page_.missing.push_back("the module after layout inference has no layouts: these are inferred here");
        return take(*std::move(inferred));
      }
    analyse(page_);
    compare(page_);
  }

  /// Replaces the page's facts about the module with those of another page; keeps the known files.
  void take(KernelPage page) {
    page.files = std::move(page_.files);
    page.missing = std::move(page_.missing);
    append(page.problems, std::move(page_.problems));
    page_ = std::move(page);
  }

  void readBefore() {
    SourceRef before = source(DumpFileKind::Before);
    if (!before)
      return;
    auto inferred = pageOf(before);
    if (inferred) {
      take(*std::move(inferred));
      return;
    }
    damaged(DumpFileKind::Before, std::move(inferred.error()));
    if (auto plain = readDump(before)) {
      page_.dump = *std::move(plain);
      page_.module = before;
      page_.missing.push_back("no layouts: JAX's are missing, and ours cannot be inferred");
    }
  }

  void readConstraints() {
    SourceRef theirs = source(DumpFileKind::Constraints);
    if (!theirs)
      return;
    page_.constraints = withoutEnd(theirs->text());
    if (!page_.hasModule() || page_.inferredHere)
      return;
    IrContext context = makeGpuContext();
    auto module = parseModule(context, page_.module, ModuleChecks::Structure);
    if (!module)
      return;
    if (auto ours = constraintSystemOf(*module))
      page_.constraintsAgree = sortedLines(*ours) == sortedLines(page_.constraints);
  }

  void readTexts() {
    readConstraints();
    if (SourceRef ptx = source(DumpFileKind::Ptx)) {
      page_.ptx = summaryOf(ptx);
      if (page_.ptx->total == 0) {
        page_.ptx.reset();
        page_.missing.push_back("the PTX has no instructions");
      }
    }
    SourceRef sass = source(DumpFileKind::Sass);
    if (!sass)
      sass = source(DumpFileKind::SassCtrl);
    if (sass)
      page_.sass = sassSummary(sass->text());
    if (SourceRef resources = source(DumpFileKind::Resources))
      page_.resources = withoutEnd(resources->text());
    if (SourceRef ptxas = source(DumpFileKind::Ptxas))
      page_.ptxas = ptxasWords(ptxas->text());
  }

  const SourceReader &read_;
  KernelPage page_;
};

} // namespace

int64_t KernelPage::conflicts() const {
  return std::accumulate(transfers.begin(), transfers.end(), int64_t{0},
                         [](int64_t sum, const Transfer &one) { return sum + one.conflicts(); });
}

int64_t KernelPage::shuffles() const {
  return std::accumulate(relayouts.begin(), relayouts.end(), int64_t{0},
                         [](int64_t sum, const Relayout &one) { return sum + one.counts.shuffles; });
}

KernelPage readPage(const DumpFiles &files, const SourceReader &read) { return PageReader(files, read).run(); }

Result<KernelPage> pageOf(const SourceRef &module, const std::string &arch) {
  KernelPage page;
  page.files.name = module->name();
  page.module = module;
  page.dump = LANESCOPE_TRY(openDump(module));
  if (!page.dump.hasLayouts || !arch.empty()) {
    page.module = LANESCOPE_TRY(laidOut(module, arch));
    page.dump = LANESCOPE_TRY(readDump(page.module));
    page.inferredHere = true;
  }
  page.problems = page.dump.warnings;
  analyse(page);
  return page;
}

} // namespace lanescope::core::dumps
