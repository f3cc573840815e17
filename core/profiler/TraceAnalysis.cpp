#include "core/profiler/TraceAnalysis.h"

#include "core/profiler/TraceKinds.h"
#include "layouts/support/Text.h"
#include "layouts/support/Visible.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <span>

namespace lanescope::core {

namespace {

// A track shows operations in flight if its name ends in kFlightTrack, or if all its slices are kArrival, where an
// operation in flight ends a wait.
constexpr std::string_view kFlightTrack = "in flight", kArrival = "arrive";

/// The value below which `fraction` of the times lie; reorders the times.
double nearestRank(std::vector<double> &times, double fraction) {
  auto rank = static_cast<size_t>(std::ceil(fraction * static_cast<double>(times.size())));
  auto place = times.begin() + static_cast<ptrdiff_t>(std::clamp<size_t>(rank, 1, times.size()) - 1);
  std::ranges::nth_element(times, place);
  return *place;
}

class Analyser {
public:
  Analyser(const Trace &trace, std::optional<TraceStretch> within, Quantiles quantiles)
      : trace_(trace), within_(within), quantiles_(quantiles == Quantiles::With), found_(trace.names.size()),
        flown_(trace.names.size()) {}

  TraceAnalysis analyse() {
    auto flown = flightTracks(trace_);
    for (size_t t = 0; t < trace_.tracks.size(); ++t)
      if (!flown.contains({trace_.tracks[t].pid, trace_.tracks[t].tid}))
        addTrack(t);
    addFlights();
    forEach(found_, [&](uint32_t name, Times &region) { addRegion(name, region); });
    forEach(flown_, [&](uint32_t name, Times &flight) {
      FlightTimes times{.name = name, .count = flight.count, .totalNs = flight.total};
      if (quantiles_) {
        times.longestNs = std::ranges::max(flight.all);
        times.medianNs = nearestRank(flight.all, 0.5);
      }
      out_.flights.push_back(times);
    });
    std::ranges::stable_sort(out_.regions, std::greater(), &RegionTimes::selfNs);
    out_.processes = processes_.size();
    out_.lengthNs = last_ - first_;
    return std::move(out_);
  }

private:
  /// The times of one name.
  struct Times {
    std::vector<double> all; // for quantiles only
    size_t count = 0;
    double total = 0, inside = 0; // inside: the part in nested regions
  };
  /// The times of each name: `named` has the names of the trace, and `others` the indices beyond them in malformed
  /// traces.
  struct ByName {
    explicit ByName(size_t names) : named(names) {}
    std::vector<Times> named;
    std::map<uint32_t, Times> others;
    [[gnu::always_inline]] Times &operator[](uint32_t name) {
      if (name < named.size()) [[likely]]
        return named[name];
      return other(name);
    }
    [[gnu::noinline]] Times &other(uint32_t name) { return others[name]; }
  };
  template <typename Visit> static void forEach(ByName &times, Visit visit) {
    for (size_t name = 0; name < times.named.size(); ++name)
      if (times.named[name].count > 0)
        visit(static_cast<uint32_t>(name), times.named[name]);
    for (auto &[name, of] : times.others)
      if (of.count > 0)
        visit(name, of);
  }
  [[gnu::always_inline]] void add(Times &of, double time) const {
    if (quantiles_)
      of.all.push_back(time);
    ++of.count;
    of.total += time;
  }

  struct Walk {
    double covered = 0, reach = 0; // time in slices; the end of the last slice
    uint32_t depth = 1;
  };
  /// The part of a slice between `begin` and `end`, if it is `clipped` to them.
  template <bool clipped> struct Part {
    double from, to;
    bool counts;
    Part(const TraceSlice &slice, double begin, double end)
        : from(clipped ? std::max(slice.beginNs, begin) : slice.beginNs),
          to(clipped ? std::min(slice.endNs, end) : slice.endNs),
          counts(to > from || (to == from && slice.endNs == slice.beginNs)) {}
  };
  /// Adds each slice of a track. Traces have millions of slices, so this loop goes through them in stretches that fit
  /// the caches, and twice through each stretch. Sums over all slices stay in registers only in a loop without calls.
  template <bool clipped> Walk walkTrack(std::span<const TraceSlice> slices, double begin, double end) {
    constexpr size_t kStretch = 512;
    if (clipped) // slices are sorted by their begin
      slices = slices.first(
          static_cast<size_t>(std::ranges::upper_bound(slices, end, {}, &TraceSlice::beginNs) - slices.begin()));
    Walk walk{.reach = begin};
    std::vector<Open> open;
    for (size_t at = 0; at < slices.size(); at += kStretch) {
      size_t count = std::min(kStretch, slices.size() - at);
      walk = cover<clipped>(slices.subspan(at, count), begin, end, walk);
      addTimes<clipped>(slices.subspan(at, count), at + count == slices.size(), begin, end, open);
    }
    return walk;
  }
  template <bool clipped>
  [[gnu::noinline]] static Walk cover(std::span<const TraceSlice> slices, double begin, double end, Walk walk) {
    for (const TraceSlice &slice : slices) {
      Part<clipped> part(slice, begin, end);
      if (!clipped || part.counts)
        walk.depth = std::max(walk.depth, slice.depth + 1u);
      if (part.counts && part.to > walk.reach) {
        walk.covered += part.to - std::max(walk.reach, part.from);
        walk.reach = part.to;
      }
    }
    return walk;
  }
  struct Open {
    uint32_t name;
    double end;
  };
  /// `open`: on entry, the slices around the first slice; on return, the slices around the slice that follows the last
  /// one. A slice follows unless `last` says that these are the last slices of the track.
  template <bool clipped>
  void addTimes(std::span<const TraceSlice> slices, bool last, double begin, double end, std::vector<Open> &open) {
    auto around = static_cast<uint32_t>(open.size());
    const TraceSlice *none = last ? &slices.back() : nullptr;
    for (const TraceSlice &slice : slices) {
      if (slice.depth < around)
        open.resize(around = slice.depth);
      Part<clipped> part(slice, begin, end);
      if (part.counts) {
        add(found_[slice.name], part.to - part.from);
        if (around > 0) // a nested slice's time is not the outer slice's own time
          found_[open.back().name].inside += std::max(0.0, std::min(part.to, open.back().end) - part.from);
      }
      if (&slice != none && (&slice)[1].depth > slice.depth) {
        open.push_back({slice.name, part.to});
        ++around;
      }
    }
  }

  void addTrack(size_t index) {
    const std::vector<TraceSlice> &slices = trace_.tracks[index].slices;
    if (slices.empty())
      return;
    double begin = slices.front().beginNs, end = std::numeric_limits<double>::infinity();
    if (within_) {
      begin = std::max(begin, within_->beginNs);
      end = std::min(std::ranges::max(slices, {}, &TraceSlice::endNs).endNs, within_->endNs);
      if (end < begin)
        return;
    }
    Walk walk = within_ ? walkTrack<true>(slices, begin, end) : walkTrack<false>(slices, begin, end);
    out_.nested |= walk.depth > 1;
    if (!within_)
      end = walk.reach;
    first_ = out_.tracks.empty() ? begin : std::min(first_, begin);
    last_ = out_.tracks.empty() ? end : std::max(last_, end);
    processes_.insert(trace_.tracks[index].pid);
    out_.tracks.push_back({index, end - begin, end - begin - walk.covered, walk.depth});
    out_.spanNs += end - begin;
    out_.betweenNs += end - begin - walk.covered;
  }

  void addRegion(uint32_t name, Times &region) {
    double self = region.total - region.inside;
    RegionTimes times{.name = name, .count = region.count, .totalNs = region.total, .selfNs = self};
    if (quantiles_) {
      auto [shortest, longest] = std::ranges::minmax(region.all);
      times.shortestNs = shortest;
      times.longestNs = longest;
      times.medianNs = nearestRank(region.all, 0.5);
      times.p95Ns = nearestRank(region.all, 0.95);
    }
    times.share = out_.spanNs > 0 ? self / out_.spanNs : 0;
    times.waits = kindOfName(regionName(trace_, name)) == TraceKind::Wait;
    if (times.waits)
      out_.waitNs += self;
    out_.slices += region.count;
    out_.regions.push_back(times);
  }

  void addFlights() {
    for (const TraceFlight &flight : trace_.flights) {
      double from = flight.beginNs, to = flight.endNs;
      if (within_) {
        from = std::max(from, within_->beginNs);
        to = std::min(to, within_->endNs);
        if (to < from || (to == from && flight.endNs > flight.beginNs))
          continue;
      }
      add(flown_[flight.name], to - from);
    }
  }

  const Trace &trace_;
  std::optional<TraceStretch> within_;
  TraceAnalysis out_;
  bool quantiles_;
  ByName found_, flown_;
  std::set<int64_t> processes_;
  double first_ = 0, last_ = 0;
};

} // namespace

TraceAnalysis analyse(const Trace &trace, std::optional<TraceStretch> within, Quantiles quantiles) {
  return Analyser(trace, within, quantiles).analyse();
}

double traceStartNs(const Trace &trace) {
  double begin = 0;
  bool any = false;
  for (const TraceTrack &track : trace.tracks)
    if (!track.slices.empty()) {
      begin = any ? std::min(begin, track.slices.front().beginNs) : track.slices.front().beginNs;
      any = true;
    }
  return begin;
}

std::set<std::pair<int64_t, int64_t>> flightTracks(const Trace &trace) {
  std::set<std::pair<int64_t, int64_t>> out;
  for (const TraceFlight &flight : trace.flights)
    out.emplace(flight.pid, flight.tid);
  // Other tools put operations in flight on tracks that also have a thread's slices.
  for (const TraceTrack &track : trace.tracks)
    if (!track.threadName.ends_with(kFlightTrack) &&
        std::ranges::any_of(track.slices, [&](const TraceSlice &s) { return regionName(trace, s.name) != kArrival; }))
      out.erase({track.pid, track.tid});
  return out;
}

std::string regionName(const Trace &trace, uint32_t name) {
  return name < trace.names.size() ? trace.names[name] : text("region ", name);
}
std::string threadName(const TraceTrack &track) {
  return track.threadName.empty() ? text("thread ", track.tid) : track.threadName;
}
std::string processName(const TraceTrack &track) {
  return track.processName.empty() ? text("process ", track.pid) : track.processName;
}

std::string waitingText(const Trace &trace, const TraceAnalysis &analysis) {
  std::string names;
  for (const RegionTimes &region : analysis.regions)
    if (region.waits)
      names += text(names.empty() ? "`" : ", `", shownName(regionName(trace, region.name)), "`");
  return names.empty()
             ? names
             : text("waiting (", names, ") takes ", percentText(analysis.waitShare()), " of the tracks' time");
}

} // namespace lanescope::core
