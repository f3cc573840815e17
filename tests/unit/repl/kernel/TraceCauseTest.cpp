// The emulator's traces name the cause of each wait that follows from the program's structure. In generated pipelines
// every copy, wait and arrival has its own line, so the right answer is known without the recorder.
#include "core/gpu/kernel/Profile.h"
#include "core/profiler/CriticalPath.h"
#include "layouts/support/Text.h"
#include "tests/unit/repl/KernelSupport.h"

#include <map>
#include <random>

namespace lanescope::repl {
namespace {

using core::CausedWait;
using core::CriticalPath;
using core::PathStep;
using core::Trace;
using core::TraceCauses;
using core::WaitCause;

struct Generated {
  std::string text;
  std::map<int, int> causes; // line of a wait -> line of the copy or arrival that ends it
};

/// A producer copies tiles, and sometimes waits until the consumer has finished an earlier tile. The consumer waits for
/// each tile, computes for a while and then arrives.
Generated pipeline(unsigned seed) {
  std::mt19937 random(seed);
  auto pick = [&](int below) { return static_cast<int>(random() % static_cast<unsigned>(below)); };
  int tiles = 6 + pick(7), line = 0;
  Generated out;
  auto add = [&](const std::string &words) {
    out.text += words + "\n";
    return ++line;
  };
  add(text("@kernel(num_threads=2, thread_name=\"wg\", scratch=[SMEM((", tiles,
           ", 16, 64), f16), Barrier(num_barriers=", tiles, "), Barrier(num_arrivals=1, num_barriers=", tiles, ")])"));
  add(text("def k(x: GMEM((", 16 * tiles, ", 64), f16), out: Out((128,), f32), tiles, loaded, freed):"));
  add("  with region(\"work\"):");
  add("    if axis_index(\"wg\") == 0:");
  std::map<int, int> copyOf, freedBy, waitFull, waitEmpty; // by tile
  int done = 0;
  for (int tile = 0; tile < tiles; ++tile) {
    if (tile > done && pick(2)) {
      waitEmpty[done] = add(text("      barrier_wait(freed.at[", done, "])"));
      ++done;
    }
    copyOf[tile] = add(
        text("      copy_gmem_to_smem(x.at[ds(", 16 * tile, ", 16), :], tiles.at[", tile, "], loaded.at[", tile, "])"));
  }
  add("    else:");
  add("      v = full((128,), 0.0, f32)");
  for (int tile = 0; tile < tiles; ++tile) {
    waitFull[tile] = add(text("      barrier_wait(loaded.at[", tile, "])"));
    add(text("      for i in range(", pick(40), "):"));
    add("        v = v + exp(v * 0.0)");
    freedBy[tile] = add(text("      barrier_arrive(freed.at[", tile, "])"));
  }
  add("      out[...] = v");
  add(text("run(k, random((", 16 * tiles, ", 64), f16), profile=True)"));
  for (auto [tile, at] : waitFull)
    out.causes[at] = copyOf[tile];
  for (auto [tile, at] : waitEmpty)
    out.causes[at] = freedBy[tile];
  return out;
}

int lineOf(const Trace &trace, uint32_t place) {
  const std::string &words = trace.places[place];
  return std::atoi(words.substr(words.rfind(':') + 1).c_str());
}

TEST(TraceCauses, OfGeneratedPipelinesAreTheOnesThatTheProgramSays) {
  int waits = 0, copies = 0, arrivals = 0;
  for (unsigned seed = 1; seed <= 36; ++seed) {
    Generated program = pipeline(seed);
    Snippet done(program.text);
    ASSERT_TRUE(done.ok) << done.errors << program.text;
    const Trace &trace = *done.runtime->launches().back().result->trace;
    TraceCauses causes(trace);
    for (uint32_t track = 0; track < trace.tracks.size(); ++track)
      for (const CausedWait &wait : causes.waits(track)) {
        const core::TraceSlice &slice = trace.tracks[track].slices[wait.slice];
        int at = lineOf(trace, slice.place);
        ASSERT_TRUE(program.causes.contains(at)) << at << "\n" << program.text;
        WaitCause cause = causes.of(track, wait);
        EXPECT_FALSE(cause.inferred);
        int named = 0;
        if (cause.kind == WaitCause::Kind::Flight) {
          named = lineOf(trace, trace.flights[cause.flight].place);
          EXPECT_EQ(trace.tracks[*cause.track].threadName, "block (0, 0, 0) warpgroup 0");
          EXPECT_EQ(trace.flights[cause.flight].endNs, cause.ns);
          ++copies;
        } else {
          ASSERT_EQ(cause.kind, WaitCause::Kind::Arrival);
          uint32_t arrive = causes.innermostAt(*cause.track, cause.ns);
          named = lineOf(trace, trace.tracks[*cause.track].slices[arrive].place);
          ++arrivals;
        }
        EXPECT_EQ(named, program.causes[at]) << "the wait at line " << at << "\n" << program.text;
        ++waits;
        // The chain accounts for every nanosecond of the wait.
        CriticalPath path = core::pathTo(causes, track, wait.endNs, wait.beginNs);
        double sum = 0;
        for (const PathStep &step : path.steps)
          sum += path.within(step);
        EXPECT_EQ(sum, wait.endNs - wait.beginNs);
      }
    CriticalPath grid = core::gridPath(causes);
    double sum = 0;
    for (const PathStep &step : grid.steps)
      sum += grid.within(step);
    EXPECT_EQ(sum, grid.endNs - grid.beginNs);
    // The written file gives the same.
    Result<Trace> back = core::parseGpuTrace(Source::make("t.json", core::toChromeJson(trace)));
    ASSERT_TRUE(back);
    EXPECT_EQ(core::gridPath(TraceCauses(*back)).steps.size(), grid.steps.size());
  }
  EXPECT_GE(waits, 200);
  EXPECT_GE(copies, 70);
  EXPECT_GE(arrivals, 100);
}

/// If one wait covers several copies, the last copy ends it.
TEST(TraceCauses, TheLastCopyOfABarrierIsTheCause) {
  Snippet done(R"(@kernel(scratch=[SMEM((64, 64), f16), SMEM((8, 64), f16), Barrier(num_arrivals=2)])
def two(x: GMEM((64, 64), f16), out: Out((64, 64), f16), large, small, loaded):
  with region("work"):
    copy_gmem_to_smem(x, large, loaded)
    copy_gmem_to_smem(x.at[ds(0, 8), :], small, loaded)
    barrier_wait(loaded)
    out[...] = large[...]
run(two, random((64, 64), f16), profile=True)
)");
  ASSERT_TRUE(done.ok) << done.errors;
  const Trace &trace = *done.runtime->launches().back().result->trace;
  TraceCauses causes(trace);
  uint32_t track = 0;
  while (causes.waits(track).empty())
    ++track;
  WaitCause cause = causes.of(track, causes.waits(track)[0]);
  ASSERT_EQ(cause.kind, WaitCause::Kind::Flight);
  double last = 0;
  for (const core::TraceFlight &flight : trace.flights)
    last = std::max(last, flight.endNs);
  EXPECT_EQ(trace.flights[cause.flight].endNs, last);
}

} // namespace
} // namespace lanescope::repl
