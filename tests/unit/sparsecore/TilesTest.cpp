// Memory in tiles: the places of elements, the cost of padding, and the allowed views.
#include "core/tpu/program/TpuTiling.h"
#include "SparsecoreKernels.h"

namespace lanescope::core::sparsecore::test {
namespace {

Array counting(Shape shape) {
  Array array = Array::zeros(Dtype::I32, std::move(shape));
  for (int64_t k = 0; k < array.size(); ++k)
    array.setInteger(k, k);
  return array;
}

std::string tiles(const Element &element, const std::vector<int64_t> &shape, bool allocated) {
  auto layout = tensorCoreLayout(element, Space::Vmem, shape, allocated);
  return layout ? layout->text() : "";
}

TEST(TensorCoreTiles, AreAsJaxInfersThem) {
  Element word{Element::Kind::Integer, 32, Dtype::I32}, half{Element::Kind::Float, 16, Dtype::BF16},
      byte{Element::Kind::Integer, 8, Dtype::I8};
  EXPECT_EQ(tiles(word, {64, 256}, true), "#tpu.tiled<(8,128),[2,1]>");
  EXPECT_EQ(tiles(word, {64, 128}, true), "#tpu.tiled<(1,128),[1,1]>"); // rows that need no padding
  EXPECT_EQ(tiles(word, {64, 128}, false), "#tpu.tiled<(8,128),[1,1]>");
  EXPECT_EQ(tiles(word, {3, 2, 200}, false), "#tpu.tiled<(2,128),[2,2,1]>");
  EXPECT_EQ(tiles(half, {16, 256}, true), "#tpu.tiled<(8,128)(2,1),[2,1]>");
  EXPECT_EQ(tiles(half, {1, 128}, true), "#tpu.tiled<(2,128)(2,1),[1,1]>");
  EXPECT_EQ(tiles(byte, {5, 100}, true), "#tpu.tiled<(8,128)(4,1),[1,1]>");
  EXPECT_EQ(tiles(word, {16}, true), "#tpu.tiled<(128),[1]>");
  EXPECT_EQ(tiles(word, {5000}, true), "#tpu.tiled<(1024),[1]>");
  EXPECT_EQ(tiles(half, {300}, true), "#tpu.tiled<(512)(128)(2,1),[1]>");
  EXPECT_FALSE(tensorCoreLayout(word, Space::Smem, {16}, true));
  EXPECT_FALSE(tensorCoreLayout({Element::Kind::DmaSemaphore, 32, Dtype::I32}, Space::SemaphoreMem, {2}, true));
  EXPECT_FALSE(tensorCoreLayout(word, Space::Vmem, {}, true));
}

/// Copies %x row by row to memory of `type`, and logs a view of it.
std::string through(const std::string &type, const std::string &view) {
  Kernel k;
  k.body = "%til = memref.alloca() : " + type + "\n";
  for (int row = 0; row < 4; ++row)
    k.body += text("%r", row, " = arith.constant ", row, " : index\n%v", row, " = arith.constant dense<", row + 1,
                   "> : vector<8xi32>\ntpu.vector_store %til[%r", row, ", %c0], %v", row,
                   " {strides = array<i32>} : ", type, ", vector<8xi32>, \n");
  k.body += view;
  return k.module();
}

TEST(Tiles, HoldWhatIsStoredInThem) {
  for (std::string_view layout : {"", "#tpu.tiled<(2,4),[2,1]>, ", "#tpu.tiled<(8,128),[1,1]>, ",
                                  "#tpu.tiled<(3,5),[2,1]>, ", "#tpu.tiled<(4,8)(2,1),[1,1]>, "}) {
    std::string type = text("memref<4x8xi32, ", layout, "#vmem>");
    auto result = run(through(type, text("tpu.log_buffer \"all\" {shape = array<i64: 4, 8>} : %til : ", type, "\n")),
                      {counting({16})});
    ASSERT_TRUE(result && result->diagnostics.empty()) << errorText(result ? result->diagnostics : result.error());
    EXPECT_NE(result->printed.find("{ 1, 1, 1, 1, 1, 1, 1, 1 },\n  { 2, 2,"), std::string::npos) << result->printed;
  }
}

// Whole tiles may be viewed in another shape, but a view must not split a tile.
TEST(Tiles, AreSeenInOtherShapes) {
  std::string tiled = "memref<4x8xi32, #tpu.tiled<(2,4),[2,1]>, #vmem>";
  std::string halves = "%h = tpu.memref_reshape %til : " + tiled +
                       " -> memref<2x2x8xi32, #tpu.tiled<(2,4),[2,2,1]>, #vmem>\n" +
                       "tpu.log_buffer \"halves\" {shape = array<i64: 2, 2, 8>} : %h : memref<2x2x8xi32, "
                       "#tpu.tiled<(2,4),[2,2,1]>, #vmem>\n";
  auto result = run(through(tiled, halves), {counting({16})});
  ASSERT_TRUE(result && result->diagnostics.empty()) << errorText(result ? result->diagnostics : result.error());
  EXPECT_NE(result->printed.find("{ 4, 4, 4, 4, 4, 4, 4, 4 }"), std::string::npos) << result->printed;
  // With a TensorCore's tiles, rows of 10 are padded to 128, so rows of 6 would include padding.
  EmulatorOptions options;
  options.tensorCoreTiles = true;
  Kernel k;
  k.body =
      "%til = memref.alloca() : memref<6x10xi32, #vmem>\n%u = tpu.memref_reshape %til : memref<6x10xi32, #vmem> -> "
      "memref<10x6xi32, #vmem>\n";
  auto cut = run(k.module(), {counting({16})}, options);
  ASSERT_TRUE(cut && !cut->diagnostics.empty());
  EXPECT_EQ(cut->diagnostics[0].kind, "memref-reshape");
  auto dense = run(k.module(), {counting({16})});
  EXPECT_TRUE(dense && dense->diagnostics.empty());
}

TEST(Tiles, PadWhatTheySayTheyDo) {
  auto told = [](const std::string &type, bool tensorCoreTiles) {
    Kernel k;
    k.body = "%til = memref.alloca() : " + type + "\n";
    EmulatorOptions options;
    options.vmemBytes = 512 << 10;
    options.tensorCoreTiles = tensorCoreTiles;
    auto result = run(k.module(), {counting({16})}, options);
    return !result ? errorText(result.error()) : result->diagnostics.empty() ? "" : result->diagnostics[0].message;
  };
  // 1024 rows of 16 words take 64 KiB. In padded rows of 128 they take the whole memory, and the kernel's other arrays
  // no longer fit.
  EXPECT_EQ(told("memref<1024x16xi32, #vmem>", false), "");
  EXPECT_EQ(told("memref<1016x16xi32, #vmem>", true), "");
  EXPECT_EQ(
      told("memref<1024x16xi32, #vmem>", true),
      "core 0 subcore 0 needs 525312 bytes of VMEM with this ((1024, 16) elements of i32 in tiles of (1, 128), 524288 "
      "bytes), and a vector subcore has 524288");
  EXPECT_EQ(told("memref<1032x16xi32, #vmem>", true),
            "an allocation of (1032, 16) elements of i32 in tiles of (1, 128), 528384 bytes, which vmem cannot hold: a "
            "vector subcore has 524288");
  EXPECT_EQ(
      told("memref<256x8xi32, #tpu.tiled<(8,512),[1,1]>, #vmem>", false),
      "core 0 subcore 0 needs 524416 bytes of VMEM with this ((256, 8) elements of i32 in tiles of (8, 512), 524288 "
      "bytes), and a vector subcore has 524288");
  // 4 bits per element.
  EXPECT_EQ(told("memref<4096x128xi4, #vmem>", false), "");
  // There is only one tile, so strides do not matter.
  EXPECT_EQ(told("memref<8x8xi32, #tpu.tiled<(8,8),[1099511627776,1099511627776]>, #vmem>", false), "");
  EXPECT_EQ(told("memref<0x99999999999xi32, #tpu.tiled<(8),[1,1]>, #vmem>", false), "");
  EXPECT_NE(told("memref<16x16xi32, #tpu.tiled<(8,8),[1099511627776,1]>, #vmem>", true), "");
}

// Copies, gathers, masks and windows between tiled and dense memory.
TEST(Tiles, OfBothSidesOfACopyMayDiffer) {
  std::string tiled = "memref<6x10xi32, #tpu.tiled<(4,8)(2,1),[2,1]>, #vmem>", dense = "memref<6x10xi32, #vmem>";
  std::string module =
      "#hbm = #tpu.memory_space<hbm>\n#vmem = #tpu.memory_space<vmem>\n#sem = #tpu.memory_space<semaphore_mem>\n"
      "func.func @kernel(%core: i32, %sub: i32, %x: memref<6x10xi32, #hbm>, %o: memref<6x10xi32, #hbm>, %a: " +
      tiled + ", %b: " + dense +
      ", %s: memref<!tpu.dma_semaphore, #sem>) attributes {dimension_semantics = "
      "[#tpu.dimension_semantics<core_parallel>, #tpu.dimension_semantics<subcore_parallel>], iteration_bounds = "
      "array<i64: "
      "1, 1>, scratch_operands = 3 : i64, tpu.core_type = #tpu.core_type<sc_vector_subcore>} {\n";
  auto copy = [](const std::string &from, const std::string &fromType, const std::string &to,
                 const std::string &toType) {
    return "tpu.enqueue_dma source(" + from + " : " + fromType + ") target(" + to + " : " + toType +
           ") target_semaphore(%s : memref<!tpu.dma_semaphore, #sem>)\ntpu.wait_dma2 semaphore(%s : "
           "memref<!tpu.dma_semaphore, #sem>) src(" +
           from + " : " + fromType + ") dst(" + to + " : " + toType + ")\n";
  };
  std::string hbm = "memref<6x10xi32, #hbm>";
  module += copy("%x", hbm, "%a", tiled) +
            "%rows = arith.constant dense<[5, 0, 3, 3, 1, 2]> : vector<6xi32>\n"
            "tpu.enqueue_indirect_dma source(%x : memref<6x10xi32, #hbm>) target(%b : " +
            dense +
            ") offsets(%rows : vector<6xi32>) semaphore(%s : memref<!tpu.dma_semaphore, #sem>)\n"
            "tpu.wait_indirect_dma semaphore(%s : memref<!tpu.dma_semaphore, #sem>) src(%x : memref<6x10xi32, #hbm>) "
            "dst(%b : " +
            dense +
            ")\n"
            "tpu.enqueue_indirect_dma source(%a : " +
            tiled +
            ") target(%o : memref<6x10xi32, #hbm>) offsets(%rows : "
            "vector<6xi32>) semaphore(%s : memref<!tpu.dma_semaphore, #sem>) {add = true}\n"
            "tpu.wait_indirect_dma semaphore(%s : memref<!tpu.dma_semaphore, #sem>) src(%a : " +
            tiled + ") dst(%o : memref<6x10xi32, #hbm>)\nreturn\n}\n";
  for (bool tensorCoreTiles : {false, true}) {
    EmulatorOptions options;
    options.tensorCoreTiles = tensorCoreTiles;
    auto result = run(module, {counting({6, 10}), Array::zeros(Dtype::I32, {6, 10})}, options);
    ASSERT_TRUE(result && result->diagnostics.empty()) << errorText(result ? result->diagnostics : result.error());
    std::vector<int64_t> expected(60), rows = {5, 0, 3, 3, 1, 2};
    for (int64_t r = 0; r < 6; ++r)
      for (int64_t c = 0; c < 10; ++c)
        expected[static_cast<size_t>(rows[static_cast<size_t>(r)] * 10 + c)] += r * 10 + c;
    EXPECT_EQ(integersOf(result->outputs.back()), expected);
  }
}

} // namespace
} // namespace lanescope::core::sparsecore::test
