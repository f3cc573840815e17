// The events of a Chrome trace file, one after another, without ever holding more than a few MiB of them parsed.
//
//   ChromeEvents events(source);
//   bool good = events.read([&](const ChromeEvent &event) { … return true; });   // false stops
//   events.problems();  events.header().emulated
//
// Source: the Trace Event Format document. This knows JSON and what an event's members are; what they mean together is
// ChromeTraceReader.cpp's.
#pragma once

#include "core/Trace.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace lanescope::core {

/// One event, as far as a reader of traces needs it. Texts live until the next one.
struct ChromeEvent {
  std::string_view name, phase, category;
  std::string_view metadataName, detail, line; // of its `args`
  std::optional<TracePoint> issued;            // likewise: who set off what is in flight
  std::string id;                              // of asynchronous slices and flows
  int64_t flight = -1;                         // of `args`: the id of the asynchronous slice that a flow begins with
  double ts = 0, duration = 0;                 // µs
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
  std::vector<TraceNote> notes;
};

class ChromeEvents {
public:
  using Take = std::function<bool(const ChromeEvent &)>;

  /// `piece`: bytes that are parsed at a time, more where a single event is longer.
  explicit ChromeEvents(SourceRef source, size_t piece = size_t{4} << 20);
  ~ChromeEvents();

  /// False after an error, or when `take` returned false.
  bool read(const Take &take);
  const ChromeHeader &header() const { return header_; }
  /// Ids that are words in the file, and the numbers, from −1 down, that stand for them.
  const std::map<std::string, int64_t> &wordIds() const { return wordIds_; }
  Diagnostics &problems() { return problems_; }
  /// The error at a byte of the file; returns false.
  bool refuse(uint32_t where, std::string message);

private:
  class Parser; // simdjson's
  bool readRoot(size_t at, const Take &take);
  bool readEvents(size_t &at, const Take &take);
  void readOther(std::string_view value);
  uint32_t shown(size_t offset) const;
  bool unfinished(size_t at, std::string_view what);

  SourceRef source_;
  std::string_view text_;
  size_t piece_;
  std::unique_ptr<Parser> parser_;
  ChromeHeader header_;
  std::map<std::string, int64_t> wordIds_;
  Diagnostics problems_;
};

} // namespace lanescope::core
