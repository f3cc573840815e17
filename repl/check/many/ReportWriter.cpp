#include "repl/check/many/ReportWriter.h"

#include "layouts/support/Text.h"
#include "layouts/support/Words.h"

#include <algorithm>
#include <array>

namespace lanescope::repl {

namespace {

constexpr std::array<std::string_view, 6> kReportFormats = {"text", "html", "sarif", "junit", "markdown", "github"};

/// How many units ended in each way.
std::string failedUnits(const MergedChecks &merged) {
  std::array<uint64_t, 5> counts{};
  for (const CheckRecord &record : merged.records)
    ++counts[static_cast<size_t>(record.outcome)];
  constexpr std::array<std::string_view, 5> kWords = {"", "could not be checked", "took too long", "ran out of memory",
                                                      "crashed"};
  std::string out;
  for (size_t n = 1; n < counts.size(); ++n)
    if (counts[n])
      out += text("; ", counts[n], " ", kWords[n]);
  return out;
}

/// The launches of all units that nothing describes.
std::vector<GuessedLaunch> guessedLaunches(const MergedChecks &merged) {
  std::vector<GuessedLaunch> out;
  for (const CheckRecord &record : merged.records)
    out.insert(out.end(), record.guessed.begin(), record.guessed.end());
  return out;
}

std::string reportSarif(const MergedChecks &merged) {
  std::vector<FindingRecord> all;
  for (const MergedFinding &each : distinctFindings(merged))
    all.push_back(each.finding);
  std::vector<GuessedLaunch> guessed = guessedLaunches(merged);
  return jsonText(sarif(all, guessed.empty() ? nlohmann::ordered_json()
                                             : nlohmann::ordered_json{{"guessed", guessedJson(guessed)}}));
}

} // namespace

std::optional<ReportFormat> reportFormatNamed(std::string_view name) {
  auto found = std::ranges::find(kReportFormats, name);
  return found == kReportFormats.end() ? std::nullopt
                                       : std::optional(static_cast<ReportFormat>(found - kReportFormats.begin()));
}

std::string summaryText(const MergedChecks &merged) {
  uint64_t faults = 0, hazards = 0, notes = 0, known = 0, allowed = 0;
  for (const MergedFinding &each : distinctFindings(merged)) {
    const FindingRecord &finding = each.finding;
    if (!finding.allowed.empty())
      ++allowed;
    else if (finding.known)
      ++known;
    else if (finding.grade != "error")
      ++(finding.grade == "fault" ? faults : finding.grade == "hazard" ? hazards : notes);
  }
  std::string out = text(counted(faults, "fault"), ", ", counted(hazards, "hazard"), ", ", counted(notes, "note"));
  if (known)
    out += text(", ", known, " known");
  if (allowed)
    out += text(", ", allowed, " allowed");
  out += text(" in ", counted(merged.records.size(), "kernel"), failedUnits(merged));
  if (std::vector<GuessedLaunch> guessed = guessedLaunches(merged); !guessed.empty())
    out += text("; ", guessedText(guessed, merged.records.size()));
  if (size_t left = merged.unchecked.size())
    out += text("; ", left, left == 1 ? " is" : " are", " not checked yet");
  if (merged.missingShards)
    out += text("; ", counted(merged.missingShards, "shard"), merged.missingShards == 1 ? " is" : " are", " missing");
  return out;
}

std::string linkOf(const FindingRecord &finding, const std::string &link) {
  if (link.empty() || finding.line == 0)
    return {};
  std::string out = link;
  for (const auto &[mark, value] :
       {std::pair<std::string_view, std::string>("{file}", uriOf(finding.file)), {"{line}", text(finding.line)}})
    for (size_t at = out.find(mark); at != out.npos; at = out.find(mark, at + value.size()))
      out.replace(at, mark.size(), value);
  return out;
}

std::string writeReport(const MergedChecks &merged, ReportFormat format, const ReportStyle &style) {
  switch (format) {
  case ReportFormat::Text: return reportText(merged, style);
  case ReportFormat::Html: return reportHtml(merged, style);
  case ReportFormat::Sarif: return reportSarif(merged);
  case ReportFormat::Junit: return reportJunit(merged, style);
  case ReportFormat::Markdown: return reportMarkdown(merged, style);
  case ReportFormat::Github: return reportGithub(merged, style);
  }
  return {};
}

} // namespace lanescope::repl
