// Writes a trace as Chrome trace JSON. Source: the Trace Event Format document; docs/trace.md gives the exact form.
#include "core/profiler/TraceTime.h"
#include "core/Trace.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace lanescope::core {

namespace {

std::string quoted(const std::string &s) {
  return nlohmann::json(s).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

class Writer {
public:
  explicit Writer(const Trace &trace) : trace_(trace) {
    for (const std::string &name : trace.names)
      names_.push_back(quoted(name));
    for (const std::string &place : trace.places)
      places_.push_back(quoted(place));
  }

  std::string write() {
    out_ = "{\"displayTimeUnit\": \"ns\", ";
    writeOther();
    out_ += "\"traceEvents\": [";
    writeNames();
    for (const TraceTrack &track : trace_.tracks)
      writeTrack(track);
    for (size_t i = 0; i < trace_.flights.size(); ++i)
      writeFlight(trace_.flights[i], i + 1);
    for (size_t i = 0; i < trace_.flows.size(); ++i)
      writeFlow(trace_.flows[i], i + 1);
    out_ += "]}\n";
    return std::move(out_);
  }

private:
  std::string time(double ns) const { return microsecondsText(ns, trace_.originUs); }
  void separate() {
    if (!first_)
      out_ += ", ";
    first_ = false;
  }

  void writeOther() {
    std::string notes;
    for (const TraceNote &note : trace_.notes)
      notes += text(notes.empty() ? "" : ", ", "{\"ts\": ", time(note.ns), ", \"text\": ", quoted(note.text), "}");
    std::string other = trace_.emulated ? "\"emulated\": true" : "";
    if (!notes.empty())
      other += text(other.empty() ? "" : ", ", "\"notes\": [", notes, "]");
    if (!other.empty())
      out_ += text("\"otherData\": {", other, "}, ");
  }

  void writeNames() {
    std::vector<int64_t> named;
    for (const TraceTrack &track : trace_.tracks) {
      if (!track.processName.empty() && std::ranges::find(named, track.pid) == named.end()) {
        named.push_back(track.pid);
        separate();
        out_ += text("{\"name\": \"process_name\", \"ph\": \"M\", \"pid\": ", track.pid,
                     ", \"args\": {\"name\": ", quoted(track.processName), "}}");
      }
      if (!track.threadName.empty()) {
        separate();
        out_ += text("{\"name\": \"thread_name\", \"ph\": \"M\", \"pid\": ", track.pid, ", \"tid\": ", track.tid,
                     ", \"args\": {\"name\": ", quoted(track.threadName), "}}");
      }
    }
  }

  void event(const TraceTrack &track, const TraceSlice &slice, char phase, double ns, double durationNs = 0) {
    separate();
    out_ += text("{\"name\": ", names_[slice.name], ", \"ph\": \"", phase, "\", \"ts\": ", time(ns));
    if (phase == 'X')
      out_ += text(", \"dur\": ", microsecondsText(durationNs, 0));
    out_ += text(", \"pid\": ", track.pid, ", \"tid\": ", track.tid);
    if (phase != 'E' && slice.place != 0 && slice.place < places_.size())
      out_ += text(", \"args\": {\"line\": ", places_[slice.place], "}");
    out_ += "}";
  }

  void writeTrack(const TraceTrack &track) {
    std::vector<const TraceSlice *> open; // indexed by depth; null if already written as a whole
    std::vector<double> ends;
    auto close = [&](size_t depth) {
      for (; open.size() > depth; open.pop_back(), ends.pop_back())
        if (open.back())
          event(track, *open.back(), 'E', open.back()->endNs);
    };
    for (const TraceSlice &slice : track.slices) {
      close(slice.depth);
      // A slice that outlasts the slice around it does not fit a sequence of begins and ends.
      bool outlasts = !ends.empty() && slice.endNs > ends.back();
      if (outlasts)
        event(track, slice, 'X', slice.beginNs, slice.endNs - slice.beginNs);
      else
        event(track, slice, 'B', slice.beginNs);
      open.push_back(outlasts ? nullptr : &slice);
      ends.push_back(slice.endNs);
    }
    close(0);
  }

  /// Writes an asynchronous slice. Events with the same category and id belong together, so each slice gets its own id.
  void writeFlight(const TraceFlight &flight, size_t id) {
    auto event = [&](char phase, double ns, const std::string &more) {
      separate();
      out_ += text("{\"name\": ", names_[flight.name], ", \"cat\": \"flight\", \"ph\": \"", phase, "\", \"id\": ", id,
                   ", \"ts\": ", time(ns), ", \"pid\": ", flight.pid, ", \"tid\": ", flight.tid, more, "}");
    };
    std::string arguments;
    auto add = [&](const char *key, const std::string &value) {
      arguments += text(arguments.empty() ? "" : ", ", "\"", key, "\": ", value);
    };
    if (!flight.detail.empty())
      add("detail", quoted(flight.detail));
    if (flight.place != 0 && flight.place < places_.size())
      add("line", places_[flight.place]);
    if (flight.issued)
      add("issued", text("{\"pid\": ", flight.issued->pid, ", \"tid\": ", flight.issued->tid,
                         ", \"ts\": ", time(flight.issued->ns), "}"));
    event('b', flight.beginNs, arguments.empty() ? "" : text(", \"args\": {", arguments, "}"));
    event('e', flight.endNs, "");
  }

  /// Writes an arrow. With `bp: e` it ends at the slice that contains its moment; without it, it would end at the next
  /// slice to begin.
  void writeFlow(const TraceFlow &flow, size_t id) {
    auto event = [&](char phase, const TracePoint &at, const std::string &more) {
      separate();
      out_ += text("{\"name\": ", names_[flow.name], ", \"cat\": \"flow\", \"ph\": \"", phase, "\", \"id\": ", id,
                   ", \"ts\": ", time(at.ns), ", \"pid\": ", at.pid, ", \"tid\": ", at.tid, more, "}");
    };
    bool flew = flow.flight < trace_.flights.size();
    std::string arguments = flew ? text("\"flight\": ", flow.flight + 1) : "";
    if (flow.inferred)
      arguments += text(flew ? ", " : "", "\"inferred\": true");
    event('s', flow.from, arguments.empty() ? "" : text(", \"args\": {", arguments, "}"));
    event('f', flow.to, ", \"bp\": \"e\"");
  }

  const Trace &trace_;
  std::vector<std::string> names_, places_;
  std::string out_;
  bool first_ = true;
};

} // namespace

std::string toChromeJson(const Trace &trace) { return Writer(trace).write(); }

} // namespace lanescope::core
