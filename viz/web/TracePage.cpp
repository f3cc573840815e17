#include "viz/web/TracePage.h"

#include "core/gpu/kernel/Profile.h"
#include "core/profiler/CompareText.h"
#include "core/profiler/ExplainTrace.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "viz/export/Svg.h"
#include "viz/gui/style/SceneStyle.h"
#include "viz/gui/timeline/TimelineColours.h"
#include "viz/gui/timeline/TimelineWords.h"
#include "viz/scene/Palette.h"
#include "viz/scene/TraceScene.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace lanescope::viz {
namespace {

using core::Json;
using nlohmann::json;

// timeline.js reads these from the module's memory, as rows of 32-bit numbers.
static_assert(sizeof(Fill) == 20 && offsetof(Fill, colour) == 16);

constexpr double kMostPixels = 16384; // the largest width or height of a canvas
constexpr double kRowHeight = 20;     // pixels; the height of a nesting level at scale 1
constexpr double kLeastLabelled = 24; // width of a bar with a name, at scale 1
constexpr double kGraphHeight = 42, kOverviewHeight = 56;
constexpr uint32_t kColourBits = 0x00FFFFFF;

json placeOf(const std::vector<Fill> &fills) {
  return {{"at", reinterpret_cast<uintptr_t>(fills.data())}, {"count", fills.size()}};
}
double rounded(double pixels) { return std::round(pixels * 100) / 100; }

/// Black or white, whichever is easier to read on the colour.
uint32_t inkOn(Colour fill) {
  Colour white{255, 255, 255};
  return packed(contrast(kInk, fill) >= contrast(white, fill) ? kInk : white);
}

json linesJson(const std::vector<std::string> &lines) { return lines; }

json sliceJson(const TimelineModel &model, SliceRef ref) {
  std::optional<SliceWords> words = sliceWords(model, ref);
  if (!words)
    return nullptr;
  std::string before = model.ghost() ? model.beforeWords(ref) : std::string();
  if (model.mark)
    words->links.push_back(text(timeText(std::abs(model.beginOf(ref) - *model.mark)), " from the mark"));
  return {{"name", words->name},
          {"times", words->times},
          {"detail", words->detail},
          {"track", words->track},
          {"place", model.placeOf(ref)},
          {"links", words->links},
          {"before", before},
          {"colour", packed(traceColour(model.slice(ref)->name))}};
}

/// The cells of a map in a rectangle. Equal neighbours become one fill.
void addMap(std::vector<Fill> &into, const TrackMap &map, Fill place) {
  const float wide = (place.x1 - place.x0) / float(map.columns);
  const float high = (place.y1 - place.y0) / float(std::max<size_t>(map.rows, 1));
  map.forRuns([&](size_t row, size_t begin, size_t end, uint32_t name) {
    into.push_back({place.x0 + float(begin) * wide, place.y0 + float(row) * high, place.x0 + float(end) * wide,
                    place.y0 + float(row + 1) * high, packed(traceColour(name))});
  });
}

/// Steps of shares that are stacked from the bottom. Equal neighbouring steps become one fill.
template <typename Steps, typename Share, typename ColourOf>
void addStacked(std::vector<Fill> &into, const Steps &steps, const std::vector<size_t> &levels, float width,
                float height, Share share, ColourOf colourOf) {
  float step = steps.empty() ? 0 : width / float(steps.size());
  for (size_t n = 0, next = 0; n < steps.size(); n = next) {
    for (next = n + 1; next < steps.size() && share(steps[next]) == share(steps[n]);)
      ++next;
    float y = height;
    for (size_t level : levels) {
      float part = float(share(steps[n])[level]) * height;
      if (part > 0)
        into.push_back({float(n) * step, y - part, float(next) * step, y, colourOf(level)});
      y -= part;
    }
  }
}

} // namespace

uint32_t TracePage::occupancyFill(size_t blocks) const {
  return (look_.accent & kColourBits) | uint32_t(occupancyOpacity(blocks) * 255) << 24;
}

Result<std::string> TracePage::open(const Asked &asked) {
  SourceRef source = Source::make(asked.text("name", "trace"), std::exchange(file_, {}));
  core::Trace trace = LANESCOPE_TRY(core::parseGpuTrace(source));
  std::vector<json> warnings;
  for (Diagnostic &warning : trace.warnings) {
    warnings.push_back(problemJson(warning));
    warning.span = {};
  }
  source.reset();
  warnings_ = std::move(warnings);
  trace_ = std::make_shared<const core::Trace>(std::move(trace));
  model_.show(trace_);
  model_.title = asked.text("name", "trace");
  return traceFacts();
}

std::string TracePage::traceFacts() const {
  if (!trace_)
    return written({{"trace", nullptr}});
  return written({{"trace",
                   {{"title", model_.title},
                    {"empty", model_.empty()},
                    {"slices", model_.sliceCount()},
                    {"tracks", trace_->tracks.size()},
                    {"groups", model_.groupCount()},
                    {"length", timeText(model_.length())},
                    {"lengthNs", model_.length()},
                    {"overview", model_.overview() != nullptr},
                    {"previous", model_.canCompare() ? model_.previousTitle() : ""},
                    {"warnings", warnings_}}}});
}

void TracePage::fillBars(const TimelineFrame &frame, json &labels, json &outlines) {
  bars_.clear();
  const core::TraceSlice *hovered = model_.slice(model_.hovered);
  for (const BarRecord &bar : frame.bars) {
    Colour colour = traceColour(bar.name);
    uint32_t fill = packed(colour);
    // Slices with the name of the hovered one are emphasised. Slices that do not match the search are faint.
    if (bar.faded || (hovered && hovered->name != bar.name))
      fill = (fill & kColourBits) | (bar.faded ? 0x30000000 : 0x90000000);
    float gap = bar.x1 - bar.x0 > 3 ? 1 : 0;
    bars_.push_back({bar.x0, bar.y0, bar.x1 - gap, bar.y1, fill});
    if (bar.merged == 1 && !bar.faded && bar.x1 - bar.x0 >= kLeastLabelled * look_.scale)
      labels.push_back({rounded(bar.x0), rounded(bar.x1), rounded(bar.y0), rounded(bar.y1),
                        core::regionName(*model_.trace(), bar.name), inkOn(colour)});
    bool selected = bar.slice == model_.selected;
    if (selected || bar.slice == model_.hovered)
      outlines.push_back({rounded(bar.x0), rounded(bar.y0), rounded(bar.x1), rounded(bar.y1), selected});
  }
}

void TracePage::fillGhosts(const TimelineFrame &frame) {
  ghosts_.clear();
  auto scale = float(look_.scale);
  for (const GhostRecord &ghost : frame.ghosts) {
    // A name has the colour that it has in the current trace.
    const std::vector<std::string> &now = model_.trace()->names;
    auto name = std::ranges::find(now, model_.ghost()->names[ghost.name]) - now.begin();
    ghosts_.push_back({ghost.x0, ghost.y0 - scale, ghost.x1, ghost.y1, look_.ground});
    ghosts_.push_back(
        {ghost.x0, ghost.y0, ghost.x1, ghost.y1, (packed(traceColour(uint32_t(name))) & kColourBits) | 0xB0000000});
    ghosts_.push_back({ghost.x0, ghost.y0, ghost.x0 + scale, ghost.y1, look_.ink});
    if (float by = ghost.begin - ghost.x0; ghost.matched && std::abs(by) >= 6 * scale) {
      float y = (ghost.y0 + ghost.y1) / 2;
      ghosts_.push_back({std::min(ghost.x0, ghost.begin), y - 0.75f * scale, std::max(ghost.x0, ghost.begin),
                         y + 0.75f * scale, look_.accent});
    }
  }
}

void TracePage::fillRows(const TimelineFrame &frame, json &rows) {
  headings_.clear();
  const auto &processes = model_.occupancy().processes;
  for (const RowRecord &row : frame.rows) {
    bool heading = row.track < 0;
    std::string name = heading ? model_.groupName(row.group) : model_.trackName(row.track);
    rows.push_back({{"y0", rounded(row.y0)},
                    {"y1", rounded(row.y1)},
                    {"heading", heading},
                    {"folded", row.collapsed},
                    {"group", row.group},
                    {"name", name},
                    {"short", shortTrackName(name)},
                    {"tracks", heading ? model_.groupSize(row.group) : 0}});
    if (!heading)
      continue;
    auto gap = float(3 * look_.scale);
    auto process = std::ranges::lower_bound(processes, model_.groupPid(row.group), {}, &core::ProcessTimes::pid);
    if (!model_.showOccupancy) {
      auto at = [&](double time) { return float(model_.pixelAt(time, width_)); };
      if (const TrackMap *map = model_.foldedMap(row.group))
        addMap(headings_, *map, {at(0), row.y0 + gap, at(model_.length()), row.y1 - gap, 0});
    } else if (process != processes.end() && process->pid == model_.groupPid(row.group) && process->most > 0) {
      float high = (row.y1 - row.y0 - gap) / float(process->most), bottom = row.y1 - gap / 2, drawn = 0;
      for (size_t i = 0; i + 1 < process->steps.size(); ++i) {
        auto at = [&](size_t step) {
          return float(model_.pixelAt(process->steps[step].ns - model_.originNs(), width_));
        };
        float x0 = std::max(at(i), drawn), x1 = std::min(std::max(at(i + 1), x0), float(width_));
        uint32_t blocks = process->steps[i].blocks;
        if (blocks == 0 || x1 - x0 < 0.5f)
          continue;
        headings_.push_back({x0, bottom - high * float(blocks), x1, bottom,
                             occupancyFill(std::min<size_t>(blocks, core::OccupancyBin().size() - 1))});
        drawn = x1; // steps within a pixel are drawn as one
      }
    }
  }
}

void TracePage::fillGraphs(const TimelineFrame &frame, double width) {
  overview_.clear(), overlap_.clear(), occupancy_.clear();
  auto wide = float(width), high = float(kGraphHeight * look_.scale);
  if (frame.overview)
    addMap(overview_, *model_.overview(), {0, 0, wide, float(kOverviewHeight * look_.scale), 0});
  std::vector<size_t> states;
  for (size_t s = 0; s + 1 < core::kOverlapStates; ++s)
    states.push_back(s);
  addStacked(
      overlap_, frame.overlap, states, wide, high, [](const core::OverlapShares &of) -> const auto & { return of.of; },
      [&](size_t level) {
        return packed(overlapColour(static_cast<core::OverlapState>(level), look_.dark).value_or(Colour{}));
      });
  addStacked(
      occupancy_, frame.occupancy, {4, 3, 2, 1}, wide, high,
      [](const core::OccupancyBin &bin) -> const auto & { return bin; },
      [&](size_t level) { return occupancyFill(level); });
}

std::string TracePage::frame(const Asked &asked) {
  width_ = std::clamp(asked.number("width"), 1.0, kMostPixels);
  double height = std::clamp(asked.number("height"), 1.0, kMostPixels);
  look_.scale = std::clamp(asked.number("scale", 1), 0.25, 8.0);
  if (const Json *style = asked.object("style")) {
    Asked of(*style);
    auto colour = [&](const char *name, uint32_t otherwise) {
      return uint32_t(std::clamp(of.number(name, otherwise), 0.0, double(UINT32_MAX)));
    };
    look_.ground = colour("ground", look_.ground), look_.ink = colour("ink", look_.ink);
    look_.accent = colour("accent", look_.accent), look_.rule = colour("rule", look_.rule);
    look_.dark = of.truth("dark");
  }
  const TimelineFrame &frame = model_.compose(width_, height, kRowHeight * look_.scale);
  json labels = json::array(), outlines = json::array(), rows = json::array(), ticks = json::array(),
       arrows = json::array(), path = json::array(), notes = json::array();
  fillBars(frame, labels, outlines);
  fillGhosts(frame);
  fillRows(frame, rows);
  fillGraphs(frame, width_);
  for (const TimeTick &tick : frame.ticks)
    ticks.push_back({rounded(tick.x), tick.text, tick.major});
  for (const ArrowRecord &arrow : frame.arrows)
    arrows.push_back({rounded(arrow.x0), rounded(arrow.y0), rounded(arrow.x1), rounded(arrow.y1), arrow.lit});
  for (const PathRecord &step : frame.path)
    path.push_back({rounded(step.x0), rounded(step.x1), rounded(step.y), step.flies});
  for (const NoteRecord &note : frame.notes)
    notes.push_back({rounded(note.x), model_.notes.all()[note.note].text});
  json out = {{"bars", placeOf(bars_)},
              {"ghosts", placeOf(ghosts_)},
              {"headings", placeOf(headings_)},
              {"labels", labels},
              {"outlines", outlines},
              {"rows", rows},
              {"ticks", ticks},
              {"arrows", arrows},
              {"arrowsLeftOut", frame.arrowsLeftOut},
              {"path", path},
              {"notes", notes},
              {"shared", model_.ghost() != nullptr},
              {"scroll", model_.scroll()},
              {"contentHeight", model_.contentHeight()},
              {"view", {model_.view().begin, model_.view().end}},
              {"overlap", nullptr},
              {"occupancy", nullptr},
              {"overview", nullptr}};
  if (model_.showOverlap)
    out["overlap"] = {{"fills", placeOf(overlap_)}, {"height", kGraphHeight * look_.scale}};
  if (model_.showOccupancy) {
    out["occupancy"] = {{"fills", placeOf(occupancy_)}, {"height", kGraphHeight * look_.scale}, {"tail", nullptr}};
    if (frame.tail)
      out["occupancy"]["tail"] = *frame.tail;
  }
  if (frame.overview)
    out["overview"] = {{"fills", placeOf(overview_)},
                       {"height", kOverviewHeight * look_.scale},
                       {"shown", {frame.overview->x0, frame.overview->y0, frame.overview->x1, frame.overview->y1}}};
  if (model_.range())
    out["range"] = {rounded(model_.pixelAt(model_.range()->begin, width_)),
                    rounded(model_.pixelAt(model_.range()->end, width_))};
  if (model_.mark)
    out["mark"] = rounded(model_.pixelAt(*model_.mark, width_));
  if (const auto &callout = frame.callout)
    out["callout"] = {
        {"x0", callout->x0}, {"x1", callout->x1}, {"y0", callout->y0}, {"y1", callout->y1}, {"words", callout->words}};
  return written({{"frame", std::move(out)}});
}

std::string TracePage::pointed(const Asked &asked) {
  SliceRef before = model_.hovered;
  double x = asked.number("x", -1), y = asked.number("y", -1);
  model_.hovered = model_.sliceAt(x, y);
  std::string gap;
  if (trace_ && !model_.hovered.valid() && x >= 0 && y >= 0)
    gap = model_.gapWords(x, y, width_);
  return written(
      {{"pointed",
        {{"changed", before != model_.hovered}, {"slice", sliceJson(model_, model_.hovered)}, {"gap", gap}}}});
}

std::string TracePage::panel() const {
  if (!trace_)
    return written({{"panel", nullptr}});
  json out = {{"busy", model_.busy()},
              {"slice", sliceJson(model_, model_.selected)},
              {"chain", json::array()},
              {"chainShares", linesJson(chainSharesWords(model_))},
              {"path", nullptr},
              {"comparison", nullptr},
              {"notes", json::array()},
              {"overlap", json::array()},
              {"overlapNamed", model_.overlapNamed()},
              {"occupancy", json::array()},
              {"scope", scopeText(model_)},
              {"range", model_.range().has_value()},
              {"regions", json::array()},
              {"remarks", linesJson(statisticsRemarks(model_))},
              {"search", model_.filter.searchText()},
              {"shows",
               {{"path", model_.showPath},
                {"overlap", model_.showOverlap},
                {"occupancy", model_.showOccupancy},
                {"compare", model_.comparison().has_value()}}}};
  std::vector<std::string> words = chainWords(model_);
  for (size_t n = 0; n < words.size(); ++n)
    out["chain"].push_back({{"words", words[n]},
                            {"before", model_.chain()[n].before},
                            {"leads", model_.sliceOf(model_.chain()[n].step).valid()}});
  if (model_.showPath)
    out["path"] = {{"length", timeText(model_.pathLength())}, {"lines", linesJson(pathWords(model_))}};
  if (const auto &of = model_.comparison()) {
    json regions = json::array();
    for (const core::RegionChange &change : of->regions)
      regions.push_back({{"name", change.inFlight ? change.name + " (in flight)" : change.name},
                         {"now", timeText(change.selfAfter)},
                         {"change", core::growthText(change.growth())},
                         {"tone", change.growth() >= 0.5    ? "warning"
                                  : change.growth() <= -0.5 ? "good"
                                                            : "faint"}});
    out["comparison"] = {{"lines", linesJson(comparisonWords(model_))}, {"regions", std::move(regions)}};
  }
  for (size_t n = 0; n < model_.notes.all().size(); ++n)
    out["notes"].push_back(text(timeText(model_.notes.time(n)), ":  ", model_.notes.all()[n].text));
  for (const auto &[state, line] : overlapWords(model_)) {
    std::optional<Colour> colour = overlapColour(state, look_.dark);
    out["overlap"].push_back({{"words", line}, {"colour", colour ? packed(*colour) : look_.rule}});
  }
  if (model_.showOccupancy) {
    out["occupancy"] = linesJson(occupancyWords(model_));
    json legend = json::array();
    for (size_t blocks = 1; blocks < core::OccupancyBin().size(); ++blocks)
      legend.push_back({{"colour", occupancyFill(blocks)},
                        {"words", text(blocks, blocks + 1 == core::OccupancyBin().size() ? " blocks or more"
                                               : blocks == 1                             ? " block"
                                                                                         : " blocks")}});
    out["occupancyLegend"] = std::move(legend);
  }
  for (const StatisticsRow &row : statisticsRows(model_))
    out["regions"].push_back({{"name", core::regionName(*model_.trace(), row.name)},
                              {"colour", packed(traceColour(row.name))},
                              {"cells", row.cells},
                              {"details", row.details},
                              {"matches", model_.filter.matches(row.name)}});
  return written({{"panel", std::move(out)}});
}

std::string TracePage::shared() const {
  json out = {{"name", model_.title}, {"view", {model_.view().begin, model_.view().end}}, {"scroll", model_.scroll()}};
  if (model_.selected.valid())
    out["selected"] = {model_.selected.track, model_.selected.slice};
  if (model_.range())
    out["range"] = {model_.range()->begin, model_.range()->end};
  if (!model_.filter.searchText().empty())
    out["search"] = model_.filter.searchText();
  if (model_.showPath)
    out["path"] = true;
  if (!model_.showOverlap)
    out["overlap"] = false;
  if (model_.showOccupancy)
    out["occupancy"] = true;
  if (model_.comparison())
    out["compare"] = true;
  return written(out);
}

void TracePage::set(const Json &fields) {
  auto put = [&](const char *name, bool &into) {
    if (const Json *value = fields.find(name); value && value->is(Json::Kind::Bool))
      into = value->boolean;
  };
  put("path", model_.showPath);
  put("overlap", model_.showOverlap);
  put("occupancy", model_.showOccupancy);
  bool compare = model_.comparison().has_value(), before = compare;
  put("compare", compare);
  if (compare != before)
    model_.compare(compare);
  if (const Json *value = fields.find("search"); value && value->is(Json::Kind::String))
    model_.filter.search(value->string);
}

Result<void> TracePage::load(const Json &state) {
  if (!trace_)
    return error("bad-view", "no trace is open");
  auto pair = [&](const char *name) -> std::optional<std::pair<double, double>> {
    const Json *value = state.find(name);
    if (!value || value->items.size() != 2 || !std::isfinite(value->items[0].number) ||
        !std::isfinite(value->items[1].number))
      return std::nullopt;
    return std::pair(value->items[0].number, value->items[1].number);
  };
  set(state);
  auto time = [&](double ns) { return std::clamp(ns, -2 * model_.length(), 2 * model_.length()); };
  if (auto view = pair("view"); view && view->first < view->second)
    model_.setView({time(view->first), time(view->second)});
  if (auto range = pair("range"))
    model_.selectRange(TimeRange{time(range->first), time(range->second)});
  if (auto selected = pair("selected")) {
    auto index = [](double n) { return int32_t(std::clamp(n, -1.0, double(INT32_MAX))); };
    SliceRef ref{index(selected->first), index(selected->second)};
    model_.select(model_.slice(ref) ? ref : SliceRef());
  }
  model_.scrollTo(std::clamp(Asked(state).number("scroll"), 0.0, 1e9));
  return {};
}

Result<std::string> TracePage::texts(const Asked &asked) const {
  const std::string what = asked.text("what");
  std::string out;
  if (!trace_)
    return error("bad-view", "no trace is open");
  if (what == "summary")
    out = core::summarize(*trace_);
  else if (what == "explain")
    out = core::explain(*trace_);
  else if (what == "explain.json")
    out = core::explainJson(*trace_);
  else if (what == "compare.json" && model_.comparison())
    out = core::compareJson(*model_.comparison());
  else if (what == "svg")
    out = toSvg(traceScene(trace_, {.beginNs = std::max(model_.view().begin, 0.0),
                                    .endNs = model_.view().end,
                                    .width = 1200,
                                    .theme = look_.dark ? ColourTheme::Dark : ColourTheme::Light}));
  else
    return error("bad-view", Message("`what` cannot be `{}`; it is summary, explain, explain.json, svg or, while two "
                                     "traces are compared, compare.json",
                                     what));
  return written({{"text", out}});
}

/// The requests that move: they change the view, the selection or what is folded.
void TracePage::go(const Asked &asked) {
  const std::string what = asked.text("to");
  double x = asked.number("x"), y = asked.number("y");
  int steps = asked.number("steps", 1) < 0 ? -1 : 1;
  if (what == "zoom")
    model_.zoomAt(asked.number("x", width_ / 2), width_, std::clamp(asked.number("factor", 1), 0.01, 100.0));
  else if (what == "pan")
    model_.panPixels(x, width_), model_.scrollBy(-y);
  else if (what == "scroll")
    model_.scrollBy(y);
  else if (what == "scrollTo")
    model_.scrollTo(y);
  else if (what == "all")
    model_.showAll();
  else if (what == "focus" && model_.selected.valid())
    model_.focusOn(model_.selected);
  else if (what == "focus" && model_.range())
    model_.setView(*model_.range());
  else if (what == "focus")
    model_.showAll();
  else if (what == "beside")
    model_.selectBeside(steps);
  else if (what == "next" && !model_.selected.valid())
    model_.selectFirst();
  else if (what == "next")
    model_.selectNext(steps);
  else if (what == "match")
    model_.selectMatch(steps);
  else if (what == "overview")
    model_.goToOverview(x, y);
  else if (what == "mark")
    model_.mark = model_.timeAt(asked.number("x", width_ / 2), width_);
  else if (what == "range")
    model_.selectRange(TimeRange{model_.timeAt(x, width_), model_.timeAt(asked.number("x1"), width_)});
  else if (what == "selectedRange" && model_.slice(model_.selected)) {
    const core::TraceSlice &slice = *model_.slice(model_.selected);
    double begin = model_.beginOf(model_.selected);
    model_.selectRange(TimeRange{begin, begin + slice.endNs - slice.beginNs});
  } else if (what == "fold") {
    if (auto row = model_.rowAt(y); row && row->track < 0)
      model_.toggleGroup(row->group);
  } else if (what == "foldAll")
    model_.collapseAll(asked.truth("folded"));
  else if (what == "nothing") {
    model_.selected = model_.hovered = {};
    model_.mark.reset();
    model_.selectRange(std::nullopt);
    model_.filter.search("");
  } else if (what == "link") {
    double index = asked.number("index", -1);
    if (index >= 0 && index < double(model_.chain().size()))
      if (SliceRef ref = model_.sliceOf(model_.chain()[size_t(index)].step); ref.valid()) {
        model_.select(ref);
        model_.reveal(ref);
      }
  }
}

Result<std::string> TracePage::answer(const Asked &asked) {
  const std::string what = asked.text("do");
  if (what == "open")
    return open(asked);
  if (what == "facts")
    return traceFacts();
  if (what == "frame")
    return frame(asked);
  if (what == "text")
    return texts(asked);
  if (what == "share")
    return shared();
  if (what == "point")
    return pointed(asked);
  if (what == "load") {
    const Json *state = asked.object("state");
    if (!state)
      return error("bad-view", "the link has no state");
    LANESCOPE_CHECK(load(*state));
    return panel();
  }
  if (what == "set") {
    const Json *fields = asked.object("fields");
    if (!fields)
      return error("bad-view", "`set` needs its `fields`");
    set(*fields);
    return panel();
  }
  if (what == "click") {
    model_.select(model_.sliceAt(asked.number("x", -1), asked.number("y", -1)));
    return panel();
  }
  if (what == "go") {
    go(asked);
    return panel();
  }
  if (what == "panel") {
    model_.poll();
    return panel();
  }
  return error("bad-view", Message("there is no request `{}`; viz/web/README.md lists them", what));
}

std::string TracePage::call(std::string_view request) {
  return answered(request, [this](const Asked &asked) { return answer(asked); });
}

} // namespace lanescope::viz
