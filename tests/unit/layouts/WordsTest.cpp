// Words for messages, and words from texts.
#include "layouts/support/Words.h"
#include "layouts/support/Nearest.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace lanescope {
namespace {

TEST(Words, CountsHaveThePluralExceptForOne) {
  EXPECT_EQ(counted(0, "byte"), "0 bytes");
  EXPECT_EQ(counted(1u, "byte"), "1 byte");
  EXPECT_EQ(counted(-1, "byte"), "-1 bytes");
  EXPECT_EQ(counted(UINT64_MAX, "byte"), "18446744073709551615 bytes");
  EXPECT_EQ(counted(1, "matrix", "matrices"), "1 matrix");
  EXPECT_EQ(counted(2, "matrix", "matrices"), "2 matrices");
}

TEST(Words, TrimmedTextsLoseWhatIsBlankAtTheirEndsAlone) {
  EXPECT_EQ(trimmed(" \t a b \r\n"), "a b");
  for (const char *blank : {"", " ", "\n\t\r "})
    EXPECT_EQ(trimmed(blank), "");
  EXPECT_EQ(trimmed("a"), "a");
}

TEST(Words, CasesChangeLettersOfAsciiAlone) {
  EXPECT_EQ(lowerCase("SM_90a É"), "sm_90a É");
  EXPECT_EQ(upperCase("sm_90a é"), "SM_90A é");
  EXPECT_EQ(lowerCase("@[`{"), "@[`{");
  EXPECT_EQ(upperCase("@[`{"), "@[`{");
}

TEST(Words, NumbersInBase16) {
  EXPECT_EQ(hexText(0), "0x0");
  EXPECT_EQ(hexText(UINT64_MAX), "0xffffffffffffffff");
  EXPECT_EQ(hexDigits(255, 4), "00ff");
  EXPECT_EQ(hexDigits(0x12345, 2), "45");
  EXPECT_EQ(hexDigits(UINT64_MAX, 16), "ffffffffffffffff");
}

TEST(Words, ProposeANameThatIsNear) {
  EXPECT_EQ(layouts::didYouMean("x"), "; did you mean `x`?");
  EXPECT_EQ(layouts::didYouMean(""), "");
}

} // namespace
} // namespace lanescope
