// Element maps at memory speed: forward, inverse, and the shared-memory image. items_per_second counts elements. The
// maps of other languages' layouts must take at most 1.5 ms for 1024 x 1024 elements in each direction.

#include "core/data/FreedMemory.h"
#include "layouts/Catalogue.h"
#include "layouts/ElementMap.h"
#include "layouts/notation/Notation.h"
#include "layouts/Placement.h"
#include "layouts/SharedMemory.h"

#include <benchmark/benchmark.h>

#include <ctime>

using namespace lanescope::layouts;

namespace {

const bool kKeeps = lanescope::core::keepFreedMemory(); // as in the program `lanescope`

void forwardMap(benchmark::State &state) {
  Shape shape = {state.range(0), state.range(0)};
  for (auto _ : state) {
    auto map = ElementMap::of(catalogue::wgmma(), shape);
    benchmark::DoNotOptimize(map->elements().data());
  }
  state.SetItemsProcessed(state.iterations() * elementCount(shape));
}
BENCHMARK(forwardMap)->Name("wgmma/forward")->Arg(64)->Arg(1024)->Arg(4096)->Unit(benchmark::kMicrosecond);

/// The forward and inverse tables together. The first query builds the inverse.
void bothMaps(benchmark::State &state) {
  Shape shape = {state.range(0), state.range(0)};
  for (auto _ : state) {
    auto map = ElementMap::of(catalogue::wgmma(), shape);
    benchmark::DoNotOptimize(map->slots(0).data());
  }
  state.SetItemsProcessed(state.iterations() * elementCount(shape));
}
BENCHMARK(bothMaps)->Name("wgmma/forward+inverse")->Arg(1024)->Arg(4096)->Unit(benchmark::kMicrosecond);

void transposedMap(benchmark::State &state) {
  Shape shape = {1024, 1024};
  for (auto _ : state) {
    auto map = ElementMap::of(catalogue::wgmmaTransposed(), shape);
    benchmark::DoNotOptimize(map->slots(0).data());
  }
  state.SetItemsProcessed(state.iterations() * elementCount(shape));
}
BENCHMARK(transposedMap)->Name("wgmma_transposed/forward+inverse")->Unit(benchmark::kMicrosecond);

void stridedMap(benchmark::State &state) {
  Shape shape = {1024, 1024};
  auto layout = WGStridedFragLayout::make(shape, 4);
  for (auto _ : state) {
    auto map = ElementMap::of(*layout, shape);
    benchmark::DoNotOptimize(map->slots(0).data());
  }
  state.SetItemsProcessed(state.iterations() * elementCount(shape));
}
BENCHMARK(stridedMap)->Name("strided/forward+inverse")->Unit(benchmark::kMicrosecond);

void smemImage(benchmark::State &state) {
  auto map = SmemMap::of({1024, 1024}, 16, {8, 64}, 128);
  for (auto _ : state)
    benchmark::DoNotOptimize(map->image().data());
  state.SetItemsProcessed(state.iterations() * map->elements());
}
BENCHMARK(smemImage)->Name("smem/image")->Unit(benchmark::kMicrosecond);

/// The processor time of this thread in seconds; other work on the machine does not count.
double threadSeconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// One table of 1024 x 1024 elements: the forward one, or the inverse one if the forward one exists.
void foreignMap(benchmark::State &state, const char *text, bool inverse) {
  Shape shape = {1024, 1024};
  auto layout = parseLayout(lanescope::Source::make("bench", text));
  if (!layout)
    return state.SkipWithError(layout.error().front().message.c_str());
  for (auto _ : state) {
    double start = threadSeconds();
    auto map = elementMapOf(*layout, shape);
    if (!map)
      return state.SkipWithError(map.error().front().message.c_str());
    benchmark::DoNotOptimize(map->elements().data());
    double between = threadSeconds();
    if (inverse)
      benchmark::DoNotOptimize(map->slots(0).data());
    state.SetIterationTime(inverse ? threadSeconds() - between : between - start);
  }
  state.SetItemsProcessed(state.iterations() * elementCount(shape));
}

struct ForeignCase {
  const char *name, *text;
};
constexpr ForeignCase kForeign[] = {
    {"triton_blocked", "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], "
                       "order = [1, 0]}>"},
    {"triton_blocked_columns", "#ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], "
                               "order = [0, 1]}>"},
    {"triton_mma_v2", "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = "
                      "[16, 8]}>"},
    {"triton_mma_v3", "#ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = "
                      "[16, 64, 16]}>"},
    {"triton_dot_operand", "#ttg.dot_op<{opIdx = 0, parent = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, "
                           "warpsPerCTA = [2, 2], instrShape = [16, 8]}>, kWidth = 2}>"},
    {"triton_slice", "#ttg.slice<{dim = 2, parent = #ttg.blocked<{sizePerThread = [1, 2, 2], threadsPerWarp = "
                     "[4, 8, 1], warpsPerCTA = [2, 2, 1], order = [2, 1, 0]}>}>"},
    {"triton_slice_copies", "#ttg.slice<{dim = 2, parent = #ttg.blocked<{sizePerThread = [1, 2, 1], threadsPerWarp = "
                            "[4, 4, 2], warpsPerCTA = [2, 2, 1], order = [2, 1, 0]}>}>"},
    {"triton_linear_xor",
     "#ttg.linear<{register = [[0, 1], [0, 2], [0, 128], [0, 256], [0, 512], [64, 0], [128, 0], [256, 0], [512, 0]], "
     "lane = [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], warp = [[0, 32], [0, 64]], block = [[4, 0], [8, 0], [16, 0], "
     "[32, 0]]}>"},
    {"linear_xor",
     "- register=1 -> (0, 1)\n  register=2 -> (0, 2)\n  register=4 -> (1, 8)\n  register=8 -> (2, 16)\n  register=16 "
     "-> (4, 32)\n  register=32 -> (8, 64)\n  register=64 -> (16, 128)\n  register=128 -> (32, 256)\n  register=256 "
     "-> (64, 512)\n- lane=1 -> (0, 4)\n  lane=2 -> (0, 8)\n  lane=4 -> (0, 16)\n  lane=8 -> (0, 32)\n  lane=16 -> "
     "(0, 64)\n- warp=1 -> (0, 128)\n  warp=2 -> (0, 256)\n  warp=4 -> (0, 512)\n  warp=8 -> (128, 0)\n  warp=16 -> "
     "(256, 0)\n  warp=32 -> (512, 0)\n- block is a size 1 dimension\nwhere out dims are: [dim0 (size 1024), dim1 "
     "(size 1024)]"},
    {"cute_tv", "((_4,_8,_4),(_2,_2,(_128,_16))):((_2048,_1,_16),(_1024,_8,(_8192,_64)))"},
    {"cute_tv_rows", "((_32,_4),(_8,(_4,_256))):((_1024,_262144),(_32768,(_1,_4)))"},
    {"cute_tv_coordinates", "((4,8,4),(2,2,(128,16))):((2@1,1@0,16@0),(1@1,8@0,(8@1,64@0)))"},
    {"cute_tv_swizzled", "Sw<3,4,3> o _0 o ((_4,_8,_4),(_2,_2,(_128,_16))):((_2048,_1,_16),(_1024,_8,(_8192,_64)))"},
    {"cute_tv_copies", "((_2,_4,_16),(_8,(_64,_32))):((_0,_8192,_1),(_1024,(_16,_32768)))"},
    {"tilus", "local(64, 16) * spatial(4, 8) * local(2, 2) * spatial(2, 4)"},
    {"tilus_copies", "local(64, 32).spatial(4, 8).local(4, 4) * replicated(1, 1, num_workers=2)"},
    {"tirx", "S[(64, 2, 8, 128, 4, 2):(512@m, 2@m, 4@laneid, 4@m, 1@laneid, 1@m)]"},
    {"tirx_copies_offset", "S[(64, 2, 8, 128, 4, 2):(512, 2, 4@laneid, 4, 1@laneid, 1)] + R[2:2@warpid] + 1@warpid"},
    {"tilelang",
     "Fragment([1024, 1024] -> [8192], replicate: 1, thread: 128, forward_thread: _i // 16 % 4 * 32 + _i % 8 * 4 + "
     "_j % 8 // 2, forward_index: [_i // 64 * 512 + _j // 8 * 4 + _i % 16 // 8 * 2 + _j % 2])"},
};

const bool kRegistered = [] {
  for (const ForeignCase &each : kForeign)
    for (bool inverse : {false, true})
      benchmark::RegisterBenchmark((std::string(each.name) + (inverse ? "/inverse" : "/forward")).c_str(), foreignMap,
                                   each.text, inverse)
          ->UseManualTime()
          ->Unit(benchmark::kMicrosecond);
  return true;
}();

} // namespace
