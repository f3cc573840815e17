#include "repl/lang/syntax/Lexer.h"
#include "tests/unit/repl/Snippets.h"

namespace lanescope::repl {
namespace {

std::string kinds(std::string snippet) {
  std::string out;
  for (const Token &token : lex(Source::make("t", std::move(snippet))).tokens) {
    static constexpr const char *kNames[] = {"name", "word",    "int",    "float",  "str", "fstr",
                                             "",     "newline", "indent", "dedent", "end"};
    out += (out.empty() ? "" : " ") +
           (token.kind == TokenKind::Operator ? token.text : kNames[static_cast<int>(token.kind)]);
  }
  return out;
}

std::string problems(std::string snippet) { return places(lex(Source::make("t", std::move(snippet))).diagnostics); }

TEST(Lexer, IndentationBecomesTokens) {
  EXPECT_EQ(kinds("if x:\n  y = 1\n\n  # a comment\nz\n"),
            "word name : newline indent name = int newline dedent name newline end");
  EXPECT_EQ(kinds("if x:\n  if y:\n    z"),
            "word name : newline indent word name : newline indent name newline dedent dedent end");
}

TEST(Lexer, LinesJoinInsideBracketsAndAfterABackslash) {
  EXPECT_EQ(kinds("(1 +\n  2)\n"), "( int + int ) newline end");
  EXPECT_EQ(kinds("1 + \\\n2"), "int + int newline end");
}

TEST(Lexer, WindowsLineBreaksAndAByteOrderMark) {
  EXPECT_EQ(kinds("\xEF\xBB\xBFif x:\r\n  y\r\nz\r\n"),
            "word name : newline indent name newline dedent name newline end");
}

TEST(Lexer, Numbers) {
  auto tokens = lex(Source::make("t", "0x1F 0b101 0o17 1_000 1.5e3 .5 9223372036854775807")).tokens;
  EXPECT_EQ(tokens[0].integer, 31);
  EXPECT_EQ(tokens[1].integer, 5);
  EXPECT_EQ(tokens[2].integer, 15);
  EXPECT_EQ(tokens[3].integer, 1000);
  EXPECT_EQ(tokens[4].number, 1500);
  EXPECT_EQ(tokens[5].number, 0.5);
  EXPECT_EQ(tokens[6].integer, INT64_MAX);
}

TEST(Lexer, BadNumbers) {
  EXPECT_EQ(
      problems("x = 9223372036854775808"),
      "1:5: this integer of 19 digits does not fit in 64 bits; write a float, as `1e20`, if a rounded value will do");
  EXPECT_EQ(problems("x = " + std::string(100000, '7')).substr(0, 44), "1:5: this integer of 100000 digits does not ");
  EXPECT_EQ(problems("1e999"), "1:1: this float is larger than the largest f64 (about 1.8e308)");
  EXPECT_EQ(problems("012"), "1:1: a decimal integer cannot start with `0`; octal is written `0o17`");
  EXPECT_EQ(problems("3j"), "1:1: there are no complex numbers here");
  EXPECT_EQ(problems("2x"), "1:1: `2x` is not a number, and a name cannot start with a digit");
  EXPECT_EQ(problems("0x"), "1:1: `0x` is not an integer of base 16");
}

TEST(Lexer, StringsAndEscapes) {
  auto tokens = lex(Source::make("t", R"('a\n\x41\u00e9' r'\n' """x
y""" "\q")"))
                    .tokens;
  EXPECT_EQ(tokens[0].text, "a\nA\xC3\xA9");
  EXPECT_EQ(tokens[1].text, "\\n");
  EXPECT_EQ(tokens[2].text, "x\ny");
  EXPECT_EQ(tokens[3].text, "\\q");
  EXPECT_EQ(problems(R"('\xZZ')"), "1:2: `\\x` needs 2 hexadecimal digits of a character's number");
  EXPECT_EQ(problems("'abc\n"), "1:1: this string is not closed with `'` on its line");
  EXPECT_EQ(problems("\"\"\"abc\n"), "1:1: this triple-quoted string is never closed");
}

TEST(Lexer, InvalidTextHasItsPlace) {
  EXPECT_EQ(problems("x = 1\ny = \xFF\n"), "2:5: byte 10 is not valid UTF-8 (value 255)");
  EXPECT_EQ(problems("x = \xE2\x80\x9Chi\xE2\x80\x9D").substr(0, 67),
            "1:5: unexpected character `\xE2\x80\x9C`; strings are quoted with `\"` or `'`");
  EXPECT_EQ(problems("x ? y"), "1:3: unexpected `?`; help on a name is `help(name)`");
  EXPECT_EQ(problems(std::string("a\0b", 3)), "1:2: unexpected control character of value 0");
}

TEST(Lexer, Brackets) {
  EXPECT_EQ(problems("f(1\n"), "1:2: `(` is never closed");
  EXPECT_EQ(problems("f(1]\n"), "1:4: `]` does not close `(`");
  EXPECT_EQ(problems(")"), "1:1: `)` closes nothing");
  EXPECT_EQ(problems(std::string(5000, '(')), "1:101: brackets nest more than 100 deep");
}

TEST(Lexer, Indentation) {
  EXPECT_EQ(problems("if x:\n    y\n  z\n"), "3:1: this line's indentation matches no block above it");
  EXPECT_EQ(problems("if x:\n\ty\n        z\n"),
            "3:1: the indentation mixes tabs and blanks so that its depth is unclear");
}

} // namespace
} // namespace lanescope::repl
