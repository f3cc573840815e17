// A kernel trace: what each part of the machine did when. Model of Chrome trace JSON (times in ns).
#pragma once

#include "layouts/support/Diagnostic.h"

#include <cstdint>
#include <string>
#include <vector>

namespace lanescope::core {

struct TraceSlice {
  uint32_t name = 0;  // index into Trace::names
  uint32_t depth = 0; // nesting, 0 outermost
  double beginNs = 0, endNs = 0;
};

struct TraceTrack {
  int64_t pid = 0, tid = 0;            // pid: the processor, tid: what ran there; both count from 1
  std::string processName, threadName; // "core 12", "block (1, 0, 0) warpgroup 0"
  std::vector<TraceSlice> slices;      // by begin, outer before inner
};

/// Something in flight beside the slices: a copy, a group of matrix products. Those of one track may overlap.
struct TraceFlight {
  uint32_t name = 0;
  int64_t pid = 0, tid = 0; // of the track that it is shown with
  double beginNs = 0, endNs = 0;
  std::string detail; // "16384 bytes, line 12"; may be empty
  bool operator==(const TraceFlight &) const = default;
};

/// A moment of a track, within a slice of it.
struct TracePoint {
  int64_t pid = 0, tid = 0;
  double ns = 0;
  bool operator==(const TracePoint &) const = default;
};
/// An arrow: what ended a wait, and the wait.
struct TraceFlow {
  uint32_t name = 0;
  TracePoint from, to;
  bool operator==(const TraceFlow &) const = default;
};

struct Trace {
  std::vector<std::string> names;
  std::vector<TraceTrack> tracks;
  std::vector<TraceFlight> flights; // by begin
  std::vector<TraceFlow> flows;
  bool emulated = false; // times come from the emulator's cycle model
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
