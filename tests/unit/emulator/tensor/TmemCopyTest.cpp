// tcgen05.cp as a pure function: the destination of each byte, for all shapes, swizzles and source formats.
#include "core/gpu/emulator/tensor/TmemCopy.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>

namespace lanescope::core::test {
namespace {

using namespace emulator;
using layouts::MatrixDescriptor;

constexpr uint32_t kBase = 1024, kBytes = 64 * 1024, kFrom = 2048;

struct Memory {
  std::vector<std::byte> shared = std::vector<std::byte>(kBytes);
  std::unique_ptr<TensorCells> tensor = std::make_unique<TensorCells>();

  Memory() {
    for (uint32_t n = 0; n < kBytes; ++n)
      shared[n] = static_cast<std::byte>(n * 37 ^ n >> 8);
    std::memset(tensor.get(), 0xEE, sizeof *tensor);
  }
  uint8_t at(uint32_t address) const { return static_cast<uint8_t>(shared[address - kBase]); }
  uint8_t cellByte(uint32_t lane, uint32_t column, uint32_t byte) const {
    return static_cast<uint8_t>(tensor->cells[lane][column + byte / 4] >> byte % 4 * 8);
  }
  bool run(const TmemCopy &copy, uint32_t address, const MatrixDescriptor &descriptor) {
    uint64_t bits = encode(descriptor);
    EXPECT_EQ(copy.problem(address, bits, kBase, kBytes), "");
    copy.run(address, bits, {shared, kBase}, *tensor);
    return true;
  }
};

/// Rows of 16-byte chunks without a swizzle. Chunks lie `leading` apart, groups of eight rows `stride` apart.
uint32_t plainAddress(uint32_t row, uint32_t byte, uint32_t leading, uint32_t stride) {
  return kFrom + row / 8 * stride + row % 8 * 16 + byte / 16 * leading + byte % 16;
}

TEST(TmemCopy, ShapesWithoutSwizzle) {
  struct {
    TmemCopyShape shape;
    uint32_t rows, bytes, address;
    std::vector<uint32_t> (*lanes)(uint32_t row);
  } cases[] = {
      {TmemCopyShape::L128x256b, 128, 32, 40, [](uint32_t r) { return std::vector{r}; }},
      {TmemCopyShape::L128x128b, 128, 16, 40, [](uint32_t r) { return std::vector{r}; }},
      {TmemCopyShape::L4x256b, 4, 32, 31 << 16 | 8, [](uint32_t r) { return std::vector{31 + 32 * r}; }},
      {TmemCopyShape::L64x128b0213, 64, 16, 0, [](uint32_t r) { return std::vector{r, r + 64}; }},
      {TmemCopyShape::L64x128b0123, 64, 16, 0,
       [](uint32_t r) { return r < 32 ? std::vector{r, r + 32} : std::vector{r + 32, r + 64}; }},
      {TmemCopyShape::L32x128b, 32, 16, 500, [](uint32_t r) { return std::vector{r, r + 32, r + 64, r + 96}; }},
  };
  for (const auto &each : cases) {
    Memory memory;
    TmemCopy copy{.shape = each.shape};
    EXPECT_EQ(copy.rows(), each.rows);
    EXPECT_EQ(copy.rowBytes(), each.bytes);
    memory.run(copy, each.address, {.start = kFrom, .leading = 4096, .stride = 256});
    bool written[kTensorLanes] = {};
    uint32_t column = each.address & 0xFFFF;
    for (uint32_t row = 0; row < each.rows; ++row)
      for (uint32_t lane : each.lanes(row)) {
        written[lane] = true;
        for (uint32_t byte = 0; byte < each.bytes; ++byte)
          ASSERT_EQ(memory.cellByte(lane, column, byte), memory.at(plainAddress(row, byte, 4096, 256)))
              << row << ' ' << lane << ' ' << byte;
      }
    for (uint32_t lane = 0; lane < kTensorLanes; ++lane)
      for (uint32_t c = 0; c < kTensorColumns; ++c)
        if (!written[lane] || c < column || c >= column + each.bytes / 4)
          ASSERT_EQ(memory.tensor->cells[lane][c], 0xEEEEEEEE);
    bool named[kTensorLanes] = {};
    for (const CellBox &box : copy.cells(each.address)) {
      EXPECT_EQ(box.column, column);
      EXPECT_EQ(box.columns, each.bytes / 4);
      std::fill_n(named + box.lane, box.lanes, true);
    }
    EXPECT_TRUE(std::equal(named, named + kTensorLanes, written));
  }
}

TEST(TmemCopy, Swizzles) {
  for (uint32_t swizzle : {32, 64, 128}) {
    Memory memory;
    TmemCopy copy{.shape = TmemCopyShape::L128x256b};
    uint32_t stride = 8 * swizzle + 1024;
    memory.run(copy, 0, {.start = kFrom, .stride = stride, .swizzle = static_cast<int>(swizzle)});
    for (uint32_t row = 0; row < 128; ++row)
      for (uint32_t byte = 0; byte < 32; ++byte) {
        uint32_t at = kFrom + row / 8 * stride + row % 8 * swizzle + byte;
        at ^= at / 128 % (swizzle / 16) * 16;
        ASSERT_EQ(memory.cellByte(row, 0, byte), memory.at(at));
      }
  }
}

TEST(TmemCopy, WidensNarrowElements) {
  for (bool fours : {false, true}) {
    Memory memory;
    TmemCopy copy{.shape = TmemCopyShape::L128x128b,
                  .source = fours ? TmemCopySource::B4x16P64 : TmemCopySource::B6x16P32};
    memory.run(copy, 4, {.start = kFrom, .stride = 128});
    for (uint32_t row = 0; row < 128; ++row)
      for (uint32_t n = 0; n < 16; ++n) {
        uint32_t code = 0, bits = fours ? 4 : 6;
        for (uint32_t b = 0; b < bits; ++b) {
          uint32_t bit = n * bits + b;
          code |= (memory.at(plainAddress(row, bit / 8, 0, 128)) >> bit % 8 & 1) << b;
        }
        ASSERT_EQ(memory.cellByte(row, 4, n), fours ? code << 2 : code);
      }
  }
}

TEST(TmemCopy, NamesItsChunks) {
  std::vector<uint32_t> chunks;
  TmemCopy{.shape = TmemCopyShape::L32x128b}.chunks(encode(MatrixDescriptor{.start = kFrom, .stride = 128}), chunks);
  ASSERT_EQ(chunks.size(), 32u);
  for (uint32_t row = 0; row < 32; ++row)
    EXPECT_EQ(chunks[row], kFrom + row * 16);
  chunks.clear();
  TmemCopy{}.chunks(encode(MatrixDescriptor{.start = kFrom, .stride = 1024, .swizzle = 128}), chunks);
  EXPECT_EQ(chunks.size(), 256u);
}

TEST(TmemCopy, SaysWhatIsMisplaced) {
  TmemCopy copy{.shape = TmemCopyShape::L32x128b};
  uint64_t good = encode(MatrixDescriptor{.start = kFrom, .stride = 128});
  EXPECT_EQ(copy.problem(0, good, kBase, kBytes), "");
  EXPECT_EQ(copy.problem(1 << 16, good, kBase, kBytes), "the address has lane 1, but the copy needs lane 0");
  EXPECT_EQ(copy.problem(510, good, kBase, kBytes),
            "the copy writes columns 510 to 513 of tensor memory, which has 512");
  EXPECT_EQ(copy.problem(0, good, kBase, 1024 + 511),
            "the descriptor of the source covers shared addresses 2048 to 2560, outside the block's 1535 bytes from "
            "1024");
  EXPECT_EQ(copy.problem(0, 1ull << 53, kBase, kBytes),
            "the descriptor of the source has bit 53 set, which is reserved");
  EXPECT_EQ(copy.problem(0, encode(MatrixDescriptor{.start = kFrom, .swizzle = 128, .wideAtoms = true}), kBase, kBytes),
            "the descriptor of the source has a swizzle of 32-byte atoms, which is for operands of `tcgen05.mma`");
}

} // namespace
} // namespace lanescope::core::test
