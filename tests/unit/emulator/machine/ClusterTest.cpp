// Clusters: the blocks' ranks, the shared memory of other blocks, the cluster's barrier, remote arrivals, multicast,
// asynchronous stores, and the faults between blocks.
#include "tests/unit/emulator/EmulatorSupport.h"

namespace lanescope::core::test {
namespace {

/// A cluster kernel: `%r40` is the rank, `%r41` the thread, `%r42` the shared array's address. The array has 8 KiB.
Kernel clusterKernel(uint32_t blocks, const std::string &body, uint32_t threads = 32) {
  Kernel kernel;
  kernel.blocks = blocks;
  kernel.cluster = {blocks, 1, 1};
  kernel.threads = threads;
  kernel.dynamicSmem = 8192;
  kernel.declarations = ".extern .shared .align 1024 .b8 smem[];";
  kernel.body = "mov.u32 %r40, %cluster_ctarank;\nmov.u32 %r41, %tid.x;\nmov.u32 %r42, smem;\n"
                // The output has 32 words per block; this thread's word is at %d43.
                "mov.u32 %r43, %ctaid.x;\nmad.lo.u32 %r44, %r43, " +
                std::to_string(threads) + ", %r41;\nmul.wide.u32 %d43, %r44, 4;\nadd.u64 %d43, %d43, %d51;\n" + body +
                "\nret;";
  return kernel;
}

const char *const kSync = "barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;\n";

std::vector<uint32_t> runCluster(const Kernel &kernel, std::vector<uint32_t> input = {0},
                                 EmulatorOptions options = {}) {
  auto result = run(
      kernel, {u32Array(std::move(input)), u32Array(std::vector<uint32_t>(kernel.blocks * kernel.threads))}, options);
  if (!result) {
    ADD_FAILURE() << errorText(result.error());
    return std::vector<uint32_t>(kernel.blocks * kernel.threads);
  }
  EXPECT_TRUE(result->diagnostics.empty()) << errorText(result->diagnostics);
  return words(result->outputs[1]);
}

Diagnostics faultOf(const Kernel &kernel) {
  auto result = run(kernel, {u32Array({0}), u32Array(std::vector<uint32_t>(kernel.blocks * kernel.threads))});
  if (!result) {
    ADD_FAILURE() << errorText(result.error());
    return {};
  }
  EXPECT_FALSE(result->diagnostics.empty());
  return result->diagnostics;
}

TEST(Cluster, BlocksKnowWhereTheyAre) {
  using Shape = std::array<uint32_t, 3>;
  for (auto [grid, cluster] : {std::pair(Shape{8, 1, 1}, Shape{2, 1, 1}), std::pair(Shape{4, 6, 2}, Shape{2, 3, 1}),
                               std::pair(Shape{2, 4, 8}, Shape{1, 2, 4}), std::pair(Shape{4, 2, 2}, Shape{4, 2, 2}),
                               std::pair(Shape{3, 1, 2}, Shape{1, 1, 1})}) {
    const char *names[] = {"%clusterid.x",     "%clusterid.y",      "%clusterid.z",      "%nclusterid.x",
                           "%nclusterid.y",    "%nclusterid.z",     "%cluster_ctaid.x",  "%cluster_ctaid.y",
                           "%cluster_ctaid.z", "%cluster_nctaid.x", "%cluster_nctaid.y", "%cluster_nctaid.z",
                           "%cluster_ctarank", "%cluster_nctarank", "%nctaid.x"};
    Kernel kernel;
    kernel.body = "mov.u32 %r0, %ctaid.x;\nmov.u32 %r1, %ctaid.y;\nmov.u32 %r2, %ctaid.z;\n"
                  "mad.lo.u32 %r3, %r2, " +
                  std::to_string(grid[1]) + ", %r1;\nmad.lo.u32 %r3, %r3, " + std::to_string(grid[0]) +
                  ", %r0;\nmul.wide.u32 %d0, %r3, 64;\nadd.u64 %d0, %d0, %d51;\n";
    for (size_t n = 0; n < std::size(names); ++n)
      kernel.body +=
          std::string("mov.u32 %r4, ") + names[n] + ";\nst.global.u32 [%d0+" + std::to_string(4 * n) + "], %r4;\n";
    kernel.body += "mov.pred %p0, %is_explicit_cluster;\nselp.u32 %r4, 1, 0, %p0;\nst.global.u32 [%d0+60], %r4;\nret;";
    uint32_t blocks = grid[0] * grid[1] * grid[2];
    std::vector<Array> arrays{u32Array({0}), u32Array(std::vector<uint32_t>(blocks * 16))};
    Launch launch = launchOf(kernel, arrays);
    launch.grid = grid;
    launch.cluster = cluster;
    auto result = emulate(Source::make("k.ptx", kernel.ptx()), launch, arrays, {});
    ASSERT_TRUE(result) << errorText(result.error());
    auto out = words(result->outputs[1]);
    for (uint32_t z = 0; z < grid[2]; ++z)
      for (uint32_t y = 0; y < grid[1]; ++y)
        for (uint32_t x = 0; x < grid[0]; ++x) {
          const uint32_t *got = out.data() + ((z * grid[1] + y) * grid[0] + x) * 16;
          Shape at{x, y, z};
          for (size_t n = 0; n < 3; ++n) {
            EXPECT_EQ(got[n], at[n] / cluster[n]);
            EXPECT_EQ(got[3 + n], grid[n] / cluster[n]);
            EXPECT_EQ(got[6 + n], at[n] % cluster[n]);
            EXPECT_EQ(got[9 + n], cluster[n]);
          }
          EXPECT_EQ(got[12], got[6] + cluster[0] * (got[7] + cluster[1] * got[8]));
          EXPECT_EQ(got[13], cluster[0] * cluster[1] * cluster[2]);
          EXPECT_EQ(got[14], grid[0]);
          EXPECT_EQ(got[15], got[13] > 1 ? 1u : 0u);
        }
  }
}

TEST(Cluster, ShapesComeFromTheEntryOrTheLaunch) {
  Kernel kernel;
  kernel.blocks = 4;
  kernel.body = "mov.u32 %r0, %cluster_nctarank;\nst.global.u32 [%d51], %r0;\nret;";
  auto rankOf = [&](std::array<uint32_t, 3> cluster, const char *directives) -> std::string {
    kernel.cluster = cluster;
    kernel.directives = directives;
    auto result = run(kernel, {u32Array({0}), u32Array({0})});
    return result ? std::to_string(words(result->outputs[1])[0]) : errorText(result.error());
  };
  EXPECT_EQ(rankOf({1, 1, 1}, ""), "1");
  EXPECT_EQ(rankOf({2, 1, 1}, ""), "2");
  EXPECT_EQ(rankOf({1, 1, 1}, ".reqnctapercluster 4, 1, 1"), "4");
  EXPECT_EQ(rankOf({2, 1, 1}, ".explicitcluster .maxclusterrank 2"), "2");
  EXPECT_NE(rankOf({2, 1, 1}, ".reqnctapercluster 4").find("requires clusters of (4, 1, 1)"), std::string::npos);
  EXPECT_NE(rankOf({3, 1, 1}, "").find("does not divide into clusters"), std::string::npos);
  EXPECT_NE(rankOf({4, 1, 1}, ".maxclusterrank 2").find("the entry allows 2"), std::string::npos);
  kernel.blocks = 32;
  EXPECT_EQ(rankOf({16, 1, 1}, ""), "16");
  EXPECT_NE(rankOf({32, 1, 1}, "").find("sm_90 has up to 16"), std::string::npos);
}

/// Each block writes to the next block's shared memory and reads what the previous block wrote. There are three ways to
/// name the address.
TEST(Cluster, SharedMemoryOfOthers) {
  for (const char *access : {"mapa.shared::cluster.u32 %r2, %r0, %r1;\nst.shared::cluster.u32 [%r2], %r3;\n",
                             "cvt.u64.u32 %d0, %r0;\ncvta.shared.u64 %d1, %d0;\nmapa.u64 %d2, %d1, %r1;\n"
                             "st.u32 [%d2], %r3;\n",
                             "mapa.shared::cluster.u32 %r2, %r0, %r1;\ncvt.u64.u32 %d0, %r2;\n"
                             "cvta.shared::cluster.u64 %d1, %d0;\nst.u32 [%d1], %r3;\n"})
    for (uint32_t blocks : {2u, 4u, 16u}) {
      auto out = runCluster(clusterKernel(
          blocks, "shl.b32 %r0, %r41, 2;\nadd.u32 %r0, %r0, %r42;\nadd.u32 %r1, %r40, 1;\nrem.u32 %r1, %r1, " +
                      std::to_string(blocks) + ";\nmad.lo.u32 %r3, %r40, 1000, %r41;\n" + std::string(access) + kSync +
                      "ld.shared.u32 %r4, [%r0];\nst.global.u32 [%d43], %r4;\n"));
      for (uint32_t n = 0; n < blocks * 32; ++n)
        ASSERT_EQ(out[n], (n / 32 + blocks - 1) % blocks * 1000 + n % 32) << access;
    }
}

TEST(Cluster, LoadsAndAtomicsAcrossBlocks) {
  // All blocks add to block 0's counters and then read them remotely.
  auto out = runCluster(clusterKernel(
      4, "shl.b32 %r0, %r41, 2;\nadd.u32 %r0, %r0, %r42;\nst.shared.u32 [%r0], %r41;\n" + std::string(kSync) +
             "mapa.shared::cluster.u32 %r1, %r0, 0;\natom.shared::cluster.add.u32 %r2, [%r1], 100;\n"
             "red.relaxed.cluster.shared::cluster.max.u32 [%r1], 7;\n" +
             kSync + "ld.shared::cluster.u32 %r3, [%r1];\nst.global.u32 [%d43], %r3;\n" + kSync));
  for (uint32_t n = 0; n < 128; ++n)
    EXPECT_EQ(out[n], 400 + n % 32);
}

TEST(Cluster, AddressesSayWhoseTheyAre) {
  // The bits are: the rank of a mapped address, and isspacep for the block's own memory, for memory mapped to itself
  // and for memory mapped to the other block.
  auto out = runCluster(clusterKernel(
      2,
      "xor.b32 %r0, %r40, 1;\nmapa.shared::cluster.u32 %r1, %r42, %r0;\ngetctarank.shared::cluster.u32 %r2, %r1;\n"
      "getctarank.shared::cluster.u32 %r3, %r42;\nshl.b32 %r3, %r3, 4;\nor.b32 %r2, %r2, %r3;\n"
      "cvt.u64.u32 %d0, %r42;\ncvta.shared.u64 %d0, %d0;\nmapa.u64 %d1, %d0, %r0;\nmapa.u64 %d2, %d0, %r40;\n"
      "getctarank.u64 %r4, %d1;\nshl.b32 %r4, %r4, 8;\nor.b32 %r2, %r2, %r4;\n"
      "isspacep.shared %p0, %d0;\nisspacep.shared::cta %p1, %d1;\nisspacep.shared::cluster %p2, %d1;\n"
      "isspacep.shared::cta %p3, %d2;\nisspacep.global %p4, %d1;\n"
      "selp.u32 %r5, 0x10000, 0, %p0;\nor.b32 %r2, %r2, %r5;\nselp.u32 %r5, 0x20000, 0, %p1;\nor.b32 %r2, %r2, %r5;\n"
      "selp.u32 %r5, 0x40000, 0, %p2;\nor.b32 %r2, %r2, %r5;\nselp.u32 %r5, 0x80000, 0, %p3;\nor.b32 %r2, %r2, %r5;\n"
      "selp.u32 %r5, 0x100000, 0, %p4;\nor.b32 %r2, %r2, %r5;\nst.global.u32 [%d43], %r2;\n"));
  EXPECT_EQ(out[0], 0xD0000u | 1 | 0 << 4 | 1 << 8);
  EXPECT_EQ(out[32], 0xD0000u | 0 | 1 << 4 | 0 << 8);
}

/// The blocks pass a token round a ring. Each block waits on its own mbarrier, at which the previous block arrives.
TEST(Cluster, RemoteArrivalsWakeOtherBlocks) {
  for (uint32_t blocks : {2u, 5u, 8u})
    for (bool instant : {false, true}) {
      EmulatorOptions options;
      options.instant = instant;
      std::string n = std::to_string(blocks);
      auto out = runCluster(clusterKernel(blocks, R"(
  setp.eq.u32 %p0, %r41, 0;
  @%p0 mbarrier.init.shared::cta.b64 [%r42], 1;
  fence.mbarrier_init.release.cluster;
  mov.u32 %r9, 0;
)" + std::string(kSync) + R"(
  add.u32 %r0, %r40, 1;
  rem.u32 %r0, %r0, )" + n + R"(;
  mapa.shared::cluster.u32 %r1, %r42, %r0;
  setp.eq.u32 %p1, %r40, 0;
  and.pred %p2, %p0, %p1;
  @%p2 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r1];
  mov.u32 %r2, 0;
LOOP:
WAIT:
  and.b32 %r3, %r2, 1;
  mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p3, [%r42], %r3;
  @!%p3 bra WAIT;
  add.u32 %r9, %r9, 1;
  bar.warp.sync 0xffffffff;
  @%p0 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r1];
  add.u32 %r2, %r2, 1;
  setp.lt.u32 %p4, %r2, 20;
  @%p4 bra LOOP;
  st.global.u32 [%d43], %r9;
)" + kSync,
                                          32),
                            {0}, options);
      for (uint32_t word : out)
        ASSERT_EQ(word, 20u);
    }
}

/// The start of kernels with an mbarrier at byte 4096 of every block's shared memory.
std::string barrierSetup(uint32_t bytes) {
  return R"(
  add.u32 %r39, %r42, 4096;
  setp.eq.u32 %p0, %r41, 0;
  @%p0 mbarrier.init.shared::cta.b64 [%r39], 1;
  @%p0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r39], )" +
         std::to_string(bytes) + ";\n  fence.mbarrier_init.release.cluster;\n" + kSync +
         "setp.eq.u32 %p1, %r40, 0;\nand.pred %p1, %p1, %p0;\n";
}
const char *const kWait = "W:\nmbarrier.try_wait.parity.shared::cta.b64 %p3, [%r39], 0;\n@!%p3 bra W;\n";
const char *const kLoadOut = "shl.b32 %r10, %r41, 2;\nadd.u32 %r10, %r10, %r42;\nld.shared.u32 %r11, [%r10];\n"
                             "st.global.u32 [%d43], %r11;\n";

TEST(Cluster, BulkMulticastReachesTheMask) {
  std::vector<uint32_t> input(32);
  for (uint32_t n = 0; n < 32; ++n)
    input[n] = n * n + 1;
  for (uint32_t mask : {0xFu, 0x5u, 0x8u}) {
    // Blocks outside the mask receive no data and do not wait.
    auto out = runCluster(
        clusterKernel(
            4, "shl.b32 %r10, %r41, 2;\nadd.u32 %r10, %r10, %r42;\nst.shared.u32 [%r10], 7;\n"
               "fence.proxy.async.shared::cta;\n" +
                   barrierSetup(128) + "mov.b16 %h0, " + std::to_string(mask) +
                   ";\n@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
                   "[%r42], [%d50], 128, [%r39], %h0;\nmov.u32 %r20, " +
                   std::to_string(mask) +
                   ";\nshr.u32 %r20, %r20, %r40;\nand.b32 %r20, %r20, 1;\nsetp.eq.u32 %p5, %r20, 0;\n"
                   "@%p5 bra S;\n" +
                   kWait + "S:\n" + kLoadOut + kSync),
        input);
    for (uint32_t n = 0; n < 128; ++n)
      ASSERT_EQ(out[n], mask >> (n / 32) & 1 ? input[n % 32] : 7u) << mask << " " << n;
  }
}

TEST(Cluster, TensorMulticastSharesATile) {
  // Each of four blocks fetches a quarter of a swizzled tile for all.
  Kernel kernel;
  kernel.declarations = ".extern .shared .align 1024 .b8 smem[];";
  std::string body = R"(
.visible .entry k(.param .u64 p0, .param .align 64 .b8 maps[128])
{
  .reg .pred %p<9>; .reg .b16 %h<3>; .reg .b32 %r<50>; .reg .b64 %d<60>;
  ld.param.u64 %d51, [p0];
  mov.b64 %d1, maps;
  cvta.param.u64 %d1, %d1;
  mov.u32 %r40, %cluster_ctarank;
  mov.u32 %r41, %tid.x;
  mov.u32 %r42, smem;
)" + barrierSetup(4096) +
                     R"(
  shl.b32 %r0, %r40, 10;
  add.u32 %r0, %r0, %r42;
  shl.b32 %r1, %r40, 3;
  mov.b16 %h0, 15;
  @%p0 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r0], [%d1, {0, %r1}], [%r39], %h0;
)" + kWait + R"(
  mov.u32 %r2, %r41;
  shl.b32 %r3, %r40, 10;
LOOP:
  shl.b32 %r4, %r2, 2;
  add.u32 %r5, %r4, %r42;
  ld.shared.u32 %r6, [%r5];
  add.u32 %r7, %r2, %r3;
  mul.wide.u32 %d2, %r7, 4;
  add.u64 %d2, %d2, %d51;
  st.global.u32 [%d2], %r6;
  add.u32 %r2, %r2, 32;
  setp.lt.u32 %p4, %r2, 1024;
  @%p4 bra LOOP;
)" + kSync + "  ret;\n}\n";
  Launch launch;
  launch.entry = "k";
  launch.grid = launch.cluster = {4, 1, 1};
  launch.block = {32, 1, 1};
  launch.dynamicSmem = 8192;
  BufferSpec out, in;
  out.dtype = in.dtype = Dtype::U32;
  out.shape = {4096};
  in.shape = {32, 32};
  BytesParam block;
  block.size = 128;
  block.buffers = {in};
  TensorMapSpec map;
  map.dtype = Dtype::U32;
  map.shape = {32, 32};
  map.stridesBytes = {128};
  map.box = {8, 32};
  map.swizzle = 128;
  block.tensorMaps = {map};
  launch.params = {BufferParam{out}, block};
  std::vector<uint32_t> values(1024);
  for (uint32_t n = 0; n < 1024; ++n)
    values[n] = n * 3 + 1;
  Array input = u32Array(values);
  input.shape = {32, 32};
  for (uint64_t seed : {0, 1, 2}) {
    EmulatorOptions options;
    options.seed = seed;
    std::vector<Array> arrays{Array::zeros(Dtype::U32, {4096}), input};
    auto result =
        emulate(Source::make("k.ptx", ".version 9.0\n.target sm_90a\n.address_size 64\n" + kernel.declarations + body),
                launch, arrays, options);
    ASSERT_TRUE(result) << errorText(result.error());
    ASSERT_TRUE(result->diagnostics.empty()) << errorText(result->diagnostics);
    auto got = words(result->outputs[0]);
    for (uint32_t b = 0; b < 4; ++b)
      for (uint32_t row = 0; row < 32; ++row)
        for (uint32_t column = 0; column < 32; ++column)
          ASSERT_EQ(got[b * 1024 + row * 32 + ((column / 4) ^ (row % 8)) * 4 + column % 4], values[row * 32 + column]);
  }
}

TEST(Cluster, AsynchronousStoresAndReductions) {
  // Thread t of block 0 stores its number, twice, to block 1.
  auto stored = runCluster(
      clusterKernel(2, barrierSetup(256) + R"(
  setp.eq.u32 %p6, %r40, 0;
  mapa.shared::cluster.u32 %r0, %r42, 1;
  mapa.shared::cluster.u32 %r1, %r39, 1;
  shl.b32 %r2, %r41, 3;
  add.u32 %r2, %r2, %r0;
  add.u32 %r3, %r41, 500;
  @%p6 st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 [%r2], {%r41, %r3}, [%r1];
  @%p6 bra S;
)" + kWait +
                           "shl.b32 %r10, %r41, 3;\nadd.u32 %r10, %r10, %r42;\nld.shared.v2.u32 {%r11, %r12}, [%r10];\n"
                           "mad.lo.u32 %r11, %r12, 1000, %r11;\nst.global.u32 [%d43], %r11;\nS:\n" +
                           kSync));
  for (uint32_t n = 0; n < 32; ++n)
    EXPECT_EQ(stored[32 + n], (n + 500) * 1000 + n);
  struct Reduction {
    const char *name;
    uint32_t start, expected; // words for 32 operations with the value 3
  };
  for (Reduction r :
       {Reduction{"add.u32", 5, 5 + 96}, Reduction{"min.s32", 0xFFFFFFFE, 0xFFFFFFFE}, Reduction{"min.u32", 9, 3},
        Reduction{"max.s32", 0xFFFFFFFE, 3}, Reduction{"inc.u32", 2, 2}, Reduction{"dec.u32", 1, 1},
        Reduction{"and.b32", 6, 2}, Reduction{"or.b32", 4, 7}, Reduction{"xor.b32", 9, 9}}) {
    auto out = runCluster(clusterKernel(
        2,
        "setp.eq.u32 %p7, %r41, 0;\n@%p7 st.shared.u32 [%r42], " + std::to_string(r.start) + ";\n" + barrierSetup(128) +
            "mapa.shared::cluster.u32 %r0, %r42, 1;\nmapa.shared::cluster.u32 %r1, %r39, 1;\nmov.u32 %r2, 3;\n"
            "setp.eq.u32 %p6, %r40, 0;\n@%p6 red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes." +
            r.name + " [%r0], %r2, [%r1];\n@%p6 bra S;\n" + kWait +
            "ld.shared.u32 %r3, [%r42];\nst.global.u32 [%d43], %r3;\nS:\n" + kSync));
    EXPECT_EQ(out[32], r.expected) << r.name;
  }
}

TEST(Cluster, BulkCopiesBetweenBlocks) {
  for (bool reduce : {false, true}) {
    auto out = runCluster(clusterKernel(
        2,
        "mad.lo.u32 %r0, %r40, 100, %r41;\nshl.b32 %r1, %r41, 2;\nadd.u32 %r1, %r1, %r42;\nst.shared.u32 [%r1], %r0;\n"
        "st.shared.u32 [%r1+512], %r0;\nfence.proxy.async.shared::cta;\n" +
            barrierSetup(128) +
            "mapa.shared::cluster.u32 %r2, %r42, 1;\nmapa.shared::cluster.u32 %r3, %r39, 1;\nadd.u32 %r4, %r42, "
            "512;\n@%p1 " +
            (reduce ? "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32"
                    : "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes") +
            " [%r2], [%r4], 128, [%r3];\nsetp.eq.u32 %p6, %r40, 0;\n@%p6 bra S;\n" + kWait + kLoadOut + "S:\n" +
            kSync));
    for (uint32_t n = 0; n < 32; ++n)
      EXPECT_EQ(out[32 + n], reduce ? n + 100 + n : n);
  }
}

TEST(Cluster, TheBarrierHasArrivalsAndWaits) {
  // The barrier is not `.aligned`: lanes arrive separately, and a warp that has exited counts as arrived.
  auto out = runCluster(clusterKernel(
      3,
      "setp.ge.u32 %p0, %r41, 64;\n@%p0 exit;\nsetp.lt.u32 %p1, %r41, 7;\n@%p1 bra A;\n"
      "barrier.cluster.arrive;\nbarrier.cluster.wait;\nbra B;\nA:\nst.global.u32 [%d43], 3;\nbarrier.cluster.arrive;\n"
      "barrier.cluster.wait;\nB:\nst.global.u32 [%d43], 5;\n",
      96));
  for (uint32_t n = 0; n < 3 * 96; ++n)
    EXPECT_EQ(out[n], n % 96 < 64 ? 5u : 0u);
  EXPECT_TRUE(mentions(faultOf(clusterKernel(2, "barrier.cluster.arrive;\nbarrier.cluster.arrive;\n")),
                       "without `barrier.cluster.wait` in between"));
  EXPECT_TRUE(
      mentions(faultOf(clusterKernel(2, "barrier.cluster.wait;\n")), "without `barrier.cluster.arrive` before"));
  auto stuck =
      faultOf(clusterKernel(2, "setp.eq.u32 %p0, %r40, 0;\n@%p0 bra L;\nbar.sync 1, 64;\nL:\n" + std::string(kSync)));
  EXPECT_TRUE(mentions(stuck, "deadlock in block (0, 0, 0) and others of its cluster")) << errorText(stuck);
  EXPECT_TRUE(mentions(stuck, "for the cluster's barrier")) << errorText(stuck);
  EXPECT_TRUE(mentions(stuck, "in block (1, 0, 0), warp 0 waits here for barrier 1")) << errorText(stuck);
}

TEST(Cluster, MistakesBetweenBlocksAreReported) {
  const std::string other = "xor.b32 %r0, %r40, 1;\nmapa.shared::cluster.u32 %r1, %r42, %r0;\n";
  auto fault = [&](const std::string &body) { return faultOf(clusterKernel(2, body)); };
  // Block 1 exits at once, and block 0 reads its memory later.
  auto left = fault(
      other + "setp.eq.u32 %p0, %r40, 1;\n@%p0 exit;\nnanosleep.u32 100000;\nld.shared::cluster.u32 %r2, [%r1];\n");
  EXPECT_TRUE(mentions(left, "block (1, 0, 0), which has exited")) << errorText(left);
  // A copy into the exited block's memory is still in flight.
  auto copied =
      fault(barrierSetup(128) +
            "mapa.shared::cluster.u32 %r2, %r42, 1;\nmapa.shared::cluster.u32 %r3, %r39, 1;\n"
            "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%d51], 128, [%r3];\n"
            "setp.eq.u32 %p6, %r40, 1;\n@%p6 exit;\nnanosleep.u32 100000;\n");
  EXPECT_TRUE(mentions(copied, "may end while a copy of another block fills")) << errorText(copied);
  EXPECT_TRUE(mentions(fault(other + "ld.shared.u32 %r2, [%r1];\n"), "`.shared::cluster` reaches it"));
  EXPECT_TRUE(mentions(fault(other + "mbarrier.init.shared::cta.b64 [%r1], 1;\n"), "`.shared::cluster` reaches it"));
  EXPECT_TRUE(mentions(fault("mapa.shared::cluster.u32 %r1, %r42, 2;\n"), "rank 2, and the cluster has 2 blocks"));
  EXPECT_TRUE(
      mentions(fault(other + "add.u32 %r1, %r1, 8192;\nst.shared::cluster.u32 [%r1], 0;\n"), "outside the block's"));
  EXPECT_TRUE(mentions(fault(other + "mbarrier.arrive.shared::cluster.b64 _, [%r1];\n"), "no initialised mbarrier"));
  EXPECT_TRUE(mentions(fault(barrierSetup(128) + other +
                             "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::"
                             "bytes [%r1], [%d51], 128, [%r39];\n" +
                             kSync),
                       "both must be in one block"));
  EXPECT_TRUE(mentions(fault(barrierSetup(128) +
                             "mov.b16 %h0, 5;\n@%p1 cp.async.bulk.shared::cluster.global.mbarrier::"
                             "complete_tx::bytes.multicast::cluster [%r42], [%d51], 128, [%r39], %h0;\n" +
                             kSync),
                       "the multicast goes to rank 2, and the cluster has 2 blocks"));
}

TEST(Cluster, RefusesWhatHopperHasNot) {
  for (const char *bad :
       {"mov.u32 %r0, %is_explicit_cluster;", "mbarrier.arrive.shared::cluster.b64 %d0, [%r0];",
        "mbarrier.try_wait.shared::cluster.b64 %p0, [%r0], %d1;",
        "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.min.u64 [%r0], %d1, [%r2];",
        "st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b64 [%r0], {%d1,%d2,%d3,%d4}, [%r2];",
        "cp.async.bulk.tensor.2d.cta_group::2.shared::cluster.global.mbarrier::complete_tx::bytes [%r0], "
        "[%d1, {%r4,%r5}], [%r3];"})
    EXPECT_FALSE(run(clusterKernel(2, bad), {u32Array({0}), u32Array({0})})) << bad;
}

} // namespace
} // namespace lanescope::core::test
