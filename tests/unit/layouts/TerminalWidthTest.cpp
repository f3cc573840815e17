#include "layouts/support/TerminalWidth.h"

#include "layouts/support/Diagnostic.h"
#include "layouts/support/Visible.h"

#include <gtest/gtest.h>

namespace lanescope {
namespace {

TEST(TerminalWidth, CharactersTakeNoneOneOrTwoColumns) {
  struct {
    const char *text;
    int64_t columns;
  } kCases[] = {
      {"", 0},
      {"plain", 5},
      {"µs", 2},
      {"中文", 4},
      {"e\u0301", 1},                    // e and a combining acute accent
      {"\u1112\u1161\u11ab", 4},         // letters of Korean as Unicode's table gives them
      {"한", 2},                         // the same syllable as one character
      {"😀", 2},                         // an emoji
      {"\U0001F469\u200D\U0001F4BB", 4}, // two emoji and a joiner of no width
      {"ﾊ", 1},                          // half width
      {"Ａ", 2},                         // full width
      {"\u3000", 2},                     // a space of full width
      {"a\u0300\u0301\u0302", 1},        // several marks
      {"…–×→·", 5},                      // signs that pictures use
      {"\u2502\u2588", 2},               // lines and blocks
      {"a\xff\xc3", 3},                  // two bytes that are not UTF-8
      {"x中y\u0301z", 5},                // all of them
      {"\u05d0\u05b8", 1},               // a Hebrew letter with a point
      {"\u0e01\u0e34", 1},               // a Thai letter with a vowel above
      {"\U00020000", 2},                 // beyond the first plane
  };
  for (const auto &[text, columns] : kCases)
    EXPECT_EQ(columnCount(text), columns) << text;
}

TEST(TerminalWidth, PartsKeepMarksWithTheirCharacters) {
  EXPECT_EQ(firstColumns("中文", 3), "中");
  EXPECT_EQ(firstColumns("中文", 1), "");
  EXPECT_EQ(firstColumns("e\u0301a", 1), "e\u0301");
  EXPECT_EQ(firstColumns("abc", 9), "abc");
  EXPECT_EQ(firstColumns("abc", 0), "");
  EXPECT_EQ(lastColumns("中文", 3), "文");
  EXPECT_EQ(lastColumns("中文", 1), "");
  EXPECT_EQ(lastColumns("ae\u0301b", 1), "b");
  EXPECT_EQ(lastColumns("ae\u0301b", 2), "e\u0301b");
  EXPECT_EQ(lastColumns("\u0301b", 1), "\u0301b"); // all of it has room
  EXPECT_EQ(lastColumns("a\xff", 1), "\xff");
}

TEST(TerminalWidth, PaddingFillsColumns) {
  EXPECT_EQ(padded("中", 4), "中  ");
  EXPECT_EQ(padded("e\u0301", 3, Aligned::Right), "  e\u0301");
  EXPECT_EQ(padded("long", 2), "long");
}

/// The columns before the caret of a message about the bytes from `begin` to `end`, and the caret's line from there.
std::pair<int64_t, std::string> caret(std::string_view line, uint32_t begin, uint32_t end) {
  std::string shown = render(error("k", {Source::make("f", std::string(line)), begin, end}, "m").error());
  std::string_view marks = std::string_view(shown).substr(shown.rfind('\n', shown.size() - 2) + 1);
  size_t at = marks.find('^');
  return {static_cast<int64_t>(at) - 2, std::string(marks.substr(at, marks.size() - at - 1))};
}

TEST(TerminalWidth, CaretsStandUnderTheColumnOfATerminal) {
  using Marks = std::pair<int64_t, std::string>;
  struct {
    std::string_view before, marked;
    Marks marks;
  } kCases[] = {
      {"x = '中文' + ", "y", {13, "^"}},
      {"x = ", "中文", {4, "^~~~"}},
      {"e\u0301 = ", "z", {4, "^"}},
      {"e", "\u0301", {0, "^"}}, // the mark is drawn on the e
      {"# 😀 ", "bad", {5, "^~~"}},
      {"\t\tx = ", "y", {6, "^"}},                       // the quoted line has a space for each tab
      {"'\U0001F469\u200D\U0001F4BB' ", "y", {13, "^"}}, // the joiner is shown as \u200d
      {"한국어: ", "e\u0301e\u0301", {8, "^~"}},
      {"", "中", {0, "^~"}},
      {"ab", "", {2, "^"}},
  };
  for (const auto &[before, marked, marks] : kCases) {
    std::string line = std::string(before) + std::string(marked) + " end";
    auto begin = static_cast<uint32_t>(before.size());
    EXPECT_EQ(caret(line, begin, begin + static_cast<uint32_t>(marked.size())), marks) << line;
  }
}

} // namespace
} // namespace lanescope
