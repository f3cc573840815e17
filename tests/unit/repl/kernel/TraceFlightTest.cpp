// The records of a run on the emulator apart from its regions: copies and wgmmas in flight, waits, and their causes.
#include "core/gpu/kernel/Profile.h"
#include "tests/unit/repl/KernelSupport.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>

namespace lanescope::repl {
namespace {

using core::Trace;
using core::TraceFlight;
using core::TraceFlow;
using core::TracePoint;
using core::TraceSlice;
using core::TraceTrack;

Trace traceOf(const std::string &text) {
  Snippet done(text);
  EXPECT_TRUE(done.ok) << done.errors;
  if (!done.ok || done.runtime->launches().empty() || !done.runtime->launches().back().result->trace)
    return {};
  return *done.runtime->launches().back().result->trace;
}

const TraceTrack *trackAt(const Trace &trace, const TracePoint &point) {
  auto at = std::ranges::find_if(
      trace.tracks, [&](const TraceTrack &track) { return track.pid == point.pid && track.tid == point.tid; });
  return at == trace.tracks.end() ? nullptr : &*at;
}

/// The slices with this name around a moment of a track.
std::vector<TraceSlice> slicesAt(const Trace &trace, const TracePoint &point, std::string_view name) {
  std::vector<TraceSlice> out;
  if (const TraceTrack *track = trackAt(trace, point))
    for (const TraceSlice &slice : track->slices)
      if (trace.names[slice.name] == name && slice.beginNs <= point.ns && point.ns < slice.endNs)
        out.push_back(slice);
  return out;
}

/// Properties of every trace: slices nest, arrows join slices and go forward in time, and waits end when their causes
/// end.
void expectSound(const Trace &trace) {
  for (const TraceTrack &track : trace.tracks) {
    std::vector<double> ends;
    for (const TraceSlice &slice : track.slices) {
      EXPECT_LE(slice.depth, ends.size());
      ends.resize(slice.depth);
      if (!ends.empty())
        EXPECT_LE(slice.endNs, ends.back()) << track.threadName << ": " << trace.names[slice.name];
      ends.push_back(slice.endNs);
    }
  }
  std::set<std::pair<std::pair<int64_t, int64_t>, double>> ended;
  for (const TraceFlow &flow : trace.flows) {
    EXPECT_LE(flow.from.ns, flow.to.ns);
    EXPECT_EQ(slicesAt(trace, flow.from, "arrive").size(), 1u);
    std::vector<TraceSlice> waits = slicesAt(trace, flow.to, trace.names[flow.name]);
    ASSERT_EQ(waits.size(), 1u);
    EXPECT_LE(waits[0].beginNs, flow.from.ns);
    EXPECT_TRUE(ended.insert({{flow.to.pid, flow.to.tid}, flow.to.ns}).second) << "one arrow ends a wait";
    // An arrow from a copy or a wgmma begins at its end.
    const TraceTrack *from = trackAt(trace, flow.from);
    if (from->threadName.ends_with("in flight"))
      EXPECT_TRUE(std::ranges::any_of(trace.flights, [&](const TraceFlight &flight) {
        return flight.tid == from->tid && flight.endNs == flow.from.ns;
      })) << flow.from.ns;
  }
  for (const TraceFlight &flight : trace.flights) {
    EXPECT_LT(flight.beginNs, flight.endNs);
    EXPECT_NE(trackAt(trace, {flight.pid, flight.tid, 0}), nullptr);
  }
}

int64_t countOf(const Trace &trace, std::string_view name) {
  return std::ranges::count_if(trace.flights,
                               [&](const TraceFlight &flight) { return trace.names[flight.name] == name; });
}
int64_t slicesOf(const Trace &trace, std::string_view name) {
  int64_t count = 0;
  for (const TraceTrack &track : trace.tracks)
    count +=
        std::ranges::count_if(track.slices, [&](const TraceSlice &slice) { return trace.names[slice.name] == name; });
  return count;
}

TEST(TraceFlights, CopiesOfAPipeline) {
  Trace trace =
      traceOf(R"(@kernel(grid=(2,), grid_names=("m",), scratch=[SMEM((2, 64, 64), f16), Barrier(num_barriers=2)])
def double(x: GMEM((128, 256), f16), out: Out((128, 256), f16), tiles, loaded):
  row = axis_index("m") * 64
  for i in range(4):
    slot = i % 2
    with region("load"):
      copy_gmem_to_smem(x.at[ds(row, 64), ds(i * 64, 64)], tiles.at[slot], loaded.at[slot])
      barrier_wait(loaded.at[slot])
    tiles.at[slot][...] = tiles.at[slot][...] * 2
    commit_smem()
    copy_smem_to_gmem(tiles.at[slot], out.at[ds(row, 64), ds(i * 64, 64)])
    with region("store"):
      wait_smem_to_gmem(0)
x = random((128, 256), f16)
r = run(double, x, profile=True)
assert max_error(r.outputs[0], x * 2) == 0
)");
  ASSERT_FALSE(trace.tracks.empty());
  expectSound(trace);
  EXPECT_EQ(countOf(trace, "TMA load"), 8);
  EXPECT_EQ(countOf(trace, "TMA store"), 8);
  EXPECT_EQ(slicesOf(trace, "mbarrier wait"), 8);
  EXPECT_EQ(slicesOf(trace, "copy group wait"), 8);
  EXPECT_EQ(trace.flows.size(), 16u);
  EXPECT_EQ(trace.tracks.size(), 4u); // two warpgroups, and the operations in flight of two blocks
  for (const TraceFlight &flight : trace.flights)
    EXPECT_NE(flight.detail.find("8192 bytes"), std::string::npos) << flight.detail;
  // Each wait lies in the region that the kernel put around it.
  for (const TraceTrack &track : trace.tracks)
    for (const TraceSlice &slice : track.slices)
      if (trace.names[slice.name].ends_with("wait"))
        EXPECT_EQ(slice.depth, 1u);
  // The file contains all of it.
  Result<Trace> back = core::parseGpuTrace(Source::make("t.json", core::toChromeJson(trace)));
  ASSERT_TRUE(back);
  EXPECT_TRUE(back->warnings.empty());
  EXPECT_EQ(back->flights.size(), trace.flights.size());
  EXPECT_EQ(back->flows.size(), trace.flows.size());
  expectSound(*back);
}

TEST(TraceFlights, WgmmasByGroup) {
  Trace trace = traceOf(R"(sw = (TilingTransform((8, 64)), SwizzleTransform(128))
@kernel(scratch=[SMEM((64, 64), f16, transforms=sw), SMEM((64, 64), f16, transforms=sw), Barrier(num_arrivals=2), ACC((64, 64), f32)])
def mm(a: GMEM((64, 192), f16), b: GMEM((192, 64), f16), out: Out((64, 64), f32), at, bt, loaded, acc):
  acc[...] = 0
  for step in range(3):
    copy_gmem_to_smem(a.at[:, ds(step * 64, 64)], at, loaded)
    copy_gmem_to_smem(b.at[ds(step * 64, 64), :], bt, loaded)
    barrier_wait(loaded)
    with region("multiply"):
      wgmma(acc, at, bt)
      wgmma_wait(0)
  out[...] = acc[...]
a = random((64, 192), f16, seed=3)
b = random((192, 64), f16, seed=4)
assert max_error(run(mm, a, b, profile=True).outputs[0], a.astype(f32) @ b.astype(f32)) < 1e-4
)");
  expectSound(trace);
  EXPECT_EQ(countOf(trace, "wgmma"), 3);
  EXPECT_EQ(countOf(trace, "TMA load"), 6);
  EXPECT_EQ(slicesOf(trace, "wgmma wait"), 3);
  for (const TraceFlight &flight : trace.flights)
    if (trace.names[flight.name] == "wgmma") {
      EXPECT_TRUE(flight.detail.starts_with("4 x m64n64k16, warpgroup 0, ")) << flight.detail;
      EXPECT_EQ(flight.endNs - flight.beginNs, 4 * 64 / 2); // two columns per cycle
    }
}

TEST(TraceFlights, WhatAnotherWarpgroupArrivedAt) {
  Trace trace =
      traceOf(R"(@kernel(num_threads=2, thread_name="wg", scratch=[SMEM((128,), f32), Barrier(num_arrivals=1)])
def pass_on(x: GMEM((128,), f32), out: Out((128,), f32), buffer, ready):
  with region("work"):
    if axis_index("wg") == 0:
      v = x[...]
      for i in range(20):
        v = v + exp(v * 0.0)
      buffer[...] = v
      barrier_arrive(ready)
    else:
      barrier_wait(ready)
      out[...] = buffer[...]
x = zeros((128,), f32)
assert max_error(run(pass_on, x, profile=True).outputs[0], x + 20) == 0
)");
  ASSERT_EQ(trace.tracks.size(), 2u);
  expectSound(trace);
  EXPECT_TRUE(trace.flights.empty());
  ASSERT_EQ(trace.flows.size(), 1u);
  EXPECT_TRUE(trackAt(trace, trace.flows[0].from)->threadName.ends_with("warpgroup 0"));
  EXPECT_TRUE(trackAt(trace, trace.flows[0].to)->threadName.ends_with("warpgroup 1"));
}

TEST(TraceFlights, OnlyWhenProfiled) {
  Snippet done(R"(@kernel(scratch=[SMEM((64, 64), f32), Barrier()])
def load_only(x: GMEM((64, 64), f32), out: Out((64, 64), f32), tile, loaded):
  copy_gmem_to_smem(x, tile, loaded)
  barrier_wait(loaded)
  out[...] = tile[...]
r = run(load_only, zeros((64, 64), f32))
)");
  ASSERT_TRUE(done.ok) << done.errors;
  EXPECT_FALSE(done.runtime->launches().back().result->trace);
}

/// Arrays in tensor memory have the snippet's names: one of two accumulators, and the members of a union.
TEST(TraceFlights, TensorMemoryByName) {
  std::ifstream file(std::string(LANESCOPE_SOURCE_DIR) + "/samples/kernels/tensor_memory.py");
  std::string text((std::istreambuf_iterator<char>(file)), {});
  ASSERT_FALSE(text.empty());
  text.resize(text.rfind("show("));
  Snippet done(text, {.arch = "sm_100a", .device = "emulator"});
  ASSERT_TRUE(done.ok) << done.errors;
  const KernelLaunch &launch = done.runtime->launches().back();
  const std::vector<core::TensorArray> &arrays = launch.stages->kernel->tensorArrays;
  ASSERT_EQ(arrays.size(), 3u);
  EXPECT_EQ(arrays[0].array.name, "sums");
  EXPECT_EQ(arrays[0].array.shape, (layouts::Shape{2, 128, 64}));
  EXPECT_EQ(arrays[1].array.name, "both[0]");
  EXPECT_EQ(arrays[1].array.column, 128);
  EXPECT_EQ(arrays[2].array.column, 128);
  const Trace &trace = *launch.result->trace;
  auto what = [&](std::string_view name, std::string_view words) {
    return std::ranges::any_of(trace.flights, [&](const TraceFlight &flight) {
      return trace.names[flight.name] == name && flight.detail.find(words) != std::string::npos;
    });
  };
  EXPECT_TRUE(what("TMEM sums[0]", "accumulator, columns 0 to 63, (2, 128, 64) f32 in tmem_default_layout(packing=1)"));
  EXPECT_TRUE(what("TMEM sums[1]", "accumulator, columns 64 to 127"));
  EXPECT_TRUE(what("TMEM both[0]", "stored, columns 128 to 159, (128, 64) f16 in tmem_default_layout(packing=2)"));
  EXPECT_TRUE(what("TMEM both[1]", "stored, columns 128 to 191, (128, 64) f32 in tmem_default_layout(packing=1)"));
}

} // namespace
} // namespace lanescope::repl
