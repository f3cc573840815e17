// Element maps at memory speed: forward, inverse, and the shared-memory image. items_per_second counts elements.

#include "core/Memory.h"
#include "layouts/Catalogue.h"
#include "layouts/ElementMap.h"
#include "layouts/SharedMemory.h"

#include <benchmark/benchmark.h>

using namespace lanescope::layouts;

namespace {

const bool kKeeps = lanescope::core::keepFreedMemory(); // as the program does

void forwardMap(benchmark::State &state) {
  Shape shape = {state.range(0), state.range(0)};
  for (auto _ : state) {
    auto map = ElementMap::of(catalogue::wgmma(), shape);
    benchmark::DoNotOptimize(map->elements().data());
  }
  state.SetItemsProcessed(state.iterations() * elementCount(shape));
}
BENCHMARK(forwardMap)->Name("wgmma/forward")->Arg(64)->Arg(1024)->Arg(4096)->Unit(benchmark::kMicrosecond);

/// Forward and inverse tables together: the inverse is built on the first question.
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

} // namespace
