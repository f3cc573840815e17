// Loads, stores and copies in all layouts and swizzles on the emulator, against plain host arrays.
#include "tests/unit/compiler/KernelText.h"

#include "core/gpu/ir/LayoutAttributes.h"
#include "layouts/Catalogue.h"
#include "layouts/support/Text.h"

#include <gtest/gtest.h>

using namespace lanescope;
using namespace lanescope::core;
using namespace lanescope::core::testing;
namespace catalogue = lanescope::layouts::catalogue;

namespace {

Dtype dtypeOf(const std::string &type) { return *layouts::dtypeNamed(type); }

Array doubled(const Array &x) {
  Array y = x;
  for (int64_t i = 0; i < x.size(); ++i)
    y.setNumber(i, 2 * x.number(i));
  return y;
}

Array transposed(const Array &x) {
  Array y = Array::zeros(x.dtype, {x.shape[1], x.shape[0]});
  for (int64_t r = 0; r < x.shape[0]; ++r)
    for (int64_t c = 0; c < x.shape[1]; ++c)
      y.setNumber(c * x.shape[0] + r, x.number(r * x.shape[1] + c));
  return y;
}

std::string castTo(const std::string &result, const std::string &value, const std::string &array,
                   const layouts::RegisterLayout &layout) {
  return text("    %", result, " = mosaic_gpu.layout_cast x(%", value, " : ", array,
              ") {new_layout = ", layouts::mlirText(layout), "}\n");
}

std::string twice(const std::string &result, const std::string &value, const std::string &array,
                  const std::string &type) {
  bool isFloat = type != "i32" && type != "i8" && type != "i16";
  return text("    %two_", result, " = arith.constant dense<", isFloat ? "2.0" : "2", "> : ", array, "\n    %", result,
              " = arith.mul", isFloat ? "f" : "i", " %", value, ", %two_", result, " : ", array, "\n");
}

} // namespace

//===--- TMA in, twice, TMA out ---===//

struct TmaCase {
  std::string type;
  int swizzle; // 0: tiled without a swizzle; -1: not tiled
};

class Tma : public ::testing::TestWithParam<TmaCase> {};

// inventory: DK pointwise_kernel_with_tma, CP tma_load_tiled (one shape), tma_store (one rank)
TEST_P(Tma, DoublesThroughSharedMemory) {
  auto [type, swizzle] = GetParam();
  int64_t bytes = type == "f32" || type == "i32" ? 4 : 2;
  layouts::Shape shape{128, 128}, tile;
  if (swizzle >= 0)
    tile = {8, swizzle ? swizzle / bytes : 64 / bytes};
  int64_t size = 128 * 128 * bytes;
  KernelText k;
  k.argument("x", type, shape, "in").argument("out", type, shape, "out");
  k.smemBytes = size + 8;
  std::string array = arrayType(shape, type), shared = sharedType(shape, type);
  k.body = buffer("tile", 0, shape, type, tile, std::max(0, swizzle)) + barrier(size) +
           asyncLoad("x", shape, "tile", shape, type) + waitParity(0) + load("v", "tile", shared, array) +
           twice("w", "v", array, type) + store("w", "tile", shared, array) + "    lanescope.commit_smem\n" +
           asyncStore("tile", shape, "out", shape, type);
  Array x = pattern(dtypeOf(type), shape);
  RunResult result = runOnEmulator(k.text(), {x, Array::zeros(x.dtype, shape)});
  ASSERT_EQ(result.outputs.size(), 1u);
  expectEqual(result.outputs[0], doubled(x));
}

static std::vector<TmaCase> tmaCases() {
  std::vector<TmaCase> cases;
  for (const char *type : {"f32", "f16", "bf16", "i32"})
    for (int swizzle : {-1, 0, 32, 64, 128})
      cases.push_back({type, swizzle});
  return cases;
}
INSTANTIATE_TEST_SUITE_P(All, Tma, ::testing::ValuesIn(tmaCases()), [](const auto &info) {
  int swizzle = info.param.swizzle;
  return info.param.type + (swizzle < 0 ? "_untiled" : text("_", swizzle));
});

//===--- every register layout through global memory and swizzled shared memory ---===//

struct LayoutCase {
  std::string name, type;
  layouts::RegisterLayout layout;
  layouts::Shape shape;
};

class EveryLayout : public ::testing::TestWithParam<LayoutCase> {};

static layouts::RegisterLayout strided(layouts::Shape shape, int64_t vec) {
  return *layouts::WGStridedFragLayout::make(std::move(shape), vec);
}

static std::vector<LayoutCase> layoutCases() {
  layouts::Shape square{128, 128}, odd{192, 96};
  std::vector<LayoutCase> cases;
  for (const char *type : {"f32", "f16", "i8"}) {
    auto add = [&](const char *name, layouts::RegisterLayout layout, layouts::Shape shape) {
      cases.push_back({text(name, "_", type, "_", shape[0]), type, std::move(layout), shape});
    };
    add("wgmma", catalogue::wgmma(), square);
    add("wgmma", catalogue::wgmma(), odd);
    add("wgmma_acc", catalogue::wgmmaAcc32Bit(), square);
    add("wgmma_8bit", catalogue::wgmma8Bit(), square);
    add("upcast_2x", catalogue::wgmmaUpcast2x(), square);
    add("upcast_4x", catalogue::wgmmaUpcast4x(), square);
    add("transposed", catalogue::wgmmaTransposed(), square);
    add("tcgen05", catalogue::tcgen05(), square);
    add("tcgen05_transposed", catalogue::tcgen05Transposed(), square);
    add("tmem_native", *catalogue::tmemNative(4), square);
    add("fa_m64", *catalogue::faM64Collective(128), square);
    add("strided_1", strided(square, 1), square);
    add("strided_4", strided(square, 4), square);
    add("strided_2", strided(odd, 2), odd);
    add("strided_16", strided(square, 16), square);
  }
  return cases;
}

TEST_P(EveryLayout, RoundTripsThroughMemory) {
  const LayoutCase &test = GetParam();
  int64_t bytes = test.type == "f32" ? 4 : test.type == "i8" ? 1 : 2;
  int swizzle = test.shape[1] % (128 / bytes) == 0 ? 128 : 64 / (bytes == 1 ? 2 : 1);
  if (test.shape[1] * bytes % swizzle != 0)
    swizzle = 32;
  KernelText k;
  k.argument("x", test.type, test.shape, "in").argument("out", test.type, test.shape, "out");
  k.smemBytes = layouts::elementCount(test.shape) * bytes;
  std::string array = arrayType(test.shape, test.type), shared = sharedType(test.shape, test.type);
  std::string global = globalType(test.shape, test.type);
  // Global -> registers -> shared (in this layout) -> registers (in this layout) -> global.
  k.body = buffer("tile", 0, test.shape, test.type, {8, swizzle / bytes}, swizzle) + load("v", "x", global, array) +
           castTo("w", "v", array, test.layout) + store("w", "tile", shared, array) + load("r", "tile", shared, array) +
           castTo("s", "r", array, test.layout) + store("s", "out", global, array);
  Array x = pattern(dtypeOf(test.type), test.shape);
  RunResult result = runOnEmulator(k.text(), {x, Array::zeros(x.dtype, test.shape)});
  ASSERT_EQ(result.outputs.size(), 1u);
  expectEqual(result.outputs[0], x);
}
INSTANTIATE_TEST_SUITE_P(All, EveryLayout, ::testing::ValuesIn(layoutCases()),
                         [](const auto &info) { return info.param.name; });

// inventory: LS store_tiled (f16)
TEST(Transfer, SwizzledMemoryHoldsWhatTmaExpects) {
  // Registers -> swizzled shared memory -> TMA store: the mapping of the two must agree.
  for (int swizzle : {32, 64, 128}) {
    layouts::Shape shape{64, 128};
    KernelText k;
    k.argument("x", "f16", shape, "in").argument("out", "f16", shape, "out");
    k.smemBytes = 64 * 128 * 2;
    std::string array = arrayType(shape, "f16");
    k.body = buffer("tile", 0, shape, "f16", {8, swizzle / 2}, swizzle) +
             load("v", "x", globalType(shape, "f16"), array) + store("v", "tile", sharedType(shape, "f16"), array) +
             "    lanescope.commit_smem\n" + asyncStore("tile", shape, "out", shape, "f16");
    Array x = pattern(Dtype::F16, shape);
    RunResult result = runOnEmulator(k.text(), {x, Array::zeros(x.dtype, shape)});
    ASSERT_EQ(result.outputs.size(), 1u);
    expectEqual(result.outputs[0], x);
  }
}

TEST(Transfer, TransposesThroughSwizzledMemory) {
  for (const char *type : {"f32", "f16"}) {
    int64_t bytes = std::string(type) == "f32" ? 4 : 2;
    layouts::Shape shape{128, 64}, flipped{64, 128};
    KernelText k;
    k.argument("x", type, shape, "in").argument("out", type, flipped, "out");
    k.smemBytes = 128 * 64 * bytes + 8;
    std::string array = arrayType(flipped, type);
    std::string view = text("memref<64x128x", type, ", strided<[1, 64]>, #gpu.address_space<workgroup>>");
    k.body =
        buffer("tile", 0, shape, type, {8, 128 / bytes}, 128) + barrier(128 * 64 * bytes) +
        asyncLoad("x", shape, "tile", shape, type) + waitParity(0) +
        text("    %t = memref.transpose %tile (d0, d1) -> (d1, d0) : ", sharedType(shape, type), " to ", view, "\n") +
        load("v", "t", view, array) + store("v", "out", globalType(flipped, type), array);
    Array x = pattern(dtypeOf(type), shape);
    RunResult result = runOnEmulator(k.text(), {x, Array::zeros(x.dtype, flipped)});
    ASSERT_EQ(result.outputs.size(), 1u);
    expectEqual(result.outputs[0], transposed(x));
  }
}

// inventory: CV transpose_relayout (the wgmma pair)
TEST(Transfer, RelayoutsInRegisters) {
  for (const char *type : {"f32", "f16", "bf16", "i32"}) {
    layouts::Shape shape{64, 64};
    KernelText k;
    k.argument("x", type, shape, "in").argument("out", type, shape, "out");
    std::string array = arrayType(shape, type), global = globalType(shape, type);
    // The last layout must be stored correctly, so a wrong exchange shows in the output.
    k.body = load("a", "x", global, array) + castTo("b", "a", array, catalogue::wgmma()) +
             castTo("c", "b", array, catalogue::wgmmaTransposed()) + store("c", "out", global, array);
    Array x = pattern(dtypeOf(type), shape);
    RunResult there = runOnEmulator(k.text(), {x, Array::zeros(x.dtype, shape)});
    ASSERT_EQ(there.outputs.size(), 1u);
    expectEqual(there.outputs[0], x);
    k.body = load("a", "x", global, array) + castTo("b", "a", array, catalogue::wgmmaTransposed()) +
             castTo("c", "b", array, catalogue::wgmma()) + castTo("d", "c", array, catalogue::wgmmaAcc32Bit()) +
             store("d", "out", global, array);
    RunResult back = runOnEmulator(k.text(), {x, Array::zeros(x.dtype, shape)});
    ASSERT_EQ(back.outputs.size(), 1u);
    expectEqual(back.outputs[0], x);
  }
}

// inventory: LS strided_copy_noncontig_good
TEST(Transfer, SlicesOfGlobalArraysWithOddRows) {
  // 64 rows of 6 elements out of rows of 100: vectors of the strided layout end where the rows end.
  layouts::Shape whole{64, 100}, part{64, 6};
  KernelText k;
  k.argument("x", "f32", whole, "in").argument("out", "f32", part, "out");
  std::string view = "memref<64x6xf32, strided<[100, 1], offset: 10>>", array = arrayType(part, "f32");
  k.body = text("    %s = memref.subview %x[0, 10] [64, 6] [1, 1] : ", globalType(whole, "f32"), " to ", view, "\n") +
           load("v", "s", view, array) + store("v", "out", globalType(part, "f32"), array);
  Array x = pattern(Dtype::F32, whole), want = Array::zeros(Dtype::F32, part);
  for (int64_t r = 0; r < 64; ++r)
    for (int64_t c = 0; c < 6; ++c)
      want.setNumber(r * 6 + c, x.number(r * 100 + c + 10));
  RunResult result = runOnEmulator(k.text(), {x, Array::zeros(Dtype::F32, part)});
  ASSERT_EQ(result.outputs.size(), 1u);
  expectEqual(result.outputs[0], want);
}

TEST(Transfer, GridOfBlocksWithComputedSlices) {
  layouts::Shape whole{256, 256}, part{64, 128};
  KernelText k;
  k.grid = {4, 2, 1};
  k.argument("x", "f16", whole, "in").argument("out", "f16", whole, "out");
  k.smemBytes = 64 * 128 * 2 + 8;
  std::string array = arrayType(part, "f16"), shared = sharedType(part, "f16");
  k.body = "    %i = lanescope.program_id {dim = 0 : i32}\n    %j = lanescope.program_id {dim = 1 : i32}\n"
           "    %c64 = arith.constant 64 : i32\n    %c128 = arith.constant 128 : i32\n"
           "    %r = arith.muli %i, %c64 : i32\n    %c = arith.muli %j, %c128 : i32\n" +
           buffer("tile", 0, part, "f16", {8, 64}, 128) + barrier(64 * 128 * 2) +
           asyncLoad("x", whole, "tile", part, "f16", "%r, %c") + waitParity(0) + load("v", "tile", shared, array) +
           twice("w", "v", array, "f16") + store("w", "tile", shared, array) + "    lanescope.commit_smem\n" +
           asyncStore("tile", part, "out", whole, "f16", "%r, %c");
  Array x = pattern(Dtype::F16, whole);
  RunResult result = runOnEmulator(k.text(), {x, Array::zeros(Dtype::F16, whole)});
  ASSERT_EQ(result.outputs.size(), 1u);
  expectEqual(result.outputs[0], doubled(x));
}

// inventory: FA splat
TEST(Transfer, ConstantsAndSmallArraysAreStored) {
  layouts::Shape shape{3, 50};
  KernelText k;
  k.argument("out", "i32", shape, "out");
  std::string array = arrayType(shape, "i32");
  k.body =
      text("    %c = arith.constant dense<7> : ", array, "\n") + store("c", "out", globalType(shape, "i32"), array);
  RunResult result = runOnEmulator(k.text(), {Array::zeros(Dtype::I32, shape)});
  ASSERT_EQ(result.outputs.size(), 1u);
  for (int64_t i = 0; i < 150; ++i)
    EXPECT_EQ(result.outputs[0].integer(i), 7);
}
