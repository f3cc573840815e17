// Pictures of layouts in any language: thread counts, holes, slices, banks, classes, addresses, the whole of TMEM.
#include "Fixtures.h"

#include "viz/export/Export.h"
#include "viz/scene/CellRaster.h"
#include "viz/scene/Page.h"
#include "viz/scene/Palette.h"
#include "viz/scene/Selection.h"

namespace lanescope::viz::test {
namespace {

using layouts::AddressMap;

std::shared_ptr<const layouts::ElementMap> table(layouts::Shape shape, int threads, int registers,
                                                 const std::vector<int32_t> &elements) {
  return std::make_shared<const layouts::ElementMap>(
      *layouts::ElementMap::fromTable(any(catalogue::wgmma()), std::move(shape), threads, registers, 1, elements));
}

TEST(ForeignScene, AnyNumberOfThreadsAndHoles) {
  // 8 threads have 2 registers each. Thread 7's second register holds nothing; threads 0 and 4 hold element 0.
  std::vector<int32_t> elements = {0, 1, 2, 3, 4, 5, 6, 7, 0, 9, 10, 11, 12, 13, 14, -1};
  auto map = table({4, 4}, 8, 2, elements);
  Scene grid = drawn(elementMapScene(map, Dtype::F16, {}));
  EXPECT_EQ(grid.body.boxes[0].label, "T0 ×2");
  EXPECT_TRUE(grid.body.boxes[0].hatched);
  EXPECT_FALSE(grid.body.boxes[1].hatched);
  EXPECT_EQ(grid.body.boxes[15].label, ""); // no thread holds it
  EXPECT_EQ(grid.body.boxes[15].tooltip, "element (3, 3) is held by no thread");
  EXPECT_EQ(grid.body.boxes[15].fill, kUnclassed);
  Scene lanes = drawn(elementMapScene(map, Dtype::F16, {.view = View::Lanes}));
  EXPECT_EQ(lanes.grid.rows, 8);
  EXPECT_EQ(lanes.body.boxes[15].element, -1);
  EXPECT_TRUE(lanes.body.boxes[8].hatched);
  ASSERT_EQ(lanes.left.groups.size(), 1u);
  EXPECT_DOUBLE_EQ(lanes.left.groups[0].size, lanes.body.height);
  for (const Scene &scene : {grid, lanes})
    for (const char *format : {"svg", "png", "pdf", "html", "tex", "txt", "json", "csv"})
      EXPECT_TRUE(renderScene(scene, format).has_value()) << format;
}

TEST(ForeignScene, ManyWarpsHaveTheirOwnColours) {
  std::vector<int32_t> elements(512);
  for (int i = 0; i < 512; ++i)
    elements[static_cast<size_t>(i)] = i;
  Scene scene = drawn(elementMapScene(table({16, 32}, 512, 1, elements), Dtype::F32, {}));
  EXPECT_EQ(scene.legend.size(), 9u); // the colours of 8 warps, and the sample
  ASSERT_FALSE(scene.notes.empty());
  EXPECT_NE(scene.body.boxes[0].fill, scene.body.boxes[4 * 32].fill);
  EXPECT_EQ(scene.body.boxes[0].fill, scene.body.boxes[8 * 32].fill); // the colours repeat
}

TEST(Slices, ShowTheRestOfTheArray) {
  std::vector<int32_t> elements(4 * 16 * 8);
  for (size_t i = 0; i < elements.size(); ++i)
    elements[i] = static_cast<int32_t>(i);
  auto map = table({4, 16, 8}, 32, 16, elements);
  Scene whole = drawn(elementMapScene(map, Dtype::F32, {}));
  EXPECT_EQ(whole.grid.rows, 64);
  Scene slice = drawn(elementMapScene(map, Dtype::F32, {.slice = {2}}));
  ASSERT_EQ(slice.grid.rows, 16);
  ASSERT_EQ(slice.grid.columns, 8);
  for (int i = 0; i < 128; ++i)
    EXPECT_EQ(slice.body.boxes[static_cast<size_t>(i)].element, 256 + i);
  EXPECT_EQ(slice.left.ticks[3].text, "3");
  std::vector<int32_t> inside = {300}, outside = {5};
  EXPECT_EQ(boxesWith(slice, inside), std::vector<int32_t>{44});
  EXPECT_TRUE(boxesWith(slice, outside).empty());
  Scene lanes = drawn(elementMapScene(map, Dtype::F32, {.view = View::Lanes, .slice = {2}}));
  EXPECT_EQ(lanes.body.boxes[0].element, -1); // thread 0 holds only elements 0 to 15
  EXPECT_EQ(lanes.body.boxes[256].element, 256);
  Scene row = drawn(elementMapScene(map, Dtype::F32, {.slice = {2, 3}}));
  EXPECT_EQ(row.grid.rows * row.grid.columns, 8);
  Scene one = drawn(elementMapScene(map, Dtype::F32, {.slice = {3, 15, 7}}));
  ASSERT_EQ(one.body.boxes.size(), 1u);
  EXPECT_EQ(one.body.boxes[0].element, 511);
  EXPECT_FALSE(elementMapScene(map, Dtype::F32, {.slice = {4}}).has_value());
  EXPECT_FALSE(elementMapScene(map, Dtype::F32, {.slice = {-1}}).has_value());
  EXPECT_FALSE(elementMapScene(map, Dtype::F32, {.slice = {0, 0, 0, 0}}).has_value());
}

TEST(Colouring, BanksOfAPlainArrayAndOfAnAddressMap) {
  Scene plain = wgmma({64, 64}, {.colourBy = ColourBy::Bank});
  EXPECT_EQ(plain.body.boxes[33].fill, bankColour(1)); // f32: element 33 is in word 33
  std::vector<int32_t> offsets(64 * 64);
  for (int i = 0; i < 64 * 64; ++i)
    offsets[static_cast<size_t>(i)] = i / 64 * 65 + i % 64; // rows are padded by one word
  auto padded = std::make_shared<const AddressMap>(*AddressMap::make("padded", {64, 64}, 32, offsets));
  Scene scene = wgmma({64, 64}, {.colourBy = ColourBy::Bank, .addresses = padded});
  EXPECT_EQ(scene.body.boxes[64].fill, bankColour(1));
  EXPECT_FALSE(
      layoutScene(any(catalogue::wgmma()), {64, 8}, Dtype::F32, {.colourBy = ColourBy::Bank, .addresses = padded})
          .has_value());
}

TEST(Colouring, Classes) {
  auto classes = std::make_shared<ElementClasses>();
  classes->names = {"stays", "moves"};
  for (int i = 0; i < 512; ++i)
    classes->of.push_back(i % 3 - 1);
  Scene scene = wgmma({64, 8}, {.colourBy = ColourBy::Custom, .classes = classes});
  EXPECT_EQ(scene.body.boxes[0].fill, kUnclassed);
  EXPECT_EQ(scene.body.boxes[1].fill, itemColour(0, 2));
  EXPECT_EQ(scene.body.boxes[2].fill, itemColour(1, 2));
  EXPECT_EQ(scene.legend[1].text, "moves");
  EXPECT_FALSE(wgmma({64, 8}, {.view = View::Lanes, .colourBy = ColourBy::Custom, .classes = classes}).legend.empty());
  classes->of.pop_back();
  EXPECT_FALSE(
      layoutScene(any(catalogue::wgmma()), {64, 8}, Dtype::F32, {.colourBy = ColourBy::Custom, .classes = classes})
          .has_value());
  EXPECT_FALSE(layoutScene(any(catalogue::wgmma()), {64, 8}, Dtype::F32, {.colourBy = ColourBy::Custom}).has_value());
}

TEST(TmemScene, TheWholeMemory) {
  Scene scene = drawn(layoutScene(*catalogue::tmemDefault(1), {128, 32}, Dtype::F32, {.wholeMemory = true}));
  EXPECT_EQ(scene.raster->rows(), 128);
  EXPECT_EQ(scene.raster->columns(), 512);
  EXPECT_EQ(scene.raster->element(3, 31), 3 * 32 + 31);
  EXPECT_EQ(scene.raster->element(3, 32), -1);
  EXPECT_EQ(scene.raster->describe(3, 32), "TMEM lane 3 (quarter of warp 0), column 32 lies beyond the allocation");
  EXPECT_EQ(scene.left.groups.size(), 4u);
  EXPECT_FALSE(
      layoutScene(*catalogue::tmemDefault(1), {128, 32}, Dtype::F32, {.colourBy = ColourBy::Bank}).has_value());
}

TEST(AddressScene, LinesByBanksWithHolesAndCopies) {
  // f16, 4 x 32, with rows padded to 40 elements, and then with row 3 folded onto row 0.
  std::vector<int32_t> offsets;
  for (int i = 0; i < 128; ++i)
    offsets.push_back(i / 32 % 3 * 40 + i % 32);
  auto map = std::make_shared<const AddressMap>(*AddressMap::make("padded", {4, 32}, 16, offsets));
  Scene scene = drawn(addressScene(map, nullptr, Dtype::F16));
  ASSERT_EQ(scene.grid.columns, 64);
  EXPECT_EQ(scene.body.boxes[32].element, -1);
  EXPECT_EQ(scene.body.boxes[40].element, 32);
  EXPECT_EQ(scene.body.boxes[40].tooltip, "element (1, 0) is in bytes 80 to 81: line 0, bank 20");
  EXPECT_EQ(scene.body.boxes[40].fill, hue(4)); // byte 64 of the array without padding
  EXPECT_EQ(selectionAt(scene, 40).linked, (std::vector<int32_t>{32, 33, 34, 35, 36, 37, 38, 39}));
  std::vector<int32_t> folded = {96};
  EXPECT_EQ(boxesWith(scene, folded), std::vector<int32_t>{0});
  Scene array = drawn(addressScene(map, nullptr, Dtype::F16, {.colourBy = SmemColour::Bank, .array = true}));
  ASSERT_EQ(array.grid.rows, 4);
  EXPECT_EQ(array.body.boxes[32].label, "b20");
  EXPECT_EQ(array.body.boxes[32].detail, "@80");
  EXPECT_EQ(array.body.boxes[32].fill, bankColour(20));
  EXPECT_EQ(array.body.boxes[96].label, "b0");
  Scene owned =
      drawn(addressScene(map, nullptr, Dtype::F16,
                         {.colourBy = SmemColour::Warp,
                          .owners = layouts::RegisterLayout(*layouts::WGStridedFragLayout::make({4, 32}, 1))}));
  EXPECT_EQ(owned.body.boxes[40].fill, laneColour(1, 0));
  for (const Scene &s : {scene, array})
    for (const char *format : {"svg", "png", "pdf", "html", "tex", "txt", "json", "csv"})
      EXPECT_TRUE(renderScene(s, format).has_value()) << format;
  auto odd = std::make_shared<const AddressMap>(*AddressMap::make("six bits", {4, 32}, 6, offsets));
  EXPECT_FALSE(addressScene(odd, nullptr, Dtype::I8).has_value());
  auto other = std::make_shared<const AddressMap>(*AddressMap::make("x", {128}, 16, offsets));
  EXPECT_FALSE(addressScene(map, other, Dtype::F16).has_value());
}

TEST(Views, MistakesAreErrors) {
  for (View view : {View::F2, View::Flow, View::Diff, View::Tmem, View::Smem})
    EXPECT_FALSE(layoutScene(any(catalogue::wgmma()), {64, 8}, Dtype::F32, {.view = view}).has_value());
  for (View view : {View::F2, View::Flow, View::Diff, View::Smem})
    EXPECT_FALSE(layoutScene(*catalogue::tmemDefault(1), {128, 8}, Dtype::F32, {.view = view}).has_value());
}

} // namespace
} // namespace lanescope::viz::test
