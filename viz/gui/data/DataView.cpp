#include "viz/gui/data/DataView.h"

#include "layouts/support/Text.h"
#include "viz/gui/style/KeyNames.h"
#include "viz/gui/style/Splitter.h"
#include "viz/gui/style/Widgets.h"

#include <algorithm>

namespace lanescope::viz {

namespace {

constexpr float kSideWidth = 300;

void drawItems(DataModel &model, ViewContext &context) {
  heading(model.request().title.c_str(), context.theme);
  if (model.request().items.size() < 2)
    return;
  for (size_t i = 0; i < model.request().items.size(); ++i) {
    const std::string &name = model.request().items[i].name;
    flow(buttonWidth(name.c_str()), context.theme);
    bool on = i == model.chosen();
    if (toggle(text(name, "##item", i).c_str(), on, context.theme))
      model.choose(i, context.requests);
  }
}

void drawSlices(DataModel &model, ViewContext &context) {
  layouts::Shape slice = model.slice();
  bool edited = false;
  for (size_t d = 0; d < slice.size(); ++d) {
    int64_t least = 0, most = std::max<int64_t>(model.numbers().array.shape[d] - 1, 0);
    ImGui::PushID(int(d));
    caption(text("index ", d).c_str(), context.theme);
    ImGui::SetNextItemWidth(-1);
    edited |= ImGui::SliderScalar("##slice", ImGuiDataType_S64, &slice[d], &least, &most, "%lld",
                                  ImGuiSliderFlags_AlwaysClamp);
    ImGui::PopID();
  }
  if (edited)
    model.setSlice(slice, context.requests);
}

void drawSide(DataModel &model, const CanvasEvents &events, ViewContext &context) {
  const Theme &theme = context.theme;
  wrapped(arrayWords(model.numbers()), theme.ink);
  ImGui::Dummy({1, theme.px(6)});
  drawSlices(model, context);
  ImGui::Dummy({1, theme.px(6)});
  heading("Under the pointer", theme);
  std::string words = events.hovered ? model.picture.wordsOf(events.under) : std::string();
  wrapped(words.empty() ? "Point at a cell. The wheel zooms, dragging moves; L makes cells as large as their numbers "
                          "need. In the console these data are called `loaded`."
                        : words,
          words.empty() ? theme.faint : theme.ink);
  if (const Scene *scene = model.picture.scene(); scene && !scene->legend.empty()) {
    ImGui::Dummy({1, theme.px(6)});
    heading("Colours", theme);
    drawLegend(scene->legend, theme);
  }
}

void handleKeys(DataModel &model, const CanvasPlace &place) {
  const ImGuiIO &io = ImGui::GetIO();
  if (io.WantTextInput || io.KeyAlt || io.KeyCtrl)
    return;
  auto pressed = [](int key) { return ImGui::IsKeyPressed(key, true); };
  Point middle{place.size.x / 2, place.size.y / 2};
  if (pressed(kKeyEqual) || pressed(kKeyKeypadAdd) || pressed('W'))
    model.picture.viewport.zoomAt(middle, 1.25);
  if (pressed(kKeyMinus) || pressed(kKeyKeypadSubtract) || pressed('S'))
    model.picture.viewport.zoomAt(middle, 1 / 1.25);
  if (pressed(kKeyHome) || pressed('F') || pressed('0'))
    model.picture.requestFit();
  if (pressed('L'))
    model.picture.requestReadable();
}

} // namespace

void drawDataView(DataModel &model, ViewContext &context) {
  const Theme &theme = context.theme;
  if (model.empty()) {
    wrapped(
        "Open an array (.npy, .npz) or an image (.png), or drop one here: its numbers appear as a picture, each with "
        "its value under the pointer.",
        theme.faint);
    context.place = {ImGui::GetCursorScreenPos(), ImGui::GetContentRegionAvail()};
    return;
  }
  if (model.dark != theme.dark) {
    model.dark = theme.dark;
    model.redraw(context.requests);
  }
  handleKeys(model, context.place);
  drawItems(model, context);
  context.arranged.side.folding.decide(false);
  CanvasEvents events;
  float width = ImGui::GetContentRegionAvail().x;
  withSideBar(
      context.arranged.side, std::min(theme.px(kSideWidth), width * 0.4f), theme.px(14), theme,
      [&](ImVec2 size) {
        ImGui::BeginChild("data", size, false, ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoScrollbar);
        if (!model.problem.empty())
          wrapped(model.problem, theme.faint);
        events = drawSceneCanvas("picture", model.picture, theme, context.textures, ImGui::GetContentRegionAvail(),
                                 context.place);
        ImGui::EndChild();
      },
      [&](ImVec2 size) {
        ImGui::BeginChild("facts", size);
        drawSide(model, events, context);
        ImGui::EndChild();
      });
  if (events.hovered && context.arranged.side.folding.folded) // otherwise the side bar shows the words
    drawTooltip(model.picture.wordsOf(events.under), theme);
}

} // namespace lanescope::viz
