// Modules of the `tpu` dialect as data and as text.
#include "core/tpu/ir/TpuModule.h"
#include "core/ir/KernelModule.h"
#include "core/ir/KernelModuleImpl.h"
#include "core/tpu/ir/Tpu.h"
#include "core/tpu/ir/TpuContext.h"

#include "layouts/support/Text.h"

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <sstream>

using namespace lanescope;
using namespace lanescope::core;

namespace {

std::string file(const std::string &path) {
  std::ifstream stream(LANESCOPE_SOURCE_DIR "/" + path);
  std::ostringstream content;
  content << stream.rdbuf();
  EXPECT_FALSE(content.str().empty()) << path;
  return content.str();
}

TpuModule read(std::string text) {
  Result<TpuModule> module = readTpuModule(Source::make("module.mlir", std::move(text)));
  EXPECT_TRUE(module) << (module ? "" : render(module.error()));
  return module ? *std::move(module) : TpuModule{};
}

TEST(TpuModule, TellsKernelsOperandsAndOperations) {
  TpuModule module = read(file("samples/modules/gather.mlir"));
  ASSERT_EQ(module.functions.size(), 1u);
  const TpuFunction &kernel = module.functions[0];
  EXPECT_EQ(kernel.name, "gather");
  EXPECT_EQ(kernel.core, "vector subcore");
  EXPECT_EQ(kernel.grid, std::vector<int64_t>{1});
  ASSERT_EQ(kernel.operands.size(), 3u);
  EXPECT_EQ(kernel.operands[0].memory, "hbm");
  EXPECT_EQ(kernel.operands[0].type, "memref<1024x128xf32, hbm>");
  EXPECT_EQ(kernel.operands[1].dtype, layouts::Dtype::I32);
  ASSERT_EQ(module.ops.size(), 10u);
  EXPECT_EQ(module.ops[0].name, "tpu.region");
  EXPECT_EQ(module.ops[6].name, "tpu.enqueue_indirect_dma");
  EXPECT_EQ(module.ops[6].depth, 1);
  EXPECT_EQ(module.ops[6].place.source->lineColumn(module.ops[6].place.begin).line, 10u);
  EXPECT_EQ(tpuHeading(module), "kernel gather for a vector subcore: grid 1 (arbitrary)\n"
                                "  operand 0: memref<1024x128xf32, hbm>\n"
                                "  operand 1: memref<16xi32, hbm>\n"
                                "  operand 2: memref<16x128xf32, hbm>\n");
  EXPECT_NE(tpuListing(module).find("tpu.wait_indirect_dma"), std::string::npos);
  EXPECT_NE(tpuOpText(module, 2).find("result 0: memref<16xi32, vmem>"), std::string::npos);
}

TEST(TpuModule, KnowsTiledReferencesAndOtherCores) {
  TpuModule module = read(file("tests/fuzz/corpus/tpu_module/every_op.mlir"));
  ASSERT_EQ(module.functions.size(), 2u);
  EXPECT_EQ(module.functions[0].scratch, 8);
  EXPECT_EQ(module.functions[0].operands[7].type, "memref<!tpu.semaphore, semaphore_mem of sc_scalar_subcore>");
  EXPECT_EQ(module.functions[1].core, "scalar subcore");
  int tiled = 0;
  for (const TpuOp &op : module.ops)
    for (const TpuValue &value : op.results)
      tiled += value.layout.has_value();
  EXPECT_EQ(tiled, 2);
}

TEST(TpuModule, WhatDoesNotVerifyIsRefusedAtItsLine) {
  std::string text = file("samples/modules/gather.mlir");
  size_t at = text.find("offsets(%alloca : memref<16xi32, #tpu.memory_space<vmem>>)");
  ASSERT_NE(at, std::string::npos);
  text.replace(at, 58, "offsets(%arg2 : memref<16xi32, #tpu.memory_space<hbm>>)");
  Result<TpuModule> module = readTpuModule(Source::make("module.mlir", text));
  ASSERT_FALSE(module);
  const Diagnostic &problem = module.error().front();
  EXPECT_NE(problem.message.find("expects its offsets in VMEM"), std::string::npos) << problem.message;
  EXPECT_EQ(problem.span.source->lineColumn(problem.span.begin).line, 10u);
}

TEST(TpuModule, WithLocationsOfItsOwnIsRefusedAtItsLineAndKeepsThem) {
  std::string text = "func.func @f(%x: memref<16xi32, #tpu.memory_space<hbm>>, %i: i32) {\n"
                     "  %0 = tpu.assume_multiple %i, 8 : i32 loc(\"kernel.py\":3:4)\n"
                     "  tpu.enqueue_dma source(%x : memref<16xi32, #tpu.memory_space<hbm>>) "
                     "target(%x : memref<16xi32, #tpu.memory_space<hbm>>) loc(\"kernel.py\":4:4)\n"
                     "  return\n"
                     "} loc(\"kernel.py\":1:1)\n";
  Result<TpuModule> module = readTpuModule(Source::make("module.mlir", text));
  ASSERT_FALSE(module);
  ASSERT_TRUE(module.error().front().span.source);
  EXPECT_EQ(module.error().front().span.source->lineColumn(module.error().front().span.begin).line, 3u);
  text.replace(text.find("  tpu.enqueue_dma"), text.find("  return") - text.find("  tpu.enqueue_dma"), "");
  IrContext context = makeTpuContext();
  auto good = parseModule(context, Source::make("module.mlir", text));
  ASSERT_TRUE(good) << render(good.error());
  std::string located;
  llvm::raw_string_ostream stream(located);
  good->impl().module->print(stream, mlir::OpPrintingFlags().enableDebugInfo());
  EXPECT_NE(located.find("kernel.py\":3:4"), std::string::npos) << located;
}

TEST(TpuModule, IsToldFromOtherTexts) {
  EXPECT_TRUE(looksLikeTpuModule("  tpu.barrier barrier_id(%c0)"));
  EXPECT_TRUE(looksLikeTpuModule("memref<4xi32, #tpu.memory_space<hbm>>"));
  EXPECT_FALSE(looksLikeTpuModule("%0 = mosaic_gpu.vector_load"));
}

TEST(TpuModule, PrintsToItsOwnText) {
  std::string text = file("tests/fuzz/corpus/tpu_module/seed_slices.mlir");
  IrContext context = makeTpuContext();
  auto module = parseModule(context, Source::make("module.mlir", text));
  ASSERT_TRUE(module) << render(module.error());
  EXPECT_EQ(moduleText(*module), text);
}

TEST(TiledLayoutAttr, MeansWhatTheLayoutLibrarySays) {
  mlir::MLIRContext context;
  context.loadDialect<tpu::TpuDialect>();
  std::mt19937 random(3);
  for (auto [tiles, shape] : {std::pair<std::vector<layouts::Shape>, layouts::Shape>{{{8, 128}, {2, 1}}, {16, 256}},
                              {{{8, 128}}, {5, 16, 256}},
                              {{{2, 4, 16}}, {4, 8, 64}},
                              {{}, {4, 6}},
                              {{{8}}, {100}}}) {
    layouts::TiledMemoryLayout layout = *layouts::TiledMemoryLayout::packed(tiles, shape);
    tpu::TiledLayoutAttr attribute = tpu::toAttribute(&context, layout);
    EXPECT_EQ(tpu::toLayout(attribute), layout);
    std::string printed;
    llvm::raw_string_ostream stream(printed);
    mlir::Attribute(attribute).print(stream);
    EXPECT_EQ(printed, layout.text());
    mlir::AffineMap map = attribute.getAffineMap();
    for (int round = 0; round < 50; ++round) {
      layouts::Shape index;
      llvm::SmallVector<mlir::Attribute> constants;
      for (int64_t size : shape) {
        index.push_back(static_cast<int64_t>(random() % static_cast<uint32_t>(size)));
        constants.push_back(mlir::IntegerAttr::get(mlir::IndexType::get(&context), index.back()));
      }
      llvm::SmallVector<mlir::Attribute> results;
      ASSERT_TRUE(mlir::succeeded(map.constantFold(constants, results)));
      EXPECT_EQ(mlir::cast<mlir::IntegerAttr>(results[0]).getInt(), layout.offset(index));
    }
  }
}

} // namespace
