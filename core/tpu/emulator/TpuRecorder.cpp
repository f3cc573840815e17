#include "core/tpu/emulator/TpuRecorder.h"

#include "layouts/support/Text.h"

#include <algorithm>

namespace lanescope::core::sparsecore {

void Recorder::add(Slice slice) {
  if (slices_.size() < kMostEntries)
    slices_.push_back(std::move(slice));
  else
    ++dropped_;
}

void Recorder::begin(const Subcore &s, const std::string &name) { open_[s.index].push_back({name, s.time}); }

void Recorder::end(const Subcore &s) {
  std::vector<Open> &open = open_[s.index];
  if (open.empty())
    return;
  Open last = std::move(open.back());
  open.pop_back();
  add({s.index, static_cast<uint32_t>(open.size()) + 1, std::move(last.name), last.begin, s.time});
}

void Recorder::waited(const Subcore &s, double since, double until, std::string_view what) {
  if (until > since)
    add({s.index, static_cast<uint32_t>(open_[s.index].size()) + 1, text("wait: ", what), since, until});
}

void Recorder::copy(const Subcore &s, const Copy &copy, size_t rows) {
  if (flights_.size() >= kMostEntries) {
    ++dropped_;
    return;
  }
  std::string what = !copy.indirect ? "copy" : text(copy.gather ? "gather" : "scatter", " of ", rows, " rows");
  flights_.push_back({s.index, copy.place,
                      text(what, " ", name(copy.source.buffer->space), " → ", name(copy.target.buffer->space)),
                      copy.bytes, copy.begin, copy.end});
}

Trace Recorder::take(const Machine &m) {
  Trace trace;
  trace.emulated = true;
  std::map<std::string, uint32_t> numbers;
  auto number = [&](const std::string &name) {
    auto [at, isNew] = numbers.try_emplace(name, static_cast<uint32_t>(trace.names.size()));
    if (isNew)
      trace.names.push_back(name);
    return at->second;
  };
  // One process per core; its scalar subcore comes first.
  uint32_t cores = 1;
  for (const Subcore &s : m.subcores)
    cores = std::max(cores, s.location.core + 1);
  for (const Subcore &s : m.subcores) {
    bool scalar = s.location.type == CoreType::ScalarSubcore;
    TraceTrack track;
    track.pid = 1 + int64_t{s.location.device} * cores + s.location.core;
    track.tid = scalar ? 1 : 2 + s.location.subcore;
    track.processName = m.devices > 1 ? text("device ", s.location.device, " SparseCore ", s.location.core)
                                      : text("SparseCore ", s.location.core);
    track.threadName = scalar ? "scalar subcore" : text("vector subcore ", s.location.subcore);
    track.slices.push_back({number(s.function->name), 0, 0, s.time});
    trace.tracks.push_back(std::move(track));
  }
  for (const Slice &slice : slices_)
    trace.tracks[slice.subcore].slices.push_back({number(slice.name), slice.depth, slice.begin, slice.end});
  for (TraceTrack &track : trace.tracks)
    std::ranges::stable_sort(track.slices, [](const TraceSlice &a, const TraceSlice &b) {
      return a.beginNs != b.beginNs ? a.beginNs < b.beginNs : a.depth < b.depth;
    });
  for (const Flight &flight : flights_) {
    const TraceTrack &track = trace.tracks[flight.subcore];
    std::string detail = text(flight.bytes, " bytes");
    if (const Span &span = m.place(flight.place); span.source)
      detail += text(", line ", span.source->lineColumn(span.begin).line);
    trace.flights.push_back({number(flight.name), track.pid, track.tid, flight.begin, flight.end, detail});
  }
  std::ranges::stable_sort(trace.flights, {}, &TraceFlight::beginNs);
  if (dropped_ != 0)
    trace.warnings.push_back({Severity::Warning,
                              "trace-flights",
                              {},
                              text("the trace leaves out ", dropped_, " copies and waits beyond what it holds"),
                              {}});
  return trace;
}

} // namespace lanescope::core::sparsecore
