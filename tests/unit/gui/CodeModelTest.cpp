// Texts side by side: which are open, what is highlighted together with a line, and the layouts, memories and regions
// that belong to a line.
#include "FakeHost.h"

#include "core/Links.h"
#include "viz/gui/code/CodeModel.h"
#include "viz/gui/code/CodePanes.h"
#include "viz/gui/style/SyntaxColours.h"
#include "viz/scene/Palette.h"

#include <gtest/gtest.h>

namespace lanescope::viz {
namespace {

using Lines = std::vector<uint32_t>;

/// A snippet of 4 lines; "ptx", whose lines 2, 3 and 5 come from its lines 2, 2 and 3; "sass", made from lines 3 and 5.
CodeRequest linked() {
  SourceRef snippet = Source::make("k.py", "a\nb\nc\nd\n");
  auto from = [&](uint32_t line) {
    return core::LineOrigin{core::LineOrigin::Kind::Source, {spanAt(snippet, line, 1)}};
  };
  static constexpr core::StageKind kPtx{"ptx", "PTX", ".ptx"}, kSass{"sass", "SASS", ".sass"};
  core::Stage source = core::sourceStage(snippet), ptx{kPtx, Source::make("k.ptx", "1\n2\n3\n4\n5\n")},
              sass{kSass, Source::make("k.sass", "x\ny\n"), {from(2), from(3)}, kPtx.id};
  ptx.origins = {{}, from(2), from(2), {}, from(3)};
  sass.origins[0].before = 3, sass.origins[1].before = 5;
  core::LineCosts costs{.columns = {{"instr", "instruction", "instructions", ""}, {"live", "", "registers", "", true}},
                        .lines = {{}, {1, 8}, {1, 12}, {}, {1, 4}}};
  CodeRequest request{.title = "k.py",
                      .pages = {{"snippet", source.text(), {4}}, {"ptx", ptx.text(), {}}, {"sass", sass.text(), {}}}};
  request.links = std::make_shared<const core::LinkTable>(std::vector<const core::Stage *>{&source, &ptx, &sass});
  for (size_t page = 0; page < 2; ++page)
    request.pages[page].costs =
        std::make_shared<const core::LineCosts>(page == 1 ? costs : core::costsFrom(costs, *request.links, 1, 0, 5));
  request.arrays = {{0, 2, "acc", "f32[64, 16]", {.layout = "WGMMA", .shape = {64, 16}}}};
  request.memories = {{1, {3}, "shared memory", "byte", 1024, {{0, 64}, {128, 192}}}};
  request.regions = {{"load", 0, {2, 3}}, {"store", 0, {4}}};
  return request;
}

TEST(Code, linesAndMarks) {
  CodeModel model;
  model.show({"double.py", {{"snippet", "a\nbb\n", {2}}, {"PTX", "no break", {}}, {"empty", "", {}}}});
  EXPECT_EQ(model.pages()[0].lines(), 2u);
  EXPECT_EQ(model.pages()[0].line(1), "bb");
  EXPECT_TRUE(model.pages()[0].marked(1));
  EXPECT_EQ(model.pages()[1].line(0), "no break");
  EXPECT_EQ(model.pages()[2].lines(), 1u);
  EXPECT_EQ(model.pages()[2].line(0), "");
  EXPECT_EQ(model.pages()[0].language, Language::Python);
  EXPECT_EQ(model.openPages(), std::vector<size_t>{0}); // the other texts have no links to it
}

TEST(Code, aLineLightsUpWhatBelongsToIt) {
  CodeModel model;
  model.show(linked());
  EXPECT_EQ(model.openPages(), (std::vector<size_t>{0, 1}));
  model.hover({0, 2});
  EXPECT_EQ(model.lit(0), Lines{2});
  EXPECT_EQ(model.lit(1), (Lines{2, 3}));
  EXPECT_EQ(model.lit(2), Lines{1});
  EXPECT_EQ(model.litText(1), "2\n3\n");
  EXPECT_TRUE(model.isLit(1, 3));
  EXPECT_FALSE(model.isLit(1, 5));
  EXPECT_EQ(model.litRegions(), std::vector<std::string>{"load"});
  ASSERT_EQ(model.litArrays().size(), 1u);
  EXPECT_EQ(model.litArrays()[0]->name, "acc");
  EXPECT_EQ(model.litMemories().size(), 1u);
  EXPECT_EQ(model.words(),
            (std::vector<std::string>{"2 instructions", "12 registers", "shared memory: 128 bytes from 0 to 191",
                                      "region `load` of the trace"}));
  EXPECT_EQ(model.litWords(),
            (std::vector<std::string>{"highlighted snippet: 2", "highlighted ptx: 2-3", "highlighted sass: 1"}));
  model.hover({2, 2}); // machine code knows its line of the PTX
  EXPECT_EQ(model.lit(1), Lines{5});
  EXPECT_EQ(model.lit(0), Lines{3});
  model.hover({1, 1}); // the line has no code, so only the line itself is highlighted
  EXPECT_EQ(model.lit(1), Lines{1});
  EXPECT_TRUE(model.lit(0).empty());
  model.hover({1, 99});
  EXPECT_FALSE(model.pointed().some());
  model.hover({});
  EXPECT_TRUE(model.words().empty());
}

TEST(Code, aPinnedLineStaysAndIsShownEverywhere) {
  CodeModel model;
  model.show(linked());
  for (size_t page : {0u, 1u})
    model.drawn(page) = {.width = 100, .height = 30, .lineHeight = 10};
  model.pin({0, 3});
  EXPECT_EQ(model.takeReveal(1), 5u);
  EXPECT_EQ(model.takeReveal(1), std::nullopt);
  EXPECT_EQ(model.takeReveal(0), 3u);
  model.pin({0, 2});
  EXPECT_EQ(model.takeReveal(0), std::nullopt); // the line is visible already
  model.pin({0, 3});
  model.hover({0, 2});
  EXPECT_EQ(model.lit(1), (Lines{2, 3}));
  model.hover({});
  EXPECT_EQ(model.lit(1), Lines{5});
  model.extendPin(2);
  EXPECT_EQ(model.pinned(), (CodePlace{0, 2}));
  EXPECT_EQ(model.lit(1), (Lines{2, 3, 5}));
  model.show(linked()); // the same texts again
  EXPECT_EQ(model.lit(1), (Lines{2, 3, 5}));
  CodeRequest other = linked();
  other.title = "other.py";
  model.show(other);
  EXPECT_FALSE(model.pinned().some());
}

TEST(Code, keysMoveTheLine) {
  CodeModel model;
  model.show(linked());
  model.drawn(0) = {.width = 100, .height = 60, .lineHeight = 10};
  model.movePin(1);
  EXPECT_EQ(model.pinned(), (CodePlace{0, 1}));
  model.movePin(2);
  EXPECT_EQ(model.pinned(), (CodePlace{0, 3}));
  model.movePin(100);
  EXPECT_EQ(model.pinned(), (CodePlace{0, 4}));
  model.movePin(-100);
  EXPECT_EQ(model.pinned(), (CodePlace{0, 1}));
}

TEST(Code, whatSomeoneOpenedStaysOpen) {
  CodeModel model;
  model.show(linked());
  model.open(2, true);
  model.open(0, false);
  EXPECT_EQ(model.openPages(), (std::vector<size_t>{1, 2}));
  model.show({"k.py", {{"snippet", "a\n", {}}}}); // the text is shown at once, its stages after the run
  EXPECT_EQ(model.openPages(), std::vector<size_t>{0});
  model.show(linked());
  EXPECT_EQ(model.openPages(), (std::vector<size_t>{1, 2}));
  model.open(1, false);
  model.open(2, false); // at least one text stays open
  EXPECT_EQ(model.openPages(), std::vector<size_t>{2});
  model.openOnly({1, 0});
  EXPECT_EQ(model.openPages(), (std::vector<size_t>{0, 1}));
  EXPECT_EQ(model.front(), 1u);
  model.cycle(1);
  EXPECT_EQ(model.front(), 0u);
  model.show({"empty", {}});
  EXPECT_TRUE(model.openPages().empty());
  model.movePin(1);
  model.showNextLit(0, 1);
}

TEST(Code, theSourceOfAnotherFileIsOpenToo) {
  CodeModel model;
  model.show(linked());
  CodeRequest other = linked();
  other.title = "race.ptx";
  other.pages[0].title = "race.cu";
  model.show(other);
  EXPECT_EQ(model.openPages(), (std::vector<size_t>{0, 1})) << "as `snippet` was";
  model.open(0, false);
  model.show(linked());
  EXPECT_EQ(model.openPages(), (std::vector<size_t>{1})) << "a user who closes one source wants none";
  model.open(0, true);
  CodeRequest alone{.title = "k.ptx", .pages = {{"ptx", "1\n", {}}}};
  model.show(alone);
  model.show(other);
  EXPECT_EQ(model.openPages(), (std::vector<size_t>{0, 1}));
}

TEST(Code, aFileOpensWhereItsCodeBegins) {
  SourceRef source = Source::make("k.cu", std::string(40, '\n') + "a\nb\n");
  core::Stage text = core::sourceStage(source), ptx{{"ptx", "PTX", ".ptx"}, Source::make("k.ptx", "1\n2\n3\n")};
  ptx.origins = {{}, {}, {core::LineOrigin::Kind::Source, {spanAt(source, 41, 1)}}};
  CodeRequest request{.title = "k.ptx", .pages = {{"k.cu", source->text(), {}}, {"ptx", "1\n2\n3\n", {}}}};
  request.links = std::make_shared<const core::LinkTable>(std::vector<const core::Stage *>{&text, &ptx});
  CodeModel model;
  model.show(request);
  EXPECT_EQ(model.takeReveal(0), 41u);
  EXPECT_EQ(model.takeReveal(1), 3u);
  model.show(request);
  EXPECT_EQ(model.takeReveal(0), std::nullopt) << "another run of the file moves nothing";
  model.show(linked());
  EXPECT_EQ(model.takeReveal(0), std::nullopt) << "its first lines are in sight";
}

TEST(Code, aPageIsMadeWhenItIsAskedFor) {
  CodeModel model;
  FakeHost host;
  CodeRequest without = linked();
  without.pages.pop_back();
  without.onDemand = "sass";
  model.show(without);
  model.makeOnDemand(host);
  EXPECT_EQ(host.made, std::vector<std::string>{"sass"});
  model.show(linked());
  EXPECT_EQ(model.openPages(), (std::vector<size_t>{0, 1, 2}));
  EXPECT_EQ(model.front(), 2u);
}

TEST(Code, markersOfOthers) {
  CodeModel model;
  model.show(linked());
  model.markers = {{"ptx", 3, CodeMarker::Kind::Breakpoint, "stops here"}};
  ASSERT_TRUE(model.markerAt(1, 3));
  EXPECT_EQ(model.markerAt(1, 3)->words, "stops here");
  EXPECT_FALSE(model.markerAt(0, 3));
}

TEST(Code, lineRanges) {
  EXPECT_EQ(lineRanges({}), "");
  EXPECT_EQ(lineRanges({4}), "4");
  EXPECT_EQ(lineRanges({1, 2, 3, 7, 9, 10}), "1-3, 7, 9-10");
  EXPECT_EQ(lineRanges({1, 3, 5, 7, 9, 11, 13, 15, 17, 19}), "1, 3, 5, 7, 9, 11, 13, 15 and 2 more");
}

TEST(Code, textsShareTheirRoom) {
  auto grid = [](int count, float width, float height) {
    CodeGrid at = codeGrid(count, width, height, 10, 250, 110);
    return std::tuple(at.columns, at.rows, at.tabs);
  };
  EXPECT_EQ(grid(1, 400, 300), std::tuple(1, 1, false));
  EXPECT_EQ(grid(2, 1000, 600), std::tuple(2, 1, false));
  EXPECT_EQ(grid(4, 1900, 800), std::tuple(4, 1, false));
  EXPECT_EQ(grid(4, 1000, 700), std::tuple(2, 2, false));
  EXPECT_EQ(grid(2, 300, 600), std::tuple(1, 2, false));
  EXPECT_EQ(grid(4, 300, 200), std::tuple(1, 1, true));
}

/// A translucent colour over another colour, as the screen mixes them.
Colour over(ImU32 top, ImU32 ground) {
  auto channel = [&](int shift) {
    double alpha = double(top >> 24) / 255;
    return uint8_t(double(top >> shift & 255) * alpha + double(ground >> shift & 255) * (1 - alpha) + 0.5);
  };
  return {channel(0), channel(8), channel(16)};
}

TEST(Code, coloursAreLegibleInBothThemesAndOnLitLines) {
  for (bool dark : {true, false}) {
    Theme theme;
    applyTheme(theme, dark, 1);
    for (size_t kind = 0; kind < kSyntaxKinds; ++kind) {
      ImU32 ink = syntaxColour(SyntaxKind(kind), theme);
      Colour text{uint8_t(ink), uint8_t(ink >> 8), uint8_t(ink >> 16)};
      EXPECT_GE(contrast(text, over(0, theme.field)), 4.5) << dark << " " << kind;
      for (bool pointed : {false, true})
        EXPECT_GE(contrast(text, over(litGround(pointed, theme), theme.field)), 4.5)
            << "dark " << dark << " kind " << kind << " pointed " << pointed;
    }
  }
}

} // namespace
} // namespace lanescope::viz
