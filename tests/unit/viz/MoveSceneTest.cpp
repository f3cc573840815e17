#include "Fixtures.h"
#include "Golden.h"

#include "viz/export/Export.h"
#include "viz/export/TerminalText.h"
#include "viz/scene/MatrixScene.h"
#include "viz/scene/MoveScene.h"
#include "viz/scene/Selection.h"

#include "viz/scene/CellRaster.h"
#include "viz/scene/Palette.h"
#include "viz/scene/ViewText.h"

#include <numeric>
#include <set>

namespace lanescope::viz::test {
namespace {

using Map = std::shared_ptr<const layouts::ElementMap>;
using layouts::Move;

/// A map of one warp for a 16 x 8 array, from a function of thread and value.
template <typename Place> Map warpMap(Place place) {
  std::vector<int32_t> table;
  for (int thread = 0; thread < 32; ++thread)
    for (int value = 0; value < 4; ++value)
      table.push_back(place(thread, value));
  return std::make_shared<const layouts::ElementMap>(
      *layouts::ElementMap::fromTable(any(catalogue::wgmma()), {16, 8}, 32, 4, 1, table));
}

Map accumulator() { // mma.m16n8: PTX ISA, "Matrix Fragments for mma.m16n8k8"
  return warpMap([](int t, int v) { return (t / 4 + v / 2 * 8) * 8 + t % 4 * 2 + v % 2; });
}
Map swappedRegisters() {
  return warpMap([](int t, int v) { return (t / 4 + v % 2 * 8) * 8 + t % 4 * 2 + v / 2; });
}
Map inOrder() {
  return warpMap([](int t, int v) { return t * 4 + v; });
}

TEST(DiffScene, ColoursSayHowFarEachElementTravels) {
  Scene same = drawn(diffScene(accumulator(), accumulator()));
  for (const Box &box : same.body.boxes)
    EXPECT_EQ(box.fill, moveColour(Move::None));
  EXPECT_EQ(same.subtitle, "unchanged: 128");
  Scene renamed = drawn(diffScene(accumulator(), swappedRegisters()));
  Scene shuffled = drawn(diffScene(accumulator(), inOrder()));
  for (int element = 0; element < 128; ++element) {
    // The middle two values change places; values 0 and 3 stay.
    int row = element / 8, column = element % 8, value = row / 8 * 2 + column % 2;
    EXPECT_EQ(renamed.body.boxes[static_cast<size_t>(element)].fill,
              moveColour(value == 0 || value == 3 ? Move::None : Move::SameThread));
    int thread = row % 8 * 4 + column / 2;
    EXPECT_EQ(shuffled.body.boxes[static_cast<size_t>(element)].fill,
              moveColour(thread != element / 4  ? Move::SameWarp
                         : value != element % 4 ? Move::SameThread
                                                : Move::None));
  }
  EXPECT_NE(shuffled.body.boxes[9].tooltip.find("element (1, 1) (same warp): from warp 0, lane 4 in register 1"),
            std::string::npos)
      << shuffled.body.boxes[9].tooltip;
  EXPECT_FALSE(diffScene(accumulator(), std::make_shared<const layouts::ElementMap>(
                                            *layouts::ElementMap::of(catalogue::wgmma(), {64, 8})))
                   .has_value());
}

TEST(FlowScene, SourceAndDestinationAreLinked) {
  Scene scene = drawn(flowScene(accumulator(), inOrder()));
  EXPECT_EQ(scene.grid.rows, 32);
  EXPECT_GT(scene.grid.columns, 8); // two grids of 4 values with a strip between
  int64_t right = scene.grid.columns - 4;
  std::vector<int32_t> element = {42};
  std::vector<int32_t> boxes = boxesWith(scene, element);
  // (5, 2): thread 5*4 + 1, value 0, and then thread 10, value 2.
  std::vector<int32_t> want = {static_cast<int32_t>(10 * scene.grid.columns + right + 2),
                               static_cast<int32_t>(21 * scene.grid.columns)};
  EXPECT_EQ(boxes, want);
  EXPECT_TRUE(linked(scene, scene.body.boxes[static_cast<size_t>(want[0])].linkSet,
                     scene.body.boxes[static_cast<size_t>(want[1])].linkSet));
  EXPECT_EQ(scene.body.boxes[4].element, -1); // a cell of the strip
}

std::vector<Line> arrowsOf(const Scene &scene) {
  std::vector<Line> out;
  for (const Line &line : scene.body.lines)
    if (line.head > 0)
      out.push_back(line);
  return out;
}

std::string arrowWords(const Scene &scene) {
  for (const LegendEntry &entry : scene.legend)
    if (entry.sample == "→")
      return entry.text;
  return "";
}

TEST(FlowScene, ArrowsGoFromThreadToThread) {
  Scene renamed = drawn(flowScene(accumulator(), swappedRegisters()));
  EXPECT_EQ(arrowsOf(renamed).size(), 32u); // each value moves inside its thread
  EXPECT_TRUE(renamed.notes.empty());
  EXPECT_EQ(arrowWords(renamed), "values go from thread to thread: 32 pairs");
  EXPECT_TRUE(arrowsOf(drawn(flowScene(accumulator(), accumulator()))).empty());
  // Each pair of threads has one arrow; the closed forms give the pairs.
  std::set<std::pair<int, int>> pairs;
  for (int t = 0; t < 32; ++t)
    for (int v = 0; v < 4; ++v) {
      int element = (t / 4 + v / 2 * 8) * 8 + t % 4 * 2 + v % 2;
      if (element / 4 != t || element % 4 != v)
        pairs.insert({t, element / 4});
    }
  Scene shuffled = drawn(flowScene(accumulator(), inOrder()));
  ASSERT_EQ(arrowsOf(shuffled).size(), pairs.size());
  double height = shuffled.grid.cellHeight;
  for (const Line &line : arrowsOf(shuffled))
    EXPECT_TRUE(pairs.contains({int(line.from.y / height), int(line.to.y / height)}))
        << line.from.y << " " << line.to.y;
  // A window draws the same arrows, though it draws no boxes.
  EXPECT_EQ(arrowsOf(drawn(flowScene(accumulator(), inOrder(), {.boxes = false}))).size(), pairs.size());
}

/// Every second value moves, so a block of many cells has the mean colour, and not that of one vector position.
TEST(DiffScene, MergedBlocksAreInTheirMeanColour) {
  auto map = [](const layouts::TiledLayout &layout) {
    return std::make_shared<const layouts::ElementMap>(*layouts::ElementMap::of(layout, {512, 512}));
  };
  for (int64_t cells : {1 << 12, 1 << 10, 1 << 8}) {
    Scene scene = drawn(diffScene(map(catalogue::wgmma()), map(catalogue::wgmmaTransposed()), {.maxCells = cells}));
    ASSERT_GT(scene.grid.blockColumns, 1);
    for (const Box &box : scene.body.boxes) {
      std::vector<Colour> colours(box.bands.begin(), box.bands.begin() + box.bandCount);
      if (box.bandCount == 0)
        colours = {box.fill};
      std::set<int> seen;
      for (const Colour &colour : colours)
        seen.insert(colour.b);
      EXPECT_TRUE(seen.size() == 2 || !(box.fill == moveColour(Move::None) || box.fill == moveColour(Move::SameWarp)))
          << cells << ": a block of one class";
    }
  }
}

TEST(FlowScene, ManyArrowsAreBundledByGroupsOfLanes) {
  Scene many = drawn(flowScene(accumulator(), inOrder(), {.maxArrows = 10}));
  std::vector<Line> arrows = arrowsOf(many);
  EXPECT_GT(arrows.size(), 1u);
  EXPECT_LE(arrows.size(), 64u);
  // Each moving value is in one of the bundles.
  int64_t moving = 0;
  for (int t = 0; t < 32; ++t)
    for (int v = 0; v < 4; ++v)
      moving += (t / 4 + v / 2 * 8) * 8 + t % 4 * 2 + v % 2 != t * 4 + v;
  std::string words = arrowWords(many);
  EXPECT_NE(words.find("values go between groups of 2 lanes, the wider the more: " + std::to_string(moving) + " in "),
            std::string::npos)
      << words;
  // 512 moves of a warpgroup's array, which were once too many to draw.
  auto map = [](const layouts::TiledLayout &layout) {
    return std::make_shared<const layouts::ElementMap>(*layouts::ElementMap::of(layout, {64, 16}));
  };
  Scene transposed = drawn(flowScene(map(catalogue::wgmma()), map(catalogue::wgmmaTransposed())));
  EXPECT_EQ(arrowsOf(transposed).size(), 128u) << arrowWords(transposed);
  EXPECT_EQ(transposed.subtitle, "unchanged: 512, same warp: 512");
}

TEST(FlowScene, TheSelectedElementsWayIsBold) {
  Scene scene = drawn(flowScene(accumulator(), inOrder(), {.selected = {42}}));
  std::vector<Line> arrows = arrowsOf(scene);
  const Line &bold = arrows.back();
  EXPECT_EQ(bold.colour, kHighlight);
  for (size_t i = 0; i + 1 < arrows.size(); ++i)
    EXPECT_LT(arrows[i].width, bold.width);
  // (5, 2): from thread 21, value 0 to thread 10, value 2.
  double w = scene.grid.cellWidth, h = scene.grid.cellHeight;
  EXPECT_EQ(std::pair(int(bold.from.y / h), int(bold.from.x / w)), std::pair(21, 1)) << "the cell's right edge";
  EXPECT_EQ(std::pair(int(bold.to.y / h), int(bold.to.x / w)), std::pair(10, int(scene.grid.columns) - 4 + 2));
  std::vector<CellArrow> ways;
  scene.raster->model().arrowsOf(42, ways);
  ASSERT_EQ(ways.size(), 1u);
  EXPECT_EQ(ways[0].from, (CellAt{21, 0}));
  EXPECT_EQ(ways[0].to, (CellAt{10, scene.grid.columns - 4 + 2}));
  // The text of a view gives the same.
  ViewSpec spec{.layout = "WGMMA",
                .shape = {64, 16},
                .view = View::Flow,
                .against = "WGMMA_TRANSPOSED",
                .select = ElementPlace{{9, 3}}};
  Scene viewed = drawn(viewScene(spec));
  EXPECT_EQ(arrowsOf(viewed).back().colour, kHighlight);
  spec.select = ElementPlace{{64, 0}};
  EXPECT_FALSE(viewScene(spec).has_value());
}

TEST(FlowScene, ASliceCountsWhatItShows) {
  auto stacked = [](bool swapped) { // two 16 x 8 tiles; two registers of the second tile change places
    std::vector<int32_t> table;
    for (int t = 0; t < 32; ++t)
      for (int v = 0; v < 8; ++v) {
        int r = v % 4, tile = v / 4;
        int place = swapped && tile == 1 ? r % 2 * 2 + r / 2 : r;
        table.push_back(tile * 128 + t * 4 + place);
      }
    return std::make_shared<const layouts::ElementMap>(
        *layouts::ElementMap::fromTable(any(catalogue::wgmma()), {2, 16, 8}, 32, 8, 1, table));
  };
  EXPECT_EQ(drawn(diffScene(stacked(false), stacked(true), {.slice = {0}})).subtitle, "unchanged: 128");
  EXPECT_EQ(drawn(diffScene(stacked(false), stacked(true), {.slice = {1}})).subtitle, "unchanged: 64, same lane: 64");
  EXPECT_TRUE(arrowsOf(drawn(flowScene(stacked(false), stacked(true), {.slice = {0}}))).empty());
}

TEST(FlowScene, ExportsHoldTheMoves) {
  Scene scene = drawn(flowScene(accumulator(), inOrder()));
  std::string csv = *renderScene(scene, "csv");
  EXPECT_NE(csv.find("row,col,move,from_thread,from_value,to_thread,to_value\n"), std::string::npos);
  EXPECT_NE(csv.find("5,2,same warp,21,0,10,2\n"), std::string::npos) << csv.substr(0, 400);
  EXPECT_NE(renderScene(scene, "json")->find("\"classes\":[\"unchanged\""), std::string::npos);
  for (const char *format : {"svg", "png", "pdf", "html", "tex", "txt"})
    EXPECT_TRUE(renderScene(scene, format).has_value()) << format;
}

MatrixSubject accumulatorBits() {
  // Registers 1 and 2 are column 1 and row 8; lanes 1 and 2 are columns 2 and 4; lanes 4, 8 and 16 are rows 1, 2 and 4.
  MatrixSubject m{{"dim0 1", "dim0 2", "dim0 4", "dim0 8", "dim1 1", "dim1 2", "dim1 4"},
                  {"register 1", "register 2", "lane 1", "lane 2", "lane 4", "lane 8", "lane 16"},
                  std::vector<uint8_t>(49)};
  const int rowOfColumn[] = {4, 3, 5, 6, 0, 1, 2};
  for (size_t c = 0; c < 7; ++c)
    m.entries[static_cast<size_t>(rowOfColumn[c]) * 7 + c] = 1;
  return m;
}

TEST(MatrixScene, BitsAndGroups) {
  Scene scene = drawn(f2Scene(accumulatorBits(), "accumulator"));
  EXPECT_EQ(scene.grid.rows, 7);
  ASSERT_EQ(scene.top.groups.size(), 2u);
  EXPECT_EQ(scene.top.groups[1].text, "lane");
  ASSERT_EQ(scene.left.groups.size(), 2u);
  EXPECT_EQ(scene.body.boxes[4 * 7].label, "1");
  EXPECT_EQ(scene.body.boxes[0].label, "0");
  EXPECT_EQ(scene.body.boxes[3 * 7 + 1].tooltip, "register 2 flips dim0 8; dim0 8 = register 2");
  EXPECT_EQ(std::accumulate(scene.body.boxes.begin(), scene.body.boxes.end(), 0,
                            [](int sum, const Box &box) { return sum + (box.label == "1"); }),
            7);
  EXPECT_EQ(renderScene(scene, "csv")->substr(0, 32), "bit,register 1,register 2,lane 1");
  EXPECT_NE(renderScene(scene, "json")->find("\"bits\":[[0,0,0,0,1,0,0]"), std::string::npos);
  for (const char *format : {"svg", "png", "pdf", "html", "tex", "txt"})
    EXPECT_TRUE(renderScene(scene, format).has_value()) << format;
}

TEST(Golden, MovesAndMatrices) {
  MatrixSceneOptions dark{.theme = ColourTheme::Dark};
  EXPECT_EQ(compareGolden("f2_dark.svg", *renderScene(drawn(f2Scene(accumulatorBits(), "m16n8", dark)), "svg")), "");
  EXPECT_EQ(compareGolden("f2.tex", *renderScene(drawn(f2Scene(accumulatorBits(), "m16n8")), "tex")), "");
  MoveSceneOptions named{.fromName = "m16n8", .toName = "rows"};
  EXPECT_EQ(compareGolden("diff.txt", terminalText(drawn(diffScene(accumulator(), inOrder(), named)), {.width = 100})),
            "");
  EXPECT_EQ(compareGolden("flow.txt", terminalText(drawn(flowScene(accumulator(), inOrder(), named)), {.width = 100})),
            "");
}

TEST(MatrixScene, MistakesAreErrors) {
  MatrixSubject wrong = accumulatorBits();
  wrong.entries.pop_back();
  EXPECT_FALSE(f2Scene(wrong, "").has_value());
  wrong.entries.push_back(2);
  EXPECT_FALSE(f2Scene(wrong, "").has_value());
  EXPECT_FALSE(f2Scene({}, "").has_value());
  MatrixSubject zero{{"dim0 1"}, {"lane 1"}, {0}};
  EXPECT_EQ(drawn(f2Scene(zero, "")).body.boxes[0].tooltip,
            "lane 1 changes nothing: the places that it tells apart hold copies; dim0 1 is always 0");
}

} // namespace
} // namespace lanescope::viz::test
