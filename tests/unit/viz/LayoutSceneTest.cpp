#include "Fixtures.h"

#include "viz/scene/Page.h"
#include "viz/scene/Palette.h"
#include "viz/scene/PlaceWords.h"

namespace lanescope::viz::test {
namespace {

const Box &boxOf(const Scene &scene, int64_t element) {
  for (const Box &box : scene.body.boxes)
    if (box.element == element)
      return box;
  ADD_FAILURE() << "no box for element " << element;
  static Box none;
  return none;
}

TEST(LayoutScene, EachElementIsOneBoxThatNamesItsOwner) {
  Scene scene = wgmma();
  ASSERT_EQ(scene.body.boxes.size(), 512u);
  for (int r = 0; r < 64; ++r)
    for (int c = 0; c < 8; ++c) {
      // The closed form of the WGMMA accumulator, independent of our map.
      int warp = r / 16, lane = r % 8 * 4 + c / 2, reg = r % 16 / 8, position = c % 2;
      const Box &box = scene.body.boxes[r * 8 + c];
      EXPECT_EQ(box.element, r * 8 + c);
      EXPECT_EQ(box.label, "T" + std::to_string(warp * 32 + lane));
      EXPECT_EQ(box.detail, "r" + std::to_string(reg) + "." + std::to_string(position));
      EXPECT_EQ(box.fill, laneColour(warp, lane));
      ASSERT_GE(box.linkSet, 0);
      EXPECT_EQ(scene.linkSets[box.linkSet], std::vector<int32_t>{warp * 32 + lane});
    }
  EXPECT_EQ(scene.body.boxes[74].tooltip, "element (9, 2) is held by warp 0, lane 5 in register 1, position 0");
}

TEST(LayoutScene, LanesViewIsTheSameMapFromTheOtherSide) {
  Scene scene = wgmma({64, 16}, {.view = View::Lanes});
  EXPECT_EQ(scene.grid.rows, 128);
  EXPECT_EQ(scene.grid.columns, 8); // 4 registers of 2 elements
  EXPECT_EQ(scene.body.boxes[5 * 8 + 2].label, "9,2");
  EXPECT_EQ(scene.body.boxes[5 * 8 + 2].element, 9 * 16 + 2);
  EXPECT_EQ(scene.left.groups.size(), 4u);
}

TEST(LayoutScene, ReplicatedElementsAreHatchedAndStripedByWarp) {
  Scene row = drawn(layoutScene(any(catalogue::wgmmaRow()), {64}, Dtype::F32));
  EXPECT_EQ(row.grid.columns, 16);
  EXPECT_TRUE(row.body.boxes[1].hatched);
  EXPECT_EQ(row.body.boxes[1].bandCount, 0); // four lanes of one warp
  EXPECT_EQ(row.body.boxes[1].label, "T4–7");
  EXPECT_EQ(row.linkSets[row.body.boxes[1].linkSet], (std::vector<int32_t>{4, 5, 6, 7}));

  Scene column = drawn(layoutScene(any(catalogue::wgmmaCol()), {16}, Dtype::F32));
  EXPECT_TRUE(column.body.boxes[0].hatched);
  EXPECT_EQ(column.body.boxes[0].bandCount, 4);
  EXPECT_EQ(column.body.boxes[0].label, "T0 ×32");
  EXPECT_TRUE(linked(column, column.body.boxes[0].linkSet, column.body.boxes[1].linkSet));
  EXPECT_FALSE(linked(column, column.body.boxes[0].linkSet, column.body.boxes[2].linkSet));
}

TEST(LayoutScene, SplatsAreHeldByEveryone) {
  AnyLayout splat = layouts::RegisterLayout(layouts::WGSplatFragLayout{{4, 4}});
  Scene scene = drawn(layoutScene(splat, {4, 4}, Dtype::F32));
  EXPECT_EQ(scene.body.boxes.size(), 16u);
  EXPECT_EQ(scene.body.boxes[3].label, "all");
  EXPECT_EQ(scene.linkSets[scene.body.boxes[3].linkSet].size(), 128u);
  // 2^40 elements are refused instead of drawn one by one.
  AnyLayout huge = layouts::RegisterLayout(layouts::WGSplatFragLayout{{1 << 20, 1 << 20}});
  EXPECT_FALSE(layoutScene(huge, {1 << 20, 1 << 20}, Dtype::F32).has_value());
}

TEST(LayoutScene, DetailGoesDownAsShapesGrow) {
  Scene labelled = wgmma({128, 128});
  EXPECT_EQ(labelled.body.boxes.size(), 16384u);
  EXPECT_FALSE(labelled.body.boxes[0].label.empty());
  EXPECT_TRUE(labelled.notes.empty());
  Scene plain = wgmma({256, 256});
  EXPECT_EQ(plain.body.boxes.size(), 65536u);
  EXPECT_TRUE(plain.body.boxes[0].label.empty());
  EXPECT_EQ(plain.notes.size(), 2u) << "what is left out, and that no thread has so many registers";
  Scene merged = wgmma({1024, 1024});
  EXPECT_LE(merged.body.boxes.size(), 65536u);
  EXPECT_EQ(merged.body.boxes[0].elements, 16);
  EXPECT_EQ(merged.notes.size(), 2u);
  EXPECT_NE(merged.body.boxes[0].tooltip.find("a block of 16 elements"), std::string::npos);
}

TEST(LayoutScene, OtherRanks) {
  layouts::RegisterLayout strided = *layouts::WGStridedFragLayout::make({2, 8, 16}, 2);
  Scene scene = drawn(layoutScene(strided, {2, 8, 16}, Dtype::F32));
  EXPECT_EQ(scene.grid.rows, 16);
  EXPECT_EQ(scene.grid.columns, 16);
  EXPECT_EQ(scene.left.ticks[9].text, "(1, 1)");
  EXPECT_EQ(scene.body.boxes[9 * 16 + 5].label, "T74"); // element 149 is in pair 74
}

TEST(LayoutScene, MistakesAreErrors) {
  EXPECT_FALSE(layoutScene(any(catalogue::wgmma()), {63, 8}, Dtype::F32).has_value());
  EXPECT_FALSE(layoutScene(any(catalogue::wgmma()), {0, 8}, Dtype::F32).has_value());
  EXPECT_FALSE(layoutScene(any(catalogue::wgmma()), {-64, 8}, Dtype::F32).has_value());
  EXPECT_FALSE(layoutScene(any(catalogue::wgmma()), {64, 8}, Dtype::F32, {.view = View::Tmem}).has_value());
  EXPECT_FALSE(layoutScene(any(catalogue::wgmma()), {64, 8}, Dtype::F32, {.view = View::Smem}).has_value());
  EXPECT_FALSE(layoutScene(*catalogue::tmemDefault(1), {128, 8}, Dtype::F32, {.view = View::Smem}).has_value());
  EXPECT_FALSE(layoutScene(*catalogue::tmemDefault(2), {128, 8}, Dtype::F32).has_value()); // packing 2 needs 16 bits
  EXPECT_FALSE(
      layoutScene(layouts::RegisterLayout(layouts::WGSplatFragLayout{{4, 4}}), {4, 8}, Dtype::F32).has_value());
}

TEST(LayoutScene, NamesOfViewsReadBack) {
  for (View view : {View::Auto, View::Grid, View::Lanes, View::Tmem, View::Smem})
    EXPECT_EQ(viewNamed(name(view)), view);
  for (ColourBy by : {ColourBy::Warp, ColourBy::Lane, ColourBy::Register, ColourBy::Vector})
    EXPECT_EQ(colourByNamed(name(by)), by);
  EXPECT_FALSE(viewNamed("sideways").has_value());
}

TEST(LayoutScene, EveryColouringHasItsLegend) {
  for (ColourBy by : {ColourBy::Warp, ColourBy::Lane, ColourBy::Register, ColourBy::Vector}) {
    Scene scene = wgmma({64, 16}, {.colourBy = by});
    EXPECT_GE(scene.legend.size(), 2u) << name(by);
  }
}

TEST(TmemScene, CellsPackElements) {
  Scene scene = drawn(layoutScene(*catalogue::tmemDefault(2), {128, 16}, Dtype::F16));
  EXPECT_EQ(scene.grid.rows, 128);
  EXPECT_EQ(scene.grid.columns, 16); // 8 columns of 2 elements
  const Box &box = scene.body.boxes[3 * 16 + 11];
  EXPECT_EQ(box.element, 3 * 16 + 11);
  EXPECT_EQ(box.tooltip, "element (3, 11) is in TMEM lane 3 (quarter of warp 0), column 5, bits 16 to 31");
  Scene grid = drawn(layoutScene(*catalogue::tmemDefault(2), {128, 16}, Dtype::F16, {.view = View::Grid}));
  EXPECT_EQ(boxOf(grid, 3 * 16 + 11).label, "L3");
  EXPECT_EQ(boxOf(grid, 3 * 16 + 11).detail, "c5.1");
}

TEST(TmemScene, HalfLaneSplitsQuarters) {
  Scene scene = drawn(layoutScene(*catalogue::tmemHalfLane(16, 1), {64, 16}, Dtype::F32));
  // Row 20, column 13 is in lane (20/16)*32 + (13/8)*16 + 20%16 = 52, column 5.
  EXPECT_EQ(scene.body.boxes[52 * scene.grid.columns + 5].element, 20 * 16 + 13);
}

TEST(TmemScene, CopiesAreHatched) {
  Scene scene = drawn(layoutScene(AnyLayout(catalogue::scales()), {128, 4}, Dtype::F8E8M0FNU));
  EXPECT_FALSE(scene.body.boxes[0].hatched);
  EXPECT_TRUE(scene.body.boxes[32 * scene.grid.columns].hatched);
  EXPECT_EQ(scene.body.boxes[0].element, scene.body.boxes[32 * scene.grid.columns].element);
}

TEST(SmemScene, SwizzleMovesChunks) {
  Scene scene = drawn(smemScene({.shape = {8, 64}, .dtype = Dtype::F16, .tiling = {8, 64}, .swizzle = 128}));
  ASSERT_EQ(scene.grid.rows, 16); // before and after the swizzle
  ASSERT_EQ(scene.grid.columns, 64);
  for (int line = 0; line < 8; ++line)
    for (int c = 0; c < 64; ++c) {
      EXPECT_EQ(scene.body.boxes[line * 64 + c].element, line * 64 + c);
      EXPECT_EQ(scene.body.boxes[(8 + line) * 64 + c].element, line * 64 + (c ^ line * 8)); // chunks of 8 elements
    }
  const Box &moved = scene.body.boxes[9 * 64 + 8];
  EXPECT_EQ(moved.label, "1,0");
  EXPECT_EQ(moved.tooltip, "element (1, 0) is in bytes 144 to 145: line 1, bank 4; without the swizzle it would be in "
                           "bytes 128 to 129, bank 0");
  EXPECT_TRUE(linked(scene, moved.linkSet, scene.body.boxes[64].linkSet)); // linked with its place before the swizzle
}

TEST(SmemScene, WidthsStagesAndMistakes) {
  Scene words = drawn(smemScene({.shape = {8, 32}, .dtype = Dtype::F32, .tiling = {8, 32}, .swizzle = 128},
                                {.colourBy = SmemColour::Row, .stage = SmemStage::Swizzled}));
  EXPECT_EQ(words.grid.columns, 32);
  Scene bytes = drawn(smemScene({.shape = {3, 50}, .dtype = Dtype::I8}));
  EXPECT_EQ(bytes.grid.rows, 2); // 150 bytes
  EXPECT_EQ(bytes.body.boxes.back().element, -1);
  EXPECT_FALSE(smemScene({.shape = {8, 64}, .dtype = Dtype::F16, .tiling = {8, 64}, .swizzle = 48}).has_value());
  EXPECT_FALSE(smemScene({.shape = {12, 64}, .dtype = Dtype::F16, .tiling = {8, 64}, .swizzle = 128}).has_value());
  EXPECT_FALSE(smemScene({.shape = {8, 64}}, {.colourBy = SmemColour::Warp}).has_value());
  Scene owned = drawn(smemScene({.shape = {64, 64}, .dtype = Dtype::F16, .tiling = {8, 64}, .swizzle = 128},
                                {.colourBy = SmemColour::Warp, .owners = catalogue::wgmma()}));
  EXPECT_EQ(boxOf(owned, 17 * 64).fill, laneColour(1, 4));
}

TEST(Palette, LabelsReadOnEveryFill) {
  for (int warp = 0; warp < 4; ++warp)
    for (int lane = 0; lane < 32; ++lane)
      EXPECT_GE(contrast(laneColour(warp, lane), kInk), 4.5) << warp << " " << lane;
  for (int i = 0; i < 8; ++i)
    EXPECT_GE(contrast(hue(i), kInk), 4.5) << i;
  for (int i = 0; i < 32; ++i)
    EXPECT_GE(contrast(itemColour(i, 32), kInk), 4.5) << i;
}

TEST(Page, NothingIsCutOff) {
  for (const Scene &scene :
       {wgmma(), wgmma({64, 16}, {.view = View::Lanes}),
        drawn(smemScene({.shape = {8, 64}, .tiling = {8, 64}, .swizzle = 128})), traceScene(smallTrace())}) {
    Page layout = page(scene);
    for (const Text &text : layout.furniture.texts) {
      double width = textWidth(text.text, text.size, text.bold);
      double left = text.align == Align::Left    ? text.at.x
                    : text.align == Align::Right ? text.at.x - width
                                                 : text.at.x - width / 2;
      EXPECT_GE(left, 0) << text.text;
      EXPECT_LE(left + width, layout.width) << text.text;
      EXPECT_LE(text.at.y + text.size / 2, layout.height) << text.text;
    }
    for (const Box &box : scene.body.boxes) {
      EXPECT_LE(layout.bodyAt.x + box.rect.x + box.rect.width, layout.width);
      EXPECT_LE(textWidth(box.label, box.labelSize), box.rect.width) << box.label;
    }
    EXPECT_LE(layout.bodyAt.y + scene.body.height, layout.height);
  }
}

TEST(Words, ThreadsAndRanges) {
  layouts::ElementMap map = *layouts::ElementMap::of(catalogue::wgmma(), {64, 8});
  EXPECT_EQ(threadWords(map, 5),
            "warp 0, lane 5 (thread 5) holds 4 values in 2 registers of 2: (1, 2) (1, 3) (9, 2) (9, 3)");
  EXPECT_EQ(threadWords(map, 5, 1), "warp 0, lane 5 (thread 5) holds 4 values in 2 registers of 2: (1, 2) …");
  EXPECT_EQ(rangeWords({0, 1, 2, 3, 8, 16, 17}), "0 to 3, 8, 16, 17");
  layouts::ElementMap columns = *layouts::ElementMap::of(catalogue::wgmmaCol(), {8});
  EXPECT_EQ(elementWords(columns, 2),
            "element (2,) is held by 32 threads (warps 0 to 3, lanes 1, 5, 9, 13, 17, 21, 25, 29) "
            "in register 0, position 0");
}

TEST(Scene, BoxUnderThePointer) {
  Scene scene = wgmma();
  const Rect &r = scene.body.boxes[74].rect;
  EXPECT_EQ(boxAt(scene, {r.x + 1, r.y + 1}), 74);
  EXPECT_EQ(boxAt(scene, {-5, 3}), -1);
}

} // namespace
} // namespace lanescope::viz::test
