// 128-bit registers, cluster launch control, TMA descriptors made by kernels, and redux.sync on floats.
#include "tests/unit/emulator/EmulatorSupport.h"

#include "layouts/support/Text.h"

namespace lanescope::core::test {
namespace {

TEST(WideRegisters, MoveLoadAndStore) {
  Kernel kernel;
  kernel.threads = 1;
  kernel.declarations = ".shared .align 16 .b8 smem[32];";
  kernel.body = ".reg .b128 %q<4>;\nld.global.b128 %q0, [%d50];\nmov.b128 %q1, %q0;\nmov.b128 {%d0, %d1}, %q1;\n"
                "mov.b128 %q2, {%d1, %d0};\nst.shared.b128 [smem], %q2;\nld.shared.b128 %q3, [smem];\n"
                "st.global.b128 [%d51], %q3;\nret;";
  auto result = run(kernel, {u32Array({1, 2, 3, 4}), u32Array({0, 0, 0, 0})});
  ASSERT_TRUE(result) << errorText(result.error());
  EXPECT_TRUE(result->diagnostics.empty()) << errorText(result->diagnostics);
  EXPECT_EQ(words(result->outputs[1]), (std::vector<uint32_t>{3, 4, 1, 2}));
}

TEST(WideRegisters, AreNotForOtherInstructions) {
  Kernel kernel;
  kernel.body = ".reg .b128 %q<4>;\nmov.b64 %d0, %q0;\nret;";
  auto result = run(kernel, {u32Array({0}), u32Array({0})});
  ASSERT_FALSE(result);
  EXPECT_TRUE(mentions(result.error(), "register `%q0` has 128 bits")) << errorText(result.error());
}

TEST(Redux, OfFloats) {
  auto of = [](std::vector<float> values, const std::string &op) {
    values.resize(32, values.back());
    Kernel kernel;
    kernel.target = "sm_100a";
    kernel.body = "mov.u32 %r50, %tid.x;\nmul.wide.u32 %d40, %r50, 4;\nadd.s64 %d41, %d50, %d40;\n"
                  "ld.global.b32 %r0, [%d41];\nredux.sync." +
                  op + ".f32 %r1, %r0, 0xffffffff;\nst.global.b32 [%d51], %r1;\nret;";
    std::vector<uint32_t> bits(32);
    std::memcpy(bits.data(), values.data(), 128);
    auto result = run(kernel, {u32Array(bits), u32Array({0})});
    EXPECT_TRUE(result) << errorText(result.error());
    return result ? words(result->outputs[1])[0] : 0;
  };
  auto bits = [](float v) { return std::bit_cast<uint32_t>(v); };
  EXPECT_EQ(of({-3, 2, 7, -9}, "max"), bits(7));
  EXPECT_EQ(of({-3, 2, 7, -9}, "min"), bits(-9));
  EXPECT_EQ(of({-3, 2, 7, -9}, "max.abs"), bits(9));
  EXPECT_EQ(of({-3, 2, 7, -9}, "min.abs"), bits(2));
  EXPECT_EQ(of({-0.0f, 0.0f}, "max"), bits(0.0f));
  EXPECT_EQ(of({0.0f, -0.0f}, "min"), bits(-0.0f));
  EXPECT_EQ(of({NAN, 1, 2}, "max"), bits(2));
  EXPECT_EQ(of({NAN, 1, 2}, "max.NaN"), 0x7FFFFFFFu);
  EXPECT_EQ(of({NAN}, "min"), 0x7FFFFFFFu);
  EXPECT_EQ(of({-INFINITY, 1}, "min.abs"), bits(1));
}

TEST(MinMax, OfThree) {
  auto of = [](const std::string &op) {
    Kernel kernel;
    kernel.target = "sm_100a";
    kernel.threads = 1;
    kernel.body = "mov.f32 %f0, 0f40000000;\nmov.f32 %f1, 0fC0A00000;\nmov.f32 %f2, 0f7FC00000;\n" + op +
                  ".f32 %f3, %f0, %f1, %f2;\nst.global.f32 [%d51], %f3;\nret;";
    auto result = run(kernel, {u32Array({0}), u32Array({0})});
    EXPECT_TRUE(result) << errorText(result.error());
    return result ? words(result->outputs[1])[0] : 0;
  };
  EXPECT_EQ(of("max"), std::bit_cast<uint32_t>(2.0f));
  EXPECT_EQ(of("min"), std::bit_cast<uint32_t>(-5.0f));
  EXPECT_EQ(of("max.abs"), std::bit_cast<uint32_t>(5.0f));
  EXPECT_EQ(of("max.NaN"), 0x7FFFFFFFu);
}

//===------------------------------------ cluster launch control --------------------------------------------------===//

/// Each block adds 1 to out[its own number] and to the element of every block whose work it takes over. out[blocks +
/// own] counts the blocks it has taken. `fence` comes before the next request.
Kernel takesOver(uint32_t blocks, const std::string &fence) {
  Kernel kernel;
  kernel.target = "sm_100a";
  kernel.blocks = blocks;
  kernel.params = 1;
  kernel.declarations = ".shared .align 16 .b8 answer[16];\n.shared .align 8 .b64 bar;";
  kernel.body = R"(
mov.u32 %r0, %tid.x;
setp.ne.u32 %p0, %r0, 0;
mov.u32 %r1, %ctaid.x;
mov.u32 %r2, 0;
mov.u32 %r9, 0;
@%p0 bra DONE;
mbarrier.init.shared.b64 [bar], 1;
fence.mbarrier_init.release.cluster;
NEXT:
mbarrier.arrive.expect_tx.shared.b64 _, [bar], 16;
clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [answer], [bar];
mul.wide.u32 %d1, %r1, 4;
add.s64 %d1, %d50, %d1;
red.global.add.u32 [%d1], 1;
WAIT:
mbarrier.try_wait.parity.shared.b64 %p1, [bar], %r2;
@!%p1 bra WAIT;
xor.b32 %r2, %r2, 1;
.reg .b128 %q;
ld.shared.b128 %q, [answer];
clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p2, %q;
@!%p2 bra LAST;
clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %r1, %q;
clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {%r3, %r4, %r5, _}, %q;
setp.ne.u32 %p3, %r1, %r3;
@%p3 trap;
add.u32 %r9, %r9, 1;
)" + fence + R"(
bra NEXT;
LAST:
mov.u32 %r6, %ctaid.x;
add.u32 %r6, %r6, )" +
                std::to_string(blocks) +
                R"(;
mul.wide.u32 %d1, %r6, 4;
add.s64 %d1, %d50, %d1;
st.global.u32 [%d1], %r9;
DONE:
ret;)";
  return kernel;
}

const std::string kFence = "fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster;\n"
                           "fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;";

TEST(LaunchControl, AllBlocksAreDoneOnce) {
  for (uint64_t seed : {0, 1, 2}) {
    for (uint32_t blocks : {3, 400}) {
      EmulatorOptions options;
      options.seed = seed;
      auto result = run(takesOver(blocks, kFence), {u32Array(std::vector<uint32_t>(2 * blocks))}, options);
      ASSERT_TRUE(result) << errorText(result.error());
      ASSERT_TRUE(result->diagnostics.empty()) << errorText(result->diagnostics);
      std::vector<uint32_t> out = words(result->outputs[0]);
      uint32_t taken = 0;
      for (uint32_t n = 0; n < blocks; ++n) {
        ASSERT_EQ(out[n], 1u) << n;
        taken += out[blocks + n];
      }
      // With seed 0 the machine is filled first, and exactly the blocks that do not fit are taken over.
      if (seed == 0)
        EXPECT_EQ(taken, blocks > 148 ? blocks - 148 : 0);
      else
        EXPECT_GT(taken, 0u);
    }
  }
}

TEST(LaunchControl, ResponsesArePartOfTheAsyncProxy) {
  EmulatorOptions options;
  options.seed = 1;
  auto result = run(takesOver(3, ""), {u32Array(std::vector<uint32_t>(6))}, options);
  ASSERT_TRUE(result) << errorText(result.error());
  ASSERT_FALSE(result->diagnostics.empty());
  EXPECT_EQ(result->diagnostics.front().kind, "unfenced-overwrite") << errorText(result->diagnostics);
}

TEST(LaunchControl, AcquiringAloneFencesNothing) {
  EmulatorOptions options;
  options.seed = 1;
  Kernel kernel = takesOver(3, "fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;");
  auto result = run(kernel, {u32Array(std::vector<uint32_t>(6))}, options);
  ASSERT_TRUE(result) << errorText(result.error());
  ASSERT_FALSE(result->diagnostics.empty());
  EXPECT_EQ(result->diagnostics.front().kind, "unfenced-overwrite") << errorText(result->diagnostics);
}

TEST(LaunchControl, ResponsesAreWaitedFor) {
  Kernel kernel = takesOver(3, kFence);
  size_t wait = kernel.body.find("WAIT:"), end = kernel.body.find("xor.b32");
  kernel.body.erase(wait, end - wait);
  auto result = run(kernel, {u32Array(std::vector<uint32_t>(6))});
  ASSERT_TRUE(result) << errorText(result.error());
  ASSERT_FALSE(result->diagnostics.empty());
  EXPECT_EQ(result->diagnostics.front().kind, "copy-not-awaited") << errorText(result->diagnostics);
  EmulatorOptions unchecked;
  unchecked.checks = false;
  result = run(kernel, {u32Array(std::vector<uint32_t>(6))}, unchecked);
  ASSERT_TRUE(result) << errorText(result.error());
  ASSERT_FALSE(result->diagnostics.empty());
  EXPECT_EQ(result->diagnostics.front().kind, "launch-response") << errorText(result->diagnostics);
}

TEST(LaunchControl, RefusedResponsesHaveNoBlock) {
  Kernel kernel = takesOver(3, kFence);
  kernel.body.replace(kernel.body.find("@!%p2 bra LAST;"), 15, "");
  auto result = run(kernel, {u32Array(std::vector<uint32_t>(6))});
  ASSERT_TRUE(result) << errorText(result.error());
  ASSERT_FALSE(result->diagnostics.empty());
  EXPECT_EQ(result->diagnostics.front().kind, "launch-response");
  EXPECT_TRUE(mentions(result->diagnostics, "no cluster was cancelled")) << errorText(result->diagnostics);
}

TEST(LaunchControl, RefusedRequestsAreTheLast) {
  Kernel kernel = takesOver(3, kFence);
  kernel.body.replace(kernel.body.find("@!%p2 bra LAST;"), 15, "@!%p2 bra NEXT;");
  auto result = run(kernel, {u32Array(std::vector<uint32_t>(6))});
  ASSERT_TRUE(result) << errorText(result.error());
  ASSERT_FALSE(result->diagnostics.empty());
  EXPECT_EQ(result->diagnostics.front().kind, "launch-response");
  EXPECT_TRUE(mentions(result->diagnostics, "has seen that no cluster was left")) << errorText(result->diagnostics);
}

TEST(LaunchControl, IsNotForOlderTargets) {
  Kernel kernel = takesOver(1, kFence);
  kernel.target = "sm_90a";
  auto result = run(kernel, {u32Array({0, 0})});
  ASSERT_FALSE(result);
  EXPECT_TRUE(mentions(result.error(), "needs `.target sm_100`")) << errorText(result.error());
}

//===------------------------------------ TMA descriptors ---------------------------------------------------------===//

/// Makes a descriptor of in[8][32] of f32 in shared memory, copies it to the second half of `out`, and loads the box at
/// column 0, row `row` through it. The first half of `out` receives the box of 4 rows. `replace` is one more
/// replacement.
Kernel makesDescriptor(int row, const std::string &replace = "") {
  Kernel kernel;
  kernel.declarations =
      ".shared .align 128 .b8 map[128];\n.shared .align 128 .b8 tile[512];\n.shared .align 8 .b64 bar;";
  auto field = [](const std::string &name, const std::string &type, const std::string &value) {
    return "@%p0 tensormap.replace.tile." + name + ".shared::cta.b1024." + type + " [map], " + value + ";\n";
  };
  kernel.body =
      "mov.u32 %r0, %tid.x;\nsetp.eq.u32 %p0, %r0, 0;\nmul.wide.u32 %d9, %r0, 4;\nmov.u64 %d1, map;\n"
      "add.s64 %d1, %d1, %d9;\nst.shared.u32 [%d1], 0;\n@%p0 mbarrier.init.shared.b64 [bar], 1;\n"
      "bar.warp.sync -1;\nmov.b32 %r1, 32;\nmov.b32 %r2, 8;\nmov.b32 %r3, 4;\nmov.b32 %r4, 1;\nmov.b64 %d2, 128;\n" +
      field("global_address", "b64", "%d50") + field("rank", "b32", "1") + field("box_dim", "b32", "0, %r1") +
      field("box_dim", "b32", "1, %r3") + field("global_dim", "b32", "0, %r1") + field("global_dim", "b32", "1, %r2") +
      field("global_stride", "b64", "0, %d2") + field("element_stride", "b32", "0, %r4") +
      field("element_stride", "b32", "1, %r4") + field("elemtype", "b32", "7") +
      field("interleave_layout", "b32", "0") + field("swizzle_mode", "b32", "0") + field("fill_mode", "b32", "0") +
      replace +
      "bar.warp.sync -1;\n"
      "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%d51+512], "
      "[map], 128;\nfence.proxy.tensormap::generic.acquire.gpu [%d51+512], 128;\n@!%p0 bra WAIT;\n"
      "mbarrier.arrive.expect_tx.shared.b64 _, [bar], 512;\nmov.b32 %r5, 0;\nmov.b32 %r6, " +
      std::to_string(row) +
      ";\ncp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%d51+512, {%r5, "
      "%r6}], [bar];\nWAIT:\nmov.b32 %r7, 0;\nmbarrier.try_wait.parity.shared.b64 %p1, [bar], %r7;\n@!%p1 bra "
      "WAIT;\nmul.wide.u32 %d8, %r0, 16;\nmov.u64 %d1, tile;\nadd.s64 %d1, %d1, %d8;\nld.shared.v4.u32 {%r10, "
      "%r11, %r12, %r13}, [%d1];\nadd.s64 %d3, %d51, %d8;\nst.global.v4.u32 [%d3], {%r10, %r11, %r12, %r13};\nret;";
  return kernel;
}

std::vector<Array> descriptorArrays() {
  std::vector<uint32_t> in(256);
  for (uint32_t n = 0; n < 256; ++n)
    in[n] = n + 1;
  return {u32Array(in), u32Array(std::vector<uint32_t>(160))};
}

TEST(TensorMaps, AreMadeByKernels) {
  for (int row : {0, 2, 6}) {
    auto result = run(makesDescriptor(row), descriptorArrays());
    ASSERT_TRUE(result) << errorText(result.error());
    ASSERT_TRUE(result->diagnostics.empty()) << errorText(result->diagnostics);
    std::vector<uint32_t> out = words(result->outputs[1]);
    for (uint32_t n = 0; n < 128; ++n) {
      uint32_t at = static_cast<uint32_t>(row) * 32 + n;
      ASSERT_EQ(out[n], at < 256 ? at + 1 : 0) << row << ' ' << n;
    }
  }
}

/// The same kernel with `from` replaced by `to`.
Diagnostics descriptorFaults(const std::string &from, const std::string &to) {
  Kernel kernel = makesDescriptor(0);
  size_t at = kernel.body.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  kernel.body.replace(at, from.size(), to);
  auto result = run(kernel, descriptorArrays());
  EXPECT_TRUE(result) << errorText(result.error());
  return result ? result->diagnostics : Diagnostics{};
}

TEST(TensorMaps, WhatKernelsWriteIsReleasedAndAcquired) {
  const std::string acquire = "fence.proxy.tensormap::generic.acquire.gpu [%d51+512], 128;\n",
                    release = "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned "
                              "[%d51+512], [map], 128;\n";
  std::string stores; // by plain stores, without a fence
  for (int n = 0; n < 32; ++n)
    stores += text("@%p0 ld.shared.u32 %r20, [map+", n * 4, "];\n@%p0 st.global.u32 [%d51+", 512 + n * 4, "], %r20;\n");
  struct {
    std::string from, to;
    const char *said;
  } cases[] = {{acquire, "", "released, but not acquired"},
               {acquire, "fence.proxy.tensormap::generic.acquire.gpu [%d51+256], 128;\n", "released, but not acquired"},
               {release, stores, "acquired, but not released"},
               {release + acquire, stores, "neither released nor acquired"},
               {release + acquire, release + stores + acquire, "acquired, but not released"},
               {release, stores + "fence.proxy.tensormap::generic.release.gpu;\n", nullptr}};
  for (const auto &each : cases) {
    Diagnostics told = descriptorFaults(each.from, each.to);
    if (!each.said) {
      EXPECT_TRUE(told.empty()) << errorText(told);
      continue;
    }
    ASSERT_FALSE(told.empty()) << each.said;
    EXPECT_EQ(told.front().kind, "missing-tensormap-fence");
    EXPECT_TRUE(mentions(told, each.said)) << errorText(told);
  }
}

TEST(TensorMaps, AreNotOverwrittenWhileACopyReadsThem) {
  const std::string wait = "WAIT:\nmov.b32 %r7, 0;\n", change = "@%p0 st.global.u32 [%d51+520], 7;\n";
  Diagnostics told = descriptorFaults(wait, change + wait);
  ASSERT_FALSE(told.empty());
  EXPECT_EQ(told.front().kind, "overwritten-in-flight");
  EXPECT_TRUE(mentions(told, "still reads as its descriptor")) << errorText(told);
  told = descriptorFaults("mul.wide.u32 %d8, %r0, 16;\n", change + "mul.wide.u32 %d8, %r0, 16;\n");
  EXPECT_TRUE(told.empty()) << errorText(told);
}

TEST(TensorMaps, WrongValuesAreTold) {
  struct {
    const char *field, *type, *value, *said;
  } cases[] = {{"rank", "b32", "5", "the rank less 1 is 0 to 4, not 5"},
               {"box_dim", "b32", "0, 257", "a box has 1 to 256 elements in a dimension, not 257"},
               {"global_stride", "b64", "0, 24", "a stride of 24 bytes is not a multiple of 16"},
               {"global_address", "b64", "8", "the address 8 of the array is not a multiple of 16"},
               {"elemtype", "b32", "16", "the element type 16 is none that the emulator has"},
               {"swizzle_mode", "b32", "4", "the swizzling mode 4 is none that the emulator has"},
               {"interleave_layout", "b32", "1", "the interleaved layout 1 is none that the emulator has"},
               {"element_stride", "b32", "0, 9", "an element stride is 1 to 8, not 9"}};
  for (const auto &each : cases) {
    auto result = run(makesDescriptor(0, text("@%p0 tensormap.replace.tile.", each.field, ".shared::cta.b1024.",
                                              each.type, " [map], ", each.value, ";\n")),
                      descriptorArrays());
    ASSERT_TRUE(result) << errorText(result.error());
    ASSERT_FALSE(result->diagnostics.empty()) << each.field;
    EXPECT_EQ(result->diagnostics.front().kind, "tensor-map");
    EXPECT_TRUE(mentions(result->diagnostics, each.said)) << errorText(result->diagnostics);
  }
}

TEST(TensorMaps, OrdinalsAreDimensions) {
  auto result = run(makesDescriptor(0, "tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [map], 5, %r1;\n"),
                    descriptorArrays());
  ASSERT_FALSE(result);
  EXPECT_TRUE(mentions(result.error(), "there is no dimension 5")) << errorText(result.error());
}

} // namespace
} // namespace lanescope::core::test
