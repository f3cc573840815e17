// The time from the IR text of a small kernel to PTX in a warm process, which a user waits after typing.
//
// The benchmark reads files of tests/lit/lowering/, so that it measures what the tests check.
#include "core/gpu/codegen/Compiler.h"

#include <benchmark/benchmark.h>

#include <fstream>
#include <sstream>

using namespace lanescope;
using namespace lanescope::core;

static SourceRef kernelText(const char *name) {
  std::ifstream file(std::string(LANESCOPE_SOURCE_DIR) + "/tests/lit/lowering/" + name);
  std::stringstream text;
  text << file.rdbuf();
  return Source::make(name, text.str());
}

static void compileText(benchmark::State &state, const char *name) {
  Compiler compiler;
  SourceRef source = kernelText(name);
  for (auto _ : state) {
    auto module = parseModule(compiler.context(), source);
    if (!module) {
      state.SkipWithError(render(module.error()).c_str());
      return;
    }
    KernelStages stages = compiler.compile(std::move(*module), {});
    if (!stages.kernel) {
      state.SkipWithError(render(stages.diagnostics).c_str());
      return;
    }
    benchmark::DoNotOptimize(stages.kernel->ptx.data());
  }
}
BENCHMARK_CAPTURE(compileText, double_f16_swizzle128, "double.mlir")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(compileText, add_f32_global, "add.mlir")->Unit(benchmark::kMillisecond);
