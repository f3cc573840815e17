#include "layouts/tilus/TilusLayout.h"

#include "layouts/Equal.h"
#include "layouts/notation/Notation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>

using namespace lanescope;
using namespace lanescope::layouts;

namespace {

Result<Layout> parse(std::string text) { return parseLayout(Source::make("layout", std::move(text))); }
Layout must(std::string text) {
  Result<Layout> layout = parse(text);
  EXPECT_TRUE(layout) << text << "\n" << (layout ? "" : render(layout.error()));
  return layout ? *layout : Layout(RegisterLayout(WGSplatFragLayout{}));
}

using Place = std::pair<int64_t, int64_t>; // thread, value
using Formula = std::function<Place(int64_t row, int64_t column)>;

/// Every element of a 2-D layout lies where the closed form says.
void expectFormula(const std::string &text, const Shape &shape, int threads, int values, const Formula &formula) {
  Result<ElementMap> map = elementMapOf(must(text), shape);
  ASSERT_TRUE(map) << text << "\n" << render(map.error());
  EXPECT_EQ(map->threads(), threads) << text;
  EXPECT_EQ(map->values(), values) << text;
  for (int64_t row = 0; row < shape[0]; ++row)
    for (int64_t column = 0; column < shape[1]; ++column) {
      std::vector<Owner> owners = map->owners(row * shape[1] + column);
      ASSERT_EQ(owners.size(), 1u) << text;
      EXPECT_EQ(Place(owners[0].thread, owners[0].reg), formula(row, column))
          << text << " at " << row << ", " << column;
    }
}

// The presets of the layout demo (NVIDIA/tilus docs/source/_static/layout-demo/layout-demo.js) against the PTX ISA's
// formulas for the fragments that they name.
TEST(Tilus, DemoPresets) {
  expectFormula("local(3, 4)", {3, 4}, 1, 12, [](int64_t r, int64_t c) { return Place(0, r * 4 + c); });
  expectFormula("spatial(3, 2)", {3, 2}, 6, 1, [](int64_t r, int64_t c) { return Place(r * 2 + c, 0); });
  expectFormula("local(3, 4).spatial(2, 3)", {6, 12}, 6, 12,
                [](int64_t r, int64_t c) { return Place(r % 2 * 3 + c % 3, r / 2 * 4 + c / 3); });
  expectFormula("spatial(2, 3).local(3, 4)", {6, 12}, 6, 12,
                [](int64_t r, int64_t c) { return Place(r / 3 * 3 + c / 4, r % 3 * 4 + c % 4); });
  expectFormula("column_local(2, 3)", {2, 3}, 1, 6, [](int64_t r, int64_t c) { return Place(0, c * 2 + r); });
  expectFormula("column_spatial(2, 3)", {2, 3}, 6, 1, [](int64_t r, int64_t c) { return Place(c * 2 + r, 0); });
  // mma.m16n8k16 (PTX ISA, "Matrix Fragments for mma.m16n8k16 with floating point type").
  expectFormula("column_local(2, 2).spatial(8, 4).local(1, 2)", {16, 16}, 32, 8,
                [](int64_t r, int64_t c) { return Place(r % 8 * 4 + c % 8 / 2, c / 8 * 4 + r / 8 * 2 + c % 2); });
  expectFormula("local(2, 1).column_spatial(4, 8).local(2, 1)", {16, 8}, 32, 4,
                [](int64_t r, int64_t c) { return Place(c * 4 + r % 8 / 2, r / 8 * 2 + r % 2); });
  expectFormula("local(2, 1).spatial(8, 4).local(1, 2)", {16, 8}, 32, 4,
                [](int64_t r, int64_t c) { return Place(r % 8 * 4 + c / 2, r / 8 * 2 + c % 2); });
  // wgmma m64n8 D ("Register Fragments for wgmma.mma_async.m64nNk16").
  expectFormula("column_spatial(4, 1).column_local(2, 1).spatial(8, 4).local(2)", {64, 8}, 128, 4,
                [](int64_t r, int64_t c) { return Place(r / 16 * 32 + r % 8 * 4 + c / 2, r / 8 % 2 * 2 + c % 2); });
  // tcgen05.ld.16x64b: bit 0 of the lane selects the upper half of the rows.
  expectFormula("register_layout([16, 2], [2, 8, 2], [1, 2, 0], [])", {16, 2}, 32, 1,
                [](int64_t r, int64_t c) { return Place(r % 8 * 4 + c * 2 + r / 8, 0); });
}

TEST(Tilus, ReplicationIsANegativeMode) {
  for (const char *text : {"RegisterLayout(shape=[4], mode_shape=[4], spatial_modes=[-3, 0], local_modes=[])",
                           "reduce(spatial(3, 4), [0])", "reduce(spatial(3, 4), dims=[0], keepdims=False)",
                           "spatial(3, 4).reduce_to([4])"}) {
    Result<ElementMap> map = elementMapOf(must(text), {4});
    ASSERT_TRUE(map) << text;
    EXPECT_EQ(map->threads(), 12);
    EXPECT_EQ(map->replication(), 3);
    for (int64_t e = 0; e < 4; ++e)
      EXPECT_EQ(map->owners(e),
                (std::vector<Owner>{{int32_t(e), 0, 0}, {int32_t(e + 4), 0, 0}, {int32_t(e + 8), 0, 0}}));
  }
  Result<ElementMap> all = elementMapOf(must("replicated(2, 3, num_workers=5)"), {2, 3});
  ASSERT_TRUE(all);
  EXPECT_EQ(all->replication(), 5);
  EXPECT_EQ(all->element(4, 5, 0), 5);
}

TEST(Tilus, SharedLayoutsAreStridedAndSwizzled) {
  Layout layout = must("SharedLayout(shape=[8, 64], mode_shape=[8, 64], mode_strides=[64, 1], swizzle=Swizzle(base=3, "
                       "bits=3, shift=3))");
  auto map = std::get<AddressMap>(*placement(layout, {8, 64}, 16));
  for (int64_t r = 0; r < 8; ++r)
    for (int64_t c = 0; c < 64; ++c)
      EXPECT_EQ(map.byte(r * 64 + c), r * 128 + ((c / 8) ^ r) * 16 + c % 8 * 2);
  // (base, bits, shift) is not CuTe's order <bits, base, shift>; with the numbers in the wrong order the layout
  // differs.
  Layout other = must("SharedLayout(shape=[8, 64], mode_shape=[8, 64], mode_strides=[64, 1], swizzle=Swizzle(base=2, "
                      "bits=3, shift=3))");
  EXPECT_FALSE(equal(layout, other, {8, 64}, 16)->exact);
  Layout cut =
      must("SharedLayout(shape=[64, 32], mode_shape=[8, 8, 16, 2], mode_strides=[256, 2, 16, 1], swizzle=None)");
  auto plain = std::get<AddressMap>(*placement(cut, {64, 32}, 16));
  EXPECT_EQ(plain.offset(13 * 32 + 9), 1 * 256 + 5 * 2 + 4 * 16 + 1);
}

TEST(Tilus, TensorMemoryIsRowsAndColumns) {
  Layout layout = must("TMemoryLayout(shape=[128, 64], lane_offset=0, column_strides=[0, 1])");
  auto map = std::get<TmemMap>(*placement(layout, {128, 64}, 32));
  EXPECT_EQ(map.columns(), 64);
  EXPECT_EQ(map.element(3, 5, 0), 3 * 64 + 5);
  auto half = std::get<TmemMap>(*placement(layout, {128, 64}, 16)); // strides count elements
  EXPECT_EQ(half.columns(), 32);
  EXPECT_EQ(half.element(3, 5, 1), 3 * 64 + 11);
  auto low = std::get<TmemMap>(
      *placement(must("TMemoryLayout(shape=[32, 2, 8], lane_offset=64, column_strides=[0, 8, 1])"), {32, 2, 8}, 32));
  EXPECT_EQ(low.cells(0), (std::vector<TmemCell>{{64, 0, 0}}));
  EXPECT_EQ(low.cells(31 * 16 + 15), (std::vector<TmemCell>{{95, 15, 0}}));
}

TEST(Tilus, AlgebraKeepsItsLaws) {
  // (a * b) / b == a, over generated layouts.
  std::mt19937 random(7);
  auto factor = [&] { return int64_t(1) << random() % 3; };
  int divided = 0;
  for (int n = 0; n < 2000; ++n) {
    auto one = [&] {
      Shape shape = {factor(), factor() * (random() % 4 == 0 ? 3 : 1)};
      switch (random() % 4) {
      case 0: return *tilus::spatial(shape);
      case 1: return *tilus::columnSpatial(shape);
      case 2: return *tilus::local(shape);
      default: return *tilus::columnLocal(shape);
      }
    };
    tilus::RegisterLayout a = *tilus::compose(one(), one()), b = one();
    tilus::RegisterLayout product = *tilus::compose(a, b);
    tilus::Registers quotient = tilus::divide(product, b);
    // Merged modes can hide where b begins (as in Tilus itself), but a quotient that is found is correct.
    if (!quotient)
      continue;
    ++divided;
    EXPECT_EQ(tilus::compose(*quotient, b)->text(), product.text()) << a.text() << " * " << b.text();
    // A product with the identity, or two transpositions, change nothing.
    EXPECT_EQ(tilus::compose(product, *tilus::local({1, 1}))->text(), product.text());
    EXPECT_EQ(tilus::permute(*tilus::permute(product, {1, 0}), {1, 0})->text(), product.text());
  }
  EXPECT_GT(divided, 1000);
  EXPECT_EQ(layoutText(must("local(2) * spatial(8) / spatial(4)")), layoutText(must("local(2).spatial(2)")));
  EXPECT_EQ(layoutText(must("divide(spatial(8, 4).local(1, 2), local(1, 2))")), layoutText(must("spatial(8, 4)")));
  EXPECT_EQ(layoutText(must("permute(local(2, 1).spatial(8, 4), [1, 0])")),
            layoutText(must("local(1, 2).column_spatial(4, 8)")));
  EXPECT_EQ(layoutText(must("reshape(spatial(4, 8), [32])")), layoutText(must("spatial(32)")));
  EXPECT_EQ(layoutText(must("squeeze(unsqueeze(spatial(4), [0]), [0])")), layoutText(must("spatial(4)")));
  EXPECT_EQ(layoutText(must("auto_local_spatial(32, [8, 16])")), layoutText(must("local(4, 1).spatial(2, 16)")));
  EXPECT_EQ(layoutText(must("auto_local_spatial(32, [4, 4])")),
            "RegisterLayout(shape=[4, 4], mode_shape=[4, 4], spatial_modes=[-2, 0, 1], local_modes=[])");
  EXPECT_EQ(layoutText(must("(tilus.ir.layout.spatial(2, 2)) * local(2, 2)")),
            layoutText(must("spatial(2, 2).local(2, 2)")));
}

TEST(Tilus, GeneratedLayoutsReadBack) {
  std::mt19937 random(11);
  int cases = 0;
  for (; cases < 10000; ++cases) {
    // Modes distributed to threads and registers in any order, with some copies among the threads.
    Shape shape, modes, spatial, local;
    int64_t elements = 1, threads = 1;
    for (size_t dims = 1 + random() % 3; dims-- > 0;) {
      int64_t size = 1;
      for (size_t count = random() % 4; count-- > 0;) {
        int64_t mode = 2 + random() % 3;
        if (elements * mode > 4096)
          break;
        modes.push_back(mode);
        size *= mode;
        elements *= mode;
      }
      shape.push_back(size);
    }
    for (size_t mode = 0; mode < modes.size(); ++mode)
      (random() % 2 ? spatial : local).push_back(static_cast<int64_t>(mode));
    std::shuffle(spatial.begin(), spatial.end(), random);
    std::shuffle(local.begin(), local.end(), random);
    if (random() % 3 == 0)
      spatial.insert(spatial.begin() + static_cast<ptrdiff_t>(random() % (spatial.size() + 1)),
                     -int64_t(2 + random() % 3));
    for (int64_t mode : spatial)
      threads *= mode < 0 ? -mode : modes[static_cast<size_t>(mode)];
    tilus::Registers made = tilus::RegisterLayout::make(shape, modes, spatial, local);
    ASSERT_TRUE(made) << render(made.error());
    Layout layout = Foreign(std::make_shared<tilus::RegisterLayout>(*made));
    Layout again = must(layoutText(layout));
    ASSERT_TRUE(again == layout) << layoutText(layout);
    Result<ElementMap> map = elementMapOf(layout, shape);
    ASSERT_TRUE(map) << render(map.error());
    ASSERT_EQ(map->threads(), threads);
    // Through another language and back: the layout is recovered from the table alone and puts everything in the same
    // place.
    if (cases % 10 != 0 || threads == 1) // TIRx treats the registers of a single thread as memory
      continue;
    Result<std::string> tirx = notation(layout, "tirx");
    ASSERT_TRUE(tirx) << layoutText(layout) << render(tirx.error());
    Result<std::string> back = notation(must(*tirx), "tilus", shape);
    ASSERT_TRUE(back) << *tirx << render(back.error());
    ASSERT_TRUE(equal(must(*back), layout, shape)->exact) << *back;
  }
}

struct Bad {
  std::string text;
  uint32_t column; // counted from 1
  std::string message;
};

TEST(Tilus, ErrorsStandUnderTheMistake) {
  for (const Bad &bad : std::vector<Bad>{
           {"local(2, 1).spatial(8, 4", 25, "expected `)` in the arguments of `spatial`, found the end"},
           {"local(2, 1).special(8, 4)", 13,
            "expected `spatial`, `local`, `column_spatial`, `column_local` or `reduce_to`, found `s`"},
           {"local(2, x)", 10,
            "`x` is not one of Tilus's register layout functions: spatial, local, column_spatial, column_local, "
            "replicated, compose, divide, reduce, …"},
           {"local(2, 0)", 10, "sizes are positive, not 0"},
           {"spatial(2) *", 13, "expected a layout function such as `spatial` or `local`, found the end"},
           {"spatial(2) + local(2)", 12, "expected the end of the layout, found `+`"},
           {"reduce(spatial(3, 4), [2])", 1, "dimension 2 is outside rank 2"},
           {"replicated(4)", 1, "`replicated` needs `num_workers=n`"},
           {"spatial(4, 4, ranks=[0, 0])", 1, "ranks [0, 0] are not each of 0 to 1 once"},
           {"spatial(4) / spatial(3)", 12,
            "`RegisterLayout(shape=[4], mode_shape=[4], spatial_modes=[0], local_modes=[])` is no product with "
            "`RegisterLayout(shape=[3], mode_shape=[3], spatial_modes=[0], local_modes=[])`"},
           {"RegisterLayout(shape=[16], mode_shape=[3], spatial_modes=[0], local_modes=[])", 1,
            "modes [3] do not make up the shape [16]"},
           {"RegisterLayout(shape=[16], mode_shape=[16], spatial_modes=[0])", 1,
            "`RegisterLayout` needs the argument `local_modes`"},
           {"RegisterLayout(shape=[16], mode_shapes=[16])", 28, "`RegisterLayout` has no argument `mode_shapes`"},
           {"RegisterLayout(shape=[4], mode_shape=[4], spatial_modes=[1], local_modes=[])", 1,
            "mode 1 is none of the 1 modes [4]"},
           {"RegisterLayout(shape=[4], mode_shape=[4], spatial_modes=[], local_modes=[])", 1,
            "mode 0 of size 4 is neither spatial nor local"},
           {"SharedLayout(shape=[8], mode_shape=[8], mode_strides=[1], swizzle=Swizzle(base=40, bits=3, shift=3))", 67,
            "a swizzle of 3 bits from bit 40 over a distance of 3 does not fit offsets of 30 bits"},
           {"SharedLayout(shape=[8], mode_shape=[8], mode_strides=[1], swizzle=Sw)", 67,
            "expected `Swizzle(base=…, bits=…, shift=…)` or `None`, found `S`"},
           {"TMemoryLayout(shape=[48, 64], lane_offset=0, column_strides=[0, 1])", 1,
            "tensor memory is taken by 32, 64 or 128 rows, not 48"},
       }) {
    Result<Layout> layout = parse(bad.text);
    ASSERT_FALSE(layout) << bad.text;
    EXPECT_EQ(layout.error().front().message, bad.message) << bad.text;
    EXPECT_EQ(layout.error().front().span.begin + 1, bad.column) << bad.text;
  }
  std::string deep;
  for (int i = 0; i < 200; ++i)
    deep += "(";
  EXPECT_FALSE(parse(deep + "local(2)"));
  EXPECT_FALSE(parse("local(1000000, 1000000, 1000000, 1000000)"));
}

TEST(Tilus, ExplainsEachStep) {
  Layout layout = must("local(2, 1).spatial(8, 4).local(1, 2)");
  Result<std::vector<ExplainStep>> steps = std::get<Foreign>(layout)->explain({16, 8}, {9, 3});
  ASSERT_TRUE(steps);
  ASSERT_EQ(steps->size(), 4u);
  EXPECT_EQ((*steps)[0].value, "(1, 1)");
  EXPECT_EQ((*steps)[1].value, "(1, 1)");
  EXPECT_EQ((*steps)[2].what, "thread");
  EXPECT_EQ((*steps)[2].value, "5");
  EXPECT_EQ((*steps)[3].value, "3");
}

} // namespace
