// How long inference takes on large modules in a warm process: when a layout is changed and all others are to follow,
// and when operations contradict each other.
//
// The largest modules of JAX's own tests have some 1,000 operations; these are generated, of that size.
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

/// A chain of products with constants, its end (or another array that is added there) in a layout.
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

void infer(benchmark::State &state, bool contradicts) {
  auto context = makeMlirContext();
  context->printOpOnDiagnostic(false);
  mlir::ScopedDiagnosticHandler silence(context.get(), [](mlir::Diagnostic &) { return mlir::success(); });
  mlir::ParserConfig config(context.get(), /*verifyAfterParse=*/false);
  auto module =
      mlir::parseSourceString<mlir::ModuleOp>(chain(static_cast<int>(state.range(0)) / 2, contradicts), config);
  for (auto _ : state)
    if (mlir::succeeded(inferBySystem(*module, {})) == contradicts)
      state.SkipWithError("another outcome");
}

} // namespace

BENCHMARK_CAPTURE(infer, again, false)->Arg(1000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(infer, contradiction, true)->Arg(1000)->Unit(benchmark::kMillisecond);
