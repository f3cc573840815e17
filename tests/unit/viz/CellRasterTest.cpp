#include "Fixtures.h"

#include "viz/scene/CellRaster.h"
#include "viz/scene/MoveScene.h"
#include "viz/scene/Palette.h"

namespace lanescope::viz::test {
namespace {

uint32_t packed(Colour c) { return uint32_t(c.r) | uint32_t(c.g) << 8 | uint32_t(c.b) << 16 | uint32_t(c.a) << 24; }

std::vector<uint32_t> level(const CellRaster &raster, int level) {
  CellRaster::Size size = raster.size(level);
  std::vector<uint32_t> out(static_cast<size_t>(size.rows * size.columns));
  raster.fill(level, 0, 0, size.rows, size.columns, out.data(), size.columns);
  return out;
}

std::vector<Scene> scenes(ColourTheme theme) {
  auto map = [](const layouts::RegisterLayout &layout, layouts::Shape shape) {
    return std::make_shared<const layouts::ElementMap>(*layouts::ElementMap::of(layout, std::move(shape)));
  };
  std::vector<Scene> out;
  for (ColourBy by : {ColourBy::Warp, ColourBy::Lane, ColourBy::Register, ColourBy::Vector, ColourBy::Bank})
    for (View view : {View::Grid, View::Lanes})
      out.push_back(wgmma({64, 24}, {.view = view, .colourBy = by, .theme = theme}));
  out.push_back(drawn(layoutScene(any(catalogue::wgmmaRow()), {64}, Dtype::F32, {.theme = theme})));
  out.push_back(drawn(layoutScene(*catalogue::tmemDefault(2), {128, 16}, Dtype::F16, {.theme = theme})));
  out.push_back(drawn(smemScene({.shape = {8, 64}, .tiling = {8, 64}, .swizzle = 128}, {.theme = theme})));
  out.push_back(drawn(diffScene(map(catalogue::wgmma(), {64, 16}),
                                map(*layouts::WGStridedFragLayout::make({64, 16}, 2), {64, 16}), {.theme = theme})));
  return out;
}

TEST(CellRaster, ColoursAreThoseOfTheBoxes) {
  for (ColourTheme theme : {ColourTheme::Light, ColourTheme::Dark})
    for (const Scene &scene : scenes(theme)) {
      const CellRaster &raster = *scene.raster;
      ASSERT_EQ(raster.rows(), scene.grid.rows);
      ASSERT_EQ(raster.columns(), scene.grid.columns);
      std::vector<uint32_t> colours = level(raster, 0);
      for (size_t i = 0; i < colours.size(); ++i) {
        const Box &box = scene.body.boxes[i];
        ASSERT_EQ(raster.element(box.row, box.column), box.element);
        ASSERT_EQ(colours[i], box.element < 0 ? 0 : packed(box.fill)) << scene.title << " " << i;
        if (box.element >= 0) {
          ASSERT_EQ(raster.describe(box.row, box.column), box.tooltip);
        }
      }
    }
}

TEST(CellRaster, AveragesAreMeansOfWhatIsThere) {
  Scene scene = wgmma({64, 24});
  const CellRaster &raster = *scene.raster;
  std::vector<uint32_t> fine = level(raster, 0), coarse = level(raster, 1);
  EXPECT_EQ(raster.size(1).rows, 32);
  EXPECT_EQ(raster.size(1).columns, 12);
  for (int64_t r = 0; r < 32; ++r)
    for (int64_t c = 0; c < 12; ++c)
      for (int shift : {0, 8, 16}) {
        int sum = 0;
        for (int64_t i = 0; i < 4; ++i)
          sum += fine[static_cast<size_t>((2 * r + i / 2) * 24 + 2 * c + i % 2)] >> shift & 255;
        EXPECT_EQ(coarse[static_cast<size_t>(r * 12 + c)] >> shift & 255, static_cast<uint32_t>(sum / 4));
      }
  CellRaster::Size last = raster.size(raster.levels() - 1);
  EXPECT_EQ(last.rows * last.columns, 1);
  EXPECT_EQ(level(raster, raster.levels() - 1)[0] >> 24, 255u);
}

TEST(CellRaster, OddSizesAndEmptyCells) {
  // 10 elements in rows of 16 are one row. In a rank-1 array of 20 the second row is shorter.
  auto map = [](int64_t count) {
    std::vector<int32_t> table(static_cast<size_t>(count));
    for (int64_t i = 0; i < count; ++i)
      table[static_cast<size_t>(i)] = static_cast<int32_t>(i);
    return std::make_shared<const layouts::ElementMap>(
        *layouts::ElementMap::fromTable(any(catalogue::wgmma()), {count}, static_cast<int>(count), 1, 1, table));
  };
  Scene scene = drawn(elementMapScene(map(20), Dtype::F32, {}));
  EXPECT_EQ(scene.raster->rows(), 2);
  std::vector<uint32_t> colours = level(*scene.raster, 0);
  EXPECT_EQ(colours[20], 0u);
  EXPECT_NE(colours[19], 0u);
  EXPECT_EQ(scene.raster->element(1, 4), -1);
  EXPECT_EQ(scene.raster->element(-1, 0), -1);
  EXPECT_EQ(scene.raster->element(0, 16), -1);
  for (int k = 0; k < scene.raster->levels(); ++k)
    level(*scene.raster, k);
  EXPECT_EQ(scene.top.title, "index, in rows of 16");
  EXPECT_EQ(drawn(elementMapScene(map(10), Dtype::F32, {})).top.title, "index");
  // A long array is not drawn as a thin strip.
  Scene wide = drawn(elementMapScene(map(32768), Dtype::F32, {}));
  EXPECT_EQ(wide.raster->columns(), 128);
  EXPECT_EQ(wide.raster->rows(), 256);
  EXPECT_EQ(wide.top.title, "index, in rows of 128");
}

TEST(CellRaster, LevelsFitTheScreen) {
  Scene scene = wgmma({64, 24});
  EXPECT_EQ(scene.raster->levelFor(5), 0);
  EXPECT_EQ(scene.raster->levelFor(1), 0);
  EXPECT_EQ(scene.raster->levelFor(0.5), 1);
  EXPECT_EQ(scene.raster->levelFor(0.3), 2);
  EXPECT_EQ(scene.raster->levelFor(1e-9), scene.raster->levels() - 1);
}

TEST(CellRaster, LargeGridsNeedNoBoxes) {
  Scene scene = wgmma({1024, 1024}, {.boxes = false});
  EXPECT_TRUE(scene.body.boxes.empty());
  EXPECT_EQ(scene.grid.rows, 1024);
  EXPECT_EQ(scene.raster->rows(), 1024);
  EXPECT_GT(scene.body.width, 0);
  EXPECT_FALSE(scene.legend.empty());
  layouts::ElementMap map = *layouts::ElementMap::of(catalogue::wgmma(), {1024, 1024});
  for (int64_t element : {0, 74, 99999, 1024 * 1024 - 1}) {
    std::vector<uint32_t> one(1);
    scene.raster->fill(0, element / 1024, element % 1024, 1, 1, one.data(), 1);
    int thread = map.owners(element)[0].thread;
    EXPECT_EQ(one[0], packed(laneColour(thread / 32, thread % 32)));
  }
  Scene merged = wgmma({1024, 1024});
  EXPECT_EQ(merged.grid.blockRows * merged.grid.rows, 1024);
  EXPECT_EQ(merged.raster->columns(), 1024);
}

} // namespace
} // namespace lanescope::viz::test
