#include "viz/web/Asked.h"

#include "core/data/ParametersJson.h"
#include <nlohmann/json.hpp>

#include <cmath>

namespace lanescope::viz {

using core::Json;
using nlohmann::json;

namespace {
std::string_view severityWord(Severity severity) {
  return severity == Severity::Error ? "error" : severity == Severity::Warning ? "warning" : "note";
}
} // namespace

std::string Asked::text(std::string_view name, std::string_view otherwise) const {
  const Json *found = object_.find(name);
  return found && found->is(Json::Kind::String) ? found->string : std::string(otherwise);
}
double Asked::number(std::string_view name, double otherwise) const {
  const Json *found = object_.find(name);
  bool known = found && (found->is(Json::Kind::Number) || found->is(Json::Kind::Integer));
  return known && std::isfinite(found->number) ? found->number : otherwise;
}
bool Asked::truth(std::string_view name) const {
  const Json *found = object_.find(name);
  return found && found->is(Json::Kind::Bool) && found->boolean;
}
const Json *Asked::object(std::string_view name) const {
  const Json *found = object_.find(name);
  return found && found->is(Json::Kind::Object) ? found : nullptr;
}

std::string answered(std::string_view request, const std::function<Result<std::string>(const Asked &)> &answer) {
  Result<Json> root = core::parseJson(Source::make("request", std::string(request)));
  Result<std::string> out = root ? answer(Asked(*root)) : std::unexpected(root.error());
  if (out)
    return *std::move(out);
  return written({{"error", problemJson(out.error().front())}});
}

json problemJson(const Diagnostic &problem) {
  json out = {{"severity", severityWord(problem.severity)},
              {"kind", problem.kind},
              {"message", problem.message},
              {"text", render(problem)},
              {"field", ""},
              {"notes", json::array()}};
  if (problem.span.source) {
    LineColumn place = problem.span.source->lineColumn(problem.span.begin);
    out["field"] = problem.span.source->name();
    out["begin"] = problem.span.begin;
    out["end"] = problem.span.end;
    out["line"] = place.line;
    out["column"] = place.column;
  }
  core::addParameters(out, problem.parameters);
  for (const Note &note : problem.notes)
    out["notes"].push_back(note.message);
  return out;
}

std::string written(const json &value) { return value.dump(-1, ' ', false, json::error_handler_t::replace); }

} // namespace lanescope::viz
