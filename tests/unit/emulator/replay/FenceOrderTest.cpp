// The order of sequentially consistent fences that reads and writes of an execution force.
#include "core/gpu/emulator/replay/FenceOrder.h"

#include <gtest/gtest.h>

namespace lanescope::core::emulator::test {
namespace {

constexpr uint64_t kX = 100, kY = 200, kZ = 300; // addresses of bytes

TEST(FenceOrder, AReadOfAnOlderValueComesBeforeTheWrite) {
  FenceOrder order;
  order.write(1, kX);
  order.fence(1);
  order.read(1, kY);
  order.write(2, kY);
  EXPECT_FALSE(order.forces(1, 0, 2)) << "thread 2 has no fence yet";
  order.fence(2);
  EXPECT_TRUE(order.forces(1, 0, 2));
  EXPECT_FALSE(order.forces(1, 1, 2)) << "a write after the fence";
  EXPECT_FALSE(order.forces(2, 0, 1));
}

TEST(FenceOrder, TheRunsOrderOfFencesForcesNothing) {
  FenceOrder order;
  order.write(1, kX);
  order.fence(1);
  order.fence(2);
  EXPECT_FALSE(order.forces(1, 0, 2));
}

TEST(FenceOrder, AReadBeforeTheFenceForcesNothing) {
  FenceOrder order;
  order.write(1, kX);
  order.read(1, kY);
  order.fence(1);
  order.write(2, kY);
  order.fence(2);
  EXPECT_FALSE(order.forces(1, 0, 2));
}

TEST(FenceOrder, AValueThatIsReadOrOverwrittenComesFirst) {
  for (bool reads : {true, false}) {
    FenceOrder order;
    order.write(1, kX);
    order.fence(1);
    order.write(1, kY);
    reads ? order.read(2, kY) : order.write(2, kY);
    order.fence(2);
    EXPECT_TRUE(order.forces(1, 0, 2)) << reads;
  }
}

TEST(FenceOrder, OverAThirdThread) {
  FenceOrder order;
  order.write(1, kX);
  order.fence(1);
  order.read(1, kY);
  order.write(2, kY);
  order.fence(2);
  order.read(2, kZ);
  order.write(3, kZ);
  order.fence(3);
  EXPECT_TRUE(order.forces(1, 0, 3));
}

TEST(FenceOrder, TheSameReadAgain) {
  for (bool written : {false, true}) {
    FenceOrder order;
    order.fence(1);
    order.write(2, kX);
    order.fence(2);
    order.read(1, kY, 4);
    if (written)
      order.write(2, kY + 3);
    order.read(1, kY, 4);
    order.fence(1);
    EXPECT_EQ(order.forces(2, 0, 1), written);
  }
  FenceOrder order;
  order.fence(1);
  order.read(1, kY, 4);
  order.write(1, kX);
  order.fence(1);
  order.read(1, kY, 4); // after another fence
  order.write(2, kY);
  order.fence(2);
  EXPECT_TRUE(order.forces(1, 1, 2));
}

TEST(FenceOrder, AStaleReadPutsTheFencesInOrderThoughTheyAreOver) {
  FenceOrder order; // both write and fence; thread 1 then misses the write of thread 2
  order.write(1, kX);
  order.write(2, kY);
  order.fence(1);
  order.fence(2);
  order.readOlder(1, kY, 2, 0);
  EXPECT_TRUE(order.forces(1, 0, 2)) << "thread 2 may not miss that of thread 1, too";
  EXPECT_EQ(order.fences(1), 1u);
  EXPECT_EQ(order.fences(3), 0u);
}

} // namespace
} // namespace lanescope::core::emulator::test
