// Tensor memory and tcgen05 from the builder to PTX, which ptxas assembles.
#include "tests/unit/compiler/KernelText.h"
#include "tests/unit/compiler/TensorSupport.h"

#include "layouts/Catalogue.h"
#include "layouts/support/Text.h"

#include <gtest/gtest.h>

namespace lanescope::core::testing {
namespace {

using layouts::Dtype;

int count(const std::string &text, std::string_view part) {
  int found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size()))
    ++found;
  return found;
}

std::string ptxOf(const Product &product) {
  auto kernel = compiled(product);
  EXPECT_TRUE(kernel) << (kernel ? "" : render(kernel.error()));
  return kernel ? kernel->ptx : "";
}

TEST(Tcgen05, OneInstructionForEach16OfK) {
  std::string ptx = ptxOf({.n = 64, .k = 128});
  EXPECT_EQ(count(ptx, "tcgen05.mma.cta_group::1.kind::f16 "), 8);
  EXPECT_EQ(count(ptx, "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32"), 1);
  EXPECT_EQ(count(ptx, "tcgen05.relinquish_alloc_permit.cta_group::1"), 1);
  EXPECT_EQ(count(ptx, "tcgen05.dealloc.cta_group::1"), 1);
  EXPECT_EQ(count(ptx, "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64"), 1);
  EXPECT_EQ(count(ptx, "tcgen05.ld.sync.aligned.16x256b.x8.b32"), 2);
  EXPECT_GE(count(ptx, "tcgen05.wait::ld.sync.aligned"), 1);
}

TEST(Tcgen05, DenseProductsOfAllTypes) {
  for (auto [dtype, sum, k] : {std::tuple(Dtype::F16, Dtype::F16, 64),
                               {Dtype::F16, Dtype::F32, 64},
                               {Dtype::BF16, Dtype::F32, 64},
                               {Dtype::F32, Dtype::F32, 32},
                               {Dtype::F8E4M3FN, Dtype::F32, 128},
                               {Dtype::F8E5M2, Dtype::F16, 128},
                               {Dtype::I8, Dtype::I32, 128},
                               {Dtype::U8, Dtype::I32, 128}})
    for (bool transposeA : {false, true})
      for (bool transposeB : {false, true}) {
        if (dtype == Dtype::F32 && (transposeA || !transposeB))
          continue; // no swizzle supports these
        SCOPED_TRACE(layouts::name(dtype));
        Product product{
            .dtype = dtype, .sum = sum, .n = 128, .k = 128, .transposeA = transposeA, .transposeB = transposeB};
        EXPECT_EQ(count(ptxOf(product), "tcgen05.mma."), 128 / k * 4);
      }
  EXPECT_EQ(count(ptxOf({.dtype = Dtype::F8E4M3FN, .other = Dtype::F8E5M2, .k = 128}), "kind::f8f6f4"), 4);
}

TEST(Tcgen05, SwizzlesSizesAndGroupsOfColumns) {
  for (int64_t n : {8, 16, 48, 96, 128, 200, 256})
    EXPECT_EQ(count(ptxOf({.n = n, .swizzleA = 64, .swizzleB = 32}), "tcgen05.mma."), 4) << n;
  EXPECT_EQ(count(ptxOf({.n = 512, .swizzleB = 64}), "tcgen05.mma."), 8);
  // With 64 rows, each half of the columns has its own lanes.
  for (int64_t n : {32, 64, 256}) {
    Product product{.m = 64, .n = n, .swizzleB = 32};
    EXPECT_EQ(count(ptxOf(product), "tcgen05.mma."), 8) << n;
  }
}

TEST(Tcgen05, TheLeftOperandInTensorMemoryAndWhatWasThere) {
  for (Dtype dtype : {Dtype::F16, Dtype::BF16}) {
    std::string ptx = ptxOf({.dtype = dtype, .leftInTensor = true});
    EXPECT_EQ(count(ptx, ".kind::f16 [d], [a], db"), 4) << ptx;
    EXPECT_EQ(count(ptx, "tcgen05.st.sync.aligned.16x128b"), 2);
    EXPECT_EQ(count(ptx, "tcgen05.wait::st.sync.aligned"), 1);
  }
  EXPECT_EQ(count(ptxOf({.accumulate = true}), "tcgen05.st.sync.aligned.16x256b"), 2);
  EXPECT_EQ(count(ptxOf({.computedAccumulate = true}), "tcgen05.mma."), 4);
}

TEST(Tcgen05, PairsOfBlocks) {
  for (int64_t m : {64, 128}) {
    std::string ptx = ptxOf({.m = m, .n = 64, .collective = true});
    EXPECT_EQ(count(ptx, "tcgen05.mma.cta_group::2.kind::f16 "), 4);
    EXPECT_EQ(count(ptx, "tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64"),
              1);
    EXPECT_EQ(count(ptx, "tcgen05.alloc.cta_group::2"), 1);
    EXPECT_EQ(count(ptx, "tcgen05.dealloc.cta_group::2"), 1);
    EXPECT_EQ(count(ptx, "cta_group::1"), 0);
  }
}

TEST(Tcgen05, BlockScales) {
  Product f8{.dtype = Dtype::F8E4M3FN, .n = 128, .k = 256, .scale = Dtype::F8E8M0FNU};
  std::string ptx = ptxOf(f8);
  EXPECT_EQ(count(ptx, "tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale.scale_vec::1X"), 8);
  EXPECT_EQ(count(ptx, "tcgen05.cp.cta_group::1.32x128b.warpx4"), 4);
  for (auto [scale, block, kind] :
       {std::tuple(Dtype::F8E8M0FNU, 32, "2X"), {Dtype::F8E4M3FN, 16, "4X"}, {Dtype::F8E8M0FNU, 16, "4X"}}) {
    Product f4{.dtype = Dtype::F4E2M1FN, .n = 128, .k = 256, .scale = scale, .block = block};
    EXPECT_EQ(count(ptxOf(f4), text("kind::mxf4nvf4.block_scale.scale_vec::", kind)), 4);
  }
  f8.n = 256;
  EXPECT_EQ(count(ptxOf(f8), "tcgen05.cp.cta_group::1.32x128b.warpx4"), 6);
  for (int64_t m : {64, 128})
    EXPECT_NE(ptxOf({.dtype = Dtype::F8E4M3FN,
                     .m = m,
                     .n = 96,
                     .k = 128,
                     .swizzleB = 32,
                     .transposeB = true,
                     .scale = Dtype::F8E8M0FNU,
                     .collective = true})
                  .find("cta_group::2.kind::mxf8f6f4"),
              std::string::npos);
}

TEST(Tcgen05, Sparsity) {
  for (auto [dtype, sum, k] :
       {std::tuple(Dtype::F16, Dtype::F32, 32), {Dtype::F8E5M2, Dtype::F32, 64}, {Dtype::I8, Dtype::I32, 64}}) {
    std::string ptx = ptxOf({.dtype = dtype, .sum = sum, .n = 64, .k = 256, .sparse = true});
    EXPECT_EQ(count(ptx, "tcgen05.mma.sp.cta_group::1"), 256 / k);
    EXPECT_EQ(count(ptx, "tcgen05.cp.cta_group::1.128x128b"), 2);
  }
  std::string both =
      ptxOf({.dtype = Dtype::F8E4M3FN, .n = 128, .k = 256, .scale = Dtype::F8E8M0FNU, .block = 64, .sparse = true});
  EXPECT_EQ(count(both, "tcgen05.mma.sp.cta_group::1.kind::mxf8f6f4.block_scale.scale_vec::1X"), 4);
}

TEST(Tcgen05, ProductsAreRight) {
  const Product products[] = {
      {},
      {.dtype = Dtype::BF16, .n = 96, .k = 128, .swizzleB = 32},
      {.sum = Dtype::F16, .n = 256, .transposeA = true, .transposeB = false},
      {.n = 512, .swizzleB = 64, .transposeB = false},
      {.dtype = Dtype::F32, .n = 64, .k = 64, .swizzleA = 64},
      {.dtype = Dtype::F8E4M3FN, .other = Dtype::F8E5M2, .k = 128, .transposeA = true},
      {.dtype = Dtype::I8, .sum = Dtype::I32, .k = 128, .swizzleB = 64, .transposeB = false},
      {.dtype = Dtype::U8, .other = Dtype::I8, .sum = Dtype::I32, .k = 128},
      {.m = 64, .n = 64, .swizzleB = 32},
      {.m = 64, .n = 128, .k = 128, .transposeA = true, .transposeB = false},
      {.leftInTensor = true},
      {.dtype = Dtype::BF16, .k = 128, .accumulate = true},
      {.computedAccumulate = true},
      {.n = 64, .collective = true},
      {.m = 64, .n = 64, .k = 128, .transposeB = false, .collective = true},
      {.dtype = Dtype::F8E4M3FN, .n = 128, .k = 256, .scale = Dtype::F8E8M0FNU},
      {.dtype = Dtype::F8E5M2, .n = 256, .k = 128, .transposeB = false, .scale = Dtype::F8E8M0FNU},
      {.dtype = Dtype::F4E2M1FN, .n = 128, .k = 256, .scale = Dtype::F8E4M3FN, .block = 16},
      {.dtype = Dtype::F4E2M1FN, .n = 64, .k = 256, .scale = Dtype::F8E8M0FNU, .block = 32},
      {.dtype = Dtype::F8E4M3FN, .n = 64, .k = 128, .scale = Dtype::F8E8M0FNU, .collective = true},
      {.dtype = Dtype::F8E4M3FN, .m = 64, .n = 96, .k = 128, .scale = Dtype::F8E8M0FNU, .collective = true},
      {.n = 64, .k = 128, .sparse = true},
      {.dtype = Dtype::F8E4M3FN, .n = 64, .k = 256, .sparse = true},
      {.dtype = Dtype::I8, .sum = Dtype::I32, .n = 64, .k = 256, .sparse = true},
      {.dtype = Dtype::F8E4M3FN, .n = 64, .k = 256, .scale = Dtype::F8E8M0FNU, .block = 64, .sparse = true},
  };
  for (const Product &product : products) {
    SCOPED_TRACE(text("number ", &product - products));
    expectProduct(product);
  }
}

TEST(Tcgen05, RefusalsSayWhatThereIs) {
  auto expect = [](const Product &product, std::string_view part) {
    std::string message = refusal(product);
    EXPECT_NE(message.find(part), std::string::npos) << part << "\n" << message;
  };
  expect({.m = 64, .n = 64, .swizzleB = 128, .transposeB = false}, "choose a narrower swizzle");
  expect({.dtype = Dtype::F32, .sum = Dtype::F16, .k = 64}, "does not sum");
  expect({.dtype = Dtype::F32, .k = 64, .swizzleA = 64, .transposeA = true}, "has its rows along M");
  expect({.dtype = Dtype::F8E4M3FN, .m = 64, .k = 128, .scale = Dtype::F8E8M0FNU},
         "has 128 rows, or 64 in each of two blocks");
  expect({.m = 64, .k = 128, .sparse = true}, "a sparse product has 128 rows");
}

TEST(TensorMemory, ColumnsThatDoNotSufficeNameTheBuffers) {
  KernelFrame frame;
  frame.name = "k";
  frame.target = findGpuTarget("sm_100a");
  auto plain = *layouts::catalogue::tmemDefault();
  frame.tensorBuffers = {{"a", Dtype::F32, {128, 256}, {plain}, {}}, {"b", Dtype::F32, {2, 128, 160}, {plain}, {}}};
  EXPECT_EQ(GpuBuilder::tensorColumns(frame), 256 + 320);
  auto refused = GpuBuilder::make(compiler().context(), frame);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().front().kind, "tensor-memory");
  ASSERT_EQ(refused.error().front().notes.size(), 2u);
  EXPECT_EQ(refused.error().front().notes[1].message, "`b` takes 320 columns");
  // The members of a union overlap.
  frame.tensorBuffers[0].overlay = frame.tensorBuffers[1].overlay = 1;
  frame.tensorBuffers[1].member = 1;
  EXPECT_EQ(GpuBuilder::tensorColumns(frame), 320);
}

/// out = x through tensor memory with layout `place` and registers with layout `registers`.
Result<CompiledKernel> roundTrip(Dtype dtype, layouts::Shape shape, const layouts::TMEMLayout &place,
                                 const layouts::TiledLayout &registers, bool collective = false) {
  KernelFrame frame;
  frame.name = "k";
  frame.target = findGpuTarget("sm_100a");
  if (collective)
    frame.grid = frame.cluster = {2, 1, 1};
  frame.arguments = {{"x", ArgumentKind::In, dtype, shape, {}}, {"out", ArgumentKind::Out, dtype, shape, {}}};
  frame.tensorBuffers = {{"t", dtype, shape, {place, collective}, {}}};
  auto builder = GpuBuilder::make(compiler().context(), frame);
  if (!builder)
    return std::unexpected(std::move(builder.error()));
  GpuBuilder &b = **builder;
  b.asyncStoreTmem(b.layoutCast(b.load(b.argument(0), std::nullopt), registers), b.tensorBuffer(0));
  b.commitTmem();
  b.store(b.layoutCast(b.asyncLoadTmem(b.tensorBuffer(0)), registers), b.argument(1), std::nullopt);
  auto module = b.finish();
  if (!module)
    return std::unexpected(std::move(module.error()));
  return compiled(*std::move(module));
}

TEST(TensorMemory, LoadsAndStoresOfEveryLayout) {
  namespace c = layouts::catalogue;
  struct Case {
    Dtype dtype;
    layouts::Shape shape;
    layouts::TMEMLayout place;
    layouts::TiledLayout registers;
    std::string_view instruction;
    bool collective = false;
  };
  const Case cases[] = {
      {Dtype::F32, {128, 96}, *c::tmemDefault(), c::tcgen05(), "16x256b.x8.b32"},
      {Dtype::F16, {128, 96}, *c::tmemDefault(), c::tcgen05(), "16x128b.x8.pack::16b.b32"},
      {Dtype::BF16, {128, 8}, *c::tmemDefault(2), c::tcgen05(), "16x128b.x1.b32"},
      {Dtype::F32, {128, 40}, *c::tmemDefault(), *c::tmemNative(2), "32x32b.x32.b32"},
      {Dtype::F16, {128, 40}, *c::tmemDefault(), *c::tmemNative(2), "32x32b.x16.pack::16b.b32"},
      {Dtype::F32, {128, 1}, *c::tmemDefault(), c::tmemDefault()->tiled(), "32x32b.x1.b32"},
      {Dtype::I8, {128, 64}, *c::tmemDefault(4), c::tmemDefault(4)->tiled(), "32x32b.x16.b32"},
      {Dtype::F8E4M3FN, {128, 4}, c::scales(), c::scales().tiled(), "32x32b.x4.b32"},
      {Dtype::F32, {64, 32}, *c::tmemHalfLane(32), c::wgmma(), "16x256b.x2.b32"},
      {Dtype::BF16, {64, 32}, *c::tmemHalfLane(32, 2), c::wgmma(), "16x128b.x2.b32"},
      {Dtype::F32, {64, 32}, *c::tmemM64Collective(32), *c::faM64Collective(32), "16x256b.x2.b32", true},
      {Dtype::F32, {64, 32}, *c::tmemM64Collective(32), c::tmemM64Collective(32)->tiled(), "32x32b.x16.b32", true},
  };
  for (const Case &each : cases) {
    SCOPED_TRACE(each.instruction);
    auto kernel = roundTrip(each.dtype, each.shape, each.place, each.registers, each.collective);
    ASSERT_TRUE(kernel) << render(kernel.error());
    EXPECT_NE(kernel->ptx.find(text("tcgen05.ld.sync.aligned.", each.instruction)), std::string::npos) << kernel->ptx;
    Array x = pattern(each.dtype, each.shape);
    if (each.collective)
      continue; // two blocks would write the same
    std::vector<Array> outputs = ran(*kernel, {x, Array::zeros(each.dtype, each.shape)});
    ASSERT_FALSE(outputs.empty());
    expectEqual(outputs.front(), x);
  }
}

TEST(TensorMemory, SlicesBatchesAndUnions) {
  KernelFrame frame;
  frame.name = "k";
  frame.target = findGpuTarget("sm_100a");
  frame.arguments = {{"out", ArgumentKind::Out, Dtype::F32, {128, 16}, {}}};
  auto plain = *layouts::catalogue::tmemDefault();
  frame.tensorBuffers = {{"t", Dtype::F32, {3, 128, 64}, {plain}, {}}};
  auto builder = *GpuBuilder::make(compiler().context(), frame);
  IrValue one = builder->programId(0);
  IrValue start = builder->binary(BinaryKind::Multiply, one, builder->constant(Dtype::I32, {}, int64_t{16}));
  IrRef part = builder->slice(builder->tensorBuffer(0), {{int64_t{2}, 1, false}, {int64_t{0}, 128}, {start, 16}});
  EXPECT_EQ(part.shape, (layouts::Shape{128, 16}));
  IrRef other = builder->slice(builder->tensorBuffer(0), {{one, 1, false}, {int64_t{0}, 128}, {int64_t{8}, 16}});
  builder->asyncStoreTmem(builder->constant(Dtype::F32, {128, 16}, 1.0), other);
  IrRef same = builder->slice(builder->tensorBuffer(0), {{int64_t{2}, 1, false}, {int64_t{0}, 128}, {int64_t{0}, 32}});
  builder->asyncStoreTmem(builder->iota(Dtype::F32, {128, 32}, 1), same);
  builder->commitTmem();
  builder->store(builder->asyncLoadTmem(part), builder->argument(0), std::nullopt);
  auto module = builder->finish();
  ASSERT_TRUE(module) << render(module.error());
  auto kernel = compiled(*std::move(module));
  ASSERT_TRUE(kernel) << render(kernel.error());
  EXPECT_NE(kernel->ptx.find("256;"), std::string::npos) << "192 columns are rounded up";
  std::vector<Array> outputs = ran(*kernel, {Array::zeros(Dtype::F32, {128, 16})});
  ASSERT_FALSE(outputs.empty());
  EXPECT_EQ(outputs.front().number(16 * 5 + 7), 7);
}

/// Only sm_103a has loads that reduce rows; its tensor core multiplies no integers.
TEST(TensorMemory, LoadsThatReduceRows) {
  auto moduleFor = [](std::string_view arch, Dtype dtype, RowReduction reduction) {
    KernelFrame frame;
    frame.name = "k";
    frame.target = findGpuTarget(arch);
    frame.arguments = {{"x", ArgumentKind::In, dtype, {128, 44}, {}}, {"out", ArgumentKind::Out, dtype, {128}, {}}};
    frame.tensorBuffers = {{"t", dtype, {128, 44}, {*layouts::catalogue::tmemDefault()}, {}}};
    auto builder = *GpuBuilder::make(compiler().context(), frame);
    IrValue x =
        builder->layoutCast(builder->load(builder->argument(0), std::nullopt), *layouts::catalogue::tmemNative(2));
    builder->asyncStoreTmem(x, builder->tensorBuffer(0));
    builder->commitTmem();
    builder->store(builder->asyncLoadTmem(builder->tensorBuffer(0), reduction).second, builder->argument(1),
                   std::nullopt);
    return builder->finish();
  };
  for (Dtype dtype : {Dtype::F32, Dtype::I32})
    for (RowReduction reduction :
         {RowReduction::Minimum, RowReduction::Maximum, RowReduction::AbsMinimum, RowReduction::AbsMaximum}) {
      SCOPED_TRACE(static_cast<int>(reduction));
      auto module = moduleFor("sm_103a", dtype, reduction);
      ASSERT_TRUE(module) << render(module.error());
      auto kernel = compiled(*std::move(module), "sm_103a");
      ASSERT_TRUE(kernel) << render(kernel.error());
      EXPECT_EQ(count(kernel->ptx, "tcgen05.ld.red.sync.aligned.32x32b"), 3) << "32, 8 and 4 columns";
      Array x = pattern(dtype, {128, 44}), out = Array::zeros(dtype, {128});
      std::vector<Array> outputs = ran(*kernel, {x, out});
      ASSERT_FALSE(outputs.empty());
      bool least = reduction == RowReduction::Minimum || reduction == RowReduction::AbsMinimum;
      bool absolute = reduction == RowReduction::AbsMinimum || reduction == RowReduction::AbsMaximum;
      for (int64_t row = 0; row < 128; ++row) {
        double want = least ? 1e30 : -1e30;
        for (int64_t column = 0; column < 44; ++column) {
          double value = x.number(row * 44 + column);
          if (absolute) // integers are compared as unsigned
            value = dtype == Dtype::F32 ? std::abs(value)
                                        : static_cast<double>(static_cast<uint32_t>(static_cast<int32_t>(value)));
          want = least ? std::min(want, value) : std::max(want, value);
        }
        if (dtype == Dtype::I32)
          want = static_cast<double>(static_cast<int32_t>(static_cast<int64_t>(want)));
        ASSERT_EQ(outputs.front().number(row), want) << row;
      }
    }
  auto module = moduleFor("sm_100a", Dtype::F32, RowReduction::Minimum);
  ASSERT_TRUE(module);
  auto refused = compiled(*std::move(module));
  ASSERT_FALSE(refused);
  EXPECT_NE(render(refused.error()).find("is an instruction of sm_103a, not of sm_100a"), std::string::npos);
  auto integers = moduleOf({.dtype = Dtype::I8, .sum = Dtype::I32, .k = 128});
  ASSERT_TRUE(integers);
  auto none = compiled(*std::move(integers), "sm_103a");
  ASSERT_FALSE(none);
  EXPECT_NE(render(none.error()).find("`tcgen05_mma` of 8-bit integers is an instruction of sm_100a"),
            std::string::npos);
}

/// Each row of a warp's lanes moves to the place of the previous row.
TEST(Tcgen05, ShiftsRows) {
  KernelFrame frame;
  frame.name = "k";
  frame.target = findGpuTarget("sm_100a");
  frame.arguments = {{"out", ArgumentKind::Out, Dtype::I32, {128, 8}, {}}};
  frame.tensorBuffers = {{"t", Dtype::I32, {128, 8}, {*layouts::catalogue::tmemDefault()}, {}}};
  frame.barriers = {{.name = "done", .span = {}, .ordersTensorCore = true}};
  auto builder = *GpuBuilder::make(compiler().context(), frame);
  builder->asyncStoreTmem(builder->iota(Dtype::I32, {128, 8}, 0), builder->tensorBuffer(0));
  builder->commitTmem();
  builder->tcgen05Shift(builder->tensorBuffer(0), std::nullopt);
  builder->tcgen05CommitArrive({0, int64_t{0}}, std::nullopt);
  builder->wait({0, int64_t{0}});
  builder->store(builder->asyncLoadTmem(builder->tensorBuffer(0)), builder->argument(0), std::nullopt);
  auto module = builder->finish();
  ASSERT_TRUE(module) << render(module.error());
  auto kernel = compiled(*std::move(module));
  ASSERT_TRUE(kernel) << render(kernel.error());
  std::vector<Array> outputs = ran(*kernel, {Array::zeros(Dtype::I32, {128, 8})});
  ASSERT_FALSE(outputs.empty());
  for (int64_t row = 0; row < 31; ++row)
    ASSERT_EQ(outputs.front().integer(row * 8 + 3), row + 1);
}

TEST(ClusterLaunch, TryAndQuery) {
  KernelFrame frame;
  frame.name = "k";
  frame.target = findGpuTarget("sm_100a");
  frame.grid = {8, 1, 1};
  frame.cluster = {2, 1, 1};
  frame.arguments = {{"out", ArgumentKind::Out, Dtype::I32, {4}, {}}};
  frame.buffers = {{"answer", Dtype::I8, {16}, {}, {}}};
  frame.barriers = {{.name = "there", .span = {}}};
  auto builder = *GpuBuilder::make(compiler().context(), frame);
  builder->tryClusterCancel(builder->buffer(0), {0, int64_t{0}});
  builder->wait({0, int64_t{0}});
  auto answer = builder->queryClusterCancel(builder->buffer(0));
  for (int64_t i = 0; i < 3; ++i)
    builder->storeScalar(answer.block[i], builder->argument(0), {i});
  builder->storeScalar(builder->cast(answer.success, Dtype::I32), builder->argument(0), {int64_t{3}});
  auto module = builder->finish();
  ASSERT_TRUE(module) << render(module.error());
  auto kernel = compiled(*std::move(module));
  ASSERT_TRUE(kernel) << render(kernel.error());
  EXPECT_EQ(count(kernel->ptx, "clusterlaunchcontrol.try_cancel.async.shared::cta"), 1);
  EXPECT_EQ(count(kernel->ptx, "clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128"), 1);
}

/// Each block of a pair loads one tile, or each loads the whole tile. The first block's barrier counts all the bytes.
TEST(PairedCopies, ReplicatedOnesFillBothBlocks) {
  KernelFrame frame;
  frame.name = "k";
  frame.target = findGpuTarget("sm_100a");
  frame.grid = frame.cluster = {2, 1, 1};
  frame.arguments = {{"x", ArgumentKind::In, Dtype::F32, {64, 32}, {}},
                     {"out", ArgumentKind::Out, Dtype::F32, {128, 32}, {}}};
  frame.buffers = {{"tile", Dtype::F32, {64, 32}, {}, {}}};
  frame.barriers = {{.name = "loaded", .span = {}}, {.name = "both", .span = {}, .collective = {{{0}}}}};
  auto builder = *GpuBuilder::make(compiler().context(), frame);
  builder->asyncLoad(builder->argument(0), {{int64_t{0}, 64}, {int64_t{0}, 32}}, builder->buffer(0), {0, int64_t{0}},
                     {.collective = {0}, .replicated = true});
  IrValue rank = builder->blockInCluster(0);
  auto isFirst = builder->compare(CompareKind::Equal, rank, builder->constant(Dtype::I32, {}, int64_t{0}));
  auto waited = builder->ifElse(
      isFirst,
      [&]() -> Result<void> {
        builder->wait({0, int64_t{0}});
        return {};
      },
      []() -> Result<void> { return {}; },
      [](bool) -> Result<KernelBuilder::Values> { return KernelBuilder::Values(); });
  ASSERT_TRUE(waited);
  builder->arrive({1, int64_t{0}});
  builder->wait({1, int64_t{0}});
  IrValue start = builder->binary(BinaryKind::Multiply, rank, builder->constant(Dtype::I32, {}, int64_t{64}));
  builder->store(builder->load(builder->buffer(0), std::nullopt),
                 builder->slice(builder->argument(1), {{start, 64}, {int64_t{0}, 32}}), std::nullopt);
  auto module = builder->finish();
  ASSERT_TRUE(module) << render(module.error());
  auto kernel = compiled(*std::move(module));
  ASSERT_TRUE(kernel) << render(kernel.error());
  EXPECT_EQ(count(kernel->ptx, "mbarrier::complete_tx::bytes.multicast::cluster.cta_group::2"), 1);
  Array x = pattern(Dtype::F32, {64, 32});
  std::vector<Array> outputs = ran(*kernel, {x, Array::zeros(Dtype::F32, {128, 32})});
  ASSERT_FALSE(outputs.empty());
  for (int64_t i = 0; i < 128 * 32; ++i)
    ASSERT_EQ(outputs.front().number(i), x.number(i % (64 * 32))) << i;
}

/// Warps of one warpgroup: the first warp multiplies, with barriers that order the tensor core.
TEST(Tcgen05, FromWarpLevelCode) {
  KernelFrame frame;
  frame.name = "k";
  frame.target = findGpuTarget("sm_100a");
  SmemTransforms transforms{.tiling = layouts::Shape{8, 64}, .swizzle = 128};
  frame.arguments = {{"a", ArgumentKind::In, Dtype::F16, {128, 64}, {}},
                     {"b", ArgumentKind::In, Dtype::F16, {64, 64}, {}},
                     {"out", ArgumentKind::Out, Dtype::F32, {128, 64}, {}}};
  frame.buffers = {{"a", Dtype::F16, {128, 64}, transforms, {}}, {"b", Dtype::F16, {64, 64}, transforms, {}}};
  frame.tensorBuffers = {{"sum", Dtype::F32, {128, 64}, {*layouts::catalogue::tmemDefault()}, {}}};
  frame.barriers = {{.name = "loaded", .arrivals = 2, .span = {}},
                    {.name = "free", .arrivals = 1, .span = {}, .ordersTensorCore = true},
                    {.name = "done", .span = {}, .ordersTensorCore = true}};
  auto builder = *GpuBuilder::make(compiler().context(), frame);
  GpuBuilder &b = *builder;
  b.asyncStoreTmem(b.constant(Dtype::F32, {128, 64}, 2.0), b.tensorBuffer(0));
  b.commitTmem();
  b.arrive({1, int64_t{0}});
  auto emitted = b.warps([&]() -> Result<void> {
    auto isFirst = b.compare(CompareKind::Equal, b.warpId(), b.constant(Dtype::I32, {}, int64_t{0}));
    auto done = b.ifElse(
        isFirst,
        [&]() -> Result<void> {
          for (size_t i = 0; i < 2; ++i)
            b.asyncLoad(b.argument(i), {{int64_t{0}, i == 0 ? 128 : 64}, {int64_t{0}, 64}}, b.buffer(i),
                        {0, int64_t{0}}, {});
          b.wait({0, int64_t{0}});
          b.wait({1, int64_t{0}});
          b.tcgen05Mma(b.tensorBuffer(0), b.buffer(0), b.buffer(1), {.barrier = IrBarrier{2, int64_t{0}}});
          return {};
        },
        []() -> Result<void> { return {}; },
        [](bool) -> Result<KernelBuilder::Values> { return KernelBuilder::Values(); });
    if (!done)
      return std::unexpected(std::move(done.error()));
    return {};
  });
  ASSERT_TRUE(emitted);
  b.wait({2, int64_t{0}});
  b.store(b.asyncLoadTmem(b.tensorBuffer(0)), b.argument(2), std::nullopt);
  auto module = b.finish();
  ASSERT_TRUE(module) << render(module.error());
  auto kernel = compiled(*std::move(module));
  ASSERT_TRUE(kernel) << render(kernel.error());
  Array a = Array::zeros(Dtype::F16, {128, 64}), ones = Array::zeros(Dtype::F16, {64, 64});
  for (int64_t i = 0; i < 64 * 64; ++i)
    ones.setNumber(i, 1);
  for (int64_t i = 0; i < 128; ++i)
    a.setNumber(i * 64 + i % 64, static_cast<double>(i % 7));
  std::vector<Array> outputs = ran(*kernel, {a, ones, Array::zeros(Dtype::F32, {128, 64})});
  ASSERT_FALSE(outputs.empty());
  for (int64_t i = 0; i < 128 * 64; ++i)
    ASSERT_EQ(outputs.front().number(i), 2 + static_cast<double>(i / 64 % 7)) << i;
}

} // namespace
} // namespace lanescope::core::testing
