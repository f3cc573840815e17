// Untrusted text on a terminal.
#include "layouts/support/Visible.h"
#include "layouts/support/Diagnostic.h"

#include <gtest/gtest.h>

namespace lanescope {
namespace {

TEST(Visible, PlainTextStaysAsItIs) {
  for (const char *plain : {"", "a b", "µs → 中文 🙂", "line\nline\ttab", "C:\\x1b"})
    EXPECT_EQ(visible(plain), plain);
}

TEST(Visible, WhatDrivesATerminalShows) {
  EXPECT_EQ(visible("\x1b]0;title\x07"), "\\x1b]0;title\\x07");
  EXPECT_EQ(visible("a\rb\bc\x7f"), "a\\rb\\x08c\\x7f");
  EXPECT_EQ(visible("\xc2\x9b"
                    "31m"),
            "\\x9b31m"); // C1 in UTF-8
  EXPECT_EQ(visible("\x9b"
                    "31m"),
            "\\x9b31m"); // C1 as a single byte
  EXPECT_EQ(visible("\xe2\x80\xae"
                    "evil"),
            "\\u202eevil");
  EXPECT_EQ(visible("\xe2\x81\xa6x\xe2\x81\xa9"), "\\u2066x\\u2069");
  EXPECT_EQ(visible("\xe2\x80\xa8"), "\\u2028");
  EXPECT_EQ(visible("\xe2\x80\x8b"), "\\u200b");
  EXPECT_EQ(visible("\xf3\xa0\x81\x81"), "\\U000e0041");
  EXPECT_EQ(visible("\xff\xc3"), "\\xff\\xc3");
  EXPECT_EQ(visible(std::string_view("a\0b", 3)), "a\\x00b");
}

TEST(Visible, OfSequencesOnlyColoursMayStay) {
  EXPECT_EQ(visibleWithColours("\x1b[1;31merror\x1b[0m"), "\x1b[1;31merror\x1b[0m");
  EXPECT_EQ(visibleWithColours("\x1b[2J"), "\\x1b[2J");
  EXPECT_EQ(visibleWithColours("\x1b[31"), "\\x1b[31");
  EXPECT_EQ(visibleWithColours("\x1b]8;;http://x\x1b\\"), "\\x1b]8;;http://x\\x1b\\");
  EXPECT_EQ(visible("\x1b[31m"), "\\x1b[31m");
}

TEST(Visible, ANameStaysOnItsLine) {
  EXPECT_EQ(shownName("a\nerror: b\tc"), "a\\nerror: b\\tc");
  std::string shown = shownName(std::string(1'000'000, 'x'));
  EXPECT_LE(shown.size(), kLongestShownName);
  EXPECT_NE(shown.find("1000000 bytes"), std::string::npos);
  for (size_t n : {1, 2, 3, 180, 199, 200, 201, 399, 400, 401, 500}) {
    std::string wide;
    for (size_t i = 0; i < n; ++i)
      wide += i % 3 == 0 ? "\x1b" : "€";
    std::string cut = shownName(wide);
    EXPECT_LE(cut.size(), kLongestShownName) << n;
    EXPECT_EQ(visible(cut), cut) << n; // no partial characters
  }
}

TEST(Visible, MessagesCannotLookLikeOthers) {
  auto source = Source::make("a\x1b[2J\nb.py", "x = \x1b[31m1 +\n");
  std::string shown = render(error("k", {source, 12, 13}, "bad name `\nerror: all is lost\x1b[0m`").error());
  EXPECT_EQ(shown, "a\\x1b[2J\\nb.py:1:13: error: bad name `\n  error: all is lost\\x1b[0m`\n"
                   "  x = \\x1b[31m1 +\n"
                   "                 ^\n");
}

TEST(Visible, AQuotedLineIsCutAroundThePlace) {
  std::string line = std::string(500'000, 'a') + "HERE" + std::string(500'000, 'b');
  std::string shown = render(error("k", {Source::make("f", line), 500'000, 500'004}, "m").error());
  EXPECT_LT(shown.size(), 600u);
  EXPECT_NE(shown.find("aHEREb"), std::string::npos);
  size_t quoted = shown.find("HERE"), mark = shown.find('^'), before = shown.rfind('\n', quoted),
         under = shown.rfind('\n', mark);
  EXPECT_EQ(quoted - before, mark - under);
  EXPECT_EQ(shown.substr(mark), "^~~~\n");
  std::string message = render(error("k", std::string(1'000'000, 'y')).error());
  EXPECT_LT(message.size(), 4'200u);
  EXPECT_NE(message.find("bytes are left out"), std::string::npos);
}

TEST(Visible, MarksStandUnderWideAndEscapedCharacters) {
  auto source = Source::make("f", "µ\x01 = µµ + z");
  std::string shown = render(error("k", {source, 6, 10}, "m").error());
  EXPECT_EQ(shown, "f:1:7: error: m\n"
                   "  µ\\x01 = µµ + z\n"
                   "          ^~\n");
}

} // namespace
} // namespace lanescope
