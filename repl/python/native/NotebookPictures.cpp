#include "repl/python/native/NotebookPictures.h"

#include "repl/kernel/launch/Launches.h"
#include "repl/python/native/CodePage.h"
#include "repl/session/Show.h"
#include "viz/export/Html.h"
#include "viz/scene/TraceScene.h"

namespace lanescope::python {
namespace {

struct ToPage {
  std::optional<std::string> operator()(const repl::ShownView &shown) const {
    auto scene = shown.layout ? viz::viewScene(shown.spec, shown.layout, shown.against) : viz::viewScene(shown.spec);
    return scene ? std::optional(viz::toHtml(*scene)) : std::nullopt;
  }
  std::optional<std::string> operator()(const repl::ShownTrace &shown) const {
    return viz::toHtml(viz::traceScene(shown.trace));
  }
  std::optional<std::string> operator()(const repl::ShownCode &shown) const { return codePage(shown); }
  // A dump is shown as text.
  std::optional<std::string> operator()(const repl::ShownDump &) const { return std::nullopt; }
};

/// The code to which the kernel's last call was compiled; nothing before the first call.
std::optional<std::string> kernelPage(const repl::Kernel &kernel) {
  auto stages = kernel.last();
  if (!stages)
    return std::nullopt;
  repl::ShownCode code{.title = kernel.name(), .stages = stages, .source = kernel.span().source};
  for (const core::Stage &stage : stages->stages)
    if (!stage.text().empty())
      code.pages.push_back({std::string(stage.kind.id), stage.text()});
  return codePage(code);
}

} // namespace

std::optional<std::string> pageOf(const repl::Shown &shown) { return std::visit(ToPage{}, shown); }

std::optional<std::string> pageOf(const repl::Value &value) {
  if (const auto *kernel = value.as<repl::Kernel>())
    return kernelPage(*kernel);
  auto shown = repl::toShown(value);
  return shown ? pageOf(*shown) : std::nullopt;
}

} // namespace lanescope::python
