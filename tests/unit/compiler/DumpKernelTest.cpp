// Dumps of JAX as our kernels: their launch, their host code, and statements that we express differently. Also single
// operations, as in JAX's tests of its lowering.
#include "core/gpu/emulator/EmulatorDevice.h"
#include "core/gpu/inference/DumpKernels.h"
#include "core/gpu/kernel/GpuTarget.h"
#include "layouts/support/Text.h"
#include "tests/unit/compiler/KernelText.h"

#include <gtest/gtest.h>

namespace lanescope::core {
namespace {

constexpr std::string_view kSmem = "#gpu.address_space<workgroup>";
constexpr std::string_view kWgmma = "#mosaic_gpu.TiledLayout<[[64, 8], [16, 8], [8, 8], [2]], warp_dims = [-7], "
                                    "lane_dims = [-3, -2], vector_dim = -1>";

struct Lowered {
  std::string text, problems;
  std::optional<CompiledKernel> kernel;
};

/// The stage's text of a module that JAX dumped.
Lowered lowered(const std::string &module, const StageKind &stage = kNvvmStage, const std::string &arch = "") {
  auto dumped = readDumpKernel(testing::compiler().context(), Source::make("dump.mlir", module));
  if (!dumped)
    return {"", render(dumped.error()), {}};
  CompileOptions options{.until = stage.id, .keepTexts = true};
  if (!dumped->arch.empty())
    options.arch = dumped->arch;
  if (!arch.empty())
    options.arch = arch;
  KernelStages stages = testing::compiler().compile(std::move(dumped->module), options);
  std::string text = stages.stages.empty() ? "" : stages.stages.back().source->text();
  return {text, render(stages.diagnostics), std::move(stages.kernel)};
}

size_t countOf(std::string_view text, std::string_view part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

/// `body` in one of JAX's modules, which launches one block of two warpgroups on one argument.
std::string launched(std::string_view body, std::string_view sizes = "%c1, %arg9 = %c1, %arg10 = %c1") {
  return text(
      R"(module @k attributes {mosaic_gpu.arch_major = 9 : i32, mosaic_gpu.arch_minor = 0 : i32} {
  func.func private @mosaic_gpu_init_tma_desc(!llvm.ptr, !llvm.ptr, i64, i64, !llvm.ptr, !llvm.ptr, i64, !llvm.ptr)
  llvm.func @nvshmem_my_pe() -> i32
  func.func @k_mosaic_gpu(%arg0: !llvm.ptr, %arg1: !llvm.ptr, %given: index) {
    %c1 = arith.constant 1 : index
    %c256 = arith.constant 256 : index
    %c7_i32 = arith.constant 7 : i32
    %c4096_i32 = arith.constant 4096 : i32
    %0 = llvm.mlir.undef : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
    %1 = builtin.unrealized_conversion_cast %arg0 : !llvm.ptr to !gpu.async.token
    %x = builtin.unrealized_conversion_cast %0 : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> to memref<256xi32> {mosaic_gpu.from_kernel_arg_idx = 2 : i32, mosaic_gpu.original_kernel_arg}
    %2 = gpu.launch async [%1] blocks(%arg2, %arg3, %arg4) in (%arg8 = )",
      sizes,
      R"() threads(%arg5, %arg6, %arg7) in (%arg11 = %c256, %arg12 = %c1, %arg13 = %c1) dynamic_shared_memory_size %c4096_i32 {
)",
      body, R"(
      gpu.terminator
    }
    return
  }
}
)");
}

TEST(DumpKernel, LaunchesBecomeKernels) {
  Lowered got = lowered(launched(R"(      %v = "mosaic_gpu.vector_load"(%x) : (memref<256xi32>) -> vector<256xi32>
      %w = vector.broadcast %c7_i32 : i32 to vector<256xi32>
      %s = arith.addi %v, %w : vector<256xi32>
      "mosaic_gpu.vector_store"(%s, %x) <{multimem = false}> : (vector<256xi32>, memref<256xi32>) -> ())"),
                        kPtxStage);
  ASSERT_TRUE(got.kernel) << got.problems;
  EXPECT_EQ(got.kernel->name, "k_mosaic_gpu_kernel");
  EXPECT_EQ(got.kernel->arch, "sm_90a");
  EXPECT_EQ(got.kernel->launch.block[0], 256u);
  EXPECT_EQ(got.kernel->launch.dynamicSmem, 4096u);
  ASSERT_EQ(got.kernel->buffers().size(), 1u);
  EXPECT_EQ(got.kernel->buffers()[0]->name, "argument2") << "as JAX numbers it";
  EXPECT_EQ(got.kernel->outputs, std::vector<uint32_t>{0});
}

TEST(DumpKernel, WhatCannotBecomeOneIsSaidAtItsPlace) {
  EXPECT_NE(lowered(launched("", "%given, %arg9 = %c1, %arg10 = %c1")).problems.find("is no constant"),
            std::string::npos);
  Lowered host = lowered(launched("      %u = arith.index_cast %given : index to i32"));
  EXPECT_NE(host.problems.find("uses a value that the host computes"), std::string::npos) << host.problems;
  EXPECT_NE(host.problems.find("dump.mlir:13:"), std::string::npos) << host.problems;
  EXPECT_NE(lowered("module {}").problems.find("this module has no kernel"), std::string::npos);
  Lowered library = lowered(launched("      %d = llvm.call @nvshmem_my_pe() : () -> i32\n"
                                     "      memref.store %d, %x[%arg2] : memref<256xi32>",
                                     "%c1, %arg9 = %c1, %arg10 = %c1"));
  EXPECT_NE(library.problems.find("calls `nvshmem_my_pe`"), std::string::npos) << library.problems;
  // A mesh of one device: the module asks for the device's number and does not use it.
  Lowered alone = lowered(launched("      %d = llvm.call @nvshmem_my_pe() : () -> i32\n"
                                   "      %v = vector.broadcast %c7_i32 : i32 to vector<256xi32>\n"
                                   "      \"mosaic_gpu.vector_store\"(%v, %x) <{multimem = false}> : (vector<256xi32>, "
                                   "memref<256xi32>) -> ()"),
                          kPtxStage);
  EXPECT_TRUE(alone.kernel) << alone.problems;
}

/// The emulator's outputs for one input of 256 x i32.
std::vector<Array> outputsOf(const std::string &module, const Array &x) {
  Lowered got = lowered(module, kPtxStage);
  EXPECT_TRUE(got.kernel) << got.problems;
  auto result = got.kernel ? makeEmulatorDevice()->run(*got.kernel, std::vector{x}, {}) : error("test", "not compiled");
  EXPECT_TRUE(result && !hasErrors(result->diagnostics));
  return result ? result->outputs : std::vector<Array>{};
}

/// One of JAX's modules for two devices. Each device stores its number into the other device's argument 1; argument 0
/// is not used.
std::string ofTwoDevices(std::string_view words) {
  return text(
      R"(module @k attributes {mosaic_gpu.arch_major = 9 : i32, mosaic_gpu.arch_minor = 0 : i32, mosaic_gpu.collective_metadata_used, mosaic_gpu.symmetric_memory_args = dense<[false, true]> : tensor<2xi1>} {
  func.func @k_mosaic_gpu(%arg0: !llvm.ptr, %arg1: !llvm.ptr) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c7 = arith.constant 7 : index
    %c128 = arith.constant 128 : index
    %c0_i32 = arith.constant 0 : i32
    %zero = llvm.mlir.constant(0 : i64) : i64
    %0 = llvm.mlir.undef : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
    %1 = builtin.unrealized_conversion_cast %arg0 : !llvm.ptr to !gpu.async.token
    %words = builtin.unrealized_conversion_cast %0 : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> to memref<)",
      words, R"(xi64>
    %x = builtin.unrealized_conversion_cast %0 : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> to memref<256xi32> {mosaic_gpu.from_kernel_arg_idx = 1 : i32, mosaic_gpu.original_kernel_arg}
    %2 = gpu.launch async [%1] blocks(%arg2, %arg3, %arg4) in (%arg8 = %c1, %arg9 = %c1, %arg10 = %c1) threads(%arg5, %arg6, %arg7) in (%arg11 = %c128, %arg12 = %c1, %arg13 = %c1) dynamic_shared_memory_size %c0_i32 {
      %rank = memref.load %words[%c0] : memref<)",
      words, R"(xi64>
      %device = arith.index_cast %rank : i64 to index
      %at = arith.subi %c7, %device : index
      %address = memref.load %words[%at] : memref<)",
      words, R"(xi64>
      %pointer = llvm.inttoptr %address : i64 to !llvm.ptr
      %3 = llvm.mlir.undef : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
      %4 = llvm.insertvalue %pointer, %3[0] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
      %5 = llvm.insertvalue %pointer, %4[1] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
      %6 = llvm.insertvalue %zero, %5[2] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
      %there = builtin.unrealized_conversion_cast %6 : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> to memref<256xi32, strided<[1]>>
      %number = arith.trunci %rank : i64 to i32
      %all = vector.broadcast %number : i32 to vector<256xi32>
      "mosaic_gpu.vector_store"(%all, %there) <{multimem = false}> : (vector<256xi32>, memref<256xi32, strided<[1]>>) -> ()
      "mosaic_gpu.vector_store"(%all, %x) <{multimem = false}> : (vector<256xi32>, memref<256xi32>) -> ()
      gpu.terminator
    }
    return
  }
}
)");
}

// The number of devices follows from the metadata's length. The metadata has the same words as in our launches.
TEST(DumpKernel, SeveralDevicesKnowEachOther) {
  std::string sound = ofTwoDevices("10"); // 4 + 2 arguments * (2 devices + 1)
  sound.erase(sound.find("      \"mosaic_gpu.vector_store\"(%all, %x)"),
              sound.find("      gpu.terminator") - sound.find("      \"mosaic_gpu.vector_store\"(%all, %x)"));
  Lowered got = lowered(sound, kPtxStage);
  ASSERT_TRUE(got.kernel) << got.problems;
  EXPECT_EQ(got.kernel->launch.devices, 2u);
  ASSERT_EQ(got.kernel->buffers().size(), 2u);
  std::vector<Array> inputs;
  for (const BufferSpec *buffer : got.kernel->buffers())
    inputs.push_back(Array::zeros(buffer->dtype, buffer->shape));
  auto result = makeEmulatorDevice()->run(*got.kernel, inputs, {});
  ASSERT_TRUE(result && !hasErrors(result->diagnostics));
  ASSERT_FALSE(result->outputs.empty());
  EXPECT_EQ(result->outputs.back().shape, (layouts::Shape{2, 256}));
  EXPECT_EQ(result->outputs.back().number(9), 1);
  EXPECT_EQ(result->outputs.back().number(256 + 9), 0);
  // Both devices write the same place, and the checker reports it.
  Lowered racing = lowered(ofTwoDevices("10"), kPtxStage);
  ASSERT_TRUE(racing.kernel) << racing.problems;
  auto fault = makeEmulatorDevice()->run(*racing.kernel, inputs, {});
  EXPECT_TRUE(fault && hasErrors(fault->diagnostics));

  EXPECT_NE(lowered(ofTwoDevices("11")).problems.find("collective metadata of 11 words is not that of 2 arguments"),
            std::string::npos);
}

TEST(DumpKernel, PrimitivesComputeOnRegisters) {
  // Each of two warpgroups holds the whole array, one register of two elements per thread.
  Array x = testing::pattern(Dtype::I32, {256}), want = x;
  for (int64_t i = 0; i < 256; ++i)
    want.setInteger(i, static_cast<int64_t>(x.number(i)) * 3 + (i % 2 == 1 ? 100 : 0));
  auto out = outputsOf(launched(R"(      %v = "mosaic_gpu.vector_load"(%x) : (memref<256xi32>) -> vector<256xi32>
      %three = arith.constant 3 : i32
      %r = "mosaic_gpu.custom_primitive"(%v, %three) <{in_layouts = [#mosaic_gpu.WGStridedFragLayout<[256], 2>], in_transforms = [], out_layouts = [#mosaic_gpu.WGStridedFragLayout<[256], 2>]}> ({
      ^bb0(%a: vector<256xi32>, %n: i32):
        %regs = builtin.unrealized_conversion_cast %a : vector<256xi32> to vector<2xi32> {layout = #mosaic_gpu.WGStridedFragLayout<[256], 2>, registers_shape = [1]}
        %many = vector.broadcast %n : i32 to vector<2xi32>
        %product = arith.muli %regs, %many : vector<2xi32>
        %odd = vector.extract %product[1] : i32 from vector<2xi32>
        %c100 = arith.constant 100 : i32
        %more = arith.addi %odd, %c100 : i32
        %both = vector.insert %more, %product [1] : i32 into vector<2xi32>
        %whole = builtin.unrealized_conversion_cast %both : vector<2xi32> to vector<256xi32> {layout = #mosaic_gpu.WGStridedFragLayout<[256], 2>, registers_shape = [1]}
        mosaic_gpu.return %whole : vector<256xi32>
      }) : (vector<256xi32>, i32) -> vector<256xi32>
      gpu.barrier
      "mosaic_gpu.vector_store"(%r, %x) <{multimem = false}> : (vector<256xi32>, memref<256xi32>) -> ())"),
                       x);
  ASSERT_EQ(out.size(), 1u);
  testing::expectEqual(out[0], want);
}

TEST(DumpKernel, PrimitivesTakeReferences) {
  Array x = testing::pattern(Dtype::I32, {256}), want = x;
  for (int64_t i = 0; i < 128; ++i)
    want.setInteger(i, static_cast<int64_t>(x.number(i)) + 1);
  auto out = outputsOf(
      launched(R"(      "mosaic_gpu.custom_primitive"(%x) <{in_layouts = [], in_transforms = [], out_layouts = []}> ({
      ^bb0(%m: memref<256xi32>):
        %t = gpu.thread_id x
        %c64 = arith.constant 64 : index
        %c2 = arith.constant 2 : index
        %mine = arith.cmpi ult, %t, %c64 : index
        scf.if %mine {
          %at = arith.muli %t, %c2 : index
          %v = vector.load %m[%at] : memref<256xi32>, vector<2xi32>
          %one = arith.constant dense<1> : vector<2xi32>
          %w = arith.addi %v, %one : vector<2xi32>
          vector.store %w, %m[%at] : memref<256xi32>, vector<2xi32>
        }
        mosaic_gpu.return
      }) : (memref<256xi32>) -> ())"),
      x);
  ASSERT_EQ(out.size(), 1u);
  testing::expectEqual(out[0], want);
}

TEST(DumpKernel, ThreadsPrint) {
  Lowered got = lowered(launched(R"(      %t = gpu.thread_id x
      %n = arith.index_cast %t : index to i32
      %five = arith.constant 5 : i32
      %one = arith.cmpi eq, %n, %five : i32
      scf.if %one {
        gpu.printf "thread %d\0A", %n : i32
      })"),
                        kPtxStage);
  ASSERT_TRUE(got.kernel) << got.problems;
  auto result = makeEmulatorDevice()->run(*got.kernel, {}, {});
  ASSERT_TRUE(result) << render(result.error());
  ASSERT_FALSE(hasErrors(result->diagnostics)) << render(result->diagnostics);
  EXPECT_EQ(result->printed, "thread 5\n");
}

TEST(DumpKernel, ThreadCodeStaysWhatItIs) {
  Lowered got = lowered(
      launched(
          R"(      %b = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> memref<2x!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
      %d = builtin.unrealized_conversion_cast %b : memref<2x!mosaic_gpu.barrier, #gpu.address_space<workgroup>> to !llvm.struct<(ptr<3>, ptr<3>, i64, array<1 x i64>, array<1 x i64>)>
      %p = llvm.extractvalue %d[1] : !llvm.struct<(ptr<3>, ptr<3>, i64, array<1 x i64>, array<1 x i64>)>
      %t = gpu.thread_id x
      %n = arith.index_cast %t : index to i32
      %z = arith.constant 0 : i32
      %one = arith.cmpi eq, %n, %z : i32
      nvvm.mbarrier.init %p, %c7_i32, predicate = %one : !llvm.ptr<3>, i32, i1
      %u = llvm.inline_asm has_side_effects "fence.mbarrier_init.release.cluster;", "" : () -> !llvm.void
      gpu.barrier
      scf.index_switch %t
      case 0 {
        nvvm.mbarrier.try_wait.parity %p, %z, %c7_i32 : !llvm.ptr<3>, i32, i32
        scf.yield
      }
      default {
      })"),
      kPtxStage);
  EXPECT_NE(got.text.find("mbarrier.init.shared"), std::string::npos) << got.problems;
  EXPECT_NE(got.text.find("fence.mbarrier_init.release.cluster;"), std::string::npos);
  EXPECT_NE(got.text.find("mbarrier.try_wait.parity"), std::string::npos);
}

/// JAX writes the fence only for Hopper and later, and a module for Hopper may be compiled for an older GPU.
TEST(DumpKernel, HoppersFenceAndElectionAreReplacedOnOlderTargets) {
  const std::string body =
      R"(      llvm.inline_asm has_side_effects "fence.mbarrier_init.release.cluster;", ""  : () -> ()
      %e = nvvm.elect.sync -> i1
      scf.if %e {
        llvm.inline_asm has_side_effects "nanosleep.u32 1;", "" : () -> ()
      })";
  Lowered hopper = lowered(launched(body), kPtxStage);
  EXPECT_TRUE(hopper.text.contains("fence.mbarrier_init") && hopper.text.contains("elect.sync")) << hopper.problems;
  for (const char *arch : {"sm_80", "sm_86", "sm_89"}) {
    Lowered older = lowered(launched(body), kPtxStage, arch);
    EXPECT_TRUE(older.text.contains("nanosleep") && older.text.contains("laneid")) << older.problems;
    EXPECT_FALSE(older.text.contains("fence.mbarrier_init") || older.text.contains("elect.sync")) << older.text;
  }
}

// inventory: DL lowering_removes_mosaic_gpu_ops, initialize_barrier_op_lowering_rule
TEST(DumpLowering, BarriersAlone) {
  Lowered got = lowered(R"(module attributes {mosaic_gpu.arch_major = 9 : i32, mosaic_gpu.arch_minor = 0 : i32} {
  %0 = llvm.mlir.undef : !llvm.ptr<3>
  "mosaic_gpu.initialize_barrier"(%0) <{arrival_count = 2 : i64, num_barriers = 4 : i32, orders_tensor_core = false}> : (!llvm.ptr<3>) -> ()
})");
  EXPECT_EQ(got.problems, "");
  EXPECT_EQ(got.text.find("\"mosaic_gpu."), std::string::npos);
  EXPECT_EQ(countOf(got.text, "mbarrier.init"), 4u);
}

// inventory: DL lowering_traverses_regions_correctly
TEST(DumpLowering, InsideOfRegions) {
  Lowered got = lowered(R"(module {
  %t = arith.constant true
  %0 = llvm.mlir.undef : !llvm.ptr<3>
  scf.if %t {
    "mosaic_gpu.initialize_barrier"(%0) <{arrival_count = 1 : i64, num_barriers = 2 : i32, orders_tensor_core = false}> : (!llvm.ptr<3>) -> ()
  }
})");
  EXPECT_EQ(countOf(got.text, "mbarrier.init"), 2u) << got.problems;
}

// inventory: DL lowering_slice_smem_op, lowering_vector_load_and_store_ops, lowering_eliminates_layouts
TEST(DumpLowering, LoadsAndStores) {
  Lowered got = lowered(text(R"(module {
  %s = "mosaic_gpu.slice_smem"() <{offset = 1024 : i32}> : () -> memref<8x128xf32, )",
                             kSmem, R"(>
  %v = "mosaic_gpu.vector_load"(%s) {in_transforms = [[]], out_layouts = [#mosaic_gpu.WGStridedFragLayout<[8, 128], 4>]} : (memref<8x128xf32, )",
                             kSmem, R"(>) -> vector<8x128xf32>
  "mosaic_gpu.vector_store"(%v, %s) {in_transforms = [[]], in_layouts = [#mosaic_gpu.WGStridedFragLayout<[8, 128], 4>]} : (vector<8x128xf32>, memref<8x128xf32, )",
                             kSmem, ">) -> ()\n}"));
  EXPECT_EQ(got.problems, "");
  EXPECT_NE(got.text.find("llvm.load"), std::string::npos);
  EXPECT_NE(got.text.find("llvm.store"), std::string::npos);
  EXPECT_EQ(got.text.find("WGStridedFragLayout"), std::string::npos);
}

// inventory: DL lowering_splat_constant, lowering_for
TEST(DumpLowering, LoopsAndConstants) {
  Lowered got = lowered(R"(module {
  %lower = arith.constant 0 : i32
  %upper = arith.constant 4 : i32
  %step = arith.constant 1 : i32
  %c = arith.constant dense<1.0> : vector<4x128xf32>
  %r = scf.for %i = %lower to %upper step %step iter_args(%a = %c) -> (vector<4x128xf32>) : i32 {
    %n = arith.addf %a, %c : vector<4x128xf32>
    scf.yield %n : vector<4x128xf32>
  }
  "mosaic_gpu.debug_print"(%r) <{format = "{}"}> : (vector<4x128xf32>) -> ()
})");
  EXPECT_EQ(got.problems, "");
  EXPECT_NE(got.text.find("llvm.cond_br"), std::string::npos);
  EXPECT_NE(got.text.find("llvm.fadd"), std::string::npos);
}

// inventory: DL lower_conversion_op_lowers_to_same_op
TEST(DumpLowering, Conversions) {
  struct Case {
    const char *op, *from, *to;
  };
  for (const Case &one : std::initializer_list<Case>{{"extf", "bf16", "f32"},
                                                     {"extsi", "i16", "i32"},
                                                     {"extui", "i16", "i32"},
                                                     {"fptosi", "f32", "i32"},
                                                     {"fptoui", "f32", "i32"},
                                                     {"sitofp", "i16", "f32"},
                                                     {"truncf", "f32", "f16"},
                                                     {"trunci", "i32", "i16"},
                                                     {"uitofp", "i32", "f32"}}) {
    Lowered got = lowered(text(
        "module {\n  %s = \"mosaic_gpu.slice_smem\"() <{offset = 0 : i32}> : () -> memref<4x32x", one.from, ", ", kSmem,
        ">\n  %v = \"mosaic_gpu.vector_load\"(%s) : (memref<4x32x", one.from, ", ", kSmem, ">) -> vector<4x32x",
        one.from, ">\n  %w = arith.", one.op, " %v : vector<4x32x", one.from, "> to vector<4x32x", one.to,
        ">\n  \"mosaic_gpu.debug_print\"(%w) <{format = \"{}\"}> : (vector<4x32x", one.to, ">) -> ()\n}"));
    EXPECT_EQ(got.problems, "") << one.op;
    EXPECT_FALSE(got.text.empty()) << one.op;
  }
}

// inventory: DL custom_primitive_op_must_have_number_of_annotations_matching_operands_and_results
TEST(DumpLowering, AnnotationsOfPrimitives) {
  auto problem = [&](std::string_view in, std::string_view transforms, std::string_view out) {
    return lowered(text(R"(func.func @f(%v: vector<64x8xbf16>, %m: memref<64x8xbf16, )", kSmem, R"(>) {
  %0 = "mosaic_gpu.custom_primitive"(%v, %m) <{in_layouts = [)",
                        in, "], in_transforms = [", transforms, "], out_layouts = [", out, R"(]}> ({
  ^bb0(%a: vector<64x8xbf16>, %b: memref<64x8xbf16, )",
                        kSmem, R"(>):
    mosaic_gpu.return %a : vector<64x8xbf16>
  }) : (vector<64x8xbf16>, memref<64x8xbf16, )",
                        kSmem, R"(>) -> vector<64x8xbf16>
  return
})"))
        .problems;
  };
  EXPECT_NE(problem("", "[]", kWgmma).find("has 0 layouts for 1 arrays"), std::string::npos);
  EXPECT_NE(problem(kWgmma, "", kWgmma).find("has 0 transforms for 1 references"), std::string::npos);
  EXPECT_NE(problem(kWgmma, "[]", "").find("has 0 layouts for 1 results"), std::string::npos);
}

/// The errors for a view of a reference of `type`, with transforms stated before and after the view.
std::string saidOfView(std::string_view type, std::string_view view, std::string_view in, std::string_view out,
                       std::string_view result) {
  return lowered(text("module {\n  %0 = \"mosaic_gpu.slice_smem\"() <{offset = 0 : i32}> {out_transforms = [[", in,
                      "]]} : () -> ", type, "\n  %1 = ", view, " {in_transforms = [[", in, "]], out_transforms = [[",
                      out, "]]} : ", type, result, "\n}"))
      .problems;
}

std::string saidOfTranspose(std::string_view in, std::string_view out, std::string_view order = "(d0, d2, d1)") {
  std::string_view types = order == "(d0, d2, d1)"
                               ? " to memref<4x64x32xbf16, strided<[2048, 1, 64]>, #gpu.address_space<workgroup>>"
                               : " to memref<64x32x4xbf16, strided<[1, 64, 2048]>, #gpu.address_space<workgroup>>";
  return saidOfView("memref<4x32x64xbf16, #gpu.address_space<workgroup>>",
                    text("memref.transpose %0 (d0, d1, d2) -> ", order), in, out, types);
}

// inventory: DL memref_transforms_with_transpose, lowering_memref_transpose_nd
// inventory: DL lowering_memref_transpose_nd_bad_inout_tiling
// inventory: DL lowering_memref_transpose_nd_size_mismatch_transforms_raises
// inventory: DL lowering_memref_transposed_tiled_and_untiled_tims_raises
TEST(DumpLowering, TransposedReferencesHaveTransposedTiles) {
  EXPECT_EQ(saidOfTranspose("#mosaic_gpu.tile<[16, 32]>", "#mosaic_gpu.tile<[32, 16]>"), "");
  EXPECT_NE(saidOfTranspose("#mosaic_gpu.tile<[16, 32]>", "#mosaic_gpu.tile<[16, 32]>")
                .find("transposed: `[TileTransform(tiling=(32, 16))]`"),
            std::string::npos);
  EXPECT_NE(saidOfTranspose("#mosaic_gpu.tile<[16, 32]>", "#mosaic_gpu.tile<[32, 16]>, #mosaic_gpu.tile<[16, 32]>")
                .find("an entry that is no tile and swizzle"),
            std::string::npos);
  EXPECT_NE(saidOfTranspose("#mosaic_gpu.tile<[16, 32]>", "#mosaic_gpu.tile<[32, 16]>", "(d2, d1, d0)")
                .find("cannot have the transforms"),
            std::string::npos);
}

std::string saidOfCollapse(std::string_view in, std::string_view out) {
  return saidOfView("memref<128x128xbf16, #gpu.address_space<workgroup>>", "memref.collapse_shape %0 [[0, 1]]", in, out,
                    " into memref<16384xbf16, #gpu.address_space<workgroup>>");
}

// inventory: DL lowering_memref_collapse_shape_with_incompatible_transforms_raises
// inventory: DL lowering_memref_collapse_shape_tiles_reassociation_correctly
TEST(DumpLowering, CollapsedReferencesHaveCollapsedTiles) {
  EXPECT_EQ(saidOfCollapse("#mosaic_gpu.tile<[1, 16]>", "#mosaic_gpu.tile<[16]>"), "");
  EXPECT_NE(saidOfCollapse("#mosaic_gpu.tile<[16, 32]>", "#mosaic_gpu.tile<[32]>")
                .find("joined, which `[TileTransform(tiling=(16, 32))]` cannot be"),
            std::string::npos);
  EXPECT_NE(saidOfCollapse("#mosaic_gpu.tile<[1, 16]>", "#mosaic_gpu.tile<[8]>")
                .find("joined: `[TileTransform(tiling=(16,))]`"),
            std::string::npos);
  EXPECT_NE(saidOfCollapse("#mosaic_gpu.tile<[1, 16]>", "#mosaic_gpu.tile<[1, 16]>").find("cannot have the transforms"),
            std::string::npos);
  EXPECT_NE(saidOfCollapse("#mosaic_gpu.swizzle<16 : i32>", "#mosaic_gpu.tile<[16]>")
                .find("its result is `[TileTransform(tiling=(16,))]`"),
            std::string::npos);
  EXPECT_NE(saidOfCollapse("#mosaic_gpu.swizzle<16 : i32>", "#mosaic_gpu.swizzle<32 : i32>")
                .find("its result is `[SwizzleTransform(swizzle=32)]`"),
            std::string::npos);
}

// inventory: DL inconsistent_collective_attributes_in_kernel_raise
TEST(DumpLowering, OneBlockOrAPair) {
  std::string problems =
      lowered(R"(module attributes {mosaic_gpu.arch_major = 10 : i32, mosaic_gpu.arch_minor = 0 : i32} {
  %p = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> memref<i32, #gpu.address_space<workgroup>>
  %t = mosaic_gpu.tmem_alloc smem_ptr(%p : memref<i32, #gpu.address_space<workgroup>>) {collective = true} -> memref<128x32xf32, #mosaic_gpu.tmem>
  "mosaic_gpu.tmem_relinquish_alloc_permit"() <{collective = false}> : () -> ()
})")
          .problems;
  EXPECT_NE(problems.find("is of one block, but"), std::string::npos) << problems;
  EXPECT_NE(problems.find("this one is of a pair of blocks"), std::string::npos) << problems;
}

// inventory: DL lowering_load_and_store_with_only_swizzle_lowers
TEST(DumpLowering, SwizzlesAloneGoByTheAddress) {
  auto problems = [](int columns) {
    std::string type = text("memref<64x", columns, "xbf16, ", kSmem, ">");
    return lowered(text("module {\n  %0 = \"mosaic_gpu.slice_smem\"() <{offset = 0 : i32}> {out_transforms = "
                        "[[#mosaic_gpu.swizzle<128 : i32>]]} : () -> ",
                        type,
                        "\n  %1 = \"mosaic_gpu.vector_load\"(%0) {in_transforms = [[#mosaic_gpu.swizzle<128 : "
                        "i32>]], out_layouts = [",
                        kWgmma, "]} : (", type, ") -> vector<64x", columns, "xbf16>\n}"))
        .problems;
  };
  EXPECT_EQ(problems(64), "");
  EXPECT_EQ(problems(128), "");
}

// inventory: DL transformed_strided_load_raises
TEST(DumpLowering, StridedArraysAndTransformsDoNotMeet) {
  auto problems = [](std::string_view transforms, bool store) {
    std::string type = text("memref<64x64xbf16, ", kSmem, ">"), layout = "#mosaic_gpu.WGStridedFragLayout<[64, 64], 4>";
    return lowered(text("module {\n  %0 = \"mosaic_gpu.slice_smem\"() <{offset = 0 : i32}> : () -> ", type,
                        "\n  %1 = \"mosaic_gpu.vector_load\"(%0) {in_transforms = [[", store ? "" : transforms,
                        "]], out_layouts = [", layout, "]} : (", type, ") -> vector<64x64xbf16>\n",
                        "  \"mosaic_gpu.vector_store\"(%1, %0) <{multimem = false}> {in_layouts = [", layout,
                        "], in_transforms = [[", store ? transforms : "", "]]} : (vector<64x64xbf16>, ", type,
                        ") -> ()\n}"))
        .problems;
  };
  EXPECT_EQ(problems("", false), "");
  for (bool store : {false, true})
    for (const char *transforms : {"#mosaic_gpu.tile<[8, 64]>, #mosaic_gpu.swizzle<128 : i32>",
                                   "#mosaic_gpu.tile<[8, 64]>", "#mosaic_gpu.swizzle<64 : i32>"})
      EXPECT_NE(problems(transforms, store).find("error: "), std::string::npos) << transforms;
}

} // namespace
} // namespace lanescope::core
