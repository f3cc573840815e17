// Emulated warp instructions per second, one core: integer arithmetic, fused multiply-adds, packed f16, loads and
// stores, and JAX's TMA kernel as a whole.
#include "core/emulator/Emulator.h"

#include <benchmark/benchmark.h>
#include <cstring>
#include <fstream>
#include <sstream>

namespace lanescope::core {
namespace {

std::string loopKernel(const std::string &body) {
  return ".version 9.0\n.target sm_90a\n.address_size 64\n.extern .shared .align 16 .b8 smem[];\n"
         ".visible .entry k(.param .u64 p0)\n{\n.reg .pred %p<4>;\n.reg .b32 %r<40>;\n.reg .b64 %d<10>;\n"
         "ld.param.u64 %d0, [p0];\nmov.u32 %r0, %tid.x;\nmul.wide.u32 %d1, %r0, 16;\nadd.s64 %d2, %d0, %d1;\n"
         "mov.b64 %d3, smem;\nadd.s64 %d4, %d3, %d1;\nmov.b32 %r1, 0;\nmov.b32 %r2, 0f3F800000;\nmov.b32 %r3, "
         "0f3F000000;\n"
         "LOOP:\n" +
         body +
         "add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, 2000;\n@%p1 bra LOOP;\nst.global.b32 [%d2], %r2;\nret;\n}\n";
}

void measure(benchmark::State &state, const std::string &ptx, const Launch &launch) {
  std::vector<Array> arrays;
  for (const BufferSpec *buffer : launch.buffers())
    arrays.push_back(Array::zeros(buffer->dtype, buffer->shape));
  uint64_t instructions = 0;
  SourceRef source = Source::make("k.ptx", ptx);
  for (auto _ : state) {
    EmulatorStatistics statistics;
    auto result = emulate(source, launch, arrays, {}, &statistics);
    if (!result || !result->diagnostics.empty()) {
      state.SkipWithError("the kernel failed");
      return;
    }
    instructions += statistics.warpInstructions;
  }
  state.counters["warp_instructions_per_s"] =
      benchmark::Counter(static_cast<double>(instructions), benchmark::Counter::kIsRate); // of processor time
}

void loop(benchmark::State &state, const std::string &line) {
  std::string body;
  for (int n = 0; n < 16; ++n)
    body += line + "\n";
  Launch launch;
  launch.entry = "k";
  launch.dynamicSmem = 4096;
  launch.block = {128, 1, 1};
  BufferSpec buffer;
  buffer.dtype = Dtype::U32;
  buffer.shape = {512};
  launch.params.push_back(BufferParam{buffer});
  measure(state, loopKernel(body), launch);
}

void dump(benchmark::State &state, const std::string &name) {
  std::string folder = std::string(LANESCOPE_SOURCE_DIR) + "/tests/golden/jax_dumps/" + name;
  auto read = [&](const std::string &file) {
    std::ifstream in(folder + "/" + file);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
  };
  auto launch = parseLaunch(Source::make("launch.json", read("launch.json")));
  if (!launch) {
    state.SkipWithError("no launch");
    return;
  }
  launch->grid = {256, 1, 1};
  measure(state, read("kernel.ptx"), *launch);
}

BENCHMARK_CAPTURE(loop, integers, "xor.b32 %r2, %r2, %r0;");
BENCHMARK_CAPTURE(loop, fma_f32, "fma.rn.f32 %r2, %r2, %r3, %r3;");
BENCHMARK_CAPTURE(loop, add_f16x2, "add.f16x2 %r2, %r2, %r3;");
BENCHMARK_CAPTURE(loop, fma_f16x2, "fma.rn.f16x2 %r2, %r2, %r3, %r3;");
BENCHMARK_CAPTURE(loop, cvt_f16x2_f32, "cvt.rn.f16x2.f32 %r2, %r3, %r3;");
BENCHMARK_CAPTURE(loop, compares, "setp.lt.s32 %p2, %r2, %r0;");
BENCHMARK_CAPTURE(loop, load_shared, "ld.shared.v4.b32 {%r4, %r5, %r6, %r7}, [%d4];");
BENCHMARK_CAPTURE(loop, store_shared, "st.shared.v4.b32 [%d4], {%r4, %r5, %r6, %r7};");
BENCHMARK_CAPTURE(loop, load_global, "ld.global.b32 %r4, [%d2];");
BENCHMARK_CAPTURE(loop, shuffles, "shfl.sync.bfly.b32 %r4, %r2, 1, 31, -1;");
BENCHMARK_CAPTURE(dump, add_128x128_256_blocks, "add_Warpgroup");
BENCHMARK_CAPTURE(dump, tma_128x128_256_blocks, "tma_Lane");
BENCHMARK_CAPTURE(dump, wgmma_64x128x64_256_blocks, "wgmma_Warpgroup");

} // namespace
} // namespace lanescope::core
