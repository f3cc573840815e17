// The file list: click opens.
#include "viz/gui/files/FilesView.h"

#include "viz/gui/style/Widgets.h"

#include <imgui_stdlib.h>

namespace lanescope::viz {

void drawFilesView(FilesModel &model, ViewContext &context) {
  const Theme &theme = context.theme;
  heading("Samples", theme);
  ImGui::SameLine(ImGui::GetContentRegionAvail().x - theme.px(58));
  if (ImGui::SmallButton("refresh"))
    model.refresh(context.host);
  ImGui::SetNextItemWidth(-1);
  ImGui::InputTextWithHint("##filter", "filter", &model.filter);
  ImGui::BeginChild("list");
  std::vector<size_t> shown = model.shown();
  if (shown.empty())
    wrapped(model.files().empty()
                ? "No samples found. Start the program in its folder, or name files on the command line."
                : "No file matches the filter.",
            theme.faint);
  const std::string *group = nullptr;
  for (size_t index : shown) {
    const FileEntry &file = model.files()[index];
    if (!group || *group != file.group) {
      if (group)
        ImGui::Dummy({1, theme.px(4)});
      ImGui::PushStyleColor(ImGuiCol_Text, theme.faint);
      ImGui::TextUnformatted(file.group.c_str());
      ImGui::PopStyleColor();
      group = &file.group;
    }
    ImGui::PushID(int(index));
    bool current = file.path == model.current;
    ImGui::Indent(theme.px(8));
    if (ImGui::Selectable(file.name.c_str(), current)) {
      model.current = file.path;
      context.host.open(file.path);
    }
    ImGui::Unindent(theme.px(8));
    if (ImGui::IsItemHovered()) {
      ImGui::BeginTooltip();
      ImGui::PushTextWrapPos(theme.px(420));
      ImGui::TextUnformatted(file.path.c_str());
      if (!file.about.empty())
        wrapped(file.about, theme.faint);
      ImGui::PopTextWrapPos();
      ImGui::EndTooltip();
    }
    ImGui::PopID();
  }
  ImGui::EndChild();
}

} // namespace lanescope::viz
