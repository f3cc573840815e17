// The time of inference on large modules in a warm process: if one layout is changed and all others must follow, and if
// operations contradict each other.
//
// The largest modules of JAX's own tests have about 1,000 operations; these modules are generated with that size. Our
// kernels' arrays go through their own choices.
#include "core/gpu/inference/LayoutInference.h"
#include "core/gpu/inference/SystemInference.h"
#include "core/gpu/ir/Context.h"

#include "mlir/Parser/Parser.h"

#include <benchmark/benchmark.h>

using namespace lanescope::core;

namespace {

constexpr const char *kArray = "vector<64x64xf32>";

std::string any(const std::string &name) {
  return name + " = \"llvm.mlir.undef\"() : () -> " + std::string(kArray) + "\n";
}

std::string cast(const std::string &from, const std::string &to, const std::string &layout) {
  return to + " = \"mosaic_gpu.layout_cast\"(" + from + ") <{new_layout = #mosaic_gpu.TiledLayout<" + layout +
         ">}> : (" + kArray + ") -> " + kArray + "\n";
}

/// A chain of products with constants. Its end, or another array that is added there, has a layout.
std::string chain(int length, bool contradicts) {
  const std::string wgmma = "[[64, 8], [16, 8], [8, 8], [2]], warp_dims = [-7], lane_dims = [-3, -2], vector_dim = -1",
                    transposed = "[[64, 8], [16, 8], [8, 8], [2, 2], [2, 1]], warp_dims = [-10], lane_dims = [-6, -3, "
                                 "-5], vector_dim = -2";
  std::string text = "\"builtin.module\"() ({\n" + any("%u") + cast("%u", "%v0", wgmma);
  for (int i = 0; i < length; ++i) {
    const std::string n = std::to_string(i), next = std::to_string(i + 1);
    text +=
        "%c" + n + " = \"arith.constant\"() <{value = dense<" + n + ".5> : " + kArray + "}> : () -> " + kArray + "\n";
    text += "%v" + next + " = \"arith.mulf\"(%v" + n + ", %c" + n + ") <{fastmath = #arith.fastmath<none>}> : (" +
            kArray + ", " + kArray + ") -> " + kArray + "\n";
  }
  text += any("%w") + cast("%w", "%t", contradicts ? transposed : wgmma);
  return text + "%s = \"arith.addf\"(%v" + std::to_string(length) + ", %t) <{fastmath = #arith.fastmath<none>}> : (" +
         kArray + ", " + kArray + ") -> " + kArray + "\n}) : () -> ()\n";
}

/// A chain in which each array is combined with its own row sums.
std::string sums(int length, bool contradicts) {
  const std::string row = "vector<64xf32>";
  std::string text = chain(0, contradicts), middle;
  for (int i = 0; i < length; ++i) {
    const std::string n = std::to_string(i);
    middle += "%z" + n + " = \"arith.constant\"() <{value = dense<0.0> : " + row + "}> : () -> " + row + "\n";
    middle += "%r" + n + " = \"vector.multi_reduction\"(%v" + n + ", %z" + n +
              ") <{kind = #vector.kind<add>, reduction_dims = array<i64: 1>}> : (" + kArray + ", " + row + ") -> " +
              row + "\n";
    middle += "%b" + n + " = \"mosaic_gpu.broadcast_in_dim\"(%r" + n +
              ") <{broadcast_dimensions = array<i64: 0>}> : (" + row + ") -> " + kArray + "\n";
    middle += "%v" + std::to_string(i + 1) + " = \"arith.addf\"(%v" + n + ", %b" + n +
              ") <{fastmath = #arith.fastmath<none>}> : (" + kArray + ", " + kArray + ") -> " + kArray + "\n";
  }
  text.insert(text.find("%w = "), middle);
  const size_t end = text.rfind("(%v0, %t)");
  return text.replace(end, 4, "(%v" + std::to_string(length));
}

void infer(benchmark::State &state, bool contradicts, bool reduces) {
  auto context = makeMlirContext();
  context->printOpOnDiagnostic(false);
  mlir::ScopedDiagnosticHandler silence(context.get(), [](mlir::Diagnostic &) { return mlir::success(); });
  mlir::ParserConfig config(context.get(), /*verifyAfterParse=*/false);
  const int operations = static_cast<int>(state.range(0));
  auto module = mlir::parseSourceString<mlir::ModuleOp>(
      reduces ? sums(operations / 4, contradicts) : chain(operations / 2, contradicts), config);
  if (!module) {
    state.SkipWithError("no module");
    return;
  }
  for (auto _ : state)
    if (mlir::succeeded(inferBySystem(*module, {})) == contradicts)
      state.SkipWithError("another outcome");
}

/// One of our kernels: loads that are added up, each after its row sums if `reduces`.
void layOut(benchmark::State &state, bool reduces) {
  auto context = makeMlirContext();
  const int operations = static_cast<int>(state.range(0));
  std::string text = "func.func @k(%x: memref<64x64xf32>) {\n"
                     "%z = arith.constant dense<0.0> : vector<64xf32>\n"
                     "%v0 = \"mosaic_gpu.vector_load\"(%x) : (memref<64x64xf32>) -> vector<64x64xf32>\n";
  for (int i = 0; i < operations / (reduces ? 4 : 2); ++i) {
    const std::string n = std::to_string(i), next = std::to_string(i + 1);
    text += "%l" + n + " = \"mosaic_gpu.vector_load\"(%x) : (memref<64x64xf32>) -> vector<64x64xf32>\n";
    std::string add = "%l" + n;
    if (reduces) {
      text += "%r" + n + " = vector.multi_reduction <add>, %l" + n + ", %z [1] : vector<64x64xf32> to vector<64xf32>\n";
      text += "%b" + n + " = mosaic_gpu.broadcast_in_dim(%r" + n +
              " : vector<64xf32>) {broadcast_dimensions = array<i64: 0>} -> vector<64x64xf32>\n";
      add = "%b" + n;
    }
    text += "%v" + next + " = arith.addf %v" + n + ", " + add + " : vector<64x64xf32>\n";
  }
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text + "return\n}\n", context.get());
  if (!module) {
    state.SkipWithError("no module");
    return;
  }
  for (auto _ : state) {
    state.PauseTiming();
    forgetLayouts(*module);
    state.ResumeTiming();
    if (mlir::failed(inferLayouts(*module)))
      state.SkipWithError("no layouts");
  }
}

} // namespace

BENCHMARK_CAPTURE(infer, again, false, false)->Arg(1000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(infer, contradiction, true, false)->Arg(1000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(infer, contradiction_of_sums, true, true)->Arg(1000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(layOut, kernel, false)->Arg(1000)->Arg(4000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(layOut, kernel_of_sums, true)->Arg(1000)->Arg(4000)->Unit(benchmark::kMillisecond);
