// The layout explorer. It has fields for the array and its layout, the open pictures side by side, and the facts about
// the selected element.
#include "viz/gui/explorer/ExplorerView.h"

#include "viz/gui/explorer/PaneGrid.h"

#include "viz/gui/style/KeyNames.h"
#include "viz/gui/style/Splitter.h"
#include "viz/gui/style/Widgets.h"

#include "layouts/support/Text.h"
#include "layouts/support/Words.h"

#include <imgui_stdlib.h>

#include <cmath>

namespace lanescope::viz {

namespace {

constexpr float kInspectorWidth = 330, kLeastInspector = 220;
// In pixels, including the title and the ticks. Smaller pictures are shown one at a time.
constexpr float kLeastPicture = 190;

constexpr const char *kDraggedPicture = "picture"; // the user drags a picture by its title to the place of another one

void pasteView(ExplorerModel &model, ViewContext &context) {
  if (const char *clipboard = ImGui::GetClipboardText(); clipboard && *clipboard)
    model.paste(clipboard, context.requests);
}

/// The words of a field for a layout. Diagnostics refer to it as the source `field`.
struct LayoutField {
  const char *name, *field, *hint, *listName;
};

/// Draws the field of a layout and, beside it, a list of possible values. Returns true if the user has edited the text.
/// Marks the places to which diagnostics refer.
template <typename Names>
bool layoutField(const LayoutField &words, std::string &value, const Names &names, const Diagnostics &diagnostics,
                 ViewContext &context) {
  const auto &[name, field, hint, listName] = words;
  const Theme &theme = context.theme;
  ImGui::PushID(field);
  float captions = std::max(ImGui::CalcTextSize("Tensor memory").x, ImGui::CalcTextSize(name).x) + theme.px(8);
  float left = ImGui::GetCursorScreenPos().x;
  caption(name, theme);
  ImGui::SetCursorScreenPos({left + captions, ImGui::GetCursorScreenPos().y});
  float listWidth = theme.px(130);
  float width = ImGui::GetContentRegionAvail().x - listWidth - ImGui::GetStyle().ItemSpacing.x;
  bool edited = codeField("##text", value, width, concerns(diagnostics, field), theme, hint);
  markProblems(diagnostics, field, value, theme);
  ImGui::SameLine();
  ImGui::SetNextItemWidth(listWidth);
  if (ImGui::BeginCombo("##catalogue", listName, ImGuiComboFlags_HeightLargest | ImGuiComboFlags_PopupAlignLeft)) {
    for (const std::string &entry : names())
      if (ImGui::Selectable(entry.c_str(), entry == value)) {
        value = entry;
        edited = true;
      }
    ImGui::EndCombo();
  }
  ImGui::PopID();
  return edited;
}

/// Draws a choice of the layouts in a pasted piece of text.
void drawFound(ExplorerModel &model, ViewContext &context) {
  const std::vector<FoundText> &found = model.facts().found;
  if (found.empty())
    return;
  std::string count = counted(found.size(), "layout");
  caption(text(model.input.arrays.empty() ? "Found in the text: " : "The kernel's arrays: ", count).c_str(),
          context.theme);
  constexpr size_t kMostButtons = 12;
  for (size_t i = 0; i < std::min(found.size(), kMostButtons); ++i) {
    std::string name = text(found[i].name, found[i].shape.empty() ? "" : "  ", found[i].shape, "##", i);
    if (i)
      flow(buttonWidth(name.c_str()), context.theme);
    if (ImGui::SmallButton(name.c_str())) {
      FoundText chosen = found[i]; // choosing changes the list
      model.choose(chosen, context.requests);
      return;
    }
    if (ImGui::IsItemHovered())
      drawTooltip(found[i].text, context.theme);
  }
}

void drawSlices(ExplorerModel &model, ViewContext &context) {
  const layouts::Shape &shape = model.facts().shape;
  if (shape.size() <= 2)
    return;
  const Theme &theme = context.theme;
  size_t leading = shape.size() - 2;
  bool sliced = !model.input.slice.empty(), edited = false;
  flow(buttonWidth("One slice") + ImGui::GetFrameHeight(), theme);
  if (ImGui::Checkbox("One slice", &sliced)) {
    model.input.slice.assign(sliced ? leading : 0, 0);
    edited = true;
  }
  model.input.slice.resize(sliced ? leading : 0, 0);
  for (size_t d = 0; d < model.input.slice.size(); ++d) {
    std::string name = text("index ", d);
    captionInFlow(name.c_str(), theme.px(140), theme);
    int at = int(model.input.slice[d]);
    ImGui::SetNextItemWidth(theme.px(140));
    ImGui::PushID(int(d));
    if (ImGui::SliderInt("##slice", &at, 0, int(shape[d]) - 1, "%d", ImGuiSliderFlags_AlwaysClamp)) {
      model.input.slice[d] = at;
      edited = true;
    }
    ImGui::PopID();
  }
  if (edited)
    model.changed(context.requests);
}

/// Draws fields for the array's place in the memories whose pictures are open, if the layout does not give the place.
void drawMemoryFields(ExplorerModel &model, ViewContext &context) {
  const Theme &theme = context.theme;
  bool edited = false;
  if (model.pane(PaneKind::Tmem).open) {
    const ExplorerFacts &facts = model.facts();
    edited |= layoutField(
        {"Tensor memory", "tmem", "auto, or a layout of tensor memory in any language", "Its forms"}, model.input.tmem,
        [&] { return tmemForms(facts.shape, facts.dtype); }, model.pane(PaneKind::Tmem).diagnostics, context);
  }
  if (model.pane(PaneKind::Smem).open) {
    ExplorerInput &input = model.input;
    caption("Tiles", theme);
    edited |= codeField("##tiling", input.tiling, theme.px(90),
                        concerns(model.pane(PaneKind::Smem).diagnostics, "tiling"), theme, "none");
    constexpr int kSwizzles[] = {0, 32, 64, 128};
    int swizzle = 0;
    for (int i = 0; i < 4; ++i)
      if (kSwizzles[i] == input.swizzle)
        swizzle = i;
    const std::initializer_list<const char *> swizzles = {"none", "32", "64", "128"};
    captionInFlow("Swizzle", segmentedWidth(swizzles, theme), theme);
    if (segmented("swizzle", swizzles, swizzle, theme)) {
      input.swizzle = kSwizzles[swizzle];
      edited = true;
    }
    const std::initializer_list<const char *> stages = {"before", "after", "both"};
    captionInFlow("Shown", segmentedWidth(stages, theme), theme);
    constexpr SmemStage kStages[] = {SmemStage::Unswizzled, SmemStage::Swizzled, SmemStage::Both};
    int stage = input.stage == SmemStage::Unswizzled ? 0 : input.stage == SmemStage::Both ? 2 : 1;
    if (segmented("stage", stages, stage, theme)) {
      input.stage = kStages[stage];
      edited = true;
    }
    flow(buttonWidth("Transposed") + ImGui::GetFrameHeight(), theme);
    edited |= ImGui::Checkbox("Transposed", &input.transpose);
    const std::initializer_list<const char *> colours = {"16 bytes", "row", "column"};
    captionInFlow("Colours", segmentedWidth(colours, theme), theme);
    int colour = int(input.smemColour);
    edited |= segmented("colour", colours, colour, theme);
    input.smemColour = SmemColour(colour);
    captionInFlow("Conflicts of", theme.px(150), theme);
    ImGui::SetNextItemWidth(theme.px(150));
    if (ImGui::BeginCombo("##access", input.access.empty() ? "no instruction" : input.access.c_str(),
                          ImGuiComboFlags_HeightLarge)) {
      auto choice = [&](const char *shown, const std::string &name) {
        if (ImGui::Selectable(shown, input.access == name) && input.access != name) {
          input.access = name;
          edited = true;
        }
      };
      choice("no instruction", "");
      for (const std::string &name : accessNames())
        choice(name.c_str(), name);
      ImGui::EndCombo();
    }
  }
  if (edited)
    model.changed(context.requests);
}

/// Draws the outcome of the last copy, paste or export in the room before the buttons, so that no other control moves.
void drawMessage(const ExplorerModel &model, float room, const Theme &theme) {
  if (model.message.empty() || room < theme.px(60))
    return;
  std::string line = model.message.substr(0, model.message.find('\n'));
  ImGui::PushStyleColor(ImGuiCol_Text, model.messageBad ? theme.error : theme.good);
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted(elided(line, room - theme.px(20)).c_str());
  ImGui::PopStyleColor();
  if (ImGui::IsItemHovered())
    drawTooltip(model.message, theme);
  ImGui::SameLine();
}

/// Draws the buttons for the view as a whole.
void drawSharing(ExplorerModel &model, ViewContext &context) {
  const Theme &theme = context.theme;
  bool unfolded = model.controls == ExplorerModel::Controls::Open;
  float width = buttonWidth("Copy view") + buttonWidth("Paste") + buttonWidth("Export…") + theme.px(30) +
                (unfolded ? buttonWidth("Fold") + ImGui::GetStyle().ItemSpacing.x : 0);
  flow(width, theme);
  drawMessage(model, ImGui::GetWindowContentRegionMax().x - width - ImGui::GetCursorPosX(), theme);
  if (ImGui::GetCursorPosX() + width < ImGui::GetWindowContentRegionMax().x)
    ImGui::SetCursorPosX(ImGui::GetWindowContentRegionMax().x - width + theme.px(10));
  if (unfolded) {
    if (ImGui::Button("Fold"))
      model.controls = ExplorerModel::Controls::Folded;
    hint("without the controls, so that the pictures have room (C)");
    ImGui::SameLine();
  }
  if (ImGui::Button("Copy view"))
    ImGui::SetClipboardText(model.copied().c_str());
  if (ImGui::IsItemHovered())
    ImGui::SetTooltip(
        "the open pictures as one line of text, for `lanescope gui --view`, the console or someone else's window");
  ImGui::SameLine();
  if (ImGui::Button("Paste"))
    pasteView(model, context);
  if (ImGui::IsItemHovered())
    ImGui::SetTooltip("a copied view, or a layout in any language");
  ImGui::SameLine();
  if (ImGui::Button("Export…"))
    ImGui::OpenPopup("export");
  hint("saves the picture in front as a file");
  if (ImGui::BeginPopup("export")) {
    wrapped(text("Save the picture `", paneEntry(model.front, model.facts()).title, "` as"), theme.ink);
    ImGui::PushFont(theme.mono);
    bool enter = valueField("##path", model.exportPath, theme.px(260));
    ImGui::PopFont();
    ImGui::SameLine();
    if (ImGui::Button("Save") || enter) {
      model.exportFront(model.exportPath, context.requests);
      ImGui::CloseCurrentPopup();
    }
    ImGui::PushStyleColor(ImGuiCol_Text, theme.faint);
    ImGui::TextUnformatted("svg, png, pdf, html, tex, json, csv or txt");
    ImGui::PopStyleColor();
    ImGui::EndPopup();
  }
}

/// Draws the switch for a text that may be read as layouts of two memories. Returns true if the user has changed it.
bool drawReading(ExplorerInput &input, const ExplorerFacts &facts, const Theme &theme) {
  if (facts.choices.size() != 2)
    return false;
  auto named = [](layouts::Memory memory, bool ofThreads) {
    return memory == layouts::Memory::Registers ? ofThreads ? "(thread, value)" : "registers"
           : memory == layouts::Memory::Shared  ? "memory"
                                                : "tensor memory";
  };
  bool ofThreads = facts.choices[0] == layouts::Memory::Shared;
  const std::initializer_list<const char *> names = {"auto", named(facts.choices[0], ofThreads),
                                                     named(facts.choices[1], ofThreads)};
  int chosen = !input.memory ? 0 : *input.memory == facts.choices[0] ? 1 : *input.memory == facts.choices[1] ? 2 : 0;
  captionInFlow("Read as", segmentedWidth(names, theme), theme);
  if (!segmented("read as", names, chosen, theme))
    return false;
  input.memory = chosen == 0 ? std::nullopt : std::optional(facts.choices[size_t(chosen) - 1]);
  return true;
}

/// Draws the fields for the shape and the element type. Returns true if the user has edited one of them.
bool drawArrayFields(ExplorerModel &model, const Theme &theme) {
  caption("Shape", theme);
  bool edited = codeField("##shape", model.input.shape, theme.px(130), concerns(model.diagnostics(), "shape"), theme);
  captionInFlow("Type", theme.px(118), theme);
  edited |= dtypeCombo("##dtype", model.input.dtype, theme);
  if (edited)
    model.input.layoutEdited = false;
  return edited;
}

/// Draws the controls that stay visible when the others are folded: the array, and a button for the others.
void drawFoldedFields(ExplorerModel &model, ViewContext &context) {
  if (drawArrayFields(model, context.theme))
    model.changed(context.requests);
  flow(buttonWidth("Controls"), context.theme);
  if (ImGui::Button("Controls"))
    model.controls = ExplorerModel::Controls::Open;
  if (ImGui::IsItemHovered())
    ImGui::SetTooltip("folded so that the pictures have room: colours, pictures, memories, comparison (C)");
}

void drawFields(ExplorerModel &model, ViewContext &context) {
  const Theme &theme = context.theme;
  if (layoutField({"Compare with", "compare",
                   "a second layout, in any language: are they equal, what differs, what does a relayout cost?",
                   "Catalogue"},
                  model.input.compare, catalogueNames, model.diagnostics(), context))
    model.changed(context.requests);
  bool edited = drawArrayFields(model, theme);
  edited |= drawReading(model.input, model.facts(), theme);
  const std::initializer_list<const char *> colours = {"Warp", "Lane", "Register", "Vector", "Bank"};
  captionInFlow("Colour by", segmentedWidth(colours, theme), theme);
  int colour = int(model.input.colourBy);
  edited |= segmented("colour by", colours, colour, theme);
  model.input.colourBy = ColourBy(colour);
  drawSlices(model, context);
  caption("Show", theme);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {theme.px(3), ImGui::GetStyle().ItemSpacing.y});
  for (const PaneEntry &each : paneTable()) {
    const PaneEntry &entry = paneEntry(each.kind, model.facts());
    bool on = model.pane(entry.kind).open;
    if (entry.kind == PaneKind::Arrays && !on && model.input.arrays.empty())
      continue; // only a kernel has arrays
    if (entry.kind == PaneKind::Devices && !on && model.input.devices.empty())
      continue; // only for an array that is split over devices
    if (entry.kind == PaneKind::Operands && !on && !model.facts().severalOperands)
      continue; // only instructions and tiled MMAs have one
    if (entry.kind != PaneKind::Array && ImGui::GetItemRectMax().x + buttonWidth(entry.title) + theme.px(4) <
                                             ImGui::GetWindowPos().x + ImGui::GetWindowContentRegionMax().x)
      ImGui::SameLine();
    if (toggle(entry.title, on, theme)) {
      model.open(entry.kind, on);
      edited = true;
    }
    if (ImGui::IsItemHovered())
      ImGui::SetTooltip("%s", entry.about);
  }
  ImGui::PopStyleVar();
  drawSharing(model, context);
  drawMemoryFields(model, context);
  if (edited)
    model.changed(context.requests);
}

/// The scene's title, without the part that the pane's own title repeats.
std::string titleBeside(const PaneEntry &entry, const Scene &scene) {
  std::string_view title = scene.title;
  if (title.starts_with(entry.title))
    title.remove_prefix(std::min(title.size(), std::string_view(entry.title).size() + 2));
  return std::string(title);
}

/// Draws a picture with its title. Returns true while the pointer is on the picture.
bool drawPane(Pane &pane, ExplorerModel &model, ImVec2 size, CanvasPlace &place, ViewContext &context) {
  const Theme &theme = context.theme;
  const PaneEntry &entry = paneEntry(pane.kind, model.facts());
  bool front = model.front == pane.kind, several = model.openPanes().size() > 1;
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {theme.px(8), theme.px(4)});
  ImGui::BeginChild(entry.name, size, false,
                    ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoNavInputs);
  ImVec2 corner = ImGui::GetCursorScreenPos();
  const Scene *scene = pane.picture.scene();
  // In a narrow pane, only the title is shown, and keys replace the buttons.
  float indent = several ? theme.px(10) : 0, closing = several ? buttonWidth("x") + theme.px(4) : 0;
  float zooming = scene ? buttonWidth("labels") + buttonWidth("all") + theme.px(8) : 0;
  if (indent + ImGui::CalcTextSize(entry.title).x + theme.px(20) + zooming + closing > size.x)
    zooming = 0;
  float buttons = zooming + closing + theme.px(4);
  if (several && front)
    ImGui::GetWindowDrawList()->AddRectFilled({corner.x, corner.y + theme.px(2)},
                                              {corner.x + theme.px(4), corner.y + theme.small->FontSize + theme.px(6)},
                                              theme.accent);
  ImGui::SetCursorScreenPos({corner.x + indent, corner.y});
  heading(elided(entry.title, size.x - buttons - indent - theme.px(12)).c_str(), theme);
  if (several && ImGui::BeginDragDropSource(ImGuiDragDropFlags_SourceAllowNullID)) {
    ImGui::SetDragDropPayload(kDraggedPicture, &pane.kind, sizeof pane.kind);
    ImGui::TextUnformatted(entry.title);
    ImGui::EndDragDropSource();
  }
  if (scene) {
    ImGui::SameLine();
    ImVec2 at = ImGui::GetCursorScreenPos();
    float room = corner.x + size.x - buttons - theme.px(8) - at.x;
    if (room > theme.px(40)) {
      ImGui::PushStyleColor(ImGuiCol_Text, theme.faint);
      ImGui::TextUnformatted(elided(titleBeside(entry, *scene), room).c_str());
      ImGui::PopStyleColor();
    } else {
      ImGui::NewLine();
    }
  }
  ImGui::SetCursorScreenPos({corner.x + size.x - buttons, corner.y});
  if (zooming > 0) {
    if (ImGui::SmallButton("all"))
      pane.picture.requestFit();
    hint("the whole picture (Home)");
    ImGui::SameLine(0, theme.px(4));
    if (ImGui::SmallButton("labels"))
      pane.picture.requestReadable(model.pinnedIn(pane.kind));
    hint("as large as labels need (L)");
    ImGui::SameLine(0, theme.px(4));
  }
  bool close = several && ImGui::SmallButton("x");
  if (several)
    hint("closes this picture");
  ImGui::SetCursorScreenPos({corner.x, corner.y + ImGui::GetTextLineHeightWithSpacing() + theme.px(2)});
  for (const Diagnostic &diagnostic : pane.diagnostics)
    wrapped(diagnostic.message, diagnostic.severity == Severity::Error ? theme.error : theme.faint);
  CanvasEvents events =
      drawSceneCanvas("picture", pane.picture, theme, context.textures, ImGui::GetContentRegionAvail(), place);
  ImGui::EndChild();
  if (ImGui::BeginDragDropTarget()) {
    if (const ImGuiPayload *dropped = ImGui::AcceptDragDropPayload(kDraggedPicture))
      model.movePane(*static_cast<const PaneKind *>(dropped->Data), pane.kind);
    ImGui::EndDragDropTarget();
  }
  ImGui::PopStyleVar();
  if (events.hovered) {
    model.hover(pane.kind, events.under);
    // Otherwise the side bar shows the words, and no tooltip has to hide anything.
    if (context.arranged.side.folding.folded)
      drawTooltip(model.hoverWords(pane.kind), theme);
  }
  if (events.hovered && ImGui::IsMouseClicked(ImGuiMouseButton_Left))
    model.front = pane.kind;
  if (events.clicked)
    model.togglePin();
  if (close) {
    model.open(pane.kind, false);
    model.changed(context.requests);
  }
  return events.hovered;
}

/// Draws tabs with the names of the open pictures, if only one of them is drawn.
void drawTabs(ExplorerModel &model, const std::vector<PaneKind> &open, const Theme &theme) {
  for (size_t i = 0; i < open.size(); ++i) {
    const char *title = paneEntry(open[i], model.facts()).title;
    if (i > 0 && ImGui::GetItemRectMax().x + buttonWidth(title) + theme.px(4) <
                     ImGui::GetWindowPos().x + ImGui::GetWindowContentRegionMax().x)
      ImGui::SameLine(0, theme.px(4));
    bool front = open[i] == model.front;
    if (toggle(title, front, theme))
      model.front = open[i];
  }
}

void drawPanes(ExplorerModel &model, PanePlaces &places, ViewContext &context) {
  std::vector<PaneKind> open = model.openPanes();
  int count = int(open.size());
  float gap = context.theme.px(12);
  ImVec2 size = ImGui::GetContentRegionAvail();
  PaneGrid grid = paneGrid(count, size.x, size.y, gap, context.theme.px(kLeastPicture));
  if (grid.tabs) {
    drawTabs(model, open, context.theme);
    for (PaneKind kind : open)
      places[size_t(kind)] = {};
    open = {model.front};
    count = 1;
    size = ImGui::GetContentRegionAvail();
  }
  ImVec2 corner = ImGui::GetCursorScreenPos();
  DockRect area{corner.x, corner.y, size.x, size.y};
  GridShares &shares = context.arranged.grid;
  shares.fit(grid.columns, grid.rows);
  bool pointed = false;
  for (int i = 0; i < count; ++i) {
    DockRect rect = shares.rectOf(i, count, area, gap);
    ImGui::SetCursorScreenPos({rect.x, rect.y});
    PaneKind kind = open[size_t(i)];
    pointed |= drawPane(model.pane(kind), model, {std::max(rect.width, 1.0f), std::max(rect.height, 1.0f)},
                        places[size_t(kind)], context);
  }
  drawGridGaps(shares, count, area, gap, context.theme);
  if (!pointed)
    model.leave();
}

/// Draws all controls. If they would leave too little room for the pictures, draws only those of the array.
void drawControls(ExplorerModel &model, ViewContext &context) {
  using enum ExplorerModel::Controls;
  const Theme &theme = context.theme;
  if (layoutField({"Layout", "layout", "a name, or a layout in any language", "Catalogue"}, model.input.layout,
                  catalogueNames, model.diagnostics(), context))
    model.layoutChanged(context.requests);
  drawFound(model, context);
  ImVec2 space = ImGui::GetContentRegionAvail();
  ExplorerModel::ControlsSize &drawn = model.controlsSize;
  if (drawn.width != space.x || drawn.panes != model.openPanes())
    drawn = {space.x, 0, model.openPanes()};
  // Three or more pictures need two rows.
  float least = theme.px(kLeastPicture) * (model.openPanes().size() > 2 ? 2.1f : 1.0f);
  bool fold =
      model.controls == Folded || (model.controls == Auto && drawn.height > 0 && space.y - drawn.height < least);
  model.controlsDrawn = !fold;
  if (fold)
    return drawFoldedFields(model, context);
  float top = ImGui::GetCursorPosY();
  drawFields(model, context);
  drawn.height = ImGui::GetCursorPosY() - top;
}

/// Handles the keys for the front picture, while no text field has the keyboard.
void handleKeys(ExplorerModel &model, const PanePlaces &places, ViewContext &context) {
  const ImGuiIO &io = ImGui::GetIO();
  if (io.WantTextInput || io.KeyAlt)
    return;
  if (io.KeyCtrl) {
    if (ImGui::IsKeyPressed('C', false))
      ImGui::SetClipboardText(model.copied().c_str());
    if (ImGui::IsKeyPressed('V', false))
      pasteView(model, context);
    return;
  }
  Pane &front = model.pane(model.front);
  SceneModel &picture = front.picture;
  const CanvasPlace &place = places[size_t(model.front)];
  Point middle{place.size.x / 2, place.size.y / 2};
  auto pressed = [](int key) { return ImGui::IsKeyPressed(key, true); };
  auto zoom = [&](double factor) {
    auto kept = picture.centreOf(model.pinnedIn(model.front));
    picture.viewport.zoomAt(kept ? picture.viewport.toCanvas(*kept) : middle, factor);
  };
  constexpr std::pair<int, std::pair<int, int>> kArrows[] = {
      {kKeyUp, {-1, 0}}, {kKeyDown, {1, 0}}, {kKeyLeft, {0, -1}}, {kKeyRight, {0, 1}}};
  for (auto [key, step] : kArrows)
    if (pressed(key)) {
      int times = io.KeyShift ? 8 : 1;
      model.leave();
      model.pin(model.front, picture.moved(model.pinnedIn(model.front), step.first * times, step.second * times));
    }
  if (pressed(kKeyEqual) || pressed(kKeyKeypadAdd) || pressed('W'))
    zoom(1.25);
  if (pressed(kKeyMinus) || pressed(kKeyKeypadSubtract) || pressed('S'))
    zoom(1 / 1.25);
  if (pressed(kKeyHome) || pressed('F') || pressed('0'))
    picture.requestFit();
  if (pressed('L'))
    picture.requestReadable(model.pinnedIn(model.front));
  if (pressed(kKeyTab))
    model.cycle(io.KeyShift ? -1 : 1);
  if (pressed('C'))
    model.toggleControls();
  if (pressed(kKeyEscape))
    model.unpin();
  constexpr size_t kDigits = 9; // the tenth picture has no key, because 0 shows the whole picture
  for (size_t i = 0; i < std::min(kPanes, kDigits); ++i)
    if (pressed('1' + int(i))) {
      PaneKind kind = paneTable()[i].kind;
      model.open(kind, !model.pane(kind).open);
      model.changed(context.requests);
    }
  if ((pressed(kKeyPageUp) || pressed(kKeyPageDown)) && !model.input.slice.empty()) {
    int64_t &last = model.input.slice.back();
    last = std::clamp<int64_t>(last + (ImGui::IsKeyPressed(kKeyPageDown) ? 1 : -1), 0,
                               model.facts().shape[model.input.slice.size() - 1] - 1);
    model.changed(context.requests);
  }
}

} // namespace

void drawExplorerView(ExplorerModel &model, PanePlaces &places, ViewContext &context) {
  const Theme &theme = context.theme;
  model.useTheme(theme.dark ? ColourTheme::Dark : ColourTheme::Light, context.requests);
  handleKeys(model, places, context);
  drawControls(model, context);
  ImVec2 below = ImGui::GetCursorScreenPos(), space = ImGui::GetContentRegionAvail();
  float side = std::clamp(space.x - theme.px(2 * kLeastPicture), std::min(theme.px(kLeastInspector), space.x * 0.4f),
                          std::min(theme.px(kInspectorWidth), space.x * 0.4f));
  context.arranged.side.folding.decide(false);
  withSideBar(
      context.arranged.side, side, theme.px(14), theme,
      [&](ImVec2 size) {
        ImGui::BeginChild("panes", size, false,
                          ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoScrollbar |
                              ImGuiWindowFlags_NoNavInputs);
        drawPanes(model, places, context);
        ImGui::EndChild();
      },
      [&](ImVec2 size) {
        ImGui::BeginChild("inspector", size, false, ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoScrollbar);
        drawExplorerSide(model, context);
        ImGui::EndChild();
      });
  static constexpr std::pair<std::string_view, const char *> kFields[] = {
      {"layout", "Layout"}, {"compare", "Compare with"}, {"shape", "Shape"}, {"dtype", "Type"}, {"slice", "Slice"}};
  ImGui::SetCursorScreenPos(below);
  drawProblemCard(model.diagnostics(), kFields, theme);
}

} // namespace lanescope::viz
