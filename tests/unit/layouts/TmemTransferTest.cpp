// Loads and stores of tensor memory: each word of each thread is the element that both layouts have at that place.
#include "layouts/cost/TmemTransferCost.h"

#include "layouts/Catalogue.h"
#include "layouts/ElementMap.h"
#include "layouts/TmemMap.h"

#include <gtest/gtest.h>

using namespace lanescope;
using namespace lanescope::layouts;
namespace c = lanescope::layouts::catalogue;

namespace {

struct Cell {
  int lane, column;
};

/// The first cell of word `word` of a lane, relative to the instruction's address (PTX ISA, "Matrix fragments"). With
/// `packs`, the word also holds the lower half of the next cell, and columns count cells.
Cell cellOf(std::string_view shape, bool packs, int lane, int word) {
  int wide = packs ? 2 : 1;
  if (shape == "32x32b")
    return {lane, word * wide};
  if (shape == "16x128b")
    return {lane / 4 + 8 * (word % 2), (lane % 4 + 4 * (word / 2)) * wide};
  return {lane / 4 + 8 * (word / 2 % 2), lane % 4 * 2 + word % 2 + 8 * (word / 4)};
}

void check(const TMEMLayout &tensor, const TiledLayout &registers, const Shape &shape, int bits) {
  auto plan = chooseTmemTransfer(tensor, registers, shape, bits);
  ASSERT_TRUE(plan) << plan.error();
  auto cells = TmemMap::of(tensor, shape, bits);
  auto array = ElementMap::of(registers, shape);
  ASSERT_TRUE(cells && array);
  int perWord = kTmemCellBits / bits, seen = 0;
  for (const TmemInstruction &instruction : plan->instructions)
    for (size_t word = 0; word < instruction.words.size(); ++word)
      for (int thread = 0; thread < kTmemLanes; ++thread) {
        Cell cell = cellOf(plan->shape, plan->packs, thread % 32, static_cast<int>(word));
        int lane = thread / 32 * 32 + instruction.lane + cell.lane;
        auto column = static_cast<int>(instruction.column) + cell.column;
        const TmemWord &place = instruction.words[word];
        for (int e = 0; e < perWord; ++e) {
          int there = plan->packs ? cells->element(lane, column + e, 0) : cells->element(lane, column, e);
          int position = place.element < 0 ? e : place.element;
          ASSERT_EQ(array->element(thread, place.reg, position), there)
              << "thread " << thread << " word " << word << " of lane " << instruction.lane << " column "
              << instruction.column;
          ++seen;
        }
      }
  EXPECT_EQ(seen, kTmemLanes * array->values()) << "every register is moved once";
}

TEST(TmemTransfer, WordsAreTheElementsOfBothLayouts) {
  for (int64_t columns : {8, 24, 64, 200}) {
    check(*c::tmemDefault(), c::tcgen05(), {128, columns}, 32);
    check(*c::tmemDefault(), c::tcgen05(), {128, columns}, 16);
    check(*c::tmemDefault(2), c::tcgen05(), {128, columns}, 16);
    check(*c::tmemDefault(), *c::tmemNative(2), {128, columns}, 32);
    check(*c::tmemDefault(), *c::tmemNative(2), {128, columns}, 16);
    for (int packing : {1, 2, 4, 8})
      check(*c::tmemDefault(packing), c::tmemDefault(packing)->tiled(), {128, columns}, 32 / packing);
  }
  check(*c::tmemDefault(), c::tmemDefault()->tiled(), {128, 1}, 32);
  check(c::scales(), c::scales().tiled(), {128, 8}, 8);
  for (int64_t columns : {16, 48, 256}) {
    check(*c::tmemHalfLane(columns), c::wgmma(), {64, columns}, 32);
    check(*c::tmemHalfLane(columns), c::wgmma(), {64, columns}, 16);
    check(*c::tmemHalfLane(columns, 2), c::wgmma(), {64, columns}, 16);
    check(*c::tmemHalfLane(columns), c::tmemHalfLane(columns)->tiled(), {64, columns}, 32);
    check(*c::tmemM64Collective(columns), *c::faM64Collective(columns), {64, columns}, 32);
    check(*c::tmemM64Collective(columns, 2), *c::faM64Collective(columns), {64, columns}, 16);
    check(*c::tmemM64Collective(columns, 4), c::tmemM64Collective(columns, 4)->tiled(), {64, columns}, 8);
  }
}

TEST(TmemTransfer, InstructionsAreAsWideAsTheColumnsAllow) {
  auto plan = chooseTmemTransfer(*c::tmemDefault(), c::tcgen05(), {128, 88}, 32);
  ASSERT_TRUE(plan);
  std::vector<int> nums;
  for (const TmemInstruction &each : plan->instructions)
    nums.push_back(each.num);
  EXPECT_EQ(nums, (std::vector<int>{8, 2, 1, 8, 2, 1}));
  EXPECT_EQ(plan->instructions[3].lane, 16);
  EXPECT_EQ(plan->instructions[5].column, 80);
}

TEST(TmemTransfer, WhatDoesNotGoTogetherIsNamed) {
  auto message = [](const TMEMLayout &tensor, const TiledLayout &registers, const Shape &shape, int bits) {
    auto plan = chooseTmemTransfer(tensor, registers, shape, bits);
    return plan ? "" : plan.error();
  };
  EXPECT_NE(message(*c::tmemDefault(), c::wgmma(), {128, 64}, 32).find("`WGMMA`"), std::string::npos);
  EXPECT_NE(message(*c::tmemDefault(4), c::tcgen05(), {128, 64}, 8).find("elements of 8 bits"), std::string::npos);
  EXPECT_NE(message(*c::tmemDefault(), c::tcgen05(), {256, 64}, 32).find("arrays of 128 rows"), std::string::npos);
  EXPECT_NE(message(c::sparseMeta(), c::tcgen05(), {128, 64}, 2).find("copied from shared memory"), std::string::npos);
  EXPECT_NE(message(*c::tmemDefault(), c::tcgen05(), {64, 64}, 32).find("not divisible"), std::string::npos);
}

TEST(TmemTransfer, ChoicesInOrder) {
  std::vector<RegisterLayout> plain{c::tcgen05(), c::tmemDefault()->tiled(), *c::tmemNative(2)};
  EXPECT_EQ(registerLayoutsFor(*c::tmemDefault(), {128, 64}, 32), plain);
  EXPECT_EQ(tensorLayoutsFor(c::tcgen05(), {128, 64}, 16), (std::vector{*c::tmemDefault(2), *c::tmemDefault(1)}));
  EXPECT_EQ(tensorLayoutsFor(c::wgmma(), {64, 64}, 32), std::vector{*c::tmemHalfLane(64)});
}

} // namespace
