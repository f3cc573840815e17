// REPL transcripts: `>>> ` and `... ` lines are typed, the lines below them are the session's answer, and lines that
// start with `## ` are prose.
#pragma once

#include <string>
#include <vector>

namespace lanescope::repl::test {

/// Set by `unit_repl --update`: transcripts are rewritten with the session's current answers.
inline bool updateTranscripts = false;

struct Exchange {
  std::vector<std::string> prose;
  std::string input;  // lines, each with its line break
  std::string answer; // ends with a line break unless empty
};

std::vector<Exchange> parseTranscript(const std::string &text);
std::string transcriptText(const std::vector<Exchange> &exchanges);

} // namespace lanescope::repl::test
