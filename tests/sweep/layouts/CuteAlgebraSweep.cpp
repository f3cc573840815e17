// The laws of CuTe's algebra on random layouts.
#include "layouts/cute/Division.h"
#include "tests/unit/layouts/CuteSupport.h"

#include <algorithm>
#include <set>

namespace lanescope::layouts::cute {
namespace {

TEST(CuteAlgebra, Laws) {
  Random random(11);
  int compositions = 0, associations = 0, complements = 0, rights = 0, lefts = 0, divisions = 0, products = 0;
  for (int n = 0; n < 12000; ++n) {
    Layout a = randomLayout(random), b = randomLayout(random), c = randomLayout(random, true, 1);
    if (a.size() > 300 || b.size() > 300)
      continue;
    for (int64_t i = 0; i < a.size(); ++i)
      ASSERT_EQ(valueAt(a, i), slowValue(a, i)) << cppText(a);
    Layout simple = coalesce(a);
    ASSERT_EQ(simple.size(), a.size());
    ASSERT_LE(depthOf(simple.shape), 1);
    ASSERT_EQ(valuesOf(simple), valuesOf(a)) << cppText(a);
    if (Result<Layout> r = composition(a, b)) {
      ++compositions;
      ASSERT_EQ(r->size(), b.size());
      for (int64_t i = 0; i < b.size(); ++i)
        ASSERT_EQ(slowValue(*r, i), slowValue(a, slowValue(b, i))) << cppText(a) << " o " << cppText(b);
      Result<Layout> inner = composition(b, c), left = composition(*r, c);
      Result<Layout> right = inner ? composition(a, *inner) : inner;
      // Beyond that size the last modes continue differently on the two sides.
      if (left && right && cosizeOf(c) <= b.size()) {
        ++associations;
        ASSERT_EQ(valuesOf(*left), valuesOf(*right)) << cppText(a) << " o " << cppText(b) << " o " << cppText(c);
      }
    }
    int64_t target = 1 + static_cast<int64_t>(random() % 100);
    if (Result<Layout> rest = complement(a, target)) {
      ++complements;
      std::vector<int64_t> own = valuesOf(a), others = valuesOf(*rest);
      std::set<int64_t> values(own.begin(), own.end()), both;
      for (size_t i = 1; i < others.size(); ++i) {
        ASSERT_LT(others[i - 1], others[i]) << cppText(a);
        ASSERT_FALSE(values.contains(others[i])) << cppText(a);
      }
      for (int64_t x : others)
        for (int64_t y : values)
          ASSERT_TRUE(both.insert(x + y).second) << cppText(a) << " and " << cppText(*rest); // each value once
      ASSERT_GE(cosizeOf(makeLayout({a, *rest})), target);
      ASSERT_GE(rest->size(), target / static_cast<int64_t>(std::max<size_t>(values.size(), 1)));
    }
    if (Result<Layout> r = rightInverse(a)) {
      ++rights;
      for (int64_t i = 0; i < r->size(); ++i)
        ASSERT_EQ(slowValue(a, slowValue(*r, i)), i) << cppText(a) << " inverse " << cppText(*r);
    }
    if (Result<Layout> l = leftInverse(a)) {
      ++lefts;
      for (int64_t i = 0; i < a.size(); ++i)
        ASSERT_EQ(slowValue(a, slowValue(*l, slowValue(a, i))), slowValue(a, i))
            << cppText(a) << " inverse " << cppText(*l);
    }
    if (Result<Layout> common = maxCommonLayout(a, simple))
      for (int64_t i = 0; i < common->size(); ++i) {
        ASSERT_EQ(slowValue(a, slowValue(*common, i)), i);
        ASSERT_EQ(slowValue(simple, slowValue(*common, i)), i);
      }
    if (Result<Layout> divided = logicalDivide(a, Tiler::of(c))) {
      ++divisions;
      ASSERT_EQ(valuesOf(divided->mode(0)), valuesOf(*composition(a, c))) << cppText(a) << " / " << cppText(c);
      // The tiles partition an array that they divide: each value occurs once.
      if (a.size() % c.size() == 0 && divided->size() == a.size()) {
        std::vector<int64_t> before = valuesOf(a), after = valuesOf(*divided);
        std::ranges::sort(before);
        std::ranges::sort(after);
        ASSERT_EQ(before, after) << cppText(a) << " / " << cppText(c);
      }
    }
    if (Result<Layout> product = logicalProduct(a, Tiler::of(c))) {
      ++products;
      ASSERT_EQ(product->mode(0), a);
      ASSERT_EQ(product->mode(1).size(), c.size());
      Result<Layout> blocked = blockedProduct(a, c), raked = rakedProduct(a, c);
      ASSERT_TRUE(blocked && raked);
      std::vector<int64_t> x = valuesOf(*product), y = valuesOf(*blocked), z = valuesOf(*raked);
      for (auto *values : {&x, &y, &z})
        std::ranges::sort(*values);
      ASSERT_EQ(x, y) << cppText(a) << " x " << cppText(c);
      ASSERT_EQ(x, z);
    }
  }
  // The generator must produce layouts to which the laws apply.
  EXPECT_GT(compositions, 3000);
  EXPECT_GT(associations, 1000);
  EXPECT_GT(complements, 8000);
  EXPECT_GT(rights, 9000);
  EXPECT_GT(lefts, 5000);
  EXPECT_GT(divisions, 3000);
  EXPECT_GT(products, 5000);
}

} // namespace
} // namespace lanescope::layouts::cute
