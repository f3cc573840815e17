// Drawing: from a layout or a trace to the finished file's bytes.
#include "layouts/Catalogue.h"
#include "viz/export/Html.h"
#include "viz/export/Png.h"
#include "viz/export/Svg.h"
#include "viz/scene/CellRaster.h"
#include "viz/scene/LayoutScene.h"
#include "viz/scene/Selection.h"
#include "viz/scene/TraceScene.h"

#include <benchmark/benchmark.h>

namespace {

using namespace lanescope;
using namespace lanescope::viz;

Scene wgmma(int64_t size) {
  return *layoutScene(layouts::RegisterLayout(layouts::catalogue::wgmma()), {size, size}, layouts::Dtype::F32);
}

/// The scene and SVG of an array with two labels in each cell. The goal for 128 x 128 is 0.3 s.
void layoutToSvg(benchmark::State &state) {
  for (auto _ : state)
    benchmark::DoNotOptimize(toSvg(wgmma(state.range(0))));
}
BENCHMARK(layoutToSvg)->Arg(64)->Arg(128)->Arg(1024)->Unit(benchmark::kMillisecond);

/// From the layout to a grid that a window can draw at any zoom: map, inverse, averages. The goal for 4096 x 4096 is
/// 0.5 s.
void openRaster(benchmark::State &state) {
  layouts::Shape shape = {state.range(0), state.range(0)};
  for (auto _ : state) {
    Scene scene = *layoutScene(layouts::RegisterLayout(layouts::catalogue::wgmma()), shape, layouts::Dtype::F32,
                               {.boxes = false});
    scene.raster->prepare();
    benchmark::DoNotOptimize(scene);
  }
}
BENCHMARK(openRaster)->Arg(1024)->Arg(4096)->Unit(benchmark::kMillisecond);

/// The colours of all cells of a grid at one cell per pixel: the work of a frame that reuses nothing of the last one.
void rasterFill(benchmark::State &state) {
  int64_t size = state.range(0);
  Scene scene = *layoutScene(layouts::RegisterLayout(layouts::catalogue::wgmma()), {size, size}, layouts::Dtype::F32,
                             {.boxes = false});
  std::vector<uint32_t> pixels(static_cast<size_t>(size * size));
  for (auto _ : state) {
    scene.raster->fill(0, 0, 0, size, size, pixels.data(), size);
    benchmark::DoNotOptimize(pixels.data());
  }
}
BENCHMARK(rasterFill)->Arg(1024)->Unit(benchmark::kMillisecond);

/// The cost of the pointer: the cell's elements, everything linked with them, and where that is drawn.
void rasterHover(benchmark::State &state) {
  int64_t size = state.range(0), at = 0;
  Scene scene = *layoutScene(layouts::RegisterLayout(layouts::catalogue::wgmma()), {size, size}, layouts::Dtype::F32,
                             {.boxes = false});
  for (auto _ : state) {
    Selection chosen = selectionAt(scene, CellAt{at % size, at * 7 % size});
    benchmark::DoNotOptimize(scene.raster->cellsWith(chosen.linked));
    ++at;
  }
}
BENCHMARK(rasterHover)->Arg(1024)->Unit(benchmark::kMillisecond);

void layoutToHtml(benchmark::State &state) {
  for (auto _ : state)
    benchmark::DoNotOptimize(toHtml(wgmma(state.range(0))));
}
BENCHMARK(layoutToHtml)->Arg(128)->Unit(benchmark::kMillisecond);

void layoutToPng(benchmark::State &state) {
  Scene scene = wgmma(state.range(0));
  for (auto _ : state)
    benchmark::DoNotOptimize(toPng(scene));
}
BENCHMARK(layoutToPng)->Arg(64)->Unit(benchmark::kMillisecond);

/// The timeline of one frame, zoomed out.
void traceToScene(benchmark::State &state) {
  core::Trace trace;
  trace.names = {"load", "compute", "store"};
  for (int t = 0; t < 128; ++t) {
    trace.tracks.push_back({1, 1 + t, "SM 0", "warpgroup", {}});
    for (uint32_t i = 0; i < state.range(0) / 128; ++i)
      trace.tracks.back().slices.push_back({i % 3, 0, i * 100.0, i * 100.0 + 90});
  }
  auto shared = std::make_shared<const core::Trace>(std::move(trace));
  for (auto _ : state)
    benchmark::DoNotOptimize(traceScene(shared));
}
BENCHMARK(traceToScene)->Arg(100000)->Arg(1000000)->Unit(benchmark::kMillisecond);

} // namespace
