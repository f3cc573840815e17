#include "Fixtures.h"

#include "viz/scene/MoveScene.h"
#include "viz/scene/Selection.h"

#include <set>

namespace lanescope::viz::test {
namespace {

const layouts::Shape kShape = {128, 32};

/// One f16 array in registers, in tensor memory and in shared memory.
struct Views {
  Scene grid = wgmma(kShape), lanes = wgmma(kShape, {.view = View::Lanes});
  Scene tmem = drawn(layoutScene(*catalogue::tmemDefault(2), kShape, Dtype::F16));
  Scene smem = drawn(smemScene({.shape = kShape, .dtype = Dtype::F16, .tiling = {8, 32}, .swizzle = 64}));
};

TEST(Selection, WhatIsSelectedInOnePictureIsFoundInAll) {
  Views v;
  layouts::ElementMap map = *layouts::ElementMap::of(catalogue::wgmma(), kShape);
  layouts::TmemMap tmem = *layouts::TmemMap::of(*catalogue::tmemDefault(2), kShape, 16);
  layouts::SmemMap smem = *layouts::SmemMap::of(kShape, 16, {8, 32}, 64);
  for (int32_t element : {0, 74, 1000, 4095}) {
    Selection chosen = selectionAt(v.grid, element);
    EXPECT_EQ(chosen.elements, std::vector<int32_t>{element});
    EXPECT_EQ(chosen.words, v.grid.body.boxes[static_cast<size_t>(element)].tooltip);
    layouts::Owner owner = map.owners(element)[0];
    std::set<int32_t> held;
    for (int value = 0; value < map.values(); ++value)
      held.insert(map.elements()[static_cast<size_t>(owner.thread * map.values() + value)]);
    EXPECT_EQ(chosen.linked, std::vector<int32_t>(held.begin(), held.end()));

    int32_t slot = (owner.thread * map.registers() + owner.reg) * map.vector() + owner.position;
    EXPECT_EQ(boxesWith(v.lanes, chosen.elements), std::vector<int32_t>{slot});
    layouts::TmemCell cell = tmem.cells(element)[0];
    EXPECT_EQ(boxesWith(v.tmem, chosen.elements),
              std::vector<int32_t>{(cell.lane * tmem.columns() + cell.column) * 2 + cell.sub});
    int64_t offset = smem.elementOffset(layouts::unravelIndex(element, kShape));
    std::vector<int32_t> bytes = boxesWith(v.smem, chosen.elements);
    EXPECT_EQ(bytes.back() % (v.smem.grid.columns * (v.smem.grid.rows / (bytes.size() == 2 ? 2 : 1))), offset);

    // The selection back, from any of the views.
    EXPECT_EQ(selectionAt(v.lanes, slot).elements, chosen.elements);
    EXPECT_EQ(selectionAt(v.lanes, slot).linked, chosen.linked);
    EXPECT_EQ(elementsOf(v.smem, bytes.back()), chosen.elements);
    EXPECT_EQ(elementsOf(v.tmem, boxesWith(v.tmem, chosen.elements)[0]), chosen.elements);
  }
}

TEST(Selection, LinkedIsWhatSharesTheLaneOrTheChunk) {
  Views v;
  Selection lane = selectionAt(v.tmem, CellAt{5, 3});
  EXPECT_EQ(lane.elements, std::vector<int32_t>{5 * 32 + 3});
  EXPECT_EQ(lane.linked.size(), 32u); // a lane holds a row of the array
  EXPECT_EQ(lane.linked.front(), 5 * 32);
  Selection chunk = selectionAt(v.smem, CellAt{0, 0});
  EXPECT_EQ(chunk.linked.size(), 8u); // 16 bytes of f16
}

TEST(Selection, BlocksStandForAllTheirElements) {
  Scene merged = wgmma({1024, 1024});
  ASSERT_GT(merged.grid.blockRows * merged.grid.blockColumns, 1);
  int64_t box = 3 * merged.grid.columns + 5;
  std::vector<int32_t> elements = elementsOf(merged, box);
  EXPECT_EQ(static_cast<int64_t>(elements.size()), merged.grid.blockRows * merged.grid.blockColumns);
  EXPECT_EQ(boxesWith(merged, elements), std::vector<int32_t>{static_cast<int32_t>(box)});
  EXPECT_GT(selectionAt(merged, box).linked.size(), elements.size());
}

TEST(Selection, CopiesAreAllFound) {
  Scene rows = drawn(layoutScene(any(catalogue::wgmmaRow()), {64}, Dtype::F32, {.view = View::Lanes}));
  std::vector<int32_t> one = {7};
  EXPECT_EQ(boxesWith(rows, one).size(), 4u);
}

TEST(Selection, PlacesByName) {
  Views v;
  Selection element = *selectionOf(v.grid, ElementPlace{{9, 2}});
  EXPECT_EQ(element.elements, std::vector<int32_t>{9 * 32 + 2});
  EXPECT_EQ(element, selectionAt(v.grid, 9 * 32 + 2));
  Selection thread = *selectionOf(v.lanes, ThreadPlace{5});
  EXPECT_EQ(thread.elements.size(), 32u);
  EXPECT_EQ(selectionOf(v.lanes, ThreadPlace{5, 1, 0})->elements, std::vector<int32_t>{9 * 32 + 2});
  // Line 1, chunk 0 of the swizzled buffer holds chunk 1 of its line. A line has two rows, so this is element (2, 8).
  Selection byte = *selectionOf(v.smem, BytePlace{128});
  EXPECT_EQ(byte.elements, std::vector<int32_t>{2 * 32 + 8});
  EXPECT_EQ(selectionOf(v.tmem, TmemPlace{3, 5, 1})->elements, std::vector<int32_t>{3 * 32 + 11});
  EXPECT_EQ(selectionOf(v.tmem, TmemPlace{3, 5})->elements, (std::vector<int32_t>{3 * 32 + 10, 3 * 32 + 11}));
  EXPECT_TRUE(selectionOf(v.grid, Place{})->empty());

  EXPECT_FALSE(selectionOf(v.grid, ElementPlace{{128, 0}}).has_value());
  EXPECT_FALSE(selectionOf(v.grid, ElementPlace{{1}}).has_value());
  EXPECT_FALSE(selectionOf(v.grid, ThreadPlace{128}).has_value());
  EXPECT_FALSE(selectionOf(v.grid, ThreadPlace{0, 99}).has_value());
  EXPECT_FALSE(selectionOf(v.grid, BytePlace{0}).has_value());
  EXPECT_FALSE(selectionOf(v.smem, BytePlace{-1}).has_value());
  EXPECT_FALSE(selectionOf(v.smem, BytePlace{1 << 20}).has_value());
  EXPECT_FALSE(selectionOf(v.tmem, TmemPlace{128, 0}).has_value());
  EXPECT_FALSE(selectionOf(traceScene(smallTrace()), ElementPlace{{0}}).has_value());
}

TEST(Selection, ScenesOfOtherArraysAreNotLinked) {
  Views v;
  EXPECT_TRUE(sameArray(v.grid, v.tmem));
  EXPECT_FALSE(sameArray(v.grid, wgmma({64, 8})));
  EXPECT_FALSE(sameArray(v.grid, traceScene(smallTrace())));
  EXPECT_TRUE(selectionAt(traceScene(smallTrace()), 0).empty());
  EXPECT_TRUE(selectionAt(v.grid, -1).empty());
  EXPECT_TRUE(selectionAt(v.grid, 1 << 20).empty());
}

} // namespace
} // namespace lanescope::viz::test
