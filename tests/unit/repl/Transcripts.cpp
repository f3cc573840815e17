#include "Transcripts.h"

#include <sstream>
#include <string_view>

namespace lanescope::repl::test {
namespace {

constexpr std::string_view kPrompt = ">>> ", kMore = "... ", kProse = "## ";

void dropBlankEnd(std::string &answer) {
  while (answer == "\n" || answer.ends_with("\n\n"))
    answer.pop_back();
}

} // namespace

std::vector<Exchange> parseTranscript(const std::string &text) {
  std::vector<Exchange> out;
  std::vector<std::string> prose;
  bool typing = false; // the previous line was typed
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with(kProse)) {
      prose.push_back(line);
      typing = false;
    } else if (line.starts_with(kPrompt)) {
      out.push_back({.prose = std::move(prose), .input = line.substr(kPrompt.size()) + "\n", .answer = {}});
      prose.clear();
      typing = true;
    } else if (typing && (line.starts_with(kMore) || line == "...")) {
      out.back().input += line.substr(std::min(line.size(), kMore.size())) + "\n";
    } else if (!out.empty() && prose.empty()) {
      out.back().answer += line + "\n";
      typing = false;
    }
  }
  for (Exchange &exchange : out)
    dropBlankEnd(exchange.answer);
  return out;
}

std::string transcriptText(const std::vector<Exchange> &exchanges) {
  std::string out;
  for (const Exchange &exchange : exchanges) {
    if (!exchange.prose.empty() && !out.empty())
      out += "\n";
    for (const std::string &line : exchange.prose)
      out += line + "\n";
    std::istringstream in(exchange.input);
    bool first = true;
    for (std::string line; std::getline(in, line); first = false)
      out += first ? std::string(kPrompt) + line + "\n" : line.empty() ? "...\n" : std::string(kMore) + line + "\n";
    out += exchange.answer;
  }
  return out;
}

} // namespace lanescope::repl::test
