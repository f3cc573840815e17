#include "core/gpu/emulator/decode/RegisterNames.h"

#include <gtest/gtest.h>

#include <cstring>

namespace lanescope::core::emulator {
namespace {

TEST(RegisterFile, AConstantHasOneSlotForItsWidth) {
  RegisterFile file;
  uint32_t two = file.constant(2, 32);
  EXPECT_EQ(file.constant(2, 32), two);
  EXPECT_NE(file.constant(2, 64), two);
  EXPECT_NE(file.constant(3, 32), two);
  EXPECT_EQ(file.constant((uint64_t{1} << 32) + 2, 32), two); // only 32 bits count
  // A block may add its rank to a shared address, so an equal number has another slot.
  auto [address, added] = file.sharedAddress(2, 32);
  EXPECT_TRUE(added);
  EXPECT_NE(address, two);
  EXPECT_EQ(file.sharedAddress(2, 32), (std::pair{address, false}));
  EXPECT_TRUE(file.constantSlots().contains(two));
  EXPECT_TRUE(file.constantSlots().contains(address));
  EXPECT_FALSE(file.constantSlots().contains(file.allocate(32)));
}

TEST(RegisterFile, TheImageHasConstantsInEachLane) {
  RegisterFile file;
  uint32_t empty = file.allocate(32), number = file.constant(0x01020304, 32), address = file.sharedAddress(7, 64).first;
  uint32_t predicate = file.constant(1, 1);
  std::vector<std::byte> image = file.image();
  for (size_t lane = 0; lane < 32; ++lane) {
    uint32_t word = 1;
    uint64_t wide = 0;
    std::memcpy(&word, &image.at(empty + 4 * lane), 4);
    EXPECT_EQ(word, 0u);
    std::memcpy(&word, &image.at(number + 4 * lane), 4);
    EXPECT_EQ(word, 0x01020304u);
    std::memcpy(&wide, &image.at(address + 8 * lane), 8);
    EXPECT_EQ(wide, 7u);
  }
  EXPECT_EQ(image.at(predicate), std::byte{1});
  EXPECT_EQ(image.size() % 64, 0u);
}

TEST(RegisterFile, IsFullAtItsLimit) {
  RegisterFile file;
  while (!file.full() && file.slots().size() < 2'000'000)
    file.allocate(64);
  EXPECT_TRUE(file.full());
  EXPECT_EQ(file.allocate(32), 0u);
}

TEST(RegisterNames, FindWhatTheScopeDeclares) {
  RegisterFile file;
  RegisterNames names(file);
  Function function;
  function.scopeParents = {0, 0}; // scope 1 is within scope 0
  function.registers.push_back({.name = "%f", .count = 4, .bits = 32, .scope = 0, .begin = 0});
  function.registers.push_back({.name = "%f1", .bits = 64, .scope = 1, .begin = 10});
  names.declare(function);
  Instruction outer, inner;
  outer.begin = inner.begin = 20;
  inner.scope = 1;
  ASSERT_NE(names.find("%f1", outer), nullptr);
  EXPECT_EQ(names.find("%f1", outer)->bits, 32u);
  EXPECT_EQ(names.find("%f1", inner)->bits, 64u);
  EXPECT_EQ(names.find("%f4", outer), nullptr); // the range ends at %f3
  EXPECT_EQ(names.find("%g", outer), nullptr);
  EXPECT_EQ(names.find("%f2", inner), names.find("%f2", outer));
  inner.begin = 5;
  EXPECT_EQ(names.find("%f1", inner)->bits, 32u); // before the inner declaration
  names.bind({1, "param"}, {.slot = 128, .bits = 32});
  inner.begin = 20;
  ASSERT_NE(names.find("param", inner), nullptr);
  EXPECT_EQ(names.find("param", inner)->slot, 128u);
}

} // namespace
} // namespace lanescope::core::emulator
