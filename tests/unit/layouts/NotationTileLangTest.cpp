#include "layouts/Equal.h"
#include "layouts/notation/Notation.h"

#include <gtest/gtest.h>

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

// makeGemmFragment8x8 and its repetitions (tile-ai/tilelang src/layout/gemm_layouts.cc) are the accumulator of
// mma.m16n8.
TEST(NotationTileLang, FragmentsAreTheMmaAccumulator) {
  for (const char *text : {"Fragment([16, 8] -> [4], replicate: 1, thread: 32, forward_thread: _i % 8 * 4 + _j // 2, "
                           "forward_index: [_i // 8 * 2 + _j % 2])",
                           "Fragment((16, 8) -> (4,), replicate: 1, thread: 32, forward_thread: (((_i % 8)*4) + (_j // "
                           "2)), forward_index: (((_i // 8)*2) + (_j % 2),))",
                           "Fragment([16, 8] -> [2, 2], replicate: 1, thread: 32, forward_thread: T.floormod(_i, 8) * "
                           "4 + T.shift_right(_j, 1), "
                           "forward_index: [_i // 8, T.bitwise_and(_j, 1)], thread_range: I.Range(0, 32))"}) {
    Result<EqualResult> same = equal(must(text), must("local(2, 1).spatial(8, 4).local(1, 2)"), {16, 8});
    ASSERT_TRUE(same) << render(same.error());
    EXPECT_TRUE(same->exact) << text;
    EXPECT_TRUE(must(layoutText(must(text))) == must(text)) << layoutText(must(text));
  }
  // Copies: each of 256 threads holds the whole array.
  Result<ElementMap> copies =
      elementMapOf(must("Fragment((2,) -> (2,), replicate: 256, thread: _rep, index: (_i,), thread_range: x)"), {2});
  ASSERT_TRUE(copies) << render(copies.error());
  EXPECT_EQ(copies->replication(), 256);
  EXPECT_EQ(copies->owners(1)[200], (Owner{200, 1, 0}));
}

TEST(NotationTileLang, LayoutsAreSwizzledMemory) {
  Result<EqualResult> same =
      equal(must("Layout([8, 64] -> [8, 64], transform: [_i, _j] -> [_i, T.bitwise_xor(_j // 8, _i) * 8 + _j % 8])"),
            must("smem_map((8, 64), f16, tiling=(8, 64), swizzle=128)"), {8, 64}, 16);
  ASSERT_TRUE(same) << render(same.error());
  EXPECT_TRUE(same->exact);
}

TEST(NotationTileLang, GeneratedExpressionsReadBack) {
  std::mt19937 random(9);
  auto number = [&](int64_t n) { return std::to_string(n); };
  for (int n = 0; n < 10000; ++n) {
    int64_t lanes = 1 << random() % 3;
    std::string i = random() % 2 ? "_i" : "(_i)", j = "_j";
    // Thread and register are computed from digits of both indices, with additions that change nothing.
    std::string noise = random() % 2 ? " + 0 * (_i - _j)" : random() % 2 ? " ^ 0" : "";
    std::string thread = "(" + i + " % " + number(lanes) + " * 8 + " + j + " // 1)" + noise;
    std::string value = "_i // " + number(lanes);
    std::string text = "Fragment([8, 8] -> [" + number(8 / lanes) + "], replicate: 1, thread: " + number(lanes * 8) +
                       ", forward_thread: " + thread + ", forward_index: [" + value + "])";
    Layout layout = must(text);
    Layout again = must(layoutText(layout));
    ASSERT_TRUE(again == layout) << layoutText(layout);
    Result<ElementMap> map = elementMapOf(layout, {8, 8});
    ASSERT_TRUE(map) << text << render(map.error());
    for (int64_t e = 0; e < 64; ++e)
      ASSERT_EQ(map->owners(e).front(), (Owner{int32_t(e / 8 % lanes * 8 + e % 8), int32_t(e / 8 / lanes), 0})) << text;
  }
}

TEST(NotationTileLang, ErrorsStandUnderTheMistake) {
  struct Bad {
    std::string text;
    uint32_t column;
    std::string message;
  };
  for (const Bad &bad : std::vector<Bad>{
           {"Fragment([16, 8] [4])", 18, "expected `->`, found `[`"},
           {"Fragment([16, 8] -> [4], replicate: 1)", 1, "`Fragment` needs `forward_thread:`"},
           {"Fragment([16, 8] -> [4], forward_thread: _k, forward_index: [0])", 42,
            "`_k` is neither an index of the 2 dimensions (`_i`, `_j`, …), `_rep`, nor a function that can be "
            "evaluated here"},
           {"Fragment([16, 8] -> [4], forward_thread: _i +, forward_index: [0])", 46,
            "expected an index such as `_i`, a number or `(`, found `,`"},
           {"Fragment([16, 8] -> [4], forward_thread: _i, forward_index: [0, 1])", 1,
            "there are 2 index expressions for an output of rank 1"},
           {"Fragment([16, 8] -> [4], lanes: 3)", 26, "`lanes` is not a field of `Fragment`"},
           {"Layout([8] -> [0], transform: [_i] -> [_i])", 15, "sizes are positive, not 0"},
       }) {
    Result<Layout> layout = parse(bad.text);
    ASSERT_FALSE(layout) << bad.text;
    EXPECT_EQ(layout.error().front().message, bad.message) << bad.text;
    EXPECT_EQ(layout.error().front().span.begin + 1, bad.column) << bad.text;
  }
  // Values that are not places: outside the output, a division by zero, an overflow.
  for (const char *text : {"Fragment([8] -> [2], forward_thread: _i, forward_index: [_i])",
                           "Fragment([8] -> [1], forward_thread: _i // 0, forward_index: [0])",
                           "Fragment([8] -> [1], forward_thread: _i * 4611686018427387903 * 4, forward_index: [0])",
                           "Fragment([8] -> [1], forward_thread: _i - 1, forward_index: [0])"})
    EXPECT_FALSE(elementMapOf(must(text), {8})) << text;
  std::string deep = "Fragment([8] -> [1], forward_thread: ";
  for (int i = 0; i < 1000; ++i)
    deep += "(";
  EXPECT_FALSE(parse(deep));
  std::string chain = "Fragment([8] -> [1], forward_thread: _i";
  for (int i = 0; i < 1500; ++i)
    chain += " + 0";
  Layout chained = must(chain + ", forward_index: [0])");
  EXPECT_TRUE(must(layoutText(chained)) == chained);
}

} // namespace
