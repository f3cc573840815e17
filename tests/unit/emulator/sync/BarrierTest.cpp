// Named barriers and the mbarrier protocol.
#include "tests/unit/emulator/EmulatorSupport.h"

namespace lanescope::core::test {
namespace {

TEST(NamedBarrier, OrdersSharedMemoryAcrossWarps) {
  Kernel kernel;
  kernel.params = 1;
  kernel.threads = 128;
  kernel.dynamicSmem = 512;
  kernel.declarations = ".extern .shared .align 16 .b8 smem[];";
  kernel.body = R"(
    mov.u32 %r0, %tid.x;
    mul.wide.u32 %d0, %r0, 4;
    mov.b64 %d1, smem;
    add.s64 %d2, %d1, %d0;
    st.shared.b32 [%d2], %r0;
    bar.sync 0;
    mov.b32 %r9, 508;
    sub.u32 %r1, %r9, %r0;
    sub.u32 %r1, %r1, %r0;
    sub.u32 %r1, %r1, %r0;
    sub.u32 %r1, %r1, %r0;      // 4 * (127 - tid)
    cvt.u64.u32 %d3, %r1;
    add.s64 %d4, %d1, %d3;
    ld.shared.b32 %r2, [%d4];
    add.s64 %d5, %d50, %d0;
    st.global.b32 [%d5], %r2;
    ret;
  )";
  auto result = run(kernel, {u32Array(std::vector<uint32_t>(128))});
  ASSERT_TRUE(result) << errorText(result.error());
  ASSERT_TRUE(result->diagnostics.empty()) << errorText(result->diagnostics);
  for (uint32_t t = 0; t < 128; ++t)
    EXPECT_EQ(words(result->outputs[0])[t], 127 - t);
}

TEST(NamedBarrier, ArriveSyncAndReduce) {
  Kernel kernel;
  kernel.params = 1;
  kernel.threads = 64;
  kernel.body = R"(
    mov.u32 %r0, %tid.x;
    setp.lt.u32 %p1, %r0, 32;
    @%p1 bra CONSUMER;
    st.global.b32 [%d50], 7;
    bar.arrive 3, 64;
    bra.uni JOIN;
  CONSUMER:
    bar.sync 3, 64;
    ld.global.b32 %r1, [%d50];
    st.global.b32 [%d50+4], %r1;
  JOIN:
    setp.eq.u32 %p2, %r0, 40;
    bar.red.or.pred %p3, 1, %p2;
    bar.red.popc.u32 %r5, 2, 64, %p1;
    bar.red.and.pred %p4, 1, %p2;
    selp.b32 %r6, 1, 0, %p3;
    selp.b32 %r7, 1, 0, %p4;
    st.global.b32 [%d50+8], %r5;
    st.global.b32 [%d50+12], %r6;
    st.global.b32 [%d50+16], %r7;
    ret;
  )";
  auto result = run(kernel, {u32Array({0, 0, 0, 0, 9})});
  ASSERT_TRUE(result) << errorText(result.error());
  ASSERT_TRUE(result->diagnostics.empty()) << errorText(result->diagnostics);
  EXPECT_EQ(words(result->outputs[0]), (std::vector<uint32_t>{7, 7, 32, 1, 0}));
}

TEST(NamedBarrier, CountsMustAgree) {
  Kernel kernel;
  kernel.params = 0;
  kernel.threads = 96;
  kernel.body = "mov.u32 %r0, %tid.x;\nsetp.lt.u32 %p1, %r0, 32;\n@%p1 bar.sync 1, 64;\n@!%p1 bar.sync 1, 96;\nret;";
  auto result = run(kernel, {});
  ASSERT_TRUE(result) << errorText(result.error());
  ASSERT_FALSE(result->diagnostics.empty());
  EXPECT_EQ(result->diagnostics[0].kind, "barrier");
}

// One lane works on the mbarrier at the start of shared memory and stores what it sees.
std::vector<uint32_t> protocol(const std::string &body, size_t results, Diagnostics *diagnostics = nullptr) {
  Kernel kernel;
  kernel.params = 1;
  kernel.threads = 1;
  kernel.dynamicSmem = 64;
  kernel.declarations = ".extern .shared .align 16 .b8 smem[];";
  kernel.body = body + "\nret;";
  auto result = run(kernel, {u32Array(std::vector<uint32_t>(results, 99))});
  if (!result) {
    ADD_FAILURE() << errorText(result.error());
    return {};
  }
  if (diagnostics)
    *diagnostics = result->diagnostics;
  else
    EXPECT_TRUE(result->diagnostics.empty()) << errorText(result->diagnostics);
  return words(result->outputs[0]);
}

std::string see(const char *predicate, int slot) {
  return std::string("selp.b32 %r9, 1, 0, ") + predicate + "; st.global.b32 [%d50+" + std::to_string(4 * slot) +
         "], %r9;\n";
}

TEST(Mbarrier, PhasesPendingCountsAndParity) {
  auto out = protocol(std::string(R"(
    mbarrier.init.shared::cta.b64 [smem], 2;
    mbarrier.arrive.shared.b64 %d1, [smem];
    mbarrier.test_wait.shared.b64 %p1, [smem], %d1;
    mbarrier.test_wait.parity.shared.b64 %p2, [smem], 0;
    mbarrier.test_wait.parity.shared.b64 %p3, [smem], 1;
    mbarrier.pending_count.b64 %r1, %d1;
    mbarrier.arrive.shared.b64 %d2, [smem];
    mbarrier.pending_count.b64 %r2, %d2;
    mbarrier.test_wait.shared.b64 %p4, [smem], %d1;
    mbarrier.test_wait.parity.shared.b64 %p5, [smem], 0;
    mbarrier.test_wait.parity.shared.b64 %p6, [smem], 1;
    st.global.b32 [%d50+24], %r1;
    st.global.b32 [%d50+28], %r2;
  )") + see("%p1", 0) + see("%p2", 1) +
                          see("%p3", 2) + see("%p4", 3) + see("%p5", 4) + see("%p6", 5),
                      8);
  EXPECT_EQ(out, (std::vector<uint32_t>{0, 0, 1, 1, 1, 0, 2, 1}));
}

TEST(Mbarrier, BytesHoldThePhase) {
  auto out = protocol(std::string(R"(
    mbarrier.init.shared::cta.b64 [smem], 1;
    mbarrier.arrive.expect_tx.shared.b64 %d1, [smem], 48;
    mbarrier.test_wait.parity.shared.b64 %p1, [smem], 0;
    mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [smem], 32;
    mbarrier.test_wait.parity.shared.b64 %p2, [smem], 0;
    mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [smem], 16;
    mbarrier.test_wait.parity.shared.b64 %p3, [smem], 0;
    mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [smem], 8;
    mbarrier.arrive.shared.b64 %d1, [smem];
    mbarrier.test_wait.parity.shared.b64 %p4, [smem], 1;
  )") + see("%p1", 0) + see("%p2", 1) +
                          see("%p3", 2) + see("%p4", 3),
                      4);
  EXPECT_EQ(out, (std::vector<uint32_t>{0, 0, 1, 0}));
}

TEST(Mbarrier, NoCompleteDropAndCounts) {
  auto out = protocol(std::string(R"(
    mbarrier.init.shared::cta.b64 [smem], 4;
    mbarrier.arrive.noComplete.shared.b64 %d1, [smem], 2;
    mbarrier.arrive_drop.shared.b64 %d1, [smem], 1;
    mbarrier.arrive.shared.b64 %d1, [smem];
    mbarrier.test_wait.parity.shared.b64 %p1, [smem], 0;
    mbarrier.arrive.shared.b64 %d1, [smem], 3;      // three are left after the drop
    mbarrier.test_wait.parity.shared.b64 %p2, [smem], 1;
    mbarrier.inval.shared.b64 [smem];
    mbarrier.init.shared.b64 [smem], 1;
  )") + see("%p1", 0) + see("%p2", 1),
                      2);
  EXPECT_EQ(out, (std::vector<uint32_t>{1, 1}));
}

/// Triton's warp-specialised kernels have both hazards.
TEST(Mbarrier, HazardsAreToldAndTheRunGoesOn) {
  struct Case {
    const char *body, *kind;
  };
  for (const Case &c : std::initializer_list<Case>{
           {"mbarrier.init.shared.b64 [smem], 2;\nmbarrier.init.shared.b64 [smem], 1;\n"
            "mbarrier.arrive.shared.b64 %d1, [smem];\nmbarrier.test_wait.parity.shared.b64 %p1, [smem], 0;",
            "mbarrier-initialised-twice"},
           {"mbarrier.init.shared.b64 [smem], 1;\nmbarrier.arrive.shared.b64 %d1, [smem];\n"
            "mov.b32 %r9, 0xFFFFFFFE;\nmbarrier.test_wait.parity.shared.b64 %p1, [smem], %r9;",
            "mbarrier-parity"},
       }) {
    Diagnostics diagnostics;
    auto out = protocol(c.body + see("%p1", 0), 1, &diagnostics);
    ASSERT_EQ(diagnostics.size(), 1u) << c.body;
    EXPECT_EQ(diagnostics[0].kind, c.kind);
    EXPECT_EQ(diagnostics[0].severity, Severity::Warning);
    ASSERT_FALSE(out.empty());
    EXPECT_EQ(out[0], 1u) << "the phase is over";
  }
}

TEST(Mbarrier, MisuseIsReported) {
  struct Case {
    const char *body, *message;
  };
  for (const Case &c : std::initializer_list<Case>{
           {"mbarrier.arrive.shared.b64 %d1, [smem];", "no initialised mbarrier"},
           {"mbarrier.init.shared.b64 [smem], 0;", "takes 1 to 1048575"},
           {"mbarrier.init.shared.b64 [smem], 1;\nmbarrier.arrive.shared.b64 %d1, [smem], 2;", "more arrivals"},
           {"mbarrier.init.shared.b64 [smem], 1;\nst.shared.b32 [smem], 0;\nmbarrier.arrive.shared.b64 %d1, [smem];",
            "overwritten"},
           {"mbarrier.init.shared.b64 [smem+4], 1;", "multiple of 8"},
           {"mbarrier.init.shared.b64 [smem], 2;\nmbarrier.arrive.noComplete.shared.b64 %d1, [smem], 2;",
            "would complete"},
           {"mbarrier.init.shared.b64 [smem], 1;\nmbarrier.expect_tx.relaxed.cta.shared.b64 [smem], 2000000;",
            "leaves its range"},
       }) {
    Diagnostics diagnostics;
    protocol(c.body, 1, &diagnostics);
    std::erase_if(diagnostics, [](const Diagnostic &one) { return one.kind == "mbarrier-reused"; });
    ASSERT_EQ(diagnostics.size(), 1u) << c.body;
    EXPECT_TRUE(mentions(diagnostics, c.message)) << errorText(diagnostics);
  }
}

TEST(Mbarrier, AWarpThatArrivesTogetherHasTheStatesOfOneAfterAnother) {
  // 64 arrivals carry 8 bytes each, which the first thread completes. Each thread's state has its pending count in bits
  // 40 and up; then the phase is complete for all.
  for (bool instant : {false, true}) {
    Kernel kernel;
    kernel.threads = 64;
    kernel.dynamicSmem = 64;
    kernel.declarations = ".extern .shared .align 16 .b8 smem[];";
    kernel.body = "mov.u32 %r0, %tid.x;\nmul.wide.u32 %d0, %r0, 4;\nadd.s64 %d0, %d0, %d51;\n"
                  "setp.eq.u32 %p0, %r0, 0;\n@%p0 mbarrier.init.shared.b64 [smem], 64;\nbar.sync 0;\n"
                  "mbarrier.arrive.expect_tx.shared.b64 %d1, [smem], 8;\nbar.sync 0;\n"
                  "@%p0 mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [smem], 512;\n"
                  "W: mbarrier.try_wait.shared.b64 %p1, [smem], %d1;\n@!%p1 bra.uni W;\n"
                  "shr.u64 %d1, %d1, 40;\ncvt.u32.u64 %r1, %d1;\nst.global.b32 [%d0], %r1;\nret;";
    EmulatorOptions options;
    options.instant = instant;
    auto result = run(kernel, {u32Array({0}), u32Array(std::vector<uint32_t>(64))}, options);
    ASSERT_TRUE(result) << errorText(result.error());
    EXPECT_TRUE(result->diagnostics.empty()) << errorText(result->diagnostics);
    std::vector<uint32_t> pending = words(result->outputs[1]);
    std::ranges::sort(pending); // either warp may arrive first
    for (uint32_t n = 0; n < 64; ++n)
      EXPECT_EQ(pending[n], n + 1);
  }
}

} // namespace
} // namespace lanescope::core::test
