#include "repl/check/many/Baseline.h"

#include "core/data/Files.h"
#include "core/data/JsonFields.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <array>
#include <set>
#include <tuple>

namespace lanescope::repl {

namespace {

constexpr std::string_view kBaselineSchema = "lanescope.baseline/1";
constexpr std::array<std::string_view, 4> kWorstFirst = {"error", "fault", "hazard", "note"};

size_t goodness(std::string_view grade) {
  return static_cast<size_t>(std::ranges::find(kWorstFirst, grade) - kWorstFirst.begin());
}

/// The rule, the kernel and the statement by which a baseline knows a finding.
using FindingKey = std::tuple<std::string, std::string, std::string>;
using FindingPlace = std::tuple<std::string, uint64_t, uint64_t>;

FindingKey keyOf(const std::string &unit, const FindingRecord &finding) {
  return {finding.rule, finding.kernel.empty() ? unit : finding.kernel, finding.statement};
}

FindingPlace pointOf(const FindingRecord &finding) { return {finding.file, finding.line, finding.column}; }

/// The findings with one key: their places, and the worst grade.
struct SameFindings {
  std::set<FindingPlace> places;
  std::string grade;

  void add(const FindingRecord &finding) {
    places.insert(pointOf(finding));
    if (grade.empty() || goodness(finding.grade) < goodness(grade))
      grade = finding.grade;
  }
};

/// Marks findings while it counts the places of each key.
class Marking {
public:
  explicit Marking(const Baseline &baseline) {
    for (const KnownFinding &known : baseline.known)
      known_[{known.rule, known.kernel, known.statement}] = &known;
  }

  void mark(const std::string &unit, FindingRecord &finding) {
    auto known = known_.find(keyOf(unit, finding));
    if (known == known_.end() || goodness(finding.grade) < goodness(known->second->grade))
      return;
    std::set<FindingPlace> &places = places_[known->first];
    if (places.size() < known->second->places)
      places.insert(pointOf(finding));
    finding.known = places.contains(pointOf(finding));
  }

  std::vector<KnownFinding> gone() const {
    std::vector<KnownFinding> out;
    for (const auto &[key, known] : known_)
      if (!places_.contains(key))
        out.push_back(*known);
    return out;
  }

private:
  std::map<FindingKey, const KnownFinding *> known_;
  std::map<FindingKey, std::set<FindingPlace>> places_; // those that were marked
};

} // namespace

Baseline baselineOf(const MergedChecks &merged) {
  std::map<FindingKey, SameFindings> all;
  for (const CheckRecord &record : merged.records)
    for (const FindingRecord &finding : record.findings)
      if (finding.allowed.empty())
        all[keyOf(record.unit, finding)].add(finding);
  Baseline out;
  for (const auto &[key, same] : all) {
    const auto &[rule, kernel, statement] = key;
    out.known.push_back({rule, same.grade, kernel, statement, std::get<0>(*same.places.begin()), same.places.size()});
  }
  return out;
}

std::string baselineText(const Baseline &baseline) {
  std::string out = text("{\n\"schema\": \"", kBaselineSchema, "\",\n\"known\": [");
  for (size_t n = 0; n < baseline.known.size(); ++n) {
    const KnownFinding &known = baseline.known[n];
    nlohmann::ordered_json json = {{"rule", known.rule},           {"grade", known.grade}, {"kernel", known.kernel},
                                   {"statement", known.statement}, {"file", known.file},   {"places", known.places}};
    out += text(n ? "," : "", "\n", json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
  }
  return out + "\n]\n}\n";
}

Result<Baseline> readBaseline(const std::filesystem::path &file) {
  SourceRef source = LANESCOPE_TRY(core::readSource(file, core::FileRole::Json));
  core::Json json = LANESCOPE_TRY(core::parseJson(source));
  core::JsonFields fields(source, json, "a baseline", "baseline");
  if (std::string schema = fields.string("schema"); schema != kBaselineSchema && !fields.failed())
    fields.problem(*json.find("schema"), text("this Lanescope reads baselines of the schema ", kBaselineSchema));
  Baseline out;
  if (const core::Json *list = fields.member("known", core::Json::Kind::Array, "a list"))
    for (const core::Json &each : list->items) {
      core::JsonFields known(source, each, "a known finding", "baseline");
      KnownFinding &finding = out.known.emplace_back();
      finding.rule = known.string("rule");
      finding.grade = known.string("grade");
      finding.kernel = known.string("kernel");
      finding.statement = known.string("statement");
      finding.file = known.has("file") ? known.string("file") : "";
      finding.places = known.has("places") ? static_cast<uint64_t>(known.integer("places", 1, INT64_MAX)) : 1;
      if (!known.failed() && goodness(finding.grade) == kWorstFirst.size())
        known.problem(*each.find("grade"), "a grade is `fault`, `hazard`, `note` or `error`");
      if (known.failed())
        return known.failure();
    }
  if (fields.failed())
    return fields.failure();
  return out;
}

std::vector<KnownFinding> markKnown(const Baseline &baseline, MergedChecks &merged) {
  Marking marking(baseline);
  for (CheckRecord &record : merged.records)
    for (FindingRecord &finding : record.findings)
      marking.mark(record.unit, finding);
  return marking.gone();
}

void markKnown(const Baseline &baseline, const std::string &unit, std::vector<FindingRecord> &findings) {
  Marking marking(baseline);
  for (FindingRecord &finding : findings)
    marking.mark(unit, finding);
}

} // namespace lanescope::repl
