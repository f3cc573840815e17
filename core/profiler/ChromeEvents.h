// Reads the events of a Chrome trace file one by one, and never holds more than a few MiB of them parsed.
//
//   ChromeEvents events(source);
//   bool good = events.read([&](const ChromeEvent &event) { … return true; });   // false stops
//   events.problems();  events.header().emulated
//
// Source: the Trace Event Format document. This class knows JSON and the members of an event; ChromeTraceReader.cpp
// combines events.
//
// It accepts what Chrome's and Perfetto's importers accept: an array without its `]`, an extra comma, a file that ends
// within an event, times as strings, `NaN`, bytes that are not UTF-8. It counts the events that it drops or repairs;
// `flaws()` has each kind with the place of its first case. Any other broken JSON is an error at the byte where it
// breaks.
#pragma once

#include "core/profiler/TraceTime.h"
#include "core/Trace.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope::core {

/// The number of cases, and the place of the first.
struct TraceTally {
  size_t count = 0;
  uint32_t first = 0;
  void add(uint32_t offset) {
    if (count++ == 0)
      first = offset;
  }
};

/// The members of one event that a reader of traces needs. Texts stay valid until the next event.
struct ChromeEvent {
  /// The warp that started an operation in flight, and the time.
  struct Issue {
    int64_t pid = 0, tid = 0;
    Picoseconds ts = 0;
  };

  std::string_view name, phase, category;
  std::string_view metadataName, detail, line; // the three texts are from its `args`
  std::optional<Issue> issued;                 // from its `args`
  std::string id;                              // id of asynchronous slices and flows
  /// From the `args` of a flow: the id of the asynchronous slice that the flow begins at; -1 if not known.
  int64_t flight = -1;
  Picoseconds ts = 0, duration = 0;
  bool hasTs = false, hasDuration = false;
  bool inferred = false; // from `args`: the flow was inferred, not recorded
  bool localId = false;  // the id is local to the process
  int64_t pid = 0, tid = 0;
  uint32_t offset = 0; // place of its `{`
};

/// The facts that a file states besides its events.
struct ChromeHeader {
  bool emulated = false;    // our own mark for traces of the emulator
  bool nanoseconds = false; // `displayTimeUnit` is `ns`
  struct Note {
    Picoseconds ts = 0;
    std::string text;
  };
  std::vector<Note> notes;
};

class ChromeEvents {
public:
  using Take = std::function<bool(const ChromeEvent &)>;

  /// `piece`: the number of bytes to parse at a time. If a single event is longer, the piece grows.
  explicit ChromeEvents(SourceRef source, size_t piece = size_t{4} << 20);
  ~ChromeEvents();

  /// Reads all events and passes them to `take`. Returns false after an error, or if `take` returned false. An event
  /// that cannot be used is dropped and counted. If no event can be used, the first such flaw is the error.
  bool read(const Take &take);
  const ChromeHeader &header() const { return header_; }
  /// Ids that are words in the file, with the numbers, from −1 down, that replace them.
  const std::map<std::string, int64_t> &wordIds() const { return wordIds_; }
  Diagnostics &problems() { return problems_; }
  /// Records an error at a byte of the file; returns false.
  bool refuse(uint32_t where, std::string message);

  struct Flaw {
    std::string kind, message;
    TraceTally tally;
  };
  /// The flaws of events that were dropped or repaired, sorted by the place of their first case.
  std::vector<Flaw> flaws() const;
  /// Counts an event that cannot be used.
  void leaveOut(uint32_t where, const std::string &message);

private:
  class Parser; // simdjson's
  bool readFile(const Take &take);
  bool readRoot(size_t at, const Take &take);
  bool readEvents(size_t &at, const Take &take);
  /// Reads events one by one, from `at` to `until` or the array's end, and skips all tolerated flaws between them.
  enum class Step { Goes, Ends, Fails };
  Step readOneByOne(size_t &at, size_t until, const Take &take);
  Step readOne(size_t begin, size_t end, const Take &take);
  /// True if the file may end at `at`, before its array does. The events read so far then count, if there are any.
  bool endsEarly(size_t at);
  Step fails(size_t at, std::string_view what);
  void readOther(std::string_view value);
  uint32_t shown(size_t offset) const;
  bool unfinished(size_t at, std::string_view what);
  void warn(const std::string &kind, size_t where, const std::string &message);

  SourceRef source_;
  std::string_view text_;
  size_t piece_;
  std::unique_ptr<Parser> parser_;
  ChromeHeader header_;
  std::map<std::string, int64_t> wordIds_;
  Diagnostics problems_;
  std::map<std::string, Flaw> flaws_; // keyed by message
  size_t used_ = 0, leftOut_ = 0;
};

} // namespace lanescope::core
