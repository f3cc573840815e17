// Wrong uses of tensor memory and the tensor core. Correct kernels report nothing. The same kernels with one change
// are faulted at the wrong instruction, whatever the schedule.
//
// Each case is a kernel for the sm_100a target and a change of its text. `at` is part of the line where the fault must
// be found, `words` is part of the message.
#include "tests/unit/emulator/EmulatorSupport.h"

#include "core/gpu/emulator/record/FlightRecorder.h"
#include "core/profiler/TraceAnalysis.h"
#include "core/Trace.h"

namespace lanescope::core::test {
namespace {

// Four warps. A (128 x 16) is at smem and B (16 x 32) at smem+4096, filled with ones of f16, in tiles of 8 rows x 16
// bytes. The tiles lie 128 bytes apart along K, and 256 bytes apart along M or N. The mbarriers are smem+32768 for one
// arrival (commits), +32776 for 128 (threads) and +32784 for one.
const char *const kDeclarations = ".extern .shared .align 1024 .b8 smem[];";
const char *const kPrologue = R"(
  .reg .b32 %w<8>;
  mov.u32 %r0, %tid.x;
  setp.eq.u32 %p1, %r0, 0;
  setp.lt.u32 %p3, %r0, 32;
  setp.eq.u32 %p4, %r0, 32;
  shr.u32 %r10, %r0, 5;
  setp.eq.u32 %p5, %r10, 1;
  mov.u32 %r1, smem;
  shr.u32 %r2, %r1, 4;
  cvt.u64.u32 %d1, %r2;
  or.b64 %d20, %d1, 0x401000080000;
  add.s64 %d21, %d20, 256;
  mov.b64 %d22, smem;
  mov.b32 %r21, 0x8080010;
  mul.lo.u32 %r3, %r0, 64;
  add.u32 %r3, %r3, %r1;
  mov.b32 %w0, 0x3C003C00;
  st.shared.v4.b32 [%r3], {%w0, %w0, %w0, %w0};
  st.shared.v4.b32 [%r3+16], {%w0, %w0, %w0, %w0};
  st.shared.v4.b32 [%r3+32], {%w0, %w0, %w0, %w0};
  st.shared.v4.b32 [%r3+48], {%w0, %w0, %w0, %w0};
  fence.proxy.async.shared::cta;
  @%p1 mbarrier.init.shared.b64 [smem+32768], 1;
  @%p1 mbarrier.init.shared.b64 [smem+32776], 128;
  @%p1 mbarrier.init.shared.b64 [smem+32784], 1;
  fence.mbarrier_init.release.cluster;
  mul.wide.u32 %d2, %r0, 4;
  add.s64 %d3, %d51, %d2;
)";

// D has columns 0 to 31, A once more has 32 to 39, and a copy has 40 to 43; 44 to 63 are free. D is 16, and 32 after
// the second product.
const char *const kProducts = R"(@%p3 tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [smem+32800], 64;
@%p3 tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;
bar.sync 0; // allocated
ld.shared.b32 %r20, [smem+32800];
tcgen05.st.sync.aligned.32x32b.x8.b32 [%r20+32], {%w0, %w0, %w0, %w0, %w0, %w0, %w0, %w0};
tcgen05.wait::st.sync.aligned;
bar.sync 0; // A is there
@%p1 tcgen05.cp.cta_group::1.128x128b [%r20+40], %d20;
@%p1 tcgen05.mma.cta_group::1.kind::f16 [%r20], %d20, %d21, %r21, 0;
@%p1 tcgen05.mma.cta_group::1.kind::f16 [%r20], [%r20+32], %d21, %r21, 1;
@%p1 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [smem+32768];
W: mbarrier.try_wait.parity.shared.b64 %p6, [smem+32768], 0;
@!%p6 bra.uni W;
tcgen05.fence::after_thread_sync;
tcgen05.ld.sync.aligned.32x32b.x2.b32 {%r30, %r31}, [%r20];
tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r32}, [%r20+40];
tcgen05.wait::ld.sync.aligned;
st.global.b32 [%d3], %r31;
tcgen05.fence::before_thread_sync;
bar.sync 0; // D has been read
@%p1 tcgen05.mma.cta_group::1.kind::f16 [%r20], %d20, %d21, %r21, 0; // again
@%p1 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [smem+32768]; // again
V: mbarrier.try_wait.parity.shared.b64 %p6, [smem+32768], 1;
@!%p6 bra.uni V;
bar.sync 0; // over
@%p3 tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r20, 64;
)";

// Arrivals and waits are relaxed, so only the fences order accesses. Another thread issues the second product.
const char *const kRelaxed = R"(@%p3 tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [smem+32800], 64;
bar.sync 0; // allocated
ld.shared.b32 %r20, [smem+32800];
tcgen05.st.sync.aligned.32x32b.x8.b32 [%r20+32], {%w0, %w0, %w0, %w0, %w0, %w0, %w0, %w0};
tcgen05.wait::st.sync.aligned;
tcgen05.fence::before_thread_sync; // of the store
mbarrier.arrive.relaxed.cluster.shared::cta.b64 %d4, [smem+32776];
A: mbarrier.try_wait.parity.relaxed.cluster.shared::cta.b64 %p6, [smem+32776], 0;
@!%p6 bra.uni A;
tcgen05.fence::after_thread_sync; // of the store
@%p1 tcgen05.mma.cta_group::1.kind::f16 [%r20], [%r20+32], %d21, %r21, 0;
tcgen05.fence::before_thread_sync; // of the product
@%p1 mbarrier.arrive.relaxed.cluster.shared::cta.b64 %d4, [smem+32784];
B: mbarrier.try_wait.parity.relaxed.cluster.shared::cta.b64 %p6, [smem+32784], 0;
@!%p6 bra.uni B;
tcgen05.fence::after_thread_sync; // of the product
@%p4 tcgen05.mma.cta_group::1.kind::f16 [%r20], [%r20+32], %d21, %r21, 1; // on it
@%p4 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [smem+32768];
W: mbarrier.try_wait.parity.relaxed.cluster.shared::cta.b64 %p6, [smem+32768], 0;
@!%p6 bra.uni W;
tcgen05.fence::after_thread_sync; // of the commit
tcgen05.ld.sync.aligned.32x32b.x2.b32 {%r30, %r31}, [%r20];
tcgen05.wait::ld.sync.aligned;
st.global.b32 [%d3], %r31;
Q: mbarrier.try_wait.parity.shared.b64 %p6, [smem+32768], 0;
@!%p6 bra.uni Q;
bar.sync 0; // over
@%p3 tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r20, 64;
)";

// Two blocks: 256 rows of A and 32 columns of B; the first block's thread issues.
const char *const kPair = R"(mov.u32 %r5, %cluster_ctarank;
setp.eq.and.u32 %p7, %r5, 0, %p1;
setp.eq.u32 %p8, %r5, 0;
setp.eq.and.u32 %p9, %r5, 0, %p3;
mov.b32 %r21, 0x10080010;
mov.b16 %h0, 3;
barrier.cluster.arrive.aligned;
barrier.cluster.wait.aligned; // mbarriers are there
@%p3 tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [smem+32800], 64;
@%p3 tcgen05.relinquish_alloc_permit.cta_group::2.sync.aligned;
bar.sync 0; // allocated
ld.shared.b32 %r20, [smem+32800];
@%p7 tcgen05.mma.cta_group::2.kind::f16 [%r20], %d20, %d21, %r21, 0;
@%p7 tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [smem+32768], %h0;
W: mbarrier.try_wait.parity.shared.b64 %p6, [smem+32768], 0;
@!%p6 bra.uni W;
tcgen05.fence::after_thread_sync;
tcgen05.ld.sync.aligned.32x32b.x2.b32 {%r30, %r31}, [%r20];
tcgen05.wait::ld.sync.aligned;
@%p8 st.global.b32 [%d3], %r31;
barrier.cluster.arrive.aligned;
barrier.cluster.wait.aligned; // over
@%p3 tcgen05.dealloc.cta_group::2.sync.aligned.b32 %r20, 64;
)";

struct Change {
  std::string from, to; // replaces the first `from` of the text
};
struct Case {
  const char *name, *kind, *words, *at;
  std::vector<Change> changes;
};

std::string changed(std::string text, const std::vector<Change> &changes) {
  for (const Change &change : changes) {
    size_t place = text.find(change.from);
    EXPECT_NE(place, std::string::npos) << change.from;
    if (place != std::string::npos)
      text.replace(place, change.from.size(), change.to);
  }
  return text;
}

Result<RunResult> runBody(const std::string &body, uint64_t seed, uint32_t cluster, bool instant = false,
                          emulator::FlightRecorder *flights = nullptr) {
  Kernel kernel;
  kernel.target = "sm_100a";
  kernel.threads = 128;
  kernel.blocks = cluster;
  kernel.cluster = {cluster, 1, 1};
  kernel.dynamicSmem = 40960;
  kernel.declarations = kDeclarations;
  kernel.body = kPrologue;
  std::istringstream lines(body);
  uint32_t number = 0;
  for (std::string line; std::getline(lines, line);)
    kernel.body += ".loc 1 " + std::to_string(++number) + " 1\n" + line + "\n";
  kernel.body += "\nret;";
  EmulatorOptions options;
  options.snippet = Source::make("snippet.py", body);
  options.seed = seed;
  options.instant = instant;
  options.flights = flights;
  return run(kernel, {u32Array(std::vector<uint32_t>(4)), u32Array(std::vector<uint32_t>(128))}, options);
}

void checkCorrect(const std::string &body, float value, uint32_t cluster) {
  for (uint64_t seed = 0; seed < 6; ++seed) {
    auto result = runBody(body, seed, cluster, seed == 5);
    ASSERT_TRUE(result) << errorText(result.error());
    ASSERT_TRUE(result->diagnostics.empty()) << errorText(result->diagnostics);
    for (uint32_t word : words(result->outputs[1]))
      ASSERT_EQ(std::bit_cast<float>(word), value) << "seed " << seed;
  }
}

void checkFault(const char *body, const Case &c, uint32_t cluster) {
  SCOPED_TRACE(c.name);
  std::string text = changed(body, c.changes);
  for (uint64_t seed : {0, 1, 3}) {
    auto result = runBody(text, seed, cluster);
    if (!result) { // refused before the run
      EXPECT_TRUE(mentions(result.error(), c.words)) << errorText(result.error());
      EXPECT_EQ(result.error().front().kind, c.kind) << errorText(result.error());
      return;
    }
    std::erase_if(result->diagnostics, [](const Diagnostic &one) { return one.kind == "unawaited-tmem-load"; });
    ASSERT_EQ(result->diagnostics.size(), 1u) << "no fault was found, seed " << seed;
    const Diagnostic &first = result->diagnostics[0];
    EXPECT_EQ(first.kind, c.kind) << errorText(result->diagnostics);
    EXPECT_TRUE(mentions(result->diagnostics, c.words)) << errorText(result->diagnostics);
    ASSERT_TRUE(first.span.source);
    std::istringstream lines(text);
    uint32_t line = first.span.source->lineColumn(first.span.begin).line;
    std::string there;
    for (uint32_t n = 0; n < line; ++n)
      std::getline(lines, there);
    EXPECT_NE(there.find(c.at), std::string::npos) << there << "\n" << errorText(result->diagnostics);
  }
}

void checkAll(const char *body, const std::vector<Case> &cases, uint32_t cluster = 1) {
  for (const Case &c : cases)
    checkFault(body, c, cluster);
}

TEST(TensorFault, CorrectKernelsReportNothing) {
  checkCorrect(kProducts, 32, 1);
  checkCorrect(kRelaxed, 32, 1);
  checkCorrect(kPair, 16, 2);
}

TEST(TensorCore, SpellingsOfOneProduct) {
  struct Spelling {
    const char *name;
    std::vector<Change> changes;
    float value;
  };
  for (const Spelling &spelling : {
           Spelling{"no lane is written", {{"%d21, %r21, 1;", "%d21, %r21, {-1, -1, -1, -1}, 1;"}}, 16},
           {"lanes are written", {{"%d21, %r21, 1;", "%d21, %r21, {0, 0, 0, 0}, 1;"}}, 32},
           {"D is halved first", {{"%d21, %r21, 1;", "%d21, %r21, 1, 1;"}}, 24},
           {"without D", {{"%d21, %r21, 1;", "%d21, %r21, !%p1;"}}, 16},
           {"A is kept",
            {{"kind::f16 [%r20], %d20", "kind::f16.collector::a::fill [%r20], %d20"},
             {"kind::f16 [%r20], [%r20+32]", "kind::f16.collector::a::discard [%r20], [%r20+32]"}},
            32},
           {"A is shifted", {{"kind::f16 [%r20], [%r20+32]", "kind::f16.ashift [%r20], [%r20+32]"}}, 32},
           {"weight stationary",
            {{"[smem+32800], 64", "[smem+32800], 128"},
             {"mma.cta_group::1.kind::f16 [%r20], %d20, %d21, %r21, 0",
              "mma.ws.cta_group::1.kind::f16.collector::b1::fill [%r20+64], %d20, %d21, 0x8100010, 0"},
             {"%d21, %r21, 1;", "%d21, %r21, 0;"},
             {"{%r30, %r31}, [%r20]", "{%r30, %r31}, [%r20+64]"},
             {"%r20, 64", "%r20, 128"}},
            16},
       }) {
    SCOPED_TRACE(spelling.name);
    checkCorrect(changed(kProducts, spelling.changes), spelling.value, 1);
  }
}

/// Triton's kernels do this. It is a fault for other writes and for other readers (see check/README.md).
TEST(TensorCore, WhatCpAsyncFilledIsReadWithAWarning) {
  std::string body =
      changed(kProducts, {{"bar.sync 0; // A is there", "st.global.v4.b32 [%d50], {%w0, %w0, %w0, %w0};\n"
                                                        "@%p4 cp.async.cg.shared.global [smem], [%d50], 16;\n"
                                                        "cp.async.wait_all;\nbar.sync 0;"}});
  auto result = runBody(body, 0, 1);
  ASSERT_TRUE(result) << errorText(result.error());
  ASSERT_FALSE(result->diagnostics.empty());
  for (const Diagnostic &diagnostic : result->diagnostics) {
    EXPECT_EQ(diagnostic.severity, Severity::Warning);
    EXPECT_EQ(diagnostic.kind, "unfenced-cp-async") << errorText(result->diagnostics);
  }
  for (uint32_t word : words(result->outputs[1]))
    ASSERT_EQ(std::bit_cast<float>(word), 32);
}

/// Triton frees tensor memory and mbarriers at a kernel's end, whatever is in flight.
TEST(TensorCore, AProductInFlightAtTheEndIsAHazard) {
  const std::string wait = "V: mbarrier.try_wait.parity.shared.b64 %p6, [smem+32768], 1;\n@!%p6 bra.uni V;\n";
  for (const char *instead : {"", "bar.sync 0;\n@%p1 mbarrier.inval.shared.b64 [smem+32768];\n"})
    for (uint64_t seed = 0; seed < 4; ++seed) {
      auto result = runBody(changed(kProducts, {{wait, instead}}), seed, 1);
      ASSERT_TRUE(result) << errorText(result.error());
      ASSERT_FALSE(result->diagnostics.empty()) << instead << seed;
      for (const Diagnostic &found : result->diagnostics) {
        EXPECT_EQ(found.kind, "unfinished-mma") << errorText(result->diagnostics);
        EXPECT_EQ(found.severity, Severity::Warning);
      }
    }
}

/// JAX's kernels allocate in the order of their declarations.
TEST(TensorCore, ALargerAllocationLaterIsAHazard) {
  const std::string alloc = "@%p3 tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [smem+32800], 64;\n";
  std::string body = changed(
      kProducts, {{alloc, alloc + "@%p3 tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [smem+32804], 128;\n"},
                  {"bar.sync 0; // allocated", "bar.sync 0; // allocated\nld.shared.b32 %r33, [smem+32804];\n"
                                               "@%p3 tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r33, 128;\n"}});
  auto result = runBody(body, 0, 1);
  ASSERT_TRUE(result) << errorText(result.error());
  ASSERT_EQ(result->diagnostics.size(), 1u) << errorText(result->diagnostics);
  EXPECT_EQ(result->diagnostics[0].severity, Severity::Warning);
  EXPECT_EQ(result->diagnostics[0].kind, "tmem-allocation-order") << errorText(result->diagnostics);
  for (uint32_t word : words(result->outputs[1]))
    ASSERT_EQ(std::bit_cast<float>(word), 32);
}

/// A copy over the word that tcgen05.alloc wrote needs no proxy fence after the word's readers. A copy over any other
/// word does.
TEST(TensorCore, TheAddressOfAnAllocationMayBeOverwrittenByACopy) {
  const std::string load =
      "@%p1 mbarrier.arrive.expect_tx.shared.b64 %d4, [smem+32784], 16;\n"
      "@%p1 cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [smem+32800], [%d50], 16, "
      "[smem+32784];\n"
      "Z: mbarrier.try_wait.parity.shared.b64 %p6, [smem+32784], 0;\n@!%p6 bra.uni Z;\n";
  checkCorrect(changed(kProducts, {{"bar.sync 0; // A is there", "bar.sync 0;\n" + load}}), 32, 1);
  checkFault(kProducts,
             {"a word that a thread wrote",
              "unfenced-overwrite",
              "the read of warp",
              "cp.async.bulk",
              {{"bar.sync 0; // allocated", "@%p1 st.shared.b32 [smem+32804], 0;\nbar.sync 0;\n"
                                            "ld.shared.b32 %r33, [smem+32804];"},
               {"bar.sync 0; // A is there", "bar.sync 0;\n" + load}}},
             1);
}

TEST(TensorCore, ShiftMovesTheRowsOfAQuarter) {
  std::string values;
  for (int n = 0; n < 8; ++n)
    values += n ? ", %r0" : "%r0";
  std::string body = changed(
      kProducts, {{"tcgen05.wait::st.sync.aligned;\n", "tcgen05.st.sync.aligned.32x32b.x8.b32 [%r20+48], {" + values +
                                                           "};\ntcgen05.wait::st.sync.aligned;\n"},
                  {"@%p1 tcgen05.cp",
                   "add.u32 %r22, %r20, 0x200030;\n@%p1 tcgen05.shift.cta_group::1.down [%r22];\n@%p1 tcgen05.cp"},
                  {"{%r30, %r31}, [%r20]", "{%r30, %r31}, [%r20+48]"}});
  auto result = runBody(body, 0, 1);
  ASSERT_TRUE(result) << errorText(result.error());
  ASSERT_TRUE(result->diagnostics.empty()) << errorText(result->diagnostics);
  std::vector<uint32_t> got = words(result->outputs[1]);
  for (uint32_t lane = 0; lane < 128; ++lane)
    EXPECT_EQ(got[lane], lane / 32 == 1 && lane != 63 ? lane + 1 : lane);
}

TEST(TensorFlights, WhatTheTensorCoreDoes) {
  emulator::FlightRecorder recorder(1);
  auto result = runBody(kProducts, 0, 1, false, &recorder);
  ASSERT_TRUE(result) << errorText(result.error());
  Trace trace;
  ProfileSpec profile;
  profile.tracesPerBlock = 1;
  recorder.addTo(trace, profile, {1, 1, 1});
  auto of = [&](const std::string &name) {
    auto track = std::ranges::find(trace.tracks, "block (0, 0, 0) " + name, &TraceTrack::threadName);
    std::vector<TraceFlight> out;
    if (track != trace.tracks.end())
      std::ranges::copy_if(trace.flights, std::back_inserter(out),
                           [&](const TraceFlight &f) { return f.tid == track->tid; });
    return out;
  };
  // A copy, two products in a row (one line each), and the product that overwrites them.
  std::vector<TraceFlight> computed = of("tensor core");
  ASSERT_EQ(computed.size(), 4u);
  for (const TraceFlight &flight : computed)
    EXPECT_LT(flight.beginNs, flight.endNs);
  EXPECT_EQ(trace.names[computed[0].name], "tcgen05.cp");
  EXPECT_EQ(trace.names[computed[1].name], "tcgen05.mma");
  EXPECT_NE(computed[1].detail.find("m128n32k16"), std::string::npos) << computed[1].detail;
  EXPECT_LE(computed[1].endNs, computed[2].beginNs); // one after another
  // Their results in tensor memory, until the warps have read them.
  std::vector<TraceFlight> kept = of("tensor memory");
  auto sums =
      std::ranges::find_if(kept, [&](const TraceFlight &f) { return trace.names[f.name] == "TMEM accumulator"; });
  ASSERT_NE(sums, kept.end());
  EXPECT_EQ(sums->beginNs, computed[1].beginNs);
  EXPECT_GT(sums->endNs, computed[2].endNs); // read after the second product and before the third
  EXPECT_TRUE(sums->detail.starts_with("columns 0 to 31, ")) << sums->detail;
  EXPECT_EQ(flightTracks(trace).size(), 2u); // no instruction spends time there
}

const std::string kWait = "W: mbarrier.try_wait.parity.shared.b64 %p6, [smem+32768], 0;\n@!%p6 bra.uni W;\n";
const std::string kWaitAgain = "V: mbarrier.try_wait.parity.shared.b64 %p6, [smem+32768], 1;\n@!%p6 bra.uni V;\n";
const std::string kStore =
    "tcgen05.st.sync.aligned.32x32b.x8.b32 [%r20+32], {%w0, %w0, %w0, %w0, %w0, %w0, %w0, %w0};\n";
const std::string kLoad = "tcgen05.ld.sync.aligned.32x32b.x2.b32 {%r30, %r31}, [%r20];\n";
const std::string kFree = "@%p3 tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r20, 64;\n";

TEST(TensorFault, Products) {
  checkAll(
      kProducts,
      {{"read without a wait", "mma-not-awaited", "the missing wait", "tcgen05.ld", {{kWait, ""}}},
       {"read behind a wait for another phase",
        "mma-not-awaited",
        "the missing wait",
        "tcgen05.ld",
        {{"[smem+32768], 0", "[smem+32768], 1"}}},
       {"committed before it is issued",
        "mma-not-awaited",
        "the missing wait",
        "ld.sync.aligned.32x32b.x2",
        {{"@%p1 tcgen05.mma.cta_group::1.kind::f16 [%r20], [%r20+32], %d21, %r21, 1;\n", ""},
         {"arrive::one.shared::cluster.b64 [smem+32768];\n",
          "arrive::one.shared::cluster.b64 [smem+32768];\n"
          "@%p1 tcgen05.mma.cta_group::1.kind::f16 [%r20], [%r20+32], %d21, %r21, 1;\n"}}},
       {"a copy read without a wait",
        "mma-not-awaited",
        "tcgen05.cp",
        "x1.b32 {%r33}",
        {{kWait, "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r33}, [%r20+40];\n" + kWait}}},
       {"no commit",
        "deadlock",
        "the mbarrier",
        "try_wait",
        {{"@%p1 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [smem+32768];\n", ""}}},
       {"another shape onto what is in flight",
        "mma-not-awaited",
        "has yet to write",
        "0x8040010",
        {{"%d21, %r21, 1;", "%d21, 0x8040010, 1;"}}},
       {"another shape over what is in flight",
        "tmem-overwritten-in-flight",
        "still writes",
        "0x8040010",
        {{"%d21, %r21, 1;", "%d21, 0x8040010, 0;"}}},
       {"A in tensor memory is the D in flight",
        "mma-not-awaited",
        "has yet to write",
        "[%r20+44], [%r20]",
        {{"[%r20], [%r20+32], %d21, %r21, 1", "[%r20+44], [%r20], %d21, 0x8040010, 0"}}},
       {"a sum onto nothing",
        "uninitialised-tmem",
        "nothing has written",
        "%d20, %d21, %r21, 1",
        {{"%d20, %d21, %r21, 0", "%d20, %d21, %r21, 1"}}},
       {"an operand overwritten in flight",
        "overwritten-in-flight",
        "the tensor core still reads",
        "st.shared.b32",
        {{kWait, "@%p1 st.shared.b32 [smem], 0;\n" + kWait}}},
       {"an operand written without a proxy fence",
        "missing-proxy-fence",
        "fence.proxy.async",
        "kind::f16 [%r20], %d20",
        {{"bar.sync 0; // A is there", "@%p4 st.shared.b32 [smem+4096], %w0;\nbar.sync 0;"}}},
       {"what is copied, overwritten in flight",
        "overwritten-in-flight",
        "the tensor core still reads",
        "st.shared.b32",
        {{"@%p1 tcgen05.mma.cta_group::1.kind::f16 [%r20], %d20, %d21, %r21, 0;\n", ""},
         {"[%r20+32], %d21, %r21, 1;", "[%r20+32], %d21, %r21, 0;"},
         {kWait, "@%p1 st.shared.b32 [smem], 0;\n" + kWait}}},
       {"A in tensor memory overwritten in flight",
        "tmem-overwritten-in-flight",
        "still reads",
        "{%w0, %w0}",
        {{kWait, "@%p3 tcgen05.st.sync.aligned.32x32b.x2.b32 [%r20+32], {%w0, %w0};\n" + kWait}}},
       {"a copy overwritten in flight",
        "tmem-overwritten-in-flight",
        "still writes",
        "{%w0, %w0}",
        {{kWait, "@%p3 tcgen05.st.sync.aligned.32x32b.x2.b32 [%r20+40], {%w0, %w0};\n" + kWait}}},
       {"a copy over an accumulator in flight",
        "tmem-overwritten-in-flight",
        "still writes",
        "[%r20], %d20",
        {{kWait, "@%p1 tcgen05.cp.cta_group::1.128x128b [%r20], %d20;\n" + kWait}}},
       {"a shift of a copy in flight",
        "mma-not-awaited",
        "tcgen05.cp",
        "tcgen05.shift",
        {{"@%p1 tcgen05.mma.cta_group::1.kind::f16 [%r20], %d20",
          "@%p1 tcgen05.shift.cta_group::1.down [%r20+40];\n@%p1 tcgen05.mma.cta_group::1.kind::f16 [%r20], %d20"}}},
       {"a commit to no mbarrier",
        "mbarrier",
        "for this commit to signal",
        "commit",
        {{"b64 [smem+32768];", "b64 [smem+32832];"}}}});
}

TEST(TensorFault, LoadsAndStores) {
  checkAll(
      kProducts,
      {{"a store that nobody waits for, then a product",
        "tmem-store-in-flight",
        "wait::st",
        "[%r20], [%r20+32]",
        {{"tcgen05.wait::st.sync.aligned;\n", ""}}},
       {"a store that nobody waits for, then a load",
        "tmem-store-in-flight",
        "wait::st",
        "{%r33}",
        {{kStore, kStore + "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r33}, [%r20+32];\n"}}},
       {"a store over one in flight",
        "tmem-store-in-flight",
        "has yet to write",
        "{%w0, %w0}",
        {{kStore, kStore + "tcgen05.st.sync.aligned.32x32b.x2.b32 [%r20+32], {%w0, %w0};\n"}}},
       {"waited for behind the barrier",
        "tmem-race",
        "only after it arrived",
        "[%r20], [%r20+32]",
        {{"tcgen05.wait::st.sync.aligned;\nbar.sync 0; // A is there", "bar.sync 0;\ntcgen05.wait::st.sync.aligned;"},
         {"@%p1 tcgen05.cp", "nanosleep.u32 5000;\n@%p1 tcgen05.cp"}}},
       {"no barrier behind the store",
        "tmem-race",
        "a barrier is missing",
        "[%r20], [%r20+32]",
        {{"bar.sync 0; // A is there\n", ""}, {"@%p1 tcgen05.cp", "nanosleep.u32 5000;\n@%p1 tcgen05.cp"}}},
       {"a load that nobody waits for, then a product",
        "tmem-load-in-flight",
        "a use of the registers does not show",
        "%r21, 0; // again",
        {{"tcgen05.wait::ld.sync.aligned;\n", ""}}},
       {"a load that nobody waits for, then a store",
        "tmem-load-in-flight",
        "wait::ld",
        "{%r31, %r31}",
        {{"tcgen05.wait::ld.sync.aligned;\n", "tcgen05.st.sync.aligned.32x32b.x2.b32 [%r20], {%r31, %r31};\n"}}},
       {"no barrier behind the load",
        "tmem-race",
        "a barrier is missing",
        "%r21, 0; // again",
        {{"bar.sync 0; // D has been read\n", "nanosleep.u32 5000;\n"}}},
       {"cells that nobody wrote",
        "uninitialised-tmem",
        "nothing has written",
        "{%r33}",
        {{kLoad, "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r33}, [%r20+50];\n" + kLoad}}},
       {"half a warp",
        "divergent-instruction",
        "all 32 live lanes",
        "x2.b32 {%r30",
        {{kLoad, "setp.lt.u32 %p10, %r0, 16;\n@%p10 " + kLoad}}},
       {"a column that is not allocated",
        "tmem-out-of-bounds",
        "column 64 is not allocated",
        "[%r20+63]",
        {{"{%r30, %r31}, [%r20]", "{%r30, %r31}, [%r20+63]"}}},
       {"beyond the last column",
        "tmem-out-of-bounds",
        "512 columns",
        "[%r20+511]",
        {{"{%r30, %r31}, [%r20]", "{%r30, %r31}, [%r20+511]"}}},
       {"D beyond the allocation",
        "tmem-out-of-bounds",
        "D of",
        "[%r20+48]",
        {{"f16 [%r20], %d20", "f16 [%r20+48], %d20"}}},
       {"another warp's lanes",
        "tmem-quarter",
        "lanes 0 to 31 alone",
        "[%r22]",
        {{kLoad,
          "add.u32 %r22, %r20, 0x200000;\n@%p3 tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r33}, [%r22];\n" + kLoad}}},
       {"a lane that no access begins at",
        "tmem-address",
        "the 17th",
        "[%r22]",
        {{kLoad, "add.u32 %r22, %r20, 0x80000;\ntcgen05.ld.sync.aligned.16x64b.x1.b32 {%r33}, [%r22];\n" + kLoad}}},
       {"an address for each lane",
        "tmem-address",
        "one address",
        "[%r22]",
        {{kLoad, "and.b32 %r22, %r0, 1;\nadd.u32 %r22, %r22, %r20;\n"
                 "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r33}, [%r22];\n" +
                     kLoad}}}});
}

TEST(TensorFault, Allocation) {
  const std::string alloc = "@%p3 tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [smem+32800], 64;\n";
  auto sized = [](const char *columns) {
    return std::string("@%p3 tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [smem+32804], ") + columns + ";\n";
  };
  checkAll(
      kProducts,
      {{"no deallocation", "tmem-leak", "dealloc", "tcgen05.alloc", {{kFree, ""}}},
       {"a number of columns that there is not",
        "tmem-allocation",
        "a power of two",
        "alloc",
        {{"[smem+32800], 64", "[smem+32800], 48"}}},
       {"too few columns", "tmem-allocation", "a power of two", "alloc", {{"[smem+32800], 64", "[smem+32800], 16"}}},
       {"without the right",
        "tmem-permit",
        "given up",
        "[smem+32804]",
        {{"bar.sync 0; // allocated", sized("32") + "bar.sync 0;"}}},
       {"more than there are",
        "deadlock",
        "columns of tensor memory",
        "[smem+32804]",
        {{alloc, "@%p3 tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [smem+32800], 512;\n" + sized("32")}}},
       {"another size given back",
        "tmem-deallocation",
        "has 64 columns, not 32",
        "dealloc",
        {{"%r20, 64", "%r20, 32"}}},
       {"another address given back",
        "tmem-deallocation",
        "no allocation begins",
        "dealloc",
        {{kFree, "add.u32 %r20, %r20, 32;\n" + kFree}}},
       {"given back twice",
        "tmem-deallocation",
        "before",
        "// twice",
        {{kFree, kFree + "@%p3 tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r20, 64; // twice\n"}}},
       {"read after it was given back",
        "tmem-after-free",
        "has been given back",
        "{%r33}",
        {{kFree, kFree + "bar.sync 0;\ntcgen05.ld.sync.aligned.32x32b.x1.b32 {%r33}, [%r20];\n"}}},
       {"a product after it was given back",
        "tmem-after-free",
        "has been given back",
        "// late",
        {{kFree,
          kFree + "bar.sync 0;\n@%p1 tcgen05.mma.cta_group::1.kind::f16 [%r20], %d20, %d21, %r21, 0; // late\n"}}},
       {"given back while a product is in flight, and allocated again",
        "tmem-freed-in-flight",
        "may still write",
        "dealloc",
        {{kWaitAgain, ""}, {kFree, kFree + alloc + kFree}}},
       {"given back before what was loaded is there",
        "tmem-freed-in-flight",
        "tcgen05.wait::ld",
        "dealloc",
        {{kFree, "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r33}, [%r20];\nbar.sync 0;\n" + kFree +
                     "add.u32 %r33, %r33, 1;\n"}}},
       {"given back before a copy alone of what was loaded",
        "tmem-freed-in-flight",
        "tcgen05.wait::ld",
        "dealloc",
        {{kFree, "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r33}, [%r20];\nmov.b32 %r34, %r33;\nbar.sync 0;\n" + kFree}}},
       {"given back before what was stored is there",
        "tmem-freed-in-flight",
        "tcgen05.wait::st",
        "dealloc",
        {{kFree, "tcgen05.st.sync.aligned.32x32b.x1.b32 [%r20], {%r31};\nbar.sync 0;\n" + kFree}}},
       {"given back while others read",
        "tmem-freed-in-flight",
        "may still read",
        "dealloc",
        {{"tcgen05.wait::ld.sync.aligned;\n", ""},
         {kLoad, "@!%p3 nanosleep.u32 1;\n" + kLoad},
         {"bar.sync 0; // D has been read\n@%p1 tcgen05.mma.cta_group::1.kind::f16 [%r20], %d20, %d21, %r21, 0; // "
          "again\n"
          "@%p1 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [smem+32768]; // again\n" +
              kWaitAgain + "bar.sync 0; // over\n",
          "@%p3 nanosleep.u32 5000;\n"}}}});
}

TEST(TensorFault, Operands) {
  checkAll(
      kProducts,
      {{"an instruction descriptor without a product",
        "tcgen05-instruction",
        "sparse",
        "0x8040014",
        {{"%d20, %d21, %r21, 0", "%d20, %d21, 0x8040014, 0"}}},
       {"an N that there is not",
        "tcgen05-instruction",
        "N",
        "0x8000010",
        {{"%d20, %d21, %r21, 0", "%d20, %d21, 0x8000010, 0"}}},
       {"an M that there is not",
        "tcgen05-instruction",
        "M",
        "0x7080010",
        {{"%d20, %d21, %r21, 0", "%d20, %d21, 0x7080010, 0"}}},
       {"A outside of shared memory",
        "tcgen05-operand",
        "outside",
        "%d23",
        {{"@%p1 tcgen05.cp", "add.s64 %d23, %d20, 2500;\n@%p1 tcgen05.cp"},
         {"[%r20], %d20, %d21", "[%r20], %d23, %d21"}}},
       {"a descriptor with reserved bits",
        "tcgen05-operand",
        "descriptor",
        "%d23",
        {{"@%p1 tcgen05.cp", "or.b64 %d23, %d20, 0x4000;\n@%p1 tcgen05.cp"},
         {"[%r20], %d20, %d21", "[%r20], %d23, %d21"}}},
       {"a copy from outside of shared memory",
        "tcgen05-operand",
        "outside",
        "tcgen05.cp",
        {{"@%p1 tcgen05.cp", "add.s64 %d23, %d20, 2500;\n@%p1 tcgen05.cp"}, {"[%r20+40], %d20", "[%r20+40], %d23"}}},
       {"a shift from within a quarter",
        "tcgen05-operand",
        "a multiple of 32",
        "tcgen05.shift",
        {{kFree, "add.u32 %r22, %r20, 0x100000;\n@%p1 tcgen05.shift.cta_group::1.down [%r22];\n" + kFree}}},
       {"two kinds of groups", "ptx-operand", "the same one", "", {{"commit.cta_group::1", "commit.cta_group::2"}}}});
}

TEST(TensorFault, Fences) {
  checkAll(kRelaxed, {{"none before a relaxed arrival",
                       "missing-tcgen05-fence",
                       "before_thread_sync",
                       "%r21, 0",
                       {{"tcgen05.fence::before_thread_sync; // of the store\n", ""}}},
                      {"none behind a relaxed wait",
                       "missing-tcgen05-fence",
                       "after_thread_sync",
                       "%r21, 0",
                       {{"tcgen05.fence::after_thread_sync; // of the store\n", ""}}},
                      {"none before another thread's product",
                       "missing-tcgen05-fence",
                       "before_thread_sync",
                       "// on it",
                       {{"tcgen05.fence::before_thread_sync; // of the product\n", ""}}},
                      {"none behind the wait for another thread's product",
                       "missing-tcgen05-fence",
                       "after_thread_sync",
                       "// on it",
                       {{"tcgen05.fence::after_thread_sync; // of the product\n", ""}}},
                      {"none behind a relaxed wait for a commit",
                       "missing-tcgen05-fence",
                       "after_thread_sync",
                       "{%r30, %r31}",
                       {{"tcgen05.fence::after_thread_sync; // of the commit\n", ""}}}});
  // A barrier of the block orders completed accesses, but not operations in flight.
  auto handedOver = [](const std::string &barrier) {
    return std::vector<Change>{{"@%p1 tcgen05.mma.cta_group::1.kind::f16 [%r20], [%r20+32], %d21, %r21, 1;\n"
                                "@%p1 tcgen05.commit",
                                barrier +
                                    "@%p4 tcgen05.mma.cta_group::1.kind::f16 [%r20], [%r20+32], %d21, %r21, 1; // "
                                    "another thread's\n@%p4 tcgen05.commit"}};
  };
  checkAll(kProducts, {{"none around a barrier, products of two threads", "missing-tcgen05-fence", "before_thread_sync",
                        "// another thread's", handedOver("bar.sync 0;\n")}});
  checkCorrect(changed(kProducts, handedOver("tcgen05.fence::before_thread_sync;\nbar.sync 0;\n"
                                             "tcgen05.fence::after_thread_sync;\n")),
               32, 1);
}

TEST(TensorFault, Pairs) {
  checkAll(kPair,
           {{"one block gives its columns back",
             "tmem-leak",
             "dealloc",
             "alloc",
             {{"@%p3 tcgen05.dealloc", "@%p9 tcgen05.dealloc"}}},
            {"one block allocates",
             "deadlock",
             "the other block of the pair",
             "alloc",
             {{"@%p3 tcgen05.alloc", "@%p9 tcgen05.alloc"}}},
            {"other columns",
             "tcgen05-pair",
             "in the other block",
             "alloc",
             {{"@%p3 tcgen05.alloc", "selp.u32 %r6, 64, 32, %p8;\n@%p3 tcgen05.alloc"},
              {"[smem+32800], 64", "[smem+32800], %r6"}}},
            {"the other block does not wait for the commit",
             "mma-not-awaited",
             "has yet to write",
             "tcgen05.ld",
             {{kWait, "@%p8 bra F;\nnanosleep.u32 5000;\nbra.uni G;\nF:\n" + kWait + "G:\n"}}},
            {"the other block leaves early",
             "tcgen05-pair",
             "nothing orders the other block's uses of them before",
             "dealloc",
             {{"tcgen05.fence::after_thread_sync;\n", "tcgen05.fence::after_thread_sync;\n@!%p8 bra K;\n"},
              // So that the other block has exited by then.
              {"@%p7 tcgen05.mma", "nanosleep.u32 20000;\n@%p7 tcgen05.mma"},
              {"barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned; // over\n", "K:\n"},
              {kWait, "@!%p8 bra K;\n" + kWait}}},
            {"they do not meet before they give their columns back",
             "tcgen05-pair",
             "nothing orders the other block's uses of them before",
             "dealloc",
             {{"@%p7 tcgen05.mma", "bra.uni K;\n@%p7 tcgen05.mma"},
              {"barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned; // over\n", "K:\n"}}}},
           2);
  checkAll(kPair, {{"no pair", "tcgen05-pair", "needs pairs of blocks", "alloc", {}}}, 1);
}

TEST(TensorFault, TargetsAndNames) {
  auto refusal = [](const char *target, const std::string &body) {
    Kernel kernel;
    kernel.target = target;
    kernel.body = body + "\nret;\n";
    auto result = run(kernel, {u32Array(std::vector<uint32_t>(32)), u32Array(std::vector<uint32_t>(32))});
    return result ? std::string() : errorText(result.error());
  };
  const std::string shift = "tcgen05.shift.cta_group::1.down [%r1];",
                    reduce = "tcgen05.ld.red.sync.aligned.32x32b.x2.max.f32 {%r2, %r3}, %r4, [%r1];",
                    integers = "tcgen05.mma.cta_group::1.kind::i8 [%r1], %d1, %d2, %r2, %p1;";
  for (const char *target : {"sm_90a", "sm_100", "sm_120a", "sm_80"})
    EXPECT_NE(refusal(target, "tcgen05.wait::ld.sync.aligned;").find(".target sm_100a"), std::string::npos) << target;
  for (const char *target : {"sm_100a", "sm_100f", "sm_103a", "sm_110a", "sm_101a"})
    EXPECT_EQ(refusal(target, "tcgen05.wait::ld.sync.aligned;"), "") << target;
  EXPECT_NE(refusal("sm_100f", shift), "");
  EXPECT_NE(refusal("sm_103a", integers), "");
  EXPECT_NE(refusal("sm_100a", reduce).find("sm_103a"), std::string::npos);
  struct Wrong {
    const char *body, *words;
  };
  for (const Wrong &wrong : {
           Wrong{"tcgen05.mma.cta_group::1.kind::f17 [%r1], %d1, %d2, %r2, %p1;", "unknown instruction"},
           {"tcgen05.mma.cta_group::1.kind::f16.block_scale [%r1], %d1, %d2, %r2, [%r3], [%r4], %p1;",
            "has no `.block_scale`"},
           {"tcgen05.mma.cta_group::1.kind::mxf4 [%r1], %d1, %d2, %r2, %p1;", "needs `.block_scale`"},
           {"tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale [%r1], %d1, %d2, %r2, [%r3], [%r4], %p1;",
            "needs `.scale_vec::`"},
           {"tcgen05.mma.kind::f16 [%r1], %d1, %d2, %r2, %p1;", "lacks `.cta_group::1`"},
           {"tcgen05.mma.ws.cta_group::2.kind::f16 [%r1], %d1, %d2, %r2, %p1;", "of one block"},
           {"tcgen05.mma.cta_group::1.kind::f16.collector::b0::fill [%r1], %d1, %d2, %r2, %p1;", "does not know"},
           {"tcgen05.mma.cta_group::1.kind::f16.ashift [%r1], %d1, %d2, %r2, %p1;", "shared memory"},
           {"tcgen05.mma.cta_group::1.kind::f16.ashift.collector::a::use [%r1], [%r3], %d2, %r2, %p1;",
            "goes with neither"},
           {"tcgen05.mma.cta_group::1.kind::f16 [%r1], %d1, %d2, %r2, {%r3, %r4}, %p1;", "takes 4"},
           {"tcgen05.mma.cta_group::1.kind::f16 [%r1], %d1, %d2, %r2, %p1, 16;", "0 to 15"},
           {"tcgen05.mma.cta_group::1.kind::f8f6f4 [%r1], %d1, %d2, %r2, %p1, 1;", "scale-input-d"},
           {"tcgen05.cp.cta_group::1.64x128b [%r1], %d1;", "warpx2"},
           {"tcgen05.cp.cta_group::1.128x128b.warpx4 [%r1], %d1;", "warpx4"},
           {"tcgen05.ld.sync.aligned.16x256b.x64.b32 {%r1}, [%r2];", "takes 256 registers"},
           {"tcgen05.ld.sync.aligned.32x32b.x2.b32 {%r1}, [%r2];", "takes 2 registers, not 1"},
           {"tcgen05.ld.sync.aligned.16x32bx2.x1.b32 {%r1}, [%r2], 600;", "below 512"},
           {"tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r1}, [%d2];", "32 bits"},
           {"tcgen05.st.sync.aligned.32x32b.x1.pack::16b.b32 [%r2], {%r1};", "does not know"},
           {"tcgen05.commit.cta_group::1.mbarrier::arrive::one.multicast::cluster.b64 [%d1];", "operands"},
           {"tcgen05.fence::before_sync;", "unknown instruction"},
       })
    EXPECT_NE(refusal("sm_100a", wrong.body).find(wrong.words), std::string::npos) << wrong.body << "\n"
                                                                                   << refusal("sm_100a", wrong.body);
}

} // namespace
} // namespace lanescope::core::test
