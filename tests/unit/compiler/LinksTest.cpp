// The origins of the lines of each stage, and the queries of core/Links.h.
#include "tests/unit/compiler/KernelText.h"

#include "core/gpu/codegen/PtxBackend.h"
#include "core/gpu/codegen/PtxLines.h"
#include "core/gpu/codegen/Sass.h"
#include "core/Links.h"
#include "core/LinkTable.h"
#include "layouts/support/Text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>

using namespace lanescope;
using namespace lanescope::core;
using namespace lanescope::core::testing;

namespace {

using Kind = LineOrigin::Kind;
using Lines = std::vector<uint32_t>;

/// The stages compiled from a module of IR text, whose own lines are the source.
const KernelStages &doubled() {
  static const KernelStages stages = [] {
    KernelText k;
    k.argument("x", "f32", {64, 64}, "in").argument("out", "f32", {64, 64}, "out");
    k.smemBytes = 64 * 64 * 4 + 8;
    k.body = buffer("tile", 0, {64, 64}, "f32", {8, 32}, 128) + barrier(64 * 64 * 4) +
             asyncLoad("x", {64, 64}, "tile", {64, 64}, "f32") + waitParity(0) +
             load("a", "tile", sharedType({64, 64}, "f32"), arrayType({64, 64}, "f32")) +
             "    %sum = arith.addf %a, %a : vector<64x64xf32>\n" +
             store("sum", "out", globalType({64, 64}, "f32"), arrayType({64, 64}, "f32"));
    return compileText(k.text(), /*keepTexts=*/true);
  }();
  return stages;
}

/// The line of the source that contains `what`.
uint32_t sourceLine(const Stages &stages, std::string_view what) {
  const SourceRef &source = stages.sources.front();
  return source->lineColumn(static_cast<uint32_t>(source->text().find(what))).line;
}

/// The name of the operation on a line of MLIR.
std::string operation(std::string_view line) {
  size_t begin = line.find_first_not_of(' ');
  if (begin != line.npos && line[begin] == '%') // the operation has results
    begin = line.find(" = ") + 3;
  begin = line.find_first_not_of(" \"", begin);
  return std::string(line.substr(begin, line.find_first_of(" \"(", begin) - begin));
}

std::vector<Kind> kinds(const std::vector<LineOrigin> &origins) {
  std::vector<Kind> out;
  for (const LineOrigin &origin : origins)
    out.push_back(origin.kind);
  return out;
}

} // namespace

TEST(Links, EachOperationLeadsToItself) {
  const KernelStages &stages = doubled();
  ASSERT_TRUE(stages.kernel);
  for (const char *id : {"ir", "laid-out"}) {
    const Stage &stage = *stages.find(id);
    size_t found = 0;
    for (uint32_t line = 1; line <= stage.origins.size(); ++line)
      for (const Span &place : originOf(stage, line).places) {
        ++found;
        uint32_t at = place.source->lineColumn(place.begin).line;
        if (stage.source->lineText(line).find(" = arith.constant") == std::string_view::npos) // folded constants move
          EXPECT_EQ(operation(stage.source->lineText(line)), operation(place.source->lineText(at)))
              << id << " " << line;
      }
    EXPECT_GT(found, 8u) << id;
  }
}

TEST(Links, FromEveryStageToEveryOther) {
  const KernelStages &stages = doubled();
  Stage source = sourceStage(stages.sources.front());
  uint32_t add = sourceLine(stages, "arith.addf");
  auto textOf = [&](const Stage &stage) {
    std::string all;
    for (uint32_t line : linkedLines(source, add, stage))
      all += std::string(stage.source->lineText(line)) + "\n";
    return all;
  };
  const std::pair<const char *, const char *> expected[] = {{"ir", "arith.addf"},
                                                            {"laid-out", "arith.addf"},
                                                            {"nvvm", "llvm.fadd"},
                                                            {"llvm", " = fadd "},
                                                            {"ptx", "\tadd.f32"}};
  for (auto [id, what] : expected) {
    std::istringstream lines(textOf(*stages.find(id)));
    std::string line;
    size_t count = 0, other = 0;
    while (std::getline(lines, line))
      ++(line.find(what) != std::string::npos ? count : other);
    EXPECT_GT(count, 0u) << id;
    // The others are instructions that split vectors.
    EXPECT_LE(other, count * 4) << id << "\n" << textOf(*stages.find(id));
  }
  const Stage &ptx = *stages.find("ptx"), &laidOut = *stages.find("laid-out");
  Lines forward = linkedLines(laidOut, linesFrom(laidOut, stages.sources.front(), add).front(), ptx);
  ASSERT_FALSE(forward.empty());
  EXPECT_EQ(linkedLines(ptx, forward.front(), source), Lines{add});
}

TEST(Links, WhatTheCompilerMakesIsMarked) {
  const KernelStages &stages = doubled();
  const Stage &ptx = *stages.find("ptx");
  for (uint32_t line = 1; line <= ptx.origins.size(); ++line) {
    std::string_view text = ptx.source->lineText(line);
    if (text.find("%tid.x") != text.npos || text.find("ld.param") != text.npos)
      EXPECT_EQ(originOf(ptx, line).kind, Kind::Compiler) << text;
    if (text == "\tret;") // the module's text has a line for it, unlike a snippet
      EXPECT_EQ(originOf(ptx, line).kind, Kind::Source) << text;
    if (text.starts_with("\t.") || text.starts_with("$") || text.starts_with("//") || text.empty())
      EXPECT_EQ(originOf(ptx, line).kind, Kind::Text) << text;
    if (text.find("cp.async.bulk") != text.npos)
      EXPECT_EQ(originOf(ptx, line).kind, Kind::Source) << text;
  }
  EXPECT_EQ(originOf(ptx, 0).kind, Kind::Text);
  EXPECT_EQ(originOf(ptx, 100000).kind, Kind::Text);
}

TEST(Links, CostNothingWhereTextsAreNotKept) {
  KernelStages stages = compileText(doubled().sources.front()->text());
  ASSERT_EQ(stages.stages.size(), 1u);
  EXPECT_TRUE(stages.stages.front().origins.empty());
  EXPECT_TRUE(stages.sources.empty());
  EXPECT_EQ(stages.stages.front().text(), doubled().find("ptx")->text());
}

TEST(Links, PtxByItsDirectives) {
  SourceRef snippet = Source::make("k.py", "a\nkernel\nccc\ndddd\n"), library = Source::make("l.py", "x\ny\n");
  Source ptx("k.ptx", ".visible .entry k(\n"
                      "\t.param .b64 p\n"
                      ")\n"
                      "{\n"
                      "\t.reg .b32 %r<9>;\n"
                      "\t.loc\t1 2 0\n"
                      "\tmov.u32 %r1, %tid.x;\n" // 7: made by the compiler
                      "\t.loc\t1 3 2\n"
                      "$L:\n"
                      "\tadd.s32 %r1, %r1, 1;  // a comment {\n" // 10: k.py 3:2
                      "\tcall.uni (r),\n"                        // 11, 12: one instruction
                      "\tf, (p);\n"
                      "\t{ // callseq\n"
                      "\t.loc\t1 0 2\n"
                      "\tst.b32 [a], %r1;\n" // 15: has no line
                      "\t} // callseq\n"
                      "\t.loc\t2 2 1\n"
                      "\t{ .reg .b32 now; mov.u32 now, %clock; }\n" // 18: l.py 2:1
                      "\t.loc\t3 2 1\n"
                      "\tnop;\n" // 20: a file without a known source
                      "\t.loc\t1 2 1\n"
                      "\tret;\n" // 22: the kernel's own place
                      "}\n"
                      "\t.file\t1 \"k.py\"\n"
                      "\t.file\t2 \"l.py\"\n"
                      "\t.file\t3 \"elsewhere.py\"\n");
  auto origins = ptxOrigins(ptx, SourcePlaces({snippet, library}, spanAt(snippet, 2, 1)));
  ASSERT_EQ(origins.size(), 26u);
  std::vector<Kind> expected(26, Kind::Text);
  for (size_t line : {7, 15, 22})
    expected[line - 1] = Kind::Compiler;
  for (size_t line : {1, 10, 11, 12, 18})
    expected[line - 1] = Kind::Source;
  EXPECT_EQ(kinds(origins), expected);
  EXPECT_EQ(origins[9].places.front().begin, 10u); // line 3, column 2
  EXPECT_EQ(origins[17].places.front().source, library);
}

TEST(Links, SassByTheDisassemblersLines) {
  Disassembly code = splitDisassembly("k:\n"
                                      "\t//## File \"k.py\", line 10\n"
                                      "\t//## File \".nv_debug_ptx_txt\", line 5\n"
                                      "        /*0000*/                   LDC R1, c[0x0][0x28] ;\n"
                                      "\t//## File \".nv_debug_ptx_txt\", line 12\n"
                                      "        /*0010*/                   S2R R5, SR_TID.X ;\n"
                                      ".L_x_1:\n"
                                      "        /*00f0*/                   NOP;\n");
  EXPECT_EQ(code.text, "k:\n"
                       "\t//## File \"k.py\", line 10\n"
                       "        /*0000*/                   LDC R1, c[0x0][0x28] ;\n"
                       "        /*0010*/                   S2R R5, SR_TID.X ;\n"
                       ".L_x_1:\n"
                       "        /*00f0*/                   NOP;\n");
  EXPECT_EQ(code.ptxLines, (Lines{0, 0, 5, 12, 0, 12}));
}

// Links between two stages use the stage that recorded the origin, in both directions.
TEST(Links, DirectWhereTheyAreKnown) {
  SourceRef snippet = Source::make("k.py", "a\nb\n");
  LineOrigin fromSnippet{Kind::Source, {spanAt(snippet, 2, 1)}}, made{Kind::Compiler};
  Stage ptx{kPtxStage, Source::make("k.ptx", "1\n2\n3\n"), {made, fromSnippet, fromSnippet}};
  Stage sass{kSassStage, Source::make("k.sass", "1\n2\n3\n"), {made, fromSnippet, {}}, kPtxStage.id};
  sass.origins[0].before = 1;
  sass.origins[1].before = 3;
  EXPECT_EQ(linkedLines(ptx, 1, sass), Lines{1});
  EXPECT_EQ(linkedLines(ptx, 2, sass), Lines{}); // its line of the snippet has code, but not from this instruction
  EXPECT_EQ(linkedLines(ptx, 3, sass), Lines{2});
  EXPECT_EQ(linkedLines(sass, 2, ptx), Lines{3});
  EXPECT_EQ(linkedLines(sass, 3, ptx), Lines{});
  EXPECT_EQ(linkedLines(sass, 2, sourceStage(snippet)), Lines{2});
  EXPECT_EQ(linkedLines(sourceStage(snippet), 2, sass), Lines{2});
}

// One table gives the same for all pairs as linkedLines() for two texts, and also links a text to itself.
TEST(Links, ATableOfAllTexts) {
  const KernelStages &stages = doubled();
  std::vector<Stage> texts{sourceStage(stages.sources.front())};
  texts.insert(texts.end(), stages.stages.begin(), stages.stages.end());
  std::vector<const Stage *> pointers;
  for (const Stage &text : texts)
    pointers.push_back(&text);
  LinkTable links(pointers);
  ASSERT_EQ(links.texts(), texts.size());
  size_t found = 0;
  for (size_t from = 0; from < texts.size(); ++from)
    for (uint32_t line = 1; line <= texts[from].origins.size(); line += 3) {
      for (size_t to = 0; to < texts.size(); ++to)
        if (from != to) {
          Lines lines = links.linked(from, line, to);
          std::set<std::pair<const Source *, uint32_t>> wanted;
          for (const Span &place : originOf(texts[from], line).places)
            wanted.emplace(place.source.get(), place.source->lineColumn(place.begin).line);
          Lines expected;
          for (uint32_t other = 1; other <= texts[to].origins.size(); ++other)
            if (std::ranges::any_of(originOf(texts[to], other).places, [&](const Span &place) {
                  return wanted.contains({place.source.get(), place.source->lineColumn(place.begin).line});
                }))
              expected.push_back(other);
          EXPECT_EQ(lines, expected) << from << ":" << line << " in " << to;
          found += lines.size();
        }
      Lines own = links.linked(from, line, from);
      EXPECT_TRUE(std::ranges::binary_search(own, line)) << from << ":" << line;
    }
  EXPECT_GT(found, 100u);
  EXPECT_TRUE(links.linked(0, 0, 1).empty());
  EXPECT_TRUE(links.linked(0, 1 << 20, 1).empty());
  EXPECT_TRUE(links.linked(9, 1, 0).empty());
  EXPECT_TRUE(links.hasLinks(1));
  EXPECT_FALSE(LinkTable().hasLinks(0));
}

TEST(Links, AsTextAndAsJson) {
  SourceRef snippet = Source::make("k.py", "aa\nbb\ncc\n"), library = Source::make("l.py", "x\n");
  Stage stage{kPtxStage, Source::make("k.ptx", "mov\nadd\n.reg\nmad\n"), {}};
  stage.origins = {{Kind::Compiler},
                   {Kind::Source, {spanAt(snippet, 2, 2)}},
                   {},
                   {Kind::Source, {spanAt(snippet, 3, 1), spanAt(library, 1, 1)}}};
  std::string margins = withOrigins(stage, snippet);
  EXPECT_TRUE(margins == "       - | mov\n       2 | add\n         | .reg\n3,l.py:1 | mad\n" ||
              margins == "       - | mov\n       2 | add\n         | .reg\nl.py:1,3 | mad\n")
      << margins;
  Stages stages;
  stages.sources = {snippet};
  stages.stages = {stage};
  EXPECT_EQ(linksJson(stages, "k"), R"({"kernel":"k","sources":["k.py","l.py"],"stages":[{"id":"ptx","title":"PTX",)"
                                    R"("lines":[[],[[0,2,2,3]],null,[[0,3,1,2],[1,1,1,2]]]}]})"
                                    "\n");
}

// A newer LLVM may have renamed a pass that we disable or enable by name.
TEST(PtxBackend, KnowsAllNamesThatItSwitches) {
  EXPECT_EQ(PtxBackend(defaultGpuTarget()).unknownNames(), std::vector<std::string>{});
}
