// The time of cost queries: conflicts, relayouts and coalescing of a 128x128 tile, including the maps (the goal is 1 ms
// each).

#include "core/data/FreedMemory.h"
#include "layouts/Catalogue.h"
#include "layouts/cost/Coalescing.h"
#include "layouts/cost/Conflicts.h"
#include "layouts/cost/Relayout.h"

#include <benchmark/benchmark.h>

using namespace lanescope::layouts;

namespace {

const bool kKeeps = lanescope::core::keepFreedMemory(); // as in the program `lanescope`
const Shape kTile = {128, 128};

void conflictsOf(benchmark::State &state, const char *access, int bits, int64_t columns, std::optional<int> swizzle) {
  SmemOp op = *parseSmemOp(access);
  for (auto _ : state) {
    auto map = ElementMap::of(catalogue::wgmma(), kTile);
    auto memory = AddressMap::of(*SmemMap::of(kTile, bits, {8, columns}, swizzle));
    auto report = conflicts(op, *map, memory);
    benchmark::DoNotOptimize(report->wavefronts);
  }
}
BENCHMARK_CAPTURE(conflictsOf, f16_b32_swizzled, "ld.shared.b32", 16, 64, 128)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(conflictsOf, f16_b16_unswizzled, "st.shared.b16", 16, 64, std::nullopt)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(conflictsOf, f32_b64_swizzled, "ld.shared.b64", 32, 32, 128)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(conflictsOf, ldmatrix_x4, "ldmatrix.x4", 16, 64, 128)->Unit(benchmark::kMicrosecond);

void planned(benchmark::State &state, int bits, int64_t columns) {
  for (auto _ : state) {
    auto memory = TransferMemory::of(*SmemMap::of(kTile, bits, {8, columns}, 128));
    auto report = plannedConflicts(true, catalogue::wgmma(), memory);
    benchmark::DoNotOptimize(report->wavefronts);
  }
}
BENCHMARK_CAPTURE(planned, f16, 16, 64)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(planned, f32_staggered, 32, 32)->Unit(benchmark::kMicrosecond);

void relayoutOf(benchmark::State &state, const TiledLayout &from, const TiledLayout &to, int bits) {
  Layout a = RegisterLayout(from), b = RegisterLayout(to);
  for (auto _ : state) {
    auto report = relayout(a, b, kTile, bits);
    benchmark::DoNotOptimize(report->moves.data());
  }
}
BENCHMARK_CAPTURE(relayoutOf, transpose_f16, catalogue::wgmma(), catalogue::wgmmaTransposed(), 16)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(relayoutOf, upcast_f16, catalogue::wgmmaUpcast4x(), catalogue::wgmma(), 16)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(relayoutOf, other_warps_f32, catalogue::wgmma(), catalogue::tcgen05(), 32)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(relayoutOf, other_warps_f8, catalogue::wgmma(), *catalogue::tmemNative(2), 8)
    ->Unit(benchmark::kMicrosecond);

void coalescingOf(benchmark::State &state) {
  for (auto _ : state) {
    auto map = ElementMap::of(catalogue::wgmma(), kTile);
    auto report = coalescing(*map, {128, 1}, 16);
    benchmark::DoNotOptimize(report->sectors);
  }
}
BENCHMARK(coalescingOf)->Unit(benchmark::kMicrosecond);

} // namespace
