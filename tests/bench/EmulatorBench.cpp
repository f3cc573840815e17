// Emulated warp instructions per second. Families of instructions in the fast mode on one core; and four kernels
// (JAX's elementwise, TMA and wgmma kernels, a transposition through shared memory with a sum across lanes) in the fast
// mode and with checks, on one core and on all: `KERNEL/checks:0|1/threads:1|0`. Each block has rows of the output of
// its own, but in `same_bytes`, which the checks have to judge in order. Times are those of the run alone, without
// decoding and the arrays' way in and out. `peak_mib`: of the process so far.
#include "core/gpu/emulator/Emulator.h"

#include <benchmark/benchmark.h>
#include <cstring>
#include <fstream>
#include <random>
#include <sstream>
#include <sys/resource.h>

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

/// Floats of either sign from 0.5 to 1; sums of zeros would take a shorter way.
void fill(Array &array) {
  std::mt19937 random(1);
  size_t size = array.dtype == Dtype::F16 ? 2 : array.dtype == Dtype::F32 ? 4 : 0;
  for (size_t at = 0; size && at + size <= array.bytes.size(); at += size) {
    auto bits = static_cast<uint32_t>(random());
    bits = size == 2 ? 0x3800u | (bits & 0x83FFu) : 0x3F000000u | (bits & 0x807FFFFFu);
    std::memcpy(array.bytes.data() + at, &bits, size); // the lower half first
  }
}

void measure(benchmark::State &state, const std::string &ptx, const Launch &launch, const EmulatorOptions &options) {
  std::vector<Array> arrays;
  for (const BufferSpec *buffer : launch.buffers()) {
    arrays.push_back(Array::zeros(buffer->dtype, buffer->shape));
    fill(arrays.back());
  }
  uint64_t instructions = 0;
  SourceRef source = Source::make("k.ptx", ptx);
  for (auto _ : state) {
    EmulatorStatistics statistics;
    auto result = emulate(source, launch, arrays, options, &statistics);
    if (!result || !result->diagnostics.empty()) {
      state.SkipWithError("the kernel failed");
      return;
    }
    instructions += statistics.warpInstructions;
    state.SetIterationTime(statistics.seconds);
  }
  state.counters["warp_instructions_per_s"] =
      benchmark::Counter(static_cast<double>(instructions), benchmark::Counter::kIsRate);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  state.counters["peak_mib"] = static_cast<double>(usage.ru_maxrss) / 1024;
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
  EmulatorOptions options;
  options.instant = true;
  options.threads = 1;
  measure(state, loopKernel(body), launch, options);
}

EmulatorOptions optionsOf(const benchmark::State &state) {
  EmulatorOptions options;
  options.instant = state.range(0) == 0;
  options.threads = static_cast<uint32_t>(state.range(1));
  options.timeoutSeconds = 600; // under callgrind too
  return options;
}

/// Eight warps a block turn 32 x 32 tiles of f32 through shared memory, 64 times, and add up each row across lanes.
void transposition(benchmark::State &state) {
  static const char kPtx[] = R"(.version 9.0
.target sm_90a
.address_size 64
.shared .align 16 .b8 tile[4224];
.visible .entry k(.param .u64 p0)
{
.reg .pred %p<4>;
.reg .b32 %r<20>;
.reg .f32 %f<20>;
.reg .b64 %d<10>;
ld.param.u64 %d0, [p0];
mov.u32 %r0, %tid.x;
and.b32 %r1, %r0, 31;
shr.u32 %r2, %r0, 5;
mov.u32 %r3, %ctaid.x;
shl.b32 %r4, %r3, 10;
shl.b32 %r5, %r2, 5;
add.u32 %r4, %r4, %r5;
add.u32 %r4, %r4, %r1;
mul.wide.u32 %d1, %r4, 4;
add.s64 %d2, %d0, %d1;
mov.u32 %r6, tile;
mad.lo.u32 %r7, %r2, 132, %r6;
mad.lo.u32 %r7, %r1, 4, %r7;
mad.lo.u32 %r8, %r1, 132, %r6;
mad.lo.u32 %r8, %r2, 4, %r8;
mov.b32 %r9, 0;
LOOP:
ld.global.f32 %f0, [%d2];
ld.global.f32 %f1, [%d2+1024];
ld.global.f32 %f2, [%d2+2048];
ld.global.f32 %f3, [%d2+3072];
st.shared.f32 [%r7], %f0;
st.shared.f32 [%r7+1056], %f1;
st.shared.f32 [%r7+2112], %f2;
st.shared.f32 [%r7+3168], %f3;
bar.sync 0;
ld.shared.f32 %f4, [%r8];
ld.shared.f32 %f5, [%r8+32];
ld.shared.f32 %f6, [%r8+64];
ld.shared.f32 %f7, [%r8+96];
bar.sync 0;
mov.f32 %f8, %f4;
shfl.sync.bfly.b32 %f9, %f8, 16, 31, -1;
add.f32 %f8, %f8, %f9;
shfl.sync.bfly.b32 %f9, %f8, 8, 31, -1;
add.f32 %f8, %f8, %f9;
shfl.sync.bfly.b32 %f9, %f8, 4, 31, -1;
add.f32 %f8, %f8, %f9;
shfl.sync.bfly.b32 %f9, %f8, 2, 31, -1;
add.f32 %f8, %f8, %f9;
shfl.sync.bfly.b32 %f9, %f8, 1, 31, -1;
add.f32 %f8, %f8, %f9;
fma.rn.f32 %f4, %f8, 0f3A000000, %f4;
st.global.f32 [%d2], %f4;
st.global.f32 [%d2+1024], %f5;
st.global.f32 [%d2+2048], %f6;
st.global.f32 [%d2+3072], %f7;
add.u32 %r9, %r9, 1;
setp.lt.u32 %p1, %r9, 64;
@%p1 bra LOOP;
ret;
}
)";
  Launch launch;
  launch.entry = "k";
  launch.grid = {128, 1, 1};
  launch.block = {256, 1, 1};
  BufferSpec buffer;
  buffer.dtype = Dtype::F32;
  buffer.shape = {128 * 1024};
  launch.params.push_back(BufferParam{buffer});
  measure(state, kPtx, launch, optionsOf(state));
}

constexpr uint32_t kBlocks = 256;

/// What gives each block of a dump, made for one, rows of the output of its own: PTX that takes the place of a piece,
/// and the output's parameter and tensor map.
struct OwnRows {
  std::string piece, instead;
  size_t param = 0, buffer = 0, map = 0;
};
const OwnRows kAdd{"add.s64 \t%rd7, %rd4, %rd5;",
                   "{ .reg .b32 %block; .reg .b64 %rows; mov.u32 %block, %ctaid.x; mul.wide.u32 %rows, %block, 65536;\n"
                   "add.s64 %rd7, %rd4, %rd5; add.s64 %rd7, %rd7, %rows; }",
                   1};
const OwnRows kTma{"@%p3 cp.async.bulk.tensor.4d.global.shared::cta.bulk_group [%rd2, {%r5, %r5, %r5, %r5} ], [%r4];",
                   "{ .reg .b32 %rows; mov.u32 %rows, %ctaid.x; shl.b32 %rows, %rows, 4;\n@%p3 "
                   "cp.async.bulk.tensor.4d.global.shared::cta.bulk_group [%rd2, {%r5, %r5, %r5, %rows}], [%r4]; }",
                   0, 1, 1};
const OwnRows kWgmma{
    "add.s64 \t%rd22, %rd12, %rd21;",
    "{ .reg .b32 %block; .reg .b64 %rows; mov.u32 %block, %ctaid.x; mul.wide.u32 %rows, %block, 32768;\n"
    "add.s64 %rd22, %rd12, %rd21; add.s64 %rd22, %rd22, %rows; }",
    0};

/// `own` null: all blocks store the same bytes to the same place.
void dump(benchmark::State &state, const std::string &name, const OwnRows *own) {
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
  launch->grid = {kBlocks, 1, 1};
  std::string ptx = read("kernel.ptx");
  if (own) {
    size_t at = ptx.find(own->piece);
    if (at == std::string::npos) {
      state.SkipWithError("the dump has changed");
      return;
    }
    ptx.replace(at, own->piece.size(), own->instead);
    Param &param = launch->params[own->param];
    if (auto *bytes = std::get_if<BytesParam>(&param)) {
      bytes->buffers[own->buffer].shape[0] *= kBlocks;
      bytes->tensorMaps[own->map].shape[0] *= kBlocks;
    } else if (auto *buffer = std::get_if<BufferParam>(&param)) {
      buffer->buffer.shape[0] *= kBlocks;
    }
  }
  measure(state, ptx, *launch, optionsOf(state));
}

BENCHMARK_CAPTURE(loop, integers, "xor.b32 %r2, %r2, %r0;")->UseManualTime();
BENCHMARK_CAPTURE(loop, fma_f32, "fma.rn.f32 %r2, %r2, %r3, %r3;")->UseManualTime();
BENCHMARK_CAPTURE(loop, add_f16x2, "add.f16x2 %r2, %r2, %r3;")->UseManualTime();
BENCHMARK_CAPTURE(loop, fma_f16x2, "fma.rn.f16x2 %r2, %r2, %r3, %r3;")->UseManualTime();
BENCHMARK_CAPTURE(loop, cvt_f16x2_f32, "cvt.rn.f16x2.f32 %r2, %r3, %r3;")->UseManualTime();
BENCHMARK_CAPTURE(loop, compares, "setp.lt.s32 %p2, %r2, %r0;")->UseManualTime();
BENCHMARK_CAPTURE(loop, load_shared, "ld.shared.v4.b32 {%r4, %r5, %r6, %r7}, [%d4];")->UseManualTime();
BENCHMARK_CAPTURE(loop, store_shared, "st.shared.v4.b32 [%d4], {%r4, %r5, %r6, %r7};")->UseManualTime();
BENCHMARK_CAPTURE(loop, load_global, "ld.global.b32 %r4, [%d2];")->UseManualTime();
BENCHMARK_CAPTURE(loop, shuffles, "shfl.sync.bfly.b32 %r4, %r2, 1, 31, -1;")->UseManualTime();
void onCores(benchmark::internal::Benchmark *benchmark) {
  benchmark->ArgNames({"checks", "threads"})->ArgsProduct({{0, 1}, {1, 0}})->UseManualTime();
}
BENCHMARK_CAPTURE(dump, add_128x128_256_blocks, "add_Warpgroup", &kAdd)->Apply(onCores);
BENCHMARK_CAPTURE(dump, tma_128x128_256_blocks, "tma_Lane", &kTma)->Apply(onCores);
BENCHMARK_CAPTURE(dump, wgmma_64x128x64_256_blocks, "wgmma_Warpgroup", &kWgmma)->Apply(onCores);
BENCHMARK_CAPTURE(dump, add_same_bytes_256_blocks, "add_Warpgroup", nullptr)->Apply(onCores);
BENCHMARK(transposition)->Apply(onCores);

} // namespace
} // namespace lanescope::core
