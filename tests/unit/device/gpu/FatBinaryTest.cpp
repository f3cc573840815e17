#include "core/gpu/driver/FatBinary.h"

#include <gtest/gtest.h>

#include <cstring>

namespace lanescope::core::driver {
namespace {

std::span<const std::byte> bytesOf(const std::string &text) { return std::as_bytes(std::span(text)); }

TEST(FatBinary, lz4CopiesLiteralsAndMatches) {
  // "abcd", then 8 bytes from 4 bytes back, then "e": a match that overlaps itself.
  std::string block("\x44"
                    "abcd"
                    "\x04\x00"
                    "\x10"
                    "e",
                    9);
  auto text = decompressLz4(bytesOf(block), 13);
  ASSERT_TRUE(text) << render(text.error());
  EXPECT_EQ(*text, "abcdabcdabcde");
}

TEST(FatBinary, lz4LengthsGoOnInFurtherBytes) {
  std::string block("\x1f"
                    "x"
                    "\x01\x00"
                    "\xff\x06",
                    6);
  auto text = decompressLz4(bytesOf(block), 1 + 4 + 15 + 255 + 6);
  ASSERT_TRUE(text);
  EXPECT_EQ(*text, std::string(281, 'x'));
}

TEST(FatBinary, damagedLz4IsAnError) {
  for (const std::string &block : {std::string("\xf0", 1),              // literals beyond the end
                                   std::string("\x10x\x00\x00", 4),     // a match at distance 0
                                   std::string("\x10x\x09\x00", 4),     // a match that starts before the beginning
                                   std::string("\x1fx\x01\x00\xff", 5), // a match longer than the text
                                   std::string("\x10", 1)}) {
    auto text = decompressLz4(bytesOf(block), 8);
    ASSERT_FALSE(text);
    EXPECT_EQ(text.error().front().kind, "cuda-image");
  }
}

TEST(FatBinary, aContainerThatIsCutOffIsAnError) {
  std::string container(16 + 64, '\0');
  uint32_t magic = 0xba55ed50, headerBytes = 64, payload = 100;
  uint16_t own = 16, kind = 1;
  uint64_t size = 64 + 100;
  std::memcpy(&container[0], &magic, 4);
  std::memcpy(&container[6], &own, 2);
  std::memcpy(&container[8], &size, 8);
  std::memcpy(&container[16], &kind, 2);
  std::memcpy(&container[20], &headerBytes, 4);
  std::memcpy(&container[24], &payload, 4);
  EXPECT_FALSE(readFatBinary(bytesOf(container)));
  EXPECT_FALSE(readFatBinary(bytesOf(container.substr(0, 8))));
  EXPECT_FALSE(readFatBinary(bytesOf(std::string(16, 'x'))));
}

TEST(FatBinary, theNewestPtxThatTheGpuRunsIsChosen) {
  Image image;
  image.ptx = {{75, false, "a"}, {90, true, "b"}, {90, false, "c"}, {100, true, "d"}, {75, false, "e"}};
  auto chosen = [&](int major, int minor) {
    std::string out;
    for (const PtxText *one : choosePtx(image, major, minor))
      out += one->text;
    return out;
  };
  EXPECT_EQ(chosen(8, 9), "ae"); // nvcc has compiled two files apart
  EXPECT_EQ(chosen(9, 0), "b");  // for this exact architecture
  EXPECT_EQ(chosen(12, 0), "c");
  EXPECT_EQ(chosen(7, 0), "");
  auto plain = readImage(".version 8.0\n.target sm_90a, debug\n.address_size 64\n");
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->ptx.front().target, 90);
  EXPECT_TRUE(plain->ptx.front().specific);
  EXPECT_TRUE(readImage("")->ptx.front().text.empty());
}

} // namespace
} // namespace lanescope::core::driver
