#include "viz/gui/window/ScriptRunner.h"

#include "viz/gui/window/CutTexts.h"

#include "layouts/support/Text.h"
#include "viz/gui/window/OverlappingTexts.h"
#include "viz/gui/window/ScriptOutcome.h"
#include "viz/host/FieldText.h"

#include <algorithm>
#include <cmath>

namespace lanescope::viz {

namespace {
constexpr auto kPatience = std::chrono::seconds(300); // time limit for any single piece of work that is pending

/// The picture to which commands apply.
SceneModel *pictureOf(Models &models) {
  if (models.front == ViewId::Data)
    return models.data.empty() ? nullptr : &models.data.picture;
  return models.front == ViewId::Layout ? &models.explorer.pane(models.explorer.front).picture : nullptr;
}

const CanvasPlace &placeOf(const Workspace &workspace) {
  return workspace.models.front == ViewId::Layout ? workspace.places[size_t(workspace.models.explorer.front)]
                                                  : workspace.place;
}

/// The pixel on the screen that shows a spot of the picture, because a pointer is always at a whole pixel. The picture
/// is moved until the spot is visible and not below the minimap. It is enlarged if the spot is smaller than a pixel.
std::optional<ImVec2> pointOn(SceneModel &picture, Spot spot, const CanvasPlace &place) {
  // Each step enlarges by a factor of 1.25. This number of steps enlarges the finest cell to any size.
  constexpr int kSteps = 40;
  constexpr float kThird = 1 / 3.0f;
  for (int step = 0; step < kSteps; ++step) {
    Point at = picture.viewport.toCanvas(*picture.centreOf(spot));
    bool inSight = at.x >= 0 && at.y >= 0 && at.x < place.size.x && at.y < place.size.y;
    bool atMinimap = at.x > place.size.x / 2 && at.y > place.size.y / 2;
    if (!inSight || (atMinimap && picture.partial())) {
      picture.viewport.pan(place.size.x * kThird - at.x, place.size.y * kThird - at.y);
      at = {place.size.x * kThird, place.size.y * kThird};
    }
    ImVec2 whole{std::floor(place.at.x + float(at.x)), std::floor(place.at.y + float(at.y))};
    for (ImVec2 each :
         {whole, ImVec2{whole.x + 1, whole.y}, ImVec2{whole.x, whole.y + 1}, ImVec2{whole.x + 1, whole.y + 1}})
      if (picture.spotAt({each.x - place.at.x, each.y - place.at.y}) == spot)
        return each;
    picture.viewport.zoomAt(at, 1.25);
  }
  return std::nullopt;
}
} // namespace

void ScriptRunner::problem(std::string message, bool stops) {
  problems_.push_back({Severity::Error, "script", current_ ? current_->span : Span{}, std::move(message), {}});
  stopped_ |= stops;
}

void ScriptRunner::fail(Diagnostics problems) {
  Span place = current_ ? current_->span : Span{};
  // This is a variable, because g++ 12 would destroy a temporary in the loop's head too early.
  Diagnostics placed = at(place, std::move(problems)).error();
  for (Diagnostic &each : placed)
    problems_.push_back(std::move(each));
  stopped_ = true;
}

void ScriptRunner::checkOutcome(const Workspace &workspace) {
  checked_ = true;
  if (std::string why = failureOf(*current_, at_ < commands_.size() ? &commands_[at_] : nullptr, workspace);
      !why.empty())
    problem(std::move(why));
}

void ScriptRunner::plan(ScriptStep step, int frames) {
  for (int i = 0; i < frames; ++i)
    plan_.push_back(step);
}

ScriptStep ScriptRunner::next(Workspace &workspace, bool textFieldActive) {
  ScriptStep idle;
  idle.pointer = pointer_;
  auto now = std::chrono::steady_clock::now();
  if (workspace.pending()) {
    if (now - quietSince_ > kPatience && !stopped_)
      problem(text("still waiting for `", workspace.host.activity(), "` after 5 minutes"));
    wait_ = std::max(wait_, 2); // the next command must see the new results after they are drawn
    return idle;
  }
  quietSince_ = now;
  if (wait_ > 0) {
    --wait_;
    return idle;
  }
  if (plan_.empty() && !checked_)
    checkOutcome(workspace);
  if (plan_.empty() && !done()) {
    checked_ = false;
    current_ = &commands_[at_++];
    begin(*current_, workspace, textFieldActive);
    wait_ = std::max(wait_, 2);
  }
  if (plan_.empty())
    return idle;
  ScriptStep step = plan_.front();
  plan_.pop_front();
  if (step.line.some()) {
    const CodeModel::Drawn &drawn = workspace.models.code.drawn(step.line.page);
    step.pointer = {
        std::floor(drawn.left + drawn.width / 2),
        std::floor(drawn.top + (static_cast<float>(step.line.line) - 0.5f) * drawn.lineHeight - drawn.scroll)};
    if (step.pointer.y < drawn.top || step.pointer.y >= drawn.top + drawn.height) {
      problem(text("line ", step.line.line, " is out of sight: its text has no room here"));
      return idle;
    }
  }
  pointer_ = step.pointer;
  return step;
}

void ScriptRunner::begin(const ScriptCommand &command, Workspace &workspace, bool textFieldActive) {
  Models &models = workspace.models;
  const std::string &name = command.name;
  ScriptStep step;
  step.pointer = pointer_;
  if (name == "open") {
    workspace.open(command.rest);
  } else if (name == "drop" || name == "choose") {
    beginFile(command, workspace);
  } else if (name == "view") {
    beginView(command.rest, workspace);
  } else if (fillsField(command) || name == "export" || name == "copy" || name == "paste") {
    beginField(command, workspace);
  } else if (name == "code") {
    beginCode(command.rest, workspace);
  } else if (name == "op" || name == "page" || name == "cast") {
    beginDump(command, workspace);
  } else if (name == "debug" || name == "moment" || name == "break" || name == "stop" || name == "focus" ||
             name == "panel" || name == "value") {
    beginDebugger(command, workspace);
  } else if (name == "color") {
    beginColour(command, workspace);
  } else if (name == "hover" || name == "click" || name == "drag" || name == "wheel" || name == "zoom") {
    beginPointer(command, workspace);
  } else if (name == "fit") {
    if (SceneModel *picture = pictureOf(models))
      picture->requestFit();
    else if (models.front == ViewId::Trace)
      models.timeline.showAll();
    else
      problem("there is no picture in this view to `fit`");
  } else if (name == "range" || name == "select") {
    if (models.front != ViewId::Trace || models.timeline.empty())
      return problem(text("`", name, "` needs a trace in front"));
    TimeRange range{*parseNumber(command.words[0]), *parseNumber(command.words[1])};
    if (!(range.begin < range.end))
      return problem("the stretch must end after it begins");
    if (name == "range")
      models.timeline.setView(range);
    else
      models.timeline.selectRange(range);
  } else if (name == "search") {
    if (models.front != ViewId::Trace || models.timeline.empty())
      return problem("`search` needs a trace in front");
    models.timeline.filter.search(command.rest);
  } else if (name == "edit" || name == "param" || name == "workspace") {
    beginSnippet(command, workspace);
  } else if (name == "type") {
    if (!textFieldActive) {
      step.focusConsole = true;
      plan(step);
      step.focusConsole = false;
      plan(step, 2);
    }
    step.characters = command.rest;
    plan(step);
  } else if (name == "key") {
    step.key = keyNamed(command.words[0]);
    if (command.words[0] == "?")
      step.characters = "?"; // presses the key that types a character
    plan(step);
    step.key.reset();
    step.characters.clear();
    plan(step);
  } else if (name == "wait") {
    wait_ = command.words.empty() ? 2 : *parseInteger<int32_t>(command.words[0]);
  } else if (name == "expect") {
    if (workspace.readableText().find(command.rest) == std::string::npos)
      problem(text("`", command.rest, "` is not to be read in the current view or the console"));
  } else if (name == "uncut") {
    const ImFont *const code[] = {workspace.theme.mono, workspace.theme.monoBold};
    const ImDrawData *drawn = ImGui::GetDrawData();
    if (!drawn)
      return;
    if (std::vector<std::string> cut = cutTexts(*drawn, *ImGui::GetIO().Fonts, code); !cut.empty())
      problem(text("texts are cut off at a side: `", joined(cut, "`, `"), "`"), false);
    constexpr size_t kMost = 8;
    std::string over;
    auto overlaps = overlappingTexts(*drawn, *ImGui::GetIO().Fonts);
    for (size_t n = 0; n < std::min(overlaps.size(), kMost); ++n)
      over += text(n ? "; `" : "`", overlaps[n].second, "` over `", overlaps[n].first, "`");
    if (overlaps.size() > kMost)
      over += text("; and ", overlaps.size() - kMost, " more");
    if (!over.empty())
      problem(text("texts are drawn over each other: ", over), false);
  } else if (name == "palette") {
    std::vector<PaletteEntry> entries = paletteEntries(workspace);
    std::vector<size_t> found = matching(entries, command.rest);
    if (found.empty())
      return problem(text("the palette has nothing for `", command.rest, "`"));
    entries[found.front()].run(workspace);
  } else if (name == "theme") {
    workspace.wantDark = command.rest == "dark";
  } else if (name == "scale") {
    workspace.wantScale = float(*parseNumber(command.words[0]));
  } else if (name == "screenshot") {
    step.screenshot = command.rest;
    plan(step);
  } else if (name == "quit") {
    stopped_ = true;
  }
}

void ScriptRunner::beginView(const std::string &name, Workspace &workspace) {
  if (name == "console") {
    workspace.models.console.takeFocus = true;
    return;
  }
  if (auto kind = paneNamed(name)) {
    workspace.bringToFront(ViewId::Layout);
    bool wasOpen = workspace.models.explorer.pane(*kind).open;
    workspace.models.explorer.bringToFront(*kind);
    if (!wasOpen)
      workspace.models.explorer.changed(workspace.requests);
    return;
  }
  for (const ViewEntry &entry : views())
    if (name == entry.name)
      workspace.bringToFront(entry.id);
}

void ScriptRunner::beginField(const ScriptCommand &command, Workspace &workspace) {
  ExplorerModel &explorer = workspace.models.explorer;
  const std::string &name = command.name, &value = command.rest;
  if (workspace.models.front != ViewId::Layout)
    return problem(text("the view in front has no field `", name, "`"));
  ExplorerInput &input = explorer.input;
  if (name == "layout" && explorer.front == PaneKind::Tmem) {
    input.tmem = value;
  } else if (name == "layout") {
    input.layout = value;
    return explorer.layoutChanged(workspace.requests);
  } else if (name == "compare") {
    input.compare = value == "none" ? "" : value;
  } else if (name == "shape") {
    input.shape = value;
    input.layoutEdited = false;
  } else if (name == "dtype") {
    input.dtype = value;
    input.layoutEdited = false;
  } else if (name == "panes") {
    std::vector<PaneKind> wanted;
    for (const std::string &word : command.words)
      wanted.push_back(*paneNamed(word));
    for (PaneKind kind : wanted)
      explorer.open(kind, true);
    for (PaneKind kind : explorer.openPanes())
      if (std::find(wanted.begin(), wanted.end(), kind) == wanted.end())
        explorer.open(kind, false);
    explorer.front = wanted.front();
  } else if (name == "slice") {
    input.slice.clear();
    if (value != "none")
      for (const std::string &word : command.words)
        input.slice.push_back(*parseInteger<int64_t>(word));
  } else if (name == "memory") {
    input.memory = layouts::memoryNamed(value);
  } else if (name == "tiling") {
    input.tiling = value;
  } else if (name == "swizzle") {
    input.swizzle = parseSwizzleField(value).value_or(0);
  } else if (name == "swizzled") {
    input.stage = value == "before" ? SmemStage::Unswizzled : value == "after" ? SmemStage::Swizzled : SmemStage::Both;
  } else if (name == "access") {
    input.access = value == "none" ? "" : value;
  } else if (name == "transpose") {
    input.transpose = value == "on";
  } else if (name == "export") {
    return explorer.exportFront(value, workspace.requests);
  } else if (name == "copy") {
    return ImGui::SetClipboardText(explorer.copied().c_str());
  } else if (name == "paste") {
    const char *clipboard = value.empty() ? ImGui::GetClipboardText() : nullptr;
    return explorer.paste(clipboard ? clipboard : value, workspace.requests);
  }
  explorer.changed(workspace.requests);
}

void ScriptRunner::beginSnippet(const ScriptCommand &command, Workspace &workspace) {
  if (command.name == "workspace")
    return workspace.save(command.rest);
  if (command.name == "edit") {
    EditorModel &editor = workspace.models.editor;
    if (editor.empty())
      return problem("no snippet is open that could be edited");
    if (size_t lines = editor.buffer().lines(); *parseInteger<size_t>(command.words[0]) > lines)
      return problem(text("the snippet has ", lines, " lines"));
    workspace.editorOpen = editor.takeFocus = true;
    size_t column = command.words.size() > 1 ? *parseInteger<size_t>(command.words[1]) : 1;
    return editor.moveTo({*parseInteger<size_t>(command.words[0]) - 1, column - 1});
  }
  const auto &parameters = workspace.live.parameters();
  // The names of a launch's parameters contain blanks: `param dynamic smem 1024`.
  auto at = std::ranges::find_if(
      parameters, [&](const ParameterControl &each) { return command.rest.starts_with(each.name + " "); });
  if (at == parameters.end())
    return problem(text("the snippet in front has no parameter `", command.words[0], "`"));
  std::string value = command.rest.substr(at->name.size() + 1);
  value.erase(0, value.find_first_not_of(' '));
  if (!at->choices.empty() && std::ranges::find(at->choices, value) == at->choices.end())
    return problem(text("`", at->name, "` has the choices ", joined(at->choices, ", ")));
  workspace.live.setParameter(static_cast<size_t>(at - parameters.begin()), std::move(value));
}

void ScriptRunner::beginCode(const std::string &texts, Workspace &workspace) {
  CodeModel &code = workspace.models.code;
  workspace.bringToFront(ViewId::Code);
  std::vector<size_t> wanted;
  for (size_t at = 0; at <= texts.size();) {
    size_t end = std::min(texts.find(',', at), texts.size());
    std::string_view title = std::string_view(texts).substr(at, end - at);
    title.remove_prefix(std::min(title.find_first_not_of(' '), title.size()));
    title = title.substr(0, title.find_last_not_of(' ') + 1);
    at = end + 1;
    if (std::optional<size_t> page = code.pageNamed(title)) {
      wanted.push_back(*page);
    } else if (!title.empty() && title == code.onDemand()) {
      code.makeOnDemand(workspace.host);
    } else {
      std::vector<std::string> titles;
      for (const CodeModel::Page &each : code.pages())
        titles.push_back(each.title);
      return problem(text("the code view has no text `", title, "`; it has ", joined(titles, ", ")));
    }
  }
  if (!wanted.empty())
    code.openOnly(wanted);
}

void ScriptRunner::beginLine(const ScriptCommand &command, Workspace &workspace) {
  CodeModel &code = workspace.models.code;
  if (workspace.models.front != ViewId::Code || code.pages().empty())
    return problem(text("`", command.name, " line` needs texts in the code view in front"));
  CodePlace place{code.front(), *parseInteger<uint32_t>(command.words[1])};
  if (command.words.size() > 2) {
    std::string title = command.rest.substr(command.rest.find(command.words[1], 4) + command.words[1].size());
    title.erase(0, title.find_first_not_of(" \t"));
    std::optional<size_t> page = code.pageNamed(title);
    if (!page || !code.isOpen(*page))
      return problem(text("no text `", title, "` is open"));
    place.page = *page;
  }
  if (place.line > code.pages()[place.page].lines())
    return problem(text("`", code.pages()[place.page].title, "` has ", code.pages()[place.page].lines(), " lines"));
  code.reveal(place);
  ScriptStep step;
  step.pointer = {-FLT_MAX, -FLT_MAX};
  plan(step, 3); // until the line is drawn in the visible part
  step.line = place;
  plan(step, 2);
  if (command.name == "click")
    planClick(step);
}

void ScriptRunner::planClick(ScriptStep step) {
  step.down = true;
  plan(step);
  step.down = false;
  plan(step, 2);
}

void ScriptRunner::beginDump(const ScriptCommand &command, Workspace &workspace) {
  DumpModel &dump = workspace.models.dump;
  if (workspace.models.front != ViewId::Dump || dump.empty())
    return problem(text("`", command.name, "` needs a dump in front"));
  if (command.name == "op") {
    double number = *parseNumber(command.words[0]);
    if (!(number >= 1 && number <= static_cast<double>(dump.page().rows.size())))
      return problem(text("the dump has operations 1 to ", dump.page().rows.size()));
    dump.choose(static_cast<size_t>(number) - 1, workspace.requests);
  } else if (command.name == "page") {
    using enum DumpModel::Side;
    const std::string &side = command.rest;
    dump.showSide(side == "value"    ? Value
                  : side == "shared" ? SharedMemory
                  : side == "tensor" ? TensorMemory
                                     : Page,
                  workspace.requests);
  } else {
    workspace.models.console.run(workspace.host, dump.whatIf(command.rest));
  }
}

void ScriptRunner::beginFile(const ScriptCommand &command, Workspace &workspace) {
  constexpr std::string_view kOn = " on ";
  std::string array = command.rest, path;
  if (command.name == "drop") {
    size_t on = command.rest.rfind(kOn);
    path = command.rest.substr(0, on);
    array = on == std::string::npos ? std::string() : command.rest.substr(on + kOn.size());
  }
  const ParameterEvents::ArrayField *field = array.empty() ? nullptr : workspace.arrayField(array);
  if (!array.empty() && !field)
    return problem(text("the launch in front has no array `", array, "` that takes a file"));
  if (command.name == "drop") {
    ImVec2 size = ImGui::GetIO().DisplaySize;
    DockRect to = field ? field->place : DockRect{0, 0, size.x, size.y};
    return workspace.drop(path, to.x + to.width / 2, to.y + to.height / 2);
  }
  ScriptStep step;
  step.pointer = {std::floor(field->button.x + field->button.width / 2),
                  std::floor(field->button.y + field->button.height / 2)};
  plan(step, 2);
  planClick(step);
}

void ScriptRunner::beginDebugger(const ScriptCommand &command, Workspace &workspace) {
  DebuggerModel &debugger = workspace.models.debugger;
  if (!debugger.target())
    return problem("no kernel has been run that the debugger could open");
  workspace.bringToFront(ViewId::Debugger);
  const std::vector<std::string> &words = command.words;
  auto number = [&](size_t i) { return static_cast<uint64_t>(std::max(0.0, *parseNumber(words[i]))); };
  if (command.name == "debug") {
    debugger.perform(debugActionNamed(words[0])->action);
  } else if (command.name == "moment") {
    debugger.goTo(number(0));
  } else if (command.name == "break") {
    debugger.toggleBreakpoint(static_cast<uint32_t>(number(0)), !debugger.ptxInFront);
  } else if (command.name == "stop") {
    debugger.showPanel(DebugPanel::Stops);
    debugger.obey(command.rest);
  } else if (command.name == "focus") {
    if (auto warp = warpOf(command, debugger.target()->launch))
      debugger.setFocus(*warp);
    else
      problem(text("the launch has no block ", joined(words, ", "), " (device, block and warp, or block and warp)"));
  } else if (command.name == "value") {
    debugger.showValue(command.rest);
  } else {
    debugger.showPanel(std::ranges::find(debugPanels(), words[0], &DebugPanelEntry::name)->panel);
  }
}

void ScriptRunner::beginColour(const ScriptCommand &command, Workspace &workspace) {
  ExplorerModel &explorer = workspace.models.explorer;
  const std::string &value = command.rest;
  if (workspace.models.front != ViewId::Layout)
    return problem(text("the view in front can't be coloured by `", value, "`"));
  if (auto colour = colourByNamed(value); colour && *colour != ColourBy::Custom)
    explorer.input.colourBy = *colour;
  else if (auto smem = smemColourNamed(value); smem && *smem != SmemColour::Warp)
    explorer.input.smemColour = *smem;
  else
    return problem(text("pictures can't be coloured by `", value, "`"));
  explorer.changed(workspace.requests);
}

void ScriptRunner::beginPointer(const ScriptCommand &command, Workspace &workspace) {
  Models &models = workspace.models;
  const CanvasPlace &place = placeOf(workspace);
  SceneModel *picture = pictureOf(models);
  ImVec2 middle{place.at.x + place.size.x / 2, place.at.y + place.size.y / 2};
  ScriptStep step;
  step.pointer = pointer_;
  if (command.name == "zoom") {
    double factor = *parseNumber(command.words[0]);
    if (picture)
      picture->viewport.zoomAt({place.size.x / 2, place.size.y / 2}, factor);
    else if (models.front == ViewId::Trace)
      models.timeline.zoomAt(place.size.x / 2, place.size.x, factor);
    else
      problem("the view in front can't zoom");
    return;
  }
  if (command.name == "wheel" || command.name == "drag") {
    if (pointer_.x == -FLT_MAX)
      step.pointer = middle;
    plan(step); // the view must first notice that the pointer is on it
    if (command.name == "wheel") {
      step.wheel = float(*parseNumber(command.words[0]));
      plan(step);
      return;
    }
    float dx = float(*parseNumber(command.words[0])), dy = float(*parseNumber(command.words[1]));
    step.down = true;
    plan(step);
    ImVec2 from = step.pointer;
    for (int i = 1; i <= 4; ++i) {
      step.pointer = {from.x + dx * float(i) / 4, from.y + dy * float(i) / 4};
      plan(step);
    }
    step.down = false;
    plan(step);
    return;
  }
  if (models.front == ViewId::Dump)
    return problem("operations of a dump are chosen with `op N`");
  if (command.words[0] == "line")
    return beginLine(command, workspace);
  if (command.words[0] == "none") {
    step.pointer = {-FLT_MAX, -FLT_MAX};
    plan(step, 2);
    return;
  }
  int32_t row = *parseInteger<int32_t>(command.words[0]), column = *parseInteger<int32_t>(command.words[1]);
  if (picture) {
    Spot spot = picture->spotOf(row, column);
    if (!picture->centreOf(spot))
      return problem(text("there is no cell (", row, ", ", column, ") in the picture"));
    auto hit = pointOn(*picture, spot, place);
    if (!hit)
      return problem(text("(", row, ", ", column, ") is out of sight; `fit` shows everything"));
    step.pointer = *hit;
  } else {
    Point at;
    SliceRef slice{models.timeline.trackInOrder(row), column};
    if (models.front == ViewId::Trace)
      models.timeline.reveal(slice);
    if (models.front != ViewId::Trace || !models.timeline.centreOf(slice, place.size.x, at))
      return problem(text("there is no slice ", column, " of track ", row, " in the view in front"));
    if (at.x < 0 || at.y < 0 || at.x >= place.size.x || at.y >= place.size.y)
      return problem(text("(", row, ", ", column, ") is out of sight; `fit` shows everything"));
    step.pointer = {place.at.x + float(at.x), place.at.y + float(at.y)};
  }
  plan(step, 2);
  if (command.name == "click")
    planClick(step);
}

} // namespace lanescope::viz
