#include "layouts/support/Utf8.h"

#include <gtest/gtest.h>

namespace lanescope {
namespace {

TEST(Utf8, MalformedBytesAreReplaced) {
  EXPECT_EQ(validUtf8("µs"), "µs");
  EXPECT_EQ(validUtf8("a\xff\xc3"), "a\xef\xbf\xbd\xef\xbf\xbd");
  EXPECT_EQ(validUtf8("\x1b[2J"), "\xef\xbf\xbd[2J"); // no escape sequence reaches a terminal
  EXPECT_EQ(validUtf8("ab µ cd\x7f\xc3 e"), "ab µ cd\xef\xbf\xbd\xef\xbf\xbd e"); // runs between them
  EXPECT_EQ(validUtf8("\xed\xa0\x80"), "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");   // a surrogate
  EXPECT_EQ(firstCharacters("µab", 2), "µa");
  EXPECT_EQ(characterCount("µab"), 3);
}

TEST(Utf8, CharactersAndTheirNumbers) {
  char32_t code = 0;
  EXPECT_EQ(characterLength("", &code), 0u);
  EXPECT_EQ(characterLength("a…", &code), 1u);
  EXPECT_EQ(code, U'a');
  EXPECT_EQ(characterLength("…a", &code), 3u);
  EXPECT_EQ(code, U'…');
  // Overlong forms, surrogates, code points beyond the last, and truncated sequences.
  for (const char *bad :
       {"\xc0\xaf", "\xe0\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xe2\x80", "\x80"})
    EXPECT_EQ(characterLength(bad), 0u) << bad;
  // The bytes of each code point read back.
  for (char32_t each :
       {U'\0', U'\x7f', U'\x80', U'\x7ff', U'\x800', U'\ud7ff', U'\ue000', U'\uffff', U'\U00010000', U'\U0010ffff'}) {
    std::string written;
    appendCharacter(written, each);
    EXPECT_EQ(characterLength(written, &code), written.size());
    EXPECT_EQ(code, each);
  }
}

TEST(Utf8, EndsOfCharacters) {
  EXPECT_EQ(characterEnd("a…b", 0), 1u);
  EXPECT_EQ(characterEnd("a…b", 1), 4u);
  EXPECT_EQ(characterEnd("a…", 1), 4u);
  std::string text = "aµ…";
  for (const char *left : {"aµ", "a", "", ""}) {
    dropLastCharacter(text);
    EXPECT_EQ(text, left);
  }
}

} // namespace
} // namespace lanescope
