// Merged cells, TeX, and pages of several pictures.
#include "Fixtures.h"

#include "viz/export/Export.h"
#include "viz/export/Html.h"
#include "viz/export/MergedFills.h"
#include "viz/export/Svg.h"
#include "viz/export/Tikz.h"
#include "viz/scene/MoveScene.h"

#include <nlohmann/json.hpp>

namespace lanescope::viz::test {
namespace {

TEST(MergedFills, CoverEachCellOnceInItsColour) {
  for (const Scene &scene : {wgmma({64, 32}), wgmma({64, 32}, {.view = View::Lanes, .colourBy = ColourBy::Vector}),
                             drawn(layoutScene(any(catalogue::wgmmaRow()), {64}, Dtype::F32)),
                             drawn(layoutScene(any(catalogue::wgmmaCol()), {24}, Dtype::F32)),
                             drawn(smemScene({.shape = {8, 64}, .tiling = {8, 64}, .swizzle = 128}))}) {
    struct Painted {
      Rect rect;
      Colour colour;
    };
    std::vector<Painted> all;
    double area = 0;
    for (const auto &[colour, rects] : mergedFills(scene.body.boxes))
      for (const Rect &rect : rects) {
        all.push_back({rect, colour});
        area += rect.width * rect.height;
      }
    EXPECT_NEAR(area, scene.body.width * scene.body.height, 1e-3); // everything is covered without overlap
    for (const Box &box : scene.body.boxes)
      for (int band = 0; band < std::max(box.bandCount, 1); ++band) {
        double width = box.rect.width / std::max(box.bandCount, 1);
        Point middle{box.rect.x + (band + 0.5) * width, box.rect.y + box.rect.height / 2};
        Colour want = box.bandCount > 1 ? box.bands[static_cast<size_t>(band)] : box.fill;
        auto at = std::find_if(all.begin(), all.end(), [&](const Painted &p) { return p.rect.contains(middle); });
        ASSERT_NE(at, all.end());
        EXPECT_EQ(at->colour, want);
      }
    EXPECT_LT(all.size(), scene.body.boxes.size() * 4);
  }
  EXPECT_EQ(mergedFills({}).size(), 0u);
  std::vector<Box> plain(6);
  for (int i = 0; i < 6; ++i)
    plain[static_cast<size_t>(i)].rect = {i % 3 * 10.0, i / 3 * 10.0, 10, 10};
  ASSERT_EQ(mergedFills(plain).size(), 1u);
  ASSERT_EQ(mergedFills(plain)[0].second.size(), 1u); // one rectangle
  EXPECT_EQ(mergedFills(plain)[0].second[0].width, 30);
  plain[4].hatched = true;
  EXPECT_EQ(mergedHatches(plain).size(), 1u);
}

TEST(Svg, LargeGridsMergeTheirCells) {
  Scene scene = wgmma({128, 128});
  std::string svg = toSvg(scene);
  EXPECT_LT(svg.size(), 2'000'000u);
  size_t rects = 0, texts = 0;
  for (size_t at = 0; (at = svg.find("<rect", at)) != std::string::npos; ++at)
    ++rects;
  for (size_t at = 0; (at = svg.find("<text", at)) != std::string::npos; ++at)
    ++texts;
  EXPECT_LT(rects, 100u);            // the page and its legend
  EXPECT_GT(texts, 2u * 128 * 128u); // two labels per cell, as text
}

TEST(Tikz, EscapesWhatTexReads) {
  EXPECT_EQ(latexText("a_b%c"), "a\\_b\\%c");
  EXPECT_EQ(latexText("\\{}$&#^~"), "\\textbackslash{}\\{\\}\\$\\&\\#\\textasciicircum{}\\textasciitilde{}");
  EXPECT_EQ(latexText("T0–3 ×2 µ →"), "T0--3 $\\times$2 $\\mu$ $\\to$");
  EXPECT_EQ(latexText("é\xff"), "??");
}

/// Checks that braces match and that no label has an unescaped special character.
void checkTex(const std::string &tex) {
  int depth = 0;
  for (size_t i = 0; i < tex.size(); ++i) {
    if (tex[i] == '\\') {
      ++i;
      continue;
    }
    depth += tex[i] == '{';
    depth -= tex[i] == '}';
    ASSERT_GE(depth, 0);
  }
  EXPECT_EQ(depth, 0);
  EXPECT_NE(tex.find("\\begin{document}"), std::string::npos);
  EXPECT_NE(tex.find("\\end{tikzpicture}"), std::string::npos);
  for (size_t at = 0; (at = tex.find("\\usepackage", at)) != std::string::npos; ++at) {
    size_t open = tex.find('{', at), close = tex.find('}', open);
    std::string package = tex.substr(open + 1, close - open - 1);
    EXPECT_TRUE(package == "tikz" || package == "geometry" || package == "textcomp") << package;
  }
}

TEST(Tikz, EveryKindOfPicture) {
  LayoutSceneOptions options;
  options.name = "100% {odd} \\name_ #1";
  auto map = std::make_shared<const layouts::ElementMap>(*layouts::ElementMap::of(catalogue::wgmma(), {64, 8}));
  for (const Scene &scene : {wgmma({64, 8}, options), drawn(layoutScene(any(catalogue::wgmmaRow()), {64}, Dtype::F32)),
                             drawn(smemScene({.shape = {8, 64}, .tiling = {8, 64}, .swizzle = 128})),
                             traceScene(smallTrace()), drawn(diffScene(map, map)), drawn(flowScene(map, map)), Scene{}})
    checkTex(*toTikz(scene));
  EXPECT_FALSE(toTikz(wgmma({128, 128})).has_value());
}

TEST(Html, PicturesOfOneArrayAreLinked) {
  std::vector<Scene> scenes = {wgmma(), wgmma({64, 8}, {.view = View::Lanes}), wgmma({64, 16})};
  std::string html = plainPage(toHtml(scenes));
  const nlohmann::json data = dataOf(html)["scenes"];
  ASSERT_EQ(data.size(), 3u);
  EXPECT_EQ(data[0]["array"], data[1]["array"]);
  EXPECT_NE(data[0]["array"], data[2]["array"]);
  EXPECT_EQ(data[1]["elements"][7], 67); // the fourth value of thread 1 is (8, 3)
  for (const char *id : {"hatch0", "hatch1", "hatch2"})
    EXPECT_NE(html.find(std::string("id=\"") + id + "\""), std::string::npos);
  EXPECT_NE(html.find("tabindex=\"0\""), std::string::npos);
  EXPECT_TRUE(renderScenes(scenes, "html").has_value());
  EXPECT_FALSE(renderScenes(scenes, "png").has_value());
  EXPECT_TRUE(renderScenes({&scenes[0], 1}, "png").has_value());
  EXPECT_FALSE(toHtml(std::span<const Scene>{}).empty());
}

} // namespace
} // namespace lanescope::viz::test
