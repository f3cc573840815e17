// The set of loads that threads have not compared yet, against a plain set of pairs.
#include "core/gpu/emulator/replay/PendingReads.h"

#include <gtest/gtest.h>
#include <random>
#include <set>
#include <utility>

namespace lanescope::core::emulator {
namespace {

TEST(PendingReads, AreGoneWhenEachIsCompared) {
  PendingReads pending;
  EXPECT_TRUE(pending.empty());
  pending.add(3, 0x1000);
  pending.add(3, 0x1000);
  pending.add(3, 0x1004);
  pending.remove(4, 0x1000); // another thread's load
  pending.remove(3, 0x1008);
  EXPECT_FALSE(pending.empty());
  pending.remove(3, 0x1000);
  EXPECT_FALSE(pending.empty());
  pending.add(3, 0x1004); // present already, after the removed one
  pending.remove(3, 0x1004);
  EXPECT_TRUE(pending.empty());
}

TEST(PendingReads, AreThoseOfASet) {
  constexpr uint64_t kOtherDevice = uint64_t{1} << 48;
  PendingReads pending;
  std::set<std::pair<uint64_t, uint64_t>> set;
  std::mt19937 random(1);
  for (int n = 0; n < 20000; ++n) {
    uint64_t thread = random() % 3 + (random() % 2 ? kOtherDevice : 0), address = 0x1000 + random() % 3 * 4;
    if (random() % 2) {
      pending.add(thread, address);
      set.emplace(thread, address);
    } else {
      pending.remove(thread, address);
      set.erase({thread, address});
    }
    ASSERT_EQ(pending.empty(), set.empty()) << n;
  }
}

} // namespace
} // namespace lanescope::core::emulator
