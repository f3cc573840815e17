#include "repl/lang/syntax/Parser.h"
#include "repl/lang/syntax/Lexer.h"
#include "tests/unit/repl/Snippets.h"

namespace lanescope::repl {
namespace {

std::string problems(std::string snippet) { return places(parse(Source::make("t", std::move(snippet))).diagnostics); }
std::string outline(std::string snippet) { return dump(*parse(Source::make("t", std::move(snippet))).module); }

TEST(Parser, Outline) {
  EXPECT_EQ(outline("y = x + 1 * 2\n"), R"(assign  [1:1]
  target:
    name y  [1:1]
  value:
    binary  [1:5]
      name x  [1:5]
      +:
        binary  [1:9]
          int 1  [1:9]
          *:
            int 2  [1:13]
)");
}

TEST(Parser, SpansAreByteRanges) {
  auto source = Source::make("t", "total = f(a, key=b[1:2]) # x\n");
  auto module = parse(source).module;
  const auto *assign = as<AssignStmt>(module->body[0]);
  ASSERT_TRUE(assign);
  auto spelled = [&](TextRange range) { return source->text().substr(range.begin, range.end - range.begin); };
  EXPECT_EQ(spelled(assign->range), "total = f(a, key=b[1:2])");
  const auto *call = as<CallExpr>(assign->value);
  ASSERT_TRUE(call);
  EXPECT_EQ(spelled(call->arguments[1].nameRange), "key");
  EXPECT_EQ(spelled(call->arguments[1].value->range), "b[1:2]");
}

TEST(Parser, SeveralErrorsAtOnce) {
  EXPECT_EQ(problems("x = \ny = 2\nif y = 3:\n  pass\nz = (1, 2\n").substr(0, 27), "5:5: `(` is never closed");
  EXPECT_EQ(problems("x = \ny = 2\nif y = 3:\n  pass\nw = 1 2\n"),
            "1:5: expected an expression, found the end of the line\n"
            "3:6: expected `:` after the condition, found `=`; equality is `==`\n"
            "5:7: expected the end of the statement, found `2`");
}

TEST(Parser, WhatPythonHasAndWeDoNot) {
  EXPECT_EQ(problems("nonlocal x"), "1:1: `nonlocal` stands outside a function");
  // `match` and `case` are names if no block of cases follows.
  EXPECT_EQ(problems("match = 1\nmatch[0]: int\nmatch(x)\ncase = match\nmatch (x, y)\n"), "");
  EXPECT_EQ(problems("(x := 1)"), "");
  EXPECT_EQ(problems("x := 1"), "1:1: `:=` stands inside an expression; by itself a name gets its value by `=`");
  EXPECT_EQ(problems("(x[0] := 1)"), "1:7: `:=` binds a name, `(n := value)`, and nothing else");
  EXPECT_EQ(problems("lambda: (x := 1)"), "1:9: there is no `:=` in a `lambda` here; write a `def`");
  EXPECT_EQ(problems("1: int = 1"), "1:1: an annotation goes with one name");
  EXPECT_EQ(problems("@jit\nx = 1\n"), "2:1: expected `def` after the decorator, found `x`");
  EXPECT_EQ(problems("print 'x'"), "1:7: `print` is a function: `print(…)`");
}

TEST(Parser, MisplacedWords) {
  EXPECT_EQ(problems("return 1"), "1:1: `return` stands outside a function");
  EXPECT_EQ(problems("break"), "1:1: `break` stands outside a loop");
  EXPECT_EQ(problems("for i in x:\n  def f():\n    continue\n"), "3:5: `continue` stands outside a loop");
  EXPECT_EQ(problems("else:\n  pass\n"), "1:1: `else` belongs to no `if` at this indentation");
  EXPECT_EQ(problems("  x = 1\n"), "1:1: this line is indented, but no block begins above it");
  EXPECT_EQ(problems("def f():\nx = 1\n"), "2:1: expected an indented block after the header of a function, found `x`");
}

TEST(Parser, Targets) {
  EXPECT_EQ(problems("f() = 1"), "1:1: cannot assign to the result of a call");
  EXPECT_EQ(problems("1 = x"), "1:1: cannot assign to this expression; a name, an item or a tuple of them is needed");
  EXPECT_EQ(problems("*a, *b = x"), "1:5: only one of the targets may be starred");
  EXPECT_EQ(problems("a, b += 1"), "1:1: an augmented assignment needs one name, item or attribute on its left");
  EXPECT_EQ(problems("del f()"), "1:5: `del` takes names and items, as `del x, d[\"key\"]`");
}

TEST(Parser, Arguments) {
  EXPECT_EQ(problems("f(a=1, 2)"), "1:8: a positional argument cannot follow a keyword argument");
  EXPECT_EQ(problems("f(a=1, a=2)"), "1:8: argument `a` is given twice");
  EXPECT_EQ(problems("def f(a, a): pass"), "1:10: parameter `a` is named twice");
  EXPECT_EQ(problems("def f(a=1, b): pass"), "1:12: parameter `b` has no default but follows one that has");
  EXPECT_EQ(problems("f(i for i in x, 2)"), "1:3: a `for` argument beside others needs brackets: `[… for …]`");
}

TEST(Parser, FormattedStrings) {
  EXPECT_EQ(problems("f'{'"), "1:3: an f-string field needs an expression between `{` and `}`");
  EXPECT_EQ(problems("f'{x'"), "1:3: this `{` of the f-string is never closed; a brace as text is written `{{`");
  EXPECT_EQ(problems("f'}'"), "1:3: a single `}` in an f-string; a brace as text is written `}}`");
  EXPECT_EQ(problems("f'{x!q}'"), "1:5: the conversion after `!` must be `r`, `s` or `a`");
  EXPECT_EQ(problems("f'{x +}'"), "1:7: expected an expression, found the end of the text");
}

std::string repeated(std::string_view piece, int times) {
  std::string out;
  for (int i = 0; i < times; ++i)
    out += piece;
  return out;
}

TEST(Parser, DeepNestingIsAnErrorNotACrash) {
  for (const std::string &snippet :
       {repeated("-", 20000) + "1", repeated("not ", 20000) + "x", "x" + repeated("[0]", 20000),
        "x" + repeated(".a", 20000), "x" + repeated("()", 20000), repeated("1 if x else ", 20000) + "2",
        repeated("lambda: ", 20000) + "1", "2" + repeated("**2", 20000),
        repeated("[", 90) + repeated("]", 90) + repeated("[0]", 90)}) {
    std::string told = problems(snippet);
    EXPECT_NE(told.find("nest more than 100 deep"), std::string::npos) << snippet.substr(0, 20) << ": " << told;
  }
  std::string blocks;
  for (int i = 0; i < 300; ++i)
    blocks += std::string(static_cast<size_t>(i), ' ') + "if x:\n";
  EXPECT_NE(problems(blocks).find("nest more than 100 deep"), std::string::npos);
  EXPECT_NE(problems("if x: pass\n" + repeated("elif y: pass\n", 5000)).find("more than 100 `elif`"),
            std::string::npos);
}

TEST(Parser, LongChainsAreNotDeep) {
  EXPECT_EQ(problems("x = 1" + repeated(" + 1", 20000)), "");
  EXPECT_EQ(problems("x = y" + repeated(" and y", 20000)), "");
  EXPECT_EQ(problems("x = [" + repeated("1, ", 20000) + "]"), "");
}

TEST(Parser, EntriesOfABatch) {
  auto entries =
      parseEntries(Source::make("t", "x = 1\nif x:\n  y\nelse:\n  z\n@kernel()\ndef f():\n  pass\n1 +\nw\n"));
  ASSERT_EQ(entries.size(), 5U);
  EXPECT_EQ(entries[1].module->body.size(), 1U);
  EXPECT_TRUE(as<FunctionStmt>(entries[2].module->body[0]));
  EXPECT_EQ(places(entries[3].diagnostics), "9:4: expected an expression, found the end of the line");
  EXPECT_TRUE(entries[4].diagnostics.empty());
}

TEST(Parser, TheLastEntryEndsWithTheText) {
  auto entries = parseEntries(Source::make("t", "with x:"));
  ASSERT_EQ(entries.size(), 1U);
  ASSERT_FALSE(entries[0].diagnostics.empty());
  EXPECT_EQ(entries[0].diagnostics[0].span.end, 7U);
}

TEST(Parser, IncompleteEntries) {
  EXPECT_TRUE(isIncomplete("f(1,"));
  EXPECT_TRUE(isIncomplete("x = \"\"\"abc"));
  EXPECT_TRUE(isIncomplete("x = 1 + \\"));
  EXPECT_TRUE(isIncomplete("if x:"));
  EXPECT_TRUE(isIncomplete("if x:\n  y"));
  EXPECT_TRUE(isIncomplete("def f():\n  return 1\n"));
  EXPECT_TRUE(isIncomplete("@kernel()"));
  EXPECT_FALSE(isIncomplete("if x:\n  y\n\n"));
  EXPECT_FALSE(isIncomplete("x = 1"));
  EXPECT_FALSE(isIncomplete(""));
  EXPECT_FALSE(isIncomplete("x = 'abc")); // an error that more lines cannot repair
  EXPECT_FALSE(isIncomplete("f(1]"));
}

} // namespace
} // namespace lanescope::repl
