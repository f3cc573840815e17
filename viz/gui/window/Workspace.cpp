#include "viz/gui/window/Workspace.h"

#include "layouts/support/Text.h"
#include "viz/gui/console/ConsoleView.h"
#include "viz/gui/files/FilesView.h"
#include "viz/gui/style/KeyNames.h"
#include "viz/gui/style/Widgets.h"
#include "viz/gui/timeline/TimelineWords.h"

#include <algorithm>

namespace lanescope::viz {

Workspace::Workspace(Host &host, Theme &theme, Textures &textures) : host(host), theme(theme), textures(textures) {
  wantDark = theme.dark, wantScale = theme.scale;
  models.files.refresh(host);
  models.explorer.input.theme = theme.dark ? ColourTheme::Dark : ColourTheme::Light;
  models.explorer.changed(requests);
}

void Workspace::open(const std::string &path) {
  models.files.current = path;
  host.open(path);
}

void Workspace::show(const ShowRequest &request) {
  if (auto *view = std::get_if<ViewRequest>(&request)) {
    if (view->bringToFront) {
      models.explorer.apply({view->spec}, requests);
      models.front = ViewId::Layout;
    } else {
      models.explorer.offer(view->spec.arrays, requests);
    }
  } else if (auto *trace = std::get_if<TraceRequest>(&request)) {
    models.timeline.show(trace->trace);
    models.timeline.title = trace->title;
    if (trace->bringToFront)
      models.front = ViewId::Trace;
  } else if (auto *code = std::get_if<CodeRequest>(&request)) {
    models.code.show(*code);
    if (code->bringToFront)
      models.front = ViewId::Code;
  } else if (auto *dump = std::get_if<DumpPageRequest>(&request)) {
    models.dump.show(dump->page, requests);
    models.front = ViewId::Dump;
  }
}

void Workspace::take(HostEvent &event) {
  if (auto *output = std::get_if<Output>(&event))
    models.console.print(output->text);
  else if (std::get_if<Evaluated>(&event))
    models.console.finished();
  else if (auto *completions = std::get_if<Completions>(&event))
    models.console.completed(*completions);
  else if (auto *show = std::get_if<Show>(&event))
    this->show(show->what);
}

bool Workspace::update() {
  std::vector<HostEvent> events = host.poll();
  for (HostEvent &event : events)
    take(event);
  return requests.deliver() || !events.empty();
}

bool Workspace::pending() const { return requests.busy() || !host.activity().empty(); }

const ViewEntry &Workspace::frontEntry() const {
  for (const ViewEntry &entry : views())
    if (entry.id == models.front)
      return entry;
  return views().front();
}

void Workspace::drawToolbar() {
  ImGui::AlignTextToFramePadding();
  heading("Lanescope", theme);
  ImGui::SameLine(0, theme.px(28));
  for (const ViewEntry &entry : views()) {
    bool front = entry.id == models.front;
    if (front) {
      ImGui::PushStyleColor(ImGuiCol_Button, theme.accent);
      ImGui::PushStyleColor(ImGuiCol_ButtonHovered, theme.accent);
      ImGui::PushStyleColor(ImGuiCol_Text, theme.accentInk);
    }
    if (ImGui::Button(entry.title))
      models.front = entry.id;
    if (front)
      ImGui::PopStyleColor(3);
    ImGui::SameLine(0, theme.px(4));
  }
  std::string activity = host.activity();
  if (!activity.empty()) {
    ImGui::SameLine(0, theme.px(24));
    // Four bars that fill in turn: something moves while work goes on.
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
  }
  float right = theme.px(290);
  ImGui::SameLine(ImGui::GetWindowContentRegionMax().x - right);
  caption("Size", theme);
  if (ImGui::Button("-##smaller"))
    wantScale = std::max(0.5f, theme.scale - 0.1f);
  ImGui::SameLine(0, theme.px(4));
  if (ImGui::Button("+##larger"))
    wantScale = std::min(4.0f, theme.scale + 0.1f);
  ImGui::SameLine(0, theme.px(20));
  int light = !theme.dark;
  if (segmented("theme", {"Dark", "Light"}, light, theme))
    wantDark = !light;
  ImGui::SameLine(0, theme.px(12));
  if (ImGui::Button("?"))
    models.showKeys = !models.showKeys;
}

void Workspace::drawStatusLine(const ViewEntry &front) {
  ImGui::PushFont(theme.small);
  ImGui::PushStyleColor(ImGuiCol_Text, theme.faint);
  ImGui::TextUnformatted(front.hint);
  ImGui::PopStyleColor();
  ImGui::PopFont();
}

bool Workspace::helpWanted() {
  ImGuiIO &io = ImGui::GetIO();
  if (ImGui::IsKeyPressed(kKeyF1, false))
    return true;
  // `?` by what was typed, wherever the keyboard has it; while someone writes, it is text, but no snippet begins with
  // it.
  bool typed = io.InputQueueCharacters.Size == 1 && io.InputQueueCharacters[0] == '?';
  if (!typed || (io.WantTextInput && !(models.console.fieldActive && models.console.input.empty())))
    return false;
  io.InputQueueCharacters.clear();
  return true;
}

void Workspace::draw(float width, float height) {
  bool showedKeys = models.showKeys;
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
  const ViewEntry &front = frontEntry();
  ViewContext context{requests, host, theme, textures, place};
  float gap = theme.px(8), status = theme.small->FontSize + theme.px(8);
  ImVec2 space = ImGui::GetContentRegionAvail();
  space.y -= status;
  float files = std::min(theme.px(filesWidth_), space.x * 0.4f);
  auto panel = [&](const char *id, ImVec2 size, ImU32 ground, auto draw) {
    ImGui::PushStyleColor(ImGuiCol_ChildBg, ground);
    ImGui::PushStyleVar(ImGuiStyleVar_ChildRounding, theme.px(6));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {theme.px(12), theme.px(10)});
    ImGui::BeginChild(id, size, false,
                      ImGuiWindowFlags_AlwaysUseWindowPadding | ImGuiWindowFlags_NoScrollWithMouse |
                          ImGuiWindowFlags_NoScrollbar);
    ImGui::PopStyleVar(2);
    ImGui::PopStyleColor();
    draw();
    ImGui::EndChild();
  };
  panel("files", {files, space.y}, theme.panel, [&] { drawFilesView(models.files, context); });
  ImGui::SameLine(0, 0);
  ImGui::InvisibleButton("split files", {gap, space.y});
  if (ImGui::IsItemHovered() || ImGui::IsItemActive())
    ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
  if (ImGui::IsItemActive())
    filesWidth_ = std::clamp(filesWidth_ + ImGui::GetIO().MouseDelta.x / theme.scale, 120.0f, 600.0f);
  ImGui::SameLine(0, 0);
  ImGui::BeginGroup();
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
  float rest = ImGui::GetContentRegionAvail().x;
  float console = std::clamp(space.y * consoleShare_, theme.px(120), std::max(space.y - theme.px(200), theme.px(120)));
  // Children take the spacing that is pushed when they begin, so it is restored inside.
  auto spaced = [&](auto draw) {
    return [&, draw] {
      ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {theme.px(10), theme.px(8)});
      draw();
      ImGui::PopStyleVar();
    };
  };
  panel("view", {rest, std::max(space.y - console - gap, 60.0f)}, theme.ground,
        spaced([&] { front.draw(models, places, context); }));
  ImGui::InvisibleButton("split console", {rest, gap});
  if (ImGui::IsItemHovered() || ImGui::IsItemActive())
    ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeNS);
  if (ImGui::IsItemActive())
    consoleShare_ = std::clamp(consoleShare_ - ImGui::GetIO().MouseDelta.y / std::max(space.y, 1.0f), 0.1f, 0.8f);
  panel("console", {rest, console}, theme.panel, spaced([&] { drawConsoleView(models.console, context); }));
  ImGui::PopStyleVar();
  ImGui::EndGroup();
  drawStatusLine(front);
  ImGui::End();
  drawKeys(models.showKeys, theme);
  if (showedKeys && !models.showKeys) // the keyboard goes back to where it was
    models.console.takeFocus |= helpFromConsole_;
}

std::string Workspace::readableText() const {
  std::string out;
  auto add = [&](const std::string &line) { out += line + "\n"; };
  switch (models.front) {
  case ViewId::Layout: {
    const ExplorerModel &explorer = models.explorer;
    for (PaneKind kind : explorer.openPanes()) {
      const Pane &pane = explorer.pane(kind);
      if (const Scene *scene = pane.picture.scene()) {
        add(scene->title);
        for (const LegendEntry &entry : scene->legend)
          add(entry.text);
        for (const std::string &note : scene->notes)
          add(note);
      }
      for (const Diagnostic &diagnostic : pane.diagnostics)
        add(diagnostic.message);
    }
    if (explorer.facts().access)
      for (const std::string &line : explorer.facts().access->sentences)
        add(line);
    for (const auto *lines : {&explorer.words(), &explorer.accessWords(), &explorer.steps(),
                              &explorer.facts().comparison, &explorer.facts().remarks})
      for (const std::string &line : *lines)
        add(line);
    for (const LayoutText &written : explorer.facts().texts)
      add(written.title + " " + written.text);
    for (const Diagnostic &diagnostic : explorer.diagnostics())
      add(diagnostic.message);
    add(explorer.message);
    break;
  }
  case ViewId::Trace:
    add(models.timeline.title);
    if (models.timeline.empty())
      break;
    add(scopeText(models.timeline));
    for (const StatisticsRow &row : statisticsRows(models.timeline))
      add(text(core::regionName(*models.timeline.trace(), row.name), " ",
               joined(std::vector(row.cells.begin(), row.cells.end()), " ")));
    for (const std::string &remark : statisticsRemarks(models.timeline))
      add(remark);
    add(models.timeline.describe(models.timeline.hovered));
    add(models.timeline.describe(models.timeline.selected));
    for (const std::string &line : models.timeline.linkWords(models.timeline.selected))
      add(line);
    break;
  case ViewId::Code:
    for (const CodeModel::Page &page : models.code.pages())
      add(page.title + "\n" + page.text);
    break;
  case ViewId::Dump:
    if (models.dump.empty())
      break;
    add(models.dump.page().summary);
    for (const DumpRow &row : models.dump.page().rows)
      add(row.name);
    for (const DumpSection &section : models.dump.page().sections)
      add(section.title + "\n" + section.text);
    add(models.dump.valueWords() + models.dump.problem);
    if (const Scene *scene = models.dump.picture.scene())
      add(scene->title);
    break;
  }
  if (models.showKeys)
    out += keysText();
  for (const AnsiLine &line : models.console.lines()) {
    for (const AnsiRun &run : line)
      out += run.text;
    out += '\n';
  }
  return out + models.console.input;
}

} // namespace lanescope::viz
