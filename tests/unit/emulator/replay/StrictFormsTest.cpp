// Leniencies of the checker and their rules on request. Each kernel is clean by default, and has one fault if
// `--strict-rule` names its rule. A variant that follows the ISA is clean in both cases.
#include "tests/unit/emulator/EmulatorSupport.h"
#include "tests/unit/emulator/World.h"

#include <gtest/gtest.h>

namespace lanescope::core::test {
namespace {

/// 64 threads and 2048 bytes at `smem`. %r0: the thread; %p1: thread 0; %p2: warp 0; %p3: thread 32. The arrays at %d50
/// and %d51 have 64 words. An mbarrier for one arrival is at smem+1024.
Kernel twoWarps(const std::string &body, uint32_t blocks = 1) {
  Kernel kernel;
  kernel.threads = 64;
  kernel.blocks = blocks;
  kernel.dynamicSmem = 2048;
  kernel.declarations = ".extern .shared .align 128 .b8 smem[];";
  kernel.body = "mov.u32 %r0, %tid.x;\nsetp.eq.u32 %p1, %r0, 0;\nsetp.lt.u32 %p2, %r0, 32;\nsetp.eq.u32 %p3, %r0, 32;\n"
                "@%p1 mbarrier.init.shared.b64 [smem+1024], 1;\n@%p1 st.shared.u32 [smem+1040], 0;\n"
                "@%p1 st.shared.u32 [smem+1044], 0;\nfence.mbarrier_init.release.cluster;\nbar.sync 0;\n" +
                body + "\nret;";
  return kernel;
}

Diagnostics told(const Kernel &kernel, std::string_view rule, uint64_t seed = 0) {
  EmulatorOptions options;
  options.seed = seed;
  if (!rule.empty())
    options.strictRules = {std::string(rule)};
  auto result = run(kernel, {u32Array(std::vector<uint32_t>(64)), u32Array(std::vector<uint32_t>(64))}, options);
  return result ? result->diagnostics : result.error();
}

void expectClean(const Kernel &kernel, std::string_view rule) {
  for (uint64_t seed : {0, 3}) {
    Diagnostics found = told(kernel, rule, seed);
    EXPECT_TRUE(found.empty()) << rule << ", seed " << seed << ": " << errorText(found);
  }
}

/// `lenient` passes unless the rule is named; `right` always passes.
void expectRule(std::string_view rule, std::string_view words, const Kernel &lenient, const Kernel &right) {
  SCOPED_TRACE(rule);
  expectClean(lenient, "");
  expectClean(right, "");
  expectClean(right, rule);
  expectClean(lenient, rule == "vector-end" ? "equal-write" : "vector-end"); // another rule does not report it
  Diagnostics found = told(lenient, rule);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].kind, rule) << errorText(found);
  EXPECT_EQ(found[0].severity, Severity::Error) << errorText(found);
  EXPECT_TRUE(mentions(found, words)) << errorText(found);
  EXPECT_TRUE(mentions(found, "only with `--strict-rule " + std::string(rule) + "`")) << errorText(found);
}

TEST(StrictForms, EqualWrites) {
  // Both warps write 7 to the same place.
  expectRule("equal-write", "without an order between them", twoWarps("st.shared.u32 [smem], 7;"),
             twoWarps("@%p1 st.shared.u32 [smem], 7;\nbar.sync 0;\n@%p3 st.shared.u32 [smem], 7;"));
  expectRule("equal-write", "without an order between them", twoWarps("st.global.u32 [%d50], 7;"),
             twoWarps("@%p1 st.global.u32 [%d50], 7;"));
  // A thread reads a word that another thread overwrites with the 0 already there.
  expectRule("equal-write", "reads",
             twoWarps("@%p3 st.global.u32 [%d50], 0;\n@%p3 bra D;\n@%p1 ld.global.u32 %r1, [%d50];\n"
                      "@%p1 st.global.u32 [%d51], %r1;\nD:"),
             twoWarps("@%p3 st.global.u32 [%d50], 0;\nbar.sync 0;\n@%p1 ld.global.u32 %r1, [%d50];\n"
                      "@%p1 st.global.u32 [%d51], %r1;"));
}

TEST(StrictForms, RelaxedInBlock) {
  auto flag = [](const std::string &space, const std::string &place, const std::string &data, const std::string &before,
                 const std::string &after) {
    return twoWarps("@%p1 st." + data + ", 7;\n" + before + "@%p1 st.volatile." + space + ".u32 [" + place +
                    "], 1;\n@!%p3 bra D;\nL: ld.volatile." + space + ".u32 %r1, [" + place +
                    "];\nsetp.eq.u32 %p4, %r1, 0;\n@%p4 bra L;\n" + after + "ld." + data.substr(0, data.find(' ')) +
                    " %r2, " + data.substr(data.find(' ')) + ";\nst.global.u32 [%d51], %r2;\nD:");
  };
  const std::string fence = "fence.acq_rel.cta;\n";
  for (const char *data : {"shared.u32 [smem]", "shared.u32 [smem+64]"})
    for (auto [space, place] : {std::pair("shared", "smem+1040"), std::pair("global", "%d50")})
      expectRule("relaxed-in-block", "is relaxed", flag(space, place, data, "", ""),
                 flag(space, place, data, fence, fence));
  // One fence without the other is not enough.
  EXPECT_FALSE(told(flag("shared", "smem+1040", "shared.u32 [smem]", fence, ""), "relaxed-in-block").empty());
  EXPECT_FALSE(told(flag("shared", "smem+1040", "shared.u32 [smem]", "", fence), "relaxed-in-block").empty());
}

TEST(StrictForms, CarriedFences) {
  // Block 0 publishes after a barrier; block 1 reads.
  auto published = [](const std::string &before, const std::string &after) {
    return twoWarps("mov.u32 %r9, %ctaid.x;\nsetp.ne.u32 %p5, %r9, 0;\n@%p5 bra LOOK;\n"
                    "@%p3 st.global.u32 [%d50+4], 7;\n" +
                        before + "bar.sync 0;\n" + after +
                        "@%p1 red.relaxed.gpu.global.add.u32 [%d50], 1;\nbra.uni D;\nLOOK:\n@!%p1 bra D;\n"
                        "L: ld.acquire.gpu.global.u32 %r1, [%d50];\nsetp.eq.u32 %p4, %r1, 0;\n@%p4 bra L;\n"
                        "ld.global.u32 %r2, [%d50+4];\nst.global.u32 [%d51], %r2;\nD:",
                    2);
  };
  const std::string fence = "fence.acq_rel.gpu;\n";
  expectRule("carried-fence", "without an order between them", published(fence, ""), published("", fence));
}

TEST(StrictForms, UnwrittenMatrices) {
  auto load = [](const std::string &before) {
    return twoWarps(before + "and.b32 %r3, %r0, 7;\nshl.b32 %r3, %r3, 4;\nmov.u32 %r4, smem;\nadd.u32 %r3, %r3, %r4;\n"
                             "@%p2 bra A;\nbra.uni D;\nA: ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r5}, [%r3];\nD:");
  };
  expectRule("unwritten-matrix", "which nothing has written", load(""),
             load("mul.lo.u32 %r6, %r0, 4;\nmov.u32 %r7, smem;\nadd.u32 %r6, %r6, %r7;\nst.shared.u32 [%r6], 0;\n"
                  "bar.sync 0;\n"));
}

TEST(StrictForms, VectorsThatReachPastSharedMemory) {
  auto load = [](const std::string &bytes) {
    Kernel kernel = twoWarps("@%p1 st.shared.v2.u32 [smem+2048], {7, 8};\nbar.sync 0;\n"
                             "@%p1 ld.shared." +
                             bytes + ", [smem+2048];\n@%p1 st.global.u32 [%d51], %r1;");
    kernel.dynamicSmem = 2056;
    return kernel;
  };
  expectRule("vector-end", "outside the block's 2056 bytes", load("v4.u32 {%r1, %r2, %r3, %r4}"),
             load("v2.u32 {%r1, %r2}"));
}

TEST(StrictForms, ProxyFencesInGlobalMemory) {
  auto copied = [](const std::string &fence, const std::string &after = "") {
    return twoWarps("@%p3 st.global.u32 [%d50], 7;\n" + fence + "bar.sync 0;\n" + after +
                    "@%p1 mbarrier.arrive.expect_tx.shared.b64 %d4, [smem+1024], 16;\n"
                    "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [smem], [%d50], 16, "
                    "[smem+1024];\nW: mbarrier.try_wait.parity.shared.b64 %p4, [smem+1024], 0;\n@!%p4 bra.uni W;\n"
                    "ld.shared.u32 %r1, [smem];\n@%p1 st.global.u32 [%d51], %r1;");
  };
  expectRule("global-proxy-fence", "is not fenced", copied(""), copied("fence.proxy.async;\n"));
  expectRule("global-proxy-fence", "`fence.proxy.async`", copied("fence.proxy.async.shared::cta;\n"),
             copied("fence.proxy.async.global;\n"));
  expectRule("global-proxy-fence", "wrote it here", copied(""), copied("", "fence.proxy.async;\n"));
  // Shared memory has its own rule, which does not change.
  Kernel both = copied("");
  both.body.replace(both.body.find("ret;"), 4,
                    "bar.sync 0;\n@%p1 st.shared.u32 [smem+16], 7;\nfence.proxy.async.shared::cta;\n"
                    "@%p1 cp.async.bulk.global.shared::cta.bulk_group [%d51+16], [smem+16], 16;\n"
                    "@%p1 cp.async.bulk.commit_group;\n@%p1 cp.async.bulk.wait_group 0;\nret;");
  both.body.insert(both.body.find("bar.sync 0;"), "@%p1 st.shared.v4.u32 [smem+16], {0, 0, 0, 0};\n");
  Diagnostics found = told(both, "global-proxy-fence");
  ASSERT_EQ(found.size(), 1u) << errorText(found);
  EXPECT_EQ(found[0].kind, "global-proxy-fence");
}

TEST(StrictForms, RelaxedEndsOfBlocks) {
  auto kernel = [](const std::string &arrive) {
    Kernel out =
        twoWarps("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;\n"
                 "mov.u32 %r20, %cluster_ctarank;\nsetp.eq.u32 %p8, %r20, 0;\nmov.u32 %r21, smem;\n"
                 "mapa.shared::cluster.u32 %r22, %r21, 1;\nadd.u32 %r22, %r22, 1040;\nand.pred %p9, %p8, %p1;\n"
                 "@%p9 ld.shared::cluster.u32 %r1, [%r22];\n@%p9 st.global.u32 [%d51], %r1;\n" +
                     arrive + "\nbarrier.cluster.wait.acquire.aligned;",
                 2);
    out.cluster = {2, 1, 1};
    return out;
  };
  expectRule("relaxed-end", "may end before warp 0", kernel("barrier.cluster.arrive.relaxed.aligned;"),
             kernel("barrier.cluster.arrive.release.aligned;"));
}

// --- tensor memory ---------------------------------------------------------------------------------------------------

Diagnostics toldOnBlackwell(std::string body, std::string_view rule) {
  Kernel kernel = twoWarps(std::move(body));
  kernel.target = "sm_100a";
  kernel.threads = 128;
  kernel.dynamicSmem = 40960;
  kernel.declarations = ".extern .shared .align 1024 .b8 smem[];";
  kernel.directives = "";
  return told(kernel, rule);
}

TEST(StrictForms, TheWordOfAnAllocation) {
  auto body = [](const std::string &fence) {
    return "@%p2 tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [smem+2048], 32;\nbar.sync 0;\n"
           "ld.shared.u32 %r20, [smem+2048];\n" +
           fence +
           "bar.sync 0;\n@%p1 mbarrier.arrive.expect_tx.shared.b64 %d4, [smem+1024], 16;\n"
           "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [smem+2048], [%d50], 16, "
           "[smem+1024];\nW: mbarrier.try_wait.parity.shared.b64 %p4, [smem+1024], 0;\n@!%p4 bra.uni W;\n"
           "ld.shared.u32 %r1, [smem+2048];\n@%p1 st.global.u32 [%d51], %r1;\n"
           "@%p2 tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r20, 32;";
  };
  EXPECT_TRUE(toldOnBlackwell(body(""), "").empty()) << errorText(toldOnBlackwell(body(""), ""));
  Diagnostics found = toldOnBlackwell(body(""), "allocated-address");
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].kind, "allocated-address");
  EXPECT_EQ(found[0].severity, Severity::Error);
  EXPECT_TRUE(mentions(found, "is not fenced")) << errorText(found);
  Diagnostics fenced = toldOnBlackwell(body("fence.proxy.async.shared::cta;\n"), "allocated-address");
  EXPECT_TRUE(fenced.empty()) << errorText(fenced);
}

TEST(StrictForms, ACopyAfterTheProductThatReadsItsTarget) {
  auto body = [](const std::string &between) {
    return "mov.u32 %r1, smem;\nshr.u32 %r2, %r1, 4;\ncvt.u64.u32 %d1, %r2;\nor.b64 %d20, %d1, 0x401000080000;\n"
           "add.s64 %d21, %d20, 256;\nmov.b32 %r21, 0x8080010;\nmul.lo.u32 %r3, %r0, 64;\nadd.u32 %r3, %r3, %r1;\n"
           "add.u32 %r3, %r3, 4096;\nmov.b32 %r9, 0x3C003C00;\n"
           "add.s64 %d20, %d20, 256;\nadd.s64 %d21, %d20, 256;\n"
           "st.shared.v4.b32 [%r3], {%r9, %r9, %r9, %r9};\nst.shared.v4.b32 [%r3+16], {%r9, %r9, %r9, %r9};\n"
           "st.shared.v4.b32 [%r3+32], {%r9, %r9, %r9, %r9};\nst.shared.v4.b32 [%r3+48], {%r9, %r9, %r9, %r9};\n"
           "fence.proxy.async.shared::cta;\n"
           "@%p2 tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [smem+2048], 64;\nbar.sync 0;\n"
           "ld.shared.u32 %r20, [smem+2048];\n"
           "tcgen05.st.sync.aligned.32x32b.x8.b32 [%r20+32], {%r9, %r9, %r9, %r9, %r9, %r9, %r9, %r9};\n"
           "tcgen05.wait::st.sync.aligned;\ntcgen05.fence::before_thread_sync;\nbar.sync 0;\n"
           "tcgen05.fence::after_thread_sync;\n"
           "@%p1 tcgen05.mma.cta_group::1.kind::f16 [%r20], [%r20+32], %d20, %r21, 0;\n" +
           between +
           "@%p1 tcgen05.cp.cta_group::1.128x128b [%r20+32], %d20;\n"
           "@%p1 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [smem+1024];\n"
           "V: mbarrier.try_wait.parity.shared.b64 %p6, [smem+1024], " +
           (between.empty() ? "0" : "1") +
           ";\n@!%p6 bra.uni V;\ntcgen05.fence::after_thread_sync;\nbar.sync 0;\n"
           "@%p2 tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r20, 64;";
  };
  const std::string wait = "@%p1 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [smem+1024];\n"
                           "W: mbarrier.try_wait.parity.shared.b64 %p6, [smem+1024], 0;\n@!%p6 bra.uni W;\n"
                           "tcgen05.fence::after_thread_sync;\nbar.sync 0;\n";
  EXPECT_TRUE(toldOnBlackwell(body(""), "").empty()) << errorText(toldOnBlackwell(body(""), ""));
  Diagnostics found = toldOnBlackwell(body(""), "copy-after-mma");
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].kind, "copy-after-mma") << errorText(found);
  Diagnostics waited = toldOnBlackwell(body(wait), "copy-after-mma");
  EXPECT_TRUE(waited.empty()) << errorText(waited);
}

// --- devices ---------------------------------------------------------------------------------------------------------

TEST(StrictForms, ReductionsOfTwoDevices) {
  // Each device adds its tile to device 1's array `box`, or, as the ISA requires, to its own.
  auto world = [](const std::string &target) {
    return World{.body = "mov.u32 %q, tile; mul.lo.u32 %n, %t, 4; add.u32 %n, %n, %q; st.shared.u32 [%n], 1;\n"
                         "fence.proxy.async;\nbar.sync 0;\n@%others bra SENT;\n" +
                         target +
                         "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%a], [%q], 128;\n"
                         "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\nSENT:\n"};
  };
  const std::string one = "ld.global.u64 %a, [%boxes+8];\n", own = "mov.u64 %a, %box;\n";
  auto told = [&](const std::string &target, std::string_view rule) {
    World of = world(target);
    if (!rule.empty())
      of.options.strictRules = {std::string(rule)};
    auto result = of.run();
    return result ? result->diagnostics : result.error();
  };
  EXPECT_TRUE(told(one, "").empty()) << errorText(told(one, ""));
  EXPECT_TRUE(told(own, "unit-reduction").empty()) << errorText(told(own, "unit-reduction"));
  Diagnostics found = told(one, "unit-reduction");
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].kind, "unit-reduction") << errorText(found);
}

TEST(StrictForms, AFaultedRunIsNotRunAgain) {
  Kernel kernel = twoWarps("st.shared.u32 [smem], %r0;\nst.shared.u32 [smem+64], 7;");
  Diagnostics found = told(kernel, "equal-write");
  ASSERT_EQ(found.size(), 1u) << errorText(found);
  EXPECT_EQ(found[0].kind, "race");
}

} // namespace
} // namespace lanescope::core::test
