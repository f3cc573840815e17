// The table of facts about single bytes that replays use.
#include "core/gpu/emulator/replay/PlaceTable.h"

#include <gtest/gtest.h>
#include <map>
#include <random>

namespace lanescope::core::emulator {
namespace {

TEST(PlaceTable, NamesTheBytesOfAnAccess) {
  EXPECT_EQ(lineBits(0x1000, 32), UINT32_MAX);
  EXPECT_EQ(lineBits(0x1000, 4), 0xFu);
  EXPECT_EQ(lineBits(0x101E, 2), 0xC0000000u);
  uint32_t visited = 0;
  forBytes(0x80000011, [&](uint32_t n) { visited |= 1u << n; });
  EXPECT_EQ(visited, 0x80000011u);
}

TEST(PlaceTable, NothingIsKnownAtFirst) {
  PlaceTable<NoValue> table;
  EXPECT_TRUE(table.empty());
  EXPECT_EQ(table.find(0, 0x2000), nullptr);
  EXPECT_EQ(table.at(0, 0x2000).known, 0u);
  EXPECT_FALSE(table.empty());
  table.clear();
  EXPECT_EQ(table.find(0, 0x2000), nullptr);
}

TEST(PlaceTable, OwnersAndLinesAreApart) {
  PlaceTable<std::byte> table;
  table.at(1, 0x2000).known = 1;
  table.at(2, 0x2000).known = 2;
  table.at(1, 0x2020).known = 4;
  EXPECT_EQ(table.find(1, 0x201F)->known, 1u); // the same line
  EXPECT_EQ(table.find(2, 0x2000)->known, 2u);
  EXPECT_EQ(table.find(1, 0x2020)->known, 4u);
  EXPECT_EQ(table.find(2, 0x2020), nullptr);
}

TEST(PlaceTable, AgreesWithAMapWhileItGrows) {
  PlaceTable<uint32_t> table;
  std::map<std::pair<uint64_t, uint64_t>, uint32_t> expected;
  std::mt19937 random(7);
  for (uint32_t n = 1; n < 20000; ++n) {
    uint64_t owner = random() % 40, address = 0x700000000000 + random() % 4096 * 4;
    auto &line = table.at(owner, address);
    line.known |= lineBits(address, 4);
    line.values[lineByte(address)] = n;
    expected[{owner, address}] = n;
  }
  for (auto [place, value] : expected) {
    const auto *line = table.find(place.first, place.second);
    ASSERT_TRUE(line);
    EXPECT_EQ(line->known & lineBits(place.second, 4), lineBits(place.second, 4));
    EXPECT_EQ(line->values[lineByte(place.second)], value);
  }
}

} // namespace
} // namespace lanescope::core::emulator
