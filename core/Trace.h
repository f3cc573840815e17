// A kernel trace: what each part of the machine did, and when. Models Chrome trace JSON (times in ns).
#pragma once

#include "layouts/support/Diagnostic.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lanescope::core {

/// A stretch of one track's time. Small, because traces have millions.
struct TraceSlice {
  /// Limit of nesting depth and place numbers; larger ones are stored as this value.
  static constexpr uint32_t kMost = UINT16_MAX;

  uint32_t name = 0;  // index into Trace::names
  uint16_t depth = 0; // nesting level, 0 for the outermost
  uint16_t place = 0; // index into Trace::places; 0 if not known
  double beginNs = 0, endNs = 0;

  TraceSlice() = default;
  TraceSlice(uint32_t name, uint32_t depth, double beginNs, double endNs, uint32_t place = 0)
      : name(name), depth(static_cast<uint16_t>(std::min(depth, kMost))),
        place(static_cast<uint16_t>(place <= kMost ? place : 0)), beginNs(beginNs), endNs(endNs) {}
};

struct TraceTrack {
  int64_t pid = 0, tid = 0;            // pid: the processor, tid: the thread or unit on it; both count from 1
  std::string processName, threadName; // "core 12", "block (1, 0, 0) warpgroup 0"
  std::vector<TraceSlice> slices;      // sorted by begin, outer before inner
};

/// A moment on a track, inside one of its slices.
struct TracePoint {
  int64_t pid = 0, tid = 0;
  double ns = 0;
  bool operator==(const TracePoint &) const = default;
};

/// An operation in flight: a copy, or a group of matrix products. Unlike slices, operations of one track may overlap.
struct TraceFlight {
  uint32_t name = 0;
  int64_t pid = 0, tid = 0; // the track that it is shown with
  double beginNs = 0, endNs = 0;
  std::string detail;                    // "16384 bytes, x.py:12"; may be empty
  std::optional<TracePoint> issued = {}; // the point that issued it; a unit may begin it later
  uint32_t place = 0;                    // index into Trace::places of the line that issued it; 0 if not known
  bool operator==(const TraceFlight &) const = default;
};

/// An arrow from the cause that ended a wait to the wait.
struct TraceFlow {
  static constexpr uint32_t kNone = UINT32_MAX;

  uint32_t name = 0;
  TracePoint from, to;
  uint32_t flight = kNone; // index into Trace::flights of the operation that completed; kNone for a thread's arrival,
                           // or if not known
  bool inferred = false;   // inferred from the order of regions, not recorded
  bool operator==(const TraceFlow &) const = default;
};

/// A person's note about a moment of a trace.
struct TraceNote {
  double ns = 0;
  std::string text;
  bool operator==(const TraceNote &) const = default;
};

struct Trace {
  /// The moment of the file that all times count from, in µs: 0, or the trace's beginning if the clock's values are too
  /// large for a double to hold their nanoseconds.
  int64_t originUs = 0;
  std::vector<std::string> names;
  std::vector<std::string> places = {""}; // lines of the source: "x.py:12"; the first entry means "not known"
  std::vector<TraceTrack> tracks;
  std::vector<TraceFlight> flights; // sorted by begin
  std::vector<TraceFlow> flows;
  std::vector<TraceNote> notes; // sorted by time
  bool emulated = false;        // times are from the emulator's cycle model
  Diagnostics warnings;
};

/// Writes and reads Chrome trace JSON. Also reads JAX's files, Perfetto's array form, and gzip-compressed text
/// (.json.gz).
std::string toChromeJson(const Trace &trace);
/// If a file names no processes and tracks, and numbers both from 1, their names are these words with the numbers:
/// "thread 2".
struct TrackWords {
  std::string_view process = "process", thread = "thread";
};
Result<Trace> parseChromeTrace(SourceRef json, const TrackWords &unnamed = {});
/// The text of `trace --summary`: count, total, median and share per region, and the busiest and idlest tracks.
std::string summarize(const Trace &trace);

} // namespace lanescope::core
