#include "core/profiler/CriticalPath.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace lanescope::core {

namespace {

constexpr size_t kMostSteps = 1 << 20;
// The most consecutive steps that do not go back in time. The arrows of a malformed file may form a circle.
constexpr int kMostIdleSteps = 64;

class PathWalk {
public:
  PathWalk(const TraceCauses &causes, double untilNs, size_t further)
      : causes_(causes), trace_(causes.trace()), until_(untilNs), further_(further) {}

  CriticalPath walk(uint32_t track, double ns) {
    path_.beginNs = until_, path_.endNs = ns;
    own_ = track;
    int idle = 0;
    for (std::optional<At> at = At{track, ns}; at && path_.steps.size() < kMostSteps;) {
      double before = at->ns;
      at = back(*at);
      idle = at && at->ns >= before ? idle + 1 : 0;
      if (idle > kMostIdleSteps || (at && at->ns <= until_ && further_ == 0))
        break;
      if (at && at->ns <= until_)
        --further_;
    }
    return std::move(path_);
  }

private:
  struct At {
    uint32_t track;
    double ns;
  };

  /// Adds the track's run up to that moment, and the wait before the run. Returns the track and the moment of the
  /// wait's cause.
  std::optional<At> back(At at) {
    const CausedWait *wait = causes_.lastWait(at.track, at.ns);
    double first = firstNs(at.track), from = wait ? wait->endNs : std::min(first, at.ns);
    // Work on the same track before the explained stretch is not a cause within the stretch.
    bool ends = further_ == 0 || (at.track == own_ && at.ns > until_);
    if (at.ns > from) {
      // Cut off the part of the run before the explained stretch.
      double shown = from < until_ && ends ? until_ : from;
      addRun(at.track, std::min(shown, at.ns), at.ns);
      if (shown > from)
        return std::nullopt;
    }
    if (!wait)
      return launch(at.track, from);
    if (wait->endNs <= until_ && ends)
      return std::nullopt;
    return cause(at.track, *wait);
  }

  std::optional<At> cause(uint32_t track, const CausedWait &wait) {
    const TraceSlice &slice = trace_.tracks[track].slices[wait.slice];
    WaitCause cause = causes_.of(track, wait);
    PathStep step{.track = track, .slice = wait.slice, .name = slice.name, .place = slice.place};
    step.inferred = cause.inferred;
    // A thread that arrived before the wait began did not end the wait.
    bool late = cause.kind == WaitCause::Kind::Arrival && cause.ns < wait.beginNs;
    if (cause.kind == WaitCause::Kind::Unknown || late || cause.ns > wait.endNs) {
      step.kind = PathStep::Kind::Wait, step.beginNs = wait.beginNs, step.endNs = wait.endNs;
      path_.steps.push_back(step);
      return At{track, wait.beginNs};
    }
    if (cause.ns <= wait.endNs) {
      step.kind = PathStep::Kind::Wake, step.beginNs = cause.ns, step.endNs = wait.endNs;
      path_.steps.push_back(step);
    }
    if (cause.kind == WaitCause::Kind::Arrival)
      return At{*cause.track, cause.ns};
    PathStep flight{.kind = PathStep::Kind::Flight, .beginNs = cause.issuedNs, .endNs = cause.ns};
    flight.track = cause.track.value_or(track);
    flight.flight = cause.flight, flight.name = cause.name, flight.inferred = cause.inferred;
    if (cause.flight != TraceFlow::kNone)
      flight.place = trace_.flights[cause.flight].place;
    path_.steps.push_back(flight);
    return cause.track ? std::optional(At{*cause.track, cause.issuedNs}) : std::nullopt;
  }

  /// Explains the time before a block's first mark at `ns`: other blocks ran on its processor, and the last of them to
  /// end is the cause.
  std::optional<At> launch(uint32_t track, double ns) {
    if (ns <= until_)
      return std::nullopt;
    std::optional<At> previous;
    for (const std::vector<uint32_t> &group : causes_.groups())
      for (uint32_t other : group)
        if (trace_.tracks[other].pid == trace_.tracks[track].pid && causes_.groupOf(other) != causes_.groupOf(track)) {
          double end = lastNs(other);
          if (end <= ns && (!previous || end > previous->ns))
            previous = At{other, end};
        }
    PathStep step{.kind = PathStep::Kind::Launch, .endNs = ns, .track = track};
    step.beginNs = previous ? previous->ns : until_;
    path_.steps.push_back(step);
    return previous;
  }

  void addRun(uint32_t track, double beginNs, double endNs) {
    PathStep step{.kind = PathStep::Kind::Run, .beginNs = beginNs, .endNs = endNs, .track = track};
    step.slice = busiest(track, beginNs, endNs);
    if (step.slice != PathStep::kNone) {
      step.name = trace_.tracks[track].slices[step.slice].name;
      step.place = trace_.tracks[track].slices[step.slice].place;
    }
    path_.steps.push_back(step);
  }

  /// The innermost region that most of the stretch lies in; none if more of the stretch lies between regions.
  uint32_t busiest(uint32_t track, double beginNs, double endNs) const {
    const std::vector<TraceSlice> &slices = trace_.tracks[track].slices;
    // Keyed by name: the total time, and the last slice of that name.
    std::map<uint32_t, std::pair<double, uint32_t>> own;
    double all = 0;
    std::vector<uint32_t> open;
    auto add = [&](uint32_t s, double from, double to) {
      double time = std::min(to, endNs) - std::max(from, beginNs);
      if (time <= 0)
        return;
      auto &entry = own[slices[s].name];
      entry.first += time, entry.second = s, all += time;
    };
    for (uint32_t s = causes_.innermostAt(track, beginNs); s != PathStep::kNone; s = causes_.around(track, s))
      open.push_back(s);
    std::ranges::reverse(open);
    auto at = std::ranges::upper_bound(slices, beginNs, {}, &TraceSlice::beginNs) - slices.begin();
    double done = beginNs;
    auto advance = [&](double to) {
      while (!open.empty() && slices[open.back()].endNs <= to) {
        add(open.back(), done, slices[open.back()].endNs);
        done = std::max(done, slices[open.back()].endNs);
        open.pop_back();
      }
      if (!open.empty())
        add(open.back(), done, to);
      done = std::max(done, to);
    };
    for (auto s = static_cast<uint32_t>(at); s < slices.size() && slices[s].beginNs < endNs; ++s) {
      advance(slices[s].beginNs);
      open.push_back(s);
    }
    advance(endNs);
    uint32_t best = PathStep::kNone;
    double most = (endNs - beginNs) - all; // time between regions
    for (const auto &[name, entry] : own)
      if (entry.first >= most)
        most = entry.first, best = entry.second;
    return best;
  }

  double firstNs(uint32_t track) const {
    const std::vector<TraceSlice> &slices = trace_.tracks[track].slices;
    return slices.empty() ? until_ : slices.front().beginNs;
  }
  double lastNs(uint32_t track) const { return trackEndNs(trace_.tracks[track]); }

public:
  static double trackEndNs(const TraceTrack &track) {
    double end = -HUGE_VAL;
    // The outermost slices end last; the last of them is near the end of the list.
    for (auto slice = track.slices.rbegin(); slice != track.slices.rend(); ++slice) {
      end = std::max(end, slice->endNs);
      if (slice->depth == 0)
        break;
    }
    return end;
  }

private:
  const TraceCauses &causes_;
  const Trace &trace_;
  double until_;
  size_t further_;
  uint32_t own_ = 0; // the track whose time is explained
  CriticalPath path_;
};

CriticalPath fromLast(const TraceCauses &causes, const std::vector<std::vector<uint32_t>> &groups) {
  std::optional<uint32_t> last;
  double first = HUGE_VAL, end = -HUGE_VAL;
  for (const std::vector<uint32_t> &group : groups)
    for (uint32_t track : group) {
      const TraceTrack &of = causes.trace().tracks[track];
      first = std::min(first, of.slices.front().beginNs);
      if (double ends = PathWalk::trackEndNs(of); ends > end)
        end = ends, last = track;
    }
  return last ? pathTo(causes, *last, end, first) : CriticalPath();
}

} // namespace

double CriticalPath::within(const PathStep &step) const {
  return std::max(0.0, std::min(step.endNs, endNs) - std::max(step.beginNs, beginNs));
}

double CriticalPath::untoldNs() const {
  return steps.empty() ? endNs - beginNs : std::max(0.0, steps.back().beginNs - beginNs);
}

CriticalPath pathTo(const TraceCauses &causes, uint32_t track, double ns, double untilNs, size_t further) {
  return PathWalk(causes, untilNs, further).walk(track, ns);
}
CriticalPath gridPath(const TraceCauses &causes) { return fromLast(causes, causes.groups()); }
CriticalPath blockPath(const TraceCauses &causes, size_t group) { return fromLast(causes, {causes.groups()[group]}); }

std::vector<PathShare> sharesOf(const CriticalPath &path) {
  std::map<std::tuple<PathStep::Kind, uint32_t, uint32_t>, PathShare> by;
  for (const PathStep &step : path.steps) {
    double ns = path.within(step);
    if (ns <= 0)
      continue;
    PathShare &share = by[{step.kind, step.name, step.place}];
    share.kind = step.kind, share.name = step.name, share.place = step.place;
    ++share.count;
    share.ns += ns;
    share.inferred |= step.inferred;
  }
  std::vector<PathShare> out;
  for (const auto &[key, share] : by)
    out.push_back(share);
  std::ranges::stable_sort(out, std::greater(), &PathShare::ns);
  return out;
}

} // namespace lanescope::core
