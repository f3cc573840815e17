// A kernel trace: what each part of the machine did when. Model of Chrome trace JSON (times in ns).
#pragma once

#include "layouts/support/Diagnostic.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lanescope::core {

/// A stretch of one track's time. Small: traces have millions.
struct TraceSlice {
  static constexpr uint32_t kMost = UINT16_MAX; // of nesting and of places: deeper ones count as this deep

  uint32_t name = 0;  // index into Trace::names
  uint16_t depth = 0; // nesting, 0 outermost
  uint16_t place = 0; // index into Trace::places, 0: not known
  double beginNs = 0, endNs = 0;

  TraceSlice() = default;
  TraceSlice(uint32_t name, uint32_t depth, double beginNs, double endNs, uint32_t place = 0)
      : name(name), depth(static_cast<uint16_t>(std::min(depth, kMost))),
        place(static_cast<uint16_t>(place <= kMost ? place : 0)), beginNs(beginNs), endNs(endNs) {}
};

struct TraceTrack {
  int64_t pid = 0, tid = 0;            // pid: the processor, tid: what ran there; both count from 1
  std::string processName, threadName; // "core 12", "block (1, 0, 0) warpgroup 0"
  std::vector<TraceSlice> slices;      // by begin, outer before inner
};

/// A moment of a track, within a slice of it.
struct TracePoint {
  int64_t pid = 0, tid = 0;
  double ns = 0;
  bool operator==(const TracePoint &) const = default;
};

/// Something in flight beside the slices: a copy, a group of matrix products. Those of one track may overlap.
struct TraceFlight {
  uint32_t name = 0;
  int64_t pid = 0, tid = 0; // of the track that it is shown with
  double beginNs = 0, endNs = 0;
  std::string detail;                    // "16384 bytes, x.py:12"; may be empty
  std::optional<TracePoint> issued = {}; // who set it off, when; a unit may begin it later
  uint32_t place = 0;                    // index into Trace::places: the line that issued it, 0: not known
  bool operator==(const TraceFlight &) const = default;
};

/// An arrow: what ended a wait, and the wait.
struct TraceFlow {
  static constexpr uint32_t kNone = UINT32_MAX;

  uint32_t name = 0;
  TracePoint from, to;
  uint32_t flight =
      kNone;             // index into Trace::flights: whose completion it was; kNone: a thread's arrival, or not known
  bool inferred = false; // from the order of regions, not recorded
  bool operator==(const TraceFlow &) const = default;
};

/// Something that a person wrote down about a moment of a trace.
struct TraceNote {
  double ns = 0;
  std::string text;
  bool operator==(const TraceNote &) const = default;
};

struct Trace {
  /// The moment of the file that all times count from, in µs: 0, or the begin of a trace whose clock is too far along
  /// for doubles to count its nanoseconds.
  int64_t originUs = 0;
  std::vector<std::string> names;
  std::vector<std::string> places = {""}; // lines of the source: "x.py:12"; the first stands for "not known"
  std::vector<TraceTrack> tracks;
  std::vector<TraceFlight> flights; // by begin
  std::vector<TraceFlow> flows;
  std::vector<TraceNote> notes; // by time
  bool emulated = false;        // times come from the emulator's cycle model
  Diagnostics warnings;
};

/// Chrome trace JSON: both ways; accepts JAX's files, Perfetto's array form, and gzip-compressed text (.json.gz).
std::string toChromeJson(const Trace &trace);
/// `unnamed`: what the tracks of a file are called, before their numbers, that names none and counts both from 1.
struct TrackWords {
  std::string_view process = "process", thread = "thread";
};
Result<Trace> parseChromeTrace(SourceRef json, const TrackWords &unnamed = {});
/// The text of `trace --summary`: per region count, total, median, share; busiest and idlest tracks.
std::string summarize(const Trace &trace);

} // namespace lanescope::core
