// The cost of a frame of the window without a graphics card: our own work from the input to Dear ImGui's vertices.
//
//   bench_window                               budget: 6 ms per frame with 1024 x 1024 on screen, hover included
//   bench_window --benchmark_filter=Code       16 ms per frame with 10,000 lines of PTX and of SASS, one hovered
//   bench_window --benchmark_filter=open       0.5 s from the texts to the first frame of 4096 x 4096
#include "core/Links.h"
#include "tests/unit/gui/FakeHost.h"
#include "tests/unit/gui/FakeTextures.h"
#include "viz/gui/window/WindowWorkspace.h"

#include <benchmark/benchmark.h>

#include <optional>

namespace lanescope::viz {
namespace {

const ImVec2 kWindow{1600, 1000};

/// A window without a backend that shows WGMMA's layout of a square array.
class Bench {
public:
  explicit Bench(const std::string &shape, std::vector<PaneKind> panes = {PaneKind::Array},
                 const char *layout = "WGMMA", const char *compare = "") {
    ImGui::CreateContext();
    ImGuiIO &io = ImGui::GetIO();
    io.IniFilename = nullptr;
    io.DisplaySize = kWindow;
    io.DeltaTime = 1.0f / 60;
    io.BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset;
    for (int key = 0; key < ImGuiKey_COUNT; ++key)
      io.KeyMap[key] = -1;
    applyTheme(theme, true, 1);
    loadFonts(theme);
    io.Fonts->Build();
    workspace.emplace(host, theme, textures);
    ExplorerModel &explorer = workspace->models.explorer;
    for (PaneKind kind : panes)
      explorer.open(kind, true);
    for (PaneKind kind : explorer.openPanes())
      if (std::find(panes.begin(), panes.end(), kind) == panes.end())
        explorer.open(kind, false);
    explorer.input.compare = compare;
    explorer.input.layout = layout, explorer.input.shape = shape, explorer.input.dtype = "f32";
    explorer.arrayChanged(workspace->requests);
    do
      frame();
    while (workspace->pending());
    frame();
  }
  ~Bench() {
    workspace.reset();
    ImGui::DestroyContext();
  }

  void frame() {
    workspace->update();
    ImGui::NewFrame();
    workspace->draw(kWindow.x, kWindow.y);
    ImGui::Render();
    benchmark::DoNotOptimize(ImGui::GetDrawData()->TotalVtxCount);
  }
  SceneModel &picture() { return workspace->models.explorer.pane(PaneKind::Array).picture; }
  /// Moves the pointer to cell number `step` of a walk over the canvas.
  void point(int64_t step) {
    const CanvasPlace &place = workspace->places[size_t(PaneKind::Array)];
    ImGui::GetIO().MousePos = {place.at.x + 5 + float(step * 37 % int64_t(place.size.x - 10)),
                               place.at.y + 5 + float(step * 23 % int64_t(place.size.y - 10))};
  }

  FakeHost host;
  Theme theme;
  FakeTextures textures;
  std::optional<Workspace> workspace;
};

std::string square(benchmark::State &state) {
  return std::to_string(state.range(0)) + "x" + std::to_string(state.range(0));
}

void still(benchmark::State &state) {
  Bench bench(square(state));
  for (auto _ : state)
    bench.frame();
}
BENCHMARK(still)->Arg(64)->Arg(1024)->Arg(4096)->Unit(benchmark::kMillisecond);

/// The pointer is on another cell in every frame: its thread's elements are highlighted, and two pictures and the words
/// follow.
void hover(benchmark::State &state) {
  Bench bench(square(state), {PaneKind::Array, PaneKind::Threads});
  int64_t step = 0;
  for (auto _ : state) {
    bench.point(++step);
    bench.frame();
  }
}
BENCHMARK(hover)->Arg(64)->Arg(1024)->Unit(benchmark::kMillisecond);

void hoverOnePicture(benchmark::State &state) {
  Bench bench(square(state));
  int64_t step = 0;
  for (auto _ : state) {
    bench.point(++step);
    bench.frame();
  }
}
BENCHMARK(hoverOnePicture)->Arg(1024)->Unit(benchmark::kMillisecond);

/// Like hover(), with the arrows of a relayout and its differences on screen.
void hoverMoves(benchmark::State &state) {
  Bench bench(square(state), {PaneKind::Array, PaneKind::Flow, PaneKind::Diff}, "WGMMA", "WGMMA_TRANSPOSED");
  int64_t step = 0;
  for (auto _ : state) {
    bench.point(++step);
    bench.frame();
  }
}
BENCHMARK(hoverMoves)->Arg(64)->Arg(1024)->Unit(benchmark::kMillisecond);

/// A million places, most of which hold copies. Their hatch is drawn anew for each part that becomes visible.
void panCopies(benchmark::State &state) {
  Bench bench("8192", {PaneKind::Threads}, "WGMMA_COL");
  SceneModel &picture = bench.workspace->models.explorer.pane(PaneKind::Threads).picture;
  picture.viewport.zoomAt({300, 300}, double(state.range(0)));
  int64_t step = 0;
  for (auto _ : state) {
    picture.viewport.pan(++step % 2 ? 3 : -3, 1e-3);
    bench.frame();
  }
}
BENCHMARK(panCopies)->Arg(4)->Arg(16)->Arg(64)->Arg(256)->Unit(benchmark::kMillisecond);

/// Every frame shows another part, so that it reuses nothing of the last frame.
void pan(benchmark::State &state) {
  Bench bench(square(state));
  bench.picture().viewport.zoomAt({300, 300}, double(state.range(1)));
  int64_t step = 0;
  for (auto _ : state) {
    bench.picture().viewport.pan(++step % 2 ? 3 : -3, 1e-3);
    bench.frame();
  }
}
BENCHMARK(pan)->Args({1024, 1})->Args({1024, 8})->Args({1024, 40})->Unit(benchmark::kMillisecond);

/// A snippet of 100 lines, and PTX and machine code of `lines` lines each that come from it, in realistic forms.
CodeRequest linkedCode(uint32_t lines) {
  static constexpr core::StageKind kPtx{"ptx", "PTX", ".ptx"}, kSass{"sass", "SASS", ".sass"};
  std::string snippet, ptx, sass;
  for (int i = 0; i < 100; ++i)
    snippet += "    acc = wgmma(acc, a_smem[slot], b_smem[slot])  # product " + std::to_string(i) + "\n";
  for (uint32_t i = 0; i < lines; ++i) {
    std::string n = std::to_string(i);
    ptx +=
        "\t@%p1 ld.shared.v4.b32 \t{%r" + n + ", %r" + n + ", %r" + n + ", %r" + n + "}, [%rd" + n + "+1024]; // x\n";
    sass += "        /*" + n + "*/                   @!P0 IMAD.WIDE.U32 R12, R" + std::to_string(i % 255) +
            ", 0x10, c[0x0][0x210] ;\n";
  }
  SourceRef source = Source::make("k.py", snippet);
  core::Stage first = core::sourceStage(source), assembly{kPtx, Source::make("k.ptx", ptx)},
              machine{kSass, Source::make("k.sass", sass), {}, kPtx.id};
  core::LineCosts costs{.columns = {{"instr", "instruction", "instructions", ""}}, .lines = {}};
  for (uint32_t i = 0; i < lines; ++i) {
    core::LineOrigin origin{core::LineOrigin::Kind::Source, {spanAt(source, 1 + i * 7 % 100, 5)}};
    assembly.origins.push_back(origin);
    origin.before = i + 1;
    machine.origins.push_back(origin);
    costs.lines.push_back({1});
  }
  CodeRequest request{.title = "k.py", .pages = {{"snippet", snippet, {}}, {"ptx", ptx, {}}, {"sass", sass, {}}}};
  request.links =
      std::make_shared<const core::LinkTable>(std::vector<const core::Stage *>{&first, &assembly, &machine});
  for (size_t page = 0; page < 3; ++page)
    request.pages[page].costs = std::make_shared<const core::LineCosts>(
        page == 1 ? costs : core::costsFrom(costs, *request.links, 1, page, page ? lines : 100));
  return request;
}

/// The pointer is on another line of the snippet in every frame: hundreds of lines are highlighted in the other texts.
void hoverCode(benchmark::State &state) {
  Bench bench("64x64");
  bench.workspace->show(linkedCode(uint32_t(state.range(0))));
  CodeModel &code = bench.workspace->models.code;
  code.openOnly({0, 1, 2});
  bench.frame(), bench.frame();
  int64_t step = 0;
  for (auto _ : state) {
    const CodeModel::Drawn &drawn = code.drawn(0);
    ImGui::GetIO().MousePos = {drawn.left + 100, drawn.top + float(++step * 19 % int64_t(drawn.height - 20))};
    bench.frame();
  }
  state.counters["lit"] = double(code.lit(1).size());
}
BENCHMARK(hoverCode)->Arg(2500)->Arg(10000)->Arg(100000)->Unit(benchmark::kMillisecond);

/// Like hoverCode(), but on the machine code, and every frame is scrolled to another place.
void scrollCode(benchmark::State &state) {
  Bench bench("64x64");
  bench.workspace->show(linkedCode(uint32_t(state.range(0))));
  CodeModel &code = bench.workspace->models.code;
  code.openOnly({0, 1, 2});
  bench.frame(), bench.frame();
  uint32_t line = 0;
  for (auto _ : state) {
    line = (line + 997) % uint32_t(state.range(0));
    code.pin({2, line + 1});
    code.reveal({2, line + 1});
    bench.frame();
  }
}
BENCHMARK(scrollCode)->Arg(10000)->Unit(benchmark::kMillisecond);

/// From the texts to the first frame: splitting, links, costs, drawing.
void openCode(benchmark::State &state) {
  Bench bench("64x64");
  for (auto _ : state) {
    bench.workspace->show(linkedCode(uint32_t(state.range(0))));
    bench.frame();
  }
}
BENCHMARK(openCode)->Arg(10000)->Unit(benchmark::kMillisecond);

/// From the texts in the fields to a frame with the picture.
void open(benchmark::State &state) {
  Bench bench("64x64");
  ExplorerModel &explorer = bench.workspace->models.explorer;
  for (auto _ : state) {
    explorer.input.shape = square(state);
    explorer.arrayChanged(bench.workspace->requests);
    while (!bench.workspace->requests.deliver())
      ;
    bench.frame();
    state.PauseTiming();
    explorer.input.shape = "64x64";
    explorer.arrayChanged(bench.workspace->requests);
    while (!bench.workspace->requests.deliver())
      ;
    bench.frame();
    state.ResumeTiming();
  }
}
BENCHMARK(open)->Arg(1024)->Arg(4096)->Unit(benchmark::kMillisecond)->UseRealTime();

} // namespace
} // namespace lanescope::viz
