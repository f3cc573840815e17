// The time from a snippet's text to PTX in a warm process: parse, evaluate, trace, infer, lower, LLVM. A user waits
// this long between a keystroke and the changed kernel's PTX.
#include "repl/kernel/Kernels.h"
#include "repl/lang/evaluate/Evaluator.h"
#include "repl/layouts/HostBuiltins.h"

#include <benchmark/benchmark.h>

#include <fstream>
#include <sstream>

using namespace lanescope;
using namespace lanescope::repl;

/// Only the kernel of samples/kernels/double.py, called once. The rest of that file checks its result.
constexpr const char *kDouble = R"(
@kernel(grid=(1,), num_threads=1,
        scratch=[SMEM((128, 128), f16, transforms=(TilingTransform((8, 64)), SwizzleTransform(128))), Barrier()])
def double(x: GMEM((128, 128), f16), out: Out((128, 128), f16), tile, loaded):
  with region("load"):
    copy_gmem_to_smem(x, tile, loaded)
    barrier_wait(loaded)
  with region("double"):
    tile[...] = tile[...] * 2
    commit_smem()
  with region("store"):
    copy_smem_to_gmem(tile, out)
    wait_smem_to_gmem(0)

double(zeros((128, 128), f16))
)";

constexpr const char *kAddOne = R"(
@kernel(grid=(1,), num_threads=1)
def add_one(x: GMEM((128, 128), f32), out: Out((128, 128), f32)):
  out[...] = x[...] + 1.0

add_one(zeros((128, 128), f32))
)";

/// One element per thread: the fixed cost of every compilation.
constexpr const char *kTiny = R"(
@kernel(grid=(1,), num_threads=1)
def add_one(x: GMEM((128,), f32), out: Out((128,), f32)):
  out[...] = x[...] + 1.0

add_one(zeros((128,), f32))
)";

/// A small kernel for a SparseCore, from its text to its module.
constexpr const char *kGatherRows = R"(
@sc_kernel(mesh=VectorSubcoreMesh(num_cores=1), chip="7x",
           scratch=[VMEM((16,), i32), VMEM((16, 64), f32), SemaphoreType.DMA])
def gather(x: GMEM((512, 64), f32), rows: GMEM((16, 16), i32), out: Out((256, 64), f32), numbers, tile, sem):
  i = axis_index("subcore")
  sync_copy(rows.at[i], numbers)
  async_copy(x.at[numbers], tile, sem).wait()
  for r in range(16):
    tile[r, ds(0, 16)] = tile[r, ds(0, 16)] * 2.0
  sync_copy(tile, out.at[ds(16 * i, 16)])

gather(zeros((512, 64), f32), zeros((16, 16), i32))
)";

/// A kernel of the library without its check, and a call of it.
static std::string fromLibrary(const char *name, const char *call) {
  std::ifstream file(std::string(LANESCOPE_SOURCE_DIR) + "/kernels/" + name + ".py");
  std::stringstream text;
  text << file.rdbuf();
  std::string whole = text.str();
  return whole.substr(0, whole.find("# The check")) + call;
}

/// A query of the layout explorer, including the names, the map and the report's tables (the goal is 1 ms).
static void conflictsBuiltin(benchmark::State &state) {
  Evaluator evaluator(hostBuiltins());
  auto source = Source::make("bench", "conflicts('ld.shared.b32', WGMMA, smem_map((128, 128), f16), f16)");
  for (auto _ : state) {
    auto report = evaluator.evaluate(source);
    if (!report) {
      state.SkipWithError(render(report.error()).c_str());
      return;
    }
    benchmark::DoNotOptimize(report);
  }
}
BENCHMARK(conflictsBuiltin)->Unit(benchmark::kMicrosecond);

static void snippetToPtx(benchmark::State &state, std::string text, bool cached = false) {
  auto kernels = std::make_shared<KernelRuntime>(KernelOptions{.device = "none"});
  for (auto _ : state) {
    Evaluator evaluator(withKernels(hostBuiltins(), kernels)); // a new evaluator, whose kernels are not in the cache
    kernels->clearLaunches();
    if (!cached)
      kernels->forgetCompiled();
    if (auto ran = evaluator.run(Source::make("snippet.py", text)); !ran) {
      state.SkipWithError(render(ran.error()).c_str());
      return;
    }
    if (kernels->launches().size() != 1 || !kernels->launches()[0].stages->kernel) {
      state.SkipWithError("no PTX");
      return;
    }
    benchmark::DoNotOptimize(kernels->launches()[0].stages->kernel->ptx.data());
  }
}
static void snippetToModule(benchmark::State &state, std::string text) {
  auto kernels = std::make_shared<KernelRuntime>(KernelOptions{.device = "none"});
  for (auto _ : state) {
    Evaluator evaluator(withKernels(hostBuiltins(), kernels));
    kernels->clearLaunches();
    if (auto ran = evaluator.run(Source::make("snippet.py", text)); !ran) {
      state.SkipWithError(render(ran.error()).c_str());
      return;
    }
    benchmark::DoNotOptimize(kernels->launches().back().stages->find("ir"));
  }
}
BENCHMARK_CAPTURE(snippetToModule, gather_rows, kGatherRows)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(snippetToPtx, double_f16_swizzle128, kDouble)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(snippetToPtx, double_f16_compiled_before, kDouble, true)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(snippetToPtx, matmul_f16_128x256,
                  fromLibrary("matmul", "make_matmul(f16)(zeros((512, 512), f16), zeros((512, 512), f16))\n"))
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(snippetToPtx, softmax_f32, fromLibrary("softmax", "make_softmax()(zeros((64, 1024), f32))\n"))
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(snippetToPtx, add_one_f32_128x128, kAddOne)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(snippetToPtx, add_one_f32_128, kTiny)->Unit(benchmark::kMillisecond);
