#include "layouts/support/Text.h"
#include "repl/session/Check.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace lanescope::repl {

namespace {

using Json = nlohmann::ordered_json;

struct Place {
  std::string file;
  uint64_t line = 0, column = 0; // 1-based; 0: not known
};

Place placeOf(const Span &span) {
  if (!span.source)
    return {};
  auto [line, column] = span.source->lineColumn(span.begin);
  return {std::string(span.source->name()), line, column};
}

std::string asText(const CheckReport &report) {
  std::string out;
  uint64_t counts[3] = {}; // by severity
  for (const Diagnostic &finding : report.findings) {
    std::string words = render(finding);
    // "error: …" is "fault [race]: …" here.
    std::string severity = finding.severity == Severity::Error     ? "error: "
                           : finding.severity == Severity::Warning ? "warning: "
                                                                   : "note: ";
    size_t found = words.find(severity);
    if (found != std::string::npos)
      words.replace(found, severity.size(), text(gradeOf(finding), " [", finding.kind, "]: "));
    out += words;
    ++counts[static_cast<size_t>(finding.severity)];
  }
  auto count = [](uint64_t n, const char *one) { return text(n, " ", one, n == 1 ? "" : "s"); };
  return out + text(count(counts[0], "fault"), ", ", count(counts[1], "hazard"), ", ", count(counts[2], "note"), " in ",
                    count(report.runs, "run"), "\n");
}

Json asJson(const CheckReport &report) {
  Json findings = Json::array();
  for (const Diagnostic &finding : report.findings) {
    Place place = placeOf(finding.span);
    Json related = Json::array();
    for (const Note &note : finding.notes) {
      Place there = placeOf(note.span);
      related.push_back({{"message", note.message}, {"file", there.file}, {"line", there.line}});
    }
    findings.push_back({{"grade", gradeOf(finding)},
                        {"rule", finding.kind},
                        {"message", finding.message},
                        {"file", place.file},
                        {"line", place.line},
                        {"column", place.column},
                        {"related", std::move(related)}});
  }
  return {{"findings", std::move(findings)}, {"runs", report.runs}};
}

Json locationOf(const Span &span) {
  Place place = placeOf(span);
  Json physical = {{"artifactLocation", {{"uri", place.file}}}};
  if (place.line)
    physical["region"] = {{"startLine", place.line}, {"startColumn", place.column}};
  return {{"physicalLocation", std::move(physical)}};
}

Json asSarif(const CheckReport &report) {
  Json rules = Json::array(), results = Json::array();
  std::vector<std::string> named;
  for (const Diagnostic &finding : report.findings) {
    if (std::ranges::find(named, finding.kind) == named.end()) {
      named.push_back(finding.kind);
      rules.push_back({{"id", finding.kind}});
    }
    Json related = Json::array();
    for (const Note &note : finding.notes) {
      Json location = locationOf(note.span);
      location["message"] = {{"text", note.message}};
      related.push_back(std::move(location));
    }
    results.push_back({{"ruleId", finding.kind},
                       {"level", finding.severity == Severity::Error     ? "error"
                                 : finding.severity == Severity::Warning ? "warning"
                                                                         : "note"},
                       {"message", {{"text", finding.message}}},
                       {"locations", Json::array({locationOf(finding.span)})},
                       {"relatedLocations", std::move(related)}});
  }
  Json tool = {{"driver", {{"name", "lanescope"}, {"rules", std::move(rules)}}}};
  Json run = {{"tool", std::move(tool)}, {"results", std::move(results)}};
  return {
      {"$schema", "https://json.schemastore.org/sarif-2.1.0.json"}, {"version", "2.1.0"}, {"runs", Json::array({run})}};
}

} // namespace

const char *gradeOf(const Diagnostic &finding) {
  switch (finding.severity) {
  case Severity::Error: return "fault";
  case Severity::Warning: return "hazard";
  case Severity::Note: return "note";
  }
  return "";
}

std::string writeFindings(const CheckReport &report, FindingsFormat format) {
  switch (format) {
  case FindingsFormat::Text: return asText(report);
  case FindingsFormat::Json: return asJson(report).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  case FindingsFormat::Sarif: return asSarif(report).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  }
  return {};
}

} // namespace lanescope::repl
