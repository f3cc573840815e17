// The speed of checked runs of kernels whose threads share memory: loops of `atom.cas`, a scan by decoupled look-back,
// a search and a maximum whose plain loads race and are decided by replays. `checks:1` is the whole of emulate(),
// including replays; warp instructions are those of all runs. All run on one core.
#include "core/data/FreedMemory.h"
#include "core/gpu/emulator/Emulator.h"
#include "layouts/support/Text.h"

#include <benchmark/benchmark.h>
#include <chrono>
#include <functional>
#include <optional>
#include <random>

namespace lanescope::core {
namespace {

const bool kKeeps = keepFreedMemory(); // as in the program `lanescope`

constexpr uint32_t kThreads = 128; // threads per block

std::string kernel(const std::string &params, const std::string &body) {
  return ".version 9.0\n.target sm_90a\n.address_size 64\n.visible .entry k(" + params +
         ")\n{\n.reg .pred %p<8>;\n.reg .b32 %r<24>;\n.reg .f32 %f<2>;\n.reg .f64 %x<3>;\n.reg .b64 %d<16>;\n" + body +
         "ret;\n}\n";
}

struct Input {
  Dtype dtype = Dtype::U32;
  int64_t size = 0;
  std::function<double(int64_t)> element = {}; // zeros if empty
};

void measure(benchmark::State &state, const std::string &ptx, uint32_t blocks, uint32_t threads,
             const std::vector<Input> &inputs, std::optional<uint32_t> scalar = {}) {
  Launch launch;
  launch.entry = "k";
  launch.grid = {blocks, 1, 1};
  launch.block = {threads, 1, 1};
  std::vector<Array> arrays;
  for (const Input &input : inputs) {
    BufferSpec buffer;
    buffer.dtype = input.dtype;
    buffer.shape = {input.size};
    launch.params.push_back(BufferParam{buffer});
    arrays.push_back(Array::zeros(input.dtype, {input.size}));
    for (int64_t n = 0; input.element && n < input.size; ++n)
      arrays.back().setNumber(n, input.element(n));
  }
  if (scalar)
    launch.params.push_back(ScalarParam{Dtype::U32, *scalar});
  EmulatorOptions options;
  options.instant = state.range(0) == 0;
  options.threads = 1;
  options.timeoutSeconds = 600; // enough under callgrind, too
  SourceRef source = Source::make("k.ptx", ptx);
  uint64_t instructions = 0, own = 0;
  for (auto _ : state) {
    EmulatorStatistics statistics;
    auto begin = std::chrono::steady_clock::now();
    auto result = emulate(source, launch, arrays, options, &statistics);
    state.SetIterationTime(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    if (!result || hasErrors(result->diagnostics)) {
      state.SkipWithError("the kernel failed");
      return;
    }
    own += statistics.warpInstructions;
    instructions += statistics.warpInstructions + statistics.judged;
  }
  state.counters["warp_instructions_per_s"] =
      benchmark::Counter(static_cast<double>(instructions), benchmark::Counter::kIsRate);
  state.counters["runs"] = static_cast<double>(instructions) / static_cast<double>(std::max<uint64_t>(own, 1));
}

/// Each thread adds a number to one of `mask` + 1 sums of f64, in a loop of `atom.cas` that begins with a plain load.
void casLoop(benchmark::State &state, uint32_t mask) {
  constexpr uint32_t kBlocks = 128;
  std::string ptx = kernel(".param .u64 sums, .param .u64 values, .param .u32 mask", R"(ld.param.u64 %d0, [sums];
ld.param.u64 %d1, [values];
ld.param.u32 %r0, [mask];
mov.u32 %r1, %ctaid.x;
mov.u32 %r2, %tid.x;
mad.lo.u32 %r3, %r1, 128, %r2;
mul.wide.u32 %d2, %r3, 4;
add.s64 %d2, %d1, %d2;
ld.global.f32 %f0, [%d2];
cvt.f64.f32 %x0, %f0;
mul.lo.u32 %r4, %r3, 7;
and.b32 %r4, %r4, %r0;
mul.wide.u32 %d3, %r4, 8;
add.s64 %d3, %d0, %d3;
ld.global.b64 %d4, [%d3];
LOOP:
mov.b64 %x1, %d4;
add.rn.f64 %x2, %x1, %x0;
mov.b64 %d5, %x2;
atom.global.cas.b64 %d6, [%d3], %d4, %d5;
setp.ne.s64 %p1, %d6, %d4;
mov.b64 %d4, %d6;
@%p1 bra LOOP;
)");
  std::mt19937 random(1);
  measure(state, ptx, kBlocks, kThreads,
          {{Dtype::F64, mask + 1}, {Dtype::F32, kBlocks * kThreads, [&](int64_t) { return random() % 100 + 1.0; }}},
          mask);
}

/// A block's loops of `atom.cas` on words of shared memory: the parts in which the kernels differ.
struct SharedLoops {
  uint32_t words = 0, values = 0; // values of one round, of all blocks
  std::string_view initial;       // the value of each word at the start
  std::string_view load;          // the address of the thread's word (%r9) and its value; the value's address is %d2
  std::string_view update;        // the new word (%r11) from the old one (%r10)
};
constexpr uint32_t kRounds = 4;

std::string sharedLoops(const SharedLoops &loops) {
  return kernel(".param .u64 out, .param .u64 values",
                text(".shared .align 4 .b8 words[", 4 * loops.words, R"(];
ld.param.u64 %d0, [out];
ld.param.u64 %d1, [values];
mov.u32 %r1, %ctaid.x;
mov.u32 %r2, %tid.x;
mad.lo.u32 %r3, %r1, 128, %r2;
setp.lt.u32 %p1, %r2, )",
                     loops.words, R"(;
mov.u32 %r5, words;
mad.lo.u32 %r6, %r2, 4, %r5;
mov.b32 %r7, )",
                     loops.initial, R"(;
@%p1 st.shared.b32 [%r6], %r7;
bar.sync 0;
mul.wide.u32 %d2, %r3, 4;
add.s64 %d2, %d1, %d2;
mov.b32 %r8, 0;
ROUND:
)",
                     loops.load, R"(ld.shared.b32 %r10, [%r9];
LOOP:
)",
                     loops.update, R"(atom.shared.cas.b32 %r12, [%r9], %r10, %r11;
setp.ne.u32 %p2, %r12, %r10;
mov.b32 %r10, %r12;
@%p2 bra LOOP;
add.s64 %d2, %d2, )",
                     4 * loops.values, R"(;
add.u32 %r8, %r8, 1;
setp.lt.u32 %p3, %r8, )",
                     kRounds, R"(;
@%p3 bra ROUND;
bar.sync 0;
@%p1 ld.shared.b32 %r13, [%r6];
mad.lo.u32 %r14, %r1, )",
                     loops.words, R"(, %r2;
mul.wide.u32 %d3, %r14, 4;
add.s64 %d3, %d0, %d3;
@%p1 st.global.b32 [%d3], %r13;
)"));
}

/// The largest numbers of a block, on eight words. Sixteen threads update each word.
void casMaximum(benchmark::State &state) {
  constexpr uint32_t kBlocks = 128, kWords = 8;
  std::string ptx = sharedLoops({kWords, kBlocks * kThreads, "0fFF800000", R"(mul.lo.u32 %r9, %r2, 7;
and.b32 %r9, %r9, 7;
mad.lo.u32 %r9, %r9, 4, %r5;
ld.global.f32 %f0, [%d2];
)",
                                 R"(mov.b32 %f1, %r10;
max.f32 %f1, %f1, %f0;
mov.b32 %r11, %f1;
)"});
  std::mt19937 random(1);
  measure(state, ptx, kBlocks, kThreads,
          {{Dtype::F32, kBlocks * kWords},
           {Dtype::F32, kBlocks * kThreads * kRounds, [&](int64_t) { return random() % 1000 * 1.0; }}});
}

/// Counts of a block, on 16 words. The threads of a warp update different words, so the warp's lanes leave the loop one
/// after another and learn of different updates.
void casCounts(benchmark::State &state) {
  constexpr uint32_t kBlocks = 32, kWords = 16;
  std::string ptx = sharedLoops({kWords, kBlocks * kThreads, "0", R"(ld.global.u32 %r9, [%d2];
and.b32 %r9, %r9, 15;
mad.lo.u32 %r9, %r9, 4, %r5;
)",
                                 "add.u32 %r11, %r10, 1;\n"});
  std::mt19937 random(1);
  measure(state, ptx, kBlocks, kThreads,
          {{Dtype::U32, kBlocks * kWords}, {Dtype::U32, kBlocks * kThreads * kRounds, [&](int64_t) {
                                              return static_cast<double>(random() % kWords);
                                            }}});
}

/// Each warp has a tile of 32 numbers. A tile's status word holds its sum (1), or the sum of all tiles up to it (2).
void lookBack(benchmark::State &state) {
  constexpr uint32_t kTiles = 512, kTile = 32;
  std::string ptx = kernel(".param .u64 out, .param .u64 in, .param .u64 status, .param .u64 ticket",
                           R"(ld.param.u64 %d0, [out];
ld.param.u64 %d1, [in];
ld.param.u64 %d2, [status];
ld.param.u64 %d3, [ticket];
mov.u32 %r0, %tid.x;
setp.eq.u32 %p1, %r0, 0;
mov.b32 %r1, 0;
@%p1 atom.global.add.u32 %r1, [%d3], 1;
shfl.sync.idx.b32 %r1, %r1, 0, 31, -1;
mad.lo.u32 %r2, %r1, 32, %r0;
mul.wide.u32 %d4, %r2, 4;
add.s64 %d5, %d1, %d4;
ld.global.u32 %r3, [%d5];
shfl.sync.up.b32 %r4|%p2, %r3, 1, 0, -1;
@%p2 add.u32 %r3, %r3, %r4;
shfl.sync.up.b32 %r4|%p2, %r3, 2, 0, -1;
@%p2 add.u32 %r3, %r3, %r4;
shfl.sync.up.b32 %r4|%p2, %r3, 4, 0, -1;
@%p2 add.u32 %r3, %r3, %r4;
shfl.sync.up.b32 %r4|%p2, %r3, 8, 0, -1;
@%p2 add.u32 %r3, %r3, %r4;
shfl.sync.up.b32 %r4|%p2, %r3, 16, 0, -1;
@%p2 add.u32 %r3, %r3, %r4;
shfl.sync.idx.b32 %r5, %r3, 31, 31, -1;
mul.wide.u32 %d6, %r1, 8;
add.s64 %d6, %d2, %d6;
mul.wide.u32 %d7, %r5, 4;
mov.b32 %r6, 0;
setp.ne.u32 %p3, %r1, 0;
or.b64 %d8, %d7, 1;
and.pred %p4, %p1, %p3;
@%p4 st.volatile.global.u64 [%d6], %d8;
sub.u32 %r7, %r1, %r0;
sub.u32 %r7, %r7, 1;
WINDOW:
setp.ge.s32 %p5, %r7, 0;
mul.wide.s32 %d9, %r7, 8;
add.s64 %d9, %d2, %d9;
WAIT:
mov.b64 %d10, 2;
@%p5 ld.volatile.global.u64 %d10, [%d9];
cvt.u32.u64 %r8, %d10;
and.b32 %r8, %r8, 3;
setp.eq.u32 %p6, %r8, 0;
vote.sync.any.pred %p6, %p6, -1;
@%p6 bra.uni WAIT;
setp.eq.u32 %p6, %r8, 2;
vote.sync.ballot.b32 %r9, %p6, -1;
shr.u64 %d10, %d10, 2;
cvt.u32.u64 %r10, %d10;
brev.b32 %r11, %r9;
clz.b32 %r11, %r11;
setp.gt.u32 %p6, %r0, %r11;
selp.b32 %r10, 0, %r10, %p6;
shfl.sync.bfly.b32 %r12, %r10, 16, 31, -1;
add.u32 %r10, %r10, %r12;
shfl.sync.bfly.b32 %r12, %r10, 8, 31, -1;
add.u32 %r10, %r10, %r12;
shfl.sync.bfly.b32 %r12, %r10, 4, 31, -1;
add.u32 %r10, %r10, %r12;
shfl.sync.bfly.b32 %r12, %r10, 2, 31, -1;
add.u32 %r10, %r10, %r12;
shfl.sync.bfly.b32 %r12, %r10, 1, 31, -1;
add.u32 %r10, %r10, %r12;
add.u32 %r6, %r6, %r10;
sub.u32 %r7, %r7, 32;
setp.eq.u32 %p6, %r9, 0;
@%p6 bra.uni WINDOW;
add.u32 %r13, %r6, %r5;
mul.wide.u32 %d11, %r13, 4;
or.b64 %d11, %d11, 2;
@%p1 st.volatile.global.u64 [%d6], %d11;
add.u32 %r3, %r3, %r6;
add.s64 %d12, %d0, %d4;
st.global.u32 [%d12], %r3;
)");
  measure(state, ptx, kTiles, kTile,
          {{Dtype::U32, kTiles * kTile},
           {Dtype::U32, kTiles * kTile, [](int64_t n) { return static_cast<double>(n * 7 % 11); }},
           {Dtype::U64, kTiles},
           {Dtype::U32, 1}});
}

/// A step of a breadth-first search: several threads may mark the same node, and load what others write. Any order is
/// correct.
void racingReads(benchmark::State &state) {
  constexpr uint32_t kBlocks = 64, kNodes = kBlocks * kThreads, kEdges = 4, kLevel = 3, kFar = 1 << 20;
  std::string ptx = kernel(".param .u64 cost, .param .u64 edges, .param .u64 more", R"(ld.param.u64 %d0, [cost];
ld.param.u64 %d1, [edges];
ld.param.u64 %d2, [more];
mov.u32 %r1, %ctaid.x;
mov.u32 %r2, %tid.x;
mad.lo.u32 %r3, %r1, 128, %r2;
mul.wide.u32 %d3, %r3, 4;
add.s64 %d4, %d0, %d3;
ld.global.u32 %r4, [%d4];
setp.ne.u32 %p1, %r4, 3;
@%p1 bra DONE;
mul.wide.u32 %d5, %r3, 16;
add.s64 %d5, %d1, %d5;
mov.b32 %r5, 0;
EDGE:
ld.global.u32 %r6, [%d5];
mul.wide.u32 %d6, %r6, 4;
add.s64 %d6, %d0, %d6;
ld.global.u32 %r7, [%d6];
setp.le.u32 %p2, %r7, 4;
@%p2 bra NEXT;
mov.b32 %r8, 4;
st.global.u32 [%d6], %r8;
mov.b32 %r9, 1;
st.global.u32 [%d2], %r9;
NEXT:
add.s64 %d5, %d5, 4;
add.u32 %r5, %r5, 1;
setp.lt.u32 %p3, %r5, 4;
@%p3 bra EDGE;
DONE:
)");
  std::mt19937 random(1);
  measure(state, ptx, kBlocks, kThreads,
          {{Dtype::I32, kNodes,
            [&](int64_t n) { return n < kNodes / 2 && random() % 4 == 0 ? double{kLevel} : double{kFar}; }},
           {Dtype::I32, kNodes * kEdges, [&](int64_t) { return static_cast<double>(random() % kNodes); }},
           {Dtype::I32, 1}});
}

/// Each thread looks at a maximum by a plain load before each of its atomics, which spares most of them.
void plainLooks(benchmark::State &state) {
  constexpr uint32_t kBlocks = 64, kEach = 16;
  std::string ptx = kernel(".param .u64 best, .param .u64 values", R"(ld.param.u64 %d0, [best];
ld.param.u64 %d1, [values];
mov.u32 %r1, %ctaid.x;
mov.u32 %r2, %tid.x;
mad.lo.u32 %r3, %r1, 128, %r2;
mul.wide.u32 %d3, %r3, 4;
add.s64 %d4, %d1, %d3;
mov.b32 %r5, 0;
NEXT:
ld.global.u32 %r6, [%d4];
and.b32 %r7, %r6, 7;
mul.wide.u32 %d5, %r7, 4;
add.s64 %d6, %d0, %d5;
ld.global.u32 %r8, [%d6];
setp.ge.u32 %p1, %r8, %r6;
@%p1 bra ON;
red.global.max.u32 [%d6], %r6;
ON:
add.s64 %d4, %d4, 32768;
add.u32 %r5, %r5, 1;
setp.lt.u32 %p2, %r5, 16;
@%p2 bra NEXT;
)");
  std::mt19937 random(1);
  measure(state, ptx, kBlocks, kThreads,
          {{Dtype::U32, 8}, {Dtype::U32, kBlocks * kThreads * kEach, [&](int64_t) { return double(random() >> 1); }}});
}

/// Labels of a graph: each thread loads the labels of both ends of its edges while other threads lower them, and lowers
/// one to 1. The lanes load different words, and nearly all loads race.
void lowerLabels(benchmark::State &state) {
  constexpr uint32_t kBlocks = 64, kEach = 16, kNodes = 2048;
  std::string ptx = kernel(".param .u64 labels, .param .u64 ends", R"(ld.param.u64 %d0, [labels];
ld.param.u64 %d1, [ends];
mov.u32 %r1, %ctaid.x;
mov.u32 %r2, %tid.x;
mad.lo.u32 %r3, %r1, 128, %r2;
mul.wide.u32 %d3, %r3, 4;
add.s64 %d4, %d1, %d3;
mov.b32 %r5, 0;
NEXT:
ld.global.u32 %r6, [%d4];
and.b32 %r7, %r6, 2047;
shr.u32 %r8, %r6, 16;
and.b32 %r8, %r8, 2047;
mul.wide.u32 %d5, %r7, 4;
add.s64 %d6, %d0, %d5;
mul.wide.u32 %d7, %r8, 4;
add.s64 %d8, %d0, %d7;
ld.global.u32 %r9, [%d6];
ld.global.u32 %r10, [%d8];
and.b32 %r9, %r9, 0;
add.u32 %r10, %r10, %r9;
setp.le.u32 %p1, %r10, 1;
@%p1 bra ON;
red.global.min.u32 [%d8], 1;
ON:
add.s64 %d4, %d4, 32768;
add.u32 %r5, %r5, 1;
setp.lt.u32 %p2, %r5, 16;
@%p2 bra NEXT;
)");
  std::mt19937 random(1);
  measure(state, ptx, kBlocks, kThreads,
          {{Dtype::U32, kNodes, [](int64_t n) { return double(n + 1); }},
           {Dtype::U32, kBlocks * kThreads * kEach, [&](int64_t) { return double(random() >> 1); }}});
}

void onOneCore(benchmark::internal::Benchmark *benchmark) {
  benchmark->ArgNames({"checks"})->ArgsProduct({{0, 1}})->UseManualTime()->Unit(benchmark::kMillisecond);
}
BENCHMARK_CAPTURE(casLoop, eight_sums, 7u)->Apply(onOneCore);
BENCHMARK_CAPTURE(casLoop, a_thousand_sums, 1023u)->Apply(onOneCore);
BENCHMARK(casMaximum)->Apply(onOneCore);
BENCHMARK(casCounts)->Apply(onOneCore);
BENCHMARK(lookBack)->Apply(onOneCore);
BENCHMARK(racingReads)->Apply(onOneCore);
BENCHMARK(plainLooks)->Apply(onOneCore);
BENCHMARK(lowerLabels)->Apply(onOneCore);

} // namespace
} // namespace lanescope::core
