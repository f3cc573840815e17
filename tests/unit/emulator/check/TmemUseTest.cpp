// The contents of tensor memory over time, as traces show them.
#include "core/gpu/emulator/record/TmemUse.h"

#include <gtest/gtest.h>

namespace lanescope::core::emulator {
namespace {

using Kind = TmemUse::Kind;

CellBox columns(uint16_t first, uint16_t count, uint16_t lane = 0, uint16_t lanes = 128) {
  return {lane, lanes, first, count};
}

TEST(TmemUse, AnAccumulatorLivesUntilItIsWrittenAnew) {
  TmemUse use;
  use.written(columns(0, 256), {Kind::Accumulator, -1, "line 1"}, true, 100, 200);
  use.written(columns(0, 256), {Kind::Accumulator, -1, "line 1"}, false, 200, 300);
  // Next to the array, and not a part of it.
  use.written(columns(256, 256), {Kind::Accumulator, -1, "line 2"}, true, 300, 400);
  use.read(columns(0, 32, 32, 32), 500);
  use.read(columns(224, 32, 64, 32), 600);
  use.written(columns(0, 256), {Kind::Accumulator, -1, "line 1"}, true, 700, 800);
  std::vector<TmemUse::Period> periods = use.periods();
  ASSERT_EQ(periods.size(), 3u);
  EXPECT_EQ(periods[0].first, 0u);
  EXPECT_EQ(periods[0].columns, 256u);
  EXPECT_EQ(periods[0].begin, 100u);
  EXPECT_EQ(periods[0].end, 600u); // the last read
  EXPECT_EQ(periods[0].what.line, "line 1");
  EXPECT_EQ(periods[1].first, 256u);
  EXPECT_EQ(periods[1].end, 400u);
  EXPECT_EQ(periods[2].begin, 700u);
}

// Warps store their quarters, strip by strip. The next array begins after this one has been read.
TEST(TmemUse, StripsAndQuartersAreOneArray) {
  TmemUse use;
  for (uint64_t warp = 0; warp < 4; ++warp)
    for (uint64_t strip = 0; strip < 2; ++strip)
      use.written(columns(static_cast<uint16_t>(64 + 32 * strip), 32, static_cast<uint16_t>(32 * warp), 32),
                  {Kind::Stored, -1, "line 3"}, true, 10 * warp + strip, 10 * warp + strip);
  use.read(columns(64, 64), 90);
  use.written(columns(64, 32), {Kind::Stored, -1, "line 3"}, true, 100, 100);
  std::vector<TmemUse::Period> periods = use.periods();
  ASSERT_EQ(periods.size(), 2u);
  EXPECT_EQ(periods[0].first, 64u);
  EXPECT_EQ(periods[0].columns, 64u);
  EXPECT_EQ(periods[0].end, 90u);
  EXPECT_EQ(periods[1].columns, 32u);
}

TEST(TmemUse, WhatIsOfAnotherKindIsAnotherArray) {
  TmemUse use;
  use.written(columns(0, 16), {Kind::Copied, -1, "line 4"}, true, 0, 10);
  use.written(columns(0, 16), {Kind::Accumulator, -1, "line 5"}, true, 20, 30);
  use.read(columns(64, 16), 99); // nothing is stored there
  std::vector<TmemUse::Period> periods = use.periods();
  ASSERT_EQ(periods.size(), 2u);
  EXPECT_EQ(periods[0].what.kind, Kind::Copied);
  EXPECT_EQ(periods[1].end, 30u);
}

// Two adjacent arrays stay two; an array of a union ends when another one overwrites it.
TEST(TmemUse, ArraysOfTheKernelAreToldApart) {
  TmemUse use;
  use.written(columns(0, 32), {Kind::Stored, 0, "line 1"}, true, 0, 1);
  use.written(columns(32, 32), {Kind::Stored, 1, "line 2"}, true, 2, 3);
  use.written(columns(0, 32), {Kind::Stored, 2, "line 3"}, true, 4, 5);
  std::vector<TmemUse::Period> periods = use.periods();
  ASSERT_EQ(periods.size(), 3u);
  EXPECT_EQ(periods[0].what.array, 0);
  EXPECT_EQ(periods[0].end, 1u);
  EXPECT_EQ(periods[1].what.array, 1);
  EXPECT_EQ(periods[2].what.array, 2);
}

} // namespace
} // namespace lanescope::core::emulator
