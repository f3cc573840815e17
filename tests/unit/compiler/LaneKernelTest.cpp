// Modules in Lane form: per-thread code after JAX's lowering, with host code that makes TMA descriptors. The samples
// are written by hand after jax/experimental/mosaic/gpu (core.py, launch_context.py, utils.py, wgmma.py).
#include "core/data/Files.h"
#include "core/gpu/codegen/DumpProgram.h"
#include "core/gpu/emulator/EmulatorDevice.h"
#include "layouts/support/Text.h"
#include "tests/unit/compiler/KernelText.h"

#include <cmath>
#include <gtest/gtest.h>

namespace lanescope::core {
namespace {

SourceRef sample(const char *name) {
  auto source = readSource(text(LANESCOPE_SOURCE_DIR, "/tests/golden/lane/", name, ".mlir"));
  EXPECT_TRUE(source);
  return source ? *source : Source::make("missing.mlir", "");
}

KernelStages compiled(const SourceRef &source) {
  auto stages = compileDump(testing::compiler(), source, {});
  if (!stages)
    return {{.diagnostics = stages.error()}, {}};
  return std::move(*stages);
}

std::vector<Array> outputs(const SourceRef &source, const std::vector<Array> &inputs) {
  KernelStages stages = compiled(source);
  EXPECT_TRUE(stages.kernel) << render(stages.diagnostics);
  if (!stages.kernel)
    return {};
  auto result = makeEmulatorDevice()->run(*stages.kernel, inputs, {});
  EXPECT_TRUE(result) << render(result.error());
  if (!result)
    return {};
  EXPECT_FALSE(hasErrors(result->diagnostics)) << render(result->diagnostics);
  return result->outputs;
}

/// `body` in a module that launches one block of 128 threads on one argument, %x, of 256 x i32.
SourceRef launched(std::string_view body, std::string_view host = "") {
  return Source::make("lane.mlir",
                      text(R"(module @k attributes {mosaic_gpu.arch_major = 9 : i32, mosaic_gpu.arch_minor = 0 : i32} {
  func.func private @mosaic_gpu_init_tma_desc(!llvm.ptr, !llvm.ptr, i64, i64, !llvm.ptr, !llvm.ptr, i64, !llvm.ptr)
  func.func @k_mosaic_gpu(%arg0: !llvm.ptr, %arg1: !llvm.ptr) {
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %stream = builtin.unrealized_conversion_cast %arg0 : !llvm.ptr to !gpu.async.token
    %p = llvm.load %arg1 : !llvm.ptr -> !llvm.ptr
    %d0 = llvm.mlir.undef : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
    %d1 = llvm.insertvalue %p, %d0[1] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
    %zero = llvm.mlir.constant(0 : i64) : i64
    %d2 = llvm.insertvalue %zero, %d1[2] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
    %x = builtin.unrealized_conversion_cast %d2 : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> to memref<256xi32>
)",
                           host, R"(
    %done = gpu.launch async [%stream] blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
      %t = gpu.thread_id x
      %t32 = arith.index_cast %t : index to i32
)",
                           body, R"(
      gpu.terminator
    }
    return
  }
}
)"));
}

TEST(LaneKernel, TmaCopiesThroughTiles) {
  SourceRef source = sample("tma");
  KernelStages stages = compiled(source);
  ASSERT_TRUE(stages.kernel) << render(stages.diagnostics);
  EXPECT_EQ(stages.kernel->name, "tma_mosaic_gpu_kernel");
  EXPECT_EQ(stages.kernel->outputs, std::vector<uint32_t>{1});
  EXPECT_EQ(stages.kernel->launch.dynamicSmem, 32776u);
  const auto &block = std::get<BytesParam>(stages.kernel->launch.params.front());
  ASSERT_EQ(block.tensorMaps.size(), 2u);
  EXPECT_EQ(block.tensorMaps[1].offset, 128u);
  EXPECT_EQ(block.tensorMaps[1].buffer, 1u);
  EXPECT_EQ(block.tensorMaps[0].shape, (Shape{16, 2, 8, 64}));
  EXPECT_EQ(block.tensorMaps[0].stridesBytes, (Shape{2048, 128, 256}));
  EXPECT_EQ(block.tensorMaps[0].swizzle, 128);
  Array x = testing::pattern(Dtype::F16, {128, 128}), want = x;
  for (int64_t i = 0; i < want.size(); ++i)
    want.setNumber(i, 2 * x.number(i));
  auto out = outputs(source, {x, Array::zeros(Dtype::F16, {128, 128})});
  ASSERT_EQ(out.size(), 1u);
  testing::expectEqual(out[0], want);
}

TEST(LaneKernel, WgmmaOfWhatTmaBrought) {
  Array a = testing::pattern(Dtype::F16, {64, 64}), b = testing::pattern(Dtype::F16, {8, 64}, 5);
  Array want = Array::zeros(Dtype::F32, {64, 8});
  for (int64_t i = 0; i < 64; ++i)
    for (int64_t j = 0; j < 8; ++j) {
      double sum = 0;
      for (int64_t k = 0; k < 64; ++k)
        sum += a.number(i * 64 + k) * b.number(j * 64 + k);
      want.setNumber(i * 8 + j, 2 * sum);
    }
  auto out = outputs(sample("wgmma"), {a, b, Array::zeros(Dtype::F32, {64, 8})});
  ASSERT_EQ(out.size(), 1u);
  testing::expectEqual(out[0], want);
}

TEST(LaneKernel, MulticastInACluster) {
  SourceRef source = sample("cluster");
  KernelStages stages = compiled(source);
  ASSERT_TRUE(stages.kernel) << render(stages.diagnostics);
  EXPECT_EQ(stages.kernel->launch.cluster, (std::array<uint32_t, 3>{2, 1, 1}));
  Array x = testing::pattern(Dtype::I32, {2, 64}), want = Array::zeros(Dtype::I32, {2, 2, 64});
  for (int64_t block = 0; block < 2; ++block)
    for (int64_t i = 0; i < 128; ++i)
      want.setInteger(block * 128 + i, static_cast<int64_t>(x.number(i)) * (block + 2));
  auto out = outputs(source, {x, Array::zeros(Dtype::I32, {2, 2, 64})});
  ASSERT_EQ(out.size(), 1u);
  testing::expectEqual(out[0], want);
}

TEST(LaneKernel, TakesWhatTheBodyUsesOfTheLaunch) {
  auto out = outputs(launched(R"(
      %sum = arith.addi %tx, %nx : index
      %i = arith.index_cast %sum : index to i32
      %size = gpu.block_dim x
      %j = arith.index_cast %size : index to i32
      %v = arith.muli %i, %j : i32
      memref.store %v, %x[%t] : memref<256xi32>)"),
                     {Array::zeros(Dtype::I32, {256})});
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(out[0].number(3), (3 + 128) * 128);
  EXPECT_EQ(out[0].number(200), 0);
}

TEST(LaneKernel, MathAndVectorsAndBranches) {
  auto out = outputs(launched(R"(
      %f = arith.sitofp %t32 : i32 to f32
      %e = math.exp2 %f : f32
      %v0 = vector.broadcast %e : f32 to vector<2x2xf32>
      %v1 = arith.addf %v0, %v0 : vector<2x2xf32>
      %one = vector.extract %v1[1, 0] : f32 from vector<2x2xf32>
      %c5 = arith.constant 5 : index
      %small = arith.cmpi ult, %t, %c5 : index
      %r = scf.if %small -> f32 {
        scf.yield %one : f32
      } else {
        %none = arith.constant 7.0 : f32
        scf.yield %none : f32
      }
      %n = arith.fptosi %r : f32 to i32
      %two = arith.constant 2 : index
      %at = arith.muli %t, %two : index
      %pair0 = vector.broadcast %n : i32 to vector<2xi32>
      %pair = vector.insert %t32, %pair0 [1] : i32 into vector<2xi32>
      vector.store %pair, %x[%at] : memref<256xi32>, vector<2xi32>)"),
                     {Array::zeros(Dtype::I32, {256})});
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(out[0].number(6), 16) << "2 * 2^3";
  EXPECT_EQ(out[0].number(7), 3);
  EXPECT_EQ(out[0].number(2 * 50), 7);
}

TEST(LaneKernel, MathOnVectorsOfOneElement) {
  auto out = outputs(launched(R"(
      %c3 = arith.constant 3 : i32
      %low = arith.andi %t32, %c3 : i32
      %f = arith.sitofp %low : i32 to f32
      %v = vector.broadcast %f : f32 to vector<1xf32>
      %e = math.exp2 %v : vector<1xf32>
      %h = arith.truncf %e : vector<1xf32> to vector<1xf16>
      %l = math.log2 %h : vector<1xf16>
      %w = arith.extf %l : vector<1xf16> to vector<1xf32>
      %a = math.atan2 %w, %w : vector<1xf32>
      %sum = arith.addf %e, %w : vector<1xf32>
      %n = arith.fptosi %sum : vector<1xf32> to vector<1xi32>
      %m = arith.fptosi %a : vector<1xf32> to vector<1xi32>
      %r = arith.addi %n, %m : vector<1xi32>
      vector.store %r, %x[%t] : memref<256xi32>, vector<1xi32>)"),
                     {Array::zeros(Dtype::I32, {256})});
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(out[0].number(4), 1);
  EXPECT_EQ(out[0].number(7), 8 + 3) << "the angle of (3, 3) is less than 1";
}

TEST(LaneKernel, RoundingsAndSigns) {
  auto out = outputs(launched(R"(
      %c64 = arith.constant 64 : i32
      %d = arith.subi %t32, %c64 : i32
      %i = arith.sitofp %d : i32 to f32
      %half = arith.constant 0.5 : f32
      %f = arith.mulf %i, %half : f32
      %away = math.round %f : f32
      %even = math.roundeven %f : f32
      %ten = arith.constant 10.0 : f32
      %sign = math.copysign %ten, %f : f32
      %h = arith.truncf %f : f32 to bf16
      %down = math.floor %h : bf16
      %low = arith.extf %down : bf16 to f32
      %hundred = arith.constant 100.0 : f32
      %s0 = arith.mulf %even, %hundred : f32
      %s1 = arith.addf %away, %s0 : f32
      %s2 = arith.addf %s1, %sign : f32
      %s3 = arith.mulf %low, %hundred : f32
      %s4 = arith.mulf %s3, %hundred : f32
      %s = arith.addf %s2, %s4 : f32
      %n = arith.fptosi %s : f32 to i32
      memref.store %n, %x[%t] : memref<256xi32>)"),
                     {Array::zeros(Dtype::I32, {256})});
  ASSERT_EQ(out.size(), 1u);
  for (int64_t thread = 0; thread < 128; ++thread) {
    double f = static_cast<double>(thread - 64) / 2;
    double want = std::round(f) + 100 * std::nearbyint(f) + std::copysign(10.0, f) + 10000 * std::floor(f);
    ASSERT_EQ(out[0].number(thread), want) << f;
  }
}

TEST(LaneKernel, FailedAssertionsSaySo) {
  SourceRef source = launched(R"(
      %c200 = arith.constant 200 : index
      %fine = arith.cmpi ult, %t, %c200 : index
      cf.assert %fine, "never"
      %c100 = arith.constant 100 : index
      %small = arith.cmpi ult, %t, %c100 : index
      cf.assert %small, "too large"
      memref.store %t32, %x[%t] : memref<256xi32>)");
  KernelStages stages = compiled(source);
  ASSERT_TRUE(stages.kernel) << render(stages.diagnostics);
  std::vector<Array> arrays{Array::zeros(Dtype::I32, {256})};
  auto result = makeEmulatorDevice()->run(*stages.kernel, arrays, {});
  ASSERT_TRUE(result) << render(result.error());
  EXPECT_NE(render(result->diagnostics).find("too large"), std::string::npos) << render(result->diagnostics);
  EXPECT_EQ(render(result->diagnostics).find("never"), std::string::npos);
}

TEST(LaneKernel, CommitsOfProductsToSharedMbarriers) {
  SourceRef source = launched(R"(
      %zero32 = arith.constant 0 : i32
      %mask = arith.constant 3 : i16
      %mbarrier = llvm.inttoptr %zero32 : i32 to !llvm.ptr<3>
      llvm.call_intrinsic "llvm.nvvm.tcgen05.commit.cg1"(%mbarrier) : (!llvm.ptr<3>) -> ()
      llvm.call_intrinsic "llvm.nvvm.tcgen05.commit.mc.cg2"(%mbarrier, %mask) : (!llvm.ptr<3>, i16) -> ()
      llvm.call_intrinsic "llvm.nvvm.tcgen05.commit.shared.cg1"(%mbarrier) : (!llvm.ptr<3>) -> ()
      memref.store %zero32, %x[%t] : memref<256xi32>)");
  auto stages = compileDump(testing::compiler(), source, {.arch = "sm_100a"});
  ASSERT_TRUE(stages) << render(stages.error());
  ASSERT_TRUE(stages->kernel) << render(stages->diagnostics);
  const std::string &ptx = stages->kernel->ptx;
  constexpr std::string_view kOne = "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64";
  size_t first = ptx.find(kOne);
  ASSERT_NE(first, ptx.npos) << ptx;
  EXPECT_NE(ptx.find(kOne, first + 1), ptx.npos);
  EXPECT_NE(ptx.find("tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64"),
            ptx.npos)
      << ptx;
}

TEST(LaneKernel, OutputsAreWhatThreadsWrite) {
  KernelStages reads = compiled(launched("      %v = memref.load %x[%t] : memref<256xi32>"));
  ASSERT_TRUE(reads.kernel) << render(reads.diagnostics);
  EXPECT_TRUE(reads.kernel->outputs.empty());
  const char *kPtx = R"(
      %s = builtin.unrealized_conversion_cast %x : memref<256xi32> to !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
      %a = llvm.extractvalue %s[1] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
      %g = llvm.addrspacecast %a : !llvm.ptr to !llvm.ptr<1>
)";
  KernelStages adds = compiled(launched(text(
      kPtx,
      R"(      %u = llvm.inline_asm has_side_effects "red.global.add.s32 [$0], $1;", "l,r" %g, %t32 : (!llvm.ptr<1>, i32) -> !llvm.void)")));
  ASSERT_TRUE(adds.kernel) << render(adds.diagnostics);
  EXPECT_EQ(adds.kernel->outputs, std::vector<uint32_t>{0});
  KernelStages loads = compiled(launched(
      text(
          kPtx,
          R"(      %u = llvm.inline_asm has_side_effects "@$2 ld.global.b32 $0, [$1];", "=r,l,b" %g, %true : (!llvm.ptr<1>, i1) -> i32)"),
      "    %true = arith.constant true\n"));
  ASSERT_TRUE(loads.kernel) << render(loads.diagnostics);
  EXPECT_TRUE(loads.kernel->outputs.empty());
}

std::string refusal(const SourceRef &source) { return render(compiled(source).diagnostics); }

TEST(LaneKernel, WhatCannotBecomeOneIsSaidAtItsPlace) {
  std::string host = refusal(
      launched("      memref.store %k, %x[%t] : memref<256xi32>", "    %k = llvm.load %arg0 : !llvm.ptr -> i32\n"));
  EXPECT_NE(host.find("uses a value that the host computes"), std::string::npos) << host;
  EXPECT_NE(host.find("lane.mlir:18:"), std::string::npos) << host;
  std::string library = refusal(launched(R"(
      %f = arith.sitofp %t32 : i32 to f32
      %a = math.asinh %f : f32
      %n = arith.fptosi %a : f32 to i32
      memref.store %n, %x[%t] : memref<256xi32>)"));
  EXPECT_NE(library.find("error: "), std::string::npos) << library;
  EXPECT_NE(library.find("asinh"), std::string::npos) << library;
  std::string desc = refusal(launched("", R"(
    %n = arith.constant 1 : i64
    %s = llvm.alloca %n x !llvm.array<128 x i8> : (i64) -> !llvm.ptr
    func.call @mosaic_gpu_init_tma_desc(%s, %p, %n, %n, %s, %s, %n, %s) : (!llvm.ptr, !llvm.ptr, i64, i64, !llvm.ptr, !llvm.ptr, i64, !llvm.ptr) -> ()
)"));
  EXPECT_NE(desc.find("numbers that are not known before the run"), std::string::npos) << desc;
  EXPECT_NE(
      refusal(Source::make("k.mlir", "func.func @f() {\n  gpu.barrier\n  return\n}\n")).find("launches no kernel"),
      std::string::npos);
}

TEST(LaneKernel, PtxAsTextIsCheckedBeforeLlvmSeesIt) {
  auto says = [](const char *assembly) {
    return refusal(launched(text("      %u = llvm.inline_asm has_side_effects ", assembly)));
  };
  EXPECT_EQ(says(R"("mov.b32 $0, $1;", "=r,r" %t32 : (i32) -> i32)"), "");
  EXPECT_EQ(says(R"("bar.sync $$7;", "" : () -> !llvm.void)"), "");
  EXPECT_NE(says(R"("mov.b32 $0, $2;", "=r,r" %t32 : (i32) -> i32)").find("names an operand"), std::string::npos);
  EXPECT_NE(says(R"("mov.b32 $0, $-1;", "=r,r" %t32 : (i32) -> i32)").find("names an operand"), std::string::npos);
  EXPECT_NE(says(R"("mov.b32 $0, $1;", "=r,z" %t32 : (i32) -> i32)").find("constraint `z`"), std::string::npos);
  EXPECT_NE(says(R"("mov.b32 $0, $1;", "=r,7" %t32 : (i32) -> i32)").find("cannot be read"), std::string::npos);
  EXPECT_NE(says(R"("mov.b32 $0, $1;", "=f,b" %t32 : (i32) -> i32)").find("gives the constraint"), std::string::npos);
  EXPECT_NE(says(R"("mov.b32 $0, $1;", "=r" %t32 : (i32) -> i32)").find("1 results and 0 operands"), std::string::npos);
}

TEST(LaneKernel, OperationsAloneAreOneWarpgroup) {
  KernelStages stages = compiled(Source::make("k.mlir", "module {\n  gpu.barrier\n}\n"));
  ASSERT_TRUE(stages.kernel) << render(stages.diagnostics);
  EXPECT_EQ(stages.kernel->launch.block[0], 128u);
}

} // namespace
} // namespace lanescope::core
