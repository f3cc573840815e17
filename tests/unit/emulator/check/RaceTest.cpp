// The race and synchronisation checker: correct kernels report nothing; the same kernels without one wait or fence are
// faulted at the use, whatever the schedule.
//
// Each case is a body whose lines become lines of the snippet. `//-` marks what the faulty version lacks, `//+` what
// only the faulty version has, `//!` the line where the fault must be found.
#include "tests/unit/emulator/EmulatorSupport.h"

namespace lanescope::core::test {
namespace {

struct Case {
  const char *name, *kind, *words;
  std::string body;
  uint32_t cluster = 1;
};

struct Variant {
  Kernel kernel;
  SourceRef snippet;
  uint32_t faultLine = 0;
};

// Thread tid has its word at %d2 of shared memory and at %d3 of the output; %d5 is the word of a thread of another
// warp. An mbarrier for one arrival is at byte 32768. %p1: thread 0; %p3: warp 0; %p4: warp 1.
const char *const kPrologue = R"(
  .reg .b32 %acc<8>;
  .reg .b32 %frag<4>;
  .local .align 4 .b8 spilled[4];
  mov.u32 %r0, %tid.x;
  setp.eq.u32 %p1, %r0, 0;
  setp.lt.u32 %p3, %r0, 32;
  shr.u32 %r10, %r0, 5;
  setp.eq.u32 %p4, %r10, 1;
  mul.wide.u32 %d0, %r0, 4;
  mov.b64 %d1, smem;
  add.s64 %d2, %d1, %d0;
  add.s64 %d3, %d51, %d0;
  xor.b32 %r11, %r0, 32;
  mul.wide.u32 %d5, %r11, 4;
  add.s64 %d5, %d5, %d1;
  add.s64 %d6, %d50, %d0;
  @%p1 mbarrier.init.shared.b64 [smem+32768], 1;
  @%p1 mbarrier.init.shared.b64 [smem+32776], 128;
  st.shared.b32 [%d2], 0;
  st.shared.b32 [%d2+512], 0;
  fence.mbarrier_init.release.cluster;
  bar.sync 0;
)";

Variant variantOf(const std::string &body, bool faulty, uint32_t cluster = 1) {
  Variant out;
  std::string text, snippet;
  std::istringstream lines(body);
  uint32_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    snippet += line + "\n";
    bool only = line.find("//+") != std::string::npos, lacking = line.find("//-") != std::string::npos;
    if (line.find("//!") != std::string::npos)
      out.faultLine = number;
    if (faulty ? !lacking : !only)
      text += ".loc 1 " + std::to_string(number) + " 1\n" + line + "\n";
  }
  out.kernel.threads = 128;
  out.kernel.blocks = cluster;
  out.kernel.cluster = {cluster, 1, 1};
  out.kernel.dynamicSmem = 40960;
  out.kernel.declarations = ".extern .shared .align 1024 .b8 smem[];";
  out.kernel.body = kPrologue + text + "\nret;";
  out.snippet = Source::make("snippet.py", snippet);
  return out;
}

Result<RunResult> runVariant(const Variant &variant, uint64_t seed, bool instant = false, bool strict = false) {
  EmulatorOptions options;
  options.strict = strict;
  options.snippet = variant.snippet;
  options.seed = seed;
  options.instant = instant;
  std::vector<uint32_t> numbers(1024, 3);
  return run(variant.kernel, {u32Array(numbers), u32Array(std::vector<uint32_t>(128))}, options);
}

void check(const Case &c) {
  SCOPED_TRACE(c.name);
  Variant good = variantOf(c.body, false, c.cluster), bad = variantOf(c.body, true, c.cluster);
  ASSERT_NE(bad.faultLine, 0u);
  for (uint64_t seed = 0; seed < 4; ++seed) {
    auto fine = runVariant(good, seed);
    ASSERT_TRUE(fine) << errorText(fine.error());
    EXPECT_TRUE(fine->diagnostics.empty()) << errorText(fine->diagnostics);
    auto faulty = runVariant(bad, seed);
    ASSERT_TRUE(faulty) << errorText(faulty.error());
    // Synchronisation that is missing between warps is missing between lanes as well.
    if (std::string_view(c.kind) != "warp-synchronous")
      std::erase_if(faulty->diagnostics, [](const Diagnostic &one) { return one.kind == "warp-synchronous"; });
    ASSERT_EQ(faulty->diagnostics.size(), 1u) << "no fault was found";
    const Diagnostic first = faulty->diagnostics[0];
    EXPECT_EQ(first.kind, c.kind) << errorText(faulty->diagnostics);
    if (first.kind.starts_with("unfenced-") || first.kind == "copied-in-flight" || first.kind == "replaced-in-flight" ||
        first.kind == "unawaited-store" || first.kind == "narrow-scope") {
      EXPECT_EQ(first.severity, Severity::Warning);
      faulty = runVariant(bad, seed, false, true);
      ASSERT_TRUE(faulty) << errorText(faulty.error());
      ASSERT_EQ(faulty->diagnostics.size(), 1u);
    }
    EXPECT_EQ(faulty->diagnostics[0].severity, Severity::Error) << "in a strict run";
    ASSERT_TRUE(first.span.source);
    EXPECT_EQ(first.span.source->name(), "snippet.py");
    EXPECT_EQ(first.span.source->lineColumn(first.span.begin).line, bad.faultLine) << errorText(faulty->diagnostics);
    EXPECT_TRUE(mentions(faulty->diagnostics, c.words)) << errorText(faulty->diagnostics);
    EXPECT_TRUE(mentions(faulty->diagnostics, "warp ")) << errorText(faulty->diagnostics);
  }
  if (std::string_view(c.kind) == "divergent-instruction")
    return; // the fast mode cannot continue either
  auto unchecked = runVariant(bad, 0, true);
  ASSERT_TRUE(unchecked) << errorText(unchecked.error());
  EXPECT_TRUE(unchecked->diagnostics.empty()) << errorText(unchecked->diagnostics);
}

void checkAll(const std::vector<Case> &cases) {
  for (const Case &c : cases)
    check(c);
}

const std::string kExpect = "@%p1 mbarrier.arrive.expect_tx.shared.b64 %d4, [smem+32768], 512;\n";
const std::string kLoad = "@%p1 cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [smem], [%d50], 512, "
                          "[smem+32768];";

TEST(Race, BetweenThreads) {
  const std::string barrier = "bar.sync 0;//-\nnanosleep.u32 5000;//+\n";
  checkAll({
      {"read after a write of another warp", "race", "no barrier",
       "st.shared.b32 [%d2], %r0;\n" + barrier + "ld.shared.b32 %r1, [%d5];//!\n"},
      {"two writes", "race", "which warp 1 writes",
       "@%p4 st.shared.b32 [smem], %r0;\n" + barrier + "@%p1 st.shared.b32 [smem], 1;//!\n"},
      {"a write after another warp's read", "race", "reads",
       "st.shared.b32 [%d2], %r0;\nbar.sync 0;\nld.shared.b32 %r1, [%d5];\n" + barrier +
           "st.shared.b32 [%d2], %r1;//!\n"},
      {"a named barrier orders those who are in it", "race", "no barrier",
       "setp.lt.u32 %p5, %r0, 64;\n@%p5 st.shared.b32 [%d2], %r0;\n@%p5 bar.sync 3, 64;//-\n"
       "nanosleep.u32 5000;//+\n@%p5 ld.shared.b32 %r1, [%d5];//!\n"},
      {"a barrier of two warps says nothing of the others", "race", "no barrier",
       "st.shared.b32 [%d2], %r0;\nbar.sync 0;//-\nsetp.lt.u32 %p5, %r0, 64;\n@%p5 bar.sync 3, 64;\n"
       "nanosleep.u32 5000;//+\nxor.b32 %r12, %r0, 64;\nmul.wide.u32 %d7, %r12, 4;\nadd.s64 %d7, %d7, %d1;\n"
       "@%p5 ld.shared.b32 %r1, [%d7];//!\n"},
      {"a column of what all warps wrote", "race", "no barrier",
       "st.shared.b32 [%d2], %r0;\n" + barrier +
           "and.b32 %r12, %r0, 31;\nshl.b32 %r12, %r12, 4;\nmad.lo.u32 %r12, %r10, 4, %r12;\ncvt.u64.u32 %d7, %r12;\n"
           "add.s64 %d7, %d7, %d1;\nld.shared.b32 %r1, [%d7];//!\n"},
      {"a column written over rows that are read", "race", "reads",
       "st.shared.b32 [%d2], %r0;\nbar.sync 0;\nld.shared.b32 %r1, [%d2];\n" + barrier +
           "and.b32 %r12, %r0, 31;\nshl.b32 %r12, %r12, 4;\nmad.lo.u32 %r12, %r10, 4, %r12;\ncvt.u64.u32 %d7, %r12;\n"
           "add.s64 %d7, %d7, %d1;\nst.shared.b32 [%d7], %r1;//!\n"},
      {"an mbarrier orders", "race", "no barrier",
       "st.shared.b32 [%d2], %r0;\nmbarrier.arrive.shared.b64 %d4, [smem+32776];\nnanosleep.u32 5000;//+\n"
       "W: mbarrier.try_wait.parity.shared.b64 %p2, [smem+32776], 0;//-\n@!%p2 bra.uni W;//-\n"
       "ld.shared.b32 %r1, [%d5];//!\n"},
      {"bytes of one word belong to nobody else", "race", "no barrier",
       "cvt.u16.u32 %h1, %r0;\n@%p1 st.shared.b8 [smem+1], %h1;\n@%p4 st.shared.b8 [smem+2], %h1;\n" + barrier +
           "@%p1 ld.shared.b8 %h2, [smem+2];//!\n"},
  });
}

TEST(Race, AtomicsAndFlagsOrder) {
  Variant atomic = variantOf("st.shared.b32 [%d2], 0;\nbar.sync 0;\nred.shared.add.u32 [smem], 1;\n"
                             "atom.shared.add.u32 %r1, [smem], 1;\nbar.sync 0;\nld.shared.b32 %r1, [smem];\n"
                             "st.global.b32 [%d3], %r1;",
                             false);
  auto result = runVariant(atomic, 0);
  ASSERT_TRUE(result) << errorText(result.error());
  EXPECT_TRUE(result->diagnostics.empty()) << errorText(result->diagnostics);
  EXPECT_EQ(words(result->outputs[1])[0], 256u);
  // Warp 1 spins on a word that warp 0 sets after its data; the word is in shared or in global memory.
  for (std::string flag : {"shared.b32 [smem+512]", "global.b32 [%d51+508]"}) {
    std::string space = flag.substr(0, flag.find('.')), at = flag.substr(flag.find('['));
    std::string release = space == "shared" ? "st.release.cta.shared.b32 " : "st.release.gpu.global.b32 ";
    std::string acquire = space == "shared" ? "ld.acquire.cta.shared.b32 " : "ld.acquire.gpu.global.b32 ";
    Variant spin =
        variantOf("@%p1 st.shared.b32 [smem+512], 0;\nbar.sync 0;\n@%p3 st.shared.b32 [%d2], 7;\nbar.warp.sync -1;\n"
                  "@%p1 " +
                      release + at + ", 1;\n@!%p4 bra D;\nL: " + acquire + "%r1, " + at +
                      ";\nsetp.eq.u32 %p6, %r1, 0;\n@%p6 bra L;\nld.shared.b32 %r1, [%d5];\n"
                      "st.global.b32 [%d3], %r1;\nD:",
                  false);
    result = runVariant(spin, 0);
    ASSERT_TRUE(result) << errorText(result.error());
    EXPECT_TRUE(result->diagnostics.empty()) << errorText(result->diagnostics);
    EXPECT_EQ(words(result->outputs[1])[40], 7u);
  }
}

TEST(Race, CopiesIntoSharedMemory) {
  const std::string wait = "W: mbarrier.try_wait.parity.shared.b64 %p2, [smem+32768], 0;\n@!%p2 bra.uni W;\n";
  const std::string waitLess =
      "W: mbarrier.try_wait.parity.shared.b64 %p2, [smem+32768], 0;//-\n@!%p2 bra.uni W;//-\nnanosleep.u32 1000;//+\n";
  checkAll({
      {"read before the phase", "copy-not-awaited", "phase 0 (parity 0) of the mbarrier at shared address",
       kExpect + kLoad + "\n" + waitLess + "ld.shared.b32 %r1, [%d2];//!\nst.global.b32 [%d3], %r1;\n"},
      {"only warp 0 waits", "copy-not-awaited", "phase 0",
       kExpect + kLoad + "\n@!%p3 bra J;\n" + wait +
           "J: bar.sync 0;//-\nJ: nanosleep.u32 5000;//+\n"
           "ld.shared.b32 %r1, [%d2];//!\n"},
      {"only the other lanes of the warp wait", "copy-not-awaited", "phase 0",
       kExpect + kLoad + "\n@!%p1 bra B;\n" + waitLess +
           "nanosleep.u32 5000;\nld.shared.b32 %r1, [%d2];//!\nst.global.b32 [%d3], %r1;\nbra J;\n"
           "B:\nX: mbarrier.try_wait.parity.shared.b64 %p2, [smem+32768], 0;\n@!%p2 bra.uni X;\nJ:\n"},
      {"written while the copy fills", "copy-not-awaited", "which a copy still fills",
       kExpect + kLoad + "\n" + waitLess + "st.shared.b32 [%d2], %r1;//!\n"},
      {"filled again while others read", "race", "which warp 1 reads",
       kExpect + kLoad + "\n" + wait + "ld.shared.b32 %r1, [%d2];\nfence.proxy.async.shared::cta;\nbar.sync 0;//-\n" +
           "@!%p3 bra.uni J;//+\nnanosleep.u32 5000;//+\nJ:\n" + kExpect + kLoad +
           "//!\nX: mbarrier.try_wait.parity.shared.b64 %p2, [smem+32768], 1;\n@!%p2 bra.uni X;\n"},
      {"the second phase needs its own wait", "copy-not-awaited", "phase 1 (parity 1)",
       kExpect + kLoad + "\n" + wait + "bar.sync 0;\n" + kExpect + kLoad +
           "\nX: mbarrier.try_wait.parity.shared.b64 %p2, [smem+32768], 1;//-\n@!%p2 bra.uni X;//-\n"
           "nanosleep.u32 1000;//+\nld.shared.b32 %r1, [%d2];//!\n"},
      {"filled again, the reads not fenced", "unfenced-overwrite", "in the reading thread",
       kExpect + kLoad + "\n" + wait + "ld.shared.b32 %r1, [%d2];\nfence.proxy.async.shared::cta;//-\nbar.sync 0;\n" +
           kExpect + kLoad + "//!\nX: mbarrier.try_wait.parity.shared.b64 %p2, [smem+32768], 1;\n@!%p2 bra.uni X;\n"},
      {"filled again behind an mbarrier, the reads not fenced", "unfenced-overwrite", "the read of warp",
       kExpect + kLoad + "\n" + wait +
           "ld.shared.b32 %r1, [%d2];\nfence.proxy.async.shared::cta;//-\nmbarrier.arrive.shared.b64 %d4, "
           "[smem+32776];\n@!%p3 bra.uni J;\nR: mbarrier.try_wait.parity.shared.b64 %p2, [smem+32776], 0;\n"
           "@!%p2 bra.uni R;\n" +
           kExpect + kLoad +
           "//!\nJ:\nX: mbarrier.try_wait.parity.shared.b64 %p2, [smem+32768], 1;\n@!%p2 bra.uni X;\n"},
      {"cp.async needs no fence, but a barrier", "race", "reads",
       kExpect + kLoad + "\n" + wait +
           "ld.shared.b32 %r1, [%d5];\nbar.sync 0;//-\nnanosleep.u32 5000;//+\n"
           "cp.async.ca.shared.global [%d2], [%d6], 4;//!\ncp.async.wait_all;\n"},
      {"cp.async without its wait", "copy-not-awaited", "cp.async.wait_group",
       "cp.async.ca.shared.global [%d2], [%d6], 4;\ncp.async.commit_group;\ncp.async.wait_group 0;//-\n"
       "ld.shared.b32 %r1, [%d2];//!\n"},
      {"cp.async of another warp without a barrier", "copy-not-awaited", "a barrier",
       "cp.async.ca.shared.global [%d2], [%d6], 4;\ncp.async.commit_group;\ncp.async.wait_group 0;\nbar.sync 0;//-\n"
       "ld.shared.b32 %r1, [%d5];//!\n"},
      {"one group too few", "copy-not-awaited", "cp.async.wait_group",
       "cp.async.ca.shared.global [%d2], [%d6], 4;\ncp.async.commit_group;\n"
       "cp.async.ca.shared.global [%d2+512], [%d6], 4;\ncp.async.commit_group;\n"
       "cp.async.wait_group 0;//-\ncp.async.wait_group 1;//+\nld.shared.b32 %r1, [%d2];\n"
       "ld.shared.b32 %r1, [%d2+512];//!\n"},
      {"cp.async through an mbarrier", "copy-not-awaited", "cp.async.wait_group",
       "cp.async.ca.shared.global [%d2], [%d6], 4;\ncp.async.mbarrier.arrive.noinc.shared.b64 [smem+32776];\n"
       "W: mbarrier.try_wait.parity.shared.b64 %p2, [smem+32776], 0;//-\n@!%p2 bra.uni W;//-\n"
       "ld.shared.b32 %r1, [%d5];//!\n"},
  });
}

TEST(Race, CopiesOutOfSharedMemory) {
  const std::string store = "@%p1 cp.async.bulk.global.shared::cta.bulk_group [%d51], [smem], 512;//!\n"
                            "@%p1 cp.async.bulk.commit_group;\n";
  const std::string plain = "@%p1 cp.async.bulk.global.shared::cta.bulk_group [%d51], [smem], 512;\n"
                            "@%p1 cp.async.bulk.commit_group;\n";
  const std::string done = "@%p1 cp.async.bulk.wait_group 0;\n";
  checkAll({
      {"no proxy fence", "missing-proxy-fence", "fence.proxy.async",
       "st.shared.b32 [%d2], %r0;\nfence.proxy.async.shared::cta;//-\nbar.sync 0;\n" + store + done},
      {"a fence before the write", "missing-proxy-fence", "fence.proxy.async",
       "fence.proxy.async.shared::cta;\nst.shared.b32 [%d2], %r0;\nfence.proxy.async.shared::cta;//-\nbar.sync 0;\n" +
           store + done},
      {"a fence of global memory only", "missing-proxy-fence", "orders accesses of global memory only",
       "st.shared.b32 [%d2], %r0;\nfence.proxy.async.shared::cta;//-\nfence.proxy.async.global;//+\nbar.sync 0;\n" +
           store + done},
      {"a fence before cp.async has written", "missing-proxy-fence", "fence.proxy.async",
       "cp.async.ca.shared.global [%d2], [%d6], 4;\ncp.async.commit_group;\nfence.proxy.async.shared::cta;\n"
       "cp.async.wait_group 0;\nfence.proxy.async.shared::cta;//-\nbar.sync 0;\n" +
           store + done},
      {"a read behind the fence of what is filled again", "unfenced-overwrite", "in the reading thread",
       "st.shared.b32 [%d2], %r0;\nfence.proxy.async.shared::cta;\nld.shared.b32 %r1, [%d2];\n"
       "fence.proxy.async.shared::cta;//-\nbar.sync 0;\n" +
           kExpect + kLoad + "//!\nX: mbarrier.try_wait.parity.shared.b64 %p2, [smem+32768], 0;\n@!%p2 bra.uni X;\n"},
      {"no barrier", "race", "which warp 1 writes",
       "st.shared.b32 [%d2], %r0;\nfence.proxy.async.shared::cta;\nbar.sync 0;//-\n@%p1 nanosleep.u32 5000;//+\n" +
           store + done},
      {"the source is written too early", "overwritten-in-flight", "cp.async.bulk.wait_group.read",
       "st.shared.b32 [%d2], %r0;\nfence.proxy.async.shared::cta;\nbar.sync 0;\n" + plain +
           "@%p1 cp.async.bulk.wait_group.read 0;//-\nbar.sync 0;\nst.shared.b32 [%d2], 1;//!\n" + done},
      {"another warp has no barrier behind the wait", "overwritten-in-flight", "a barrier is missing after",
       "st.shared.b32 [%d2], %r0;\nfence.proxy.async.shared::cta;\nbar.sync 0;\n" + plain +
           "@%p1 cp.async.bulk.wait_group.read 0;\nbar.sync 0;//-\n@%p4 nanosleep.u32 9000;//+\n"
           "@%p4 st.shared.b32 [%d2], 1;//!\n" +
           done},
      {"filled while it is read", "overwritten-in-flight", "cp.async.bulk.wait_group.read",
       "st.shared.b32 [%d2], %r0;\nfence.proxy.async.shared::cta;\nbar.sync 0;\n" + plain +
           "@%p1 cp.async.bulk.wait_group.read 0;//-\n" + kExpect + kLoad +
           "//!\nX: mbarrier.try_wait.parity.shared.b64 %p2, [smem+32768], 0;\n@!%p2 bra.uni X;\n" + done},
  });
}

// A and B are 16 x 8 and 64 x 16 of f16 without a swizzle, somewhere in the first 4 KiB, all of which is written.
std::string wgmmaCase(const std::string &before, const std::string &after, const std::string &fence,
                      const std::string &mark = "") {
  std::string fill;
  for (int n = 0; n < 8; ++n)
    fill += "st.shared.b32 [%d2+" + std::to_string(512 * n) + "], 0;\n";
  return fill + "mov.b32 %acc0, 0;\nmov.b32 %acc1, 0;\nmov.b32 %acc2, 0;\nmov.b32 %acc3, 0;\n" +
         "mov.b32 %frag0, 0;\nmov.b32 %frag1, 0;\nmov.b32 %frag2, 0;\nmov.b32 %frag3, 0;\n"
         "mov.u64 %d10, 0x0000000800080000;\nshr.u64 %d11, %d1, 4;\nor.b64 %d10, %d10, %d11;\n" +
         fence + "bar.sync 0;\n" + before +
         "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%acc0, %acc1, %acc2, %acc3}, {%frag0, %frag1, %frag2, "
         "%frag3}, %d10, 1, 1, 1, 0;" +
         mark + "\nwgmma.commit_group.sync.aligned;\n" + after + "wgmma.wait_group.sync.aligned 0;\n";
}

TEST(Race, ACopyOfAnAccumulatorDoesNotFreeSharedMemory) {
  const std::string start = "wgmma.fence.sync.aligned;\n", fence = "fence.proxy.async.shared::cta;\n",
                    wait = "wgmma.wait_group.sync.aligned 0;\n", copy = "mov.b32 %r1, %acc2;\n",
                    write = "bar.sync 0;\nst.shared.b32 [%d2], 1;\n";
  auto kinds = [&](const std::string &after) {
    auto result = runVariant(variantOf(wgmmaCase(start, after, fence), false), 0);
    EXPECT_TRUE(result) << errorText(result.error());
    std::string out;
    for (const Diagnostic &one : result ? result->diagnostics : Diagnostics{})
      out += one.kind + " ";
    return out;
  };
  EXPECT_EQ(kinds(copy + write), "copied-in-flight overwritten-in-flight ");
  EXPECT_EQ(kinds(copy + wait + write), "copied-in-flight ");
  EXPECT_EQ(kinds(wait + copy + write), "");
  EXPECT_EQ(kinds(copy + "wgmma.wait_group.sync.aligned 1;\n" + write), "copied-in-flight overwritten-in-flight ");
}

TEST(Race, Wgmma) {
  const std::string fence = "fence.proxy.async.shared::cta;\n", start = "wgmma.fence.sync.aligned;\n";
  const std::string wait = "wgmma.wait_group.sync.aligned 0;//-\n";
  checkAll({
      {"an accumulator is read before the wait", "wgmma-in-flight", "reads register `%acc2`",
       wgmmaCase(start, wait + "st.global.b32 [%d3], %acc2;//!\n", fence)},
      {"an accumulator is written before the wait", "wgmma-in-flight", "writes register `%acc1`",
       wgmmaCase(start, wait + "mov.b32 %acc1, 1;//!\n", fence)},
      {"A is written before the wait", "replaced-in-flight", "reads as its A",
       wgmmaCase(start, wait + "mov.b32 %frag3, 1;//!\n", fence)},
      {"an accumulator is copied before the wait", "copied-in-flight", "copies register `%acc2`",
       wgmmaCase(start, wait + "mov.b32 %r1, %acc2;//!\n", fence)},
      {"an accumulator is spilled before the wait", "copied-in-flight", "copies register `%acc1`",
       wgmmaCase(start, wait + "st.local.b32 [spilled], %acc1;//!\n", fence)},
      {"no wgmma.fence at all", "unfenced-constant", "before the first `wgmma.fence`",
       wgmmaCase("wgmma.fence.sync.aligned;//-\n", "", fence, "//!")},
      {"a write behind the fence", "missing-wgmma-fence", "written since the last",
       wgmmaCase(start + "add.u32 %acc3, %acc3, 2;\nwgmma.fence.sync.aligned;//-\n", "", fence, "//!")},
      {"a copy of what was computed behind the fence", "missing-wgmma-fence", "written since the last",
       wgmmaCase("mov.b32 %acc2, 0;\n" + start +
                     "add.u32 %r1, %r0, 2;\nmov.b32 %acc2, %r1;\nmov.b32 %acc3, %acc2;\n"
                     "wgmma.fence.sync.aligned;//-\n",
                 "", fence, "//!")},
      {"a copy behind the fence of what was fenced", "unfenced-constant", "written since the last",
       wgmmaCase("mov.b32 %acc3, %r0;\n" + start + "mov.b32 %acc2, %acc3;\nwgmma.fence.sync.aligned;//-\n", "", fence,
                 "//!")},
      {"a copy behind the fence of what was computed before", "unfenced-constant", "written since the last",
       wgmmaCase("add.u32 %r1, %r0, 2;\n" + start + "mov.b32 %acc2, %r1;\nwgmma.fence.sync.aligned;//-\n", "", fence,
                 "//!")},
      {"halves packed behind the fence", "unfenced-constant", "written since the last",
       wgmmaCase("cvt.u16.u32 %h1, %r0;\ncvt.u16.u32 %h2, %r0;\n" + start +
                     "mov.b32 %frag2, {%h1, %h2};\nwgmma.fence.sync.aligned;//-\n",
                 "", fence, "//!")},
      {"one of two halves computed behind the fence", "missing-wgmma-fence", "written since the last",
       wgmmaCase("cvt.u16.u32 %h1, %r0;\n" + start +
                     "cvt.u16.u32 %h2, %r0;\nmov.b32 %frag2, {%h1, %h2};\nwgmma.fence.sync.aligned;//-\n",
                 "", fence, "//!")},
      {"a constant behind the fence", "unfenced-constant", "written since the last",
       wgmmaCase(start + "mov.b32 %acc3, 2;\nwgmma.fence.sync.aligned;//-\n", "", fence, "//!")},
      // A constant passes through registers that also hold other values.
      {"a copy of a constant behind the fence", "unfenced-constant", "written since the last",
       wgmmaCase("mov.b32 %acc2, %r0;\n" + start +
                     "mov.b32 %acc2, 0;\nmov.b32 %acc3, %acc2;\nwgmma.fence.sync.aligned;//-\n",
                 "", fence, "//!")},
      {"a spilled accumulator behind the fence", "unfenced-constant", "written since the last",
       wgmmaCase("st.local.b32 [spilled], %acc3;\n" + start +
                     "ld.local.b32 %acc3, [spilled];\nwgmma.fence.sync.aligned;//-\n",
                 "", fence, "//!")},
      {"operands without a proxy fence", "missing-proxy-fence", "fence.proxy.async",
       wgmmaCase(start, "", "fence.proxy.async.shared::cta;//-\n", "//!")},
      {"operands of cp.async without a proxy fence", "unfenced-cp-async", "without a fence between them",
       wgmmaCase(start, "",
                 "cp.async.ca.shared.global [%d2], [%d6], 4;\ncp.async.commit_group;\ncp.async.wait_group 0;\n"
                 "fence.proxy.async.shared::cta;//-\n",
                 "//!")},
      {"operands written while they are read", "overwritten-in-flight", "wgmma.wait_group",
       wgmmaCase(start, wait + "st.shared.b32 [%d2], 1;//!\n", fence)},
  });
  // Warp 3 of the warpgroup exits without a wgmma; the report says that the other warps wait for it.
  Variant three = variantOf(wgmmaCase(start, "", fence), false);
  three.kernel.body.insert(std::string(kPrologue).size(), "setp.ge.u32 %p9, %r0, 96;\n@%p9 exit;\n");
  auto stuck = runVariant(three, 0);
  ASSERT_TRUE(stuck) << errorText(stuck.error());
  EXPECT_TRUE(mentions(stuck->diagnostics, "for a wgmma that warp 3 of the warpgroup has not issued"))
      << errorText(stuck->diagnostics);
  // Several wgmmas of one shape may use the same accumulators one after another.
  const std::string again = "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%acc0, %acc1, %acc2, %acc3}, {%frag0, "
                            "%frag1, %frag2, %frag3}, %d10, 1, 1, 1, 0;\nwgmma.commit_group.sync.aligned;\n";
  auto chain = runVariant(variantOf(wgmmaCase(start, again + again + "wgmma.wait_group.sync.aligned 1;\n", fence) +
                                        "st.global.b32 [%d3], %acc2;\n",
                                    false),
                          0);
  ASSERT_TRUE(chain) << errorText(chain.error());
  EXPECT_TRUE(chain->diagnostics.empty()) << errorText(chain->diagnostics);
}

TEST(Race, Clusters) {
  const std::string sync = "barrier.cluster.arrive.release.aligned;//-\nbarrier.cluster.wait.acquire.aligned;//-\n"
                           "nanosleep.u32 5000;//+\n";
  const std::string start = "barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;\n"
                            "mov.u32 %r20, %cluster_ctarank;\nsetp.eq.u32 %p8, %r20, 0;\nmov.u32 %r21, smem;\n"
                            "mapa.shared::cluster.u32 %r22, %r21, 1;\n";
  const std::string end = "barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;\n";
  checkAll({
      {"a store into another block", "race", "warp 0 of block 0 of the cluster",
       start + "and.pred %p9, %p8, %p1;\n@%p9 st.shared::cluster.u32 [%r22], 5;\n" + sync +
           "@!%p8 ld.shared.b32 %r1, [smem];//!\n" + end,
       2},
      {"a block's own store read by another", "race", "warp 0 of block 1 of the cluster",
       start + "not.pred %p10, %p8;\nand.pred %p9, %p10, %p1;\n@%p9 st.shared.u32 [smem], 5;\n" + sync +
           "@%p8 ld.shared::cluster.b32 %r1, [%r22];//!\n" + end,
       2},
      {"a copy into another block", "copy-not-awaited", "phase 0 (parity 0)",
       start +
           "mapa.shared::cluster.u32 %r23, %r21, 1;\nadd.u32 %r23, %r23, 32768;\nand.pred %p9, %p8, %p1;\n"
           "not.pred %p10, %p8;\nand.pred %p11, %p10, %p1;\n"
           "@%p11 mbarrier.arrive.expect_tx.shared.b64 %d4, [smem+32768], 512;\n"
           "@%p9 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r22], [%d50], 512, [%r23];\n"
           "@%p8 bra.uni D;\nW: mbarrier.try_wait.parity.shared.b64 %p2, [smem+32768], 0;//-\n@!%p2 bra.uni W;//-\n"
           "nanosleep.u32 5000;//+\nld.shared.b32 %r1, [%d2];//!\nD:\n" +
           end,
       2},
      {"a bulk store of what st.async brought", "missing-proxy-fence", "`st.async.weak.shared::cluster",
       start +
           "mapa.shared::cluster.u32 %r23, %r21, 1;\nadd.u32 %r24, %r23, 32768;\nmov.u32 %r25, %tid.x;\n"
           "mad.lo.u32 %r23, %r25, 4, %r23;\nnot.pred %p10, %p8;\nand.pred %p11, %p10, %p1;\n"
           "@%p11 mbarrier.arrive.expect_tx.shared.b64 %d4, [smem+32768], 512;\n"
           "@%p8 st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r23], %r25, [%r24];\n"
           "@%p8 bra.uni D;\nW: mbarrier.try_wait.parity.shared.b64 %p2, [smem+32768], 0;\n@!%p2 bra.uni W;\n"
           "fence.proxy.async.shared::cta;//-\n"
           "@%p11 cp.async.bulk.global.shared::cta.bulk_group [%d51], [smem], 512;//!\n"
           "@%p11 cp.async.bulk.commit_group;\n@%p11 cp.async.bulk.wait_group 0;\nD:\n" +
           end,
       2},
  });
}

/// A release and an acquire order accesses if each is in the scope of the other. Relaxed operations order only with a
/// fence.
TEST(Race, ScopeAndSemanticsBetweenBlocks) {
  const std::string start = "barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;\n"
                            "mov.u32 %r20, %cluster_ctarank;\nsetp.eq.u32 %p8, %r20, 0;\nmov.u32 %r21, smem;\n"
                            "mapa.shared::cluster.u32 %r22, %r21, 1;\nmapa.shared::cluster.u32 %r23, %r21, 0;\n"
                            "add.u32 %r24, %r22, 32768;\nadd.u32 %r23, %r23, 32768;\nnot.pred %p10, %p8;\n"
                            "and.pred %p9, %p10, %p1;\nand.pred %p11, %p8, %p1;\n";
  const std::string end = "barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;\n";
  // Block 1 writes and signals block 0, which reads. The cases are correct and incorrect pairs of an arrival and a
  // wait.
  auto told = [&](const std::string &arrive, const std::string &wait, const std::string &before = "",
                  const std::string &after = "") {
    auto either = [](const std::string &right, const std::string &wrong, const std::string &rest,
                     const std::string &label) {
      return wrong.empty() ? label + right + rest + "\n"
                           : label + "\n" + right + rest + "//-\n" + wrong + rest + "//+\n";
    };
    const std::string rightArrive = "@%p9 mbarrier.arrive.release.cluster.shared::cluster.b64",
                      rightWait = "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64";
    return start + "@%p9 st.shared.u32 [smem], 5;\n" + before +
           either(rightArrive, arrive.empty() ? "" : "@%p9 " + arrive, " _, [%r23];", "") + "@%p10 bra.uni D;\n" +
           either(rightWait, wait, " %p2, [smem+32768], 0;", "W:") + "@!%p2 bra.uni W;\n" + after +
           "ld.shared::cluster.b32 %r1, [%r22];//!\nD:\n" + end;
  };
  auto relaxed = [&](const std::string &before, const std::string &after) { // correct with both fences
    return start + "@%p9 st.shared.u32 [smem], 5;\n" + before +
           "@%p9 mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [%r23];\n@%p10 bra.uni D;\n"
           "W: mbarrier.try_wait.parity.relaxed.cluster.shared::cta.b64 %p2, [smem+32768], 0;\n@!%p2 bra.uni W;\n" +
           after + "ld.shared::cluster.b32 %r1, [%r22];//!\nD:\n" + end;
  };
  const std::string fence = "fence.acq_rel.cluster;\n";
  checkAll({
      {"an arrival of the default scope", "race", "is `.cta` (none is written), and the other block is not in it",
       told("mbarrier.arrive.shared::cluster.b64", ""), 2},
      {"a wait of the default scope", "race", "write `.acquire.cluster`",
       told("", "mbarrier.try_wait.parity.shared::cta.b64"), 2},
      {"both of the scope .cta", "race", "between them is of the scope `.cta`",
       told("mbarrier.arrive.release.cta.shared::cluster.b64", "mbarrier.try_wait.parity.acquire.cta.shared::cta.b64"),
       2},
      {"a relaxed arrival", "race", "is relaxed and publishes nothing: write `.release.cluster`",
       told("mbarrier.arrive.relaxed.cluster.shared::cluster.b64", ""), 2},
      {"a relaxed wait", "race", "is relaxed and acquires nothing: write `.acquire.cluster`",
       told("", "mbarrier.try_wait.parity.relaxed.cluster.shared::cta.b64"), 2},
      {"relaxed without the fence before", "race", "`fence.acq_rel.cluster` before it",
       relaxed("fence.acq_rel.cluster;//-\n", fence), 2},
      {"relaxed without the fence after", "race", "`fence.acq_rel.cluster` after it",
       relaxed(fence, "fence.acq_rel.cluster;//-\n"), 2},
      {"a fence of the block alone", "race", "`fence.acq_rel.cluster` before it",
       relaxed("fence.acq_rel.cluster;//-\nfence.acq_rel.cta;//+\n", fence), 2},
      {"a relaxed cluster barrier", "race", "`barrier.cluster.arrive.relaxed.aligned` is relaxed and publishes nothing",
       start +
           "@%p9 st.shared.u32 [smem], 5;\nbarrier.cluster.arrive.release.aligned;//-\n"
           "barrier.cluster.arrive.relaxed.aligned;//+\nbarrier.cluster.wait.acquire.aligned;\n"
           "@%p8 ld.shared::cluster.b32 %r1, [%r22];//!\n" +
           end,
       2},
      {"a relaxed cluster barrier without the fence", "race", "`fence.acq_rel.cluster` before it",
       start +
           "@%p9 st.shared.u32 [smem], 5;\nfence.acq_rel.cluster;//-\n"
           "barrier.cluster.arrive.relaxed.aligned;\nbarrier.cluster.wait.acquire.aligned;\n"
           "@%p8 ld.shared::cluster.b32 %r1, [%r22];//!\n" +
           end,
       2},
      {"a read before a relaxed cluster barrier", "race", "is relaxed",
       start +
           "@%p8 ld.shared::cluster.b32 %r1, [%r22];\nbarrier.cluster.arrive.release.aligned;//-\n"
           "barrier.cluster.arrive.relaxed.aligned;//+\nbarrier.cluster.wait.acquire.aligned;\n"
           "@%p9 st.shared.u32 [smem], 5;//!\n" +
           end,
       2},
      {"an mbarrier behind a relaxed cluster barrier", "race", "`fence.mbarrier_init.release.cluster`",
       "@%p1 mbarrier.init.shared.b64 [smem+32784], 1;\nfence.mbarrier_init.release.cluster;//-\n"
       "barrier.cluster.arrive.relaxed.aligned;\nbarrier.cluster.wait.acquire.aligned;\n"
       "@!%p3 mbarrier.test_wait.parity.shared.b64 %p2, [smem+32784], 0;//!\n" +
           end,
       2},
      {"a read told by an arrival of the default scope", "narrow-scope", "has the scope of one block (`.cta`)",
       start +
           "@%p11 ld.shared::cluster.b32 %r1, [%r22];\n"
           "@%p11 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r24];//-\n"
           "@%p11 mbarrier.arrive.shared::cluster.b64 _, [%r24];//+\n@%p8 bra.uni D;\n"
           "W: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p2, [smem+32768], 0;\n@!%p2 bra.uni W;\n"
           "@%p9 st.shared.u32 [smem], 5;//!\nD:\n" +
           end,
       2},
  });
}

TEST(Race, RelaxedArrivalsAndWaitsWithinABlock) {
  const std::string wait = "W: mbarrier.try_wait.parity.shared.b64 %p2, [smem+32768], 0;\n@!%p2 bra.uni W;\n";
  checkAll({
      {"a relaxed arrival", "race", "is relaxed and publishes nothing: write `.release.cta`",
       "@%p1 st.shared.u32 [smem], 5;\n@%p1 mbarrier.arrive.shared::cta.b64 _, [smem+32768];//-\n"
       "@%p1 mbarrier.arrive.relaxed.cta.shared::cta.b64 _, [smem+32768];//+\n" +
           wait + "@%p4 ld.shared.b32 %r1, [smem];//!\n"},
      {"a relaxed wait", "race", "is relaxed and acquires nothing: write `.acquire.cta`",
       "@%p1 st.shared.u32 [smem], 5;\n@%p1 mbarrier.arrive.shared::cta.b64 _, [smem+32768];\n"
       "W:\nmbarrier.try_wait.parity.shared.b64 %p2, [smem+32768], 0;//-\n"
       "mbarrier.try_wait.parity.relaxed.cta.shared::cta.b64 %p2, [smem+32768], 0;//+\n@!%p2 bra.uni W;\n"
       "@%p4 ld.shared.b32 %r1, [smem];//!\n"},
      {"relaxed without a fence", "race", "`fence.acq_rel.cta` before it",
       "@%p1 st.shared.u32 [smem], 5;\nfence.acq_rel.cta;//-\n"
       "@%p1 mbarrier.arrive.relaxed.cta.shared::cta.b64 _, [smem+32768];\n" +
           wait + "@%p4 ld.shared.b32 %r1, [smem];//!\n"},
  });
}

TEST(Race, BlocksEndBehindTheOthersUses) {
  const std::string start = "barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;\n"
                            "mov.u32 %r20, %cluster_ctarank;\nsetp.eq.u32 %p8, %r20, 0;\nmov.u32 %r21, smem;\n"
                            "mapa.shared::cluster.u32 %r22, %r21, 1;\nadd.u32 %r23, %r22, 32768;\n"
                            "and.pred %p9, %p8, %p1;\nnot.pred %p10, %p8;\nand.pred %p11, %p10, %p1;\n";
  const std::string end = "barrier.cluster.arrive.release.aligned;//-\nbarrier.cluster.wait.acquire.aligned;//-\n"
                          "nanosleep.u32 5000;//+\nexit;//!\n";
  const std::string told = "@%p8 bra.uni D;\nW: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p2, "
                           "[smem+32768], 0;//-\n@!%p2 bra.uni W;//-\nnanosleep.u32 5000;//+\nD:\nexit;//!\n";
  checkAll({
      {"a read", "early-end", "may end before warp 0 of block 0 of the cluster",
       start + "@%p9 ld.shared::cluster.b32 %r1, [%r22];\n" + end, 2},
      {"an atomic", "early-end", "`red.relaxed.cluster.shared::cluster.add.u32`, issued here",
       start + "@%p9 red.relaxed.cluster.shared::cluster.add.u32 [%r22], 1;\n" + end, 2},
      {"an arrival that nobody waits for", "early-end", "`mbarrier.arrive.release.cluster.shared::cluster.b64`",
       start + "@%p9 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r23];\n" + told, 2},
      {"a copy that nobody waits for", "early-end", "may end while a copy of another block fills",
       start +
           "@%p11 mbarrier.arrive.expect_tx.shared.b64 %d4, [smem+32768], 4;\n"
           "@%p9 st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r22], 7, [%r23];\n" +
           told,
       2},
  });
}

TEST(Race, BarriersThatAreNotThereYet) {
  checkAll({{"no barrier behind the initialisation", "race", "initialises",
             "@%p1 mbarrier.init.shared.b64 [smem+32784], 128;\nbar.sync 0;//-\nnanosleep.u32 5000;//+\n"
             "mbarrier.arrive.shared.b64 %d4, [smem+32784];//!\n"}});
}

/// Warps pass rows of global memory on, round after round. A barrier of the block orders what came before it, and
/// nothing after it.
TEST(Race, RowsThatWarpsHandOn) {
  // Each warp stores its row (%d3), and adds what it loads from its neighbour's row (%d7) to a sum.
  const std::string begin = "sub.s64 %d7, %d5, %d1;\nadd.s64 %d7, %d7, %d51;\nmov.b32 %r2, 0;\nmov.b32 %r3, 0;\nL:\n"
                            "add.u32 %r4, %r3, %r0;\nst.global.b32 [%d3], %r4;\n",
                    load = "ld.global.b32 %r1, [%d7];\nadd.u32 %r2, %r2, %r1;\n",
                    end = "add.u32 %r3, %r3, 1;\nsetp.lt.u32 %p6, %r3, 5;\n@%p6 bra L;\nst.global.b32 [%d6], %r2;\n";
  for (int round = 0; round < 4; ++round) { // this round lacks a barrier
    const std::string without = "setp.ne.u32 %p8, %r3, " + std::to_string(round) + ";//+\n@%p8 bar.sync 0;//+\n";
    for (const std::string &body : {begin + "bar.sync 0;//-\n" + without + load + "bar.sync 0;\n" + end,
                                    begin + "bar.sync 0;\n" + load + "bar.sync 0;//-\n" + without + end}) {
      auto fine = runVariant(variantOf(body, false), 0), faulty = runVariant(variantOf(body, true), 0);
      ASSERT_TRUE(fine && faulty) << body;
      EXPECT_TRUE(fine->diagnostics.empty()) << errorText(fine->diagnostics);
      EXPECT_TRUE(std::ranges::any_of(
          faulty->diagnostics,
          [](const Diagnostic &one) { return one.kind == "race" && one.severity == Severity::Error; }))
          << "round " << round << "\n"
          << body << errorText(faulty->diagnostics);
    }
  }
}

TEST(Race, GlobalMemoryWithinABlock) {
  const std::string barrier = "bar.sync 0;//-\nnanosleep.u32 5000;//+\n";
  // %d7: the output's word of a thread of another warp.
  const std::string other = "sub.s64 %d7, %d5, %d1;\nadd.s64 %d7, %d7, %d51;\n";
  const std::string use = "st.global.b32 [%d6+512], %r1;\n";
  const std::string fill = "st.shared.b32 [%d2], %r0;\nfence.proxy.async.shared::cta;\nbar.sync 0;\n";
  const std::string store = "@%p1 cp.async.bulk.global.shared::cta.bulk_group [%d51], [smem], 512;\n"
                            "@%p1 cp.async.bulk.commit_group;\n";
  const std::string done = "@%p1 cp.async.bulk.wait_group 0;\n";
  checkAll({
      {"read after a write of another warp", "race", "which warp 1 writes",
       other + "st.global.b32 [%d3], %r0;\n" + barrier + "ld.global.b32 %r1, [%d7];//!\n" + use},
      {"two writes of different values", "race", "of buffer 1",
       "@%p4 st.global.b32 [%d51], 7;\n" + barrier + "@%p1 st.global.b32 [%d51], 1;//!\n"},
      {"a write after another warp's read", "race", "reads",
       other + "ld.global.b32 %r1, [%d7];\n" + use + barrier + "mov.b32 %r1, 9;\nst.global.b32 [%d3], %r1;//!\n"},
      {"an atomic and a plain write", "race", "no barrier",
       "@%p4 red.global.add.u32 [%d51], 7;\n" + barrier + "@%p1 st.global.b32 [%d51], 1;//!\n"},
      {"a store that nobody has waited for", "copy-not-awaited", "without `.read`",
       fill + store +
           "@%p1 cp.async.bulk.wait_group 0;//-\n@%p1 cp.async.bulk.wait_group.read 0;//+\n"
           "bar.sync 0;\nld.global.b32 %r1, [%d3];//!\n"},
      {"a copy back behind a wait for the source", "unawaited-store", "which another copy still writes",
       fill + store + "@%p1 cp.async.bulk.wait_group 0;//-\n@%p1 cp.async.bulk.wait_group.read 0;//+\n" + kExpect +
           "@%p1 cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [smem+1024], [%d51], 512, "
           "[smem+32768];//!\nV: mbarrier.try_wait.parity.shared.b64 %p2, [smem+32768], 0;\n@!%p2 bra.uni V;\n"},
      {"a copy back without any wait", "copy-not-awaited", "which another copy still writes",
       fill + store + "@%p1 cp.async.bulk.wait_group 0;//-\n" + kExpect +
           "@%p1 cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [smem+1024], [%d51], 512, "
           "[smem+32768];//!\nV: mbarrier.try_wait.parity.shared.b64 %p2, [smem+32768], 0;\n@!%p2 bra.uni V;\n" +
           done},
      {"written while a copy reads", "overwritten-in-flight", "phase 0",
       kExpect + kLoad +
           "\nW: mbarrier.try_wait.parity.shared.b64 %p2, [smem+32768], 0;//-\n@!%p2 bra.uni W;//-\n"
           "bar.sync 0;\nst.global.b32 [%d6], 5;//!\n"},
      {"a flag that nobody looks at", "race", "no barrier",
       other +
           "@%p3 st.global.b32 [%d3], %r0;\nbar.warp.sync -1;\n@%p1 st.release.gpu.global.b32 [%d50], 1;\n@!%p4 bra "
           "D;\n"
           "L: ld.acquire.gpu.global.b32 %r1, [%d50];//-\nsetp.ne.u32 %p6, %r1, 1;//-\n@%p6 bra L;//-\n"
           "nanosleep.u32 5000;//+\nld.global.b32 %r1, [%d7];//!\n" +
           use + "D:\n"},
  });
  // All threads may write the same value.
  auto same = runVariant(variantOf("st.global.b32 [%d51], 7;\nst.global.b32 [%d51+4], 7;\n", false), 0);
  ASSERT_TRUE(same) << errorText(same.error());
  EXPECT_TRUE(same->diagnostics.empty()) << errorText(same->diagnostics);
}

TEST(Race, LoadsThatNobodyUsesAreNoted) {
  // As Triton updates an array with fewer elements than threads: all threads load, and one of the threads for each
  // element stores it.
  const std::string load = "and.b32 %r20, %r0, 31;\nmul.wide.u32 %d7, %r20, 4;\nadd.s64 %d7, %d7, %d51;\n"
                           "ld.global.b32 %r1, [%d7];\nadd.u32 %r1, %r1, 3;\n";
  const std::string store = "@%p3 st.global.b32 [%d7], %r1;\n";
  for (uint64_t seed = 0; seed < 3; ++seed) {
    auto result = runVariant(variantOf(load + store, false), seed);
    ASSERT_TRUE(result) << errorText(result.error());
    ASSERT_FALSE(result->diagnostics.empty());
    for (const Diagnostic &found : result->diagnostics) {
      EXPECT_EQ(found.kind, "racing-read");
      EXPECT_EQ(found.severity, Severity::Note) << errorText(result->diagnostics);
    }
    EXPECT_TRUE(mentions(result->diagnostics, "no result depends on the loaded value"));
    EXPECT_EQ(words(result->outputs[1])[7], 3u);
  }
  // If the value reaches a result, or decides what is stored, the load is a race.
  for (const char *use :
       {"@%p4 st.global.b32 [%d6], %r1;\n",
        "mov.u32 %r2, 0;\nsetp.lt.s32 %p7, %r1, 4;\n@%p7 bra E;\nmov.u32 %r2, 1;\nE: @%p4 st.global.b32 [%d6], %r2;\n",
        "max.s32 %r2, %r1, 0;\n@%p4 st.global.b32 [%d6], %r2;\n"}) {
    auto result = runVariant(variantOf(load + store + use, false), 0);
    ASSERT_TRUE(result) << errorText(result.error());
    ASSERT_FALSE(result->diagnostics.empty());
    EXPECT_EQ(result->diagnostics[0].kind, "race") << use << errorText(result->diagnostics);
    EXPECT_EQ(result->diagnostics[0].severity, Severity::Error) << use;
  }
}

TEST(Race, AllMayWriteWhatIsThere) {
  for (const char *body : {"st.shared.b32 [smem], 7;\n",
                           "@%p3 st.shared.v4.b32 [smem], {%r10, %r10, 1, 2};\n"
                           "@%p4 st.shared.v4.b32 [smem], {0, 0, 1, 2};\n",
                           "mov.b32 %r4, 5;\nmov.b64 %d7, smem;\n"
                           "stmatrix.sync.aligned.m8n8.x1.shared.b16 [smem], {%r4};\n"}) {
    std::string text = body;
    for (uint64_t seed = 0; seed < 3; ++seed) {
      auto result = runVariant(variantOf(text, false), seed);
      ASSERT_TRUE(result) << errorText(result.error());
      EXPECT_TRUE(result->diagnostics.empty()) << text << errorText(result->diagnostics);
    }
  }
}

TEST(Race, UnwrittenSharedMemory) {
  // Mosaic GPU's stores by stmatrix begin with an ldmatrix of the same place, whose values are not used.
  const std::string load = "shl.b32 %r21, %r0, 4;\ncvt.u64.u32 %d7, %r21;\nadd.s64 %d7, %d7, %d1;\n"
                           "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r20}, [%d7+8192];\n";
  auto dead = runVariant(variantOf(load, false), 0);
  ASSERT_TRUE(dead) << errorText(dead.error());
  EXPECT_TRUE(dead->diagnostics.empty()) << errorText(dead->diagnostics);
  auto used = runVariant(variantOf(load + "st.global.b32 [%d3], %r20;\n", false), 0);
  ASSERT_TRUE(used) << errorText(used.error());
  ASSERT_EQ(used->diagnostics.size(), 1u);
  EXPECT_EQ(used->diagnostics[0].kind, "uninitialised-shared");
  const std::string read = "st.shared.b32 [%d2+8192], 0;//-\nbar.sync 0;\nld.shared.b32 %r1, [%d5+8192];//!\n";
  checkAll({{"nobody has written", "uninitialised-shared", "results depend on what it holds",
             read + "st.global.b32 [%d3], %r1;\n"},
            {"its sign alone", "uninitialised-shared", "results depend on what it holds",
             read + "max.s32 %r1, %r1, 0;\nst.global.b32 [%d3], %r1;\n"}});
  auto unused = runVariant(variantOf(read + "mov.b32 %r1, 0;\nst.global.b32 [%d3], %r1;\n", true), 0);
  ASSERT_TRUE(unused) << errorText(unused.error());
  ASSERT_EQ(unused->diagnostics.size(), 1u);
  EXPECT_EQ(unused->diagnostics[0].severity, Severity::Note);
  EXPECT_TRUE(mentions(unused->diagnostics, "no result depends on what it holds"));
}

TEST(Race, UnwrittenSharedMemoryOfAProfilersBuffer) {
  // A half-full buffer of clock readings is copied out whole. The second array holds results, or values that depend on
  // the buffer.
  auto findings = [](const std::string &reading, const std::string &result) {
    Kernel kernel;
    kernel.threads = 32;
    kernel.dynamicSmem = 1024;
    kernel.declarations = ".extern .shared .align 1024 .b8 smem[];";
    kernel.body = "mov.u32 %r0, %tid.x;\nmov.u32 %r1, smem;\nmad.lo.u32 %r2, %r0, 4, %r1;\n"
                  "mul.wide.u32 %d0, %r0, 4;\nadd.s64 %d1, %d50, %d0;\nadd.s64 %d2, %d51, %d0;\nmov.b32 %r5, 7;\n"
                  "setp.lt.u32 %p1, %r0, 8;\n" +
                  reading + "\n@%p1 st.shared.b32 [%r2], %r3;\nld.shared.b32 %r4, [%r2];\nst.global.b32 [%d1], %r4;\n" +
                  result + "\nst.global.b32 [%d2], %r5;\nret;";
    auto ran = run(kernel, {u32Array(std::vector<uint32_t>(32)), u32Array(std::vector<uint32_t>(32))});
    return ran ? ran->diagnostics : ran.error();
  };
  const std::string timer = "mov.u32 %r3, %globaltimer_lo;",
                    since = "mov.u32 %r6, %clock;\nxor.b32 %r5, %r5, 0;\nmov.u32 %r3, %clock;\nsub.u32 %r3, %r3, %r6;";
  for (const std::string &reading : {timer, since}) {
    Diagnostics fine = findings(reading, "");
    ASSERT_EQ(fine.size(), 1u);
    EXPECT_EQ(fine[0].severity, Severity::Note) << errorText(fine);
    EXPECT_TRUE(mentions(fine, "that store clock readings")) << errorText(fine);
    Diagnostics more = findings(reading, "add.u32 %r5, %r4, 1;");
    ASSERT_EQ(more.size(), 1u);
    EXPECT_EQ(more[0].severity, Severity::Note) << "both arrays hold readings: " << errorText(more);
    Diagnostics other = findings(reading, "selp.b32 %r5, 1, %r4, %p1;");
    ASSERT_EQ(other.size(), 1u);
    EXPECT_EQ(other[0].severity, Severity::Error) << errorText(other);
  }
  Diagnostics none = findings("mov.b32 %r3, 5;", "");
  ASSERT_EQ(none.size(), 1u);
  EXPECT_EQ(none[0].severity, Severity::Error) << errorText(none);
}

TEST(Race, WarpCollectives) {
  checkAll({
      {"half a warp at wgmma.fence", "divergent-instruction", "all 32 live lanes",
       "setp.lt.u32 %p6, %r0, 16;//+\n@%p6 wgmma.fence.sync.aligned;//!\n"},
      {"half a warp at setmaxnreg", "divergent-instruction", "all 32 live lanes",
       "setp.lt.u32 %p6, %r0, 16;//+\n@%p6 setmaxnreg.dec.sync.aligned.u32 40;//!\n"},
      {"half a warp at bar.sync", "divergent-instruction", "all 32 live lanes",
       "and.b32 %r3, %r0, 16;\nsetp.eq.u32 %p6, %r3, 0;//+\n@%p6 bar.sync 1;//!\n"},
      {"a shuffle without half of its lanes", "divergent-instruction", "does not take part",
       "and.b32 %r3, %r0, 16;\nsetp.eq.u32 %p6, %r3, 0;//+\n@%p6 shfl.sync.bfly.b32 %r4, %r0, 1, 31, -1;//!\n"},
  });
}

TEST(Races, OfLinesThatFragmentsHaveFilled) {
  // Warp 0 fills a line in each of eight rows in four parts; four lanes fill a part. Warp 1 reads or writes some of it.
  for (std::string use :
       {"ld.global.b32 %r4, [%d2+40];", "st.global.b32 [%d2+40], %r9;", "st.global.b32 [%d2+4], %r9;"})
    for (bool barrier : {true, false}) {
      Kernel kernel;
      kernel.threads = 64;
      kernel.body = "mov.u32 %r0, %tid.x;\nadd.u32 %r9, %r0, 7;\nand.b32 %r1, %r0, 31;\nshr.u32 %r2, %r1, 2;\n"
                    "and.b32 %r3, %r1, 3;\nmul.wide.u32 %d0, %r2, 512;\nmul.wide.u32 %d1, %r3, 8;\n"
                    "add.s64 %d2, %d51, %d0;\nadd.s64 %d2, %d2, %d1;\nsetp.lt.u32 %p1, %r0, 32;\n@!%p1 bra MEET;\n";
      for (int part = 0; part < 4; ++part)
        kernel.body += "st.global.v2.b32 [%d2+" + std::to_string(32 * part) + "], {%r9, %r9};\n";
      kernel.body += std::string("MEET:\n") + (barrier ? "bar.sync 0;\n" : "") + "@%p1 ret;\n" + use + "\nret;";
      auto result = run(kernel, {u32Array({0}), u32Array(std::vector<uint32_t>(1024))});
      ASSERT_TRUE(result) << errorText(result.error());
      EXPECT_EQ(mentions(result->diagnostics, "without an order between them"), !barrier)
          << use << errorText(result->diagnostics);
    }
}

} // namespace
} // namespace lanescope::core::test
