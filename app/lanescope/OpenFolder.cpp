#include "app/lanescope/OpenFolder.h"

#include "app/lanescope/Common.h"
#include "core/data/Files.h"
#include "core/gpu/dumps/CompareDumps.h"
#include "core/gpu/dumps/PageText.h"
#include "layouts/support/Text.h"
#include "layouts/support/Visible.h"
#include "repl/dumps/DumpPages.h"
#include "viz/export/DumpHtml.h"

#include <filesystem>

namespace lanescope::app {
namespace {

using core::dumps::KernelPage;

/// True if the page has neither a module nor PTX. Such a page is a failure.
bool isEmpty(const KernelPage &page) { return !page.hasModule() && !page.ptx; }

} // namespace

int openFolder(const OpenArguments &arguments) {
  auto kernels = core::dumps::findDumps(arguments.file);
  if (!kernels)
    return report(kernels.error());
  std::vector<KernelPage> pages;
  int status = kDone;
  for (const core::dumps::DumpFiles &kernel : *kernels) {
    KernelPage page = core::dumps::readPage(kernel);
    if (isEmpty(page))
      status = kInputAtFault;
    pages.push_back(std::move(page));
  }
  if (!arguments.output.empty()) {
    std::vector<viz::DumpPage> drawn;
    for (const KernelPage &page : pages)
      drawn.push_back(repl::drawnPage(page));
    auto written = core::writeFile(arguments.output, viz::dumpHtml(drawn));
    if (!written)
      return report(written.error());
  } else if (pages.size() == 1) {
    say(core::dumps::pageText(pages.front()));
  } else {
    for (const KernelPage &page : pages)
      say(core::dumps::summaryText(page) + "\n");
    say(text("a kernel in full: lanescope open ",
             shownName((std::filesystem::path(arguments.file) / pages.front().files.name).string()), "\n"));
  }
  for (const KernelPage &page : pages)
    report(page.problems);
  return status;
}

int openAgainst(const OpenArguments &arguments) {
  auto first = repl::readDumpPage(arguments.file, arguments.arch);
  if (!first)
    return report(first.error());
  auto second = repl::readDumpPage(arguments.against, arguments.arch);
  if (!second)
    return report(second.error());
  std::string words = core::dumps::comparisonText(*first, *second, core::dumps::compare(*first, *second));
  if (arguments.output.empty()) {
    say(words);
    return kDone;
  }
  auto written = core::writeFile(arguments.output, words);
  return written ? kDone : report(written.error());
}

} // namespace lanescope::app
