// Emulated warp instructions per second. First families of instructions in the fast mode on one core. Then five kernels
// (JAX's elementwise, TMA and wgmma kernels, a transposition through shared memory with a sum across lanes, a product
// of 1024^3 by tcgen05) in the fast mode and with checks, on one core and on all: `KERNEL/checks:0|1/threads:1|0`. Each
// block has its own rows of the output, except in `same_bytes`, where the checks must compare the blocks in order. The
// times are those of the run, without decoding and without copying arrays in and out. `peak_mib` is the peak of the
// process so far.
#include "core/data/FreedMemory.h"
#include "core/gpu/emulator/costs/RunRecord.h"
#include "core/gpu/emulator/Emulator.h"

#include <benchmark/benchmark.h>
#include <cstring>
#include <fstream>
#include <random>
#include <sstream>
#include <sys/resource.h>

namespace lanescope::core {
namespace {

const bool kKeeps = keepFreedMemory(); // as in the program `lanescope`

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

/// Floats of either sign from 0.5 to 1. Sums of zeros would take a faster path.
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

RunRecord *recordInto = nullptr; // the record of the current benchmark

EmulatorOptions optionsOf(const benchmark::State &state) {
  EmulatorOptions options;
  options.record = recordInto;
  options.instant = state.range(0) == 0;
  options.threads = static_cast<uint32_t>(state.range(1));
  options.timeoutSeconds = 600; // enough under callgrind, too
  return options;
}

/// Eight warps per block transpose 32 x 32 tiles of f32 through shared memory, 64 times, and add up each row across
/// lanes.
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

/// 1024 x 1024 x 1024 of f16 in f32 on Blackwell's tensor core: 32 blocks of 128 x 256, TMA in tiles of 64 along K, and
/// two stages. Each thread reads its row of the sums from tensor memory.
std::string tensorCoreProduct() {
  std::string ptx = R"(.version 9.0
.target sm_100a
.address_size 64
.extern .shared .align 1024 .b8 smem[];
.visible .entry k(.param .align 64 .b8 maps[256], .param .u64 out)
{
.reg .pred %p<8>;
.reg .b32 %r<40>;
.reg .b64 %d<40>;
.reg .b32 %v<128>;
ld.param.u64 %d0, [out];
mov.b64 %d1, maps;
cvta.param.u64 %d1, %d1;
add.s64 %d2, %d1, 128;
mov.u32 %r0, %tid.x;
mov.u32 %r1, %ctaid.x;
mov.u32 %r2, %ctaid.y;
shl.b32 %r3, %r1, 8;
shl.b32 %r4, %r2, 7;
setp.eq.u32 %p1, %r0, 0;
setp.lt.u32 %p2, %r0, 32;
mov.u32 %r5, smem;
@%p1 mbarrier.init.shared.b64 [smem+98304], 1;
@%p1 mbarrier.init.shared.b64 [smem+98312], 1;
@%p1 mbarrier.init.shared.b64 [smem+98320], 1;
@%p1 mbarrier.init.shared.b64 [smem+98328], 1;
@%p1 mbarrier.init.shared.b64 [smem+98336], 1;
fence.mbarrier_init.release.cluster;
@%p2 tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [smem+98344], 256;
bar.sync 0;
ld.shared.b32 %r6, [smem+98344];
@!%p1 bra DONE;
mov.b32 %r7, 0;
mov.b32 %r20, 0x8400010;
LOOP:
and.b32 %r8, %r7, 1;
shr.u32 %r9, %r7, 1;
mul.lo.u32 %r10, %r8, 49152;
add.u32 %r10, %r10, %r5;
add.u32 %r11, %r10, 16384;
shl.b32 %r12, %r8, 3;
add.u32 %r12, %r12, %r5;
add.u32 %r13, %r12, 98304;
add.u32 %r14, %r12, 98320;
shl.b32 %r15, %r7, 6;
setp.lt.u32 %p3, %r7, 2;
@%p3 bra FREE;
sub.u32 %r16, %r9, 1;
and.b32 %r16, %r16, 1;
E: mbarrier.try_wait.parity.shared.b64 %p4, [%r14], %r16;
@!%p4 bra.uni E;
FREE:
mbarrier.arrive.expect_tx.shared.b64 %d3, [%r13], 49152;
cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r10], [%d1, {%r15, %r4}], [%r13];
cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r11], [%d2, {%r15, %r3}], [%r13];
and.b32 %r17, %r9, 1;
F: mbarrier.try_wait.parity.shared.b64 %p4, [%r13], %r17;
@!%p4 bra.uni F;
shr.u32 %r18, %r10, 4;
cvt.u64.u32 %d4, %r18;
or.b64 %d4, %d4, 0x4000404000010000;
shr.u32 %r19, %r11, 4;
cvt.u64.u32 %d5, %r19;
or.b64 %d5, %d5, 0x4000404000010000;
setp.ne.u32 %p5, %r7, 0;
tcgen05.mma.cta_group::1.kind::f16 [%r6], %d4, %d5, %r20, %p5;
add.s64 %d6, %d4, 2;
add.s64 %d7, %d5, 2;
tcgen05.mma.cta_group::1.kind::f16 [%r6], %d6, %d7, %r20, 1;
add.s64 %d6, %d4, 4;
add.s64 %d7, %d5, 4;
tcgen05.mma.cta_group::1.kind::f16 [%r6], %d6, %d7, %r20, 1;
add.s64 %d6, %d4, 6;
add.s64 %d7, %d5, 6;
tcgen05.mma.cta_group::1.kind::f16 [%r6], %d6, %d7, %r20, 1;
cvt.u64.u32 %d8, %r14;
tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r14];
add.u32 %r7, %r7, 1;
setp.lt.u32 %p6, %r7, 16;
@%p6 bra LOOP;
tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [smem+98336];
DONE:
bar.warp.sync -1;
W: mbarrier.try_wait.parity.shared.b64 %p4, [smem+98336], 0;
@!%p4 bra.uni W;
tcgen05.fence::after_thread_sync;
add.u32 %r30, %r4, %r0;
mul.wide.u32 %d10, %r30, 4096;
mul.wide.u32 %d11, %r3, 4;
add.s64 %d12, %d0, %d10;
add.s64 %d12, %d12, %d11;
)";
  std::string registers;
  for (int n = 0; n < 128; ++n)
    registers += (n ? ", %v" : "%v") + std::to_string(n);
  for (int half = 0; half < 2; ++half) {
    ptx += "tcgen05.ld.sync.aligned.32x32b.x128.b32 {" + registers + "}, [%r6+" + std::to_string(half * 128) +
           "];\ntcgen05.wait::ld.sync.aligned;\n";
    for (int n = 0; n < 128; n += 4)
      ptx += "st.global.v4.b32 [%d12+" + std::to_string((half * 128 + n) * 4) + "], {%v" + std::to_string(n) + ", %v" +
             std::to_string(n + 1) + ", %v" + std::to_string(n + 2) + ", %v" + std::to_string(n + 3) + "};\n";
  }
  return ptx + "bar.sync 0;\n@%p2 tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r6, 256;\nret;\n}\n";
}

void tcgen05(benchmark::State &state) {
  Launch launch;
  launch.entry = "k";
  launch.grid = {4, 8, 1};
  launch.block = {128, 1, 1};
  launch.dynamicSmem = 98352;
  BytesParam maps;
  maps.size = 256;
  for (uint32_t n = 0; n < 2; ++n) {
    BufferSpec buffer;
    buffer.dtype = Dtype::F16;
    buffer.shape = {1024, 1024};
    maps.buffers.push_back(buffer);
    TensorMapSpec map;
    map.offset = n * 128;
    map.buffer = n;
    map.dtype = Dtype::F16;
    map.shape = {1024, 1024};
    map.stridesBytes = {2048};
    map.box = {n ? 256 : 128, 64};
    map.swizzle = 128;
    maps.tensorMaps.push_back(map);
  }
  launch.params.push_back(maps);
  BufferSpec out;
  out.dtype = Dtype::F32;
  out.shape = {1024, 1024};
  launch.params.push_back(BufferParam{out});
  measure(state, tensorCoreProduct(), launch, optionsOf(state));
}

constexpr uint32_t kBlocks = 256;

/// Gives each block of a dump, which was made for one block, its own rows of the output: PTX that replaces a piece, and
/// the output's parameter and tensor map.
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

/// If `own` is null, all blocks store the same bytes to the same place.
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

/// transposition() with a record of each instruction, which the window needs for the costs of lines.
void recordedTransposition(benchmark::State &state) {
  RunRecord record;
  recordInto = &record;
  transposition(state);
  recordInto = nullptr;
}

BENCHMARK_CAPTURE(loop, integers, "xor.b32 %r2, %r2, %r0;")->UseManualTime();
BENCHMARK_CAPTURE(loop, fma_f32, "fma.rn.f32 %r2, %r2, %r3, %r3;")->UseManualTime();
BENCHMARK_CAPTURE(loop, fma_ftz_f32, "fma.rn.ftz.f32 %r2, %r2, %r3, %r3;")->UseManualTime();
BENCHMARK_CAPTURE(loop, ex2_f32, "ex2.approx.ftz.f32 %r4, %r2;")->UseManualTime();
BENCHMARK_CAPTURE(loop, rcp_f32, "rcp.approx.ftz.f32 %r4, %r2;")->UseManualTime();
BENCHMARK_CAPTURE(loop, div_f32, "div.full.f32 %r4, %r2, %r3;")->UseManualTime();
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
BENCHMARK(recordedTransposition)->Apply(onCores);
BENCHMARK(tcgen05)->Apply(onCores)->Unit(benchmark::kMillisecond);

} // namespace
} // namespace lanescope::core
