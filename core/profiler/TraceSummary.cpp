// What a trace says, as text: per region how often and how long, what waiting costs, which tracks idle.
#include "core/Trace.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>

namespace lanescope::core {

namespace {

constexpr size_t kShownTracks = 3;

std::string fixed(double value, int decimals) {
  char buffer[400];
  std::snprintf(buffer, sizeof buffer, "%.*f", decimals, value);
  return buffer;
}

std::string percent(double part, double whole) { return whole > 0 ? fixed(100 * part / whole, 1) + " %" : "-"; }

/// Names come from files: nothing in them may steer the terminal.
std::string printable(std::string_view s) {
  std::string out(s);
  for (char &c : out)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F)
      c = '?';
  return out;
}

/// Columns count characters, not bytes.
size_t width(std::string_view s) {
  return static_cast<size_t>(std::ranges::count_if(s, [](char c) { return (c & 0xC0) != 0x80; }));
}

struct Region {
  std::string name;
  std::vector<double> times;
  double total = 0, self = 0;
};

struct TrackTimes {
  const TraceTrack *track;
  double span = 0, idle = 0;
};

/// The value below which `fraction` of the sorted times lie (nearest rank).
double quantile(const std::vector<double> &sorted, double fraction) {
  auto rank = static_cast<size_t>(std::ceil(fraction * static_cast<double>(sorted.size())));
  return sorted[std::clamp<size_t>(rank, 1, sorted.size()) - 1];
}

bool isWait(std::string_view name) {
  std::string lower(name);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; });
  return lower.find("wait") != std::string::npos || lower.find("drain") != std::string::npos;
}

class Summary {
public:
  explicit Summary(const Trace &trace) : trace_(trace) {
    for (const std::string &name : trace.names)
      regions_.push_back({printable(name), {}, 0, 0});
    std::set<std::pair<int64_t, int64_t>> flown; // tracks of the asynchronous units: no one spends time there
    for (const TraceFlight &flight : trace.flights)
      flown.emplace(flight.pid, flight.tid);
    for (const TraceTrack &track : trace.tracks)
      if (!flown.contains({track.pid, track.tid}) || !track.threadName.ends_with("in flight"))
        add(track);
    std::erase_if(regions_, [](const Region &region) { return region.times.empty(); });
    for (Region &region : regions_)
      std::ranges::sort(region.times);
    std::ranges::stable_sort(regions_, std::greater(), &Region::self);
  }

  std::string write() {
    if (tracks_.empty())
      return "the trace is empty: no region was recorded\n";
    std::string out =
        text(tracks_.size(), tracks_.size() == 1 ? " track on " : " tracks on ", processes_.size(),
             processes_.size() == 1 ? " SM, " : " SMs, ", slices_, slices_ == 1 ? " region in " : " regions in ",
             fixed((last_ - first_) / 1000, 3), " us from the first mark to the last\n");
    if (trace_.emulated)
      out += "emulated: the times come from the emulator's cycle model, not from a GPU\n";
    out += "\n" + table() + "\n" + waits() + inFlight() + idle();
    return out;
  }

private:
  void add(const TraceTrack &track) {
    if (track.slices.empty())
      return;
    double begin = track.slices.front().beginNs, end = begin, covered = 0, reach = begin;
    std::vector<std::pair<uint32_t, double>> open; // name and end of the slices around the current one
    for (const TraceSlice &slice : track.slices) {
      double time = slice.endNs - slice.beginNs;
      Region &region = regions_[slice.name];
      region.times.push_back(time);
      region.total += time;
      region.self += time;
      open.resize(std::min<size_t>(open.size(), slice.depth));
      if (!open.empty()) // what lies within the slice around it is not that one's own time
        regions_[open.back().first].self -= std::max(0.0, std::min(slice.endNs, open.back().second) - slice.beginNs);
      open.emplace_back(slice.name, slice.endNs);
      covered += std::max(0.0, slice.endNs - std::max(reach, slice.beginNs));
      reach = std::max(reach, slice.endNs);
      end = std::max(end, slice.endNs);
      nested_ |= slice.depth > 0;
    }
    first_ = tracks_.empty() ? begin : std::min(first_, begin);
    last_ = tracks_.empty() ? end : std::max(last_, end);
    slices_ += track.slices.size();
    allSpan_ += end - begin;
    allIdle_ += end - begin - covered;
    processes_.insert(track.pid);
    tracks_.push_back({&track, end - begin, end - begin - covered});
  }

  std::string table() const {
    std::vector<std::vector<std::string>> rows = {
        {"region", "count", "total us", "median ns", "p95 ns", "max ns", "share"}};
    if (nested_)
      rows[0].insert(rows[0].begin() + 3, "self us");
    for (const Region &region : regions_) {
      std::vector<std::string> row = {region.name,
                                      std::to_string(region.times.size()),
                                      fixed(region.total / 1000, 3),
                                      fixed(quantile(region.times, 0.5), 0),
                                      fixed(quantile(region.times, 0.95), 0),
                                      fixed(region.times.back(), 0),
                                      percent(region.self, allSpan_)};
      if (nested_)
        row.insert(row.begin() + 3, fixed(region.self / 1000, 3));
      rows.push_back(std::move(row));
    }
    std::vector<std::string> between(rows[0].size(), "");
    between[0] = "(between regions)";
    between[2] = fixed(allIdle_ / 1000, 3);
    between.back() = percent(allIdle_, allSpan_);
    rows.push_back(between);

    std::vector<size_t> widths(rows[0].size(), 0);
    for (const auto &row : rows)
      for (size_t i = 0; i < row.size(); ++i)
        widths[i] = std::max(widths[i], width(row[i]));
    std::string out;
    for (const auto &row : rows) {
      for (size_t i = 0; i < row.size(); ++i) {
        std::string padding(widths[i] - width(row[i]), ' ');
        out += i == 0 ? row[i] + padding : "  " + padding + row[i];
      }
      out += "\n";
    }
    return out + text("share: of the tracks' own times, ", fixed(allSpan_ / 1000, 3), " us in all",
                      nested_ ? ", without the regions inside" : "", "\n");
  }

  std::string waits() const {
    double total = 0;
    std::string names;
    for (const Region &region : regions_)
      if (isWait(region.name)) {
        total += region.self;
        names += text(names.empty() ? "`" : ", `", region.name, "`");
      }
    if (names.empty())
      return "";
    return text("waiting (", names, ") takes ", percent(total, allSpan_), " of the tracks' time, ",
                fixed(total / 1000 / static_cast<double>(tracks_.size()), 3), " us a track on average\n");
  }

  /// What the asynchronous units did: how much of each kind, and how long one takes.
  std::string inFlight() const {
    std::vector<std::vector<double>> times(trace_.names.size());
    for (const TraceFlight &flight : trace_.flights)
      times[flight.name].push_back(flight.endNs - flight.beginNs);
    std::string out;
    for (size_t name = 0; name < times.size(); ++name) {
      std::vector<double> &of = times[name];
      if (of.empty())
        continue;
      std::ranges::sort(of);
      out += text("  ", printable(trace_.names[name]), ": ", of.size(), ", median ", fixed(quantile(of, 0.5), 0),
                  " ns, max ", fixed(of.back(), 0), " ns\n");
    }
    return out.empty() ? out : "in flight:\n" + out;
  }

  static std::string called(const TraceTrack &track) {
    std::string process = track.processName.empty() ? text("process ", track.pid) : printable(track.processName);
    return process + ", " + (track.threadName.empty() ? text("thread ", track.tid) : printable(track.threadName));
  }

  std::string idle() const {
    std::vector<TrackTimes> sorted = tracks_;
    std::ranges::stable_sort(sorted, std::greater(), &TrackTimes::span);
    std::string out = "longest tracks:\n";
    for (size_t i = 0; i < std::min(kShownTracks, sorted.size()); ++i)
      out += text("  ", called(*sorted[i].track), ": ", fixed(sorted[i].span / 1000, 3), " us, ",
                  percent(sorted[i].idle, sorted[i].span), " between regions\n");
    if (sorted.size() <= kShownTracks)
      return out;
    std::ranges::stable_sort(sorted, std::greater(),
                             [](const TrackTimes &t) { return t.span > 0 ? t.idle / t.span : 0; });
    out += "tracks with the most time between regions:\n";
    for (size_t i = 0; i < kShownTracks; ++i)
      out += text("  ", called(*sorted[i].track), ": ", percent(sorted[i].idle, sorted[i].span), " of ",
                  fixed(sorted[i].span / 1000, 3), " us\n");
    return out;
  }

  const Trace &trace_;
  std::vector<Region> regions_;
  std::vector<TrackTimes> tracks_;
  std::set<int64_t> processes_;
  size_t slices_ = 0;
  double first_ = 0, last_ = 0, allSpan_ = 0, allIdle_ = 0;
  bool nested_ = false;
};

} // namespace

std::string summarize(const Trace &trace) { return Summary(trace).write(); }

} // namespace lanescope::core
