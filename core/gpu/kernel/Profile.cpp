// Converts the on-device profiler's buffer (JAX Mosaic GPU's format) to a trace.
//
// One record of `entriesPerTrace` words per traced warp or warpgroup:
//   [0] %globaltimer (low half) at the start   [1] SM   [2] words used by events   [3…] pairs of tag and %clock
// A tag is the region's id, with bit 31 set at the region's end.
#include "core/gpu/kernel/Profile.h"
#include "core/gpu/kernel/RegionFlights.h"
#include "core/profiler/Slices.h"
#include "layouts/support/Text.h"
#include "layouts/support/Words.h"

#include <algorithm>
#include <span>

namespace lanescope::core {

namespace {

constexpr uint32_t kHeaderWords = 3, kEndBit = 1u << 31;
// Upper limit for the cost of recording one event; a trace may subtract less.
constexpr uint32_t kMostOverheadCycles = 11;

struct Record {
  std::span<const uint32_t> words;
  uint32_t start() const { return words[0]; }
  uint32_t sm() const { return words[1]; }
  uint32_t used() const { return words[2]; }
  uint32_t events() const { return used() / 2; }
  uint32_t tag(uint32_t event) const { return words[kHeaderWords + 2 * event]; }
  uint32_t clock(uint32_t event) const { return words[kHeaderWords + 2 * event + 1]; }
  /// The cycles since the previous event, modulo 2^32. The result is right even if %clock wrapped between the two
  /// events.
  uint32_t delta(uint32_t event) const { return clock(event) - clock(event - 1); }
};

class Decoder {
public:
  Decoder(const ProfileSpec &spec, const std::array<uint32_t, 3> &grid, bool emulated)
      : spec_(spec), grid_(grid), emulated_(emulated) {}

  Result<Trace> decode(const std::vector<uint32_t> &words) {
    uint64_t blocks = uint64_t{grid_[0]} * grid_[1] * grid_[2], records = blocks * spec_.tracesPerBlock;
    if (spec_.entriesPerTrace < kHeaderWords || words.size() != records * spec_.entriesPerTrace)
      return error("profile",
                   Message("the profiler's buffer holds {count} words where {} traces of {} words are described",
                           words.size(), records, spec_.entriesPerTrace));
    for (uint64_t i = 0; i < records; ++i)
      records_.push_back({std::span(words).subspan(i * spec_.entriesPerTrace, spec_.entriesPerTrace)});
    for (uint64_t i = 0; i < records; ++i)
      if (Result<void> good = check(i); !good)
        return std::unexpected(good.error());

    overhead_ = emulated_ ? 0 : overheadCycles();
    uint64_t epoch = startEpoch();
    Trace trace;
    trace.names = spec_.names;
    for (uint64_t i = 0; i < records; ++i)
      if (records_[i].events() > 0)
        addTrack(trace, i, records_[i].start() + (records_[i].start() < epoch ? uint64_t{1} << 32 : 0));
    std::ranges::stable_sort(trace.tracks, [](const TraceTrack &a, const TraceTrack &b) {
      return a.slices.front().beginNs < b.slices.front().beginNs;
    });
    warn(trace, openEnds_, "profile-open",
         "a region was still open at the end of its trace; it is shown as ending there");
    warn(trace, full_, "profile-full",
         Message("a trace is full and stops within a region: what came later was not recorded; give the profiler more "
                 "than {} words per trace",
                 spec_.entriesPerTrace));
    warn(trace, strayEnds_, "profile-stray-end", "a region ends that never began; the mark is left out");
    return trace;
  }

private:
  std::string who(uint64_t index) const { return traceGroupName(spec_, grid_, index); }

  Result<void> check(uint64_t index) const {
    const Record &record = records_[index];
    if (uint64_t{record.used()} + kHeaderWords > spec_.entriesPerTrace)
      return error("profile-space",
                   Message("insufficient space to capture a full trace: {agent} recorded {} events where {} words per "
                           "trace hold {}; give the profiler at least {} words per trace, or trace fewer regions",
                           who(index), record.used() / 2, spec_.entriesPerTrace,
                           (spec_.entriesPerTrace - kHeaderWords) / 2, uint64_t{record.used()} + kHeaderWords));
    if (record.used() % 2 != 0)
      return error(
          "profile-corrupt",
          Message("the trace of {agent} holds half an event: the kernel wrote over the profiler's memory", who(index)));
    for (uint32_t event = 0; event < record.events(); ++event)
      if ((record.tag(event) & ~kEndBit) >= spec_.names.size())
        return error(
            "profile-corrupt",
            Message("the trace of {agent} names region {} of {count}: the kernel wrote over the profiler's memory",
                    who(index), record.tag(event) & ~kEndBit, spec_.names.size()));
    return {};
  }

  /// The cycles that each recorded event costs, but less than the shortest distance of two events, so that the times
  /// stay in order.
  uint32_t overheadCycles() const {
    uint32_t shortest = kMostOverheadCycles + 1;
    for (const Record &record : records_)
      for (uint32_t event = 1; event < record.events(); ++event)
        shortest = std::min(shortest, record.delta(event));
    return shortest > 0 ? shortest - 1 : 0;
  }

  /// %globaltimer's low half wraps every 4.3 s. If the starts are more than half of that apart, the small ones came
  /// after a wrap, and the decoder adds 2^32 to each start below the returned value.
  uint64_t startEpoch() const {
    uint32_t least = ~0u, most = 0;
    for (const Record &record : records_)
      if (record.events() > 0) {
        least = std::min(least, record.start());
        most = std::max(most, record.start());
      }
    return least < most && most - least > kEndBit ? kEndBit : 0;
  }

  void addTrack(Trace &trace, uint64_t index, uint64_t start) {
    const Record &record = records_[index];
    TraceTrack &track = trace.tracks.emplace_back();
    track.pid = 1 + int64_t{record.sm()};
    track.tid = 1 + static_cast<int64_t>(index);
    track.processName = text("SM ", record.sm());
    track.threadName = who(index);
    SliceBuilder builder(track.slices);
    // As in JAX, the cycles since the first event are added to the start, which is in ns. For the emulator, one cycle
    // is one ns, so the first event's own cycle gives the time.
    auto time = static_cast<int64_t>(start);
    if (emulated_ && record.events() > 0)
      time += static_cast<int32_t>(record.clock(0) - static_cast<uint32_t>(start - kEmulatedStart));
    for (uint32_t event = 0; event < record.events(); ++event) {
      if (event > 0)
        time += std::max<int64_t>(int64_t{record.delta(event)} - overhead_, 1);
      uint32_t tag = record.tag(event);
      if (!(tag & kEndBit))
        builder.begin(tag, static_cast<double>(time));
      else if (!builder.isOpen() || builder.innermostName() != (tag & ~kEndBit) ||
               !builder.end(static_cast<double>(time)))
        ++strayEnds_;
    }
    bool full = uint64_t{record.used()} + 2 + kHeaderWords > spec_.entriesPerTrace;
    if (builder.closeAll(static_cast<double>(time)) > 0)
      ++(full ? full_ : openEnds_);
    if (track.slices.empty())
      trace.tracks.pop_back();
  }

  static void warn(Trace &trace, size_t count, const char *kind, const Message &message) {
    if (count > 0)
      trace.warnings.push_back(diagnosed(Severity::Warning, kind, {},
                                         {text(message.words, " (", counted(count, "time"), ")"), message.parameters}));
  }

  const ProfileSpec &spec_;
  const std::array<uint32_t, 3> &grid_;
  std::vector<Record> records_;
  bool emulated_;
  uint32_t overhead_ = 0;
  size_t openEnds_ = 0, full_ = 0, strayEnds_ = 0;
};

} // namespace

std::string traceBlockName(const std::array<uint32_t, 3> &grid, uint64_t block) {
  uint64_t z = block % grid[2], y = block / grid[2] % grid[1], x = block / grid[2] / grid[1];
  return text("block (", x, ", ", y, ", ", z, ")");
}

std::string traceGroupName(const ProfileSpec &spec, const std::array<uint32_t, 3> &grid, uint64_t index) {
  return text(traceBlockName(grid, index / spec.tracesPerBlock), spec.threadsPerTrace == 32 ? " warp " : " warpgroup ",
              index % spec.tracesPerBlock);
}

Result<Trace> decodeProfile(const ProfileSpec &spec, const std::array<uint32_t, 3> &grid,
                            const std::vector<uint32_t> &words, bool emulated) {
  Result<Trace> trace = Decoder(spec, grid, emulated).decode(words);
  if (!trace)
    return trace;
  trace->emulated = emulated;
  if (!emulated)
    addRegionFlights(*trace, spec, grid);
  return trace;
}

} // namespace lanescope::core
