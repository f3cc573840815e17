// The order of one warp after another, tested without a kernel.
#include "core/gpu/emulator/check/Ordering.h"

#include <gtest/gtest.h>

namespace lanescope::core::emulator {
namespace {

class OrderingTest : public testing::Test {
protected:
  OrderingTest() {
    for (uint32_t w = 0; w < 8; ++w) {
      warps_[w].block = &block_;
      warps_[w].id = w;
      warps_[w].live = kAllLanes;
      warps_[w].splits = {{.state = SplitState::Ready, .mask = kAllLanes}};
    }
    order_.begin(grid_, 1, 8);
  }

  Epoch now(uint32_t warp) const { return order_.view(warp).seen[static_cast<Agent>(warp)]; }
  bool knows(uint32_t warp, Agent agent, Epoch epoch) const { return order_.view(warp).seen.covers(agent, epoch); }

  Grid grid_;
  Block block_;
  Warp warps_[8];
  Ordering order_;
};

// The steps of the tutorial in Ordering.h, with its numbers.
TEST_F(OrderingTest, TutorialOfTheHeader) {
  Program program; // fences ask if its clusters communicate
  grid_.program = &program;
  auto clocksAre = [&](Epoch a0, Epoch a1, Epoch b0, Epoch b1) {
    EXPECT_EQ(order_.view(0).seen[0], a0);
    EXPECT_EQ(order_.view(0).seen[1], a1);
    EXPECT_EQ(order_.view(1).seen[0], b0);
    EXPECT_EQ(order_.view(1).seen[1], b1);
  };

  // 1. A store, which nothing orders before other warps.
  clocksAre(1, 0, 0, 1);
  EXPECT_EQ(order_.touchAll(0), 1U);
  clocksAre(1, 0, 0, 1);
  EXPECT_FALSE(knows(1, 0, 1));

  // 2. A barrier.
  View &barrier = order_.namedBarrier(0, 0);
  auto barrierIs = [&](Epoch of0, Epoch of1) {
    EXPECT_EQ(barrier.seen[0], of0);
    EXPECT_EQ(barrier.seen[1], of1);
  };
  order_.arriveAt(warps_[0], kAllLanes, barrier);
  clocksAre(2, 0, 0, 1);
  barrierIs(1, 0);
  order_.arriveAt(warps_[1], kAllLanes, barrier);
  clocksAre(2, 0, 0, 2);
  barrierIs(1, 1);
  order_.passed(warps_[0], barrier);
  clocksAre(2, 1, 0, 2);
  order_.passed(warps_[1], barrier);
  clocksAre(2, 1, 1, 2);
  barrierIs(1, 1);
  EXPECT_TRUE(knows(1, 0, 1));
  EXPECT_EQ(order_.touchAll(0), 2U);
  EXPECT_FALSE(knows(1, 0, 2));

  // 3. Copies.
  Agent copies = order_.unitOf(warps_[6], AsyncUnit::CpAsync);
  EXPECT_EQ(copies, 14);
  EXPECT_EQ(order_.issue(warps_[6], AsyncUnit::CpAsync), 1U);
  EXPECT_FALSE(knows(6, copies, 1));
  order_.waited(warps_[6], AsyncUnit::CpAsync, 1);
  EXPECT_TRUE(knows(6, copies, 1));
  auto [agent, epoch] = order_.mbarrierCopy(warps_[0], 0, 1024, 0);
  EXPECT_EQ(agent, 48);
  EXPECT_EQ(epoch, 1U);
  EXPECT_FALSE(knows(5, agent, epoch));
  order_.mbarrierPhase(0, 1024, 1);
  order_.mbarrierObserved(warps_[5], 0, 1024);
  EXPECT_TRUE(knows(5, agent, epoch));

  // 4. The async proxy.
  EXPECT_FALSE(order_.view(1).fenced.covers(0, 1));
  order_.proxyFence(warps_[1], kAllLanes);
  EXPECT_TRUE(order_.view(1).fenced.covers(0, 1));

  // 5. A relaxed arrival, without a fence and with one.
  EXPECT_EQ(order_.touchAll(2), 1U);
  order_.mbarrierArrive(warps_[2], kAllLanes, 0, 2048, {.relaxed = true});
  order_.mbarrierPhase(0, 2048, 1);
  order_.mbarrierObserved(warps_[3], 0, 2048);
  EXPECT_FALSE(knows(3, 2, 1));
  EXPECT_TRUE(order_.view(3).weak.covers(2, 1));
  order_.fence(warps_[2], {.scope = Scope::Block, .acquires = true, .releases = true});
  order_.mbarrierArrive(warps_[2], kAllLanes, 0, 2048, {.relaxed = true});
  order_.mbarrierPhase(0, 2048, 2);
  order_.mbarrierObserved(warps_[3], 0, 2048);
  EXPECT_TRUE(knows(3, 2, 1));
}

TEST_F(OrderingTest, ABarrierCarriesWhatWasBeforeTheArrival) {
  Epoch before = now(0);
  View &barrier = order_.namedBarrier(0, 3);
  order_.arriveAt(warps_[0], kAllLanes, barrier);
  EXPECT_FALSE(knows(1, 0, before));
  order_.passed(warps_[1], barrier);
  EXPECT_TRUE(knows(1, 0, before));
  EXPECT_FALSE(knows(1, 0, now(0))); // this comes after its arrival
}

TEST_F(OrderingTest, LanesThatAreApartKnowWhatTheyHaveObservedThemselves) {
  View &barrier = order_.namedBarrier(0, 3);
  Epoch before = now(0);
  order_.arriveAt(warps_[0], kAllLanes, barrier);
  Warp &parted = warps_[1];
  parted.splits = {{.state = SplitState::Ready, .mask = 0xF0}};
  auto knowNow = [&](uint32_t lanes) {
    parted.splits[0].mask = lanes;
    return order_.viewOf(parted).seen.covers(0, before);
  };
  order_.passed(parted, barrier);
  EXPECT_TRUE(knowNow(0xF0));
  EXPECT_TRUE(knowNow(0x30)); // some of them
  EXPECT_FALSE(knowNow(~0xF0u));
  EXPECT_TRUE(knowNow(0xFF)); // they have met four other lanes, which diverge again
  EXPECT_TRUE(knowNow(0x0F));
  EXPECT_FALSE(knowNow(~0xFFu));
  EXPECT_FALSE(knows(1, 0, before));
  parted.live = ~0xF000u; // no lane waits for an exited lane
  EXPECT_TRUE(knowNow(~0xF000u));
  EXPECT_TRUE(knows(1, 0, before));
}

TEST_F(OrderingTest, WhatPartOfAWarpTellsIsBehindAllOfIts) {
  Warp &parted = warps_[1];
  parted.splits = {{.state = SplitState::Ready, .mask = 1}, {.state = SplitState::Ready, .mask = ~1u}};
  order_.proxyFence(parted, 1); // lane 0 knows more than the others
  Epoch before = order_.viewOf(parted).seen[1];
  order_.arriveAt(parted, 1, order_.namedBarrier(0, 3));
  parted.current = 1;
  EXPECT_GT(order_.viewOf(parted).seen[1], before);
}

TEST_F(OrderingTest, AFenceLinksWhatIsKnownToTheAsyncProxy) {
  Epoch before = now(2);
  EXPECT_FALSE(order_.view(2).fenced.covers(2, before));
  order_.proxyFence(warps_[2], kAllLanes);
  EXPECT_TRUE(order_.view(2).fenced.covers(2, before));
  EXPECT_FALSE(order_.view(2).fenced.covers(2, now(2)));
}

TEST_F(OrderingTest, AnMbarriersPhaseTellsOfItsCopies) {
  auto [agent, epoch] = order_.mbarrierCopy(warps_[0], 0, 1024, 0);
  EXPECT_EQ(order_.kindOf(agent), AsyncUnit::Mbarrier);
  EXPECT_FALSE(order_.covers(order_.view(5)));
  order_.mbarrierPhase(0, 1024, 1);
  order_.mbarrierObserved(warps_[5], 0, 1024);
  EXPECT_TRUE(knows(5, agent, epoch));
  EXPECT_TRUE(order_.covers(order_.view(5)));
  EXPECT_FALSE(knows(6, agent, epoch));
  // The next phase has another epoch.
  auto next = order_.mbarrierCopy(warps_[0], 0, 1024, 1);
  EXPECT_EQ(next.first, agent);
  EXPECT_GT(next.second, epoch);
}

TEST_F(OrderingTest, UnitsBelongToWarpsAndWarpgroups) {
  Agent copies = order_.unitOf(warps_[6], AsyncUnit::CpAsync), wgmma = order_.unitOf(warps_[6], AsyncUnit::Wgmma);
  EXPECT_EQ(order_.kindOf(copies), AsyncUnit::CpAsync);
  EXPECT_EQ(order_.ownerOf(copies), 6u);
  EXPECT_EQ(order_.unitOf(warps_[4], AsyncUnit::Wgmma), wgmma);
  EXPECT_EQ(order_.ownerOf(wgmma), 4u);
  Epoch epoch = order_.issue(warps_[6], AsyncUnit::CpAsync);
  EXPECT_EQ(order_.issued(warps_[6], AsyncUnit::CpAsync), epoch);
  EXPECT_FALSE(order_.covers(order_.view(6)));
  order_.waited(warps_[6], AsyncUnit::CpAsync, epoch);
  EXPECT_TRUE(order_.covers(order_.view(6)));
}

TEST_F(OrderingTest, ManyFlagsAreOne) {
  for (uint64_t key = 1; !order_.flagsAreMany(); ++key)
    order_.flagOrVague(key);
  EXPECT_EQ(&order_.flagOrVague(1ull << 40), &order_.flag(Ordering::kVagueFlag));
  EXPECT_NE(&order_.flagOrVague(1), &order_.flag(Ordering::kVagueFlag)); // known before
}

} // namespace
} // namespace lanescope::core::emulator
