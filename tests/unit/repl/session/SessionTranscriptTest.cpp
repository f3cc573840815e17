// samples/transcripts/*.txt: each typed line gets the answer below it.
#include "tests/unit/repl/Transcripts.h"

#include "repl/session/Session.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace lanescope::repl::test {
namespace {

const std::filesystem::path kFolder = std::filesystem::path(LANESCOPE_SOURCE_DIR) / "samples/transcripts";

std::vector<std::string> transcripts() {
  std::vector<std::string> out;
  std::error_code ignored;
  for (const auto &entry : std::filesystem::directory_iterator(kFolder, ignored))
    if (entry.path().extension() == ".txt")
      out.push_back(entry.path().stem().string());
  std::ranges::sort(out);
  return out;
}

std::string readFile(const std::filesystem::path &path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

class SessionTranscript : public testing::TestWithParam<std::string> {};

TEST_P(SessionTranscript, AnswersAsWritten) {
  std::filesystem::path path = kFolder / (GetParam() + ".txt");
  std::vector<Exchange> exchanges = parseTranscript(readFile(path));
  ASSERT_FALSE(exchanges.empty()) << path << " holds no line that starts with `>>> `";
  std::string written;
  SessionOptions options;
  options.kernels.device = "emulator";
  options.output = [&](std::string_view text) { written += text; };
  Session session(std::move(options));
  int number = 0;
  for (Exchange &exchange : exchanges) {
    written.clear();
    EXPECT_FALSE(Session::needsMoreText(exchange.input)) << "an entry that is not complete: " << exchange.input;
    auto done = session.entry(Source::make("<" + std::to_string(++number) + ">", exchange.input));
    std::string answer = written;
    if (!done)
      answer += render(done.error());
    while (answer == "\n" || answer.ends_with("\n\n")) // as in the reader of transcripts
      answer.pop_back();
    if (updateTranscripts)
      exchange.answer = answer;
    else
      EXPECT_EQ(answer, exchange.answer) << "after >>> " << exchange.input;
  }
  if (updateTranscripts)
    std::ofstream(path, std::ios::binary) << transcriptText(exchanges);
}

INSTANTIATE_TEST_SUITE_P(All, SessionTranscript, testing::ValuesIn(transcripts()),
                         [](const auto &info) { return info.param; });

TEST(TranscriptText, ReadsBackWhatItWrites) {
  std::string text = "## Sums\n>>> 1 + 1\n2\n>>> def f(x):\n...   return x\n...\n\n## Calls\n>>> f(3)\n3\n";
  auto exchanges = parseTranscript(text);
  ASSERT_EQ(exchanges.size(), 3u);
  EXPECT_EQ(exchanges[1].input, "def f(x):\n  return x\n\n");
  EXPECT_EQ(exchanges[1].answer, "");
  EXPECT_EQ(transcriptText(exchanges), text);
}

} // namespace
} // namespace lanescope::repl::test
