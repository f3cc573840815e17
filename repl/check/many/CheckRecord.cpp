#include "repl/check/many/CheckRecord.h"

#include "core/data/JsonFields.h"
#include "core/data/ParametersJson.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <array>

namespace lanescope::repl {

namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr char kKind[] = "results";
constexpr int64_t kMost = INT64_MAX;
constexpr std::array<std::string_view, 5> kOutcomes = {"checked", "refused", "time-limit", "out-of-memory", "crashed"};

OrderedJson wholeJson(const FindingRecord &finding) {
  OrderedJson out = toJson(finding);
  for (size_t n = 0; n < finding.related.size(); ++n)
    out["related"][n]["column"] = finding.related[n].column;
  if (!finding.statement.empty())
    out["statement"] = finding.statement;
  out["text"] = finding.text;
  return out;
}

/// Reads members that may be missing.
class OptionalFields : public core::JsonFields {
public:
  using core::JsonFields::JsonFields;
  std::string words(std::string_view name) { return has(name) ? string(name) : std::string(); }
  uint64_t count(std::string_view name) { return has(name) ? static_cast<uint64_t>(integer(name, 0, kMost)) : 0; }
  bool flag(std::string_view name) {
    const core::Json *found = has(name) ? member(name, core::Json::Kind::Bool, "true or false") : nullptr;
    return found && found->boolean;
  }
  const std::vector<core::Json> &list(std::string_view name) {
    static const std::vector<core::Json> none;
    const core::Json *found = has(name) ? member(name, core::Json::Kind::Array, "a list") : nullptr;
    return found ? found->items : none;
  }
};

FindingRecord findingFrom(const SourceRef &source, const core::Json &json, Diagnostics &problems) {
  OptionalFields fields(source, json, "a finding", kKind);
  FindingRecord out;
  out.grade = fields.string("grade");
  out.rule = fields.string("rule");
  out.message = fields.string("message");
  out.file = fields.string("file");
  out.line = fields.count("line");
  out.column = fields.count("column");
  out.schedule = fields.words("schedule");
  out.kernel = fields.words("kernel");
  out.parameters = core::readParameters(json);
  out.statement = fields.words("statement");
  out.text = fields.words("text");
  out.allowed = fields.words("allowed");
  out.known = fields.flag("known");
  for (const core::Json &each : fields.list("related")) {
    OptionalFields place(source, each, "a related place", kKind);
    RelatedPlace related;
    related.message = place.words("message");
    related.file = place.words("file");
    related.line = place.count("line");
    related.column = place.count("column");
    out.related.push_back(std::move(related));
    std::ranges::move(place.take(), std::back_inserter(problems));
  }
  std::ranges::move(fields.take(), std::back_inserter(problems));
  return out;
}

GuessedLaunch guessedFrom(const SourceRef &source, const core::Json &json, Diagnostics &problems) {
  OptionalFields fields(source, json, "a guessed launch", kKind);
  GuessedLaunch out;
  out.file = fields.string("file");
  out.kernel = fields.string("kernel");
  std::array<int64_t, 3> grid = fields.sizes("grid", 1, UINT32_MAX);
  std::ranges::transform(grid, out.grid.begin(), [](int64_t size) { return static_cast<uint32_t>(size); });
  for (const core::Json &guess : fields.list("guesses"))
    out.guesses.push_back(guess.string);
  std::ranges::move(fields.take(), std::back_inserter(problems));
  return out;
}

} // namespace

std::string_view outcomeName(Outcome outcome) { return kOutcomes[static_cast<size_t>(outcome)]; }

CheckRecord checkRecord(const std::string &unit, const CheckReport &report) {
  CheckRecord out{.unit = unit, .key = {}, .runs = report.runs, .host = {}, .program = {}};
  out.findings = findingRecords(report);
  for (const Diagnostic &problem : report.problems)
    out.findings.push_back(findingRecord(problem, true));
  if (hasErrors(report.problems))
    out.outcome = Outcome::Refused;
  out.guessed = report.guessed;
  out.unused = report.unused;
  for (const AllowComment &comment : report.allows)
    out.allows.push_back({comment.used, findingRecord(unusedAllow(comment), false)});
  return out;
}

CheckRecord failedRecord(const std::string &unit, Outcome outcome, const Diagnostics &problems) {
  CheckRecord out{.unit = unit, .key = {}, .outcome = outcome, .host = {}, .program = {}};
  for (const Diagnostic &problem : problems) {
    FindingRecord &finding = out.findings.emplace_back(findingRecord(problem, true));
    if (finding.file.empty())
      finding.file = unit;
  }
  return out;
}

std::string recordLine(const CheckRecord &record) {
  OrderedJson findings = OrderedJson::array(), allows = OrderedJson::array();
  for (const FindingRecord &finding : record.findings)
    findings.push_back(wholeJson(finding));
  for (const AllowRecord &allow : record.allows)
    allows.push_back({{"used", allow.used}, {"unused", wholeJson(allow.unused)}});
  OrderedJson json = {{"schema", kRecordSchema}, {"unit", record.unit}};
  if (!record.key.empty())
    json["key"] = record.key;
  json["outcome"] = outcomeName(record.outcome);
  json["runs"] = record.runs;
  if (!record.options.empty())
    json["options"] = record.options;
  json["findings"] = std::move(findings);
  if (!record.guessed.empty())
    json["guessed"] = guessedJson(record.guessed);
  if (!record.allows.empty())
    json["allows"] = std::move(allows);
  if (!record.unused.empty())
    json["unused"] = record.unused;
  if (record.finished)
    json["run"] = {{"seconds", record.seconds},
                   {"memory", record.memory},
                   {"finished", record.finished},
                   {"host", record.host},
                   {"program", record.program}};
  return jsonText(json, -1);
}

Result<CheckRecord> readRecord(const SourceRef &line) {
  core::Json json = LANESCOPE_TRY(core::parseJson(line));
  OptionalFields fields(line, json, "a record", kKind);
  CheckRecord out;
  if (std::string schema = fields.string("schema"); schema != kRecordSchema && !fields.failed())
    fields.problem(*json.find("schema"),
                   text("this Lanescope reads records of the schema ", kRecordSchema, ", not ", schema));
  out.unit = fields.string("unit");
  out.key = fields.words("key");
  std::string outcome = fields.string("outcome");
  if (fields.failed())
    return fields.failure();
  if (auto found = std::ranges::find(kOutcomes, outcome); found != kOutcomes.end())
    out.outcome = static_cast<Outcome>(found - kOutcomes.begin());
  else
    fields.problem(*json.find("outcome"), text("there is no outcome `", outcome, "`"));
  out.runs = fields.count("runs");
  for (const core::Json &option : fields.list("options"))
    out.options.push_back(option.string);
  for (const core::Json &option : fields.list("unused"))
    out.unused.push_back(option.string);
  Diagnostics problems;
  for (const core::Json &each : fields.list("findings"))
    out.findings.push_back(findingFrom(line, each, problems));
  for (const core::Json &each : fields.list("guessed"))
    out.guessed.push_back(guessedFrom(line, each, problems));
  for (const core::Json &each : fields.list("allows")) {
    OptionalFields allow(line, each, "a comment that allows findings", kKind);
    AllowRecord &comment = out.allows.emplace_back();
    comment.used = allow.flag("used");
    if (const core::Json *unused = allow.member("unused", core::Json::Kind::Object, "an object"))
      comment.unused = findingFrom(line, *unused, problems);
    std::ranges::move(allow.take(), std::back_inserter(problems));
  }
  if (const core::Json *run = json.find("run")) {
    OptionalFields about(line, *run, "a record's run", kKind);
    if (const core::Json *seconds = run->find("seconds"))
      out.seconds = seconds->number;
    out.memory = about.count("memory");
    out.finished = static_cast<int64_t>(about.count("finished"));
    out.host = about.words("host");
    out.program = about.words("program");
    std::ranges::move(about.take(), std::back_inserter(problems));
  }
  std::ranges::move(fields.take(), std::back_inserter(problems));
  if (hasErrors(problems))
    return std::unexpected(std::move(problems));
  return out;
}

} // namespace lanescope::repl
