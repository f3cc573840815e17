// Which lane of a warp accesses which offset of an array: rows, tiles of rows, and irregular places.
#include "core/gpu/emulator/check/LaneForms.h"

#include <gtest/gtest.h>

#include <functional>
#include <vector>

namespace lanescope::core::emulator {
namespace {

std::array<uint64_t, 32> placesOf(const std::function<uint64_t(uint64_t)> &place) {
  std::array<uint64_t, 32> places{};
  for (uint64_t l = 0; l < 32; ++l)
    places[l] = place(l);
  return places;
}

TEST(LaneForms, ARowByItsOffset) {
  LaneForms forms;
  for (uint32_t bytes : {1u, 2u, 4u, 8u, 16u, 32u})
    for (uint64_t offset : {uint64_t{0}, uint64_t{bytes} * 5, uint64_t{bytes} * 32 * 7 + bytes * 31}) {
      uint32_t form = LaneForms::row(bytes, offset);
      for (uint32_t l = 0; l < 32; ++l)
        for (uint32_t byte : {0u, bytes - 1})
          EXPECT_EQ(forms.lanesAt(form, offset + uint64_t{l} * bytes + byte).lanes, 1u << l) << bytes << " " << offset;
      EXPECT_EQ(forms.together(form), kAllLanes);
    }
  EXPECT_EQ(LaneForms::row(4, 128), LaneForms::row(4, 256)); // the same lanes where they overlap
  EXPECT_NE(LaneForms::row(4, 128), LaneForms::row(4, 132));
}

TEST(LaneForms, EachLaneOfAFormIsFoundAtItsPlace) {
  struct Case {
    const char *name;
    std::function<uint64_t(uint64_t)> place;
    uint32_t bytes;
  };
  for (const Case &c : {Case{"a row", [](uint64_t l) { return 4096 + 4 * l; }, 4},
                        Case{"fields of structures", [](uint64_t l) { return 12 + 48 * l; }, 4},
                        Case{"eight rows of four", [](uint64_t l) { return 640 * (3 + l / 4) + 16 + 8 * (l % 4); }, 8},
                        Case{"four rows of eight", [](uint64_t l) { return 256 * (l / 8) + 16 * (l % 8); }, 16},
                        Case{"two rows of sixteen", [](uint64_t l) { return 1000 * (l / 16) + 100 + 2 * (l % 16); }, 2},
                        Case{"sixteen rows of two", [](uint64_t l) { return 96 * (l / 2 + 5) + 8 * (l % 2); }, 8}}) {
    LaneForms forms;
    auto places = placesOf(c.place);
    uint32_t form = forms.of(kAllLanes, kAllLanes, places.data(), c.bytes);
    ASSERT_NE(form, LaneForms::kUnknown) << c.name;
    for (uint32_t l = 0; l < 32; ++l)
      EXPECT_EQ(forms.lanesAt(form, places[l] + c.bytes - 1).lanes, 1u << l) << c.name;
  }
}

TEST(LaneForms, APartOfARowAndOneLane) {
  LaneForms forms;
  auto places = placesOf([](uint64_t l) { return 256 + 4 * l; });
  uint32_t part = forms.of(0xffff, 0xfff0, places.data(), 4);
  ASSERT_NE(part, LaneForms::kUnknown);
  EXPECT_EQ(forms.lanesAt(part, places[9]).lanes, 1u << 9);
  EXPECT_EQ(forms.together(part), 0xffffu);
  uint32_t one = forms.of(kAllLanes, 1u << 7, places.data(), 4);
  EXPECT_EQ(forms.lanesAt(one, 12345).lanes, 1u << 7);
  auto alike = placesOf([](uint64_t) { return uint64_t{64}; });
  EXPECT_EQ(forms.lanesAt(forms.of(kAllLanes, 0xf0, alike.data(), 4), 64).lanes, 0xf0u);
  EXPECT_TRUE(forms.isSeveral(forms.several(kAllLanes)));
}

TEST(LaneForms, WhatIsInNoOrderIsScattered) {
  LaneForms forms;
  auto places = placesOf([](uint64_t l) { return 4 * (l * l % 61); });
  EXPECT_EQ(forms.of(kAllLanes, kAllLanes, places.data(), 4), LaneForms::kUnknown);
  // The row wraps round the end of a longer row; a plain function of the offset would give another lane.
  auto round = placesOf([](uint64_t l) { return 48 + 64 * (l / 8) + 4 * (l % 8); });
  EXPECT_EQ(forms.of(kAllLanes, kAllLanes, round.data(), 4), LaneForms::kUnknown);
  uint32_t one = forms.scattered(0xff), other = forms.scattered(kAllLanes);
  EXPECT_NE(one, other);
  EXPECT_TRUE(LaneForms::isScattered(one));
  EXPECT_EQ(forms.together(one), 0xffu);
  LaneMarks<8> marks;
  marks.set(3, one, 5, true);
  EXPECT_EQ(marks.at(3, one, 0xff).lanes, 1u << 5);
  EXPECT_EQ(marks.at(3, other, 0xff).lanes, 0u); // this other use has no mark here
  marks.set(3, one, 6, true);
  EXPECT_TRUE(marks.at(3, one, 0xff).several);
  marks.set(3, other, 6, false);
  EXPECT_EQ(marks.at(3, other, 0xff).lanes, 1u << 6);
}

} // namespace
} // namespace lanescope::core::emulator
