#include "Fixtures.h"
#include "Golden.h"

#include "viz/export/Export.h"
#include "viz/export/TerminalText.h"
#include "viz/scene/MatrixScene.h"
#include "viz/scene/MoveScene.h"
#include "viz/scene/Selection.h"

#include <numeric>

namespace lanescope::viz::test {
namespace {

using Map = std::shared_ptr<const layouts::ElementMap>;
using layouts::Move;

/// A warp's map of 16 x 8 from a function of thread and value.
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
    // Values 0 and 3 stay when the middle two change places.
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
  EXPECT_GT(scene.grid.columns, 8); // two grids of 4 values and a strip between
  int64_t right = scene.grid.columns - 4;
  std::vector<int32_t> element = {42};
  std::vector<int32_t> boxes = boxesWith(scene, element);
  // (5, 2): thread 5*4 + 1, value 0; then thread 10, value 2.
  std::vector<int32_t> want = {static_cast<int32_t>(10 * scene.grid.columns + right + 2),
                               static_cast<int32_t>(21 * scene.grid.columns)};
  EXPECT_EQ(boxes, want);
  EXPECT_TRUE(linked(scene, scene.body.boxes[static_cast<size_t>(want[0])].linkSet,
                     scene.body.boxes[static_cast<size_t>(want[1])].linkSet));
  EXPECT_EQ(scene.body.boxes[4].element, -1); // the strip
}

TEST(FlowScene, ArrowsOnlyWhileTheyAreFew) {
  auto arrows = [](const Scene &scene) {
    return std::count_if(scene.body.lines.begin(), scene.body.lines.end(),
                         [](const Line &line) { return line.width == 1.25; });
  };
  Scene renamed = drawn(flowScene(accumulator(), swappedRegisters()));
  EXPECT_EQ(arrows(renamed), 32 * 3); // a line and a head of two, within each thread
  EXPECT_TRUE(renamed.notes.empty());
  Scene many = drawn(flowScene(accumulator(), inOrder(), {.maxArrows = 10}));
  EXPECT_EQ(arrows(many), 0);
  EXPECT_FALSE(many.notes.empty());
  EXPECT_EQ(arrows(drawn(flowScene(accumulator(), accumulator()))), 0);
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
  // Registers 1 and 2 are column 1 and row 8; lanes 1, 2 are columns 2, 4; lanes 4, 8, 16 are rows 1, 2, 4.
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
