// Finds the cause that ended each wait of a trace. It resolves the trace's arrows to tracks and slices. Where there is
// no arrow, it infers the cause from regions and their order.
//
//   TraceCauses causes(trace);
//   const CausedWait *wait = causes.lastWait(track, ns);     // the last one of a track that is over by then
//   WaitCause cause = causes.of(track, *wait);               // {Flight, the copy of line 12, issued by track 3 at 800}
//
// A wait is a slice whose name says so (TraceKinds.h). Of nested waits, only the innermost counts, or the one that an
// arrow ends.
#pragma once

#include "core/Trace.h"

#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace lanescope::core {

struct CausedWait {
  static constexpr uint32_t kNoFlow = UINT32_MAX;
  double beginNs = 0, endNs = 0;
  uint32_t slice = 0;      // the slice of its track
  uint32_t flow = kNoFlow; // the arrow in Trace::flows that ends it
};

struct WaitCause {
  enum class Kind {
    Unknown, // the trace shows no cause
    Flight,  // an operation in flight completed
    Arrival, // a thread arrived, or finished the work that the wait was for
  };
  Kind kind = Kind::Unknown;
  double ns = 0;                      // the time of the cause
  std::optional<uint32_t> track;      // Arrival: the track that arrived; Flight: the track that issued it, if known
  double issuedNs = 0;                // Flight: the time of issue
  uint32_t flight = TraceFlow::kNone; // the entry of Trace::flights, if known
  uint32_t name = 0;                  // Flight: its name
  bool inferred = false;              // inferred from regions and their order
};

class TraceCauses {
public:
  /// The trace must outlive this object.
  explicit TraceCauses(const Trace &trace);

  const std::vector<CausedWait> &waits(uint32_t track) const { return waits_[track]; }
  /// The track's last wait that is over by `ns`; null if there is none.
  const CausedWait *lastWait(uint32_t track, double ns) const;
  WaitCause of(uint32_t track, const CausedWait &wait) const;

  static constexpr uint32_t kNoSlice = UINT32_MAX;
  /// The innermost slice of the track around a moment, or around a slice; kNoSlice if there is none.
  uint32_t innermostAt(uint32_t track, double ns) const;
  uint32_t around(uint32_t track, uint32_t slice) const { return around_[track][slice]; }

  std::optional<uint32_t> trackAt(const TracePoint &point) const;
  /// The tracks of one block, or of one process if their names give no block.
  const std::vector<uint32_t> &together(uint32_t track) const { return groups_[groupOf_[track]]; }
  size_t groupOf(uint32_t track) const { return groupOf_[track]; }
  const std::vector<std::vector<uint32_t>> &groups() const { return groups_; }
  const Trace &trace() const { return trace_; }

private:
  void findWaits(uint32_t track);
  WaitCause infer(uint32_t track, const CausedWait &wait) const;
  uint32_t flightEnding(const TracePoint &point) const;

  const Trace &trace_;
  std::map<std::pair<int64_t, int64_t>, uint32_t> tracks_;
  std::vector<std::vector<CausedWait>> waits_; // indexed by track; each list is sorted by time
  std::vector<std::vector<uint32_t>> flowsTo_; // indexed by track; each list is sorted by time
  std::vector<std::vector<uint32_t>> groups_;
  std::vector<size_t> groupOf_;                                             // indexed by track
  std::vector<std::vector<uint32_t>> around_;                               // indexed by track and slice
  std::vector<bool> nameWaits_;                                             // indexed by name
  std::map<std::pair<std::pair<int64_t, int64_t>, double>, uint32_t> ends_; // flights by track and end time
};

/// The block's name in a track's name: "block (1, 0, 0)" in "block (1, 0, 0) warpgroup 2". Empty if the name has
/// another form.
std::string_view blockOfTrack(const TraceTrack &track);

} // namespace lanescope::core
