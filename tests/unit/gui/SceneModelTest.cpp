// Pictures in a viewport: which cells are visible, which are highlighted, and when a picture becomes an image of
// pixels.
#include "viz/gui/canvas/SceneModel.h"
#include "layouts/Catalogue.h"
#include "viz/scene/LayoutScene.h"
#include "viz/scene/MoveScene.h"

#include <gtest/gtest.h>

#include <set>

namespace lanescope::viz {
namespace {

using layouts::Shape;

std::shared_ptr<const PreparedScene> drawn(const Shape &shape, LayoutSceneOptions options = {}) {
  options.boxes = false;
  auto scene = layoutScene(layouts::catalogue::wgmma(), shape, layouts::Dtype::F32, options);
  EXPECT_TRUE(scene) << render(scene.error());
  return scene ? std::make_shared<const PreparedScene>(*std::move(scene)) : nullptr;
}

SceneModel modelOf(const Shape &shape, LayoutSceneOptions options = {}) {
  SceneModel model;
  model.show(drawn(shape, options));
  return model;
}

TEST(Viewport, zoomKeepsThePointUnderThePointer) {
  Viewport view;
  view.fit(1000, 500, 800, 600);
  Point before = view.toBody({300, 200});
  view.zoomAt({300, 200}, 3);
  Point after = view.toBody({300, 200});
  EXPECT_NEAR(before.x, after.x, 1e-9);
  EXPECT_NEAR(before.y, after.y, 1e-9);
}

TEST(Viewport, neverLosesThePicture) {
  Viewport view;
  view.fit(1000, 500, 800, 600);
  view.pan(1e6, -1e6);
  view.keepInSight(1000, 500, 800, 600);
  EXPECT_LT(view.x, 800);
  EXPECT_GT(view.y + 500 * view.scale, 0);
}

TEST(SceneModel, showsTheWholePictureFirst) {
  SceneModel model = modelOf({64, 16});
  const SceneFrame &frame = model.compose(1200, 900, {});
  EXPECT_EQ(frame.cells.size(), 64u * 16);
  EXPECT_FALSE(model.partial());
  for (const RectRecord &cell : frame.cells) {
    EXPECT_GE(cell.x0, 0);
    EXPECT_LE(cell.y1, 900);
  }
}

TEST(SceneModel, drawsOnlyWhatIsInSight) {
  SceneModel model = modelOf({128, 128});
  model.requestFit();
  model.compose(800, 600, {});
  model.viewport.zoomAt({400, 300}, 12);
  const SceneFrame &frame = model.compose(800, 600, {});
  EXPECT_LT(frame.cells.size(), 1000u);
  EXPECT_GT(frame.cells.size(), 20u);
  EXPECT_TRUE(model.partial());
  std::set<std::pair<float, float>> corners;
  for (const RectRecord &cell : frame.cells) {
    EXPECT_TRUE(corners.insert({cell.x0, cell.y0}).second) << "a cell is drawn twice";
    EXPECT_TRUE(cell.x1 > 0 && cell.x0 < 800 && cell.y1 > 0 && cell.y0 < 600);
  }
}

TEST(SceneModel, zoomsToASingleCell) {
  SceneModel model = modelOf({128, 128});
  model.compose(800, 600, {});
  for (int i = 0; i < 60; ++i)
    model.viewport.zoomAt({400, 300}, 1.5);
  const SceneFrame &frame = model.compose(800, 600, {});
  EXPECT_LE(frame.cells.size(), 9u); // the cell fills most of the canvas; the edges of its neighbours are visible
  ASSERT_FALSE(frame.labels.empty());
  EXPECT_EQ(frame.labels[0].text[0], 'T');
}

TEST(SceneModel, followsTheCanvasUntilSomeoneZooms) {
  SceneModel model = modelOf({64, 16});
  model.requestFit();
  model.compose(800, 600, {});
  double large = model.viewport.scale;
  model.compose(400, 300, {});
  EXPECT_LT(model.viewport.scale, large);
  model.viewport.zoomAt({10, 10}, 2);
  double zoomed = model.viewport.scale;
  model.compose(800, 600, {});
  EXPECT_EQ(model.viewport.scale, zoomed);
}

TEST(SceneModel, aPointIsTheCellThatIsDrawnThere) {
  SceneModel model = modelOf({64, 8});
  model.compose(1200, 900, {});
  for (int64_t row : {0, 9, 63})
    for (int64_t column : {0, 2, 7}) {
      Point at = model.viewport.toCanvas(*model.centreOf(model.spotOf(row, column)));
      EXPECT_EQ(model.spotAt(at), (Spot{row, column}));
    }
  EXPECT_FALSE(model.spotAt({-5, 10}).some());
  EXPECT_FALSE(model.spotOf(64, 0).some());
}

TEST(SceneModel, pointingLightsEverythingOfTheSameThread) {
  SceneModel model = modelOf({64, 8});
  model.compose(1200, 900, {});
  Selection selection = model.selectionOf(model.spotOf(9, 2));
  // Thread 5 holds (1, 2) (1, 3) (9, 2) (9, 3), derived by hand from the layout's closed form.
  EXPECT_EQ(selection.linked, (std::vector<int32_t>{10, 11, 74, 75}));
  model.light(selection, model.spotOf(9, 2));
  const SceneFrame &frame = model.compose(1200, 900, {});
  EXPECT_EQ(frame.lit.size(), 4u);
  EXPECT_EQ(frame.chosen.size(), 1u);
  EXPECT_TRUE(frame.dimmed);
  model.light({});
  EXPECT_FALSE(model.compose(1200, 900, {}).dimmed);
}

TEST(SceneModel, aSelectionLightsItsPartOfAnotherPicture) {
  SceneModel array = modelOf({64, 8}), threads = modelOf({64, 8}, {.view = View::Lanes});
  threads.compose(1200, 2000, {});
  threads.light(array.selectionOf(array.spotOf(9, 2)));
  const SceneFrame &frame = threads.compose(1200, 2000, {});
  EXPECT_EQ(frame.lit.size(), 4u); // all cells are in the row of thread 5
  for (const RectRecord &cell : frame.lit)
    EXPECT_EQ(threads.spotAt({(cell.x0 + cell.x1) / 2, (cell.y0 + cell.y1) / 2}).row, 5);
}

TEST(SceneModel, opensWithLabelsWhereAFairPartIsSeen) {
  SceneModel model = modelOf({64, 32});
  EXPECT_TRUE(model.compose(60, 40, {}).labels.empty()) << "a pane that is being laid out";
  EXPECT_FALSE(model.compose(430, 520, {}).labels.empty()) << "a canvas that grows is another chance";
  EXPECT_TRUE(model.partial());
  EXPECT_EQ(model.spotAt({1, 1}), (Spot{0, 0}));
  model.requestFit();
  EXPECT_TRUE(model.compose(430, 520, {}).labels.empty()) << "the whole was asked for";
  EXPECT_TRUE(model.compose(640, 520, {}).labels.empty()) << "and stays";
  SceneModel large = modelOf({2048, 2048});
  EXPECT_TRUE(large.compose(900, 700, {}).labels.empty()) << "too small a part of it could be read";
  SceneModel small = modelOf({64, 8});
  EXPECT_FALSE(small.compose(430, 1900, {}).labels.empty());
  EXPECT_FALSE(small.partial()) << "labels that fit need no zoom";
}

TEST(SceneModel, opensAlikeInACanvasOfTheSameSizeWhateverCameBefore) {
  SceneModel direct = modelOf({64, 32}, {.view = View::Lanes}), grown = direct;
  direct.compose(430, 520, {});
  for (auto [width, height] : {std::pair(900.0, 200.0), {430, 520}, {300, 20}, {430, 520}})
    grown.compose(width, height, {});
  EXPECT_EQ(grown.viewport, direct.viewport);
  EXPECT_EQ(grown.stretch(), direct.stretch());
  grown.viewport.pan(-20, -10);
  const Viewport moved = grown.viewport;
  grown.compose(900, 200, {});
  EXPECT_EQ(grown.viewport.scale, moved.scale) << "a picture that the user moved keeps its scale";
}

TEST(SceneModel, readableZoomMakesRoomForLabels) {
  SceneModel model = modelOf({128, 128});
  model.requestFit();
  EXPECT_TRUE(model.compose(600, 400, {}).labels.empty());
  model.requestReadable();
  EXPECT_FALSE(model.compose(600, 400, {}).labels.empty());
  model.requestReadable(model.spotOf(100, 100));
  model.compose(600, 400, {});
  Point at = model.viewport.toCanvas(*model.centreOf(model.spotOf(100, 100)));
  EXPECT_NEAR(at.x, 300, 1);
  EXPECT_NEAR(at.y, 200, 1);
}

TEST(SceneModel, hugePicturesAreImagesOfTheCanvas) {
  SceneModel model = modelOf({1024, 1024});
  const SceneFrame *frame = &model.compose(900, 700, {});
  ASSERT_TRUE(frame->image);
  EXPECT_TRUE(frame->cells.empty());
  EXPECT_EQ(frame->image->width(), 900);
  uint64_t version = frame->image->version();
  model.light(model.selectionOf(model.spotOf(512, 512)), model.spotOf(512, 512));
  frame = &model.compose(900, 700, {});
  EXPECT_EQ(frame->image->version(), version) << "hovering does not paint the picture again";
  ASSERT_TRUE(frame->marks);
  EXPECT_TRUE(frame->lit.empty());
}

TEST(SceneModel, pixelsAreTheColoursOfTheirCells) {
  SceneModel model = modelOf({512, 512}, {.labels = false}); // square cells
  const SceneFrame &frame = model.compose(700, 700, {});
  ASSERT_TRUE(frame.image);
  int compared = 0;
  for (int y = 100; y < 600; y += 97)
    for (int x = 100; x < 600; x += 89) {
      Spot spot = model.spotAt({x + 0.5, y + 0.5});
      ASSERT_TRUE(spot.some());
      uint32_t expected = 0;
      model.scene()->raster->fill(0, spot.row, spot.column, 1, 1, &expected, 1);
      EXPECT_EQ(frame.image->pixels()[size_t(y) * 700 + size_t(x)], expected) << x << " " << y;
      ++compared;
    }
  EXPECT_GT(compared, 20);
}

TEST(SceneModel, marksAreTheLitCellsAndNothingElse) {
  SceneModel model = modelOf({512, 512}, {.labels = false}); // square cells
  model.compose(700, 700, {});
  Spot spot = model.spotOf(300, 40);
  Selection selection = model.selectionOf(spot);
  model.light(selection, spot);
  const SceneFrame &frame = model.compose(700, 700, {});
  ASSERT_TRUE(frame.marks);
  std::set<int32_t> lit(selection.linked.begin(), selection.linked.end());
  size_t marked = 0, wrong = 0;
  for (int y = 0; y < 700; ++y)
    for (int x = 0; x < 700; ++x) {
      if (!frame.marks->pixels()[size_t(y) * 700 + size_t(x)])
        continue;
      ++marked;
      bool near = false; // marks are at least two pixels wide
      for (double dx : {-1.5, -0.5, 0.5})
        for (double dy : {-1.5, -0.5, 0.5})
          if (Spot at = model.spotAt({x + 0.5 + dx, y + 0.5 + dy}); at.some())
            near |= lit.contains(int32_t(at.row * 512 + at.column));
      wrong += !near;
    }
  EXPECT_GE(marked, lit.size());
  EXPECT_EQ(wrong, 0u);
}

TEST(SceneModel, arrowsMoveFromCellToCellAndStopAtTheEdge) {
  SceneModel model = modelOf({64, 8});
  model.compose(1200, 900, {});
  Spot at = model.moved({}, 0, 1);
  EXPECT_EQ(at, (Spot{0, 0}));
  EXPECT_EQ(model.moved(at, 3, 2), (Spot{3, 2}));
  EXPECT_EQ(model.moved(at, -1, -1), at);
  EXPECT_EQ(model.moved({63, 7}, 8, 8), (Spot{63, 7}));
}

TEST(SceneModel, bringsASelectedCellIntoSight) {
  SceneModel model = modelOf({128, 128});
  model.compose(600, 400, {});
  model.requestReadable();
  model.compose(600, 400, {});
  model.bringIntoSight({120, 100});
  Point at = model.viewport.toCanvas(*model.centreOf({120, 100}));
  EXPECT_TRUE(at.x > 0 && at.x < 600 && at.y > 0 && at.y < 400) << at.x << " " << at.y;
}

TEST(SceneModel, slicesOfHigherRanksHoldOnlyTheirElements) {
  SceneModel model = modelOf({2, 64, 16}, {.slice = {1}});
  EXPECT_EQ(model.scene()->raster->rows(), 64);
  EXPECT_EQ(model.selectionOf(model.spotOf(0, 3)).elements, (std::vector<int32_t>{64 * 16 + 3}));
}

TEST(SceneModel, nothingToShowIsNoProblem) {
  SceneModel model;
  EXPECT_FALSE(model.spotAt({3, 3}).some());
  EXPECT_FALSE(model.moved({}, 1, 1).some());
  model.light({}, {});
  EXPECT_EQ(model.thumbnail(100), nullptr);
  EXPECT_TRUE(model.compose(800, 600, {}).cells.empty());
  model.show(std::make_shared<const PreparedScene>(Scene()));
  EXPECT_TRUE(model.compose(800, 600, {}).cells.empty());
  EXPECT_TRUE(model.compose(0, 0, {}).cells.empty());
}

SceneModel rowModel(const Shape &shape, View view) {
  auto scene = layoutScene(layouts::catalogue::wgmmaRow(), shape, layouts::Dtype::F32, {.view = view, .boxes = false});
  EXPECT_TRUE(scene) << render(scene.error());
  SceneModel model;
  model.show(std::make_shared<const PreparedScene>(*std::move(scene)));
  return model;
}

/// Copies are marked at every zoom, also if cells are single pixels.
TEST(SceneModel, copiesAreSeenAtEveryZoom) {
  const SceneStyle style{.hatch = 0x60FF0000};
  for (View view : {View::Grid, View::Lanes}) {
    SceneModel large = rowModel({64}, view);
    large.requestFit();
    double area = 0, hatched = 0;
    const SceneFrame &frame = large.compose(900, 900, style);
    ASSERT_EQ(frame.image, nullptr);
    for (const RectRecord &cell : frame.cells)
      area += double(cell.x1 - cell.x0) * (cell.y1 - cell.y0);
    for (const RectRecord &run : frame.hatches)
      hatched += double(run.x1 - run.x0) * (run.y1 - run.y0);
    // All of the array; in the lanes view, three of the four lanes that hold an element.
    EXPECT_NEAR(hatched / area, view == View::Grid ? 1 : 0.75, 1e-4);
    SceneModel small = rowModel({64 * 512}, view);
    SceneModel plain = rowModel({64 * 512}, view);
    const PixelImage *marked = small.compose(400, 300, style).image;
    ASSERT_TRUE(marked);
    const PixelImage *without = plain.compose(400, 300, {.hatch = 0}).image;
    ASSERT_TRUE(without);
    size_t differing = 0, there = 0;
    for (size_t i = 0; i < marked->pixels().size(); ++i) {
      there += without->pixels()[i] >> 24 != 0;
      differing += marked->pixels()[i] != without->pixels()[i];
    }
    EXPECT_NEAR(double(differing) / double(there), (view == View::Grid ? 1 : 0.75) / kHatchPitch, 0.02);
  }
  SceneModel none = modelOf({64, 32});
  EXPECT_TRUE(none.compose(900, 900, style).hatches.empty());
}

TEST(SceneModel, aSelectedElementHasItsArrow) {
  auto map = [](const layouts::TiledLayout &layout) {
    return std::make_shared<const layouts::ElementMap>(*layouts::ElementMap::of(layout, {64, 16}));
  };
  auto scene =
      flowScene(map(layouts::catalogue::wgmma()), map(layouts::catalogue::wgmmaTransposed()), {.boxes = false});
  ASSERT_TRUE(scene);
  size_t all = scene->body.lines.size();
  SceneModel model;
  model.show(std::make_shared<const PreparedScene>(*std::move(scene)));
  const SceneFrame &frame = model.compose(900, 700, {});
  EXPECT_TRUE(frame.arrows.empty());
  auto heads = [&] {
    return size_t(
        std::count_if(frame.lines.begin(), frame.lines.end(), [](const auto &line) { return line.head > 0; }));
  };
  EXPECT_EQ(heads(), all) << "every arrow of the picture is in the frame";
  const int32_t element = 9 * 16 + 3;
  Selection selection{.elements = {element}, .linked = {element}, .words = ""};
  model.light(selection);
  const SceneFrame &lit = model.compose(900, 700, {});
  ASSERT_EQ(lit.arrows.size(), 1u);
  std::vector<CellAt> cells = model.scene()->raster->cellsWith(selection.elements);
  ASSERT_EQ(cells.size(), 2u);
  if (cells[0].column > cells[1].column)
    std::swap(cells[0], cells[1]);
  Point from = model.viewport.toCanvas(*model.centreOf({cells[0].row, cells[0].column}));
  Point to = model.viewport.toCanvas(*model.centreOf({cells[1].row, cells[1].column}));
  EXPECT_NEAR(lit.arrows[0].y0, from.y, 0.5);
  EXPECT_NEAR(lit.arrows[0].y1, to.y, 0.5);
  EXPECT_GT(lit.arrows[0].x0, from.x);
  EXPECT_LT(lit.arrows[0].x1, to.x);
  EXPECT_GT(lit.arrows[0].width, 2);
  model.light({});
  EXPECT_TRUE(model.compose(900, 700, {}).arrows.empty());
}

/// At every zoom, lines cover only a small share of the cells, so the colours stay visible.
TEST(SceneModel, bordersYieldToSmallCells) {
  auto map = [](const layouts::TiledLayout &layout) {
    return std::make_shared<const layouts::ElementMap>(*layouts::ElementMap::of(layout, {128, 64}));
  };
  auto scene =
      diffScene(map(layouts::catalogue::wgmma()), map(layouts::catalogue::wgmmaTransposed()), {.boxes = false});
  ASSERT_TRUE(scene);
  SceneModel model;
  model.show(std::make_shared<const PreparedScene>(*std::move(scene)));
  for (double size : {800.0, 1200.0, 2400.0, 4800.0}) {
    const SceneFrame &frame = model.compose(size, size, {});
    ASSERT_EQ(frame.image, nullptr) << size;
    double ink = 0;
    for (const LineRecord &line : frame.lines)
      ink += (std::abs(line.x1 - line.x0) + std::abs(line.y1 - line.y0)) * line.width * double(line.colour >> 24) / 255;
    double area = double(frame.ground.x1 - frame.ground.x0) * (frame.ground.y1 - frame.ground.y0);
    EXPECT_LE(ink / area, 0.12) << size;
    EXPECT_GT(ink, 0) << size;
  }
}

} // namespace
} // namespace lanescope::viz
