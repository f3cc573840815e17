#include "repl/check/FindingRecord.h"

#include "core/data/ParametersJson.h"
#include "layouts/support/Text.h"
#include "repl/check/StatementText.h"

#include <algorithm>
#include <cctype>

namespace lanescope::repl {

namespace {

using Json = nlohmann::ordered_json;

Json locationJson(const std::string &file, uint64_t line, uint64_t column) {
  Json physical = {{"artifactLocation", {{"uri", uriOf(file)}}}};
  if (line)
    physical["region"] = {{"startLine", line}, {"startColumn", std::max<uint64_t>(column, 1)}};
  return {{"physicalLocation", std::move(physical)}};
}

const char *levelOf(const std::string &grade) {
  return grade == "hazard" ? "warning" : grade == "note" ? "note" : "error";
}

Json resultJson(const FindingRecord &finding) {
  Json related = Json::array();
  for (const RelatedPlace &place : finding.related) {
    Json location = locationJson(place.file, place.line, place.column);
    location["message"] = {{"text", place.message}};
    related.push_back(std::move(location));
  }
  Json result = {{"ruleId", finding.rule},
                 {"level", levelOf(finding.grade)},
                 {"message", {{"text", finding.message}}},
                 {"locations", Json::array({locationJson(finding.file, finding.line, finding.column)})},
                 {"relatedLocations", std::move(related)}};
  if (!finding.kernel.empty())
    result["properties"]["kernel"] = finding.kernel;
  if (!finding.parameters.empty())
    core::addParameters(result["properties"], finding.parameters);
  if (!finding.allowed.empty())
    result["suppressions"] = Json::array({{{"kind", "inSource"}, {"justification", finding.allowed}}});
  if (finding.known)
    result["baselineState"] = "unchanged";
  return result;
}

} // namespace

std::string uriOf(const std::string &file) {
  constexpr std::string_view kPlain = "-._~/@!$&'()*+,;=", kDigits = "0123456789ABCDEF";
  std::string out;
  for (unsigned char c : file)
    if (std::isalnum(c) || kPlain.find(static_cast<char>(c)) != std::string_view::npos)
      out += static_cast<char>(c);
    else
      out += text('%', kDigits[c >> 4], kDigits[c & 15]);
  return out;
}

RelatedPlace recordedPlace(const Span &span) {
  if (!span.source)
    return {};
  auto [line, column] = span.source->lineColumn(span.begin);
  return {.message = {}, .file = span.source->name(), .line = line, .column = column};
}

FindingRecord findingRecord(const Diagnostic &diagnostic, bool isProblem) {
  RelatedPlace place = recordedPlace(diagnostic.span);
  FindingRecord out{.grade = isProblem ? "error" : gradeOf(diagnostic),
                    .rule = diagnostic.kind,
                    .message = diagnostic.message,
                    .file = place.file,
                    .line = place.line,
                    .column = place.column,
                    .schedule = {},
                    .kernel = {},
                    .statement = {},
                    .related = {},
                    .parameters = diagnostic.parameters,
                    .text = isProblem ? render(diagnostic) : gradedText(diagnostic),
                    .allowed = {}};
  if (diagnostic.span.source)
    out.statement = statementAt(*diagnostic.span.source, diagnostic.span.begin).text;
  for (const Note &note : diagnostic.notes) {
    if (out.statement.empty() && note.span.source) // the source is missing: the instruction of the PTX
      out.statement = statementAt(*note.span.source, note.span.begin).text;
    out.related.push_back(recordedPlace(note.span));
    out.related.back().message = note.message;
  }
  return out;
}

std::vector<FindingRecord> findingRecords(const CheckReport &report) {
  std::vector<FindingRecord> out;
  for (const Finding &finding : report.findings) {
    FindingRecord &record = out.emplace_back(findingRecord(finding, false));
    record.schedule = finding.schedule;
    record.kernel = finding.kernel;
    record.allowed = finding.allowed;
    record.known = finding.known;
  }
  return out;
}

void takeKnown(const std::vector<FindingRecord> &records, CheckReport &report) {
  for (size_t n = 0; n < std::min(records.size(), report.findings.size()); ++n)
    report.findings[n].known = records[n].known;
}

Json toJson(const FindingRecord &finding) {
  Json related = Json::array();
  for (const RelatedPlace &place : finding.related)
    related.push_back({{"message", place.message}, {"file", place.file}, {"line", place.line}});
  Json out = {{"grade", finding.grade}, {"rule", finding.rule}, {"message", finding.message},
              {"file", finding.file},   {"line", finding.line}, {"column", finding.column}};
  core::addParameters(out, finding.parameters);
  if (!finding.schedule.empty())
    out["schedule"] = finding.schedule;
  out["related"] = std::move(related);
  if (!finding.kernel.empty())
    out["kernel"] = finding.kernel;
  if (!finding.allowed.empty())
    out["allowed"] = finding.allowed;
  if (finding.known)
    out["known"] = true;
  return out;
}

Json guessedJson(const std::vector<GuessedLaunch> &guessed) {
  Json all = Json::array();
  for (const GuessedLaunch &launch : guessed)
    all.push_back(
        {{"file", launch.file}, {"kernel", launch.kernel}, {"grid", launch.grid}, {"guesses", launch.guesses}});
  return all;
}

std::string guessedText(const std::vector<GuessedLaunch> &guessed, uint64_t kernels) {
  std::vector<std::string> grids;
  for (const GuessedLaunch &launch : guessed)
    if (std::string grid = joined(launch.grid, "x"); std::ranges::find(grids, grid) == grids.end())
      grids.push_back(std::move(grid));
  constexpr size_t kMost = 4;
  bool more = grids.size() > kMost;
  grids.resize(std::min(grids.size(), kMost));
  auto isOneBlock = [](const GuessedLaunch &launch) { return launch.grid == std::array<uint32_t, 3>{1, 1, 1}; };
  return text(guessed.size() < kernels ? text(guessed.size(), " of ", kernels, " kernels ") : std::string(),
              "launched as guessed: grid ", joined(grids, ", "), more ? ", …" : "",
              std::ranges::any_of(guessed, isOneBlock) ? "; grid 1x1x1 shows nothing between blocks" : "");
}

Json sarif(const std::vector<FindingRecord> &findings, Json properties) {
  Json rules = Json::array(), results = Json::array();
  std::vector<std::string> named;
  for (const FindingRecord &finding : findings) {
    if (std::ranges::find(named, finding.rule) == named.end()) {
      named.push_back(finding.rule);
      rules.push_back({{"id", finding.rule}});
    }
    results.push_back(resultJson(finding));
  }
  Json tool = {{"driver", {{"name", "lanescope"}, {"rules", std::move(rules)}}}};
  Json run = {{"tool", std::move(tool)}, {"results", std::move(results)}};
  if (!properties.is_null())
    run["properties"] = std::move(properties);
  return {
      {"$schema", "https://json.schemastore.org/sarif-2.1.0.json"}, {"version", "2.1.0"}, {"runs", Json::array({run})}};
}

std::string jsonText(const Json &json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace lanescope::repl
