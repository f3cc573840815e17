#include "viz/gui/window/CommandPalette.h"

#include "core/data/PageLink.h"
#include "core/Trace.h"
#include "layouts/support/Text.h"
#include "layouts/support/Words.h"
#include "viz/gui/debugger/DebuggerLink.h"
#include "viz/gui/explorer/AccessWords.h"
#include "viz/gui/style/KeyNames.h"
#include "viz/gui/style/Widgets.h"
#include "viz/gui/window/ProgramStrip.h"
#include "viz/gui/window/Start.h"
#include "viz/gui/window/WindowWorkspace.h"
#include "viz/host/ViewLink.h"

#include <imgui_stdlib.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>

namespace lanescope::viz {

namespace {

constexpr size_t kShown = 14; // number of rows in the list

std::vector<std::string> wordsIn(std::string_view query) {
  std::vector<std::string> out;
  for (size_t at = 0; at < query.size();) {
    size_t end = std::min(query.find(' ', at), query.size());
    if (end > at)
      out.push_back(lowerCase(query.substr(at, end - at)));
    at = end + 1;
  }
  return out;
}

/// True if the query equals one of the synonyms.
bool isCalled(std::string_view synonyms, std::string_view query) {
  for (std::string_view rest = synonyms; !rest.empty();) {
    size_t comma = std::min(rest.find(", "), rest.size());
    if (rest.substr(0, comma) == query)
      return true;
    rest.remove_prefix(std::min(comma + 2, rest.size()));
  }
  return false;
}

/// How far an entry is from matching the query. Nothing if the entry does not contain a word of the query.
std::optional<int> distanceOf(const PaletteEntry &entry, const std::vector<std::string> &words,
                              std::string_view query) {
  const std::string name = lowerCase(entry.name);
  if (!words.empty() && (name == query || isCalled(entry.synonyms, query)))
    return -1;
  const std::string about = text(entry.kind, ' ', lowerCase(entry.about));
  int distance = 0;
  for (const std::string &word : words) {
    if (name.starts_with(word))
      continue;
    if (name.find(word) != std::string::npos)
      distance += 1;
    else if (entry.synonyms.find(word) != std::string_view::npos)
      distance += 2;
    else if (about.find(word) != std::string::npos)
      distance += 3;
    else
      return std::nullopt;
  }
  return distance;
}

/// Converts a script's word to the form that users write: "line-back" becomes "line back".
std::string withSpaces(std::string name) {
  std::ranges::replace(name, '-', ' ');
  return name;
}

/// Makes an action that changes the inputs of the explorer and draws the pictures again.
template <typename Change> std::function<void(Workspace &)> explorerInput(Change change) {
  return [change](Workspace &workspace) {
    workspace.bringToFront(ViewId::Layout);
    change(workspace.models.explorer);
    workspace.models.explorer.changed(workspace.requests);
  };
}

void copyDebuggerLink(Workspace &workspace) {
  const auto made = debuggerLink(workspace.models.debugger, core::kDefaultPage);
  if (made)
    ImGui::SetClipboardText(made->link.c_str());
  workspace.models.console.print(
      !made ? "this kernel is too large for a link; save it with `lanescope compile --emit package`, and open "
              "the files on the page\n"
      : made->hasArrays ? text("copied: a link to ", core::kDefaultPage, "kernels.html\n")
                        : "copied: a link without the arrays, which are too large for it; random numbers stand in\n");
}

void copyTraceLink(Workspace &workspace) {
  const TimelineModel &timeline = workspace.models.timeline;
  const std::string link = traceLink(timeline.title, core::toChromeJson(*timeline.trace()), core::kDefaultPage);
  const bool fits = link.size() <= core::kLongestPageLink;
  if (fits)
    ImGui::SetClipboardText(link.c_str());
  workspace.models.console.print(fits ? text("copied: a link to ", core::kDefaultPage, "traces.html\n")
                                      : "this trace is too large for a link; open its file on the page\n");
}

void addActions(std::vector<PaletteEntry> &out) {
  auto add = [&](std::string name, std::string about, std::function<void(Workspace &)> run) {
    out.push_back({"action", std::move(name), std::move(about), std::move(run)});
  };
  add("Dark theme", "light text on dark ground", [](Workspace &w) { w.wantDark = true; });
  add("Light theme", "dark text on light ground", [](Workspace &w) { w.wantDark = false; });
  add("Larger", "text and controls", [](Workspace &w) { w.wantScale = std::min(4.0f, w.theme.scale + 0.1f); });
  add("Smaller", "text and controls", [](Workspace &w) { w.wantScale = std::max(0.5f, w.theme.scale - 0.1f); });
  add("Keys", "every key that the window knows", [](Workspace &w) { w.models.showKeys = true; });
  add("Console", "puts the cursor into its entry", [](Workspace &w) { w.models.console.takeFocus = true; });
  add("Larger or smaller console", "on or off: most of the window's height",
      [](Workspace &w) { w.models.console.enlarged = !w.models.console.enlarged; });
  add("Clear the console", "forgets what it printed", [](Workspace &w) { w.models.console.clear(); });
  add("Fold or unfold the controls", "on or off, so that pictures have room", [](Workspace &w) {
    w.bringToFront(ViewId::Layout);
    w.models.explorer.toggleControls();
  });
  add("Fold or unfold the list of files", "on or off, so that pictures have room",
      [](Workspace &w) { w.arrangement.files.toggle(); });
  add("Fold or unfold the console", "on or off, so that pictures have room",
      [](Workspace &w) { w.arrangement.console.toggle(); });
  add("Fold or unfold the side bar", "on or off, Ctrl+I: what stands beside the view's pictures",
      [](Workspace &w) { w.side().folding.toggle(); });
  add("Open a file", "Ctrl+O: what was opened last, or a path that is typed",
      [](Workspace &w) { togglePalette(w, PaletteModel::Mode::Files); });
  add("Run again", "Ctrl+R: the snippet as it stands in the editor, or the file as it is",
      [](Workspace &w) { w.live.run(); });
  add("New snippet", "in the editor, with a kernel to begin with", [](Workspace &w) {
    w.live.newSnippet();
    w.editorOpen = w.models.editor.takeFocus = true;
  });
  add("Editor", "on or off, Ctrl+E: beside the pictures", [](Workspace &w) { w.toggleEditor(); });
  add("Run in Python", "the `.py` file that is open, as a program; it asks first", [](Workspace &w) {
    if (!w.live.program().empty())
      w.host.openAsProgram(w.live.program());
  });
  auto answer = [](ProgramAnswer given) {
    return [given](Workspace &w) {
      if (asks(w.models.program))
        w.host.answer(given);
    };
  };
  add("Run it once", "the program that asks: this text, until the window closes", answer(ProgramAnswer::Once));
  add("Trust this folder", "the program that asks, and all programs of its folder, from now on",
      answer(ProgramAnswer::Folder));
  add("Leave it", "the program that asks is not run", answer(ProgramAnswer::Leave));
  add("Next kernel", "of the program that has run", [](Workspace &w) {
    if (const auto &program = w.models.program; program && program->kernels.size() > 1)
      w.host.chooseKernel((program->chosen + 1) % program->kernels.size());
  });
  add("Save the snippet", "Ctrl+S: the editor's text into its file", [](Workspace &w) { w.live.save(); });
  add("Run while typing", "on or off: the editor's text runs when its syntax is right",
      [](Workspace &w) { w.live.whileTyping = !w.live.whileTyping; });
  add("Take the disk's text", "where the file has changed on the disk, and in the editor",
      [](Workspace &w) { w.live.takeTheirs(); });
  add("Keep my text", "where the file has changed on the disk, and in the editor",
      [](Workspace &w) { w.live.keepMine(); });
  add("Undo", "Ctrl+Z in the editor", [](Workspace &w) { w.models.editor.undo(); });
  add("Redo", "Ctrl+Y in the editor", [](Workspace &w) { w.models.editor.redo(); });
  add("Comment or uncomment", "Ctrl+/ in the editor: the selected lines",
      [](Workspace &w) { w.models.editor.toggleComment(); });
  add("Parameters as the text gives them", "resets what sliders and lists have set",
      [](Workspace &w) { w.live.resetParameters(); });
  add("Save the workspace", "files, open pictures, selection and sizes as a file that opens again, or elsewhere",
      [](Workspace &w) { togglePalette(w, PaletteModel::Mode::Save); });
  add("Stop", "what is running", [](Workspace &w) { w.host.interrupt(); });
  add("Refresh the samples", "reads the list of files again", [](Workspace &w) { w.models.files.refresh(w.host); });
  add("Copy view", "the open pictures as one line of text", [](Workspace &w) {
    w.bringToFront(ViewId::Layout);
    ImGui::SetClipboardText(w.models.explorer.copied().c_str());
  });
  add("Copy link", "the open pictures, the trace, or the debugger's run as the address of a web page (docs/browser.md)",
      [](Workspace &w) {
        if (w.models.front == ViewId::Debugger && w.models.debugger.target())
          return copyDebuggerLink(w);
        if (w.models.front == ViewId::Trace && w.models.timeline.trace())
          return copyTraceLink(w);
        ExplorerModel &explorer = w.models.explorer;
        ImGui::SetClipboardText(viewLink(explorer.viewText(), core::kDefaultPage).c_str());
        explorer.message = text("copied: a link to ", core::kDefaultPage);
        explorer.messageBad = false;
      });
  add("Paste", "shows the view or layout on the clipboard", [](Workspace &w) {
    w.bringToFront(ViewId::Layout);
    if (const char *clipboard = ImGui::GetClipboardText(); clipboard && *clipboard)
      w.models.explorer.paste(clipboard, w.requests);
  });
  add("Details of the lit line", "on or off: beside the texts of the code view", [](Workspace &w) {
    w.bringToFront(ViewId::Code);
    w.side().folding.toggle();
  });
  add("Machine code", "the SASS of the kernel in the code view, where a disassembler is there", [](Workspace &w) {
    w.bringToFront(ViewId::Code);
    if (!w.models.code.onDemand().empty())
      w.models.code.makeOnDemand(w.host);
  });
  add("Copy the lit lines", "of the text in front of the code view",
      [](Workspace &w) { ImGui::SetClipboardText(w.models.code.litText(w.models.code.front()).c_str()); });
  add("Next lit lines", "of the text in front of the code view, out of sight",
      [](Workspace &w) { w.models.code.showNextLit(w.models.code.front(), 1); });
  add("Unpin the line", "in the code view", [](Workspace &w) { w.models.code.pin({}); });
  auto picture = [](std::function<void(ExplorerModel &, const PanePlaces &)> act) {
    return [act = std::move(act)](Workspace &w) {
      w.bringToFront(ViewId::Layout);
      act(w.models.explorer, w.places);
    };
  };
  add("Next picture", "Tab: the next one comes to the front",
      picture([](ExplorerModel &model, const PanePlaces &) { model.cycle(1); }));
  add("Previous picture", "Shift+Tab", picture([](ExplorerModel &model, const PanePlaces &) { model.cycle(-1); }));
  auto zoomed = [](double factor) {
    return [factor](ExplorerModel &model, const PanePlaces &places) {
      const CanvasPlace &place = places[size_t(model.front)];
      model.pane(model.front).picture.viewport.zoomAt({place.size.x / 2, place.size.y / 2}, factor);
    };
  };
  add("Zoom in", "+ or the wheel: the picture in front", picture(zoomed(1.25)));
  add("Zoom out", "- or the wheel: the picture in front", picture(zoomed(1 / 1.25)));
  add("As large as labels need", "L: the picture in front", picture([](ExplorerModel &model, const PanePlaces &) {
        model.pane(model.front).picture.requestReadable(model.pinnedIn(model.front));
      }));
  add("Unpin", "Esc: the cell that stays lit",
      picture([](ExplorerModel &model, const PanePlaces &) { model.unpin(); }));
  add("Export the picture", "to the path in `Export…`: layout.svg unless another one was typed", [](Workspace &w) {
    w.bringToFront(ViewId::Layout);
    w.models.explorer.exportFront(w.models.explorer.exportPath, w.requests);
  });
  auto trace = [](std::function<void(TimelineModel &)> act) {
    return [act = std::move(act)](Workspace &w) {
      w.bringToFront(ViewId::Trace);
      act(w.models.timeline);
    };
  };
  add("Next slice", ". in the trace: of the selected one's track", trace([](TimelineModel &t) { t.selectNext(1); }));
  add("Previous slice", ", in the trace: of the selected one's track",
      trace([](TimelineModel &t) { t.selectNext(-1); }));
  add("Collapse tracks", "a line for each SM of the trace", trace([](TimelineModel &t) { t.collapseAll(true); }));
  add("Expand tracks", "all tracks of the trace", trace([](TimelineModel &t) { t.collapseAll(false); }));
  add("Critical path", "on or off, P in the trace: what its time went to, one thing after another",
      trace([](TimelineModel &t) { t.showPath = !t.showPath; }));
  add("Overlap over time", "on or off, O in the trace: copies, products and waits side by side",
      trace([](TimelineModel &t) { t.showOverlap = !t.showOverlap; }));
  add("Blocks on processors", "on or off, B in the trace: over time, with the tail",
      trace([](TimelineModel &t) { t.showOccupancy = !t.showOccupancy; }));
  add("Compare the traces", "on or off, C in the trace: with the one that was shown before",
      trace([](TimelineModel &t) {
        if (t.canCompare())
          t.compare(!t.comparison());
      }));
  add("Line of the cause", "L in the trace: of what the selected slice waited for, else of its region",
      trace([](TimelineModel &t) { t.askForCode(); }));
  add("Selected slice in the debugger", "of a trace that was made here: the warp, where the slice begins",
      [](Workspace &w) { w.models.timeline.askForMoment(); });
  add("Whole picture", "or the whole trace", [](Workspace &w) {
    if (w.models.front == ViewId::Trace)
      w.models.timeline.showAll();
    else
      w.models.explorer.pane(w.models.explorer.front).picture.requestFit();
  });
  for (const DebugActionEntry &entry : debugActions())
    add(text("Debugger: ", withSpaces(entry.name)), text(entry.about, *entry.keys ? ", " : "", entry.keys),
        [action = entry.action](Workspace &w) {
          w.bringToFront(ViewId::Debugger);
          w.models.debugger.perform(action);
        });
  for (const DebugPanelEntry &entry : debugPanels())
    add(text("Debugger: ", entry.about), "its panel", [panel = entry.panel](Workspace &w) {
      w.bringToFront(ViewId::Debugger);
      w.models.debugger.showPanel(panel);
    });
  add("Debugger: breakpoint", "on or off, F9 or a click beside the line: at the line of the warp in focus",
      [](Workspace &w) {
        w.bringToFront(ViewId::Debugger);
        w.models.debugger.toggleBreakpointHere();
      });
  add("Debugger: stop where …", "Shift+F9: a condition, or an element, bytes or an mbarrier that change",
      [](Workspace &w) {
        w.bringToFront(ViewId::Debugger);
        w.models.debugger.writeCondition();
      });
  add("Debugger: next warp", "] in the debugger: its steps count, and its values are shown", [](Workspace &w) {
    w.bringToFront(ViewId::Debugger);
    w.models.debugger.focusNext(1);
  });
  add("Debugger: previous warp", "[ in the debugger", [](Workspace &w) {
    w.bringToFront(ViewId::Debugger);
    w.models.debugger.focusNext(-1);
  });
  add("Debugger: colours of shared memory", "T in the debugger: who wrote, or which array it is", [](Workspace &w) {
    w.bringToFront(ViewId::Debugger);
    w.models.debugger.sharedByTile = !w.models.debugger.sharedByTile;
    w.models.debugger.showPanel(DebugPanel::Shared);
  });
  for (ColourBy colour : {ColourBy::Warp, ColourBy::Lane, ColourBy::Register, ColourBy::Vector, ColourBy::Bank})
    add(text("Colour by ", name(colour)), "the layouts' pictures",
        explorerInput([colour](ExplorerModel &model) { model.input.colourBy = colour; }));
  using enum layouts::Memory;
  for (auto [title, memory] : {std::pair("Read as (thread, value)", std::optional(Registers)),
                               {"Read as memory", std::optional(Shared)},
                               {"Read as tensor memory", std::optional(Tmem)},
                               {"Read as the text says", std::optional<layouts::Memory>()}})
    add(title, "a layout that leaves it open",
        explorerInput([memory](ExplorerModel &model) { model.input.memory = memory; }));
  for (int swizzle : {0, 32, 64, 128})
    add(swizzle == 0 ? std::string("No swizzle") : text("Swizzle of ", swizzle, " bytes"), "shared memory",
        explorerInput([swizzle](ExplorerModel &model) { model.input.swizzle = swizzle; }));
  for (const std::string &access : accessNames())
    out.push_back({"access", text("Conflicts of ", access), "in banks, as it moves the array through shared memory",
                   explorerInput([access](ExplorerModel &model) {
                     model.input.access = access;
                     model.bringToFront(PaneKind::Smem);
                   })});
  add("Transposed tiles", "shared memory: on or off",
      explorerInput([](ExplorerModel &model) { model.input.transpose = !model.input.transpose; }));
  add("Compare with nothing", "takes the second layout away",
      explorerInput([](ExplorerModel &model) { model.input.compare.clear(); }));
}

void addFiles(std::vector<PaletteEntry> &out, Workspace &workspace) {
  for (const std::string &path : workspace.live.recent)
    out.push_back(
        {"recent", std::filesystem::path(path).filename().string(), path, [path](Workspace &w) { w.open(path); }});
  for (const FileEntry &file : workspace.host.files())
    out.push_back({file.group == "documents" ? "document" : "sample", text(file.group, '/', file.name), file.about,
                   [path = file.path](Workspace &w) { w.open(path); }});
}

/// Replaces `~` by the home folder.
std::string withoutTilde(std::string_view path) {
  const char *home = path == "~" || path.starts_with("~/") ? std::getenv("HOME") : nullptr;
  return home ? text(home, path.substr(1)) : std::string(path);
}

/// Updates the entries that the palette offers for the query.
void renewPaths(PaletteModel &palette, Workspace &workspace) {
  using enum PaletteModel::Mode;
  if (palette.mode == Save)
    palette.entries = {
        {"file", palette.query, "saves the workspace here", [path = withoutTilde(palette.query)](Workspace &w) {
           w.save(path.ends_with(kWorkspaceSuffix) ? path : path + std::string(kWorkspaceSuffix));
         }}};
  else if (isPathBegun(palette.query))
    palette.entries = pathEntries(palette.query);
  else
    palette.entries = paletteEntries(workspace, palette.mode);
}

/// Adds entries for the texts of the code view and for the columns in its margin.
void addCode(std::vector<PaletteEntry> &out, const CodeModel &code) {
  for (size_t page = 0; page < code.pages().size(); ++page)
    out.push_back({"text", code.pages()[page].title, code.title, [page](Workspace &w) {
                     w.bringToFront(ViewId::Code);
                     w.models.code.bringToFront(page);
                   }});
  if (!code.onDemand().empty())
    out.push_back({"text", code.onDemand(), code.title, [](Workspace &w) {
                     w.bringToFront(ViewId::Code);
                     w.models.code.makeOnDemand(w.host);
                   }});
  if (!code.costColumns().empty())
    out.push_back(
        {"cost", "No costs in the margin", "the code view", [](Workspace &w) { w.models.code.showCosts = false; }});
  for (size_t column = 0; column < code.costColumns().size(); ++column)
    out.push_back({"cost", text("Cost of lines: ", code.costColumns()[column].many), code.costColumns()[column].about,
                   [column](Workspace &w) {
                     w.bringToFront(ViewId::Code);
                     w.models.code.costColumn = column;
                     w.models.code.showCosts = w.models.code.costChosen = true;
                   }});
}

} // namespace

bool isPathBegun(std::string_view query) {
  return query.starts_with("/") || query.starts_with("./") || query.starts_with("../") || query.starts_with("~");
}

std::vector<PaletteEntry> pathEntries(std::string_view begun) {
  constexpr size_t kMost = 200;
  namespace fs = std::filesystem;
  std::string path = withoutTilde(begun);
  size_t slash = path.rfind('/');
  std::string folder = slash == std::string::npos ? "" : path.substr(0, slash + 1);
  std::string start = path.substr(folder.size());
  std::vector<PaletteEntry> out;
  std::error_code problem;
  for (auto at = fs::directory_iterator(folder, problem);
       !problem && at != fs::directory_iterator() && out.size() < kMost; at.increment(problem)) {
    std::string name = at->path().filename().string();
    if (!name.starts_with(start) || (name.starts_with(".") && !start.starts_with(".")))
      continue;
    std::error_code ignored;
    if (at->is_directory(ignored))
      out.push_back({"folder", folder + name + "/", "", [path = folder + name + "/"](Workspace &w) {
                       togglePalette(w, PaletteModel::Mode::Files);
                       w.models.palette.query = path;
                       renewPaths(w.models.palette, w);
                     }});
    else
      out.push_back({"file", folder + name, "", [path = folder + name](Workspace &w) { w.open(path); }});
  }
  std::ranges::sort(out, {}, [](const PaletteEntry &entry) { return std::pair(entry.kind != "folder", entry.name); });
  return out;
}

std::vector<PaletteEntry> paletteEntries(Workspace &workspace, PaletteModel::Mode mode) {
  std::vector<PaletteEntry> out;
  if (mode == PaletteModel::Mode::Files) {
    addFiles(out, workspace);
    return out;
  }
  for (const StartEntry &start : startEntries(workspace))
    out.push_back({"start", start.title, start.about, start.run});
  for (const ViewEntry &view : views())
    out.push_back({"view", view.title, "", [id = view.id](Workspace &w) { w.bringToFront(id); }});
  for (const PaneEntry &pane : paneTable())
    out.push_back({"picture", pane.title, pane.about, [kind = pane.kind](Workspace &w) {
                     w.bringToFront(ViewId::Layout);
                     w.models.explorer.bringToFront(kind);
                     w.models.explorer.changed(w.requests);
                   }});
  addActions(out);
  addArranging(out);
  addCode(out, workspace.models.code);
  for (const std::string &layout : catalogueNames())
    out.push_back({"layout", layout, "of the catalogue", [layout](Workspace &w) {
                     w.bringToFront(ViewId::Layout);
                     w.models.explorer.input.layout = layout;
                     w.models.explorer.layoutChanged(w.requests);
                   }});
  addFiles(out, workspace);
  for (PaletteEntry &entry : out)
    if (auto found = std::ranges::find(synonyms(), entry.name, &Synonyms::name); found != synonyms().end())
      entry.synonyms = found->words;
  return out;
}

std::vector<size_t> matching(const std::vector<PaletteEntry> &entries, std::string_view query) {
  const std::vector<std::string> words = wordsIn(query);
  const std::string whole = joined(words, " ");
  std::vector<std::pair<int, size_t>> found; // the distance from the best match, and the index of the entry
  for (size_t i = 0; i < entries.size(); ++i)
    if (std::optional<int> distance = distanceOf(entries[i], words, whole))
      found.emplace_back(*distance, i);
  std::ranges::stable_sort(found, {}, &std::pair<int, size_t>::first);
  std::vector<size_t> out;
  for (auto [distance, index] : found)
    out.push_back(index);
  return out;
}

void togglePalette(Workspace &workspace, PaletteModel::Mode mode) {
  PaletteModel &palette = workspace.models.palette;
  palette.open = !palette.open;
  palette.mode = mode;
  palette.query = mode == PaletteModel::Mode::Save ? "work" + std::string(kWorkspaceSuffix) : "";
  palette.chosen = 0;
  if (palette.open)
    renewPaths(palette, workspace);
}

void drawPalette(Workspace &workspace, const Theme &theme) {
  PaletteModel &palette = workspace.models.palette;
  if (!palette.open)
    return;
  ImVec2 screen = ImGui::GetIO().DisplaySize;
  float width = std::min(theme.px(620), screen.x * 0.9f);
  ImGui::SetNextWindowPos({screen.x / 2, screen.y * 0.16f}, ImGuiCond_Always, {0.5f, 0});
  ImGui::SetNextWindowSize({width, 0}, ImGuiCond_Always);
  ImGui::SetNextWindowFocus();
  ImGui::PushStyleColor(ImGuiCol_WindowBg, theme.panel);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {theme.px(14), theme.px(12)});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, theme.px(8));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1);
  ImGui::Begin("Palette", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoNav);
  ImGui::SetNextItemWidth(-1);
  if (!ImGui::IsAnyItemActive())
    ImGui::SetKeyboardFocusHere();
  bool paths = palette.mode == PaletteModel::Mode::Save || isPathBegun(palette.query);
  const char *hint = palette.mode == PaletteModel::Mode::Files
                         ? (workspace.fileFor ? "the path of a .npy file, which begins with / ./ or ~"
                                              : "a file's name, or a path that begins with / ./ or ~")
                         : "a view, an action, a layout, a sample, a document; a path";
  if (ImGui::InputTextWithHint("##query", hint, &palette.query)) {
    palette.chosen = 0;
    if (paths || isPathBegun(palette.query))
      renewPaths(palette, workspace);
    paths = palette.mode == PaletteModel::Mode::Save || isPathBegun(palette.query);
  }
  std::vector<size_t> found = matching(palette.entries, paths ? "" : palette.query);
  auto pressed = [](int key) { return ImGui::IsKeyPressed(key, true); };
  if (!found.empty() && pressed(kKeyDown))
    palette.chosen = (palette.chosen + 1) % found.size();
  if (!found.empty() && pressed(kKeyUp))
    palette.chosen = (palette.chosen + found.size() - 1) % found.size();
  palette.chosen = std::min(palette.chosen, found.empty() ? 0 : found.size() - 1);
  bool run = pressed(kKeyEnter);
  size_t first = palette.chosen < kShown ? 0 : palette.chosen - kShown + 1;
  for (size_t row = first; row < std::min(found.size(), first + kShown); ++row) {
    const PaletteEntry &entry = palette.entries[found[row]];
    ImGui::PushID(int(row));
    ImVec2 at = ImGui::GetCursorScreenPos();
    if (ImGui::Selectable("##entry", row == palette.chosen)) {
      palette.chosen = row;
      run = true;
    }
    ImDrawList *draw = ImGui::GetWindowDrawList();
    draw->AddText({at.x, at.y}, theme.faint, entry.kind.c_str());
    draw->AddText({at.x + theme.px(84), at.y}, theme.ink, elided(entry.name, width - theme.px(112)).c_str());
    float behind = at.x + theme.px(84) + ImGui::CalcTextSize(entry.name.c_str()).x + theme.px(16);
    draw->AddText({behind, at.y}, theme.faint, elided(entry.about, at.x + width - theme.px(28) - behind).c_str());
    ImGui::PopID();
  }
  if (found.empty())
    wrapped("no matches", theme.faint);
  else if (found.size() > kShown)
    wrapped(text(found.size(), " found"), theme.faint);
  bool close = ImGui::IsKeyPressed(kKeyEscape, false);
  ImGui::End();
  ImGui::PopStyleVar(3);
  ImGui::PopStyleColor();
  if (run && !found.empty()) {
    PaletteEntry chosen = palette.entries[found[palette.chosen]];
    palette.open = false;
    chosen.run(workspace);
  } else if (close) {
    palette.open = false;
    workspace.fileFor.reset();
  }
}

} // namespace lanescope::viz
