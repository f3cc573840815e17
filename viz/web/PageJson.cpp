#include "viz/web/PageJson.h"

#include "layouts/notation/Notation.h"
#include "viz/scene/Palette.h"
#include "viz/web/Asked.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <cstddef>

namespace lanescope::viz {
namespace {

using nlohmann::json;

// picture.js reads these records from the module's memory, as rows of 32-bit numbers.
static_assert(sizeof(RectRecord) == 24 && offsetof(RectRecord, fill) == 16 && offsetof(RectRecord, extra) == 20);
static_assert(sizeof(LineRecord) == 28 && offsetof(LineRecord, width) == 16 && offsetof(LineRecord, colour) == 20 &&
              offsetof(LineRecord, head) == 24);
static_assert(sizeof(CellExtra) == 24 && offsetof(CellExtra, bandCount) == 16);

template <typename Record> json placeOf(const std::vector<Record> &records) {
  return {{"at", reinterpret_cast<uintptr_t>(records.data())}, {"count", records.size()}};
}
json placeOf(const PixelImage *image) {
  if (!image)
    return nullptr;
  return {{"at", reinterpret_cast<uintptr_t>(image->pixels().data())},
          {"width", image->width()},
          {"height", image->height()}};
}

/// A length in pixels. Hundredths are enough, and shorter.
double rounded(double pixels) { return std::round(pixels * 100) / 100; }

json labelsJson(const std::vector<LabelRecord> &labels) {
  json out = json::array();
  for (const LabelRecord &label : labels)
    out.push_back({rounded(label.x), rounded(label.y), rounded(label.size), label.text});
  return out;
}
json textsJson(const std::vector<TextRecord> &texts) {
  json out = json::array();
  for (const TextRecord &text : texts)
    out.push_back({{"x", rounded(text.x)},
                   {"y", rounded(text.y)},
                   {"size", rounded(text.size)},
                   {"colour", text.colour},
                   {"align", text.align == Align::Left     ? "left"
                             : text.align == Align::Centre ? "center"
                                                           : "right"},
                   {"bold", text.bold},
                   {"text", text.text}});
  return out;
}
json ticksJson(const std::vector<TickRecord> &ticks) {
  json out = json::array();
  for (const TickRecord &tick : ticks)
    out.push_back({rounded(tick.at), tick.text});
  return out;
}
/// The ink or the paper colour, whichever is easier to read on a fill.
uint32_t inkOn(Colour fill) { return packed(contrast(fill, kInk) >= contrast(fill, kPaper) ? kInk : kPaper); }

json groupsJson(const std::vector<GroupRecord> &groups) {
  json out = json::array();
  for (const GroupRecord &group : groups) {
    Colour fill{uint8_t(group.fill & 255), uint8_t(group.fill >> 8 & 255), uint8_t(group.fill >> 16 & 255)};
    out.push_back({{"from", rounded(group.from)},
                   {"to", rounded(group.to)},
                   {"fill", group.fill},
                   {"ink", inkOn(fill)},
                   {"text", group.text}});
  }
  return out;
}

json problemsJson(const Diagnostics &problems) {
  json out = json::array();
  for (const Diagnostic &problem : problems)
    out.push_back(problemJson(problem));
  return out;
}

/// The widest of a few numbers beside the picture, so that the page can leave room for them.
std::string widestTick(const Scene &scene) {
  std::string widest;
  auto add = [&](const std::string &tick) {
    if (tick.size() > widest.size())
      widest = tick;
  };
  if (scene.left.ticks.empty())
    return widest;
  if (scene.raster)
    for (int64_t row : {int64_t(0), scene.raster->rows() / 2, scene.raster->rows() - 1})
      add(scene.raster->model().rowTick(row));
  else
    for (const Tick &tick : scene.left.ticks)
      add(tick.text);
  return widest;
}

json legendJson(const LegendEntry &entry) {
  json out = {{"fill", packed(entry.fill)}, {"ink", inkOn(entry.fill)}, {"hatched", entry.hatched},
              {"sample", entry.sample},     {"text", entry.text},       {"caption", entry.caption},
              {"bands", json::array()}};
  for (int i = 0; i < entry.bandCount; ++i)
    out["bands"].push_back(packed(entry.bands[size_t(i)]));
  return out;
}

json paneJson(const Pane &pane, const ExplorerModel &model) {
  const PaneEntry &entry = paneEntry(pane.kind, model.facts());
  const ExplorerInput &input = model.input;
  bool offered = pane.open || (entry.kind == PaneKind::Arrays     ? !input.arrays.empty()
                               : entry.kind == PaneKind::Devices  ? !input.devices.empty()
                               : entry.kind == PaneKind::Operands ? model.facts().severalOperands
                                                                  : true);
  json out = {{"name", entry.name},
              {"title", entry.title},
              {"about", entry.about},
              {"comparing", entry.comparing},
              {"open", pane.open},
              {"offered", offered},
              {"problems", problemsJson(pane.diagnostics)}};
  const Scene *scene = pane.picture.scene();
  if (!scene)
    return out;
  out["scene"] = {
      {"title", scene->title},
      {"subtitle", scene->subtitle},
      {"hint", scene->linkHint},
      {"rows", scene->raster ? scene->raster->rows() : 0},
      {"columns", scene->raster ? scene->raster->columns() : 0},
      {"top", {{"title", scene->top.title}, {"groups", !scene->top.groups.empty()}}},
      {"left",
       {{"title", scene->left.title}, {"groups", !scene->left.groups.empty()}, {"widest", widestTick(*scene)}}}};
  return out;
}

} // namespace

json namesJson() {
  json panes = json::array(), dtypes = json::array(), colours = json::array(), memoryColours = json::array();
  for (const PaneEntry &entry : paneTable())
    panes.push_back({{"name", entry.name}, {"title", entry.title}, {"about", entry.about}});
  for (layouts::Dtype dtype : layouts::allDtypes())
    dtypes.push_back(layouts::name(dtype));
  for (ColourBy colour : {ColourBy::Warp, ColourBy::Lane, ColourBy::Register, ColourBy::Vector, ColourBy::Bank})
    colours.push_back(name(colour));
  for (SmemColour colour : {SmemColour::Chunk, SmemColour::Row, SmemColour::Column})
    memoryColours.push_back(name(colour));
  return {{"panes", std::move(panes)},
          {"catalogue", catalogueNames()},
          {"dtypes", std::move(dtypes)},
          {"colours", std::move(colours)},
          {"memoryColours", std::move(memoryColours)},
          {"accesses", accessNames()},
          {"swizzles", {0, 32, 64, 128}},
          {"formats", {"svg", "tex", "txt", "json", "csv"}},
          {"notations", layouts::readableNotations()}};
}

json stateJson(const ExplorerModel &model) {
  const ExplorerInput &input = model.input;
  const ExplorerFacts &facts = model.facts();
  json choices = json::array(), texts = json::array(), found = json::array(), panes = json::array(),
       legends = json::array(), sizes = json::array();
  for (layouts::Memory memory : facts.choices)
    choices.push_back(layouts::word(memory));
  for (const LayoutText &text : facts.texts)
    texts.push_back({{"title", text.title}, {"text", text.text}});
  for (const FoundText &text : facts.found)
    found.push_back({{"name", text.name}, {"text", text.text}, {"shape", text.shape}, {"dtype", text.dtype}});
  for (int64_t size : facts.shape)
    sizes.push_back(size);
  for (const std::string &pane : model.paneOrder())
    panes.push_back(paneJson(model.pane(*paneNamed(pane)), model));
  for (const LegendSection &section : model.legends()) {
    json entries = json::array();
    for (const LegendEntry &entry : section.entries)
      entries.push_back(legendJson(entry));
    legends.push_back({{"title", section.title}, {"entries", std::move(entries)}, {"notes", section.notes}});
  }
  json access = nullptr;
  if (facts.access)
    access = {{"sentences", facts.access->sentences}, {"bad", facts.access->bad}};
  return {{"input",
           {{"layout", input.layout},
            {"compare", input.compare},
            {"shape", input.shape},
            {"dtype", input.dtype},
            {"memory", input.memory ? layouts::word(*input.memory) : ""},
            {"tmem", input.tmem},
            {"tiling", input.tiling},
            {"swizzle", input.swizzle},
            {"transpose", input.transpose},
            {"stage", name(input.stage)},
            {"access", input.access},
            {"colourBy", name(input.colourBy)},
            {"smemColour", name(input.smemColour)},
            {"slice", input.slice}}},
          {"facts",
           {{"problems", problemsJson(facts.diagnostics)},
            {"shape", std::move(sizes)},
            {"read", facts.read ? layouts::word(*facts.read) : ""},
            {"choices", std::move(choices)},
            {"remarks", facts.remarks},
            {"texts", std::move(texts)},
            {"found", std::move(found)},
            {"comparison", facts.comparison},
            {"equal", facts.equal},
            {"access", std::move(access)},
            {"tmemForms", tmemForms(facts.shape, facts.dtype)}}},
          {"panes", std::move(panes)},
          {"legends", std::move(legends)},
          {"front", paneEntry(model.front).name},
          {"message", model.message},
          {"messageBad", model.messageBad}};
}

json wordsJson(const ExplorerModel &model) {
  return {{"words", model.words()},   {"access", model.accessWords()},
          {"steps", model.steps()},   {"linked", model.selection().linked.size()},
          {"pinned", model.pinned()}, {"hovering", model.hovering()}};
}

json frameJson(const SceneFrame &frame, bool base) {
  json out = {{"dimmed", frame.dimmed},
              {"extras", placeOf(frame.extras)},
              {"lit", placeOf(frame.lit)},
              {"chosen", placeOf(frame.chosen)},
              {"arrows", placeOf(frame.arrows)},
              {"litLabels", labelsJson(frame.litLabels)},
              {"marks", placeOf(frame.marks)},
              {"ink", frame.ink},
              {"ground",
               {rounded(frame.ground.x0), rounded(frame.ground.y0), rounded(frame.ground.x1), rounded(frame.ground.y1),
                frame.ground.fill}}};
  if (!base)
    return out;
  out["image"] = placeOf(frame.image);
  out["cells"] = placeOf(frame.cells);
  out["hatches"] = placeOf(frame.hatches);
  out["lines"] = placeOf(frame.lines);
  out["under"] = placeOf(frame.under);
  out["labels"] = labelsJson(frame.labels);
  out["texts"] = textsJson(frame.texts);
  out["top"] = ticksJson(frame.top);
  out["left"] = ticksJson(frame.left);
  out["topGroups"] = groupsJson(frame.topGroups);
  out["leftGroups"] = groupsJson(frame.leftGroups);
  return out;
}

} // namespace lanescope::viz
