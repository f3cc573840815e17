// Laws of linear layouts, their degenerate cases, and the linear forms of maps.
#include "layouts/AddressMap.h"
#include "layouts/Catalogue.h"
#include "layouts/ElementMap.h"
#include "layouts/linear/LinearForm.h"
#include "layouts/linear/TritonLayout.h"
#include "layouts/SharedMemory.h"
#include "layouts/TmemMap.h"

#include <gtest/gtest.h>
#include <random>

namespace lanescope::layouts {
namespace {

using Input = LinearLayout::Input;

/// A random layout with these numbers of bits; in general it is not surjective.
LinearLayout randomLayout(std::mt19937 &random, std::vector<int> inputBits, std::vector<int> outputBits) {
  std::vector<Input> inputs;
  std::vector<LinearLayout::Output> outputs;
  for (size_t d = 0; d < outputBits.size(); ++d)
    outputs.push_back({standardName(d), 1 << outputBits[d]});
  for (size_t i = 0; i < inputBits.size(); ++i) {
    Input input{"in" + std::to_string(i), {}};
    for (int bit = 0; bit < inputBits[i]; ++bit) {
      LinearLayout::Basis basis;
      for (int bits : outputBits)
        basis.push_back(static_cast<int32_t>(random() & ((1u << bits) - 1)));
      input.bases.push_back(std::move(basis));
    }
    inputs.push_back(std::move(input));
  }
  return *LinearLayout::make(std::move(inputs), std::move(outputs));
}

std::vector<int32_t> randomPlace(std::mt19937 &random, const LinearLayout &layout) {
  std::vector<int32_t> place;
  for (const Input &input : layout.inputs())
    place.push_back(static_cast<int32_t>(random() & ((1u << input.bases.size()) - 1)));
  return place;
}

std::vector<int32_t> sum(std::vector<int32_t> a, const std::vector<int32_t> &b) {
  for (size_t i = 0; i < a.size(); ++i)
    a[i] ^= b[i];
  return a;
}

TEST(LinearLayout, ApplyIsLinear) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    LinearLayout f = randomLayout(random, {3, 4}, {4, 2});
    auto a = randomPlace(random, f), b = randomPlace(random, f);
    EXPECT_EQ(f.apply(sum(a, b)), sum(f.apply(a), f.apply(b)));
    EXPECT_EQ(f.apply({0, 0}), (std::vector<int32_t>{0, 0}));
  }
}

// The steps of the tutorial in LinearLayout.h, with its numbers.
TEST(LinearLayout, TutorialOfTheHeader) {
  using Bases = std::vector<LinearLayout::Basis>;
  using Coordinates = std::vector<int32_t>;

  // 1. Bases and products.
  auto tile = identity1D(2, "register", "dim1") * identity1D(4, "lane", "dim1") * identity1D(8, "lane", "dim0");
  EXPECT_EQ(tile.bases("register"), (Bases{{1, 0}}));
  EXPECT_EQ(tile.bases("lane"), (Bases{{2, 0}, {4, 0}, {0, 1}, {0, 2}, {0, 4}}));
  EXPECT_EQ(tile.outputNames(), (std::vector<std::string>{"dim1", "dim0"}));
  EXPECT_EQ(tile.apply({1, 5}), (Coordinates{3, 1}));
  for (int32_t lane = 0; lane < 32; ++lane)
    for (int32_t reg = 0; reg < 2; ++reg)
      EXPECT_EQ(tile.apply({reg, lane}), (Coordinates{2 * (lane % 4) + reg, lane / 4}));
  auto accumulator = tile * identity1D(2, "register", "dim0");
  EXPECT_EQ(accumulator.bases("register"), (Bases{{1, 0}, {0, 8}}));
  EXPECT_EQ(accumulator.apply({3, 5}), (Coordinates{3, 9}));

  // 2. A swizzle.
  auto swizzled = *LinearLayout::make({{"offset", {{0, 1}, {0, 2}, {1, 1}, {2, 2}}}}, {{"row", 4}, {"col", 4}});
  EXPECT_EQ(swizzled.apply({6}), (Coordinates{1, 3}));
  for (int32_t offset = 0; offset < 16; ++offset)
    EXPECT_EQ(swizzled.apply({offset}), (Coordinates{offset / 4, (offset % 4) ^ (offset / 4)}));

  // 3. Its inverse.
  auto where = *swizzled.invert();
  EXPECT_EQ(where.bases("row"), (Bases{{5}, {10}}));
  EXPECT_EQ(where.apply({2, 0}), (Coordinates{10}));
  for (int32_t row = 0; row < 4; ++row)
    EXPECT_EQ(where.apply({row, 0}), (Coordinates{5 * row}));

  // 4. A broadcast.
  auto copies = identity1D(4, "lane", "dim0");
  copies.extendZeros("lane", "dim0", 2);
  EXPECT_EQ(copies.bases("lane"), (Bases{{1}, {2}, {0}}));
  EXPECT_EQ(copies.apply({6}), (Coordinates{2}));
  EXPECT_EQ(copies.apply({2}), (Coordinates{2}));
  EXPECT_EQ(copies.rank(), 2);
  EXPECT_TRUE(copies.isSurjective());
  EXPECT_FALSE(copies.isInjective());
  auto inverse = copies.invert();
  ASSERT_FALSE(inverse);
  EXPECT_NE(inverse.error().front().message.find("each element has 2 places"), std::string::npos);
  EXPECT_EQ(copies.pseudoInvert()->apply({2}), (Coordinates{2}));

  // 5. Composition.
  auto memory = identity1D(8, "offset", "dim1") * identity1D(8, "offset", "dim0");
  auto reads = *tile.compose(*memory.invert());
  EXPECT_EQ(reads.bases("register"), (Bases{{1}}));
  EXPECT_EQ(reads.bases("lane"), (Bases{{2}, {4}, {8}, {16}, {32}}));
  EXPECT_EQ(reads.apply({1, 5}), (Coordinates{11}));
}

TEST(LinearLayout, ComposeIsOneAfterTheOther) {
  std::mt19937 random(2);
  for (int round = 0; round < 200; ++round) {
    LinearLayout f = randomLayout(random, {4, 3}, {3, 3});
    LinearLayout g = randomLayout(random, {3, 3}, {5});
    // f's outputs are g's inputs, given in the other order.
    std::vector<Input> inputs = {{"dim1", g.inputs()[0].bases}, {"dim0", g.inputs()[1].bases}};
    LinearLayout named = *LinearLayout::make(inputs, g.outputs());
    LinearLayout both = *f.compose(named);
    auto a = randomPlace(random, f), middle = f.apply(a);
    EXPECT_EQ(both.apply(a), named.apply({middle[1], middle[0]}));
  }
  EXPECT_FALSE(identity1D(4, "a", "b").compose(identity1D(4, "c", "d")));
  EXPECT_FALSE(identity1D(8, "a", "b").compose(identity1D(4, "b", "c"))) << "the output is larger than the input";
}

TEST(LinearLayout, InverseUndoes) {
  std::mt19937 random(3);
  int inverted = 0;
  for (int round = 0; round < 400; ++round) {
    LinearLayout f = randomLayout(random, {2, 3}, {3, 2});
    Result<LinearLayout> g = f.invert();
    EXPECT_EQ(bool(g), f.isInvertible());
    if (!g)
      continue;
    ++inverted;
    EXPECT_EQ(*g->invert(), f);
    for (int k = 0; k < 32; ++k) {
      std::vector<int32_t> place = {k & 3, k >> 2};
      EXPECT_EQ(g->apply(f.apply(place)), place);
    }
  }
  EXPECT_GT(inverted, 50);
}

TEST(LinearLayout, PseudoInverseTakesTheLowestPlace) {
  std::mt19937 random(4);
  int tried = 0;
  for (int round = 0; round < 400; ++round) {
    LinearLayout f = randomLayout(random, {4, 3}, {2, 2});
    Result<LinearLayout> g = f.pseudoInvert();
    EXPECT_EQ(bool(g), f.isSurjective());
    if (!g)
      continue;
    ++tried;
    for (int32_t y = 0; y < 16; ++y) {
      std::vector<int32_t> element = {y & 3, y >> 2}, lowest;
      for (int32_t k = 0; k < 128 && lowest.empty(); ++k)
        if (f.apply({k & 15, k >> 4}) == element)
          lowest = {k & 15, k >> 4};
      EXPECT_EQ(g->apply(element), lowest);
    }
  }
  EXPECT_GT(tried, 100);
}

TEST(LinearLayout, ProductPutsOneOnTopOfTheOther) {
  LinearLayout a = identity1D(4, "x", "dim0"), b = identity1D(2, "x", "dim1") * identity1D(2, "y", "dim0");
  LinearLayout p = *a.product(b);
  for (int32_t x = 0; x < 8; ++x)
    for (int32_t y = 0; y < 2; ++y) {
      std::vector<int32_t> low = a.apply({x % 4}), high = b.apply({x / 4, y});
      EXPECT_EQ(p.apply({x, y}), (std::vector<int32_t>{low[0] + 4 * high[1], high[0]}));
    }
  EXPECT_EQ(LinearLayout() * p, p);
  LinearLayout large = identity1D(1 << 30, "x", "dim0");
  EXPECT_FALSE(large.product(large));
}

TEST(LinearLayout, ReshapeAndTransposeKeepTheElement) {
  std::mt19937 random(5);
  LinearLayout f = randomLayout(random, {5}, {2, 3});
  LinearLayout g = *f.reshapeOutputs({{"a", 16}, {"b", 2}});
  LinearLayout t = *f.transposeOutputs({"dim1", "dim0"});
  for (int32_t k = 0; k < 32; ++k) {
    std::vector<int32_t> was = f.apply({k}), is = g.apply({k});
    EXPECT_EQ(was[0] * 8 + was[1], is[0] * 2 + is[1]);
    EXPECT_EQ(t.apply({k}), (std::vector<int32_t>{was[1], was[0]}));
  }
  EXPECT_FALSE(f.reshapeOutputs({{"a", 16}}));
  EXPECT_FALSE(f.transposeOutputs({"dim1"}));
  LinearLayout part = *f.sublayout({"in0"}, {"dim1"});
  EXPECT_EQ(part.apply({7})[0], f.apply({7})[1]);
  EXPECT_FALSE(f.sublayout({"nope"}, {"dim1"}));
}

TEST(LinearLayout, MakeRefuses) {
  auto kind = [](std::vector<Input> inputs, std::vector<LinearLayout::Output> outputs) {
    Result<LinearLayout> layout = LinearLayout::make(std::move(inputs), std::move(outputs));
    return layout ? "made" : layout.error().front().kind;
  };
  EXPECT_EQ(kind({{"a", {{4}}}}, {{"d", 4}}), "linear-range");
  EXPECT_EQ(kind({{"a", {{-1}}}}, {{"d", 4}}), "linear-range");
  EXPECT_EQ(kind({{"a", {{1, 0}}}}, {{"d", 4}}), "linear-rank");
  EXPECT_EQ(kind({}, {{"d", 6}}), "linear-size");
  EXPECT_EQ(kind({}, {{"d", 0}}), "linear-size");
  EXPECT_EQ(kind({{"a", {}}, {"a", {}}}, {{"d", 4}}), "linear-names");
  EXPECT_EQ(kind({}, {{"d", 4}, {"d", 4}}), "linear-names");
  EXPECT_EQ(kind({{"a", std::vector<LinearLayout::Basis>(49, {0})}}, {{"d", 4}}), "linear-size");
  EXPECT_EQ(kind({}, {}), "made");
}

TEST(LinearLayout, MatrixAndText) {
  LinearLayout f = *LinearLayout::make({{"register", {{0, 1}, {8, 0}}}, {"lane", {{0, 2}, {0, 4}}}, {"warp", {}}},
                                       {{"dim0", 16}, {"dim1", 8}});
  EXPECT_EQ(f.toString(), " - register=1 -> (0, 1)\n"
                          "   register=2 -> (8, 0)\n"
                          " - lane=1 -> (0, 2)\n"
                          "   lane=2 -> (0, 4)\n"
                          " - warp is a size 1 dimension\n"
                          "where out dims are: [dim0 (size 16), dim1 (size 8)]");
  BitMatrix m = f.matrix();
  EXPECT_EQ(m.rows, (std::vector<std::string>{"dim0 bit 0", "dim0 bit 1", "dim0 bit 2", "dim0 bit 3", "dim1 bit 0",
                                              "dim1 bit 1", "dim1 bit 2"}));
  EXPECT_EQ(m.columns, (std::vector<std::string>{"register 1", "register 2", "lane 1", "lane 2"}));
  for (size_t r = 0; r < 7; ++r)
    for (size_t c = 0; c < 4; ++c)
      EXPECT_EQ(m.at(r, c), (r == 4 && c == 0) || (r == 3 && c == 1) || (r == 5 && c == 2) || (r == 6 && c == 3));
  EXPECT_EQ(f.rank(), 4);
  EXPECT_FALSE(f.isSurjective());
  EXPECT_TRUE(f.isInjective());
}

TEST(LinearForm, EveryCatalogueLayoutThatHasOne) {
  const std::pair<RegisterLayout, Shape> cases[] = {{catalogue::wgmma(), {64, 64}},
                                                    {catalogue::wgmma(), {128, 8}},
                                                    {catalogue::wgmmaTransposed(), {64, 64}},
                                                    {catalogue::tcgen05(), {128, 64}},
                                                    {catalogue::wgmmaRow(), {64}}};
  for (const auto &[layout, shape] : cases) {
    Result<Placement> placed = placement(Layout(layout), shape, 16);
    ASSERT_TRUE(placed);
    Result<LinearLayout> form = linearForm(*placed);
    ASSERT_TRUE(form) << render(form.error());
    const auto &map = std::get<ElementMap>(*placed);
    for (int thread = 0; thread < map.threads(); ++thread)
      for (int value = 0; value < map.values(); ++value) {
        std::vector<int32_t> at = form->apply({value, thread % 32, thread / 32, 0});
        ASSERT_EQ(ravelIndex(Shape(at.begin(), at.end()), shape), map.elements()[thread * map.values() + value]);
      }
    // The conversion back.
    Result<ElementMap> again = elementMapFrom(*form, Layout(layout), shape);
    ASSERT_TRUE(again);
    EXPECT_TRUE(std::ranges::equal(again->elements(), map.elements()));
  }
}

TEST(LinearForm, WgmmaIsTritonsMmaVersion3) {
  LinearLayout form = *linearForm(*placement(Layout(RegisterLayout(catalogue::wgmma())), {64, 64}, 16));
  TritonEncoding mma = *TritonEncoding::make(NvidiaMma{3, 0, {4, 1}, {16, 64, 16}});
  EXPECT_EQ(form, *toLinear(mma, {64, 64}));
}

TEST(LinearForm, SaysWhichPlacesContradict) {
  Layout any{RegisterLayout(catalogue::wgmma())};
  // Elements 0 1 2 3, with 3 and 2 exchanged in the upper half: registers 1, 2 and 3 do not add up.
  std::vector<int32_t> table(128);
  for (int i = 0; i < 128; ++i)
    table[i] = i ^ (i >= 64 && i % 4 == 3 ? 4 : 0);
  Placement broken = *ElementMap::fromTable(any, {128}, 32, 4, 1, table);
  Result<LinearLayout> form = linearForm(broken);
  ASSERT_FALSE(form);
  EXPECT_EQ(form.error().front().kind, "not-linear");
  EXPECT_EQ(
      form.error().front().message,
      "the layout has no linear form: register 3 of thread 0 holds (3,) and register 0 of thread 16 holds (64,), so "
      "register 3 of thread 16 would hold (67,), but it holds (71,)");
  auto message = [&](Placement placed) { return linearForm(placed).error().front().message; };
  EXPECT_EQ(message(*ElementMap::fromTable(any, {96}, 32, 3, 1, std::vector<int32_t>(96, 0))),
            "each thread has 3 values, which is not a power of two, so the layout has no linear form");
  EXPECT_EQ(message(*ElementMap::fromTable(any, {48}, 32, 1, 1, std::vector<int32_t>(32, 0))),
            "shape (48,) has a size of 48, which is not a power of two, so the layout has no linear form");
  std::vector<int32_t> shifted(32);
  for (int i = 0; i < 32; ++i)
    shifted[i] = (i + 1) % 32;
  EXPECT_EQ(message(*ElementMap::fromTable(any, {32}, 32, 1, 1, shifted)),
            "the layout has no linear form: register 0 of thread 0 holds (1,), where a linear layout has element (0,)");
  std::vector<int32_t> hole(32, 0);
  hole[5] = -1;
  EXPECT_EQ(message(*ElementMap::fromTable(any, {32}, 32, 1, 1, hole)),
            "the layout has no linear form: register 0 of thread 5 holds nothing");
}

TEST(LinearForm, SharedMemoryWithSwizzleIsLinear) {
  AddressMap map = AddressMap::of(*SmemMap::of({64, 128}, 16, {8, 64}, 128));
  Result<LinearLayout> form = linearForm(Placement(map));
  ASSERT_TRUE(form) << render(form.error());
  EXPECT_TRUE(form->isInvertible());
  Result<AddressMap> again = addressMapFrom(*form, "again", {64, 128}, 16);
  ASSERT_TRUE(again);
  EXPECT_TRUE(std::ranges::equal(again->offsets(), map.offsets()));
}

TEST(LinearForm, TensorMemory) {
  for (int bitwidth : {16, 32}) {
    Result<TmemMap> map = TmemMap::of(*catalogue::tmemDefault(32 / bitwidth), {128, 64}, bitwidth);
    ASSERT_TRUE(map);
    Result<LinearLayout> form = linearForm(Placement(*map));
    ASSERT_TRUE(form) << render(form.error());
    EXPECT_EQ(form->bases("row").size(), 7u);
    EXPECT_EQ(form->apply({5, 9}), (std::vector<int32_t>{5, 9})); // the ninth element of lane 5
    Result<TmemMap> again = tmemMapFrom(*form, map->layout(), {128, 64}, bitwidth);
    ASSERT_TRUE(again);
    EXPECT_TRUE(std::ranges::equal(again->elements(), map->elements()));
  }
}

TEST(LinearForm, RolesByName) {
  EXPECT_EQ(linearRoles(identity1D(2, "T", "Y"))->names, std::vector<std::string>{"lane"});
  EXPECT_EQ(linearRoles(identity1D(2, "offset", "Y"))->memory, Memory::Shared);
  EXPECT_FALSE(linearRoles(identity1D(2, "A", "Y")));
  EXPECT_FALSE(linearRoles(identity1D(2, "lane", "Y") * identity1D(2, "offset", "Y")));
  EXPECT_FALSE(linearRoles(identity1D(2, "lane", "Y") * identity1D(2, "T", "Y")));
}

} // namespace
} // namespace lanescope::layouts
