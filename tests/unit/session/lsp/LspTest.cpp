// The parts of the language server: places, recovery, names, analyses, answers, messages.
#include "repl/lsp/Answers.h"
#include "repl/lsp/MessageReader.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>

namespace lanescope::repl::lsp {
namespace {

SourceRef source(std::string text) { return Source::make("a.py", std::move(text)); }

// --- places

TEST(LspPositions, CountUtf16Units) {
  auto text = source("x = '😀é' + y\r\nz");
  Positions positions(*text);
  EXPECT_EQ(positions.of(0), (Place{0, 0}));
  EXPECT_EQ(positions.of(5), (Place{0, 5}));  // before the emoji
  EXPECT_EQ(positions.of(9), (Place{0, 7}));  // the emoji is two units
  EXPECT_EQ(positions.of(11), (Place{0, 8})); // the accented letter is one unit
  EXPECT_EQ(positions.of(7), (Place{0, 5}));  // inside a character: its beginning
  for (uint32_t offset : {0U, 4U, 5U, 9U, 11U, 12U, 18U, 19U})
    EXPECT_EQ(positions.offset(positions.of(offset)), std::min(offset, positions.offset(positions.of(offset))))
        << offset;
  EXPECT_EQ(positions.offset({0, 6}), 5U);     // the second half of the emoji
  EXPECT_EQ(positions.offset({0, 1000}), 16U); // before the line break
  EXPECT_EQ(positions.offset({1, 1}), 19U);
  EXPECT_EQ(positions.offset({4294967295U, 4294967295U}), 19U);
  Source bytes("", "\xff\xf0\x9f"); // not valid UTF-8
  EXPECT_EQ(Positions(bytes).of(3), (Place{0, 3}));
  EXPECT_EQ(Positions(bytes).offset({0, 2}), 2U);
}

TEST(LspPositions, LinesKeepTheirPlaceAroundAChange) {
  Source before("", "a\nb\nc\nd"), after("", "a\nX\nY\nc\nd");
  LineMap map(before, after);
  EXPECT_EQ(map.after(1), 1U);
  EXPECT_EQ(map.after(2), 0U);
  EXPECT_EQ(map.after(3), 4U);
  EXPECT_EQ(map.offset(before.lineStart(4)), after.lineStart(5));
  EXPECT_FALSE(map.offset(before.lineStart(2)));
  LineMap same(before, before);
  EXPECT_EQ(same.after(4), 4U);
  Source empty("", "");
  EXPECT_EQ(LineMap(before, empty).after(2), 0U);
}

// --- syntax

TEST(LspSnippet, AHalfTypedLineHidesNothingButItself) {
  auto snippet = readSnippet(source("def f(a):\n  x = g(a,\n  y = 2\n  return y\nz = (1\nw = 3\n"));
  EXPECT_EQ(snippet->problems.size(), 2U);
  ASSERT_EQ(snippet->entries.size(), 3U);
  EXPECT_EQ(snippet->code->text().size(), snippet->text->text().size());
  EXPECT_TRUE(snippet->unknown.contains("x"));
  EXPECT_TRUE(snippet->unknown.contains("z"));
  EXPECT_TRUE(snippet->broken(0, 20));
  for (const Parsed &entry : snippet->entries)
    EXPECT_TRUE(entry.diagnostics.empty());
}

TEST(LspSnippet, AnyPrefixIsRead) {
  std::string text = "@kernel(grid=(1,),\n        num_threads=1)\ndef k(x: GMEM((64,), f32)):\n  '''doc'''\n  a = "
                     "x[0:{1: [2]}]\n  b = f'{a!r:>{3}}'\n";
  for (size_t size = 0; size <= text.size(); ++size) {
    auto snippet = readSnippet(source(text.substr(0, size)));
    EXPECT_EQ(snippet->code->text().size(), size);
    (void)namesOf(*snippet);
  }
}

// --- names

std::string definitionOf(const std::string &text, size_t place) {
  auto snippet = readSnippet(source(text));
  Names names = namesOf(*snippet);
  const NameUse *use = names.at(static_cast<uint32_t>(place));
  const NameUse *bound = use ? names.definition(*use) : nullptr;
  if (!bound)
    return "none";
  LineColumn at = snippet->text->lineColumn(bound->range.begin);
  return std::to_string(at.line) + ":" + std::to_string(at.column);
}

TEST(LspNames, FindDefinitionsAsPythonDoes) {
  std::string text = "n = 1\ndef f(n, *, m=n):\n  t = n + m\n  return [t for t in range(n)]\nn = f(n, m=2)\n";
  EXPECT_EQ(definitionOf(text, text.find("=n)") + 1), "1:1");     // a default value belongs to the enclosing scope
  EXPECT_EQ(definitionOf(text, text.find("n + m")), "2:7");       // a parameter
  EXPECT_EQ(definitionOf(text, text.find("[t for") + 1), "4:17"); // the comprehension's name, not the variable
  EXPECT_EQ(definitionOf(text, text.find("f(n, m")), "2:5");
  EXPECT_EQ(definitionOf(text, text.find("range")), "none");
  std::string type = "@dataclass\nclass A:\n  size = 1\n  def f(self):\n    return size\n";
  EXPECT_EQ(definitionOf(type, type.find("return size") + 7), "none"); // methods do not see the names of their class
  std::string named = "if (n := 3) > 2:\n  print(n)\n";
  EXPECT_EQ(definitionOf(named, named.find("print(n)") + 6), "1:5");
  std::string outer = "def f():\n  x = 1\n  def g():\n    nonlocal x\n    x = 2\n  g()\n  return x\n";
  auto snippet = readSnippet(source(outer));
  Names names = namesOf(*snippet);
  EXPECT_EQ(names.sameVariable(*names.at(static_cast<uint32_t>(outer.find("x = 1")))).size(), 3U);
}

// --- analyses

constexpr const char *kKernel = "@kernel(grid=(1,), num_threads=1, scratch=[SMEM((64, 64), f16), Barrier()])\n"
                                "def k(x: GMEM((64, 64), f16), out: Out((64, 64), f32), tile, loaded):\n"
                                "  copy_gmem_to_smem(x, tile, loaded)\n"
                                "  barrier_wait(loaded)\n"
                                "  a = load(tile, layout=WGMMA)\n"
                                "  out[:, :] = a.astype(f32)\n";

std::vector<std::string> kindsOf(const std::string &text, Depth depth, double seconds = 20) {
  auto analysis = analyse(readSnippet(source(text)), {.depth = depth, .seconds = seconds});
  std::vector<std::string> out;
  for (const Diagnostic &each : analysis->diagnostics)
    if (each.severity == Severity::Error)
      out.push_back(each.kind);
  return out;
}

TEST(LspAnalysis, AFailingStatementDoesNotHideOthers) {
  using Kinds = std::vector<std::string>;
  EXPECT_EQ(kindsOf("a = one\nb = a + 1\nc = two\n", Depth::Compile), (Kinds{"unknown-name", "unknown-name"}));
  EXPECT_EQ(kindsOf("def f(x):\n  y = x.\n  return z\nf(1)\nw = three\n", Depth::Compile),
            (Kinds{"syntax", "unknown-name"}));
}

TEST(LspAnalysis, KernelsGiveZerosUntilTheyAreChecked) {
  std::string text =
      std::string(kKernel) + "y = run(k, ones((64, 64), f16)).outputs[0]\nassert y[0, 0] == 1\nz = 1 / y[0, 0]\n";
  EXPECT_TRUE(kindsOf(text, Depth::Compile).empty());
  EXPECT_TRUE(kindsOf(text, Depth::Check).empty());
  std::string wrong = text;
  wrong.replace(wrong.find("== 1"), 4, "== 2");
  EXPECT_TRUE(kindsOf(wrong, Depth::Compile).empty());
  EXPECT_EQ(kindsOf(wrong, Depth::Check), std::vector<std::string>{"assertion"});
}

TEST(LspAnalysis, AKernelThatNobodyCallsIsCompiledAsAnnotated) {
  auto analysis = analyse(readSnippet(source(kKernel)), {});
  ASSERT_FALSE(analysis->values.empty());
  EXPECT_EQ(analysis->kernels, std::vector<std::string>{"k"});
  auto a = std::ranges::find(analysis->values, "a", &ValueFact::name);
  ASSERT_NE(a, analysis->values.end());
  EXPECT_EQ(a->type, "f16[64, 64]");
  EXPECT_EQ(a->layout, "WGMMA");
  EXPECT_EQ(a->size, "16 registers per thread");
  EXPECT_FALSE(analysis->costs.empty());
}

TEST(LspAnalysis, WhatWasKnownStaysWhileNothingCompiles) {
  auto before = analyse(readSnippet(source(kKernel)), {});
  std::string text = kKernel;
  text.insert(text.find("  out["), "  b = load(tyle)\n");
  auto after = analyse(readSnippet(source(text)), {.before = before});
  auto a = std::ranges::find(after->values, "a", &ValueFact::name);
  ASSERT_NE(a, after->values.end());
  EXPECT_EQ(a->layout, "WGMMA");
}

TEST(LspAnalysis, EndsInTime) {
  std::string endless = "x = 1\nwhile True:\n  x = x + 1\ny = nothing\n";
  auto analysis = analyse(readSnippet(source(endless)), {.seconds = 0.2});
  EXPECT_FALSE(analysis->complete);
  EXPECT_TRUE(analysis->late);
  ASSERT_EQ(analysis->diagnostics.size(), 1U);
  EXPECT_EQ(analysis->diagnostics[0].kind, "typing-budget");
  std::atomic<bool> stop = true;
  auto cancelled = analyse(readSnippet(source(endless)), {.seconds = 60, .cancelled = [&] { return stop.load(); }});
  EXPECT_FALSE(cancelled->complete);
  EXPECT_FALSE(cancelled->late);
  EXPECT_TRUE(cancelled->diagnostics.empty());
}

TEST(LspAnalysis, AFileSaysItsArchitecture) {
  EXPECT_EQ(archOf(*source("# a\n# lanescope run a.py --arch sm_100a --device emulator\n"), "sm_90a"), "sm_100a");
  EXPECT_EQ(archOf(*source("# --arch sm_1\n"), "sm_90a"), "sm_90a");
  EXPECT_EQ(archOf(*source("x = 1\n# --arch sm_100a\n"), "sm_90a"), "sm_90a");
}

// --- answers

Document opened(const std::string &text) { return {"file:///a.py", 1, text, analyse(readSnippet(source(text)), {})}; }

TEST(LspAnswers, TellOfValuesAndNames) {
  std::string text = std::string(kKernel) + "L = WGMMA\nexp\n";
  Document document = opened(text);
  auto at = [&](std::string_view what, size_t after = 0) { return static_cast<uint32_t>(text.find(what) + after); };
  auto value = hover(document, at("a.astype"));
  ASSERT_TRUE(value);
  EXPECT_NE(value->markdown.find("a: f16[64, 64]"), std::string::npos) << value->markdown;
  EXPECT_NE(hover(document, at("\nexp", 2))->markdown.find("exp("), std::string::npos);
  EXPECT_NE(hover(document, at("copy_gmem"))->markdown.find("copy_gmem_to_smem("), std::string::npos);
  auto hints = inlayHints(document, {0, static_cast<uint32_t>(text.size())});
  ASSERT_FALSE(hints.empty());
  EXPECT_EQ(hints[0].label, ": f16[64, 64] WGMMA");
  EXPECT_EQ(hints[0].offset, at("a = load", 1));
  EXPECT_TRUE(inlayHints(document, {0, 10}).empty());
  auto help = signature(document, at("layout=WGMMA)", 9));
  ASSERT_TRUE(help);
  ASSERT_TRUE(help->active);
  auto [begin, end] = help->parameters[*help->active];
  EXPECT_EQ(help->label.substr(begin, end - begin).substr(0, 6), "layout") << help->label;
  EXPECT_EQ(lenses(document).size(), 3U);
  EXPECT_NE(layoutsText(document, "k").find("line 5  a  f16[64, 64]  WGMMA"), std::string::npos);
  EXPECT_NE(layoutsText(document, "nobody").find("nothing is known"), std::string::npos);
}

TEST(LspAnswers, RenamingRefusesWhatItCannotDo) {
  Document document = opened("def f(a, b):\n  return a + b\nc = f(1, b=2)\nd = zeros(c)\n");
  auto why = [&](uint32_t offset, const char *name) {
    auto uses = renaming(document, offset, name);
    return uses ? std::to_string(uses->size()) : uses.error().front().kind + ": " + uses.error().front().message;
  };
  uint32_t a = static_cast<uint32_t>(document.text().text().find("a, b"));
  EXPECT_EQ(why(a, "first"), "2");
  EXPECT_EQ(why(a + 3, "second"), "rename: calls give an argument by the name `b`: change it by hand");
  EXPECT_EQ(why(a, "c"), "rename: `c` is a name of this file already");
  EXPECT_EQ(why(a, "if"), "rename: `if` is no name");
  EXPECT_EQ(why(a, ""), "rename: `` is no name");
  EXPECT_EQ(why(0, "x"), "rename: there is no name here that this file binds");
}

TEST(LspAnswers, ChangesOfAText) {
  EXPECT_EQ(applied("ab\ncd", {PlaceRange{{0, 1}, {1, 1}}, "X"}), "aXd");
  EXPECT_EQ(applied("ab", {std::nullopt, "c"}), "c");
  EXPECT_EQ(applied("a😀b", {PlaceRange{{0, 1}, {0, 3}}, ""}), "ab");
  EXPECT_EQ(applied("ab", {PlaceRange{{0, 2}, {0, 0}}, "c"}), "abc"); // a reversed range removes nothing
  EXPECT_EQ(applied("ab", {PlaceRange{{9, 9}, {9, 9}}, "c"}), "abc");
}

TEST(LspAnswers, NamesAreColouredByWhatTheyMean) {
  std::string text = std::string(kKernel) +
                     "for n in range(2):\n  y = exp(f16(n)).shape\n"
                     "@dataclass\nclass A:\n  pass\nprint(f'{A}', zeros(shape=(n,), dtype=f32).reshape(n), nowhere)\n";
  Document document = opened(text);
  std::vector<TokenAnswer> tokens = semanticTokens(document, {0, static_cast<uint32_t>(text.size())});
  auto told = [&](std::string_view around, std::string_view name) -> std::string {
    auto begin = static_cast<uint32_t>(text.find(around) + around.find(name));
    auto found = std::ranges::find(tokens, begin, [](const TokenAnswer &token) { return token.range.begin; });
    if (found == tokens.end() || found->range.end != begin + name.size())
      return "nothing";
    static constexpr const char *kTypes[] = {"namespace", "type",     "class",    "parameter",
                                             "variable",  "property", "function", "method"};
    return std::string(kTypes[static_cast<size_t>(found->type)]) + (found->declares ? " declares" : "") +
           (found->builtin ? " builtin" : "") + (found->kernel ? " kernel" : "");
  };
  EXPECT_EQ(told("@kernel(", "kernel"), "function builtin");
  EXPECT_EQ(told("grid=(1,)", "grid"), "parameter");
  EXPECT_EQ(told("def k(", "k"), "function declares kernel");
  EXPECT_EQ(told("(x: GMEM", "x"), "parameter declares");
  EXPECT_EQ(told("  copy_gmem_to_smem", "copy_gmem_to_smem"), "function builtin");
  EXPECT_EQ(told("  a = load", "a"), "variable declares kernel");
  EXPECT_EQ(told("load(tile, l", "tile"), "parameter kernel"); // a reference with transforms
  EXPECT_EQ(told("layout=WGMMA", "WGMMA"), "variable builtin");
  EXPECT_EQ(told("a.astype(f32)", "a"), "variable kernel");
  EXPECT_EQ(told("a.astype(f32)", "astype"), "method");
  EXPECT_EQ(told("a.astype(f32)", "f32"), "type builtin");
  EXPECT_EQ(told("for n in", "n"), "variable declares");
  EXPECT_EQ(told("= exp(", "exp"), "function builtin");
  EXPECT_EQ(told(".shape\n", "shape"), "property");
  EXPECT_EQ(told("class A", "A"), "class declares");
  EXPECT_EQ(told("{A}", "A"), "class");
  EXPECT_EQ(told(".reshape(", "reshape"), "method");
  EXPECT_EQ(told("nowhere", "nowhere"), "nothing");
  for (size_t i = 1; i < tokens.size(); ++i)
    EXPECT_LE(tokens[i - 1].range.end, tokens[i].range.begin);
  EXPECT_TRUE(semanticTokens(document, {0, 1}).empty());
  EXPECT_EQ(semanticTokens(document, {0, 3}).size(), 1U);
}

// --- messages

TEST(LspMessages, ComeInPieces) {
  std::string input =
      "X: y\r\ncontent-length: 13\r\n\r\n{\"a\": [1, 2]}Content-Length: 1\n\n{Content-Length: 2\r\n\r\n{}";
  for (size_t piece : {1UL, 3UL, 1000UL}) {
    size_t at = 0;
    MessageReader reader([&](char *buffer, size_t size) {
      size_t count = std::min({size, piece, input.size() - at});
      std::copy_n(input.data() + at, count, buffer);
      at += count;
      return count;
    });
    auto first = reader.next(), second = reader.next(), third = reader.next();
    ASSERT_TRUE(first && first->message);
    EXPECT_TRUE(first->message->getAsObject()->getArray("a"));
    ASSERT_TRUE(second);
    EXPECT_FALSE(second->message);
    EXPECT_FALSE(second->problem.empty());
    EXPECT_TRUE(third && third->message);
    EXPECT_FALSE(reader.next());
  }
}

} // namespace
} // namespace lanescope::repl::lsp
