#include "core/profiler/TraceAnalysis.h"

#include "layouts/support/Text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <numeric>

namespace lanescope::core {

namespace {

constexpr std::string_view kFlightTrack = "in flight"; // how the names of such tracks end

/// The value below which `fraction` of the sorted times lie.
double nearestRank(const std::vector<double> &sorted, double fraction) {
  auto rank = static_cast<size_t>(std::ceil(fraction * static_cast<double>(sorted.size())));
  return sorted[std::clamp<size_t>(rank, 1, sorted.size()) - 1];
}

bool isWait(std::string_view name) {
  std::string lower(name);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; });
  return lower.find("wait") != std::string::npos || lower.find("drain") != std::string::npos;
}

class Analyser {
public:
  Analyser(const Trace &trace, std::optional<TraceStretch> within) : trace_(trace), within_(within) {}

  TraceAnalysis analyse() {
    auto flown = flightTracks(trace_);
    for (size_t t = 0; t < trace_.tracks.size(); ++t)
      if (!flown.contains({trace_.tracks[t].pid, trace_.tracks[t].tid}))
        addTrack(t);
    addFlights();
    for (auto &[name, region] : found_)
      if (!region.times.empty())
        addRegion(name, region);
    std::ranges::stable_sort(out_.regions, std::greater(), &RegionTimes::selfNs);
    out_.processes = processes_.size();
    out_.lengthNs = last_ - first_;
    return std::move(out_);
  }

private:
  struct Found {
    std::vector<double> times;
    double self = 0;
  };

  void addTrack(size_t index) {
    const std::vector<TraceSlice> &slices = trace_.tracks[index].slices;
    if (slices.empty())
      return;
    double begin = slices.front().beginNs, end = std::ranges::max(slices, {}, &TraceSlice::endNs).endNs;
    if (within_) {
      begin = std::max(begin, within_->beginNs);
      end = std::min(end, within_->endNs);
      if (end < begin)
        return;
    }
    double covered = 0, reach = begin;
    struct Open {
      uint32_t name;
      double end;
    };
    std::vector<Open> open; // the slices around the current one
    for (const TraceSlice &slice : slices) {
      if (slice.beginNs > end)
        break; // slices are sorted by their begin
      double from = std::max(slice.beginNs, begin), to = std::min(slice.endNs, end), time = to - from;
      bool counts = time > 0 || (time == 0 && slice.endNs == slice.beginNs);
      open.resize(std::min<size_t>(open.size(), slice.depth));
      if (counts) {
        Found &region = found_[slice.name];
        region.times.push_back(time);
        region.self += time;
        if (!open.empty()) // what lies within the slice around it is not that one's own time
          found_[open.back().name].self -= std::max(0.0, std::min(to, open.back().end) - from);
        covered += std::max(0.0, to - std::max(reach, from));
        reach = std::max(reach, to);
        out_.nested |= slice.depth > 0;
        ++out_.slices;
      }
      open.push_back({slice.name, to});
    }
    first_ = out_.tracks.empty() ? begin : std::min(first_, begin);
    last_ = out_.tracks.empty() ? end : std::max(last_, end);
    processes_.insert(trace_.tracks[index].pid);
    out_.tracks.push_back({index, end - begin, end - begin - covered});
    out_.spanNs += end - begin;
    out_.betweenNs += end - begin - covered;
  }

  void addRegion(uint32_t name, Found &region) {
    std::ranges::sort(region.times);
    RegionTimes times{.name = name, .count = region.times.size(), .selfNs = region.self};
    times.totalNs = std::accumulate(region.times.begin(), region.times.end(), 0.0);
    times.shortestNs = region.times.front();
    times.medianNs = nearestRank(region.times, 0.5);
    times.p95Ns = nearestRank(region.times, 0.95);
    times.longestNs = region.times.back();
    times.share = out_.spanNs > 0 ? region.self / out_.spanNs : 0;
    times.waits = isWait(regionName(trace_, name));
    if (times.waits)
      out_.waitNs += region.self;
    out_.regions.push_back(times);
  }

  void addFlights() {
    std::map<uint32_t, std::vector<double>> times; // by name
    for (const TraceFlight &flight : trace_.flights) {
      double from = flight.beginNs, to = flight.endNs;
      if (within_) {
        from = std::max(from, within_->beginNs);
        to = std::min(to, within_->endNs);
        if (to < from || (to == from && flight.endNs > flight.beginNs))
          continue;
      }
      times[flight.name].push_back(to - from);
    }
    for (auto &[name, of] : times) {
      std::ranges::sort(of);
      out_.flights.push_back(
          {name, of.size(), std::accumulate(of.begin(), of.end(), 0.0), nearestRank(of, 0.5), of.back()});
    }
  }

  const Trace &trace_;
  std::optional<TraceStretch> within_;
  TraceAnalysis out_;
  std::map<uint32_t, Found> found_; // by name
  std::set<int64_t> processes_;
  double first_ = 0, last_ = 0;
};

} // namespace

TraceAnalysis analyse(const Trace &trace, std::optional<TraceStretch> within) {
  return Analyser(trace, within).analyse();
}

std::set<std::pair<int64_t, int64_t>> flightTracks(const Trace &trace) {
  std::set<std::pair<int64_t, int64_t>> out;
  for (const TraceFlight &flight : trace.flights)
    out.emplace(flight.pid, flight.tid);
  for (const TraceTrack &track : trace.tracks) // other tools show what is in flight beside the thread's slices
    if (!track.slices.empty() && !track.threadName.ends_with(kFlightTrack))
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

std::string percentText(double share) {
  char buffer[400];
  std::snprintf(buffer, sizeof buffer, "%.1f %%", 100 * share);
  return buffer;
}

std::string waitingText(const Trace &trace, const TraceAnalysis &analysis) {
  std::string names;
  for (const RegionTimes &region : analysis.regions)
    if (region.waits)
      names += text(names.empty() ? "`" : ", `", regionName(trace, region.name), "`");
  return names.empty()
             ? names
             : text("waiting (", names, ") takes ", percentText(analysis.waitShare()), " of the tracks' time");
}

} // namespace lanescope::core
