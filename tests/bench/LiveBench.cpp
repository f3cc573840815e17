// A live edit, from saving the file to the frame that shows the result, without a graphics card.
//
//   bench_live                                 budgets: 150 ms for kernels/matmul.py, 30 ms for a layout
//
// editMatmul changes every kernel of the file. Its time ends when the new PTX and the first kernel's result are
// visible; finished_ms ends when the whole file has run. editCheck changes no kernel; its time ends when the whole file
// has run.
#include "tests/unit/gui/FakeTextures.h"

#include "core/data/Files.h"
#include "repl/workbench/SessionHost.h"
#include "viz/gui/window/WindowWorkspace.h"

#include <benchmark/benchmark.h>

#include <filesystem>
#include <optional>
#include <thread>
#include <unistd.h>

namespace lanescope::viz {
namespace {

namespace fs = std::filesystem;

/// A window without a backend over a session, with its own open file.
class LiveWindow {
public:
  explicit LiveWindow(std::string_view content) : host_({.device = "emulator"}) {
    ImGui::CreateContext();
    ImGuiIO &io = ImGui::GetIO();
    io.IniFilename = nullptr;
    io.DeltaTime = 1.0f / 60;
    io.DisplaySize = {1600, 1000};
    io.BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset;
    for (int key = 0; key < ImGuiKey_COUNT; ++key)
      io.KeyMap[key] = -1;
    applyTheme(theme_, true, 1);
    loadFonts(theme_);
    io.Fonts->Build();
    folder_ = fs::temp_directory_path() / ("lanescope-bench-" + std::to_string(::getpid()));
    fs::create_directories(folder_);
    path_ = (folder_ / "edited.py").string();
    save(content);
    workspace.emplace(host_, theme_, textures_);
    workspace->open(path_);
    until([&] { return !workspace->pending(); });
  }
  ~LiveWindow() {
    workspace.reset();
    ImGui::DestroyContext();
    fs::remove_all(folder_);
  }

  void save(std::string_view content) const {
    if (auto done = core::writeFile(path_, content); !done)
      std::abort();
  }
  /// Draws frames until the condition holds, and returns the seconds.
  template <typename Condition> double until(Condition holds) {
    auto begin = std::chrono::steady_clock::now();
    do {
      std::this_thread::sleep_for(std::chrono::microseconds(200));
      bool news = workspace->update();
      if (!news)
        continue;
      ImGui::NewFrame();
      workspace->draw(1600, 1000);
      ImGui::Render();
    } while (!holds());
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }
  /// The text of a page of the code view; empty if there is none.
  std::string page(std::string_view title) const {
    for (const CodeModel::Page &each : workspace->models.code.pages())
      if (each.title == title)
        return each.text;
    return {};
  }

  std::optional<Workspace> workspace;

private:
  repl::SessionHost host_;
  Theme theme_;
  FakeTextures textures_;
  fs::path folder_;
  std::string path_;
};

std::string replaced(std::string text, std::string_view what, std::string_view with) {
  size_t at = text.find(what);
  if (at == std::string::npos)
    std::abort();
  return text.replace(at, what.size(), with);
}

void editMatmul(benchmark::State &state) {
  std::string matmul = (*core::readSource(LANESCOPE_SOURCE_DIR "/kernels/matmul.py"))->text();
  LiveWindow window(matmul);
  int edit = 0;
  double finished = 0;
  for (auto _ : state) {
    std::string before = window.page("ptx");
    // Never the same kernel twice, so that no earlier result can be reused.
    std::string value = std::to_string(++edit);
    window.save(replaced(matmul, "full((64, tile_n), 0, out_dtype)", "full((64, tile_n), " + value + ", out_dtype)"));
    double shown = window.until([&] { return window.page("ptx") != before; });
    state.SetIterationTime(shown);
    finished += shown + window.until([&] { return !window.workspace->pending(); });
    if (!window.workspace->live.old().empty())
      state.SkipWithError("the edited kernel fails");
  }
  state.counters["finished_ms"] = benchmark::Counter(finished * 1e3, benchmark::Counter::kAvgIterations);
}
BENCHMARK(editMatmul)->UseManualTime()->Unit(benchmark::kMillisecond)->Iterations(10);

/// An edit below the kernels, none of which changes: their compiled code and results are reused.
void editCheck(benchmark::State &state) {
  std::string matmul = (*core::readSource(LANESCOPE_SOURCE_DIR "/kernels/matmul.py"))->text();
  LiveWindow window(matmul);
  int edit = 0;
  for (auto _ : state) {
    window.save(replaced(matmul, "rtol=2e-2", "rtol=2." + std::to_string(++edit) + "e-2"));
    double seconds = window.until([&] { return window.workspace->pending(); });
    state.SetIterationTime(seconds + window.until([&] { return !window.workspace->pending(); }));
    if (!window.workspace->live.old().empty())
      state.SkipWithError("the edited check fails");
  }
}
BENCHMARK(editCheck)->UseManualTime()->Unit(benchmark::kMillisecond)->Iterations(10);

void editLayout(benchmark::State &state) {
  LiveWindow window("show(WGMMA, (64, 64))\n");
  bool transposed = false;
  for (auto _ : state) {
    transposed = !transposed;
    const Scene *before = window.workspace->models.explorer.pane(PaneKind::Array).picture.scene();
    window.save(transposed ? "show(WGMMA_TRANSPOSED, (64, 64))\n" : "show(WGMMA, (64, 64))\n");
    state.SetIterationTime(window.until(
        [&] { return window.workspace->models.explorer.pane(PaneKind::Array).picture.scene() != before; }));
    window.until([&] { return !window.workspace->pending(); });
  }
}
BENCHMARK(editLayout)->UseManualTime()->Unit(benchmark::kMillisecond)->Iterations(30);

} // namespace
} // namespace lanescope::viz
