#include "layouts/Equal.h"

#include "layouts/Catalogue.h"
#include "layouts/Diff.h"
#include "layouts/Digits.h"
#include "layouts/notation/Notation.h"
#include "layouts/Reading.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

using namespace lanescope;
using namespace lanescope::layouts;

namespace {

Layout must(const std::string &text) {
  Result<Layout> layout = parseLayout(Source::make("layout", text));
  EXPECT_TRUE(layout) << text << "\n" << (layout ? "" : render(layout.error()));
  return layout ? *layout : Layout(RegisterLayout(WGSplatFragLayout{}));
}

TEST(Equal, TheFirstDifferenceIsTheCounterexample) {
  Result<EqualResult> result = equal(must("local(1, 2).spatial(8, 4)"), must("spatial(8, 4).local(1, 2)"), {8, 8});
  ASSERT_TRUE(result);
  EXPECT_FALSE(result->exact);
  EXPECT_FALSE(result->sameOwners);
  ASSERT_TRUE(result->counterexample);
  EXPECT_EQ(result->counterexample->index, (Shape{0, 1})); // thread 1 value 0 differs from thread 0 value 1
  EXPECT_EQ(result->counterexample->left, "thread 1 value 0");
  EXPECT_EQ(result->counterexample->right, "thread 0 value 1");
  // Column c is in thread c%4 value c/4 on the left, and in thread c/2 value c%2 on the right. They agree at c = 0 and
  // c = 7.
  EXPECT_EQ(result->differing, 8 * 6);
}

TEST(Equal, RenamedRegistersAreSaid) {
  Result<EqualResult> result =
      equal(must("spatial(4).local(6)"), must("reshape(spatial(4, 1, 1).column_local(1, 2, 3), [24])"), {24});
  ASSERT_TRUE(result) << render(result.error());
  EXPECT_FALSE(result->exact);
  EXPECT_TRUE(result->sameOwners);
  // Value v = 3*a + b on the left is value a + 2*b on the right.
  EXPECT_EQ(result->renaming, (std::vector<int32_t>{0, 2, 4, 1, 3, 5}));
}

TEST(Equal, MemoriesMustMeet) {
  Result<EqualResult> result =
      equal(must("WGMMA"), must("TMemoryLayout(shape=[128, 64], lane_offset=0, column_strides=[0, 1])"), {128, 64});
  EXPECT_FALSE(result) << "a tiled layout is read as tensor memory, where its packing of 2 does not fit 32 bits";
  EXPECT_FALSE(commonReading(must("WGMMA"), must("smem_map((64, 64), f16)")));
  EXPECT_EQ(commonReading(must("WGMMA"), must("WGMMA_ROW"))->memory, Memory::Registers);
  EXPECT_EQ(commonReading(must("tmem_default_layout(1)"), must("S[(128,64):(1@TLane,1@TCol)]"))->memory, Memory::Tmem);
  Result<EqualResult> kinds = equal(must("WGMMA"), must("smem_map((64, 64), f16)"), {64, 64});
  ASSERT_FALSE(kinds);
  EXPECT_EQ(kinds.error().front().message,
            "one layout is of registers, the other of shared memory; only layouts of one memory can be compared");
  EXPECT_FALSE(equal(must("WGMMA"), must("WGMMA"), {65, 64}));
}

TEST(Equal, IsAnEquivalence) {
  std::vector<Layout> layouts;
  for (const char *text :
       {"WGMMA", "TCGEN05", "WGMMA_TRANSPOSED", "((_4,_8,_4),(_2,_2,_8)):((_128,_1,_16),(_64,_8,_512))",
        "column_spatial(4, 1).column_local(2, 8).spatial(8, 4).local(2)",
        "WGStridedFragLayout(shape=(64, 64), vec_size=2)"})
    layouts.push_back(must(text));
  for (const Layout &a : layouts)
    for (const Layout &b : layouts) {
      Result<EqualResult> ab = equal(a, b, {64, 64});
      if (!ab)
        continue; // TCGEN05 needs 128 rows
      EXPECT_EQ(ab->exact, equal(b, a, {64, 64})->exact);
      EXPECT_EQ(ab->exact, ab->differing == 0);
      EXPECT_EQ(ab->counterexample.has_value(), !ab->exact);
      Result<DiffResult> moves = diff(a, b, {64, 64}, 32);
      ASSERT_TRUE(moves);
      EXPECT_EQ(moves->count(Move::None), 64 * 64 - ab->differing);
    }
}

/// The class by its definition: the worst over the destinations of the best over the sources.
Move byDefinition(const ElementMap &from, const ElementMap &to, int64_t element) {
  Move out = Move::None;
  for (const Owner &there : to.owners(element)) {
    Move best = Move::OtherWarp;
    for (const Owner &here : from.owners(element)) {
      Move move = Move::OtherWarp;
      int a = here.reg * from.vector() + here.position, b = there.reg * to.vector() + there.position;
      if (here.thread == there.thread)
        move = a == b ? Move::None : Move::SameThread;
      else if (here.thread / 32 == there.thread / 32)
        move = Move::SameWarp;
      best = std::min(best, move);
    }
    out = std::max(out, best);
  }
  return out;
}

TEST(Diff, ClassesByTheirDefinition) {
  const std::vector<std::pair<std::string, std::string>> pairs = {
      {"WGMMA", "WGMMA_TRANSPOSED"},
      {"WGMMA", "WGStridedFragLayout(shape=(64, 64), vec_size=2)"},
      {"WGMMA", "WGMMA_8BIT"},
      {"WGMMA_UPCAST_2X", "WGMMA"},
      {"column_spatial(4, 1).column_local(2, 8).spatial(8, 4).local(2)",
       "local(2, 1).column_spatial(4, 1).column_local(1, 8).spatial(8, 4).local(2)"}};
  for (const auto &[from, to] : pairs) {
    ElementMap a = *elementMapOf(must(from), {64, 64}), b = *elementMapOf(must(to), {64, 64});
    Result<DiffResult> result = diff(a, b);
    ASSERT_TRUE(result);
    std::map<Move, int64_t> counts;
    for (int64_t e = 0; e < 64 * 64; ++e) {
      ASSERT_EQ(result->moves[e], byDefinition(a, b, e)) << from << " -> " << to << " at " << e;
      ++counts[result->moves[e]];
    }
    for (auto [move, count] : counts) {
      EXPECT_EQ(result->count(move), count);
      EXPECT_EQ(static_cast<int64_t>(result->elements(move, 1 << 20).size()), count);
      EXPECT_EQ(result->elements(move, 3).size(), static_cast<size_t>(std::min<int64_t>(count, 3)));
    }
  }
  // From WGMMA to its transposed form, values stay in the quad of lanes of their rows, within one warp.
  EXPECT_EQ(diff(must("WGMMA"), must("WGMMA_TRANSPOSED"), {64, 64}, 16)->count(Move::OtherWarp), 0);
  // Copies: four lanes of a row hold it already, and the other lanes get it by a shuffle.
  Result<DiffResult> rows =
      diff(must("WGMMA_ROW"), must("reduce(spatial(4, 1).local(1).spatial(1, 32).local(16, 1), [1])"), {64}, 32);
  ASSERT_TRUE(rows) << render(rows.error());
  EXPECT_EQ(rows->count(Move::OtherWarp), 0);
  EXPECT_EQ(rows->count(Move::SameWarp), 64);
}

TEST(Diff, OfSharedAndTensorMemory) {
  Result<DiffResult> bytes = diff(must("smem_map((8, 64), f16, tiling=(8, 64), swizzle=128)"),
                                  must("smem_map((8, 64), f16, tiling=(8, 64), swizzle=None)"), {8, 64}, 16);
  ASSERT_TRUE(bytes);
  EXPECT_EQ(bytes->count(Move::None), 64); // only the first row is unswizzled
  EXPECT_EQ(bytes->count(Move::OtherByte), 7 * 64);
  Result<DiffResult> cells =
      diff(must("S[(128,64):(1@TLane,1@TCol)]"), must("S[(128,2,32):(1@TLane,1@TCol,2@TCol)]"), {128, 64}, 32);
  ASSERT_TRUE(cells);
  EXPECT_EQ(cells->count(Move::None), 128 * 2);
  EXPECT_EQ(cells->count(Move::SameThread), 128 * 62);
  Result<DiffResult> quarters =
      diff(must("S[(128,4):(1@TLane,1@TCol)]"), must("S[(4,32,4):(1@TLane,4@TLane,1@TCol)]"), {128, 4}, 32);
  ASSERT_TRUE(quarters);
  EXPECT_GT(quarters->count(Move::OtherWarp), 0);
  EXPECT_FALSE(diff(must("WGMMA"), must("smem_map((64, 64), f16)"), {64, 64}, 16));
}

TEST(Digits, AreFoundAgainAndRefused) {
  std::mt19937 random(3);
  for (int n = 0; n < 2000; ++n) {
    // Digits with distinct weights in a random order, summed one by one.
    std::vector<Digit> digits;
    int64_t element = 1, count = 1;
    for (size_t i = 1 + random() % 4; i-- > 0;) {
      int64_t size = 2 + random() % 4;
      digits.push_back({size, element, 0});
      element *= size;
    }
    std::shuffle(digits.begin(), digits.end(), random);
    for (Digit &digit : digits) {
      digit.slot = count;
      count *= digit.size;
    }
    std::vector<int32_t> table(static_cast<size_t>(count));
    for (int64_t i = 0; i < count; ++i)
      for (const Digit &digit : digits)
        table[i] += static_cast<int32_t>(i / digit.slot % digit.size * digit.element);
    std::optional<DigitTable> found = digitTableOf(table);
    ASSERT_TRUE(found);
    for (int64_t i = 0; i < count; ++i) {
      int64_t sum = found->base;
      for (const Digit &digit : found->digits)
        sum += i / digit.slot % digit.size * digit.element;
      ASSERT_EQ(sum, table[i]);
    }
    // After one entry has changed, the table is no digit table, or another one.
    table[random() % table.size()] += 1;
    if (std::optional<DigitTable> changed = digitTableOf(table))
      EXPECT_LE(count, 2);
  }
  EXPECT_FALSE(digitTableOf({}));
  EXPECT_FALSE(digitTableOf(std::vector<int32_t>{-1, 0}));
}

} // namespace
