// A layout that does not fit an array, through every builtin and picture. A result with elements that have no owner, or
// with a repeated tile, says so.
#include "layouts/MapCoverage.h"
#include "layouts/notation/Notation.h"
#include "layouts/Reading.h"
#include "layouts/support/Text.h"
#include "tests/unit/LayoutSamples.h"
#include "tests/unit/session/RemarkedSession.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace lanescope::repl {
namespace {

using layouts::Memory;
using layouts::Shape;

class CoveragePaths : public RemarkedSession {
protected:
  /// The notes of the last expression on the elements that a map covers.
  std::string notes() const { return notesOf("layout-coverage"); }
};

TEST_F(CoveragePaths, EveryAnswerSaysWhatItDoesNotCover) {
  size_t answers = 0, noted = 0;
  for (const char *text : layouts::kLayoutSamples) {
    Result<layouts::Layout> layout = layouts::parseLayout(Source::make("layout", text));
    ASSERT_TRUE(layout) << text;
    for (const Shape &shape : {Shape{16, 8}, {32, 8}, {16, 16}, {64, 64}, {20, 8}, {128}, {1, 1}}) {
      Result<layouts::ElementMap> map = layouts::elementMapOf(*layout, shape);
      std::string wanted = map ? coverageNote(*map) : std::string();
      std::string size = layouts::tupleText(shape), origin = "(" + std::string(shape.size() > 1 ? "0, 0" : "0,") + ")";
      const std::string x = lanescope::text("layout(", repr(Value(std::string(text))), ")");
      const std::string smem = lanescope::text("smem_map(", size, ", f32, tiling=None, swizzle=None)");
      const std::string registers = ", memory=\"registers\")";
      for (const std::string &call : {lanescope::text("owners(", x, ", ", size, ", ", origin, registers),
                                      lanescope::text("elements(", x, ", ", size, registers),
                                      lanescope::text("element_map(", x, ", ", size, registers),
                                      lanescope::text("equal(", x, ", ", x, ", ", size, registers),
                                      lanescope::text("diff(", x, ", ", x, ", ", size, registers),
                                      lanescope::text("explain(", x, ", ", size, ", ", origin, registers),
                                      lanescope::text("notation(", x, ", \"linear\", ", size, registers),
                                      lanescope::text("conflicts(\"ld.shared.b32\", ", x, ", ", smem, ")"),
                                      lanescope::text("relayout(", x, ", ", x, ", ", size, ", f32)"),
                                      lanescope::text("coalescing(", x, ", None, f32, ", size, ")")}) {
        Result<Value> answer = value(call);
        if (!answer) {
          EXPECT_FALSE(answer.error()[0].message.empty());
          continue;
        }
        ++answers;
        // A call succeeds only if the map exists; a layout's own notation needs no map.
        EXPECT_TRUE(map || call.starts_with("notation")) << text << " " << call;
        EXPECT_EQ(notes().empty(), wanted.empty()) << text << " " << size << " " << call << "\n" << notes() << wanted;
        if (!wanted.empty() && ++noted)
          EXPECT_NE(notes().find(wanted), std::string::npos) << call << "\n" << notes();
      }
      if (map && shape.size() > 1 && value(lanescope::text("show(", x, ", ", size, registers)) && shown_) {
        Result<std::string> drawn = shownText(*shown_, {});
        ASSERT_TRUE(drawn) << render(drawn.error());
        std::ranges::replace(*drawn, '\n', ' '); // long sentences are wrapped
        // The picture's sentence starts with a capital letter, and its advice has characters that a terminal may lack.
        std::string tail = wanted.empty() ? "" : wanted.substr(1, wanted.find(';') - 1);
        EXPECT_NE(drawn->find(tail), std::string::npos) << text << " " << size << "\n" << *drawn;
        EXPECT_EQ(drawn->find("no owner") != std::string::npos, wanted.find("no owner") != std::string::npos);
      }
    }
  }
  EXPECT_GT(answers, 500u);
  EXPECT_GT(noted, 100u);
}

TEST_F(CoveragePaths, AnAtomOverMoreThanItsTile) {
  auto said = [&](const std::string &expression) {
    Result<Value> answer = value(expression);
    return answer ? str(*answer) : render(answer.error());
  };
  EXPECT_EQ(said("str(owners(\"SM80_16x8x16_F32F16F16F32_TN\", (32, 8), (9, 3))[\"thread\"][0])"), "5");
  EXPECT_EQ(said("str(owners(\"SM80_16x8x16_F32F16F16F32_TN\", (32, 8), (9, 3))[\"register\"][0])"), "3");
  EXPECT_EQ(said("str(owners(\"SM80_16x8x16_F32F16F16F32_TN\", (16, 16), (3, 9))[\"thread\"][0])"), "12");
  EXPECT_EQ(said("str(owners(\"SM80_16x8x16_F32F16F16F32_TN\", (16, 16), (3, 9))[\"register\"][0])"), "5");
  EXPECT_EQ(said("equal(WGMMA, \"SM90_64x64x16_F32F16F16_SS\", (128, 64)).equal"), "True");
  EXPECT_EQ(said("equal(WGMMA, \"SM90_64x64x16_F32F16F16_SS\", (64, 128)).equal"), "True");
  EXPECT_NE(said("equal(WGMMA, \"SM90_64x64x16_F32F16F16_SS\", (64, 96))").find("is for a tile of (64, 64)"),
            std::string::npos);
  // The 32x16 tile of A repeats over the 128x32 memory: each of the eight tiles takes the same number of wavefronts.
  std::string a = "make_tiled_mma(\"SM80_16x8x16_F32F16F16F32_TN\", (2,2,1), (32,32,16)).LayoutA_TV";
  std::string memory = "tile_to_shape(composition(Swizzle(3,3,4), cute((128,8),(1,128))), ";
  EXPECT_EQ(said(lanescope::text("conflicts(\"ldmatrix.x4.trans\", ", a, ", ", memory, "(128,32)), f16).instructions")),
            "8");
  EXPECT_NE(notes().find("repeats 4 x 2 times over the array of shape (128, 32)"), std::string::npos) << notes();
}

/// One warp of a four-warp instruction, against a one-warp instruction.
TEST_F(CoveragePaths, AWarpsPartOfAFragment) {
  Result<Value> same =
      value("equal(fragment(\"tcgen05.ld.16x256b.x1\", \"r\"), fragment(\"stmatrix.x2\", \"r\"), (16, 8)).equal");
  ASSERT_TRUE(same) << render(same.error());
  EXPECT_EQ(str(*same), "True");
  EXPECT_NE(notes().find("this is the part of one warp; the 4 warps of"), std::string::npos) << notes();
  Result<Value> refused =
      value("equal(fragment(\"tcgen05.ld.16x256b.x1\", \"r\"), fragment(\"stmatrix.x2\", \"r\"), (64, 8))");
  ASSERT_FALSE(refused);
  EXPECT_NE(render(refused.error())
                .find("is an array of shape (16, 8), not (64, 8); `fragment(\"tcgen05.ld.16x256b.x1\", "
                      "\"r\")` has a map of shape (64, 8)"),
            std::string::npos)
      << render(refused.error());
  Result<Value> neither =
      value("equal(fragment(\"tcgen05.ld.16x256b.x1\", \"r\"), fragment(\"stmatrix.x2\", \"r\"), (32, 8))");
  ASSERT_FALSE(neither);
  EXPECT_NE(render(neither.error()).find("is an array of shape (64, 8) ((16, 8) of one warp), not (32, 8)"),
            std::string::npos)
      << render(neither.error());
}

} // namespace
} // namespace lanescope::repl
