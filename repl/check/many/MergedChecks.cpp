#include "repl/check/many/MergedChecks.h"

#include "layouts/support/Text.h"

#include <algorithm>
#include <array>
#include <set>
#include <tuple>

namespace lanescope::repl {

namespace {

constexpr std::array<std::string_view, 4> kFailOn = {"fault", "hazard", "note", "new"};
constexpr std::array<std::string_view, 4> kGradeOrder = {"fault", "hazard", "note", "error"};

size_t gradeOrder(const FindingRecord &finding) {
  return static_cast<size_t>(std::ranges::find(kGradeOrder, finding.grade) - kGradeOrder.begin());
}

/// The command that shows the finding again, under its schedule alone.
std::string againText(const CheckRecord &record, const FindingRecord &finding) {
  const bool seeded = !finding.schedule.empty() && finding.schedule != "0";
  std::string out = text("lanescope check ", shellWord(record.unit));
  for (size_t n = 0; n < record.options.size(); ++n)
    if (seeded && (record.options[n] == "--seeds" || record.options[n] == "--seed"))
      ++n; // leave out its number, too
    else if (!(seeded && record.options[n] == "--adversarial"))
      out += text(" ", shellWord(record.options[n]));
  return seeded ? text(out, " --seed ", finding.schedule) : out;
}

/// The comments that no unit uses, by place.
std::vector<FindingRecord> unusedIn(const std::vector<CheckRecord> &records) {
  std::map<std::pair<std::string, uint64_t>, FindingRecord> unused;
  std::set<std::pair<std::string, uint64_t>> used;
  for (const CheckRecord &record : records)
    for (const AllowRecord &allow : record.allows) {
      std::pair place(allow.unused.file, allow.unused.line);
      if (allow.used)
        used.insert(place);
      else if (record.outcome == Outcome::Checked) // a run that ended early may not have come to the statement
        unused.emplace(place, allow.unused);
    }
  std::vector<FindingRecord> out;
  for (auto &[place, note] : unused)
    if (!used.contains(place))
      out.push_back(std::move(note));
  return out;
}

} // namespace

Result<MergedChecks> mergeResults(const std::vector<std::filesystem::path> &folders) {
  std::map<std::string, std::optional<CheckRecord>> byUnit;
  std::set<std::pair<uint32_t, uint32_t>> shards; // pairs of a shard's count and number
  for (const std::filesystem::path &folder : folders) {
    ResultsFolder results = LANESCOPE_TRY(readResults(folder));
    for (Shard shard : results.shards)
      shards.emplace(shard.of, shard.number);
    for (const auto &[unit, key] : results.units)
      byUnit.try_emplace(unit);
    for (CheckRecord &record : results.records)
      if (auto unit = results.units.find(record.unit); unit != results.units.end() && unit->second == record.key)
        byUnit[record.unit] = std::move(record);
  }
  MergedChecks out;
  for (auto &[unit, record] : byUnit)
    if (record)
      out.records.push_back(*std::move(record));
    else
      out.unchecked.push_back(unit);
  out.unusedAllows = unusedIn(out.records);
  // Folders of runs that were divided in different ways are independent runs.
  const uint32_t of = shards.empty() ? 0 : shards.begin()->first;
  if (std::ranges::all_of(shards, [&](const auto &shard) { return shard.first == of; }))
    out.missingShards = of - static_cast<uint32_t>(shards.size());
  return out;
}

std::vector<MergedFinding> distinctFindings(const MergedChecks &merged) {
  std::vector<MergedFinding> out;
  std::map<std::tuple<std::string, std::string, std::string, uint64_t, uint64_t, bool>, size_t> known;
  for (const CheckRecord &record : merged.records)
    for (const FindingRecord &finding : record.findings) {
      auto [same, fresh] = known.try_emplace(
          {finding.grade, finding.rule, finding.file, finding.line, finding.column, finding.counts()}, out.size());
      if (fresh)
        out.push_back(
            {finding, finding.grade == "error" ? std::string() : againText(record, finding), {}, record.options});
      if (std::vector<std::string> &units = out[same->second].units; units.empty() || units.back() != record.unit)
        units.push_back(record.unit);
    }
  for (const FindingRecord &note : merged.unusedAllows)
    out.push_back({note, {}, {}, {}});
  std::ranges::stable_sort(out, {}, [](const MergedFinding &each) { return gradeOrder(each.finding); });
  return out;
}

std::optional<FailOn> failOnNamed(std::string_view name) {
  auto found = std::ranges::find(kFailOn, name);
  return found == kFailOn.end() ? std::nullopt : std::optional(static_cast<FailOn>(found - kFailOn.begin()));
}

bool fails(const FindingRecord &finding, FailOn on) {
  if (!finding.counts())
    return false;
  return finding.grade == "error" || on == FailOn::New || gradeOrder(finding) <= static_cast<size_t>(on);
}

bool fails(const MergedChecks &merged, FailOn on) {
  auto failing = [on](const FindingRecord &finding) { return fails(finding, on); };
  return !merged.unchecked.empty() || merged.missingShards > 0 || std::ranges::any_of(merged.unusedAllows, failing) ||
         std::ranges::any_of(merged.records,
                             [&](const CheckRecord &record) { return std::ranges::any_of(record.findings, failing); });
}

} // namespace lanescope::repl
