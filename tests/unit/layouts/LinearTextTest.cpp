// Linear layouts as text: LinearLayout::toString, and linear-layout-viz with its operations on names.
#include "layouts/notation/triton/LinearText.h"
#include "layouts/ElementMap.h"
#include "layouts/linear/TritonLayout.h"
#include "layouts/Placement.h"
#include "layouts/support/Text.h"

#include <gtest/gtest.h>

namespace lanescope::layouts {
namespace {

Result<Layout> parse(const std::string &text) {
  Scanner in(Source::make("t", text));
  Result<Layout> layout = parseLinearText(in, nullptr);
  if (layout && !in.atEnd())
    return in.expected("the end of the layout");
  return layout;
}

LinearLayout linear(const std::string &text) {
  Result<Layout> layout = parse(text);
  EXPECT_TRUE(layout) << text << "\n" << (layout ? "" : render(layout.error()));
  if (!layout)
    return {};
  return std::get<Foreign>(*layout).as<LinearForeign>()->linear();
}

/// "line:column: message" of the first error.
std::string errorOf(const std::string &text) {
  Result<Layout> layout = parse(text);
  if (layout)
    return "read as " + layoutText(*layout);
  const Diagnostic &first = layout.error().front();
  LineColumn place = first.span.source->lineColumn(first.span.begin);
  return lanescope::text(place.line, ":", place.column, ": ", first.message);
}

constexpr const char *kPrinted =
    "\n - register=1 -> (0, 1)\n   register=2 -> (8, 0)\n - lane=1 -> (0, 2)\n   lane=2 -> "
    "(0, 4)\n - warp is a size 1 dimension\nwhere out dims are: [dim0 (size 16), dim1 (size "
    "8)]";
constexpr const char *kBlocked = "Blocked_Layout: [T,W,R] -> [Y,X]\nT: [[4,0],[8,0],[0,1],[0,2],[0,4]]\nW: "
                                 "[[0,8],[0,16]]\nR: [[1,0],[2,0]]\n";

TEST(LinearText, ToString) {
  LinearLayout layout = linear(kPrinted);
  EXPECT_EQ(layout.bases("register"), (std::vector<LinearLayout::Basis>{{0, 1}, {8, 0}}));
  EXPECT_EQ(layout.bases("lane"), (std::vector<LinearLayout::Basis>{{0, 2}, {0, 4}}));
  EXPECT_EQ(layout.inputIndex("warp"), 2);
  EXPECT_EQ(layout.outputShape(), (Shape{16, 8}));
  EXPECT_EQ("\n" + layout.toString(), kPrinted);
  // The text is cut off before the sizes; the layout gets the smallest sizes that fit.
  EXPECT_EQ(linear(" - register=1 -> (0, 1)\n   register=2 -> (8, 0)").outputShape(), (Shape{16, 2}));
  EXPECT_EQ(linear("(empty layout)"), LinearLayout());
  EXPECT_EQ(linear("(empty layout with out-dims [dim0 (size 4)])").outputShape(), Shape{4});
}

TEST(LinearText, VizBlockIsTheMapItSays) {
  Result<Layout> layout = parse(kBlocked);
  ASSERT_TRUE(layout) << render(layout.error());
  EXPECT_EQ(std::get<Foreign>(*layout)->shape(), (Shape{16, 32}));
  Result<ElementMap> map = elementMapOf(*layout, {16, 32});
  ASSERT_TRUE(map) << render(map.error());
  ASSERT_EQ(map->threads(), 128);
  ASSERT_EQ(map->registers(), 4);
  for (int thread = 0; thread < 128; ++thread)
    for (int reg = 0; reg < 4; ++reg) {
      int lane = thread % 32, warp = thread / 32;
      int64_t y = reg + 4 * (lane % 4), x = lane / 4 + 8 * warp;
      ASSERT_EQ(map->element(thread, reg, 0), y * 32 + x);
    }
  // The layout prints as toString prints, and the text reads back.
  EXPECT_EQ(layoutText(*parse(layoutText(*layout))), layoutText(*layout));
}

TEST(LinearText, LinesInAnyOrderWithComments) {
  EXPECT_EQ(linear(std::string("# a comment\n") +
                   "Blocked_Layout: [T,W,R] -> [Y,X] # another\nR: [[1,0],[2,0]]\n# more: [x]\nW: [[0,8],[0,16]]\nT: "
                   "[[4,0],[8,0],[0,1],[0,2],[0,4]] # end"),
            linear(kBlocked));
}

TEST(LinearText, Operations) {
  const std::string defined = "A: [R] -> [X]\nR: [[2],[1]]\nB: [X] -> [Y]\nX: [[1],[3]]\n";
  EXPECT_EQ(linear(defined), linear("B: [X] -> [Y]\nX: [[1],[3]]")) << "the last one";
  // B(A) applies A first and then B.
  LinearLayout a = linear(defined + "A"), b = linear(defined + "B"), both = linear(defined + "B(A)");
  for (int32_t k = 0; k < 4; ++k)
    EXPECT_EQ(both.apply({k}), b.apply(a.apply({k})));
  LinearLayout inverse = linear(defined + "inv(A)");
  for (int32_t k = 0; k < 4; ++k)
    EXPECT_EQ(inverse.apply(a.apply({k})), std::vector<int32_t>{k});
  EXPECT_EQ(linear(defined + "A * A"), *a.product(a));
  EXPECT_EQ(linear(defined + "inv(A)(A) * (A * A)"), *(*a.compose(*a.invert())).product(*a.product(a)));
  // B's inputs have other names than A's outputs, so they are matched in order.
  EXPECT_EQ(linear("A: [R] -> [X]\nR: [[2],[1]]\nC: [Z] -> [Y]\nZ: [[1],[3]]\nC(A)").apply({1}),
            std::vector<int32_t>{3});
}

TEST(LinearText, Errors) {
  EXPECT_EQ(errorOf(" - register=2 -> (0, 1)"), "1:13: expected register=1: the bases are those of 1, 2, 4, …");
  EXPECT_EQ(errorOf(" - register=1 (0, 1)"), "1:15: expected `->`, found `(`");
  EXPECT_EQ(errorOf(" - register=1 -> (0, 9)\nwhere out dims are: [dim0 (size 4), dim1 (size 4)]"),
            "1:2: a basis of `register` goes to 9 along `dim1`, which has size 4");
  EXPECT_EQ(errorOf(" - register=1 -> (0)\nwhere out dims are: [dim0 (size 6)]"),
            "1:2: output `dim0` has size 6; a linear layout's sizes are powers of two up to 1073741824");
  EXPECT_EQ(errorOf("A: [T] -> [Y]\nQ: [[1]]"), "2:1: expected a line `label: [[…], …]` for each input, found `Q`");
  EXPECT_EQ(errorOf("A: [T,R] -> [Y]\nT: [[1]]\nT: [[2]]"), "3:1: `T` is given twice");
  EXPECT_EQ(errorOf("A: [T] -> [Y,X]\nT: [[1]]"), "2:5: the basis has 1 coordinates for 2 outputs");
  EXPECT_EQ(errorOf("A: [T] -> [Y]\nT: [[-1]]"), "2:6: coordinates go from 0 to 2^30 - 1, not to -1");
  EXPECT_EQ(errorOf("A: [T] -> [Y]\nT: [[1]]\nA(B)"), "3:3: no layout is called `B` here");
  EXPECT_EQ(errorOf("A: [T] -> [Y]\nT: [[1],[1]]\ninv(A)"),
            "3:1: the layout has no inverse: each element has 2 places; a pseudo-inverse takes one");
  EXPECT_EQ(errorOf("A: [T] -> [Y]\nT: [[1]]\nA *"), "3:4: expected a layout's name, `inv(…)` or `(…)`, found the end");
  EXPECT_EQ(errorOf("A: [Q] -> [Y]\nQ: [[1]]").substr(0, 7), "read as"); // a layout whose input is not a place of a GPU
  Result<Placement> map = placement(*parse("A: [Q] -> [Y]\nQ: [[1]]"), {2}, 32);
  ASSERT_FALSE(map);
  EXPECT_NE(map.error().front().message.find("input `Q` is no place that the maps know"), std::string::npos);
}

TEST(LinearText, LooksLike) {
  EXPECT_TRUE(looksLikeLinearText(kPrinted));
  EXPECT_TRUE(looksLikeLinearText(kBlocked));
  EXPECT_TRUE(looksLikeLinearText("# c\nA: [T] -> [Y]\n"));
  EXPECT_FALSE(looksLikeLinearText("# c"));
  EXPECT_FALSE(looksLikeLinearText("(_4,_8):(_8,_1)"));
  EXPECT_FALSE(looksLikeLinearText("- 5"));
  EXPECT_FALSE(looksLikeLinearText("A: [T]"));
  EXPECT_FALSE(looksLikeLinearText(""));
}

TEST(LinearText, ExplainShowsTheBits) {
  Result<Layout> layout = parse(kBlocked);
  auto steps = std::get<Foreign>(*layout)->explain({16, 32}, {5, 9});
  ASSERT_TRUE(steps);
  ASSERT_EQ(steps->size(), 4u);
  EXPECT_EQ((*steps)[0].what, "T"); // y = 5 = 1 + 4, x = 9 = 1 + 8
  EXPECT_EQ((*steps)[0].how, "1 [Y bit 2] ^ 4 [X bit 0]");
  EXPECT_EQ((*steps)[0].value, "5");
  EXPECT_EQ((*steps)[1].value, "1");
  EXPECT_EQ((*steps)[2].value, "1");
  EXPECT_EQ((*steps)[3].value, "(5, 9)");
  EXPECT_FALSE(std::get<Foreign>(*layout)->explain({16, 32}, {16, 0}));
}

} // namespace
} // namespace lanescope::layouts
