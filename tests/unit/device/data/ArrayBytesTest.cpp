#include "core/data/ArrayBytes.h"

#include <gtest/gtest.h>

namespace lanescope::core {
namespace {

Bytes counting(size_t size) {
  Bytes out(size);
  for (size_t i = 0; i < size; ++i)
    out[i] = std::byte(i);
  return out;
}

TEST(ArrayBytes, CopiesOfLentBytesReadTheSameMemory) {
  Bytes memory = counting(8);
  auto loan = std::make_shared<BytesLoan>(memory.data(), memory.size());
  const ArrayBytes bytes = ArrayBytes::lent(loan), copy = bytes;
  EXPECT_TRUE(copy.isLent());
  EXPECT_EQ(copy.data(), memory.data());
  EXPECT_EQ(copy.size(), 8U);
  EXPECT_EQ(copy, ArrayBytes(counting(8)));
}

TEST(ArrayBytes, AWriteCopiesLentBytes) {
  Bytes memory = counting(8);
  auto loan = std::make_shared<BytesLoan>(memory.data(), memory.size());
  const ArrayBytes bytes = ArrayBytes::lent(loan);
  ArrayBytes changed = bytes, longer = bytes;
  changed[0] = std::byte{9};
  longer.append(bytes);
  EXPECT_FALSE(changed.isLent());
  EXPECT_EQ(memory, counting(8));
  EXPECT_EQ(bytes[0], std::byte{0});
  EXPECT_EQ(longer.size(), 16U);
  EXPECT_EQ(longer[15], std::byte{7});
  EXPECT_EQ(std::move(longer).take().size(), 16U);
}

TEST(ArrayBytes, AfterTheEndOfALoanItsReadersHaveACopy) {
  Bytes memory = counting(8);
  auto loan = std::make_shared<BytesLoan>(memory.data(), memory.size());
  const ArrayBytes bytes = ArrayBytes::lent(loan), copy = bytes;
  loan->end();
  memory.assign(8, std::byte{0xFF});
  EXPECT_EQ(bytes, ArrayBytes(counting(8)));
  EXPECT_EQ(copy.data(), bytes.data()); // one copy serves both
}

TEST(ArrayBytes, ManyZerosAreAsGoodAsFew) {
  for (size_t size : {size_t{0}, size_t{3}, size_t{5} << 20}) {
    const ArrayBytes zeros = ArrayBytes::zeros(size);
    EXPECT_FALSE(zeros.isLent());
    EXPECT_EQ(zeros.areUntouchedZeros(), size > (1 << 20));
    EXPECT_EQ(zeros, ArrayBytes(Bytes(size)));
    ArrayBytes changed = zeros;
    for (std::byte &byte : changed)
      byte |= std::byte{1};
    EXPECT_TRUE(size == 0 || (changed[size - 1] == std::byte{1} && zeros[size - 1] == std::byte{0}));
    changed.resize(size + 1);
    EXPECT_EQ(changed.data()[size], std::byte{0});
  }
}

} // namespace
} // namespace lanescope::core
