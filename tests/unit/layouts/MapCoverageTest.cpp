// A layout in any notation that does not fit an array gives one of three results: the map, a reported repetition, or an
// error. No element lacks an owner without a report.
#include "layouts/MapCoverage.h"
#include "layouts/Catalogue.h"
#include "layouts/MapJson.h"
#include "layouts/notation/Notation.h"
#include "layouts/Reading.h"
#include "layouts/support/Text.h"
#include "tests/unit/LayoutSamples.h"

#include <gtest/gtest.h>

using namespace lanescope;
using namespace lanescope::layouts;

namespace {

Layout parsed(const std::string &text) {
  Result<Layout> layout = parseLayout(Source::make("layout", text));
  EXPECT_TRUE(layout) << text << "\n" << (layout ? "" : render(layout.error()));
  return layout ? *std::move(layout) : Layout(RegisterLayout(catalogue::wgmma()));
}

/// The number of elements that no slot of the map holds. The note counts in the other direction.
template <typename Map> int64_t unowned(const Map &map) {
  int64_t out = 0;
  for (int64_t element = 0; element < elementCount(map.shape()); ++element)
    if constexpr (requires { map.owners(element); })
      out += map.owners(element).empty();
    else
      out += map.cells(element).empty();
  return out;
}

constexpr const char *kAtomC = "Tiler_MN: (_16,_8) LayoutC_TV: ((_4,_8),(_2,_2)):((_32,_1),(_16,_8))";

TEST(Coverage, AStatedTileRepeatsOverItsMultiples) {
  Layout atom = parsed(kAtomC);
  ElementMap one = *elementMapOf(atom, {16, 8});
  EXPECT_EQ(coverageNote(one), "");
  for (const Shape &times : {Shape{2, 1}, {1, 2}, {3, 5}, {4, 4}, {1, 7}, {8, 1}, {2, 3}, {5, 5}, {1, 16}, {6, 2}}) {
    Shape shape = {16 * times[0], 8 * times[1]};
    Result<ElementMap> map = elementMapOf(atom, shape);
    ASSERT_TRUE(map) << render(map.error());
    EXPECT_EQ(map->threads(), 32);
    EXPECT_EQ(map->values(), 4 * times[0] * times[1]);
    EXPECT_EQ(map->replication(), 1);
    EXPECT_EQ(coverageNote(*map), text("the layout's tile of (16, 8) repeats ", times[0], " x ", times[1],
                                       " times over the array of shape ", tupleText(shape)));
    // Every element belongs to its thread of the tile; the tiles follow each other in column-major order.
    for (int64_t row = 0; row < shape[0]; ++row)
      for (int64_t column = 0; column < shape[1]; ++column) {
        std::vector<Owner> mine = map->owners(row * shape[1] + column), base = one.owners(row % 16 * 8 + column % 8);
        ASSERT_EQ(mine.size(), 1u);
        EXPECT_EQ(mine[0].thread, base[0].thread);
        EXPECT_EQ(mine[0].reg, base[0].reg + 4 * (row / 16 + column / 8 * times[0]));
      }
  }
}

TEST(Coverage, AnyOtherShapeIsAnErrorThatSaysTheTile) {
  Layout atom = parsed(kAtomC);
  for (const Shape &shape :
       {Shape{16, 16, 8}, {128}, {8, 16}, {16, 4}, {8, 8}, {24, 8}, {16, 12}, {1, 16, 8}, {17, 8}, {4, 4}, {}}) {
    Result<ElementMap> map = elementMapOf(atom, shape);
    ASSERT_FALSE(map) << tupleText(shape);
    EXPECT_NE(map.error()[0].message.find("is for a tile of (16, 8), which repeats over arrays that are multiples of "
                                          "it, as (32, 8); " +
                                          tupleText(shape) + " is no such multiple"),
              std::string::npos)
        << render(map.error());
  }
  EXPECT_FALSE(elementMapOf(atom, {0, 8}));
  EXPECT_FALSE(elementMapOf(atom, {1 << 20, 1 << 20}));
}

/// ThrID moves the atom's threads, and the remaining threads hold nothing.
TEST(Coverage, ThreadsKeepTheirPlacesInEveryTile) {
  Layout quad =
      parsed("Tiler_MN: (_8,_8) ThrID: (_4,_2):(_1,_16) LayoutC_TV: ((_2,_2,_2),(_2,_2,_2)):((_1,_16,_4),(_8,_2,_32))");
  Result<ElementMap> one = elementMapOf(quad, {8, 8}), four = elementMapOf(quad, {16, 16});
  ASSERT_TRUE(one && four);
  EXPECT_EQ(four->threads(), one->threads());
  for (int t = 0; t < one->threads(); ++t)
    EXPECT_EQ(one->element(t, 0, 0) < 0, four->element(t, 0, 0) < 0) << t;
  EXPECT_EQ(four->owners(15 * 16 + 15)[0].thread, one->owners(7 * 8 + 7)[0].thread);
}

TEST(Coverage, ElementsWithoutAnOwnerAreSaid) {
  Result<ElementMap> map = elementMapOf(parsed("(_4,_2):(_2,_1)"), {4, 4});
  ASSERT_TRUE(map);
  EXPECT_TRUE(
      coverageNote(*map).starts_with("8 of the 16 elements of shape (4, 4) have no owner: the first is (0, 2); "))
      << coverageNote(*map);
  EXPECT_NE(coverageNote(*map).find("`Tiler_MN: (_16,_8) TiledLayout_TV: …` states a tile"), std::string::npos);
  Result<ElementMap> but = elementMapOf(parsed("(_3,_1):(_1,_1)"), {4, 1});
  ASSERT_TRUE(but);
  EXPECT_TRUE(coverageNote(*but).starts_with("1 of the 4 elements of shape (4, 1) has no owner: it is (3, 0)"));
  EXPECT_NE(elementMapJson(*map).find(R"("note":"8 of the 16 elements)"), std::string::npos);
  EXPECT_EQ(elementMapJson(*elementMapOf(parsed("(_4,_2):(_2,_1)"), {4, 2})).find("note"), std::string::npos);
  EXPECT_EQ(elementMapJson(*elementMapOf(Layout(RegisterLayout(catalogue::wgmma())), {64, 8})).find("note"),
            std::string::npos);
}

TEST(Coverage, NoNotationLeavesElementsToNobodyInSilence) {
  size_t maps = 0, errors = 0;
  auto look = [&](const std::string &name, const Layout &layout) {
    for (const Shape &shape : sampleShapes())
      for (Memory memory : memoriesOf(layout)) {
        Result<Placement> placed = placement(layout, shape, 32, memory);
        if (!placed) {
          ++errors;
          ASSERT_FALSE(placed.error().empty());
          EXPECT_FALSE(placed.error()[0].message.empty()) << name;
          continue;
        }
        ++maps;
        int64_t missing = 0;
        if (const auto *registers = std::get_if<ElementMap>(&*placed))
          missing = unowned(*registers);
        else if (const auto *tmem = std::get_if<TmemMap>(&*placed))
          missing = unowned(*tmem);
        std::string note = coverageNote(*placed);
        EXPECT_EQ(missing > 0, note.find("no owner") != std::string::npos)
            << name << " of " << tupleText(shape) << ": " << missing << " without an owner; said: " << note;
      }
  };
  for (const char *text : kLayoutSamples)
    look(text, parsed(text));
  for (const CatalogueEntry &entry : catalogueEntries())
    if (!entry.callable)
      if (Result<Layout> layout = entry.make())
        look(std::string(entry.name), *layout);
  EXPECT_GT(maps, 300u);
  EXPECT_GT(errors, 300u);
}

} // namespace
