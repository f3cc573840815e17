#include "Fixtures.h"

#include "viz/scene/Palette.h"

#include <cmath>
#include <limits>

namespace lanescope::viz::test {
namespace {

TEST(TraceScene, SlicesLieWhereTheirTimesSay) {
  Scene scene = traceScene(smallTrace(), {.width = 1040});
  ASSERT_EQ(scene.left.ticks.size(), 2u);
  EXPECT_EQ(scene.left.ticks[1].text, "SM 0 · block (0, 0, 0) warpgroup 1");
  ASSERT_EQ(scene.body.boxes.size(), 8u);
  // 1040 ns are drawn on 1040 pixels, so one nanosecond is one pixel.
  const Box &compute = scene.body.boxes[1];
  EXPECT_NEAR(compute.rect.x, 300, 1e-9);
  EXPECT_NEAR(compute.rect.width, 500, 1e-9);
  EXPECT_EQ(compute.fill, traceColour(1));
  EXPECT_EQ(compute.label, "compute  500 ns");
  EXPECT_EQ(compute.tooltip, "compute: 500 ns, from 300 ns to 800 ns, on SM 0 · block (0, 0, 0) warpgroup 0");
  const Box &step = scene.body.boxes[2];
  EXPECT_EQ(step.column, 1);
  EXPECT_GT(step.rect.y, compute.rect.y);
  EXPECT_EQ(scene.legend.size(), 4u);
}

TEST(TraceScene, ZoomShowsAPart) {
  Scene scene = traceScene(smallTrace(), {.beginNs = 840, .endNs = 1000, .width = 800});
  for (const Box &box : scene.body.boxes) {
    EXPECT_GE(box.rect.x, 0);
    EXPECT_LE(box.rect.x + box.rect.width, 800.0 + 1);
  }
  ASSERT_EQ(scene.body.boxes.size(), 2u); // the two stores; the compute region of track 1 ends at 840
}

TEST(TraceScene, ShortSlicesMerge) {
  core::Trace trace;
  trace.names = {"tick"};
  trace.tracks.push_back({1, 1, "", "", {}});
  for (int i = 0; i < 100000; ++i)
    trace.tracks[0].slices.push_back({0, 0, i * 10.0, i * 10.0 + 9});
  auto shared = std::make_shared<const core::Trace>(trace);
  Scene scene = traceScene(shared, {.width = 1000});
  ASSERT_EQ(scene.body.boxes.size(), 1u);
  EXPECT_EQ(scene.body.boxes[0].elements, 100000);
  Scene zoomed = traceScene(shared, {.beginNs = 0, .endNs = 200, .width = 1000});
  EXPECT_EQ(zoomed.body.boxes.size(), 20u);
}

TEST(TraceScene, OddTracesAreDrawnAnyway) {
  EXPECT_FALSE(traceScene(std::make_shared<core::Trace>()).body.texts.empty());
  core::Trace trace;
  trace.tracks.push_back({1, 1, "", "", {{7, 0, 5, 5}}}); // an unknown name and a slice without length
  Scene scene = traceScene(std::make_shared<const core::Trace>(trace));
  ASSERT_EQ(scene.body.boxes.size(), 1u);
  trace.tracks[0].slices[0].endNs = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(traceScene(std::make_shared<const core::Trace>(trace)).body.texts.empty());
}

TEST(TraceScene, TimesReadWell) {
  EXPECT_EQ(timeText(0), "0 ns");
  EXPECT_EQ(timeText(850), "850 ns");
  EXPECT_EQ(timeText(1240), "1.24 µs");
  EXPECT_EQ(timeText(3.5e6), "3.5 ms");
  EXPECT_EQ(timeText(999.6), "1 µs");
  EXPECT_EQ(timeText(2e9), "2 s");
  EXPECT_EQ(tickText(0, 20, 60), "0 ns");
  EXPECT_EQ(tickText(0, 20e3, 46e3), "0 µs");
  EXPECT_EQ(tickText(41'230, 10, 41'260), "41.23 µs");
  EXPECT_EQ(tickText(41'240, 10, 41'260), "41.24 µs");
  EXPECT_EQ(tickText(1.5, 0.5, 3), "1.5 ns");
  EXPECT_EQ(tickText(800, 200, 1040), "800 ns");
  EXPECT_EQ(tickText(2e9, 5e8, 3e9), "2000 ms");
  EXPECT_EQ(tickText(2e9, 5e8, 3e10), "2.0 s");
}

} // namespace
} // namespace lanescope::viz::test
