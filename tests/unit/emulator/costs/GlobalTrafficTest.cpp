// The run counts its global-memory traffic in sectors, and the traffic bounds the modelled time.
#include "tests/unit/emulator/EmulatorSupport.h"

#include <cmath>

namespace lanescope::core::test {
namespace {

struct Ran {
  EmulatorStatistics statistics;
  std::string note;
  double timeUs = 0;
};

Ran ran(const Kernel &kernel, std::vector<Array> arrays, uint32_t threads = 0) {
  EmulatorStatistics statistics;
  EmulatorOptions options;
  options.threads = threads;
  options.bounds = true;
  auto result = emulate(Source::make("k.ptx", kernel.ptx()), launchOf(kernel, arrays), arrays, options, &statistics);
  EXPECT_TRUE(result) << errorText(result.error());
  EXPECT_TRUE(result->diagnostics.empty()) << errorText(result->diagnostics);
  return {statistics, result->note, result->timeUs};
}

bool says(const Ran &ran, std::string_view part) { return ran.note.find(part) != std::string::npos; }

/// A warp loads words `stride` bytes apart, `times` times, and stores one.
Kernel strided(uint32_t stride, int times) {
  Kernel kernel;
  kernel.body =
      "mov.u32 %r0, %tid.x;\nmul.wide.u32 %d0, %r0, " + std::to_string(stride) + ";\nadd.s64 %d1, %d50, %d0;\n";
  for (int n = 0; n < times; ++n)
    kernel.body += "ld.global.u32 %r1, [%d1];\n";
  kernel.body += "mul.wide.u32 %d0, %r0, 4;\nadd.s64 %d2, %d51, %d0;\nst.global.u32 [%d2], %r1;\nret;";
  return kernel;
}

TEST(GlobalTraffic, CountsSectorsOfEachAccessAndOfTheArraysOnce) {
  std::vector<Array> arrays{u32Array(std::vector<uint32_t>(1024)), u32Array(std::vector<uint32_t>(32))};
  EXPECT_TRUE(says(ran(strided(4, 1), arrays), "256 bytes of L2 take 0, 256 of DRAM 0"));
  EXPECT_TRUE(says(ran(strided(4, 3), arrays), "512 bytes of L2 take 0, 256 of DRAM 0"));
  EXPECT_TRUE(says(ran(strided(128, 3), arrays), "3200 bytes of L2 take 0, 1152 of DRAM 0"));
  EXPECT_TRUE(says(ran(strided(0, 1), arrays), "160 bytes of L2 take 0, 160 of DRAM 0"));
}

/// A and B have 512 bytes each in f16, and D has 1024 bytes in f32. Their rows follow one another or lie apart.
TEST(GlobalTraffic, MatricesOfWmmaAreInIt) {
  auto product = [](uint32_t stride) {
    Kernel kernel;
    kernel.body = "mov.u32 %r20, " + std::to_string(stride) + R"(;
    wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7}, [%d50], %r20;
    wmma.load.b.sync.aligned.col.m16n16k16.f16 {%r8, %r9, %r10, %r11, %r12, %r13, %r14, %r15}, [%d50], %r20;
    mov.f32 %f0, 0f00000000;
    wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7},
      {%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7}, {%r8, %r9, %r10, %r11, %r12, %r13, %r14, %r15},
      {%f0, %f0, %f0, %f0, %f0, %f0, %f0, %f0};
    wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%d51], {%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7}, %r20;
    ret;)";
    return kernel;
  };
  std::vector<Array> arrays{u32Array(std::vector<uint32_t>(1024)), u32Array(std::vector<uint32_t>(1024))};
  EXPECT_TRUE(says(ran(product(16), arrays), "2048 bytes of L2 take 0, 1536 of DRAM 0"))
      << ran(product(16), arrays).note;
  EXPECT_TRUE(says(ran(product(64), arrays), "2048 bytes of L2 take 0, 1536 of DRAM 0"))
      << ran(product(64), arrays).note;
}

TEST(GlobalTraffic, CopiesAreInIt) {
  Kernel kernel;
  kernel.declarations = ".shared .align 128 .b8 tile[4096];\n.shared .align 8 .b64 bar;";
  kernel.body = R"(
    mov.u32 %r0, %tid.x;
    setp.eq.u32 %p0, %r0, 0;
    @%p0 mbarrier.init.shared.b64 [bar], 1;
    bar.sync 0;
    @!%p0 bra WAIT;
    mbarrier.arrive.expect_tx.shared.b64 _, [bar], 4096;
    cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [tile], [%d50], 4096, [bar];
WAIT:
    mbarrier.try_wait.parity.shared.b64 %p1, [bar], 0;
    @!%p1 bra WAIT;
    @%p0 cp.async.bulk.global.shared::cta.bulk_group [%d51], [tile], 1024;
    @%p0 cp.async.bulk.commit_group;
    @%p0 cp.async.bulk.wait_group 0;
    ret;)";
  Ran one = ran(kernel, {u32Array(std::vector<uint32_t>(1024)), u32Array(std::vector<uint32_t>(256))});
  EXPECT_TRUE(says(one, "5120 bytes of L2 take 1, 5120 of DRAM 2")) << one.note;
}

/// 264 blocks of 32 warps. Each thread reads 16 bytes eight times, `shift` bytes after the last read, and writes one
/// word.
Kernel streaming(uint32_t shift) {
  Kernel kernel;
  kernel.threads = 1024;
  kernel.blocks = 264;
  kernel.body =
      "mov.u32 %r0, %tid.x;\nmov.u32 %r1, %ctaid.x;\nmad.lo.u32 %r2, %r1, 1024, %r0;\nmul.wide.u32 %d0, %r2, 16;\n"
      "add.s64 %d1, %d50, %d0;\n";
  for (int n = 0; n < 8; ++n)
    kernel.body += "ld.global.v4.u32 {%r" + std::to_string(10 + 4 * n) + ", %r" + std::to_string(11 + 4 * n) + ", %r" +
                   std::to_string(12 + 4 * n) + ", %r" + std::to_string(13 + 4 * n) + "}, [%d1+" +
                   std::to_string(static_cast<uint32_t>(n) * shift) + "];\n";
  kernel.body +=
      "xor.b32 %r3, %r10, %r38;\nmul.wide.u32 %d0, %r2, 4;\nadd.s64 %d2, %d51, %d0;\nst.global.u32 [%d2], %r3;\nret;";
  return kernel;
}

TEST(GlobalTraffic, BoundsAreInTheTime) {
  constexpr uint32_t kBytes = 264 * 1024 * 16;
  std::vector<Array> arrays{u32Array(std::vector<uint32_t>(size_t{kBytes} * 8 / 4)),
                            u32Array(std::vector<uint32_t>(264 * 1024))};
  Ran apart = ran(streaming(kBytes), arrays);
  uint64_t bytes = uint64_t{kBytes} * 8 + 264 * 1024 * 4, dram = bytes / 2290, l2 = bytes / 4600;
  EXPECT_TRUE(says(apart, " of DRAM " + std::to_string(dram) + ";")) << apart.note;
  EXPECT_DOUBLE_EQ(apart.timeUs, static_cast<double>(apart.statistics.cycles) / 1000);
  // Repeated reads of the same bytes hit the L2 cache, which is faster but not free.
  Ran again = ran(streaming(0), arrays);
  EXPECT_TRUE(says(again, " of L2 take " + std::to_string(l2) + ",")) << again.note;
  // The warps' own schedule takes equally long in both runs.
  auto alone = [](const Ran &run, uint64_t bound) {
    return std::sqrt(std::pow(static_cast<double>(run.statistics.cycles), 2) - std::pow(static_cast<double>(bound), 2));
  };
  EXPECT_NEAR(alone(apart, dram), alone(again, l2), 30);
  EXPECT_GT(apart.statistics.cycles, dram);
  // The number of host threads changes nothing.
  EXPECT_EQ(ran(streaming(kBytes), arrays, 1).note, apart.note);
}

} // namespace
} // namespace lanescope::core::test
