// The debugger on the first launch of the library's matmul check (kernels/matmul.py: f16, six persistent blocks):
//
//   free, debugged      a whole run with checks on one thread, without the debugger, and under it with no stop; seconds
//                       of the run alone. `checkpoints` and `checkpoint_mib` describe the debugger's checkpoints.
//   back/10000          10,000 instructions back from places all over the run; `worst_ms` is the slowest step
//   print               the value of an array by its registers' markers, in the middle of the run
#include "core/gpu/emulator/debug/Debugger.h"
#include "core/gpu/emulator/Emulator.h"
#include "repl/session/Debug.h"
#include "repl/session/Session.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>
#include <random>

namespace lanescope {
namespace {

const repl::DebugTarget &matmul() {
  static const repl::DebugTarget target = [] {
    repl::KernelOptions kernels{.arch = "sm_90a", .device = "none", .recordInputs = true, .markValues = true};
    repl::Session session({.kernels = kernels, .checkAssertions = false});
    std::ifstream in(LANESCOPE_SOURCE_DIR "/kernels/matmul.py");
    std::string text{std::istreambuf_iterator<char>(in), {}};
    (void)session.run(Source::make("matmul.py", text)); // the check then compares zeros
    auto made = repl::debugTarget(session.kernels().launches().at(0), kernels);
    return made ? *made : repl::DebugTarget();
  }();
  return target;
}

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

std::unique_ptr<core::Debugger> opened(benchmark::State &state) {
  auto debugger = core::Debugger::open(matmul().ptx, matmul().launch, matmul().arrays,
                                       {.snippet = matmul().snippet, .timeoutSeconds = 600});
  if (debugger)
    return std::move(*debugger);
  state.SkipWithError("the kernel cannot be debugged");
  return nullptr;
}

void freeRun(benchmark::State &state) {
  for (auto _ : state) {
    core::EmulatorStatistics statistics;
    auto result = core::emulate(matmul().ptx, matmul().launch, matmul().arrays,
                                {.snippet = matmul().snippet, .threads = 1, .timeoutSeconds = 600}, &statistics);
    if (!result || hasErrors(result->diagnostics))
      return state.SkipWithError("the kernel failed");
    state.SetIterationTime(statistics.seconds);
    state.counters["warp_instructions"] = static_cast<double>(statistics.warpInstructions);
  }
}

void debugged(benchmark::State &state) {
  for (auto _ : state) {
    auto debugger = opened(state);
    if (!debugger)
      return;
    double begin = seconds();
    if (debugger->resume().reason != core::StopReason::End)
      return state.SkipWithError("it did not come to the end");
    state.SetIterationTime(seconds() - begin);
    state.counters["checkpoints"] = static_cast<double>(debugger->checkpoints().count);
    state.counters["checkpoint_mib"] = static_cast<double>(debugger->checkpoints().bytes) / (1 << 20);
  }
}

void back(benchmark::State &state) {
  auto debugger = opened(state);
  if (!debugger)
    return;
  uint64_t end = debugger->resume().moment;
  std::mt19937_64 random(1);
  auto count = static_cast<uint64_t>(state.range(0));
  double worst = 0;
  for (auto _ : state) {
    debugger->goTo(count + random() % (end - count));
    double begin = seconds();
    debugger->step(core::StepBy::Moment, core::Way::Back, count);
    double took = seconds() - begin;
    worst = std::max(worst, took);
    state.SetIterationTime(took);
  }
  state.counters["worst_ms"] = worst * 1000;
}

void print(benchmark::State &state) {
  auto debugger = opened(state);
  if (!debugger)
    return;
  repl::MarkedValues values(matmul());
  const repl::MarkedValue *result = values.find("result");
  uint64_t end = debugger->resume().moment;
  debugger->goTo(end * 9 / 10);
  for (auto _ : state)
    if (auto found = repl::recover(*debugger, matmul(), *result, {debugger->stop().warp.block, 0}); !found)
      return state.SkipWithError("`result` has no value");
}

BENCHMARK(freeRun)->Name("free")->UseManualTime()->Unit(benchmark::kMillisecond)->MinTime(2);
BENCHMARK(debugged)->Name("debugged")->UseManualTime()->Unit(benchmark::kMillisecond)->MinTime(2);
BENCHMARK(back)->Name("back")->Arg(10'000)->UseManualTime()->Unit(benchmark::kMillisecond)->Iterations(60);
BENCHMARK(print)->Name("print")->Unit(benchmark::kMillisecond)->Iterations(10);

} // namespace
} // namespace lanescope
