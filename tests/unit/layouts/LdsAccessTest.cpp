// The phases of AMD's LDS from AMD's documentation, and their cost.
#include "layouts/cost/LdsAccess.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

using namespace lanescope;
using namespace lanescope::layouts;

namespace {

std::array<int32_t, kLdsLanes> addresses(auto of) {
  std::array<int32_t, kLdsLanes> out;
  for (int lane = 0; lane < kLdsLanes; ++lane)
    out[size_t(lane)] = of(lane);
  return out;
}

TEST(LdsAccess, OpsAreReadAndWritten) {
  for (const char *text :
       {"ds_read_b32", "ds_read_b64", "ds_read_b128", "ds_write_b32", "ds_write_b128", "ds_read_u16"})
    EXPECT_EQ(ldsOpText(*parseLdsOp(text)), text);
  for (const char *text : {"ds_read_b96", "ds_read", "ds_swizzle_b32", "ld.shared.b32", ""})
    EXPECT_EQ(parseLdsOp(text).error().front().kind, "lds-op") << text;
}

TEST(LdsAccess, PhasesServeEveryLaneOnce) {
  for (const char *text : {"ds_read_b32", "ds_read_b64", "ds_read_b128", "ds_write_b64", "ds_write_b128"}) {
    std::vector<int> lanes;
    for (const std::vector<int> &phase : ldsPhases(*parseLdsOp(text)))
      lanes.insert(lanes.end(), phase.begin(), phase.end());
    std::ranges::sort(lanes);
    ASSERT_EQ(lanes.size(), 64u) << text;
    for (int lane = 0; lane < 64; ++lane)
      EXPECT_EQ(lanes[size_t(lane)], lane) << text;
  }
  // As documented for b128: writes are served in groups of eight neighbours, reads in groups of two runs of four.
  EXPECT_EQ(ldsPhases(*parseLdsOp("ds_write_b128"))[3], (std::vector<int>{24, 25, 26, 27, 28, 29, 30, 31}));
  EXPECT_EQ(ldsPhases(*parseLdsOp("ds_read_b128"))[0], (std::vector<int>{0, 1, 2, 3, 20, 21, 22, 23}));
  EXPECT_EQ(ldsPhases(*parseLdsOp("ds_read_b128"))[7], (std::vector<int>{44, 45, 46, 47, 56, 57, 58, 59}));
  EXPECT_EQ(ldsPhases(*parseLdsOp("ds_read_b32")).size(), 2u);
}

TEST(LdsAccess, CountsCycles) {
  struct {
    const char *op;
    int stride; // bytes between lanes
    int cycles, phases;
  } const kCases[] = {
      {"ds_read_b32", 4, 2, 2},    {"ds_read_b32", 8, 4, 2},     {"ds_read_b32", 128, 64, 2},  {"ds_read_b64", 8, 4, 4},
      {"ds_write_b128", 16, 8, 8}, {"ds_read_b128", 16, 8, 8},   {"ds_read_b128", 128, 64, 8}, {"ds_read_b32", 0, 2, 2},
      {"ds_read_u16", 2, 2, 2},    {"ds_write_b128", 144, 8, 8},
  };
  for (const auto &each : kCases) {
    auto lanes = addresses([&](int lane) { return lane * each.stride; });
    EXPECT_EQ(ldsCycles(*parseLdsOp(each.op), lanes), (LdsCount{each.cycles, each.phases})) << each.op << each.stride;
  }
  auto idle = addresses([](int lane) { return lane < 32 ? -1 : lane * 4; });
  EXPECT_EQ(ldsCycles(*parseLdsOp("ds_read_b32"), idle), (LdsCount{1, 1}));
}

TEST(LdsAccess, MeetingsAddUpToTheConflicts) {
  LdsOp op = *parseLdsOp("ds_read_b32");
  auto lanes = addresses([](int lane) { return lane * 8; });
  std::vector<LdsMeeting> meetings = ldsMeetings(op, lanes);
  ASSERT_EQ(meetings.size(), 32u); // 16 even banks in each of the two phases
  EXPECT_EQ(meetings[0].bank, 0);
  EXPECT_EQ(meetings[0].lanes, (std::vector<int>{0, 16}));
  EXPECT_TRUE(ldsMeetings(op, addresses([](int lane) { return lane * 4; })).empty());
}

} // namespace
