#include "viz/gui/window/WindowWorkspace.h"

#include "layouts/support/Text.h"
#include "viz/gui/debugger/DebuggerWords.h"
#include "viz/gui/style/KeyNames.h"
#include "viz/gui/style/Widgets.h"
#include "viz/gui/timeline/TimelineWords.h"
#include "viz/gui/window/Keeping.h"
#include "viz/gui/window/ParameterStrip.h"

#include <imgui_internal.h>

#include <algorithm>
#include <cfloat>
#include <utility>

namespace lanescope::viz {

Workspace::Workspace(Host &host, Theme &theme, Textures &textures)
    : host(host), theme(theme), textures(textures), live(host, requests, models.editor) {
  wantDark = theme.dark, wantScale = theme.scale;
  models.console.takeFocus = false; // the view has the keys until the user clicks into the console
  models.files.refresh(host);
  models.explorer.input.theme = theme.dark ? ColourTheme::Dark : ColourTheme::Light;
  models.explorer.changed(requests);
}

void Workspace::drop(const std::string &path, float x, float y) {
  for (const ParameterEvents::ArrayField &field : arrayFields)
    if (field.place.contains(x, y) && path.ends_with(".npy"))
      return live.setParameter(field.parameter, path);
  toOpen.push_back(path);
}

const ParameterEvents::ArrayField *Workspace::arrayField(std::string_view name) const {
  for (const ParameterEvents::ArrayField &field : arrayFields)
    if (field.parameter < live.parameters().size() && live.parameters()[field.parameter].name == name)
      return &field;
  return nullptr;
}

void Workspace::open(const std::string &path) {
  openProblem.clear();
  models.console.answersRead();
  if (std::optional<size_t> parameter = std::exchange(fileFor, std::nullopt); parameter && path.ends_with(".npy"))
    return live.setParameter(*parameter, path);
  if (!path.ends_with(kWorkspaceSuffix)) {
    models.files.current = path;
    host.open(path);
    return;
  }
  auto state = loadWorkspace(path);
  if (state) {
    restore(*this, *std::move(state));
    return;
  }
  models.console.print(render(state.error(), true));
  openProblem = state.error().front().message;
}

void Workspace::save(const std::string &path) {
  auto saved = saveWorkspace(path, stateOf(*this));
  models.console.print(saved ? text("saved the workspace in ", path, "; open it as any other file\n")
                             : render(saved.error(), true));
  openProblem = saved ? std::string() : saved.error().front().message;
}

void Workspace::showView(const ViewRequest &request, bool again) {
  ExplorerModel &explorer = models.explorer;
  if (!request.bringToFront)
    return explorer.offer(request.spec.arrays, requests);
  std::string shown = viewsText({request.spec});
  if (again && std::exchange(shownView_, shown) == shown)
    return; // it is already shown, or the user has chosen another view since
  shownView_ = std::move(shown);
  PaneKind front = explorer.front;
  explorer.apply({request.spec}, requests);
  if (again && explorer.pane(front).open)
    explorer.bringToFront(front);
}

void Workspace::showTrace(const TraceRequest &request, bool again) {
  TimelineModel &timeline = models.timeline;
  bool keep = again && !timeline.empty() && timeline.title == request.title;
  TimeRange view = timeline.view();
  bool whole = view.length() >= timeline.length();
  double scroll = timeline.scroll();
  std::string search = timeline.filter.searchText();
  timeline.show(request.trace, request.file);
  timeline.title = request.title;
  timeline.remark.clear();
  traceShown_ = true;
  if (!keep)
    return;
  if (!whole)
    timeline.setView(view);
  timeline.scrollTo(scroll);
  timeline.filter.search(std::move(search));
}

void Workspace::show(const ShowRequest &request, bool again) {
  auto front = [&](bool wanted, ViewId id) {
    if (wanted && !again)
      models.front = id;
  };
  if (auto *view = std::get_if<ViewRequest>(&request)) {
    showView(*view, again);
    front(view->bringToFront, ViewId::Layout);
  } else if (auto *trace = std::get_if<TraceRequest>(&request)) {
    showTrace(*trace, again);
    front(trace->bringToFront, ViewId::Trace);
  } else if (auto *code = std::get_if<CodeRequest>(&request)) {
    models.code.show(*code);
    front(code->bringToFront, ViewId::Code);
  } else if (auto *dump = std::get_if<DumpPageRequest>(&request)) {
    models.dump.show(dump->page, requests);
    front(true, ViewId::Dump);
  } else if (auto *debug = std::get_if<DebugRequest>(&request)) {
    models.debugger.offer(debug->target);
    models.timeline.debugged = debug->target;
    front(debug->bringToFront, ViewId::Debugger);
  } else if (auto *data = std::get_if<DataRequest>(&request)) {
    models.data.show(*data, requests);
    front(true, ViewId::Data);
  }
}

void Workspace::sayOtherTrace(const Opened &opened) {
  bool shown = std::exchange(traceShown_, false);
  bool runs = opened.snippet || opened.launch || opened.program; // all other files have no trace
  TimelineModel &timeline = models.timeline;
  if (shown || !runs || timeline.empty())
    return;
  std::string file = opened.path.substr(opened.path.rfind('/') + 1);
  timeline.remark = text(file, " has shown no trace (`show(run(kernel, …, profile=True).trace)` does); this one is of ",
                         timeline.title, ".");
}

void Workspace::take(HostEvent &event) {
  if (auto *output = std::get_if<Output>(&event)) {
    models.console.print(output->text);
  } else if (auto *evaluated = std::get_if<Evaluated>(&event)) {
    models.console.finished(evaluated->ok);
  } else if (auto *completions = std::get_if<Completions>(&event)) {
    if (!models.editor.completed(*completions))
      models.console.completed(*completions);
  } else if (auto *show = std::get_if<Show>(&event)) {
    this->show(show->what, show->again);
  } else if (auto *failed = std::get_if<OpenFailed>(&event)) {
    openProblem = std::move(failed->why);
  } else if (auto *begins = std::get_if<RunsAgain>(&event)) {
    models.console.report(begins->path);
  } else if (auto *program = std::get_if<ProgramState>(&event)) {
    models.program = std::move(*program);
  } else if (auto *opened = std::get_if<Opened>(&event)) {
    live.opened(*opened);
    sayOtherTrace(*opened);
    if (!opened->again || (opened->snippet && !opened->program))
      models.program.reset(); // it belonged to the previous file; a program reports its own state
    constexpr size_t kMostOpened = 4;
    std::erase(openedFiles, opened->path);
    openedFiles.push_back(opened->path);
    if (openedFiles.size() > kMostOpened)
      openedFiles.erase(openedFiles.begin());
  }
}

bool Workspace::update() {
  std::vector<HostEvent> events = host.poll();
  for (HostEvent &event : events)
    take(event);
  if (!models.timeline.wantedPlace.empty())
    links_.showPlace(std::exchange(models.timeline.wantedPlace, {}));
  if (!models.timeline.wantedRegion.empty())
    links_.showRegion(std::exchange(models.timeline.wantedRegion, {}));
  if (auto at = std::exchange(models.timeline.wantedMoment, std::nullopt); at && models.debugger.target()) {
    models.debugger.goToCycle(at->warp, at->cycle);
    bringToFront(ViewId::Debugger);
  }
  bool changed = live.update();
  changed |= models.debugger.update();
  if (!runSteps.empty() && models.debugger.target() && !models.debugger.busy() && host.activity().empty()) {
    bringToFront(ViewId::Debugger);
    runSteps.front().run(models.debugger);
    runSteps.pop_front();
    changed = true;
  }
  changed |= requests.deliver() || !events.empty() || models.timeline.busy();
  if (requests.busy() || !host.activity().empty())
    return changed;
  if (!toOpen.empty()) {
    std::string next = std::move(toOpen.front());
    toOpen.pop_front();
    open(next);
  } else if (restoring) {
    finishRestoring(*this, *std::exchange(restoring, std::nullopt));
  }
  return changed;
}

bool Workspace::pending() const {
  return requests.busy() || models.debugger.busy() || !host.activity().empty() || live.waiting() || !toOpen.empty() ||
         restoring || (!runSteps.empty() && models.debugger.target()) ||
         (models.front == ViewId::Trace && models.timeline.busy());
}

void Workspace::toggleEditor() {
  editorOpen = !editorOpen;
  models.editor.takeFocus = editorOpen;
}

const ViewEntry &Workspace::frontEntry() const {
  for (const ViewEntry &entry : views())
    if (entry.id == models.front)
      return entry;
  return views().front();
}

SideBar &Workspace::side() { return arrangement.views[frontEntry().name].side; }

ViewContext Workspace::viewContext() {
  return {requests, host, theme, textures, place, arrangement.views[frontEntry().name]};
}

std::vector<const ViewEntry *> Workspace::tabs() const {
  std::vector<std::string> names;
  for (const ViewEntry &entry : views())
    names.emplace_back(entry.name);
  std::vector<const ViewEntry *> out;
  for (const std::string &name : inOrder(arrangement.tabs, names))
    out.push_back(&*std::ranges::find(views(), name, &ViewEntry::name));
  return out;
}

void Workspace::moveTab(ViewId id, int places) {
  std::vector<std::string> order;
  std::string moved;
  for (const ViewEntry *entry : tabs()) {
    order.emplace_back(entry->name);
    if (entry->id == id)
      moved = entry->name;
  }
  moveInOrder(order, moved, places);
  arrangement.tabs = std::move(order);
}

void Workspace::drawTabs() {
  for (const ViewEntry *entry : tabs()) {
    bool front = entry->id == models.front;
    if (front) {
      ImGui::PushStyleColor(ImGuiCol_Button, theme.accent);
      ImGui::PushStyleColor(ImGuiCol_ButtonHovered, theme.accent);
      ImGui::PushStyleColor(ImGuiCol_Text, theme.accentInk);
    }
    if (ImGui::Button(entry->title))
      models.front = entry->id;
    if (front)
      ImGui::PopStyleColor(3);
    // If the user drags a tab past its neighbour, the two change places.
    float x = ImGui::GetIO().MousePos.x;
    if (ImGui::IsItemActive() && ImGui::IsMouseDragging(ImGuiMouseButton_Left)) {
      if (x < ImGui::GetItemRectMin().x)
        moveTab(entry->id, -1);
      else if (x > ImGui::GetItemRectMax().x + theme.px(4))
        moveTab(entry->id, 1);
    }
    ImGui::SameLine(0, theme.px(4));
  }
}

void Workspace::drawToolbar() {
  // In a narrow window, tabs get the room before the program's name and before buttons that are also in the palette.
  float tabsWidth = 0, right = theme.px(290), name = ImGui::CalcTextSize("Lanescope").x * 1.1f + theme.px(28);
  for (const ViewEntry &entry : views())
    tabsWidth += buttonWidth(entry.title) + theme.px(4);
  float room = ImGui::GetContentRegionAvail().x - tabsWidth;
  const bool named = room > name + right, sized = room > right;
  ImGui::AlignTextToFramePadding();
  if (named) {
    heading("Lanescope", theme);
    ImGui::SameLine(0, theme.px(28));
  }
  drawTabs();
  std::string activity = host.activity();
  if (!activity.empty()) {
    ImGui::SameLine(0, theme.px(24));
    // Four bars light up one after another, so that the user sees that work is in progress.
    ImVec2 at = ImGui::GetCursorScreenPos();
    float size = theme.px(6), y = at.y + ImGui::GetFrameHeight() / 2 - size / 2;
    int step = int(ImGui::GetTime() * 6) % 4;
    for (int i = 0; i < 4; ++i)
      ImGui::GetWindowDrawList()->AddRectFilled({at.x + float(i) * size * 1.5f, y},
                                                {at.x + float(i) * size * 1.5f + size, y + size},
                                                i == step ? theme.accent : theme.rule);
    ImGui::Dummy({size * 6, ImGui::GetFrameHeight()});
    ImGui::SameLine(0, theme.px(6));
    ImGui::AlignTextToFramePadding();
    ImGui::TextUnformatted(activity.c_str());
    ImGui::SameLine();
    if (ImGui::Button("Stop"))
      host.interrupt();
    hint("ends what is running");
  }
  if (!sized)
    return ImGui::NewLine();
  ImGui::SameLine(ImGui::GetWindowContentRegionMax().x - right);
  caption("Size", theme);
  if (ImGui::Button("-##smaller"))
    wantScale = std::max(0.5f, theme.scale - 0.1f);
  hint("smaller text and controls");
  ImGui::SameLine(0, theme.px(4));
  if (ImGui::Button("+##larger"))
    wantScale = std::min(4.0f, theme.scale + 0.1f);
  hint("larger text and controls");
  ImGui::SameLine(0, theme.px(20));
  int light = !theme.dark;
  if (segmented("theme", {"Dark", "Light"}, light, theme))
    wantDark = !light;
  ImGui::SameLine(0, theme.px(12));
  if (ImGui::Button("?"))
    models.showKeys = !models.showKeys;
  hint("all keys (F1)");
}

void Workspace::drawStatusLine(const ViewEntry &front) { hints(front.hint, theme); }

bool Workspace::helpWanted() {
  ImGuiIO &io = ImGui::GetIO();
  if (ImGui::IsKeyPressed(kKeyF1, false))
    return true;
  // `?` is recognised by the typed character, wherever its key is. In a text field, it is text. An exception is an
  // empty entry in the console, because no snippet begins with `?`.
  bool typed = io.InputQueueCharacters.Size == 1 && io.InputQueueCharacters[0] == '?';
  if (!typed || (io.WantTextInput && !(models.console.fieldActive && models.console.input.empty())))
    return false;
  io.InputQueueCharacters.clear();
  return true;
}

void Workspace::foldByKeys() {
  const ImGuiIO &io = ImGui::GetIO();
  if (!io.KeyCtrl || io.KeyAlt || io.KeyShift)
    return;
  if (ImGui::IsKeyPressed('B', false))
    arrangement.files.toggle();
  if (ImGui::IsKeyPressed('J', false))
    arrangement.console.toggle();
  if (ImGui::IsKeyPressed('I', false))
    side().folding.toggle();
}

/// Marks the key as held for some time, so that neither this frame nor the next one reports that it was pressed.
static void swallowEscape() { ImGui::GetIO().KeysDownDuration[kKeyEscape] = FLT_MIN; }

void Workspace::closeListsByKey() {
  constexpr ImGuiPopupFlags kAny = ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel;
  if (!ImGui::IsKeyPressed(kKeyEscape, false) || !ImGui::IsPopupOpen("", kAny))
    return;
  ImGui::ClosePopupToLevel(0, true);
  swallowEscape(); // the key only closes the list, and the selection stays
}

void Workspace::actByKeys() {
  const ImGuiIO &io = ImGui::GetIO();
  bool control = io.KeyCtrl && !io.KeyAlt && !io.KeyShift;
  auto pressed = [&](int key) { return control && ImGui::IsKeyPressed(key, false); };
  if (pressed('K'))
    togglePalette(*this);
  if (pressed('O'))
    togglePalette(*this, PaletteModel::Mode::Files);
  if (pressed('E'))
    toggleEditor();
  if (pressed('R'))
    live.run();
  if (pressed('S') && !models.editor.fieldActive) // otherwise the editor handles the key
    live.save();
}

void Workspace::draw(float width, float height) {
  bool showedKeys = models.showKeys;
  closeListsByKey();
  if (models.showKeys && ImGui::IsKeyPressed(kKeyEscape, false)) {
    models.showKeys = false;
    swallowEscape(); // the key only closes the list, and the pin stays
  }
  actByKeys();
  if (helpWanted())
    models.showKeys = !models.showKeys;
  if (models.showKeys && !showedKeys)
    helpFromConsole_ = models.console.fieldActive;
  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize({width, height});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {theme.px(12), theme.px(8)});
  ImGui::Begin("Lanescope", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoScrollWithMouse);
  ImGui::PopStyleVar();
  drawToolbar();
  ImGui::Separator();
  links_.update();
  foldByKeys();
  panels_.draw();
  drawStatusLine(frontEntry());
  ImGui::End();
  drawKeys(models.showKeys, theme);
  drawPalette(*this, theme);
  if (showedKeys && !models.showKeys) // gives the keyboard back to the console, if the console had it before
    models.console.takeFocus |= helpFromConsole_;
}

} // namespace lanescope::viz
