// Verdicts on costs: every mechanism of a relayout, conflicts with and without a way out, coalescing.
#include "layouts/cost/Verdicts.h"
#include "layouts/Catalogue.h"
#include "layouts/Placement.h"

#include <gtest/gtest.h>

namespace lanescope::layouts {
namespace {

Verdict relayoutVerdict(const Layout &from, const Layout &to, const Shape &shape, int bits) {
  auto report = relayout(from, to, shape, bits);
  return report ? verdictOn(*report, from) : Verdict{false, render(report.error())};
}

Layout registers(const TiledLayout &layout) { return RegisterLayout(layout); }

TEST(Verdicts, RelayoutsOfEveryMechanism) {
  Layout wgmma = registers(catalogue::wgmma());
  Verdict same = relayoutVerdict(wgmma, wgmma, {64, 64}, 32);
  EXPECT_TRUE(same.good);
  EXPECT_EQ(same.sentence, "free: every value stays where it is");
  Verdict renamed = relayoutVerdict(wgmma, registers(catalogue::wgmmaAcc32Bit()), {64, 64}, 32);
  EXPECT_TRUE(renamed.good);
  EXPECT_EQ(renamed.sentence.substr(0, 5), "free:") << renamed.sentence;
  Verdict shuffled = relayoutVerdict(wgmma, registers(catalogue::wgmmaTransposed()), {64, 64}, 16);
  EXPECT_FALSE(shuffled.good);
  EXPECT_EQ(shuffled.sentence,
            "costs 16 shuffles and 16 byte permutes a warp, where no plan needs fewer than 8; keep the array in "
            "`WGMMA` and it is free");
  Verdict trip = relayoutVerdict(wgmma, registers(catalogue::tcgen05()), {128, 64}, 32);
  EXPECT_FALSE(trip.good);
  EXPECT_EQ(trip.sentence.find("costs a round trip through shared memory: "), 0u) << trip.sentence;
  EXPECT_NE(trip.sentence.find(" bytes of scratch; keep the array in `WGMMA` and it is free"), std::string::npos);
}

struct Access {
  ConflictReport report;
  std::optional<SwizzleAdvice> advice;
};

Access access(const char *op, const TiledLayout &layout, const Shape &shape, int bits, Shape tiling,
              std::optional<int> swizzle) {
  auto map = *elementMapOf(registers(layout), shape);
  auto memory = *SmemMap::of(shape, bits, std::move(tiling), swizzle);
  ConflictReport report = *conflicts(*parseSmemOp(op), map, AddressMap::of(memory));
  auto advice = swizzleAdvice(*parseSmemOp(op), map, memory, report);
  return {std::move(report), std::move(advice)};
}

TEST(Verdicts, ConflictsNameTheSwizzleThatRemovesThem) {
  Access bad = access("ld.shared.b32", catalogue::wgmma(), {64, 64}, 16, {8, 64}, std::nullopt);
  ASSERT_TRUE(bad.advice);
  EXPECT_EQ(bad.advice->swizzle, 128);
  Access mended = access("ld.shared.b32", catalogue::wgmma(), {64, 64}, 16, {8, 64}, 128);
  EXPECT_EQ(mended.report.wavefronts, bad.advice->wavefronts); // the advice is correct
  EXPECT_FALSE(mended.advice);
  Verdict good = verdictOn(mended.report, mended.advice);
  EXPECT_TRUE(good.good);
  EXPECT_EQ(good.sentence, "no bank conflicts: 64 wavefronts, as few as the bytes need");
  EXPECT_NE(verdictOn(bad.report, bad.advice).sentence.find("; a 128-byte swizzle removes them"), std::string::npos);
}

TEST(Verdicts, ConflictsThatNoSwizzleRemovesAreSaidToBe) {
  Access rows = access("ld.shared.b32", catalogue::wgmma(), {64, 64}, 16, {}, std::nullopt);
  EXPECT_FALSE(rows.advice); // no tiles: nothing to swizzle
  for (int bits : {8, 16, 32})
    for (int swizzle : {16, 32, 64, 128})
      for (const char *op : {"ld.shared.b8", "ld.shared.b16", "ld.shared.b32", "st.shared.b64"}) {
        int64_t columns = int64_t{swizzle} * 8 / bits;
        auto map = elementMapOf(registers(catalogue::wgmma()), {64, columns});
        auto memory = SmemMap::of({64, columns}, bits, {8, columns}, swizzle);
        if (!map || !memory)
          continue;
        auto report = conflicts(*parseSmemOp(op), *map, AddressMap::of(*memory));
        if (!report)
          continue;
        auto advice = swizzleAdvice(*parseSmemOp(op), *map, *memory, *report);
        EXPECT_EQ(report->conflicts() == 0, !advice);
        Verdict verdict = verdictOn(*report, advice);
        EXPECT_EQ(verdict.good, report->conflicts() == 0);
        if (advice && advice->swizzle) {
          auto other = SmemMap::of({64, columns}, bits, {8, columns}, *advice->swizzle);
          EXPECT_EQ(conflicts(*parseSmemOp(op), *map, AddressMap::of(*other))->wavefronts, advice->wavefronts);
        }
      }
}

TEST(Verdicts, CoalescingSaysWhatAnotherLayoutWouldTake) {
  auto map = *elementMapOf(registers(catalogue::wgmma()), {64, 64});
  auto half = *coalescing(map, {64, 1}, 16);
  Verdict verdict = verdictOn(half, map, {64, 1}, 16);
  EXPECT_FALSE(verdict.good);
  EXPECT_EQ(verdict.sentence.find("2 times as many sectors of 32 bytes as the data fill: "), 0u) << verdict.sentence;
  auto strided = WGStridedFragLayout::fromShapedType({64, 64}, 16);
  ASSERT_TRUE(strided);
  EXPECT_NE(verdict.sentence.find("in `" + jaxText(*strided) + "` it takes 256"), std::string::npos)
      << verdict.sentence;
  auto better = *elementMapOf(Layout(RegisterLayout(*strided)), {64, 64});
  EXPECT_TRUE(verdictOn(*coalescing(better, {64, 1}, 16), better, {64, 1}, 16).good);
}

} // namespace
} // namespace lanescope::layouts
