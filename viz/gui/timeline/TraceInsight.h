// What the trace view knows beyond the slices: where the time went, why a slice took long, the critical path, what
// overlapped, what changed since another trace. The numbers are core/profiler's.
//
//   TraceInsight insight;  insight.show(trace);
//   insight.poll();                             // each frame; large traces are worked on meanwhile
//   insight.why(track, slice)                   // the links of its chain
//
// Tracks and slices are those of the trace as it came. No Dear ImGui in here.
#pragma once

#include "core/profiler/Compare.h"
#include "core/profiler/Explain.h"
#include "core/profiler/Occupancy.h"
#include "core/profiler/Overlap.h"
#include "core/profiler/TraceAnalysis.h"
#include "viz/gui/timeline/Background.h"

#include <memory>

namespace lanescope::viz {

class TraceInsight {
public:
  using TracePtr = std::shared_ptr<const core::Trace>;

  void show(TracePtr trace, int64_t slices);
  /// Takes what has been worked out meanwhile.
  void poll();
  /// Something is not there yet.
  bool busy() const {
    return analysisWork_.busy() || causesWork_.busy() || overlapWork_.busy() || occupancyWork_.busy() ||
           compareWork_.busy();
  }

  /// Where the time went, of that stretch or of the whole.
  void analyse(std::optional<core::TraceStretch> within);
  const core::TraceAnalysis &analysis() const { return analysis_; }

  /// Null while the causes of a large trace are worked out.
  const core::TraceCauses *causes() const { return causes_.get(); }
  core::CriticalPath why(uint32_t track, uint32_t slice) const;
  /// Of something in flight: what led to its issue.
  core::CriticalPath whyIssued(const core::TraceFlight &flight) const;
  /// Of the block that a track belongs to, or of all.
  const core::CriticalPath &criticalPath(std::optional<uint32_t> track);

  /// About `bins` steps of a stretch; of large traces what the steps of the whole tell.
  const core::Overlap &overlap(core::TraceStretch within, size_t bins);
  /// The shares of a stretch, or of the whole.
  const core::OverlapShares &shares(std::optional<core::TraceStretch> within);
  /// They rest on the names of regions: nothing is recorded in flight.
  bool overlapNamed() const { return named_; }

  /// Blocks on each processor; empty while that of a large trace is worked out.
  const core::TraceOccupancy &occupancy() const { return occupancy_; }
  const std::vector<core::OccupancyBin> &occupancyOver(core::TraceStretch within, size_t bins);

  void compareWith(TracePtr before);
  void compareNoMore() { comparison_.reset(); }
  const std::optional<core::TraceComparison> &comparison() const { return comparison_; }

private:
  TracePtr trace_;
  bool large_ = false;
  core::TraceAnalysis analysis_;
  std::shared_ptr<const core::TraceCauses> causes_;
  std::optional<core::CriticalPath> path_;
  std::optional<size_t> pathOf_; // a group of causes_; none: the grid
  core::Overlap whole_, overlap_;
  core::TraceStretch overlapOf_;
  size_t overlapBins_ = 0;
  bool named_ = false;
  core::TraceOccupancy occupancy_;
  std::vector<core::OccupancyBin> occupancyBins_;
  core::TraceStretch occupancyOf_;
  std::optional<core::OverlapShares> shares_;
  std::optional<core::TraceStretch> sharesOf_;
  core::Overlap sampled(core::TraceStretch within, size_t bins) const;
  std::optional<core::TraceComparison> comparison_;
  Background<core::TraceAnalysis> analysisWork_;
  Background<std::shared_ptr<const core::TraceCauses>> causesWork_;
  Background<core::Overlap> overlapWork_;
  Background<core::TraceOccupancy> occupancyWork_;
  Background<core::TraceComparison> compareWork_;
};

} // namespace lanescope::viz
