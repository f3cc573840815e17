#include "Fixtures.h"
#include "Golden.h"

#include "layouts/notation/Notation.h"
#include "viz/export/TerminalText.h"
#include "viz/scene/Palette.h"
#include "viz/scene/TiledMemoryScene.h"

#include <algorithm>

namespace lanescope::viz::test {
namespace {

AnyLayout tiles(const char *text) { return *layouts::parseLayout(Source::make("layout", text)); }

Scene picture(const char *text, layouts::Shape shape, Dtype dtype, View view = View::Auto, layouts::Shape slice = {}) {
  return drawn(layoutScene(tiles(text), shape, dtype, {.view = view, .slice = std::move(slice)}));
}

const Box &at(const Scene &scene, int64_t row, int64_t column) {
  return scene.body.boxes[static_cast<size_t>(row * scene.grid.columns + column)];
}

TEST(TiledMemoryScene, TheArrayHasPaddingUpToWholeTiles) {
  Scene scene = picture("#tpu.tiled<(2,4),[3,1]>", {3, 10}, Dtype::F32);
  EXPECT_EQ(scene.grid.rows, 4);
  EXPECT_EQ(scene.grid.columns, 12);
  for (int64_t r = 0; r < 4; ++r)
    for (int64_t c = 0; c < 12; ++c) {
      const Box &box = at(scene, r, c);
      if (r >= 3 || c >= 10) {
        EXPECT_EQ(box.element, -1);
        EXPECT_EQ(box.fill, kEmpty);
        EXPECT_TRUE(box.label.empty());
        continue;
      }
      int64_t tile = r / 2 * 3 + c / 4, word = tile * 8 + r % 2 * 4 + c % 4;
      EXPECT_EQ(box.element, r * 10 + c);
      EXPECT_EQ(box.label, "w" + std::to_string(word));
      EXPECT_EQ(box.detail, "t" + std::to_string(tile));
      EXPECT_EQ(box.fill, hue(tile));
    }
  EXPECT_TRUE(std::ranges::any_of(scene.legend, [](const LegendEntry &entry) {
    return entry.text == "padding up to whole tiles: 18 of 48 elements of the memory hold nothing";
  }));
  EXPECT_EQ(at(scene, 2, 5).tooltip,
            "element (2, 5) is in word 33: lane 1 of the vector load at word 32; tile 4, position 1");
}

TEST(TiledMemoryScene, TheMemoryIsRowsOfVectorLoads) {
  Scene scene = picture("#tpu.tiled<(2,4),[3,1]>", {3, 10}, Dtype::F32, View::Lanes);
  EXPECT_EQ(scene.grid.columns, kVectorLoadWords);
  EXPECT_EQ(scene.grid.rows, 3);            // 6 tiles of 8 words
  EXPECT_EQ(at(scene, 0, 13).label, "1,5"); // tile 1, row 1, column 1
  EXPECT_EQ(at(scene, 0, 13).fill, hue(1));
  EXPECT_EQ(at(scene, 1, 2).element, -1) << "tile 2 holds columns 8 and 9 alone";
  EXPECT_EQ(scene.top.title, "lane");
}

TEST(TiledMemoryScene, NarrowElementsShareWords) {
  Scene array = picture("#tpu.tiled<(4,8)(2,1),[1,1]>", {4, 8}, Dtype::BF16);
  EXPECT_EQ(at(array, 0, 0).label, "w0.0");
  EXPECT_EQ(at(array, 1, 0).label, "w0.1");
  EXPECT_EQ(at(array, 2, 3).label, "w11.0");
  Scene memory = picture("#tpu.tiled<(4,8)(2,1),[1,1]>", {4, 8}, Dtype::BF16, View::Smem);
  EXPECT_EQ(memory.grid.columns, 2 * kVectorLoadWords);
  EXPECT_EQ(at(memory, 0, 0).label, "0,0");
  EXPECT_EQ(at(memory, 0, 1).label, "1,0");
  EXPECT_EQ(at(memory, 0, 3).tooltip,
            "element (1, 1) is in word 1, bits 16 to 31: lane 1 of the vector load at word 0; tile 0, position 3");
}

TEST(TiledMemoryScene, LeadingDimensionsAreStackedOrFixed) {
  EXPECT_EQ(picture("#tpu.tiled<(8,128),[4,2,1]>", {5, 16, 256}, Dtype::F32).grid.rows, 1 * 80);
  Scene one = picture("#tpu.tiled<(2,4),[4,2,1]>", {5, 3, 6}, Dtype::F32, View::Grid, {2});
  EXPECT_EQ(one.grid.rows, 4);
  EXPECT_EQ(at(one, 0, 0).element, 2 * 18);
  EXPECT_EQ(at(one, 0, 0).label, "w64");
}

TEST(TiledMemoryScene, WithoutTilesThereAreWordsAlone) {
  Scene scene = picture("#tpu.tiled<,[8,1]>", {2, 6}, Dtype::I32);
  EXPECT_EQ(at(scene, 1, 2).label, "w10");
  EXPECT_TRUE(at(scene, 1, 2).detail.empty());
}

TEST(TiledMemoryScene, Refuses) {
  EXPECT_FALSE(layoutScene(tiles("#tpu.tiled<(8,128),[2,1]>"), {16}, Dtype::F32).has_value());
  EXPECT_FALSE(layoutScene(tiles("#tpu.tiled<(8,128),[2,1]>"), {16, 256}, Dtype::F32, {.slice = {99}}).has_value());
  EXPECT_FALSE(layoutScene(tiles("#tpu.tiled<(8,128),[99999999999,1]>"), {16, 256}, Dtype::F32, {.view = View::Lanes})
                   .has_value());
}

TEST(TiledMemoryScene, Golden) {
  Scene array = picture("#tpu.tiled<(2,4),[3,1]>", {3, 10}, Dtype::F32);
  Scene memory = picture("#tpu.tiled<(4,8)(2,1),[1,1]>", {4, 8}, Dtype::BF16, View::Lanes);
  EXPECT_EQ(compareGolden("tiled_memory_array.txt", terminalText(array, {.width = 140})), "");
  EXPECT_EQ(compareGolden("tiled_memory_lanes.txt", terminalText(memory, {.width = 140})), "");
}

} // namespace
} // namespace lanescope::viz::test
