// The accesses that releases to global memory publish, and how many releases are kept.
#include "core/gpu/emulator/check/Releasers.h"
#include "core/gpu/emulator/machine/Warp.h"

#include <gtest/gtest.h>

namespace lanescope::core::emulator {
namespace {

Clock clockOf(Agent agent, Epoch epoch) {
  Clock clock;
  clock.raise(agent, epoch);
  return clock;
}

TEST(Releasers, AReleasePublishesWhatItsWarpKnew) {
  Releasers releasers;
  uint32_t releases = 0;
  Agent first = releasers.of(3, 0, kAllLanes, false), other = releasers.of(3, 1, kAllLanes, false);
  EXPECT_NE(first, other);
  EXPECT_EQ(releasers.of(3, 0, kAllLanes, false), first);
  Clock acquired = clockOf(first, releasers.release(first, {clockOf(0, 5), {}, 7, 0}, releases));
  releasers.release(other, {clockOf(1, 9), {}, 8, 1}, releases);
  EXPECT_TRUE(releasers.publish(acquired, 3, {0, 0, 5}));
  EXPECT_FALSE(releasers.publish(acquired, 3, {0, 0, 6}));
  EXPECT_FALSE(releasers.publish(acquired, 3, {0, 1, 9})); // the other warp's release was not acquired
  EXPECT_FALSE(releasers.publish(acquired, 4, {0, 0, 5}));
  EXPECT_EQ(releasers.lastOf(acquired, 3), 1u);
  const Releasers::Release *tells = releasers.shortOf(3, {0, 1, 9}, kAllLanes);
  ASSERT_TRUE(tells);
  EXPECT_EQ(tells->pc, 7u);
}

TEST(Releasers, OneLanePublishesWhatItKnows) {
  Releasers releasers;
  uint32_t releases = 0;
  Agent first = releasers.of(3, 0, 1, false), second = releasers.of(3, 0, 2, false);
  EXPECT_NE(first, second);
  EXPECT_FALSE(releasers.haveParts());
  auto tellOf = [&](Agent who, uint32_t lanes) {
    std::vector<KnownLanes> apart{{0, kAllLanes, 2, 0},
                                  {0, lanes, 5, 0}}; // all lanes' uses up to 2, and the uses of `lanes` up to 5
    return clockOf(who, releasers.release(who, {clockOf(0, 5), apart, 7, 0}, releases));
  };
  Clock acquired = tellOf(first, 1);
  EXPECT_TRUE(releasers.haveParts());
  EXPECT_EQ(releasers.lanesPublished(acquired, 3, {0, 0, 2}), kAllLanes);
  EXPECT_EQ(releasers.lanesPublished(acquired, 3, {0, 0, 4}), 1u);
  EXPECT_EQ(releasers.lanesPublished(acquired, 3, {0, 0, 6}), 0u);
  acquired.join(tellOf(second, 2));
  EXPECT_EQ(releasers.lanesPublished(acquired, 3, {0, 0, 4}), 3u); // an acquire from both lanes comes after both
  ASSERT_TRUE(releasers.shortOf(3, {0, 0, 4}, 4u));
}

TEST(Releasers, TheSameOnceMoreIsNoOtherRelease) {
  Releasers releasers;
  uint32_t releases = 0;
  Agent who = releasers.of(0, 0, kAllLanes, false);
  uint32_t stamp = releasers.release(who, {clockOf(0, 5), {}, 7, 0}, releases);
  EXPECT_EQ(releasers.release(who, {clockOf(0, 5), {}, 7, 0}, releases), stamp);
  EXPECT_GT(releasers.release(who, {clockOf(0, 6), {}, 7, 0}, releases), stamp);
}

TEST(Releasers, WhatWasForgottenCountsInFavour) {
  Releasers releasers;
  uint32_t releases = 0;
  Agent who = releasers.of(0, 0, kAllLanes, false);
  Clock early = clockOf(who, releasers.release(who, {clockOf(0, 1), {}, 7, 0}, releases));
  EXPECT_FALSE(releasers.publish(early, 0, {0, 1, 1}));
  for (Epoch epoch = 2; epoch < 1000; ++epoch)
    releasers.release(who, {clockOf(0, epoch), {}, 7, 0}, releases);
  EXPECT_TRUE(releasers.publish(early, 0, {0, 1, 1}));
  EXPECT_FALSE(releasers.publish(early, 0, {1, 1, 1})); // later accesses are not published
}

TEST(Releasers, BeyondManyAClustersWarpsCountAsOne) {
  Releasers releasers;
  uint32_t releases = 0;
  for (uint32_t cluster = 0; cluster < 8192; ++cluster)
    releasers.of(cluster, 0, kAllLanes, false);
  Agent one = releasers.of(9000, 0, kAllLanes, false);
  EXPECT_EQ(releasers.of(9000, 1, kAllLanes, false), one);
  EXPECT_NE(releasers.of(9001, 1, kAllLanes, false), one);
  releasers.release(one, {clockOf(0, 5), {}, 7, 0}, releases);
  Clock acquired = clockOf(one, releasers.release(one, {clockOf(1, 5), {}, 7, 1}, releases));
  EXPECT_TRUE(releasers.publish(acquired, 9000, {0, 0, 5}));
}

} // namespace
} // namespace lanescope::core::emulator
