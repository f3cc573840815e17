// The events of a Chrome trace file, one after another, without ever holding more than a few MiB of them parsed.
//
//   ChromeEvents events(source);
//   bool good = events.read([&](const ChromeEvent &event) { … return true; });   // false stops
//   events.problems();  events.header().emulated
//
// Source: the Trace Event Format document. This knows JSON and what an event's members are; what they mean together is
// ChromeTraceReader.cpp's.
//
// It reads what Chrome's and Perfetto's importers read: an array without its `]`, a comma too many, a file that ends
// within an event, times as strings, `NaN`, bytes that are no UTF-8. What is left out or mended is counted, each kind
// with the place of its first case: `flaws()`. JSON that is broken otherwise is an error at the byte where it breaks.
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

/// How often something happened, and where first.
struct TraceTally {
  size_t count = 0;
  uint32_t first = 0;
  void add(uint32_t offset) {
    if (count++ == 0)
      first = offset;
  }
};

/// One event, as far as a reader of traces needs it. Texts live until the next one.
struct ChromeEvent {
  /// The warp that started each operation in flight, and when.
  struct Issue {
    int64_t pid = 0, tid = 0;
    Picoseconds ts = 0;
  };

  std::string_view name, phase, category;
  std::string_view metadataName, detail, line; // of its `args`
  std::optional<Issue> issued;                 // likewise
  std::string id;                              // of asynchronous slices and flows
  int64_t flight = -1;                         // of `args`: the id of the asynchronous slice that a flow begins with
  Picoseconds ts = 0, duration = 0;
  bool hasTs = false, hasDuration = false;
  bool inferred = false; // of `args`: a flow that nobody recorded
  bool localId = false;  // the id counts within the process
  int64_t pid = 0, tid = 0;
  uint32_t offset = 0; // of its `{`
};

/// What a file says beside its events.
struct ChromeHeader {
  bool emulated = false;    // our own mark on traces of the emulator
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

  /// `piece`: bytes that are parsed at a time, more where a single event is longer.
  explicit ChromeEvents(SourceRef source, size_t piece = size_t{4} << 20);
  ~ChromeEvents();

  /// False after an error, or when `take` returned false. An event that cannot be used is left out and counted; where
  /// no event can be used, the first such flaw is the error.
  bool read(const Take &take);
  const ChromeHeader &header() const { return header_; }
  /// Ids that are words in the file, and the numbers, from −1 down, that stand for them.
  const std::map<std::string, int64_t> &wordIds() const { return wordIds_; }
  Diagnostics &problems() { return problems_; }
  /// The error at a byte of the file; returns false.
  bool refuse(uint32_t where, std::string message);

  struct Flaw {
    std::string kind, message;
    TraceTally tally;
  };
  /// The events that were left out or mended, by their first place.
  std::vector<Flaw> flaws() const;
  /// Counts an event that cannot be used.
  void leaveOut(uint32_t where, const std::string &message);

private:
  class Parser; // simdjson's
  bool readFile(const Take &take);
  bool readRoot(size_t at, const Take &take);
  bool readEvents(size_t &at, const Take &take);
  /// Events one by one, from `at` until `until` or the array's end, with all that is tolerated between them.
  enum class Step { Goes, Ends, Fails };
  Step readOneByOne(size_t &at, size_t until, const Take &take);
  Step readOne(size_t begin, size_t end, const Take &take);
  /// Whether the file may end at `at`, before its array does: what was read until there counts, where that is anything.
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
  std::map<std::string, Flaw> flaws_; // by message
  size_t used_ = 0, leftOut_ = 0;
};

} // namespace lanescope::core
