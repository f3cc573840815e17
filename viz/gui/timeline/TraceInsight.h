// Facts for the trace view that are not in the slices: the time spent, the reasons why a slice took long, the critical
// path, overlap, and changes since another trace. The numbers come from core/profiler.
//
//   TraceInsight insight;  insight.show(trace);
//   insight.poll();                             // each frame; takes finished work on large traces
//   insight.why(track, slice)                   // the links of its chain
//
// Tracks and slices are those of the given trace. This file does not use Dear ImGui.
#pragma once

#include "core/profiler/CompareTraces.h"
#include "core/profiler/ExplainTrace.h"
#include "core/profiler/Overlap.h"
#include "core/profiler/TraceAnalysis.h"
#include "core/profiler/TraceOccupancy.h"
#include "viz/gui/timeline/Background.h"

#include <memory>

namespace lanescope::viz {

class TraceInsight {
public:
  using TracePtr = std::shared_ptr<const core::Trace>;

  void show(TracePtr trace, int64_t slices);
  /// Takes the work that was finished since the last call.
  void poll();
  /// True while some result is not ready.
  bool busy() const {
    return analysisWork_.busy() || causesWork_.busy() || overlapWork_.busy() || occupancyWork_.busy() ||
           compareWork_.busy();
  }

  /// Analyses the time spent in the range, or in the whole trace.
  void analyse(std::optional<core::TraceStretch> within);
  const core::TraceAnalysis &analysis() const { return analysis_; }

  /// Null until the causes of a large trace are computed.
  const core::TraceCauses *causes() const { return causes_.get(); }
  core::CriticalPath why(uint32_t track, uint32_t slice) const;
  /// The path to the issue of an operation in flight.
  core::CriticalPath whyIssued(const core::TraceFlight &flight) const;
  /// The critical path of the track's block. Without a track, that of the whole grid.
  const core::CriticalPath &criticalPath(std::optional<uint32_t> track);

  /// The overlap in about `bins` steps of a range. For a large trace, it is computed from the steps of the whole trace.
  const core::Overlap &overlap(core::TraceStretch within, size_t bins);
  /// The shares of a range, or of the whole trace.
  const core::OverlapShares &shares(std::optional<core::TraceStretch> within);
  /// True if overlap is derived from the names of regions, because the trace records no operations in flight.
  bool overlapNamed() const { return named_; }

  /// The blocks on each processor. Empty until those of a large trace are computed.
  const core::TraceOccupancy &occupancy() const { return occupancy_; }
  const std::vector<core::OccupancyBin> &occupancyOver(core::TraceStretch within, size_t bins);

  void compareWith(TracePtr before);
  void compareNoMore() {
    comparison_.reset();
    compareWork_.drop();
  }
  const std::optional<core::TraceComparison> &comparison() const { return comparison_; }

private:
  TracePtr trace_;
  bool large_ = false;
  core::TraceAnalysis analysis_;
  std::shared_ptr<const core::TraceCauses> causes_;
  std::optional<core::CriticalPath> path_;
  std::optional<size_t> pathOf_; // index of a group in causes_; unset for the grid
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
