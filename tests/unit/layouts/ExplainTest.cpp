#include "layouts/Explain.h"

#include "layouts/Catalogue.h"
#include "layouts/Equal.h"
#include "layouts/notation/Notation.h"

#include <gtest/gtest.h>

using namespace lanescope;
using namespace lanescope::layouts;

namespace {

Layout must(const std::string &text) {
  Result<Layout> layout = parseLayout(Source::make("layout", text));
  EXPECT_TRUE(layout) << text << "\n" << (layout ? "" : render(layout.error()));
  return layout ? *layout : Layout(RegisterLayout(WGSplatFragLayout{}));
}

std::string valueOf(const std::vector<ExplainStep> &steps, std::string_view what) {
  for (const ExplainStep &step : steps)
    if (step.what == what)
      return step.value;
  return "";
}

TEST(Explain, WgmmaTileByTile) {
  Result<std::vector<ExplainStep>> steps = explain(must("WGMMA"), {64, 64}, 32, {9, 13});
  ASSERT_TRUE(steps);
  EXPECT_EQ((*steps)[0].what, "tile (64, 8)");
  EXPECT_EQ((*steps)[0].how, "9 = 0*64 + 9, 13 = 1*8 + 5");
  EXPECT_EQ((*steps)[0].value, "(0, 1, 9, 5)");
  EXPECT_EQ(valueOf(*steps, "warp"), "0");
  EXPECT_EQ(valueOf(*steps, "lane"), "6"); // (9 % 8)*4 + 5/2
  EXPECT_EQ(valueOf(*steps, "register"), "3");
  EXPECT_EQ(valueOf(*steps, "vector position"), "1");
  EXPECT_EQ(valueOf(*steps, "thread"), "6");
  EXPECT_EQ(steps->back().value, "thread 6 (warp 0, lane 6) value 7");
}

// The steps end at the map's place, for every layout of the catalogue and every element of its example.
TEST(Explain, AgreesWithTheMaps) {
  for (const CatalogueEntry &entry : catalogueEntries()) {
    if (entry.callable || !entry.parameters.empty())
      continue;
    Layout layout = *entry.make();
    int bits = 32;
    if (const auto *tmem = std::get_if<TMEMLayout>(&layout))
      bits = static_cast<int>(32 / tmem->packing());
    Result<Placement> map = placement(layout, entry.example, bits);
    if (!map)
      continue;
    for (int64_t element = 0; element < elementCount(entry.example); element += 7) {
      Result<std::vector<ExplainStep>> steps =
          explain(layout, entry.example, bits, unravelIndex(element, entry.example));
      ASSERT_TRUE(steps);
      if (const auto *registers = std::get_if<ElementMap>(&*map)) {
        Owner owner = registers->owners(element).front();
        EXPECT_EQ(valueOf(*steps, "thread"), std::to_string(owner.thread)) << entry.name;
        EXPECT_EQ(valueOf(*steps, "register"), std::to_string(owner.reg)) << entry.name;
        EXPECT_EQ(valueOf(*steps, "vector position"), std::to_string(owner.position)) << entry.name;
      }
      EXPECT_EQ(steps->back().value, placeText(*map, element));
    }
  }
}

TEST(Explain, StridedSharedAndForeign) {
  Result<std::vector<ExplainStep>> strided =
      explain(must("WGStridedFragLayout(shape=(16, 64), vec_size=4)"), {16, 64}, 32, {9, 6});
  ASSERT_TRUE(strided);
  EXPECT_EQ(valueOf(*strided, "chunk"), "145"); // 582 / 4
  EXPECT_EQ(valueOf(*strided, "thread"), "17");
  EXPECT_EQ(valueOf(*strided, "register"), "1");
  Result<std::vector<ExplainStep>> shared = explain(must("smem_map((64, 128), f16)"), {64, 128}, 16, {9, 64});
  ASSERT_TRUE(shared);
  EXPECT_EQ(valueOf(*shared, "byte"), std::to_string(3 * 1024 + 128));
  EXPECT_EQ(valueOf(*shared, "swizzled byte"), std::to_string(3 * 1024 + 128 + 16));
  EXPECT_EQ(shared->back().value, "byte " + std::to_string(3 * 1024 + 128 + 16));
  Result<std::vector<ExplainStep>> tirx = explain(must("S[(2,8,4,2):(2,4@laneid,1@laneid,1)]"), {16, 8}, 32, {9, 3});
  ASSERT_TRUE(tirx);
  EXPECT_EQ(valueOf(*tirx, "laneid"), "5");
  EXPECT_EQ(tirx->back().value, "thread 5 value 3");
  Result<std::vector<ExplainStep>> splat = explain(must("WGSplatFragLayout(shape=(8,))"), {8}, 32, {3});
  ASSERT_TRUE(splat);
  EXPECT_EQ(splat->front().value, "every thread");
}

TEST(Explain, RefusesWhatIsOutside) {
  EXPECT_EQ(explain(must("WGMMA"), {64, 64}, 32, {64, 0}).error().front().message,
            "64 is outside dimension 0 of size 64");
  EXPECT_EQ(explain(must("WGMMA"), {64, 64}, 32, {1}).error().front().message,
            "the index has 1 part, and the array has rank 2");
  EXPECT_FALSE(explain(must("WGMMA"), {63, 64}, 32, {0, 0}));
  EXPECT_FALSE(explain(must("WGMMA"), {64, 64}, 32, {0, 0}, Memory::Shared));
}

} // namespace
