// Why waits were long: chains of causes and critical paths in traces with known answers.
#include "core/data/Files.h"
#include "core/profiler/CriticalPath.h"
#include "core/profiler/ExplainTrace.h"
#include "core/profiler/TraceNotes.h"
#include "layouts/support/Text.h"
#include "tests/unit/TemporaryFolder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <random>

namespace lanescope::core {
namespace {

using Kind = PathStep::Kind;

enum Name : uint32_t { kLoad, kWait, kScale, kArrive, kCopy, kPrepare };

/// A consumer waits for a copy that its producer issued late, because the consumer had freed the buffer late:
///
///   consumer   scale 0-300, arrive at 300, wait 320-1000
///   producer   wait 100-310 for that arrival, prepare 310-400, issues at 400
///   in flight  copy 400-980
Trace lateCopy() {
  Trace trace;
  trace.names = {"load", "mbarrier wait", "scale", "arrive", "TMA load", "prepare"};
  trace.places = {"", "x.py:3", "x.py:7", "x.py:9"};
  trace.tracks = {{1,
                   1,
                   "SM 0",
                   "block (0, 0, 0) warpgroup 0",
                   {{kScale, 0, 0, 300}, {kArrive, 0, 300, 312}, {kWait, 0, 320, 1000, 1}}},
                  {1, 2, "SM 0", "block (0, 0, 0) warpgroup 1", {{kWait, 0, 100, 310, 2}, {kPrepare, 0, 310, 400}}},
                  {1, 3, "SM 0", "block (0, 0, 0) in flight", {{kArrive, 0, 980, 992}}}};
  trace.flights = {{kCopy, 1, 3, 400, 980, "16384 bytes, x.py:9", TracePoint{1, 2, 400}, 3}};
  trace.flows = {{kWait, {1, 1, 300}, {1, 2, 309}}, {kWait, {1, 3, 980}, {1, 1, 999}, 0}};
  trace.emulated = true;
  return trace;
}

struct Told {
  Kind kind;
  uint32_t track;
  double begin, end;
  bool operator==(const Told &) const = default;
};
std::vector<Told> told(const CriticalPath &path) {
  std::vector<Told> out;
  for (const PathStep &step : path.steps)
    out.push_back({step.kind, step.track, step.beginNs, step.endNs});
  return out;
}
void PrintTo(const Told &t, std::ostream *out) {
  *out << "kind " << int(t.kind) << " track " << t.track << " " << t.begin << "-" << t.end;
}

TEST(TraceCauses, NameWhatEndedAWait) {
  Trace trace = lateCopy();
  TraceCauses causes(trace);
  ASSERT_EQ(causes.waits(0).size(), 1u);
  WaitCause cause = causes.of(0, causes.waits(0)[0]);
  EXPECT_EQ(cause.kind, WaitCause::Kind::Flight);
  EXPECT_EQ(cause.flight, 0u);
  EXPECT_EQ(cause.track, 1u);
  EXPECT_EQ(cause.issuedNs, 400);
  EXPECT_FALSE(cause.inferred);
  WaitCause arrival = causes.of(1, causes.waits(1)[0]);
  EXPECT_EQ(arrival.kind, WaitCause::Kind::Arrival);
  EXPECT_EQ(arrival.track, 0u);
  EXPECT_EQ(arrival.ns, 300);
}

TEST(TraceCauses, AChainGoesBackToTheWaitsBegin) {
  Trace trace = lateCopy();
  TraceCauses causes(trace);
  CriticalPath path = pathTo(causes, 0, 1000, 320);
  EXPECT_EQ(told(path),
            (std::vector<Told>{{Kind::Wake, 0, 980, 1000}, {Kind::Flight, 1, 400, 980}, {Kind::Run, 1, 320, 400}}));
  double sum = 0;
  for (const PathStep &step : path.steps)
    sum += path.within(step);
  EXPECT_EQ(sum, 680); // the whole wait
  // Further back: the producer's own wait, and the late arrival that caused it.
  path = pathOfSlice(causes, 0, 2);
  EXPECT_EQ(told(path), (std::vector<Told>{{Kind::Wake, 0, 980, 1000},
                                           {Kind::Flight, 1, 400, 980},
                                           {Kind::Run, 1, 310, 400},
                                           {Kind::Wake, 1, 300, 310},
                                           {Kind::Run, 0, 0, 300}}));
  std::vector<ChainLink> chain = chainOf(causes, path);
  EXPECT_EQ(chain[1].words, "`TMA load`, 16384 bytes, x.py:9, was in flight");
  EXPECT_EQ(chain[2].words, "block (0, 0, 0) warpgroup 1 ran in `prepare` before it issued that");
  EXPECT_EQ(chain[0].words, "until it went on after");
  EXPECT_EQ(chain[3].words,
            "block (0, 0, 0) warpgroup 1 had waited in `mbarrier wait`, x.py:7, 210 ns long, and went on after");
  EXPECT_EQ(chain[4].words, "block (0, 0, 0) warpgroup 0 ran in `scale` before it arrived");
  EXPECT_FALSE(chain[2].before); // a part of it overlaps the wait
  EXPECT_TRUE(chain[3].before);
}

TEST(TraceCauses, ARegionIsExplainedByItsWaits) {
  Trace trace;
  trace.names = {"step", "wait", "work"};
  trace.tracks = {{1, 1, "", "a", {{0, 0, 0, 100}, {1, 1, 20, 60}, {2, 1, 60, 90}}}};
  TraceCauses causes(trace);
  // The trace does not say what the wait was for.
  EXPECT_EQ(told(pathOfSlice(causes, 0, 0)),
            (std::vector<Told>{{Kind::Run, 0, 60, 100}, {Kind::Wait, 0, 20, 60}, {Kind::Run, 0, 0, 20}}));
  EXPECT_NE(explain(trace).find("the trace does not say for what"), std::string::npos);
}

TEST(TraceCauses, TheCriticalPathOfTheGridGoesThroughTheBlockBefore) {
  Trace trace;
  trace.names = {"a", "b"};
  trace.tracks = {{1, 1, "SM 0", "block (0, 0, 0) warpgroup 0", {{0, 0, 0, 500}}},
                  {2, 2, "SM 1", "block (1, 0, 0) warpgroup 0", {{0, 0, 0, 300}}},
                  {1, 3, "SM 0", "block (2, 0, 0) warpgroup 0", {{1, 0, 520, 900}}}};
  TraceCauses causes(trace);
  CriticalPath path = gridPath(causes);
  EXPECT_EQ(told(path),
            (std::vector<Told>{{Kind::Run, 2, 520, 900}, {Kind::Launch, 2, 500, 520}, {Kind::Run, 0, 0, 500}}));
  std::vector<PathShare> shares = sharesOf(path);
  ASSERT_EQ(shares.size(), 3u);
  EXPECT_EQ(shares[0].ns, 500);
  EXPECT_EQ(told(blockPath(causes, causes.groupOf(1))), (std::vector<Told>{{Kind::Run, 1, 0, 300}}));
}

TEST(TraceCauses, WithoutArrowsTheOrderOfRegionsTells) {
  Trace trace;
  trace.names = {"load wait", "issue", "multiply"};
  trace.tracks = {{1, 1, "", "", {{0, 0, 100, 400}, {2, 0, 400, 500}}},
                  {1, 2, "", "", {{1, 0, 0, 80}, {1, 0, 300, 390}, {1, 0, 395, 450}}},
                  {2, 3, "", "", {{1, 0, 0, 399}}}}; // on another processor
  TraceCauses causes(trace);
  WaitCause cause = causes.of(0, causes.waits(0)[0]);
  EXPECT_EQ(cause.kind, WaitCause::Kind::Arrival);
  EXPECT_TRUE(cause.inferred);
  EXPECT_EQ(cause.track, 1u);
  EXPECT_EQ(cause.ns, 390);
  EXPECT_NE(explain(trace).find("(inferred from the order of regions)"), std::string::npos);
}

TEST(TraceCauses, AnInferredArrowIsAFlightFromItsIssue) {
  Trace trace;
  trace.names = {"tile issue", "tile wait", "tile"};
  trace.tracks = {{1, 1, "", "block (0, 0, 0) warpgroup 0", {{0, 0, 50, 60}}},
                  {1, 2, "", "block (0, 0, 0) warpgroup 1", {{1, 0, 20, 90}}}};
  trace.flows = {{2, {1, 1, 50}, {1, 2, 89}, TraceFlow::kNone, true}};
  TraceCauses causes(trace);
  CriticalPath path = pathTo(causes, 1, 90, 20);
  // The trace does not show what the issuer did before its first mark.
  EXPECT_EQ(told(path),
            (std::vector<Told>{{Kind::Wake, 1, 90, 90}, {Kind::Flight, 0, 50, 90}, {Kind::Launch, 0, 20, 50}}));
  EXPECT_TRUE(path.steps[1].inferred);
}

/// Malformed files: arrows in circles, back in time, or to nowhere. Every path ends, and its steps are contiguous.
TEST(TraceCauses, AnyArrowsGiveAFinitePathWithoutGaps) {
  std::mt19937 random(11);
  auto pick = [&](int below) { return static_cast<int>(random() % static_cast<unsigned>(below)); };
  for (int round = 0; round < 300; ++round) {
    Trace trace;
    trace.names = {"run", "some wait", "copy"};
    int tracks = 1 + pick(4);
    for (int t = 0; t < tracks; ++t) {
      TraceTrack &track = trace.tracks.emplace_back();
      track.pid = 1 + pick(2), track.tid = 1 + t;
      double at = pick(30);
      for (int s = 1 + pick(6); s > 0; --s) {
        double begin = at + pick(10), end = begin + pick(40);
        track.slices.push_back({static_cast<uint32_t>(pick(2)), 0, begin, end});
        at = end;
      }
    }
    for (int f = pick(8); f > 0; --f) {
      auto point = [&] { return TracePoint{1 + pick(2), 1 + pick(5), static_cast<double>(pick(200))}; };
      if (pick(3) == 0)
        trace.flights.push_back({2, 1, 1 + pick(5), static_cast<double>(pick(100)), static_cast<double>(pick(200)), "",
                                 pick(2) ? std::optional(point()) : std::nullopt});
      trace.flows.push_back({1, point(), point(), pick(2) ? static_cast<uint32_t>(pick(4)) : TraceFlow::kNone});
    }
    TraceCauses causes(trace);
    for (uint32_t t = 0; t < trace.tracks.size(); ++t)
      for (uint32_t s = 0; s < trace.tracks[t].slices.size(); ++s) {
        CriticalPath path = pathOfSlice(causes, t, s);
        EXPECT_LT(path.steps.size(), 1000u);
        double at = path.endNs;
        for (const PathStep &step : path.steps) {
          EXPECT_EQ(step.endNs, at);
          EXPECT_LE(step.beginNs, step.endNs);
          at = step.beginNs;
        }
      }
    EXPECT_FALSE(explain(trace).empty());
    EXPECT_FALSE(explainJson(trace).empty());
  }
}

TEST(TraceNotes, LieBesideTheFile) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder / "trace.json";
  Trace trace;
  ASSERT_TRUE(addNotes(trace, file)); // the trace has no notes file
  ASSERT_TRUE(saveNotes({{1200, "why?"}, {1300, "\"here\""}}, 0, file));
  trace.notes = {{1250, "of the trace itself"}, {1300, "\"here\""}};
  ASSERT_TRUE(addNotes(trace, file));
  EXPECT_EQ(trace.notes, (std::vector<TraceNote>{{1200, "why?"}, {1250, "of the trace itself"}, {1300, "\"here\""}}));
  for (const char *bad : {"", "[]", "{\"notes\": 3}", "{\"notes\": [{\"ts\": \"x\", \"text\": \"y\"}]}"}) {
    ASSERT_TRUE(writeFile(notesPath(file), std::string_view(bad)));
    auto read = addNotes(trace, file);
    ASSERT_FALSE(read) << bad;
    EXPECT_EQ(read.error()[0].kind, "trace-notes");
  }
  // In a trace whose clock is far along, a note keeps the time in the file.
  Trace late;
  late.originUs = 1778654321012345;
  ASSERT_TRUE(saveNotes({{1250, "late"}}, late.originUs, file));
  EXPECT_NE((*readSource(notesPath(file)))->text().find("\"ts\": 1778654321012346.250"), std::string::npos);
  ASSERT_TRUE(addNotes(late, file));
  EXPECT_EQ(late.notes, (std::vector<TraceNote>{{1250, "late"}}));
  ASSERT_TRUE(saveNotes({}, 0, file));
  EXPECT_FALSE(std::filesystem::exists(notesPath(file)));
  EXPECT_FALSE(saveNotes({{1, "x"}}, 0, "/nonexistent/folder/trace.json"));
}

} // namespace
} // namespace lanescope::core
