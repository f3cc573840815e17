// A kernel's tensor memory as one picture: the owner of each cell, unions, copies, free cells; the picture's text and
// files.
#include "Fixtures.h"

#include "viz/export/Export.h"
#include "viz/scene/CellRaster.h"
#include "viz/scene/TmemArraysScene.h"
#include "viz/scene/ViewText.h"

namespace lanescope::viz::test {
namespace {

using layouts::TmemArray;

std::vector<TmemArray> someArrays() {
  return {{"sums", *catalogue::tmemDefault(), {2, 128, 64}, Dtype::F32, 0},
          {"left", *catalogue::tmemDefault(2), {128, 64}, Dtype::F16, 128},
          {"total", *catalogue::tmemDefault(), {128, 32}, Dtype::F32, 144, true},
          {"scales", catalogue::scales(), {128, 8}, Dtype::F8E8M0FNU, 176},
          {"half", *catalogue::tmemM64Collective(32), {64, 32}, Dtype::F32, 192}};
}

TEST(TmemArrays, EveryCellSaysWhoseItIs) {
  Scene scene = drawn(tmemArraysScene(someArrays()));
  EXPECT_EQ(scene.title, "Tensor memory: 5 arrays in 200 of 512 columns");
  ASSERT_TRUE(scene.raster);
  EXPECT_EQ(scene.raster->rows(), 128);
  EXPECT_EQ(scene.raster->columns(), 208);
  EXPECT_EQ(scene.raster->describe(5, 70), "TMEM lane 5 (quarter of warp 0), column 70\n`sums`, (2, 128, 64) f32 in "
                                           "tmem_default_layout(packing=1), columns 0 to 127: holds (1, 5, 6)");
  // A cell holds two f16 elements.
  EXPECT_NE(scene.raster->describe(3, 130).find(
                "`left`, (128, 64) f16 in tmem_default_layout(packing=2), columns 128 to 159: "
                "holds (3, 4) (3, 5)"),
            std::string::npos)
      << scene.raster->describe(3, 130);
  // Two members of a union share the cell, so it is striped in both colours.
  Cell shared = scene.raster->cell(3, 150);
  EXPECT_EQ(shared.bandCount, 2);
  EXPECT_NE(shared.bands[0], shared.bands[1]);
  EXPECT_NE(scene.raster->describe(3, 150).find("`total`"), std::string::npos);
  // Scales have copies in all four quarters.
  EXPECT_FALSE(scene.raster->cell(1, 176).hatched);
  EXPECT_TRUE(scene.raster->cell(33, 176).hatched);
  // Free cells, and lanes that an array of 64 rows does not use.
  EXPECT_EQ(scene.raster->element(3, 186), -1);
  EXPECT_NE(scene.raster->describe(3, 186).find("no array is declared here"), std::string::npos);
}

TEST(TmemArrays, NamesStandOverTheirColumns) {
  Scene scene = drawn(tmemArraysScene(someArrays()));
  std::vector<std::string> names;
  for (const Axis::Group &group : scene.top.groups)
    names.push_back(group.text);
  EXPECT_EQ(names, (std::vector<std::string>{"sums", "left | total", "scales", "half"}));
  EXPECT_EQ(scene.top.groups[0].at, 0);
  EXPECT_NEAR(scene.top.groups[1].at, scene.body.width * 128 / 208, 1e-6);
  auto said = [&](std::string_view words) {
    return std::ranges::any_of(scene.legend,
                               [&](const LegendEntry &entry) { return entry.text.find(words) != std::string::npos; });
  };
  EXPECT_TRUE(
      said("`total`: (128, 32) f32 in tmem_default_layout(packing=1), columns 144 to 175, in both blocks of a pair; "
           "shares them with `left`"));
  EXPECT_TRUE(said("2 elements to a cell"));
  EXPECT_TRUE(said("stripes"));
  EXPECT_TRUE(said("holds nothing"));
  EXPECT_EQ(drawn(tmemArraysScene(someArrays(), {.wholeMemory = true})).raster->columns(), 512);
}

TEST(TmemArrays, TheTextDrawsTheSame) {
  ViewSpec spec{.view = View::Tmem};
  spec.arrays = someArrays();
  std::string written = viewText(spec);
  auto back = parseView(Source::make("view", written));
  ASSERT_TRUE(back) << written << "\n" << render(back.error());
  EXPECT_TRUE(*back == spec) << viewText(*back);
  Scene scene = drawn(viewScene(*back));
  EXPECT_EQ(scene.title, drawn(tmemArraysScene(someArrays())).title);
  EXPECT_NE(renderScene(scene, "json")->find(R"("column":144)"), std::string::npos);
  EXPECT_NE(renderScene(scene, "csv")->find("sums,\"(2, 128, 64)\",f32"), std::string::npos);
  // One array may be given without the outer tuple.
  auto one =
      parseView(Source::make("view", R"~(view(None, arrays=("a", "tmem_default_layout()", (128, 8), f32, 0)))~"));
  ASSERT_TRUE(one) << render(one.error());
  EXPECT_EQ(one->arrays.size(), 1u);
  Scene small = drawn(viewScene(*one));
  for (const char *format : {"svg", "png", "pdf", "html", "tex", "txt", "json", "csv"})
    EXPECT_TRUE(renderScene(small, format).has_value()) << format;
  EXPECT_LT(renderScene(small, "txt")->size(), 4000u) << "a bar is as wide as a page, not as the widest text";
}

TEST(TmemArrays, MistakesAreTold) {
  auto kindOf = [](const std::vector<TmemArray> &arrays, const LayoutSceneOptions &options = {}) {
    auto scene = tmemArraysScene(arrays, options);
    return scene ? std::string() : scene.error().front().kind;
  };
  TmemArray wide{"a", *catalogue::tmemDefault(), {128, 256}, Dtype::F32, 300};
  EXPECT_EQ(kindOf({}), "no-tensor-memory");
  EXPECT_EQ(kindOf({wide}), "tmem-shape");
  wide.shape = {256};
  EXPECT_EQ(kindOf({wide}), "tmem-rank");
  EXPECT_EQ(kindOf(someArrays(), {.view = View::Smem}), "view-does-not-fit");
  for (const char *bad : {R"~(view(None, arrays=3))~", R"~(view(None, arrays=()))~",
                          R"~(view(None, arrays=("a", "WGMM", (1, 2), f32, 0)))~",
                          R"~(view(None, arrays=("a", "tmem_default_layout()", (128,), f32, 0)))~",
                          R"~(view(None, arrays=("a", "tmem_default_layout()", (128, 8), f32)))~",
                          R"~(view(None, arrays=("a", "tmem_default_layout()", (128, 8), f32, 512)))~",
                          R"~(view(None, arrays=(("a", "tmem_default_layout()", (128, (8, (1, 2))), f32, 0),)))~"}) {
    auto spec = parseView(Source::make("view", bad));
    ASSERT_FALSE(spec) << bad;
    EXPECT_EQ(spec.error().front().kind, "bad-view");
  }
}

} // namespace
} // namespace lanescope::viz::test
