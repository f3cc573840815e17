#include "viz/gui/window/Start.h"

#include "layouts/support/Text.h"
#include "viz/gui/window/Keeping.h"
#include "viz/gui/window/WindowWorkspace.h"

#include <algorithm>
#include <filesystem>

namespace lanescope::viz {

std::vector<StartEntry> startEntries(const Workspace &workspace) {
  std::vector<StartEntry> out;
  if (const auto &last = workspace.kept.last; last && !last->files.empty())
    out.push_back({text("Continue: ", std::filesystem::path(last->files.back()).filename().string()),
                   "the files, pictures and sizes of the last session",
                   [state = *last](Workspace &w) { restore(w, state); }});
  out.push_back({"See who holds what",
                 "a WGMMA accumulator: point at a cell of one picture, and the other shows it too", [](Workspace &w) {
                   w.show(ViewRequest{{.layout = "WGMMA", .shape = {64, 64}, .view = View::Lanes}});
                   w.models.explorer.open(PaneKind::Array, true);
                 }});
  auto addFile = [&](std::string_view name, std::string title, std::string about, bool editor) {
    const auto &files = workspace.models.files.files();
    auto file = std::ranges::find(files, name, &FileEntry::name);
    if (file == files.end())
      return;
    out.push_back({std::move(title), std::move(about), [path = file->path, editor](Workspace &w) {
                     w.editorOpen |= editor;
                     w.open(path);
                   }});
  };
  addFile("tune_stages.py", "Edit a kernel while it runs",
          "a pipelined kernel beside its timeline: move a slider, or change a line", true);
  addFile("mosaic_matmul.json.gz", "Watch a matmul", "a trace of an H200: what each warpgroup did, and when it waited",
          false);
  return out;
}

} // namespace lanescope::viz
