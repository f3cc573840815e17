// Chrome trace JSON to a trace: JAX's and our own files, Perfetto's array form, gzip-compressed text.
// Source: the Trace Event Format document. Slices (B, E, X), asynchronous slices (b, e), flows (s, t, f) and metadata
// (M) count; the other kinds are left out with a warning.
#include "core/data/Files.h"
#include "core/profiler/Slices.h"
#include "core/Trace.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <simdjson.h>
#include <unordered_map>

namespace lanescope::core {

namespace {

namespace od = simdjson::ondemand;

constexpr uint64_t kLargestTraceBytes = uint64_t{1} << 30;
constexpr double kNsPerUs = 1000;
constexpr uint32_t kNoName = ~0u; // an `E` event need not repeat the name

/// One event, as far as the reader needs it.
struct Event {
  std::string_view name, phase, metadataName, category, detail;
  std::string id; // of asynchronous slices and flows, in its scope: "pid 5 0x1a" for a local one
  double ts = 0, duration = 0;
  bool hasTs = false, hasDuration = false, localId = false;
  int64_t pid = 0, tid = 0;
  uint32_t offset = 0; // of its `{`
};

/// A begin, an end or a whole slice of one track, in file order.
struct Mark {
  double ns, endNs;
  uint32_t name, offset;
  char phase;
};

/// One end of an asynchronous slice or a flow, in file order.
struct LooseMark {
  double ns;
  TracePoint at;
  uint32_t name, offset;
  char phase;
  std::string detail;
};

/// How often something happened, and where first.
struct Tally {
  size_t count = 0;
  uint32_t first = 0;
  void add(uint32_t offset) {
    if (count++ == 0)
      first = offset;
  }
};

class Reader {
public:
  Reader(SourceRef source, const TrackWords &unnamed)
      : source_(std::move(source)), padded_(source_->text()), unnamed_(unnamed) {}

  Result<Trace> read() {
    od::parser parser;
    od::document document;
    if (auto problem = parser.iterate(padded_).get(document))
      return failure(problem);
    od::value root;
    od::json_type type;
    if (document.get_value().get(root) || root.type().get(type) ||
        (type != od::json_type::object && type != od::json_type::array))
      return error("trace", {source_, 0, 1}, "a trace is a JSON object with `traceEvents`, or an array of events");
    bool good = type == od::json_type::array ? readEvents(root) : readRoot(root);
    if (!good)
      return std::unexpected(std::move(problems_));
    const char *rest;
    if (document.current_location().get(rest) == simdjson::SUCCESS) {
      here_ = offset(rest);
      return failure(simdjson::TRAILING_CONTENT);
    }
    return finish();
  }

private:
  std::unexpected<Diagnostics> failure(simdjson::error_code problem) {
    std::string message = simdjson::error_message(problem);
    while (message.ends_with('.'))
      message.pop_back();
    return error("trace", {source_, here_, here_ + 1}, text("this is not JSON: ", message));
  }
  bool fail(simdjson::error_code problem) {
    problems_ = failure(problem).error();
    return false;
  }
  bool refuse(uint32_t where, std::string message) {
    problems_ = error("trace", {source_, where, where + 1}, std::move(message)).error();
    return false;
  }
  uint32_t offset(const char *place) const {
    return static_cast<uint32_t>(std::min<size_t>(place - padded_.data(), source_->text().size()));
  }
  void note(od::value &value) { here_ = offset(value.raw_json_token().data()); }

  bool readRoot(od::value &root) {
    od::object object;
    if (auto problem = root.get_object().get(object))
      return fail(problem);
    bool found = false;
    for (auto entry : object) {
      od::field field;
      std::string_view key;
      if (auto problem = std::move(entry).get(field))
        return fail(problem);
      if (auto problem = field.unescaped_key().get(key))
        return fail(problem);
      od::value value = field.value();
      note(value);
      if (key == "traceEvents") {
        found = true;
        if (!readEvents(value))
          return false;
      } else if (key == "displayTimeUnit") {
        std::string_view unit;
        if (value.get_string().get(unit) == simdjson::SUCCESS)
          nanoseconds_ = unit == "ns";
      } else if (key == "otherData") {
        readOther(value);
      }
    }
    return found || refuse(0, "the object has no `traceEvents`");
  }

  /// Our own mark on traces of the emulator; anything else in there is someone else's.
  void readOther(od::value &value) {
    od::object object;
    if (value.get_object().get(object))
      return;
    for (auto entry : object) {
      od::field field;
      std::string_view key;
      if (std::move(entry).get(field) || field.unescaped_key().get(key))
        return;
      bool emulated;
      if (key == "emulated" && field.value().get_bool().get(emulated) == simdjson::SUCCESS)
        trace_.emulated = emulated;
    }
  }

  bool readEvents(od::value &value) {
    note(value);
    od::array events;
    if (value.get_array().get(events))
      return refuse(here_, "`traceEvents` is not an array");
    for (auto item : events) {
      od::value element;
      if (auto problem = std::move(item).get(element))
        return fail(problem);
      note(element);
      od::object object;
      if (element.get_object().get(object))
        return refuse(here_, "an event is not a JSON object");
      Event event;
      event.offset = here_;
      if (!readEvent(object, event) || !take(event))
        return false;
    }
    return true;
  }

  bool readEvent(od::object &object, Event &event) {
    for (auto entry : object) {
      od::field field;
      std::string_view key;
      if (auto problem = std::move(entry).get(field))
        return fail(problem);
      if (auto problem = field.unescaped_key().get(key))
        return fail(problem);
      od::value value = field.value();
      note(value);
      if (key == "name") {
        if (value.get_string().get(event.name))
          return refuse(here_, "an event's `name` is not a string");
      } else if (key == "ph") {
        if (value.get_string().get(event.phase))
          return refuse(here_, "an event's `ph` is not a string");
      } else if (key == "ts") {
        if (value.get_double().get(event.ts))
          return refuse(here_, "an event's `ts` is not a number of microseconds");
        event.hasTs = true;
      } else if (key == "dur") {
        if (value.get_double().get(event.duration) || event.duration < 0)
          return refuse(here_, "an event's `dur` is not a number of microseconds, zero or more");
        event.hasDuration = true;
      } else if (key == "pid" || key == "tid") {
        if (!readId(value, key == "pid" ? event.pid : event.tid))
          return refuse(here_, text("an event's `", key, "` is neither an integer nor a string"));
      } else if (key == "args") {
        if (!readArguments(value, event))
          return false;
      } else if (key == "cat") {
        if (value.get_string().get(event.category))
          event.category = {};
      } else if (key == "id") {
        event.id = idText(value);
      } else if (key == "id2") {
        readScopedId(value, event);
      }
    }
    return true;
  }

  /// Ids of asynchronous slices and flows are strings or numbers.
  static std::string idText(od::value &value) {
    std::string_view word;
    int64_t number;
    if (value.get_string().get(word) == simdjson::SUCCESS)
      return std::string(word);
    if (value.get_int64().get(number) == simdjson::SUCCESS)
      return std::to_string(number);
    return {};
  }
  /// {"local": …}, which counts within a process, or {"global": …}.
  void readScopedId(od::value &value, Event &event) {
    od::object object;
    if (value.get_object().get(object))
      return;
    for (auto entry : object) {
      od::field field;
      std::string_view key;
      if (std::move(entry).get(field) || field.unescaped_key().get(key))
        return;
      od::value inner = field.value();
      event.id = idText(inner);
      event.localId = key == "local";
    }
  }

  /// Ids are integers; tools that use strings get an id per string, from −1 down.
  bool readId(od::value &value, int64_t &id) {
    od::json_type type;
    if (value.type().get(type))
      return false;
    if (type == od::json_type::string) {
      std::string_view name;
      if (value.get_string().get(name))
        return false;
      auto next = -1 - static_cast<int64_t>(stringIds_.size());
      id = stringIds_.try_emplace(std::string(name), next).first->second;
      return true;
    }
    double number;
    if (value.get_int64().get(id) == simdjson::SUCCESS)
      return true;
    if (value.get_double().get(number) || number != std::floor(number) || std::fabs(number) > 0x1p53)
      return false;
    id = static_cast<int64_t>(number);
    return true;
  }

  bool readArguments(od::value &value, Event &event) {
    od::object object;
    if (value.get_object().get(object))
      return true; // someone's own form; only a metadata event's name matters here
    for (auto entry : object) {
      od::field field;
      std::string_view key;
      if (auto problem = std::move(entry).get(field))
        return fail(problem);
      if (auto problem = field.unescaped_key().get(key))
        return fail(problem);
      if (key == "name" && field.value().get_string().get(event.metadataName))
        event.metadataName = {};
      else if (key == "detail" && field.value().get_string().get(event.detail))
        event.detail = {};
    }
    return true;
  }

  bool take(const Event &event) {
    if (event.phase.empty())
      return refuse(event.offset, "an event has no `ph`");
    char phase = event.phase.size() == 1 ? event.phase[0] : '?';
    if (phase == 'M') {
      if (event.name == "process_name")
        processNames_[event.pid] = event.metadataName;
      else if (event.name == "thread_name")
        threadNames_[{event.pid, event.tid}] = event.metadataName;
      return true;
    }
    bool asynchronous = phase == 'b' || phase == 'e', flow = phase == 's' || phase == 't' || phase == 'f';
    if (phase != 'B' && phase != 'E' && phase != 'X' && !asynchronous && !flow) {
      skipped_.add(event.offset);
      return true;
    }
    if (!event.hasTs)
      return refuse(event.offset, text("a `", phase, "` event has no `ts`"));
    if (asynchronous || flow) {
      if (event.id.empty()) {
        withoutId_.add(event.offset);
        return true;
      }
      std::string key = text(event.category, '\0', event.id);
      if (event.localId)
        key += text('\0', event.pid);
      if (flow)
        key += text('\0', event.name);
      double at = inNs(event.ts);
      std::map<std::string, std::vector<LooseMark>> &into = flow ? flowMarks_ : flightMarks_;
      into[key].push_back({at,
                           {event.pid, event.tid, at},
                           phase == 'e' && event.name.empty() ? kNoName : nameId(event.name),
                           event.offset,
                           phase,
                           std::string(event.detail)});
      marksOf(event.pid, event.tid);
      return true;
    }
    if (phase == 'X' && !event.hasDuration)
      return refuse(event.offset, "an `X` event has no `dur`");
    uint32_t name = phase == 'E' && event.name.empty() ? kNoName : nameId(event.name);
    double ns = inNs(event.ts);
    marksOf(event.pid, event.tid)
        .push_back({ns, phase == 'X' ? inNs(event.ts + event.duration) : ns, name, event.offset, phase});
    return true;
  }

  /// Microseconds with decimals are no binary fractions: the thousandth of a ns is where the text's digits end.
  static double inNs(double us) {
    double ns = us * kNsPerUs;
    return std::fabs(ns) < 1e12 ? std::round(ns * 1000) / 1000 : ns;
  }

  uint32_t nameId(std::string_view name) {
    auto [entry, isNew] = nameIds_.try_emplace(std::string(name), static_cast<uint32_t>(trace_.names.size()));
    if (isNew)
      trace_.names.emplace_back(name);
    return entry->second;
  }

  std::vector<Mark> &marksOf(int64_t pid, int64_t tid) {
    if (lastTrack_ < trace_.tracks.size() && trace_.tracks[lastTrack_].pid == pid &&
        trace_.tracks[lastTrack_].tid == tid)
      return marks_[lastTrack_];
    auto [entry, isNew] = trackIds_.try_emplace({pid, tid}, trace_.tracks.size());
    if (isNew) {
      TraceTrack &track = trace_.tracks.emplace_back();
      track.pid = pid;
      track.tid = tid;
      marks_.emplace_back();
    }
    lastTrack_ = entry->second;
    return marks_[lastTrack_];
  }

  Trace finish() {
    bool noNames = processNames_.empty() && threadNames_.empty();
    for (const auto &[name, id] : stringIds_) {
      processNames_.try_emplace(id, name);
      for (const TraceTrack &track : trace_.tracks)
        if (track.tid == id)
          threadNames_.try_emplace({track.pid, track.tid}, name);
    }
    for (size_t i = 0; i < trace_.tracks.size(); ++i) {
      TraceTrack &track = trace_.tracks[i];
      if (auto name = processNames_.find(track.pid); name != processNames_.end())
        track.processName = name->second;
      if (auto name = threadNames_.find({track.pid, track.tid}); name != threadNames_.end())
        track.threadName = name->second;
      if (noNames && nanoseconds_ && track.pid > 0 && track.tid > 0) { 
        track.processName = text(unnamed_.process, " ", track.pid - 1);
        track.threadName = text(unnamed_.thread, " ", track.tid - 1);
      }
      build(track, marks_[i]);
    }
    for (auto &[key, marks] : flightMarks_)
      buildFlights(marks);
    inFileOrder(flights_, trace_.flights, [](const TraceFlight &flight) { return flight.beginNs; });
    for (auto &[key, marks] : flowMarks_)
      buildFlows(marks);
    inFileOrder(flows_, trace_.flows, [](const TraceFlow &flow) { return flow.from.ns; });
    std::set<std::pair<int64_t, int64_t>> flown;
    for (const TraceFlight &flight : trace_.flights)
      flown.emplace(flight.pid, flight.tid);
    std::erase_if(trace_.tracks, [&](const TraceTrack &track) {
      return track.slices.empty() && !flown.contains({track.pid, track.tid});
    });
    warn(skipped_, "trace-skipped",
         "events of kinds other than slices, flows and names (B, E, X, b, e, s, t, f, M) are "
         "left out");
    warn(withoutId_, "trace-without-id", "an asynchronous event or a flow has no `id`; it is left out");
    warn(unmatched_, "trace-unmatched", "an end of an asynchronous slice or a flow has no other end; it is left out");
    warn(strayEnds_, "trace-stray-end", "an `E` event ends nothing; it is left out");
    warn(wrongEnds_, "trace-wrong-end", "an `E` event has another name than what it ends");
    warn(open_, "trace-open", "a `B` event never ends; it is shown as ending with its track");
    return std::move(trace_);
  }

  void build(TraceTrack &track, std::vector<Mark> &marks) {
    std::ranges::stable_sort(marks, {}, &Mark::ns);
    bool whole = false;
    double last = 0;
    SliceBuilder builder(track.slices);
    for (const Mark &mark : marks) {
      last = &mark == marks.data() ? mark.endNs : std::max(last, mark.endNs);
      if (mark.phase == 'B') {
        builder.begin(mark.name, mark.ns);
        lastBegin_ = mark.offset;
      } else if (mark.phase == 'E') {
        if (builder.isOpen() && mark.name != kNoName && builder.innermostName() != mark.name)
          wrongEnds_.add(mark.offset);
        if (!builder.end(mark.ns))
          strayEnds_.add(mark.offset);
      } else {
        whole = true;
      }
    }
    if (size_t count = builder.closeAll(last))
      for (size_t i = 0; i < count; ++i)
        open_.add(lastBegin_);
    if (!whole)
      return;
    // Whole slices come in any order.
    for (const Mark &mark : marks)
      if (mark.phase == 'X')
        track.slices.push_back({mark.name, 0, mark.ns, mark.endNs});
    nestSlices(track.slices);
  }

  /// Begins and ends of one id nest, the last begun ending first.
  void buildFlights(std::vector<LooseMark> &marks) {
    std::ranges::stable_sort(marks, {}, &LooseMark::ns);
    std::vector<size_t> open;
    for (size_t i = 0; i < marks.size(); ++i) {
      if (marks[i].phase == 'b') {
        open.push_back(i);
        continue;
      }
      if (open.empty()) {
        unmatched_.add(marks[i].offset);
        continue;
      }
      LooseMark &begin = marks[open.back()];
      open.pop_back();
      flights_.emplace_back(begin.offset, TraceFlight{begin.name, begin.at.pid, begin.at.tid, begin.ns, marks[i].ns,
                                                      std::move(begin.detail)});
    }
    for (size_t i : open)
      unmatched_.add(marks[i].offset);
  }

  /// A flow with steps is as many arrows, one after another.
  void buildFlows(std::vector<LooseMark> &marks) {
    std::ranges::stable_sort(marks, {}, &LooseMark::ns);
    const LooseMark *last = nullptr;
    bool used = true;
    for (const LooseMark &mark : marks) {
      if (mark.phase != 's' && last) {
        flows_.emplace_back(last->offset, TraceFlow{last->name, last->at, mark.at});
        used = true;
      } else if (mark.phase != 's') {
        unmatched_.add(mark.offset);
      }
      if (mark.phase != 'f') {
        if (!used)
          unmatched_.add(last->offset);
        used = mark.phase == 't';
      }
      last = mark.phase == 'f' ? nullptr : &mark;
    }
    if (!used)
      unmatched_.add(last->offset);
  }

  /// By time, and those of one moment as the file has them.
  template <typename T, typename Time>
  static void inFileOrder(std::vector<std::pair<uint32_t, T>> &found, std::vector<T> &out, Time time) {
    std::ranges::stable_sort(found, {}, [&](const auto &entry) { return std::pair(time(entry.second), entry.first); });
    for (auto &[offset, entry] : found)
      out.push_back(std::move(entry));
  }

  void warn(const Tally &tally, const char *kind, std::string message) {
    if (tally.count > 0)
      trace_.warnings.push_back(
          {Severity::Warning,
           kind,
           {source_, tally.first, tally.first + 1},
           text(message, tally.count > 1 ? text(" (", tally.count, " of them; this is the first)") : ""),
           {}});
  }

  SourceRef source_;
  simdjson::padded_string padded_;
  Trace trace_;
  std::vector<std::vector<Mark>> marks_; // by track
  std::unordered_map<std::string, uint32_t> nameIds_;
  std::map<std::pair<int64_t, int64_t>, size_t> trackIds_;
  std::map<int64_t, std::string> processNames_;
  std::map<std::pair<int64_t, int64_t>, std::string> threadNames_;
  std::map<std::string, int64_t> stringIds_;
  std::map<std::string, std::vector<LooseMark>> flightMarks_,
      flowMarks_;                                         // by category, id and scope; flows by name too
  std::vector<std::pair<uint32_t, TraceFlight>> flights_; // with the offset of their first mark
  std::vector<std::pair<uint32_t, TraceFlow>> flows_;
  Tally skipped_, strayEnds_, wrongEnds_, open_, withoutId_, unmatched_;
  Diagnostics problems_;
  size_t lastTrack_ = 0;
  uint32_t here_ = 0, lastBegin_ = 0;
  TrackWords unnamed_;
  bool nanoseconds_ = false;
};

} // namespace

Result<Trace> parseChromeTrace(SourceRef json, const TrackWords &unnamed) {
  if (isGzip(json->text())) {
    Result<std::string> text = gunzip(json->text(), json->name(), kLargestTraceBytes);
    if (!text)
      return std::unexpected(text.error());
    json = Source::make(json->name(), std::move(*text));
  }
  if (json->text().size() > kLargestTraceBytes)
    return error("trace", text("`", json->name(), "` is larger than the ", kLargestTraceBytes >> 20,
                               " MiB that a trace may have"));
  return Reader(std::move(json), unnamed).read();
}

} // namespace lanescope::core
