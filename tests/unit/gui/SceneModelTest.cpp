// Pictures under a viewport: what is in sight, what lights up, what is averaged; layouts and shared memory drawn.
#include "viz/gui/LayoutModel.h"
#include "viz/gui/SmemModel.h"

#include <gtest/gtest.h>

#include <set>

namespace lanescope::viz {
namespace {

std::shared_ptr<const PreparedScene> drawn(LayoutInput input, LayoutKind kind = LayoutKind::Registers) {
  LayoutOutcome outcome = drawLayout(kind, input);
  EXPECT_TRUE(outcome.diagnostics.empty()) << render(outcome.diagnostics);
  return outcome.scene;
}

int64_t boxOf(const Scene &scene, int32_t row, int32_t column) {
  for (size_t i = 0; i < scene.body.boxes.size(); ++i)
    if (scene.body.boxes[i].row == row && scene.body.boxes[i].column == column)
      return int64_t(i);
  return -1;
}

Point onCanvas(const SceneModel &model, int32_t row, int32_t column) {
  Point body;
  EXPECT_TRUE(model.cellCentre(row, column, body));
  return model.viewport.toCanvas(body);
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
  SceneModel model;
  model.show(drawn({.layout = "WGMMA", .shape = "64x16", .dtype = "f32"}));
  const SceneFrame &frame = model.compose(1200, 900, {});
  EXPECT_EQ(frame.cells.size(), 64u * 16);
  for (const RectRecord &cell : frame.cells) {
    EXPECT_GE(cell.x0, 0);
    EXPECT_LE(cell.y1, 900);
  }
}

TEST(SceneModel, drawsOnlyWhatIsInSight) {
  SceneModel model;
  model.show(drawn({.layout = "WGMMA", .shape = "128x128", .dtype = "f32"}));
  model.compose(800, 600, {});
  model.viewport.zoomAt({400, 300}, 12);
  const SceneFrame &frame = model.compose(800, 600, {});
  EXPECT_LT(frame.cells.size(), 1000u);
  EXPECT_GT(frame.cells.size(), 20u);
  std::set<int32_t> boxes;
  for (const RectRecord &cell : frame.cells) {
    EXPECT_TRUE(boxes.insert(cell.box).second) << "box " << cell.box << " is drawn twice";
    EXPECT_TRUE(cell.x1 > 0 && cell.x0 < 800 && cell.y1 > 0 && cell.y0 < 600);
  }
}

TEST(SceneModel, followsTheCanvasUntilSomeoneZooms) {
  SceneModel model;
  model.show(drawn({.layout = "WGMMA", .shape = "64x16", .dtype = "f32"}));
  model.compose(800, 600, {});
  double large = model.viewport.scale;
  model.compose(400, 300, {});
  EXPECT_LT(model.viewport.scale, large);
  model.viewport.zoomAt({10, 10}, 2);
  double zoomed = model.viewport.scale;
  model.compose(800, 600, {});
  EXPECT_EQ(model.viewport.scale, zoomed);
}

TEST(SceneModel, pointingLightsEverythingOfTheSameThread) {
  SceneModel model;
  model.show(drawn({.layout = "WGMMA", .shape = "64x8", .dtype = "f32"}));
  model.compose(1200, 900, {});
  model.point(onCanvas(model, 9, 2));
  // Thread 5 holds (1, 2) (1, 3) (9, 2) (9, 3): worked out by hand from the layout's closed form.
  std::set<int64_t> expected = {boxOf(*model.scene(), 1, 2), boxOf(*model.scene(), 1, 3), boxOf(*model.scene(), 9, 2),
                                boxOf(*model.scene(), 9, 3)};
  EXPECT_EQ(std::set<int64_t>(model.lit().begin(), model.lit().end()), expected);
  EXPECT_EQ(model.compose(1200, 900, {}).lit.size(), 4u);
  model.leave();
  EXPECT_TRUE(model.lit().empty());
}

TEST(SceneModel, aPinOutlivesThePointer) {
  SceneModel model;
  model.show(drawn({.layout = "WGMMA", .shape = "64x8", .dtype = "f32"}));
  model.compose(1200, 900, {});
  model.point(onCanvas(model, 0, 0));
  model.togglePin();
  model.leave();
  EXPECT_EQ(model.lit().size(), 4u);
  model.point(onCanvas(model, 0, 0));
  model.togglePin();
  model.leave();
  EXPECT_TRUE(model.lit().empty());
}

TEST(SceneModel, readableZoomMakesRoomForLabels) {
  SceneModel model;
  model.show(drawn({.layout = "WGMMA", .shape = "128x128", .dtype = "f32"}));
  EXPECT_TRUE(model.compose(600, 400, {}).labels.empty());
  model.requestReadable();
  EXPECT_FALSE(model.compose(600, 400, {}).labels.empty());
}

TEST(SceneModel, hugePicturesCostWhatTheyShow) {
  SceneModel model;
  model.show(drawn({.layout = "WGMMA", .shape = "1024x1024", .dtype = "f32"}));
  const SceneFrame &frame = model.compose(900, 700, {});
  EXPECT_TRUE(frame.averaged);
  EXPECT_FALSE(frame.cells.empty());
  EXPECT_LT(frame.cells.size(), 80000u);
}

TEST(SceneModel, nothingToShowIsNoProblem) {
  SceneModel model;
  model.point({3, 3});
  model.togglePin();
  EXPECT_TRUE(model.compose(800, 600, {}).cells.empty());
  model.show(std::make_shared<const PreparedScene>(Scene()));
  EXPECT_TRUE(model.compose(800, 600, {}).cells.empty());
  EXPECT_TRUE(model.compose(0, 0, {}).cells.empty());
}

TEST(LayoutModel, errorsPointIntoTheirFields) {
  LayoutOutcome outcome =
      drawLayout(LayoutKind::Registers, {.layout = "TiledLayout(", .shape = "64xx", .dtype = "f33"});
  EXPECT_FALSE(outcome.scene);
  std::set<std::string> fields;
  for (const Diagnostic &diagnostic : outcome.diagnostics)
    if (diagnostic.span.source)
      fields.insert(diagnostic.span.source->name());
  EXPECT_EQ(fields, (std::set<std::string>{"layout", "shape", "dtype"}));
}

TEST(LayoutModel, refusesWhatNobodyCouldSee) {
  LayoutOutcome outcome =
      drawLayout(LayoutKind::Registers, {.layout = "WGMMA", .shape = "9999999999x9999999999", .dtype = "f32"});
  ASSERT_EQ(outcome.diagnostics.size(), 1u);
  EXPECT_EQ(outcome.diagnostics[0].kind, "too-large");
}

TEST(LayoutModel, keepsTheLastGoodPictureBesideAnError) {
  LayoutModel model(LayoutKind::Registers);
  model.take(drawLayout(LayoutKind::Registers, {.layout = "WGMMA", .shape = "64x8", .dtype = "f32"}));
  ASSERT_TRUE(model.picture.scene());
  model.take(drawLayout(LayoutKind::Registers, {.layout = "WGM", .shape = "64x8", .dtype = "f32"}));
  EXPECT_TRUE(model.picture.scene());
  EXPECT_FALSE(model.diagnostics().empty());
}

TEST(LayoutModel, aTmemLayoutIsSentToItsView) {
  LayoutOutcome outcome =
      drawLayout(LayoutKind::Registers, {.layout = "tmem_default_layout(1)", .shape = "128x8", .dtype = "f32"});
  ASSERT_FALSE(outcome.diagnostics.empty());
  EXPECT_EQ(outcome.diagnostics[0].kind, "tmem-layout");
  EXPECT_TRUE(drawn({.layout = "tmem_default_layout(1)", .shape = "128x8", .dtype = "f32"}, LayoutKind::Tmem));
}

TEST(LayoutModel, theCatalogueListHoldsOnlyTextsThatParse) {
  EXPECT_GE(catalogueNames(LayoutKind::Registers).size(), 10u);
  EXPECT_GE(catalogueNames(LayoutKind::Tmem).size(), 3u);
}

TEST(LayoutModel, editsAreDrawnByTheWorkerAndTheLastOneWins) {
  LayoutModel model(LayoutKind::Registers);
  Requests requests;
  for (const char *shape : {"64x8", "64x16", "64x24", "64x32"}) {
    model.input.shape = shape;
    model.changed(requests);
  }
  while (requests.busy())
    requests.deliver();
  ASSERT_TRUE(model.picture.scene());
  EXPECT_EQ(model.picture.scene()->grid.columns, 32);
}

TEST(SmemModel, oneLineOfBanks) {
  SmemInput input;
  input.shape = "8x64";
  SmemOutcome outcome = drawSmem(input);
  ASSERT_TRUE(outcome.scene) << render(outcome.diagnostics);
  EXPECT_EQ(outcome.scene->scene.body.boxes.size(), 8u * 64);
}

TEST(SmemModel, failuresSaySo) {
  SmemInput input;
  input.tiling = "7x64";
  EXPECT_FALSE(drawSmem(input).diagnostics.empty());
  input = {};
  input.dtype = "i4";
  SmemOutcome narrow = drawSmem(input);
  EXPECT_TRUE(narrow.scene || !narrow.diagnostics.empty());
  input = {};
  input.shape = "1000000000x1000000000";
  EXPECT_EQ(drawSmem(input).diagnostics.at(0).kind, "too-large");
}

} // namespace
} // namespace lanescope::viz
