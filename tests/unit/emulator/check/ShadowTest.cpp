// The checker's tables: clocks as a lattice, and the shadow's shared reader lists against plain sets per granule.
#include "core/gpu/emulator/check/Shadow.h"
#include "core/gpu/emulator/check/GlobalShadow.h"

#include <gtest/gtest.h>
#include <map>
#include <random>

namespace lanescope::core::emulator {
namespace {

TEST(Clock, JoinIsTheLeastUpperBound) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    Clock a, b;
    std::map<Agent, Epoch> plainA, plainB;
    for (int n = 0; n < 6; ++n) {
      auto agent = static_cast<Agent>(random() % 20);
      Epoch epoch = random() % 9 + 1;
      (n % 2 ? a : b).raise(agent, epoch);
      Epoch &plain = (n % 2 ? plainA : plainB)[agent];
      plain = std::max(plain, epoch);
    }
    Clock both = a, again = b;
    both.join(b);
    again.join(a);
    for (Agent agent = 0; agent < 25; ++agent) {
      Epoch most = std::max(plainA[agent], plainB[agent]);
      EXPECT_EQ(both[agent], most);
      EXPECT_EQ(again[agent], most);
      EXPECT_TRUE(most == 0 || both.covers(agent, most));
      EXPECT_FALSE(both.covers(agent, most + 1));
    }
    both.clear();
    EXPECT_EQ(both[3], 0u);
  }
}

TEST(Clock, CoversTheStepsUpToTheOneThatItWasRaisedTo) {
  Clock clock;
  EXPECT_FALSE(clock.covers(order::Step{70'000, 1})) << "more agents than a GPU's cluster has";
  clock.raise(order::Step{70'000, 4});
  clock.raise(order::Step{70'000, 2});
  for (Epoch epoch = 1; epoch < 7; ++epoch)
    EXPECT_EQ(clock.covers(order::Step{70'000, epoch}), epoch <= 4) << epoch;
  EXPECT_TRUE(clock.covers(order::Step{3, 0}));
  EXPECT_FALSE(clock.covers(order::Step{3, 1}));
  Clock all = clock;
  all.raise(3, 1);
  EXPECT_TRUE(all.covers(clock));
  EXPECT_FALSE(clock.covers(all));
}

/// The readers of a set, with the newest epoch of each agent.
std::map<Agent, Epoch> readersOf(const Shadow &shadow, uint32_t set) {
  std::map<Agent, Epoch> out;
  for (uint32_t n = set; n; n = shadow.use(n).rest) {
    EXPECT_FALSE(out.contains(shadow.use(n).agent)) << "an agent twice";
    out[shadow.use(n).agent] = shadow.use(n).epoch;
  }
  return out;
}

TEST(Shadow, ReaderListsAreTheSetsThatPlainBookkeepingGives) {
  constexpr uint32_t kBytes = 64, kCells = kBytes / 4;
  Shadow shadow;
  shadow.begin(2, kBytes);
  shadow.fit(4);
  std::vector<std::map<Agent, Epoch>> plain(2 * kCells);
  std::vector<std::pair<Agent, Epoch>> writer(2 * kCells);
  std::mt19937 random(2);
  // Enough entries for several sweeps of the table.
  for (uint32_t round = 0; round < 300'000; ++round) {
    shadow.sweepWhenLarge();
    uint32_t rank = random() % 2, first = random() % kCells, count = random() % (kCells - first) + 1;
    Use use;
    use.agent = static_cast<Agent>(random() % 8);
    use.epoch = round + 1;
    Cell *cells = shadow.cells(rank, first * 4);
    ASSERT_EQ(shadow.count(count * 4), count);
    if (random() % 8 == 0) {
      uint32_t number = shadow.add(use);
      for (uint32_t n = 0; n < count; ++n) {
        cells[n] = {number, kNoUse};
        plain[rank * kCells + first + n].clear();
        writer[rank * kCells + first + n] = {use.agent, use.epoch};
      }
      continue;
    }
    // The reader has acquired from some of the others, up to some time.
    Clock seen;
    for (Agent agent = 0; agent < 8; ++agent)
      if (random() % 4 == 0)
        seen.raise(agent, round - std::min<uint32_t>(round, random() % 64));
    for (uint32_t n = 0; n < count; ++n) {
      cells[n].reads = shadow.addReader(cells[n].reads, use, seen);
      std::map<Agent, Epoch> &set = plain[rank * kCells + first + n];
      std::erase_if(set, [&](const auto &entry) { return seen.covers(entry.first, entry.second); });
      set[use.agent] = use.epoch;
    }
    if (round % 1000 == 0)
      for (uint32_t n = 0; n < 2 * kCells; ++n) {
        const Cell &cell = *shadow.cells(n / kCells, n % kCells * 4);
        ASSERT_EQ(readersOf(shadow, cell.reads), plain[n]) << round;
        if (cell.write) {
          ASSERT_EQ(shadow.use(cell.write).epoch, writer[n].second);
        }
      }
  }
}

TEST(Shadow, GranulesThatBecomeFinerKeepTheirHistory) {
  constexpr uint32_t kBytes = 40; // not a multiple of the largest granule
  Shadow shadow;
  shadow.begin(2, kBytes);
  EXPECT_EQ(shadow.granule(), 16u);
  for (uint32_t rank = 0; rank < 2; ++rank)
    for (uint32_t n = 0; n < 3; ++n)
      *shadow.cells(rank, n * 16) = {rank * 10 + n, n};
  shadow.fit(16 | 32);
  EXPECT_EQ(shadow.granule(), 16u);
  for (auto [places, granule] :
       {std::pair{8u, 4u}, std::pair{12u, 4u}, std::pair{6u, 2u}, std::pair{3u, 1u}, std::pair{4u, 1u}}) {
    shadow.fit(places);
    ASSERT_EQ(shadow.granule(), granule) << places;
    for (uint32_t rank = 0; rank < 2; ++rank)
      for (uint32_t at = 0; at < kBytes; at += granule)
        EXPECT_EQ(shadow.cells(rank, at)->both(), (Cell{rank * 10 + at / 16, at / 16}.both())) << rank << " " << at;
  }
  shadow.begin(1, kBytes);
  EXPECT_EQ(shadow.granule(), 1u) << "the program's next block has such accesses, too";
  EXPECT_EQ(shadow.cells(0, kBytes - 1)->both(), Cell{}.both());
}

TEST(Shadow, AReaderThatIsThereCostsNothing) {
  Shadow shadow;
  shadow.begin(1, 16);
  shadow.fit(1);
  Use use;
  use.agent = 3;
  use.epoch = 7;
  Clock nothing;
  uint32_t once = shadow.addReader(kNoUse, use, nothing);
  EXPECT_EQ(shadow.addReader(once, use, nothing), once);
  EXPECT_EQ(shadow.count(3), 3u);
  EXPECT_EQ(shadow.offsetOf(5), 5u);
}

TEST(GlobalLine, PartsHaveOneOtherHistory) {
  std::mt19937 random(3);
  uint32_t whole = 0, refused = 0;
  for (int round = 0; round < 20'000; ++round) {
    GlobalLine line;
    line.become({static_cast<uint32_t>(random() % 3), static_cast<uint32_t>(random() % 3)});
    Cell cells[32];
    std::ranges::fill(cells, line.all);
    for (int touch = 0; touch < 6; ++touch) {
      uint32_t bits = round % 2 ? 0xFFu << 8 * (random() % 4) : static_cast<uint32_t>(random());
      // A write, or a read of the value that the last write left.
      uint32_t use = 5 + (random() % 8 == 0);
      Cell cell = random() % 2 || round % 4 < 2 ? Cell{use, kNoUse} : Cell{line.all.write, use};
      if ((line.parts & bits) != 0)
        continue; // these parts have their other cell already
      if (!line.touchParts(bits, cell)) {
        ++refused;
        break;
      }
      for (uint32_t n = 0; n < 32; ++n)
        if (bits >> n & 1)
          cells[n] = cell;
      for (uint32_t n = 0; n < 32; ++n) {
        Cell now = line.parts >> n & 1 ? line.part() : line.all;
        ASSERT_EQ(now.both(), cells[n].both()) << "granule " << n;
      }
      ASSERT_EQ(line.detail(), 0u);
      if (line.isOne())
        ++whole;
    }
  }
  EXPECT_GT(whole, 100u);
  EXPECT_GT(refused, 1000u);
}

} // namespace
} // namespace lanescope::core::emulator
