// The list of files: entries for the first steps, recently opened files, and samples. A click opens an entry.
#include "viz/gui/files/FilesView.h"

#include "layouts/support/Text.h"
#include "viz/gui/style/Widgets.h"

#include <imgui_stdlib.h>

#include <algorithm>
#include <filesystem>

namespace lanescope::viz {

namespace {

constexpr size_t kShownRecent = 5;

void groupName(const char *name, const Theme &theme) {
  ImGui::PushStyleColor(ImGuiCol_Text, theme.faint);
  ImGui::TextUnformatted(name);
  ImGui::PopStyleColor();
}

/// Draws a line of the list. Returns true if the user has clicked it.
bool listed(const std::string &name, bool current, const std::string &path, const std::string &about,
            const Theme &theme) {
  ImGui::Indent(theme.px(8));
  bool clicked = ImGui::Selectable(elided(name, ImGui::GetContentRegionAvail().x).c_str(), current);
  ImGui::Unindent(theme.px(8));
  if (ImGui::IsItemHovered() && !(path.empty() && about.empty()))
    tip(text(path, path.empty() || about.empty() ? "" : "\n", about), theme);
  return clicked;
}

void drawActions(const std::vector<FilesAction> &actions, FilesWish &wish, const Theme &theme) {
  if (actions.empty())
    return;
  heading("Start here", theme);
  ImGui::PushStyleColor(ImGuiCol_Text, theme.link);
  for (size_t i = 0; i < actions.size(); ++i) {
    ImGui::PushID(static_cast<int>(i));
    if (listed(actions[i].title, false, "", actions[i].about, theme))
      wish.action = i;
    ImGui::PopID();
  }
  ImGui::PopStyleColor();
  ImGui::Dummy({1, theme.px(4)});
}

void drawRecent(const FilesModel &model, FilesWish &wish, const Theme &theme) {
  if (model.recent.empty() || !model.filter.empty())
    return;
  groupName("recent", theme);
  ImGui::PushID("recent");
  for (size_t i = 0; i < std::min(model.recent.size(), kShownRecent); ++i) {
    ImGui::PushID(static_cast<int>(i));
    std::filesystem::path path = model.recent[i];
    if (listed(path.filename().string(), false, path.string(), "", theme))
      wish.open = path.string();
    ImGui::PopID();
  }
  ImGui::PopID();
  ImGui::Dummy({1, theme.px(4)});
}

} // namespace

FilesWish drawFilesView(FilesModel &model, const std::vector<FilesAction> &actions, ViewContext &context) {
  const Theme &theme = context.theme;
  FilesWish wish;
  drawActions(actions, wish, theme);
  heading("Files", theme);
  ImGui::SameLine(ImGui::GetContentRegionAvail().x - theme.px(58));
  if (ImGui::SmallButton("refresh"))
    model.refresh(context.host);
  hint("reads the list of samples again");
  ImGui::SetNextItemWidth(-1);
  ImGui::InputTextWithHint("##filter", "filter", &model.filter);
  ImGui::BeginChild("list");
  drawRecent(model, wish, theme);
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
      groupName(file.group.c_str(), theme);
      group = &file.group;
    }
    ImGui::PushID(static_cast<int>(index));
    if (listed(file.name, file.path == model.current, file.path, file.about, theme))
      wish.open = file.path;
    ImGui::PopID();
  }
  ImGui::EndChild();
  return wish;
}

} // namespace lanescope::viz
