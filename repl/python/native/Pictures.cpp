#include "repl/python/native/Pictures.h"

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
  std::optional<std::string> operator()(const auto &) const { return std::nullopt; } // text is read as text
};

} // namespace

std::optional<std::string> pageOf(const repl::Shown &shown) { return std::visit(ToPage{}, shown); }

std::optional<std::string> pageOf(const repl::Value &value) {
  auto shown = repl::toShown(value);
  return shown ? pageOf(*shown) : std::nullopt;
}

} // namespace lanescope::python
