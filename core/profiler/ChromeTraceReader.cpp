// Converts Chrome trace JSON to a trace: JAX's and our own files, Perfetto's array form, gzip-compressed text. Source:
// the Trace Event Format document. Slices (B, E, X), asynchronous slices (b, e), flows (s, t, f) and metadata (M) are
// read; other kinds are dropped with a warning.
#include "core/data/FileLimits.h"
#ifndef __wasi__ // a browser expands files itself
#include "core/data/Files.h"
#endif
#include "core/profiler/ChromeEvents.h"
#include "core/profiler/Slices.h"
#include "core/Trace.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <unordered_map>

namespace lanescope::core {

namespace {

constexpr uint64_t kLargestTraceBytes = limitOf(FileRole::Trace).bytes();
/// If the times are larger than this (1000 s), they count from the trace's own beginning. Then a double in nanoseconds
/// holds thousandths.
constexpr Picoseconds kLarge = static_cast<Picoseconds>(1'000'000'000) * kPicosecondsPerMicrosecond;
/// Times further from the origin than this, 104 days, are rounded to several nanoseconds.
constexpr double kExactNs = 0x1p53;
constexpr uint32_t kNoName = ~0u; // an `E` event need not repeat the name

/// A begin or an end of one track, in file order.
struct Mark {
  double ns;
  uint32_t name, offset;
  uint16_t place;
  bool begins;
};

/// One end of an asynchronous slice or a flow, in file order.
struct LooseMark {
  TracePoint at;
  uint32_t name, offset, place;
  char phase;
  std::string detail;
  std::optional<TracePoint> issued;
  int64_t flight;
  bool inferred;
  double ns() const { return at.ns; }
};

/// Gives each text a number. Consecutive texts are often the same.
class TextNumbers {
public:
  explicit TextNumbers(std::vector<std::string> &texts) : texts_(texts) {}
  uint32_t operator()(std::string_view text) {
    if (last_ < texts_.size() && texts_[last_] == text)
      return last_;
    auto found = numbers_.find(text);
    if (found == numbers_.end()) {
      found = numbers_.emplace(text, static_cast<uint32_t>(texts_.size())).first;
      texts_.emplace_back(text);
    }
    return last_ = found->second;
  }

private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  std::vector<std::string> &texts_;
  std::unordered_map<std::string, uint32_t, Hash, std::equal_to<>> numbers_;
  uint32_t last_ = UINT32_MAX;
};

class Reader {
public:
  /// `originUs`: the time that other times count from. By default, it follows from the first event with a time.
  Reader(const SourceRef &source, const TrackWords &unnamed, std::optional<int64_t> originUs = std::nullopt)
      : source_(source), events_(source), unnamed_(unnamed) {
    if (originUs)
      setOrigin(*originUs);
  }

  Result<Trace> read() {
    if (!events_.read([this](const ChromeEvent &event) { return take(event); }))
      return std::unexpected(std::move(events_.problems()));
    return finish();
  }
  /// A better origin, if the first event is far from more than half of the others.
  std::optional<int64_t> betterOrigin() const { return far_.count > timed_ / 2 ? farUs_ : std::nullopt; }

private:
  bool take(const ChromeEvent &event) {
    if (event.phase.empty())
      return leaveOut(event, "an event has no `ph`; it is left out");
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
      return leaveOut(event, text("a `", phase, "` event has no `ts`; it is left out"));
    if (asynchronous || flow)
      takeLoose(event, phase);
    else if (phase == 'X' && !event.hasDuration)
      return leaveOut(event, "an `X` event has no `dur`; it is left out");
    else
      takeSlice(event, phase);
    return true;
  }

  bool leaveOut(const ChromeEvent &event, const std::string &message) {
    events_.leaveOut(event.offset, message);
    return true;
  }

  void takeSlice(const ChromeEvent &event, char phase) {
    size_t track = trackOf(event.pid, event.tid);
    double ns = timeOf(event);
    uint32_t place = event.line.empty() ? 0 : placeId_(event.line);
    if (phase == 'X') {
      TraceSlice slice(nameId_(event.name), 0, ns, nanoseconds(event.ts + event.duration, trace_.originUs), place);
      marks_[track].last = std::max(marks_[track].last, slice.endNs);
      trace_.tracks[track].slices.push_back(slice);
      return;
    }
    uint32_t name = phase == 'E' && event.name.empty() ? kNoName : nameId_(event.name);
    marks_[track].last = std::max(marks_[track].last, ns);
    marks_[track].marks.push_back(
        {ns, name, event.offset, static_cast<uint16_t>(place <= TraceSlice::kMost ? place : 0), phase == 'B'});
  }

  void takeLoose(const ChromeEvent &event, char phase) {
    if (event.id.empty())
      return withoutId_.add(event.offset);
    bool flow = phase == 's' || phase == 't' || phase == 'f';
    std::string key = text(event.category, '\0', event.id);
    if (event.localId)
      key += text('\0', event.pid);
    if (flow)
      key += text('\0', event.name);
    std::map<std::string, std::vector<LooseMark>> &into = flow ? flowMarks_ : flightMarks_;
    LooseMark mark{{event.pid, event.tid, timeOf(event)},
                   phase == 'e' && event.name.empty() ? kNoName : nameId_(event.name),
                   event.offset,
                   event.line.empty() ? 0 : placeId_(event.line),
                   phase,
                   std::string(event.detail),
                   std::nullopt,
                   event.flight,
                   event.inferred};
    if (event.issued)
      mark.issued = TracePoint{event.issued->pid, event.issued->tid, nanoseconds(event.issued->ts, trace_.originUs)};
    into[key].push_back(std::move(mark));
    trackOf(event.pid, event.tid);
  }

  void setOrigin(int64_t us) {
    trace_.originUs = us;
    hasOrigin_ = true;
  }

  /// The time of an event. The first event with a time decides the origin.
  double timeOf(const ChromeEvent &event) {
    if (!hasOrigin_) {
      bool large = event.ts >= kLarge || event.ts <= -kLarge;
      setOrigin(large ? static_cast<int64_t>(event.ts / kPicosecondsPerMicrosecond) : 0);
    }
    ++timed_;
    double ns = nanoseconds(event.ts, trace_.originUs);
    if (std::fabs(ns) > kExactNs) {
      far_.add(event.offset);
      if (!farUs_)
        farUs_ = static_cast<int64_t>(event.ts / kPicosecondsPerMicrosecond);
    }
    return ns;
  }

  size_t trackOf(int64_t pid, int64_t tid) {
    auto is = [&](size_t track) {
      return track < trace_.tracks.size() && trace_.tracks[track].pid == pid && trace_.tracks[track].tid == tid;
    };
    if (is(lastTrack_))
      return lastTrack_;
    if (is(lastTrack_ + 1)) // in some files, each event belongs to the track after the previous event's track
      return ++lastTrack_;
    auto [entry, isNew] = trackIds_.try_emplace({pid, tid}, trace_.tracks.size());
    if (isNew) {
      TraceTrack &track = trace_.tracks.emplace_back();
      track.pid = pid;
      track.tid = tid;
      marks_.emplace_back();
    }
    return lastTrack_ = entry->second;
  }

  Trace finish() {
    trace_.emulated = events_.header().emulated;
    for (const ChromeHeader::Note &note : events_.header().notes)
      trace_.notes.push_back({nanoseconds(note.ts, trace_.originUs), note.text});
    std::ranges::stable_sort(trace_.notes, {}, &TraceNote::ns);
    bool noNames = processNames_.empty() && threadNames_.empty();
    for (const auto &[name, id] : events_.wordIds()) {
      bool number = !name.empty() && name.find_first_not_of("+-.0123456789eE") == std::string::npos;
      processNames_.try_emplace(id, number ? text("process ", name) : name);
      for (const TraceTrack &track : trace_.tracks)
        if (track.tid == id)
          threadNames_.try_emplace({track.pid, track.tid}, number ? text("thread ", name) : name);
    }
    for (size_t i = 0; i < trace_.tracks.size(); ++i) {
      TraceTrack &track = trace_.tracks[i];
      if (auto name = processNames_.find(track.pid); name != processNames_.end())
        track.processName = name->second;
      if (auto name = threadNames_.find({track.pid, track.tid}); name != threadNames_.end())
        track.threadName = name->second;
      if (noNames && events_.header().nanoseconds && track.pid > 0 && track.tid > 0) {
        track.processName = text(unnamed_.process, " ", track.pid - 1);
        track.threadName = text(unnamed_.thread, " ", track.tid - 1);
      }
      build(track, marks_[i]);
    }
    for (auto &[key, marks] : flightMarks_)
      buildFlights(key, marks);
    addFlights();
    for (auto &[key, marks] : flowMarks_)
      buildFlows(marks);
    inFileOrder(flows_, trace_.flows, [](const TraceFlow &flow) { return flow.from.ns; });
    std::set<std::pair<int64_t, int64_t>> flown;
    for (const TraceFlight &flight : trace_.flights)
      flown.emplace(flight.pid, flight.tid);
    std::erase_if(trace_.tracks, [&](const TraceTrack &track) {
      return track.slices.empty() && !flown.contains({track.pid, track.tid});
    });
    for (const ChromeEvents::Flaw &flaw : events_.flaws())
      warn(flaw.tally, flaw.kind.c_str(), flaw.message);
    warn(far_, "trace-far-apart",
         "an event is more than 104 days from the trace's begin; its times are rounded to what a double of nanoseconds "
         "holds");
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

  struct TrackMarks {
    std::vector<Mark> marks;
    double last = -HUGE_VAL;
  };

  /// Builds a track. It already has its complete slices, in any order. This function makes slices of the begins and
  /// ends, and inserts them before these.
  void build(TraceTrack &track, TrackMarks &of) {
    std::vector<Mark> marks = std::move(of.marks); // this copy is freed when the track is complete
    std::vector<TraceSlice> whole = std::move(track.slices);
    track.slices = {};
    track.slices.reserve(marks.size() / 2 + whole.size());
    if (!std::ranges::is_sorted(marks, {}, &Mark::ns))
      std::ranges::stable_sort(marks, {}, &Mark::ns);
    SliceBuilder builder(track.slices);
    for (const Mark &mark : marks) {
      if (mark.begins) {
        builder.begin(mark.name, mark.ns, mark.place);
        lastBegin_ = mark.offset;
      } else {
        if (builder.isOpen() && mark.name != kNoName && builder.innermostName() != mark.name)
          wrongEnds_.add(mark.offset);
        if (!builder.end(mark.ns))
          strayEnds_.add(mark.offset);
      }
    }
    for (size_t count = builder.closeAll(of.last); count > 0; --count)
      open_.add(lastBegin_);
    if (whole.empty())
      return;
    if (track.slices.empty())
      track.slices = std::move(whole);
    else
      track.slices.insert(track.slices.end(), whole.begin(), whole.end());
    nestSlices(track.slices);
  }

  struct FoundFlight {
    uint32_t offset; // place of its first mark
    std::string key; // the key by which flows name it
    TraceFlight flight;
  };

  /// Builds operations in flight from begins and ends of one id. They nest: an end closes the slice that began last.
  void buildFlights(const std::string &key, std::vector<LooseMark> &marks) {
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
      flights_.push_back({begin.offset, key,
                          TraceFlight{begin.name, begin.at.pid, begin.at.tid, begin.at.ns, marks[i].at.ns,
                                      std::move(begin.detail), begin.issued, begin.place}});
    }
    for (size_t i : open)
      unmatched_.add(marks[i].offset);
  }

  void addFlights() {
    std::ranges::stable_sort(flights_, {},
                             [](const FoundFlight &of) { return std::pair(of.flight.beginNs, of.offset); });
    for (FoundFlight &of : flights_) {
      flightOf_.try_emplace(of.key, static_cast<uint32_t>(trace_.flights.size()));
      trace_.flights.push_back(std::move(of.flight));
    }
  }

  /// Finds the asynchronous slice with that id in the category of Lanescope's own slices.
  uint32_t flightOf(int64_t id) const {
    auto found = id < 0 ? flightOf_.end() : flightOf_.find(text("flight", '\0', id));
    return found == flightOf_.end() ? TraceFlow::kNone : found->second;
  }

  /// Builds arrows. A flow with steps becomes several arrows, one after another.
  void buildFlows(std::vector<LooseMark> &marks) {
    std::ranges::stable_sort(marks, {}, &LooseMark::ns);
    const LooseMark *last = nullptr;
    bool used = true;
    for (const LooseMark &mark : marks) {
      if (mark.phase != 's' && last) {
        flows_.emplace_back(last->offset,
                            TraceFlow{last->name, last->at, mark.at, flightOf(last->flight), last->inferred});
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

  /// Sorts by time; equal times keep the file's order.
  template <typename T, typename Time>
  static void inFileOrder(std::vector<std::pair<uint32_t, T>> &found, std::vector<T> &out, Time time) {
    std::ranges::stable_sort(found, {}, [&](const auto &entry) { return std::pair(time(entry.second), entry.first); });
    for (auto &[offset, entry] : found)
      out.push_back(std::move(entry));
  }

  void warn(const TraceTally &tally, const char *kind, std::string message) {
    if (tally.count > 0)
      trace_.warnings.push_back(
          {Severity::Warning,
           kind,
           {source_, tally.first, tally.first + 1},
           text(message, tally.count > 1 ? text(" (", tally.count, " of them; this is the first)") : ""),
           {}});
  }

  SourceRef source_;
  ChromeEvents events_;
  Trace trace_;
  TextNumbers nameId_{trace_.names}, placeId_{trace_.places};
  std::vector<TrackMarks> marks_; // indexed by track
  std::map<std::pair<int64_t, int64_t>, size_t> trackIds_;
  std::map<int64_t, std::string> processNames_;
  std::map<std::pair<int64_t, int64_t>, std::string> threadNames_;
  std::map<std::string, std::vector<LooseMark>> flightMarks_,
      flowMarks_; // keyed by category, id and scope; flows also by name
  std::vector<FoundFlight> flights_;
  std::map<std::string, uint32_t> flightOf_;          // from the key of a flight to its index in trace_.flights
  std::vector<std::pair<uint32_t, TraceFlow>> flows_; // with the place of their first mark
  TraceTally skipped_, strayEnds_, wrongEnds_, open_, withoutId_, unmatched_;
  bool hasOrigin_ = false;
  size_t timed_ = 0; // events with a time
  TraceTally far_;   // events so far from the origin that a double cannot hold the distance in nanoseconds
  std::optional<int64_t> farUs_;
  size_t lastTrack_ = 0;
  uint32_t lastBegin_ = 0;
  TrackWords unnamed_;
};

} // namespace

Result<Trace> parseChromeTrace(SourceRef json, const TrackWords &unnamed) {
#ifndef __wasi__
  if (isGzip(json->text())) {
    Result<std::string> text = gunzip(json->text(), json->name(), kLargestTraceBytes);
    if (!text)
      return std::unexpected(text.error());
    json = Source::make(json->name(), std::move(*text));
  }
#endif
  if (json->text().size() > kLargestTraceBytes)
    return error("trace", Message("`{name}` is larger than the {} MiB that a trace may have", json->name(),
                                  kLargestTraceBytes >> 20));
  Reader reader(json, unnamed);
  Result<Trace> trace = reader.read();
  if (std::optional<int64_t> better = trace ? reader.betterOrigin() : std::nullopt)
    return Reader(json, unnamed, better).read();
  return trace;
}

} // namespace lanescope::core
