#include "app/lanescope/OpenLink.h"

#include "core/data/Files.h"
#include "core/data/Json.h"
#include "core/data/PageLink.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "viz/web/Asked.h"
#include "viz/web/LayoutPage.h"

#include <nlohmann/json.hpp>

namespace lanescope::app {

Result<LinkedKernel> kernelOfLink(const std::string &link) {
  SourceRef source = Source::make("<link>", link);
  Span all{source, 0, static_cast<uint32_t>(link.size())};
  auto state = core::parseJson(Source::make("<state>", LANESCOPE_TRY(core::pageState(source))));
  if (!state)
    return error("bad-view", all, "this link cannot be read: it is damaged");
  const core::Json *kernel = state->find("kernel");
  if (!kernel)
    return LinkedKernel();
  if (const core::Json *sample = kernel->find("sample"))
    return error("bad-view", all,
                 Message("this link shows a sample of the page, {}: open it in a browser, or the folder "
                         "samples/packages in the window",
                         sample->string));
  const core::Json *files = kernel->find("files");
  if (!files)
    return error("bad-view", all, "the kernel of this link is too large to be in it: open its files");
  auto given = viz::linkedFilesOf(*files);
  if (!given)
    return error("bad-view", all, given.error().front().message);
  const core::Json *debug = kernel->find("debug");
  return LinkedKernel{*std::move(given), debug ? *debug : core::Json()};
}

Result<std::vector<viz::LinkedFile>> tracesOfLink(const std::string &link) {
  SourceRef source = Source::make("<link>", link);
  Span all{source, 0, static_cast<uint32_t>(link.size())};
  auto state = core::parseJson(Source::make("<state>", LANESCOPE_TRY(core::pageState(source))));
  if (!state)
    return error("bad-view", all, "this link cannot be read: it is damaged");
  std::vector<viz::LinkedFile> files;
  const core::Json *traces = state->find("traces");
  for (size_t n = 0; traces && n < traces->items.size(); ++n) {
    const core::Json &trace = traces->items[n];
    if (const core::Json *sample = trace.find("sample"))
      return error("bad-view", all,
                   Message("this link shows a sample of the page, {}: open it in a browser, or the folder "
                           "samples/traces in the window",
                           sample->string));
    const core::Json *name = trace.find("name"), *content = trace.find("text");
    if (!content || !content->is(core::Json::Kind::String))
      return error("bad-view", all, "the trace of this link is too large to be in it: open its file");
    // Its text is no longer compressed. Two traces that are compared may have one name.
    std::string plain = core::plainFileName(name ? name->string : "trace");
    if (plain.ends_with(".gz"))
      plain.resize(plain.size() - 3);
    files.push_back({text(n ? "second/" : "", plain, plain.ends_with(".json") ? "" : ".json"), content->string});
  }
  return files;
}

Result<std::string> viewOfLink(const std::string &link) {
  SourceRef source = Source::make("<link>", link);
  Span all{source, 0, static_cast<uint32_t>(link.size())};
  nlohmann::json state = nlohmann::json::parse(LANESCOPE_TRY(core::pageState(source)), nullptr, false);
  if (state.is_object() && state.contains("traces"))
    return error("bad-view", all, "this link shows a trace; open it with `lanescope gui` or in a browser");
  if (state.is_object() && state.contains("kernel"))
    return error("bad-view", all, "this link shows a kernel; open it with `lanescope gui` or in a browser");
  // The page itself reads the state.
  viz::LayoutPage page;
  page.call(R"({"do": "start"})");
  for (const nlohmann::json &request :
       {nlohmann::json{{"do", "load"}, {"state", state}}, nlohmann::json{{"do", "view"}}}) {
    core::Json answer = LANESCOPE_TRY(core::parseJson(Source::make("answer", page.call(viz::written(request)))));
    if (const core::Json *problem = answer.find("error"))
      return error("bad-view", all, "this link cannot be read: " + problem->find("message")->string);
    if (const core::Json *view = answer.find("text"))
      return view->string;
  }
  return error("bad-view", all, "this link shows no picture");
}

} // namespace lanescope::app
