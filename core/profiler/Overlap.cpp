#include "core/profiler/Overlap.h"

#include "core/profiler/TraceKinds.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace lanescope::core {

namespace {

/// The beginning (+1) or the end (−1) of an activity on a processor.
struct Change {
  double ns;
  enum class Of : uint8_t { Present, Waiting, Tensor, Copies } of;
  int8_t by;
};

OverlapState stateOf(const std::array<int, 4> &counts) {
  auto [present, waiting, tensor, copies] = counts;
  if (tensor > 0)
    return copies > 0 ? OverlapState::TensorAndCopies : OverlapState::Tensor;
  bool waits = waiting >= present;
  if (copies > 0)
    return waits ? OverlapState::CopiesWhileWaiting : OverlapState::CopiesWhileRunning;
  if (present == 0)
    return OverlapState::Idle;
  return waits ? OverlapState::Waiting : OverlapState::Running;
}

class Sweep {
public:
  Sweep(const Trace &trace, std::optional<TraceStretch> within, size_t bins) : trace_(trace) {
    for (const std::string &name : trace.names) {
      kinds_.push_back(kindOfName(name));
      flightKinds_.push_back(kindOfFlight(name));
    }
    named_ = std::ranges::none_of(trace.flights,
                                  [&](const TraceFlight &f) { return kindOf(flightKinds_, f.name) != TraceKind::Run; });
    collect();
    out_.named = named_;
    out_.processes = changes_.size();
    out_.beginNs = within ? within->beginNs : first_;
    out_.endNs = within ? within->endNs : last_;
    if (out_.processes > 0 && out_.endNs > out_.beginNs)
      out_.bins.resize(bins);
  }

  Overlap run() {
    double length = out_.endNs - out_.beginNs;
    if (out_.processes == 0 || !(length > 0) || !std::isfinite(length))
      return std::move(out_);
    for (auto &[pid, changes] : changes_)
      sweep(changes);
    auto processes = static_cast<double>(out_.processes);
    for (double &share : out_.whole.of)
      share /= length * processes;
    for (OverlapShares &bin : out_.bins)
      for (double &share : bin.of)
        share /= length / static_cast<double>(out_.bins.size()) * processes;
    return std::move(out_);
  }

private:
  static TraceKind kindOf(const std::vector<TraceKind> &kinds, uint32_t name) {
    return name < kinds.size() ? kinds[name] : TraceKind::Run;
  }

  void collect() {
    auto flown = flightTracks(trace_);
    bool any = false;
    for (const TraceTrack &track : trace_.tracks) {
      if (track.slices.empty() || flown.contains({track.pid, track.tid}))
        continue;
      std::vector<Change> &changes = changes_[track.pid];
      double begin = track.slices.front().beginNs, end = begin, waited = -HUGE_VAL;
      for (const TraceSlice &slice : track.slices) {
        end = std::max(end, slice.endNs);
        TraceKind kind = kindOf(kinds_, slice.name);
        if (kind == TraceKind::Wait) {
          double from = std::max(slice.beginNs, waited); // nested waits count once
          if (slice.endNs > from)
            add(changes, Change::Of::Waiting, from, slice.endNs);
          waited = std::max(waited, slice.endNs);
        } else if (named_ && kind != TraceKind::Run) {
          add(changes, kind == TraceKind::Tensor ? Change::Of::Tensor : Change::Of::Copies, slice.beginNs, slice.endNs);
        }
      }
      add(changes, Change::Of::Present, begin, end);
      first_ = any ? std::min(first_, begin) : begin;
      last_ = any ? std::max(last_, end) : end;
      any = true;
    }
    std::set<std::pair<int64_t, int64_t>> tensorTracks; // tracks that show only the tensor core's work
    for (const TraceTrack &track : trace_.tracks)
      if (track.threadName.ends_with("tensor core"))
        tensorTracks.emplace(track.pid, track.tid);
    for (const TraceFlight &flight : trace_.flights) {
      auto changes = changes_.find(flight.pid);
      bool tensor = tensorTracks.contains({flight.pid, flight.tid});
      TraceKind kind = tensor ? TraceKind::Tensor : kindOf(flightKinds_, flight.name);
      if (changes != changes_.end() && kind != TraceKind::Run)
        add(changes->second, kind == TraceKind::Tensor ? Change::Of::Tensor : Change::Of::Copies, flight.beginNs,
            flight.endNs);
    }
  }

  static void add(std::vector<Change> &changes, Change::Of of, double begin, double end) {
    changes.push_back({begin, of, 1});
    changes.push_back({end, of, -1});
  }

  void sweep(std::vector<Change> &changes) {
    std::ranges::sort(changes, {}, &Change::ns);
    std::array<int, 4> counts{};
    double at = out_.beginNs;
    for (const Change &change : changes) {
      double to = std::clamp(change.ns, out_.beginNs, out_.endNs);
      if (to > at) {
        spend(stateOf(counts), at, to);
        at = to;
      }
      counts[static_cast<size_t>(change.of)] += change.by;
    }
    if (out_.endNs > at)
      spend(stateOf(counts), at, out_.endNs);
  }

  void spend(OverlapState state, double from, double to) {
    auto s = static_cast<size_t>(state);
    out_.whole.of[s] += to - from;
    if (out_.bins.empty())
      return;
    double width = (out_.endNs - out_.beginNs) / static_cast<double>(out_.bins.size());
    auto binOf = [&](double ns) {
      return std::min(static_cast<size_t>(std::max(0.0, (ns - out_.beginNs) / width)), out_.bins.size() - 1);
    };
    size_t last = binOf(to);
    for (size_t bin = binOf(from); bin <= last; ++bin) {
      double begin = out_.beginNs + static_cast<double>(bin) * width;
      double end = bin + 1 == out_.bins.size() ? out_.endNs : begin + width;
      out_.bins[bin].of[s] += std::max(0.0, std::min(to, end) - std::max(from, begin));
    }
  }

  const Trace &trace_;
  std::vector<TraceKind> kinds_, flightKinds_;     // indexed by name
  std::map<int64_t, std::vector<Change>> changes_; // keyed by process
  double first_ = 0, last_ = 0;
  bool named_ = false;
  Overlap out_;
};

} // namespace

const char *overlapName(OverlapState state) {
  constexpr std::array<const char *, kOverlapStates> kNames = {"tensor core busy, copies in flight",
                                                               "tensor core busy, no copies",
                                                               "copies in flight, warps run",
                                                               "copies in flight, all warps wait",
                                                               "warps run, nothing in flight",
                                                               "all warps wait, nothing in flight",
                                                               "no warps"};
  return kNames[static_cast<size_t>(state)];
}

Overlap overlapOf(const Trace &trace, std::optional<TraceStretch> within, size_t bins) {
  return Sweep(trace, within, bins).run();
}

} // namespace lanescope::core
