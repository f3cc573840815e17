// Pictures of layouts whose warps have 64 threads: everything drawn, said and written counts in the map's warps.
#include "tests/unit/viz/Fixtures.h"
#include "tests/unit/viz/Golden.h"

#include "layouts/notation/Notation.h"
#include "layouts/Placement.h"
#include "layouts/support/Text.h"
#include "viz/export/Csv.h"
#include "viz/export/TerminalText.h"
#include "viz/scene/CellRaster.h"
#include "viz/scene/MoveScene.h"
#include "viz/scene/Palette.h"
#include "viz/scene/ViewText.h"

namespace lanescope::viz::test {
namespace {

using layouts::Layout;

// Two warps along M: lane l of a tile of 32 rows holds column l % 32.
const std::string kMfma =
    "#ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 1], instrShape = [32, 32, 8], isTransposed = false}>";
const std::string kBlocked =
    "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 8], warpsPerCTA = [2, 1], order = [0, 1]}>";
const layouts::Shape kShape = {64, 32};

Layout parsed(const std::string &written) { return *layouts::parseLayout(Source::make("test", written)); }

std::shared_ptr<const layouts::ElementMap> mapOf(const std::string &written) {
  return std::make_shared<const layouts::ElementMap>(*layouts::elementMapOf(parsed(written), kShape));
}

bool says(const std::vector<LegendEntry> &legend, std::string_view words) {
  for (const LegendEntry &entry : legend)
    if (entry.text.find(words) != std::string::npos)
      return true;
  return false;
}

TEST(WarpSize, TheArrayIsColouredByWarpsOf64) {
  Scene scene = drawn(layoutScene(parsed(kMfma), kShape, Dtype::F32));
  // Row 37 is row 5 of the second tile, in lane 9 + 32, register 1.
  int64_t element = 37 * 32 + 9;
  EXPECT_EQ(scene.body.boxes[size_t(element)].label, "T105");
  EXPECT_EQ(scene.body.boxes[size_t(element)].tooltip, "element (37, 9) is held by warp 1, lane 41 in register 1");
  EXPECT_EQ(scene.body.boxes[size_t(element)].fill, laneColour(1, 41, 64));
  EXPECT_EQ(scene.body.boxes[0].fill, laneColour(0, 0));
  EXPECT_TRUE(says(scene.legend, "warp 0: threads 0 to 63"));
  EXPECT_TRUE(says(scene.legend, "warp 1: threads 64 to 127"));
  EXPECT_FALSE(says(scene.legend, "warp 2"));
  EXPECT_FALSE(says(scene.legend, "of the warpgroup"));
  Scene lanes = drawn(layoutScene(parsed(kMfma), kShape, Dtype::F32, {.colourBy = ColourBy::Lane}));
  EXPECT_TRUE(says(lanes.legend, "lane 0 (left) to 63 (right)"));
  EXPECT_EQ(lanes.body.boxes[size_t(element)].fill, itemColour(41, 64));
}

TEST(WarpSize, TheThreadsStandInGroupsOf64) {
  Scene scene = drawn(layoutScene(parsed(kMfma), kShape, Dtype::F32, {.view = View::Lanes}));
  ASSERT_EQ(scene.left.groups.size(), 2u);
  EXPECT_EQ(scene.left.groups[1].text, "warp 1");
  EXPECT_EQ(scene.left.groups[1].at, 64 * scene.grid.cellHeight / double(scene.grid.blockRows));
  EXPECT_EQ(scene.raster->describe(105, 1), "warp 1, lane 41, register 1 holds element (37, 9)");
}

TEST(WarpSize, CsvAndTerminalCountLanesTo63) {
  Scene scene = drawn(layoutScene(parsed(kMfma), kShape, Dtype::F32));
  std::string csv = *toCsv(scene);
  EXPECT_NE(csv.find("\n37,9,105,1,41,1,0\n"), std::string::npos) << csv.substr(0, 200);
  Scene plain = drawn(layoutScene(parsed(kMfma), kShape, Dtype::F32, {.labels = false}));
  std::string digits = terminalText(plain, {.width = 80});
  EXPECT_NE(digits.find("each digit is the warp"), std::string::npos) << digits;
  EXPECT_NE(digits.find("\n 0 0 0 0"), std::string::npos) << digits;
  EXPECT_NE(digits.find("\n63 1 1 1"), std::string::npos) << digits; // only warps 0 and 1 exist
}

TEST(WarpSize, MovesBetweenLayoutsOfEqualWarps) {
  Scene diff = drawn(diffScene(mapOf(kMfma), mapOf(kBlocked)));
  const auto &moves = std::get<MoveSubject>(diff.subject).diff->moves;
  EXPECT_EQ(moves[0], layouts::Move::None);
  EXPECT_EQ(moves[4 * 32], layouts::Move::SameWarp); // moves from lane 32 to lane 4 of warp 0
  EXPECT_EQ(moves[8 * 32], layouts::Move::OtherWarp);
  Scene flow = drawn(flowScene(mapOf(kMfma), mapOf(kBlocked)));
  ASSERT_EQ(flow.left.groups.size(), 2u);
  EXPECT_EQ(flow.raster->describe(40, 0).substr(0, 13), "element (4, 8");
  auto other = flowScene(
      mapOf(kMfma), std::make_shared<const layouts::ElementMap>(*layouts::ElementMap::of(catalogue::wgmma(), kShape)));
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().front().kind, "warp-size");
}

/// The whole picture, to be reviewed when it changes.
TEST(WarpSize, GoldenPictures) {
  for (auto [name, view] : {std::pair("mfma_grid.txt", "grid"), std::pair("mfma_lanes.txt", "lanes")}) {
    ViewSpec spec{.layout = kMfma, .shape = kShape, .dtype = Dtype::F32, .view = *viewNamed(view)};
    Scene scene = drawn(viewScene(spec));
    EXPECT_EQ(compareGolden(name, terminalText(scene, {.width = 100})), "");
  }
}

} // namespace
} // namespace lanescope::viz::test
