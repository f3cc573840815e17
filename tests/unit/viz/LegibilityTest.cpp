// Legibility of pictures: borders that yield to small cells, marked copies, legends of the drawn elements, and headings
// that do not overlap.
#include "Fixtures.h"

#include "viz/scene/CellRaster.h"
#include "viz/scene/MoveScene.h"
#include "viz/scene/Page.h"
#include "viz/scene/Palette.h"
#include "viz/scene/ViewText.h"

#include <cmath>

namespace lanescope::viz::test {
namespace {

std::vector<std::string> legendOf(const Scene &scene) {
  std::vector<std::string> out;
  for (const LegendEntry &entry : scene.legend)
    out.push_back(entry.text);
  return out;
}

/// The share of the picture that its inner lines cover, weighted by their strength.
double covered(const Scene &scene) {
  double ink = 0;
  for (const Line &line : scene.body.lines) {
    bool edge = line.from.x == line.to.x ? line.from.x == 0 || line.from.x == scene.body.width
                                         : line.from.y == 0 || line.from.y == scene.body.height;
    if (!edge)
      ink += std::hypot(line.to.x - line.from.x, line.to.y - line.from.y) * line.width * line.colour.a / 255;
  }
  return ink / (scene.body.width * scene.body.height);
}

TEST(Borders, YieldWhereTheyWouldCoverTheColours) {
  BorderStrength few = borderStrength(3 * 400, 400 * 400, 1.5, 255, 1);
  EXPECT_EQ(few.width, 1.5);
  EXPECT_EQ(few.alpha, 255);
  double before = 2;
  for (double cell : {40, 20, 10, 6, 3}) { // a border around every cell
    BorderStrength many = borderStrength(2 * 400 * 400 / cell, 400 * 400, 1.5, 255, 0.5);
    double ink = 2 / cell * many.width * many.alpha / 255;
    EXPECT_LE(ink, 0.06) << cell;
    EXPECT_GE(many.width, 0.5);
    EXPECT_LE(many.width * many.alpha, before * 255) << cell;
    before = many.width;
  }
  EXPECT_EQ(borderStrength(400 * 400, 400 * 400, 1, 255, 1).alpha, 0) << "a line per pixel";
  EXPECT_EQ(borderStrength(0, 0, 1, 100, 1).alpha, 100);
}

TEST(Borders, OfPicturesOfManyKindsOfCells) {
  auto map = [](const layouts::TiledLayout &layout) {
    return std::make_shared<const layouts::ElementMap>(*layouts::ElementMap::of(layout, {128, 256}));
  };
  // Every second element moves; in the other picture, each 16 bytes of a line are a kind of their own.
  EXPECT_LE(covered(drawn(diffScene(map(catalogue::wgmma()), map(catalogue::wgmmaTransposed())))), 0.12);
  EXPECT_LE(covered(drawn(smemScene({.shape = {128, 128}, .dtype = Dtype::F32, .tiling = {8, 32}}))), 0.12);
  // Four quarters keep their strong borders.
  Scene few = wgmma({64, 32});
  EXPECT_TRUE(std::any_of(few.body.lines.begin(), few.body.lines.end(), [&](const Line &line) {
    return line.from.y == line.to.y && line.from.y > 0 && line.from.y < few.body.height && line.width == 2 &&
           line.colour.a == 255;
  }));
}

TEST(Copies, EveryModelKnowsItsOwn) {
  auto check = [](const Scene &scene, bool some) {
    const CellModel &model = scene.raster->model();
    bool any = false;
    for (int64_t row = 0; row < model.rows(); ++row)
      for (int64_t column = 0; column < model.columns(); ++column) {
        Cell cell = model.cell(row, column);
        ASSERT_EQ(model.isCopy(row, column), cell.hatched && cell.element >= 0)
            << scene.title << " " << row << " " << column;
        any |= cell.hatched;
      }
    EXPECT_EQ(any, some) << scene.title;
    EXPECT_TRUE(model.hasCopies() || !any) << scene.title;
  };
  for (View view : {View::Grid, View::Lanes}) {
    check(wgmma({64, 16}, {.view = view}), false);
    check(drawn(layoutScene(any(catalogue::wgmmaRow()), {64}, Dtype::F32, {.view = view})), true);
    check(drawn(layoutScene(any(catalogue::wgmmaCol()), {16}, Dtype::F32, {.view = view})), true);
  }
  for (View view : {View::Grid, View::Tmem})
    check(drawn(layoutScene(catalogue::scales(), {128, 8}, Dtype::I8, {.view = view})), true);
  SmemSceneOptions owned{.colourBy = SmemColour::Warp, .owners = any(catalogue::wgmmaRow())};
  check(drawn(smemScene({.shape = {128}, .dtype = Dtype::F32}, owned)), true);
  owned.owners = any(catalogue::wgmma());
  check(drawn(smemScene({.shape = {64, 8}, .dtype = Dtype::F32}, owned)), false);
}

TEST(Copies, TheLegendCountsThem) {
  EXPECT_EQ(legendOf(drawn(layoutScene(any(catalogue::wgmmaRow()), {64}, Dtype::F32))).back(),
            "hatched: each element is held by 4 lanes of its warp");
  EXPECT_EQ(legendOf(drawn(layoutScene(any(catalogue::wgmmaCol()), {16}, Dtype::F32))).back(),
            "hatched: each element is held by 32 threads, 8 lanes in each of 4 warps; stripes are the warps");
  EXPECT_EQ(legendOf(drawn(layoutScene(any(catalogue::wgmmaRow()), {64}, Dtype::F32, {.view = View::Lanes}))).back(),
            "hatched: a further copy; each element is held by 4 lanes of its warp");
  for (const std::string &entry : legendOf(wgmma()))
    EXPECT_EQ(entry.find("hatched"), std::string::npos) << entry;
}

TEST(Legend, NamesOnlyWhatIsDrawn) {
  // 64 bytes are half of a line, or 4 of its 8 chunks.
  Scene chunks = drawn(smemScene({.shape = {2, 16}, .dtype = Dtype::F16}));
  std::vector<std::string> entries = legendOf(chunks);
  EXPECT_EQ(std::count_if(entries.begin(), entries.end(), [](const auto &e) { return e.starts_with("bytes "); }), 4);
  EXPECT_EQ(entries[4], "bytes 48 to 63") << "after the caption";
  Scene banks = drawn(smemScene({.shape = {2, 16}, .dtype = Dtype::F16}, {.colourBy = SmemColour::Bank}));
  entries = legendOf(banks);
  EXPECT_EQ(std::count_if(entries.begin(), entries.end(), [](const auto &e) { return e.starts_with("banks "); }), 4);
  // The slice at 1 of an array of (4, 64, 8), whose rows are distributed over 16 warps. A stacked WGMMA accumulator has
  // all four warps; its first 16 rows have one.
  auto warps = [](const Scene &scene) {
    std::vector<std::string> all = legendOf(scene);
    return std::count_if(all.begin(), all.end(), [](const auto &e) { return e.starts_with("warp "); });
  };
  EXPECT_EQ(warps(wgmma()), 4);
  std::vector<int32_t> table(128 * 4);
  for (int t = 0; t < 128; ++t)
    for (int v = 0; v < 4; ++v)
      table[size_t(t * 4 + v)] = t * 4 + v;
  auto rows = std::make_shared<const layouts::ElementMap>(
      *layouts::ElementMap::fromTable(any(catalogue::wgmma()), {4, 16, 8}, 128, 4, 1, table));
  EXPECT_EQ(warps(drawn(elementMapScene(rows, Dtype::F32, {}))), 4);
  Scene third = drawn(elementMapScene(rows, Dtype::F32, {.slice = {2}}));
  EXPECT_EQ(warps(third), 1);
  EXPECT_TRUE(legendOf(third)[0].starts_with("warp 2:")) << legendOf(third)[0];
}

TEST(Page, HeadingsKeepClearOfEachOther) {
  auto texts = [](const Scene &scene) {
    std::vector<std::pair<Rect, std::string>> out;
    for (const Text &text : page(scene).furniture.texts) {
      double width = textWidth(text.text, text.size, text.bold);
      double left = text.at.x - (text.align == Align::Left ? 0 : text.align == Align::Centre ? width / 2 : width);
      out.push_back({{left, text.at.y - text.size * 0.4, width, text.size * 0.8}, text.text});
    }
    return out;
  };
  LayoutSceneOptions whole{.view = View::Tmem};
  whole.wholeMemory = true;
  for (const Scene &scene :
       {drawn(layoutScene(*catalogue::tmemHalfLane(64, 2), {64, 64}, Dtype::F16, whole)),
        drawn(layoutScene(*catalogue::tmemDefault(1), {128, 256}, Dtype::F32, whole)), wgmma({128, 128}), wgmma(),
        drawn(smemScene({.shape = {128, 128}, .dtype = Dtype::F16, .tiling = {8, 64}, .swizzle = 128}))}) {
    auto all = texts(scene);
    for (size_t i = 0; i < all.size(); ++i)
      for (size_t j = 0; j < i; ++j) {
        const Rect &a = all[i].first, &b = all[j].first;
        EXPECT_FALSE(a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height)
            << scene.title << ": `" << all[i].second << "` and `" << all[j].second << "`";
      }
  }
}

/// The two ways to draw a grid agree: whole rows of colours, and single cells.
TEST(Arrows, ThePictureOfMovesHasOneColourEach) {
  auto map = [](const layouts::TiledLayout &layout) {
    return std::make_shared<const layouts::ElementMap>(*layouts::ElementMap::of(layout, {64, 16}));
  };
  for (ColourTheme theme : {ColourTheme::Light, ColourTheme::Dark})
    for (auto draw : {flowScene, diffScene}) {
      Scene scene = drawn(draw(map(catalogue::wgmma()), map(catalogue::wgmmaTransposed()), {.theme = theme}));
      const CellRaster &cells = *scene.raster;
      std::vector<uint32_t> row(static_cast<size_t>(cells.columns()));
      for (int64_t r = 0; r < cells.rows(); ++r) {
        cells.fill(0, r, 0, 1, cells.columns(), row.data(), cells.columns());
        for (int64_t c = 0; c < cells.columns(); ++c) {
          Cell cell = cells.cell(r, c);
          ASSERT_EQ(row[static_cast<size_t>(c)], cell.element < 0 ? 0 : packedIn(theme, cell.fill)) << r << " " << c;
        }
      }
    }
}

TEST(Arrows, HeadsAreLinesInFiles) {
  std::vector<Line> lines = withHeads({{{0, 0}, {10, 0}, kInk, 2}, {.from = {0, 5}, .to = {10, 5}, .head = 4}});
  ASSERT_EQ(lines.size(), 4u);
  for (size_t i : {2, 3}) {
    EXPECT_EQ(lines[i].from.x, 10);
    EXPECT_NEAR(std::hypot(lines[i].to.x - 10, lines[i].to.y - 5), 4, 1e-9);
    EXPECT_LT(lines[i].to.x, 10);
    EXPECT_EQ(lines[i].head, 0);
  }
  EXPECT_NE(lines[2].to.y > 5, lines[3].to.y > 5);
}

} // namespace
} // namespace lanescope::viz::test
