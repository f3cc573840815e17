// The table of uses that the shadow memories share.
#include "core/gpu/emulator/check/UseTable.h"

#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace lanescope::core::emulator {
namespace {

struct Reader {
  uint32_t who = 0;
  uint32_t rest = kNoUse;
};

std::vector<uint32_t> listOf(const UseTable<Reader> &table, uint32_t first) {
  std::vector<uint32_t> out;
  for (uint32_t n = first; n; n = table[n].rest)
    out.push_back(table[n].who);
  return out;
}

auto allBut(uint32_t who) {
  return [who](const Reader &reader) { return reader.who != who; };
}

TEST(UseTable, ReadersBelongToSetsThatShareTails) {
  UseTable<Reader> table;
  uint32_t one = table.addReader(kNoUse, {1}, allBut(0)), two = table.addReader(one, {2}, allBut(0)),
           three = table.addReader(one, {3}, allBut(0));
  EXPECT_EQ(listOf(table, two), (std::vector<uint32_t>{2, 1}));
  EXPECT_EQ(listOf(table, three), (std::vector<uint32_t>{3, 1}));
  EXPECT_EQ(table.size(), 4u); // includes the entry kNoUse
}

TEST(UseTable, DropsReadersFromANewSetAlone) {
  UseTable<Reader> table;
  uint32_t set = kNoUse;
  for (uint32_t who : {1, 2, 3, 4})
    set = table.addReader(set, {who}, allBut(0));
  uint32_t other = table.addReader(set, {5}, allBut(2));
  EXPECT_EQ(listOf(table, other), (std::vector<uint32_t>{5, 4, 3, 1}));
  EXPECT_EQ(listOf(table, set), (std::vector<uint32_t>{4, 3, 2, 1}));
  EXPECT_EQ(table.size(), 8u); // 5, and copies of 4 and 3; 1 is shared
}

TEST(UseTable, SweepsWhatNothingNames) {
  UseTable<Reader> table;
  std::mt19937 random(1);
  std::vector<uint32_t> cells(20, kNoUse);
  auto someone = [&] { return static_cast<uint32_t>(random() % 6 + 1); };
  for (int n = 0; n < 2000; ++n) {
    uint32_t &cell = cells[random() % cells.size()], who = someone();
    cell = random() % 8 == 0 ? kNoUse : table.addReader(cell, {who}, allBut(someone()));
  }
  std::vector<std::vector<uint32_t>> before;
  size_t named = 1;
  for (uint32_t cell : cells) {
    before.push_back(listOf(table, cell));
    named += before.back().size();
  }
  table.sweep([&](auto move) {
    for (uint32_t &cell : cells)
      cell = move(cell);
  });
  for (size_t n = 0; n < cells.size(); ++n)
    EXPECT_EQ(listOf(table, cells[n]), before[n]) << n;
  EXPECT_LE(table.size(), named);
  EXPECT_EQ(table.add({7}), table.size() - 1);
}

} // namespace
} // namespace lanescope::core::emulator
