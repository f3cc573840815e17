#include "viz/web/LayoutPage.h"

#include "layouts/DefaultArray.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "viz/export/Export.h"
#include "viz/host/FieldText.h"
#include "viz/web/PageJson.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace lanescope::viz {
namespace {

using core::Json;
using nlohmann::json;

constexpr double kMostPixels = 16384; // the largest width or height of a canvas

std::unexpected<Diagnostics> badField(std::string_view name, std::string_view value, std::string_view known) {
  return error("bad-view", Message("`{name}` cannot be `{}`; it is one of {}", name, value, known));
}

/// A field whose value has the wrong kind, or a name that is no field.
std::unexpected<Diagnostics> badValue(std::string_view name, const Json &value) {
  constexpr std::string_view texts[] = {"layout", "compare", "shape",    "dtype",      "memory", "tmem",
                                        "tiling", "access",  "colourBy", "smemColour", "stage",  "theme"};
  const std::string given = value.is(Json::Kind::Integer)  ? text("`", value.integer, "`")
                            : value.is(Json::Kind::String) ? text("`", value.string, "`")
                                                           : "this value";
  std::string_view wanted = std::ranges::find(texts, name) != std::end(texts) ? "a text"
                            : name == "swizzle"                               ? "0, 32, 64 or 128, in bytes"
                            : name == "transpose"                             ? "true or false"
                            : name == "slice"                                 ? "a list of indices"
                                                                              : "";
  if (wanted.empty())
    return error("bad-view", Message("the page has no field `{name}`", name));
  return error("bad-view", Message("`{name}` cannot be {}; it is {}", name, given, wanted));
}

/// True for the members of a link's state that are not fields of the input.
bool isState(std::string_view name) {
  return name == "view" || name == "panes" || name == "front" || name == "pin" || name == "zoom";
}

} // namespace

Result<PaneKind> LayoutPage::paneOfRequest(const Asked &asked) {
  std::string named = asked.text("pane");
  if (auto kind = paneNamed(named))
    return *kind;
  std::vector<std::string> known;
  for (const PaneEntry &entry : paneTable())
    known.emplace_back(entry.name);
  return badField("pane", named, joined(known, ", "));
}

void LayoutPage::settle() {
  while (requests_.busy())
    requests_.deliver();
}

std::string LayoutPage::state() { return written({{"state", stateJson(model_)}}); }

std::string LayoutPage::lit(bool changed) {
  if (changed) {
    model_.explain(requests_);
    settle();
  }
  json out = wordsJson(model_);
  out["changed"] = changed;
  return written({{"lit", std::move(out)}});
}

std::string LayoutPage::shared() const {
  const ExplorerInput &input = model_.input;
  // A kernel's arrays and devices are written as views.
  if (!input.arrays.empty() || !input.devices.empty())
    return written({{"view", model_.viewText()}});
  json out = {{"layout", input.layout}, {"shape", input.shape}, {"dtype", input.dtype}};
  const ExplorerInput usual;
  auto add = [&](const char *name, const auto &value, const auto &otherwise) {
    if (value != otherwise)
      out[name] = value;
  };
  add("compare", input.compare, usual.compare);
  add("memory", std::string(input.memory ? layouts::word(*input.memory) : ""), std::string());
  add("tmem", input.tmem, usual.tmem);
  add("tiling", input.tiling, usual.tiling);
  add("swizzle", input.swizzle, usual.swizzle);
  add("transpose", input.transpose, usual.transpose);
  add("stage", name(input.stage), name(usual.stage));
  add("access", input.access, usual.access);
  add("colourBy", name(input.colourBy), name(usual.colourBy));
  add("smemColour", name(input.smemColour), name(usual.smemColour));
  add("slice", input.slice, usual.slice);
  // After an error, the pictures are still those of the input before.
  const bool drawn = !hasErrors(model_.facts().diagnostics);
  out["panes"] = json::array();
  for (PaneKind kind : model_.openPanes()) {
    const char *pane = paneEntry(kind).name;
    out["panes"].push_back(pane);
    const SceneModel &picture = model_.pane(kind).picture;
    if (Spot spot = model_.pinnedIn(kind); drawn && spot.row >= 0)
      out["pin"] = {{"pane", pane}, {"row", spot.row}, {"column", spot.column}};
    if (drawn && moved_[size_t(kind)] && picture.partial()) {
      Point corner = picture.viewport.toBody({0, 0});
      out["zoom"][pane] = {picture.viewport.scale / scale_, corner.x / picture.stretch(), corner.y};
    }
  }
  if (model_.front != model_.openPanes().front())
    out["front"] = paneEntry(model_.front).name;
  return written(out);
}

/// The input with other fields. All of them are checked before the first one is used.
Result<ExplorerInput> LayoutPage::inputWith(const Json &fields, ExplorerInput input) {
  auto choose = [&](const core::JsonMember &member, auto named, auto &into, std::string_view known) -> Result<void> {
    auto chosen = named(member.value.string);
    if (!chosen)
      return badField(member.name, member.value.string, known);
    into = *chosen; // NOLINT(bugprone-optional-value-conversion): only one of the fields is an optional
    return {};
  };
  for (const core::JsonMember &member : fields.members) {
    const std::string &name = member.name;
    const Json &value = member.value;
    std::string *written = name == "layout"    ? &input.layout
                           : name == "compare" ? &input.compare
                           : name == "shape"   ? &input.shape
                           : name == "dtype"   ? &input.dtype
                           : name == "tmem"    ? &input.tmem
                           : name == "tiling"  ? &input.tiling
                           : name == "access"  ? &input.access
                                               : nullptr;
    bool isText = value.is(Json::Kind::String);
    if (written && isText)
      *written = value.string;
    else if (name == "memory" && isText && value.string.empty())
      input.memory.reset();
    else if (name == "memory" && isText)
      LANESCOPE_CHECK(choose(member, layouts::memoryNamed, input.memory, "registers, shared, tmem"));
    else if (name == "colourBy" && isText)
      LANESCOPE_CHECK(choose(member, colourByNamed, input.colourBy, "warp, lane, register, vector, bank"));
    else if (name == "smemColour" && isText)
      LANESCOPE_CHECK(choose(member, smemColourNamed, input.smemColour, "chunk, row, column"));
    else if (name == "stage" && isText)
      LANESCOPE_CHECK(choose(member, smemStageNamed, input.stage, "before, after, both"));
    else if (name == "swizzle" && value.is(Json::Kind::Integer) &&
             (value.integer == 0 || value.integer == 32 || value.integer == 64 || value.integer == 128))
      input.swizzle = int(value.integer);
    else if (name == "transpose" && value.is(Json::Kind::Bool))
      input.transpose = value.boolean;
    else if (name == "theme" && isText)
      input.theme = value.string == "dark" ? ColourTheme::Dark : ColourTheme::Light;
    else if (name == "slice" && value.is(Json::Kind::Array)) {
      input.slice.clear();
      for (const Json &index : value.items)
        input.slice.push_back(index.integer);
    } else if (!isState(name))
      return badValue(name, value);
  }
  if (input.colourBy == ColourBy::Custom)
    return badField("colourBy", "custom", "warp, lane, register, vector, bank");
  if (!input.access.empty() && std::ranges::find(accessNames(), input.access) == accessNames().end())
    return badField("access", input.access, joined(accessNames(), ", "));
  if (fields.find("layout") && !fields.find("shape"))
    input.layoutEdited = true;
  else if (fields.find("shape") || fields.find("dtype"))
    input.layoutEdited = false;
  if (!fields.find("slice") && fields.find("shape"))
    input.slice.clear(); // it was for the previous array
  return input;
}

Result<void> LayoutPage::set(const Json &fields) {
  model_.input = LANESCOPE_TRY(inputWith(fields, model_.input));
  model_.message.clear();
  model_.changed(requests_);
  settle();
  if (fields.find("layout") && !fields.find("shape"))
    fitShape();
  return {};
}

void LayoutPage::fitShape() {
  auto drawn = [&] {
    return std::ranges::any_of(model_.openPanes(), [&](PaneKind kind) { return model_.pane(kind).picture.scene(); });
  };
  const ExplorerFacts &facts = model_.facts();
  if (drawn() || !facts.layout || hasErrors(facts.diagnostics))
    return;
  const std::string before = model_.input.shape;
  model_.input.shape = shapeFieldText(layouts::exampleShape(*facts.layout, facts.read));
  model_.input.layoutEdited = false;
  model_.changed(requests_);
  settle();
  if (drawn()) {
    model_.message = text("The layout does not apply to ", before, ", so the shape is now ", model_.input.shape, ".");
    model_.messageBad = false;
    return;
  }
  model_.input.shape = before;
  model_.changed(requests_);
  settle();
}

Result<void> LayoutPage::load(const Json &given) {
  ExplorerInput usual;
  usual.theme = model_.input.theme;
  usual.shape = model_.input.shape, usual.dtype = model_.input.dtype;
  ExplorerInput input = LANESCOPE_TRY(inputWith(given, usual));
  Asked asked(given);
  std::vector<ViewSpec> specs;
  if (given.find("view"))
    specs = LANESCOPE_TRY(parseViews(Source::make("view", asked.text("view"))));
  else if (!given.find("layout"))
    return error("bad-view", "the link has no layout");
  std::vector<PaneKind> panes;
  if (const Json *named = given.find("panes"))
    for (const Json &name : named->items)
      if (auto kind = paneNamed(name.string))
        panes.push_back(*kind);
  for (const ViewSpec &spec : specs)
    panes.push_back(paneOf(spec));
  if (panes.empty())
    panes.push_back(PaneKind::Array);
  model_.unpin();
  model_.leave();
  moved_ = {};
  for (PaneKind kind : panes)
    model_.open(kind, true);
  for (const PaneEntry &entry : paneTable())
    if (std::ranges::find(panes, entry.kind) == panes.end())
      model_.open(entry.kind, false);
  model_.front = paneNamed(asked.text("front")).value_or(panes.front());
  if (!model_.pane(model_.front).open)
    model_.front = panes.front();
  model_.input = std::move(input);
  if (specs.empty())
    model_.changed(requests_);
  else
    model_.apply(specs, requests_);
  settle();
  if (const Json *pin = asked.object("pin")) {
    Asked at(*pin);
    auto place = [&](const char *name) { return int64_t(std::clamp(at.number(name, -1), -1.0, 1e15)); };
    if (auto kind = paneOfRequest(at); kind && model_.pane(*kind).open)
      if (Spot spot = model_.pane(*kind).picture.spotOf(place("row"), place("column")); spot.some())
        model_.pin(*kind, spot);
  }
  if (const Json *zooms = asked.object("zoom"))
    for (const core::JsonMember &zoom : zooms->members)
      if (auto kind = paneNamed(zoom.name); kind && zoom.value.items.size() == 3 && zoom.value.items[0].number > 0) {
        model_.pane(*kind).picture.requestZoom(zoom.value.items[0].number * scale_,
                                               {zoom.value.items[1].number, zoom.value.items[2].number});
        moved_[size_t(*kind)] = true;
      }
  return {};
}

Result<std::string> LayoutPage::frame(const Asked &asked) {
  PaneKind kind = LANESCOPE_TRY(paneOfRequest(asked));
  double width = std::clamp(asked.number("width"), 0.0, kMostPixels);
  double height = std::clamp(asked.number("height"), 0.0, kMostPixels);
  const Json *given = asked.object("style");
  if (!given)
    return error("bad-view", "a frame needs its `style`");
  Asked look(*given);
  SceneStyle style;
  style.glyphWidth = std::clamp(look.number("glyph", style.glyphWidth), 0.3, 1.5);
  double scale = scale_ = std::clamp(look.number("scale", 1), 0.25, 8.0);
  style.smallestText = 9 * scale;
  style.largestText = 16 * scale;
  style.tickText = 12 * scale;
  style.smallestCell = 6 * scale;
  auto colour = [&](const char *name, uint32_t otherwise) { return uint32_t(look.number(name, otherwise)); };
  style.lit = colour("lit", style.lit);
  style.litShare = std::clamp(look.number("litShare", 0.1), 0.0, 1.0);
  style.hatch = colour("hatch", style.hatch);
  uint32_t empty = colour("empty", packed(style.empty));
  style.empty = {uint8_t(empty & 255), uint8_t(empty >> 8 & 255), uint8_t(empty >> 16 & 255)};
  SceneModel &picture = model_.pane(kind).picture;
  const SceneFrame &frame = picture.compose(width, height, style);
  Drawn now{picture.viewport, width, height, style, picture.scene(), 0};
  Drawn &before = drawn_[size_t(kind)];
  now.version = before.version;
  bool base = !(now == before) || asked.number("have", -1) != double(before.version);
  if (base)
    now.version = ++versions_;
  before = now;
  json out = frameJson(frame, base);
  out["version"] = now.version;
  out["base"] = base;
  out["partial"] = picture.partial();
  return written({{"frame", std::move(out)}});
}

Result<std::string> LayoutPage::exported(const Asked &asked) {
  PaneKind kind = LANESCOPE_TRY(paneOfRequest(asked));
  Result<Scene> scene = paneForFile(model_.input, kind);
  if (!scene)
    return std::unexpected(std::move(scene.error()));
  std::string out = LANESCOPE_TRY(renderScene(*scene, asked.text("format")));
  return written({{"text", std::move(out)}});
}

Result<std::string> LayoutPage::answer(const Asked &asked) {
  const std::string what = asked.text("do");
  if (what == "start") {
    model_.input.theme = asked.text("theme") == "dark" ? ColourTheme::Dark : ColourTheme::Light;
    model_.changed(requests_);
    settle();
    return written({{"names", namesJson()}, {"state", stateJson(model_)}});
  }
  if (what == "set") {
    const Json *fields = asked.object("fields");
    if (!fields)
      return error("bad-view", "`set` needs its `fields`");
    LANESCOPE_CHECK(set(*fields));
    return state();
  }
  if (what == "share")
    return shared();
  if (what == "view")
    return written({{"text", model_.viewText()}});
  if (what == "load") {
    const Json *given = asked.object("state");
    if (!given)
      return error("bad-view", "the link has no state");
    LANESCOPE_CHECK(load(*given));
    return state();
  }
  if (what == "paste") {
    model_.paste(asked.text("text"), requests_);
    settle();
    return state();
  }
  if (what == "choose") {
    const auto &found = model_.facts().found;
    double index = asked.number("index", -1);
    if (!(index >= 0 && index < double(found.size())))
      return error("bad-view",
                   Message("`index` has to be at least 0 and less than {count}, the number of layouts in the text",
                           found.size()));
    FoundText chosen = found[size_t(index)]; // choosing changes the list
    model_.choose(chosen, requests_);
    settle();
    return state();
  }
  if (what == "frame")
    return frame(asked);
  if (what == "export")
    return exported(asked);
  if (what == "leave") {
    bool hovering = model_.hovering();
    model_.leave();
    return lit(hovering);
  }
  if (what == "unpin") {
    bool some = model_.pinned() || model_.hovering();
    model_.leave();
    model_.unpin();
    return lit(some);
  }
  // All other requests are about a picture.
  PaneKind kind = LANESCOPE_TRY(paneOfRequest(asked));
  SceneModel &picture = model_.pane(kind).picture;
  Point at{asked.number("x"), asked.number("y")};
  if (what == "open") {
    model_.open(kind, asked.truth("open"));
    model_.changed(requests_);
    settle();
    return state();
  }
  if (what == "front") {
    if (model_.pane(kind).open)
      model_.bringToFront(kind);
    return state();
  }
  if (what == "point" || what == "click") {
    Selection before = model_.selection();
    Spot pinned = model_.pinnedIn(kind);
    model_.hover(kind, picture.spotAt(at));
    if (what == "click")
      model_.togglePin();
    bool changed = what == "click" || !(before == model_.selection()) || !(pinned == model_.pinnedIn(kind));
    return lit(changed);
  }
  if (what == "arrow") {
    auto steps = [&](const char *name) { return int(std::clamp(asked.number(name), -1e6, 1e6)); };
    model_.leave();
    if (model_.pane(kind).open)
      model_.front = kind;
    const Viewport before = picture.viewport;
    model_.pin(kind, picture.moved(model_.pinnedIn(kind), steps("rows"), steps("columns")));
    // The picture moves so that the cell is visible, but no empty room appears before its first row or column.
    picture.viewport.x = std::min(picture.viewport.x, std::max(before.x, 0.0));
    picture.viewport.y = std::min(picture.viewport.y, std::max(before.y, 0.0));
    return lit(true);
  }
  if (what == "zoom" || what == "pan" || what == "labels" || what == "fit")
    moved_[size_t(kind)] = what != "fit";
  if (what == "zoom") {
    auto kept = asked.truth("atPin") ? picture.centreOf(model_.pinnedIn(kind)) : std::nullopt;
    picture.viewport.zoomAt(kept ? picture.viewport.toCanvas(*kept) : at,
                            std::clamp(asked.number("factor", 1), 0.05, 20.0));
    return lit(false);
  }
  if (what == "pan") {
    picture.viewport.pan(at.x, at.y);
    return lit(false);
  }
  if (what == "fit") {
    picture.requestFit();
    return lit(false);
  }
  if (what == "labels") {
    picture.requestReadable(model_.pinnedIn(kind));
    return lit(false);
  }
  return error("bad-view", Message("there is no request `{}`; viz/web/README.md lists them", what));
}

std::string LayoutPage::call(std::string_view request) {
  return answered(request, [this](const Asked &asked) { return answer(asked); });
}

} // namespace lanescope::viz
