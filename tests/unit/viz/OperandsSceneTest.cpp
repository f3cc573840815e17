// All operands of an instruction or a tiled MMA in one picture. Every cell is compared with the operand's own map.
#include "viz/scene/OperandsScene.h"

#include "layouts/notation/Notation.h"
#include "layouts/Placement.h"
#include "viz/export/TerminalText.h"
#include "viz/scene/CellRaster.h"
#include "viz/scene/ViewText.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace lanescope::viz {
namespace {

using layouts::OperandSet;

std::optional<OperandSet> setOf(const std::string &written) {
  return layouts::operandSet(Source::make("layout", written));
}

std::vector<std::string> wordsOf(const OperandSet &set) {
  std::vector<std::string> out;
  for (const layouts::NamedOperand &operand : set.operands)
    out.push_back(operand.name + " " + layouts::tupleText(operand.shape) + " " + operand.type);
  return out;
}

Scene drawn(const std::string &written, const LayoutSceneOptions &options = {}) {
  auto set = setOf(written);
  EXPECT_TRUE(set) << written;
  Result<Scene> scene = set ? operandsScene(*set, options) : Result<Scene>(Scene());
  EXPECT_TRUE(scene) << (scene ? "" : render(scene.error()));
  return scene ? *std::move(scene) : Scene();
}

using Words = std::vector<std::string>;

TEST(OperandSet, NamesWhatAnInstructionMultiplies) {
  auto mma = setOf("mma.m16n8k16.f16");
  ASSERT_TRUE(mma);
  EXPECT_EQ(wordsOf(*mma), (Words{"A (16, 16) f16", "B (16, 8) f16", "D (and C) (16, 8) f32"}));
  auto line = setOf(" mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1};\n");
  ASSERT_TRUE(line);
  EXPECT_EQ(wordsOf(*line), (Words{"A (16, 16) f16", "B (16, 8) f16", "D (and C) (16, 8) f32"}));
  auto sparse = setOf("mma.sp.m16n8k32.f16");
  ASSERT_TRUE(sparse);
  EXPECT_NE(std::ranges::find(sparse->operands, layouts::OperandRole::Metadata, &layouts::NamedOperand::role),
            sparse->operands.end());
}

TEST(OperandSet, NamesWhatATiledMmaMultiplies) {
  auto tiled = setOf("make_tiled_mma(SM80_16x8x16_F32BF16BF16F32_TN{}, Layout<Shape<_2,_2>>{})");
  ASSERT_TRUE(tiled);
  EXPECT_EQ(wordsOf(*tiled), (Words{"A (32, 16) bf16", "B (16, 16) bf16", "C (32, 16) f32"}));
  auto narrow = setOf("SM89_16x8x32_F32E4M3E5M2F32_TN");
  ASSERT_TRUE(narrow);
  EXPECT_EQ(wordsOf(*narrow), (Words{"A (16, 32) e4m3", "B (8, 32) e5m2", "C (16, 8) f32"}));
  EXPECT_EQ(narrow->operands[0].bits, 8);
}

TEST(OperandSet, IsNoneOfASingleLayout) {
  for (const char *written : {"WGMMA", "((_4,_8),(_2,_2)):((_32,_1),(_16,_8))", "", "mma.m16n8k99", "ldmatrix",
                              "mma.m16n8k16.f16 and more", "fragment(\"mma.m16n8k16.f16\", \"a\")"})
    EXPECT_FALSE(setOf(written)) << written;
}

TEST(OperandSet, AloneIsTheOneThatTheInstructionWrites) {
  Diagnostics remarks;
  auto layout = layouts::parseLayout(Source::make("layout", "mma.m16n8k16.f16"), &remarks);
  ASSERT_TRUE(layout) << render(layout.error());
  ASSERT_EQ(remarks.size(), 1u);
  EXPECT_EQ(remarks[0].kind, "fragment-operand");
  EXPECT_NE(remarks[0].message.find("`d` of this instruction is taken"), std::string::npos) << remarks[0].message;
}

TEST(OperandSet, SaysWhatItsLoadsCost) {
  auto mma = setOf("mma.m16n8k16.f16");
  ASSERT_TRUE(mma);
  EXPECT_NE(std::ranges::find(mma->notes, "A by `ldmatrix.x4` from rows of 32 bytes one after another: 8 wavefronts "
                                          "where 4 would do"),
            mma->notes.end())
      << ::testing::PrintToString(mma->notes);
}

TEST(OperandsScene, EachCellIsItsOperandsOwn) {
  for (const char *written :
       {"mma.m16n8k16.f16", "mma.m8n8k4.f64", "mma.sp.m16n8k32.f16", "ldmatrix.x4", "SM80_16x8x16_F32F16F16F32_TN",
        "make_tiled_mma(SM80_16x8x8_F32TF32TF32F32_TN{}, Layout<Shape<_2,_4>>{})"}) {
    SCOPED_TRACE(written);
    auto set = setOf(written);
    ASSERT_TRUE(set);
    Scene scene = drawn(written);
    ASSERT_TRUE(scene.raster);
    int64_t cells = 0;
    for (const layouts::NamedOperand &operand : set->operands) {
      cells += layouts::elementCount(operand.shape);
    }
    std::vector<int> seen(static_cast<size_t>(cells), 0);
    for (int64_t row = 0; row < scene.raster->rows(); ++row)
      for (int64_t column = 0; column < scene.raster->columns(); ++column)
        if (int64_t element = scene.raster->element(row, column); element >= 0) {
          ASSERT_LT(element, cells);
          ++seen[static_cast<size_t>(element)];
          std::vector<CellAt> at;
          scene.raster->model().cellsOf(element, at);
          EXPECT_EQ(at, (std::vector<CellAt>{{row, column}}));
        }
    EXPECT_TRUE(std::ranges::all_of(seen, [](int times) { return times == 1; })) << "each element once";
  }
}

TEST(OperandsScene, AThreadLightsUpInAllOperands) {
  Scene scene = drawn("mma.m16n8k16.f16");
  // D begins at row 17, column 17, after B's 16 rows and A's 16 columns with an empty cell after each.
  EXPECT_EQ(scene.raster->describe(17, 17), "D (and C): element (0, 0) is held by warp 0, lane 0 in register 0");
  EXPECT_EQ(scene.raster->describe(0, 17), "B: element (0, 0) is held by warp 0, lane 0 in register 0, position 0");
  EXPECT_EQ(scene.raster->describe(17, 0), "A: element (0, 0) is held by warp 0, lane 0 in register 0, position 0");
  EXPECT_EQ(scene.raster->element(0, 0), -1);
  std::vector<int32_t> together;
  scene.raster->model().linkedElements(17, 17, together);
  EXPECT_EQ(together.size(), 8u + 4u + 4u) << "A has 4 registers of 2, B and D 2";
}

TEST(OperandsScene, IsWhatALayoutsTextShowsByItself) {
  auto automatic = viewScene({.layout = "mma.m16n8k16.f16"});
  ASSERT_TRUE(automatic);
  EXPECT_EQ(automatic->title, drawn("mma.m16n8k16.f16").title);
  auto one = viewScene({.layout = "mma.m16n8k16.f16", .shape = {16, 8}});
  ASSERT_TRUE(one);
  EXPECT_EQ(one->array, (layouts::Shape{16, 8}));
  auto none = viewScene({.layout = "WGMMA", .shape = {64, 8}, .view = View::Operands});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().front().kind, "view-does-not-fit");
}

} // namespace
} // namespace lanescope::viz
