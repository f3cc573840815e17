#include "viz/host/ViewLink.h"

#include "core/data/PageLink.h"
#include "layouts/support/Text.h"

#include <nlohmann/json.hpp>

namespace lanescope::viz {

using nlohmann::json;

namespace {

std::string linkOf(std::string_view page, const json &state) {
  return text(page, core::pageFragment(state.dump(-1, ' ', false, json::error_handler_t::replace)));
}

} // namespace

std::string viewLink(std::string_view views, std::string_view page) { return linkOf(page, {{"view", views}}); }

std::string traceLink(std::string_view name, std::string_view traceText, std::string_view page) {
  json trace = {{"name", name}, {"text", traceText}};
  return linkOf(text(page, "traces.html"), {{"traces", json::array({std::move(trace)})}});
}

std::string kernelLink(std::string_view name, std::span<const LinkedFile> files, std::string_view page,
                       const json &debug) {
  json kernel = {{"name", name}, {"files", linkedFilesJson(files)}};
  if (!debug.is_null())
    kernel["debug"] = debug;
  return linkOf(text(page, "kernels.html"), {{"kernel", std::move(kernel)}});
}

} // namespace lanescope::viz
