#include "viz/scene/TraceScene.h"

#include "core/profiler/TraceAnalysis.h"
#include "layouts/support/Text.h"
#include "layouts/support/Utf8.h"
#include "layouts/support/Words.h"
#include "viz/scene/Page.h"
#include "viz/scene/Palette.h"
#include "viz/scene/TraceLanes.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

namespace lanescope::viz {
namespace {

constexpr double kTrackGap = 8;
constexpr double kLeastLabelled = 14; // row height
constexpr Colour kMerged{170, 178, 187};

std::string number(double value, int digits) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "%.*f", digits, value);
  return buffer;
}

std::string trackName(const core::TraceTrack &track) {
  return text(core::processName(track), " · ", core::threadName(track));
}

/// 1, 2 or 5 times a power of ten, such that about `target` steps cover `length`.
double niceStep(double length, double target) {
  double raw = length / target;
  double power = std::pow(10, std::floor(std::log10(raw)));
  double lead = raw / power;
  return power * (lead <= 1 ? 1 : lead <= 2 ? 2 : lead <= 5 ? 5 : 10);
}

std::string shortened(const std::string &name, double size, double width) {
  if (textWidth(name, size) <= width)
    return name;
  std::string out = name;
  while (!out.empty() && textWidth(out + "…", size) > width)
    dropLastCharacter(out);
  return out.size() < 2 ? "" : out + "…";
}

struct TrackDrawer {
  Scene &scene;
  const core::Trace &trace;
  const TraceLanes &lanes;
  double base, begin, end, scale; // ns; ns -> pixels
  const TraceSceneOptions &options;
  std::vector<bool> &used;

  struct Run { // narrow slices at the same depth, which are drawn as one box
    double from = 0, to = 0;
    int64_t count = 0, first = 0;
  };

  void box(const core::TraceTrack &track, int32_t row, int64_t slice, double y) {
    const core::TraceSlice &s = track.slices[slice];
    double x0 = std::max((s.beginNs - base - begin) * scale, 0.0);
    double x1 = std::min((s.endNs - base - begin) * scale, options.width);
    std::string name = core::regionName(trace, s.name);
    Box out;
    out.rect = {x0, y + 1, std::max(x1 - x0, 1.0), options.rowHeight - 2};
    out.fill = traceColour(s.name);
    out.stroke = mix(out.fill, kInk, 0.35);
    out.strokeWidth = out.rect.width > 4 ? 0.75 : 0;
    out.labelSize = std::min(11.0, options.rowHeight * 0.6);
    out.labelColour = kInk;
    std::string duration = timeText(s.endNs - s.beginNs);
    std::string both = text(name, "  ", duration);
    double room = out.rect.width - 8;
    if (options.rowHeight >= kLeastLabelled)
      out.label = textWidth(both, out.labelSize) <= room ? both : shortened(name, out.labelSize, room);
    out.tooltip = text(name, ": ", duration, ", from ", timeText(s.beginNs - base), " to ", timeText(s.endNs - base),
                       ", on ", trackName(track));
    if (std::string detail = lanes.detail(row, static_cast<int32_t>(slice)); !detail.empty())
      out.tooltip += text("; ", detail);
    out.element = slice;
    out.row = row;
    out.column = static_cast<int32_t>(s.depth);
    out.linkSet = static_cast<int32_t>(std::min<size_t>(s.name, trace.names.size()));
    if (s.name < used.size())
      used[s.name] = true;
    scene.body.boxes.push_back(std::move(out));
  }

  void mergedBox(const core::TraceTrack &track, int32_t row, uint32_t depth, const Run &run, double y) {
    if (run.count == 1)
      return box(track, row, run.first, y);
    Box out;
    double x0 = std::max((run.from - base - begin) * scale, 0.0),
           x1 = std::min((run.to - base - begin) * scale, options.width);
    out.rect = {x0, y + 3, std::max(x1 - x0, 1.0), options.rowHeight - 6};
    out.fill = kMerged;
    out.hatched = true;
    out.tooltip = text(run.count, " short slices between ", timeText(run.from - base), " and ", timeText(run.to - base),
                       ", on ", trackName(track), "; zoom in to see them");
    out.element = run.first;
    out.elements = run.count;
    out.row = row;
    out.column = static_cast<int32_t>(depth);
    scene.body.boxes.push_back(std::move(out));
    merged = true;
  }

  /// Adds to the run the narrow slices from the `i`-th one on that are close to each other and at the same depth.
  /// Returns the index at which they end. Traces have millions of them.
  [[gnu::noinline]] static size_t extend(Run &run, const std::vector<core::TraceSlice> &slices, size_t i, double lastNs,
                                         double narrowNs) {
    uint32_t depth = slices[i].depth;
    double to = run.to;
    size_t at = i;
    for (; at < slices.size(); ++at) {
      const core::TraceSlice &s = slices[at];
      if (s.depth != depth || s.beginNs >= lastNs || s.endNs - s.beginNs >= narrowNs || s.beginNs - to > narrowNs)
        break;
      to = std::max(to, s.endNs);
    }
    run.to = to;
    run.count += static_cast<int64_t>(at - i);
    return at;
  }

  void draw(const core::TraceTrack &track, int32_t row, double top, uint32_t depths) {
    std::vector<Run> runs(depths);
    auto flush = [&](uint32_t depth) {
      if (runs[depth].count > 0)
        mergedBox(track, row, depth, runs[depth], top + depth * options.rowHeight);
      runs[depth] = {};
    };
    double firstNs = base + begin, lastNs = base + end, narrowNs = options.minSlice / scale;
    for (size_t i = 0; i < track.slices.size();) {
      const core::TraceSlice &s = track.slices[i];
      if (s.beginNs >= lastNs)
        break; // slices are sorted by their begin
      if (s.endNs <= firstNs && s.endNs > s.beginNs) {
        ++i;
        continue;
      }
      Run &run = runs[s.depth];
      bool narrow = s.endNs - s.beginNs < narrowNs;
      if (!narrow || s.beginNs - run.to > narrowNs)
        flush(s.depth);
      if (narrow) {
        if (run.count == 0)
          run = {s.beginNs, s.endNs, 0, static_cast<int64_t>(i)};
        i = extend(run, track.slices, i, lastNs, narrowNs);
      } else {
        box(track, row, static_cast<int64_t>(i++), top + s.depth * options.rowHeight);
      }
    }
    for (uint32_t depth = 0; depth < depths; ++depth)
      flush(depth);
  }

  bool merged = false;
};

void drawTimeAxis(Scene &scene, double begin, double end, double scale, double width) {
  double step = niceStep(end - begin, std::max(width / 130, 2.0));
  if (begin / step > 1e15)
    return; // the user has zoomed in further than a double can resolve
  for (int64_t k = static_cast<int64_t>(std::ceil(begin / step)); static_cast<double>(k) * step <= end; ++k) {
    double at = (static_cast<double>(k) * step - begin) * scale;
    scene.top.ticks.push_back({at, tickText(static_cast<double>(k) * step, step, end)});
    scene.body.lines.push_back({{at, 0}, {at, scene.body.height}, kHairline, 0.75, true});
  }
}

/// Draws arrows between the visible tracks. Returns the number of arrows that were left out, because they would be too
/// close to each other.
int64_t drawArrows(Scene &scene, const TraceLanes &lanes, const std::vector<double> &tops, double beginNs, double endNs,
                   double scale, const TraceSceneOptions &options) {
  constexpr size_t kMostArrows = 300;
  std::vector<Line> lines;
  size_t count = 0;
  for (const TraceArrow &arrow : lanes.arrows) {
    if (arrow.from.ns >= endNs || arrow.to.ns < beginNs || static_cast<size_t>(arrow.from.track) >= tops.size() ||
        static_cast<size_t>(arrow.to.track) >= tops.size())
      continue;
    auto place = [&](const TraceEnd &at) {
      const std::vector<core::TraceSlice> &slices = lanes.trace->tracks[static_cast<size_t>(at.track)].slices;
      uint32_t depth = at.slice < 0 ? 0 : slices[static_cast<size_t>(at.slice)].depth;
      return Point{std::clamp((at.ns - beginNs) * scale, 0.0, options.width),
                   tops[static_cast<size_t>(at.track)] + (depth + 0.5) * options.rowHeight};
    };
    Point from = place(arrow.from), to = place(arrow.to);
    double length = std::hypot(to.x - from.x, to.y - from.y);
    ++count;
    if (length < 1 || count > kMostArrows)
      continue;
    Point along{(to.x - from.x) / length, (to.y - from.y) / length};
    lines.push_back({from, to, kInk, 1});
    for (double side : {-1.0, 1.0})
      lines.push_back(
          {{to.x - 6 * along.x - side * 3 * along.y, to.y - 6 * along.y + side * 3 * along.x}, to, kInk, 1});
  }
  if (count > kMostArrows)
    return static_cast<int64_t>(count);
  scene.body.lines.insert(scene.body.lines.end(), lines.begin(), lines.end());
  return 0;
}

/// The extent of all tracks in time, and the number of rows of each track.
struct TraceExtent {
  double beginNs = 0, lengthNs = 0;
  std::vector<uint32_t> depths; // by track
};
/// Takes the extent of a trace without flights from the analysis. Large traces do not fit into caches, so a pass that
/// is saved makes a difference.
TraceExtent extentOf(const core::Trace &trace, const core::TraceAnalysis &analysis) {
  TraceExtent extent{traceBeginNs(trace), analysis.lengthNs, std::vector<uint32_t>(trace.tracks.size(), 1)};
  for (const core::TrackTimes &track : analysis.tracks)
    extent.depths[track.track] = track.depth;
  return extent;
}
TraceExtent extentOf(const core::Trace &trace) {
  TraceExtent extent{.beginNs = traceBeginNs(trace), .depths = {}};
  double end = extent.beginNs;
  for (const core::TraceTrack &track : trace.tracks) {
    uint32_t depth = 0;
    for (const core::TraceSlice &slice : track.slices) {
      end = std::max(end, slice.endNs);
      depth = std::max<uint32_t>(depth, slice.depth);
    }
    extent.depths.push_back(depth + 1);
  }
  extent.lengthNs = end - extent.beginNs;
  return extent;
}

/// Adds an entry with the number and the total time for each visible name, in the order of the trace's names.
void addLegend(Scene &scene, const core::Trace &trace, const core::TraceAnalysis &analysis,
               const std::vector<bool> &used) {
  std::map<std::pair<uint32_t, bool>, std::string> words; // (name, true if it is in flight) -> words
  auto add = [&](uint32_t name, bool flies, size_t count, double total) {
    if (name >= used.size() || !used[name])
      return;
    const char *unit = flies ? " in flight, " : count == 1 ? " slice, " : " slices, ";
    words[{name, flies}] =
        text(trace.names[name], ": ", count, unit, count == 1 ? "" : "mean ",
             timeText(total / static_cast<double>(count)), count == 1 ? "" : text(", total ", timeText(total)));
  };
  for (const core::RegionTimes &region : analysis.regions)
    add(region.name, false, region.count, region.totalNs);
  for (const core::FlightTimes &flight : analysis.flights)
    add(flight.name, true, flight.count, flight.totalNs);
  for (auto &[key, line] : words) {
    LegendEntry entry;
    entry.fill = traceColour(key.first);
    entry.text = std::move(line);
    scene.legend.push_back(std::move(entry));
  }
}

} // namespace

std::string tickText(double ns, double step, double longest) {
  struct Unit {
    double ns;
    const char *name;
  };
  constexpr Unit kUnits[] = {{1e9, " s"}, {1e6, " ms"}, {1e3, " µs"}, {1, " ns"}};
  const Unit *unit = std::ranges::find_if(kUnits, [&](const Unit &u) { return step >= u.ns || longest >= 10 * u.ns; });
  if (unit == std::end(kUnits))
    --unit;
  // The step is 1, 2 or 5 times a power of ten.
  int digits = std::max(0, -static_cast<int>(std::floor(std::log10(step / unit->ns) + 1e-9)));
  return number(ns / unit->ns, digits) + unit->name;
}

Colour traceColour(uint32_t name) { return hue(name); }

double traceBeginNs(const core::Trace &trace) { return core::traceStartNs(trace); }

double traceLengthNs(const core::Trace &trace) { return extentOf(trace).lengthNs; }

Scene traceScene(std::shared_ptr<const core::Trace> shared, const TraceSceneOptions &given) {
  TraceLanes lanes = layTrace(shared);
  const core::Trace &trace = *lanes.trace;
  TraceSceneOptions options = given;
  if (!(options.rowHeight > 0))
    options.rowHeight = trace.tracks.size() <= 32 ? 22 : trace.tracks.size() <= 96 ? 16 : 11;
  double gap = options.rowHeight >= kLeastLabelled ? kTrackGap : 2;
  Scene scene;
  scene.subject = TraceSubject{shared, lanes.trace};
  core::TraceAnalysis analysis = core::analyse(*shared, {}, core::Quantiles::Without);
  TraceExtent extent = lanes.trace == shared ? extentOf(trace, analysis) : extentOf(trace);
  double base = extent.beginNs, length = extent.lengthNs;
  size_t slices = analysis.slices, flights = shared->flights.size();
  scene.title = "Kernel trace";
  scene.subtitle = text(counted(analysis.tracks.size(), "track"), ", ", counted(slices, "slice"), ", ",
                        flights > 0 ? text(flights, " in flight, ") : "", timeText(analysis.lengthNs),
                        trace.emulated ? "; emulated: times come from the emulator's cycle model, not from a GPU" : "");
  scene.body.width = options.width;
  scene.linkHint = "hover: all slices of the same name light up";
  if (slices + flights == 0 || !std::isfinite(length)) {
    const char *reason = slices + flights == 0 ? "the trace has no slices: was the kernel run with profile=True?"
                                               : "the trace has times that are not finite";
    scene.body.height = 40;
    scene.body.texts.push_back({{0, 20}, reason, 12, kFaintInk});
    applyTheme(scene, options.theme);
    return scene;
  }

  bool wholeTrace = options.endNs <= options.beginNs;
  double begin = wholeTrace ? 0 : options.beginNs, end = wholeTrace ? length : options.endNs;
  if (end <= begin)
    end = begin + 1; // all slices begin and end at the same moment
  double scale = options.width / (end - begin);
  for (size_t name = 0; name <= trace.names.size(); ++name)
    scene.linkSets.push_back({static_cast<int32_t>(name)}); // the last set is for names that are out of range
  std::vector<bool> used(trace.names.size());
  TrackDrawer drawer{scene, trace, lanes, base, begin, end, scale, options, used};

  size_t shown = std::min<size_t>(trace.tracks.size(), static_cast<size_t>(std::max<int64_t>(options.maxTracks, 1)));
  std::vector<double> tops;
  double y = 4;
  for (size_t t = 0; t < shown; ++t) {
    tops.push_back(y);
    y += extent.depths[t] * options.rowHeight + gap;
  }
  scene.body.height = y;
  for (size_t t = 0; t < shown; ++t) {
    double between = tops[t] - gap / 2;
    scene.body.lines.push_back({{0, between}, {options.width, between}, kHairline, 0.75, true});
    scene.left.ticks.push_back({tops[t] + extent.depths[t] * options.rowHeight / 2, trackName(trace.tracks[t])});
  }
  drawTimeAxis(scene, begin, end, scale, options.width);
  scene.top.title = "time since the first slice";
  for (size_t t = 0; t < shown; ++t)
    drawer.draw(trace.tracks[t], static_cast<int32_t>(t), tops[t], extent.depths[t]);

  int64_t leftOut = drawArrows(scene, lanes, tops, begin + base, end + base, scale, options);
  if (leftOut > 0)
    scene.notes.push_back(text(leftOut, leftOut == 1 ? " arrow is" : " arrows are",
                               " left out: zoom in, or draw a shorter stretch, to see what ended which wait."));

  addLegend(scene, trace, analysis, used);
  if (drawer.merged) {
    LegendEntry entry;
    entry.fill = kMerged;
    entry.hatched = true;
    entry.text = "several slices too narrow to draw one by one; zoom in to see them";
    scene.legend.push_back(std::move(entry));
  }
  if (shown < trace.tracks.size())
    scene.notes.push_back(text(trace.tracks.size() - shown, " more tracks are not drawn."));
  for (const Diagnostic &warning : trace.warnings)
    scene.notes.push_back(text("warning: ", warning.message));
  applyTheme(scene, options.theme);
  return scene;
}

} // namespace lanescope::viz
