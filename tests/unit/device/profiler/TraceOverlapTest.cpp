// Overlap, occupancy and comparison of traces with known answers.
#include "core/profiler/Align.h"
#include "core/profiler/CompareText.h"
#include "core/profiler/Overlap.h"
#include "core/profiler/TraceOccupancy.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace lanescope::core {
namespace {

Trace pipeline() {
  Trace trace;
  trace.names = {"scale", "mbarrier wait", "TMA load", "wgmma", "TMEM sums"};
  trace.tracks = {{1, 1, "SM 0", "block (0, 0, 0) warpgroup 0", {{0, 0, 0, 40}, {1, 0, 40, 70}, {0, 0, 80, 100}}}};
  trace.flights = {{2, 1, 9, 10, 60, ""}, {3, 1, 9, 50, 90, ""}, {4, 1, 9, 0, 100, ""}};
  return trace;
}

TEST(TraceOverlap, EachMomentIsOneState) {
  Overlap of = overlapOf(pipeline());
  EXPECT_FALSE(of.named);
  EXPECT_DOUBLE_EQ(of.whole[OverlapState::Running], 0.2);            // 0-10, 90-100
  EXPECT_DOUBLE_EQ(of.whole[OverlapState::CopiesWhileRunning], 0.3); // 10-40
  EXPECT_DOUBLE_EQ(of.whole[OverlapState::CopiesWhileWaiting], 0.1); // 40-50
  EXPECT_DOUBLE_EQ(of.whole[OverlapState::TensorAndCopies], 0.1);    // 50-60
  EXPECT_DOUBLE_EQ(of.whole[OverlapState::Tensor], 0.3);             // 60-90
  EXPECT_DOUBLE_EQ(of.whole.tensorBusy(), 0.4);
  EXPECT_DOUBLE_EQ(of.whole.copiesInFlight(), 0.5);
  Overlap stretch = overlapOf(pipeline(), TraceStretch{40, 60}, 2);
  EXPECT_DOUBLE_EQ(stretch.whole[OverlapState::CopiesWhileWaiting], 0.5);
  ASSERT_EQ(stretch.bins.size(), 2u);
  EXPECT_DOUBLE_EQ(stretch.bins[0][OverlapState::CopiesWhileWaiting], 1);
  EXPECT_DOUBLE_EQ(stretch.bins[1][OverlapState::TensorAndCopies], 1);
}

TEST(TraceOverlap, BinsAddUpToTheWhole) {
  for (size_t bins : {1u, 3u, 7u, 1000u}) {
    Overlap of = overlapOf(pipeline(), {}, bins);
    for (size_t s = 0; s < kOverlapStates; ++s) {
      double sum = 0;
      for (const OverlapShares &bin : of.bins)
        sum += bin.of[s];
      EXPECT_NEAR(sum / static_cast<double>(bins), of.whole.of[s], 1e-9);
    }
  }
}

TEST(TraceOverlap, NamesTellWhereNothingIsInFlight) {
  Trace trace;
  trace.names = {"WGMMA", "WGMMA drain", "load"};
  trace.tracks = {{1, 1, "", "", {{0, 0, 0, 50}, {1, 0, 50, 100}}}, {1, 2, "", "", {{2, 0, 20, 60}, {1, 0, 60, 100}}}};
  Overlap of = overlapOf(trace);
  EXPECT_TRUE(of.named);
  EXPECT_DOUBLE_EQ(of.whole[OverlapState::Tensor], 0.2);
  EXPECT_DOUBLE_EQ(of.whole[OverlapState::TensorAndCopies], 0.3);
  EXPECT_DOUBLE_EQ(of.whole[OverlapState::CopiesWhileRunning], 0.1); // 50-60: the other block loads
  EXPECT_DOUBLE_EQ(of.whole[OverlapState::Waiting], 0.4);
  EXPECT_EQ(overlapOf(Trace{}).processes, 0u);
}

TEST(TraceOccupancy, TheTailIsWhatIsLostAtTheEnd) {
  Trace trace;
  trace.names = {"a"};
  trace.tracks = {{1, 1, "SM 0", "block (0, 0, 0) warpgroup 0", {{0, 0, 0, 60}}},
                  {1, 2, "SM 0", "block (0, 0, 0) warpgroup 1", {{0, 0, 10, 50}}},
                  {1, 3, "SM 0", "block (2, 0, 0) warpgroup 0", {{0, 0, 40, 100}}},
                  {2, 4, "SM 1", "block (1, 0, 0) warpgroup 0", {{0, 0, 0, 50}}},
                  {2, 9, "SM 1", "block (1, 0, 0) in flight", {}}};
  trace.flights = {{0, 2, 9, 0, 500, ""}};
  TraceOccupancy of = occupancyOf(trace);
  ASSERT_EQ(of.processes.size(), 2u);
  EXPECT_EQ(of.blocks, 3u);
  EXPECT_EQ(of.processes[0].most, 2u); // 40-60
  EXPECT_EQ(of.processes[0].busyNs, 100);
  EXPECT_DOUBLE_EQ(of.busyShare, 0.75);
  EXPECT_DOUBLE_EQ(of.averageBlocks, (60 + 60 + 50) / 200.0);
  EXPECT_EQ(of.tailNs, 50);
  EXPECT_DOUBLE_EQ(of.tailIdle, 0.5);
  // Over time, SM 0 has 1, 2 and 1 blocks, and SM 1 has 1 and then none.
  std::vector<OccupancyBin> bins = occupancyBins(of, {of.beginNs, of.endNs}, 10);
  ASSERT_EQ(bins.size(), 10u);
  EXPECT_EQ(bins[0], (OccupancyBin{0, 1, 0, 0, 0}));
  EXPECT_EQ(bins[4], (OccupancyBin{0, 0.5, 0.5, 0, 0}));
  EXPECT_EQ(bins[5], (OccupancyBin{0.5, 0, 0.5, 0, 0}));
  EXPECT_EQ(bins[9], (OccupancyBin{0.5, 0.5, 0, 0, 0}));
  double all = 0;
  for (const OccupancyBin &bin : bins)
    all += bin[0];
  EXPECT_DOUBLE_EQ(all / 10, 1 - of.busyShare);
  EXPECT_NEAR(occupancyBins(of, {-100, 100}, 1)[0][0], 0.625, 1e-12) << "nothing is there before the first block";
  EXPECT_EQ(occupancyBins(of, {300, 400}, 2)[1][0], 1);
  EXPECT_TRUE(occupancyBins(of, {50, 50}, 4).empty());
  EXPECT_TRUE(occupancyBins(occupancyOf(Trace{}), {0, 1}, 4).empty());
  EXPECT_EQ(occupancyLines(of)[0],
            "3 blocks on 2 processors, at most 2 at once; 75.0 % of the processors' time with a block");
  EXPECT_EQ(occupancyLines(of).size(), 2u);
}

TEST(TraceCompare, RegionsThatGrewComeFirst) {
  Trace before = pipeline(), after = pipeline();
  after.tracks[0].slices = {{0, 0, 0, 40}, {1, 0, 40, 170}, {0, 0, 180, 190}};
  after.names[0] = "scale";
  after.flights.pop_back();
  TraceComparison of = compareTraces(before, after);
  EXPECT_EQ(of.lengthBefore, 100);
  EXPECT_EQ(of.lengthAfter, 190);
  ASSERT_EQ(of.regions.size(), 5u);
  EXPECT_EQ(of.regions[0].name, "mbarrier wait");
  EXPECT_EQ(of.regions[0].growth(), 100);
  EXPECT_EQ(of.regions[1].name, "scale");
  EXPECT_EQ(of.regions[1].growth(), -10);
  EXPECT_TRUE(of.regions[2].inFlight);
  EXPECT_EQ(compareHeadline(of), "`mbarrier wait` grew most: 30 ns to 130 ns per track");
  EXPECT_EQ(compareHeadline(compareTraces(before, before)), "no region takes more or less time");
  std::string words = compareText(of);
  EXPECT_NE(words.find("TMEM sums (in flight) (gone)"), std::string::npos) << words;
  EXPECT_NE(words.find("+100 ns"), std::string::npos) << words;
  EXPECT_NE(compareJson(of).find("\"growth_ns\": 100.0"), std::string::npos);
}

/// A consumer waits for a copy that its block's producer issues, and then for the producer itself.
Trace handedOver(double issued, double landed, double arrived) {
  Trace trace;
  trace.names = {"tile wait", "TMA load", "go wait"};
  trace.tracks = {{1, 1, "core 0", "block (0, 0, 0) warpgroup 0", {}},
                  {1, 2, "core 0", "block (0, 0, 0) warpgroup 1", {}}};
  trace.names.push_back("produce");
  trace.tracks[0].slices = {{3, 0, 0, arrived}};
  trace.tracks[1].slices = {{0, 0, 10, landed}, {2, 0, landed + 5, arrived}};
  trace.flights = {
      {.name = 1, .pid = 1, .tid = 1, .beginNs = issued, .endNs = landed, .issued = TracePoint{1, 1, issued}}};
  trace.flows = {{.name = 0, .from = {1, 1, landed}, .to = {1, 2, landed}, .flight = 0},
                 {.name = 2, .from = {1, 1, arrived}, .to = {1, 2, arrived}}};
  return trace;
}

TEST(TraceCompare, AWaitThatGrewSaysWhy) {
  auto words = [](const Trace &before, const Trace &after) {
    auto wait = grownWait(before, after);
    return wait ? grownWaitText(*wait) : std::string("none");
  };
  const Trace base = handedOver(5, 100, 150);
  const std::string grew = "`tile wait` 1 of block (0, 0, 0) warpgroup 1 grew by ";
  EXPECT_EQ(words(base, base), "none");
  EXPECT_EQ(words(base, handedOver(45, 140, 190)),
            grew + "40 ns, 90 ns to 130 ns: `TMA load`, which ended it, was issued 40 ns later");
  EXPECT_EQ(words(base, handedOver(5, 130, 180)),
            grew + "30 ns, 90 ns to 120 ns: `TMA load`, which ended it, was in flight 30 ns longer");
  EXPECT_EQ(words(base, handedOver(0, 130, 180)), grew + "30 ns, 90 ns to 120 ns: `TMA load`, which ended it, was "
                                                         "issued 5 ns earlier and was in flight 35 ns longer");
  EXPECT_EQ(words(base, handedOver(5, 100, 210)),
            "`go wait` 1 of block (0, 0, 0) warpgroup 1 grew by 60 ns, 45 ns to 105 ns: block (0, 0, 0) warpgroup 0, "
            "whose arrival ended it, came 60 ns later");
  Trace unknown = handedOver(45, 140, 190);
  unknown.flows.clear(), unknown.flights.clear();
  EXPECT_NE(words(base, unknown).find("the traces do not say why"), std::string::npos) << words(base, unknown);
  Trace renamed = handedOver(45, 140, 190);
  renamed.tracks[1].threadName = "block (1, 0, 0) warpgroup 1";
  EXPECT_EQ(words(base, renamed), "none") << "no track of that name";
}

TEST(TraceAlign, MatchesTracksByNameAndSlicesByTheirNumber) {
  const Trace before = handedOver(5, 100, 150);
  Trace after = handedOver(45, 140, 190);
  TraceAlignment same = alignTraces(before, after);
  ASSERT_EQ(same.tracks.size(), after.tracks.size());
  for (size_t t = 0; t < same.tracks.size(); ++t) {
    EXPECT_EQ(same.tracks[t], static_cast<int32_t>(t));
    for (size_t s = 0; s < same.slices[t].size(); ++s)
      EXPECT_EQ(same.slices[t][s], static_cast<int32_t>(s));
  }
  // One more slice with a name shifts the numbers of the later slices, so the last slice has no match.
  TraceTrack &track = after.tracks[1];
  const TraceSlice first = track.slices.front();
  track.slices.insert(track.slices.begin(), first);
  TraceAlignment longer = alignTraces(before, after);
  size_t unmatched = static_cast<size_t>(std::ranges::count(longer.slices[1], -1));
  EXPECT_EQ(unmatched, 1u);
  EXPECT_EQ(longer.slices[1].front(), 0);
  track.threadName = "block (7, 0, 0) warpgroup 1";
  TraceAlignment renamed = alignTraces(before, after);
  EXPECT_EQ(renamed.tracks[1], -1);
  EXPECT_EQ(static_cast<size_t>(std::ranges::count(renamed.slices[1], -1)), track.slices.size());
}

TEST(TraceCompare, UnrelatedTracesShareNoRegion) {
  Trace other = pipeline();
  for (std::string &name : other.names)
    name = "another " + name;
  TraceComparison of = compareTraces(pipeline(), other);
  EXPECT_EQ(of.shared(), 0u);
  EXPECT_EQ(compareHeadline(of), "the traces share no region: they are hardly of one kernel");
}

TEST(TraceCompare, SaysWhenARegionIsMetFirst) {
  Trace late = pipeline();
  for (TraceTrack &track : late.tracks)
    for (TraceSlice &slice : track.slices)
      if (slice.beginNs > 0)
        slice.beginNs += 7, slice.endNs += 7;
  TraceComparison of = compareTraces(pipeline(), late);
  const auto &wait = *std::ranges::find(of.regions, "mbarrier wait", &RegionChange::name);
  EXPECT_EQ(wait.firstAfter - wait.firstBefore, 7);
  EXPECT_NE(compareJson(of).find("\"first_ns\""), std::string::npos);
}

/// The traces have different numbers of tracks, so the time per track is compared.
TEST(TraceCompare, TimesAreOfOneTrack) {
  Trace one = pipeline(), two = pipeline();
  two.tracks.push_back(two.tracks[0]);
  two.tracks[1].tid = 2;
  EXPECT_EQ(compareTraces(one, two).regions[0].growth(), 0);
}

} // namespace
} // namespace lanescope::core
