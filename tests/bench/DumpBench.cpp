// The time to open a folder that JAX dumped (at most 0.3 s, including the program's start), and the time of the answer
// to a changed layout.
#include "core/gpu/dumps/CompareDumps.h"
#include "core/gpu/dumps/Edits.h"
#include "core/gpu/dumps/PageText.h"
#include "layouts/Catalogue.h"

#include <benchmark/benchmark.h>

using namespace lanescope;
using namespace lanescope::core::dumps;

namespace {

constexpr const char *kFolder = LANESCOPE_SOURCE_DIR "/tests/golden/jax_dumps/wgmma_Warpgroup";

void openFolder(benchmark::State &state) {
  for (auto _ : state) {
    auto found = findDumps(kFolder);
    benchmark::DoNotOptimize(pageText(readPage(found->front())));
  }
}

void whatIf(benchmark::State &state) {
  KernelPage page = readPage(findDumps(kFolder)->front());
  constexpr size_t kProduct = 10;
  for (auto _ : state) {
    auto edited = withCast(page.module, {.op = page.dump.ops[kProduct].span,
                                         .to = layouts::RegisterLayout(layouts::catalogue::wgmmaTransposed())});
    auto after = pageOf(*edited);
    benchmark::DoNotOptimize(comparisonText(page, *after, compare(page, *after)));
  }
}

} // namespace

BENCHMARK(openFolder)->Unit(benchmark::kMillisecond);
BENCHMARK(whatIf)->Unit(benchmark::kMillisecond);
