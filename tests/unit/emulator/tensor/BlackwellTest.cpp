// Additions of sm_100 to existing instructions, and their refusal in modules for older targets.
#include "tests/unit/emulator/EmulatorSupport.h"

#include <random>

namespace lanescope::core::test {
namespace {

/// Values of all magnitudes, with infinities, NaN, zeros and subnormals among them.
std::vector<uint32_t> awkward(size_t count, uint32_t seed) {
  std::mt19937 random(seed);
  const uint32_t some[] = {0,          0x80000000, 0x7F800000, 0xFF800000, 0x7FC00000, 1,
                           0x807FFFFF, 0x3F800000, 0xBF800000, 0x7F7FFFFF, 0x00800000, 0x33800000};
  std::vector<uint32_t> values;
  for (size_t n = 0; n < count; ++n)
    values.push_back(n % 3 == 0 ? some[random() % std::size(some)]
                                : (random() & 0x807FFFFFu) | (96 + random() % 64) << 23);
  return values;
}

/// Runs `body` on three values per lane in %f0, %f1 and %f2 (and the next lane's in %f3, %f4 and %f5). Returns its %f10
/// and %f11.
std::vector<uint32_t> onThree(const std::string &body, uint32_t seed) {
  Kernel kernel;
  kernel.target = "sm_100a";
  kernel.body = "mov.u32 %r50, %tid.x;\nmul.wide.u32 %d40, %r50, 4;\nadd.s64 %d41, %d50, %d40;\n";
  for (int n = 0; n < 6; ++n)
    kernel.body +=
        "ld.global.f32 %f" + std::to_string(n) + ", [%d41+" + std::to_string(n % 3 * 256 + n / 3 * 4) + "];\n";
  kernel.body += body + "\nadd.s64 %d42, %d51, %d40;\nadd.s64 %d42, %d42, %d40;\nst.global.f32 [%d42], %f10;\n"
                        "st.global.f32 [%d42+4], %f11;\nret;\n";
  auto result = run(kernel, {u32Array(awkward(192, seed)), u32Array(std::vector<uint32_t>(64))});
  if (!result) {
    ADD_FAILURE() << body << "\n" << errorText(result.error());
    return {};
  }
  return words(result->outputs[1]);
}

TEST(Blackwell, PairsOfFloatsAreTwoFloats) {
  const std::string pack = "mov.b64 %d0, {%f0, %f3};\nmov.b64 %d1, {%f1, %f4};\nmov.b64 %d2, {%f2, %f5};\n";
  for (const char *mode : {".rn", ".rz", ".rm", ".rp"})
    for (const char *flush : {"", ".ftz"})
      for (const char *op : {"add", "sub", "mul", "fma"}) {
        std::string name = std::string(op) + mode + flush;
        bool three = op == std::string("fma");
        auto pairs = onThree(
            pack + name + ".f32x2 %d3, %d0, %d1" + (three ? ", %d2" : "") + ";\nmov.b64 {%f10, %f11}, %d3;\n", 7);
        auto each = onThree(name + ".f32 %f10, %f0, %f1" + (three ? ", %f2" : "") + ";\n" + name +
                                ".f32 %f11, %f3, %f4" + (three ? ", %f5" : "") + ";\n",
                            7);
        EXPECT_EQ(pairs, each) << name;
      }
}

TEST(Blackwell, MixedPrecisionWidensFirst) {
  for (const char *type : {"f16", "bf16"})
    for (const char *mode : {".rn", ".rz", ".rm", ".rp"})
      for (const char *saturate : {"", ".sat"}) {
        std::string narrow = std::string("cvt.rn.") + type + ".f32 ";
        std::string head = narrow + "%h0, %f0;\n" + narrow + "%h1, %f1;\n", wide = std::string("cvt.f32.") + type + " ";
        std::string widened = head + wide + "%f6, %h0;\n" + wide + "%f7, %h1;\n";
        std::string name = std::string(mode) + saturate + ".f32";
        for (const char *op : {"add", "sub"})
          EXPECT_EQ(onThree(head + op + name + "." + type + " %f10, %h0, %f2;\nmov.f32 %f11, %f10;\n", 11),
                    onThree(widened + op + name + " %f10, %f6, %f2;\nmov.f32 %f11, %f10;\n", 11))
              << op << name << type;
        EXPECT_EQ(onThree(head + "fma" + name + "." + type + " %f10, %h0, %h1, %f2;\nmov.f32 %f11, %f10;\n", 13),
                  onThree(widened + "fma" + name + " %f10, %f6, %f7, %f2;\nmov.f32 %f11, %f10;\n", 13))
            << "fma" << name << type;
      }
}

std::string refusal(const std::string &target, const std::string &body) {
  Kernel kernel;
  kernel.target = target;
  kernel.body = body + "\nret;\n";
  auto result = run(kernel, {u32Array(std::vector<uint32_t>(32)), u32Array(std::vector<uint32_t>(32))});
  return result ? "" : errorText(result.error());
}

TEST(Blackwell, IsNotForOlderTargets) {
  EXPECT_NE(refusal("sm_90a", "add.rn.f32x2 %d0, %d1, %d2;").find("needs `.target sm_100` or a newer one"),
            std::string::npos);
  EXPECT_NE(refusal("sm_90a", "add.rn.f32.f16 %f0, %h1, %f2;").find("needs `.target sm_100` or a newer one"),
            std::string::npos);
  const std::string load = "cp.async.bulk.tensor.2d.shared::cta.global.tile";
  EXPECT_NE(
      refusal("sm_90a", load + "::gather4.mbarrier::complete_tx::bytes [%r0], [%d0, {%r1, %r1, %r1, %r1, %r1}], [%r0];")
          .find("`.tile::gather4` needs `.target sm_100`"),
      std::string::npos);
  EXPECT_NE(refusal("sm_100a", load + "::gather4.mbarrier::complete_tx::bytes [%r0], [%d0, {%r1, %r1}], [%r0];")
                .find("expected `[descriptor, {column, row, row, row, row}]`"),
            std::string::npos);
  EXPECT_NE(refusal("sm_90a", load + ".mbarrier::complete_tx::bytes.cta_group::2 [%r0], [%d0, {%r1, %r1}], [%r0];")
                .find("`.cta_group` needs `.target sm_100`"),
            std::string::npos);
  EXPECT_NE(refusal("sm_100a", "wgmma.fence.sync.aligned;").find("is for `.target sm_90a` alone"), std::string::npos);
  EXPECT_EQ(refusal("sm_100a", "add.rn.f32x2 %d0, %d1, %d2;"), "");
}

/// The descriptor's box has two rows; the kernel chooses four rows one by one.
TEST(Blackwell, GathersByRowsOfOne) {
  const std::string ptx = R"(.version 9.0
.target sm_100a
.address_size 64
.extern .shared .align 1024 .b8 smem[];
.visible .entry k(.param .align 64 .b8 maps[128])
{
  .reg .b32 %r<9>;
  .reg .b64 %d<9>;
  mov.b64 %d1, maps;
  cvta.param.u64 %d1, %d1;
  mbarrier.init.shared::cta.b64 [smem+4096], 32;
  cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes [smem], [%d1, {0, 3, 1, 2, 0}], [smem+4096];
  ret;
}
)";
  Launch launch;
  launch.entry = "k";
  launch.block = {1, 1, 1};
  launch.dynamicSmem = 4104;
  BytesParam block;
  block.size = 128;
  BufferSpec x;
  x.dtype = Dtype::F32;
  x.shape = {16, 32};
  block.buffers = {x};
  TensorMapSpec map;
  map.dtype = Dtype::F32;
  map.shape = {16, 32};
  map.stridesBytes = {128};
  map.box = {2, 32};
  block.tensorMaps = {map};
  launch.params = {block};
  auto result = emulate(Source::make("k.ptx", ptx), launch, std::vector<Array>{Array::zeros(Dtype::F32, {16, 32})}, {});
  std::string said = result ? errorText(result->diagnostics) : errorText(result.error());
  EXPECT_NE(said.find("whose box has one row, and this one has rank 2 and 2 rows"), std::string::npos) << said;
}

/// st.bulk zeroes shared memory; each lane zeroes its own range here.
TEST(Blackwell, StretchesAreZeroed) {
  Kernel kernel;
  kernel.target = "sm_100a";
  kernel.params = 1;
  kernel.declarations = ".shared .align 16 .b8 tile[1024];";
  kernel.body = "mov.u32 %r0, %tid.x;\nshl.b32 %r1, %r0, 5;\nmov.u32 %r2, tile;\nadd.u32 %r1, %r1, %r2;\n"
                "st.shared.v4.u32 [%r1], {7, 7, 7, 7};\nst.shared.v4.u32 [%r1+16], {7, 7, 7, 7};\n"
                "mov.b64 %d3, 16;\nst.bulk.weak.shared::cta [%r1+8], %d3, 0;\n"
                "mul.wide.u32 %d1, %r0, 16;\nadd.s64 %d2, %d50, %d1;\n"
                "ld.shared.u32 %r3, [%r1];\nld.shared.u32 %r4, [%r1+8];\nld.shared.u32 %r5, [%r1+20];\n"
                "ld.shared.u32 %r6, [%r1+24];\nst.global.v4.u32 [%d2], {%r3, %r4, %r5, %r6};\nret;";
  auto result = run(kernel, {u32Array(std::vector<uint32_t>(128, 1))});
  ASSERT_TRUE(result) << errorText(result.error());
  ASSERT_TRUE(result->diagnostics.empty()) << errorText(result->diagnostics);
  std::vector<uint32_t> got = words(result->outputs[0]);
  for (uint32_t n = 0; n < 128; ++n)
    EXPECT_EQ(got[n], n % 4 == 0 || n % 4 == 3 ? 7u : 0u) << n;
  kernel.body = "mov.b64 %d3, 12;\nst.bulk.shared::cta [tile], %d3, 0;\nret;";
  auto odd = run(kernel, {u32Array({0})});
  ASSERT_TRUE(odd);
  EXPECT_TRUE(mentions(odd->diagnostics, "not a multiple of 8")) << errorText(odd->diagnostics);
  kernel.body = "st.bulk.shared::cta [tile], 8, 1;\nret;";
  EXPECT_FALSE(run(kernel, {u32Array({0})}));
  kernel.target = "sm_90a";
  kernel.body = "st.bulk.shared::cta [tile], 8, 0;\nret;";
  EXPECT_FALSE(run(kernel, {u32Array({0})}));
}

TEST(Blackwell, NarrowFloatsWidenToBf16) {
  Kernel kernel;
  kernel.target = "sm_100a";
  kernel.params = 1;
  kernel.body = "mov.u32 %r0, %tid.x;\nmul.wide.u32 %d1, %r0, 8;\nadd.s64 %d2, %d50, %d1;\n"
                "mov.b16 %h0, 0xb8c0;\ncvt.rn.bf16x2.e4m3x2 %r1, %h0;\ncvt.rn.relu.bf16x2.e5m2x2 %r2, %h0;\n"
                "cp.async.bulk.prefetch.tensor.2d.L2.global.tile::gather4 [%d50, {%r0, %r0, %r0, %r0, %r0}];\n"
                "st.global.v2.u32 [%d2], {%r1, %r2};\nret;";
  auto result = run(kernel, {u32Array(std::vector<uint32_t>(64))});
  ASSERT_TRUE(result) << errorText(result.error());
  EXPECT_EQ(words(result->outputs[0])[0], 0xBF80C000u); // -1 and -2
  EXPECT_EQ(words(result->outputs[0])[1], 0u);
}

/// The copy writes those bytes of each 16 that the mask names.
TEST(Blackwell, MasksLetBytesThrough) {
  Kernel kernel;
  kernel.target = "sm_100a";
  kernel.params = 1;
  kernel.declarations = ".shared .align 128 .b8 tile[128];";
  kernel.body = "mov.u32 %r0, %tid.x;\nshl.b32 %r1, %r0, 2;\nmov.u32 %r2, tile;\nadd.u32 %r1, %r1, %r2;\n"
                "st.shared.u32 [%r1], 0x01010101;\nfence.proxy.async.shared::cta;\nbar.sync 0;\n"
                "setp.eq.u32 %p0, %r0, 0;\nmov.b16 %h0, 0x00f1;\n"
                "@%p0 cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%d50], [tile], 128, %h0;\n"
                "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\nret;";
  auto result = run(kernel, {u32Array(std::vector<uint32_t>(32, 0x07070707))});
  ASSERT_TRUE(result) << errorText(result.error());
  ASSERT_TRUE(result->diagnostics.empty()) << errorText(result->diagnostics);
  for (uint32_t n = 0; n < 32; ++n)
    EXPECT_EQ(words(result->outputs[0])[n], n % 4 == 0 ? 0x07070701u : n % 4 == 1 ? 0x01010101u : 0x07070707u);
  kernel.target = "sm_90a";
  EXPECT_FALSE(run(kernel, {u32Array({0})}));
}

} // namespace
} // namespace lanescope::core::test
