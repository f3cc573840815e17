// Traces of millions of events: from the file to the window's model, and a frame of the timeline.
//
//   bench_trace                                goals for 10 million events: opened in 5 s, 16 ms per frame, 1.5 GB
//   bench_trace --benchmark_filter=open        run each size in its own process to see its own peak memory
#include "core/data/Files.h"
#include "core/gpu/kernel/Profile.h"
#include "core/profiler/ExplainTrace.h"
#include "tests/unit/gui/FakeHost.h"
#include "tests/unit/gui/FakeTextures.h"
#include "viz/gui/window/WindowWorkspace.h"

#include <benchmark/benchmark.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>

namespace lanescope::viz {
namespace {

constexpr int kTracks = 264, kProcesses = 132;

/// A file with `events` begins and ends in the form that profilers write: nested two deep, with eight names.
class TraceFile {
public:
  explicit TraceFile(int64_t events)
      : path_(std::filesystem::temp_directory_path() / ("lanescope_bench_" + std::to_string(getpid()) + ".json")) {
    std::FILE *file = std::fopen(path_.c_str(), "w");
    std::fputs("{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n", file);
    static constexpr const char *kNames[] = {"issue", "tile wait", "WGMMA", "WGMMA drain",
                                             "store", "epilogue",  "scale", "softmax"};
    int64_t written = 0;
    auto event = [&](const char *name, char phase, double us, int track) {
      std::fprintf(file, "%s{\"name\": \"%s\", \"ph\": \"%c\", \"ts\": %.3f, \"pid\": %d, \"tid\": %d}",
                   written++ ? ",\n" : "", name, phase, us, 1 + track % kProcesses, 1 + track);
    };
    for (int64_t step = 0; step * kTracks * 4 < events; ++step)
      for (int track = 0; track < kTracks; ++track) {
        double at = static_cast<double>(step) * 1.2 + track * 0.01;
        event("step", 'B', at, track);
        event(kNames[(step + track) % 8], 'B', at + 0.1, track);
        event(kNames[(step + track) % 8], 'E', at + 0.7, track);
        event("step", 'E', at + 1.1, track);
      }
    std::fputs("]}\n", file);
    std::fclose(file);
  }
  ~TraceFile() { std::filesystem::remove(path_); }
  const std::filesystem::path &path() const { return path_; }

private:
  std::filesystem::path path_;
};

std::shared_ptr<const core::Trace> opened(const std::filesystem::path &path) {
  auto source = core::readSource(path);
  auto trace = core::parseGpuTrace(std::move(*source));
  return std::make_shared<const core::Trace>(std::move(*trace));
}

double peakMiB() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

/// Reads the file and builds the window's model.
void openTrace(benchmark::State &state) {
  TraceFile file(state.range(0));
  for (auto _ : state) {
    TimelineModel model;
    model.show(opened(file.path()));
    benchmark::DoNotOptimize(model.sliceCount());
  }
  state.counters["peakMiB"] = peakMiB();
}
BENCHMARK(openTrace)->Arg(1'000'000)->Arg(10'000'000)->Unit(benchmark::kMillisecond)->Iterations(1);

/// Ten million events, read once for all benchmarks.
std::shared_ptr<const core::Trace> large() {
  static std::shared_ptr<const core::Trace> trace = [] {
    TraceFile file(10'000'000);
    return opened(file.path());
  }();
  return trace;
}

/// The output of `lanescope trace F --explain`.
void explainTrace(benchmark::State &state) {
  auto trace = large();
  for (auto _ : state)
    benchmark::DoNotOptimize(core::explain(*trace));
}
BENCHMARK(explainTrace)->Unit(benchmark::kMillisecond)->Iterations(1);

/// A whole frame of the window without a graphics card, down to Dear ImGui's vertices: bars, overlap, panel. The
/// argument is the visible share of the trace in thousandths. With `selects`, a selection grows under the pointer
/// meanwhile.
void windowFrame(benchmark::State &state) {
  ImGui::CreateContext();
  ImGuiIO &io = ImGui::GetIO();
  io.IniFilename = nullptr;
  io.DisplaySize = {1600, 1000};
  io.DeltaTime = 1.0f / 60;
  io.BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset;
  for (int key = 0; key < ImGuiKey_COUNT; ++key)
    io.KeyMap[key] = -1;
  {
    Theme theme;
    FakeHost host;
    FakeTextures textures;
    applyTheme(theme, true, 1);
    loadFonts(theme);
    io.Fonts->Build();
    Workspace workspace(host, theme, textures);
    workspace.show(TraceRequest{large(), "large"});
    auto frame = [&] {
      workspace.update();
      ImGui::NewFrame();
      workspace.draw(io.DisplaySize.x, io.DisplaySize.y);
      ImGui::Render();
      benchmark::DoNotOptimize(ImGui::GetDrawData()->TotalVtxCount);
    };
    do
      frame();
    while (workspace.pending());
    TimelineModel &model = workspace.models.timeline;
    double length = model.length() * static_cast<double>(state.range(0)) / 1000, at = 0;
    double longest = 0;
    for (auto _ : state) {
      at = at + length > model.length() ? 0 : at + length / 50;
      model.setView({at, at + length});
      if (state.range(1))
        model.selectRange(TimeRange{0, at + length / 2});
      auto begin = std::chrono::steady_clock::now();
      frame();
      longest = std::max(longest,
                         std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
    }
    state.counters["longestMs"] = longest;
  }
  ImGui::DestroyContext();
}
BENCHMARK(windowFrame)
    ->ArgNames({"inSight", "selects"})
    ->Args({1000, 0})
    ->Args({100, 0})
    ->Args({1, 0})
    ->Args({100, 1})
    ->Unit(benchmark::kMillisecond);

/// The preparation of a frame before it is drawn. The argument is the visible share of the trace in thousandths.
void composeFrame(benchmark::State &state) {
  TimelineModel model;
  model.show(large());
  double length = model.length() * static_cast<double>(state.range(0)) / 1000, at = 0;
  for (auto _ : state) {
    at = at + length > model.length() ? 0 : at + length / 50;
    model.setView({at, at + length});
    benchmark::DoNotOptimize(model.compose(1200, 900, 20).bars.data());
  }
  state.counters["bars"] = static_cast<double>(model.compose(1200, 900, 20).bars.size());
}
BENCHMARK(composeFrame)->Arg(1000)->Arg(100)->Arg(1)->Unit(benchmark::kMillisecond);

/// The same with two million arrows, all visible; the pointer is on a slice of one.
void composeArrows(benchmark::State &state) {
  constexpr int kArrows = 2'000'000;
  auto trace = std::make_shared<core::Trace>();
  trace->names = {"wait"};
  for (int64_t tid : {1, 2}) {
    core::TraceTrack &track = trace->tracks.emplace_back();
    track.pid = 1, track.tid = tid;
    for (int i = 0; i < kArrows; ++i)
      track.slices.push_back({0, 0, 10.0 * i, 10.0 * i + 8});
  }
  for (int i = 0; i < kArrows; ++i)
    trace->flows.push_back({0, {1, 1, 10.0 * i + 1}, {1, 2, 10.0 * i + 2}});
  TimelineModel model;
  model.show(trace);
  while (model.busy())
    model.poll();
  model.hovered = {0, kArrows / 2};
  for (auto _ : state)
    benchmark::DoNotOptimize(model.compose(1200, 900, 20).arrowsLeftOut);
  state.counters["drawn"] = static_cast<double>(model.compose(1200, 900, 20).arrows.size());
}
BENCHMARK(composeArrows)->Unit(benchmark::kMillisecond);

} // namespace
} // namespace lanescope::viz
