// Relayouts: the conversions of JAX and of the kernel compiler by their instruction counts, plans against bounds
// computed here, and moves that put every element in its place.

#include "layouts/cost/Relayout.h"
#include "layouts/Catalogue.h"
#include "layouts/cost/Conflicts.h"
#include "layouts/cost/RelayoutTable.h"
#include "layouts/notation/Notation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <set>

using namespace lanescope;
using namespace lanescope::layouts;

namespace {

namespace c = catalogue;

RelayoutReport costs(const Layout &from, const Layout &to, const Shape &shape, int bits) {
  auto report = relayout(from, to, shape, bits);
  EXPECT_TRUE(report) << render(report.error());
  return report ? *report : RelayoutReport{};
}

Layout tiled(const TiledLayout &layout) { return RegisterLayout(layout); }

ElementMap mapOf(const TiledLayout &layout, const Shape &shape) {
  auto map = ElementMap::of(layout, shape);
  EXPECT_TRUE(map) << render(map.error());
  return *map;
}

/// A layout of one warp, given as a table.
ElementMap table(const Shape &shape, int registers, int vector, const std::vector<int32_t> &elements,
                 int threads = 32) {
  auto map = ElementMap::fromTable(tiled(c::wgmma()), shape, threads, registers, vector, elements);
  EXPECT_TRUE(map) << render(map.error());
  return *map;
}

void checkMoves(const RelayoutReport &report, const ElementMap &from, const ElementMap &to) {
  std::set<int32_t> reached;
  for (const RelayoutMove &move : report.moves) {
    ASSERT_EQ(from.elements()[move.from], to.elements()[move.to]);
    Owner a = from.ownerOf(move.from), b = to.ownerOf(move.to);
    MoveKind least = a.thread == b.thread             ? MoveKind::Stays
                     : a.thread / 32 == b.thread / 32 ? MoveKind::SameWarp
                                                      : MoveKind::OtherWarp;
    EXPECT_TRUE(move.kind == least || (least == MoveKind::Stays && move.kind == MoveKind::SameThread));
    // No other owner is nearer.
    for (const Owner &owner : from.owners(from.elements()[move.from])) {
      if (owner.thread == b.thread)
        EXPECT_LE(move.kind, MoveKind::SameThread);
      else if (owner.thread / 32 == b.thread / 32)
        EXPECT_LE(move.kind, MoveKind::SameWarp);
    }
    reached.insert(move.to);
  }
  EXPECT_EQ(reached.size(), static_cast<size_t>(std::count_if(to.elements().begin(), to.elements().end(),
                                                              [](int32_t element) { return element >= 0; })));
  EXPECT_EQ(std::accumulate(report.values, report.values + 4, int64_t(0)), static_cast<int64_t>(report.moves.size()));
}

TEST(Relayout, WhatTheKernelCompilerMakes) {
  // 64x64 elements in 128 threads: 32 values, or 16 pairs, in each. The PTX of samples/kernels/transpose.py has the
  // same counts.
  for (int bits : {16, 32})
    for (bool back : {false, true}) {
      Layout a = tiled(c::wgmma()), b = tiled(c::wgmmaTransposed());
      auto report = costs(back ? b : a, back ? a : b, {64, 64}, bits);
      EXPECT_EQ(report.mechanism, RelayoutMechanism::Shuffles);
      EXPECT_TRUE(report.lowered);
      EXPECT_EQ(report.basis, RelayoutBasis::Lowering);
      EXPECT_EQ(report.counts.shuffles, 16);
      EXPECT_EQ(report.counts.selects, bits == 16 ? 0 : 48);
      EXPECT_EQ(report.counts.prmt, bits == 16 ? 16 : 0);
    }
  auto tcgen = costs(tiled(c::tcgen05()), tiled(c::tcgen05Transposed()), {128, 64}, 32);
  EXPECT_EQ(tcgen.counts.shuffles, 32);
  EXPECT_TRUE(tcgen.lowered);

  auto split = costs(tiled(c::wgmma()), tiled(c::wgmmaAcc32Bit()), {64, 64}, 32);
  EXPECT_EQ(split.mechanism, RelayoutMechanism::Renaming);
  EXPECT_EQ(split.counts, RelayoutCounts{});
  EXPECT_TRUE(split.lowered);
  // At 16 bits, the upper half of each pair is extracted; on the way back, each pair is joined.
  for (bool back : {false, true}) {
    Layout a = tiled(c::wgmma()), b = tiled(c::wgmmaAcc32Bit());
    auto halves = costs(back ? b : a, back ? a : b, {64, 64}, 16);
    EXPECT_EQ(halves.mechanism, RelayoutMechanism::BytePermutes);
    EXPECT_EQ(halves.counts.prmt, 16);
    EXPECT_TRUE(halves.lowered);
  }

  auto operand = costs(tiled(c::mmaLayouts(16)->acc), tiled(c::mmaLayouts(16)->lhs), {64, 64}, 16);
  EXPECT_EQ(operand.mechanism, RelayoutMechanism::Nothing);
  EXPECT_EQ(operand.counts, RelayoutCounts{});
  EXPECT_TRUE(operand.lowered);

  auto same = costs(tiled(c::wgmma()), tiled(c::wgmma()), {64, 64}, 16);
  EXPECT_EQ(same.mechanism, RelayoutMechanism::Nothing);
  EXPECT_TRUE(same.lowered);
  auto splat = costs(RegisterLayout(WGSplatFragLayout{}), tiled(c::wgmma()), {64, 64}, 16);
  EXPECT_EQ(splat.mechanism, RelayoutMechanism::Renaming);
  EXPECT_EQ(splat.counts, RelayoutCounts{});
  EXPECT_TRUE(splat.lowered);
}

TEST(Relayout, UpcastsAreMadeAsInJax) {
  struct Row {
    TiledLayout from, to;
    int bits;
    Shape shape;
    int64_t shuffles, prmt, selects;
  };
  // There are values per thread * bits / 32 registers: one shuffle per register, or one per two registers at 16 bits.
  std::vector<Row> rows = {
      {c::wgmmaUpcast2x(), c::wgmma(), 16, {64, 64}, 8, 0, 24},
      {c::wgmmaUpcast2x(), c::wgmma(), 8, {64, 64}, 8, 8, 0},
      {c::wgmmaUpcast2x(), c::wgmma(), 4, {64, 64}, 4, 4, 0},
      {c::wgmmaUpcast4x(), c::wgmmaUpcast2x(), 4, {64, 64}, 4, 4, 0},
      {c::wgmmaUpcast4x(), c::wgmma(), 4, {128, 64}, 16, 16, 0},
  };
  for (const Row &row : rows) {
    SCOPED_TRACE(std::to_string(row.bits));
    auto report = costs(tiled(row.from), tiled(row.to), row.shape, row.bits);
    EXPECT_EQ(report.mechanism, RelayoutMechanism::Shuffles);
    EXPECT_EQ(report.basis, RelayoutBasis::Lowering);
    EXPECT_TRUE(report.lowered);
    EXPECT_EQ(report.counts.shuffles, row.shuffles);
    EXPECT_EQ(report.counts.prmt, row.prmt);
    EXPECT_EQ(report.counts.selects, row.selects);
    EXPECT_LE(report.shufflesAtLeast, report.counts.shuffles);
    EXPECT_EQ(report.values[3], 0);
    EXPECT_GT(report.values[2], 0);
  }
  auto native = costs(tiled(*c::tmemNative(2)), tiled(*c::tmemNative(8)), {128, 32}, 32);
  EXPECT_EQ(native.mechanism, RelayoutMechanism::Renaming);
  EXPECT_EQ(native.basis, RelayoutBasis::Lowering);
  // At 16 bits, registers of one element each are joined in pairs.
  native = costs(tiled(*c::tmemNative(1)), tiled(*c::tmemNative(2)), {128, 32}, 16);
  EXPECT_EQ(native.mechanism, RelayoutMechanism::BytePermutes);
  EXPECT_EQ(native.counts.prmt, 16);
}

TEST(Relayout, TableOfConversions) {
  RegisterLayout wgmma = c::wgmma(), native1 = *c::tmemNative(1), native2 = *c::tmemNative(2),
                 native8 = *c::tmemNative(8), splat = WGSplatFragLayout{{128, 64}};
  const c::MmaLayouts mma = *c::mmaLayouts(16), narrow = *c::mmaLayouts(16, 2);
  struct Row {
    RegisterLayout from, to;
    std::vector<int> bits;
    Conversion conversion;
  };
  std::vector<Row> rows = {
      {wgmma, wgmma, {1, 4, 8, 16, 32, 64}, Conversion::Nothing},
      {splat, wgmma, {1, 4, 8, 16, 32, 64}, Conversion::Constant},
      {wgmma, c::wgmmaTransposed(), {16, 32}, Conversion::Transposition},
      {c::tcgen05Transposed(), c::tcgen05(), {16, 32}, Conversion::Transposition},
      {wgmma, c::wgmmaAcc32Bit(), {8, 16, 32, 64}, Conversion::PairSplit},
      {native1, native8, {8, 16, 32, 64}, Conversion::Recut},
      {native8, native2, {1, 4, 8, 16, 32, 64}, Conversion::Recut},
      {mma.acc, mma.lhs, {8, 16, 32, 64}, Conversion::Renaming},
      {mma.lhs, wgmma, {8, 16, 32, 64}, Conversion::Renaming},
      {c::wgmmaUpcast2x(), wgmma, {4, 8, 16}, Conversion::Upcast2x},
      {c::wgmmaUpcast4x(), c::wgmmaUpcast2x(), {4}, Conversion::Upcast4xTo2x},
      {c::wgmmaUpcast4x(), wgmma, {4}, Conversion::Upcast4x},
  };
  for (const Row &row : rows) {
    EXPECT_EQ(conversionOfPair(row.from, row.to), row.conversion) << quoted(row.from) << " to " << quoted(row.to);
    for (int bits : {1, 4, 8, 16, 32, 64}) {
      SCOPED_TRACE(quoted(row.from) + " to " + quoted(row.to) + ", " + std::to_string(bits) + " bits");
      auto found = conversion(row.from, row.to, {128, 64}, bits);
      if (std::ranges::find(row.bits, bits) == row.bits.end()) {
        ASSERT_FALSE(found);
        EXPECT_EQ(found.error().front().kind, "no-conversion");
        continue;
      }
      ASSERT_TRUE(found) << render(found.error());
      EXPECT_EQ(*found, row.conversion);
      // A possible conversion has its exact cost; nothing else counts as lowered.
      EXPECT_TRUE(costs(row.from, row.to, {128, 64}, bits).lowered);
    }
  }
  EXPECT_EQ(conversionOfPair(wgmma, c::tcgen05()), std::nullopt);
  EXPECT_EQ(conversionOfPair(wgmma, splat), std::nullopt);
  EXPECT_EQ(conversion(wgmma, c::tcgen05(), {128, 64}, 16).error().front().kind, "no-conversion");
  // With warps along N, each warp holds columns of the sums that others need as operands.
  EXPECT_EQ(conversion(narrow.acc, narrow.lhs, {128, 64}, 16).error().front().kind, "no-conversion");
  EXPECT_FALSE(costs(tiled(c::wgmma()), tiled(c::wgmmaAcc32Bit()), {64, 64}, 4).lowered);
  EXPECT_EQ(conversion(c::wgmmaUpcast2x(), wgmma, {64, 16}, 4).error().front().kind, "odd-columns");
  EXPECT_EQ(quoted(wgmma), "`WGMMA`");
  EXPECT_EQ(quoted(*WGStridedFragLayout::make({64, 64}, 2)), "`WGStridedFragLayout(shape=(64, 64), vec_size=2)`");
}

/// The plans find these conversions without a table of them.
TEST(Relayout, PlansFindTheKnownConversions) {
  auto plan = [](const TiledLayout &from, const TiledLayout &to, int bits) {
    auto report = relayout(mapOf(from, {64, 64}), mapOf(to, {64, 64}), bits);
    EXPECT_TRUE(report) << render(report.error());
    EXPECT_EQ(report->mechanism, RelayoutMechanism::Shuffles);
    EXPECT_EQ(report->basis, RelayoutBasis::Plan);
    return report->counts;
  };
  for (bool back : {false, true}) {
    const TiledLayout &a = back ? c::wgmmaTransposed() : c::wgmma(), &b = back ? c::wgmma() : c::wgmmaTransposed();
    RelayoutCounts wide = plan(a, b, 32), narrow = plan(a, b, 16);
    EXPECT_EQ(wide.shuffles, 16);
    EXPECT_EQ(wide.selects, 48);
    EXPECT_EQ(wide.prmt, 0);
    EXPECT_EQ(narrow.shuffles, 16); // as in JAX: a shuffle and a prmt for each register
    EXPECT_EQ(narrow.prmt, 16);
    EXPECT_EQ(narrow.selects, 0);
  }
  RelayoutCounts upcast = plan(c::wgmmaUpcast2x(), c::wgmma(), 16);
  EXPECT_EQ(upcast.shuffles, 8);
  EXPECT_EQ(upcast.selects, 24);
  upcast = plan(c::wgmmaUpcast2x(), c::wgmma(), 8);
  EXPECT_EQ(upcast.shuffles, 8);
  EXPECT_EQ(upcast.prmt, 16); // JAX joins the halves of two tiles with one prmt, and separates them afterwards
}

TEST(Relayout, MovesOfAllPairs) {
  std::vector<TiledLayout> layouts = {c::wgmma(),         c::wgmmaAcc32Bit(),     c::wgmma8Bit(),
                                      c::wgmmaUpcast2x(), c::wgmmaUpcast4x(),     c::wgmmaTransposed(),
                                      c::tcgen05(),       c::tcgen05Transposed(), *c::tmemNative(1),
                                      *c::tmemNative(4),  *c::tmemNative(2)};
  Shape shape = {128, 32};
  for (const TiledLayout &a : layouts)
    for (const TiledLayout &b : layouts)
      for (int bits : {4, 8, 16, 32, 64}) {
        ElementMap from = mapOf(a, shape), to = mapOf(b, shape);
        auto report = relayout(from, to, bits);
        ASSERT_TRUE(report) << render(report.error());
        if (bits == 16)
          checkMoves(*report, from, to);
        EXPECT_LE(report->mechanism == RelayoutMechanism::Shuffles ? report->shufflesAtLeast : 0,
                  report->counts.shuffles);
        EXPECT_EQ(report->mechanism == RelayoutMechanism::Nothing, a == b);
        if (report->values[3] > 0)
          EXPECT_EQ(report->mechanism, RelayoutMechanism::SharedMemory);
        if (report->mechanism == RelayoutMechanism::Renaming || report->mechanism == RelayoutMechanism::BytePermutes)
          EXPECT_EQ(report->values[2] + report->values[3], 0);
      }
}

/// The values of one warp are permuted at random. A round of shuffles is a matching of lanes, so the plan has at least
/// as many rounds as any lane has words to send or receive, and fewer than twice as many.
TEST(Relayout, RandomPlansStayNearTheirBound) {
  std::mt19937 random(7);
  for (int registers : {1, 2, 5, 16}) {
    int count = 32 * registers;
    std::vector<int32_t> before(count), after(count);
    std::iota(before.begin(), before.end(), 0);
    after = before;
    std::shuffle(after.begin(), after.end(), random);
    ElementMap from = table({count}, registers, 1, before), to = table({count}, registers, 1, after);
    auto report = relayout(from, to, 32);
    ASSERT_TRUE(report) << render(report.error());
    checkMoves(*report, from, to);
    std::vector<int> sent(32), received(32);
    for (int slot = 0; slot < count; ++slot)
      if (int owner = after[slot] / registers; owner != slot / registers) {
        ++sent[owner];
        ++received[slot / registers];
      }
    int degree =
        std::max(*std::max_element(sent.begin(), sent.end()), *std::max_element(received.begin(), received.end()));
    EXPECT_EQ(report->shufflesAtLeast, degree);
    if (report->mechanism == RelayoutMechanism::Shuffles) {
      EXPECT_GE(report->counts.shuffles, degree);
      EXPECT_LT(report->counts.shuffles, 2 * degree);
    }
  }
}

TEST(Relayout, OneShuffleServesManyLanes) {
  std::vector<int32_t> before(32), after(32, 7);
  std::iota(before.begin(), before.end(), 0);
  auto report = relayout(table({32}, 1, 1, before), table({32}, 1, 1, after), 32);
  ASSERT_TRUE(report) << render(report.error());
  EXPECT_EQ(report->counts.shuffles, 1);
  EXPECT_EQ(report->shufflesAtLeast, 1);
  EXPECT_EQ(report->counts.selects, 1); // lane 7 keeps its own value
}

TEST(Relayout, CopiesAreTakenFromNearby) {
  // Four lanes hold each row of WGMMA_ROW. Eight rows further down, the copy is in another warp or lane.
  auto report = costs(tiled(c::wgmmaRow()), tiled(c::wgmmaRow()), {64}, 32);
  EXPECT_EQ(report.values[0], 64 * 4);
  ElementMap from = mapOf(c::wgmmaCol(), {64}), to = mapOf(c::wgmmaRow(), {64});
  auto spread = relayout(from, to, 32); // every warp holds all columns
  ASSERT_TRUE(spread) << render(spread.error());
  EXPECT_EQ(spread->values[3], 0);
  checkMoves(*spread, from, to);
}

TEST(Relayout, RoundTripThroughSharedMemory) {
  auto report = costs(tiled(c::wgmma()), tiled(c::tcgen05()), {128, 64}, 32);
  EXPECT_EQ(report.mechanism, RelayoutMechanism::SharedMemory);
  ASSERT_TRUE(report.shared);
  EXPECT_EQ(report.shared->scratch, "row-major, rows padded by 32 bytes");
  EXPECT_EQ(report.shared->storeBytes, 8);
  EXPECT_EQ(report.shared->stores, 32); // 64 values, two per store
  EXPECT_EQ(report.shared->bytes, (127 * 72 + 64) * 4);
  // The conflicts of each side with that buffer give the same counts.
  std::vector<int32_t> offsets;
  for (int row = 0; row < 128; ++row)
    for (int column = 0; column < 64; ++column)
      offsets.push_back(row * 72 + column);
  auto scratch = AddressMap::make("scratch", {128, 64}, 32, offsets);
  ASSERT_TRUE(scratch);
  auto stored = conflicts(*parseSmemOp("st.shared.b64"), mapOf(c::wgmma(), {128, 64}), *scratch);
  auto loaded = conflicts(*parseSmemOp("ld.shared.b64"), mapOf(c::tcgen05(), {128, 64}), *scratch);
  ASSERT_TRUE(stored && loaded);
  EXPECT_EQ(report.shared->storeWavefronts, stored->wavefronts);
  EXPECT_EQ(report.shared->loadWavefronts, loaded->wavefronts);
  EXPECT_EQ(report.shared->conflicts, stored->conflicts() + loaded->conflicts());
}

TEST(Relayout, SixtyFourBits) {
  auto report = costs(tiled(c::wgmma()), tiled(c::wgmmaAcc32Bit()), {64, 8}, 64);
  EXPECT_EQ(report.mechanism, RelayoutMechanism::Renaming);
  // A 64-bit value is two words, so it needs two shuffles where a 32-bit value needs one.
  auto narrow = relayout(mapOf(c::wgmma(), {64, 64}), mapOf(c::wgmmaTransposed(), {64, 64}), 32);
  auto wide = relayout(mapOf(c::wgmma(), {64, 64}), mapOf(c::wgmmaTransposed(), {64, 64}), 64);
  ASSERT_TRUE(narrow && wide);
  EXPECT_EQ(wide->counts.shuffles, 2 * narrow->counts.shuffles);
}

/// CuTe's thread-value layout of a wgmma accumulator is WGMMA, whatever the elements' width.
TEST(Relayout, ValuesOfOtherLanguagesFillRegistersDensely) {
  auto cute = parseLayout(Source::make("test", "((4,8,4),(2,2,8)):((128,1,16),(64,8,512))"));
  ASSERT_TRUE(cute) << render(cute.error());
  for (int bits : {8, 16, 32}) {
    auto report = costs(tiled(c::wgmma()), *cute, {64, 64}, bits);
    // Pairs of 8-bit elements: WGMMA has a register for each pair, CuTe has one register for two pairs.
    EXPECT_EQ(report.mechanism, bits == 8 ? RelayoutMechanism::BytePermutes : RelayoutMechanism::Nothing);
    EXPECT_EQ(report.counts.prmt, bits == 8 ? 8 : 0);
    auto turned = costs(*cute, tiled(c::wgmmaTransposed()), {64, 64}, bits);
    EXPECT_EQ(turned.mechanism, RelayoutMechanism::Shuffles);
    EXPECT_EQ(turned.basis, RelayoutBasis::Plan);
    EXPECT_EQ(turned.lowered, false);
  }
}

TEST(Relayout, WhatIsRefused) {
  Layout wgmma = tiled(c::wgmma()), splat = RegisterLayout(WGSplatFragLayout{});
  EXPECT_EQ(relayout(wgmma, splat, {64, 64}, 32).error()[0].kind, "layout-splat");
  EXPECT_FALSE(relayout(wgmma, tiled(c::tcgen05()), {64, 64}, 32));
  EXPECT_FALSE(relayout(splat, tiled(c::tcgen05()), {64, 64}, 32));
  EXPECT_FALSE(relayout(Layout(*c::tmemDefault()), wgmma, {128, 64}, 32));
  EXPECT_EQ(relayout(wgmma, wgmma, {64, 64}, 24).error()[0].kind, "bitwidth");
  EXPECT_EQ(relayout(wgmma, wgmma, {8192, 8192}, 32).error()[0].kind, "too-large");
  std::vector<int32_t> all(32);
  std::iota(all.begin(), all.end(), 0);
  ElementMap warp = table({32}, 1, 1, all);
  std::vector<int32_t> wide = all;
  wide.resize(64, 0);
  EXPECT_EQ(relayout(warp, table({32}, 1, 1, wide, 64), 32).error()[0].kind, "thread-count");
  std::vector<int32_t> holes = all;
  holes[5] = -1;
  EXPECT_EQ(relayout(table({32}, 1, 1, holes), warp, 32).error()[0].kind, "no-owner");
  EXPECT_TRUE(relayout(warp, table({32}, 1, 1, holes), 32));
}

} // namespace
