#include "core/gpu/kernel/Profile.h"
#include "core/profiler/ChromeEvents.h"
#include "core/profiler/TraceAnalysis.h"
#include "core/profiler/TraceTime.h"

#include "core/data/Files.h"
#include "layouts/support/Text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <sstream>

namespace lanescope::core {
namespace {

constexpr uint32_t kEnd = 1u << 31;

ProfileSpec spec(uint32_t entries = 16, uint32_t traces = 1) {
  return {{"load", "wait", "store"}, entries, traces, 128};
}

/// One record of 16 words: the header and the given tag and clock words.
std::vector<uint32_t> record(uint32_t start, uint32_t sm, std::vector<uint32_t> events, uint32_t entries = 16) {
  std::vector<uint32_t> words = {start, sm, static_cast<uint32_t>(events.size())};
  words.insert(words.end(), events.begin(), events.end());
  words.resize(entries, 0xDEADBEEF);
  return words;
}

std::vector<uint32_t> operator+(std::vector<uint32_t> a, const std::vector<uint32_t> &b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

Result<Trace> parse(std::string json) { return parseGpuTrace(Source::make("t.json", std::move(json))); }

TEST(DecodeProfile, SubtractsTheOverheadOfEachEvent) {
  // Distances of 100, 20 and 50 cycles are all above 12, so 11 cycles are subtracted from each.
  Result<Trace> trace =
      decodeProfile(spec(), {1, 1, 1}, record(1000, 7, {0, 500, kEnd | 0, 600, 1, 620, kEnd | 1, 670}), false);
  ASSERT_TRUE(trace) << render(trace.error());
  EXPECT_FALSE(trace->emulated);
  EXPECT_TRUE(trace->warnings.empty());
  ASSERT_EQ(trace->tracks.size(), 1u);
  const TraceTrack &track = trace->tracks[0];
  EXPECT_EQ(track.pid, 8);
  EXPECT_EQ(track.tid, 1);
  EXPECT_EQ(track.processName, "SM 7");
  EXPECT_EQ(track.threadName, "block (0, 0, 0) warpgroup 0");
  ASSERT_EQ(track.slices.size(), 2u);
  EXPECT_EQ(track.slices[0].beginNs, 1000);
  EXPECT_EQ(track.slices[0].endNs, 1089);
  EXPECT_EQ(track.slices[1].beginNs, 1098);
  EXPECT_EQ(track.slices[1].endNs, 1137);
}

/// The emulator's cycles are its nanoseconds, counted from 1 s on, so the recorded times are exact.
TEST(DecodeProfile, TheEmulatorsTimesAreExact) {
  Result<Trace> trace =
      decodeProfile(spec(), {1, 1, 1}, record(1000000040, 7, {0, 100, kEnd | 0, 200, 1, 201, kEnd | 1, 0}), true);
  ASSERT_TRUE(trace) << render(trace.error());
  EXPECT_TRUE(trace->emulated);
  const std::vector<TraceSlice> &slices = trace->tracks[0].slices;
  ASSERT_EQ(slices.size(), 2u);
  EXPECT_EQ(slices[0].beginNs, 1000000100);
  EXPECT_EQ(slices[0].endNs, 1000000200);
  EXPECT_EQ(slices[1].beginNs, 1000000201);
  EXPECT_EQ(slices[1].endNs, 1000000000 + 4294967296.0); // the clock has wrapped
}

TEST(DecodeProfile, IssueAndWaitRegionsAreFlights) {
  ProfileSpec pipeline{{"tile issue", "tile wait", "other wait"}, 32, 2, 128};
  // Warpgroup 0 issues twice, and warpgroup 1 waits twice. A third wait, and a wait with another name, have no issue.
  auto words =
      record(0, 3, {0, 100, kEnd | 0, 150, 0, 400, kEnd | 0, 450}, 32) +
      record(0, 3, {1, 200, kEnd | 1, 300, 2, 320, kEnd | 2, 340, 1, 500, kEnd | 1, 620, 1, 700, kEnd | 1, 720}, 32);
  Result<Trace> trace = decodeProfile(pipeline, {1, 1, 1}, words, false);
  ASSERT_TRUE(trace) << render(trace.error());
  ASSERT_EQ(trace->flights.size(), 2u);
  ASSERT_EQ(trace->flows.size(), 2u);
  const TraceTrack &issuing = trace->tracks[0], &waiting = trace->tracks[1], &flying = trace->tracks.back();
  EXPECT_EQ(flying.threadName, "block (0, 0, 0) in flight");
  EXPECT_EQ(flying.pid, 4);
  EXPECT_EQ(flying.tid, 3);
  const size_t waits[] = {0, 2};
  for (size_t n = 0; n < 2; ++n) {
    const TraceFlight &flight = trace->flights[n];
    EXPECT_EQ(trace->names[flight.name], "tile");
    EXPECT_EQ(flight.tid, 3);
    EXPECT_EQ(flight.beginNs, issuing.slices[n].beginNs);
    EXPECT_EQ(flight.endNs, waiting.slices[waits[n]].endNs);
    EXPECT_EQ(trace->flows[n].from, (TracePoint{4, issuing.tid, issuing.slices[n].beginNs}));
    EXPECT_EQ(trace->flows[n].to, (TracePoint{4, waiting.tid, waiting.slices[waits[n]].endNs - 1}));
  }
}

TEST(TraceSummary, SaysWhatWasInFlight) {
  Trace trace;
  trace.names = {"work", "TMA load", "arrive"};
  trace.tracks = {{1, 1, "SM 0", "warpgroup 0", {{0, 0, 0, 100}}}, {1, 2, "SM 0", "in flight", {{2, 0, 90, 102}}}};
  trace.flights = {{1, 1, 2, 0, 30, ""}, {1, 1, 2, 10, 90, ""}, {1, 1, 2, 20, 60, ""}};
  std::string said = summarize(trace);
  EXPECT_NE(said.find("in flight:\n  TMA load: 3, median 40 ns, max 80 ns\n"), std::string::npos) << said;
  EXPECT_NE(said.find("1 track on 1 SM, 1 region"), std::string::npos) << said; // time in flight is no thread's time
}

TEST(TraceAnalysis, SharesAddUpToAllOfTheTracksTime) {
  Trace trace;
  trace.names = {"step", "mbarrier wait", "store", "TMA load"};
  trace.tracks = {{1, 1, "SM 0", "", {{0, 0, 0, 60}, {1, 1, 10, 30}, {1, 1, 30, 40}, {2, 0, 80, 100}}},
                  {2, 2, "SM 1", "", {{1, 0, 50, 150}}},
                  {1, 9, "SM 0", "block (0, 0, 0) in flight", {}}};
  trace.flights = {{3, 1, 9, 0, 500, ""}};
  TraceAnalysis whole = analyse(trace);
  ASSERT_EQ(whole.regions.size(), 3u);
  EXPECT_EQ(whole.tracks.size(), 2u);
  EXPECT_EQ(whole.processes, 2u);
  EXPECT_EQ(whole.slices, 5u);
  EXPECT_EQ(whole.lengthNs, 150); // an operation in flight ends after the last mark
  EXPECT_EQ(whole.spanNs, 200);
  EXPECT_EQ(whole.betweenNs, 20);
  EXPECT_TRUE(whole.nested);
  const RegionTimes &wait = whole.regions[0], &step = whole.regions[1];
  EXPECT_EQ(trace.names[wait.name], "mbarrier wait");
  EXPECT_TRUE(wait.waits);
  EXPECT_EQ(wait.count, 3u);
  EXPECT_EQ(wait.totalNs, 130);
  EXPECT_EQ(wait.shortestNs, 10);
  EXPECT_EQ(wait.medianNs, 20); // a measured time, not the mean of two
  EXPECT_EQ(wait.p95Ns, 100);
  EXPECT_EQ(wait.share, 0.65);
  EXPECT_EQ(step.totalNs, 60);
  EXPECT_EQ(step.selfNs, 30);
  EXPECT_EQ(whole.waitShare(), 0.65);
  double all = whole.betweenShare();
  for (const RegionTimes &region : whole.regions)
    all += region.share;
  EXPECT_DOUBLE_EQ(all, 1);
  ASSERT_EQ(whole.flights.size(), 1u);
  EXPECT_EQ(whole.flights[0].longestNs, 500);
}

TEST(TraceAnalysis, AStretchCutsSlices) {
  Trace trace;
  trace.names = {"step", "wait"};
  trace.tracks = {{1, 1, "", "", {{0, 0, 0, 60}, {1, 1, 10, 30}, {0, 0, 80, 100}}}, {1, 2, "", "", {{0, 0, 200, 210}}}};
  trace.flights = {{1, 1, 1, 0, 25, ""}, {1, 1, 1, 90, 95, ""}};
  TraceAnalysis part = analyse(trace, TraceStretch{20, 70});
  ASSERT_EQ(part.regions.size(), 2u);
  EXPECT_EQ(part.tracks.size(), 1u); // the other track's time is not included
  EXPECT_EQ(part.spanNs, 50);
  EXPECT_EQ(part.betweenNs, 10);
  EXPECT_EQ(part.regions[0].count, 1u);
  EXPECT_EQ(part.regions[0].totalNs, 40);
  EXPECT_EQ(part.regions[0].selfNs, 30);
  EXPECT_EQ(part.regions[1].totalNs, 10);
  ASSERT_EQ(part.flights.size(), 1u);
  EXPECT_EQ(part.flights[0].count, 1u);
  EXPECT_EQ(part.flights[0].totalNs, 5);
  EXPECT_TRUE(analyse(trace, TraceStretch{300, 400}).tracks.empty());
  TraceAnalysis all = analyse(trace, TraceStretch{0, 1000});
  EXPECT_EQ(all.spanNs, analyse(trace).spanNs);
  EXPECT_EQ(all.regions[0].selfNs, analyse(trace).regions[0].selfNs);
}

TEST(TraceAnalysis, TracksOfTheUnitsAreNone) {
  Trace trace;
  trace.names = {"a", "arrive"};
  trace.tracks = {{1, 1, "", "stream", {{0, 0, 0, 10}}},
                  {1, 2, "", "x in flight", {{0, 0, 0, 10}}},
                  {1, 3, "", "", {}},
                  {1, 5, "", "a unit", {{1, 0, 0, 10}}},
                  {1, 6, "", "stream", {{1, 0, 0, 10}, {0, 0, 10, 20}}}};
  for (int64_t tid : {1, 2, 3, 4, 5, 6})
    trace.flights.push_back({0, 1, tid, 0, 5, ""});
  // Other tools' tracks have both slices and flights. Track 4 has only flights and no name; on track 5 flights end
  // waits.
  using Ids = std::set<std::pair<int64_t, int64_t>>;
  EXPECT_EQ(flightTracks(trace), (Ids{{1, 2}, {1, 3}, {1, 4}, {1, 5}}));
}

TEST(DecodeProfile, TheShortestDistanceLimitsTheOverhead) {
  Result<Trace> trace =
      decodeProfile(spec(), {1, 1, 1}, record(0, 0, {0, 10, 1, 15, kEnd | 1, 20, kEnd | 0, 30}), false);
  ASSERT_TRUE(trace);
  const auto &slices = trace->tracks[0].slices;
  EXPECT_EQ(slices[1].beginNs, 1); // 5 − 4
  EXPECT_EQ(slices[1].endNs, 2);
  EXPECT_EQ(slices[0].endNs, 8);
  EXPECT_EQ(slices[1].depth, 1u);
}

TEST(DecodeProfile, AWrapOfTheClockDoesNoHarm) {
  Result<Trace> plain = decodeProfile(spec(), {1, 1, 1}, record(5, 0, {0, 100, kEnd | 0, 300}), false);
  Result<Trace> wrapped = decodeProfile(spec(), {1, 1, 1}, record(5, 0, {0, 0xFFFFFFC0, kEnd | 0, 136}), false);
  ASSERT_TRUE(plain);
  ASSERT_TRUE(wrapped);
  EXPECT_EQ(toChromeJson(*plain), toChromeJson(*wrapped));
}

TEST(DecodeProfile, AWrapOfTheGlobalTimerDoesNoHarm) {
  Result<Trace> trace = decodeProfile(
      spec(), {2, 1, 1}, record(10, 0, {0, 0, kEnd | 0, 50}) + record(0xFFFFFFF0, 1, {0, 0, kEnd | 0, 50}), false);
  ASSERT_TRUE(trace);
  ASSERT_EQ(trace->tracks.size(), 2u);
  EXPECT_EQ(trace->tracks[0].pid, 2); // the record before the wrap comes first
  EXPECT_EQ(trace->tracks[1].slices[0].beginNs - trace->tracks[0].slices[0].beginNs, 26);
}

TEST(DecodeProfile, NamesBlocksRowMajorAndSortsByStart) {
  ProfileSpec two = spec(16, 2);
  std::vector<uint32_t> words;
  for (uint32_t i = 0; i < 2 * 3 * 5 * 2; ++i)
    words = words + record(10000 - i, i, {0, 0, kEnd | 0, 20});
  Result<Trace> trace = decodeProfile(two, {2, 3, 5}, words, false);
  ASSERT_TRUE(trace);
  ASSERT_EQ(trace->tracks.size(), 60u);
  EXPECT_EQ(trace->tracks[0].tid, 60);
  EXPECT_EQ(trace->tracks[0].threadName, "block (1, 2, 4) warpgroup 1");
  EXPECT_EQ(trace->tracks[59].threadName, "block (0, 0, 0) warpgroup 0");
}

TEST(DecodeProfile, ReportsWhatIsWrong) {
  auto kindOf = [](const ProfileSpec &spec, std::vector<uint32_t> words) {
    Result<Trace> trace = decodeProfile(spec, {1, 1, 1}, words, false);
    return trace ? std::string("fine") : trace.error()[0].kind;
  };
  std::vector<uint32_t> full = record(0, 0, {});
  full[2] = 14;
  EXPECT_EQ(kindOf(spec(), full), "profile-space");
  Result<Trace> space = decodeProfile(spec(), {1, 1, 1}, full, false);
  EXPECT_NE(space.error()[0].message.find("insufficient space"), std::string::npos);
  EXPECT_NE(space.error()[0].message.find("at least 17 words"), std::string::npos);
  full[2] = 0xFFFFFFFE;
  EXPECT_EQ(kindOf(spec(), full), "profile-space");
  EXPECT_EQ(kindOf(spec(), record(0, 0, {0, 1, 2})), "profile-corrupt");
  EXPECT_EQ(kindOf(spec(), record(0, 0, {3, 1})), "profile-corrupt");
  EXPECT_EQ(kindOf(spec(), {1, 2, 3}), "profile");
  EXPECT_EQ(kindOf(spec(), {}), "profile");
  EXPECT_EQ(kindOf(spec(2), {0, 0}), "profile");
}

TEST(DecodeProfile, ClosesOpenRangesAndLeavesOutIdleTraces) {
  Result<Trace> trace =
      decodeProfile(spec(), {2, 1, 1}, record(0, 0, {0, 0, 1, 20, kEnd | 1, 40}) + record(0, 1, {}), false);
  ASSERT_TRUE(trace);
  ASSERT_EQ(trace->tracks.size(), 1u);
  EXPECT_EQ(trace->tracks[0].slices[0].endNs, 18);
  ASSERT_EQ(trace->warnings.size(), 1u);
  EXPECT_EQ(trace->warnings[0].kind, "profile-open");
  // The record fills the buffer, so later events may have been dropped.
  trace = decodeProfile(spec(8), {1, 1, 1}, record(0, 0, {0, 0, 1, 20}, 8), false);
  ASSERT_TRUE(trace);
  ASSERT_EQ(trace->warnings.size(), 1u);
  EXPECT_EQ(trace->warnings[0].kind, "profile-full");
  trace = decodeProfile(spec(), {1, 1, 1}, record(0, 0, {kEnd | 0, 0, 1, 20, kEnd | 1, 40}), false);
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->warnings[0].kind, "profile-stray-end");
}

TEST(ChromeTrace, WritesTheDocumentedForm) {
  Result<Trace> trace = decodeProfile(spec(), {1, 1, 1}, record(1234567, 0, {0, 0, kEnd | 0, 31}), false);
  ASSERT_TRUE(trace);
  trace->emulated = true;
  EXPECT_EQ(toChromeJson(*trace),
            "{\"displayTimeUnit\": \"ns\", \"otherData\": {\"emulated\": true}, \"traceEvents\": ["
            "{\"name\": \"process_name\", \"ph\": \"M\", \"pid\": 1, \"args\": {\"name\": \"SM 0\"}}, "
            "{\"name\": \"thread_name\", \"ph\": \"M\", \"pid\": 1, \"tid\": 1, \"args\": {\"name\": \"block (0, 0, 0) "
            "warpgroup 0\"}}, "
            "{\"name\": \"load\", \"ph\": \"B\", \"ts\": 1234.567, \"pid\": 1, \"tid\": 1}, "
            "{\"name\": \"load\", \"ph\": \"E\", \"ts\": 1234.587, \"pid\": 1, \"tid\": 1}]}\n");
}

TEST(ChromeTrace, ReadsWhatItWrites) {
  Result<Trace> trace =
      decodeProfile(spec(64), {2, 1, 1},
                    record(0, 0, {0, 0, 1, 20, kEnd | 1, 40, 2, 60, kEnd | 2, 80, kEnd | 0, 100}, 64) +
                        record(4, 9, {1, 0, kEnd | 1, 90}, 64),
                    true);
  ASSERT_TRUE(trace);
  trace->names[1] = "quo\"te\\ \x01 \xc3\xa9";
  std::string json = toChromeJson(*trace);
  Result<Trace> again = parse(json);
  ASSERT_TRUE(again) << render(again.error());
  EXPECT_TRUE(again->emulated);
  EXPECT_EQ(toChromeJson(*again), json);
  ASSERT_EQ(again->tracks.size(), 2u);
  EXPECT_EQ(again->tracks[0].slices[1].depth, 1u);
}

TEST(ChromeTrace, ReadsJaxsOwnFile) {
  Result<SourceRef> source =
      readSource(std::filesystem::path(LANESCOPE_SOURCE_DIR) / "tests/golden/mosaic_matmul_trace.json.gz");
  ASSERT_TRUE(source) << render(source.error());
  Result<Trace> trace = parseGpuTrace(*source);
  ASSERT_TRUE(trace) << render(trace.error());
  EXPECT_TRUE(trace->warnings.empty()) << render(trace->warnings);
  EXPECT_EQ(trace->tracks.size(), 256u);
  size_t events = 0;
  for (const TraceTrack &track : trace->tracks)
    events += 2 * track.slices.size();
  EXPECT_EQ(events, 51712u);
  EXPECT_EQ(trace->tracks[0].processName, "SM 124");
  EXPECT_EQ(trace->tracks[0].slices[0].beginNs, 3348565568);
  std::string summary = summarize(*trace);
  EXPECT_NE(summary.find("256 tracks on 132 SMs, 25856 regions"), std::string::npos) << summary;
  EXPECT_NE(summary.find("WGMMA drain"), std::string::npos);
  EXPECT_EQ(summary.find("emulated"), std::string::npos);
}

TEST(ChromeTrace, ReadsTheArrayFormAndWholeSlices) {
  Result<Trace> trace = parse(R"([{"name": "outer", "ph": "X", "ts": 1, "dur": 10, "pid": "gpu", "tid": "stream 7"},
    {"ph": "X", "name": "inner", "ts": 2.5, "dur": 1, "pid": "gpu", "tid": "stream 7", "args": {"k": [1, {"z": null}]}},
    {"ph": "i", "ts": 1}, {"ph": "M", "name": "process_name", "pid": "gpu", "args": {"name": "H200"}}])");
  ASSERT_TRUE(trace) << render(trace.error());
  ASSERT_EQ(trace->tracks.size(), 1u);
  EXPECT_EQ(trace->tracks[0].processName, "H200");
  EXPECT_EQ(trace->tracks[0].threadName, "stream 7");
  ASSERT_EQ(trace->tracks[0].slices.size(), 2u);
  EXPECT_EQ(trace->tracks[0].slices[1].depth, 1u);
  EXPECT_EQ(trace->tracks[0].slices[1].beginNs, 2500);
  ASSERT_EQ(trace->warnings.size(), 1u);
  EXPECT_EQ(trace->warnings[0].kind, "trace-skipped");
}

/// The whole trace as text, with names instead of their numbers.
std::string listed(const Trace &trace) {
  std::string out;
  auto add = [&](const auto &...parts) {
    std::ostringstream line;
    line.precision(17);
    ((line << parts << ' '), ...);
    out += line.str() + "\n";
  };
  for (const TraceTrack &track : trace.tracks) {
    add("track", track.pid, track.tid, track.processName, track.threadName);
    for (const TraceSlice &slice : track.slices)
      add("slice", trace.names[slice.name], slice.depth, slice.beginNs, slice.endNs, trace.places[slice.place]);
  }
  for (const TraceFlight &flight : trace.flights)
    add("flight", trace.names[flight.name], flight.pid, flight.tid, flight.beginNs, flight.endNs, flight.detail,
        trace.places[flight.place], flight.issued ? flight.issued->tid : -1, flight.issued ? flight.issued->ns : -1);
  for (const TraceFlow &flow : trace.flows)
    add("flow", trace.names[flow.name], flow.from.pid, flow.from.tid, flow.from.ns, flow.to.pid, flow.to.tid,
        flow.to.ns, flow.flight == TraceFlow::kNone ? -1 : int(flow.flight), flow.inferred);
  for (const TraceNote &note : trace.notes)
    add("note", note.ns, note.text);
  return out + (trace.emulated ? "emulated\n" : "");
}

TEST(ChromeTrace, NothingIsLostOnTheWay) {
  std::mt19937 random(5);
  auto pick = [&](int below) { return static_cast<int>(random() % static_cast<unsigned>(below)); };
  for (int round = 0; round < 200; ++round) {
    Trace trace;
    trace.emulated = pick(2);
    trace.names = {"load", "TMA load \"x\"", "wgmma x 4", "µ"};
    trace.places = {"", "x.py:3", "odd \"name\".py:14"};
    if (pick(2))
      trace.notes = {{1010, "why so long?"}, {1021, "\"here\"\n"}};
    for (int t = 0; t < 1 + pick(3); ++t) {
      TraceTrack &track = trace.tracks.emplace_back();
      track.pid = 1 + pick(2), track.tid = 1 + t, track.threadName = "thread " + std::to_string(t);
      track.processName = "SM " + std::to_string(track.pid - 1);
      double at = 1000 + pick(50);
      for (int s = 0; s < 1 + pick(4); ++s) {
        double begin = at + pick(20), end = begin + 10 + pick(100);
        track.slices.push_back({static_cast<uint32_t>(pick(4)), 0, begin, end, static_cast<uint32_t>(pick(3))});
        if (pick(2))
          track.slices.push_back({static_cast<uint32_t>(pick(4)), 1, begin + 1, end - 1 - pick(5)});
        at = end;
      }
    }
    auto track = [&]() -> const TraceTrack & {
      return trace.tracks[static_cast<size_t>(pick(int(trace.tracks.size())))];
    };
    for (int f = pick(6); f > 0; --f) { // the slices overlap, and some begin together
      const TraceTrack &of = track();
      double begin = 1000 + 10 * pick(20);
      trace.flights.push_back({static_cast<uint32_t>(pick(4)), of.pid, of.tid, begin, begin + pick(3) * 40,
                               pick(2) ? "16 bytes, \\line" : "",
                               pick(2) ? std::optional(TracePoint{of.pid, of.tid, begin - 7}) : std::nullopt,
                               static_cast<uint32_t>(pick(3))});
    }
    std::ranges::stable_sort(trace.flights, {}, &TraceFlight::beginNs);
    for (int f = pick(5); f > 0; --f) {
      const TraceTrack &from = track(), &to = track();
      const TraceSlice &first = from.slices[0], &last = to.slices.back();
      if (first.beginNs <= last.endNs)
        trace.flows.push_back({static_cast<uint32_t>(pick(4)),
                               {from.pid, from.tid, first.beginNs},
                               {to.pid, to.tid, last.endNs},
                               trace.flights.empty() || pick(2)
                                   ? TraceFlow::kNone
                                   : static_cast<uint32_t>(pick(int(trace.flights.size()))),
                               pick(4) == 0});
    }
    std::ranges::stable_sort(trace.flows, {}, [](const TraceFlow &flow) { return flow.from.ns; });
    std::string json = toChromeJson(trace);
    Result<Trace> back = parse(json);
    ASSERT_TRUE(back) << render(back.error());
    EXPECT_TRUE(back->warnings.empty()) << render(back->warnings);
    ASSERT_EQ(listed(*back), listed(trace)) << json;
  }
}

/// Events as other tools write them: ids as strings or numbers, with or without a scope, steps of a flow, ends without
/// a begin.
TEST(ChromeTrace, ReadsAsynchronousEventsAndFlowsOfOthers) {
  Result<Trace> trace = parse(R"([{"name": "w", "ph": "X", "ts": 0, "dur": 100, "pid": 1, "tid": 1},
    {"name": "a", "cat": "c", "ph": "b", "id": "0x1", "ts": 1, "pid": 1, "tid": 1},
    {"name": "inner", "cat": "c", "ph": "b", "id": "0x1", "ts": 2, "pid": 1, "tid": 1},
    {"cat": "c", "ph": "e", "id": "0x1", "ts": 3, "pid": 1, "tid": 1},
    {"name": "other", "cat": "d", "ph": "b", "id": "0x1", "ts": 4, "pid": 1, "tid": 2},
    {"cat": "c", "ph": "e", "id": "0x1", "ts": 5, "pid": 1, "tid": 1},
    {"cat": "d", "ph": "e", "id": "0x1", "ts": 9, "pid": 1, "tid": 2},
    {"name": "l", "ph": "b", "id2": {"local": 7}, "ts": 10, "pid": 1, "tid": 1},
    {"name": "l", "ph": "b", "id2": {"local": 7}, "ts": 11, "pid": 2, "tid": 1},
    {"ph": "e", "id2": {"local": 7}, "ts": 12, "pid": 1, "tid": 1},
    {"ph": "e", "id2": {"local": 7}, "ts": 14, "pid": 2, "tid": 1},
    {"name": "f", "ph": "s", "id": 5, "ts": 20, "pid": 1, "tid": 1}, {"name": "f", "ph": "t", "id": 5, "ts": 21, "pid": 1, "tid": 1},
    {"name": "f", "ph": "f", "id": 5, "ts": 22, "pid": 1, "tid": 1},
    {"name": "f", "ph": "f", "id": 6, "ts": 23, "pid": 1, "tid": 1}, {"name": "f", "ph": "s", "id": 7, "ts": 23, "pid": 1, "tid": 1},
    {"name": "n", "ph": "b", "id": 9, "ts": 23, "pid": 1, "tid": 1}, {"name": "n", "ph": "s", "ts": 24, "pid": 1, "tid": 1}])");
  ASSERT_TRUE(trace) << render(trace.error());
  std::string all = listed(*trace);
  EXPECT_EQ(all.substr(all.find("flight")), "flight a 1 1 1000 5000   -1 -1 \nflight inner 1 1 2000 3000   -1 -1 \n"
                                            "flight other 1 2 4000 9000   -1 -1 \nflight l 1 1 10000 12000   -1 -1 \n"
                                            "flight l 2 1 11000 14000   -1 -1 \nflow f 1 1 20000 1 1 21000 -1 0 \n"
                                            "flow f 1 1 21000 1 1 22000 -1 0 \n");
  EXPECT_EQ(trace->tracks.size(), 3u);
  ASSERT_EQ(trace->warnings.size(), 2u);
  EXPECT_EQ(trace->warnings[0].kind, "trace-without-id");
  EXPECT_EQ(trace->warnings[1].kind, "trace-unmatched");
  EXPECT_NE(trace->warnings[1].message.find("3 of them"), std::string::npos);
}

TEST(ChromeTrace, KeepsSlicesThatOutlastTheOneAround) {
  Result<Trace> trace = parse(R"([{"name": "a", "ph": "X", "ts": 0, "dur": 10, "pid": 1, "tid": 1},
    {"name": "b", "ph": "X", "ts": 5, "dur": 10, "pid": 1, "tid": 1}, {"name": "c", "ph": "X", "ts": 20, "dur": 1, "pid": 1, "tid": 1}])");
  ASSERT_TRUE(trace);
  Result<Trace> again = parse(toChromeJson(*trace));
  ASSERT_TRUE(again);
  ASSERT_EQ(again->tracks[0].slices.size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(again->tracks[0].slices[i].beginNs, trace->tracks[0].slices[i].beginNs);
    EXPECT_EQ(again->tracks[0].slices[i].endNs, trace->tracks[0].slices[i].endNs);
    EXPECT_EQ(again->tracks[0].slices[i].depth, trace->tracks[0].slices[i].depth);
  }
}

TEST(ChromeTrace, ToleratesUnmatchedMarksWithAWarning) {
  Result<Trace> trace = parse(R"({"traceEvents": [{"name": "a", "ph": "E", "ts": 1, "pid": 1, "tid": 1},
    {"name": "b", "ph": "B", "ts": 2, "pid": 1, "tid": 1}, {"name": "c", "ph": "B", "ts": 3, "pid": 1, "tid": 1},
    {"name": "b", "ph": "E", "ts": 4, "pid": 1, "tid": 1}]})");
  ASSERT_TRUE(trace) << render(trace.error());
  std::vector<std::string> kinds;
  for (const Diagnostic &warning : trace->warnings) {
    kinds.push_back(warning.kind);
    EXPECT_TRUE(warning.span.source);
  }
  EXPECT_EQ(kinds, (std::vector<std::string>{"trace-stray-end", "trace-wrong-end", "trace-open"}));
  EXPECT_EQ(trace->tracks[0].slices.size(), 2u);
}

TEST(ChromeTrace, MalformedInputIsAnErrorWithAPlace) {
  for (const char *json : {"",
                           "3",
                           "null",
                           "\"x\"",
                           "{}",
                           "{\"traceEvents\": 3}",
                           "{\"traceEvents\": [3]}",
                           "[{}]",
                           "[{\"ph\": 3}]",
                           "[{\"ph\": \"B\"}]",
                           "[{\"ph\": \"B\", \"ts\": \"x\"}]",
                           "[{\"ph\": \"X\", \"ts\": 1}]",
                           "[{\"ph\": \"X\", \"ts\": 1, \"dur\": -1}]",
                           "[{\"ph\": \"B\", \"ts\": 1, \"pid\": [1]}]",
                           "[{\"ph\": \"B\", \"ts\": 1e999}]",
                           "[",
                           "[{",
                           "[{\"ph\"",
                           "[] []",
                           "{\"traceEvents\": []} x",
                           "[{\"ph\": \"B\", \"ts\": NaN}]",
                           "[,]",
                           "[{\"ph\": \"B\" \"ts\": 1}]"}) {
    Result<Trace> trace = parse(json);
    ASSERT_FALSE(trace) << json;
    EXPECT_TRUE(trace.error()[0].span.source) << json;
    EXPECT_NE(render(trace.error()).find("t.json:1:"), std::string::npos);
  }
  std::string good =
      R"({"traceEvents": [{"name": "a", "ph": "B", "ts": 1.5, "pid": 1, "tid": 1, "args": {"name": "x"}}]})";
  for (size_t size = 0; size < good.size(); ++size) {
    // Once its one event is complete, a truncated file is read as far as it goes.
    bool whole = size >= good.size() - 2;
    Result<Trace> cut = parse(good.substr(0, size));
    EXPECT_EQ(cut.has_value(), whole) << size;
    if (cut)
      EXPECT_TRUE(std::ranges::any_of(cut->warnings, [](const Diagnostic &w) { return w.kind == "trace-unfinished"; }));
  }
  EXPECT_FALSE(parse(std::string(100000, '[')));
  EXPECT_FALSE(parse("\x1f\x8b not gzip"));
}

TEST(Trace, AnArrayOfEventsMayHaveACommaAfterIt) {
  const std::string events = R"([{"name": "a", "ph": "X", "ts": 1, "dur": 2, "pid": 1, "tid": 1}])";
  for (const char *after : {"", ",", ",\n", " , \n"}) {
    Result<Trace> trace = parse(events + after);
    ASSERT_TRUE(trace) << after << render(trace.error());
    EXPECT_EQ(trace->warnings.size(), 0u) << after;
    EXPECT_EQ(trace->tracks.size(), 1u);
  }
  for (const char *after : {",,", ", 1", "]", " x"})
    EXPECT_FALSE(parse(events + after)) << after;
}

/// Files are parsed in pieces of 4 MiB that end where two events seem to meet. Texts and inner arrays can look like
/// such an end.
TEST(ChromeTrace, ReadsLargeFilesInPieces) {
  std::string json = R"({"schema": [{"traceEvents": 3}, {}], "traceEvents": [)";
  size_t events = 0;
  auto add = [&](const std::string &more) {
    json += text(events ? ",\n" : "", R"({"name": "n)", events % 7, R"(", "ph": "X", "ts": )", events * 2,
                 R"(, "dur": 1, "pid": 1, "tid": )", 1 + events % 3, more, "}");
    ++events;
  };
  while (json.size() < 3 * (size_t{4} << 20)) {
    add("");
    if (events % 50 == 0)
      add(R"(, "args": {"what": "} , {\"a\": \\", "list": [{"a": 1}, {"b": [{}, {}]}, {"c": "x"}]})");
    if (events % 100000 == 0) // longer than a piece
      add(R"(, "args": {"list": [)" +
          [] {
            std::string list = "{}";
            for (int i = 0; i < 1200000; ++i)
              list += ", {}";
            return list;
          }() +
          "]}");
  }
  std::string tail = R"(], "stackFrames": [{"a": 1}, {"b": 2}], "displayTimeUnit": "ns"})";
  Result<Trace> trace = parse(json + tail);
  ASSERT_TRUE(trace) << render(trace.error());
  size_t slices = 0;
  for (const TraceTrack &track : trace->tracks)
    slices += track.slices.size();
  EXPECT_EQ(slices, events);
  EXPECT_EQ(trace->names.size(), 7u);
  EXPECT_EQ(trace->tracks[0].slices.back().beginNs, static_cast<double>((events - 1) / 3 * 3 * 2) * 1000);
  EXPECT_TRUE(trace->warnings.empty());
  // An error in a later piece is reported at its place, and so is an array without an end.
  Result<Trace> broken = parse(json + ",\n{\"name\": \"x\" \"ph\": \"B\"}" + tail);
  ASSERT_FALSE(broken);
  EXPECT_NE(render(broken.error()).find(text(":", events + 1, ":14: error: ")), std::string::npos)
      << render(broken.error());
  auto said = [&](const std::string &file, std::string_view kind) {
    Result<Trace> read = parse(file);
    if (!read)
      return render(read.error());
    size_t slices = 0;
    for (const TraceTrack &track : read->tracks)
      slices += track.slices.size();
    EXPECT_EQ(slices, events);
    for (const Diagnostic &warning : read->warnings)
      if (warning.kind == kind)
        return text(read->warnings.size(), " ", warning.span.source->lineColumn(warning.span.begin).line);
    return std::string("nothing");
  };
  EXPECT_EQ(said(json + ",\n{\"name\": 3, \"ph\": \"B\"}" + tail, "trace-left-out"), text("1 ", events + 1));
  EXPECT_EQ(said(json, "trace-unfinished"), text("1 ", events));
  EXPECT_EQ(said(json + ",]}", "trace-comma"), text("1 ", events));
}

TEST(ChromeTrace, PiecesOfAnyLengthHaveTheSameEvents) {
  SourceRef source = Source::make("t.json", R"( {"a": [{}, {}], "traceEvents" : [ {"name": "} , {", "ph": "B", "ts": 1},
    {"ph": "E", "ts": 2, "args": {"x": [{"y": 1}, {"z": "\\\""}]}} , {"ph":"i"},{"ph":"X","ts":1,"dur":2} ] , "b": {"c": [{},{}]}} )");
  auto offsets = [&](size_t piece) {
    std::vector<uint32_t> out;
    ChromeEvents events(source, piece);
    EXPECT_TRUE(events.read([&](const ChromeEvent &event) {
      out.push_back(event.offset);
      return true;
    })) << piece;
    return out;
  };
  std::vector<uint32_t> whole = offsets(1 << 20);
  EXPECT_EQ(whole.size(), 4u);
  for (size_t piece = 1; piece < 200; ++piece)
    EXPECT_EQ(offsets(piece), whole) << piece;
}

/// The file with that name in tests/golden/traces, or its error.
Result<Trace> golden(const std::string &name) {
  Result<SourceRef> source =
      readSource(std::filesystem::path(LANESCOPE_SOURCE_DIR) / "tests/golden/traces" / (name + ".json"));
  return source ? parse((*source)->text()) : std::unexpected(source.error());
}

/// "a 250, b 250": the length of each slice in ns, ordered by track and begin.
std::string lengths(const Result<Trace> &trace) {
  if (!trace)
    return render(trace.error());
  std::ostringstream out;
  out.precision(17);
  for (const TraceTrack &track : trace->tracks)
    for (const TraceSlice &slice : track.slices)
      out << (out.tellp() > 0 ? ", " : "") << trace->names[slice.name] << ' ' << slice.endNs - slice.beginNs;
  return out.str();
}
std::string kinds(const Result<Trace> &trace) {
  std::string out;
  if (trace)
    for (const Diagnostic &warning : trace->warnings)
      out += text(out.empty() ? "" : " ", warning.kind);
  return trace ? out : "an error";
}

/// Times since 1970, or since the machine started, are exact to the digits in the file.
TEST(ChromeTrace, TimesAreExactWhateverTheEpoch) {
  constexpr const char *kLengths = "k0_1 100, k0_25 250, k1_5 1500, k2_25 2250, k12_5 12500, k100_125 100125";
  for (const char *name : {"prec_small", "prec_epoch", "prec_epoch_2022", "prec_uptime_10d"})
    EXPECT_EQ(lengths(golden(name)), kLengths) << name;
  EXPECT_EQ(lengths(golden("be_epoch")), "a 1000, b 10000");
  EXPECT_EQ(lengths(golden("x_int_epoch")), "a 1000, b 3000, c 7000");
  EXPECT_EQ(lengths(golden("epoch_ts")), "a 250, b 250");
  EXPECT_EQ(lengths(golden("string_ts")), "aclnnMatMul 12500, aclnnAdd 3250");
  EXPECT_EQ(lengths(golden("kineto")),
            "aten::mm 123000, cudaLaunchKernel 12000, ampere_fp16_s16816gemm 3000, softmax 2000, "
            "PyTorch Profiler (0) 300000");
  // Ten other clocks, with each unit in the header. The slices are 0.001 µs to 1 s long.
  for (const char *begin :
       {"0", "12.5", "999999999.999", "1000000000.001", "-1778654321012345.678", "1e9", "1778654321012345",
        "1.778654321012345678e15", "1778654321012345678", "4102444800000000.001"})
    for (const char *unit : {"ns", "us", "ms"}) {
      Result<Trace> trace =
          parse(text(R"({"displayTimeUnit": ")", unit, R"(", "traceEvents": [{"ph": "X", "name": "a", "ts": )", begin,
                     R"(, "dur": 0.001}, {"ph": "X", "name": "b", "ts": )", begin,
                     R"(, "dur": 0.25, "tid": 1}, {"ph": "X", "name": "c", "ts": )", begin,
                     R"(, "dur": 1000000.125, "tid": 2}]})"));
      EXPECT_EQ(lengths(trace), "a 1, b 250, c 1000000125") << begin;
      EXPECT_EQ(kinds(trace), "") << begin;
      // The written file has the same exact times.
      EXPECT_EQ(lengths(parse(toChromeJson(*trace))), "a 1, b 250, c 1000000125") << begin;
    }
  Result<Trace> epoch = golden("prec_epoch");
  EXPECT_EQ(epoch->originUs, 1778654321012345);
  EXPECT_NE(toChromeJson(*epoch).find("\"ts\": 1778654321012345.100, "), std::string::npos) << toChromeJson(*epoch);
}

/// If the first event lies far from the others, the others' clock is the exact one, and a warning gives the distance.
TEST(ChromeTrace, MostEventsDecideTheOrigin) {
  Result<Trace> trace = parse(
      R"([{"ph": "X", "name": "a", "ts": 0, "dur": 1}, {"ph": "X", "name": "b", "ts": 1778654321012345, "dur": 0.1},
    {"ph": "X", "name": "c", "ts": 1778654321012346.5, "dur": 0.25}])");
  EXPECT_EQ(lengths(trace).substr(lengths(trace).find("b")), "b 100, c 250");
  EXPECT_EQ(kinds(trace), "trace-far-apart");
  EXPECT_EQ(kinds(golden("boundary")), "trace-far-apart");
}

TEST(ChromeTrace, TakesWhatImportersTakeAndCountsTheRest) {
  const std::string k = "k0 5000, k1 5000, k2 5000, k3 5000";
  for (auto [name, all, what] : std::vector<std::tuple<const char *, std::string, const char *>>{
           {"unclosed", k, "trace-unfinished"},
           {"unclosed_nl", k, "trace-unfinished"},
           {"truncated", "k0 5000, k1 5000, k2 5000", "trace-unfinished"},
           {"trailing_comma", k, "trace-comma"},
           {"x_no_dur", "b 3000", "trace-left-out"},
           {"nan", "b 2000", "trace-left-out"},
           {"pytorch", "a 123000", "trace-left-out trace-left-out"},
           {"dur_string", "a 12500", ""},
           {"invalid_utf8", "ker\uFFFDnel 5000", "trace-utf8"},
           {"tid_big", "a 2000", ""},
           {"unsorted", "a 4000, b 4000", ""},
           {"overlap_x", "gemm 50000, softmax 20000, store 10000", ""},
           {"overlap_be", "one 1000000, two 1000000, three 322000, four 100000, five 33000", ""}}) {
    Result<Trace> trace = golden(name);
    EXPECT_EQ(lengths(trace), all) << name;
    EXPECT_EQ(kinds(trace), what) << name;
  }
  EXPECT_EQ(golden("tid_big")->tracks[0].processName, "process 18446744073709551615");
  EXPECT_EQ(golden("tid_big")->tracks[0].tid, 140737353971520);
  EXPECT_EQ(golden("string_ts")->tracks[0].pid, 1);
  Result<Trace> many =
      parse(R"([{"ph": "X", "ts": 1, "dur": 1}, {"ph": "X", "ts": 1}, {"ph": "X", "ts": 2}, 7, {"ts": 3},
    {"ph": "B"}, {"ph": "X", "ts": "soon", "dur": 1}, {"ph": "X", "ts": 1, "dur": {}}, {"ph": "X", "ts": 1, "dur": 1, "pid": []},,
    {"ph": 8}, {"ph": "X", "ts": Infinity, "dur": 1}, {"ph": "X", "ts": 3, "dur": 1, "name": null},])");
  ASSERT_TRUE(many) << render(many.error());
  std::string said = render(many->warnings);
  EXPECT_EQ(many->tracks[0].slices.size(), 1u);
  EXPECT_NE(said.find("an `X` event has no `dur`; it is left out (2 of them; this is the first)"), std::string::npos)
      << said;
  EXPECT_NE(said.find("no event follows or precedes a comma, which is passed over (2 of them"), std::string::npos)
      << said;
  EXPECT_NE(said.find("`ts` is not a number of microseconds; it is left out (2 of them"), std::string::npos) << said;
  for (const char *other : {"not a JSON object", "has no `ph`", "`B` event has no `ts`", "`dur` is not a number",
                            "`pid` is neither", "`ph` is not a string", "`name` is not a string"})
    EXPECT_NE(said.find(other), std::string::npos) << other << "\n" << said;
}

/// Flows are named by numbers of any size, whole floats and texts; two different numbers are two flows.
TEST(ChromeTrace, IdsOfFlowsAreOfAnySize) {
  for (const char *name : {"flow_small", "flow53", "flow64", "flow_ids", "flow_ns", "flow_str"}) {
    Result<Trace> trace = golden(name);
    ASSERT_TRUE(trace) << render(trace.error());
    EXPECT_EQ(kinds(trace), "") << name;
    ASSERT_EQ(trace->flows.size(), 2u) << name;
    for (const TraceFlow &flow : trace->flows) // each flow starts at its own begin
      EXPECT_EQ(flow.from.ns, flow.to.ns - (std::string(name) == "flow_ids" ? 3000 : 500)) << name;
  }
  for (const char *name : {"id_float", "id_hex"}) {
    EXPECT_EQ(golden(name)->flows.size(), 1u) << name;
    EXPECT_EQ(kinds(golden(name)), "") << name;
  }
}

TEST(ChromeTrace, BrokenJsonIsToldWhereItBreaks) {
  auto place = [](const Result<Trace> &trace) {
    if (trace)
      return std::string("read");
    auto [line, column] = trace.error()[0].span.source->lineColumn(trace.error()[0].span.begin);
    return text(line, ":", column, " ", trace.error()[0].message);
  };
  EXPECT_EQ(place(golden("control")),
            "1:38 this is not JSON: the control character tab within a string must be written as an escape");
  EXPECT_EQ(place(golden("ctrl_late")),
            "52:22 this is not JSON: the control character 0x01 within a string must be written as an escape");
  EXPECT_EQ(place(golden("syntax_late")), "52:22 this is not JSON: neither `,` nor `}` follows a value");
  for (auto [json, where] : std::vector<std::pair<const char *, const char *>>{
           {"[{\"ph\": \"B\", \"ts\": 1},\n{\"ph\" \"B\"}]", "2:7 "},
           {"[{\"ph\": \"B\", \"ts\": 1},\n{\"ph\": \"B\", \"ts\": 1}\n{\"ph\": \"E\", \"ts\": 2}]", "3:1 "},
           {"[{\"ph\": \"B\", \"ts\": 1},\n  {ph: 3}]", "2:4 "},
           {"[{\"ph\": \"B\", \"ts\": 1},\n {\"ph\": \"B\", \"ts\": 01}]", "read"},
           {"[{\"ph\": \"B\", \"ts\": 1}, {\"name\": \"a\\x\", \"ph\": \"B\", \"ts\": 2}]", "1:36 "},
           {"[{\"ph\": \"B\", \"ts\": 1}, {\"name\": \"a\nb\", \"ph\": \"B\", \"ts\": 2}]", "1:35 "},
           {"[{\"ph\": \"B\", \"ts\": 1}, {\"name\": \"open, \"ph\": \"B\", \"ts\": 2}]", "1:41 "},
           {"[{\"ph\": \"B\", \"ts\": 1}, nonsense]", "1:24 "},
           {"[{\"ph\": \"B\", \"ts\": 1}}, {\"ph\": \"B\", \"ts\": 2}]", "1:22 "},
           {"{\"traceEvents\": [{\"ph\": \"B\", \"ts\": 1}], oops}", "1:41 "}})
    EXPECT_TRUE(place(parse(json)).starts_with(where)) << json << "\n" << place(parse(json));
}

TEST(ChromeTrace, FlawedFilesHaveTheSameEventsInPiecesOfAnyLength) {
  for (const char *json :
       {"[{\"ph\": \"i\"},, {\"ph\": \"i\", \"n\": \"\xff\"}, 3, {\"ph\": \"i\"},]",
        "[{\"ph\": \"i\"}, {\"ph\": \"i\"},", "{\"traceEvents\": [{\"ph\": \"i\"}, {\"ph\": \"i\", \"a\": {\"b\": [1,",
        "[ ,{\"ph\": \"i\"} , ] "}) {
    SourceRef source = Source::make("t.json", json);
    auto found = [&](size_t piece) {
      ChromeEvents events(source, piece);
      std::string out;
      out +=
          events.read([&](const ChromeEvent &event) { return out += text(event.offset, " "), true; }) ? "read" : "not";
      for (const ChromeEvents::Flaw &flaw : events.flaws())
        out += text(", ", flaw.kind, " ", flaw.tally.count, " at ", flaw.tally.first);
      return out;
    };
    std::string whole = found(1 << 20);
    EXPECT_EQ(whole.find("not"), std::string::npos) << whole;
    for (size_t piece = 1; piece < 80; ++piece)
      EXPECT_EQ(found(piece), whole) << json << " in pieces of " << piece;
  }
}

TEST(TraceTime, NumbersOfAnyLengthAreExact) {
  auto ns = [](std::string_view number) -> std::string {
    std::optional<Picoseconds> at = picoseconds(number);
    return at ? nanosecondsText(nanoseconds(*at, static_cast<int64_t>(*at / kPicosecondsPerMicrosecond)),
                                static_cast<int64_t>(*at / kPicosecondsPerMicrosecond))
              : "none";
  };
  for (auto [number, wanted] : std::vector<std::pair<const char *, const char *>>{
           {"0", "0"},
           {"1", "1000"},
           {"-1.5", "-1500"},
           {"1778654321012345.678", "1778654321012345678"},
           {"1778654321012345.6789", "1778654321012345678.9"},
           {"0.000001", "0.001"},
           {"1e3", "1000000"},
           {"1.5E-3", "1.5"},
           {"9223372036854775806", "9223372036854775806000"},
           {"9223372036854775808", "none"},
           {"1e999", "none"},
           {"0e999", "0"},
           {"1e-999", "0"},
           {"", "none"},
           {"-", "none"},
           {".", "none"},
           {"1.2.3", "none"},
           {"0x10", "none"},
           {"nan", "none"},
           {"12 ", "none"},
           {"1e", "none"},
           {"0.00000049999999999999999999999999999999999999999999999", "0"},
           {"123456789012345678.123456789012345678901234567890123456789", "123456789012345678123.457"}})
    EXPECT_EQ(ns(number), wanted) << number;
  EXPECT_EQ(microsecondsText(-1, 0), "-0.001");
  EXPECT_EQ(microsecondsText(-1, 1778654321012345), "1778654321012344.999");
}

TEST(TraceSummary, SaysWhenThereIsNothing) {
  EXPECT_NE(summarize(Trace{}).find("empty"), std::string::npos);
  Result<Trace> empty = parse("{\"traceEvents\": []}");
  ASSERT_TRUE(empty);
  EXPECT_NE(summarize(*empty).find("empty"), std::string::npos);
}

TEST(TraceSummary, SplitsATracksTime) {
  Result<Trace> trace = parse(R"([{"name": "step", "ph": "X", "ts": 0, "dur": 6, "pid": 1, "tid": 1},
    {"name": "wait", "ph": "X", "ts": 1, "dur": 2, "pid": 1, "tid": 1}, {"name": "store", "ph": "X", "ts": 8, "dur": 2, "pid": 1, "tid": 1}])");
  ASSERT_TRUE(trace);
  std::string summary = summarize(*trace);
  EXPECT_NE(summary.find("1 track on 1 process, 3 regions in 10.000 us"), std::string::npos) << summary;
  EXPECT_NE(summary.find("waiting (`wait`) takes 20.0 % of the tracks' time"), std::string::npos) << summary;
  EXPECT_NE(summary.find("40.0 %"), std::string::npos) << summary; // step, without the wait inside it
  EXPECT_NE(summary.find("20.0 % between regions"), std::string::npos) << summary;
}

} // namespace
} // namespace lanescope::core
