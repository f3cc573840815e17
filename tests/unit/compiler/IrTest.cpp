// Layout attributes and the text of newer dumps.
#include "core/gpu/ir/LayoutAttributes.h"

#include "layouts/Catalogue.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

namespace lanescope::core {
namespace {

struct Ir : ::testing::Test {
  Ir() { context.loadDialect<mosaic_gpu::MosaicGpuDialect>(); }
  static std::string printed(mlir::Attribute attribute) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    attribute.print(stream);
    return text;
  }
  mlir::MLIRContext context;
};

// inventory: DV layout_to_and_from_attr
TEST_F(Ir, EveryCatalogueLayoutSurvivesAsAnAttributeAndPrintsAsTheLayoutLibraryDoes) {
  int seen = 0;
  for (const layouts::CatalogueEntry &entry : layouts::catalogueEntries()) {
    if (!entry.parameters.empty())
      continue;
    auto made = entry.make();
    ASSERT_TRUE(made) << entry.name;
    const auto *layout = std::get_if<layouts::RegisterLayout>(&*made);
    if (!layout)
      continue; // a layout of tensor memory
    mlir::Attribute attribute = toAttribute(&context, *layout);
    EXPECT_EQ(toLayout(attribute), *layout) << entry.name;
    EXPECT_EQ(printed(attribute), layouts::mlirText(*layout)) << entry.name;
    ++seen;
  }
  EXPECT_GT(seen, 10);
}

TEST_F(Ir, SplatAndStrided) {
  layouts::RegisterLayout splat = layouts::WGSplatFragLayout{{64, 8}};
  layouts::RegisterLayout strided = *layouts::WGStridedFragLayout::make({64, 8}, 2);
  EXPECT_EQ(toLayout(toAttribute(&context, splat)), splat);
  EXPECT_EQ(toLayout(toAttribute(&context, strided)), strided);
  EXPECT_EQ(printed(toAttribute(&context, strided)), "#mosaic_gpu.WGStridedFragLayout<[64, 8], 2>");
  EXPECT_EQ(toLayout(mlir::UnitAttr::get(&context)), std::nullopt);
}

TEST_F(Ir, Transforms) {
  SmemTransforms both{layouts::Shape{8, 64}, 128};
  EXPECT_EQ(*toTransforms(toAttribute(&context, both)), both);
  EXPECT_EQ(*toTransforms(toAttribute(&context, SmemTransforms{})), SmemTransforms{});
  EXPECT_EQ(jaxText(both), "[TileTransform(tiling=(8, 64)), SwizzleTransform(swizzle=128)]");
  EXPECT_EQ(jaxText(SmemTransforms{}), "[]");
  auto wrong = toTransforms(mlir::ArrayAttr::get(&context, {mlir::UnitAttr::get(&context)}));
  EXPECT_FALSE(wrong);
}

} // namespace
} // namespace lanescope::core
