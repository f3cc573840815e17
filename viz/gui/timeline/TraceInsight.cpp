#include "viz/gui/timeline/TraceInsight.h"

#include <algorithm>
#include <cmath>

namespace lanescope::viz {

namespace {
constexpr int64_t kLarge = 200'000; // in slices; a larger trace is analysed on other threads
// In slices; for a larger trace, the answer for any range is taken from steps of the whole trace.
constexpr int64_t kExactOverlap = 20'000;
constexpr size_t kWholeBins = 4096;
constexpr size_t kSharesSteps = 512; // number of steps for a range of a large trace
} // namespace

void TraceInsight::show(TracePtr trace, int64_t slices) {
  *this = TraceInsight();
  trace_ = std::move(trace);
  large_ = slices > kLarge;
  analyse({});
  auto causes = [trace = trace_]() -> std::shared_ptr<const core::TraceCauses> {
    return std::make_shared<core::TraceCauses>(*trace);
  };
  auto overlap = [trace = trace_] { return core::overlapOf(*trace, {}, kWholeBins); };
  auto occupancy = [trace = trace_] { return core::occupancyOf(*trace); };
  if (large_) {
    causesWork_.ask(causes);
    overlapWork_.ask(overlap);
    occupancyWork_.ask(occupancy);
  } else {
    occupancy_ = occupancy();
    causes_ = causes();
    if (slices > kExactOverlap)
      whole_ = overlap();
  }
}

void TraceInsight::poll() {
  // One answer at a time: in a browser, taking an answer is doing the work.
  if (auto done = analysisWork_.take())
    analysis_ = std::move(*done);
  else if (auto causes = causesWork_.take())
    causes_ = std::move(*causes);
  else if (auto overlap = overlapWork_.take())
    whole_ = std::move(*overlap), overlapBins_ = 0, shares_.reset();
  else if (auto occupancy = occupancyWork_.take())
    occupancy_ = std::move(*occupancy), occupancyBins_.clear();
  else if (auto comparison = compareWork_.take())
    comparison_ = std::move(*comparison);
}

void TraceInsight::analyse(std::optional<core::TraceStretch> within) {
  if (!trace_)
    return;
  auto work = [trace = trace_, within] { return core::analyse(*trace, within); };
  if (large_)
    analysisWork_.ask(work);
  else
    analysis_ = work();
}

core::CriticalPath TraceInsight::why(uint32_t track, uint32_t slice) const {
  return causes_ ? core::pathOfSlice(*causes_, track, slice) : core::CriticalPath();
}

core::CriticalPath TraceInsight::whyIssued(const core::TraceFlight &flight) const {
  constexpr size_t kFurther = 4;
  auto issuer = causes_ && flight.issued ? causes_->trackAt(*flight.issued) : std::nullopt;
  return issuer ? core::pathTo(*causes_, *issuer, flight.issued->ns, flight.issued->ns, kFurther)
                : core::CriticalPath();
}

const core::CriticalPath &TraceInsight::criticalPath(std::optional<uint32_t> track) {
  static const core::CriticalPath kNothing;
  if (!causes_)
    return kNothing;
  std::optional<size_t> of;
  if (track && !causes_->waits(*track).empty())
    of = causes_->groupOf(*track);
  if (!path_ || pathOf_ != of) {
    path_ = of ? core::blockPath(*causes_, *of) : core::gridPath(*causes_);
    pathOf_ = of;
  }
  return *path_;
}

const core::Overlap &TraceInsight::overlap(core::TraceStretch within, size_t bins) {
  if (within.beginNs == overlapOf_.beginNs && within.endNs == overlapOf_.endNs && overlapBins_ == bins)
    return overlap_;
  overlapOf_ = within, overlapBins_ = bins;
  bool exact = !large_ && whole_.bins.empty();
  return overlap_ = exact ? core::overlapOf(*trace_, within, bins) : sampled(within, bins);
}

const std::vector<core::OccupancyBin> &TraceInsight::occupancyOver(core::TraceStretch within, size_t bins) {
  if (occupancyBins_.size() != bins || within.beginNs != occupancyOf_.beginNs || within.endNs != occupancyOf_.endNs) {
    occupancyOf_ = within;
    occupancyBins_ = core::occupancyBins(occupancy_, within, bins);
  }
  return occupancyBins_;
}

/// The overlap in a range, computed from the steps of the whole trace.
core::Overlap TraceInsight::sampled(core::TraceStretch within, size_t bins) const {
  core::Overlap out{.beginNs = within.beginNs, .endNs = within.endNs, .processes = whole_.processes};
  out.named = whole_.named;
  double step = (whole_.endNs - whole_.beginNs) / double(std::max<size_t>(whole_.bins.size(), 1));
  if (whole_.bins.empty() || !(step > 0))
    return out;
  for (size_t bin = 0; bin < bins; ++bin) {
    double ns = within.beginNs + (double(bin) + 0.5) / double(bins) * (within.endNs - within.beginNs);
    double at = std::floor((ns - whole_.beginNs) / step);
    core::OverlapShares shares;
    if (at >= 0 && at < double(whole_.bins.size()))
      shares = whole_.bins[size_t(at)];
    else
      shares.of[size_t(core::OverlapState::Idle)] = 1;
    for (size_t s = 0; s < core::kOverlapStates; ++s)
      out.whole.of[s] += shares.of[s] / double(bins);
    out.bins.push_back(shares);
  }
  return out;
}

const core::OverlapShares &TraceInsight::shares(std::optional<core::TraceStretch> within) {
  bool same = within.has_value() == sharesOf_.has_value() &&
              (!within || (within->beginNs == sharesOf_->beginNs && within->endNs == sharesOf_->endNs));
  if (!trace_)
    shares_.emplace();
  if (shares_ && same)
    return *shares_;
  sharesOf_ = within;
  core::Overlap of = !large_ && whole_.bins.empty() ? core::overlapOf(*trace_, within)
                     : within                       ? sampled(*within, kSharesSteps)
                                                    : whole_;
  named_ = of.named;
  shares_ = of.whole;
  return *shares_;
}

void TraceInsight::compareWith(TracePtr before) {
  auto work = [before = std::move(before), after = trace_] { return core::compareTraces(*before, *after); };
  if (large_)
    compareWork_.ask(work);
  else
    comparison_ = work();
}

} // namespace lanescope::viz
