// When the data of asynchronous operations move. A kernel that does not wait gets the old data on the default schedule,
// however long it sleeps. With its wait, every seed and the fast mode give the same result. The fast mode moves data at
// once, so the wait does not matter there. Only the correct kernels run with the checker.
#include "tests/unit/emulator/EmulatorSupport.h"

namespace lanescope::core::test {
namespace {

struct Case {
  const char *name;
  std::string body; // thread t leaves its answer in %r1; the lines with `//-` are the wait
  uint32_t right = 3, late = 0;
  uint32_t cluster = 1;
};

// Thread t has word t of shared memory at %d2 (zero), of the input at %d6 (3) and of the output at %d3. Byte 4096 has
// an mbarrier for one arrival, byte 4104 one for all threads. %p1: thread 0; %p9: block 0 of a cluster.
const char *const kStart = R"(
.reg .b32 %acc<4>;
.reg .b32 %frag<4>;
mov.u32 %r0, %tid.x;
mov.u32 %r2, %cluster_ctarank;
setp.eq.u32 %p9, %r2, 0;
setp.eq.u32 %p1, %r0, 0;
and.pred %p8, %p1, %p9;
mov.u32 %r5, smem;
mul.wide.u32 %d0, %r0, 4;
mov.b64 %d1, smem;
add.s64 %d2, %d1, %d0;
add.s64 %d3, %d51, %d0;
add.s64 %d6, %d50, %d0;
mov.b32 %r1, 77;
@%p1 mbarrier.init.shared.b64 [smem+4096], 1;
@%p1 mbarrier.init.shared.b64 [smem+4104], 128;
st.shared.b32 [%d2], 0;
st.shared.b32 [%d2+512], 0;
st.shared.b32 [%d2+1024], 0;
st.shared.b32 [%d2+1536], 0;
fence.mbarrier_init.release.cluster;
fence.proxy.async.shared::cta;
barrier.cluster.arrive.release.aligned;
barrier.cluster.wait.acquire.aligned;
)";
const char *const kSleep = "nanosleep.u32 20000;\n";
const char *const kWait = "W: mbarrier.try_wait.parity.shared.b64 %p2, [smem+4096], 0;//-\n@!%p2 bra.uni W;//-\n";

std::string expect(const std::string &who) {
  return who + " mbarrier.arrive.expect_tx.shared.b64 %d4, [smem+4096], 512;\n";
}

/// Word 5 of the output of the cluster's last block.
uint32_t answer(const Case &c, bool waits, EmulatorOptions options) {
  std::string text;
  std::istringstream lines(c.body);
  for (std::string line; std::getline(lines, line);)
    if (waits || line.find("//-") == std::string::npos)
      text += line + "\n";
  Kernel kernel;
  kernel.threads = 128;
  kernel.blocks = c.cluster;
  kernel.cluster = {c.cluster, 1, 1};
  kernel.dynamicSmem = 8192;
  kernel.declarations = ".extern .shared .align 1024 .b8 smem[];";
  kernel.body = kStart + text +
                "\nbarrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;\n"
                "setp.ne.u32 %p7, %r1, 77;\n@%p7 st.global.b32 [%d3+1024], %r1;\nret;";
  auto result = run(kernel, {u32Array(std::vector<uint32_t>(128, 3)), u32Array(std::vector<uint32_t>(512))}, options);
  if (!result) {
    ADD_FAILURE() << errorText(result.error());
    return UINT32_MAX;
  }
  if (waits) {
    EXPECT_TRUE(result->diagnostics.empty()) << errorText(result->diagnostics);
  }
  return words(result->outputs[1])[256 + 5];
}

void check(const Case &c) {
  SCOPED_TRACE(c.name);
  EmulatorOptions unchecked, fast;
  unchecked.checks = false;
  fast.instant = true;
  EXPECT_EQ(answer(c, false, unchecked), c.late) << "late";
  EXPECT_EQ(answer(c, false, fast), c.right) << "fast";
  EXPECT_EQ(answer(c, true, fast), c.right) << "fast, with the wait";
  for (uint64_t seed = 0; seed < 8; ++seed) {
    EmulatorOptions checked;
    checked.seed = seed;
    EXPECT_EQ(answer(c, true, checked), c.right) << "seed " << seed;
  }
}

TEST(Late, CopiesIntoSharedMemory) {
  const std::string read = "ld.shared.b32 %r1, [%d2];\n";
  check({"bulk load", expect("@%p1") +
                          "@%p1 cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [smem], [%d50], 512, "
                          "[smem+4096];\n" +
                          kSleep + kWait + read});
  check({"cp.async", std::string("cp.async.ca.shared.global [%d2], [%d6], 4;\ncp.async.commit_group;\n") + kSleep +
                         "cp.async.wait_group 0;//-\n" + read});
  check({"cp.async, all that is open",
         std::string("cp.async.ca.shared.global [%d2], [%d6], 4;\n") + kSleep + "cp.async.wait_all;//-\n" + read});
  check({"cp.async through an mbarrier",
         std::string("cp.async.ca.shared.global [%d2], [%d6], 4;\n"
                     "cp.async.mbarrier.arrive.noinc.shared.b64 [smem+4104];\n") +
             kSleep + "W: mbarrier.try_wait.parity.shared.b64 %p2, [smem+4104], 0;//-\n@!%p2 bra.uni W;//-\n" + read});
  check({"a copy to another block",
         "not.pred %p10, %p9;\nand.pred %p10, %p10, %p1;\n" + expect("@%p10") +
             "mapa.shared::cluster.u32 %r21, %r5, 1;\nadd.u32 %r22, %r21, 4096;\nadd.u32 %r23, %r21, 512;\n"
             "@%p9 ld.global.b32 %r6, [%d6];\n@%p9 st.shared.b32 [%d2], %r6;\nfence.proxy.async.shared::cta;\n"
             "bar.sync 0;\n"
             "@%p8 cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r23], [smem], 512, "
             "[%r22];\n" +
             kSleep + "@%p9 bra D;\n" + kWait + "ld.shared.b32 %r1, [%d2+512];\nD:\n",
         3, 0, 2});
  check({"a store to another block",
         "not.pred %p10, %p9;\nand.pred %p10, %p10, %p1;\n" + expect("@%p10") +
             "mapa.shared::cluster.u32 %r21, %r5, 1;\nadd.u32 %r22, %r21, 4096;\nmad.lo.u32 %r23, %r0, 4, %r21;\n"
             "mov.b32 %r6, 3;\n"
             "@%p9 st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r23], %r6, [%r22];\n" +
             kSleep + "@%p9 bra D;\n" + kWait + read + "D:\n",
         3, 0, 2});
}

TEST(Late, CopiesOutOfSharedMemory) {
  const std::string store = "mov.b32 %r6, 3;\nst.shared.b32 [%d2], %r6;\nfence.proxy.async.shared::cta;\nbar.sync 0;\n"
                            "@%p1 cp.async.bulk.global.shared::cta.bulk_group [%d51], [smem], 512;\n"
                            "@%p1 cp.async.bulk.commit_group;\n";
  check({"the source is overwritten",
         store + kSleep + "@%p1 cp.async.bulk.wait_group.read 0;//-\nbar.sync 0;\n" +
             "st.shared.b32 [%d2], 9;\nbar.sync 0;\n@%p1 cp.async.bulk.wait_group 0;\n"
             "bar.sync 0;\nld.global.b32 %r1, [%d3];\n",
         3, 9});
  check({"the target is read",
         store + kSleep + "@%p1 cp.async.bulk.wait_group 0;//-\nbar.sync 0;\n" + "ld.global.b32 %r1, [%d3];\n"});
  check({"the wait is for the source alone", store + "@%p1 cp.async.bulk.wait_group.read 0;\n" + kSleep +
                                                 "@%p1 cp.async.bulk.wait_group 0;//-\nbar.sync 0;\n"
                                                 "ld.global.b32 %r1, [%d3];\n"});
  check({"a sum",
         store + "@%p1 cp.async.bulk.wait_group 0;\n" +
             "@%p1 cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%d51], [smem], 512;\n"
             "@%p1 cp.async.bulk.commit_group;\n" +
             kSleep + "@%p1 cp.async.bulk.wait_group 0;//-\nbar.sync 0;\nld.global.b32 %r1, [%d3];\n",
         6, 3});
}

TEST(Late, Wgmma) {
  // A (ones, in registers) times B (ones): each sum of 16 products is 16.0.
  const std::string fill = "st.shared.b32 [%d2], 0x3C003C00;\nfence.proxy.async.shared::cta;\nbar.sync 0;\n"
                           "mov.b32 %acc0, 0;\nmov.b32 %acc1, 0;\nmov.b32 %acc2, 0;\nmov.b32 %acc3, 0;\n"
                           "mov.b32 %frag0, 0x3C003C00;\nmov.b32 %frag1, %frag0;\nmov.b32 %frag2, %frag0;\n"
                           "mov.b32 %frag3, %frag0;\nmov.u64 %d10, 0x0000000800080000;\nshr.u64 %d11, %d1, 4;\n"
                           "or.b64 %d10, %d10, %d11;\nwgmma.fence.sync.aligned;\n"
                           "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%acc0, %acc1, %acc2, %acc3}, "
                           "{%frag0, %frag1, %frag2, %frag3}, %d10, 1, 1, 1, 0;\nwgmma.commit_group.sync.aligned;\n";
  check({"the sums", fill + kSleep + "wgmma.wait_group.sync.aligned 0;//-\nmov.b32 %r1, %acc2;\n",
         std::bit_cast<uint32_t>(16.0f), 0});
  check({"an operand is overwritten",
         fill + kSleep +
             "wgmma.wait_group.sync.aligned 0;//-\nbar.sync 0;//-\n"
             "st.shared.b32 [%d2], 0;\nbar.sync 0;\n"
             "wgmma.wait_group.sync.aligned 0;\nmov.b32 %r1, %acc2;\n",
         std::bit_cast<uint32_t>(16.0f), 0});
}

// A tile of 32 words passes through TMA, in through descriptor 0 and out through descriptor 1. Words 0 to 31 of the
// output are what the threads read.
uint32_t tile(bool waitsIn, bool waitsOut, EmulatorOptions options) {
  std::string ptx = R"(.version 9.0
.target sm_90a
.address_size 64
.extern .shared .align 1024 .b8 smem[];
.visible .entry k(.param .u64 p0, .param .align 64 .b8 maps[256])
{
  .reg .pred %p<9>;
  .reg .b32 %r<9>;
  .reg .b64 %d<9>;
  ld.param.u64 %d0, [p0];
  mov.b64 %d1, maps;
  cvta.param.u64 %d1, %d1;
  mov.u32 %r0, %tid.x;
  mov.u32 %r3, 0;
  mov.u32 %r7, 9;
  mov.u32 %r4, smem;
  mad.lo.u32 %r4, %r0, 4, %r4;
  mad.wide.u32 %d4, %r0, 4, %d0;
  setp.eq.u32 %p1, %r0, 0;
  st.shared.b32 [%r4], %r3;
  @%p1 mbarrier.init.shared::cta.b64 [smem+128], 1;
  fence.mbarrier_init.release.cluster;
  fence.proxy.async.shared::cta;
  bar.sync 0;
  @%p1 mbarrier.arrive.expect_tx.shared.b64 %d2, [smem+128], 128;
  @%p1 cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [smem], [%d1, {%r3}], [smem+128];
  nanosleep.u32 20000;
)";
  if (waitsIn)
    ptx += "WAIT: mbarrier.try_wait.parity.shared.b64 %p2, [smem+128], 0;\n@!%p2 bra.uni WAIT;\n";
  ptx += "ld.shared.b32 %r5, [%r4];\n"
         "@%p1 cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [%d1+128, {%r3}], [smem];\n"
         "cp.async.bulk.commit_group;\nnanosleep.u32 20000;\n";
  if (waitsOut)
    ptx += "cp.async.bulk.wait_group.read 0;\nbar.sync 0;\n";
  ptx += "st.shared.b32 [%r4], %r7;\nbar.sync 0;\ncp.async.bulk.wait_group 0;\nst.global.b32 [%d4], %r5;\nret;\n}\n";
  Launch launch;
  launch.entry = "k";
  launch.block = {32, 1, 1};
  launch.dynamicSmem = 256;
  BufferSpec array;
  array.dtype = Dtype::U32;
  array.shape = {32};
  BytesParam maps;
  maps.size = 256;
  maps.buffers = {array, array};
  for (uint32_t n = 0; n < 2; ++n) {
    TensorMapSpec map;
    map.offset = 128 * n;
    map.buffer = n;
    map.dtype = Dtype::U32;
    map.shape = map.box = {32};
    maps.tensorMaps.push_back(map);
  }
  launch.params = {BufferParam{array}, maps};
  std::vector<uint32_t> zeros(32);
  std::vector<Array> arrays{u32Array(zeros), u32Array(std::vector<uint32_t>(32, 3)), u32Array(zeros)};
  auto result = emulate(Source::make("k.ptx", ptx), launch, arrays, options);
  if (!result) {
    ADD_FAILURE() << errorText(result.error());
    return UINT32_MAX;
  }
  if (waitsIn && waitsOut) {
    EXPECT_TRUE(result->diagnostics.empty()) << errorText(result->diagnostics);
  }
  return words(result->outputs[0])[5] * 10 + words(result->outputs[2])[5];
}

TEST(Late, Tiles) {
  EmulatorOptions unchecked, fast;
  unchecked.checks = false;
  fast.instant = true;
  EXPECT_EQ(tile(false, true, unchecked), 0u);
  EXPECT_EQ(tile(true, false, unchecked), 39u);
  EXPECT_EQ(tile(false, false, fast), 33u);
  for (uint64_t seed = 0; seed < 8; ++seed) {
    EmulatorOptions checked;
    checked.seed = seed;
    EXPECT_EQ(tile(true, true, checked), 33u) << seed;
  }
}

TEST(Late, SeedsDrawTheSchedule) {
  // Without its wait, a copy shows old data with some seeds and new data with others.
  const Case load{"", expect("@%p1") +
                          "@%p1 cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [smem], [%d50], 512, "
                          "[smem+4096];\n" +
                          kSleep + kWait + "ld.shared.b32 %r1, [%d2];\n"};
  uint32_t fresh = 0;
  for (uint64_t seed = 1; seed <= 32; ++seed) {
    EmulatorOptions options;
    options.checks = false;
    options.seed = seed;
    uint32_t got = answer(load, false, options);
    EXPECT_TRUE(got == 0 || got == 3) << got;
    EXPECT_EQ(answer(load, false, options), got) << "the same seed, another run";
    fresh += got == 3;
  }
  EXPECT_GT(fresh, 4u);
  EXPECT_LT(fresh, 28u);
}

} // namespace
} // namespace lanescope::core::test
