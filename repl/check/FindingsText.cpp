#include "layouts/support/Text.h"
#include "repl/check/Check.h"
#include "repl/check/FindingRecord.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <cstring>

namespace lanescope::repl {

namespace {

using Json = nlohmann::ordered_json;

/// One line for each number of the snippet that would close gaps if it were changed.
std::string sizesText(const SizeSearch &sizes, size_t gaps) {
  std::string out;
  size_t closed = 0;
  for (const SizeProposal &proposal : sizes.proposals) {
    auto [line, column] = proposal.place.source->lineColumn(proposal.place.begin);
    out += text(proposal.to, " in place of ", proposal.from, " (line ", line, ") shows ", proposal.gaps.size(),
                proposal.gaps.size() == 1 ? " of these: number " : " of these: numbers ");
    for (size_t n = 0; n < proposal.gaps.size(); ++n)
      out += text(n ? ", " : "", proposal.gaps[n] + 1);
    out += "\n";
    closed += proposal.gaps.size();
  }
  if (sizes.tried && closed < gaps)
    out += text("no size shows the other ", gaps - closed, ": ", sizes.tried, " were tried",
                sizes.outOfTime ? ", and there was no time for more" : "", "\n");
  return out;
}

std::string asText(const CheckReport &report) {
  std::string out;
  uint64_t counts[3] = {}; // one for each severity
  uint64_t known = 0, allowed = 0;
  for (const Finding &finding : report.findings) {
    if (finding.known || !finding.allowed.empty()) {
      ++(finding.known ? known : allowed);
      continue;
    }
    out += gradedText(finding);
    if (finding.schedule != "0")
      out += text("  found on schedule ", finding.schedule, "; again with `--seed ", finding.schedule, "`\n");
    ++counts[static_cast<size_t>(finding.severity)];
  }
  if (report.coverage) {
    Diagnostics gaps = report.coverage->gaps();
    for (size_t n = 0; n < gaps.size(); ++n)
      out += text(n + 1, ") ", gradedText(gaps[n]));
    out += text(sizesText(report.sizes, gaps.size()), report.coverage->summary(),
                report.guessed.empty() ? "" : ", of guessed launches", "\n");
  }
  auto count = [](uint64_t n, const char *one) { return text(n, " ", one, n == 1 ? "" : "s"); };
  if (!report.guessed.empty() && report.findings.empty()) // a verdict is not possible with a guessed launch
    return out + text("nothing found in ", count(report.runs, "run"), ", ", guessedText(report.guessed, report.kernels),
                      "\n");
  return out + text(count(counts[0], "fault"), ", ", count(counts[1], "hazard"), ", ", count(counts[2], "note"),
                    known ? text(", ", known, " known") : "", allowed ? text(", ", allowed, " allowed") : "", " in ",
                    count(report.runs, "run"),
                    report.guessed.empty() ? std::string() : ", " + guessedText(report.guessed, report.kernels), "\n");
}

/// The points and gaps of the coverage, and sizes that would close gaps. Gaps are numbered from 0.
Json coverageJson(const CheckReport &report) {
  Json gaps = Json::array(), sizes = Json::array();
  for (const Diagnostic &gap : report.coverage->gaps()) {
    RelatedPlace place = recordedPlace(gap.span);
    gaps.push_back({{"rule", gap.kind},
                    {"message", gap.message},
                    {"file", place.file},
                    {"line", place.line},
                    {"column", place.column}});
  }
  for (const SizeProposal &proposal : report.sizes.proposals)
    sizes.push_back({{"from", proposal.from},
                     {"to", proposal.to},
                     {"line", recordedPlace(proposal.place).line},
                     {"closes", proposal.gaps}});
  core::Coverage::Late late = report.coverage->late();
  return {{"points", report.coverage->points().size()},
          {"gaps", std::move(gaps)},
          {"sizes", std::move(sizes)},
          {"late", {{"suspected", late.suspected}, {"tried", late.tried}, {"breaking", late.breaking}}}};
}

Json asJson(const CheckReport &report) {
  Json findings = Json::array();
  for (const FindingRecord &finding : findingRecords(report))
    findings.push_back(toJson(finding));
  Json all = {{"findings", std::move(findings)}, {"runs", report.runs}};
  if (!report.guessed.empty())
    all["guessed"] = guessedJson(report.guessed);
  if (report.coverage)
    all["coverage"] = coverageJson(report);
  return all;
}

Json asSarif(const CheckReport &report) {
  std::vector<FindingRecord> all = findingRecords(report);
  if (report.coverage)
    for (const Diagnostic &gap : report.coverage->gaps())
      all.push_back(findingRecord(gap, false));
  return sarif(all, report.guessed.empty() ? Json() : Json{{"guessed", guessedJson(report.guessed)}});
}

/// The command that runs a launch again under one schedule: the options on which its findings depend, without the grid.
std::string checkCommand(const std::string &file, const CheckOptions &options, const std::string &schedule) {
  std::string out = text("lanescope check ", shellWord(file));
  if (!options.launch.empty())
    out += text(" --launch ", shellWord(options.launch.string()));
  for (const auto &[name, value] : options.sketch.arguments)
    out += text(" --arg ", shellWord(text(name, "=", value)));
  if (!options.strictRules.empty())
    out += text(" --strict-rule ", joined(options.strictRules, ","));
  if (options.keepGoing)
    out += " --keep-going";
  if (options.timeLimit != CheckOptions{}.timeLimit)
    out += text(" --time-limit ", Json(options.timeLimit).dump());
  return schedule == "0" ? out : text(out, " --seed ", schedule);
}

} // namespace

std::string shellWord(const std::string &word) {
  auto isPlain = [](unsigned char one) { return std::isalnum(one) || (one && std::strchr("@%+=:,./-_", one)); };
  if (!word.empty() && std::ranges::all_of(word, isPlain))
    return word;
  std::string out = "'";
  for (char one : word)
    out += one == '\'' ? std::string("'\\''") : std::string(1, one);
  return out + "'";
}

std::string blocksText(const core::BlockChoice &choice) {
  if (choice.sample)
    return text("sample:", choice.sample);
  std::vector<std::string> blocks;
  for (auto [first, last] : choice.ranges)
    blocks.push_back(first == last ? text(first) : text(first, "-", last));
  return joined(blocks, ",");
}

std::string shrunkText(const ShrunkFinding &smaller, const std::string &file, const CheckOptions &options) {
  const Shrunk &shrunk = smaller.shrunk;
  RelatedPlace place = recordedPlace(smaller.finding.span);
  std::string of = text(gradeOf(smaller.finding), " [", smaller.finding.kind, "] at ", place.file, ":", place.line);
  std::string command = checkCommand(file, options, smaller.finding.schedule), out;
  if (shrunk.grid != smaller.whole)
    out += text("shrunk: the ", of, " is there with a grid of ", joined(shrunk.grid, ","), " in place of ",
                joined(smaller.whole, ","), ": `", command, " --grid ", joined(shrunk.grid, ","), "`\n");
  if (!shrunk.blocks.isAll()) {
    std::string grid = options.sketch.grid ? text(" --grid ", joined(smaller.whole, ",")) : "";
    out += text("shrunk: the ", of, " is there with a part of the grid's blocks: `", command, grid, " --blocks ",
                blocksText(shrunk.blocks), "`\n");
  }
  bool hasOneBlock = std::ranges::all_of(smaller.whole, [](uint32_t size) { return size == 1; });
  if (out.empty() && hasOneBlock)
    out = text("shrunk: the grid has one block, so nothing smaller can show the ", of, "\n");
  else if (out.empty() && !shrunk.endedEarly)
    out = text("shrunk: neither a smaller grid nor a part of its blocks shows the ", of, "\n");
  if (shrunk.endedEarly && !hasOneBlock)
    out += text("shrunk: the search ended early; a smaller launch may show the ", of, "\n");
  return out;
}

std::string gradedText(const Diagnostic &finding) {
  std::string words = render(finding);
  std::string severity = finding.severity == Severity::Error     ? "error: "
                         : finding.severity == Severity::Warning ? "warning: "
                                                                 : "note: ";
  if (size_t found = words.find(severity); found != std::string::npos)
    words.replace(found, severity.size(), text(gradeOf(finding), " [", finding.kind, "]: "));
  return words;
}

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
  case FindingsFormat::Json: return jsonText(asJson(report));
  case FindingsFormat::Sarif: return jsonText(asSarif(report));
  }
  return {};
}

} // namespace lanescope::repl
