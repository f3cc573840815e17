#include "viz/gui/Views.h"

#include "viz/gui/Widgets.h"

namespace lanescope::viz {

const std::vector<ViewEntry> &views() {
  static constexpr const char *kPictureHint = "wheel: zoom at the pointer    drag or A/D: move    F or double click: "
                                              "all of it    click: keep what lights up, Esc: let go";
  static const std::vector<ViewEntry> all = {
      {ViewId::Layout, "layout", "Layout", kPictureHint, drawLayoutView},
      {ViewId::Tmem, "tmem", "Tensor memory", kPictureHint, drawTmemView},
      {ViewId::Smem, "smem", "Shared memory", kPictureHint, drawSmemView},
      {ViewId::Trace, "trace", "Trace",
       "wheel, W/S: zoom    drag, A/D: move    Shift+drag: measure a stretch    click: select    F: fit    . and ,: "
       "next, previous    "
       "M: mark    /: search    Esc: clear",
       drawTimelineView},
      {ViewId::Code, "code", "Code", "click a tab to read another stage", drawCodeView},
  };
  return all;
}

void drawInspector(const SceneModel &picture, const std::vector<std::string> &words, const Theme &theme) {
  const Scene *scene = picture.scene();
  if (!scene)
    return;
  heading(picture.hovered() >= 0 || picture.pinned() < 0 ? "Under the pointer" : "Kept by your click", theme);
  if (words.empty()) {
    wrapped(scene->linkHint.empty() ? "Point at a cell." : scene->linkHint, theme.faint);
  } else {
    for (const std::string &line : words)
      wrapped(line, theme.ink);
    if (picture.lit().size() > 1)
      wrapped(std::to_string(picture.lit().size()) + " cells lit", theme.faint);
  }
  ImGui::Dummy({1, theme.px(6)});
  if (!scene->legend.empty()) {
    heading("Colours", theme);
    drawLegend(*scene, theme);
  }
  for (const std::string &note : scene->notes)
    wrapped(note, theme.faint);
}

void pictureButtons(SceneModel &picture, const Theme &theme) {
  ImGui::SameLine(std::max(ImGui::GetContentRegionAvail().x - theme.px(190), theme.px(200)));
  if (ImGui::SmallButton("Show all"))
    picture.requestFit();
  ImGui::SameLine();
  if (ImGui::SmallButton("Show labels"))
    picture.requestReadable();
}

} // namespace lanescope::viz
