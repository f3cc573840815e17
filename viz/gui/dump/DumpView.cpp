#include "viz/gui/dump/DumpView.h"

#include "layouts/support/Text.h"
#include "viz/gui/style/KeyNames.h"
#include "viz/gui/style/Splitter.h"
#include "viz/gui/style/Widgets.h"

#include <algorithm>
#include <filesystem>

namespace lanescope::viz {

namespace {

constexpr float kListShare = 0.52f; // share of the width

ImU32 groundOf(DumpModel::Link link, const Theme &theme) {
  auto faded = [](ImU32 colour, uint32_t alpha) { return (colour & 0x00FFFFFF) | (alpha << 24); };
  switch (link) {
  case DumpModel::Link::None: return 0;
  case DumpModel::Link::Chosen: return faded(theme.accent, 0x60);
  case DumpModel::Link::Source: return faded(theme.warning, 0x48);
  case DumpModel::Link::User: return faded(theme.good, 0x48);
  }
  return 0;
}

/// "WGMMA -> WGMMA". Also works for splats and references.
std::string storages(const DumpRow &row) {
  std::string in, out;
  for (const DumpRowValue &value : row.values) {
    if (value.storage.empty())
      continue;
    std::string &to = value.role.starts_with("result") ? out : in;
    to += text(to.empty() ? "" : ", ", value.storage);
  }
  return out.empty() ? in : text(in, in.empty() ? "-> " : " -> ", out);
}

std::string operationName(const DumpRow &row) {
  constexpr std::string_view kDialect = "mosaic_gpu.";
  return row.name.starts_with(kDialect) ? row.name.substr(kDialect.size()) : row.name;
}

/// The width of the longest name in pixels. If there is little room, the layouts begin directly after the names.
float namesWidth(const DumpModel &model, const Theme &theme) {
  size_t longest = 0;
  for (const DumpRow &row : model.page().rows)
    longest = std::max(longest, operationName(row).size());
  return std::min(theme.px(190), static_cast<float>(longest) * ImGui::CalcTextSize("0").x + theme.px(14));
}

void drawRow(DumpModel &model, size_t index, float names, std::optional<size_t> &hovered, ViewContext &context) {
  const Theme &theme = context.theme;
  const DumpRow &row = model.page().rows[index];
  ImVec2 at = ImGui::GetCursorScreenPos();
  float width = ImGui::GetContentRegionAvail().x, height = ImGui::GetTextLineHeight() + theme.px(3);
  ImGui::PushID(static_cast<int>(index));
  if (ImGui::InvisibleButton("row", {std::max(width, 1.0f), height}))
    model.choose(index, context.requests);
  const float left = at.x + theme.px(38) + names;
  const std::string shown = elided(storages(row), at.x + width - theme.px(4) - left);
  if (ImGui::IsItemHovered()) {
    hovered = index;
    std::string words = row.place, stored = storages(row);
    if (!stored.empty() && stored != shown) // the row has no room for the whole text
      words += text(words.empty() ? "" : "\n", stored);
    for (const std::string &cost : row.costs)
      words += text(words.empty() ? "" : "\n", cost);
    drawTooltip(words, theme);
  }
  ImGui::PopID();
  ImDrawList &list = *ImGui::GetWindowDrawList();
  if (ImU32 ground = groundOf(model.linkOf(index), theme))
    list.AddRectFilled(at, {at.x + width, at.y + height}, ground, theme.px(3));
  float y = at.y + theme.px(1);
  list.PushClipRect(at, {at.x + width, at.y + height}, true);
  list.AddText({at.x + theme.px(4), y}, theme.faint, text("#", index + 1).c_str());
  list.AddText({at.x + theme.px(38), y}, row.costs.empty() ? theme.ink : theme.warning,
               elided(operationName(row), names).c_str());
  list.AddText({left, y}, theme.faint, shown.c_str());
  list.PopClipRect();
}

void drawOperations(DumpModel &model, ViewContext &context) {
  const Theme &theme = context.theme;
  ImGui::PushStyleColor(ImGuiCol_ChildBg, theme.field);
  ImGui::BeginChild("operations", {0, 0}, false, ImGuiWindowFlags_AlwaysUseWindowPadding);
  ImGui::PushFont(theme.mono);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
  std::optional<size_t> hovered;
  const float names = namesWidth(model, theme);
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(model.page().rows.size()));
  while (clipper.Step())
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i)
      drawRow(model, static_cast<size_t>(i), names, hovered, context);
  model.hover(hovered);
  ImGui::PopStyleVar();
  ImGui::PopFont();
  ImGui::EndChild();
  ImGui::PopStyleColor();
}

void drawValues(DumpModel &model, ViewContext &context) {
  const Theme &theme = context.theme;
  const DumpRow &row = model.page().rows[model.row()];
  heading(text("#", model.row() + 1, " ", row.name).c_str(), theme);
  for (size_t i = 0; i < row.values.size(); ++i) {
    if (row.values[i].storage.empty())
      continue;
    bool on = i == model.value();
    flow(buttonWidth(row.values[i].role.c_str()), theme);
    if (toggle(row.values[i].role.c_str(), on, theme))
      model.chooseValue(i, context.requests);
  }
}

/// The entry that the user requested from the console; empty if none.
std::string drawWhatIf(DumpModel &model, const Theme &theme) {
  ImGui::AlignTextToFramePadding();
  caption("What if its layout is", theme);
  float buttons = buttonWidth("Try") + buttonWidth("Run the kernel") + theme.px(12);
  float room = ImGui::GetContentRegionAvail().x;
  bool oneRow = room - buttons >= theme.px(120);
  codeField("##cast", model.cast, std::min(theme.px(260), oneRow ? room - buttons : room), false, theme,
            "WGMMA_TRANSPOSED");
  bool entered = ImGui::IsItemDeactivated() && ImGui::IsKeyPressed(kKeyEnter, false);
  if (oneRow)
    ImGui::SameLine(0, theme.px(6));
  bool tried = ImGui::Button("Try");
  hint("infers the module's layouts again with this one, and says in the console what changes");
  if (tried || entered)
    return model.whatIf(model.cast);
  ImGui::SameLine(0, theme.px(6));
  bool run = ImGui::Button("Run the kernel");
  hint("runs the module on the emulator, with random inputs");
  return run ? "dump.run()\n" : "";
}

std::string drawSide(DumpModel &model, ViewContext &context) {
  const Theme &theme = context.theme;
  std::string entry;
  int side = static_cast<int>(model.side);
  bool wide =
      segmentedWidth({"Value", "Shared memory", "Tensor memory", "Page"}, theme) < ImGui::GetContentRegionAvail().x;
  if (wide ? segmented("side", {"Value", "Shared memory", "Tensor memory", "Page"}, side, theme)
           : segmented("side", {"Value", "Shared", "Tensor", "Page"}, side, theme))
    model.showSide(static_cast<DumpModel::Side>(side), context.requests);
  if (model.side == DumpModel::Side::Page) {
    ImGui::BeginChild("page", {0, 0});
    ImGui::PushFont(theme.mono);
    ImGui::PushTextWrapPos(0);
    ImGui::TextUnformatted(model.page().summary.c_str());
    for (const DumpSection &section : model.page().sections) {
      heading(section.title.c_str(), theme);
      ImGui::TextUnformatted(section.text.c_str());
    }
    ImGui::PopTextWrapPos();
    ImGui::PopFont();
    ImGui::EndChild();
    return entry;
  }
  if (model.side == DumpModel::Side::Value && !model.page().rows.empty()) {
    drawValues(model, context);
    entry = drawWhatIf(model, theme);
    wrapped(model.valueWords(), theme.faint);
  }
  if (!model.problem.empty())
    wrapped(model.problem, theme.faint);
  CanvasEvents events =
      drawSceneCanvas("picture", model.picture, theme, context.textures, ImGui::GetContentRegionAvail(), context.place);
  if (events.hovered)
    drawTooltip(model.picture.wordsOf(events.under), theme);
  return entry;
}

} // namespace

std::string drawDumpView(DumpModel &model, ViewContext &context) {
  const Theme &theme = context.theme;
  if (model.empty()) {
    wrapped(
        "Open a folder that JAX dumped to (MOSAIC_GPU_DUMP_TO=…), or one of its modules: `lanescope gui dumps/k_7`, or "
        "in the console `show(open_dump(\"dumps/k_7\"))`.",
        theme.faint);
    context.place = {ImGui::GetCursorScreenPos(), ImGui::GetContentRegionAvail()};
    return "";
  }
  if (model.dark != theme.dark) {
    model.dark = theme.dark;
    model.redraw(context.requests);
  }
  heading(std::filesystem::path(model.page().name).filename().c_str(), theme);
  hint(model.page().name.c_str());
  context.arranged.side.folding.decide(false);
  std::string entry;
  withSideBar(
      context.arranged.side, ImGui::GetContentRegionAvail().x * (1 - kListShare) - theme.px(12), theme.px(12), theme,
      [&](ImVec2 size) {
        ImGui::BeginChild("list", size);
        drawOperations(model, context);
        ImGui::EndChild();
      },
      [&](ImVec2 size) {
        ImGui::BeginChild("side", size);
        entry = drawSide(model, context);
        ImGui::EndChild();
      });
  return entry;
}

} // namespace lanescope::viz
