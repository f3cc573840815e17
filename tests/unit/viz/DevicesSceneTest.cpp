// Arrays split over devices as pictures: every element is where the part's map and the mesh put it.
#include "viz/scene/DevicesScene.h"

#include "layouts/Catalogue.h"
#include "layouts/Placement.h"
#include "viz/export/Csv.h"
#include "viz/export/SceneJson.h"
#include "viz/export/TerminalText.h"
#include "viz/scene/CellRaster.h"
#include "viz/scene/ViewText.h"

#include "Golden.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <sstream>

namespace lanescope::viz {
namespace {

using layouts::Shape;

const AnyLayout kWgmma = layouts::RegisterLayout(layouts::catalogue::wgmma());

DeviceSplit split(std::vector<std::vector<std::string>> along) {
  return {.names = {"x", "y"}, .sizes = {2, 2}, .along = std::move(along)};
}

Scene drawn(const Shape &part, const DeviceSplit &devices, LayoutSceneOptions options = {}) {
  Result<Scene> scene = devicesScene(kWgmma, part, layouts::Dtype::F32, devices, options);
  EXPECT_TRUE(scene) << (scene ? "" : render(scene.error()));
  return scene ? *std::move(scene) : Scene();
}

TEST(DevicesScene, IsTheWholeArray) {
  Scene scene = drawn({64, 8}, split({{"x"}, {"y"}}));
  EXPECT_EQ(scene.title, "WGMMA  (64, 8) of (128, 16)  f32  on 4 devices");
  EXPECT_EQ(scene.raster->rows(), 128);
  EXPECT_EQ(scene.raster->columns(), 16);
  EXPECT_EQ(
      scene.raster->describe(70, 11),
      "element (70, 11) is on device 3 (x=1, y=1); in its part element (6, 3) is held by warp 0, lane 25 in register "
      "0, position 1");
  EXPECT_EQ(scene.raster->element(70, 11), 6 * 8 + 3) << "the part's";
  ASSERT_EQ(scene.left.groups.size(), 2u);
  EXPECT_EQ(scene.left.groups[1].text, "x=1");
}

TEST(DevicesScene, CopiesAreHatched) {
  Scene scene = drawn({64, 8}, split({{}, {"y"}}));
  EXPECT_EQ(scene.raster->rows(), 64);
  EXPECT_EQ(
      scene.raster->describe(6, 3).find("element (6, 3) is on device 0 (x=0, y=0), device 2 (x=1, y=0); in their"), 0u)
      << scene.raster->describe(6, 3);
  auto says = [&](const std::string &words) {
    return std::ranges::any_of(scene.legend, [&](const LegendEntry &entry) { return entry.text == words; });
  };
  EXPECT_TRUE(says("hatched: 2 devices hold the same part; stripes are these devices"));
  EXPECT_FALSE(scene.body.boxes.empty());
  EXPECT_TRUE(scene.body.boxes[0].hatched);
}

/// The lines of the table without its head.
std::vector<std::vector<int64_t>> table(const Scene &scene) {
  Result<std::string> csv = toCsv(scene);
  EXPECT_TRUE(csv);
  std::istringstream lines(*csv);
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "row,col,device,thread,warp,lane,register,position");
  std::vector<std::vector<int64_t>> out;
  while (std::getline(lines, line)) {
    std::istringstream fields(line);
    std::string field;
    for (out.emplace_back(); std::getline(fields, field, ',');)
      out.back().push_back(std::stoll(field));
  }
  return out;
}

// Exactly the devices that the sharding names hold an element, at the place that the part's map gives.
TEST(DevicesScene, EveryElementIsWhereTheMeshSays) {
  layouts::ElementMap map = *layouts::elementMapOf(kWgmma, {64, 8});
  for (const auto &along : std::vector<std::vector<std::vector<std::string>>>{
           {{"x"}, {"y"}}, {{"y", "x"}}, {{}, {"x"}}, {}, {{}, {"x", "y"}}}) {
    DeviceSplit devices = split(along);
    std::map<std::pair<int64_t, int64_t>, int64_t> times;
    for (const std::vector<int64_t> &row : table(drawn({64, 8}, devices))) {
      int64_t x = row[2] / 2, y = row[2] % 2;
      for (size_t d = 0; d < 2; ++d) {
        int64_t place = 0;
        for (const std::string &axis : d < along.size() ? along[d] : std::vector<std::string>())
          place = place * 2 + (axis == "x" ? x : y);
        EXPECT_EQ(row[d] / (d ? 8 : 64), place);
      }
      layouts::Owner owner = map.ownerOf(map.slots(row[0] % 64 * 8 + row[1] % 8).front());
      EXPECT_EQ(owner.thread, row[3]);
      EXPECT_EQ(owner.reg, row[6]);
      ++times[{row[0], row[1]}];
    }
    int64_t copies = 4 / (devices.parts(0) * devices.parts(1));
    EXPECT_EQ(static_cast<int64_t>(times.size()), 64 * 8 * devices.parts(0) * devices.parts(1));
    for (const auto &[element, count] : times)
      EXPECT_EQ(count, copies);
  }
}

TEST(DevicesScene, WhatIsChosenInThePartIsOnEveryDevice) {
  Scene scene = drawn({64, 8}, split({{"x"}, {"y"}}));
  std::vector<CellAt> cells;
  scene.raster->model().cellsOf(6 * 8 + 3, cells);
  EXPECT_EQ(cells, (std::vector<CellAt>{{6, 3}, {6, 11}, {70, 3}, {70, 11}}));
}

TEST(DevicesScene, AsATextAndBack) {
  ViewSpec spec{.layout = "WGMMA", .shape = {64, 8}, .view = View::Devices};
  spec.devices = {.names = {"x", "y"}, .sizes = {2, 4}, .along = {{}, {"y", "x"}}};
  std::string written = viewText(spec);
  EXPECT_EQ(written, "view(\"WGMMA\", shape=(64, 8), view=\"devices\", mesh=((\"x\", 2), (\"y\", 4)), sharding=(None, "
                     "(\"y\", \"x\")))");
  Result<ViewSpec> read = parseView(Source::make("view", written));
  ASSERT_TRUE(read) << render(read.error());
  EXPECT_EQ(*read, spec);
  EXPECT_TRUE(viewScene(*read));
  auto problem = [](const std::string &text) {
    Result<ViewSpec> read = parseView(Source::make("view", text));
    Result<Scene> scene = read ? viewScene(*read) : Result<Scene>(std::unexpected(read.error()));
    return scene ? "" : scene.error()[0].message;
  };
  const std::string begin = "view(\"WGMMA\", shape=(64, 8), view=\"devices\"";
  EXPECT_EQ(problem(begin + ")"), "an array is split over devices along named axes: `mesh=((\"x\", 2),)`");
  EXPECT_EQ(problem(begin + ", mesh=(\"x\", 2), sharding=(\"z\",))"), "the mesh has no axis `z`; it has x");
  EXPECT_EQ(problem(begin + ", mesh=(\"x\", 2), sharding=(\"x\", \"x\"))"), "`x` splits the array twice");
  EXPECT_EQ(problem(begin + ", mesh=(\"x\", 2), sharding=(None, None, \"x\"))"),
            "the array has 2 dimensions, and 3 are said to be split");
  EXPECT_EQ(problem("view(\"WGMMA\", shape=(64, 8), view=\"lanes\", mesh=(\"x\", 2))"),
            "the `lanes` view is of one device's part: leave `mesh` out");
  EXPECT_EQ(problem(begin + ", mesh=((\"x\", 1024), (\"y\", 2)))"), "a mesh has 1 to 1024 devices to be drawn");
  EXPECT_NE(problem("view(\"tmem_default_layout()\", shape=(128, 32), view=\"devices\", mesh=(\"x\", 2))"), "");
}

TEST(DevicesScene, LooksAsItDid) {
  Scene scene = drawn({64, 8}, split({{"x"}, {}}), {.tooltips = false});
  EXPECT_EQ(test::compareGolden("devices.txt", terminalText(scene, {.width = 160})), "");
  Result<std::string> json = toJson(drawn({64, 8}, split({{"x"}})));
  ASSERT_TRUE(json);
  EXPECT_NE(json->find("\"mesh\":[[\"x\",2],[\"y\",2]]"), std::string::npos);
}

} // namespace
} // namespace lanescope::viz
